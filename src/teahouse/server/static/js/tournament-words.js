// Tournaments in words.
import { clockText } from "./lobby-words.js";

/** @import { TournamentPlayer, TournamentRules } from "./tournament-types.js" */

const HALVES = new Map([[0.5, "½"]]);
const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const time = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });

/**
 * Return points as players write them: 3½.
 * @param {number} value
 */
export function pointsText(value) {
  const whole = Math.floor(value);
  const rest = HALVES.get(value - whole);
  if (rest) return whole ? `${whole}${rest}` : rest;
  return Number.isInteger(value) ? String(value) : String(Math.round(100 * value) / 100);
}

/**
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 */
export const counted = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

/**
 * Return a format in a few words: "Swiss, 5 rounds".
 * @param {TournamentRules} rules
 * @param {number} [rounds] the number of rounds, once it is known
 */
function formatText({ format, rounds: planned, minutes, streaks }, rounds = 0) {
  if (format === "swiss") return `Swiss, ${counted(rounds || planned, "round")}`;
  if (format === "arena") return `Arena, ${minutes} minutes${streaks ? ", streaks" : ""}`;
  return planned === 2 ? "Double round robin" : "Round robin";
}

/**
 * Return everything about a tournament's rules in one line.
 * @param {TournamentRules} rules
 * @param {number} [rounds]
 */
export function factsText(rules, rounds = 0) {
  const facts = [rules.title, formatText(rules, rounds), clockText(rules.time_control)];
  facts.push(rules.rated ? "rated" : "casual");
  if (rules.bots) facts.push(`filled up with level ${rules.bots.level} bots`);
  if (rules.private) facts.push("by link only");
  if (rules.password) facts.push("with a password");
  return facts.join(" · ");
}

/**
 * Return a moment: its time if it is today, else with its date.
 * @param {number} seconds in Unix time
 */
export function momentText(seconds) {
  const date = new Date(1000 * seconds);
  const today = date.toDateString() === new Date().toDateString();
  return today ? `today, ${time.format(date)}` : dateTime.format(date);
}

/**
 * Return how long something takes: "1:05", "2 h 10 min", "3 days".
 * @param {number} seconds
 */
export function durationText(seconds) {
  const left = Math.max(0, Math.ceil(seconds));
  if (left < 3600) return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
  const hours = Math.floor(left / 3600);
  if (hours < 48) return `${hours} h ${Math.floor((left % 3600) / 60)} min`;
  return `${Math.floor(hours / 24)} days`;
}

/** @param {number} rank */
export function ordinal(rank) {
  const tens = rank % 100;
  const ending = tens > 10 && tens < 14 ? "th" : ({ 1: "st", 2: "nd", 3: "rd" }[rank % 10] ?? "th");
  return `${rank}${ending}`;
}

/** @param {TournamentPlayer} player */
export const isBot = ({ kind }) => kind !== "person";
