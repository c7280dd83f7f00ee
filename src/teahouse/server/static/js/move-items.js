// Items of a list of moves: buttons, variations, and the mark of the current move.
import { element } from "./dom.js";
import { moveLabel } from "./wording.js";

/** @import { PlayedMove } from "./protocol.js" */
/** @typedef {{ colours: string[], players: string[] }} Sides */

/**
 * Return the button of a move. The attributes say where it belongs, and what a click does.
 * @param {PlayedMove} played
 * @param {number} number
 * @param {Sides} sides
 * @param {Record<string, unknown>} attributes
 */
export function moveButton(played, number, { colours, players }, attributes) {
  const { player, description } = played;
  return element(
    "button",
    {
      type: "button",
      class: "move",
      title: description,
      "aria-label": `${number}. ${description}`,
      ...attributes,
    },
    element("span", { class: "number" }, String(number)),
    element("span", { class: `dot c-${colours[player] ?? "none"}` }),
    moveLabel(played, players),
  );
}

/** @param {HTMLElement[]} items */
export function variationItem(items) {
  const line = element("ol", { class: "line", "aria-label": "Variation" }, ...items);
  return element("li", { class: "variation" }, line);
}

/**
 * Replace the items of a list, and keep the focus on the button that had it.
 * @param {HTMLElement} list
 * @param {HTMLElement[]} items
 * @param {(data: DOMStringMap) => HTMLElement | null} find the button with some data
 */
export function replaceItems(list, items, find) {
  const active = document.activeElement;
  const focused = active instanceof HTMLElement && list.contains(active) ? active.dataset : null;
  list.replaceChildren(...items);
  if (focused) find(focused)?.focus();
}

/**
 * Mark the move that led to the current position, and scroll it into view within the list.
 * @param {HTMLElement} list
 * @param {HTMLElement | null} current
 */
export function markCurrent(list, current) {
  list.querySelector("[aria-current]")?.removeAttribute("aria-current");
  current?.setAttribute("aria-current", "step");
  if (current) scrollTo(list, current);
  else list.scrollTop = 0;
}

/**
 * Scroll a list until one of its moves is in view.
 * @param {HTMLElement} list
 * @param {Element} move
 */
export function scrollTo(list, move) {
  const [outer, inner] = [list.getBoundingClientRect(), move.getBoundingClientRect()];
  if (inner.top < outer.top) list.scrollTop += inner.top - outer.top - 8;
  else if (inner.bottom > outer.bottom) list.scrollTop += inner.bottom - outer.bottom + 8;
}
