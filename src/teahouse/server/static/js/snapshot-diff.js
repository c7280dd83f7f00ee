// Snapshots that the server sends as differences to the one before.

/** @import { Snapshot, SnapshotDiff } from "./protocol.js" */

/**
 * Return a snapshot with its differences applied.
 * @param {Snapshot} before
 * @param {SnapshotDiff} diff
 * @returns {Snapshot}
 */
export function applyDiff(before, { values, edits }) {
  const parts = edits.svg.map(([start, end, added]) => before.svg.slice(start, end) + added);
  return { ...before, ...values, svg: parts.join("") };
}
