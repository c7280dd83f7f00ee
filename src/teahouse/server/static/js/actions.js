// Buttons below the moves, and below the result of a game.
import { byId, element, find, needsRender } from "./dom.js";

/** @import { OfferKind } from "./protocol.js" */
/** @import { TableState } from "./table-state.js" */

/**
 * @typedef {"return" | "rematch" | "tournament" | "follow" | "review" | "analyse" | "next" | "hint" | "explore" | "conditional" |
 *   "takeback" | "draw" | "resign"} ActionName
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

/** @typedef {{ exploring: boolean, planning: boolean, atEnd: boolean, nextGame: string | null }} View */

/**
 * Return whether the viewer has made an offer that is pending, or has agreed to it.
 * @param {TableState} table
 * @param {OfferKind} offer
 */
const isOffered = (table, offer) =>
  table.state.offers.some(
    (one) => one.offer === offer && one.agreed.some((seat) => table.rematchSeats.includes(seat)),
  );

/**
 * Return what can be done during a game, and while another position is shown.
 * @param {TableState} table
 * @param {View} view
 */
export function gameButtons(table, { exploring, planning, atEnd }) {
  const { over, help_allowed } = table.state;
  const hasMoved = table.moves.some(({ player }) => table.yourSeats.includes(player));
  /** @type {ActionButton[]} */
  const buttons = [];
  if (exploring || !atEnd) buttons.push({ name: "return", label: "Back to the game", main: true });
  if (help_allowed && (!over || !atEnd)) {
    buttons.push({ name: "hint", label: "Hint", title: "Ask the computer for a move" });
  }
  if (atEnd) {
    const title = "Explore moves without playing them";
    buttons.push({ name: "explore", label: "Try moves", pressed: exploring && !planning, title });
  }
  if (atEnd && table.canPlan && (planning || !table.isYourTurn)) {
    const title = "Plan answers that are played for you if the others play as you expect";
    buttons.push({ name: "conditional", label: "If …, then …", pressed: planning, title });
  }
  if (over && table.moves.length) {
    const title = "Open the analysis board with this game";
    buttons.push({ name: "analyse", label: "Analyse", title });
  }
  if (!over && table.isSeated) {
    const disabled = !hasMoved || isOffered(table, "takeback");
    const { rated, tournament } = table.info;
    if (!rated && !tournament) buttons.push({ name: "takeback", label: "Undo", disabled });
    buttons.push({ name: "draw", label: "Offer draw", disabled: isOffered(table, "draw") });
    buttons.push({ name: "resign", label: "Resign" });
  }
  return buttons;
}

/**
 * Return what can be done after a game, or once only bots play on.
 * @param {TableState} table
 * @param {View} view
 */
export function endButtons(table, { exploring, atEnd, nextGame }) {
  const { over, rematch } = table.state;
  /** @type {ActionButton[]} */
  const buttons = [];
  if ((!over && !table.canRematch) || exploring || !atEnd) return buttons;
  if (rematch) buttons.push({ name: "follow", label: "Go to the rematch", main: true });
  else if (table.info.tournament) {
    buttons.push({ name: "tournament", label: "Back to the tournament", main: !nextGame });
  } else if (table.canRematch) {
    const disabled = isOffered(table, "rematch");
    buttons.push({ name: "rematch", label: "Rematch", main: true, disabled });
  }
  if (!over) return buttons;
  if (table.moves.length) {
    const title = "See where the game was won and lost";
    buttons.push({ name: "review", label: "Review", title });
  }
  if (nextGame) buttons.push({ name: "next", label: "Go to your next game", main: true });
  else if (!table.info.tournament) {
    const title = "Another game that is waiting for you";
    buttons.push({ name: "next", label: "Next game", title });
  }
  return buttons;
}

/**
 * @param {HTMLElement} box
 * @param {ActionButton[]} buttons
 * @param {Record<ActionName, () => void>} actions
 */
export function renderButtons(box, buttons, actions) {
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
  /** @type {HTMLElement | null} */
  const other = box.querySelector("button:enabled"); // the same one may be disabled now
  (same ?? other)?.focus();
}
