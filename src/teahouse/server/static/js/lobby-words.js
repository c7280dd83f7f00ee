// Challenges in words.

/** @import { TimeControl } from "./protocol.js" */

/**
 * Return a time control in a few words: "10+5", "3 days a move", "no clock".
 * @param {TimeControl} control
 */
export function clockText(control) {
  if (control.kind === "none") return "no clock";
  if (control.kind === "correspondence") {
    return control.days === 1 ? "1 day a move" : `${control.days} days a move`;
  }
  const minutes = Math.round((100 * control.seconds) / 60) / 100;
  return `${minutes}+${control.increment}`;
}
