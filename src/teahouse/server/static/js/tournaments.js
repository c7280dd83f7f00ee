// The list of tournaments.
import { getJson } from "./api.js";
import { byId, element } from "./dom.js";
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
    return ends === null ? `Round ${round} of ${round_count}` : `Until ${momentText(ends)}`;
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
 */
function show(name, tournaments) {
  byId(name).replaceChildren(...tournaments.map(item));
  if (name === "mine") byId("mine-box").hidden = tournaments.length === 0;
  else byId(`no-${name}`).hidden = tournaments.length > 0;
}

async function update() {
  try {
    /** @type {Lists} */
    const lists = await getJson("/api/tournaments");
    show("mine", lists.mine);
    show("open", lists.open);
    show("running", lists.running);
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

byId("more").addEventListener("click", async () => {
  try {
    const before = past.at(-1)?.moment ?? 0;
    /** @type {Lists} */
    const lists = await getJson(`/api/tournaments?status=past&before=${before}`);
    past = [...past, ...lists.past];
    show("past", past);
    byId("more").hidden = lists.past.length < LISTED_PAST;
  } catch (error) {
    byId("error").textContent = errorText(error);
  }
});

update();
setInterval(() => document.hidden || update(), REFRESH_MS);
document.addEventListener("visibilitychange", () => document.hidden || update());
