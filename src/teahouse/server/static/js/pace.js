// The speed of a game between bots, and a pause. All who watch it see the same pace.
import { byId, element, needsRender } from "./dom.js";

/** @import { Pace } from "./protocol.js" */
/** @import { TableState } from "./table-state.js" */

/** @type {[speed: number | null, label: string][]} */
const SPEEDS = [
  [0.5, "0.5×"],
  [1, "1×"],
  [2, "2×"],
  [4, "4×"],
  [null, "As fast as possible"],
];

/** @param {Pace} pace */
function paceText({ speed, paused }) {
  const label = SPEEDS.find(([one]) => one === speed)?.[1] ?? `${speed}×`;
  return paused ? "Paused." : `Speed: ${label}.`;
}

/**
 * Show the pace; the creator of the game can change it.
 * @param {HTMLElement} box
 * @param {TableState} table
 * @param {(pace: Pace) => void} change
 */
export function renderPace(box, table, change) {
  const { pace, over } = table.state;
  const mayChange = table.heldSeats.length > 0;
  box.hidden = pace === null || over;
  if (pace === null || !needsRender(box, pace, mayChange)) return;
  if (!mayChange) {
    box.replaceChildren(element("p", { class: "secondary" }, paceText(pace)));
    return;
  }
  const focused = document.activeElement?.id;
  const { speed, paused } = pace;
  let wanted = pace; // also what was sent and has not been answered yet
  const set = (/** @type {Partial<Pace>} */ part) => {
    wanted = { ...wanted, ...part };
    change(wanted);
  };
  const pause = () => set({ paused: !wanted.paused });
  const select = element(
    "select",
    { id: "speed", "aria-label": "Speed" },
    ...SPEEDS.map(([one, label]) =>
      element("option", { value: String(one), selected: one === speed }, label),
    ),
  );
  select.addEventListener("change", () => {
    set({ speed: select.value === "null" ? null : Number(select.value) });
  });
  box.replaceChildren(
    element("button", { id: "pause", type: "button", onclick: pause }, paused ? "Resume" : "Pause"),
    select,
  );
  if (focused === "pause" || focused === "speed") byId(focused).focus();
}
