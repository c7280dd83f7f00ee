// The part of the form for a new game that is about challenges and rated games.
import { currentAccount } from "./account.js";
import { byId, find, setText } from "./dom.js";
import * as storage from "./storage.js";

/** @import { NewChallenge, Setup, TimeControl } from "./protocol.js" */
/** @typedef {{ kind: string, name: string }} SeatFields kind is local, remote, open or bot-LEVEL */

const form = byId("new-game", HTMLFormElement);
const parameters = new URLSearchParams(location.search);
/** The account that is challenged, or null. */
export const challenged = parameters.get("to");
/** Whether the form was opened to find opponents. */
export const forLobby = challenged !== null || parameters.has("lobby");
/** @type {import("./account.js").Account | null} */
let account = null;

/** @param {string} name */
const box = (name) => find(form, `[name=${name}]`, HTMLInputElement);

/** Whether anybody may take a seat. @param {SeatFields[]} fields */
export const isChallenge = (fields) => fields.some(({ kind }) => kind === "open");

/** Return the label of a seat that is open to anybody. */
export const openLabel = () => challenged ?? "Anybody (lobby)";

/** Return what is selected for a seat at first. @param {number} seat @param {string} bot */
export function firstKind(seat, bot) {
  if (seat === 0) return "local";
  return forLobby && (challenged === null || seat === 1) ? "open" : bot;
}

/**
 * Return why a game cannot be rated, or an empty text.
 * @param {SeatFields[]} fields
 * @param {TimeControl} control
 * @param {Setup | null} setup
 */
function obstacle(fields, control, setup) {
  const kinds = fields.map(({ kind }) => kind);
  if (!account) return "Sign in to play rated games.";
  if (!setup) return "";
  if (!setup.levels.some(({ rateable }) => rateable)) {
    return "There are no ratings with these options.";
  }
  if (control.kind === "none") return "Rated games need a clock.";
  if (kinds.filter((kind) => kind === "local").length !== 1) {
    return "Rated games have one seat for you.";
  }
  if (kinds.includes("remote")) {
    return "Rated games need an opponent with an account: choose anybody, or the computer.";
  }
  const levels = setup.levels.filter(({ rateable }) => rateable);
  const measured = levels.map(({ level }) => `bot-${level}`);
  const unmeasured = kinds.find((kind) => kind.startsWith("bot") && !measured.includes(kind));
  return unmeasured ? `Level ${unmeasured.slice(4)} is not measured well enough in this game.` : "";
}

/**
 * Show and enable what belongs to the selected seats and clock.
 * @param {SeatFields[]} fields
 * @param {TimeControl} control
 * @param {Setup | null} setup
 */
export function updateChallenge(fields, control, setup) {
  const open = setup ? isChallenge(fields) : forLobby; // before that there are no seats
  byId("challenge-box").hidden = !open;
  byId("rating-range").hidden = challenged !== null || !account;
  const reason = obstacle(fields, control, setup);
  const rated = box("rated");
  rated.disabled = !setup || reason !== "";
  if (reason) rated.checked = false;
  setText(
    byId("rated-help"),
    reason || "The result changes your rating. The computer does not help, and no move is undone.",
  );
  const label = challenged ? `Challenge ${challenged}` : "Create challenge";
  setText(byId("create"), open ? label : "Create game");
}

/**
 * Return a challenge as it is sent; throw if the seats do not fit.
 * @param {SeatFields[]} fields
 * @returns {Pick<NewChallenge, "seat" | "bots" | "to" | "rating_range" | "guest">}
 */
export function challengeFields(fields) {
  const kinds = fields.map(({ kind }) => kind);
  if (kinds.filter((kind) => kind === "local").length !== 1) {
    throw new Error("Choose “Me” for one seat of a challenge.");
  }
  if (kinds.includes("remote")) {
    throw new Error("A challenge is open to anybody: choose that for all other people.");
  }
  const bots = kinds.flatMap((kind, seat) =>
    kind.startsWith("bot") ? [{ seat, level: Number(kind.slice(4)) }] : [],
  );
  const own = kinds.indexOf("local");
  const [low, high] = [box("rating-low").value, box("rating-high").value];
  const limited = !byId("rating-range").hidden && (low !== "" || high !== "");
  return {
    seat: box("random-sides").checked ? null : own,
    bots,
    to: challenged,
    rating_range: limited ? [Number(low || -1000), Number(high || 5000)] : null,
    guest: { key: storage.guestKey(), name: fields[own].name || null },
  };
}

/**
 * Find out who is signed in.
 * @param {() => void} onchange called when that is known
 */
export async function loadAccount(onchange) {
  account = await currentAccount().catch(() => null);
  onchange();
}
