// The engine's best moves on the board: arrows, or numbered rings where a move has one spot.
import { placement } from "./animation.js";
import { arrowPath } from "./arrow.js";
import { svgElement } from "./dom.js";

/** @import { Board } from "./board.js" */
/** @import { AnalysisLine } from "./protocol.js" */
/** @typedef {{ x: number, y: number }} Point */

const RING = 40; // radius in board units
const BADGE = 17;

/**
 * @param {number} rank
 * @param {Point} at
 */
function badge(rank, { x, y }) {
  const text = svgElement("text", { x, y: y + 8 });
  text.textContent = String(rank);
  return svgElement("g", { class: "rank" }, svgElement("circle", { cx: x, cy: y, r: BADGE }), text);
}

/**
 * @param {Point[]} points
 * @param {number} rank
 * @param {number} taken marks that this spot has already
 */
function mark(points, rank, taken) {
  const end = points[points.length - 1];
  const shift = { x: end.x + RING * 0.72 - taken * BADGE * 1.6, y: end.y - RING * 0.72 };
  const isArrow = points.length > 1;
  const shape = isArrow
    ? svgElement("path", { class: "engine-arrow", d: arrowPath(points) })
    : svgElement("circle", { class: "engine-ring", cx: end.x, cy: end.y, r: RING });
  return svgElement("g", { "data-rank": rank }, shape, badge(rank, shift));
}

/** @param {Board} board */
export function clearEngineMarks({ svg, choices }) {
  svg?.querySelector(".engine-marks")?.remove();
  for (const part of choices.querySelectorAll("[data-ranks]")) part.removeAttribute("data-ranks");
}

/**
 * Show the first moves of lines, the best one in front.
 * @param {Board} board
 * @param {AnalysisLine[]} lines
 */
export function renderEngineMarks(board, lines) {
  clearEngineMarks(board);
  const { svg, choices } = board;
  if (!svg) return;
  /** @type {Map<string, number>} */
  const used = new Map();
  const marks = lines.map(({ click_path: path }, index) => {
    const rank = index + 1;
    /** @type {Point[]} */
    const points = [];
    for (const name of path) {
      const quoted = CSS.escape(name);
      const spot = svg.querySelector(`.spot[data-spot="${quoted}"]`);
      const point = spot && placement(spot);
      if (point) points.push(point);
      const choice = choices.querySelector(`[data-spot="${quoted}"]`);
      const ranks = choice?.getAttribute("data-ranks");
      choice?.setAttribute("data-ranks", ranks ? `${ranks} ${rank}` : String(rank));
    }
    const last = points.at(-1);
    if (!last) return null;
    const key = `${last.x} ${last.y}`;
    const taken = used.get(key) ?? 0;
    used.set(key, taken + 1);
    return mark(points, rank, taken);
  });
  const shown = marks.filter((one) => one !== null).toReversed();
  svg.append(svgElement("g", { class: "engine-marks", "aria-hidden": "true" }, ...shown));
}
