// Play now: a table against a bot, one click away.
import { post } from "./api.js";
import { announce } from "./announce.js";
import * as device from "./device.js";

for (const card of document.querySelectorAll(".games > .card")) {
  const button = card.querySelector(".play");
  const level = card.querySelector(".level");
  level.value = String(device.level());
  level.addEventListener("change", () => device.keepLevel(Number(level.value)));
  button.disabled = false;
  button.addEventListener("click", async () => {
    button.disabled = true;
    const others = Number(card.dataset.players) - 1;
    const bot = { kind: "bot", level: Number(level.value) };
    const seats = [{ kind: "here", name: device.name() || null }, ...Array(others).fill(bot)];
    try {
      const opened = await post("/api/tables", { game: card.dataset.game, seats });
      device.keepOpened(opened, seats);
      location.href = `/tables/${opened.id}`;
    } catch (error) {
      announce(error.message);
      button.textContent = error.message;
      button.disabled = false;
    }
  });
}
// A page brought back from the browser's memory can be used again.
addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll(".play")) button.disabled = false;
});
