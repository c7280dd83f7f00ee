// The standings and the games of a tournament.
import { getJson } from "./api.js";
import { byId, element, find, replaceKeepingFocus } from "./dom.js";
import { isBot, pointsText } from "./tournament-words.js";
import { errorText, numberText } from "./wording.js";

/** @import { RoundBody, StandingLine, TournamentBody, TournamentGame } from "./tournament-types.js" */

/** @type {Record<string, string>} */
const SHORT = { buchholz: "BH", sonneborn_berger: "SB", direct: "DE", wins: "W" };
/** The players whose games are shown. @type {Map<number, TournamentGame[]>} */
const opened = new Map();

/**
 * @param {TournamentBody} body
 * @param {number} number
 */
const playerName = (body, number) =>
  body.standings.find(({ player }) => player === number)?.name ?? "–";

const botMark = () => element("span", { class: "bot-mark" }, "BOT");

/**
 * Return the result of a game for a player: "won", "drew", "lost", or that it is being played.
 * @param {TournamentGame} game
 * @param {number} player
 */
function resultText({ seats, points, absent }, player) {
  if (points === null) return "playing";
  const seat = seats.indexOf(player);
  if (absent.includes(seat)) return "did not join";
  if (absent.length) return "won, the opponent did not come";
  if (points[0] === points[1]) return points[0] ? "drew" : "no result";
  return points[seat] ? "won" : "lost";
}

/**
 * Return the games of a player, the latest first, with what has happened since they were loaded.
 * @param {TournamentBody} body
 * @param {number} player
 */
function gamesOf(body, player) {
  const current = new Map(
    body.games.filter(({ seats }) => seats.includes(player)).map((game) => [game.table, game]),
  );
  const loaded = (opened.get(player) ?? []).map((game) => current.get(game.table) ?? game);
  for (const { table } of loaded) current.delete(table);
  opened.set(player, [...current.values(), ...loaded]);
  return opened.get(player) ?? [];
}

/**
 * @param {TournamentBody} body
 * @param {StandingLine} line
 */
function resultsRow(body, line) {
  const games = gamesOf(body, line.player);
  const items = games.map((game) =>
    element(
      "li",
      {},
      element("a", { href: `/tables/${game.table}` }, `Round ${game.round}`),
      `${resultText(game, line.player)} against ${playerName(body, game.seats[1 - game.seats.indexOf(line.player)])}`,
    ),
  );
  const content = items.length
    ? element("ol", {}, ...items)
    : element("p", { class: "secondary" }, "No games yet.");
  const profile = line.account
    ? element("a", { href: `/players/${encodeURIComponent(line.name)}` }, "Profile")
    : null;
  const columns = 3 + body.tie_breaks.length;
  return element("tr", { class: "results" }, element("td", { colspan: columns }, content, profile));
}

/**
 * Show or hide the games of a player.
 * @param {TournamentBody} body
 * @param {number} player
 * @param {() => void} redraw
 */
async function toggleGames(body, player, redraw) {
  if (opened.has(player)) opened.delete(player);
  else {
    try {
      const path = `/api/tournaments/${body.tournament.id}/players/${player}/games`;
      opened.set(player, (await getJson(path)).games);
    } catch (error) {
      byId("error").textContent = errorText(error);
    }
  }
  redraw();
  find(byId("standings"), `[data-key="player-${player}"]`).focus();
}

/** @param {StandingLine} line */
function noteText({ withdrawn, playing }) {
  if (withdrawn) return withdrawn === "absent" ? "withdrawn, did not come" : "left";
  return playing ? "playing" : "";
}

/**
 * @param {TournamentBody} body
 * @param {StandingLine} line
 * @param {string | null} account
 * @param {() => void} redraw
 */
function standingRow(body, line, account, redraw) {
  const own = account !== null && line.account === account;
  const rating = line.rating === null ? "" : ` ${numberText(line.rating)}`;
  const note = noteText(line);
  const name = element(
    "button",
    {
      type: "button",
      class: "plain show",
      "data-key": `player-${line.player}`,
      "aria-expanded": opened.has(line.player) ? "true" : "false",
      title: "Show the games",
      onclick: () => toggleGames(body, line.player, redraw),
    },
    line.name,
  );
  const started = body.state.status !== "open";
  return element(
    "tr",
    { class: [own ? "own" : "", line.withdrawn ? "gone" : ""].join(" ").trim() || null },
    element("td", {}, started ? String(line.rank) : ""),
    element(
      "th",
      { scope: "row", class: "who" },
      name,
      isBot(line) ? botMark() : null,
      own ? element("span", { class: "visually-hidden" }, " (you)") : null,
      element(
        "span",
        { class: "secondary note" },
        `${rating}${note ? `${rating && " ·"} ${note}` : ""}`,
      ),
    ),
    element("td", { class: "score" }, pointsText(line.score)),
    ...line.ties.map((value) => element("td", {}, pointsText(value))),
  );
}

/**
 * @param {TournamentBody} body
 * @param {string | null} account the id of the viewer's account
 */
export function showStandings(body, account) {
  const table = byId("standings", HTMLTableElement);
  const redraw = () => showStandings(body, account);
  const heads = body.tie_breaks.map(({ key, name, help }) =>
    element(
      "th",
      { scope: "col" },
      element("abbr", { title: `${name}: ${help}` }, SHORT[key] ?? name),
    ),
  );
  const head = element(
    "tr",
    {},
    element("th", { scope: "col" }, element("abbr", { title: "Rank" }, "#")),
    element("th", { scope: "col", class: "who" }, "Player"),
    element("th", { scope: "col" }, "Points"),
    ...heads,
  );
  find(table, "thead").replaceChildren(head);
  replaceKeepingFocus(
    find(table, "tbody"),
    body.standings.flatMap((line) => {
      const row = standingRow(body, line, account, redraw);
      return opened.has(line.player) ? [row, resultsRow(body, line)] : [row];
    }),
  );
  table.hidden = body.standings.length === 0;
  byId("nobody").hidden = body.standings.length > 0;
  const list = find(byId("tie-breaks"), "dl");
  if (list.children.length) return;
  list.replaceChildren(
    ...body.tie_breaks.flatMap(({ key, name, help }) => [
      element("dt", {}, `${name} (${SHORT[key] ?? name})`),
      element("dd", {}, help),
    ]),
  );
}

/** @param {TournamentGame} game */
function scoreText({ points, absent }) {
  if (points === null) return "–";
  const score = `${pointsText(points[0])} : ${pointsText(points[1])}`;
  return absent.length ? `${score} *` : score;
}

/**
 * @param {TournamentBody} body
 * @param {TournamentGame} game
 * @param {number | null} own
 */
function pairing(body, game, own) {
  const [first, second] = game.seats.map((number) => playerName(body, number));
  const won = (/** @type {number} */ seat) => (game.points?.[seat] === 1 ? "won" : null);
  const link = element(
    "a",
    {
      href: `/tables/${game.table}`,
      "aria-label": `${first} against ${second}: ${game.points === null ? "being played" : scoreText(game)}`,
    },
    element("span", { class: won(0) }, first),
    element("span", { class: "result" }, scoreText(game)),
    element("span", { class: ["second", won(1) ?? ""].join(" ").trim() }, second),
  );
  const mine = own !== null && game.seats.includes(own);
  return element("li", { class: mine ? "own" : null }, link);
}

/**
 * @param {TournamentBody} body
 * @param {Omit<RoundBody, "round">} shown
 * @param {number | null} own the viewer's number
 */
export function showGames(body, { games, byes, walkovers }, own) {
  const free = byes.map((number) => {
    const swiss = body.tournament.format === "swiss";
    const text = `${playerName(body, number)}: ${swiss ? "bye, 1 point" : "no game in this round"}`;
    return element("li", {}, element("span", { class: "off secondary" }, text));
  });
  const left = walkovers.map(([winner, withdrawn]) => {
    const text = `${playerName(body, winner)}: 1 point, ${playerName(body, withdrawn)} has withdrawn`;
    return element("li", {}, element("span", { class: "off secondary" }, text));
  });
  replaceKeepingFocus(byId("pairings"), [
    ...games.map((game) => pairing(body, game, own)),
    ...free,
    ...left,
  ]);
  const none = games.length + free.length + left.length === 0;
  const absent = games.some((game) => game.absent.length);
  byId("no-games").textContent = none
    ? "The first games appear here once it has started."
    : absent
      ? "* A player did not come, or did not make the first move in time."
      : "";
}
