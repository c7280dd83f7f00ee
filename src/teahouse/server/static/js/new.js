// A new table: the form is made from what the games declare.
import { post } from "./api.js";
import * as device from "./device.js";
import { element, picture, sentence, the } from "./dom.js";

const games = JSON.parse(the("games").textContent);
const form = the("new");
let setup = null;
let seatsLaid = "";
let asked = 0;

const chosen = () => games.find(({ name }) => name === form.elements.game.value);

/** A field for an option. */
function field(option) {
  const { name, kind, meaning, low, high, choices, allowed } = option;
  const id = `option-${name}`;
  const common = { id, name: id, "data-option": name, "data-kind": kind };
  let input;
  if (kind === "whole") input = element("input", { ...common, type: "number", min: low, max: high, value: option.default, required: true });
  else if (kind === "flag") input = element("input", { ...common, type: "checkbox", checked: option.default });
  else if (kind === "choice") {
    input = element("select", common, ...choices.map((one) => element("option", { value: one, selected: one === option.default }, one)));
  } else input = element("input", { ...common, type: "text", value: option.default ?? "", maxlength: 5000, placeholder: option.default ?? "", spellcheck: "false" });
  const told =
    kind === "flag"
      ? element("label", { for: id, class: "told" }, meaning)
      : element("small", { id: `${id}-told`, class: "told" }, `${meaning}: ${allowed}`);
  if (told.id) input.setAttribute("aria-describedby", told.id);
  return element("p", { class: kind === "flag" ? "option flag" : "option" }, element("label", { for: id }, name.replaceAll("_", " ")), input, told);
}

/** Options that differ from their defaults. */
function options() {
  const found = {};
  for (const input of the("options").querySelectorAll("[data-option]")) {
    const option = chosen().options.find(({ name }) => name === input.dataset.option);
    let value = input.value.trim();
    if (input.dataset.kind === "flag") value = input.checked;
    else if (input.dataset.kind === "whole") value = Number(input.value);
    else if (input.dataset.kind === "text" && value === "") value = option.default;
    if (value !== option.default) found[input.dataset.option] = value;
  }
  return found;
}

const levelName = ({ level, elo }) => `Bot, level ${level}${elo === undefined ? "" : ` (${elo} Elo)`}`;

/** What a move takes, in a unit that suits it. */
const time = (seconds) => (seconds < 0.1 ? `${Math.max(1, Math.round(1000 * seconds))} ms` : `${seconds.toFixed(1)} s`);

/** The bots' ratings for the options that are chosen. */
function layBots(levels) {
  const measured = levels.filter(({ elo }) => elo !== undefined);
  the("bots-box").hidden = measured.length === 0;
  the("bots").replaceChildren(
    ...measured.map(({ level, elo, low, high, seconds }) =>
      element(
        "tr",
        {},
        element("th", { scope: "row" }, String(level)),
        element("td", {}, level === measured[0].level ? String(elo) : `${elo} ± ${Math.round((high - low) / 2)}`),
        element("td", {}, time(seconds)),
      ),
    ),
  );
}

/** A row for a seat; what was chosen for it before stays. */
function seatRow(player, seat, before) {
  const id = `seat-${seat}`;
  const bot = `bot-${Math.min(device.level(), setup.levels.length)}`;
  const kind = before?.kind ?? (seat === 0 ? "here" : bot);
  const select = element(
    "select",
    { id, "data-seat": seat },
    element("option", { value: "here", selected: kind === "here" }, "a person on this screen"),
    element("option", { value: "link", selected: kind === "link" }, "a person by link"),
    ...setup.levels.map((one) =>
      element("option", { value: `bot-${one.level}`, selected: kind === `bot-${one.level}` }, levelName(one)),
    ),
  );
  const name = element("input", {
    type: "text",
    "data-name": seat,
    maxlength: 40,
    placeholder: "name",
    "aria-label": `Name of ${player}`,
    value: before?.name ?? (seat === 0 ? device.name() : ""),
    hidden: kind.startsWith("bot"),
    autocomplete: "off",
  });
  select.addEventListener("change", () => {
    name.hidden = select.value.startsWith("bot");
    if (select.value.startsWith("bot")) device.keepLevel(Number(select.value.slice(4)));
  });
  return element("p", { class: "seat-row" }, element("label", { for: id }, player), select, name);
}

function rows() {
  return [...the("seats").querySelectorAll("[data-seat]")].map((select) => ({
    kind: select.value,
    name: the("seats").querySelector(`[data-name="${select.dataset.seat}"]`).value.trim(),
  }));
}

/** Rows for the seats of the options that are chosen, and for the bots' ratings there. */
function laySeats() {
  const { players, levels } = setup;
  const wanted = JSON.stringify([players, levels]);
  if (wanted === seatsLaid) return;
  seatsLaid = wanted;
  const before = rows();
  const legend = the("seats").querySelector("legend");
  the("seats").replaceChildren(legend, ...players.map((player, seat) => seatRow(player, seat, before[seat])));
}

/** Ask the house whether these options will do, and show the board. */
async function check() {
  asked += 1;
  const turn = asked;
  try {
    const answer = await post("/api/setup", { game: chosen().name, options: options() });
    if (turn !== asked) return;
    setup = answer;
    the("trouble").textContent = "";
    laySeats();
    layBots(answer.levels);
    the("preview").replaceChildren(picture(answer.view.svg));
  } catch (error) {
    if (turn !== asked) return;
    setup = null;
    the("trouble").textContent = sentence(error.message);
  }
  the("open").disabled = !setup;
}

function pick() {
  const game = chosen();
  the("summary").textContent = game.summary;
  the("options").replaceChildren(...game.options.map(field));
  history.replaceState(null, "", `/new?game=${game.name}`);
  check();
}

function clock() {
  const kind = form.elements.clock.value;
  if (kind === "real") {
    return { kind, seconds: 60 * Number(form.elements.minutes.value), increment: Number(form.elements.increment.value) };
  }
  if (kind === "days") return { kind, days: Number(form.elements.days.value) };
  return { kind };
}

form.addEventListener("change", ({ target }) => {
  if (target.name === "game") pick();
  else if (target.dataset.option) check();
  else if (target.name === "clock") {
    for (const row of form.querySelectorAll("[data-clock]")) {
      row.hidden = row.dataset.clock !== target.value;
      for (const input of row.querySelectorAll("input")) input.disabled = row.hidden;
    }
  }
});
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const seats = rows().map(({ kind, name }) =>
    kind.startsWith("bot") ? { kind: "bot", level: Number(kind.slice(4)) } : { kind, name: name || null },
  );
  const own = rows().find(({ kind, name }) => kind === "here" && name);
  if (own) device.keepName(own.name);
  the("open").disabled = true;
  try {
    const opened = await post("/api/tables", { game: chosen().name, options: options(), seats, clock: clock() });
    device.keepOpened(opened, seats);
    location.href = `/tables/${opened.id}`;
  } catch (error) {
    the("trouble").textContent = sentence(error.message);
    the("open").disabled = false;
  }
});

for (const input of form.querySelectorAll("[data-clock] input")) input.disabled = true;
const wanted = new URLSearchParams(location.search).get("game");
form.elements.game.value = games.some(({ name }) => name === wanted) ? wanted : games[0].name;
pick();
addEventListener("pageshow", () => {
  the("open").disabled = !setup;
});
