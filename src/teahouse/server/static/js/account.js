// The signed-in account. Pages are static; what depends on the account comes from here.
import { getJson, post } from "./api.js";
import * as storage from "./storage.js";

/**
 * @typedef {object} Account
 * @property {string} id
 * @property {string} name
 * @property {"person" | "bot"} kind
 * @property {number} created in Unix seconds
 * @property {number | null} suspended_until in Unix seconds
 * @property {string | null} suspension until when and why it is suspended, as a sentence
 * @property {string | null} role "operator", or null
 */

/** @type {Promise<Account | null> | undefined} */
let loading;

/**
 * Return who is signed in, or null for a guest.
 * @returns {Promise<Account | null>}
 */
export function currentAccount() {
  loading ??= getJson("/api/account").then(({ account }) => remember(account));
  loading.catch(() => {
    loading = undefined; // the next one asks again
  });
  return loading;
}

/**
 * Remember who is signed in, so that the next page shows it before the server has answered.
 * @param {Account | null} account
 */
export function remember(account) {
  storage.setAccountName(account?.name ?? null);
  document.documentElement.dataset.account = account ? "yes" : "no";
  return account;
}

/** @param {string} name */
export const profilePath = (name) => `/players/${encodeURIComponent(name)}`;

/** Sign out in this browser. What it has stored stays, except games that only the account plays. */
export async function signOut() {
  await post("/api/account/sign-out", {});
  storage.removeTablesWithoutSecrets();
  remember(null);
}
