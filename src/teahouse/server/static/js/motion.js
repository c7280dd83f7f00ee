// Pieces on their way: what a move's travels say, as animations of a picture that already shows where they arrive.

const STEP = 200; // milliseconds from a place to the next
const FURTHER = 70; // for every place more
const LATER = 90; // for every step of other pieces that comes first
const LONGEST = 750;
const ARC = 0.35;

/** Whether this person wants pictures to hold still. */
export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Where a drawn thing is and how large, from its transform. */
export function placed(drawn) {
  const found = /translate\(([-\d.]+)[ ,]([-\d.]+)\)(?: scale\(([-\d.]+)\))?/.exec(
    drawn.getAttribute("transform") ?? "",
  );
  return found && { x: Number(found[1]), y: Number(found[2]), scale: Number(found[3] ?? 1) };
}

/** The middle of an element of the page, as a point of a picture. */
function across(shown, svg) {
  const { left, top, width, height } = shown.getBoundingClientRect();
  const point = new DOMPoint(left + width / 2, top + height / 2);
  return point.matrixTransform(svg.getScreenCTM().inverse());
}

function where(name, svg, beside) {
  const spot = svg.querySelector(`.spot[data-spot="${CSS.escape(name)}"]`);
  if (spot) return placed(spot);
  const shown = beside(name);
  return shown && across(shown, svg);
}

/** Points along a way, in arcs if pieces jump. */
function curve(points, jumps) {
  if (!jumps) return points;
  const along = [points[0]];
  for (let leg = 1; leg < points.length; leg += 1) {
    const [from, to] = [points[leg - 1], points[leg]];
    const rise = 2 * ARC * Math.hypot(to.x - from.x, to.y - from.y);
    for (let step = 1; step <= 8; step += 1) {
      const part = step / 8;
      along.push({
        x: from.x + (to.x - from.x) * part,
        y: from.y + (to.y - from.y) * part - rise * part * (1 - part),
      });
    }
  }
  return along;
}

const put = ({ x, y }, wide, high) => `translate(${x}px, ${y}px) scale(${wide}, ${high})`;

const drawnAt = (svg, name) => [...svg.querySelectorAll(`.piece[data-at="${CSS.escape(name)}"]`)];

function alike(drawn, kind) {
  return drawn?.classList.contains(kind);
}

/**
 * Set the pieces of a new picture in motion.
 * @param before the picture that was shown until now, or null
 * @param beside finds the element of a hand or choice by its name
 * @returns when all have arrived
 */
export async function animate(before, svg, travels, beside) {
  if (still() || !travels.length) return;
  const times = travels.map(({ path, after }) => ({
    delay: LATER * after,
    duration: STEP + FURTHER * Math.max(0, path.length - 2),
  }));
  const longest = Math.max(...times.map(({ delay, duration }) => delay + duration));
  const faster = Math.min(1, LONGEST / longest);
  const arrived = new Set();
  const running = travels.flatMap((travel, index) => {
    const delay = faster * times[index].delay;
    const duration = faster * times[index].duration;
    const timing = { delay, duration, easing: "cubic-bezier(.4,0,.3,1)", fill: "both" };
    return set(travel, timing, { before, svg, beside, arrived });
  });
  await Promise.all(running.map((one) => one.finished.catch(() => {})));
  for (const one of running) {
    one.effect.target.classList.contains("ghost") ? one.effect.target.remove() : one.cancel();
  }
}

function ghost(old, svg) {
  const copy = old.cloneNode(true);
  copy.classList.add("ghost");
  svg.insertBefore(copy, svg.querySelector(".spot"));
  return copy;
}

function set(travel, timing, { before, svg, beside, arrived }) {
  const { piece, path, way } = travel;
  const [origin, target] = [path[0], path.at(-1)];
  const here = drawnAt(svg, target).find((one) => alike(one, piece.kind) && !arrived.has(one));
  const old = before && drawnAt(before, origin).find((one) => alike(one, piece.kind));
  if (way === "turn") {
    if (!here || !old) return [];
    const { x, y, scale } = placed(here);
    const half = { ...timing, duration: timing.duration / 2, easing: "ease-in" };
    const then = { ...half, delay: timing.delay + half.duration, easing: "ease-out" };
    const flat = put({ x, y }, 0, scale);
    const whole = put({ x, y }, scale, scale);
    return [
      ghost(old, svg).animate({ transform: [whole, flat] }, half),
      here.animate({ transform: [flat, whole] }, then),
    ];
  }
  const points = path.map((name) => where(name, svg, beside)).filter(Boolean);
  if (points.length < 2) return [];
  const leaves = !here || !where(target, svg, () => null);
  const moving = leaves ? old && ghost(old, svg) : here;
  if (!moving) return [];
  arrived.add(moving);
  const { scale } = placed(moving);
  const frames = curve(points, way === "jump").map((point) => ({
    transform: put(point, scale, scale),
    ...(leaves && point === points.at(-1) ? { opacity: 0 } : {}),
  }));
  return [moving.animate(frames, timing)];
}

/** Let the view follow a board that grows. */
export function follow(svg, from, to) {
  if (still() || from === to) return;
  const [start, end] = [from, to].map((box) => box.split(" ").map(Number));
  const begun = performance.now();
  const frame = (now) => {
    const part = Math.min(1, Math.max(0, now - begun) / 220);
    const eased = part * part * (3 - 2 * part);
    const box = start.map((value, place) => value + (end[place] - value) * eased);
    svg.setAttribute("viewBox", box.join(" "));
    if (part < 1 && svg.isConnected) requestAnimationFrame(frame);
  };
  frame(begun);
}
