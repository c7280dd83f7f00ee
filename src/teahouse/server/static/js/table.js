// The page of a table: its connection, and what that says of the seats of this browser.
import * as connections from "./connection.js";
import { byId, find, setText } from "./dom.js";
import { connectNextGameKey } from "./next-game.js";
import { storeSecret } from "./seat-link.js";
import * as storage from "./storage.js";
import { TablePage } from "./table-page.js";

/** @import { ServerMessage } from "./protocol.js" */

const LOST_DELAY_MS = 700; // short interruptions are not worth a message

/** Show that a seat link is invalid. */
const reportInvalidLink = () =>
  reportLater("This seat link is not valid for this game. You are a spectator.");

/**
 * Show a notice once the table is shown.
 * @param {string} text
 */
function reportLater(text) {
  setTimeout(() => {
    if (page) page.viewer.showNotice(text);
    else reportLater(text);
  }, 1000);
}

const id = find(document, "[data-table]").dataset.table ?? "";
/** @type {TablePage | null} */
let page = null;
let lostTimer = 0;

/** @param {ServerMessage} message */
function onMessage(message) {
  if (message.type === "error" && message.id === null) reportLater(message.message);
  if (message.type === "ack" || message.type === "error" || message.type === "hint") return;
  if (message.type === "table") page ??= new TablePage(message, connection);
  page?.receive(message);
}

/** @param {"open" | "lost" | number} status */
function onStatus(status) {
  const notice = byId("notice");
  clearTimeout(lostTimer);
  document.body.classList.toggle("disconnected", status !== "open");
  if (status === "open") setText(notice, "");
  else if (status === "lost") {
    byId("seats").classList.remove("pending");
    const show = () => setText(notice, "Connection lost. Reconnecting …");
    lostTimer = setTimeout(show, LOST_DELAY_MS);
  } else if (status === connections.CLOSE_SIGN_IN_REQUIRED) {
    connection.secrets = [];
    connection.open();
    reportLater("You are watching this game. Sign in to play it.");
  } else if (status === connections.CLOSE_INVALID_SECRET) {
    storage.updateTable(id, { secrets: [] });
    connection.secrets = [];
    connection.open();
    reportInvalidLink();
  } else if (status === connections.CLOSE_UNSUPPORTED_PROTOCOL) {
    setText(notice, "The server has been updated. Please reload this page.");
  } else setText(notice, "This game no longer exists.");
}

if (!storeSecret(id)) reportInvalidLink();
connectNextGameKey(id);
const connection = new connections.Connection(id, storage.table(id).secrets, {
  onmessage: onMessage,
  onstatus: onStatus,
});
connection.open();
