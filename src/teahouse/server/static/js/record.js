// A record to step through, or any game to explore.
import { post } from "./api.js";
import { byId, element, find, setText } from "./dom.js";
import { GameViewer } from "./game-viewer.js";
import { copyButton, embedButton, saveRecord } from "./share.js";
import * as storage from "./storage.js";

/** @import { CreatedTable, ExploreRequest, Explored, NewTable, SeatChoice } from "./protocol.js" */

/**
 * The record of this page, or null where any game can be explored.
 * @type {{ id: string, record: string } | null}
 */
const source = JSON.parse(document.getElementById("record")?.textContent ?? "null");

/**
 * Create a table at the position that is shown: the player to move here, bots on other seats.
 * @param {GameViewer} viewer
 * @param {Explored} game
 */
async function playFromHere(viewer, { game, options, players }) {
  const { snapshot } = viewer.board;
  if (!snapshot) return;
  if (snapshot.player === null) {
    viewer.showNotice("The game is over here. Step back to an earlier move first.");
    return;
  }
  /** @type {SeatChoice[]} */
  const seats = players.map((_, seat) =>
    seat === snapshot.player
      ? { kind: "local", name: storage.playerName() || null }
      : { kind: "bot", level: storage.botLevel() },
  );
  /** @type {NewTable} */
  const wanted = { game, options, start: snapshot.position, seats };
  try {
    /** @type {CreatedTable} */
    const created = await post("/api/tables", wanted);
    storage.addCreatedTable(created, seats);
    location.href = `/tables/${created.id}`;
  } catch (error) {
    viewer.showError(error);
  }
}

/**
 * Save the line that is shown as a record; return its link.
 * @param {GameViewer} viewer
 * @param {Explored} game
 */
async function saveLine(viewer, { game, options, seed, start, title }) {
  const { variation, mainline } = viewer.tree;
  const line = variation ? [...mainline.slice(0, variation.start), ...variation.moves] : mainline;
  const moves = line.map(({ move }) => move);
  /** @type {ExploreRequest} */
  const request = { game, options, moves, ...(seed === null ? { start } : { seed }) };
  try {
    /** @type {Explored} */
    const explored = await post("/api/explore", request);
    return await saveRecord(explored.record, title);
  } catch (error) {
    viewer.showError(error);
    return null;
  }
}

/** @param {ExploreRequest} request */
async function open(request) {
  /** @type {Explored} */
  const game = await post("/api/explore", request);
  const { options, players, names, snapshot } = game;
  /** @param {number} ply */
  const loadSnapshot = async (ply) => (await post("/api/explore", { ...request, ply })).snapshot;
  const viewer = new GameViewer(players, { game: game.game, options }, loadSnapshot);
  viewer.colours = snapshot.colours;
  viewer.tree.setMainline(game.moves, snapshot);
  viewer.tree.goToEnd();
  await viewer.board.show(snapshot, { interactive: true });
  for (const [seat, row] of byId("seats").querySelectorAll(".seat").entries()) {
    const player = players[seat];
    setText(find(row, ".name"), names[player] ?? player);
    setText(find(row, ".player"), names[player] ? player : "");
  }
  const hint = () =>
    viewer.showHint(async () => post("/api/hint", await viewer.tree.currentRequest()));
  const play = () => playFromHere(viewer, game);
  byId("actions").replaceChildren(
    element("button", { type: "button", "data-action": "hint", onclick: hint }, "Hint"),
    element("button", { type: "button", "data-action": "play", onclick: play }, "Play from here"),
  );
  const links = [copyButton("Copy link to this line", () => saveLine(viewer, game))];
  if (source) {
    const download = { href: `/api/records/${source.id}`, download: `${game.game}.txt` };
    links.unshift(copyButton("Copy link to this game", location.href));
    byId("share-links").replaceChildren(
      ...links,
      embedButton(source.id, document.title.split(" – ")[0]),
      element("a", { class: "button", ...download }, "Download record"),
    );
  } else byId("share-links").replaceChildren(...links);
}

if (source) {
  storage.addRecord(source.id, document.title.split(" – ")[0]);
  open({ record: source.record });
} else {
  const select = byId("game", HTMLSelectElement);
  const wanted = location.hash.slice(1);
  if ([...select.options].some(({ value }) => value === wanted)) select.value = wanted;
  select.addEventListener("change", () => {
    location.hash = select.value;
    location.reload();
  });
  open({ game: select.value, seed: 1 });
}
