// A record that another page passes on to the analysis board, which shows as much as is legal.
import { openPage } from "./site-path.js";

const KEY = "teahouse.import";

/** Return the record that was passed on last, or null. */
export function importedRecord() {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null; // storage is blocked
  }
}

/**
 * Open a record on the analysis board; throw an error with the reason if that is impossible.
 * @param {string} text
 */
export function openImported(text) {
  try {
    sessionStorage.setItem(KEY, text);
  } catch {
    throw new Error(
      "Your browser does not let this page store the record. Allow it to store data.",
    );
  }
  openPage("/explore?import");
}
