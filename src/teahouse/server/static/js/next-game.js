// The next game in which it is the player's turn: the key n, and after a move if that is chosen.
import { openPage } from "./site-path.js";
import { waitingGames } from "./waiting-games.js";

/**
 * Open another game in which it is the player's turn, or else the list of games.
 * @param {string} current the table that is shown
 * @param {{ stay?: boolean }} [options] whether to stay here if no game waits
 */
export async function openNextGame(current, { stay = false } = {}) {
  const [next] = await waitingGames(current).catch(() => []);
  if (next) openPage(`/tables/${next.id}`);
  else if (!stay) openPage("/");
}

/**
 * Let the key n open the next game.
 * @param {string} current the table that is shown
 */
export function connectNextGameKey(current) {
  addEventListener("keydown", (event) => {
    const { key, target, altKey, ctrlKey, metaKey } = event;
    if (key !== "n" || altKey || ctrlKey || metaKey) return;
    if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement) return;
    if (document.querySelector("dialog[open]")) return;
    openNextGame(current, { stay: true });
  });
}
