// The analysis board: connects tree, engine, openings, editor and dialogs.
import { confirmDialog } from "./actions.js";
import { announce } from "./announce.js";
import { post } from "./api.js";
import { byId, find, setText } from "./dom.js";
import { EngineView } from "./engine-view.js";
import { exploreUrl } from "./explore-url.js";
import { GameViewer } from "./game-viewer.js";
import { OpeningsPanel } from "./openings.js";
import { playFromHere } from "./play-from-here.js";
import { SetupEditor } from "./setup-editor.js";
import { openPage, sitePath } from "./site-path.js";
import * as storage from "./storage.js";
import { connectDialogs } from "./study-dialogs.js";
import { studyData } from "./study-files.js";
import { renderStudy } from "./study-list.js";
import { StudyTree } from "./study-tree.js";

/** @import { Explored, Options, PlayedMove, StudyMove } from "./protocol.js" */

/**
 * What the page shows at first.
 * @typedef {object} Opened
 * @property {string} key under which changes are kept in this browser
 * @property {string | null} id of the study on the server
 * @property {string} title
 * @property {string} game
 * @property {Options} options
 * @property {string[]} players
 * @property {number[][]} teams
 * @property {Record<string, string>} names
 * @property {string} comment
 * @property {StudyMove[]} nodes
 * @property {Explored["broken"]} broken
 * @property {Explored["snapshot"]} snapshot
 */

const MAX_NODES = 1000;
const MAX_DELETED = 3; // moves that are deleted without asking

class AnalysisViewer extends GameViewer {
  /**
   * @override
   * @param {unknown} _
   * @param {{ game: string, options: Options }} setup
   */
  createTree(_, setup) {
    return new StudyTree(setup);
  }

  get study() {
    return /** @type {StudyTree} */ (this.tree);
  }

  /** @override */
  updateMoves() {
    renderStudy(byId("moves"), this.study, this.colours, this.players);
    this.updatePlayback();
    this.onchange();
  }
}

export class AnalysisPage {
  static connectDialogs = connectDialogs;
  /** The stored state of the tree. */
  #saved = "";

  /** @param {Opened} opened */
  constructor(opened) {
    this.opened = opened;
    const { game, options, players } = opened;
    const none = () => Promise.reject(new Error("A study has no main line."));
    this.viewer = new AnalysisViewer(players, { game, options }, none);
    this.title = opened.title;
    this.id = opened.id;
    this.key = opened.key;
    this.engine = new EngineView(this.viewer, opened);
    this.engine.onplay = (line) => this.#addLine(line);
    this.#connectTree();
    this.#connectSetup();
    connectDialogs(this);
    this.openings = new OpeningsPanel(byId("openings"), opened, {
      colours: () => this.viewer.colours,
      play: (move, snapshot) => this.viewer.onmove(move, snapshot),
    });
    byId("play-here").addEventListener("click", () => playFromHere(this.viewer, opened));
  }

  get tree() {
    return this.viewer.study;
  }

  get board() {
    return this.viewer.board;
  }

  /** Show the position, with what was changed in this browser. */
  async start() {
    const { opened, tree } = this;
    const { snapshot, game, names, players } = opened;
    const stored = storage.analysis(this.key);
    const { comment, nodes } = stored ?? opened;
    this.title = stored?.title ?? opened.title;
    storage.setAnalysisSettings({ game });
    byId("game", HTMLSelectElement).value = game;
    byId("variant").setAttribute("href", sitePath(`/new?game=${encodeURIComponent(game)}`));
    this.viewer.colours = snapshot.colours;
    tree.load({ ...snapshot, last: null }, comment, nodes);
    this.#saved = this.#state();
    await this.board.show(/** @type {any} */ (tree.root.snapshot), { interactive: true });
    for (const [seat, row] of byId("seats").querySelectorAll(".seat").entries()) {
      const player = players[seat];
      setText(find(row, ".name"), names[player] ?? player);
      find(row, ".player").hidden = !names[player];
    }
    byId("title", HTMLInputElement).value = this.title;
    this.#showTitle();
    this.viewer.onchange = () => this.#refresh();
    this.#refresh();
    if (stored && opened.id) this.#offerDiscard();
    if (opened.broken) this.#showBroken(opened.broken);
    this.palette = await this.setup?.palette(snapshot.position);
    const setUp = byId("set-up", HTMLButtonElement);
    setUp.hidden = !this.palette?.length;
    setUp.disabled = false;
  }

  /** @param {NonNullable<Explored["broken"]>} broken */
  #showBroken({ line, ply, reason }) {
    const box = byId("broken");
    box.hidden = false;
    setText(box, `This record has an error in line ${line}, at move ${ply}: ${reason}`);
    this.tree.step("last");
  }

  #showTitle() {
    setText(byId("heading"), this.title.trim() || "Analysis board");
  }

  #offerDiscard() {
    this.viewer.showNotice("This shows your own changes, which are kept in this browser.");
  }

  // The tree.

  #connectTree() {
    const { tree, viewer } = this;
    const comment = byId("comment", HTMLTextAreaElement);
    viewer.onmove = (move, snapshot) => {
      const description = snapshot.legal.find((legal) => legal.move === move)?.description ?? move;
      this.#addLine([{ move, player: snapshot.player ?? 0, description }]);
    };
    comment.addEventListener("input", () => tree.comment(tree.current, comment.value));
    byId("promote").addEventListener("click", () => this.#promote());
    byId("delete").addEventListener("click", () => this.#delete());
    byId("title", HTMLInputElement).addEventListener("input", ({ target }) => {
      this.title = /** @type {HTMLInputElement} */ (target).value;
      this.#showTitle();
      this.#store();
    });
    document.addEventListener("keydown", (event) => this.#onKey(event));
  }

  /** @param {PlayedMove[]} line */
  #addLine(line) {
    if (this.tree.loading) return; // it belongs to the position that is being replaced
    if (this.tree.moves.length + line.length > MAX_NODES) {
      this.viewer.showNotice(`An analysis has at most ${MAX_NODES} moves. Delete some first.`);
      this.board.setInteractive(true);
      return;
    }
    this.tree.addLine(line);
  }

  #promote() {
    const promoted = this.tree.promote(this.tree.current);
    announce(promoted ? "Variation promoted." : "This is the main line already.");
  }

  async #delete() {
    const { current } = this.tree;
    if (!current.parent) return;
    const count = current.size;
    const question = `Delete this move and the ${count - 1} that follow it?`;
    if (count > MAX_DELETED && !(await confirmDialog(question, "Delete", "Keep them"))) return;
    this.tree.remove(current);
    announce("Move deleted, with all that followed it.");
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    const target = event.target instanceof Element ? event.target : document.body;
    if (target.closest("input, textarea, select, dialog")) return;
    const { key } = event;
    if (key === "ArrowUp" || key === "ArrowDown") {
      if (target.closest(".board-box, .choices")) return;
      if (!this.tree.switchVariation(key === "ArrowUp" ? -1 : 1)) return;
    } else if (key === "Delete") this.#delete();
    else if (key === "p") this.#promote();
    else if (key === "e") this.engine.toggle();
    else if (key === "c") byId("comment").focus();
    else return;
    event.preventDefault();
  }

  /** Show the current node, store the tree, and let the engine follow. */
  #refresh() {
    const { current } = this.tree;
    const comment = byId("comment", HTMLTextAreaElement);
    if (document.activeElement !== comment || comment.dataset.node !== String(current.id)) {
      comment.value = current.comment;
    }
    comment.dataset.node = String(current.id);
    const { played } = current;
    const label = played ? `Comment on move ${current.depth}` : "Comment on the start";
    setText(byId("comment-label"), label);
    byId("promote").setAttribute("aria-disabled", String(current.isMainline));
    byId("delete").setAttribute("aria-disabled", String(!current.parent));
    this.#store();
    this.engine.follow();
    if (!this.setup?.active) this.openings.show(this.board.snapshot);
  }

  #state() {
    return JSON.stringify(studyData(this.tree, this.title));
  }

  #store() {
    const state = this.#state();
    if (state === this.#saved) return;
    this.#saved = state;
    const { tree, title } = this;
    storage.setAnalysis(this.key, { title, comment: tree.root.comment, nodes: tree.moves });
  }

  /**
   * Continue under the id of a study that was just stored.
   * @param {string} id
   */
  setStudy(id) {
    storage.setAnalysis(this.key, null);
    this.id = id;
    this.key = `study ${id}`;
    history.replaceState(null, "", sitePath(`/studies/${id}`));
  }

  // Setting up a position.

  #connectSetup() {
    const { game, options } = this.opened;
    this.setup = new SetupEditor(this.viewer, { game, options });
    this.setup.ondone = (position) => {
      openPage(exploreUrl(game, options, position));
    };
    this.setup.oncancel = () => {
      this.engine.pause(false);
      const { snapshot } = this.tree.current;
      if (snapshot) this.board.show(snapshot, { interactive: true });
    };
    byId("set-up").addEventListener("click", async () => {
      const { snapshot } = this.board;
      if (!snapshot || this.setup?.active) return;
      this.engine.pause(true);
      try {
        await this.setup?.start(snapshot);
      } catch (error) {
        this.engine.pause(false);
        this.viewer.showError(error);
      }
    });
  }

  /** Return the main line as explored by the server, for a record. @returns {Promise<Explored>} */
  exploredMainline() {
    const moves = this.tree.mainNodes.map(({ played }) => played?.move ?? "");
    const { game, options } = this.opened;
    return post("/api/explore", { game, options, start: this.tree.start, moves });
  }
}
