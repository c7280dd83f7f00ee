// Games being played, with small boards that follow the moves.
import { byId, element, find, parseSvg, setText } from "./dom.js";

/** @import { LiveGame } from "./protocol.js" */

/**
 * Return a text that was compressed and encoded in base64.
 * @param {string} packed
 */
function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

export class LiveBoards {
  /** @type {Map<string, HTMLElement>} */
  #items = new Map();

  /**
   * Show other games than before.
   * @param {LiveGame[]} games
   */
  replace(games) {
    const shown = new Set(games.map(({ id }) => id));
    this.update(
      games,
      [...this.#items.keys()].filter((id) => !shown.has(id)),
    );
  }

  /**
   * @param {LiveGame[]} changed
   * @param {string[]} removed
   */
  update(changed, removed) {
    for (const id of removed) this.#remove(id);
    for (const game of changed) this.#show(game);
    byId("live").hidden = this.#items.size === 0;
  }

  /** @param {string} id */
  #remove(id) {
    const item = this.#items.get(id);
    const focused = item?.contains(document.activeElement);
    const next = item?.nextElementSibling ?? item?.previousElementSibling;
    item?.remove();
    this.#items.delete(id);
    if (focused) next?.querySelector("a")?.focus({ preventScroll: true });
  }

  /**
   * @param {HTMLElement} board
   * @param {string} packed
   */
  async #draw(board, packed) {
    if (board.dataset.drawn === packed.slice(-40)) return;
    board.dataset.drawn = packed.slice(-40); // its checksum
    const svg = parseSvg(await unpack(packed));
    if (board.dataset.drawn === packed.slice(-40)) board.replaceChildren(svg);
  }

  /** @param {LiveGame} game */
  #show({ id, title, names, ply, spectators, rated, svg_gzip }) {
    let item = this.#items.get(id);
    if (!item) {
      item = element(
        "li",
        {},
        element(
          "a",
          { href: `/tables/${id}` },
          element("div", { class: "small-board", "aria-hidden": "true" }),
          element("b", {}, title),
          element("span", { class: "secondary players" }),
          element("span", { class: "secondary state" }),
        ),
      );
      this.#items.set(id, item);
      byId("live-games").append(item);
    }
    this.#draw(find(item, ".small-board"), svg_gzip);
    setText(find(item, ".players"), names.join(" – "));
    const watching = spectators ? `, ${spectators} watching` : "";
    setText(find(item, ".state"), `${rated ? "Rated, move" : "Move"} ${ply}${watching}`);
  }
}
