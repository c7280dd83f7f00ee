// The list of seats: names, presence, turn, hands.
import { element, find, parseSvg, setText, svgElement } from "./dom.js";

/** @import { Snapshot } from "./protocol.js" */
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
      ...[name, " ", element("span", { class: "player" }, player)],
      element("span", { class: "bot-level" }),
    ),
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
  list.replaceChildren(...players.map((player, seat) => seatItem(player, colours[seat])));
}

/**
 * Show each player's hands.
 * @param {HTMLElement} list
 * @param {Snapshot} snapshot
 */
export function renderHands(list, snapshot) {
  for (const [seat, row] of [...list.children].entries()) {
    const hands = snapshot.hands.filter(({ player }) => player === seat);
    const items = hands.map(({ name, label, piece, captured, svg }) => {
      const classes = [
        "hand",
        ...(captured ? ["captured"] : []),
        ...(piece.count ? [] : ["empty"]),
      ];
      const count = element("span", { class: "count" }, String(piece.count));
      const labels = { role: "img", "aria-label": label, title: label };
      const attributes = { class: classes.join(" "), "data-hand": name, ...labels };
      return element("span", attributes, parseSvg(svg), count);
    });
    find(row, ".hands").replaceChildren(...items);
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
  const { bot_thinking, player, over, seats } = table.state;
  for (const [seat, row] of [...list.children].entries()) {
    const { kind, label, online, joined } = seats[seat];
    const name = table.displayName(seat);
    const thinking = bot_thinking && !over && kind === "bot" && player === seat;
    const offline = kind === "remote" && !online;
    setText(find(row, ".name"), name);
    setText(find(row, ".bot-level"), label ?? "");
    find(row, ".player").hidden = name === table.info.players[seat];
    row.classList.toggle("offline", offline);
    row.classList.toggle("yours", table.ownSeat === seat);
    row.classList.toggle("thinking", thinking);
    const title = joined ? "Offline" : "Has not joined yet";
    row.setAttribute("title", offline ? title : "");
  }
}
