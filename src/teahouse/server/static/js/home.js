// The first page: the lobby, games against a bot, the lesson or the game to continue.
import { announce } from "./announce.js";
import { post } from "./api.js";
import { byId, find, setText } from "./dom.js";
import { opponentsText, statusText } from "./game-status.js";
import { gameCards, showProgress } from "./lesson-links.js";
import { openLobby } from "./lobby.js";
import { openPage, sitePath } from "./site-path.js";
import * as storage from "./storage.js";
import { errorText } from "./wording.js";

/** @import { CreatedTable, FoundStatus, SeatChoice, TableStatus } from "./protocol.js" */

/**
 * Start a game against bots of a level.
 * @param {HTMLElement} card
 * @param {number} level
 */
async function startGame(card, level) {
  /** @type {SeatChoice} */
  const bot = { kind: "bot", level };
  const bots = Array(Number(card.dataset.players) - 1).fill(bot);
  /** @type {SeatChoice[]} */
  const seats = [{ kind: "local", name: storage.playerName() || null }, ...bots];
  /** @type {CreatedTable} */
  const created = await post("/api/tables", { game: card.dataset.game, seats });
  storage.addCreatedTable(created, seats);
  openPage(storage.tablePath(created.id));
}

/**
 * Play a bot instead of waiting for a person.
 * @param {string} game
 * @param {number} level
 */
async function playBot(game, level) {
  const card = find(document, `.card[data-game="${game}"]`);
  try {
    await startGame(card, level);
  } catch (error) {
    byId("lobby-error").textContent = errorText(error);
  }
}

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
    try {
      await startGame(card, Number(level.value));
    } catch (error) {
      announce(errorText(error));
      message.textContent = errorText(error);
      message.hidden = false;
      button.disabled = false;
    }
  });
}

/** Show the game that is waiting for a move, else the last one in progress. */
async function showContinue() {
  const tables = Object.entries(storage.tables()).map(([id, { secrets }]) => ({ id, secrets }));
  const mine = storage.accountName() !== null;
  if (!tables.length && !mine) return;
  /** @type {{ tables: TableStatus[] }} */
  const answer = await post("/api/status", { tables, mine });
  const active = answer.tables
    .filter((status) => status.found)
    .filter(({ over, your_seats }) => !over && your_seats.length)
    .sort((one, other) => other.updated - one.updated);
  const status = active.find(({ your_turn }) => your_turn) ?? active[0];
  const link = byId("continue", HTMLAnchorElement);
  const [title, text] = status
    ? continueTexts(status)
    : ["My games", "No game in progress. See your finished games."];
  link.href = sitePath(status ? `/tables/${status.id}` : "/mine");
  setText(find(link, "b"), title);
  setText(find(link, ".secondary"), text);
}

/** @param {FoundStatus} status of a game that is not over */
function continueTexts(status) {
  const game = `${status.title} ${opponentsText(status)}`;
  if (status.your_turn) return ["Your turn", game];
  return ["Continue your game", `${game}, ${statusText(status)}`];
}

/** A convenience: without it the page works. */
const updateContinue = () => showContinue().catch(() => {});

function showLessons() {
  for (const card of gameCards()) {
    find(card, ".play").classList.toggle("main", showProgress(card));
  }
}

gameCards().forEach(preparePlay);
showLessons();
updateContinue().then(() => addEventListener("waiting-changed", updateContinue));
openLobby(playBot);
// A page restored from the back-forward cache keeps its disabled buttons and its old progress.
addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  showLessons();
  updateContinue();
  for (const button of document.querySelectorAll("button.play")) button.removeAttribute("disabled");
});
