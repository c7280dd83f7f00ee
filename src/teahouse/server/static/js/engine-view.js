// The engine on the analysis board: it follows the position that is shown.
import { announce } from "./announce.js";
import { byId, setText } from "./dom.js";
import { Engine } from "./engine.js";
import { clearEngineMarks, renderEngineMarks } from "./engine-marks.js";
import { clearLines, engineText, renderBar, renderLines, worthText } from "./engine-panel.js";
import * as storage from "./storage.js";

/** @import { GameViewer } from "./game-viewer.js" */
/** @import { AnalysisMessage, Options, PlayedMove } from "./protocol.js" */

/**
 * @typedef {object} EngineGame
 * @property {string} game
 * @property {Options} options
 * @property {string[]} players
 * @property {number[][]} teams
 */

export class EngineView {
  /** Called with the moves of a line that were clicked. @type {(line: PlayedMove[]) => void} */
  onplay = () => {};
  #engine = new Engine();
  #settings = storage.analysisSettings();
  #paused = false;
  /** The snapshot that the engine was asked about. @type {object | null} */
  #asked = null;
  /** What was found before, by position. @type {WeakMap<object, AnalysisMessage>} */
  #known = new WeakMap();
  /** @type {AnalysisMessage | null} */
  #found = null;

  /**
   * @param {GameViewer} viewer
   * @param {EngineGame} game
   */
  constructor(viewer, game) {
    this.viewer = viewer;
    this.game = game;
    const lines = byId("engine-count", HTMLSelectElement);
    lines.value = String(this.#settings.lines);
    this.#renderSwitch();
    byId("engine-toggle").addEventListener("click", () => this.toggle());
    lines.addEventListener("change", () => {
      this.#settings.lines = Number(lines.value);
      storage.setAnalysisSettings({ lines: this.#settings.lines });
      this.#known = new WeakMap();
      this.#restart();
    });
    byId("deeper").addEventListener("click", () => {
      if (viewer.board.snapshot) this.#known.delete(viewer.board.snapshot);
      this.#restart();
    });
    byId("flip").addEventListener("click", () => this.#showMarks());
    this.#engine.onlines = (found) => this.#onLines(found);
    this.#engine.onerror = ({ message }) => {
      this.#clear();
      setText(byId("engine-state"), message);
      announce(message);
    };
  }

  /** Turn the engine on or off. */
  toggle() {
    const on = !this.#settings.on;
    this.#settings.on = on;
    storage.setAnalysisSettings({ on });
    this.#restart();
    announce(on ? "Engine on." : "Engine off.");
  }

  /**
   * Pause while a position is set up, or resume.
   * @param {boolean} paused
   */
  pause(paused) {
    this.#paused = paused;
    this.#restart();
  }

  #restart() {
    this.#asked = null;
    this.follow();
  }

  /** Search the position on the board, if the engine is on and was not asked about it before. */
  follow() {
    const { on, lines } = this.#settings;
    const { snapshot } = this.viewer.board;
    this.#renderSwitch();
    if (!on || this.#paused || !snapshot || snapshot.over) {
      this.#engine.stop();
      this.#asked = null;
      this.#clear();
      setText(byId("engine-state"), on && snapshot?.over ? "The game is over here." : "");
      return;
    }
    if (this.#asked === snapshot) return;
    this.#asked = snapshot;
    this.#clear();
    const known = this.#known.get(snapshot);
    if (known) this.#show(known);
    else setText(byId("engine-state"), "Thinking …");
    if (known?.done) {
      this.#engine.stop();
      return;
    }
    const { game, options } = this.game;
    this.#engine.analyse({ game, options, start: snapshot.position, lines });
  }

  #renderSwitch() {
    const { on } = this.#settings;
    byId("engine-toggle").setAttribute("aria-checked", String(on));
    byId("engine").classList.toggle("on", on);
  }

  #clear() {
    this.#found = null;
    byId("deeper").hidden = true;
    clearLines();
    clearEngineMarks(this.viewer.board);
    this.#showBar(null);
  }

  /** @param {number[] | null} values */
  #showBar(values) {
    const { players, teams } = this.game;
    const { board, colours } = this.viewer;
    const { winners = [] } = board.snapshot?.over ? board.snapshot : {};
    const decided = teams.map((team) => (team.some((seat) => winners.includes(seat)) ? 1 : 0));
    renderBar(winners.length ? decided : values, { players, teams, colours });
  }

  /** @param {AnalysisMessage} found */
  #onLines(found) {
    const { snapshot } = this.viewer.board;
    if (!snapshot || this.#asked !== snapshot) return;
    const known = this.#known.get(snapshot);
    if (known && known.visits > found.visits) return; // it starts again
    this.#known.set(snapshot, found);
    this.#show(found);
    const [best] = found.lines;
    if (found.done && best) announce(`Engine: ${best.line[0].description}, ${worthText(best)}.`);
  }

  /** @param {AnalysisMessage} found */
  #show(found) {
    this.#found = found;
    setText(byId("engine-state"), engineText(found));
    byId("deeper").hidden = !found.done || found.settled;
    renderLines(found, { players: this.game.players, play: (line) => this.onplay(line) });
    this.#showBar(found.sides);
    this.#showMarks();
  }

  #showMarks() {
    if (this.#found) renderEngineMarks(this.viewer.board, this.#found.lines);
  }
}
