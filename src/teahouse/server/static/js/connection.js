// The WebSocket of a table: joins, reconnects by itself, and resumes after the last event seen.
import { socketUrl } from "./site-path.js";
import { applyDiff } from "./snapshot-diff.js";

/** @import { AckMessage, Command, HintMessage, ServerMessage, Snapshot } from "./protocol.js" */
/** @import { SnapshotDiffMessage } from "./protocol.js" */

const PROTOCOL = 2;
export const CLOSE_SIGN_IN_REQUIRED = 4401;
export const CLOSE_INVALID_SECRET = 4403;
const CLOSE_NOT_FOUND = 4404;
export const CLOSE_UNSUPPORTED_PROTOCOL = 4406;
const FINAL_CODES = [
  CLOSE_SIGN_IN_REQUIRED,
  CLOSE_INVALID_SECRET,
  CLOSE_NOT_FOUND,
  CLOSE_UNSUPPORTED_PROTOCOL,
];

const IDLE_MS = 20_000; // silence after which the server is pinged
const TIMEOUT_MS = 8_000; // silence after which a pinged connection counts as lost
const BACKOFF_MS = [300, 700, 1500, 3000, 6000, 10_000];

/** @typedef {AckMessage | HintMessage} Answer */
/**
 * @typedef {object} Pending
 * @property {Command & { id: number }} message
 * @property {(answer: Answer) => void} resolve
 * @property {(error: Error) => void} reject
 */

export class Connection {
  /** @type {WebSocket | null} */
  #socket = null;
  /** @type {Map<number, Pending>} */
  #pending = new Map();
  #joined = false;
  #closed = true; // until opened, and after a permanent close by the server
  #lastSeq = 0;
  /** The last snapshot received, the base of diffs. @type {Snapshot | null} */
  #snapshot = null;
  #lastId = 0;
  #failures = 0;
  #idleTimer = 0;
  #retryTimer = 0;

  /**
   * @param {string} table the table's id
   * @param {string[]} secrets of own seats
   * @param {object} callbacks
   * @param {(message: ServerMessage) => void} callbacks.onmessage
   * @param {(status: "open" | "lost" | number) => void} callbacks.onstatus gets a close code when
   *   the server has closed the connection permanently
   */
  constructor(table, secrets, { onmessage, onstatus }) {
    this.url = socketUrl(`/api/tables/${table}/socket`);
    this.secrets = secrets;
    this.onmessage = onmessage;
    this.onstatus = onstatus;
    addEventListener("online", () => this.check());
    addEventListener("pageshow", () => this.check());
    document.addEventListener("visibilitychange", () => document.hidden || this.check());
  }

  /** Connect, or replace the current connection. */
  open() {
    clearTimeout(this.#retryTimer);
    this.#socket?.close();
    const socket = new WebSocket(this.url);
    this.#socket = socket;
    this.#joined = false;
    this.#closed = false;
    this.#snapshot = null; // the first one of a connection is whole
    this.#startTimer(TIMEOUT_MS);
    socket.onopen = () => {
      const { secrets } = this;
      const after = this.#lastSeq;
      const join = { type: "join", protocol: PROTOCOL, secrets, after, diffs: true };
      socket.send(JSON.stringify(join));
    };
    socket.onmessage = ({ data }) => {
      if (this.#socket !== socket) return;
      const message = this.#whole(JSON.parse(data));
      if (message) this.#received(message);
      else this.#reconnect();
    };
    socket.onclose = ({ code }) => {
      if (this.#socket === socket) this.#lost(code);
    };
  }

  /**
   * Send a command; resolve with the server's answer, reject with its error.
   * @param {Command} command
   * @returns {Promise<Answer>}
   */
  request(command) {
    this.#lastId += 1;
    const id = this.#lastId;
    const message = { ...command, id };
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { message, resolve, reject });
      if (this.#joined) this.#send(message);
      else if (command.type !== "play") this.#reject(id, "No connection to the server.");
    });
  }

  /** Check that the connection is alive; reconnect if it is not. */
  check() {
    if (this.#closed) return;
    if (!this.#socket || this.#socket.readyState > WebSocket.OPEN) this.open();
    else if (this.#joined) {
      this.request({ type: "ping" }).catch(() => {});
      this.#startTimer(TIMEOUT_MS);
    }
  }

  /** @param {object} message */
  #send(message) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /** @param {number} ms */
  #startTimer(ms) {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      if (ms === TIMEOUT_MS) this.#reconnect();
      else this.check();
    }, ms);
  }

  #reconnect() {
    const socket = this.#socket;
    this.#lost(0);
    socket?.close();
  }

  /**
   * Return a message with the whole snapshot; null for a diff whose base is unknown.
   * @param {ServerMessage | SnapshotDiffMessage} message
   * @returns {ServerMessage | null}
   */
  #whole(message) {
    if (message.type !== "snapshot_diff") {
      if ("snapshot" in message && message.snapshot) this.#snapshot = message.snapshot;
      return message;
    }
    if (!this.#snapshot) return null;
    this.#snapshot = applyDiff(this.#snapshot, message.diff);
    return { type: "snapshot", seq: message.seq, snapshot: this.#snapshot };
  }

  /** @param {ServerMessage} message */
  #received(message) {
    this.#startTimer(IDLE_MS);
    if (message.type === "table" || message.type === "update") {
      this.#lastSeq = Math.max(this.#lastSeq, message.seq);
      if (!this.#joined) this.#resume();
    }
    this.onmessage(message);
    if (!("id" in message) || message.id === null) return;
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.type === "error") pending?.reject(new Error(message.message));
    else pending?.resolve(message);
  }

  #resume() {
    this.#joined = true;
    this.#failures = 0;
    this.onstatus("open");
    // Moves without an answer are sent again: the server recognises duplicates by their ply.
    for (const { message } of this.#pending.values()) this.#send(message);
  }

  /**
   * @param {number} id
   * @param {string} text
   */
  #reject(id, text) {
    this.#pending.get(id)?.reject(new Error(text));
    this.#pending.delete(id);
  }

  /** @param {number} code */
  #lost(code) {
    this.#socket = null;
    this.#joined = false;
    clearTimeout(this.#idleTimer);
    for (const [id, { message }] of this.#pending) {
      if (message.type !== "play") this.#reject(id, "The connection was lost.");
    }
    if (FINAL_CODES.includes(code)) {
      this.#closed = true;
      this.onstatus(code);
      return;
    }
    this.onstatus("lost");
    const delay = BACKOFF_MS[Math.min(this.#failures, BACKOFF_MS.length - 1)];
    this.#failures += 1;
    this.#retryTimer = setTimeout(() => this.open(), delay * (0.8 + 0.4 * Math.random()));
  }
}
