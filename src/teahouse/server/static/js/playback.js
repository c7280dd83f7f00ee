// Step through the moves with buttons and keys.

/** @import { GameTree, Step } from "./game-tree.js" */

/** @type {Record<string, Step>} */
const KEYS = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" };
const OWN_KEYS = "input, textarea, select, dialog, .board-box, .choices";

/** @returns {NodeListOf<HTMLButtonElement>} */
const buttons = () => document.querySelectorAll("button[data-step]");

/** @param {HTMLButtonElement} button */
const stepOf = (button) => /** @type {Step} */ (button.dataset.step);

/**
 * Connect the buttons, and the keys wherever the focused element does not use them itself.
 * @param {GameTree} tree
 */
export function connectPlayback(tree) {
  for (const button of buttons()) button.addEventListener("click", () => tree.step(stepOf(button)));
  document.addEventListener("keydown", (event) => {
    const step = KEYS[event.key];
    if (!step || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.target instanceof Element && event.target.closest(OWN_KEYS)) return;
    event.preventDefault();
    tree.step(step);
  });
}

/**
 * Disable the steps that are impossible. A focused button keeps the focus.
 * @param {GameTree} tree
 */
export function updatePlayback(tree) {
  for (const button of buttons()) {
    const backwards = ["first", "back"].includes(stepOf(button));
    const possible = backwards ? tree.canGoBack : tree.canGoForward;
    button.setAttribute("aria-disabled", String(!possible));
  }
}
