// The solution of a puzzle: its moves in words, each with its board; and what can follow it.
import { getJson, post } from "./api.js";
import { byId, element } from "./dom.js";
import { openPage } from "./site-path.js";
import * as storage from "./storage.js";
import { sentence } from "./wording.js";

/** @import { Board } from "./board.js" */
/** @import { CreatedTable, Explored, Puzzle, PuzzleSolution, SeatChoice, Snapshot } from "./protocol.js" */

const STEP_MS = 1100;

export class SolutionList {
  /** What the right moves achieve. */
  say = "";
  /** @type {Puzzle | null} */
  #puzzle = null;
  /** @type {PuzzleSolution | null} */
  #solution = null;
  /** Counts what was loaded or cleared, so that late answers are dropped. */
  #loads = 0;

  /** @param {Board} board */
  constructor(board) {
    this.board = board;
  }

  clear() {
    byId("solution").hidden = true;
    this.#solution = null;
    this.#loads += 1;
  }

  /**
   * List the moves of a puzzle's solution.
   * @param {string} address
   * @param {Puzzle | null} puzzle
   */
  async load(address, puzzle) {
    const load = ++this.#loads;
    /** @type {PuzzleSolution} */
    const found = await getJson(`${address}/solution`);
    if (load !== this.#loads) return;
    this.#puzzle = puzzle;
    this.#solution = found;
    this.say = found.say;
    const items = found.moves.map(({ description }, index) => {
      const onclick = () => this.#show(index + 1);
      const button = element("button", { type: "button", onclick }, sentence(description));
      return element("li", { class: index < found.asked ? "asked" : "" }, button);
    });
    byId("line").replaceChildren(...items);
    const tags = found.themes.map(({ label }) => element("span", {}, label));
    byId("tags").replaceChildren(...tags);
    byId("solution").hidden = false;
  }

  /**
   * Play the moves that were asked for, as long as `wanted` says so.
   * @param {() => boolean} wanted
   */
  async play(wanted) {
    const asked = this.#solution?.asked ?? 0;
    for (let ply = 0; ply <= asked && wanted(); ply += 1) {
      await this.#show(ply);
      await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    }
  }

  /** @param {number} ply of the solution */
  async #show(ply) {
    const [puzzle, solution] = [this.#puzzle, this.#solution];
    if (!puzzle || !solution) return;
    const { game, options, snapshot } = puzzle;
    const moves = solution.moves.slice(0, ply).map(({ move }) => move);
    /** @type {Explored} */
    const found = await post("/api/explore", { game, options, start: snapshot.position, moves });
    if (solution !== this.#solution) return;
    for (const [index, item] of [...byId("line").children].entries()) {
      item.classList.toggle("current", index + 1 === ply);
    }
    await this.board.show(found.snapshot, { animate: true });
  }
}

/**
 * Create a table with a puzzle's position, or the one that is shown if it is not over: the player
 * takes the seat that solves it, bots the others.
 * @param {Puzzle} puzzle
 * @param {Snapshot | null} shown
 */
export async function playOn({ game, options, player, players, snapshot }, shown) {
  const start = shown && !shown.over ? shown.position : snapshot.position;
  /** @type {SeatChoice[]} */
  const seats = players.map((_, seat) =>
    seat === player
      ? { kind: "local", name: storage.playerName() || null }
      : { kind: "bot", level: storage.botLevel() },
  );
  /** @type {CreatedTable} */
  const created = await post("/api/tables", { game, options, start, seats });
  storage.addCreatedTable(created, seats);
  openPage(storage.tablePath(created.id));
}
