// Links to seats: the secret of a seat is the fragment of the address.
import * as storage from "./storage.js";

const SECRET = /^[\w-]{22,64}$/;

/**
 * Store the secrets of seats from the address, and remove them there, unless the browser stores
 * nothing; return whether the link is valid.
 * @param {string} table
 */
export function storeSecret(table) {
  const fragment = location.hash.slice(1);
  if (!fragment || document.getElementById(fragment)) return true; // "Skip to content"
  const { secrets } = storage.table(table);
  const given = fragment.split("."); // see storage.tablePath
  const valid = given.every((secret) => SECRET.test(secret));
  const added = valid ? given.filter((secret) => !secrets.includes(secret)) : [];
  if (added.length) storage.updateTable(table, { secrets: [...secrets, ...added] });
  if (!valid || storage.keepsTables()) history.replaceState(null, "", location.pathname);
  return valid || secrets.length > 0;
}
