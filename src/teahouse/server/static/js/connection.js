// The line to a table: it joins, comes back by itself when it breaks, and misses nothing.

const QUIET = 20_000; // milliseconds without a word before asking whether the house is there
const PATIENCE = 8_000;
const WAITS = [300, 700, 1500, 3000, 6000, 10_000];

export class Connection {
  /**
   * @param id the table's
   * @param secrets of own seats
   * @param onmessage gets every message of the house
   * @param onstate gets "open", "lost", or the code the house closed with, for good
   */
  constructor(id, secrets, { onmessage, onstate }) {
    this.address = `${location.origin.replace(/^http/, "ws")}/api/tables/${id}/socket`;
    this.secrets = secrets;
    this.onmessage = onmessage;
    this.onstate = onstate;
    this.seen = 0;
    this.failures = 0;
    this.asked = new Map();
    this.number = 0;
    addEventListener("online", () => this.check());
    addEventListener("pageshow", () => this.check());
    document.addEventListener("visibilitychange", () => document.hidden || this.check());
  }

  /** Connect, or connect anew. */
  open() {
    clearTimeout(this.again);
    this.socket?.close();
    const socket = new WebSocket(this.address);
    this.socket = socket;
    this.joined = false;
    this.#listen(PATIENCE);
    socket.onopen = () =>
      socket.send(JSON.stringify({ type: "join", secrets: this.secrets, seen: this.seen }));
    socket.onmessage = ({ data }) => this.socket === socket && this.#heard(JSON.parse(data));
    socket.onclose = ({ code }) => this.socket === socket && this.#closed(code);
  }

  /** Send a message; answers when the house has followed it, fails with its reason. */
  ask(message) {
    this.number += 1;
    const id = this.number;
    return new Promise((resolve, reject) => {
      this.asked.set(id, { message: { ...message, id }, resolve, reject });
      if (this.joined) this.#send(this.asked.get(id).message);
      else if (message.type !== "play") this.#refuse(id, "no connection to the house just now");
    });
  }

  /** Ask whether the house is still there. */
  check() {
    if (!this.socket || this.over) return;
    if (this.socket.readyState > WebSocket.OPEN) this.open();
    else if (this.joined) {
      this.ask({ type: "ping" }).catch(() => {});
      this.#listen(PATIENCE);
    }
  }

  #send(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  #listen(patience) {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => {
      if (patience === PATIENCE) this.#closed(0);
      else this.check();
    }, patience);
  }

  #heard(message) {
    this.#listen(QUIET);
    if (message.number && (message.type === "table" || message.type === "update")) {
      this.seen = Math.max(this.seen, message.number);
    }
    if (!this.joined && (message.type === "table" || message.type === "update")) this.#join();
    this.onmessage(message);
    const waits = this.asked.get(message.id);
    if (!waits) return;
    this.asked.delete(message.id);
    if (message.type === "refused") waits.reject(new Error(message.why));
    else waits.resolve(message);
  }

  #join() {
    this.joined = true;
    this.failures = 0;
    this.onstate("open");
    // A move whose answer was not heard is sent again: the house knows it by its number.
    for (const { message } of this.asked.values()) this.#send(message);
  }

  #refuse(id, why) {
    this.asked.get(id)?.reject(new Error(why));
    this.asked.delete(id);
  }

  #closed(code) {
    const socket = this.socket;
    this.socket = { readyState: WebSocket.CLOSED, close() {} };
    if (code === 0) socket.close();
    this.joined = false;
    clearTimeout(this.silence);
    for (const [id, { message }] of this.asked) {
      if (message.type !== "play") this.#refuse(id, "the connection was lost");
    }
    if (code === 4403 || code === 4404) {
      this.over = true;
      this.onstate(code);
      return;
    }
    this.onstate("lost");
    const wait = WAITS[Math.min(this.failures, WAITS.length - 1)];
    this.failures += 1;
    this.again = setTimeout(() => this.open(), wait * (0.8 + 0.4 * Math.random()));
  }
}
