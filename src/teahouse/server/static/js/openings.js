// Openings: how often moves of the position on the board were played, and how they scored.
import { announce } from "./announce.js";
import { post } from "./api.js";
import { element, setText, svgElement } from "./dom.js";
import { errorText, moveLabel, percent } from "./wording.js";

/** @import { OpeningMove, Openings, Options, Snapshot } from "./protocol.js" */

const DELAY = 150; // ms; stepping through moves asks for the last position only
const CACHED = 200;
const SOURCES = /** @type {const} */ ({ bots: "Bots", server: "This server" });

/** @typedef {keyof typeof SOURCES} Source */

/** @param {string[]} names */
const joined = (names) => names.join(" and ");

export class OpeningsPanel {
  /** @type {Source} */
  #source = "bots";
  /** @type {Snapshot | null} */
  #shown = null;
  /** @type {Openings | null} */
  #found = null;
  /** Answers by position. @type {Map<string, Openings>} */
  #cache = new Map();
  #timer = 0;
  #list = element("ol", { class: "opening-moves", "aria-label": "Moves played here" });
  #note = element("p", { class: "opening-note" });
  #legend = element("p", { class: "opening-legend" });
  #details = element("details", { class: "openings", open: true });
  /** @type {Map<Source, HTMLButtonElement>} */
  #buttons = new Map();

  /**
   * @param {HTMLElement} box
   * @param {{ game: string, options: Options, players: string[], teams: number[][] }} setup
   * @param {{ colours: () => string[], play: (move: string, snapshot: Snapshot) => void }} view
   */
  constructor(box, setup, view) {
    this.setup = setup;
    this.view = view;
    for (const [source, label] of Object.entries(SOURCES)) {
      const chosen = /** @type {Source} */ (source);
      const choose = () => this.#choose(chosen);
      const button = element("button", { type: "button", onclick: choose }, label);
      this.#buttons.set(chosen, button);
    }
    const sources = { class: "opening-sources", role: "group", "aria-label": "Whose games" };
    this.#details.append(
      element("summary", {}, element("h2", {}, "Openings")),
      element("div", sources, ...this.#buttons.values()),
      this.#note,
      this.#legend,
      this.#list,
    );
    this.#details.addEventListener("toggle", () => this.#ask());
    box.replaceChildren(this.#details);
    this.#choose("bots");
  }

  /**
   * Show the moves of a position.
   * @param {Snapshot | null} snapshot
   */
  show(snapshot) {
    const same = snapshot?.position === this.#shown?.position;
    this.#shown = snapshot;
    if (same) return;
    this.#found = null;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(), DELAY);
    this.#list.setAttribute("aria-busy", "true");
  }

  /** @param {Source} source */
  #choose(source) {
    this.#source = source;
    for (const [one, button] of this.#buttons) {
      button.setAttribute("aria-pressed", String(one === source));
    }
    if (this.#found) this.#render(this.#found);
  }

  /** Ask the server about the position, if the panel is open. */
  async #ask() {
    const snapshot = this.#shown;
    if (!snapshot || !this.#details.open || this.#found) return;
    if (snapshot.over) {
      this.#say("The game is over here.");
      return;
    }
    const { game, options } = this.setup;
    const { position } = snapshot;
    try {
      /** @type {Openings} */
      const found =
        this.#cache.get(position) ?? (await post("/api/openings", { game, options, position }));
      if (this.#cache.size >= CACHED) this.#cache.clear();
      this.#cache.set(position, found);
      if (position !== this.#shown?.position) return;
      this.#found = found;
      this.#render(found);
    } catch (error) {
      if (position === this.#shown?.position) this.#say(errorText(error));
    }
  }

  /** @param {string} text */
  #say(text) {
    this.#replace([]);
    setText(this.#legend, "");
    setText(this.#note, text);
  }

  /**
   * Replace the rows; the focus stays among them, or on the source if there are none.
   * @param {HTMLElement[]} items
   */
  #replace(items) {
    const focused = this.#list.contains(document.activeElement);
    this.#list.replaceChildren(...items);
    this.#list.removeAttribute("aria-busy");
    if (!focused) return;
    (items[0]?.querySelector("button") ?? this.#buttons.get(this.#source))?.focus();
  }

  /** @param {Openings} found */
  #render(found) {
    const { moves } = found[this.#source];
    if (!moves.length) {
      this.#say(this.#emptyText(found));
      return;
    }
    const total = moves.reduce((sum, { games }) => sum + games, 0);
    const items = moves.map((move) => this.#item(move, found, total));
    this.#replace(items);
    setText(this.#legend, `Won by ${found.sides.map(joined).join(" / ")} / drawn`);
    setText(this.#note, this.#sourceText(found, total));
  }

  /**
   * Return the row of a move: a button to play it, its games, and their results.
   * @param {OpeningMove} row
   * @param {Openings} found
   * @param {number} total
   */
  #item(row, found, total) {
    const { move, images, games, wins, draws, description } = row;
    const player = this.#shown?.player ?? 0;
    const label = moveLabel({ move, player, description }, this.setup.players);
    const sides = found.sides.map(
      (names, side) => `${joined(names)} ${percent(wins[side] / games)}`,
    );
    const drawn = draws ? [`drawn ${percent(draws / games)}`] : [];
    const results = [...sides, ...drawn].join(", ");
    const mirrored = images.length ? `, and ${images.length} mirrored` : "";
    const play = () => {
      if (!this.#shown || found !== this.#found) return; // the board has moved on
      announce(description);
      this.view.play(move, this.#shown);
    };
    const button = element(
      "button",
      {
        type: "button",
        class: "opening-move",
        title: images.length ? `${description}. Mirror images: ${images.join(", ")}` : description,
        "aria-label": `${description}${mirrored}: ${games} of ${total} games, ${results}`,
        onclick: play,
      },
      label,
      images.length ? element("small", {}, `+${images.length}`) : null,
    );
    const shares = [...wins, draws].map((count) => Math.round((100 * count) / games));
    return element(
      "li",
      {},
      button,
      element(
        "span",
        { class: "opening-games", "aria-hidden": "true" },
        games.toLocaleString("en"),
      ),
      this.#bar([...wins, draws], games),
      element("span", { class: "opening-shares", "aria-hidden": "true" }, shares.join(" / ")),
    );
  }

  /**
   * Return the results as shares of a bar, draws at the end.
   * @param {number[]} counts
   * @param {number} games
   */
  #bar(counts, games) {
    const colours = this.view.colours();
    let x = 0;
    const parts = counts.map((count, side) => {
      const width = (100 * count) / games;
      const share = svgElement("rect", { x, width, y: 0, height: 10, class: "share" });
      x += width;
      const team = this.setup.teams[side];
      return svgElement("g", { class: team ? `c-${colours[team[0]]}` : "drawn" }, share);
    });
    const shape = { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" };
    return svgElement("svg", { class: "board opening-bar", ...shape }, ...parts);
  }

  /** @param {Openings} found */
  #emptyText({ known, plies, bots }) {
    if (!known) return `The opening ends here: the first ${plies} moves of games are counted.`;
    if (this.#source === "server") return "No finished game on this server continues from here.";
    if (!bots.games) return "There are no bots' games with these options.";
    return `In ${bots.games.toLocaleString("en")} games no bot continued from here.`;
  }

  /**
   * @param {Openings} found
   * @param {number} total
   */
  #sourceText({ bots }, total) {
    const games = (/** @type {number} */ count) =>
      count === 1 ? "1 game" : `${count.toLocaleString("en")} games`;
    const images = "Mirror images count together.";
    if (this.#source === "server") return `${games(total)} on this server. ${images}`;
    return `${games(total)} of ${bots.games.toLocaleString("en")} between ${joined(bots.players)}. ${images}`;
  }
}
