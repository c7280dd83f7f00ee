// Arrows on a board.

const GAP = 22; // between the tip and the centre of the target, in board units
const BARB = { length: 30, width: 20 };

/**
 * Return the path of an arrow along points.
 * @param {{ x: number, y: number }[]} points
 */
export function arrowPath(points) {
  const [from, to] = points.slice(-2);
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [dx, dy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const tip = { x: to.x - GAP * dx, y: to.y - GAP * dy };
  const barbs = [1, -1].map((side) => {
    const x = tip.x - BARB.length * dx + side * BARB.width * dy;
    const y = tip.y - BARB.length * dy - side * BARB.width * dx;
    return `${x} ${y}`;
  });
  const shaft = [...points.slice(0, -1), tip].map(({ x, y }) => `${x} ${y}`).join("L");
  return `M${shaft}M${barbs[0]}L${tip.x} ${tip.y}L${barbs[1]}`;
}
