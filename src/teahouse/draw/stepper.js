// Steps through a record in a notebook. draw/stepper.py writes the markup.

for (const root of /** @type {NodeListOf<HTMLElement>} */ (
  document.querySelectorAll(".teahouse-record:not([data-ready])")
)) {
  root.dataset.ready = "1";
  /** @type {string[]} */
  const captions = JSON.parse(root.dataset.captions ?? "[]");
  const last = captions.length - 1;
  const find = (/** @type {string} */ selector) =>
    /** @type {HTMLElement} */ (root.querySelector(selector));
  const slider = /** @type {HTMLInputElement} */ (find("input"));
  const buttons = /** @type {NodeListOf<HTMLButtonElement>} */ (root.querySelectorAll("button"));
  const parts = /** @type {SVGElement[]} */ ([...root.querySelectorAll("[data-plies]")]).map(
    (part) => ({
      part,
      shown: (part.dataset.plies ?? "").split(" ").map((range) => range.split("-").map(Number)),
    }),
  );

  const show = () => {
    const ply = Number(slider.value);
    for (const { part, shown } of parts) {
      if (shown.some(([first, final]) => first <= ply && ply <= final)) {
        part.removeAttribute("display");
      } else {
        part.setAttribute("display", "none");
      }
    }
    find(".teahouse-caption").textContent = captions[ply];
    find("svg").setAttribute("aria-label", captions[ply]);
    slider.setAttribute("aria-valuetext", captions[ply]);
    for (const button of buttons) button.disabled = goal(button) === ply;
  };

  const goal = (/** @type {HTMLButtonElement} */ button) => {
    const steps = Number(button.dataset.steps);
    return Math.min(Math.max(Number(slider.value) + steps, 0), last);
  };

  for (const button of buttons) {
    button.addEventListener("click", () => {
      slider.value = String(goal(button));
      show();
    });
  }
  slider.addEventListener("input", show);
  if (last) find(".teahouse-steps").style.display = "flex";
  show();
}
