// A read-only board in a frame: steps through the moves, and follows a game that is played.
import { getJson } from "./api.js";
import { Connection } from "./connection.js";
import { byId, find, parseSvg } from "./dom.js";
import { TableState } from "./table-state.js";
import { errorText, sentence } from "./wording.js";

/** @import { ServerMessage, Snapshot } from "./protocol.js" */

const main = find(document, "main");
const { kind, id } = main.dataset;
/** The number of moves, and the ply that is shown. */
let plies = Number(main.dataset.ply);
let shown = plies;
/** The result of a table in words, once its game is over. @type {string | null} */
let result = null;
/** Whether new moves are shown as they are played. */
let following = true;
let requests = 0;

/** @type {NodeListOf<HTMLButtonElement>} */
const buttons = document.querySelectorAll("button[data-step]");
/** @type {Record<string, () => number>} */
const STEPS = {
  first: () => 0,
  back: () => Math.max(0, shown - 1),
  forward: () => Math.min(plies, shown + 1),
  last: () => plies,
};

function updateButtons() {
  byId("ply").textContent = `${shown} / ${plies}`;
  for (const button of buttons) {
    button.disabled = STEPS[button.dataset.step ?? "first"]() === shown;
  }
}

/** @param {Snapshot} snapshot */
function show({ svg, ply, last, result_text }) {
  const focused = document.activeElement;
  byId("board").replaceChildren(parseSvg(svg));
  shown = ply;
  const ended = ply === plies ? result : null;
  byId("last-move").textContent = ended ?? result_text ?? sentence(last?.description ?? "");
  updateButtons();
  if (focused instanceof HTMLButtonElement && focused.disabled) {
    [...buttons].find((button) => !button.disabled)?.focus();
  }
}

/** @param {number} ply */
async function step(ply) {
  following = ply === plies;
  requests += 1;
  const request = requests;
  try {
    const snapshot = await getJson(`/api/${kind}/${id}/plies/${ply}`);
    if (request === requests) show(snapshot);
  } catch (error) {
    byId("last-move").textContent = errorText(error);
  }
}

/** Follow a table while it is played: from the last move on, show each new one. */
function follow() {
  /** @type {TableState | null} */
  let table = null;
  /** @param {ServerMessage} message */
  const onmessage = (message) => {
    if (message.type === "table") table = new TableState(message);
    else if (table && ["update", "snapshot", "presence"].includes(message.type)) {
      table.apply(/** @type {import("./protocol.js").StateMessage} */ (message));
    } else return;
    plies = table.moves.length;
    result = table.state.result_text;
    const current = table.snapshot.ply === plies;
    if (following && current) show(table.snapshot);
    else updateButtons();
  };
  new Connection(id ?? "", [], { onmessage, onstatus: () => {} }).open();
}

for (const button of buttons) {
  button.addEventListener("click", () => step(STEPS[button.dataset.step ?? "first"]()));
}
document.addEventListener("keydown", ({ key, target }) => {
  /** @type {Record<string, string>} */
  const keys = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" };
  if (key in keys && target instanceof Element) step(STEPS[keys[key]]());
});
updateButtons();
if (kind === "tables") follow();
