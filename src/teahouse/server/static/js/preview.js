// Show on the board what a move would do before it is made: on hover, on focus, and before
// the second tap where moves on touch screens are confirmed.
import { announce } from "./announce.js";
import { post } from "./api.js";
import { parseSvg } from "./dom.js";
import { flipParts } from "./flip.js";

/** @import { Board } from "./board.js" */

const DELAY_MS = 90; // a pointer that passes by asks for nothing
const MAX_CACHED = 200;

export class Preview {
  /** @type {Map<string, Promise<{ svg: string }>>} */
  #cache = new Map();
  #timer = 0;
  /** The position and move that are shown or about to be. @type {string | null} */
  #shown = null;
  /** The position and move that the next tap confirms. @type {string | null} */
  #pending = null;

  /**
   * @param {Board} board
   * @param {(text: string) => void} notify says that a second tap is needed
   */
  constructor(board, notify) {
    this.board = board;
    this.notify = notify;
    for (const part of [board.box, board.choices]) {
      part.addEventListener("pointerover", (event) => {
        if (/** @type {PointerEvent} */ (event).pointerType !== "touch") this.#point(event.target);
      });
      part.addEventListener("pointerleave", () => this.hide());
      part.addEventListener("focusin", (event) => this.#point(event.target));
      part.addEventListener("focusout", () => this.hide());
    }
    const { intercept, onselect } = board;
    board.intercept = (name, touch) => intercept(name, touch) || this.#confirm(name, touch);
    board.onselect = () => {
      onselect();
      this.#pending = null;
      this.hide();
    };
  }

  /** @param {EventTarget | null} target */
  #point(target) {
    const part = target instanceof Element ? target.closest("[data-spot]") : null;
    this.show(part?.getAttribute("data-spot") ?? null);
  }

  /**
   * Keep the first tap that would complete a move from the board, if moves are to be confirmed.
   * @param {string} name
   * @param {boolean} touch
   */
  #confirm(name, touch) {
    if (!touch || !preferences.get().confirm) return false;
    const { pointing } = this.board;
    const move = this.board.interactive ? pointing.peek(name) : null;
    const wanted = move && this.#key(move);
    if (!wanted || this.#pending === wanted) {
      this.#pending = null;
      return false;
    }
    this.#pending = wanted;
    this.show(name);
    this.notify("Tap again to play.");
    announce("Tap again to play.");
    return true;
  }

  /**
   * Return what identifies a move in the position that is shown.
   * @param {string} move
   */
  #key(move) {
    return `${this.board.snapshot?.position} ${move}`;
  }

  /**
   * Show what a click on a spot or choice would do, if that would complete a move.
   * @param {string | null} name
   */
  show(name) {
    const { board } = this;
    const move = name && board.interactive ? board.pointing.peek(name) : null;
    const key = move && this.#key(move);
    if (key === this.#shown) return;
    this.hide();
    this.#shown = key;
    if (key && move) this.#timer = setTimeout(() => this.#render(key, move), DELAY_MS);
  }

  /**
   * @param {string} key
   * @param {string} move
   */
  async #render(key, move) {
    const { svg, snapshot, flipped } = this.board;
    if (!svg || !snapshot || key !== this.#key(move)) return;
    const { game, options, position } = snapshot;
    let loading = this.#cache.get(key);
    if (!loading) {
      loading = post("/api/preview", { game, options, position, move });
      if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
      this.#cache.set(key, loading);
    }
    try {
      const found = parseSvg(`<svg>${(await loading).svg}</svg>`).querySelector(".preview");
      if (!found || this.#shown !== key || this.board.svg !== svg) return;
      if (flipped) flipParts(found);
      svg.insertBefore(found, svg.querySelector(".spot"));
    } catch {
      this.#cache.delete(key); // only a convenience
    }
  }

  hide() {
    clearTimeout(this.#timer);
    this.#shown = null;
    for (const one of this.board.box.querySelectorAll(".preview")) one.remove();
  }
}
