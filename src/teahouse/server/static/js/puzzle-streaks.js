// Streaks of solved puzzles, as a list of terms and numbers.
import { element } from "./dom.js";

/** @import { Progress } from "./puzzle-progress.js" */

/**
 * @param {HTMLElement} list
 * @param {Progress} progress
 * @param {[string, string][]} [others] further terms and values, shown first
 */
export function renderStreaks(list, { streak, best, days }, others = []) {
  /** @type {[string, string][]} */
  const rows = [
    ...others,
    ["Solved in a row", String(streak)],
    ["Longest streak", String(best)],
    ["Daily puzzles in a row", String(days)],
  ];
  list.replaceChildren(
    ...rows.map(([term, value]) =>
      element("div", {}, element("dt", {}, term), element("dd", {}, value)),
    ),
  );
}
