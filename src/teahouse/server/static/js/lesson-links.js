// Links to lessons, with how far each was followed.
import * as storage from "./storage.js";

/**
 * Mark the lesson of a game's card as done, or offer to continue it; return whether it is done.
 * @param {HTMLElement} card
 */
export function showProgress(card) {
  const link = card.querySelector(".learn");
  if (!(link instanceof HTMLAnchorElement)) return true;
  const { step, done } = storage.lessonProgress(card.dataset.game ?? "");
  link.classList.toggle("done", done);
  link.classList.toggle("main", !done);
  if (!done && step > 1) link.textContent = `Continue the lesson at step ${step}`;
  return done;
}

/** @returns {HTMLElement[]} */
export const gameCards = () =>
  [...document.querySelectorAll(".games > .card")].filter((card) => card instanceof HTMLElement);
