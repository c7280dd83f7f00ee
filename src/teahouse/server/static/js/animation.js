// Animate pieces on a board that already shows the position after the move.

/** @import { PieceAnimation } from "./protocol.js" */

/** @typedef {{ x: number, y: number }} Point */
/** @typedef {(name: string) => Element | null} FindOutside finds a hand or choice by its name */

const STEP_MS = 200;
const EXTRA_STEP_MS = 70;
const DELAY_MS = 90;
const MAX_MS = 750;
const ARC_HEIGHT = 0.35;
const SHAKE_MS = 220;

export const prefersReducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/**
 * Return the position and scale in an element's transform attribute.
 * @param {Element} element
 */
export function placement(element) {
  const found = /translate\(([-\d.]+)[ ,]([-\d.]+)\)(?: scale\(([-\d.]+)\))?/.exec(
    element.getAttribute("transform") ?? "",
  );
  return found && { x: Number(found[1]), y: Number(found[2]), scale: Number(found[3] ?? 1) };
}

/**
 * Return the centre of any element of the page in the coordinates of an SVG.
 * @param {Element} element
 * @param {SVGSVGElement} svg
 * @returns {Point | null}
 */
function centreInSvg(element, svg) {
  const { left, top, width, height } = element.getBoundingClientRect();
  const matrix = svg.getScreenCTM()?.inverse();
  const centre = new DOMPoint(left + width / 2, top + height / 2);
  return matrix ? centre.matrixTransform(matrix) : null;
}

/**
 * @param {string} name
 * @param {SVGSVGElement} svg
 * @param {FindOutside} findOutside
 * @returns {Point | null}
 */
function locate(name, svg, findOutside) {
  const spot = svg.querySelector(`.spot[data-spot="${CSS.escape(name)}"]`);
  if (spot) return placement(spot);
  const element = findOutside(name);
  return element && centreInSvg(element, svg);
}

/**
 * Return points along a path, in arcs between them for a jump.
 * @param {Point[]} points
 * @param {boolean} jump
 */
function interpolate(points, jump) {
  if (!jump) return points;
  const curve = [points[0]];
  for (let leg = 1; leg < points.length; leg += 1) {
    const [from, to] = [points[leg - 1], points[leg]];
    const rise = 2 * ARC_HEIGHT * Math.hypot(to.x - from.x, to.y - from.y);
    for (let step = 1; step <= 8; step += 1) {
      const t = step / 8;
      curve.push({
        x: from.x + (to.x - from.x) * t,
        y: from.y + (to.y - from.y) * t - rise * t * (1 - t),
      });
    }
  }
  return curve;
}

/**
 * @param {Point} point
 * @param {number} scaleX
 * @param {number} scaleY
 */
const cssTransform = ({ x, y }, scaleX, scaleY) =>
  `translate(${x}px, ${y}px) scale(${scaleX}, ${scaleY})`;

/**
 * @param {SVGSVGElement} svg
 * @param {string} name
 * @param {string} kind
 */
const piecesAt = (svg, name, kind) =>
  [...svg.querySelectorAll(`.piece[data-at="${CSS.escape(name)}"]`)].filter((piece) =>
    piece.classList.contains(kind),
  );

/**
 * Add a copy of a piece that has left its place; it is removed after the animation.
 * @param {Element} piece
 * @param {SVGSVGElement} svg
 */
function addGhost(piece, svg) {
  const copy = /** @type {Element} */ (piece.cloneNode(true));
  copy.classList.add("ghost");
  svg.insertBefore(copy, svg.querySelector(".spot"));
  return copy;
}

/**
 * Animate a move; resolve when all pieces have arrived.
 * @param {SVGSVGElement | null} before the previous board
 * @param {SVGSVGElement} svg the board after the move
 * @param {PieceAnimation[]} animations
 * @param {FindOutside} findOutside
 */
export async function animateMove(before, svg, animations, findOutside) {
  if (prefersReducedMotion() || !animations.length) return;
  const times = animations.map(({ path, delay }) => ({
    delay: DELAY_MS * delay,
    duration: STEP_MS + EXTRA_STEP_MS * Math.max(0, path.length - 2),
  }));
  const total = Math.max(...times.map(({ delay, duration }) => delay + duration));
  const factor = Math.min(1, MAX_MS / total);
  /** @type {Set<Element>} */
  const animated = new Set();
  const running = animations.flatMap((animation, index) => {
    const { delay, duration } = times[index];
    const easing = "cubic-bezier(.4,0,.3,1)";
    /** @type {Timing} */
    const timing = { delay: factor * delay, duration: factor * duration, easing, fill: "both" };
    return start(animation, timing, { before, svg, findOutside, animated });
  });
  await Promise.all(running.map(({ finished }) => finished.catch(() => {})));
  for (const animation of running) {
    const target = /** @type {KeyframeEffect} */ (animation.effect).target;
    if (target?.classList.contains("ghost")) target.remove();
    else animation.cancel();
  }
}

/** @typedef {{ delay: number, duration: number, easing: string, fill: FillMode }} Timing */
/**
 * @typedef {object} Context
 * @property {SVGSVGElement | null} before
 * @property {SVGSVGElement} svg
 * @property {FindOutside} findOutside
 * @property {Set<Element>} animated pieces of `svg` that already have an animation
 */

/**
 * @param {PieceAnimation} animation
 * @param {Timing} timing
 * @param {Context} context
 * @returns {Animation[]}
 */
function start({ piece, path, motion }, timing, { before, svg, findOutside, animated }) {
  const target = path[path.length - 1];
  const arriving = piecesAt(svg, target, piece.kind).find((one) => !animated.has(one));
  const leaving = before ? piecesAt(before, path[0], piece.kind).at(0) : undefined;
  if (motion === "turn") return arriving && leaving ? turnOver(leaving, arriving, svg, timing) : [];
  const points = path
    .map((name) => locate(name, svg, findOutside))
    .filter((point) => point !== null);
  if (points.length < 2) return [];
  const leavesBoard = !arriving || !locate(target, svg, () => null);
  const moving = leavesBoard ? leaving && addGhost(leaving, svg) : arriving;
  const scale = moving && placement(moving)?.scale;
  if (!moving || !scale) return [];
  animated.add(moving);
  const frames = interpolate(points, motion === "jump").map((point) => ({
    transform: cssTransform(point, scale, scale),
    ...(leavesBoard && point === points.at(-1) ? { opacity: 0 } : {}),
  }));
  return [moving.animate(frames, timing)];
}

/**
 * Turn a piece over like a coin.
 * @param {Element} leaving
 * @param {Element} arriving
 * @param {SVGSVGElement} svg
 * @param {Timing} timing
 */
function turnOver(leaving, arriving, svg, timing) {
  const place = placement(arriving);
  if (!place) return [];
  const half = { ...timing, duration: timing.duration / 2, easing: "ease-in" };
  const second = { ...half, delay: timing.delay + half.duration, easing: "ease-out" };
  const edge = cssTransform(place, 0, place.scale);
  const face = cssTransform(place, place.scale, place.scale);
  return [
    addGhost(leaving, svg).animate({ transform: [face, edge] }, half),
    arriving.animate({ transform: [edge, face] }, second),
  ];
}

/**
 * Shake elements lightly: they cannot be clicked.
 * @param {Element[]} elements
 */
export function shake(elements) {
  if (prefersReducedMotion()) return;
  const frames = ["0", "5px", "-5px", "3px", "0"].map((translate) => ({ translate }));
  for (const one of elements) one.animate(frames, { duration: SHAKE_MS, easing: "ease-out" });
}
