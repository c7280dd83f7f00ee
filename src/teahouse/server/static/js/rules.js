// Examples in the rules: step through them, and play on by clicking.
import { announce } from "./announce.js";
import { post } from "./api.js";
import { Board } from "./board.js";
import { element, find, setText } from "./dom.js";
import { Explanations } from "./explanations.js";
import { GameTree } from "./game-tree.js";
import { Preview } from "./preview.js";
import { errorText, promptText, sentence } from "./wording.js";

/** @import { ExploreRequest, Explored, Options } from "./protocol.js" */

const ICONS = {
  back: "M16 5.5 7 12l9 6.5z",
  forward: "M8 5.5 17 12l-9 6.5z",
  reset: "M6 9a7 7 0 1 1-1 6M6 4v5h5",
};

/**
 * @param {string} label
 * @param {string} path
 * @param {() => void} onclick
 */
function iconButton(label, path, onclick) {
  const attributes = { type: "button", class: "icon", "aria-label": label, title: label, onclick };
  const button = element("button", attributes);
  button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`;
  return button;
}

/**
 * Replace the picture of an example by an interactive board.
 * @param {HTMLElement} figure
 * @param {number} index
 */
async function activate(figure, index) {
  /** @type {ExploreRequest & { game: string, options: Options, moves: string[] }} */
  const request = JSON.parse(figure.dataset.explore ?? "");
  const box = element("div", { class: "board-box" });
  const group = { class: "choices none", role: "group", "aria-label": "Choices" };
  const choices = element("div", group);
  const prompt = element("p", { class: "prompt" });
  const lastMove = element("p", { class: "last-move" });
  box.append(find(figure, "svg", SVGSVGElement));
  /** @param {number} ply */
  const loadSnapshot = async (ply) => (await post("/api/explore", { ...request, ply })).snapshot;
  const board = new Board(box, choices, `example-${index}-`);
  const tree = new GameTree(loadSnapshot, { game: request.game, options: request.options });
  const back = iconButton("Previous move", ICONS.back, () => tree.step("back"));
  const forward = iconButton("Next move", ICONS.forward, () => tree.step("forward"));
  const reset = iconButton("Reset the example", ICONS.reset, () => {
    tree.goTo(null, request.moves.length);
  });
  reset.classList.add("outline");
  const caption = figure.querySelector("figcaption");
  const playback = element("div", { class: "playback" }, back, forward, reset);
  const side = element("div", { class: "example-side" }, prompt, lastMove, playback);
  figure.replaceChildren(box, choices, ...(caption ? [caption] : []), side);
  /** @type {Explored} */
  const { moves, players, snapshot } = await post("/api/explore", request);
  board.onmove = (move, shown) => {
    if (tree.loading) board.setInteractive(true);
    else tree.play(move, shown);
  };
  board.onshow = (shown) => {
    setText(prompt, promptText(shown, players, null));
    setText(lastMove, shown.last ? sentence(shown.last.description) : "");
  };
  const explanations = new Explanations(board);
  new Preview(board, (text) => setText(lastMove, text));
  board.onrefuse = async (name, chosen) => {
    const refused = board.snapshot;
    const { why } = await explanations.explain(name, chosen).catch(() => ({ why: null }));
    if (!why || board.snapshot !== refused) return;
    setText(lastMove, why);
    announce(why);
  };
  tree.onsnapshot = (shown, animate) => board.show(shown, { interactive: true, animate });
  tree.onerror = (error) => setText(prompt, errorText(error));
  tree.onchange = () => {
    back.setAttribute("aria-disabled", String(!tree.canGoBack));
    forward.setAttribute("aria-disabled", String(!tree.canGoForward));
  };
  tree.setMainline(moves, snapshot);
  tree.goToEnd();
  await board.show(snapshot, { interactive: true });
}

const figures = [...document.querySelectorAll("figure.example")];
const observer = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting || !(target instanceof HTMLElement)) continue;
    observer.unobserve(target);
    activate(target, figures.indexOf(target)).catch(() => {}); // the picture stays
  }
});
for (const figure of figures) observer.observe(figure);
