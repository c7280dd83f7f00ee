// The WebSocket of the lobby: enters, reconnects by itself, and passes messages on.
import * as storage from "./storage.js";

/** @import { LobbyMessage } from "./protocol.js" */

const PROTOCOL = 2;
const CLOSE_UNSUPPORTED_PROTOCOL = 4406;
const BACKOFF_MS = [500, 1500, 4000, 10_000];
const IDLE_MS = 25_000; // silence after which the server is pinged
const TIMEOUT_MS = 10_000; // silence after which a pinged connection counts as lost

export class LobbyConnection {
  /** @type {WebSocket | null} */
  #socket = null;
  #failures = 0;
  #lastId = 0;
  #retryTimer = 0;
  #idleTimer = 0;
  #boards;

  /**
   * @param {object} options
   * @param {boolean} options.boards whether boards of live games are wanted
   * @param {(message: LobbyMessage) => void} options.onmessage
   * @param {(open: boolean) => void} [options.onstatus]
   */
  constructor({ boards, onmessage, onstatus = () => {} }) {
    this.#boards = boards;
    this.onmessage = onmessage;
    this.onstatus = onstatus;
    addEventListener("online", () => this.#check());
    addEventListener("pageshow", () => this.#check());
    document.addEventListener("visibilitychange", () => {
      if (this.#boards) this.send({ type: "boards", on: !document.hidden });
      if (!document.hidden) this.#check();
    });
  }

  /** Connect. */
  open() {
    clearTimeout(this.#retryTimer);
    const socket = new WebSocket(`${location.origin.replace(/^http/, "ws")}/api/lobby/socket`);
    this.#socket = socket;
    this.#waitFor(TIMEOUT_MS);
    socket.onopen = () => {
      const name = storage.playerName() || null;
      const boards = this.#boards && !document.hidden;
      const enter = { type: "enter", protocol: PROTOCOL, key: storage.guestKey(), name, boards };
      socket.send(JSON.stringify(enter));
    };
    socket.onmessage = ({ data }) => {
      if (this.#socket !== socket) return;
      this.#waitFor(IDLE_MS);
      /** @type {LobbyMessage} */
      const message = JSON.parse(data);
      if (message.type === "welcome") {
        this.#failures = 0;
        this.onstatus(true);
      }
      this.onmessage(message);
      dispatchEvent(new CustomEvent("lobby-message", { detail: message })); // for news.js
    };
    socket.onclose = ({ code }) => {
      if (this.#socket === socket) this.#lost(code);
    };
  }

  /**
   * Send a message, if there is a connection.
   * @param {object} message
   */
  send(message) {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    this.#lastId += 1;
    this.#socket.send(JSON.stringify({ id: this.#lastId, ...message }));
  }

  #check() {
    if (this.#socket === null && this.#retryTimer) this.open();
    else this.send({ type: "ping" });
  }

  /** @param {number} ms */
  #waitFor(ms) {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      if (ms === IDLE_MS) {
        this.send({ type: "ping" });
        this.#waitFor(TIMEOUT_MS);
        return;
      }
      const socket = this.#socket;
      this.#lost(0);
      socket?.close();
    }, ms);
  }

  /** @param {number} code */
  #lost(code) {
    this.#socket = null;
    clearTimeout(this.#idleTimer);
    this.onstatus(false);
    if (code === CLOSE_UNSUPPORTED_PROTOCOL) return;
    const delay = BACKOFF_MS[Math.min(this.#failures, BACKOFF_MS.length - 1)];
    this.#failures += 1;
    this.#retryTimer = setTimeout(() => this.open(), delay * (0.8 + 0.4 * Math.random()));
  }
}
