// The list of moves with variations. Every move is a button that shows the position after it.
import { element, needsRender } from "./dom.js";
import { moveLabel } from "./wording.js";

/** @import { GameTree, Variation } from "./game-tree.js" */
/** @import { PlayedMove } from "./protocol.js" */
/** @typedef {{ colours: string[], players: string[] }} Sides */

/**
 * @param {GameTree} tree
 * @param {Variation | null} variation
 */
const lineIndex = (tree, variation) =>
  variation ? String(tree.variations.indexOf(variation)) : "";

/**
 * @param {GameTree} tree
 * @param {Variation | null} variation
 * @param {number} ply
 * @param {PlayedMove} played
 * @param {Sides} sides
 */
function moveButton(tree, variation, ply, played, { colours, players }) {
  const { player, description } = played;
  return element(
    "button",
    {
      type: "button",
      class: "move",
      "data-ply": ply,
      "data-line": lineIndex(tree, variation),
      title: description,
      "aria-label": `${ply}. ${description}`,
      onclick: () => tree.goTo(variation, ply),
    },
    element("span", { class: "number" }, String(ply)),
    element("span", { class: `dot c-${colours[player] ?? "none"}` }),
    moveLabel(played, players),
  );
}

/**
 * @param {GameTree} tree
 * @param {Variation} variation
 * @param {Sides} sides
 */
function variationItem(tree, variation, sides) {
  const items = variation.moves.map((move, index) => {
    const ply = variation.start + index + 1;
    return element("li", {}, moveButton(tree, variation, ply, move, sides));
  });
  const line = element("ol", { class: "line", "aria-label": "Variation" }, ...items);
  return element("li", { class: "variation" }, line);
}

/**
 * @param {HTMLElement} list
 * @param {GameTree} tree
 * @param {string[]} colours
 * @param {string[]} [players]
 */
export function renderMoves(list, tree, colours, players = []) {
  const sides = { colours, players };
  const { mainline, variations } = tree;
  if (needsRender(list, mainline, variations, colours)) {
    const active = document.activeElement;
    const focused = active instanceof HTMLElement && list.contains(active) ? active.dataset : null;
    const items = [];
    for (let ply = 0; ply <= mainline.length; ply += 1) {
      const branches = variations.filter(({ start }) => start === ply);
      items.push(...branches.map((variation) => variationItem(tree, variation, sides)));
      const move = mainline[ply];
      if (move) items.push(element("li", {}, moveButton(tree, null, ply + 1, move, sides)));
    }
    list.replaceChildren(...items);
    if (focused) findMove(list, focused.line, focused.ply)?.focus();
  }
  markCurrent(list, tree);
}

/**
 * @param {HTMLElement} list
 * @param {string | undefined} line
 * @param {string | number | undefined} ply
 * @returns {HTMLElement | null}
 */
function findMove(list, line, ply) {
  return list.querySelector(`.move[data-line="${line}"][data-ply="${ply}"]`);
}

/**
 * Mark the move that led to the current position, and scroll it into view within the list.
 * @param {HTMLElement} list
 * @param {GameTree} tree
 */
function markCurrent(list, tree) {
  list.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const current = findMove(list, lineIndex(tree, tree.variation), tree.ply);
  current?.setAttribute("aria-current", "step");
  if (!current) {
    list.scrollTop = 0;
    return;
  }
  const [outer, inner] = [list.getBoundingClientRect(), current.getBoundingClientRect()];
  if (inner.top < outer.top) list.scrollTop += inner.top - outer.top - 8;
  else if (inner.bottom > outer.bottom) list.scrollTop += inner.bottom - outer.bottom + 8;
}
