// What screen readers say: sentences in the game's own words, one after the other.
import { element, the } from "./dom.js";

const KEPT = 6;

/** Say a sentence after those that are being said. */
export function announce(text) {
  if (!text) return;
  const told = the("told");
  told.append(element("p", {}, text));
  while (told.children.length > KEPT) told.firstElementChild.remove();
}
