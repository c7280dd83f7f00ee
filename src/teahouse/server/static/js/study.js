// A board with its moves: what a table, a record and trying out have in common.
import { announce } from "./announce.js";
import { Board } from "./board.js";
import * as device from "./device.js";
import { sentence, the, write } from "./dom.js";
import { showThinking } from "./hint.js";
import { listMoves } from "./moves.js";
import { Review } from "./review.js";
import { laySeats, showHands, showTurn } from "./seats.js";
import { connectSteps, showSteps } from "./stepping.js";

export class Study {
  /** Called when another position is shown or another line begun. */
  onchange = () => {};
  /** Called with a move that is played on the board; by default it is tried out. */
  onmove = (move, view) => this.review.try(move, view);

  constructor(players, setup, load) {
    this.players = players;
    this.colours = [];
    this.board = new Board(the("board"), the("choices"));
    this.review = new Review(load, setup);
    this.board.onmove = (move, view) => this.onmove(move, view);
    this.board.onshow = (view) => this.#beside(view);
    this.review.onview = (view, on) => {
      this.board.show(view, { open: true, moving: on });
      announce(`${view.last ? sentence(view.last.says) : "The start."} ${view.prompt}`);
    };
    this.review.onchange = () => this.list();
    this.review.onerror = (error) => this.trouble(error);
    connectSteps(this.review);
    the("turn").addEventListener("click", () => this.#turn(!this.board.turned, setup.game));
    this.#turn(device.turned(setup.game));
  }

  /** Show the board from the other side or from this one; asked for with a game's name, that is remembered. */
  #turn(whether, game) {
    this.board.turn(whether);
    the("turn").setAttribute("aria-pressed", String(whether));
    if (!game) return;
    device.keepTurned(game, whether);
    announce(whether ? "The board is turned round." : "The board is as it was.");
  }

  /** The moves, and which steps are possible. */
  list() {
    listMoves(the("moves"), this.review, this.colours);
    showSteps(this.review);
    this.onchange();
  }

  /** Say quietly what went wrong. */
  trouble(error) {
    write(the("state"), sentence(error.message));
    clearTimeout(this.quiet);
    this.quiet = setTimeout(() => write(the("state"), ""), 6000);
    this.board.open(this.board.pointing.ways.length > 0 || !this.review.live);
  }

  #beside(view) {
    this.colours = view.colours;
    showThinking(the("advice"), false);
    laySeats(the("seats"), this.players, view.colours);
    showHands(the("seats"), view);
    showTurn(the("seats"), view);
    write(the("prompt"), view.prompt);
    write(the("said"), view.last ? sentence(view.last.says) : "");
    this.list();
  }
}
