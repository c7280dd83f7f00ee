// The time limit of the start: players have to join and to make their first move.
import { formatClock } from "./clock.js";
import { byId, setText } from "./dom.js";

/** @import { TableState } from "./table-state.js" */

/**
 * Return who has to do what in time, or an empty text.
 * @param {TableState} table
 * @param {number} ms milliseconds left
 */
function startText({ state, info, ownSeat }, ms) {
  const { start } = state;
  if (!start) return "";
  const time = formatClock(ms);
  const [seat] = start.awaiting;
  const absent = !state.seats[seat].joined;
  if (seat === ownSeat && !absent) {
    const otherwise = info.tournament ? "you lose" : "the game is aborted";
    return `Make your first move within ${time}, or ${otherwise}.`;
  }
  const names = start.awaiting.map((one) => info.players[one]).join(" and ");
  const verb = start.awaiting.length > 1 ? "have" : "has";
  const loses = start.awaiting.length > 1 ? "they lose" : `${names} loses`;
  const otherwise = info.tournament ? loses : "the game is aborted";
  return `${names} ${verb} ${time} ${absent ? "to join" : "for the first move"}, or ${otherwise}.`;
}

export class StartLimit {
  /** @type {TableState | null} */
  #table = null;
  #received = 0;

  constructor() {
    setInterval(() => this.#tick(), 500);
  }

  /** @param {TableState} table whose state has just arrived */
  set(table) {
    this.#table = table;
    this.#received = performance.now();
    this.#tick();
  }

  #tick() {
    const start = this.#table?.state.start;
    const ms = (start?.remaining_ms ?? 0) - (performance.now() - this.#received);
    const text = this.#table ? startText(this.#table, ms) : "";
    setText(byId("start-limit"), text);
  }
}
