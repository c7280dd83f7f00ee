// Clicks and taps that just miss a target.

const REACH_PX = 6; // beyond the edge of a target
const TOUCH_RADIUS_PX = 24; // a finger needs as much, however small a target is drawn

/**
 * Return the target nearest to a point of the window, if the point is close enough to it.
 * @template {Element} T
 * @param {T[]} targets
 * @param {{ x: number, y: number }} point
 * @param {boolean} touch whether a finger has pointed
 * @returns {T | null}
 */
export function nearestTarget(targets, { x, y }, touch) {
  let found = null;
  let smallest = Number.POSITIVE_INFINITY;
  for (const target of targets) {
    const { left, top, width, height } = target.getBoundingClientRect();
    const radius = Math.min(width, height) / 2;
    const reach = touch ? Math.max(radius + REACH_PX, TOUCH_RADIUS_PX) : radius + REACH_PX;
    const distance = Math.hypot(left + width / 2 - x, top + height / 2 - y);
    if (distance <= reach && distance < smallest) {
      smallest = distance;
      found = target;
    }
  }
  return found;
}
