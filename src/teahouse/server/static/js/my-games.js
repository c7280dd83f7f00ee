// Games and records that this browser remembers, and the upload of records.
import { post } from "./api.js";
import { byId, element, find } from "./dom.js";
import { saveRecord } from "./share.js";
import * as storage from "./storage.js";
import { errorText } from "./wording.js";

/** @import { FoundStatus, TableStatus } from "./protocol.js" */
/** @import { StoredRecord } from "./storage.js" */

const MAX_RECORD = 100_000;
const REASONS = { resigned: "resignation", agreed: "agreement", timeout: "timeout" };
/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const UNITS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];
const relativeTime = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** @param {number} time in Unix seconds */
function formatAge(time) {
  const seconds = time - Date.now() / 1000;
  const unit = UNITS.find(([, length]) => -seconds >= length);
  return unit ? relativeTime.format(Math.round(seconds / unit[1]), unit[0]) : "just now";
}

/** @param {FoundStatus} status */
function statusText({ players, result, over, player, reason, your_seats, your_turn }) {
  if (!over) return your_turn ? "your turn" : `${players[player ?? 0]} to move`;
  const by = reason ? ` by ${REASONS[reason]}` : "";
  if (result === "draw") return `draw${by}`;
  const winners = result.split("+");
  if (your_seats.length !== 1) {
    return `${winners.join(" and ")} won${by}`;
  }
  return (winners.includes(players[your_seats[0]]) ? "you won" : "you lost") + by;
}

/** @param {FoundStatus} status */
function gameItem(status) {
  const { id, title, players, names, ply, updated } = status;
  const people = players.map((player, seat) => names[seat] ?? player).join(" – ");
  const text = `${statusText(status)} · move ${ply} · ${formatAge(updated)}`;
  return element(
    "li",
    {},
    element("a", { href: `/tables/${id}` }, element("b", {}, title), " ", people),
    element("span", { class: "secondary" }, text),
    removeButton(`Remove this game of ${title}`, () => storage.removeTable(id)),
  );
}

/**
 * Create a button that removes an item at the second click: a removed seat is lost.
 * @param {string} label
 * @param {() => void} remove
 */
function removeButton(label, remove) {
  const attributes = { type: "button", class: "plain", title: label, "aria-label": label };
  const button = element("button", attributes, "×");
  button.addEventListener("click", () => {
    if (button.textContent === "×") {
      button.textContent = "Remove?";
      button.setAttribute("aria-label", `${label}: are you sure?`);
      return;
    }
    remove();
    button.closest("li")?.remove();
  });
  button.addEventListener("blur", () => {
    button.textContent = "×";
    button.setAttribute("aria-label", label);
  });
  return button;
}

/** @param {StoredRecord} record */
function recordItem({ id, title, at }) {
  return element(
    "li",
    {},
    element("a", { href: `/records/${id}` }, element("b", {}, title)),
    element("span", { class: "secondary" }, formatAge(at / 1000)),
    removeButton("Remove this record", () => storage.removeRecord(id)),
  );
}

/**
 * @param {string} title
 * @param {HTMLElement[]} items
 */
function section(title, items) {
  if (!items.length) return [];
  const list = element("ul", { class: "list" }, ...items);
  return [element("section", {}, element("h2", {}, title), list)];
}

/** @returns {Promise<FoundStatus[]>} */
async function loadGames() {
  const tables = Object.entries(storage.tables()).map(([id, { secrets }]) => ({ id, secrets }));
  if (!tables.length) return [];
  /** @type {{ tables: TableStatus[] }} */
  const answer = await post("/api/status", { tables });
  return answer.tables
    .filter((status) => status.found)
    .sort((one, other) => other.updated - one.updated);
}

async function renderLists() {
  const lists = byId("lists");
  const records = section("Saved records", storage.records().map(recordItem));
  try {
    const games = await loadGames();
    const active = games.filter(({ over }) => !over);
    const yours = active.filter(({ your_turn }) => your_turn);
    const theirs = active.filter(({ your_turn }) => !your_turn);
    const finished = games.filter(({ over }) => over);
    const link = element("a", { href: "/" }, "Choose one");
    const nothing = element("p", {}, "No games yet. ", link, " to start.");
    lists.replaceChildren(
      ...(games.length || records.length ? [] : [nothing]),
      ...section("Your turn", yours.map(gameItem)),
      ...section("Waiting for others", theirs.map(gameItem)),
      ...section("Finished", finished.map(gameItem)),
      ...records,
    );
  } catch (error) {
    const message = element("p", { class: "error-text", role: "alert" }, errorText(error));
    lists.replaceChildren(message, ...records);
  }
  lists.removeAttribute("aria-busy");
}

const form = byId("upload", HTMLFormElement);
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const file = find(form, "[name=file]", HTMLInputElement).files?.[0];
  const text = file ? await file.text() : find(form, "textarea", HTMLTextAreaElement).value;
  try {
    if (!text.trim()) throw new Error("Choose a file or paste a record first.");
    if (text.length > MAX_RECORD) {
      throw new Error("This record is too long (limit 100,000 characters).");
    }
    location.href = await saveRecord(text, file?.name ?? "Pasted record");
  } catch (error) {
    byId("error").textContent = errorText(error);
  }
});
renderLists();
document.addEventListener("visibilitychange", () => document.hidden || renderLists());
