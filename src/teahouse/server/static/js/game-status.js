// Games of this browser in words: opponents, results, ages.
import { reasonText, verdictText } from "./wording.js";

/** @import { FoundStatus } from "./protocol.js" */

/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const UNITS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];
const MAX_DAYS = 7;
const relativeTime = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const date = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

/**
 * Return when something was, relative to now or, after a week, as a date.
 * @param {number} time in Unix seconds
 */
export function ageText(time) {
  const seconds = time - Date.now() / 1000;
  if (-seconds >= MAX_DAYS * 86_400) return date.format(new Date(1000 * time));
  const unit = UNITS.find(([, length]) => -seconds >= length);
  return unit ? relativeTime.format(Math.round(seconds / unit[1]), unit[0]) : "just now";
}

/**
 * Return whom the viewer plays, or all players.
 * @param {FoundStatus} status
 */
export function opponentsText({ players, names, bots, your_seats }) {
  const named = players.map((player, seat) => {
    const name = names[seat];
    if (!name) return player;
    return bots.includes(seat) ? name : `${name} (${player})`;
  });
  if (your_seats.length !== 1) return named.join(" – ");
  const others = named.filter((_, seat) => !your_seats.includes(seat));
  return `against ${others.join(", ")}`;
}

/**
 * Return the seats that won, by the result of a record: "White", "Red+Blue".
 * @param {FoundStatus} status
 */
function winners({ players, result }) {
  return result.split("+").flatMap((name) => (players.includes(name) ? players.indexOf(name) : []));
}

/**
 * Return the seat of the viewer, if there is exactly one.
 * @param {FoundStatus} status
 */
const ownSeat = ({ your_seats }) => (your_seats.length === 1 ? your_seats[0] : null);

/**
 * Return whose turn it is, or the result for the viewer.
 * @param {FoundStatus} status
 */
export function statusText(status) {
  const { over, players, player, your_turn, your_seats } = status;
  const ended = { winners: winners(status), result: status.result };
  if (over) return verdictText(ended, players, ownSeat(status));
  if (your_turn && your_seats.length === 1) return "your turn";
  return `${players[player ?? 0]} to move`;
}

/**
 * Return how a finished game ended for the viewer: won, lost or other.
 * @param {FoundStatus} status
 */
export function outcome(status) {
  const own = ownSeat(status);
  const winning = winners(status);
  if (own === null || !winning.length) return "other";
  return winning.includes(own) ? "won" : "lost";
}

/**
 * Return why a game ended, for the viewer; empty if that was not stored.
 * @param {FoundStatus} status
 */
export const endText = (status) =>
  reasonText(status.result_reason, status.players, ownSeat(status));
