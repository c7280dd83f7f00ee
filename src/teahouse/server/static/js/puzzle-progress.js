// The player's progress with puzzles, in this browser: a rating for each game and streaks.
import * as storage from "./storage.js";

/**
 * @typedef {object} GameProgress
 * @property {number} rating on the scale of the levels' ratings
 * @property {Record<string, boolean>} tried by number: whether it was solved at the first attempt
 */
/**
 * @typedef {object} Progress
 * @property {Record<string, GameProgress>} games
 * @property {number} streak puzzles in a row that were solved at the first attempt
 * @property {number} best the longest streak
 * @property {string} day the last daily puzzle that was solved, as a date
 * @property {number} days daily puzzles of consecutive days that were solved
 */
/** @typedef {{ number: number, rating: number, themes: string[] }} ListedPuzzle */

const START_RATING = 400;
const SCALE = 400; // of Elo ratings: ten times the odds
const FIRST_TRIES = 20;
const FAST_STEP = 80; // the largest change of a rating by one of the first tries
const STEP = 32; // and by a later one
const CHOICES = 4; // puzzles next to the player's rating, one of which comes next
const DAY_MS = 24 * 60 * 60 * 1000;

/** @returns {Progress} */
export function progress() {
  return { games: {}, streak: 0, best: 0, day: "", days: 0, ...storage.puzzleProgress() };
}

/**
 * @param {Progress} all
 * @param {string} game
 * @returns {GameProgress}
 */
export function gameProgress(all, game) {
  return all.games[game] ?? { rating: START_RATING, tried: {} };
}

/**
 * Return the Elo rating after an attempt.
 * @param {number} rating
 * @param {number} opponent the puzzle's rating
 * @param {boolean} solved
 * @param {number} tries attempts before this one
 */
function newRating(rating, opponent, solved, tries) {
  const expected = 1 / (1 + 10 ** ((opponent - rating) / SCALE));
  const step = tries < FIRST_TRIES ? FAST_STEP : STEP;
  return Math.max(0, Math.round(rating + step * (Number(solved) - expected)));
}

/**
 * Store the first attempt at a puzzle; later ones do not count. Return the change of the rating.
 * @param {string} game
 * @param {{ number: number, rating: number }} puzzle
 * @param {boolean} solved
 */
export function addAttempt(game, { number, rating }, solved) {
  const all = progress();
  const own = gameProgress(all, game);
  if (number in own.tried) return 0;
  const before = own.rating;
  own.rating = newRating(before, rating, solved, Object.keys(own.tried).length);
  own.tried[number] = solved;
  all.games[game] = own;
  all.streak = solved ? all.streak + 1 : 0;
  all.best = Math.max(all.best, all.streak);
  storage.setPuzzleProgress(all);
  return own.rating - before;
}

/**
 * Store that the puzzle of a day is solved.
 * @param {string} date
 */
export function addDaily(date) {
  const all = progress();
  if (all.day >= date) return;
  const consecutive = Date.parse(date) - Date.parse(all.day) === DAY_MS;
  storage.setPuzzleProgress({ ...all, day: date, days: consecutive ? all.days + 1 : 1 });
}

/**
 * Return the next puzzle for a player: new, and about as hard as their rating.
 * @param {ListedPuzzle[]} listed
 * @param {GameProgress} own
 * @param {{ theme?: string, except?: number }} [wanted]
 */
export function nextPuzzle(listed, own, { theme = "", except = 0 } = {}) {
  const fitting = listed.filter(({ themes }) => !theme || themes.includes(theme));
  const others = fitting.filter(({ number }) => number !== except);
  const fresh = others.filter(({ number }) => !(number in own.tried));
  const failed = others.filter(({ number }) => own.tried[number] === false);
  const pool = [fresh, failed, others, fitting].find(({ length }) => length) ?? [];
  const distance = (/** @type {ListedPuzzle} */ { rating }) => Math.abs(rating - own.rating);
  const nearest = pool.toSorted((one, other) => distance(one) - distance(other));
  return nearest[Math.floor(Math.random() * Math.min(CHOICES, nearest.length))] ?? null;
}
