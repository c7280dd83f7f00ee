// A record to step through.
import { post } from "./api.js";
import { byId, element, find, setText } from "./dom.js";
import { GameViewer } from "./game-viewer.js";
import { playFromHere } from "./play-from-here.js";
import { copyButton, embedButton, saveRecord } from "./share.js";
import * as storage from "./storage.js";
import { pageTitle } from "./waiting-games.js";
import { errorText, recordTitle } from "./wording.js";

/** @import { ExploreRequest, Explored } from "./protocol.js" */

/** @type {{ id: string, record: string }} */
const { id, record } = JSON.parse(byId("record", HTMLScriptElement).text);

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

async function open() {
  /** @type {Explored} */
  const game = await post("/api/explore", { record });
  storage.addRecord(id, recordTitle(game));
  const { options, players, names, snapshot } = game;
  /** @param {number} ply */
  const loadSnapshot = async (ply) => (await post("/api/explore", { record, ply })).snapshot;
  const viewer = new GameViewer(players, { game: game.game, options }, loadSnapshot);
  viewer.colours = snapshot.colours;
  viewer.tree.setMainline(game.moves, snapshot);
  viewer.tree.goToEnd();
  await viewer.board.show(snapshot, { interactive: true });
  for (const [seat, row] of byId("seats").querySelectorAll(".seat").entries()) {
    const player = players[seat];
    setText(find(row, ".name"), names[player] ?? player);
    find(row, ".player").hidden = !names[player];
  }
  const play = () => playFromHere(viewer, game);
  byId("actions").append(
    element("button", { type: "button", "data-action": "play", onclick: play }, "Play from here"),
  );
  const [title] = pageTitle().split(" – ");
  const download = { href: `/api/records/${id}`, download: `${game.game}.txt` };
  byId("share-links").replaceChildren(
    copyButton("Copy link to this game", location.href),
    copyButton("Copy link to this line", () => saveLine(viewer, game)),
    embedButton(id, title),
    element("a", { class: "button", ...download }, "Download record"),
  );
}

open().catch((error) => setText(byId("notice"), errorText(error)));
