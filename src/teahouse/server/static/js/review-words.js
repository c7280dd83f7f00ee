// Grades and sides of a review in words.
import { percent } from "./wording.js";

/** @import { Grade, ReviewedMove } from "./protocol.js" */

/** @type {Record<Grade, { sign: string, label: string }>} */
export const GRADES = {
  best: { sign: "✓", label: "best move" },
  fine: { sign: "", label: "fine" },
  inaccuracy: { sign: "?!", label: "inaccuracy" },
  mistake: { sign: "?", label: "mistake" },
  blunder: { sign: "??", label: "blunder" },
  forced: { sign: "□", label: "only move" },
};

/**
 * Return what a move gave away, rounded down: so it agrees with the threshold of its grade.
 * @param {number} loss
 */
export const lossText = (loss) => percent(Math.floor(100 * loss + 1e-9) / 100);

/**
 * Return the players of a side: "Red and Yellow".
 * @param {{ players: string[], teams: number[][] }} sides
 * @param {number} side
 */
export const sideName = ({ players, teams }, side) =>
  teams[side].map((player) => players[player]).join(" and ");

/**
 * Return what a move changed about proven results, or an empty text.
 * @param {ReviewedMove} move
 * @param {string} player
 */
export function proofText({ missed, proof }, player) {
  if (missed === "win" && proof !== "win") return `${player} had a forced win before.`;
  if (missed === "draw" && proof === "loss") return `${player} could have forced a draw.`;
  if (proof === "loss" && missed !== "loss") return `Now ${player} loses by force.`;
  if (proof === "win") return `${player} wins by force.`;
  return "";
}
