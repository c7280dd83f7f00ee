// The list of moves with its variations; every move is a button that shows the position after it.
import { element } from "./dom.js";

function button(review, line, ply, { move, player, says }, colours) {
  return element(
    "button",
    {
      type: "button",
      class: "move",
      "data-ply": ply,
      "data-line": line ? review.variations.indexOf(line) : "",
      title: says,
      "aria-label": `${ply}. ${says}`,
      onclick: () => review.go(line, ply),
    },
    element("span", { class: "number" }, String(ply)),
    element("span", { class: `dot c-${colours[player] ?? "none"}` }),
    move,
  );
}

function variation(review, line, colours) {
  const items = line.moves.map((move, place) =>
    element("li", {}, button(review, line, line.at + place + 1, move, colours)),
  );
  return element("li", { class: "variation" }, element("ol", { class: "line", "aria-label": "Tried out" }, ...items));
}

/** Show a review's moves in a list. */
export function listMoves(list, review, colours) {
  const key = JSON.stringify([
    review.moves.map(({ move }) => move),
    review.variations.map(({ at, moves }) => [at, moves.map(({ move }) => move)]),
    colours,
  ]);
  if (list.shown !== key) {
    list.shown = key;
    const focused = list.contains(document.activeElement) && { ...document.activeElement.dataset };
    const items = [];
    for (let ply = 0; ply <= review.moves.length; ply += 1) {
      const here = review.variations.filter(({ at }) => at === ply);
      items.push(...here.map((line) => variation(review, line, colours)));
      const move = review.moves[ply];
      if (move) items.push(element("li", {}, button(review, null, ply + 1, move, colours)));
    }
    list.replaceChildren(...items);
    if (focused) find(list, focused.line, focused.ply)?.focus();
  }
  mark(list, review);
}

function find(list, line, ply) {
  return list.querySelector(`.move[data-line="${line}"][data-ply="${ply}"]`);
}

/** Mark the move whose position is shown, and keep it in sight without moving the page. */
function mark(list, review) {
  list.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const line = review.line ? review.variations.indexOf(review.line) : "";
  const current = find(list, line, review.ply);
  current?.setAttribute("aria-current", "step");
  if (!current) {
    list.scrollTop = 0;
    return;
  }
  const [outer, inner] = [list.getBoundingClientRect(), current.getBoundingClientRect()];
  if (inner.top < outer.top) list.scrollTop += inner.top - outer.top - 8;
  else if (inner.bottom > outer.bottom) list.scrollTop += inner.bottom - outer.bottom + 8;
}
