// A board one can touch: shows views, and turns clicks, taps and keys into moves.
import { announce } from "./announce.js";
import { following, isArrow } from "./directions.js";
import { element, picture } from "./dom.js";
import { animate, follow, placed } from "./motion.js";
import { Pointing } from "./pointing.js";
import { turn } from "./turning.js";

const SVG = "http://www.w3.org/2000/svg";

export class Board {
  /** Called with a move that was pointed out. */
  onmove = () => {};
  /** Called when pieces have been set in motion by a view. */
  onshow = () => {};

  /**
   * @param box where the picture goes
   * @param choices where buttons for choices go
   * @param prefix set apart from other boards on the page
   */
  constructor(box, choices, prefix = "") {
    this.box = box;
    this.choices = choices;
    this.prefix = prefix;
    this.svg = box.querySelector("svg");
    this.turned = false;
    this.view = null;
    this.pointing = new Pointing([]);
    this.hint = [];
    this.focus = null;
    this.line = Promise.resolve();
    this.queued = 0;
    box.addEventListener("click", (event) => this.#clicked(event));
    for (const part of [box, choices]) {
      part.addEventListener("keydown", (event) => this.#key(event));
    }
  }

  /**
   * Show a view, after those shown before have come to rest.
   * @param open whether moves may be made
   * @param moving whether the last move is to be seen
   */
  show(view, { open = false, moving = false } = {}) {
    this.queued += 1;
    this.line = this.line.then(async () => {
      this.queued -= 1;
      await this.#show(view, open, moving && this.queued === 0);
    });
    return this.line;
  }

  /** Whether moves may be made on what is shown. */
  open(whether) {
    this.pointing = new Pointing(whether && this.view ? this.view.legal : []);
    this.paint();
  }

  /** Let what was pointed at be seen, but take no more for now. */
  hold() {
    const { chosen } = this.pointing;
    this.pointing = new Pointing([]);
    this.pointing.chosen = chosen;
    this.paint();
  }

  /** Show where a hint points, or no longer. */
  advise(steps) {
    this.hint = steps ?? [];
    this.paint();
  }

  /** Show the board from the other side, or from this one again. */
  turn(whether) {
    if (whether === this.turned) return;
    this.turned = whether;
    if (this.svg) turn(this.svg);
  }

  async #show(view, open, moving) {
    const before = this.svg;
    const focused = this.#focused();
    const svg = picture(this.#own(view.svg));
    if (this.turned) turn(svg);
    this.view = view;
    this.svg = svg;
    this.hint = [];
    if (before) before.replaceWith(svg);
    else this.box.append(svg);
    svg.setAttribute("focusable", "false");
    for (const spot of this.spots()) spot.setAttribute("role", "button");
    this.#fill(view.choices);
    this.pointing = new Pointing(open ? view.legal : []);
    this.paint();
    if (focused) this.#element(focused)?.focus();
    if (before) follow(svg, before.getAttribute("viewBox"), svg.getAttribute("viewBox"));
    this.onshow(view);
    if (moving && view.last) {
      await animate(before, svg, view.last.travels, (name) => this.#beside(name));
    }
  }

  /** Names inside a picture, set apart from those of other boards on the page. */
  #own(svg) {
    if (!this.prefix) return svg;
    return svg.replace(/( id="| href="#|url\(#)/g, `$1${this.prefix}`);
  }

  spots() {
    return [...this.svg.querySelectorAll(".spot")];
  }

  #beside(name) {
    const quoted = CSS.escape(name);
    return (
      this.choices.querySelector(`[data-spot="${quoted}"]`) ??
      document.querySelector(`[data-hand="${quoted}"]`)
    );
  }

  #element(name) {
    const quoted = CSS.escape(name);
    return (
      this.svg?.querySelector(`.spot[data-spot="${quoted}"]`) ??
      this.choices.querySelector(`[data-spot="${quoted}"]`)
    );
  }

  #focused() {
    const active = document.activeElement;
    const inside = this.box.contains(active) || this.choices.contains(active);
    return inside ? active.dataset.spot : null;
  }

  /** Buttons for what lies beside the board. All have their places, but only those that a legal move uses are seen. */
  #fill(choices) {
    const shown = [...this.choices.children];
    const same =
      shown.length === choices.length &&
      choices.every(({ name }, place) => shown[place].dataset.spot === name);
    this.choices.classList.toggle("none", !choices.length);
    if (!same) {
      this.choices.replaceChildren(
        ...choices.map(({ name }) =>
          element("button", { type: "button", class: "choice", "data-spot": name }),
        ),
      );
    }
    choices.forEach(({ name, label, idle, svg }, place) => {
      const button = this.choices.children[place];
      const small = svg ? [picture(this.#own(svg))] : [];
      button.replaceChildren(...small, label);
      button.onclick = () => this.point(name);
      button.classList.toggle("idle", idle);
    });
  }

  /** Classes and states for what was pointed at, what can be next, what was last and what is hinted at. */
  paint() {
    if (!this.svg) return;
    const { chosen } = this.pointing;
    const next = this.pointing.next();
    const last = new Set(this.view?.last?.steps);
    const hinted = new Set(this.hint);
    const first = chosen.length === 0;
    this.box.classList.toggle("open", this.pointing.ways.length > 0);
    this.box.classList.toggle("anywhere", this.#anywhere(next));
    for (const part of [...this.spots(), ...this.choices.children]) {
      const name = part.dataset.spot;
      const can = next.has(name);
      part.classList.toggle("selected", chosen.includes(name));
      part.classList.toggle("target", can && !first);
      part.classList.toggle("start", can && first);
      part.classList.toggle("last", last.has(name));
      part.classList.toggle("hint", hinted.has(name));
      if (part.localName === "button") {
        part.setAttribute("aria-pressed", chosen.includes(name));
        part.disabled = !can && !chosen.includes(name);
      } else {
        if (chosen.includes(name)) part.setAttribute("aria-pressed", "true");
        else part.removeAttribute("aria-pressed");
        if (can || chosen.includes(name)) part.removeAttribute("aria-disabled");
        else part.setAttribute("aria-disabled", "true");
      }
    }
    this.#arrow();
    this.#rove();
  }

  /** Whether most free places can be chosen, so that signs on all of them would tell nothing. */
  #anywhere(next) {
    const free = this.spots().filter((spot) => !spot.classList.contains("taken"));
    return 2 * free.filter((spot) => next.has(spot.dataset.spot)).length > free.length;
  }

  /** An arrow along what a hint points at. */
  #arrow() {
    this.svg.querySelector(".arrow")?.remove();
    const points = this.hint.map((name) => this.#place(name)).filter(Boolean);
    if (points.length < 2) return;
    const [from, to] = points.slice(-2);
    const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
    const [right, down] = [(to.x - from.x) / length, (to.y - from.y) / length];
    const tip = { x: to.x - 22 * right, y: to.y - 22 * down };
    const barbs = [1, -1].map(
      (side) => `${tip.x - 30 * right + side * 20 * down} ${tip.y - 30 * down - side * 20 * right}`,
    );
    const arrow = document.createElementNS(SVG, "path");
    arrow.setAttribute("class", "arrow");
    const shaft = [...points.slice(0, -1), tip].map(({ x, y }) => `${x} ${y}`).join("L");
    arrow.setAttribute("d", `M${shaft}M${barbs[0]}L${tip.x} ${tip.y}L${barbs[1]}`);
    this.svg.append(arrow);
  }

  #place(name) {
    const spot = this.svg.querySelector(`.spot[data-spot="${CSS.escape(name)}"]`);
    return spot && placed(spot);
  }

  /** One spot can be reached with Tab; arrow keys lead to the others. */
  #rove() {
    const spots = this.spots();
    const next = this.pointing.next();
    const first =
      spots.find((spot) => spot.dataset.spot === this.focus) ??
      spots.find((spot) => next.has(spot.dataset.spot)) ??
      spots[0];
    for (const spot of spots) spot.setAttribute("tabindex", spot === first ? "0" : "-1");
  }

  #clicked(event) {
    const spot = event.target.closest("[data-spot]");
    if (!spot) return;
    this.focus = spot.dataset.spot;
    this.point(spot.dataset.spot);
  }

  /** Point at a spot or a choice. */
  point(name) {
    if (!this.pointing.ways.length) return;
    const within = [];
    for (let outer = this.#element(name)?.dataset.within; outer; ) {
      within.push(outer);
      outer = this.#element(outer)?.dataset.within;
    }
    const before = this.pointing.chosen.length;
    const move = this.pointing.point(name, within);
    if (move) {
      this.hold();
      this.onmove(move, this.view);
      return;
    }
    this.paint();
    const { chosen } = this.pointing;
    if (chosen.length) announce(`${this.#label(chosen.at(-1))}: chosen. ${this.#ahead()}`);
    else if (before) announce("Taken back.");
  }

  #label(name) {
    const found = this.#element(name);
    return found?.getAttribute("aria-label") ?? found?.textContent ?? name;
  }

  #ahead() {
    const next = [...this.pointing.next()];
    if (next.length > 6) return `${next.length} places to choose from.`;
    return `Then ${next.map((name) => this.#label(name)).join("; ")}.`;
  }

  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { key } = event;
    if (isArrow(key)) this.#go(key);
    else if (key === "Escape") {
      if (!this.pointing.back()) return;
      this.paint();
      announce("Taken back.");
    } else if ((key === "Enter" || key === " ") && event.target.closest(".spot")) {
      this.point(event.target.dataset.spot);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Focus the nearest place in the direction of a key. */
  #go(key) {
    const next = this.pointing.next();
    const parts = [...this.spots(), ...this.choices.querySelectorAll("button:enabled")];
    const middles = parts.map((part) => {
      const { left, top, width, height } = part.getBoundingClientRect();
      return { name: part.dataset.spot, x: left + width / 2, y: top + height / 2 };
    });
    // Of places that share a middle, the one that can be chosen counts, else the smallest.
    const places = middles.filter(({ name, x, y }, place) => {
      const others = middles.filter((one, at) => {
        const covers = next.has(one.name) === next.has(name) ? at > place : next.has(one.name);
        return covers && Math.hypot(one.x - x, one.y - y) < 4;
      });
      return others.length === 0;
    });
    const current = this.#focused() ?? this.focus;
    const from = middles.find(({ name }) => name === current) ?? middles[0];
    const name = following(key, from, places);
    if (!name) return;
    this.focus = name;
    this.#rove();
    this.#element(name).focus();
  }
}
