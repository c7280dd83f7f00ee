// Stepping through moves with buttons and keys.

const KEYS = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" };

/** Connect the step buttons, and the keys wherever they mean nothing else. */
export function connectSteps(review) {
  for (const button of document.querySelectorAll("[data-step]")) {
    button.addEventListener("click", () => review.step(button.dataset.step));
  }
  document.addEventListener("keydown", (event) => {
    const where = KEYS[event.key];
    if (!where || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.target.closest("input, textarea, select, dialog, .board-box, .choices")) return;
    event.preventDefault();
    review.step(where);
  });
}

/** Which steps are possible now. A button that has the focus keeps it. */
export function showSteps(review) {
  for (const button of document.querySelectorAll("[data-step]")) {
    const back = ["first", "back"].includes(button.dataset.step);
    button.setAttribute("aria-disabled", String(!(back ? review.canBack : review.canOn)));
  }
}
