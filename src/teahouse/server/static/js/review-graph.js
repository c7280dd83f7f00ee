// The graph of winning chances: a slider over the moves of a game.
import { svgElement } from "./dom.js";
import { GRADES, sideName } from "./review-words.js";
import { percent } from "./wording.js";

/** @import { Review } from "./protocol.js" */
/** @typedef {{ players: string[], teams: number[][], colours: string[] }} Sides */

const HEIGHT = 132;
const EDGE = 8; // left and right of the plot, room for markers
const PROVEN = 6; // height of the band that shows proven results
const KEYS = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1 };
const WRONG = ["inaccuracy", "mistake", "blunder"];

export class Graph {
  /** Called with the ply that was chosen. @type {(ply: number) => void} */
  onchoose = () => {};

  /**
   * @param {HTMLElement} box
   * @param {Sides} sides
   * @param {number} plies moves of the game
   */
  constructor(box, sides, plies) {
    this.box = box;
    this.sides = sides;
    this.plies = plies;
    this.ply = 0;
    /** @type {Review | null} */
    this.review = null;
    box.setAttribute("aria-valuemax", String(plies));
    box.addEventListener("keydown", (event) => this.#onKey(event));
    box.addEventListener("pointerdown", (event) => this.#onPointer(event));
    box.addEventListener("pointermove", (event) => event.buttons && this.#onPointer(event));
    box.addEventListener("pointerup", () => this.onchoose(this.ply));
    new ResizeObserver(() => this.#render()).observe(box);
  }

  /** @param {Review} review */
  update(review) {
    this.review = review;
    this.#render();
  }

  /** @param {number} ply */
  show(ply) {
    this.ply = ply;
    this.#markCurrent();
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { key } = event;
    let ply = this.ply;
    if (key in KEYS) ply += KEYS[/** @type {keyof typeof KEYS} */ (key)];
    else if (key === "Home") ply = 0;
    else if (key === "End") ply = this.plies;
    else if (key === "PageUp" || key === "PageDown") ply = this.#nextWrong(key === "PageUp");
    else return;
    event.preventDefault();
    this.onchoose(Math.max(0, Math.min(this.plies, ply)));
  }

  /**
   * Return the next move that is graded as wrong, or the last one before.
   * @param {boolean} forward
   */
  #nextWrong(forward) {
    const wrong = (this.review?.moves ?? [])
      .filter(({ grade }) => grade && WRONG.includes(grade))
      .map(({ number }) => number);
    const next = forward
      ? wrong.find((number) => number > this.ply)
      : wrong.findLast((number) => number < this.ply);
    return next ?? this.ply;
  }

  /** @param {PointerEvent} event */
  #onPointer(event) {
    const { left, width } = this.box.getBoundingClientRect();
    const share = (event.clientX - left - EDGE) / Math.max(1, width - 2 * EDGE);
    this.show(Math.round(Math.max(0, Math.min(1, share)) * this.plies));
    if (event.type === "pointerdown") this.box.setPointerCapture(event.pointerId);
  }

  get #width() {
    return Math.max(160, this.box.clientWidth);
  }

  /** @param {number} ply */
  #x(ply) {
    return EDGE + (ply / Math.max(1, this.plies)) * (this.#width - 2 * EDGE);
  }

  /** @param {number} chance */
  #y(chance) {
    return (1 - chance) * (HEIGHT - PROVEN - 2);
  }

  #render() {
    const size = { width: this.#width, height: HEIGHT };
    const svg = svgElement("svg", {
      viewBox: `0 0 ${size.width} ${size.height}`,
      "aria-hidden": "true",
    });
    if (this.review) {
      svg.append(...this.#areas(this.review), ...this.#proven(this.review));
      const middle = this.#y(0.5);
      svg.append(
        svgElement("path", { class: "half", d: `M${EDGE} ${middle}H${size.width - EDGE}` }),
      );
      svg.append(...this.#marks(this.review));
    }
    svg.append(
      svgElement("path", { class: "current halo" }),
      svgElement("path", { class: "current" }),
    );
    this.box.replaceChildren(svg);
    this.#markCurrent();
  }

  /**
   * Return an area for each side, stacked, with a line between two.
   * @param {Review} review
   */
  #areas({ chances }) {
    const shapes = [];
    for (const [side] of this.sides.teams.entries()) {
      for (const run of runs(chances)) {
        const below = run.map((ply) => this.#sum(chances[ply], side));
        const above = run.map((ply) => this.#sum(chances[ply], side + 1));
        const top = run.map((ply, index) => `${this.#x(ply)} ${this.#y(above[index])}`);
        const bottom = run.map((ply, index) => `${this.#x(ply)} ${this.#y(below[index])}`);
        const outline = `M${top.join("L")}L${bottom.reverse().join("L")}Z`;
        const colour = this.sides.colours[this.sides.teams[side][0]];
        shapes.push(svgElement("path", { class: `area dot c-${colour}`, d: outline }));
        if (side + 1 < this.sides.teams.length) {
          shapes.push(svgElement("path", { class: "border", d: `M${top.join("L")}` }));
        }
      }
    }
    return shapes;
  }

  /**
   * Return the chances of the sides below a number.
   * @param {number[] | null} chances
   * @param {number} count
   */
  #sum(chances, count) {
    return (chances ?? []).slice(0, count).reduce((total, one) => total + one, 0);
  }

  /**
   * Return a band below the plot where the result is proven.
   * @param {Review} review
   */
  #proven({ proven }) {
    const step = (this.#width - 2 * EDGE) / Math.max(1, this.plies);
    return proven.flatMap((side, ply) => {
      if (side === null || (ply > 0 && proven[ply - 1] === side)) return [];
      const end = proven.findIndex((other, later) => later > ply && other !== side);
      const last = end < 0 ? this.plies : end - 1;
      const colour = side < 0 ? "none" : this.sides.colours[this.sides.teams[side][0]];
      const x = Math.max(EDGE, this.#x(ply) - step / 2);
      const width = Math.min(this.#width - EDGE, this.#x(last) + step / 2) - x;
      const box = { x, y: HEIGHT - PROVEN, width, height: PROVEN };
      return [svgElement("rect", { class: `proof dot c-${colour}`, ...box })];
    });
  }

  /**
   * Return a sign for each move that is graded as wrong: the worse, the larger.
   * @param {Review} review
   */
  #marks({ moves, chances }) {
    return moves.flatMap(({ number, grade }) => {
      const worth = grade ? WRONG.indexOf(grade) : -1;
      if (worth < 0) return [];
      const [x, y] = [this.#x(number), this.#y(this.#sum(chances[number], 1))];
      const radius = 3 + worth;
      const d =
        worth === 2
          ? `M${x} ${y - radius}L${x + radius} ${y}L${x} ${y + radius}L${x - radius} ${y}Z`
          : `M${x - radius} ${y}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0`;
      return [svgElement("path", { class: `mark ${grade}`, d })];
    });
  }

  /** Move the line of the current ply, and say what it shows. */
  #markCurrent() {
    for (const line of this.box.querySelectorAll(".current")) {
      line.setAttribute("d", `M${this.#x(this.ply)} 0V${HEIGHT}`);
    }
    this.box.setAttribute("aria-valuenow", String(this.ply));
    this.box.setAttribute("aria-valuetext", this.#valueText());
  }

  #valueText() {
    const { review, ply } = this;
    const graded = review?.moves[ply - 1];
    const move = graded ? `Move ${ply}, ${this.sides.players[graded.player]}` : "Start";
    const grade = graded?.grade ? `, ${GRADES[graded.grade].label}` : "";
    return `${move}${grade}: ${chancesText(review, ply, this.sides)}`;
  }
}

/**
 * Return the plies with chances, in runs without gaps.
 * @param {(number[] | null)[]} chances
 */
function runs(chances) {
  /** @type {number[][]} */
  const found = [[]];
  for (const [ply, one] of chances.entries()) {
    if (one) found[found.length - 1].push(ply);
    else if (found[found.length - 1].length) found.push([]);
  }
  return found.filter(({ length }) => length > 0);
}

/**
 * Return the winning chances of all sides in words.
 * @param {Review | null} review
 * @param {number} ply
 * @param {Sides} sides
 */
export function chancesText(review, ply, sides) {
  const chances = review?.chances[ply];
  if (!review || !chances) return "not computed yet";
  const proven = review.proven[ply];
  if (proven !== null && proven !== undefined) {
    return proven < 0 ? "proven draw" : `proven win for ${sideName(sides, proven)}`;
  }
  return chances.map((chance, side) => `${sideName(sides, side)} ${percent(chance)}`).join(", ");
}
