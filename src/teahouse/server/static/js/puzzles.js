// The overview of puzzles: the player's ratings and streaks next to the games.
import { byId, find } from "./dom.js";
import { gameProgress, progress } from "./puzzle-progress.js";
import { renderStreaks } from "./puzzle-streaks.js";

const all = progress();
renderStreaks(byId("progress"), all);

for (const card of document.querySelectorAll(".puzzle-game")) {
  if (!(card instanceof HTMLElement)) continue;
  const { rating, tried } = gameProgress(all, card.dataset.game ?? "");
  const solved = Object.values(tried).filter(Boolean).length;
  if (!Object.keys(tried).length) continue;
  find(card, ".own-progress").textContent += ` · ${solved} solved · your rating ${rating}`;
}

const daily = document.querySelector(".daily");
if (daily instanceof HTMLElement && daily.dataset.date === all.day)
  byId("daily-done").hidden = false;
