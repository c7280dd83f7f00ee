// A WebSocket that reconnects by itself and detects lost connections by pings.
import { socketUrl } from "./site-path.js";

const BACKOFF_MS = [500, 1500, 4000, 10_000];
const IDLE_MS = 25_000; // silence after which the server is pinged
const TIMEOUT_MS = 10_000; // silence after which a pinged connection counts as lost
/** Close codes after which reconnecting is useless: not found, unsupported protocol. */
const FINAL_CODES = [4404, 4406];

export class LiveSocket {
  /** @type {WebSocket | null} */
  #socket = null;
  #path;
  #answered = false;
  #failures = 0;
  #lastId = 0;
  #retryTimer = 0;
  #idleTimer = 0;

  /**
   * @param {string} path
   * @param {object} options
   * @param {(message: any) => void} options.onmessage
   * @param {(open: boolean) => void} [options.onstatus]
   * @param {() => object | null} [options.first] returns the first message of a connection
   */
  constructor(path, { onmessage, onstatus = () => {}, first = () => null }) {
    this.#path = path;
    this.onmessage = onmessage;
    this.onstatus = onstatus;
    this.first = first;
    addEventListener("online", () => this.#check());
    addEventListener("pageshow", () => this.#check());
    document.addEventListener("visibilitychange", () => document.hidden || this.#check());
  }

  /** Connect. */
  open() {
    clearTimeout(this.#retryTimer);
    const socket = new WebSocket(socketUrl(this.#path));
    this.#socket = socket;
    this.#answered = false;
    this.#waitFor(TIMEOUT_MS);
    socket.onopen = () => {
      const message = this.first();
      if (message) socket.send(JSON.stringify(message));
    };
    socket.onmessage = ({ data }) => {
      if (this.#socket !== socket) return;
      this.#waitFor(IDLE_MS);
      if (!this.#answered) {
        this.#answered = true;
        this.#failures = 0;
        this.onstatus(true);
      }
      this.onmessage(JSON.parse(data));
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

  /** Check that the connection is alive, after a pause; connect again if it is lost. */
  #check() {
    if (this.#socket === null && this.#retryTimer) this.open();
    else if (this.#socket && this.#answered) {
      this.send({ type: "ping" });
      this.#waitFor(TIMEOUT_MS);
    }
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
    this.#retryTimer = 0;
    clearTimeout(this.#idleTimer);
    this.onstatus(false);
    if (FINAL_CODES.includes(code)) return;
    const delay = BACKOFF_MS[Math.min(this.#failures, BACKOFF_MS.length - 1)];
    this.#failures += 1;
    this.#retryTimer = setTimeout(() => this.open(), delay * (0.8 + 0.4 * Math.random()));
  }
}
