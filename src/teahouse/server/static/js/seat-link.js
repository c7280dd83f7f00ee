// Links to seats: the secret of a seat is the fragment of the address.
import * as storage from "./storage.js";

const SECRET = /^[\w-]{22,64}$/;

/**
 * Store a seat's secret from the address, and remove it there; return whether the link is valid.
 * @param {string} table
 */
export function storeSecret(table) {
  const secret = location.hash.slice(1);
  if (!secret || document.getElementById(secret)) return true; // "Skip to content"
  history.replaceState(null, "", location.pathname);
  const { secrets } = storage.table(table);
  if (!SECRET.test(secret)) return secrets.length > 0;
  if (!secrets.includes(secret)) storage.updateTable(table, { secrets: [...secrets, secret] });
  return true;
}
