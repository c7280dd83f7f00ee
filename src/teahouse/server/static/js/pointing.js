// A move by pointing: what was pointed at narrows the legal moves until one is left whole. No rule of a game is here.

export class Pointing {
  /** @param legal the legal moves of a view, each with its ways */
  constructor(legal) {
    this.ways = legal.flatMap(({ move, ways }) => ways.map((way) => ({ move, way })));
    this.chosen = [];
    this.pointed = []; // how many were chosen before each pointing
  }

  /** The ways that begin with what was chosen. */
  left(chosen = this.chosen) {
    return this.ways.filter(({ way }) => chosen.every((name, place) => way[place] === name));
  }

  /** What can be pointed at next. */
  next(chosen = this.chosen) {
    return new Set(this.left(chosen).map(({ way }) => way[chosen.length]));
  }

  /**
   * Point at a spot or a choice; `within` are the larger spots it lies on. Answers the move if one is whole now, else null.
   * What is neither next nor a beginning takes the selection back.
   */
  point(name, within = []) {
    const names = [name, ...within];
    const found = names.find((one) => this.next().has(one));
    if (found !== undefined) return this.#choose(found);
    const again = names.map((one) => this.chosen.indexOf(one)).find((place) => place >= 0);
    if (again !== undefined) {
      while (this.chosen.length > again) this.back();
      return null;
    }
    const beginning = names.find((one) => this.next([]).has(one));
    this.clear();
    return beginning === undefined ? null : this.#choose(beginning);
  }

  /** Take the last pointing back; whether there was one. */
  back() {
    if (!this.pointed.length) return false;
    this.chosen.length = this.pointed.pop();
    return true;
  }

  /** Take everything back. */
  clear() {
    this.chosen = [];
    this.pointed = [];
  }

  #choose(name) {
    this.pointed.push(this.chosen.length);
    this.chosen.push(name);
    // Steps without a choice are taken by themselves, but the last one is always the player's.
    for (let next = this.next(); next.size === 1; next = this.next()) {
      if (this.left().some(({ way }) => way.length <= this.chosen.length + 1)) break;
      this.chosen.push([...next][0]);
    }
    const whole = this.left().find(({ way }) => way.length === this.chosen.length);
    return whole?.move ?? null;
  }
}
