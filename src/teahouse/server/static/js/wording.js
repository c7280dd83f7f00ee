// Sentences that are composed on the page: prompts, results, notices.

/** @import { BotStatus, PlayedMove, Snapshot } from "./protocol.js" */

/**
 * Capitalise a text and end it with a full stop.
 * @param {string} text
 */
export function sentence(text) {
  const trimmed = text.trim();
  if (!trimmed) return "";
  return trimmed[0].toUpperCase() + trimmed.slice(1) + (/[.!?…]$/.test(trimmed) ? "" : ".");
}

/**
 * Return an error's message as a sentence.
 * @param {unknown} error
 */
export const errorText = (error) =>
  sentence(error instanceof Error ? error.message : String(error));

/**
 * Return the instruction for the player to move, or the result when the game is over.
 * @param {Snapshot} snapshot
 * @param {string[]} players
 * @param {number | null} own the viewer's seat, if there is exactly one
 */
export function promptText(snapshot, players, own) {
  if (snapshot.player === null) {
    return resultText(snapshot, players, own);
  }
  const prefix = snapshot.player === own ? "Your turn" : `${players[snapshot.player]} to move`;
  const { prompt } = snapshot;
  return `${prefix}: ${prompt.charAt(0).toLowerCase()}${prompt.slice(1)}`;
}

/**
 * Return who won, for the viewer: "You won", "You lost", "Green won", "Draw", "No result".
 * @param {{ winners: number[], result: string }} ended
 * @param {string[]} players
 * @param {number | null} own the viewer's seat, if there is exactly one
 */
export function verdictText({ winners, result }, players, own) {
  if (!winners.length) return result === "*" ? "No result" : "Draw";
  if (own === null) return `${winners.map((seat) => players[seat]).join(" and ")} won`;
  if (!winners.includes(own)) return "You lost";
  return winners.length > 1 ? "Your team won" : "You won";
}

/**
 * Return why a game ended, for the viewer.
 * @param {string | null} reason
 * @param {string[]} players
 * @param {number | null} own the viewer's seat, if there is exactly one
 */
export function reasonText(reason, players, own) {
  if (!reason || own === null) return reason ?? "";
  const name = players[own];
  if (reason === `${name} resigned.`) return "You resigned.";
  if (reason === `${name} made no first move in time.`) return "You made no first move in time.";
  return reason === `${name}'s time ran out.` ? "Your time ran out." : reason;
}

/**
 * Return a result with its reason, for the viewer: "You won. Black has no token left."
 * @param {{ winners: number[], result: string, result_reason: string | null }} ended
 * @param {string[]} players
 * @param {number | null} own the viewer's seat, if there is exactly one
 */
export function resultText(ended, players, own) {
  const verdict = verdictText(ended, players, own);
  return `${verdict}. ${reasonText(ended.result_reason, players, own)}`.trim();
}

/**
 * Return the short text of a move for lists: its notation, or words if that has only signs.
 * @param {PlayedMove} played
 * @param {string[]} players
 */
export function moveLabel({ move, player, description }, players) {
  if (/[\p{L}\p{N}]/u.test(move)) return move;
  const subject = `${players[player]} `;
  return description.startsWith(subject) ? description.slice(subject.length) : description;
}

/**
 * Return a sentence for a seat that was handed over to a bot.
 * @param {string} player
 * @param {string} reason
 */
export function replacementText(player, reason) {
  let forfeit = `${player} resigned`;
  if (reason === "timeout") forfeit = `${player}'s time ran out`;
  if (reason === "absent") forfeit = `${player} did not join in time`;
  return `${forfeit}. The computer now plays ${player}.`;
}

/**
 * Return why bots are not at their best, or an empty text.
 * @param {BotStatus | null} status
 */
export function botStatusText(status) {
  if (status === null) return "";
  const { preparing, waiting } = status;
  if (preparing !== null) {
    return `Preparing the computer player, first time only: ${preparing}\u00a0%`;
  }
  return waiting ? "Waiting for your other games between computers." : "";
}

/**
 * Return a rating as players read it: "1,240", or "1,240?" while it is provisional.
 * @param {{ value: number, provisional: boolean }} rating
 */
export const ratingText = ({ value, provisional }) =>
  `${numberText(value)}${provisional ? "?" : ""}`;

/**
 * Return a change of a rating with its sign.
 * @param {number} change
 */
export const changeText = (change) =>
  change === 0 ? "±0" : change > 0 ? `+${numberText(change)}` : numberText(change);

/**
 * Return a number with a minus sign below zero.
 * @param {number} value
 */
export const numberText = (value) => value.toLocaleString("en").replace("-", "−");

/** @param {number} fraction */
export const percent = (fraction) => `${Math.round(100 * fraction)}\u00a0%`;

/**
 * Return a record's title: the game and who played it.
 * @param {{ title: string, players: string[], names: Record<string, string> }} record
 */
export const recordTitle = ({ title, players, names }) =>
  `${title}: ${players.map((player) => names[player] ?? player).join(" – ")}`;
