// The page of games that wait for the player, those with the least time left first.
import { byId, element, parseSvg, replaceKeepingFocus } from "./dom.js";
import { ageText, opponentsText } from "./game-status.js";
import { connectNotificationButton } from "./notifications.js";
import { sitePath } from "./site-path.js";
import { waitingGames } from "./waiting-games.js";
import { errorText } from "./wording.js";

/** @import { WaitingGame } from "./protocol.js" */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Return how much time is left, in words.
 * @param {number} deadline in Unix seconds
 */
function timeLeftText(deadline) {
  const seconds = deadline - Date.now() / 1000;
  const [unit, length] =
    seconds >= 2 * DAY ? ["day", DAY] : seconds >= 2 * HOUR ? ["hour", HOUR] : ["minute", MINUTE];
  const count = Math.max(0, Math.floor(seconds / Number(length)));
  return `${count} ${unit}${count === 1 ? "" : "s"} left`;
}

/** @param {WaitingGame} game */
function gameItem(game) {
  const { id, title, deadline, updated, svg } = game;
  const time = deadline ? timeLeftText(deadline) : `last move ${ageText(updated)}`;
  const board = svg ? parseSvg(svg) : null;
  board?.setAttribute("aria-hidden", "true");
  const soon = Boolean(deadline && deadline - Date.now() / 1000 < DAY);
  return element(
    "li",
    {},
    element(
      "a",
      { href: `/tables/${id}` },
      element("span", { class: "picture" }, board),
      element("b", {}, title),
      element("span", { class: "secondary" }, opponentsText(game)),
      element("span", { class: soon ? "time soon" : "time" }, time),
    ),
  );
}

async function update() {
  const list = byId("games");
  try {
    const games = await waitingGames(undefined, { boards: true });
    replaceKeepingFocus(list, games.map(gameItem));
    byId("nothing").hidden = games.length > 0;
    byId("first").hidden = games.length === 0;
    if (games.length)
      byId("first-link", HTMLAnchorElement).href = sitePath(`/tables/${games[0].id}`);
    byId("error").hidden = true;
  } catch (error) {
    byId("error").hidden = false;
    byId("error").textContent = errorText(error);
  }
  list.removeAttribute("aria-busy");
  byId("notify").classList.remove("pending"); // now it is at its place
}

update();
addEventListener("waiting-changed", update);
addEventListener("online", update);
document.addEventListener("visibilitychange", () => document.hidden || update());
document.addEventListener("keydown", ({ key, target, altKey, ctrlKey, metaKey }) => {
  if (key !== "n" || altKey || ctrlKey || metaKey || target instanceof HTMLInputElement) return;
  if (!byId("first").hidden) byId("first-link").click();
});
connectNotificationButton(
  byId("notify"),
  byId("notify-text"),
  byId("notify-button", HTMLButtonElement),
);
