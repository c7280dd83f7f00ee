// Set up a position: choose a tool of the game's palette, then click on the board.
import { announce } from "./announce.js";
import { post } from "./api.js";
import { byId, element, parseSvg, setText } from "./dom.js";
import { errorText } from "./wording.js";

/** @import { GameViewer } from "./game-viewer.js" */
/** @import { Options, SetupTool, Snapshot } from "./protocol.js" */
/** @typedef {{ game: string, options: Options }} Setup */

/** @typedef {{ snapshot: Snapshot, palette: SetupTool[] }} Edited */

export class SetupEditor {
  /** Called with the position that was set up. @type {(position: string) => void} */
  ondone = () => {};
  /** Called when the board shows moves again. */
  oncancel = () => {};
  /** Whether clicks change the position. */
  active = false;
  /** @type {SetupTool | null} */
  #tool = null;
  /** @type {string[]} */
  #spots = [];
  /** @type {Snapshot | null} */
  #snapshot = null;
  #pending = Promise.resolve();

  /**
   * @param {GameViewer} viewer
   * @param {Setup} setup
   */
  constructor(viewer, setup) {
    this.viewer = viewer;
    this.setup = setup;
    const { board } = viewer;
    const { intercept } = board;
    board.intercept = (name, touch) => {
      if (!this.active) return intercept(name, touch);
      this.#click(name);
      return true;
    };
    byId("setup-done").addEventListener("click", () => this.#finish(true));
    byId("setup-cancel").addEventListener("click", () => this.#finish(false));
  }

  /**
   * Return the palette of a position, empty if the game has none.
   * @param {string} position
   * @returns {Promise<SetupTool[]>}
   */
  async palette(position) {
    const { palette } = await post("/api/edit", { ...this.setup, position });
    return palette;
  }

  /**
   * Start with a position.
   * @param {Snapshot} snapshot
   */
  async start(snapshot) {
    const palette = await this.palette(snapshot.position);
    this.active = true;
    this.#snapshot = snapshot;
    this.#spots = [];
    this.#tool = palette.find(({ clicks }) => clicks > 0) ?? null;
    document.body.classList.add("setting-up");
    byId("setup").hidden = false;
    this.#render(palette);
    await this.#show({ ...snapshot, last: null });
    this.#say(this.#tool ? this.#instruction() : "");
    byId("setup").querySelector("button")?.focus();
  }

  /** @param {boolean} done */
  async #finish(done) {
    if (done) await this.#pending;
    if (!this.active) return;
    this.active = false;
    document.body.classList.remove("setting-up");
    byId("setup").hidden = true;
    const position = this.#snapshot?.position;
    if (done && position) this.ondone(position);
    else this.oncancel();
  }

  /** @param {Snapshot} snapshot */
  async #show(snapshot) {
    await this.viewer.board.show(snapshot);
    this.#mark([]);
  }

  /**
   * Mark spots that were clicked; all others can be clicked as well.
   * @param {string[]} names
   */
  #mark(names) {
    const { board } = this.viewer;
    board.showHint(names);
    for (const spot of board.box.querySelectorAll(".spot")) spot.removeAttribute("aria-disabled");
  }

  #instruction() {
    const tool = this.#tool;
    if (!tool) return "";
    if (tool.clicks < 2) return `${tool.label}: click where.`;
    return this.#spots.length ? "Now click where it goes." : `${tool.label}: click it first.`;
  }

  /** @param {string} text which is announced */
  #say(text) {
    setText(byId("setup-note"), text);
  }

  /** @param {SetupTool[]} palette */
  #render(palette) {
    const buttons = palette.map((tool) => {
      const pressed = tool.clicks ? tool.name === this.#tool?.name : tool.active;
      const icon = tool.svg ? [parseSvg(tool.svg)] : [];
      return element(
        "button",
        {
          type: "button",
          class: "tool",
          "data-tool": tool.name,
          "aria-pressed": pressed === null ? null : String(pressed),
          onclick: () => this.#choose(tool, palette),
        },
        ...icon,
        tool.label,
      );
    });
    const box = byId("palette");
    const active = document.activeElement;
    const focused = active instanceof HTMLElement && box.contains(active) && active.dataset.tool;
    box.replaceChildren(...buttons);
    if (!focused) return;
    buttons.find(({ dataset }) => dataset.tool === focused)?.focus();
  }

  /**
   * @param {SetupTool} tool
   * @param {SetupTool[]} palette
   */
  #choose(tool, palette) {
    this.#spots = [];
    if (tool.clicks === 0) {
      this.#change(tool, []);
      return;
    }
    this.#tool = tool;
    this.#render(palette);
    this.#say(this.#instruction());
  }

  /** @param {string} name */
  #click(name) {
    const tool = this.#tool;
    if (!tool) return;
    this.#spots.push(name);
    if (this.#spots.length < tool.clicks) {
      this.#mark([name]);
      this.#say(this.#instruction());
      return;
    }
    const spots = this.#spots;
    this.#spots = [];
    this.#mark([]);
    this.#change(tool, spots);
  }

  /**
   * Change the position, after the changes before.
   * @param {SetupTool} tool
   * @param {string[]} spots
   */
  #change(tool, spots) {
    this.#pending = this.#pending.then(async () => {
      if (!this.active) return;
      const position = this.#snapshot?.position;
      const body = { ...this.setup, position, tool: tool.name, spots };
      try {
        /** @type {Edited} */
        const { snapshot, palette } = await post("/api/edit", body);
        if (!this.active) return; // cancelled meanwhile
        this.#snapshot = snapshot;
        await this.#show(snapshot);
        this.#render(palette);
        this.#say(this.#instruction());
        announce(`${tool.label}${spots.length ? `: ${spots.join(" to ")}` : ""}.`);
      } catch (error) {
        this.#say(errorText(error));
      }
    });
  }
}
