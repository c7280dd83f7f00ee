// Retry: find a better move than the one that was played.
import { announce } from "./announce.js";
import { post } from "./api.js";
import { byId, element, needsRender } from "./dom.js";
import { GRADES, lossText } from "./review-words.js";
import { errorText, sentence } from "./wording.js";

/** @import { GameViewer } from "./game-viewer.js" */
/** @import { RetryAnswer, Review, Snapshot } from "./protocol.js" */

const GOOD = ["best", "fine"];

export class Retry {
  /** Called when it has ended, to show the comment on the move again. */
  onend = () => {};

  /**
   * @param {GameViewer} viewer
   * @param {string} record
   */
  constructor(viewer, record) {
    this.viewer = viewer;
    this.record = record;
    /** The number of the move to improve on. @type {number | null} */
    this.number = null;
    this.waiting = false;
    viewer.onmove = (move, snapshot) => {
      if (this.active) this.#try(move, snapshot);
      else viewer.tree.play(move, snapshot);
    };
  }

  /** Whether the position of the move to improve on is shown. */
  get active() {
    const { tree } = this.viewer;
    return this.number !== null && !tree.variation && tree.ply === this.number - 1;
  }

  /**
   * @param {number} number
   * @param {Review} review
   */
  async start(number, review) {
    this.number = number;
    this.review = review;
    document.body.classList.add("retrying");
    await this.viewer.tree.goTo(null, number - 1);
    const { description } = this.viewer.tree.mainline[number - 1];
    this.#say(`${sentence(description)} Find a better move.`);
    this.viewer.board.focus.toStop();
    for (const shown of [byId("comment"), this.viewer.board.box]) {
      shown.scrollIntoView({ block: "nearest" });
    }
  }

  /** End it if another position is shown. */
  check() {
    if (this.number !== null && !this.active && !this.waiting) this.#end();
  }

  #end() {
    this.number = null;
    document.body.classList.remove("retrying");
    this.onend();
  }

  /**
   * @param {string} text
   * @param {string} [kind]
   */
  #say(text, kind = "") {
    const give = element(
      "button",
      { type: "button", onclick: () => this.#giveUp() },
      "Show the answer",
    );
    const stop = element("button", { type: "button", onclick: () => this.#stop() }, "Stop");
    this.#show(
      element("p", { class: `what ${kind}` }, text),
      element("div", { class: "buttons" }, give, stop),
    );
    announce(text);
  }

  /**
   * Show something in place of the comment on a move, which is then rendered anew.
   * @param {...HTMLElement} parts
   */
  #show(...parts) {
    const box = byId("comment");
    needsRender(box, "retry");
    box.replaceChildren(...parts);
  }

  /**
   * @param {string} move
   * @param {Snapshot} snapshot
   */
  async #try(move, snapshot) {
    const { number } = this;
    if (number === null || this.waiting) return;
    this.waiting = true;
    this.#say("Evaluating your move …");
    /** @type {RetryAnswer} */
    let answer;
    try {
      answer = await post(`/api/reviews/${this.record}/retry`, { ply: number - 1, move });
    } catch (error) {
      this.waiting = false;
      this.#say(errorText(error), "wrong");
      this.viewer.board.setInteractive(true);
      return;
    }
    this.waiting = false;
    if (!this.active) return this.check();
    const { grade, loss } = answer;
    if (GOOD.includes(grade)) {
      this.number = null;
      document.body.classList.remove("retrying");
      await this.viewer.tree.play(move, snapshot);
      const text =
        grade === "best"
          ? "Right: this is as good as the best move."
          : "Good: this is a fine move.";
      this.#show(element("p", { class: "what right" }, `✓ ${text}`));
      announce(text);
      return;
    }
    this.viewer.board.setInteractive(true);
    const { label } = GRADES[grade];
    const article = /^[aeiou]/.test(label) ? "an" : "a";
    this.#say(`This is ${article} ${label}: it gives away ${lossText(loss)}. Try again.`, "wrong");
  }

  #giveUp() {
    const { number, review } = this;
    if (number === null || !review) return;
    this.#end();
    showLine(this.viewer, number, review);
  }

  #stop() {
    const { number } = this;
    this.#end();
    if (number !== null) this.viewer.tree.goTo(null, number);
  }
}

/**
 * Show the better line as a variation, at its first move.
 * @param {GameViewer} viewer
 * @param {number} number of the move that was played instead
 * @param {Review} review
 */
export function showLine({ tree }, number, review) {
  const start = number - 1;
  const moves = review.moves[start].line.map((one) => ({ ...one }));
  const key = moves.map(({ move }) => move).join(" ");
  let line = tree.variations.find(
    (one) => one.start === start && one.moves.map(({ move }) => move).join(" ") === key,
  );
  if (!line) {
    line = { start, moves };
    tree.variations.push(line);
  }
  return tree.goTo(line, number);
}
