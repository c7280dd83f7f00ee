// The hint panel: the computer's view of a position.
import { element } from "./dom.js";
import { percent, sentence } from "./wording.js";

/** @import { Hint, HintMove } from "./protocol.js" */

const MAX_MOVES = 5;
const PROOF = { win: "wins", loss: "loses", draw: "draws" };

/** @param {HintMove} candidate */
function candidateItem({ move, description, value, proof, visits }) {
  const label = `${description}: ${percent(value)}`;
  return element(
    "li",
    { title: description },
    element("span", { class: "move-text" }, move),
    element("meter", { min: 0, max: 1, value, "aria-label": label }),
    element("span", { title: `${visits} visits` }, proof ? PROOF[proof] : percent(value)),
  );
}

/** @param {string} text */
function continuationDetails(text) {
  const summary = element("summary", {}, "Expected continuation");
  return element("details", {}, summary, element("p", {}, text));
}

/** @param {Hint} hint */
function verdict({ best, value, moves }) {
  if (moves.length && moves.every(({ proof }) => proof === "loss")) return "every move loses.";
  const proof = moves.find(({ move }) => move === best)?.proof;
  return proof ? `this move ${PROOF[proof]}.` : `expected score ${percent(value)}.`;
}

/**
 * @param {HTMLElement} panel
 * @param {Hint} hint
 * @param {string[]} players
 */
export function renderHint(panel, hint, players) {
  const candidates = hint.moves.slice(0, MAX_MOVES).map(candidateItem);
  const continuation = hint.line
    .slice(1)
    .map(({ player, description }) => `${players[player]}: ${sentence(description)}`);
  panel.hidden = false;
  panel.replaceChildren(
    element("h2", {}, `Computer’s view: ${verdict(hint)}`),
    element("p", {}, `Suggestion: ${sentence(hint.description)}`),
    element("ol", { class: "candidates" }, ...candidates),
    ...(continuation.length ? [continuationDetails(continuation.join(" "))] : []),
  );
}

/** @param {HTMLElement} panel */
export function renderHintPending(panel) {
  panel.hidden = false;
  panel.replaceChildren(element("p", { class: "secondary" }, "The computer is thinking …"));
}

/** @param {HTMLElement} panel */
export function clearHint(panel) {
  panel.hidden = true;
  panel.replaceChildren();
}
