// What happened at a table: sounds, announcements for screen readers, and notices.
import { announce } from "./announce.js";
import { offerText } from "./offers.js";
import { dateText } from "./seats.js";
import * as sounds from "./sounds.js";
import { replacementText, sentence } from "./wording.js";

/** @import { GameViewer } from "./game-viewer.js" */
/** @import { Offer, TableEvent } from "./protocol.js" */
/** @import { TableState } from "./table-state.js" */

/**
 * Announce an event that the table has applied.
 * @param {TableEvent} event
 * @param {TableState} table
 * @param {GameViewer} viewer
 * @param {Offer[]} offers those that were pending before
 */
export function showEvent(event, table, viewer, offers) {
  const seat = "seat" in event ? event.seat : null;
  const own = seat !== null && table.yourSeats.includes(seat);
  const name = seat === null ? "" : table.displayName(seat);
  const player = seat === null ? "" : table.info.players[seat];
  switch (event.type) {
    case "moved":
      sounds.playMove(own);
      announce(sentence(event.description));
      if (table.state.over) sounds.playGameOver();
      break;
    case "ended":
      sounds.playGameOver();
      announce(table.resultText);
      break;
    case "took_back":
      announce(`Moves undone. Back at move ${event.ply}.`);
      break;
    case "replaced":
      viewer.showNotice(replacementText(player, event.reason));
      break;
    default:
      if (!own) showOthersEvent(event, table, viewer, offers, name, player);
  }
}

/**
 * @param {TableEvent} event of another player
 * @param {TableState} table
 * @param {GameViewer} viewer
 * @param {Offer[]} offers
 * @param {string} name
 * @param {string} player
 */
function showOthersEvent(event, table, viewer, offers, name, player) {
  switch (event.type) {
    case "chatted":
      sounds.playNotification();
      announce(`${name} says: ${event.text}`);
      break;
    case "offered": {
      sounds.playNotification();
      const offer = table.state.offers.find((one) => one.offer === event.offer);
      if (offer) announce(offerText(table, offer));
      break;
    }
    case "responded": {
      const own = offers.some(({ offer, seat }) => offer === event.offer && seat === event.seat);
      if (!event.accept) viewer.showNotice(`${name} ${own ? "withdrew the offer" : "declined"}.`);
      break;
    }
    case "joined":
      viewer.showNotice(`${player} has joined.`);
      break;
    case "vacation": {
      const until = event.until && `is on vacation until ${dateText(event.until)}`;
      viewer.showNotice(`${name} ${until || "is back from vacation"}.`);
      break;
    }
    case "hint_used":
      viewer.showNotice(`${name || "A spectator"} asked for a hint.`);
      break;
  }
}
