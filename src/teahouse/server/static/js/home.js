// The home page: start a game against a bot with one click.
import { announce } from "./announce.js";
import { post } from "./api.js";
import { find } from "./dom.js";
import * as storage from "./storage.js";
import { errorText } from "./wording.js";

/** @import { CreatedTable, SeatChoice } from "./protocol.js" */

for (const card of document.querySelectorAll(".games > .card")) {
  if (!(card instanceof HTMLElement)) continue;
  const button = find(card, ".play", HTMLButtonElement);
  const level = find(card, ".level", HTMLSelectElement);
  level.value = String(storage.botLevel());
  level.addEventListener("change", () => storage.setBotLevel(Number(level.value)));
  button.disabled = false;
  button.addEventListener("click", async () => {
    button.disabled = true;
    /** @type {SeatChoice} */
    const bot = { kind: "bot", level: Number(level.value) };
    const bots = Array(Number(card.dataset.players) - 1).fill(bot);
    /** @type {SeatChoice[]} */
    const seats = [{ kind: "local", name: storage.playerName() || null }, ...bots];
    try {
      /** @type {CreatedTable} */
      const created = await post("/api/tables", { game: card.dataset.game, seats });
      storage.addCreatedTable(created, seats);
      location.href = `/tables/${created.id}`;
    } catch (error) {
      announce(errorText(error));
      button.textContent = errorText(error);
      button.disabled = false;
    }
  });
}
// A page restored from the back-forward cache keeps its disabled buttons.
addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll("button.play")) button.removeAttribute("disabled");
});
