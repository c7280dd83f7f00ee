// The page of a lesson: one step at a time on a real board, then a first game.
import { announce } from "./announce.js";
import { post } from "./api.js";
import { Board } from "./board.js";
import { byId, element, find, parseSvg, setText } from "./dom.js";
import { Explanations } from "./explanations.js";
import { answerTo, LessonData } from "./lesson-data.js";
import { Preview } from "./preview.js";
import { openPage } from "./site-path.js";
import * as sounds from "./sounds.js";
import * as storage from "./storage.js";
import { errorText, sentence } from "./wording.js";

/** @import { CreatedTable, LessonStep, SeatChoice, Snapshot } from "./protocol.js" */

const REPLY_MS = 900; // between a move and the reply to it
const WRONG_MOVES_BEFORE_HELP = 2;
const FIRST_LEVEL = 1;
/** Announced to screen readers before an answer. */
const VERDICTS = { "": "", right: "Right.", wrong: "Not yet.", shown: "Try this:", refused: "" };

/** @param {number} milliseconds */
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

class LessonPage {
  #root = find(document, ".lesson");
  #game = this.#root.dataset.game ?? "";
  #dots = [...byId("dots").querySelectorAll("button")];
  #data = new LessonData(this.#game, this.#dots.length);
  #board = new Board(byId("board"), byId("choices"));
  #explanations = new Explanations(this.#board, [byId("hands")]);
  #reached = 1;
  #done = false;
  #wrongMoves = 0;
  /** Counts what was shown, so that replies to an earlier move stop. */
  #turn = 0;
  /** @type {LessonStep | null} */
  #step = null;

  start() {
    const { step, done } = storage.lessonProgress(this.#game);
    const { length } = this.#dots;
    this.#done = done;
    this.#reached = done ? length : Math.min(Math.max(step, 1), length);
    for (const dot of this.#dots) {
      dot.addEventListener("click", () => this.#goTo(Number(dot.dataset.step)));
    }
    this.#board.onmove = (move) => this.#onMove(move).catch((error) => this.#fail(error));
    this.#board.onshow = (snapshot) => this.#renderHands(snapshot);
    this.#board.onrefuse = (name, chosen) => this.#onRefused(name, chosen);
    new Preview(this.#board, (text) => this.#showAnswer(text, "refused"));
    this.#goTo(done ? 1 : this.#reached, { focus: false });
  }

  /**
   * Show a step.
   * @param {number} number
   * @param {{ focus?: boolean }} [options]
   */
  async #goTo(number, { focus = true } = {}) {
    const turn = ++this.#turn;
    let step;
    try {
      step = await this.#data.step(number);
    } catch (error) {
      return this.#fail(error, () => this.#goTo(number));
    }
    if (turn !== this.#turn) return;
    this.#step = step;
    this.#board.focus.spot = null;
    this.#wrongMoves = 0;
    this.#reached = Math.max(this.#reached, number);
    this.#save();
    this.#renderDots(number);
    setText(byId("step-name"), step.name);
    setText(byId("say"), step.say);
    setText(byId("ask"), step.ask);
    announce(`Step ${number} of ${this.#dots.length}: ${step.name}. ${step.say} ${step.ask}`);
    scrollTo(0, 0); // on a phone the answer may be below the board
    await this.#askAgain(focus);
  }

  /**
   * Show the position of the step and wait for a move.
   * @param {boolean} [focus] whether to focus the board
   */
  async #askAgain(focus = true) {
    if (!this.#step) return;
    this.#turn += 1;
    this.#showAnswer("", "");
    this.#setButtons();
    const shown = this.#board.show(this.#step.snapshot, { interactive: true });
    find(this.#root, ".panel").classList.remove("pending");
    await shown;
    if (focus) this.#board.focus.toStop();
  }

  /** @param {string} move */
  async #onMove(move) {
    const step = this.#step;
    if (!step) return;
    const turn = ++this.#turn;
    const answer = answerTo(step, move);
    const [first, ...others] = await this.#data.line(step, move, answer.replies);
    if (turn !== this.#turn) return;
    sounds.playMove(true);
    const shown = this.#board.show(first, { animate: true });
    this.#showAnswer(answer.say, answer.right ? "right" : "wrong");
    if (answer.right) this.#onRight(step.number);
    else this.#onWrong();
    await shown;
    for (const snapshot of others) {
      await wait(REPLY_MS);
      if (turn !== this.#turn) return;
      sounds.playMove(false);
      if (snapshot.last) announce(sentence(snapshot.last.description));
      await this.#board.show(snapshot, { animate: true });
    }
  }

  /**
   * Say why a spot cannot be clicked; this is no wrong move.
   * @param {string} name
   * @param {string[]} chosen
   */
  async #onRefused(name, chosen) {
    const turn = this.#turn;
    try {
      const { why } = await this.#explanations.explain(name, chosen);
      if (turn === this.#turn && why) this.#showAnswer(why, "refused");
    } catch {
      // the board has been shaken
    }
  }

  #onWrong() {
    this.#wrongMoves += 1;
    const buttons = [this.#button("Try again", () => this.#askAgain(), true)];
    if (this.#wrongMoves >= WRONG_MOVES_BEFORE_HELP) {
      buttons.push(this.#button("Show me", () => this.#showMove()));
    }
    this.#setButtons(...buttons);
    buttons[0].focus();
  }

  /** Mark the clicks of a right move; the player makes them. */
  async #showMove() {
    const step = this.#step;
    if (!step) return;
    await this.#askAgain();
    this.#board.showHint(step.shown.click_path);
    this.#showAnswer(sentence(step.shown.description), "shown");
  }

  /** @param {number} number */
  #onRight(number) {
    const last = number === this.#dots.length;
    const next = last ? () => this.#finish() : () => this.#goTo(number + 1);
    const button = this.#button(last ? "Finish" : "Next", next, true);
    this.#setButtons(button);
    button.focus();
    this.#reached = Math.max(this.#reached, Math.min(number + 1, this.#dots.length));
    this.#done ||= last;
    this.#save();
    this.#renderDots(number);
  }

  /** Offer the first game. */
  #finish() {
    this.#turn += 1;
    const text = this.#root.dataset.farewell ?? "";
    setText(byId("step-name"), "Well done!");
    setText(byId("say"), text);
    setText(byId("ask"), "Ready for your first game? A coach explains every turn.");
    this.#showAnswer("", "");
    announce(`Well done! ${text}`);
    const play = this.#button("Play your first game", () => this.#play(play), true);
    this.#setButtons(
      play,
      this.#button("Start over", () => this.#goTo(1)),
    );
    this.#renderDots(0);
    play.focus();
  }

  /** @param {HTMLButtonElement} button */
  async #play(button) {
    button.disabled = true;
    /** @type {{ options: object, players: string[] }} */
    const { options, players } = JSON.parse(this.#root.dataset.firstGame ?? "");
    /** @type {SeatChoice[]} */
    const bots = players.slice(1).map(() => ({ kind: "bot", level: FIRST_LEVEL }));
    /** @type {SeatChoice[]} */
    const seats = [{ kind: "local", name: storage.playerName() || null }, ...bots];
    try {
      /** @type {CreatedTable} */
      const created = await post("/api/tables", { game: this.#game, options, seats });
      storage.addCreatedTable(created, seats);
      storage.updateTable(created.id, { coach: true });
      openPage(storage.tablePath(created.id));
    } catch (error) {
      button.disabled = false;
      this.#showAnswer(errorText(error), "wrong");
    }
  }

  /**
   * Say what failed, and offer to try it again.
   * @param {unknown} error
   * @param {() => void} [again]
   */
  #fail(error, again = () => this.#askAgain()) {
    this.#showAnswer(errorText(error), "wrong");
    this.#setButtons(this.#button("Try again", again, true));
    find(this.#root, ".panel").classList.remove("pending");
  }

  /**
   * @param {string} text
   * @param {"" | "right" | "wrong" | "shown" | "refused"} kind
   */
  #showAnswer(text, kind) {
    const box = byId("answer");
    setText(box, text);
    box.hidden = !text;
    box.className = `answer ${kind}${kind === "wrong" ? " shake" : ""}`;
    const answered = kind === "right" || kind === "wrong";
    this.#root.classList.toggle("answered", answered);
    if (text) announce(`${VERDICTS[kind]} ${text}`);
  }

  /**
   * @param {string} label
   * @param {() => void} onclick
   * @param {boolean} [main]
   */
  #button(label, onclick, main = false) {
    return element("button", { type: "button", class: main && "main", onclick }, label);
  }

  /** @param {...HTMLButtonElement} buttons */
  #setButtons(...buttons) {
    const box = byId("buttons");
    const focused = box.contains(document.activeElement);
    box.replaceChildren(...buttons);
    if (focused) buttons[0]?.focus();
  }

  #save() {
    storage.setLessonProgress(this.#game, { step: this.#reached, done: this.#done });
  }

  /** @param {number} current */
  #renderDots(current) {
    for (const [index, dot] of this.#dots.entries()) {
      const number = index + 1;
      dot.disabled = number > this.#reached;
      if (number === current) dot.setAttribute("aria-current", "step");
      else dot.removeAttribute("aria-current");
      dot.parentElement?.classList.toggle("done", this.#done || number < this.#reached);
    }
  }

  /** @param {Snapshot} snapshot */
  #renderHands({ hands }) {
    byId("hands").replaceChildren(
      ...hands.map(({ name, label, piece, svg }) => {
        const before = this.#step?.snapshot.hands.find((hand) => hand.name === name);
        const used = piece.count || before?.piece.count; // of interest in this step
        const attributes = { class: used ? "hand" : "hand empty", "data-hand": name };
        return element("span", attributes, parseSvg(svg), label);
      }),
    );
  }
}

new LessonPage().start();
