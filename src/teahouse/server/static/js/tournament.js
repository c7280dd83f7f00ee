// The page of a tournament: the viewer's next game, standings and rounds, live.
import { currentAccount } from "./account.js";
import { announce } from "./announce.js";
import { getJson, post } from "./api.js";
import { byId, setText } from "./dom.js";
import { LiveSocket } from "./live-socket.js";
import { copyButton } from "./share.js";
import { pagePath, sitePath } from "./site-path.js";
import { showGames, showStandings } from "./tournament-tables.js";
import {
  counted,
  durationText,
  factsText,
  momentText,
  ordinal,
  pointsText,
} from "./tournament-words.js";
import { pageTitle, setTitle } from "./waiting-games.js";
import { errorText } from "./wording.js";

/** @import { RoundBody, TournamentBody } from "./tournament-types.js" */

/** @type {TournamentBody} */
let body = JSON.parse(byId("tournament-data", HTMLScriptElement).text);
/** The id of the viewer's account. @type {string | null} */
let account = null;
let signedIn = false;
let operator = false;
/** The server's clock minus this one's, in seconds. */
let offset = body.now - Date.now() / 1000;
/** An earlier round that is shown instead of the current one. @type {RoundBody | null} */
let earlier = null;
let announcedGame = "";
const title = pageTitle();

const now = () => Date.now() / 1000 + offset;
const ownLine = () => body.standings.find((line) => account !== null && line.account === account);

/** @returns {string} what the viewer should know first */
function headline() {
  const { state, tournament } = body;
  const line = ownLine();
  if (state.status === "cancelled") return state.message ?? "Cancelled.";
  if (state.status === "finished") {
    if (line) return `You came ${ordinal(line.rank)} with ${pointsText(line.score)} points.`;
    const first = body.standings.filter(({ rank }) => rank === 1).map(({ name }) => name);
    return first.length ? `${first.slice(0, 3).join(" and ")} won.` : "The tournament is over.";
  }
  if (state.status === "open") {
    if (state.starts !== null) {
      const left = state.starts - now();
      return left > 0 ? `Starts in ${durationText(left)}` : "Starts now";
    }
    return tournament.starts_at === null
      ? `Starts with ${tournament.starts_with} players: ${body.standings.length} so far.`
      : `Starts ${momentText(tournament.starts_at)} if enough players join.`;
  }
  if (line?.playing) return `Your game: you play ${opponent(line.player, line.playing)}`;
  if (line?.withdrawn === "absent") return "You missed your games, so you were withdrawn.";
  if (line?.withdrawn) return "You have left this tournament.";
  return progress();
}

/** @returns {string} how far a running tournament is */
function progress() {
  const { round, round_count, next_round, ends } = body.state;
  if (ends !== null) {
    const left = ends - now();
    return left > 0 ? `${durationText(left)} left` : "Time is up: the last games are being played.";
  }
  if (next_round !== null) {
    const left = next_round - now();
    const which = round ? `Round ${round + 1}` : "The first round";
    return left > 0 ? `${which} starts in ${durationText(left)}` : `${which} starts now`;
  }
  return `Round ${round} of ${round_count} is being played`;
}

/**
 * @param {number} player
 * @param {string} table
 */
function opponent(player, table) {
  const game = body.games.find((one) => one.table === table);
  const other = game?.seats.find((number) => number !== player);
  return body.standings.find((line) => line.player === other)?.name ?? "your opponent";
}

/** @returns {string} what follows the headline */
function details() {
  const { state, byes, tournament } = body;
  const line = ownLine();
  if (state.status === "open") {
    return line && !line.withdrawn
      ? "You have joined. Keep this page open: your game appears here."
      : "";
  }
  if (state.status !== "running" || !line || line.withdrawn) return "";
  if (line.playing) {
    const { time_control } = tournament;
    if (time_control.kind !== "correspondence") {
      return "Join within a minute and make your first move, or you lose the game.";
    }
    const days = counted(time_control.days, "day");
    return `Make your first move within ${days}, or you lose the game.`;
  }
  if (byes.includes(line.player) && state.next_round === null) {
    return tournament.format === "swiss"
      ? "You have a bye: a full point without a game."
      : "You have no game in this round.";
  }
  if (tournament.format === "arena") return "Your next game appears here.";
  return state.next_round === null
    ? "Your game is over. The next round starts when all games are over."
    : "Keep this page open: your game appears here.";
}

function showMine() {
  const { state, tournament } = body;
  const line = ownLine();
  const active = line !== undefined && !line.withdrawn;
  const over = state.status === "finished" || state.status === "cancelled";
  const focused = document.activeElement;
  setText(byId("headline"), headline());
  setText(byId("details"), details());
  const go = byId("go", HTMLAnchorElement);
  go.hidden = !line?.playing;
  if (line?.playing) go.href = sitePath(`/tables/${line.playing}`);
  const canJoin = state.open && !active;
  byId("join").hidden = !(canJoin && signedIn);
  setText(byId("join"), line ? "Come back" : "Join");
  byId("password").hidden = !(canJoin && signedIn && tournament.password && !line);
  byId("sign-in").hidden = !(canJoin && !signedIn);
  byId("sign-in", HTMLAnchorElement).href = sitePath(`/sign-in?next=${pagePath()}`);
  byId("withdraw").hidden = !active || over;
  const creator = account !== null && tournament.creator_account === account;
  byId("cancel").hidden = !((creator && state.status === "open") || (operator && !over));
  if (focused instanceof HTMLElement && focused.hidden) firstAction()?.focus();
  announceGame(line?.playing ?? "");
}

/**
 * Return the first button or link that is shown.
 * @returns {HTMLElement | null}
 */
const firstAction = () => byId("actions").querySelector(":is(a, button):not([hidden])");

/** @param {string} table the viewer's game */
function announceGame(table) {
  setTitle(table ? `Your game – ${title}` : title);
  if (table && table !== announcedGame) announce(`${headline()}.`);
  announcedGame = table;
}

function showRounds() {
  const { state, tournament } = body;
  const arena = tournament.format === "arena";
  const round = earlier?.round ?? state.round;
  byId("rounds").hidden = arena || state.round === 0;
  byId("round-label").textContent = `Round ${round}`;
  byId("previous", HTMLButtonElement).disabled = round <= 1;
  byId("next", HTMLButtonElement).disabled = round >= state.round;
  showGames(body, earlier ?? body, ownLine()?.player ?? null);
}

function show() {
  byId("facts").textContent =
    `${factsText(body.tournament, body.state.round_count)} · by ${body.tournament.creator}`;
  showMine();
  showStandings(body, account);
  showRounds();
}

/** The earlier round that is wanted, while it is loaded. @type {number | null} */
let wantedRound = null;

/** @param {number} step */
async function turnRound(step) {
  const wanted = (wantedRound ?? earlier?.round ?? body.state.round) + step;
  if (wanted < 1) return;
  wantedRound = wanted;
  try {
    const loaded =
      wanted >= body.state.round
        ? null
        : await getJson(`/api/tournaments/${body.tournament.id}/rounds/${wanted}`);
    if (wanted !== wantedRound) return; // the buttons were clicked again
    earlier = loaded;
    showRounds();
  } catch (error) {
    byId("error").textContent = errorText(error);
  }
  if (wanted === wantedRound) wantedRound = null;
}

/**
 * @param {"join" | "withdraw" | "cancel"} what
 * @param {object} [request]
 */
async function act(what, request = {}) {
  try {
    body = await post(`/api/tournaments/${body.tournament.id}/${what}`, request);
    byId("error").textContent = "";
    show();
  } catch (error) {
    byId("error").textContent = errorText(error);
  }
}

/**
 * Ask for a second click on a button whose action cannot be undone.
 * @param {string} id
 * @param {string} question
 * @param {() => void} confirmed
 */
function confirmTwice(id, question, confirmed) {
  const button = byId(id, HTMLButtonElement);
  const label = button.textContent ?? "";
  button.addEventListener("click", () => {
    if (button.textContent === question) {
      button.textContent = label;
      confirmed();
    } else button.textContent = question;
  });
  button.addEventListener("blur", () => {
    button.textContent = label;
  });
}

byId("actions", HTMLFormElement).addEventListener("submit", (event) => {
  event.preventDefault();
  act("join", { password: byId("password", HTMLInputElement).value || null });
});
confirmTwice("withdraw", "Leave? Click again", () => act("withdraw"));
confirmTwice("cancel", "Cancel it? Click again", () => act("cancel"));
byId("actions").append(copyButton("Copy link", location.href));
byId("previous").addEventListener("click", () => turnRound(-1));
byId("next").addEventListener("click", () => turnRound(1));

show();
currentAccount()
  .then((found) => {
    account = found?.id ?? null;
    signedIn = found !== null;
    operator = found?.role === "operator";
    show();
  })
  .catch((error) => {
    byId("error").textContent = errorText(error);
  });
new LiveSocket(`/api/tournaments/${body.tournament.id}/socket`, {
  onmessage: (/** @type {{ type: string } & TournamentBody} */ received) => {
    if (received.type !== "tournament" || received.seq < body.seq) return;
    offset = received.now - Date.now() / 1000;
    body = received;
    show();
    if (earlier?.games.some(({ points }) => points === null)) turnRound(0);
  },
  onstatus: (open) => {
    byId("connection").hidden = open;
  },
}).open();
setInterval(showMine, 1000);
