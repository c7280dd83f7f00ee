// The tree of variations as a list. Every move is a button that shows the position after it.
import { element, needsRender } from "./dom.js";
import { moveLabel } from "./wording.js";

/** @import { StudyNode, StudyTree } from "./study-tree.js" */
/** @typedef {{ colours: string[], players: string[] }} Sides */

/**
 * @param {StudyTree} tree
 * @param {StudyNode} node
 * @param {Sides} sides
 */
function moveButton(tree, node, { colours, players }) {
  const played = node.played ?? { move: "", player: 0, description: "" };
  const { player, description } = played;
  const comment = node.comment ? ` Comment: ${node.comment}` : "";
  return element(
    "button",
    {
      type: "button",
      class: "move",
      "data-node": node.id,
      title: description,
      "aria-label": `${node.depth}. ${description}.${comment}`,
      onclick: () => tree.select(node),
    },
    element("span", { class: "number" }, String(node.depth)),
    element("span", { class: `dot c-${colours[player] ?? "none"}` }),
    moveLabel(played, players),
  );
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
    items.push(element("li", {}, moveButton(tree, node, sides)));
    if (node.comment) items.push(commentItem(node.comment));
    for (const other of others) items.push(variationItem(tree, other, sides));
    [node, ...others] = node.children;
  }
  return items;
}

/**
 * @param {StudyTree} tree
 * @param {StudyNode} first
 * @param {Sides} sides
 * @returns {HTMLElement}
 */
function variationItem(tree, first, sides) {
  const items = lineItems(tree, first, [], sides);
  const list = element("ol", { class: "line", "aria-label": "Variation" }, ...items);
  return element("li", { class: "variation" }, list);
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
    const active = document.activeElement;
    const focused = active instanceof HTMLElement && list.contains(active) && active.dataset.node;
    const [main, ...others] = root.children;
    list.replaceChildren(
      ...(root.comment ? [commentItem(root.comment)] : []),
      ...lineItems(tree, main, others, sides),
    );
    if (focused) findNode(list, focused)?.focus();
  }
  markCurrent(list, tree);
}

/**
 * @param {HTMLElement} list
 * @param {string | number} id
 * @returns {HTMLElement | null}
 */
const findNode = (list, id) => list.querySelector(`.move[data-node="${id}"]`);

/**
 * Mark the move that led to the current position, and scroll it into view within the list.
 * @param {HTMLElement} list
 * @param {StudyTree} tree
 */
function markCurrent(list, tree) {
  list.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const current = findNode(list, tree.current.id);
  current?.setAttribute("aria-current", "step");
  if (!current) {
    list.scrollTop = 0;
    return;
  }
  const [outer, inner] = [list.getBoundingClientRect(), current.getBoundingClientRect()];
  if (inner.top < outer.top) list.scrollTop += inner.top - outer.top - 8;
  else if (inner.bottom > outer.bottom) list.scrollTop += inner.bottom - outer.bottom + 8;
}
