// A board seen from the other side. What is drawn lies where its own numbers say; what is inside of it stays upright.

const PLACED = ["x", "y", "cx", "cy", "points", "d"];

const opposite = (text) => text.replace(/-?\d*\.?\d+/g, (number) => String(-Number(number) || 0));

/** Turn a picture round; twice is as it was. */
export function turn(svg) {
  for (const part of svg.children) {
    if (part.localName === "defs") continue;
    for (const name of PLACED) {
      if (part.hasAttribute(name)) part.setAttribute(name, opposite(part.getAttribute(name)));
    }
    const transform = part.getAttribute("transform");
    if (transform) part.setAttribute("transform", transform.replace(/translate\([^)]*\)/, opposite));
  }
  const [left, top, width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  svg.setAttribute("viewBox", `${-left - width} ${-top - height} ${width} ${height}`);
}
