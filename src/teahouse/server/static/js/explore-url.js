// The address of the analysis board.

/** @import { Options } from "./protocol.js" */

/**
 * Return the address of the analysis board with a position.
 * @param {string} game
 * @param {Options} options
 * @param {string} [position]
 */
export function exploreUrl(game, options, position) {
  const query = new URLSearchParams({ game });
  for (const [name, value] of Object.entries(options)) {
    if (value !== null && value !== "") query.set(name, String(value));
  }
  if (position) query.set("position", position);
  return `/explore?${query}`;
}
