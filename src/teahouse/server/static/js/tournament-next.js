// After a game of a tournament: announce the player's next one.
import { LiveSocket } from "./live-socket.js";

/** @import { TableState } from "./table-state.js" */
/** @import { TournamentBody } from "./tournament-types.js" */

let followed = false;

/**
 * Follow the tournament of a finished game, from the first call on.
 * @param {TableState} table
 * @param {(next: string) => void} onbegin called with the table of the player's next game
 */
export function watchNextGame(table, onbegin) {
  const { id, tournament } = table.info;
  const account = table.ownSeat === null ? null : table.state.seats[table.ownSeat].account?.id;
  if (!tournament || !account || followed) return;
  followed = true;
  let announced = id;
  new LiveSocket(`/api/tournaments/${tournament}/socket`, {
    onmessage: (/** @type {{ type: string } & TournamentBody} */ received) => {
      if (received.type !== "tournament") return;
      const playing = received.standings.find((line) => line.account === account)?.playing;
      if (!playing || playing === id || playing === announced) return;
      announced = playing;
      onbegin(playing);
    },
  }).open();
}
