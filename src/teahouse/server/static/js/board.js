// An interactive board: shows snapshots, and turns clicks, taps and keys into moves.
import { animateMove, placement, shake } from "./animation.js";
import { announce } from "./announce.js";
import { arrowPath } from "./arrow.js";
import { isArrowKey } from "./arrow-keys.js";
import { BoardFocus } from "./board-focus.js";
import { choiceButtons, renderChoices } from "./choices.js";
import { parseSvg, svgElement } from "./dom.js";
import { flip } from "./flip.js";
import { nearestTarget } from "./nearest.js";
import { legalMoves, Pointing } from "./pointing.js";
import { showViewBox } from "./view-box.js";

/** @import { Snapshot } from "./protocol.js" */

const MAX_SPOKEN_TARGETS = 6;

/**
 * Return whether a snapshot follows another one within the turn of one player.
 * @param {Snapshot | null} before
 * @param {Snapshot} after
 */
const isMidTurn = (before, after) =>
  before !== null && after.ply === before.ply + 1 && after.player === before.player;

export class Board {
  /**
   * Called with a move that was entered.
   * @type {(move: string, snapshot: Snapshot) => void}
   */
  onmove = () => {};
  /**
   * Called when a snapshot is shown, before its animation.
   * @type {(snapshot: Snapshot) => void}
   */
  onshow = () => {};
  /**
   * Called when a spot cannot be clicked, with the names that were chosen before.
   * @type {(name: string, chosen: string[]) => void}
   */
  onrefuse = () => {};
  /**
   * Called before a click is processed; return true to swallow it.
   * @type {(name: string, touch: boolean) => boolean}
   */
  intercept = () => false;
  /** Called when the selection has changed. */
  onselect = () => {};

  /**
   * @param {HTMLElement} box contains the SVG
   * @param {HTMLElement} choices contains the buttons for choices
   * @param {string} prefix for ids inside the SVG, to tell several boards of a page apart
   */
  constructor(box, choices, prefix = "") {
    this.box = box;
    this.choices = choices;
    this.prefix = prefix;
    this.svg = box.querySelector("svg");
    this.flipped = false;
    /** @type {Snapshot | null} */
    this.snapshot = null;
    this.pointing = new Pointing([]);
    /** @type {string[]} */
    this.hint = [];
    this.focus = new BoardFocus(this);
    this.queue = Promise.resolve();
    this.queued = 0;
    /** Whether a finger points, as opposed to a mouse or a key. */
    this.touch = false;
    const onPointer = (/** @type {PointerEvent} */ { pointerType }) => {
      this.touch = pointerType === "touch";
    };
    for (const part of [box, choices]) part.addEventListener("pointerdown", onPointer, true);
    box.addEventListener("click", (event) => this.#onClick(event));
    for (const part of [box, choices]) {
      part.addEventListener("keydown", (event) => this.#onKey(event));
    }
  }

  /** Whether moves can be entered. */
  get interactive() {
    return this.pointing.hasMoves;
  }

  /**
   * Show a snapshot after the animations of those before it.
   * @param {Snapshot} snapshot
   * @param {{ interactive?: boolean, animate?: boolean }} [options]
   */
  show(snapshot, { interactive = false, animate = false } = {}) {
    this.queued += 1;
    this.queue = this.queue.then(async () => {
      this.queued -= 1;
      await this.#show(snapshot, interactive, animate && this.queued === 0);
    });
    return this.queue;
  }

  /** @param {boolean} interactive */
  setInteractive(interactive) {
    this.#startPointing(interactive);
    this.update();
  }

  /** @param {boolean} interactive */
  #startPointing(interactive) {
    const within = this.spots.map(({ dataset }) => [dataset.spot, dataset.within ?? ""]);
    const legal = interactive && this.snapshot ? legalMoves(this.snapshot) : [];
    this.pointing = new Pointing(legal, Object.fromEntries(within));
  }

  /** Accept no more clicks, but keep showing what was chosen. */
  freeze() {
    const { chosen } = this.pointing;
    this.pointing = new Pointing([]);
    this.pointing.chosen = chosen;
    this.update();
  }

  /** @param {string[]} clickPath */
  showHint(clickPath) {
    this.hint = clickPath;
    this.update();
  }

  /** @param {boolean} flipped */
  setFlipped(flipped) {
    if (flipped === this.flipped) return;
    this.flipped = flipped;
    if (this.svg) flip(this.svg);
  }

  /**
   * @param {Snapshot} snapshot
   * @param {boolean} interactive
   * @param {boolean} animate
   */
  async #show(snapshot, interactive, animate) {
    const [before, shown] = [this.svg, this.snapshot];
    const focused = this.focus.name;
    const svg = parseSvg(this.#withPrefix(snapshot.svg));
    if (this.flipped) flip(svg);
    this.snapshot = snapshot;
    this.svg = svg;
    this.hint = [];
    if (before) before.replaceWith(svg);
    else this.box.append(svg);
    svg.setAttribute("focusable", "false");
    for (const spot of this.spots) spot.setAttribute("role", "button");
    const withPrefix = (/** @type {string} */ icon) => this.#withPrefix(icon);
    renderChoices(this.choices, snapshot.choices, withPrefix, (name) => {
      if (!this.intercept(name, this.touch)) this.click(name);
    });
    this.#startPointing(interactive);
    this.update();
    if (focused) this.focus.restore(this.find(focused));
    if (before) showViewBox(before, svg, isMidTurn(shown, snapshot));
    this.onshow(snapshot);
    if (animate && snapshot.last) {
      const { animations } = snapshot.last;
      await animateMove(before, svg, animations, (name) => this.#findOutside(name));
    }
  }

  /** @param {string} svg */
  #withPrefix(svg) {
    if (!this.prefix) return svg;
    return svg.replace(/( id="| href="#|url\(#)/g, `$1${this.prefix}`);
  }

  /** All spots of the position that is shown. */
  get spots() {
    /** @type {NodeListOf<SVGGElement> | undefined} */
    const spots = this.svg?.querySelectorAll("g.spot");
    return [...(spots ?? [])];
  }

  /**
   * Find a choice or a hand, for animations.
   * @param {string} name
   */
  #findOutside(name) {
    const quoted = CSS.escape(name);
    return (
      this.choices.querySelector(`[data-spot="${quoted}"]`) ??
      document.querySelector(`[data-hand="${quoted}"]`)
    );
  }

  /**
   * @param {string} name
   * @returns {SVGElement | null}
   */
  findSpot(name) {
    return this.svg?.querySelector(`.spot[data-spot="${CSS.escape(name)}"]`) ?? null;
  }

  /**
   * @param {string} name
   * @returns {SVGElement | HTMLElement | null}
   */
  find(name) {
    return this.findSpot(name) ?? this.choices.querySelector(`[data-spot="${CSS.escape(name)}"]`);
  }

  /** Update classes and ARIA states: chosen, targets, last move, hint. */
  update() {
    if (!this.svg) return;
    const { chosen } = this.pointing;
    const targets = this.pointing.targets;
    const last = new Set(this.snapshot?.last?.click_path);
    const hint = new Set(this.hint);
    const deciding = new Set(this.snapshot?.deciding);
    const first = chosen.length === 0;
    this.box.classList.toggle("open", this.interactive);
    this.box.classList.toggle("anywhere", this.#mostAreTargets(targets));
    for (const part of [...this.spots, ...choiceButtons(this.choices)]) {
      const name = part.dataset.spot ?? "";
      const isTarget = targets.has(name);
      const isChosen = chosen.includes(name);
      part.classList.toggle("selected", isChosen);
      part.classList.toggle("target", isTarget && !first);
      part.classList.toggle("start", isTarget && first);
      part.classList.toggle("last", last.has(name));
      part.classList.toggle("hint", hint.has(name));
      part.classList.toggle("deciding", deciding.has(name));
      if (part instanceof HTMLButtonElement) {
        part.setAttribute("aria-pressed", String(isChosen));
        part.disabled = !isTarget && !isChosen;
      } else {
        if (isChosen) part.setAttribute("aria-pressed", "true");
        else part.removeAttribute("aria-pressed");
        if (isTarget || isChosen) part.removeAttribute("aria-disabled");
        else part.setAttribute("aria-disabled", "true");
      }
    }
    this.#renderArrow(this.svg);
    this.focus.update();
    const active = document.activeElement;
    if (active instanceof HTMLButtonElement && this.choices.contains(active)) {
      this.focus.restore(active);
    }
  }

  /**
   * Whether most free spots are targets: marking all of them would not help.
   * @param {Set<string>} targets
   */
  #mostAreTargets(targets) {
    const free = this.spots.filter(({ classList }) => !classList.contains("taken"));
    const marked = free.filter(({ dataset }) => targets.has(dataset.spot ?? ""));
    return 2 * marked.length > free.length;
  }

  /**
   * Draw an arrow along the hint.
   * @param {SVGSVGElement} svg
   */
  #renderArrow(svg) {
    svg.querySelector(".arrow")?.remove();
    const spots = this.hint.map((name) => this.findSpot(name)).filter((spot) => spot !== null);
    const points = spots.map(placement).filter((point) => point !== null);
    if (points.length < 2) return;
    svg.append(svgElement("path", { class: "arrow", d: arrowPath(points) }));
  }

  /** @param {MouseEvent} event */
  #onClick(event) {
    const hit = event.target instanceof Element ? event.target.closest("[data-spot]") : null;
    const name = this.#meant(hit?.getAttribute("data-spot") ?? null, event);
    if (!name || this.intercept(name, this.touch)) return;
    this.focus.spot = name;
    this.click(name);
  }

  /**
   * Return the spot that a click is meant for: the one that was hit, or the nearest target if
   * the click has just missed it, next to everything or on the larger spot that contains it.
   * @param {string | null} hit
   * @param {MouseEvent} event
   */
  #meant(hit, { clientX: x, clientY: y }) {
    const { pointing } = this;
    if (hit && (pointing.targetOf(hit) || pointing.isChosen(hit))) return hit;
    const targets = pointing.targets;
    const near = this.spots.filter(({ dataset: { spot = "" } }) => {
      return targets.has(spot) && (!hit || pointing.isWithin(spot, hit));
    });
    return nearestTarget(near, { x, y }, this.touch)?.dataset.spot ?? hit;
  }

  /**
   * Click a spot or choice.
   * @param {string} name
   */
  click(name) {
    if (!this.interactive || !this.snapshot) return;
    const before = [...this.pointing.chosen];
    const canceled = this.pointing.isChosen(name) && !this.pointing.targetOf(name);
    const move = this.pointing.click(name);
    if (move) {
      this.freeze();
      this.onmove(move, this.snapshot);
      return;
    }
    this.update();
    this.onselect();
    const chosen = this.pointing.chosen.at(-1);
    if (chosen) announce(`${this.#label(chosen)}: selected. ${this.#targetsText()}`);
    else if (canceled) announce("Selection cleared.");
    else this.#refuse(name, before);
  }

  /**
   * @param {string} name
   * @param {string[]} chosen
   */
  #refuse(name, chosen) {
    const quoted = CSS.escape(name);
    shake([...this.box.querySelectorAll(`[data-spot="${quoted}"], [data-at="${quoted}"]`)]);
    this.onrefuse(name, chosen);
  }

  /** @param {string} name */
  #label(name) {
    const found = this.find(name);
    return found?.getAttribute("aria-label") ?? found?.textContent ?? name;
  }

  #targetsText() {
    const targets = [...this.pointing.targets];
    if (targets.length > MAX_SPOKEN_TARGETS) return `${targets.length} targets.`;
    return `Next: ${targets.map((name) => this.#label(name)).join("; ")}.`;
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { key } = event;
    const spot = event.target instanceof Element ? event.target.closest(".spot") : null;
    if (isArrowKey(key)) this.focus.move(key);
    else if (key === "Escape") {
      if (!this.pointing.back()) return;
      this.update();
      this.onselect();
      announce("Last click undone.");
    } else if ((key === "Enter" || key === " ") && spot) {
      const name = spot.getAttribute("data-spot") ?? "";
      if (!this.intercept(name, false)) this.click(name);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
