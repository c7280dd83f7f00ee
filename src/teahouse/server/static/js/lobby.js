// The lobby on the first page: quick pairing, open challenges, games to watch.
import { announce } from "./announce.js";
import { ChallengeList } from "./challenge-list.js";
import { byId, find, setText } from "./dom.js";
import { LiveBoards } from "./live-boards.js";
import { LobbyConnection } from "./lobby-connection.js";
import { QuickPairing } from "./quick-pairing.js";
import { openPage } from "./site-path.js";
import * as storage from "./storage.js";

/** @import { LobbyCounts, LobbyMessage, SeatAt } from "./protocol.js" */

/**
 * Go to the table of a game that begins.
 * @param {SeatAt} seat
 */
function play({ table, secret }) {
  if (!table) return;
  if (secret) storage.updateTable(table, { secrets: [secret] });
  announce("Your game begins.");
  openPage(storage.tablePath(table));
}

/** @param {LobbyCounts} counts */
function showCounts({ players, games, seeking }) {
  const others = players - 1;
  const people = others > 0 ? `${players} online` : "You are the only one here";
  const playing = games === 1 ? "1 game is played" : `${games} games are played`;
  setText(byId("lobby-counts"), games ? `${people}, ${playing}` : people);
  for (const button of byId("quick").querySelectorAll("button")) {
    const count = seeking[button.dataset.game ?? ""] ?? 0;
    const badge = find(button, ".seekers");
    badge.hidden = count === 0;
    setText(find(badge, ".number"), String(count));
  }
}

/**
 * Connect the lobby of this page.
 * @param {(game: string, level: number) => Promise<void>} playBot starts a game with a bot
 */
export function openLobby(playBot) {
  const boards = new LiveBoards();
  const challenges = new ChallengeList(play);
  const connection = new LobbyConnection({
    boards: true,
    onmessage,
    onstatus: (open) => pairing.enable(open),
  });
  const pairing = new QuickPairing(connection, playBot);

  /** @param {LobbyMessage} message */
  function onmessage(message) {
    switch (message.type) {
      case "welcome":
        challenges.setPersonal(message.own_challenges, message.incoming, message.joined);
        pairing.resume();
        break;
      case "lobby":
        challenges.replace(message.challenges);
        boards.replace(message.games);
        showCounts(message.counts);
        break;
      case "changes":
        if (message.challenges) {
          challenges.update(message.challenges.changed, message.challenges.removed);
        }
        if (message.games) boards.update(message.games.changed, message.games.removed);
        if (message.counts) showCounts(message.counts);
        break;
      case "own_challenge":
        challenges.addOwn(message.challenge);
        break;
      case "challenge":
        challenges.addIncoming(message.challenge);
        break;
      case "challenge_gone":
        challenges.remove(message.id, message.reason);
        break;
      case "paired": // unless they found it otherwise, before they came to this page
        if (!(message.table && storage.tables()[message.table])) play(message);
        break;
      case "bot_offer":
        pairing.offerBot(message.level);
        break;
      case "seek_ended":
        pairing.end(message.reason);
        break;
      case "error": // perhaps of another message: the server may still be looking
        pairing.stop(message.message);
        break;
    }
  }

  connection.open();
}
