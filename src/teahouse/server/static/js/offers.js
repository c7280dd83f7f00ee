// Offers of the players, and invitations.
import { element, find, needsRender } from "./dom.js";
import { copyButton, seatLink } from "./share.js";
import * as storage from "./storage.js";

/** @import { Offer, OfferKind } from "./protocol.js" */
/** @import { TableState } from "./table-state.js" */
/** @typedef {(seat: number, offer: OfferKind, accept: boolean) => void} Respond */

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
  return "You asked for a rematch.";
}

/**
 * @param {TableState} table
 * @param {Offer} offer
 * @param {Respond} respond
 */
function offerItem(table, offer, respond) {
  const { seat } = offer;
  const own = offer.offer === "rematch" ? table.rematchSeats : table.yourSeats;
  const responder = offer.awaiting.find((one) => own.includes(one));
  if (responder !== undefined) {
    const accept = () => respond(responder, offer.offer, true);
    const decline = () => respond(responder, offer.offer, false);
    return element(
      "div",
      { class: "offer", role: "group", "aria-label": "Offer" },
      element("p", {}, offerText(table, offer)),
      element("button", { type: "button", class: "main", onclick: accept }, "Accept"),
      element("button", { type: "button", onclick: decline }, "Decline"),
    );
  }
  if (!own.includes(seat)) {
    return element("p", { class: "secondary" }, offerText(table, offer));
  }
  const cancel = () => respond(seat, offer.offer, false);
  return element(
    "div",
    { class: "offer" },
    element("p", { class: "secondary" }, ownOfferText(table, offer)),
    element("button", { type: "button", onclick: cancel }, "Cancel"),
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

/**
 * Show pending offers and invitations.
 * @param {HTMLElement} box
 * @param {TableState} table
 * @param {Respond} respond
 */
export function renderOffers(box, table, respond) {
  const { offers, seats } = table.state;
  const joined = seats.map((seat) => seat.joined);
  if (!needsRender(box, offers, joined, table.yourSeats, table.moves.length)) return;
  box.replaceChildren(
    ...invitations(table),
    ...offers.map((offer) => offerItem(table, offer, respond)),
  );
}
