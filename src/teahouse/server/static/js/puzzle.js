// The page of a puzzle: find the right moves, see the replies, then the next one.
import { announce } from "./announce.js";
import { getJson, post } from "./api.js";
import { Board } from "./board.js";
import { byId, element, find, setText } from "./dom.js";
import { exploreUrl } from "./explore-url.js";
import { addAttempt, addDaily, gameProgress, nextPuzzle, progress } from "./puzzle-progress.js";
import { playOn, SolutionList } from "./puzzle-solution.js";
import { renderStreaks } from "./puzzle-streaks.js";
import { createSeats, renderHands, renderScores, renderTurn } from "./seats.js";
import { sitePath } from "./site-path.js";
import * as sounds from "./sounds.js";
import { setTitle } from "./waiting-games.js";
import { errorText, sentence } from "./wording.js";

/** @import { Puzzle, PuzzleHint, PuzzleList, PuzzleVerdict, Snapshot } from "./protocol.js" */

const REPLY_MS = 700; // between a move and the reply to it

/** @param {number} milliseconds */
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

class PuzzlePage {
  #root = find(document, ".puzzle");
  #game = this.#root.dataset.game ?? "";
  #board = new Board(byId("board"), byId("choices"));
  #theme = byId("theme", HTMLSelectElement);
  #solution = new SolutionList(this.#board);
  /** @type {PuzzleList | null} */
  #list = null;
  /** @type {Puzzle | null} */
  #puzzle = null;
  /** The player's right moves. @type {string[]} */
  #moves = [];
  /** The position in which the next of them is asked for. @type {Snapshot | null} */
  #asked = null;
  /** Counts what was shown, so that replies to an earlier move stop. */
  #turn = 0;

  async start() {
    this.#board.onmove = (move) => this.#attempt(() => this.#answer(move));
    this.#board.onshow = (snapshot) => this.#renderSide(snapshot);
    this.#theme.addEventListener("change", () => this.#attempt(() => this.#next()));
    addEventListener("popstate", () => location.reload());
    const side = find(this.#root, ".puzzle-side");
    await this.#attempt(async () => {
      this.#list = await getJson(`/api/puzzles/${this.#game}`);
      this.#renderThemes();
      const number = Number(this.#root.dataset.number);
      if (number) await this.#open(number);
      else await this.#next({ replace: true });
    });
    side.classList.remove("pending");
  }

  /**
   * Do something that needs the server; say what failed, and offer to try it again.
   * @param {() => Promise<void>} action
   */
  async #attempt(action) {
    try {
      await action();
    } catch (error) {
      this.#say(errorText(error), "wrong");
      this.#setButtons(this.#button("Try again", () => this.#retry(), true));
    }
  }

  #retry() {
    if (this.#puzzle) this.#attempt(() => this.#ask());
    else location.reload();
  }

  /**
   * Open the puzzle that fits the player best.
   * @param {{ replace?: boolean }} [options] whether it replaces this page in the history
   */
  async #next({ replace = false } = {}) {
    if (!this.#list) return;
    const own = gameProgress(progress(), this.#game);
    const theme = this.#theme.value;
    const found = nextPuzzle(this.#list.puzzles, own, { theme, except: this.#puzzle?.number });
    if (!found) return;
    const query = theme ? `?theme=${encodeURIComponent(theme)}` : "";
    const path = `/puzzles/${this.#game}/${found.number}${query}`;
    if (replace) history.replaceState(null, "", sitePath(path));
    else history.pushState(null, "", sitePath(path));
    await this.#open(found.number);
  }

  /** @param {number} number */
  async #open(number) {
    const turn = ++this.#turn;
    /** @type {Puzzle} */
    const puzzle = await getJson(`/api/puzzles/${this.#game}/${number}`);
    if (turn !== this.#turn) return;
    this.#puzzle = puzzle;
    this.#moves = [];
    this.#asked = puzzle.snapshot;
    this.#board.focus.spot = null;
    this.#solution.clear();
    const { title, rating, difficulty, task, variant } = puzzle;
    setText(byId("title"), `${title} puzzle ${number}`);
    setTitle(`${title} puzzle ${number} – Teahouse`);
    const level = difficulty ? `Difficulty: ${difficulty} (rating ${rating})` : `Rating ${rating}`;
    setText(byId("difficulty"), variant ? `${level} · ${variant}` : level);
    setText(byId("task"), task);
    this.#renderProgress(0);
    announce(`${title} puzzle ${number}. ${task} ${puzzle.snapshot.prompt}`);
    await this.#ask();
  }

  /** Show the position in which a move is asked for. */
  async #ask() {
    if (!this.#asked) return;
    const focused = byId("buttons").contains(document.activeElement);
    this.#turn += 1;
    this.#say("", "");
    this.#solution.clear();
    this.#setButtons(
      this.#button("Hint", () => this.#attempt(() => this.#hint())),
      this.#button("Show solution", () => this.#attempt(() => this.#show())),
      this.#button("Next puzzle", () => this.#attempt(() => this.#next())),
    );
    await this.#board.show(this.#asked, { interactive: true });
    if (focused) this.#board.focus.toStop();
  }

  get #address() {
    return `/api/puzzles/${this.#game}/${this.#puzzle?.number}`;
  }

  /** @param {string} move */
  async #answer(move) {
    const puzzle = this.#puzzle;
    if (!puzzle) return;
    const turn = ++this.#turn;
    const moves = [...this.#moves, move];
    /** @type {PuzzleVerdict} */
    const verdict = await post(this.#address, { moves });
    if (turn !== this.#turn) return;
    if (!verdict.right) this.#count(false);
    await this.#play(verdict.snapshots, turn);
    if (turn !== this.#turn) return;
    this.#say(verdict.say, verdict.right ? "right" : "wrong");
    if (!verdict.right) return this.#offerRetry();
    if (verdict.solved) return this.#finish();
    this.#moves = moves;
    this.#asked = verdict.snapshots.at(-1) ?? this.#asked;
    this.#board.setInteractive(true);
    this.#board.focus.toStop();
  }

  /**
   * Show the boards after a move and after each reply to it.
   * @param {Snapshot[]} snapshots
   * @param {number} turn
   */
  async #play(snapshots, turn) {
    for (const [index, snapshot] of snapshots.entries()) {
      if (index) await wait(REPLY_MS);
      if (turn !== this.#turn) return;
      sounds.playMove(index === 0);
      await this.#board.show(snapshot, { animate: true });
    }
  }

  #offerRetry() {
    const again = this.#button("Try again", () => this.#attempt(() => this.#ask()), true);
    this.#setButtons(
      again,
      this.#button("Show solution", () => this.#attempt(() => this.#show())),
      this.#button("Next puzzle", () => this.#attempt(() => this.#next())),
    );
    again.focus();
  }

  /** The puzzle is solved: offer what can follow. */
  async #finish() {
    this.#count(true);
    const date = new URLSearchParams(location.search).get("daily");
    if (date) addDaily(date);
    this.#renderProgress(0);
    this.#offerNext();
    await this.#solution.load(this.#address, this.#puzzle);
  }

  /** Mark where the right move begins; the puzzle no longer counts as solved. */
  async #hint() {
    const turn = this.#turn;
    /** @type {PuzzleHint} */
    const { click_path, say } = await post(`${this.#address}/hint`, { moves: this.#moves });
    if (turn !== this.#turn) return; // another puzzle is shown, or a move was made
    this.#count(false);
    this.#board.showHint(click_path);
    this.#say(say, "shown");
  }

  /** Play the solution on the board. */
  async #show() {
    const puzzle = this.#puzzle;
    if (!puzzle) return;
    const turn = ++this.#turn;
    this.#count(false);
    await this.#solution.load(this.#address, puzzle);
    if (turn !== this.#turn) return;
    this.#say(this.#solution.say, "shown");
    this.#offerNext();
    await this.#solution.play(() => turn === this.#turn);
  }

  #offerNext() {
    const puzzle = this.#puzzle;
    if (!puzzle) return;
    const next = this.#button("Next puzzle", () => this.#attempt(() => this.#next()), true);
    const play = () => this.#attempt(() => playOn(puzzle, this.#board.snapshot));
    const { game, options, snapshot } = puzzle;
    const link = { class: "button", href: exploreUrl(game, options, snapshot.position) };
    this.#setButtons(
      next,
      this.#button("Play on against the computer", play),
      element("a", link, "Analyse"),
    );
    next.focus();
  }

  /**
   * Count the first attempt.
   * @param {boolean} solved
   */
  #count(solved) {
    if (!this.#puzzle) return;
    this.#renderProgress(addAttempt(this.#game, this.#puzzle, solved));
  }

  /**
   * @param {string} text
   * @param {"" | "right" | "wrong" | "shown"} kind
   */
  #say(text, kind) {
    const box = byId("answer");
    setText(box, text);
    box.hidden = !text;
    byId("prompt").hidden = Boolean(text);
    box.className = `answer ${kind}`;
    if (text) announce(text);
  }

  /**
   * @param {string} label
   * @param {() => void} onclick
   * @param {boolean} [main]
   */
  #button(label, onclick, main = false) {
    return element("button", { type: "button", class: main && "main", onclick }, label);
  }

  /** @param {...HTMLElement} buttons */
  #setButtons(...buttons) {
    const box = byId("buttons");
    const focused = box.contains(document.activeElement);
    box.replaceChildren(...buttons);
    if (focused) buttons[0].focus();
  }

  /** @param {number} change of the rating by this puzzle */
  #renderProgress(change) {
    const all = progress();
    const { rating, tried } = gameProgress(all, this.#game);
    const solved = Object.values(tried).filter(Boolean).length;
    const sign = change > 0 ? "+" : "−";
    const changed = change ? `${rating} (${sign}${Math.abs(change)})` : String(rating);
    renderStreaks(byId("progress"), all, [
      ["Your rating", changed],
      ["Solved", `${solved} of ${this.#list?.puzzles.length ?? 0}`],
    ]);
  }

  #renderThemes() {
    const labels = Object.entries(this.#list?.themes ?? {});
    const options = labels.map(([name, label]) => element("option", { value: name }, label));
    this.#theme.append(...options);
    this.#theme.value = new URLSearchParams(location.search).get("theme") ?? "";
    if (this.#theme.selectedIndex < 0) this.#theme.value = "";
  }

  /** @param {Snapshot} snapshot */
  #renderSide(snapshot) {
    const puzzle = this.#puzzle;
    if (!puzzle) return;
    const seats = byId("seats");
    createSeats(seats, puzzle.players, snapshot.colours);
    for (const [seat, row] of [...seats.children].entries()) {
      setText(find(row, ".name"), puzzle.players[seat]);
      find(row, ".player").hidden = true;
      find(row, ".you").hidden = seat !== puzzle.player;
    }
    renderHands(seats, snapshot);
    renderScores(seats, snapshot);
    renderTurn(seats, snapshot);
    const last = snapshot.last ? `${sentence(snapshot.last.description)} ` : "";
    setText(byId("prompt"), snapshot.over ? (snapshot.result_text ?? "") : last || snapshot.prompt);
  }
}

new PuzzlePage().start();
