// The first page: start a game against a bot, continue a lesson or a game, watch others.
import { announce } from "./announce.js";
import { getJson, post } from "./api.js";
import { byId, element, find, needsRender, parseSvg } from "./dom.js";
import { opponentsText, statusText } from "./game-status.js";
import { gameCards, showProgress } from "./lesson-links.js";
import * as storage from "./storage.js";
import { errorText } from "./wording.js";

/** @import { CreatedTable, LiveGame, SeatChoice, TableStatus } from "./protocol.js" */

const LIVE_SECONDS = 8;

/** @param {HTMLElement} card */
function preparePlay(card) {
  const button = find(card, ".play", HTMLButtonElement);
  const level = find(card, ".level", HTMLSelectElement);
  const message = find(card, ".error-text");
  level.value = String(storage.botLevel());
  level.addEventListener("change", () => storage.setBotLevel(Number(level.value)));
  button.disabled = false;
  button.addEventListener("click", async () => {
    button.disabled = true;
    message.hidden = true;
    /** @type {SeatChoice} */
    const bot = { kind: "bot", level: Number(level.value) };
    const bots = Array(Number(card.dataset.players) - 1).fill(bot);
    /** @type {SeatChoice[]} */
    const seats = [{ kind: "local", name: storage.playerName() || null }, ...bots];
    try {
      /** @type {CreatedTable} */
      const created = await post("/api/tables", { game: card.dataset.game, seats });
      storage.addCreatedTable(created, seats);
      location.href = `/tables/${created.id}`;
    } catch (error) {
      announce(errorText(error));
      message.textContent = errorText(error);
      message.hidden = false;
      button.disabled = false;
    }
  });
}

/** Show the game that waits for a move, else the last one that goes on. */
async function showContinue() {
  const tables = Object.entries(storage.tables()).map(([id, { secrets }]) => ({ id, secrets }));
  if (!tables.length) return;
  /** @type {{ tables: TableStatus[] }} */
  const answer = await post("/api/status", { tables });
  const active = answer.tables
    .filter((status) => status.found)
    .filter(({ over, your_seats }) => !over && your_seats.length)
    .sort((one, other) => other.updated - one.updated);
  const status = active.find(({ your_turn }) => your_turn) ?? active[0];
  const link = byId("continue", HTMLAnchorElement);
  find(link, ".secondary").textContent = "None goes on. Look back at the finished ones.";
  if (!status) return;
  link.href = `/tables/${status.id}`;
  find(link, "b").textContent = status.your_turn ? "Your turn" : "Continue your game";
  find(link, ".secondary").textContent =
    `${status.title} ${opponentsText(status)}, ${statusText(status)}`;
}

/** @param {LiveGame} game */
function liveItem({ id, title, names, ply, svg }) {
  const board = element("div", { class: "small-board", "aria-hidden": "true" });
  board.append(parseSvg(svg));
  return element(
    "li",
    {},
    element(
      "a",
      { href: `/tables/${id}` },
      board,
      element("b", {}, title),
      element("span", { class: "secondary" }, `${names.join(" – ")}, move ${ply}`),
    ),
  );
}

/** Show the games that others may watch, while the page is visible. */
async function showLive() {
  if (document.hidden) return;
  /** @type {{ games: LiveGame[] }} */
  const { games } = await getJson("/api/live");
  const list = byId("live-games");
  if (!needsRender(list, games)) return;
  const focused = document.activeElement?.getAttribute("href");
  list.replaceChildren(...games.map(liveItem));
  byId("live").hidden = games.length === 0;
  const again = focused && list.querySelector(`a[href="${focused}"]`);
  if (again instanceof HTMLElement) again.focus({ preventScroll: true });
}

function showLessons() {
  for (const card of gameCards()) {
    find(card, ".play").classList.toggle("main", showProgress(card));
  }
}

gameCards().forEach(preparePlay);
showLessons();
// Conveniences: without them the page works.
showContinue().catch(() => {});
showLive().catch(() => {});
setInterval(() => showLive().catch(() => {}), 1000 * LIVE_SECONDS);
// A page restored from the back-forward cache keeps its disabled buttons and its old progress.
addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  showLessons();
  for (const button of document.querySelectorAll("button.play")) button.removeAttribute("disabled");
});
