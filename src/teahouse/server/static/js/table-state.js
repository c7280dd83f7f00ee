// The state of a table: received once in full, then updated by events.
import { resultText } from "./wording.js";

/** @import { StateMessage, TableEvent, TableMessage } from "./protocol.js" */

export class TableState {
  /** @param {TableMessage} message */
  constructor(message) {
    this.seq = message.seq;
    this.info = message.table;
    this.state = message.state;
    this.moves = message.moves;
    this.chat = message.chat;
    this.hasEarlierChat = message.earlier_chat;
    this.snapshot = message.snapshot;
    this.snapshotSeq = message.seq;
    this.heldSeats = message.your_seats;
    this.spectators = message.spectators;
    /** When the state has arrived, by `performance.now()`. */
    this.received = performance.now();
  }

  /**
   * Apply a message; return its events that are new.
   * @param {StateMessage} message
   */
  apply(message) {
    if (message.type === "table") {
      Object.assign(this, new TableState(message));
      return [];
    }
    if (message.type === "presence") {
      this.spectators = message.spectators;
      for (const [seat, online] of message.online.entries()) this.state.seats[seat].online = online;
      return [];
    }
    if (message.type === "snapshot") {
      if (message.seq < this.snapshotSeq) return [];
      this.snapshot = message.snapshot;
      this.snapshotSeq = message.seq;
      return [];
    }
    const events = message.events.filter(({ seq }) => seq > this.seq);
    for (const event of events) this.#applyEvent(event);
    this.seq = Math.max(this.seq, message.seq);
    this.state = message.state;
    this.received = performance.now();
    if (message.your_seats) this.heldSeats = message.your_seats;
    if (message.snapshot) this.snapshot = message.snapshot;
    return events;
  }

  /** @param {TableEvent} event */
  #applyEvent(event) {
    if (event.type === "moved") {
      const { move, seat, description } = event;
      this.moves.length = event.ply;
      this.moves.push({ move, player: seat, description });
    } else if (event.type === "took_back") this.moves.length = event.ply;
    else if (event.type === "chatted") this.chat.push(event);
  }

  /** The seats that this browser plays; a seat that was handed over to a bot is not one. */
  get yourSeats() {
    return this.heldSeats.filter((seat) => this.state.seats[seat].kind !== "bot");
  }

  /** The seats for which this browser can ask for a rematch: also those handed over to a bot. */
  get rematchSeats() {
    return this.heldSeats.filter((seat) => {
      const { kind, left } = this.state.seats[seat];
      return kind !== "bot" || left;
    });
  }

  /** Whether this browser can ask for a rematch: nobody plays any more, but perhaps bots. */
  get canRematch() {
    const { over, seats } = this.state;
    return this.rematchSeats.length > 0 && (over || seats.every(({ kind }) => kind === "bot"));
  }

  /** Whether this browser plays a seat. */
  get isSeated() {
    return this.yourSeats.length > 0;
  }

  /** The only seat that this browser plays, or null if it has none or several. */
  get ownSeat() {
    return this.yourSeats.length === 1 ? this.yourSeats[0] : null;
  }

  /** Whether the player to move is at this browser. */
  get isYourTurn() {
    const { over, player } = this.state;
    return !over && player !== null && this.yourSeats.includes(player);
  }

  /** Whether moves can be planned ahead: in a correspondence or untimed game with other people. */
  get canPlan() {
    const { ownSeat, state, info } = this;
    if (ownSeat === null || state.over || info.time_control.kind === "realtime") return false;
    return state.seats.some(({ kind }, seat) => kind !== "bot" && seat !== ownSeat);
  }

  /** Whether a move can be entered: not before the snapshot of the current position is here. */
  get canMove() {
    return this.isYourTurn && this.snapshot.ply === this.state.ply;
  }

  /** The seat that commands are sent for: the player to move if it is yours, else your first. */
  get actingSeat() {
    return this.isYourTurn && this.state.player !== null ? this.state.player : this.yourSeats[0];
  }

  /**
   * Return the name of who plays a seat, or of the person who did before a bot took over.
   * @param {number} seat
   * @param {boolean} [before]
   */
  displayName(seat, before = false) {
    const { name, kind, left } = this.state.seats[seat];
    if (kind === "bot" && !(before && left)) return "Computer";
    if (name) return name;
    if (!this.yourSeats.includes(seat)) return "Guest";
    return this.ownSeat === seat ? "You" : this.info.players[seat];
  }

  /** The result and its reason, or an empty text during the game. */
  get resultText() {
    return this.state.over ? resultText(this.state, this.info.players, this.ownSeat) : "";
  }
}
