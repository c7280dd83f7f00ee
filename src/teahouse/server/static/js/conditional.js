// Conditional moves: lines that the server plays for the player if the others play as expected.
import { announce } from "./announce.js";
import { post } from "./api.js";
import { byId, element, needsRender, setHidden } from "./dom.js";
import * as storage from "./storage.js";
import { errorText } from "./wording.js";

/** @import { ConditionalMoves } from "./protocol.js" */
/** @import { GameTree } from "./game-tree.js" */
/** @import { TableState } from "./table-state.js" */

/** The key of the button that ends planning. */
const DONE = "done";

export class ConditionalPanel {
  /** @type {ConditionalMoves | null} */
  #moves = null;
  #error = "";
  #loads = 0;
  #saving = Promise.resolve();
  /** Whether lines are entered on the board. */
  #planning = false;

  /**
   * @param {TableState} table
   * @param {GameTree} tree
   * @param {() => import("./protocol.js").Snapshot | null} shown returns the position on the board
   * @param {() => void} ondone called when the player has planned enough
   */
  constructor(table, tree, shown, ondone) {
    this.table = table;
    this.tree = tree;
    this.shown = shown;
    this.ondone = ondone;
    this.box = byId("conditional");
  }

  /** Load what the server knows, after a change of the game. */
  async load() {
    if (!this.table.canPlan) {
      this.#moves = null;
      return this.render();
    }
    this.#loads += 1;
    const load = this.#loads;
    try {
      const moves = await this.#request({});
      if (load === this.#loads) this.#set(moves);
    } catch {
      // the panel stays as it was; the next change loads it again
    }
    return this.render();
  }

  /** @param {object} more */
  #request(more) {
    const { id } = this.table.info;
    const { secrets } = storage.table(id);
    return post(`/api/tables/${id}/conditional`, { seat: this.table.ownSeat, secrets, ...more });
  }

  /** @param {ConditionalMoves} moves */
  #set(moves) {
    const before = this.#moves?.played.length ?? moves.played.length;
    this.#moves = moves;
    if (moves.played.length > before) announce(this.#playedText());
  }

  /**
   * Change the lines, after the changes before.
   * @param {(lines: string[][]) => string[][]} change
   * @param {string} text what was done
   */
  #save(change, text) {
    this.#saving = this.#saving.then(async () => {
      const lines = change(this.#moves?.lines ?? []);
      this.#error = "";
      this.#loads += 1; // what is being loaded is out of date
      try {
        this.#set(await this.#request({ ply: this.table.moves.length, lines }));
        announce(text);
      } catch (error) {
        this.#error = errorText(error);
      }
      this.render();
    });
  }

  /** The line on the board from the current position of the game. */
  get #line() {
    const { ply, moves } = this.tree.branch;
    return ply === this.tree.mainline.length ? moves : [];
  }

  /** Whether the line on the board ends after a whole turn of the player. */
  get #complete() {
    const { variation } = this.tree;
    const own = this.table.ownSeat;
    const count = this.#line.length;
    const answered = variation?.moves.slice(0, count).some(({ player }) => player === own);
    return Boolean(count && answered && this.shown()?.player !== own);
  }

  #playedText() {
    const { played = [] } = this.#moves ?? {};
    const texts = played.map((ply) => `${ply + 1}. ${this.table.moves[ply]?.move ?? ""}`);
    return texts.length ? `Played for you: ${texts.join(", ")}` : "";
  }

  /**
   * Return a line in words: "If a1 b2, then c3; if d4, then e5."
   * @param {string[]} line
   * @param {number[]} players
   */
  #lineText(line, players) {
    let text = "";
    for (const [index, move] of line.entries()) {
      const own = players[index] === this.table.ownSeat;
      const continued = index > 0 && (players[index - 1] === this.table.ownSeat) === own;
      const word = own ? ", then " : index ? "; if " : "If ";
      text += continued ? ` ${move}` : `${word}${move}`;
    }
    return text;
  }

  /**
   * @param {string[]} line
   * @param {number} index
   */
  #item(line, index) {
    const { players = [] } = this.#moves ?? {};
    const text = this.#lineText(line, players[index] ?? []);
    const label = `Remove the line ${text}`;
    const isOther = (/** @type {string[]} */ one) => one.join(" ") !== line.join(" ");
    const remove = () => this.#save((lines) => lines.filter(isOther), "Line removed.");
    const attributes = {
      type: "button",
      class: "plain remove",
      "data-key": `remove ${line.join(" ")}`,
      "aria-label": label,
      title: label,
    };
    return element(
      "li",
      {},
      element("span", { class: "conditional-line" }, text),
      element("button", { ...attributes, onclick: remove }, "×"),
    );
  }

  /**
   * Return the line on the board in words.
   * @param {string[]} line
   */
  #currentText(line) {
    const moves = this.tree.variation?.moves.slice(0, line.length) ?? [];
    const players = moves.map(({ player }) => player);
    return line.length ? this.#lineText(line, players) : "If …";
  }

  /**
   * Show the panel, if there is something to show.
   * @param {boolean} [planning] whether lines are entered on the board; by default as before
   */
  render(planning = this.#planning) {
    this.#planning = planning;
    const { lines = [], played = [] } = this.#moves ?? {};
    const line = this.#planning ? this.#line : [];
    const { isYourTurn } = this.table;
    const complete = this.#planning && this.#complete;
    const visible = this.table.canPlan && (this.#planning || lines.length || played.length);
    setHidden(this.box, !visible, byId("main"));
    if (
      !visible ||
      !needsRender(this.box, lines, played, line, isYourTurn, complete, this.#planning, this.#error)
    )
      return;
    const active = document.activeElement;
    const focused = this.box.contains(active) ? (active?.getAttribute("data-key") ?? "") : null;
    this.box.replaceChildren(
      element("h2", {}, "Conditional moves"),
      ...(played.length ? [element("p", { class: "played-for-you" }, this.#playedText())] : []),
      ...(this.#planning ? [element("p", { class: "secondary" }, this.#help)] : []),
      element(
        "ul",
        { class: "conditional-lines" },
        ...lines.map((one, index) => this.#item(one, index)),
      ),
      ...(this.#planning ? this.#planningItems(line, complete) : []),
      ...(this.#error ? [element("p", { class: "error-text", role: "alert" }, this.#error)] : []),
    );
    if (focused !== null) this.#focus(focused);
  }

  /**
   * Focus the button that had the focus; if it is gone or disabled now, “Done” or the first one.
   * @param {string} key
   */
  #focus(key) {
    /** @type {NodeListOf<HTMLElement>} */
    const found = this.box.querySelectorAll("button:enabled");
    const buttons = [...found];
    const same = buttons.find(({ dataset }) => dataset.key === key);
    (same ?? buttons.find(({ dataset }) => dataset.key === DONE) ?? buttons[0])?.focus();
  }

  get #help() {
    return this.table.isYourTurn
      ? "It is your turn. Play your move, then plan your answers."
      : "Play a line on the board: their move, then your whole answer. Then add it.";
  }

  /**
   * Return the line on the board, and the buttons below it.
   * @param {string[]} line
   * @param {boolean} complete
   */
  #planningItems(line, complete) {
    const { lines = [] } = this.#moves ?? {};
    const text = line.join(" ");
    const known =
      line.length > 0 && lines.some((one) => `${one.join(" ")} `.startsWith(`${text} `));
    const add = () => this.#save((before) => [...before, line], "Line added.");
    const disabled = !complete || known || this.table.isYourTurn;
    const ondone = () => this.ondone();
    const done = element("button", { type: "button", "data-key": DONE, onclick: ondone }, "Done");
    return [
      element(
        "p",
        { class: "conditional-line" },
        known ? "This line is planned." : this.#currentText(line),
      ),
      element(
        "p",
        { class: "buttons" },
        element(
          "button",
          { type: "button", class: "main", "data-key": "add", disabled, onclick: add },
          "Add this line",
        ),
        done,
      ),
    ];
  }
}
