// Games and records that this browser remembers, and the upload of records.
import { currentAccount } from "./account.js";
import { getText, post } from "./api.js";
import { byId, element, find, replaceKeepingFocus } from "./dom.js";
import { ageText, endText, opponentsText, outcome, statusText } from "./game-status.js";
import { openImported } from "./imported.js";
import { saveRecord } from "./share.js";
import { openPage } from "./site-path.js";
import * as storage from "./storage.js";
import { errorText } from "./wording.js";

/** @import { Explored, FoundStatus, TableStatus } from "./protocol.js" */
/** @import { StoredRecord } from "./storage.js" */

const MAX_RECORD = 100_000;
const lists = byId("lists");
const filters = byId("filters", HTMLFormElement);
/** The games as they were last loaded. @type {FoundStatus[]} */
let games = [];
/** Whether they are known. */
let loaded = false;
/** The account that is signed in. @type {string | null} */
let ownId = null;

/**
 * Create a small picture of a game. It is a copy: the colours of a theme do not reach into `<use>`.
 * @param {string} game
 */
function picture(game) {
  const drawn = document.getElementById(`board-of-${game}`)?.cloneNode(true);
  if (!(drawn instanceof SVGSVGElement)) return element("span", {});
  drawn.removeAttribute("id");
  drawn.classList.add("small");
  drawn.setAttribute("aria-hidden", "true");
  return drawn;
}

/**
 * Store the record of a table and open a page that shows it.
 * @param {string} id
 * @param {string} path
 */
async function openRecord(id, path) {
  try {
    const text = await getText(`/api/tables/${id}/record`);
    const record = await post("/api/records", { text });
    openPage(`${path}${record.id}`);
  } catch (error) {
    byId("error").textContent = errorText(error);
  }
}

/**
 * @param {string} label
 * @param {string} title
 * @param {() => void} onclick
 */
const button = (label, title, onclick) =>
  element("button", { type: "button", "aria-label": `${label}: ${title}`, onclick }, label);

/** @param {FoundStatus} status */
function gameItem(status) {
  const { id, game, title, ply, updated, over } = status;
  const name = `${title} ${opponentsText(status)}`;
  const result = over
    ? element("span", { class: `outcome ${outcome(status)}` }, statusText(status))
    : null;
  const details = over
    ? [result, `. ${endText(status)} `]
    : [`${sentenceCase(statusText(status))}. `];
  return element(
    "li",
    {},
    picture(game),
    element(
      "div",
      { class: "what" },
      element(
        "a",
        { class: "title", href: `/tables/${id}` },
        element("b", {}, title),
        ` ${opponentsText(status)}`,
      ),
      element(
        "span",
        { class: "secondary" },
        ...details,
        `${ply} ${ply === 1 ? "move" : "moves"}, ${ageText(updated)}`,
      ),
    ),
    element(
      "span",
      { class: "buttons" },
      ...(over
        ? [
            button("Review", name, () => openRecord(id, "/review/")),
            button("Analyse", name, () => openRecord(id, "/explore?record=")),
          ]
        : []),
    ),
    isOwn(status)
      ? element("span", {}) // the account has it
      : removeButton(`Remove ${name}`, () => storage.removeTable(id)),
  );
}

/** @param {FoundStatus} status */
const isOwn = ({ accounts }) => ownId !== null && accounts.includes(ownId);

/** @param {string} text */
const sentenceCase = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * Create a button that removes an item at the second click: a removed seat is lost.
 * @param {string} label
 * @param {() => void} remove
 */
function removeButton(label, remove) {
  const attributes = { type: "button", class: "plain remove", title: label, "aria-label": label };
  const created = element("button", attributes, "×");
  created.addEventListener("click", () => {
    if (created.textContent === "×") {
      created.textContent = "Remove?";
      created.setAttribute("aria-label", `${label}: are you sure?`);
      return;
    }
    remove();
    const item = created.closest("li");
    const next = item?.nextElementSibling ?? item?.previousElementSibling;
    if (next) item?.remove();
    else item?.closest("section")?.remove(); // it was the last one
    /** @type {HTMLElement | null | undefined} */
    const focus = next?.querySelector(".title");
    (focus ?? byId("main")).focus();
  });
  created.addEventListener("blur", () => {
    created.textContent = "×";
    created.setAttribute("aria-label", label);
  });
  return created;
}

/** @param {StoredRecord} record */
function recordItem({ id, title, at }) {
  return element(
    "li",
    {},
    element("span", {}),
    element(
      "div",
      { class: "what" },
      element("a", { class: "title", href: `/records/${id}` }, element("b", {}, title)),
      element("span", { class: "secondary" }, `Saved ${ageText(at / 1000)}`),
    ),
    element(
      "span",
      { class: "buttons" },
      element("a", { class: "button", href: `/review/${id}` }, "Review"),
    ),
    removeButton(`Remove the record ${title}`, () => storage.removeRecord(id)),
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

async function loadGames() {
  const tables = Object.entries(storage.tables()).map(([id, { secrets }]) => ({ id, secrets }));
  const account = await currentAccount();
  if (!tables.length && !account) return [];
  /** @type {{ tables: TableStatus[] }} */
  const answer = await post("/api/status", { tables, mine: account !== null });
  ownId = account?.id ?? null;
  return answer.tables
    .filter((status) => status.found)
    .sort((one, other) => other.updated - one.updated);
}

/** @param {FoundStatus} status */
function isSelected(status) {
  const chosen = new FormData(filters);
  const game = chosen.get("game");
  const opponent = chosen.get("opponent");
  const result = chosen.get("result");
  const kind = status.bots.length ? "bot" : "person";
  return (
    (!game || game === status.game) &&
    (!opponent || opponent === kind) &&
    (!result || result === (status.over ? outcome(status) : "active"))
  );
}

function showLists() {
  const records = section("Saved records", storage.records().map(recordItem));
  const shown = games.filter(isSelected);
  const active = shown.filter(({ over }) => !over);
  const yours = active.filter(({ your_turn }) => your_turn);
  const theirs = active.filter(({ your_turn }) => !your_turn);
  const finished = shown.filter(({ over }) => over);
  const link = element("a", { href: "/" }, "Choose one");
  const nothing = element("p", {}, "No games yet. ", link, " to start.");
  replaceKeepingFocus(lists, [
    ...(games.length || records.length || !loaded ? [] : [nothing]),
    ...section("Your turn", yours.map(gameItem)),
    ...section("Waiting for others", theirs.map(gameItem)),
    ...section("Finished", finished.map(gameItem)),
    ...records,
  ]);
  byId("filtered").hidden = games.length === 0 || shown.length > 0;
}

async function update() {
  let failure = "";
  try {
    games = await loadGames();
    loaded = true;
  } catch (error) {
    failure = errorText(error); // what was loaded before stays
  }
  filters.hidden = games.length < 2;
  showLists();
  byId("not-loaded").hidden = !failure;
  byId("not-loaded").textContent = failure;
  lists.removeAttribute("aria-busy");
  byId("open-record").classList.remove("pending"); // now it is at its place
}

/**
 * Offer to open the moves of a record up to where they break.
 * @param {string} text
 */
async function offerGoodPart(text) {
  if (!text.trim() || text.length > MAX_RECORD) return;
  try {
    /** @type {Explored} */
    const { moves, broken } = await post("/api/explore", { record: text, partial: true, ply: 0 });
    if (!broken || !moves.length) return;
    const label =
      moves.length === 1 ? "Open the first move" : `Open the first ${moves.length} moves`;
    const open = () => {
      try {
        openImported(text);
      } catch (error) {
        byId("error").textContent = errorText(error);
      }
    };
    byId("error").append(" ", element("button", { type: "button", onclick: open }, label));
  } catch {
    // Nothing of it can be read: the error says why.
  }
}

filters.addEventListener("change", showLists);
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
    await offerGoodPart(text);
  }
});
update();
addEventListener("online", update);
document.addEventListener("visibilitychange", () => document.hidden || update());
