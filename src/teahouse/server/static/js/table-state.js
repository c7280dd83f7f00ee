// What is known of a table: the whole once, then grown by events.

export class TableState {
  constructor() {
    this.number = 0;
    this.table = null;
    this.state = null;
    this.moves = [];
    this.chat = [];
    this.view = null;
    this.yours = [];
    this.watching = 0;
  }

  /** Take in a message; answers the events that are new. */
  apply(message) {
    if (message.type === "table") {
      const { type, ...whole } = message;
      Object.assign(this, whole);
      return [];
    }
    if (message.type === "presence") {
      message.here.forEach((here, seat) => {
        this.state.seats[seat].here = here;
      });
      this.watching = message.watching;
      return [];
    }
    if (message.type === "view" && message.number >= this.number) this.view = message.view;
    if (message.type !== "update") return [];
    const events = message.events.filter(({ number }) => number > this.number);
    for (const event of events) this.#happened(event);
    this.number = Math.max(this.number, message.number);
    this.state = message.state;
    if (message.view) this.view = message.view;
    return events;
  }

  #happened(event) {
    if (event.type === "moved") {
      this.moves.length = event.ply;
      this.moves.push({ move: event.move, player: event.seat, says: event.says });
    } else if (event.type === "taken_back") this.moves.length = event.ply;
    else if (event.type === "said") this.chat.push(event);
  }

  /** Whether this device plays at the table. */
  get seated() {
    return this.yours.length > 0;
  }

  /** Whether the next decision is made on this device. */
  get mine() {
    return !this.state.over && this.yours.includes(this.state.player);
  }

  /** Whether it can be made on the board that is known: its picture may still be on the way. */
  get open() {
    return this.mine && this.view.ply === this.state.ply;
  }

  /** The seat to speak for: who decides if that is here, else the first here. */
  get seat() {
    return this.mine ? this.state.player : this.yours[0];
  }

  /** How a seat is called. */
  called(seat) {
    const { name, kind, level } = this.state.seats[seat];
    if (kind === "bot") return `Bot, level ${level}`;
    if (name || !this.yours.includes(seat)) return name ?? "Guest";
    return this.yours.length === 1 ? "You" : this.table.players[seat];
  }

  /** How the game ended, if not as the rules say; else nothing. */
  get ending() {
    const { over, how, winners } = this.state;
    if (!over || !how) return "";
    if (how === "agreed") return "A draw, as agreed.";
    const names = winners.map((seat) => this.table.players[seat]).join(" and ");
    const why = how === "time" ? "the time is up" : "the others resigned";
    if (winners.length === 0) return `A draw: ${why}.`;
    const others = this.table.players.filter((_, seat) => !winners.includes(seat)).join(" and ");
    const reason = how === "time" ? `${others} ran out of time` : `${others} resigned`;
    return `${names} ${winners.length > 1 ? "win" : "wins"}: ${reason}.`;
  }
}
