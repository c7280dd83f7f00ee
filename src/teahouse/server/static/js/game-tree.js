// The moves of a game with variations, and the position in them that is shown.
import { post } from "./api.js";

/** @import { ExploreRequest, Options, PlayedMove, Snapshot } from "./protocol.js" */

/** @typedef {{ start: number, moves: PlayedMove[] }} Variation branches off after ply `start` */
/** @typedef {"first" | "back" | "forward" | "last"} Step */

export class GameTree {
  /**
   * Called with the snapshot to show, and whether it is one move forward.
   * @type {(snapshot: Snapshot, forward: boolean) => void}
   */
  onsnapshot = () => {};
  /** Called when the moves or the current position have changed. */
  onchange = () => {};
  /** @type {(error: unknown) => void} */
  onerror = () => {};

  /**
   * @param {(ply: number) => Promise<Snapshot>} loadSnapshot loads a position of the main line
   * @param {{ game: string, options: Options }} setup
   */
  constructor(loadSnapshot, setup) {
    this.loadSnapshot = loadSnapshot;
    this.setup = setup;
    /** @type {PlayedMove[]} */
    this.mainline = [];
    /** @type {Variation[]} */
    this.variations = [];
    /** The current variation, or null on the main line. @type {Variation | null} */
    this.variation = null;
    this.ply = 0;
    /** @type {Map<string, Snapshot>} */
    this.cache = new Map();
    this.navigations = 0;
    /** What was shown last. @type {{ variation: Variation | null, ply: number }} */
    this.shown = { variation: null, ply: 0 };
    /** The navigation that led there. */
    this.settled = 0;
  }

  /** Whether the board still shows another position than the current one. */
  get loading() {
    return this.settled !== this.navigations;
  }

  /**
   * Set the main line. Variations and cached positions that no longer fit are dropped.
   * @param {PlayedMove[]} moves
   * @param {Snapshot | null} snapshot of the last position
   */
  setMainline(moves, snapshot) {
    const changed = this.mainline.findIndex(({ move }, ply) => move !== moves[ply]?.move);
    if (changed >= 0) {
      for (const key of this.cache.keys()) {
        if (Number.parseInt(key, 10) > changed) this.cache.delete(key);
      }
      this.variations = this.variations.filter(({ start }) => start <= changed);
      if (this.variation && !this.variations.includes(this.variation)) this.variation = null;
      if (!this.variation) this.ply = Math.min(this.ply, moves.length);
    }
    this.mainline = moves.slice();
    if (snapshot) this.cache.set(`${moves.length}`, snapshot);
    this.onchange();
  }

  /** Whether the last position of the main line is shown. */
  get atEnd() {
    return !this.variation && this.ply === this.mainline.length;
  }

  get #lastPly() {
    const { variation } = this;
    return variation ? variation.start + variation.moves.length : this.mainline.length;
  }

  get canGoBack() {
    return this.ply > 0;
  }

  get canGoForward() {
    return this.ply < this.#lastPly;
  }

  /** @param {Step} step */
  step(step) {
    if (step === "first") this.goTo(null, 0);
    else if (step === "last") this.goTo(this.variation, this.#lastPly);
    else if (step === "back" && this.canGoBack) this.goTo(this.variation, this.ply - 1);
    else if (step === "forward" && this.canGoForward) this.goTo(this.variation, this.ply + 1);
  }

  /**
   * Show a ply of the main line (null) or of a variation.
   * @param {Variation | null} variation
   * @param {number} ply
   */
  async goTo(variation, ply) {
    const sameLine = variation === this.variation || variation?.start === this.ply;
    const forward = ply === this.ply + 1 && sameLine;
    this.variation = variation && ply > variation.start ? variation : null;
    this.ply = ply;
    this.navigations += 1;
    const navigation = this.navigations;
    this.onchange();
    try {
      const snapshot = await this.#snapshot(this.variation, ply);
      this.#describe(variation, ply, snapshot);
      if (navigation !== this.navigations) return;
      this.#settle();
      this.onsnapshot(snapshot, forward);
    } catch (error) {
      if (navigation === this.navigations) this.#return();
      this.onerror(error);
    }
  }

  #settle() {
    this.shown = { variation: this.variation, ply: this.ply };
    this.settled = this.navigations;
  }

  /** Return to what is shown: the position could not be loaded. */
  #return() {
    const { variation, ply } = this.shown;
    const exists = variation === null || this.variations.includes(variation);
    this.variation = exists ? variation : null;
    this.ply = Math.min(ply, this.#lastPly);
    this.#settle();
    this.onchange();
  }

  /**
   * Replace the description of a legal move by that of the move as played.
   * @param {Variation | null} variation
   * @param {number} ply
   * @param {Snapshot} snapshot
   */
  #describe(variation, ply, snapshot) {
    const played = variation?.moves[ply - variation.start - 1];
    if (played && snapshot.last) played.description = snapshot.last.description;
  }

  /** Go to the end of the main line; the caller shows it. */
  goToEnd() {
    this.variation = null;
    this.ply = this.mainline.length;
    this.navigations += 1;
    this.#settle();
    this.onchange();
  }

  /**
   * Play a legal move of the snapshot that is shown: follow the current line, or branch off.
   * @param {string} move
   * @param {Snapshot} snapshot
   */
  play(move, snapshot) {
    const { variation } = this;
    const start = variation ? variation.start : this.ply;
    const next = variation ? variation.moves[this.ply - start] : this.mainline[this.ply];
    if (next?.move === move) return this.goTo(variation, this.ply + 1);
    const description = snapshot.legal.find((legal) => legal.move === move)?.description ?? move;
    const played = { move, player: snapshot.player ?? 0, description };
    const moves = [...(variation?.moves.slice(0, this.ply - start) ?? []), played];
    let line = this.variations.find(
      (one) =>
        one.start === start && moves.every((made, index) => one.moves[index]?.move === made.move),
    );
    if (!line && variation && !next) {
      line = variation;
      line.moves.push(played);
    } else if (!line) {
      line = { start, moves };
      this.variations.push(line);
    }
    return this.goTo(line, start + moves.length);
  }

  /** The ply of the main line that the current position is at or branches off, and the moves since. */
  get branch() {
    const ply = this.variation ? this.variation.start : this.ply;
    const moves = this.variation ? this.variation.moves.slice(0, this.ply - ply) : [];
    return { ply, moves: moves.map(({ move }) => move) };
  }

  /**
   * Return the request body that describes the current position.
   * @returns {Promise<ExploreRequest>}
   */
  async currentRequest() {
    const { ply, moves } = this.branch;
    const { position } = await this.#snapshot(null, ply);
    return { ...this.setup, start: position, moves };
  }

  /**
   * @param {Variation | null} variation
   * @param {number} ply
   * @returns {Promise<Snapshot>}
   */
  async #snapshot(variation, ply) {
    const moves = variation ? variation.moves.slice(0, ply - variation.start) : [];
    const names = moves.map(({ move }) => move);
    const key = variation ? [variation.start, ...names].join(" ") : `${ply}`;
    const cached = this.cache.get(key);
    if (cached) return cached;
    let snapshot;
    if (variation) {
      const { position } = await this.#snapshot(null, variation.start);
      const request = { ...this.setup, start: position, moves: names };
      snapshot = /** @type {Snapshot} */ ((await post("/api/explore", request)).snapshot);
    } else snapshot = await this.loadSnapshot(ply);
    this.cache.set(key, snapshot);
    return snapshot;
  }
}
