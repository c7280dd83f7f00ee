// The form for a new game, built from the options that the games declare.
import { post } from "./api.js";
import {
  challenged,
  challengeFields,
  firstKind,
  forLobby,
  isChallenge,
  loadAccount,
  openLabel,
  updateChallenge,
} from "./challenge-form.js";
import { byId, element, find, parseSvg } from "./dom.js";
import { exploreUrl } from "./explore-url.js";
import { optionFields, selectedOptions, updateChoices } from "./option-fields.js";
import { openPage, sitePath } from "./site-path.js";
import * as storage from "./storage.js";
import { errorText } from "./wording.js";

/** @import { CreatedTable, GameInfo, Level, NewTable } from "./protocol.js" */
/** @import { NewChallenge, SeatChoice, Setup, TimeControl } from "./protocol.js" */
/** @import { SeatFields } from "./challenge-form.js" */

const MAX_NAME = 40;
/** Kinds of seats that have a name. */
const NAMED = ["local", "remote"];

/** @type {GameInfo[]} */
const games = JSON.parse(byId("games", HTMLScriptElement).text);
const form = byId("new-game", HTMLFormElement);
const createButton = byId("create", HTMLButtonElement);
const analyseButton = byId("analyse", HTMLButtonElement);
/** The last setup that the server accepted, or null. @type {Setup | null} */
let setup = null;
let checks = 0;
/** Whether the player has chosen who may watch. */
let listedByHand = false;

/** @param {string} name */
const value = (name) => String(new FormData(form).get(name) ?? "");

/** @returns {GameInfo} */
const selectedGame = () => games.find(({ name }) => name === value("game")) ?? games[0];

/** @param {number} seconds */
const formatSeconds = (seconds) =>
  seconds < 0.1 ? `${Math.max(1, Math.round(1000 * seconds))} ms` : `${seconds.toFixed(1)} s`;

/**
 * Show the measured ratings of the levels.
 * @param {Level[]} levels
 */
function renderLevels(levels) {
  const rows = levels.flatMap(({ level, name, elo, low, high, seconds }) => {
    if (elo === undefined || low === undefined || high === undefined) return [];
    const interval = Math.round((high - low) / 2);
    return element(
      "tr",
      {},
      element("th", { scope: "row" }, `${level} · ${name}`),
      element("td", {}, interval ? `${elo} ± ${interval}` : String(elo)),
      element("td", {}, seconds === undefined ? "" : formatSeconds(seconds)),
    );
  });
  byId("levels-box").hidden = rows.length === 0;
  byId("levels").replaceChildren(...rows);
}

/**
 * @param {string} player
 * @param {number} seat
 * @param {Level[]} levels
 * @param {SeatFields | undefined} before what was selected for this seat
 */
function seatRow(player, seat, levels, before) {
  const bot = `bot-${Math.min(storage.botLevel(), levels.length)}`;
  const kind = before?.kind ?? firstKind(seat, bot);
  /**
   * @param {string} option
   * @param {string} text
   */
  const choice = (option, text) =>
    element("option", { value: option, selected: option === kind }, text);
  const select = element(
    "select",
    { id: `seat-${seat}`, class: "seat-kind" },
    choice("local", "Me (this device)"),
    choice("open", openLabel()),
    choice("remote", "Invite a friend by link"),
    element(
      "optgroup",
      { label: "Computer" },
      ...levels.map(({ level, label }) => choice(`bot-${level}`, label)),
    ),
  );
  const name = element("input", {
    type: "text",
    class: "seat-name-field",
    maxlength: MAX_NAME,
    placeholder: "Name",
    "aria-label": `Name of ${player}`,
    value: before?.name ?? (seat === 0 ? storage.playerName() : ""),
    hidden: !NAMED.includes(kind),
    autocomplete: "off",
  });
  select.addEventListener("change", () => {
    name.hidden = !NAMED.includes(select.value);
    if (select.value.startsWith("bot")) storage.setBotLevel(Number(select.value.slice(4)));
  });
  const label = element("label", { for: select.id }, player);
  return element("p", { class: "seat-row" }, label, select, name);
}

/** Give the first seat on this device the name of the account. */
function showOwnName() {
  const name = storage.accountName();
  if (name === null) return;
  const rows = [...byId("seats").querySelectorAll(".seat-row")];
  const own = rows.find((row) => find(row, "select", HTMLSelectElement).value === "local");
  for (const row of rows) {
    const field = find(row, "input", HTMLInputElement);
    if (row === own) field.value = name;
    else if (field.readOnly) field.value = "";
    field.readOnly = row === own;
  }
}

/** @returns {SeatFields[]} */
const seatFields = () =>
  [...byId("seats").querySelectorAll(".seat-row")].map((row) => ({
    kind: find(row, "select", HTMLSelectElement).value,
    name: find(row, "input", HTMLInputElement).value.trim(),
  }));

/** Challenges and games between computers are shown to everybody by default. */
function updateListed() {
  if (listedByHand) return;
  const fields = seatFields();
  const bots = fields.every(({ kind }) => kind.startsWith("bot"));
  find(form, "[name=listed]", HTMLInputElement).checked = bots || isChallenge(fields);
}

const updateRated = () => updateChallenge(seatFields(), timeControl(), setup);

/** @param {Setup} accepted */
function renderSeats({ players, levels }) {
  const box = byId("seats");
  const before = seatFields();
  box.replaceChildren(
    find(box, "legend"),
    ...players.map((player, seat) => seatRow(player, seat, levels, before[seat])),
  );
  showOwnName();
  updateListed();
}

/** Let the server check the options, and show the board that they make. */
async function checkSetup() {
  checks += 1;
  const check = checks;
  const error = byId("error");
  form.setAttribute("aria-busy", "true");
  try {
    /** @type {Setup} */
    const accepted = await post("/api/setup", {
      game: selectedGame().name,
      options: selectedOptions(selectedGame()),
      adjust: true,
    });
    if (check !== checks) return;
    updateChoices(accepted);
    const { players, levels } = accepted;
    const seatsOf = JSON.stringify([setup?.players, setup?.levels]);
    const rows = byId("seats").querySelector(".seat-row");
    if (!rows || JSON.stringify([players, levels]) !== seatsOf) renderSeats(accepted);
    setup = accepted;
    error.textContent = "";
    renderLevels(levels);
    byId("preview").replaceChildren(parseSvg(accepted.snapshot.svg));
  } catch (failure) {
    if (check !== checks) return;
    setup = null;
    error.textContent = errorText(failure);
  }
  form.removeAttribute("aria-busy");
  updateRated();
  createButton.disabled = !setup;
  analyseButton.disabled = !setup;
}

function selectGame() {
  const game = selectedGame();
  byId("summary").textContent = game.summary;
  byId("options-box").hidden = game.options.length === 0;
  byId("options").replaceChildren(...optionFields(game, () => setup));
  const address = new URLSearchParams(location.search);
  address.set("game", game.name);
  history.replaceState(null, "", sitePath(`/new?${address}`));
  checkSetup();
}

/** @returns {TimeControl} */
function timeControl() {
  const kind = value("time-control");
  if (kind === "realtime") {
    return { kind, seconds: 60 * Number(value("minutes")), increment: Number(value("increment")) };
  }
  if (kind === "correspondence") return { kind, days: Number(value("days")) };
  return { kind: "none" };
}

/** Show and enable the fields of the selected time control only. */
function updateTimeControl() {
  for (const row of form.querySelectorAll("[data-time-control]")) {
    const selected = row.getAttribute("data-time-control") === value("time-control");
    row.toggleAttribute("hidden", !selected);
    for (const input of row.querySelectorAll("input")) input.disabled = !selected;
  }
}

form.addEventListener("change", ({ target }) => {
  if (!(target instanceof HTMLElement)) return;
  const name = target.getAttribute("name");
  if (name === "game") selectGame();
  else if (target.dataset.option) checkSetup();
  else if (name === "time-control") updateTimeControl();
  else if (name === "listed") listedByHand = true;
  if (target.classList.contains("seat-kind")) {
    showOwnName();
    updateListed();
  }
  updateRated();
});
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const fields = seatFields();
  const own = fields.find(({ kind, name }) => kind === "local" && name);
  if (own && storage.accountName() === null) storage.setPlayerName(own.name);
  createButton.disabled = true;
  try {
    if (isChallenge(fields)) await createChallenge(fields);
    else await createTable(fields);
  } catch (error) {
    byId("error").textContent = errorText(error);
    createButton.disabled = false;
  }
});

/** What tables and challenges have in common. */
const commonFields = () => ({
  game: selectedGame().name,
  options: selectedOptions(selectedGame()),
  time_control: timeControl(),
  listed: find(form, "[name=listed]", HTMLInputElement).checked,
  rated: find(form, "[name=rated]", HTMLInputElement).checked,
});

/** @param {SeatFields[]} fields */
async function createChallenge(fields) {
  /** @type {NewChallenge} */
  const wanted = { ...commonFields(), ...challengeFields(fields) };
  await post("/api/challenges", wanted);
  openPage("/#lobby");
}

/** @param {SeatFields[]} fields */
async function createTable(fields) {
  /** @type {SeatChoice[]} */
  const seats = fields.map(({ kind, name }) =>
    kind.startsWith("bot")
      ? { kind: "bot", level: Number(kind.slice(4)) }
      : { kind: kind === "remote" ? "remote" : "local", name: name || null },
  );
  /** @type {NewTable} */
  const wanted = { ...commonFields(), seats };
  /** @type {CreatedTable} */
  const created = await post("/api/tables", wanted);
  storage.addCreatedTable(created, seats);
  openPage(storage.tablePath(created.id));
}

analyseButton.addEventListener("click", () => {
  openPage(exploreUrl(selectedGame().name, selectedOptions(selectedGame())));
});

if (forLobby) find(form, "[value=realtime]", HTMLInputElement).checked = true;
if (challenged) find(document, "h1").textContent = `Challenge ${challenged}`;
updateTimeControl();
const wanted = new URLSearchParams(location.search).get("game");
const first = games.find(({ name }) => name === wanted) ?? games[0];
find(form, `[name="game"][value="${first.name}"]`, HTMLInputElement).checked = true;
selectGame();
loadAccount(updateRated);
// A page restored from the back-forward cache keeps its disabled button.
addEventListener("pageshow", () => {
  createButton.disabled = !setup;
});
