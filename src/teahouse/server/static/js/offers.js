// Offers of the players, and invitations.
import { element, find, needsRender, replaceKeepingFocus } from "./dom.js";
import { copyButton, seatLink } from "./share.js";
import * as storage from "./storage.js";

/** @import { Offer, OfferKind } from "./protocol.js" */
/** @import { TableState } from "./table-state.js" */
/**
 * @typedef {object} OfferActions
 * @property {(seat: number, offer: OfferKind, accept: boolean) => void} respond
 * @property {(seat: number) => void} start begins a rematch without those who have not answered
 */

/**
 * Return the moves that a takeback would undo, in words.
 * @param {TableState} table
 * @param {Offer} offer
 */
function undoText(table, { ply }) {
  const count = table.moves.length - ply;
  return count === 1 ? "the last move" : `the last ${count} moves`;
}

/**
 * Return who plays which side in a rematch, for games of two.
 * @param {TableState} table
 */
function rematchSides(table) {
  const { players } = table.info;
  const [winner] = table.state.winners;
  if (players.length !== 2) return "";
  const { loserSeat } = find(document, "[data-table]").dataset;
  const stays = loserSeat && winner !== undefined && players[winner] !== loserSeat;
  return stays ? " with the same sides" : " with sides swapped";
}

/**
 * @param {TableState} table
 * @param {Offer} offer
 */
export function offerText(table, offer) {
  const name = table.displayName(offer.seat, true);
  if (offer.offer === "takeback") return `${name} asks to undo ${undoText(table, offer)}.`;
  if (offer.offer === "draw") return `${name} offers a draw.`;
  if (offer.offer === "resign") return `${name} wants to resign; you play together.`;
  return `${name} wants a rematch${rematchSides(table)}.`;
}

/**
 * @param {TableState} table
 * @param {Offer} offer
 */
function ownOfferText(table, offer) {
  if (offer.offer === "takeback") return `You asked to undo ${undoText(table, offer)}.`;
  if (offer.offer === "draw") return "You offered a draw.";
  if (offer.offer === "resign") return "You asked your partner to resign.";
  const own = table.rematchSeats.includes(offer.seat);
  const waiting = `Waiting for ${awaitedNames(table, offer)}.`;
  return `You ${own ? "asked for" : "agreed to"} a rematch. ${waiting}`;
}

/**
 * @param {TableState} table
 * @param {Offer} offer
 */
const awaitedNames = (table, { awaiting }) =>
  awaiting.map((seat) => table.info.players[seat]).join(" and ");

/**
 * Return the milliseconds until those who have agreed can start without the others, or null.
 * @param {TableState} table
 * @param {Offer} offer
 */
const startableIn = (table, { startable_in_ms: ms = null }) =>
  ms === null ? null : Math.max(0, ms - (performance.now() - table.received));

/**
 * @param {string} key
 * @param {string} label
 * @param {() => void} onclick
 * @param {boolean} [main]
 */
const button = (key, label, onclick, main = false) =>
  element("button", { type: "button", class: main && "main", "data-key": key, onclick }, label);

/**
 * @param {TableState} table
 * @param {Offer} offer
 * @param {OfferActions} actions
 */
function offerItem(table, offer, { respond, start }) {
  const { offer: kind, seat } = offer;
  const own = kind === "rematch" ? table.rematchSeats : table.yourSeats;
  const responder = offer.awaiting.find((one) => own.includes(one));
  if (responder !== undefined) {
    return element(
      "div",
      { class: "offer", role: "group", "aria-label": "Offer" },
      element("p", {}, offerText(table, offer)),
      button(`accept-${kind}`, "Accept", () => respond(responder, kind, true), true),
      button(`decline-${kind}`, "Decline", () => respond(responder, kind, false)),
    );
  }
  const agreed = offer.agreed.find((one) => own.includes(one));
  if (agreed === undefined) {
    return element("p", { class: "secondary" }, offerText(table, offer));
  }
  const without = `Start without ${awaitedNames(table, offer)}`;
  return element(
    "div",
    { class: "offer" },
    element("p", { class: "secondary" }, ownOfferText(table, offer)),
    ...(startableIn(table, offer) === 0
      ? [button(`start-${kind}`, without, () => start(agreed), true)]
      : []),
    ...(own.includes(seat)
      ? [button(`cancel-${kind}`, "Cancel", () => respond(seat, kind, false))]
      : []),
  );
}

/**
 * Return the links of players who have not joined yet.
 * @param {TableState} table
 */
function invitations(table) {
  const { id, players } = table.info;
  return Object.entries(storage.table(id).links)
    .map(([seat, secret]) => ({ seat: Number(seat), secret }))
    .filter(({ seat }) => !table.state.seats[seat].joined)
    .map(({ seat, secret }) =>
      element(
        "div",
        { class: "offer" },
        element("p", {}, `Send this link to the friend who plays ${players[seat]}.`),
        copyButton("Copy invitation link", seatLink(id, secret), { main: true }),
      ),
    );
}

/** Browsers do not count weeks. */
const MAX_TIMER_MS = 3_600_000;
let timer = 0;

/**
 * Show pending offers and invitations.
 * @param {HTMLElement} box
 * @param {TableState} table
 * @param {OfferActions} actions
 * @returns {boolean} false if the focus was here and has nothing left to be on
 */
export function renderOffers(box, table, actions) {
  const { offers, seats } = table.state;
  const joined = seats.map((seat) => seat.joined);
  const waits = offers.map((offer) => startableIn(table, offer) ?? 0);
  const next = Math.min(MAX_TIMER_MS, ...waits.filter((ms) => ms > 0));
  clearTimeout(timer);
  if (waits.some((ms) => ms > 0)) {
    timer = setTimeout(() => renderOffers(box, table, actions), next + 1);
  }
  const shown = offers.map(({ startable_in_ms: _, ...offer }, index) => [offer, waits[index] > 0]);
  if (!needsRender(box, shown, joined, table.yourSeats, table.moves.length)) return true;
  return replaceKeepingFocus(box, [
    ...invitations(table),
    ...offers.map((offer) => offerItem(table, offer, actions)),
  ]);
}
