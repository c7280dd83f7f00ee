/** Replays the games of a report: shows one ply of a picture that holds all positions. */

const STEP_MS = 900;

/** @param {string} text such as "0-4 9-9" */
function parseRanges(text) {
  return text.split(" ").map((range) => range.split("-").map(Number));
}

/** @param {HTMLElement} figure */
function connect(figure) {
  const last = Number(figure.dataset.last);
  const board = /** @type {SVGSVGElement} */ (figure.querySelector("svg.board"));
  const slider = /** @type {HTMLInputElement} */ (figure.querySelector("input[type=range]"));
  const now = /** @type {HTMLElement} */ (figure.querySelector(".replay-now"));
  const play = /** @type {HTMLButtonElement} */ (figure.querySelector("[data-step=play]"));
  const cursor = /** @type {SVGLineElement | null} */ (figure.querySelector(".cursor"));
  const moves = [...figure.querySelectorAll(".replay-moves li")];
  const result = now.textContent ?? "";
  const layers = [...board.querySelectorAll("[data-plies]")].map((element) => ({
    element,
    ranges: parseRanges(element.getAttribute("data-plies") ?? ""),
  }));
  let ply = last;
  let timer = 0;

  /** @param {number} wanted */
  function show(wanted) {
    ply = Math.min(last, Math.max(0, wanted));
    for (const { element, ranges } of layers) {
      const visible = ranges.some(([first, end]) => first <= ply && ply <= end);
      if (visible) element.removeAttribute("display");
      else element.setAttribute("display", "none");
    }
    slider.value = String(ply);
    const words =
      ply === 0 ? "The start." : `Move ${ply} of ${last}: ${moves[ply - 1].textContent}.`;
    const text = ply === last ? `${words} ${result}` : words;
    slider.setAttribute("aria-valuetext", text);
    board.setAttribute("aria-label", text);
    now.textContent = text;
    moves.forEach((move, index) => {
      if (index === ply - 1) move.setAttribute("aria-current", "step");
      else move.removeAttribute("aria-current");
    });
    if (cursor) {
      const x = String(Number(cursor.dataset.first) + ply * Number(cursor.dataset.step));
      cursor.setAttribute("x1", x);
      cursor.setAttribute("x2", x);
    }
  }

  /** @param {boolean} playing */
  function setPlaying(playing) {
    clearInterval(timer);
    play.setAttribute("aria-pressed", String(playing));
    play.textContent = playing ? "Pause" : "Play";
    if (!playing) return;
    if (ply === last) show(0);
    timer = setInterval(() => {
      show(ply + 1);
      if (ply === last) setPlaying(false);
    }, STEP_MS);
  }

  const steps = {
    first: () => show(0),
    back: () => show(ply - 1),
    on: () => show(ply + 1),
    last: () => show(last),
  };
  for (const [name, step] of Object.entries(steps)) {
    figure.querySelector(`[data-step=${name}]`)?.addEventListener("click", () => {
      setPlaying(false);
      step();
    });
  }
  play.addEventListener("click", () => setPlaying(play.getAttribute("aria-pressed") !== "true"));
  slider.addEventListener("input", () => {
    setPlaying(false);
    show(Number(slider.value));
  });
  // It may have been moved before the script ran, or by the browser after a reload.
  if (Number(slider.value) !== last) show(Number(slider.value));
}

for (const figure of document.querySelectorAll(".replay"))
  connect(/** @type {HTMLElement} */ (figure));
