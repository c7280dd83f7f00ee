// The list of seats: names, presence, turn, scores, hands.
import { profilePath } from "./account.js";
import {
  element,
  find,
  needsRender,
  parseSvg,
  replaceKeepingFocus,
  setText,
  svgElement,
} from "./dom.js";
import { changeText, ratingText } from "./wording.js";

/** @import { AccountBody, Seat, SeatRating, Snapshot, TableInfo } from "./protocol.js" */
/** @import { TableState } from "./table-state.js" */

/** @param {string} colour */
function swatch(colour) {
  const circle = svgElement("circle", { cx: 12, cy: 12, r: 10, fill: "currentColor" });
  const group = svgElement("g", { class: `c-${colour}` }, circle);
  const attributes = { class: "board swatch", viewBox: "0 0 24 24", "aria-hidden": "true" };
  return svgElement("svg", attributes, group);
}

/**
 * @param {string} player
 * @param {string} colour
 */
function seatItem(player, colour) {
  const name = element("span", { class: "name" });
  return element(
    "li",
    { class: "seat" },
    swatch(colour),
    element(
      "span",
      { class: "who" },
      ...[name, " ", element("span", { class: "you", hidden: true }, "You")],
      ...[" ", element("span", { class: "rating" })],
      ...[" ", element("span", { class: "player" }, player)],
      ...["partner", "presence", "bot-level"].map((part) => element("span", { class: part })),
    ),
    element("span", { class: "score-box" }),
    element("span", { class: "clock" }),
    element("span", { class: "hands" }),
  );
}

/**
 * Create the seats, unless the page already has them.
 * @param {HTMLElement} list
 * @param {string[]} players
 * @param {string[]} colours
 */
export function createSeats(list, players, colours) {
  const present = [...list.querySelectorAll(".player")].map(({ textContent }) => textContent);
  if (present.join() === players.join()) return;
  list.classList.toggle("many", players.length > 2);
  list.replaceChildren(...players.map((player, seat) => seatItem(player, colours[seat])));
}

/**
 * Show each player's hands.
 * @param {HTMLElement} list
 * @param {Snapshot} snapshot
 */
export function renderHands(list, snapshot) {
  const counted = new Set(snapshot.scores.map(({ hand }) => hand)); // their score is the number
  for (const [seat, row] of [...list.children].entries()) {
    const hands = snapshot.hands.filter(({ player }) => player === seat);
    const items = hands.map(({ name, label, piece, captured, svg }) => {
      const classes = [
        "hand",
        ...(captured ? ["captured"] : []),
        ...(piece.count ? [] : ["empty"]),
        ...(counted.has(name) ? ["counted"] : []),
      ];
      const count = element("span", { class: "count" }, String(piece.count));
      const labels = { role: "img", "aria-label": label, tabindex: 0 };
      const attributes = { class: classes.join(" "), "data-hand": name, ...labels };
      return element("span", attributes, parseSvg(svg), ...(counted.has(name) ? [] : [count]));
    });
    const box = find(row, ".hands");
    if (needsRender(box, hands)) replaceKeepingFocus(box, items);
  }
}

/**
 * Show the score that matters at each seat.
 * @param {HTMLElement} list
 * @param {Snapshot} snapshot
 */
export function renderScores(list, { scores }) {
  for (const [seat, row] of [...list.children].entries()) {
    const score = scores.find(({ player }) => player === seat);
    const box = find(row, ".score-box");
    if (!needsRender(box, score)) continue;
    const { value = "", label = "" } = score ?? {};
    const attributes = { class: "score", role: "img", "data-explain": label, "aria-label": label };
    box.replaceChildren(...(score ? [element("span", attributes, value)] : []));
  }
}

/**
 * Mark the player to move, or the winners.
 * @param {HTMLElement} list
 * @param {Pick<Snapshot, "player" | "over" | "winners">} snapshot
 */
export function renderTurn(list, { player, over, winners }) {
  for (const [seat, row] of [...list.children].entries()) {
    row.classList.toggle("turn", player === seat);
    row.classList.toggle("winner", over && winners.includes(seat));
  }
}

/**
 * Show names and presence.
 * @param {HTMLElement} list
 * @param {TableState} table
 */
export function renderPeople(list, table) {
  const { bot_thinking, pace, player, over, seats } = table.state;
  for (const [seat, row] of [...list.children].entries()) {
    const { kind, label, online } = seats[seat];
    const held = table.heldSeats.includes(seat);
    const name = table.displayName(seat);
    const thinking = bot_thinking && !pace?.paused && !over && kind === "bot" && player === seat;
    const offline = kind !== "bot" && !held && !online;
    showName(find(row, ".name"), name, seats[seat].account ?? null);
    showRating(find(row, ".rating"), seats[seat].rating ?? null);
    showLevel(find(row, ".bot-level"), label ?? "");
    find(row, ".player").hidden = name === table.info.players[seat];
    row.classList.toggle("offline", offline);
    row.classList.toggle("yours", table.ownSeat === seat);
    row.classList.toggle("thinking", thinking);
    const isOwn = table.ownSeat === seat;
    find(row, ".you").hidden = !isOwn || name === "You";
    setText(find(row, ".presence"), presenceText(seats[seat], held));
    setText(find(row, ".partner"), partnerText(table.info, seat));
  }
}

/**
 * Show the level of a bot. Its rating, in brackets, is left out where seats are narrow.
 * @param {HTMLElement} box
 * @param {string} label
 */
function showLevel(box, label) {
  if (box.textContent === label) return;
  const [level, ...details] = label.split(/(?= \()/);
  box.title = label;
  box.replaceChildren(level, ...details.map((text) => element("span", {}, text)));
}

/**
 * Show a player's rating, and what the game has changed.
 * @param {HTMLElement} box
 * @param {SeatRating | null} rating
 */
function showRating(box, rating) {
  if (!needsRender(box, rating)) return;
  box.replaceChildren();
  box.title = "";
  if (rating === null) return;
  const { change, deviation, level } = rating;
  box.title = `Rating ± ${deviation}, ${level}`;
  box.append(element("span", { class: "visually-hidden" }, "rating "), ratingText(rating));
  if (change === null) return;
  const direction = change > 0 ? "up" : "down";
  box.append(" ", element("b", { class: direction }, changeText(change)));
}

/**
 * Show a player's name: that of an account links to its profile, that of a bot account is marked.
 * @param {HTMLElement} box
 * @param {string} name
 * @param {AccountBody | null} account
 */
function showName(box, name, account) {
  if (!needsRender(box, name, account)) return;
  if (account === null) {
    box.replaceChildren(name);
    return;
  }
  const link = element("a", { class: "profile", href: profilePath(account.name) }, name);
  const mark = element("span", { class: "bot-mark", title: "This is a bot account" }, "BOT");
  box.replaceChildren(link, ...(account.kind === "bot" ? [" ", mark] : []));
}

const date = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

/** @param {number} time in Unix seconds */
export const dateText = (time) => date.format(new Date(1000 * time));

/**
 * @param {Seat} seat
 * @param {boolean} held whether this browser has the seat
 */
function presenceText({ kind, joined, online, vacation_until }, held) {
  if (vacation_until && 1000 * vacation_until > Date.now()) {
    return `on vacation until ${dateText(vacation_until)}`;
  }
  if (kind === "bot" || held) return "";
  if (online) return "●\u00a0online";
  return joined ? "○\u00a0away" : "○\u00a0not\u00a0joined";
}

/**
 * Return with whom a player wins and loses.
 * @param {TableInfo} info
 * @param {number} seat
 */
function partnerText({ players, teams }, seat) {
  const team = teams.find((one) => one.includes(seat)) ?? [];
  const partners = team.filter((one) => one !== seat).map((one) => players[one]);
  return partners.length ? ` with ${partners.join(" & ")}` : "";
}
