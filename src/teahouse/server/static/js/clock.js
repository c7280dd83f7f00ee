// Clocks: what the house said, counted down by our own clock since.

/** Milliseconds as one reads them on a clock. */
export function reading(left) {
  const seconds = Math.max(0, Math.ceil(left / 1000));
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3600)];
  const two = (number) => String(number).padStart(2, "0");
  if (hours >= 48) return `${Math.floor(hours / 24)} d ${hours % 24} h`;
  if (hours > 0) return `${hours}:${two(minutes % 60)}:${two(seconds % 60)}`;
  return `${minutes}:${two(seconds % 60)}`;
}

/** Milliseconds as one says them. */
export function spoken(left) {
  const minutes = Math.floor(left / 60_000);
  if (minutes >= 2880) return `${Math.floor(minutes / 1440)} days left`;
  if (minutes >= 120) return `${Math.floor(minutes / 60)} hours left`;
  if (minutes >= 2) return `${minutes} minutes left`;
  return `${Math.max(0, Math.round(left / 1000))} seconds left`;
}

export class Clocks {
  constructor() {
    this.time = null;
    this.heard = 0;
    setInterval(() => this.tick(), 200);
  }

  /** What the house says now. */
  set(time) {
    this.time = time;
    this.heard = performance.now();
    this.tick();
  }

  /** What a seat has left, or null if it has no clock. */
  left(seat) {
    const left = this.time?.left[seat] ?? null;
    if (left === null) return null;
    return seat === this.time.running ? left - (performance.now() - this.heard) : left;
  }

  tick() {
    if (!this.time) return;
    for (const shown of document.querySelectorAll(".seat .clock")) {
      const seat = Number(shown.closest(".seat").dataset.seat);
      const left = this.left(seat);
      const text = left === null ? "" : reading(left);
      if (shown.textContent !== text) {
        shown.textContent = text;
        if (left !== null) shown.setAttribute("aria-label", spoken(left));
      }
      shown.classList.toggle("running", seat === this.time.running);
      shown.classList.toggle("short", left !== null && left < 20_000);
    }
  }
}
