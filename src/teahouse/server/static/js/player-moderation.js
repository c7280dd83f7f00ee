// On the page of a player: mute, block or report them.
import { currentAccount } from "./account.js";
import { byId } from "./dom.js";
import { openPlayerDialog } from "./player-dialog.js";

const { id = "", name = "" } = byId("player").dataset;
const button = byId("moderate-player", HTMLButtonElement);

button.addEventListener("click", () =>
  openPlayerDialog([{ name, account: { id, name, kind: "person" } }]),
);
currentAccount()
  .then((account) => {
    button.hidden = account?.id === id;
  })
  .catch(() => {});
