// The header of every page: the settings dialog, and the number of games that wait for a move.
import { currentAccount } from "./account.js";
import { byId, find } from "./dom.js";
import * as storage from "./storage.js";
import { setWaiting, waitingGames } from "./waiting-games.js";

const dialog = byId("settings", HTMLDialogElement);
const form = find(dialog, "form", HTMLFormElement);
const nameField = byId("player-name", HTMLInputElement);

byId("open-settings").addEventListener("click", () => {
  for (const [name, value] of Object.entries(preferences.get())) {
    const field = form.elements.namedItem(name);
    if (field instanceof HTMLInputElement) field.checked = Boolean(value);
    else if (field instanceof RadioNodeList) field.value = String(value);
  }
  nameField.value = storage.accountName() ?? storage.playerName();
  dialog.showModal();
});
form.addEventListener("change", ({ target }) => {
  if (!(target instanceof HTMLInputElement)) return;
  if (target === nameField) {
    storage.setPlayerName(nameField.value.trim());
    dispatchEvent(new CustomEvent("name-changed"));
  } else {
    const name = /** @type {keyof PreferenceValues} */ (target.name);
    const value = target.type === "checkbox" ? target.checked : target.value;
    preferences.set(name, /** @type {PreferenceValues[typeof name]} */ (value));
    storage.noteChange("preferences");
  }
});
dialog.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close();
});

const REFRESH_MS = 60_000;
let waiting = 0;

/** Show next to "My games", on the menu button of a phone and in the title how many other games wait for the player. */
async function updateBadge() {
  const current = location.pathname.split("/").at(-1);
  const { length: count } = await waitingGames(current);
  const label = count === 1 ? "your turn in 1 game" : `your turn in ${count} games`;
  for (const badge of document.querySelectorAll(".badge-count")) {
    badge.toggleAttribute("hidden", count === 0);
    badge.textContent = String(count);
    badge.setAttribute("aria-label", label);
    badge.setAttribute("role", "img");
  }
  setWaiting(count);
  if (count !== waiting) dispatchEvent(new CustomEvent("waiting-changed"));
  waiting = count;
}

/** Fetch the waiting games; on an error the badge stays as it is. */
const refresh = () => updateBadge().catch(() => {});

/** Poll while the page is visible, or notifications are on. */
async function refreshRegularly() {
  const before = waiting;
  if (document.hidden && !storage.notificationsOn()) return;
  await refresh();
  if (waiting > before && document.hidden && !storage.accountName()) {
    const text =
      waiting === 1 ? "A game is waiting for you." : `${waiting} games are waiting for you.`;
    const { showNotification } = await import("./notifications.js");
    showNotification({ title: "Your turn", text, path: "/waiting" });
  }
}

refresh();
setInterval(refreshRegularly, REFRESH_MS);
document.addEventListener("visibilitychange", () => document.hidden || refresh());
/** Follow the news of the account that is signed in, if any. */
async function connectNews() {
  if (!(await currentAccount())) return;
  const { followNews } = await import("./news.js");
  followNews(refresh);
}
connectNews().catch(() => {}); // the next page tries again
