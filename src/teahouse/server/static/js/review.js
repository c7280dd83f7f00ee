// Looking at any position of a game, and at variations that are tried out beside it. The game itself is not touched.
import { post } from "./api.js";

export class Review {
  /** Called with the view to show and how it was come to: "on" is one move forward. */
  onview = () => {};
  /** Called when the line or the place in it has changed. */
  onchange = () => {};
  /** Called with an error. */
  onerror = () => {};

  /**
   * @param load finds the view of a ply of the game
   * @param setup the game and its options
   */
  constructor(load, setup) {
    this.load = load;
    this.setup = setup;
    this.moves = [];
    this.variations = [];
    this.line = null;
    this.ply = 0;
    this.views = new Map();
    this.turn = 0;
  }

  /** The moves of the game; what no longer belongs to them is dropped. */
  set(moves, view) {
    const texts = moves.map(({ move }) => move);
    const same = this.moves.findIndex(({ move }, ply) => move !== texts[ply]);
    if (same >= 0) {
      for (const key of this.views.keys()) if (parseInt(key) > same) this.views.delete(key);
      this.variations = this.variations.filter(({ at }) => at <= same);
      if (this.line && !this.variations.includes(this.line)) this.line = null;
      if (!this.line) this.ply = Math.min(this.ply, moves.length);
    }
    this.moves = moves.slice();
    if (view) this.views.set(`${moves.length}`, view);
    this.onchange();
  }

  /** Whether the last position of the game is shown. */
  get live() {
    return !this.line && this.ply === this.moves.length;
  }

  get #end() {
    return this.line ? this.line.at + this.line.moves.length : this.moves.length;
  }

  get canBack() {
    return this.ply > 0;
  }

  get canOn() {
    return this.ply < this.#end;
  }

  step(where) {
    if (where === "first") return this.go(null, 0);
    if (where === "last") return this.go(this.line, this.#end);
    if (where === "back" && this.canBack) return this.go(this.line, this.ply - 1);
    if (where === "on" && this.canOn) return this.go(this.line, this.ply + 1);
    return null;
  }

  /** Show a ply of the game (`line` null) or of a variation. */
  async go(line, ply) {
    const on = ply === this.ply + 1 && (line === this.line || line?.at === this.ply);
    this.line = line && ply > line.at ? line : null;
    this.ply = ply;
    this.turn += 1;
    const turn = this.turn;
    this.onchange();
    try {
      const view = await this.#view(this.line, ply);
      if (turn === this.turn) this.onview(view, on);
    } catch (error) {
      this.onerror(error);
    }
  }

  /** Follow the game again, without showing anything: the caller does. */
  home() {
    this.line = null;
    this.ply = this.moves.length;
    this.turn += 1;
    this.onchange();
  }

  /** Play a move of the view that is shown, in the line it belongs to or in a new one. */
  try(move, view) {
    const { player, says } = { player: view.player, ...view.legal.find((one) => one.move === move) };
    const next = this.line
      ? this.line.moves[this.ply - this.line.at]
      : this.moves[this.ply];
    if (next?.move === move) return this.go(this.line, this.ply + 1);
    const at = this.line ? this.line.at : this.ply;
    const tried = this.line ? this.line.moves.slice(0, this.ply - at) : [];
    const moves = [...tried, { move, player, says }];
    const begins = (line) =>
      line.at === at && moves.every((one, place) => line.moves[place]?.move === one.move);
    let line = this.variations.find(begins);
    if (!line && this.line && !next) {
      line = this.line;
      line.moves.push(moves.at(-1));
    } else if (!line) {
      line = { at, moves };
      this.variations.push(line);
    }
    return this.go(line, at + moves.length);
  }

  /** What the house needs to find the position that is shown. */
  async asked() {
    const base = this.line ? this.line.at : this.ply;
    const { position } = await this.#view(null, base);
    const moves = this.line ? this.line.moves.slice(0, this.ply - base) : [];
    return { ...this.setup, start: position, moves: moves.map(({ move }) => move) };
  }

  async #view(line, ply) {
    const tried = line ? line.moves.slice(0, ply - line.at).map(({ move }) => move) : [];
    const key = line ? [line.at, ...tried].join(" ") : `${ply}`;
    const known = this.views.get(key);
    if (known) return known;
    let view;
    if (line) {
      const { position } = await this.#view(null, line.at);
      view = (await post("/api/explore", { ...this.setup, start: position, moves: tried })).view;
    } else view = await this.load(ply);
    this.views.set(key, view);
    return view;
  }
}
