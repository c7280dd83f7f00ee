// Enter a move by clicking: each click narrows the legal click paths until one is complete.
// The specification is src/teahouse/session/pointing.py; both run tests/vectors/pointing.json.

/** @import { ClickTree, LegalMove, Snapshot } from "./protocol.js" */

/** @typedef {Pick<LegalMove, "move" | "click_paths">} EnteredMove */

/**
 * Return the legal moves of a position with their click paths.
 * @param {Pick<Snapshot, "legal" | "click_tree">} snapshot
 * @returns {EnteredMove[]}
 */
export function legalMoves({ legal, click_tree }) {
  return click_tree ? movesOf(click_tree, []) : legal;
}

/**
 * @param {ClickTree} tree
 * @param {string[]} before the names on the way to it
 * @returns {EnteredMove[]}
 */
function movesOf(tree, before) {
  return Object.entries(tree).flatMap(([name, next]) => {
    const path = [...before, name];
    return typeof next === "string" ? [{ move: next, click_paths: [path] }] : movesOf(next, path);
  });
}

export class Pointing {
  /** @type {{ move: string, path: string[] }[]} */
  #paths;
  #within;
  /** The number of names chosen before each click. @type {number[]} */
  #clicks = [];

  /**
   * @param {EnteredMove[]} legal
   * @param {Record<string, string>} [within] for a spot, the larger spot that contains it
   */
  constructor(legal, within = {}) {
    this.#paths = legal.flatMap(({ move, click_paths }) =>
      click_paths.map((path) => ({ move, path })),
    );
    this.#within = within;
    /** The names chosen so far, by clicks and automatically. @type {string[]} */
    this.chosen = [];
  }

  /** Whether there is a legal move. */
  get hasMoves() {
    return this.#paths.length > 0;
  }

  /** The names that continue a path; empty once a move is complete. */
  get targets() {
    const names = this.#open().map(({ path }) => path[this.chosen.length]);
    return new Set(names.filter((name) => name !== undefined));
  }

  /**
   * Return the target that a click on a spot or choice counts for.
   * @param {string} name
   */
  targetOf(name) {
    const { targets } = this;
    return this.#enclosing(name).find((one) => targets.has(one)) ?? null;
  }

  /**
   * Click on a spot or choice; return the move if that completes one, else null.
   * @param {string} name
   */
  click(name) {
    const target = this.targetOf(name);
    if (target !== null) return this.#choose(target);
    const selected = this.#enclosing(name).find((one) => this.chosen.includes(one));
    if (selected !== undefined) {
      const index = this.chosen.indexOf(selected);
      while (this.chosen.length > index) this.back();
      return null;
    }
    this.clear();
    const first = this.targetOf(name);
    return first === null ? null : this.#choose(first);
  }

  /**
   * Return the move that a click on a spot or choice would complete, or null.
   * @param {string} name
   */
  peek(name) {
    const [chosen, clicks] = [[...this.chosen], [...this.#clicks]];
    const move = this.click(name);
    this.chosen = chosen;
    this.#clicks = clicks;
    return move;
  }

  /**
   * Return whether a spot or choice, or a larger spot that contains it, was chosen.
   * @param {string} name
   */
  isChosen(name) {
    return this.#enclosing(name).some((one) => this.chosen.includes(one));
  }

  /**
   * Return whether a spot lies within another one, or is that one.
   * @param {string} name
   * @param {string} outer
   */
  isWithin(name, outer) {
    return this.#enclosing(name).includes(outer);
  }

  /** Undo the last click; return whether there was one. */
  back() {
    const length = this.#clicks.pop();
    if (length === undefined) return false;
    this.chosen.length = length;
    return true;
  }

  /** Undo all clicks; return whether there were any. */
  clear() {
    const cleared = this.#clicks.length > 0;
    this.chosen = [];
    this.#clicks = [];
    return cleared;
  }

  /** @param {string} target */
  #choose(target) {
    this.#clicks.push(this.chosen.length);
    this.chosen.push(target);
    for (let { targets } = this; targets.size === 1 && !this.#completes(); { targets } = this) {
      this.chosen.push(...targets);
    }
    const complete = this.#open().find(({ path }) => path.length === this.chosen.length);
    return complete?.move ?? null;
  }

  /** Return whether one more name may complete a move, or none is needed. */
  #completes() {
    return this.#open().some(({ path }) => path.length <= this.chosen.length + 1);
  }

  /** Return the paths that start with the chosen names. */
  #open() {
    const { chosen } = this;
    return this.#paths.filter(({ path }) => chosen.every((name, index) => path[index] === name));
  }

  /**
   * Return a name and the larger spots that contain it, from the inside out.
   * @param {string} name
   */
  #enclosing(name) {
    /** @type {string[]} */
    const names = [];
    for (let one = name; one && !names.includes(one); one = this.#within[one]) names.push(one);
    return names;
  }
}
