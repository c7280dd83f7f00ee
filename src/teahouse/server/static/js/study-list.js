// The tree of variations as a list. Every move is a button that shows the position after it.
import { element, needsRender } from "./dom.js";
import { markCurrent, moveButton, replaceItems, variationItem } from "./move-items.js";

/** @import { StudyNode, StudyTree } from "./study-tree.js" */
/** @import { Sides } from "./move-items.js" */

/**
 * @param {StudyTree} tree
 * @param {StudyNode} node
 * @param {Sides} sides
 */
function moveItem(tree, node, sides) {
  const played = node.played ?? { move: "", player: 0, description: "" };
  const comment = node.comment ? ` Comment: ${node.comment}` : "";
  const button = moveButton(played, node.depth, sides, {
    "data-node": node.id,
    "aria-label": `${node.depth}. ${played.description}.${comment}`,
    onclick: () => tree.select(node),
  });
  return element("li", {}, button);
}

/** @param {string} comment */
const commentItem = (comment) =>
  element("li", { class: "comment", "aria-hidden": "true" }, comment);

/**
 * Return the items of a line: its moves, each followed by its comment and its alternatives.
 * @param {StudyTree} tree
 * @param {StudyNode | undefined} first
 * @param {StudyNode[]} alternatives to the first move
 * @param {Sides} sides
 */
function lineItems(tree, first, alternatives, sides) {
  /** @type {HTMLElement[]} */
  const items = [];
  let [node, others] = [first, alternatives];
  while (node) {
    items.push(moveItem(tree, node, sides));
    if (node.comment) items.push(commentItem(node.comment));
    for (const other of others) items.push(variationItem(lineItems(tree, other, [], sides)));
    [node, ...others] = node.children;
  }
  return items;
}

/**
 * @param {HTMLElement} list
 * @param {StudyTree} tree
 * @param {string[]} colours
 * @param {string[]} players
 */
export function renderStudy(list, tree, colours, players) {
  const sides = { colours, players };
  const { root } = tree;
  if (needsRender(list, tree.moves, root.comment, colours, root.id)) {
    const [main, ...others] = root.children;
    const items = lineItems(tree, main, others, sides);
    if (root.comment) items.unshift(commentItem(root.comment));
    replaceItems(list, items, ({ node }) => findNode(list, node));
  }
  markCurrent(list, findNode(list, tree.current.id));
}

/**
 * @param {HTMLElement} list
 * @param {string | number | undefined} id
 * @returns {HTMLElement | null}
 */
const findNode = (list, id) => list.querySelector(`.move[data-node="${id}"]`);
