// The coach of a first game: says at each turn what the player may do, and why moves mattered.
import { announce } from "./announce.js";
import { post } from "./api.js";
import { element } from "./dom.js";
import * as storage from "./storage.js";

/** @import { Coaching } from "./protocol.js" */
/** @import { TableState } from "./table-state.js" */

const FAREWELL =
  "That was your first game with a coach. The review shows which moves decided it; in the next game you are on your own.";

export class Coach {
  #remarks = element("div", { class: "coach-remarks" });
  #advice = element("p", { class: "coach-advice" });
  #toggle = element("button", { type: "button", class: "plain", onclick: () => this.#turn() });
  #box = element(
    "section",
    { class: "coach", "aria-label": "Coach" },
    element("div", { class: "coach-head" }, element("h2", {}, "Coach"), this.#toggle),
    this.#remarks,
    this.#advice,
  );
  #on = true;
  /** The position of the player's last turn. @type {{ ply: number, position: string } | null} */
  #from = null;
  /** The ply that was coached last. */
  #ply = -1;

  /**
   * @param {TableState} table
   * @param {HTMLElement} after what the coach is placed below
   */
  constructor(table, after) {
    this.table = table;
    after.after(this.#box);
    this.#renderToggle();
  }

  /**
   * Return the coach of a table, or null if it has none: only first games after a lesson do.
   * @param {TableState} table
   * @param {HTMLElement} after
   */
  static create(table, after) {
    const wanted = storage.table(table.info.id).coach !== undefined && table.ownSeat !== null;
    if (!wanted) return null;
    const coach = new Coach(table, after);
    if (!storage.table(table.info.id).coach) coach.#turn();
    return coach;
  }

  /** Say something new if a turn of the player has come or the game is over. */
  update() {
    const { table } = this;
    const { snapshot, state } = table;
    if (!this.#on || snapshot.ply !== state.ply || state.ply === this.#ply) return;
    if (!table.isYourTurn && !state.over) return;
    this.#ply = state.ply;
    const { ply, position } = snapshot;
    if (!this.#from || this.#from.ply > ply) this.#from = { ply, position }; // or moves were undone
    const from = this.#from;
    this.#from = { ply, position };
    this.#say(from, ply).catch(() => {}); // the prompt says what is needed
  }

  /**
   * @param {{ ply: number, position: string }} from
   * @param {number} ply
   */
  async #say(from, ply) {
    const { info, moves, ownSeat, state } = this.table;
    /** @type {Coaching} */
    const { remarks, advice } = await post("/api/coach", {
      game: info.game,
      options: info.options,
      position: from.position,
      moves: moves.slice(from.ply, ply).map(({ move }) => move),
      player: ownSeat,
    });
    if (ply !== this.#ply || !this.#on) return;
    const last = state.over ? FAREWELL : advice;
    this.#remarks.replaceChildren(...remarks.map((text) => element("p", {}, text)));
    this.#advice.textContent = last;
    announce(`Coach: ${[...remarks, last].join(" ")}`);
  }

  /** Turn the coach on or off. */
  #turn() {
    this.#on = !this.#on;
    this.#ply = -1;
    storage.updateTable(this.table.info.id, { coach: this.#on });
    this.#remarks.replaceChildren();
    this.#advice.textContent = "";
    this.#renderToggle();
    this.update();
  }

  #renderToggle() {
    this.#toggle.textContent = this.#on ? "Turn off" : "Turn on";
    this.#box.classList.toggle("off", !this.#on);
  }
}
