// Games in which it is the player's turn, and the title of the page with their number: "(2) Teahouse".
import { currentAccount } from "./account.js";
import { post } from "./api.js";
import * as storage from "./storage.js";

/** @import { WaitingGame } from "./protocol.js" */

/**
 * Return the other games that wait for a move or a response, those with the least time first.
 * @param {string | undefined} current the table that is shown
 * @param {{ boards?: boolean }} [options] whether pictures of the boards are wanted
 * @returns {Promise<WaitingGame[]>}
 */
export async function waitingGames(current, { boards = false } = {}) {
  const tables = Object.entries(storage.tables())
    .filter(([id, { secrets }]) => id !== current && secrets.length)
    .map(([id, { secrets }]) => ({ id, secrets }));
  if (!tables.length && !(await currentAccount())) return [];
  const body = { tables, boards, visible: !document.hidden };
  /** @type {{ games: WaitingGame[] }} */
  const { games } = await post("/api/waiting", body);
  return games.filter(({ id }) => id !== current);
}

let title = document.title;
let waiting = 0;

function show() {
  const text = waiting ? `(${waiting}) ${title}` : title;
  if (document.title !== text) document.title = text;
}

/** @param {string} text */
export function setTitle(text) {
  title = text;
  show();
}

/** @param {number} count */
export function setWaiting(count) {
  waiting = count;
  show();
}

/** Return the title without the number. */
export const pageTitle = () => title;
