// Snapshots that the server sends as diffs to the one before.

/** @import { Snapshot, SnapshotDiff } from "./protocol.js" */

/**
 * Apply a diff to a snapshot.
 * @param {Snapshot} before
 * @param {SnapshotDiff} diff
 * @returns {Snapshot}
 */
export function applyDiff(before, { values, edits }) {
  const parts = edits.svg.map(([start, end, added]) => before.svg.slice(start, end) + added);
  return { ...before, ...values, svg: parts.join("") };
}
