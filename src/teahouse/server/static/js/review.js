// The review of a game: winning chances, graded moves, mistakes to learn from.
import { announce } from "./announce.js";
import { getJson, post } from "./api.js";
import { byId, element, find, setText } from "./dom.js";
import { exploreUrl } from "./explore-url.js";
import { GameViewer } from "./game-viewer.js";
import { Graph } from "./review-graph.js";
import {
  markMoves,
  renderAccuracy,
  renderComment,
  renderLegend,
  renderMistakes,
  renderTable,
} from "./review-panels.js";
import { Retry, showLine } from "./review-retry.js";
/** @import { Explored, Review, ReviewStatus } from "./protocol.js" */
import { sitePath } from "./site-path.js";
import * as storage from "./storage.js";
import { errorText, percent, recordTitle } from "./wording.js";

const POLL_MS = 1000;
const FAST_POLL_MS = 400;
const FAST_POLLS = 12;
const FAILURE_MS = 3000;
const MAX_FAILURES = 20;
const ADDRESS_MS = 250;

/** @type {{ id: string, record: string }} */
const source = JSON.parse(byId("record", HTMLScriptElement).textContent ?? "");

/** @param {number} milliseconds */
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

class ReviewPage {
  #addressTimer = 0;

  /** @param {Explored} game */
  constructor(game) {
    this.game = game;
    const { players, teams, options, snapshot } = game;
    const request = { record: source.record };
    /** @param {number} ply */
    const load = async (ply) => (await post("/api/explore", { ...request, ply })).snapshot;
    this.viewer = new GameViewer(players, { game: game.game, options }, load);
    this.sides = { players, teams, colours: snapshot.colours };
    /** @type {Review | null} */
    this.review = null;
    this.graph = new Graph(byId("graph"), this.sides, game.moves.length);
    this.graph.onchoose = (ply) => this.viewer.tree.goTo(null, ply);
    this.retry = new Retry(this.viewer, source.id);
    this.retry.onend = () => this.render();
    this.actions = {
      show: (/** @type {number} */ number) => this.viewer.tree.goTo(null, number),
      better: (/** @type {number} */ number) =>
        this.review && showLine(this.viewer, number, this.review),
      retry: (/** @type {number} */ number) => this.review && this.retry.start(number, this.review),
    };
    byId("table-box").addEventListener("toggle", () => this.render());
  }

  async open() {
    const { viewer, game } = this;
    viewer.colours = game.snapshot.colours;
    viewer.tree.setMainline(game.moves, game.snapshot);
    viewer.tree.goToEnd();
    await viewer.board.show(game.snapshot, { interactive: true });
    for (const [seat, row] of byId("seats").querySelectorAll(".seat").entries()) {
      setText(find(row, ".name"), game.names[game.players[seat]] ?? "");
    }
    viewer.onchange = () => this.render();
    const ply = Number(location.hash.slice(1));
    if (location.hash && Number.isInteger(ply) && ply >= 0 && ply < game.moves.length) {
      await viewer.tree.goTo(null, ply);
    }
    this.render();
  }

  get names() {
    return this.game.players.map((player) => this.game.names[player] ?? player);
  }

  /** Show what is known at the current position. */
  render() {
    const { tree } = this.viewer;
    const { review, sides, game } = this;
    this.retry.check();
    const shown = this.viewer.board.snapshot;
    if (shown) {
      const address = exploreUrl(game.game, game.options, shown.position);
      byId("analyse", HTMLAnchorElement).href = sitePath(address);
    }
    this.graph.show(tree.variation ? tree.variation.start : tree.ply);
    if (!tree.variation) this.#setAddress(`#${tree.ply}`);
    markMoves(byId("moves"), review);
    renderLegend(review, this.graph.ply, sides);
    if (!this.retry.active && !tree.variation) {
      renderComment(tree.ply, review, game.moves, sides, this.actions);
    }
    if (!review) return;
    renderMistakes(review, game, this.actions);
    renderAccuracy(review, this.names);
    renderTable(review, game.moves, sides);
  }

  /**
   * Put the position into the address. Browsers refuse that if it is done many times a second.
   * @param {string} hash
   */
  #setAddress(hash) {
    clearTimeout(this.#addressTimer);
    if (location.hash === hash) return;
    const set = () => history.replaceState(null, "", hash);
    this.#addressTimer = setTimeout(set, ADDRESS_MS);
  }

  /** @param {ReviewStatus} status */
  update(status) {
    if (status.review) {
      this.review = status.review;
      this.graph.update(status.review);
      this.render();
    }
    byId("now").classList.remove("waiting");
    const progress = byId("progress", HTMLProgressElement);
    progress.value = this.review?.fraction ?? 0;
    progress.hidden = status.status === "finished";
    setText(byId("progress-text"), this.#statusText(status));
  }

  /** @param {ReviewStatus} status */
  #statusText({ status, preparing }) {
    if (status === "preparing") {
      return `Preparing the computer player, first time only: ${preparing ?? 0}\u00a0%`;
    }
    if (status === "waiting") return "Waiting for the computer …";
    if (status === "failed") return "The review could not be computed. Please try again.";
    if (status === "finished") return "Searched with level 6; mistakes checked with level 7.";
    return `Reviewing the game: ${percent(this.review?.fraction ?? 0)}`;
  }

  /**
   * Poll the review, also while the server restarts: it resumes the review.
   * @param {number} revision
   * @returns {Promise<ReviewStatus>}
   */
  async #poll(revision) {
    for (let failures = 0; ; failures += 1) {
      try {
        return await getJson(`/api/reviews/${source.id}?since=${revision}`);
      } catch (error) {
        if (failures === MAX_FAILURES) throw error;
        setText(byId("progress-text"), "The server cannot be reached. Trying again …");
        await wait(FAILURE_MS);
      }
    }
  }

  /** Follow the review until it is finished. */
  async follow() {
    /** @type {ReviewStatus} */
    let status = await post("/api/reviews", { record: source.id });
    const wasFinished = status.status === "finished";
    this.update(status);
    for (let polls = 0; !["finished", "failed"].includes(status.status); polls += 1) {
      await wait(document.hidden || polls > FAST_POLLS ? POLL_MS : FAST_POLL_MS);
      status = await this.#poll(status.revision);
      this.update(status);
    }
    if (status.status === "failed") throw new Error(this.#statusText(status));
    if (!wasFinished) announce("The review is complete.");
  }
}

/** @param {ReviewPage} page */
async function run(page) {
  try {
    await page.follow();
  } catch (error) {
    byId("now").classList.remove("waiting");
    byId("progress").hidden = true;
    const again = element("button", { type: "button" }, "Try again");
    again.addEventListener("click", () => {
      byId("progress").hidden = false;
      run(page);
    });
    byId("progress-text").replaceChildren(errorText(error), " ", again);
    announce(errorText(error));
  }
}

async function start() {
  /** @type {Explored} */
  const game = await post("/api/explore", { record: source.record });
  const page = new ReviewPage(game);
  storage.addRecord(source.id, recordTitle(game));
  await page.open();
  run(page);
}

start().catch((error) => {
  byId("progress").hidden = true;
  setText(byId("progress-text"), errorText(error));
  announce(errorText(error));
});
