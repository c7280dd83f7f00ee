// Explain what is on the board: on hover, a long press or "?", and why a click was refused.
import { announce } from "./announce.js";
import { post } from "./api.js";
import { element } from "./dom.js";

/** @import { Board } from "./board.js" */
/** @typedef {{ what: string, why: string | null }} Explanation */

const HOVER_MS = 700;
const LONG_PRESS_MS = 500;
const MAX_MOVE_PX = 10; // of a finger, for a long press
const GAP_PX = 8;
const MAX_CACHED = 300;
const EXPLAINED = "[data-spot], [data-hand], [data-explain]";

/** @param {EventTarget | null} target */
const explainedPart = (target) => (target instanceof Element ? target.closest(EXPLAINED) : null);

/** @param {Element} part */
const nameOf = (part) => part.getAttribute("data-spot") ?? part.getAttribute("data-hand") ?? "";

/**
 * Return the left upper corner of a tooltip: above, below, left or right of its target.
 * @param {DOMRect} target
 * @param {[width: number, height: number]} size
 * @param {DOMRect[]} avoided what it covers as little of as possible
 */
function tooltipCorner({ left, right, top, bottom }, [width, height], avoided) {
  const { clientWidth, clientHeight } = document.documentElement;
  const within = (/** @type {number} */ at, /** @type {number} */ last) =>
    Math.max(GAP_PX, Math.min(at, last - GAP_PX));
  const x = within((left + right - width) / 2, clientWidth - width);
  const y = within((top + bottom - height) / 2, clientHeight - height);
  const corners = [
    [x, top - height - GAP_PX],
    [x, bottom + GAP_PX],
    [left - width - GAP_PX, y],
    [right + GAP_PX, y],
  ].filter(([a, b]) => a >= 0 && b >= 0 && a + width <= clientWidth && b + height <= clientHeight);
  const covered = (/** @type {number[]} */ [a, b]) =>
    avoided.reduce((sum, box) => {
      const across = Math.min(a + width, box.right + GAP_PX) - Math.max(a, box.left - GAP_PX);
      const down = Math.min(b + height, box.bottom + GAP_PX) - Math.max(b, box.top - GAP_PX);
      return sum + Math.max(0, across) * Math.max(0, down);
    }, 0);
  const costs = corners.map(covered);
  return corners[costs.indexOf(Math.min(...costs))] ?? [x, bottom + GAP_PX];
}

export class Explanations {
  /** @type {Map<string, Promise<Explanation>>} */
  #cache = new Map();
  #tooltip = element("div", { class: "tooltip", role: "tooltip", hidden: true });
  /** What the tooltip belongs to. @type {Element | null} */
  #shown = null;
  #timer = 0;
  /** What was just clicked: while the pointer rests there, nothing is explained. @type {string | null} */
  #quiet = null;
  /** Whether a long press has explained what the finger is still on. */
  #pressed = false;
  /** Whether clicks explain instead of playing. */
  #mode = false;

  /**
   * @param {Board} board
   * @param {Element[]} [others] what else has hands or scores to explain
   */
  constructor(board, others = []) {
    this.board = board;
    document.body.append(this.#tooltip);
    for (const part of [board.box, board.choices, ...others]) this.#listen(part);
    addEventListener("scroll", () => this.hide(), { capture: true, passive: true });
    addEventListener("keydown", ({ key }) => key === "Escape" && this.hide());
    const { intercept } = board;
    board.intercept = (name, touch) => this.#intercept(name) || intercept(name, touch);
  }

  /**
   * Let a button switch between explaining and playing.
   * @param {HTMLElement} button
   */
  connectMode(button) {
    button.addEventListener("click", () => {
      this.#mode = !this.#mode;
      this.hide();
      button.setAttribute("aria-pressed", String(this.#mode));
      document.body.classList.toggle("explaining", this.#mode);
      announce(this.#mode ? "Select anything to have it explained." : "Explanations are off.");
    });
  }

  /** @param {Element} root */
  #listen(root) {
    const on = (/** @type {string} */ type, /** @type {(event: any) => void} */ listener) =>
      root.addEventListener(type, listener);
    on("pointerover", (/** @type {PointerEvent} */ event) => this.#onHover(event));
    on("pointerleave", () => this.hide());
    on("pointerdown", (/** @type {PointerEvent} */ event) => this.#onPress(event));
    for (const type of ["pointerup", "pointercancel"]) on(type, () => clearTimeout(this.#timer));
    on("contextmenu", (/** @type {Event} */ event) => this.#pressed && event.preventDefault());
    on("keydown", (/** @type {KeyboardEvent} */ event) => this.#onKey(event));
    root.addEventListener("click", (event) => this.#onClick(event), true);
  }

  /** @param {PointerEvent} event */
  #onHover({ target, pointerType }) {
    const part = explainedPart(target);
    if (pointerType === "touch" || part === this.#shown) return;
    this.hide();
    if (part && nameOf(part) === this.#quiet) return;
    this.#quiet = null;
    if (part) this.#timer = setTimeout(() => this.show(part), HOVER_MS);
  }

  /** @param {PointerEvent} event */
  #onPress({ target, pointerType, clientX, clientY }) {
    this.hide();
    this.#pressed = false;
    const part = explainedPart(target);
    this.#quiet = part && nameOf(part);
    if (pointerType !== "touch" || !part) return;
    this.#timer = setTimeout(() => {
      this.#pressed = true;
      this.show(part, { aloud: true });
    }, LONG_PRESS_MS);
    const stop = (/** @type {PointerEvent} */ moved) => {
      if (Math.hypot(moved.clientX - clientX, moved.clientY - clientY) < MAX_MOVE_PX) return;
      clearTimeout(this.#timer);
      removeEventListener("pointermove", stop);
    };
    addEventListener("pointermove", stop);
    addEventListener("pointerup", () => removeEventListener("pointermove", stop), { once: true });
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const part = explainedPart(event.target);
    if (event.key !== "?" || !part) return;
    event.preventDefault();
    this.show(part, { aloud: true });
  }

  /**
   * A tap on a hand or a score explains it at once; the click after a long press does not count.
   * @param {Event} event
   */
  #onClick(event) {
    const part = explainedPart(event.target);
    if (this.#pressed) {
      this.#pressed = false;
      event.stopPropagation();
      event.preventDefault();
    } else if (part && !part.hasAttribute("data-spot")) this.show(part, { aloud: true });
  }

  /** @param {string} name */
  #intercept(name) {
    clearTimeout(this.#timer);
    const part = this.#find(name);
    if (!part || (this.board.interactive && !this.#mode)) return false;
    this.show(part, { aloud: true });
    return true;
  }

  /** @param {string} name */
  #find(name) {
    const selector = `[data-spot="${CSS.escape(name)}"]`;
    return this.board.box.querySelector(selector) ?? this.board.choices.querySelector(selector);
  }

  /**
   * Return what the server says about a spot, hand or choice of the position that is shown.
   * @param {string} name
   * @param {string[]} clicked
   * @returns {Promise<Explanation>}
   */
  explain(name, clicked) {
    const { snapshot } = this.board;
    if (!snapshot) return Promise.reject(new Error("No position is shown."));
    const { game, options, position } = snapshot;
    const key = JSON.stringify([game, position, clicked, name]);
    let found = this.#cache.get(key);
    if (!found) {
      found = post("/api/explain", { game, options, position, clicked, name });
      found.catch(() => this.#cache.delete(key));
      if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
      this.#cache.set(key, found);
    }
    return found;
  }

  /**
   * Show what something is next to it.
   * @param {Element} part
   * @param {{ aloud?: boolean }} [options] whether to announce it for screen readers
   */
  async show(part, { aloud = false } = {}) {
    this.hide();
    this.#shown = part;
    const text = part.getAttribute("data-explain") ?? (await this.#what(nameOf(part)));
    if (!text || this.#shown !== part || !part.isConnected) return;
    this.#tooltip.textContent = text;
    this.#tooltip.hidden = false;
    this.#place(part.getBoundingClientRect());
    if (aloud) announce(text);
  }

  /** @param {string} name */
  async #what(name) {
    try {
      return (await this.explain(name, [])).what;
    } catch {
      return ""; // only a convenience
    }
  }

  /**
   * Place the tooltip next to a rectangle of the window: above it if there is room, and where it
   * covers least of what the board shows of a move.
   * @param {DOMRect} target
   */
  #place(target) {
    const { offsetWidth, offsetHeight, style } = this.#tooltip;
    const preview = this.board.box.querySelectorAll(".preview > :not(defs)");
    const shown = [...preview, ...this.board.box.querySelectorAll(".spot.selected")];
    const [x, y] = tooltipCorner(
      target,
      [offsetWidth, offsetHeight],
      shown.map((part) => part.getBoundingClientRect()),
    );
    style.left = `${x}px`;
    style.top = `${y}px`;
  }

  hide() {
    clearTimeout(this.#timer);
    this.#shown = null;
    this.#tooltip.hidden = true;
  }
}
