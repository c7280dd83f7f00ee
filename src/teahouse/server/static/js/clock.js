// Clocks: the server's times, counted down locally since they arrived.

/** @import { Clock } from "./protocol.js" */

const LOW_MS = 20_000;

/**
 * Format milliseconds as on a clock.
 * @param {number} ms
 */
export function formatClock(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3600)];
  /** @param {number} number */
  const padded = (number) => String(number).padStart(2, "0");
  if (hours >= 48) return `${Math.floor(hours / 24)} d ${hours % 24} h`;
  if (hours > 0) return `${hours}:${padded(minutes % 60)}:${padded(seconds % 60)}`;
  return `${minutes}:${padded(seconds % 60)}`;
}

/**
 * Format milliseconds for screen readers.
 * @param {number} ms
 */
export function spokenTime(ms) {
  const minutes = Math.floor(ms / 60_000);
  if (minutes >= 2880) return `${Math.floor(minutes / 1440)} days left`;
  if (minutes >= 120) return `${Math.floor(minutes / 60)} hours left`;
  if (minutes >= 2) return `${minutes} minutes left`;
  return `${Math.max(0, Math.round(ms / 1000))} seconds left`;
}

/** @typedef {{ steady: number, wall: number }} Moment by the two clocks of the browser */

/** @returns {Moment} */
const moment = () => ({ steady: performance.now(), wall: Date.now() });

/**
 * Return the milliseconds since a moment: the steady clock stands still while a device sleeps.
 * @param {Moment} before
 */
const since = ({ steady, wall }) => Math.max(performance.now() - steady, Date.now() - wall);

export class Clocks {
  constructor() {
    /** @type {Clock | null} */
    this.clock = null;
    this.received = moment();
    setInterval(() => this.tick(), 200);
  }

  /** @param {Clock | null} clock */
  set(clock) {
    this.clock = clock;
    this.received = moment();
    this.tick();
  }

  /**
   * Return a seat's remaining milliseconds, or null if it has no clock.
   * @param {number} seat
   */
  remaining(seat) {
    const ms = this.clock?.remaining_ms[seat] ?? null;
    if (ms === null) return null;
    if (!this.clock || seat !== this.clock.running) return ms;
    const { paused_until, at } = this.clock;
    const pause = paused_until ? 1000 * (paused_until - at) : 0; // a vacation
    return ms - Math.max(0, since(this.received) - pause);
  }

  tick() {
    if (!this.clock) return;
    for (const [seat, row] of document.querySelectorAll("#seats > .seat").entries()) {
      const shown = row.querySelector(".clock");
      if (!shown) continue;
      const ms = this.remaining(seat);
      const text = ms === null ? "" : formatClock(ms);
      if (shown.textContent !== text) {
        shown.textContent = text;
        if (ms !== null) {
          shown.setAttribute("role", "timer"); // a label needs a role
          shown.setAttribute("aria-label", spokenTime(ms));
        }
      }
      shown.classList.toggle("running", seat === this.clock.running);
      shown.classList.toggle("low", ms !== null && ms < LOW_MS);
    }
  }
}
