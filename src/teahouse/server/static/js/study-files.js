// Import and export of the analysis board: records, trees and position texts.
import { element } from "./dom.js";

/** @import { StudyTree } from "./study-tree.js" */
/** @import { Explored, Options, StudyMove } from "./protocol.js" */

/**
 * A study as it is stored: without what the server computes.
 * @typedef {object} StudyData
 * @property {string} title
 * @property {string} game
 * @property {Options} options
 * @property {string} start
 * @property {string} comment
 * @property {{ parent: number, move: string, comment: string }[]} nodes
 */

const ESCAPES = /** @type {Record<string, string>} */ ({ "\n": "\\n", "\r": "\\r" });
const MAX_WIDTH = 100;

/** @param {string} comment */
const escapeComment = (comment) =>
  `{${comment.replace(/[\n\r"\\}]/g, (found) => ESCAPES[found] ?? `\\${found}`)}}`;

/** @param {string[]} words */
function wrap(words) {
  const lines = [""];
  for (const word of words) {
    const last = lines[lines.length - 1];
    if (last && last.length + 1 + word.length > MAX_WIDTH) lines.push(word);
    else lines[lines.length - 1] = last ? `${last} ${word}` : word;
  }
  return lines.join("\n");
}

/**
 * Return the text of a record with the comments of a main line.
 * @param {Explored} explored the main line without comments
 * @param {StudyTree} tree
 */
export function recordText({ record, result }, tree) {
  const head = record.slice(0, record.indexOf("\n\n"));
  const words = tree.root.comment ? [escapeComment(tree.root.comment)] : [];
  for (const { depth, played, comment } of tree.mainNodes) {
    words.push(`${depth}.`, played?.move ?? "");
    if (comment) words.push(escapeComment(comment));
  }
  return `${head}\n\n${wrap([...words, result])}\n`;
}

/**
 * @param {StudyTree} tree
 * @param {string} title
 * @returns {StudyData}
 */
export function studyData(tree, title) {
  const nodes = tree.moves.map(({ parent, move, comment }) => ({ parent, move, comment }));
  const { setup, start, root } = tree;
  return { title, ...setup, start, comment: root.comment, nodes };
}

/**
 * Return the moves of a record as those of a study.
 * @param {Explored} explored
 * @returns {StudyMove[]}
 */
export const studyMoves = ({ moves, comments }) =>
  moves.map((played, ply) => ({
    parent: ply - 1,
    ...played,
    comment: comments[String(ply + 1)] ?? "",
  }));

/**
 * @param {string} text
 * @param {string} name of the file
 * @param {string} type
 */
export function download(text, name, type) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/**
 * Detect the format of an imported text.
 * @param {string} text
 * @returns {"tree" | "record" | "position"}
 */
export function kindOfText(text) {
  const start = text.trimStart()[0];
  if (start === "{") return "tree";
  return start === "[" ? "record" : "position";
}
