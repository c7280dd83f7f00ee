// "Play a person": look for an opponent; after a while the computer is offered too.
import { announce } from "./announce.js";
import { byId, find, setText } from "./dom.js";
import * as storage from "./storage.js";

/** @import { LobbyConnection } from "./lobby-connection.js" */
/** @typedef {{ game: string, title: string, pace: string, since: number }} Search */

/**
 * @param {number} ms
 * @returns {string} minutes and seconds
 */
function elapsed(ms) {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

export class QuickPairing {
  /** @type {Search | null} */
  #search = null;
  #timer = 0;
  #level = 0;

  /**
   * @param {LobbyConnection} connection
   * @param {(game: string, level: number) => Promise<void>} playBot starts a game with a bot
   */
  constructor(connection, playBot) {
    this.connection = connection;
    this.buttons = [...byId("quick").querySelectorAll("button")];
    for (const button of this.buttons) {
      button.addEventListener("click", () => this.#start(button));
    }
    byId("stop-search").addEventListener("click", () => this.stop());
    byId("play-bot").addEventListener("click", async () => {
      const game = this.#search?.game;
      if (!game) return;
      this.stop();
      await playBot(game, this.#level);
    });
  }

  /** @param {HTMLElement} button */
  #start(button) {
    const pace = find(byId("lobby"), "[name=pace]:checked", HTMLInputElement).value;
    const { game = "", title = "" } = button.dataset;
    this.#search = { game, title, pace, since: Date.now() };
    byId("bot-offer").hidden = true;
    byId("quick").hidden = true;
    byId("search").hidden = false;
    this.#tick();
    this.#timer = setInterval(() => this.#tick(), 1000);
    byId("stop-search").focus({ preventScroll: true });
    announce(`Looking for a person to play ${title}.`);
    this.resume();
  }

  /** Resume the search after the connection was lost. */
  resume() {
    if (!this.#search) return;
    const { game, pace } = this.#search;
    this.connection.send({ type: "seek", game, pace });
  }

  /** Enable the search while there is a connection. @param {boolean} open */
  enable(open) {
    for (const button of this.buttons) button.disabled = !open;
  }

  #tick() {
    if (!this.#search) return;
    const { title, since } = this.#search;
    setText(byId("search-text"), `Looking for a person to play ${title} …`);
    setText(byId("search-time"), elapsed(Date.now() - since));
  }

  /**
   * Look no longer.
   * @param {string} [reason] if it was not the player's wish
   */
  stop(reason = "") {
    if (this.#search) this.connection.send({ type: "stop" });
    this.end(reason);
  }

  /**
   * Show the buttons again.
   * @param {string} reason why the search has ended, if not by the player
   */
  end(reason) {
    const focused = byId("search").contains(document.activeElement);
    const game = this.#search?.game;
    this.#search = null;
    clearInterval(this.#timer);
    byId("search").hidden = true;
    byId("quick").hidden = false;
    byId("lobby-error").textContent = reason;
    if (focused) this.buttons.find((one) => one.dataset.game === game)?.focus();
  }

  /**
   * Offer a bot while the search continues.
   * @param {number | null} level null where the player's strength is not known
   */
  offerBot(level) {
    if (!this.#search) return;
    this.#level = level ?? storage.botLevel();
    byId("play-bot").textContent = `Play the computer, level ${this.#level}`;
    byId("bot-offer").hidden = false;
    announce(`Nobody yet. You can play the computer at level ${this.#level} instead.`);
  }
}
