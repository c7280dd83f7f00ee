// A table on its page: shows what the server sends, and sends what the players do.
import { confirmDialog, endButtons, gameButtons, renderButtons } from "./actions.js";
import { announce } from "./announce.js";
import { getJson, getText, post } from "./api.js";
import { connectChat, renderChat } from "./chat.js";
import { Clocks } from "./clock.js";
import { Coach } from "./coach.js";
import { byId, setText } from "./dom.js";
import { GameViewer } from "./game-viewer.js";
import { openNextGame } from "./next-game.js";
import { renderOffers } from "./offers.js";
import { renderPace } from "./pace.js";
import { renderPeople, renderTurn } from "./seats.js";
import { renderShare, saveRecord } from "./share.js";
import { openPage } from "./site-path.js";
import { StartLimit } from "./start-limit.js";
import * as storage from "./storage.js";
import { showEvent } from "./table-events.js";
import { TableState } from "./table-state.js";
import { pageTitle, setTitle } from "./waiting-games.js";
import { botStatusText } from "./wording.js";

/** @import { Connection } from "./connection.js" */
/** @import { Command, Hint, StateMessage } from "./protocol.js" */
/** @import { Offer, TableEvent, TableMessage } from "./protocol.js" */

export class TablePage {
  #title = pageTitle();
  #clocks = new Clocks();
  #startLimit = new StartLimit();
  /** Whether moves are explored instead of played. */
  #exploring = false;
  /** Whether they are entered as conditional moves. */
  #planning = false;
  /** In correspondence and untimed games. @type {import("./conditional.js").ConditionalPanel | null} */
  #conditional = null;
  /** The link of the stored record. @type {string | null} */
  #record = null;
  /** Moves received since a position was shown. */
  #newMoves = 0;
  /** The player's next game of the tournament. @type {string | null} */
  #nextGame = null;
  /** Whether this browser has no seat in the rematch. */
  #leftOut = false;

  /**
   * @param {TableMessage} message
   * @param {Connection} connection
   */
  constructor(message, connection) {
    this.connection = connection;
    this.table = new TableState(message);
    const { id, players, game, options } = this.table.info;
    const loadSnapshot = (/** @type {number} */ ply) => getJson(`/api/tables/${id}/plies/${ply}`);
    this.viewer = new GameViewer(players, { game, options }, loadSnapshot);
    this.viewer.onmove = (move, snapshot) => this.#onMove(move, snapshot.ply);
    this.viewer.onchange = () => this.#refresh();
    this.coach = Coach.create(this.table, byId("status"));
    if (this.table.isSeated) storage.updateTable(id, {});
    this.#sendName({ replace: false });
    addEventListener("name-changed", () => this.#sendName({ replace: true }));
    connectChat((text) => this.#send({ type: "chat", seat: this.table.actingSeat, text }));
  }

  get #tree() {
    return this.viewer.tree;
  }

  get #board() {
    return this.viewer.board;
  }

  /** Whether the current position of the game is shown. */
  get #live() {
    return this.#tree.atEnd && !this.#exploring;
  }

  /** @param {StateMessage} message */
  receive(message) {
    const { table } = this;
    const { offers } = table.state;
    const events = table.apply(message);
    if (message.type === "table") this.#exploring = this.#planning = false;
    this.viewer.ownSeat = table.ownSeat;
    const live = this.#live;
    const isCurrent = table.snapshot.ply === table.moves.length;
    this.#tree.setMainline(table.moves, isCurrent ? table.snapshot : null);
    if (live || message.type === "table") this.#tree.goToEnd();
    for (const event of events) this.#onEvent(event, offers);
    if ("snapshot" in message && message.snapshot) this.#onSnapshot();
    else if (live && !table.canMove) this.#board.freeze(); // until the snapshot arrives
    this.#clocks.set(table.state.clock);
    if (table.state.over && table.info.tournament) this.#watchTournament();
    this.#startLimit.set(table);
    const moved = events.some(({ type }) => ["moved", "took_back", "ended"].includes(type));
    if (message.type === "table" || moved) this.#loadConditional();
    this.coach?.update();
    this.#refresh();
  }

  /** A new snapshot of the game has arrived: show it, unless the user looks at another position. */
  #onSnapshot() {
    const { snapshot, canMove } = this.table;
    const animate = this.#newMoves === 1;
    this.#newMoves = 0;
    const shown = this.#board.snapshot;
    const same = shown?.ply === snapshot.ply && shown.position === snapshot.position;
    if (same && canMove && this.#board.interactive) return; // keep the selection
    if (canMove || snapshot.over) announce(this.viewer.prompt(snapshot));
    if (this.#live) this.#board.show(snapshot, { interactive: canMove, animate });
  }

  /**
   * @param {TableEvent} event
   * @param {Offer[]} offers those that were pending before
   */
  #onEvent(event, offers) {
    if (event.type === "moved") this.#newMoves += 1;
    if (event.type === "rematched") this.#onRematch(event);
    showEvent(event, this.table, this.viewer, offers);
  }

  /**
   * Go to the rematch with those who have agreed to it.
   * @param {{ table: string, without?: number[] }} event a server of an earlier version leaves out nobody
   */
  #onRematch({ table, without = [] }) {
    const { heldSeats } = this.table;
    this.#leftOut = heldSeats.every((seat) => without.includes(seat));
    if (!this.#leftOut) this.#followRematch(table);
    else if (heldSeats.length) this.viewer.showNotice("The others play a rematch without you.");
  }

  /** After a game of a tournament, lead to the next one. */
  async #watchTournament() {
    const { watchNextGame } = await import("./tournament-next.js");
    watchNextGame(this.table, (next) => {
      this.#nextGame = next;
      this.viewer.showNotice("Your next game of the tournament has begun.");
      this.#refresh();
    });
  }

  /** Load the conditional moves, in games that have them. */
  async #loadConditional() {
    if (!this.table.canPlan && !this.#conditional) return;
    const { ConditionalPanel } = await import("./conditional.js");
    const { tree, board } = this.viewer;
    this.#conditional ??= new ConditionalPanel(
      this.table,
      tree,
      () => board.snapshot,
      () => {
        this.#actions.return();
        board.focus.toStop(); // the panel may be gone
      },
    );
    await this.#conditional.load();
  }

  #refresh() {
    const { table } = this;
    const view = {
      exploring: this.#exploring,
      planning: this.#planning,
      atEnd: this.#tree.atEnd,
      nextGame: this.#nextGame,
    };
    const seats = byId("seats");
    renderPeople(seats, table);
    seats.classList.remove("pending"); // now each is at its place
    if (!renderOffers(byId("offers"), table, this.#offerActions)) this.#board.focus.toStop();
    renderButtons(byId("actions"), gameButtons(table, view), this.#actions);
    renderButtons(byId("end-actions"), endButtons(table, view), this.#actions);
    this.#conditional?.render(this.#planning);
    renderPace(byId("pace"), table, (pace) => this.#send({ type: "pace", seat: 0, ...pace }));
    setText(byId("bot-status"), botStatusText(table.state.bot_status));
    renderChat(table);
    renderShare(byId("share-links"), table, (error) => this.viewer.showError(error));
    const { spectators } = table;
    const count = spectators === 1 ? "1 spectator" : `${spectators} spectators`;
    setText(byId("spectators"), spectators ? count : "");
    if (this.#live && table.state.over) {
      const { winners } = table.state;
      renderTurn(seats, { player: null, over: true, winners });
      this.viewer.showResult(table.state);
    }
    document.body.classList.toggle("exploring", !this.#live);
    setTitle(table.isYourTurn ? `● ${this.#title}` : this.#title);
  }

  /**
   * Send a command; return whether the server accepted it.
   * @param {Command} command
   */
  async #send(command) {
    try {
      await this.connection.request(command);
      return true;
    } catch (error) {
      this.viewer.showError(error); // which is announced, as all notices are
      return false;
    }
  }

  /**
   * Name the player's only seat.
   * @param {{ replace: boolean }} options whether to replace another name
   */
  #sendName({ replace }) {
    const name = storage.playerName();
    const seat = this.table.ownSeat;
    if (!name || seat === null) return;
    const { name: current, account } = this.table.state.seats[seat];
    if (account) return; // it has the account's name
    if (current !== name && (replace || !current)) this.#send({ type: "rename", seat, name });
  }

  /**
   * @param {string} move
   * @param {number} ply
   */
  async #onMove(move, ply) {
    const { table } = this;
    const { snapshot } = this.#board;
    if (!this.#live || !table.isYourTurn) {
      if (snapshot) this.#tree.play(move, snapshot);
      return;
    }
    const played = await this.#send({ type: "play", seat: table.actingSeat, ply, move });
    if (!played) this.#board.setInteractive(this.#tree.atEnd && table.canMove);
    else if (preferences.get().nextGame && !table.isYourTurn && table.canPlan) {
      openNextGame(table.info.id, { stay: true });
    }
  }

  /** @param {string} id */
  #followRematch(id) {
    if (this.table.heldSeats.length && !this.#leftOut) {
      const { secrets } = storage.table(this.table.info.id);
      storage.updateTable(id, { secrets });
    }
    openPage(storage.tablePath(id));
  }

  /** @param {"takeback" | "draw" | "rematch"} offer */
  #offer(offer) {
    const { actingSeat, rematchSeats } = this.table;
    this.#send({ type: "offer", seat: actingSeat ?? rematchSeats[0], offer });
  }

  /**
   * Store the record of the game and open another page with it.
   * @param {string} page the address without the record's id
   */
  async #openRecord(page) {
    const { id, title } = this.table.info;
    try {
      this.#record ??= await saveRecord(await getText(`/api/tables/${id}/record`), title);
      location.href = this.#record.replace("/records/", page);
    } catch (error) {
      this.viewer.showError(error);
    }
  }

  /** @returns {Promise<Hint>} */
  async #loadHint() {
    const { isSeated, actingSeat, state } = this.table;
    if (state.over) return post("/api/hint", await this.#tree.currentRequest());
    const seat = isSeated ? actingSeat : null;
    const answer = await this.connection.request({ type: "hint", seat, ...this.#tree.branch });
    if (answer.type !== "hint") throw new Error("The server sent no hint.");
    return answer;
  }

  /** Show the current position of the game. */
  #showCurrent() {
    const { snapshot, canMove } = this.table;
    this.#tree.goToEnd();
    this.#board.show(snapshot, { interactive: this.#exploring || canMove });
  }

  /** @type {import("./offers.js").OfferActions} */
  #offerActions = {
    respond: (seat, offer, accept) => this.#send({ type: "respond", seat, offer, accept }),
    start: (seat) => this.#send({ type: "offer", seat, offer: "rematch" }),
  };

  #actions = {
    hint: () => this.viewer.showHint(() => this.#loadHint()),
    return: () => {
      this.#exploring = this.#planning = false;
      this.#showCurrent();
      announce(`Back in the game. ${this.viewer.prompt(this.table.snapshot)}`);
    },
    conditional: () => {
      this.#exploring = this.#planning = !this.#planning;
      this.#showCurrent();
      const text = "Play a line on the board: their move, then your answer. Then add it.";
      announce(this.#exploring ? text : "Back in the game.");
    },
    explore: () => {
      this.#exploring = this.#planning || !this.#exploring;
      this.#planning = false;
      this.#showCurrent();
      const text = "Moves are now explored, not played.";
      announce(this.#exploring ? text : "Back in the game.");
    },
    takeback: () => this.#offer("takeback"),
    draw: () => this.#offer("draw"),
    rematch: () => this.#offer("rematch"),
    tournament: () => {
      openPage(`/tournaments/${this.table.info.tournament}`);
    },
    review: () => this.#openRecord("/review/"),
    analyse: () => this.#openRecord("/explore?record="),
    next: () => {
      if (this.#nextGame) openPage(`/tables/${this.#nextGame}`);
      else openNextGame(this.table.info.id);
    },
    follow: () => {
      const { rematch } = this.table.state;
      if (rematch) this.#followRematch(rematch);
    },
    resign: async () => {
      const { length: sides } = this.table.info.teams;
      const question =
        sides > 2 ? "Resign? The computer will play on for you." : "Resign this game?";
      const confirmed = await confirmDialog(question, "Resign", "Keep playing");
      if (confirmed) this.#send({ type: "resign", seat: this.table.actingSeat });
    },
  };
}
