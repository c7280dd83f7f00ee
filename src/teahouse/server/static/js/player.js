// The page of a player: their games with filters, and what one can do with them.
import { currentAccount, profilePath } from "./account.js";
import { getJson } from "./api.js";
import { byId, element, setText } from "./dom.js";
import { ageText } from "./game-status.js";
import { changeText, errorText } from "./wording.js";

/** @import { ProfileGame, ProfileGames } from "./protocol.js" */

const TYPING_MS = 400; // until a name that is being typed is looked up
const OUTCOMES = { won: "Won", lost: "Lost", drawn: "Draw" };

const player = byId("player");
const filters = byId("filters", HTMLFormElement);
const list = byId("games");
const status = byId("games-status");
const more = byId("more", HTMLButtonElement);
const path = `/api/players/${encodeURIComponent(player.dataset.name ?? "")}/games`;
/** The key of the next page. @type {string | null} */
let next = null;
/** Counts requests, so that late answers are dropped. */
let latest = 0;

/**
 * Return a player of a game, as a link if it is an account.
 * @param {ProfileGame["players"][number]} one
 * @param {string} seat
 */
function opponent({ name, account }, seat) {
  if (!name) return seat;
  return account ? element("a", { href: profilePath(name) }, name) : name;
}

/** @param {ProfileGame} game */
function outcomeText({ over, outcome, change }) {
  if (!over) return "In progress";
  const text = outcome ? OUTCOMES[outcome] : "No result";
  return change === null ? text : `${text} ${changeText(change)}`;
}

/** @param {ProfileGame} game */
function gameItem(game) {
  const { id, title, players, seats, seat, over, outcome, result_reason, ply, rated } = game;
  const others = players.flatMap((one, number) =>
    number === seat ? [] : [", ", opponent(one, seats[number])],
  );
  const details = [
    rated ? "Rated" : "Casual",
    ...(result_reason ? [result_reason.replace(/\.$/, "")] : []),
    `${ply} ${ply === 1 ? "move" : "moves"}`,
    ageText(game.updated),
  ];
  return element(
    "li",
    {},
    element(
      "span",
      {},
      element("a", { class: "title", href: `/tables/${id}` }, element("b", {}, title)),
      ` as ${seats[seat]} against `,
      ...others.slice(1),
    ),
    element(
      "span",
      { class: `outcome change ${over ? (outcome ?? "") : "running"}` },
      outcomeText(game),
    ),
    element("span", { class: "secondary" }, details.join(" · ")),
  );
}

/** Return the filters as a query. */
function query() {
  const wanted = new URLSearchParams();
  for (const [name, value] of new FormData(filters)) {
    const text = String(value).trim();
    if (name === "result" && text === "running") wanted.set("running", "true");
    else if (text) wanted.set(name, text);
  }
  return wanted;
}

/** @param {boolean} append whether to add the next page instead of starting anew */
async function load(append = false) {
  latest += 1;
  const request = latest;
  const wanted = query();
  if (append && next) wanted.set("before", next);
  more.disabled = true;
  try {
    /** @type {ProfileGames} */
    const found = await getJson(`${path}?${wanted}`);
    if (request !== latest) return;
    const items = found.games.map(gameItem);
    if (append) list.append(...items);
    else list.replaceChildren(...items);
    if (append) items[0]?.querySelector("a")?.focus();
    next = found.next;
    more.hidden = next === null;
    setText(status, list.children.length ? "" : "No games to show.");
  } catch (error) {
    if (request !== latest) return;
    if (!append) list.replaceChildren();
    more.hidden = !append;
    setText(status, errorText(error));
  }
  more.disabled = false;
}

/** @type {number | undefined} */
let typing;
filters.addEventListener("input", (event) => {
  clearTimeout(typing);
  const typed = event.target instanceof HTMLInputElement;
  typing = setTimeout(() => load(), typed ? TYPING_MS : 0);
});
filters.addEventListener("submit", (event) => {
  event.preventDefault();
  load();
});
more.addEventListener("click", () => load(true));
load();

// Nobody challenges themselves.
currentAccount().then(
  (account) => {
    byId("challenge").hidden = account?.id === player.dataset.id;
  },
  () => {},
);
