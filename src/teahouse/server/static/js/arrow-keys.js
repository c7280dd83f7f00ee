// Spatial navigation with the arrow keys.

/** @typedef {{ x: number, y: number }} Point */
/** @typedef {Point & { name: string }} Place */

/** @type {Record<string, [number, number]>} */
const DIRECTIONS = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
const MAX_SLOPE = 2.2;
const SLOPE_PENALTY = 1.2;

/** @param {string} key */
export const isArrowKey = (key) => key in DIRECTIONS;

/**
 * Return the name of the nearest place in the direction of a key, or null. Places that lie
 * straight ahead are preferred.
 * @param {string} key
 * @param {Point} from
 * @param {Place[]} places
 */
export function nextPlace(key, from, places) {
  const [right, down] = DIRECTIONS[key];
  let best = null;
  let lowestCost = Infinity;
  for (const place of places) {
    const [x, y] = [place.x - from.x, place.y - from.y];
    const forward = x * right + y * down;
    const sideways = Math.abs(x * down) + Math.abs(y * right);
    if (forward < 1e-6 || sideways > MAX_SLOPE * forward) continue;
    const cost = Math.hypot(forward, sideways) * (1 + (SLOPE_PENALTY * sideways) / forward);
    if (cost < lowestCost) [best, lowestCost] = [place.name, cost];
  }
  return best;
}

/**
 * Return the centres of spots and choices in the window.
 * @param {(SVGGElement | HTMLElement)[]} parts
 * @returns {Place[]}
 */
export function placesOf(parts) {
  return parts.map((part) => {
    const { left, top, width, height } = part.getBoundingClientRect();
    return { name: part.dataset.spot ?? "", x: left + width / 2, y: top + height / 2 };
  });
}

/**
 * Of several places with one centre keep the target, else the smallest, which comes last.
 * @param {Place[]} places
 * @param {Set<string>} targets
 */
export function inFront(places, targets) {
  return places.filter(({ name, x, y }, index) => {
    const covered = places.some((other, at) => {
      const same = targets.has(other.name) === targets.has(name);
      const first = same ? at > index : targets.has(other.name);
      return first && Math.hypot(other.x - x, other.y - y) < 4;
    });
    return !covered;
  });
}
