// The engine of the analysis board: one search at a time, streamed by the server.
import { socketUrl } from "./site-path.js";

/** @import { AckMessage, AnalysisMessage, ErrorMessage, Options } from "./protocol.js" */
/** @typedef {{ game: string, options: Options, start: string, lines: number }} AnalysisRequest */

const BACKOFF_MS = [500, 1500, 4000, 10_000];
const TIMEOUT_MS = 8_000; // silence after which a pinged connection counts as lost
const PING = 0; // the id of pings; those of searches begin with 1

export class Engine {
  /** @type {(found: AnalysisMessage) => void} */
  onlines = () => {};
  /** @type {(error: ErrorMessage) => void} */
  onerror = () => {};
  /** @type {WebSocket | null} */
  #socket = null;
  /** The search that is wanted, until it is done. @type {AnalysisRequest | null} */
  #request = null;
  #id = 0;
  #failures = 0;
  #retryTimer = 0;
  #checkTimer = 0;

  constructor() {
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.#send({ type: "stop", id: this.#id });
      else this.#resume();
    });
    addEventListener("pageshow", () => this.#resume());
    addEventListener("online", () => this.#resume());
  }

  /** Search again after a pause, in which the connection may have died unnoticed. */
  #resume() {
    clearTimeout(this.#checkTimer);
    if (this.#socket?.readyState === WebSocket.OPEN) {
      this.#send({ type: "ping", id: PING });
      this.#checkTimer = setTimeout(() => this.#reconnect(), TIMEOUT_MS);
    }
    this.#start();
  }

  #reconnect() {
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
    this.#start();
  }

  /**
   * Search a position instead of the one before.
   * @param {AnalysisRequest} request
   */
  analyse(request) {
    this.#request = request;
    this.#start();
  }

  /** Stop searching. */
  stop() {
    if (!this.#request) return;
    this.#request = null;
    this.#id += 1;
    this.#send({ type: "stop", id: this.#id });
  }

  #start() {
    if (!this.#request || document.hidden) return;
    if (this.#socket?.readyState !== WebSocket.OPEN) {
      this.#connect();
      return;
    }
    this.#id += 1;
    this.#send({ type: "analyse", id: this.#id, ...this.#request });
  }

  /** @param {object} message */
  #send(message) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #connect() {
    clearTimeout(this.#retryTimer);
    if (this.#socket && this.#socket.readyState <= WebSocket.OPEN) return;
    const socket = new WebSocket(socketUrl("/api/analysis"));
    this.#socket = socket;
    socket.onopen = () => this.#start();
    socket.onmessage = ({ data }) => {
      if (this.#socket === socket) this.#received(JSON.parse(data));
    };
    socket.onclose = () => {
      if (this.#socket !== socket) return;
      this.#socket = null;
      const delay = BACKOFF_MS[Math.min(this.#failures, BACKOFF_MS.length - 1)];
      this.#failures += 1;
      this.#retryTimer = setTimeout(() => this.#start(), delay);
    };
  }

  /** @param {AnalysisMessage | ErrorMessage | AckMessage} message */
  #received(message) {
    this.#failures = 0;
    clearTimeout(this.#checkTimer);
    if (message.type === "ack" || message.id !== this.#id || !this.#request) return;
    if (message.type === "error") {
      this.#request = null;
      this.onerror(message);
      return;
    }
    if (message.done) this.#request = null;
    this.onlines(message);
  }
}
