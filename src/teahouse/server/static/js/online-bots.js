// Bot accounts that can be challenged to the game that is selected in the form for a new game.
import { getJson } from "./api.js";
import { byId, element, find } from "./dom.js";

/** @typedef {{ name: string, games: string[] }} OnlineBot */

const form = byId("new-game", HTMLFormElement);
const box = byId("online-bots");
/** @type {OnlineBot[]} */
let bots = [];

/** Link to the challenge of every bot that plays the selected game. */
function render() {
  const game = String(new FormData(form).get("game") ?? "");
  const playing = bots.filter(({ games }) => games.includes(game));
  box.hidden = playing.length === 0;
  find(box, "ul").replaceChildren(
    ...playing.map(({ name }) =>
      element(
        "li",
        {},
        element("a", { href: `/new?${new URLSearchParams({ to: name, game })}` }, name),
        " ",
        element("span", { class: "bot-mark" }, "BOT"),
      ),
    ),
  );
}

form.addEventListener("change", render);
if (!new URLSearchParams(location.search).has("to")) {
  getJson("/api/bots").then(
    (answer) => {
      bots = answer.bots;
      render();
    },
    () => {}, // the form works without them
  );
}
