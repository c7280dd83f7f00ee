// What a bot thinks of a position.
import { element, sentence } from "./dom.js";

const percent = (value) => `${Math.round(100 * value)} %`;
const PROOF = { win: "wins for sure", loss: "loses for sure", draw: "draws for sure" };

function row({ move, value, proof, visits }, says) {
  return element(
    "li",
    { title: says },
    element("span", { class: "move-text" }, move),
    element("meter", { min: 0, max: 1, value, "aria-label": `${says}: ${percent(value)}` }),
    element("span", { class: "value", title: `${visits} visits` }, proof ? PROOF[proof] : percent(value)),
  );
}

/** Show advice; `view` is the position that it is about. */
export function showAdvice(where, advice, view) {
  const said = new Map(view.legal.map(({ move, says }) => [move, says]));
  const best = advice.moves.slice(0, 5);
  const line = advice.line.slice(1).map(({ says }) => sentence(says));
  where.hidden = false;
  where.replaceChildren(
    element("h2", {}, "The bot’s view"),
    element("p", {}, sentence(advice.says), ` It expects this to win ${percent(advice.value)} of the time.`),
    element("ol", { class: "advised" }, ...best.map((one) => row(one, said.get(one.move) ?? one.move))),
    line.length
      ? element("details", {}, element("summary", {}, "And then"), element("p", {}, line.join(" ")))
      : null,
  );
}

/** Say that a bot is thinking, or take everything away. */
export function showThinking(where, thinking) {
  where.hidden = !thinking;
  where.replaceChildren(...(thinking ? [element("p", { class: "quiet" }, "The bot thinks …")] : []));
}
