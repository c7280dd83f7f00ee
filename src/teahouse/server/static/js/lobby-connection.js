// The WebSocket of the lobby: enters, and passes messages on.
import { LiveSocket } from "./live-socket.js";
import * as storage from "./storage.js";

/** @import { LobbyMessage } from "./protocol.js" */

const PROTOCOL = 2;

export class LobbyConnection extends LiveSocket {
  /**
   * @param {object} options
   * @param {boolean} options.boards whether this is the first page, with boards of live games and
   *   the way to games that begin
   * @param {(message: LobbyMessage) => void} options.onmessage
   * @param {(open: boolean) => void} [options.onstatus]
   */
  constructor({ boards, onmessage, onstatus }) {
    super("/api/lobby/socket", {
      onmessage: (/** @type {LobbyMessage} */ message) => {
        onmessage(message);
        dispatchEvent(new CustomEvent("lobby-message", { detail: message })); // for news.js
      },
      onstatus,
      first: () => ({
        type: "enter",
        protocol: PROTOCOL,
        key: storage.guestKey(),
        name: storage.playerName() || null,
        boards: boards && !document.hidden,
        follows: boards,
      }),
    });
    document.addEventListener("visibilitychange", () => {
      if (boards) this.send({ type: "boards", on: !document.hidden });
    });
  }
}
