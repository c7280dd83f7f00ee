// The form for a new tournament.
import { currentAccount } from "./account.js";
import { post } from "./api.js";
import { byId, element, find } from "./dom.js";
import { optionFields, selectedOptions, updateChoices } from "./option-fields.js";
import { openPage } from "./site-path.js";
import { errorText } from "./wording.js";

/** @import { GameInfo, Setup } from "./protocol.js" */
/** @import { TournamentBody } from "./tournament-types.js" */

const FIRST_START_MINUTES = 15;
const ROUND_MINUTES = 5;
/** @type {Record<string, string>} */
const HELP = {
  swiss:
    "In each round you meet somebody with about the same score, nobody twice. Good for many players.",
  round_robin: "Everybody meets everybody. At most 20 players.",
  arena:
    "As many games as fit into the time: free players are paired with others of about the same score. A win scores 2 points, a draw 1.",
};

/** @type {GameInfo[]} */
const games = JSON.parse(byId("games", HTMLScriptElement).text);
const form = byId("new-tournament", HTMLFormElement);
const createButton = byId("create", HTMLButtonElement);
/** The last setup that the server accepted, or null. @type {Setup | null} */
let setup = null;
let checks = 0;

/** @param {string} name */
const field = (name) => find(form, `[name="${name}"]`, HTMLInputElement);

/** @param {string} name */
const value = (name) => String(new FormData(form).get(name) ?? "");

/** @returns {GameInfo} */
const selectedGame = () => games.find(({ name }) => name === value("game")) ?? games[0];

/** Let the server check the options, and offer those that fit together. */
async function checkSetup() {
  checks += 1;
  const check = checks;
  try {
    const game = selectedGame();
    /** @type {Setup} */
    const accepted = await post("/api/setup", {
      game: game.name,
      options: selectedOptions(game),
      adjust: true,
    });
    if (check !== checks) return;
    setup = accepted;
    updateChoices(accepted);
    const level = find(form, "[name=level]", HTMLSelectElement);
    const chosen = level.value || "3";
    level.replaceChildren(
      ...accepted.levels.map((one) =>
        element("option", { value: one.level, selected: String(one.level) === chosen }, one.label),
      ),
    );
    const seats = accepted.players.length;
    byId("error").textContent =
      seats === 2 ? "" : `Tournaments are for two sides; this has ${seats} seats.`;
  } catch (error) {
    if (check === checks) byId("error").textContent = errorText(error);
  }
}

function selectGame() {
  const game = selectedGame();
  byId("options-box").hidden = game.options.length === 0;
  byId("options").replaceChildren(...optionFields(game, () => setup));
  checkSetup();
}

/**
 * Show and enable the fields that belong to a choice.
 * @param {Element} box
 * @param {boolean} shown
 */
function toggle(box, shown) {
  box.toggleAttribute("hidden", !shown);
  for (const input of box.querySelectorAll("input, select")) {
    input.toggleAttribute("disabled", !shown);
  }
}

/** Show the fields of the selected format, clock and start only. */
function updateFields() {
  const format = value("format");
  byId("format-help").textContent = HELP[format];
  for (const box of form.querySelectorAll("[data-format]")) {
    toggle(box, box.getAttribute("data-format") === format);
  }
  toggle(find(form, "[data-not-format=arena]"), format !== "arena");
  const clock = format === "arena" ? "realtime" : value("clock") || "realtime";
  for (const box of form.querySelectorAll("[data-clock]")) {
    toggle(box, box.getAttribute("data-clock") === clock);
  }
  for (const box of form.querySelectorAll("[data-start]")) {
    toggle(box, box.getAttribute("data-start") === value("start"));
  }
  toggle(find(form, "[data-bots]"), field("bots").checked);
  const most = format === "round_robin" ? "20" : "256";
  field("max-players").max = most;
  field("max-players").placeholder = most;
}

/** Propose a round time some minutes ahead. */
function proposeStart() {
  const step = 60_000 * ROUND_MINUTES;
  const ahead = Date.now() + 60_000 * FIRST_START_MINUTES;
  const date = new Date(Math.ceil(ahead / step) * step);
  const local = new Date(date.getTime() - 60_000 * date.getTimezoneOffset());
  field("starts-at").value = local.toISOString().slice(0, 16);
}

function formatBody() {
  const kind = value("format");
  if (kind === "swiss") return { kind, rounds: Number(value("rounds")) };
  if (kind === "arena") {
    return { kind, minutes: Number(value("minutes")), streaks: field("streaks").checked };
  }
  return { kind, double: field("double").checked };
}

function clockBody() {
  if (value("format") !== "arena" && value("clock") === "correspondence") {
    return { kind: "correspondence", days: Number(value("days")) };
  }
  const seconds = 60 * Number(value("clock-minutes"));
  return { kind: "realtime", seconds, increment: Number(value("increment")) };
}

function requestBody() {
  const atTime = value("start") === "time";
  return {
    name: value("name"),
    game: selectedGame().name,
    options: selectedOptions(selectedGame()),
    format: formatBody(),
    time_control: clockBody(),
    starts_at: atTime ? new Date(value("starts-at")).getTime() / 1000 : null,
    starts_with: atTime ? null : Number(value("starts-with")),
    max_players: Number(value("max-players")) || null,
    rated: field("rated").checked,
    private: value("access") === "private",
    password: value("password") || null,
    bots: field("bots").checked
      ? { level: Number(value("level")), players: Number(value("bots-to")) }
      : null,
  };
}

form.addEventListener("change", ({ target }) => {
  if (!(target instanceof HTMLElement)) return;
  if (target.getAttribute("name") === "game") selectGame();
  else if (target.dataset.option) checkSetup();
  updateFields();
});
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  createButton.disabled = true;
  try {
    /** @type {TournamentBody} */
    const created = await post("/api/tournaments", requestBody());
    openPage(`/tournaments/${created.tournament.id}`);
  } catch (error) {
    byId("error").textContent = errorText(error);
    createButton.disabled = false;
  }
});

find(form, `[name="game"][value="${games[0].name}"]`, HTMLInputElement).checked = true;
proposeStart();
selectGame();
updateFields();
currentAccount()
  .then((account) => {
    byId("signed-out").hidden = account !== null;
    createButton.disabled = account === null;
  })
  .catch(() => {}); // the server says so when the form is sent
// A page restored from the back-forward cache keeps its disabled button.
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) createButton.disabled = false;
});
