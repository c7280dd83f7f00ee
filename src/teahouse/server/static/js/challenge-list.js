// The open challenges of the lobby: join with one click, withdraw one's own, answer direct ones.
import { announce } from "./announce.js";
import { post } from "./api.js";
import { byId, element, needsRender } from "./dom.js";
import { clockText } from "./lobby-words.js";
import * as storage from "./storage.js";
import { errorText, ratingText } from "./wording.js";

/** @import { Challenge, SeatAt } from "./protocol.js" */

export class ChallengeList {
  /** Challenges that everybody sees. @type {Map<string, Challenge>} */
  #open = new Map();
  /** Own ones and those to this account, seen by nobody else. @type {Map<string, Challenge>} */
  #direct = new Map();
  /** Ids of own challenges. @type {Set<string>} */
  #own = new Set();
  /** Ids of challenges that this visitor has joined and that wait for others. @type {Set<string>} */
  #joined = new Set();

  /** @param {(seat: SeatAt) => void} onstart called when a game begins */
  constructor(onstart) {
    this.onstart = onstart;
  }

  /**
   * Show other challenges than before.
   * @param {Challenge[]} challenges
   */
  replace(challenges) {
    this.#open = new Map(challenges.map((one) => [one.id, one]));
    this.#render();
  }

  /**
   * @param {Challenge[]} changed
   * @param {string[]} removed
   */
  update(changed, removed) {
    for (const one of changed) this.#open.set(one.id, one);
    for (const id of removed) {
      this.#open.delete(id);
      this.#joined.delete(id);
    }
    this.#render();
  }

  /**
   * Show the challenges that concern this visitor alone.
   * @param {Challenge[]} own
   * @param {Challenge[]} incoming
   * @param {string[]} [joined] ids; a server of an earlier version sends none
   */
  setPersonal(own, incoming, joined = []) {
    this.#own = new Set(own.map(({ id }) => id));
    this.#joined = new Set(joined);
    const direct = [...incoming, ...own.filter(({ to }) => to !== null)];
    this.#direct = new Map(direct.map((one) => [one.id, one]));
    this.#render();
  }

  /** @param {Challenge} challenge */
  addOwn(challenge) {
    this.#own.add(challenge.id);
    if (challenge.to === null) this.#open.set(challenge.id, challenge);
    else this.#direct.set(challenge.id, challenge);
    this.#render();
  }

  /** @param {Challenge} challenge */
  addIncoming(challenge) {
    this.#direct.set(challenge.id, challenge);
    const { title, players } = challenge;
    announce(`${players[0].name ?? "A guest"} challenges you to ${title}.`);
    this.#render();
  }

  /**
   * @param {string} id
   * @param {string | null} reason
   */
  remove(id, reason) {
    if (reason && this.#own.has(id)) byId("lobby-error").textContent = reason;
    for (const known of [this.#open, this.#direct, this.#own, this.#joined]) known.delete(id);
    this.#render();
  }

  #render() {
    const list = byId("challenges");
    const rank = (/** @type {Challenge} */ one) =>
      one.to !== null && !this.#own.has(one.id) ? 0 : this.#own.has(one.id) ? 1 : 2;
    const shown = [...this.#direct.values(), ...this.#open.values()].sort(
      (one, other) => rank(one) - rank(other) || other.created - one.created,
    );
    if (!needsRender(list, shown, [...this.#own], [...this.#joined])) return;
    const focused = document.activeElement?.getAttribute("data-key");
    list.replaceChildren(...shown.map((one) => this.#item(one)));
    byId("no-challenges").hidden = shown.length > 0;
    if (!focused) return;
    const again = list.querySelector(`[data-key="${focused}"]`) ?? byId("create-challenge");
    if (again instanceof HTMLElement) again.focus({ preventScroll: true });
  }

  /** @param {Challenge} challenge */
  #item(challenge) {
    const { id, title, option_words, rated, rating, players, places, rating_range } = challenge;
    const own = this.#own.has(id);
    const incoming = challenge.to !== null && !own;
    const who = own ? "You" : (players[0].name ?? "Guest");
    const isBot = players[0].account?.kind === "bot";
    const words = [
      ...option_words,
      clockText(challenge.time_control),
      rated ? "rated" : "casual",
      rating_range ? `rating ${rating_range[0]} to ${rating_range[1]}` : null,
      places > 2 ? `${players.length} of ${places} players` : null,
      own && challenge.to !== null ? `to ${challenge.to}` : null,
      challenge.seat === null || own ? null : `${who} plays ${challenge.sides[challenge.seat]}`,
    ];
    const details = words.filter(Boolean).join(" · ");
    return element(
      "li",
      { class: incoming ? "incoming" : false },
      element(
        "span",
        { class: "what" },
        element("b", {}, title),
        " ",
        element("span", {}, incoming ? `${who} challenges you` : who),
        isBot ? element("span", { class: "bot-mark" }, "BOT") : null,
        rating ? element("span", { class: "secondary" }, ` ${ratingText(rating)}`) : null,
        element("span", { class: "secondary details" }, details),
      ),
      element("span", { class: "buttons" }, ...this.#buttons(challenge, own, incoming)),
    );
  }

  /**
   * @param {Challenge} challenge
   * @param {boolean} own
   * @param {boolean} incoming
   */
  #buttons({ id, title, players }, own, incoming) {
    const about = `${title} with ${players[0].name ?? "a guest"}`;
    /**
     * @param {string} label
     * @param {"accept" | "cancel"} action
     * @param {boolean} main
     */
    const button = (label, action, main) =>
      element(
        "button",
        {
          type: "button",
          class: main ? "main" : false,
          "data-key": `${action}-${id}`,
          "aria-label": own ? `${label}: ${title}` : `${label}: ${about}`,
          onclick: (/** @type {Event} */ event) => this.#answer(event, id, action),
        },
        label,
      );
    if (own) return [button("Withdraw", "cancel", false)];
    if (this.#joined.has(id)) return [button("Leave", "cancel", false)];
    if (incoming) return [button("Accept", "accept", true), button("Decline", "cancel", false)];
    return [button("Join", "accept", false)];
  }

  /**
   * @param {Event} event
   * @param {string} id
   * @param {"accept" | "cancel"} action
   */
  async #answer({ currentTarget }, id, action) {
    const button = currentTarget instanceof HTMLButtonElement ? currentTarget : null;
    if (button?.getAttribute("aria-disabled") === "true") return; // a second click
    button?.setAttribute("aria-disabled", "true"); // it keeps the focus
    const message = byId("lobby-error");
    message.textContent = "";
    try {
      const guest = { key: storage.guestKey(), name: storage.playerName() || null };
      /** @type {SeatAt} */
      const seat = await post(`/api/challenges/${id}/${action}`, { guest });
      if (action === "cancel") {
        const waits = this.#joined.delete(id) && this.#open.has(id);
        if (!waits) this.remove(id, null);
        else this.#render();
      } else if (seat.table) this.onstart(seat);
      else {
        this.#joined.add(id);
        this.#render();
        announce("You have joined. The game begins when all seats are taken.");
      }
    } catch (error) {
      message.textContent = errorText(error);
      if (/** @type {any} */ (error).code === "challenge_gone") this.remove(id, null);
      else button?.removeAttribute("aria-disabled");
    }
  }
}
