// Start a game at the position that is shown.
import { post } from "./api.js";
import { openPage } from "./site-path.js";
import * as storage from "./storage.js";

/** @import { GameViewer } from "./game-viewer.js" */
/** @import { CreatedTable, NewTable, Options, SeatChoice } from "./protocol.js" */

/**
 * Create a table at the position that is shown: the player to move here, bots on other seats.
 * @param {GameViewer} viewer
 * @param {{ game: string, options: Options, players: string[] }} game
 */
export async function playFromHere(viewer, { game, options, players }) {
  const { snapshot } = viewer.board;
  if (!snapshot) return;
  if (snapshot.player === null) {
    viewer.showNotice("The game is over here. Step back to an earlier move first.");
    return;
  }
  /** @type {SeatChoice[]} */
  const seats = players.map((_, seat) =>
    seat === snapshot.player
      ? { kind: "local", name: storage.playerName() || null }
      : { kind: "bot", level: storage.botLevel() },
  );
  /** @type {NewTable} */
  const wanted = { game, options, start: snapshot.position, seats };
  try {
    /** @type {CreatedTable} */
    const created = await post("/api/tables", wanted);
    storage.addCreatedTable(created, seats);
    openPage(storage.tablePath(created.id));
  } catch (error) {
    viewer.showError(error);
  }
}
