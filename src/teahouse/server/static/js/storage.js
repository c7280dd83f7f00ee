// Local storage: tables with their seat secrets, saved records, the player's name.

/** @import { CreatedTable, SeatChoice, StudyMove } from "./protocol.js" */

/**
 * @typedef {object} StoredTable
 * @property {string[]} secrets secrets of own seats
 * @property {Record<string, string>} links secrets of seats to invite others to
 * @property {number} at when it was last used, in milliseconds
 * @property {boolean} [coach] whether a coach explains the game
 * @property {number[]} [muted] seats whose messages are hidden
 */
/** @typedef {{ id: string, title: string, at: number }} StoredRecord */

const TABLES = "teahouse.tables";
const RECORDS = "teahouse.records";
const NAME = "teahouse.name";
const GUEST = "teahouse.guest";
const LEVEL = "teahouse.level";
const FLIPPED = "teahouse.flipped";
const OLD_FLIPPED = "teahouse.turned"; // as stored by version 0.1.0
const ANALYSES = "teahouse.analyses";
const STUDIES = "teahouse.studies";
const ENGINE = "teahouse.engine";
const MAX_ENTRIES = 200;
const MAX_ANALYSES = 20;
/** What could not be stored, while the page is open. @type {Map<string, unknown>} */
const fallback = new Map();

/**
 * @template T
 * @param {string} key
 * @param {T} otherwise
 * @returns {T}
 */
function read(key, otherwise) {
  if (fallback.has(key)) return /** @type {T} */ (fallback.get(key) ?? otherwise);
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null") ?? otherwise;
  } catch {
    return otherwise;
  }
}

/**
 * @param {string} key
 * @param {unknown} value
 */
function store(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
    fallback.delete(key);
  } catch {
    fallback.set(key, value); // storage is blocked or full
  }
}

/**
 * @param {string} key
 * @param {unknown} value
 */
function write(key, value) {
  store(key, value);
  const name = Object.keys(KEPT).find((one) => KEPT[one] === key);
  if (name) noteChange(name);
}

/** @returns {Record<string, StoredTable>} */
export const tables = () => read(TABLES, {});

/**
 * @param {string} id
 * @returns {StoredTable}
 */
export function table(id) {
  /** @type {Partial<StoredTable>} */
  const stored = tables()[id];
  return { secrets: [], links: {}, at: 0, ...stored };
}

/**
 * Store changes to a table. The least recently used tables are dropped beyond a limit.
 * @param {string} id
 * @param {Partial<StoredTable>} changes
 */
export function updateTable(id, changes) {
  const all = tables();
  all[id] = { ...table(id), ...changes, at: Date.now() };
  const ids = Object.keys(all).sort((one, other) => all[other].at - all[one].at);
  write(TABLES, Object.fromEntries(ids.slice(0, MAX_ENTRIES).map((key) => [key, all[key]])));
}

/** Return whether tables are kept when the page is left: this browser lets it store them. */
export const keepsTables = () => !fallback.has(TABLES);

/**
 * Return the path of a table; with the secrets of own seats if the next page could not read them.
 * @param {string} id
 */
export function tablePath(id) {
  const { secrets } = table(id);
  return keepsTables() || !secrets.length ? `/tables/${id}` : `/tables/${id}#${secrets.join(".")}`;
}

/**
 * Remove a table. Its seats can then only be taken with their links.
 * @param {string} id
 */
export function removeTable(id) {
  const all = tables();
  delete all[id];
  write(TABLES, all);
}

/** Return the tables with seats that this browser plays as a guest. */
export const guestTables = () =>
  Object.entries(tables())
    .filter(([, { secrets }]) => secrets.length)
    .map(([id, { secrets }]) => ({ id, secrets }));

/** Remove the tables that only an account plays, when it signs out. */
export const removeTablesWithoutSecrets = () =>
  write(
    TABLES,
    Object.fromEntries(Object.entries(tables()).filter(([, { secrets }]) => secrets.length)),
  );

/**
 * Store a table that was just created: secrets of own seats, and links for the others.
 * @param {CreatedTable} created
 * @param {SeatChoice[]} seats
 */
export function addCreatedTable(created, seats) {
  const secrets = [];
  /** @type {Record<string, string>} */
  const links = {};
  for (const { seat, secret } of created.seats) {
    if (seats[seat].kind === "remote") links[seat] = secret;
    else secrets.push(secret);
  }
  updateTable(created.id, { secrets, links });
}

/**
 * Return uploaded and shared records, newest first.
 * @returns {StoredRecord[]}
 */
export const records = () => read(RECORDS, []);

/**
 * @param {string} id
 * @param {string} title
 */
export function addRecord(id, title) {
  const others = records().filter((record) => record.id !== id);
  write(RECORDS, [{ id, title, at: Date.now() }, ...others].slice(0, MAX_ENTRIES));
}

/** @param {string} id */
export function removeRecord(id) {
  const others = records().filter((record) => record.id !== id);
  write(RECORDS, others);
}

/** @returns {string} */
export const playerName = () => read(NAME, "");

/** @param {string} name */
export const setPlayerName = (name) => write(NAME, name);

/** Return the key by which the lobby knows this browser while nobody is signed in. */
export function guestKey() {
  const known = read(GUEST, "");
  if (known) return known;
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const key = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  write(GUEST, key);
  return key;
}

/** Return the bot level that was chosen last. */
export const botLevel = () => read(LEVEL, 3);

/** @param {number} level */
export const setBotLevel = (level) => write(LEVEL, level);

/** @returns {string[]} */
const flippedGames = () => read(FLIPPED, read(OLD_FLIPPED, []));

/** @param {string} game */
export const isFlipped = (game) => flippedGames().includes(game);

/**
 * @param {string} game
 * @param {boolean} flipped
 */
export function setFlipped(game, flipped) {
  const others = flippedGames().filter((name) => name !== game);
  write(FLIPPED, flipped ? [...others, game] : others);
}

const LESSONS = "teahouse.lessons";

/**
 * Return how far a lesson was followed: the step to continue with, from 1 on, and whether the
 * lesson was completed once.
 * @param {string} game
 * @returns {{ step: number, done: boolean }}
 */
export function lessonProgress(game) {
  /** @type {Record<string, { step?: unknown, done?: unknown }>} */
  const all = read(LESSONS, {});
  const { step, done } = all[game] ?? {};
  return { step: Number.isInteger(step) ? Number(step) : 1, done: done === true };
}

/**
 * @param {string} game
 * @param {{ step: number, done: boolean }} progress
 */
export function setLessonProgress(game, progress) {
  write(LESSONS, { ...read(LESSONS, {}), [game]: progress });
}

const PUZZLES = "teahouse.puzzles";

/** @returns {Partial<import("./puzzle-progress.js").Progress>} */
export const puzzleProgress = () => read(PUZZLES, {});

/** @param {import("./puzzle-progress.js").Progress} progress */
export const setPuzzleProgress = (progress) => write(PUZZLES, progress);

/**
 * An analysis as it was left in this browser.
 * @typedef {object} StoredAnalysis
 * @property {string} title
 * @property {string} comment
 * @property {StudyMove[]} nodes
 * @property {number} at when it was last changed, in milliseconds
 */

/** @returns {Record<string, StoredAnalysis>} */
const analyses = () => read(ANALYSES, {});

/**
 * @param {string} key
 * @returns {StoredAnalysis | null}
 */
export const analysis = (key) => analyses()[key] ?? null;

/**
 * Store an analysis, or remove it. The oldest ones are dropped beyond a limit.
 * @param {string} key
 * @param {Omit<StoredAnalysis, "at"> | null} changed
 */
export function setAnalysis(key, changed) {
  const all = analyses();
  delete all[key];
  if (changed) all[key] = { ...changed, at: Date.now() };
  const keys = Object.keys(all).sort((one, other) => all[other].at - all[one].at);
  write(ANALYSES, Object.fromEntries(keys.slice(0, MAX_ANALYSES).map((one) => [one, all[one]])));
}

/**
 * The keys of studies that were created in this browser.
 * @returns {Record<string, string>}
 */
export const studyKeys = () => read(STUDIES, {});

/**
 * @param {string} id
 * @param {string} key
 */
export const addStudyKey = (id, key) => write(STUDIES, { ...studyKeys(), [id]: key });

/** @typedef {{ on: boolean, lines: number, game: string }} AnalysisSettings */

/** @returns {AnalysisSettings} */
export const analysisSettings = () => ({ on: false, lines: 3, game: "", ...read(ENGINE, {}) });

/** @param {Partial<AnalysisSettings>} changed */
export const setAnalysisSettings = (changed) =>
  write(ENGINE, { ...analysisSettings(), ...changed });

const NOTIFICATIONS = "teahouse.notifications";

/** Return whether the visitor wants notifications of the browser. */
export const notificationsOn = () => read(NOTIFICATIONS, false);

/** @param {boolean} on */
export const setNotifications = (on) => write(NOTIFICATIONS, on);

/** What an account keeps, by its name on the server. @type {Record<string, string>} */
const KEPT = {
  engine: ENGINE,
  flipped: FLIPPED,
  lessons: LESSONS,
  level: LEVEL,
  preferences: "teahouse.settings", // written by theme.js
  puzzles: PUZZLES,
  records: RECORDS,
  studies: STUDIES,
};
export const KEPT_NAMES = Object.keys(KEPT);
const CHANGES = "teahouse.changes";
const SYNC = "teahouse.sync";
const ACCOUNT = "teahouse.account";

/**
 * @param {string} name
 * @returns {unknown}
 */
export const kept = (name) => read(KEPT[name], undefined);

/**
 * Store what an account keeps, as it came from there.
 * @param {string} name
 * @param {unknown} value
 */
export const setKept = (name, value) => store(KEPT[name], value);

/**
 * The times of changes that the account does not have yet.
 * @returns {Record<string, number>}
 */
export const changes = () => read(CHANGES, {});

/** @param {string} name */
export function noteChange(name) {
  write(CHANGES, { ...changes(), [name]: Date.now() });
  dispatchEvent(new CustomEvent("kept-changed"));
}

/**
 * Forget changes that were sent, unless there was another one meanwhile.
 * @param {Record<string, number>} sent
 */
export function clearChanges(sent) {
  const left = Object.entries(changes()).filter(([name, time]) => sent[name] !== time);
  write(CHANGES, Object.fromEntries(left));
}

/** @typedef {{ account: string | null, since: number }} SyncState whose data is here, as of when */

/** @returns {SyncState} */
export const syncState = () => read(SYNC, { account: null, since: 0 });

/** @param {SyncState} state */
export const setSyncState = (state) => write(SYNC, state);

/**
 * The name of the account that was signed in last, before the server has answered.
 * @returns {string | null}
 */
export const accountName = () => read(ACCOUNT, null);

/** @param {string | null} name */
export const setAccountName = (name) => write(ACCOUNT, name);

const LAST_PAGE = "teahouse.page";

/** Return the last page of this tab, other than those to sign in. */
export function lastPage() {
  try {
    return sessionStorage.getItem(LAST_PAGE) ?? "/";
  } catch {
    return "/";
  }
}

/** @param {string} path */
export function setLastPage(path) {
  try {
    sessionStorage.setItem(LAST_PAGE, path);
  } catch {
    // storage is blocked: signing in leads to the first page
  }
}
