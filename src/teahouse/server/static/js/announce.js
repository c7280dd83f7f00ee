// What screen readers say: sentences in the game's own words.
import { the } from "./dom.js";

let waiting = [];

/** Say a sentence; several in one moment are said as one. */
export function announce(text) {
  if (!text) return;
  waiting.push(text);
  if (waiting.length > 1) return;
  setTimeout(() => {
    the("told").textContent = waiting.join(" ");
    waiting = [];
  }, 50);
}
