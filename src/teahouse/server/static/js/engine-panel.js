// The engine's lines and the evaluation bar.
import { byId, element, needsRender, setText, svgElement } from "./dom.js";
import { moveLabel, percent } from "./wording.js";

/** @import { AnalysisLine, AnalysisMessage, PlayedMove } from "./protocol.js" */

const PROOF = { win: "Wins", loss: "Loses", draw: "Draws" };

/**
 * Return what a line is worth for the player to move.
 * @param {AnalysisLine} line
 */
export function worthText({ proof, plies, value }) {
  if (!proof) return percent(value);
  return plies ? `${PROOF[proof]} in ${plies}` : PROOF[proof];
}

/**
 * @param {AnalysisLine} line
 * @param {number} rank
 * @param {{ players: string[], play: (line: PlayedMove[]) => void }} view
 */
function lineItem(line, rank, { players, play }) {
  const worth = worthText(line);
  const title = `${line.visits.toLocaleString("en")} visits`;
  const moves = line.line.map((step, index) =>
    element(
      "button",
      {
        type: "button",
        class: "engine-move",
        title: step.description,
        "aria-label": `${step.description}${index ? "" : `, line ${rank}, ${worth}`}`,
        onclick: () => play(line.line.slice(0, index + 1)),
      },
      moveLabel(step, players),
    ),
  );
  const badge = { class: line.proof ? "worth proven" : "worth", title };
  return element(
    "li",
    { "data-rank": rank },
    element("span", { class: "rank-number", "aria-hidden": "true" }, String(rank)),
    element("span", badge, worth),
    element("span", { class: "engine-moves" }, ...moves),
  );
}

/**
 * @param {AnalysisMessage} found
 * @param {{ players: string[], play: (line: PlayedMove[]) => void }} view
 */
export function renderLines(found, view) {
  const list = byId("engine-lines");
  if (!needsRender(list, found.lines)) return;
  const items = [...list.querySelectorAll(".engine-move")];
  const focused = items.indexOf(document.activeElement ?? list);
  list.replaceChildren(...found.lines.map((line, index) => lineItem(line, index + 1, view)));
  /** @type {NodeListOf<HTMLElement>} */
  const buttons = list.querySelectorAll(".engine-move");
  if (focused >= 0) (buttons[focused] ?? buttons[0])?.focus();
}

/** Remove the lines. */
export function clearLines() {
  const list = byId("engine-lines");
  if (needsRender(list, null)) list.replaceChildren();
}

/**
 * Return what the engine is doing.
 * @param {AnalysisMessage} found
 */
export function engineText({ preparing, prepared, network, visits, settled, done }) {
  if (!prepared && preparing !== null) {
    return `Preparing the engine, first time only: ${preparing}\u00a0%`;
  }
  const state = settled ? "proven" : done ? "paused" : "thinking …";
  const engine = network ? "Neural network" : "Search";
  return `${engine} · ${visits.toLocaleString("en")} visits · ${state}`;
}

/**
 * Show each side's expected score as its share of a bar; nothing is known without values.
 * @param {number[] | null} values by side
 * @param {{ players: string[], teams: number[][], colours: string[] }} sides
 */
export function renderBar(values, { players, teams, colours }) {
  const bar = byId("evaluation", SVGSVGElement);
  if (!needsRender(bar, values, colours)) return;
  const shares = values ?? teams.map(() => 1 / teams.length);
  let x = 0;
  const parts = shares.map((value, side) => {
    const width = 100 * value;
    const share = svgElement("rect", { x, width, y: 0, height: 10, class: "share" });
    x += width;
    return svgElement("g", { class: `c-${colours[teams[side][0]]}` }, share);
  });
  bar.replaceChildren(...parts);
  bar.classList.toggle("unknown", values === null);
  const names = teams.map((team) => team.map((seat) => players[seat]).join(" and "));
  const texts = shares.map((share, side) => `${names[side]}\u00a0${percent(share)}`);
  bar.setAttribute("aria-label", values ? `Evaluation: ${texts.join(", ")}` : "Not evaluated");
  setText(byId("shares"), values ? texts.join(" · ") : "");
}
