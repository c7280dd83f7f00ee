// Synchronise progress, settings and lists of this browser with the account and its other devices.
import { post } from "./api.js";
import * as storage from "./storage.js";

/** @import { Account } from "./account.js" */
/** @import { Progress } from "./puzzle-progress.js" */
/** @import { StoredRecord } from "./storage.js" */
/** @typedef {{ step: number, done: boolean }} Lesson */
/** @typedef {{ data: Record<string, unknown>, time: number }} Answer */

const DELAY_MS = 1000;
const MAX_RECORDS = 200;

/**
 * Send what has changed in this browser, and apply what other devices have written.
 *
 * The first time, what a guest has done here is added to what the account has. What another account
 * has left here is not: that account has it.
 * @param {Pick<Account, "id">} account
 * @param {{ keepalive?: boolean }} [options] whether to continue when the page is left
 */
export async function synchronise({ id }, { keepalive = false } = {}) {
  const { account, since } = storage.syncState();
  if (account !== id) return firstSync(id, account === null);
  const sent = storage.changes();
  const changed = Object.fromEntries(
    Object.keys(sent).map((name) => [name, storage.kept(name) ?? null]),
  );
  /** @type {Answer} */
  const answer = await post("/api/account/data", { changed, since }, { keepalive });
  const written = { ...sent, ...storage.changes() }; // some of it during the request
  const newer = Object.entries(answer.data).filter(([name]) => !(name in written));
  takeOver(newer);
  storage.clearChanges(sent);
  storage.setSyncState({ account: id, since: answer.time });
}

/**
 * @param {string} id
 * @param {boolean} isGuest whether this browser's data is a guest's
 */
async function firstSync(id, isGuest) {
  /** @type {Answer} */
  const answer = await post("/api/account/data", {});
  for (const name of storage.KEPT_NAMES) {
    const theirs = answer.data[name] ?? null;
    const merged = isGuest ? merge(name, storage.kept(name) ?? null, theirs) : theirs;
    storage.setKept(name, merged);
    if (JSON.stringify(merged) !== JSON.stringify(theirs)) storage.noteChange(name);
    else storage.clearChanges({ [name]: storage.changes()[name] });
  }
  storage.setSyncState({ account: id, since: answer.time });
  if (Object.keys(storage.changes()).length) await synchronise({ id });
  dispatchEvent(new Event("storage")); // preferences apply at once
}

/** @param {[string, unknown][]} entries */
function takeOver(entries) {
  const changed = entries.filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(storage.kept(name) ?? null),
  );
  for (const [name, value] of changed) storage.setKept(name, value);
  if (changed.length) dispatchEvent(new Event("storage"));
}

/**
 * Merge the data of a guest into that of an account.
 * @param {string} name
 * @param {any} guest
 * @param {any} account
 */
function merge(name, guest, account) {
  if (guest === null || account === null) return account ?? guest;
  if (name === "puzzles") return mergePuzzles(guest, account);
  if (name === "lessons") return mergeLessons(guest, account);
  if (name === "records") return mergeRecords(guest, account);
  if (name === "studies") return { ...guest, ...account };
  return account;
}

/**
 * @param {Partial<Progress>} guest
 * @param {Partial<Progress>} account
 */
function mergePuzzles(guest, account) {
  const games = { ...guest.games };
  for (const [game, theirs] of Object.entries(account.games ?? {})) {
    const ours = games[game] ?? { rating: theirs.rating, tried: {} };
    const tries = (/** @type {{ tried: object }} */ one) => Object.keys(one.tried).length;
    const rating = tries(ours) > tries(theirs) ? ours.rating : theirs.rating;
    games[game] = { rating, tried: { ...ours.tried, ...theirs.tried } };
  }
  const daily = (guest.day ?? "") > (account.day ?? "") ? guest : account;
  return {
    games,
    streak: Math.max(guest.streak ?? 0, account.streak ?? 0),
    best: Math.max(guest.best ?? 0, account.best ?? 0),
    day: daily.day ?? "",
    days: daily.days ?? 0,
  };
}

/**
 * @param {Record<string, Lesson>} guest
 * @param {Record<string, Lesson>} account
 */
function mergeLessons(guest, account) {
  const merged = { ...guest };
  for (const [game, { step, done }] of Object.entries(account)) {
    const ours = merged[game] ?? { step: 1, done: false };
    merged[game] = { step: Math.max(step, ours.step), done: done || ours.done };
  }
  return merged;
}

/**
 * @param {StoredRecord[]} guest
 * @param {StoredRecord[]} account
 */
function mergeRecords(guest, account) {
  const known = new Set(account.map(({ id }) => id));
  const all = [...account, ...guest.filter(({ id }) => !known.has(id))];
  return all.toSorted((one, other) => other.at - one.at).slice(0, MAX_RECORDS);
}

/**
 * Synchronise now, and whenever this browser writes something.
 * @param {Account} account
 */
export function keepSynchronised(account) {
  let timer = 0;
  const start = (/** @type {{ keepalive?: boolean }} */ options) =>
    synchronise(account, options).catch(() => {}); // the changes are sent the next time
  start({});
  addEventListener("kept-changed", () => {
    clearTimeout(timer);
    timer = setTimeout(start, DELAY_MS, {});
  });
  addEventListener("pagehide", () => {
    if (Object.keys(storage.changes()).length) start({ keepalive: true });
  });
}

/**
 * Claim the games that a guest plays in this browser for the account.
 * @returns {Promise<number>} how many there are
 */
export async function claimGames() {
  const tables = storage.guestTables();
  if (!tables.length) return 0;
  /** @type {{ claimed: string[] }} */
  const { claimed } = await post("/api/account/claim", { tables });
  for (const id of claimed) storage.updateTable(id, { secrets: [] });
  return claimed.length;
}
