// Snapshots that the server sends as differences to the one before.

/** @import { Snapshot, SnapshotDiff } from "./protocol.js" */

/**
 * Return a snapshot with its differences applied.
 * @param {Snapshot} before
 * @param {SnapshotDiff} diff
 * @returns {Snapshot}
 */
export function applyDiff(before, { values, edits }) {
  const after = { ...before, ...values };
  if (edits.svg) {
    after.svg = edits.svg
      .map(([start, end, added]) => before.svg.slice(start, end) + added)
      .join("");
  }
  if (edits.legal) {
    after.legal = edits.legal.flatMap(([start, end, added]) => [
      ...before.legal.slice(start, end),
      ...added,
    ]);
  }
  return after;
}
