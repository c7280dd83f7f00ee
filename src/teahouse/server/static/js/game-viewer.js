// A board with seats, prompt and moves: what tables and records have in common.
import { announce } from "./announce.js";
import { Board } from "./board.js";
import { byId, setText } from "./dom.js";
import { Explanations } from "./explanations.js";
import { GameTree } from "./game-tree.js";
import { clearHint, renderHint, renderHintPending } from "./hint.js";
import { renderMoves } from "./move-list.js";
import { connectPlayback, updatePlayback } from "./playback.js";
import { Preview } from "./preview.js";
import { createSeats, renderHands, renderScores, renderTurn } from "./seats.js";
import * as storage from "./storage.js";
import { errorText, promptText, reasonText, sentence, verdictText } from "./wording.js";

/** @import { Hint, Options, Snapshot } from "./protocol.js" */

const NOTICE_MS = 6000;

export class GameViewer {
  /** Called when another position is shown or the moves have changed. */
  onchange = () => {};
  /**
   * Called with a move that was entered on the board; by default it is explored.
   * @type {(move: string, snapshot: Snapshot) => void}
   */
  onmove = (move, snapshot) => {
    this.tree.play(move, snapshot);
  };
  /** The viewer's seat, if there is exactly one. @type {number | null} */
  ownSeat = null;

  #noticeTimer = 0;
  #refusalTimer = 0;

  /**
   * @param {string[]} players
   * @param {{ game: string, options: Options }} setup
   * @param {(ply: number) => Promise<Snapshot>} loadSnapshot
   */
  constructor(players, setup, loadSnapshot) {
    this.players = players;
    /** @type {string[]} */
    this.colours = [];
    this.board = new Board(byId("board"), byId("choices"));
    this.tree = this.createTree(loadSnapshot, setup);
    this.board.onmove = (move, snapshot) => {
      // A move in a position that is being replaced would be one of the next position.
      if (this.tree.loading) this.board.setInteractive(true);
      else this.onmove(move, snapshot);
    };
    this.board.onshow = (snapshot) => this.#renderSide(snapshot);
    this.explanations = new Explanations(this.board, [byId("seats")]);
    this.explanations.connectMode(byId("explain-mode"));
    this.board.onrefuse = (name, chosen) => this.#explainRefusal(name, chosen);
    this.board.onselect = () => this.#showRefusal("");
    this.preview = new Preview(this.board, (text) => this.#showRefusal(text));
    this.tree.onsnapshot = (snapshot, forward) => {
      this.board.show(snapshot, { interactive: true, animate: forward });
      const { last } = snapshot;
      announce(`${last ? sentence(last.description) : "Start."} ${this.prompt(snapshot)}`);
    };
    this.tree.onchange = () => this.updateMoves();
    this.tree.onerror = (error) => this.showError(error);
    connectPlayback(this.tree);
    const flipButton = byId("flip");
    flipButton.addEventListener("click", () => {
      this.#setFlipped(!this.board.flipped);
      storage.setFlipped(setup.game, this.board.flipped);
      announce(this.board.flipped ? "Board flipped." : "Board in its usual orientation.");
    });
    this.#setFlipped(storage.isFlipped(setup.game));
  }

  /**
   * Create the tree of moves that is shown.
   * @param {(ply: number) => Promise<Snapshot>} loadSnapshot
   * @param {{ game: string, options: Options }} setup
   */
  createTree(loadSnapshot, setup) {
    return new GameTree(loadSnapshot, setup);
  }

  /** @param {boolean} flipped */
  #setFlipped(flipped) {
    this.board.setFlipped(flipped);
    byId("flip").setAttribute("aria-pressed", String(flipped));
  }

  /** @param {Snapshot} snapshot */
  prompt(snapshot) {
    return promptText(snapshot, this.players, this.ownSeat);
  }

  /** Update the list of moves and the playback buttons. */
  updateMoves() {
    renderMoves(byId("moves"), this.tree, this.colours, this.players);
    this.updatePlayback();
    this.onchange();
  }

  /** Enable the playback buttons that lead somewhere. */
  updatePlayback() {
    updatePlayback(this.tree);
  }

  /**
   * Show a message for a few seconds.
   * @param {string} text
   */
  showNotice(text) {
    setText(byId("notice"), text);
    clearTimeout(this.#noticeTimer);
    this.#noticeTimer = setTimeout(() => setText(byId("notice"), ""), NOTICE_MS);
  }

  /**
   * Say why a click was refused.
   * @param {string} name
   * @param {string[]} chosen
   */
  async #explainRefusal(name, chosen) {
    const { snapshot } = this.board;
    let why = null;
    try {
      ({ why } = await this.explanations.explain(name, chosen));
    } catch {
      // the sentence below has to do
    }
    if (this.board.snapshot !== snapshot || this.board.pointing.chosen.length) return;
    const text = why ?? "You cannot click there now.";
    this.#showRefusal(text);
    announce(text);
  }

  /**
   * Show a sentence below the prompt for a few seconds.
   * @param {string} text
   */
  #showRefusal(text) {
    setText(byId("refusal"), text);
    clearTimeout(this.#refusalTimer);
    this.#refusalTimer = setTimeout(() => setText(byId("refusal"), ""), NOTICE_MS);
  }

  /** @param {unknown} error */
  showError(error) {
    this.showNotice(errorText(error));
    this.board.setInteractive(this.board.interactive || !this.tree.atEnd);
  }

  /**
   * Load a hint for the position on the board and show it, unless another one is shown by then.
   * @param {() => Promise<Hint>} load
   */
  async showHint(load) {
    const panel = byId("hint");
    const { snapshot } = this.board;
    if (!snapshot) return;
    renderHintPending(panel);
    try {
      const hint = await load();
      if (this.board.snapshot !== snapshot) return clearHint(panel);
      renderHint(panel, hint, this.players);
      this.board.showHint(hint.click_path);
      announce(`Hint: ${sentence(hint.description)}`);
    } catch (error) {
      clearHint(panel);
      this.showError(error);
    }
  }

  /** @param {Snapshot} snapshot */
  #renderSide(snapshot) {
    const seats = byId("seats");
    this.colours = snapshot.colours;
    clearHint(byId("hint"));
    createSeats(seats, this.players, snapshot.colours);
    renderHands(seats, snapshot);
    renderScores(seats, snapshot);
    renderTurn(seats, snapshot);
    this.#showRefusal("");
    setText(byId("last-move"), snapshot.last ? sentence(snapshot.last.description) : "");
    if (snapshot.over) this.showResult(snapshot);
    else {
      byId("status").classList.remove("over");
      byId("verdict").hidden = true;
      setText(byId("prompt"), this.prompt(snapshot));
    }
    this.updateMoves();
  }

  /**
   * Show who won and why in place of the prompt.
   * @param {{ winners: number[], result: string, result_reason: string | null }} ended
   */
  showResult(ended) {
    const verdict = byId("verdict");
    byId("status").classList.add("over");
    verdict.hidden = false;
    setText(verdict, verdictText(ended, this.players, this.ownSeat));
    setText(byId("prompt"), reasonText(ended.result_reason, this.players, this.ownSeat));
  }
}
