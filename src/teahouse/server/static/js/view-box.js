// The part of a board that is shown. It changes rarely: a board that grows must not jump.
import { prefersReducedMotion } from "./animation.js";

/** @typedef {[x: number, y: number, width: number, height: number]} Box */

const DURATION_MS = 220;
/** What a board is about to show, while that changes. @type {WeakMap<Element, Box>} */
const changing = new WeakMap();
const MIN_USED = 0.55; // of the area that is shown, before it shrinks

/**
 * @param {Element} svg
 * @returns {Box}
 */
function viewBox(svg) {
  const [x, y, width, height] = (svg.getAttribute("viewBox") ?? "").split(" ").map(Number);
  return [x, y, width, height];
}

/**
 * Return what to show of a board: what was shown before as long as the new board fits into it.
 * @param {Box} before
 * @param {Box} after
 * @returns {Box}
 */
export function nextViewBox(before, after) {
  const [x, y, width, height] = before;
  const fits =
    after[0] >= x &&
    after[1] >= y &&
    after[0] + after[2] <= x + width &&
    after[1] + after[3] <= y + height;
  return fits && after[2] * after[3] >= MIN_USED * width * height ? before : after;
}

/**
 * Show a board in place of another one, with a smooth change of the part that is shown.
 * @param {SVGSVGElement} before
 * @param {SVGSVGElement} svg
 * @param {boolean} keep whether to keep the part that is shown, since the turn continues
 */
export function showViewBox(before, svg, keep) {
  if (before.dataset.game !== svg.dataset.game) return;
  const from = viewBox(before);
  const shown = changing.get(before) ?? from;
  const to = keep ? shown : nextViewBox(shown, viewBox(svg));
  if (prefersReducedMotion() || from.join() === to.join()) {
    svg.setAttribute("viewBox", to.join(" "));
    return;
  }
  const startTime = performance.now();
  changing.set(svg, to);
  /** @param {number} now */
  const frame = (now) => {
    const t = Math.min(1, Math.max(0, now - startTime) / DURATION_MS);
    const eased = t * t * (3 - 2 * t);
    const box = from.map((value, index) => value + (to[index] - value) * eased);
    svg.setAttribute("viewBox", box.join(" "));
    if (t < 1 && svg.isConnected) requestAnimationFrame(frame);
    else if (t === 1) changing.delete(svg);
  };
  frame(startTime);
}
