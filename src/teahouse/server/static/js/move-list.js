// The list of moves with variations. Every move is a button that shows the position after it.
import { element, needsRender } from "./dom.js";
import { markCurrent, moveButton, replaceItems, variationItem } from "./move-items.js";

/** @import { GameTree, Variation } from "./game-tree.js" */
/** @import { PlayedMove } from "./protocol.js" */
/** @import { Sides } from "./move-items.js" */

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
function moveItem(tree, variation, ply, played, sides) {
  const attributes = {
    "data-ply": ply,
    "data-line": lineIndex(tree, variation),
    onclick: () => tree.goTo(variation, ply),
  };
  return element("li", {}, moveButton(played, ply, sides, attributes));
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
    const items = [];
    for (let ply = 0; ply <= mainline.length; ply += 1) {
      for (const variation of variations.filter(({ start }) => start === ply)) {
        const { start, moves } = variation;
        const line = moves.map((move, index) =>
          moveItem(tree, variation, start + index + 1, move, sides),
        );
        items.push(variationItem(line));
      }
      const move = mainline[ply];
      if (move) items.push(moveItem(tree, null, ply + 1, move, sides));
    }
    replaceItems(list, items, ({ line, ply }) => findMove(list, line, ply));
  }
  markCurrent(list, findMove(list, lineIndex(tree, tree.variation), tree.ply));
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
