// Announcements for screen readers.
import { byId, element } from "./dom.js";

const MAX_SENTENCES = 6;

/**
 * Append a sentence to the live region.
 * @param {string} text
 */
export function announce(text) {
  if (!text) return;
  const region = byId("announcer");
  region.append(element("p", {}, text));
  while (region.children.length > MAX_SENTENCES) region.firstElementChild?.remove();
}
