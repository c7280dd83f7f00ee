// Flip a board: rotate it by 180° but keep its symbols and texts upright.

const COORDINATES = ["x", "y", "cx", "cy", "points", "d"];

/** @param {string} text */
const negateNumbers = (text) =>
  text.replace(/-?\d*\.?\d+/g, (number) => String(-Number(number) || 0));

/**
 * Negate the positions of an element's children.
 * @param {Element} parent
 */
export function flipParts(parent) {
  for (const part of parent.children) {
    if (part.localName === "defs") continue;
    for (const name of COORDINATES) {
      const value = part.getAttribute(name);
      if (value !== null) part.setAttribute(name, negateNumbers(value));
    }
    const transform = part.getAttribute("transform");
    if (transform) {
      part.setAttribute("transform", transform.replace(/translate\([^)]*\)/, negateNumbers));
    }
  }
}

/**
 * Flip an SVG board in place. The positions of its top-level elements are negated.
 * @param {SVGSVGElement} svg
 */
export function flip(svg) {
  flipParts(svg);
  const [x, y, width, height] = (svg.getAttribute("viewBox") ?? "").split(" ").map(Number);
  svg.setAttribute("viewBox", `${-x - width} ${-y - height} ${width} ${height}`);
}
