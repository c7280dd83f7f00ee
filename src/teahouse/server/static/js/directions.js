// From one place to the next with the arrow keys: the nearest one that lies that way.

const WAYS = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** Whether a key is an arrow. */
export const isArrow = (key) => key in WAYS;

/**
 * The name of the place to go to, or null.
 * @param from {x, y}
 * @param places [{name, x, y}]; those less than a quarter turn off the way count, the more the straighter they lie
 */
export function following(key, from, places) {
  const [right, down] = WAYS[key];
  let best = null;
  let least = Infinity;
  for (const place of places) {
    const [x, y] = [place.x - from.x, place.y - from.y];
    const ahead = x * right + y * down;
    const aside = Math.abs(x * down) + Math.abs(y * right);
    if (ahead < 1e-6 || aside > 2.2 * ahead) continue;
    const cost = Math.hypot(ahead, aside) * (1 + (1.2 * aside) / ahead);
    if (cost < least) [best, least] = [place.name, cost];
  }
  return best;
}
