// The keyboard focus on a board (roving tabindex): one spot is the tab stop, arrow keys lead to the others.
import { inFront, nextPlace, placesOf } from "./arrow-keys.js";
import { choiceButtons } from "./choices.js";

/** @import { Board } from "./board.js" */

export class BoardFocus {
  /** The spot that is the tab stop, as long as the board has it. @type {string | null} */
  spot = null;

  /** @param {Board} board */
  constructor(board) {
    this.board = board;
  }

  /** The name of the spot or choice that has the focus, or null. */
  get name() {
    const { box, choices } = this.board;
    const active = document.activeElement;
    const inside = box.contains(active) || choices.contains(active);
    return inside ? (active?.getAttribute("data-spot") ?? null) : null;
  }

  /** Make one spot the tab stop. */
  update() {
    const { spots, pointing } = this.board;
    const { targets } = pointing;
    const stop =
      spots.find(({ dataset }) => dataset.spot === this.spot) ??
      spots.find(({ dataset }) => targets.has(dataset.spot ?? "")) ??
      spots[0];
    for (const spot of spots) spot.setAttribute("tabindex", spot === stop ? "0" : "-1");
  }

  /** Focus the tab stop. */
  toStop() {
    const stop = this.board.spots.find((spot) => spot.tabIndex === 0);
    stop?.focus({ preventScroll: true });
  }

  /**
   * Focus a spot or choice; if it is missing or disabled, the tab stop, so that the keyboard stays
   * at the board.
   * @param {SVGElement | HTMLElement | null} part
   */
  restore(part) {
    const gone = !part || (part instanceof HTMLButtonElement && part.disabled);
    if (gone) this.toStop();
    else part.focus({ preventScroll: true });
  }

  /**
   * Focus the nearest spot or choice in the direction of an arrow key.
   * @param {string} key
   */
  move(key) {
    const { spots, choices, pointing } = this.board;
    const buttons = [...choiceButtons(choices)].filter(({ disabled }) => !disabled);
    const places = placesOf([...spots, ...buttons]);
    const current = this.name ?? this.spot;
    const from = places.find(({ name }) => name === current) ?? places[0];
    const name = nextPlace(key, from, inFront(places, pointing.targets));
    if (!name) return;
    if (this.board.findSpot(name)) this.spot = name;
    this.update();
    this.board.find(name)?.focus();
  }
}
