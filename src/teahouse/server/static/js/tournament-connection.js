// The WebSocket of a tournament: it sends the whole tournament whenever it has changed.

/** @import { TournamentBody } from "./tournament-types.js" */

const BACKOFF_MS = [500, 1500, 4000, 10_000];
const IDLE_MS = 25_000; // silence after which the server is pinged
const TIMEOUT_MS = 10_000; // silence after which a pinged connection counts as lost

/**
 * Follow a tournament for as long as the page is open.
 * @param {string} id
 * @param {(body: TournamentBody) => void} onbody
 * @param {(open: boolean) => void} onstatus
 */
export function follow(id, onbody, onstatus) {
  /** @type {WebSocket | null} */
  let socket = null;
  let failures = 0;
  let pings = 0;
  let retryTimer = 0;
  let idleTimer = 0;

  function open() {
    clearTimeout(retryTimer);
    const url = `${location.origin.replace(/^http/, "ws")}/api/tournaments/${id}/socket`;
    const opened = new WebSocket(url);
    socket = opened;
    waitFor(TIMEOUT_MS);
    opened.onmessage = ({ data }) => {
      if (socket !== opened) return;
      waitFor(IDLE_MS);
      const message = JSON.parse(data);
      if (message.type !== "tournament") return;
      failures = 0;
      onstatus(true);
      onbody(message);
    };
    opened.onclose = () => {
      if (socket === opened) lost();
    };
  }

  function lost() {
    socket = null;
    clearTimeout(idleTimer);
    onstatus(false);
    const delay = BACKOFF_MS[Math.min(failures, BACKOFF_MS.length - 1)];
    failures += 1;
    retryTimer = setTimeout(open, delay * (0.8 + 0.4 * Math.random()));
  }

  function ping() {
    if (socket?.readyState !== WebSocket.OPEN) return;
    pings += 1;
    socket.send(JSON.stringify({ type: "ping", id: pings }));
    waitFor(TIMEOUT_MS);
  }

  /** @param {number} ms */
  function waitFor(ms) {
    clearTimeout(idleTimer);
    idleTimer = setTimeout(() => {
      if (ms === IDLE_MS) {
        ping();
        return;
      }
      const silent = socket;
      lost();
      silent?.close();
    }, ms);
  }

  function check() {
    if (socket === null) open();
    else ping();
  }

  addEventListener("online", check);
  addEventListener("pageshow", ({ persisted }) => persisted && check());
  document.addEventListener("visibilitychange", () => document.hidden || check());
  open();
}
