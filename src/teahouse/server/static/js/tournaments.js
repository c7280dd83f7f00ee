// The list of tournaments.
import { getJson } from "./api.js";
import { byId, element, needsRender, replaceKeepingFocus } from "./dom.js";
import { ageText } from "./game-status.js";
import { counted, factsText, momentText } from "./tournament-words.js";
import { errorText } from "./wording.js";

/** @import { TournamentSummary } from "./tournament-types.js" */
/** @typedef {"mine" | "open" | "running" | "past"} ListName */
/** @typedef {Record<ListName, TournamentSummary[]>} Lists */

const REFRESH_MS = 15_000;
const LISTED_PAST = 30;
/** @type {TournamentSummary[]} */
let past = [];

/** @param {TournamentSummary} tournament */
function whenText({ status, starts_at, starts_with, players, round, round_count, ends, ended }) {
  if (status === "open") {
    if (starts_at !== null) return `Starts ${momentText(starts_at)}`;
    return `${players} of ${starts_with} players`;
  }
  if (status === "running") {
    return ends === null ? `Round ${round} of ${round_count}` : `Ends ${momentText(ends)}`;
  }
  return ageText(ended ?? 0);
}

/** @param {TournamentSummary} tournament */
function peopleText({ status, starts_with, players, max_players, winners }) {
  const first = winners.filter(({ rank }) => rank === 1).map(({ name }) => name);
  if (first.length) {
    return `${first.length > 3 ? `${first.length} players` : first.join(" and ")} won, of ${counted(players, "player")}`;
  }
  if (status === "open") {
    return starts_with === null
      ? `${counted(players, "player")} so far, at most ${max_players}`
      : `at most ${max_players}`;
  }
  return counted(players, "player");
}

/** @param {TournamentSummary} tournament */
const item = (tournament) =>
  element(
    "li",
    {},
    element("a", { href: `/tournaments/${tournament.id}` }, element("b", {}, tournament.name)),
    element("span", { class: "when" }, whenText(tournament)),
    element(
      "span",
      { class: "facts secondary" },
      `${factsText(tournament, tournament.round_count)} · ${peopleText(tournament)}`,
    ),
  );

/**
 * @param {ListName} name
 * @param {TournamentSummary[]} tournaments
 * @param {TournamentSummary[]} [listed] those that are in another list already
 */
function show(name, tournaments, listed = []) {
  const others = tournaments.filter(({ id }) => listed.every((one) => one.id !== id));
  const list = byId(name);
  if (needsRender(list, others)) replaceKeepingFocus(list, others.map(item));
  byId(`${name}-box`).hidden = tournaments.length > 0 && !others.length;
  if (name === "mine") byId("mine-box").hidden = tournaments.length === 0;
  else byId(`no-${name}`).hidden = tournaments.length > 0;
}

async function update() {
  try {
    /** @type {Lists} */
    const lists = await getJson("/api/tournaments");
    show("mine", lists.mine);
    show("open", lists.open, lists.mine);
    show("running", lists.running, lists.mine);
    if (past.length <= LISTED_PAST) {
      past = lists.past;
      show("past", past);
      byId("more").hidden = past.length < LISTED_PAST;
    }
    byId("error").textContent = "";
  } catch (error) {
    byId("error").textContent = errorText(error);
  }
  byId("lists").removeAttribute("aria-busy");
}

const more = byId("more", HTMLButtonElement);
more.addEventListener("click", async () => {
  if (more.getAttribute("aria-disabled") === "true") return; // a second click
  more.setAttribute("aria-disabled", "true");
  try {
    const before = past.at(-1)?.moment ?? 0;
    /** @type {Lists} */
    const lists = await getJson(`/api/tournaments?status=past&before=${before}`);
    past = [...past, ...lists.past];
    show("past", past);
    more.hidden = lists.past.length < LISTED_PAST;
  } catch (error) {
    byId("error").textContent = errorText(error);
  }
  more.removeAttribute("aria-disabled");
});

update();
setInterval(() => document.hidden || update(), REFRESH_MS);
document.addEventListener("visibilitychange", () => document.hidden || update());
