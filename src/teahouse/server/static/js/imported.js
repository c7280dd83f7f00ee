// A record that another page passes on to the analysis board, which shows as much as is legal.
import { openPage } from "./site-path.js";

const KEY = "teahouse.import";

/** Return the record that was passed on last, or null. */
export const importedRecord = () => sessionStorage.getItem(KEY);

/**
 * Open a record on the analysis board.
 * @param {string} text
 */
export function openImported(text) {
  sessionStorage.setItem(KEY, text);
  openPage("/explore?import");
}
