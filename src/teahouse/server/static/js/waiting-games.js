// Games of this browser in which it is the player's turn.
import { post } from "./api.js";
import * as storage from "./storage.js";

/** @import { TableStatus } from "./protocol.js" */

/**
 * Return the other games that wait for a move or a response of the player.
 * @param {string | undefined} current the table that is shown
 * @returns {Promise<TableStatus[]>}
 */
export async function waitingGames(current) {
  const tables = Object.entries(storage.tables())
    .filter(([id, { secrets }]) => id !== current && secrets.length)
    .map(([id, { secrets }]) => ({ id, secrets }));
  if (!tables.length) return [];
  /** @type {{ tables: TableStatus[] }} */
  const answer = await post("/api/status", { tables });
  return answer.tables.filter((one) => one.found && one.your_turn && !one.over);
}
