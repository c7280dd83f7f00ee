// Steps of a lesson: loaded once each, with the boards after the moves that they answer.
import { getJson, post } from "./api.js";

/** @import { Explored, LessonAnswer, LessonStep, Snapshot } from "./protocol.js" */

export class LessonData {
  /** @type {Map<number, Promise<LessonStep>>} */
  #steps = new Map();

  /**
   * @param {string} game
   * @param {number} count of steps
   */
  constructor(game, count) {
    this.game = game;
    this.count = count;
  }

  /**
   * Load a step, and the next one for later.
   * @param {number} number
   */
  step(number) {
    const wanted = this.#load(number);
    if (number < this.count) this.#load(number + 1).catch(() => {});
    return wanted;
  }

  /**
   * @param {number} number
   * @returns {Promise<LessonStep>}
   */
  #load(number) {
    const loading = this.#steps.get(number);
    if (loading) return loading;
    const started = getJson(`/api/lessons/${this.game}/${number}`);
    this.#steps.set(number, started);
    started.catch(() => this.#steps.delete(number));
    return started;
  }

  /**
   * Return the boards after a move and after each reply to it.
   * @param {LessonStep} step
   * @param {string} move
   * @param {string[]} replies
   * @returns {Promise<Snapshot[]>}
   */
  async line(step, move, replies) {
    if (move in step.prepared) return step.prepared[move];
    const moves = [move, ...replies];
    const { options, snapshot } = step;
    const setup = { game: this.game, options, start: snapshot.position, moves };
    /** @type {Explored[]} */
    const explored = await Promise.all(
      moves.map((_, index) => post("/api/explore", { ...setup, ply: index + 1 })),
    );
    return explored.map((one) => one.snapshot);
  }
}

/**
 * Return the answer to a legal move of a step.
 * @param {LessonStep} step
 * @param {string} move
 * @returns {LessonAnswer}
 */
export function answerTo(step, move) {
  const otherwise = { right: false, say: step.otherwise, replies: [], moves: [] };
  return step.answers.find(({ moves }) => moves.includes(move)) ?? otherwise;
}
