// Parts of the review next to the board: the comment on a move, mistakes, accuracy, the table.
import { byId, element, needsRender, setText } from "./dom.js";
import { scrollTo } from "./move-items.js";
import { chancesText } from "./review-graph.js";
import { GRADES, lossText, proofText, sideName } from "./review-words.js";
import { percent, sentence } from "./wording.js";

/** @import { Explored, PlayedMove, Review, ReviewedMove } from "./protocol.js" */
/** @import { Sides } from "./review-graph.js" */

/**
 * @typedef {object} Actions
 * @property {(number: number) => void} show go to a move
 * @property {(number: number) => void} better show the better line
 * @property {(number: number) => void} retry find a better move
 */

const LINE_MOVES = 4;

/**
 * Return a button.
 * @param {string} label
 * @param {() => void} onclick
 * @param {string} [description]
 */
const button = (label, onclick, description = "") =>
  element("button", { type: "button", "aria-label": description || null, onclick }, label);

/** @param {ReviewedMove} move */
function badge({ grade }) {
  if (!grade) return element("span", {});
  const { sign, label } = GRADES[grade];
  return element(
    "span",
    { class: `grade ${grade}` },
    element("span", { class: "sign", "aria-hidden": "true" }, sign),
    sentence(label).slice(0, -1),
  );
}

/**
 * Return the better line in words.
 * @param {ReviewedMove} move
 * @param {string[]} players
 */
function lineText({ line, player }, players) {
  return line
    .slice(0, LINE_MOVES)
    .map((one, index) =>
      index && one.player !== player
        ? `${players[one.player]}: ${one.description}`
        : one.description,
    )
    .map(sentence)
    .join(" ");
}

/**
 * Show what is known of a move and of the position after it.
 * @param {number} ply
 * @param {Review | null} review
 * @param {PlayedMove[]} mainline
 * @param {Sides} sides
 * @param {Actions} actions
 */
export function renderComment(ply, review, mainline, sides, actions) {
  const box = byId("comment");
  const move = review?.moves[ply - 1];
  if (!needsRender(box, ply, move, review?.chances[ply], review?.complete)) return;
  const played = mainline[ply - 1];
  if (!played) {
    const text = "Step through the game with ← and →, or click the graph.";
    box.replaceChildren(element("p", {}, text));
    return;
  }
  const player = sides.players[played.player];
  /** @type {HTMLElement[]} */
  const parts = [element("p", { class: "what" }, `${ply}. ${sentence(played.description)}`)];
  if (move?.grade) {
    const loss = move.loss > 0 && move.grade !== "best" ? ` gave away ${lossText(move.loss)}.` : "";
    const proof = proofText(move, player);
    parts.push(element("p", {}, badge(move), loss, proof ? ` ${proof}` : ""));
  } else if (!review?.complete) {
    parts.push(element("p", { class: "secondary" }, "Not graded yet."));
  }
  if (move?.line.length && move.grade !== "best") {
    const better = sentence(move.line[0].description);
    parts.push(element("p", { class: "better" }, "Better: ", better));
    parts.push(lineButtons(move, actions, review?.complete ?? false));
  }
  box.replaceChildren(...parts);
}

/**
 * @param {ReviewedMove} move
 * @param {Actions} actions
 * @param {boolean} complete
 */
function lineButtons({ number }, actions, complete) {
  const buttons = [
    button("Better line", () => actions.better(number), `Show the better line at move ${number}`),
  ];
  if (complete) buttons.push(button("Retry", () => actions.retry(number), `Retry move ${number}`));
  return element("div", { class: "buttons" }, ...buttons);
}

/**
 * Show the moves that gave away most.
 * @param {Review} review
 * @param {Explored} game
 * @param {Actions} actions
 */
export function renderMistakes(review, { moves, players }, actions) {
  const list = byId("mistakes");
  if (!needsRender(list, review.mistakes, review.moves, review.complete)) return;
  byId("mistakes-box").hidden = !review.complete && !review.mistakes.length;
  const items = review.mistakes.map((number) => {
    const move = review.moves[number - 1];
    const title = button("", () => actions.show(number));
    title.className = "mistake-title";
    title.append(
      badge(move),
      element("span", { class: "loss" }, `−${lossText(move.loss)}`),
      element("span", { class: "what" }, `${number}. ${sentence(moves[number - 1].description)}`),
    );
    return element(
      "li",
      {},
      title,
      element("p", { class: "better" }, "Better: ", lineText(move, players)),
      lineButtons(move, actions, review.complete),
    );
  });
  if (!items.length) items.push(element("li", { class: "none" }, "No move gave away much."));
  list.replaceChildren(...items);
}

/**
 * Show the accuracy of each player, with the number of wrong moves of each kind.
 * @param {Review} review
 * @param {string[]} names
 */
export function renderAccuracy(review, names) {
  const body = byId("accuracy");
  byId("accuracy-box").hidden = review.accuracy.every((one) => one === null);
  if (!needsRender(body, review.accuracy, review.moves, names)) return;
  /** @param {number} player @param {string} grade */
  const count = (player, grade) =>
    review.moves.filter((move) => move.player === player && move.grade === grade).length;
  body.replaceChildren(
    ...review.accuracy.map((accuracy, player) =>
      element(
        "tr",
        {},
        element("th", { scope: "row" }, names[player]),
        element("td", { class: "percent" }, accuracy === null ? "–" : percent(accuracy / 100)),
        ...["inaccuracy", "mistake", "blunder"].map((grade) =>
          element("td", {}, String(count(player, grade))),
        ),
      ),
    ),
  );
}

/**
 * Show the chances in every position as a table, if somebody reads it.
 * @param {Review} review
 * @param {PlayedMove[]} mainline
 * @param {Sides} sides
 */
export function renderTable(review, mainline, sides) {
  if (!byId("table-box", HTMLDetailsElement).open) return;
  const head = byId("table-head");
  const columns = ["Move", ...sides.teams.map((_, side) => sideName(sides, side)), "Grade"];
  if (needsRender(head, columns)) {
    const cells = columns.map((column) => element("th", { scope: "col" }, column));
    head.replaceChildren(element("tr", {}, ...cells));
  }
  const body = byId("table-body");
  if (!needsRender(body, review.chances, review.proven, review.moves)) return;
  body.replaceChildren(
    ...review.chances.map((chances, ply) => {
      const move = review.moves[ply - 1];
      const proven = review.proven[ply] !== null ? " (proven)" : "";
      return element(
        "tr",
        {},
        element("th", { scope: "row" }, ply ? `${ply}. ${mainline[ply - 1].move}` : "Start"),
        ...sides.teams.map((_, side) =>
          element("td", {}, chances ? `${percent(chances[side])}${proven}` : "–"),
        ),
        element("td", {}, move?.grade ? GRADES[move.grade].label : ""),
      );
    }),
  );
}

/**
 * Show the chances at a ply below the graph.
 * @param {Review | null} review
 * @param {number} ply
 * @param {Sides} sides
 */
export function renderLegend(review, ply, sides) {
  const legend = byId("legend");
  if (!needsRender(legend, review?.chances[ply], review?.proven[ply])) return;
  const chances = review?.chances[ply];
  const proven = review?.proven[ply] ?? null;
  if (!review || !chances || proven !== null) {
    setText(legend, sentence(chancesText(review, ply, sides)));
    return;
  }
  legend.replaceChildren(
    ...sides.teams.map((team, side) =>
      element(
        "span",
        { class: "side-chance" },
        element("span", { class: `dot c-${sides.colours[team[0]]}` }),
        `${sideName(sides, side)} ${percent(chances[side])}`,
      ),
    ),
  );
}

/**
 * Add the sign of its grade to each move of the main line.
 * @param {HTMLElement} list
 * @param {Review | null} review
 */
export function markMoves(list, review) {
  /** @type {NodeListOf<HTMLElement>} */
  const buttons = list.querySelectorAll('.move[data-line=""]');
  let changed = false;
  for (const one of buttons) {
    const grade = review?.moves[Number(one.dataset.ply) - 1]?.grade ?? "";
    if (one.dataset.grade === grade) continue;
    one.querySelector(".sign")?.remove();
    one.dataset.grade = grade;
    if (!grade) continue;
    const { sign, label } = GRADES[grade];
    one.append(element("span", { class: `sign ${grade}`, "aria-hidden": "true" }, sign));
    one.setAttribute("aria-label", `${one.dataset.ply}. ${one.title}: ${label}`);
    changed = true;
  }
  const current = list.querySelector("[aria-current]");
  if (changed && current) scrollTo(list, current); // signs make lines longer
}
