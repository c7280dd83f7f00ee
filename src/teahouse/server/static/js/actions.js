// Buttons below the moves, offers of the players, and invitations.
import { byId, element, find, needsRender } from "./dom.js";
import { copyButton, seatLink } from "./share.js";
import * as storage from "./storage.js";

/** @import { Offer, OfferKind } from "./protocol.js" */
/** @import { TableState } from "./table-state.js" */

/**
 * @typedef {"return" | "rematch" | "follow" | "hint" | "explore" | "takeback" | "draw" | "resign"}
 *   ActionName
 */
/**
 * @typedef {object} ActionButton
 * @property {ActionName} name
 * @property {string} label
 * @property {boolean} [main]
 * @property {boolean} [disabled]
 * @property {boolean} [pressed]
 * @property {string} [title]
 */
/** @typedef {(seat: number, offer: OfferKind, accept: boolean) => void} Respond */

/**
 * Ask for confirmation in a dialog.
 * @param {string} question
 * @param {string} confirmLabel
 * @param {string} cancelLabel
 * @returns {Promise<boolean>}
 */
export function confirmDialog(question, confirmLabel, cancelLabel) {
  const dialog = byId("confirm", HTMLDialogElement);
  find(dialog, "#confirm-question").textContent = question;
  find(dialog, ".cancel").textContent = cancelLabel;
  find(dialog, ".main").textContent = confirmLabel;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    const closed = () => resolve(dialog.returnValue === "confirm");
    dialog.addEventListener("close", closed, { once: true });
  });
}

/**
 * @param {TableState} table
 * @param {{ exploring: boolean, atEnd: boolean }} view
 * @returns {ActionButton[]}
 */
function actionButtons(table, { exploring, atEnd }) {
  const { over, rematch, offers } = table.state;
  const live = atEnd && !exploring;
  /** @param {OfferKind} offer */
  const isOffered = (offer) =>
    offers.some((one) => one.offer === offer && table.yourSeats.includes(one.seat));
  const hasMoved = table.moves.some(({ player }) => table.yourSeats.includes(player));
  /** @type {ActionButton[]} */
  const buttons = [];
  if (!live) buttons.push({ name: "return", label: "Back to the game", main: true });
  if (over && rematch) buttons.push({ name: "follow", label: "Go to the rematch", main: live });
  else if (over && table.isSeated) {
    const disabled = isOffered("rematch");
    buttons.push({ name: "rematch", label: "Rematch", main: live, disabled });
  }
  if (!over || !atEnd) {
    buttons.push({ name: "hint", label: "Hint", title: "Ask the computer for a move" });
  }
  if (atEnd) {
    const title = "Explore moves without playing them";
    buttons.push({ name: "explore", label: "Try moves", pressed: exploring, title });
  }
  if (!over && table.isSeated) {
    const disabled = !hasMoved || isOffered("takeback");
    buttons.push({ name: "takeback", label: "Undo", disabled });
    buttons.push({ name: "draw", label: "Offer draw", disabled: isOffered("draw") });
    buttons.push({ name: "resign", label: "Resign" });
  }
  return buttons;
}

/**
 * @param {HTMLElement} box
 * @param {TableState} table
 * @param {{ exploring: boolean, atEnd: boolean }} view
 * @param {Record<ActionName, () => void>} actions
 */
export function renderActions(box, table, view, actions) {
  const buttons = actionButtons(table, view);
  if (!needsRender(box, buttons)) return;
  const active = document.activeElement;
  const focused = active instanceof HTMLElement && box.contains(active) && active.dataset.action;
  box.replaceChildren(
    ...buttons.map(({ name, label, main, disabled, pressed, title }) =>
      element(
        "button",
        {
          type: "button",
          class: main ? "main" : "",
          "data-action": name,
          disabled,
          title,
          "aria-pressed": pressed === undefined ? null : String(pressed),
          onclick: () => actions[name](),
        },
        label,
      ),
    ),
  );
  if (!focused) return;
  /** @type {HTMLElement | null} */
  const same = box.querySelector(`[data-action="${focused}"]:enabled`);
  (same ?? box.querySelector("button"))?.focus();
}

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
  const name = table.displayName(offer.seat);
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
  const responder = offer.awaiting.find((one) => table.yourSeats.includes(one));
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
  if (!table.yourSeats.includes(seat)) {
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
