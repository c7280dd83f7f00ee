// A table: what the house tells is shown, what people do is told to the house.
import { showActions, showOffers, sure } from "./actions.js";
import { announce } from "./announce.js";
import { get, post } from "./api.js";
import { connectChat, showChat } from "./chat.js";
import { Clocks } from "./clock.js";
import { Connection } from "./connection.js";
import * as device from "./device.js";
import { sentence, the, write } from "./dom.js";
import { showAdvice, showThinking } from "./hint.js";
import { showPeople, showTurn } from "./seats.js";
import { showShare } from "./share.js";
import * as sounds from "./sounds.js";
import { Study } from "./study.js";
import { TableState } from "./table-state.js";

const id = document.querySelector("[data-table]").dataset.table;
const known = new TableState();
const clocks = new Clocks();
const title = document.title;
let study = null;
let trying = false;
let came = 0; // moves since a position was shown

/** A secret that came with the address goes to the device's memory and leaves the address. */
function takeSecret() {
  const secret = location.hash.slice(1);
  if (!/^[\w-]{22,64}$/.test(secret)) return;
  history.replaceState(null, "", location.pathname);
  const { secrets } = device.table(id);
  if (!secrets.includes(secret)) device.keepTable(id, { secrets: [...secrets, secret] });
}
takeSecret();

const connection = new Connection(id, device.table(id).secrets, {
  onmessage: heard,
  onstate: connected,
});

function heard(message) {
  if (!["table", "update", "view", "presence"].includes(message.type)) return;
  const events = known.apply(message);
  if (message.type === "table") begin();
  const follows = study.review.live && !trying;
  study.review.set(known.moves, known.view.ply === known.moves.length ? known.view : null);
  if (follows || message.type === "table") study.review.home();
  for (const event of events) happened(event);
  if (message.view) shown();
  else if (follows && !known.open) study.board.hold(); // until the picture comes
  if (known.state.time !== undefined) clocks.set(known.state.time);
  refresh();
}

/** The whole is there: for the first time, or after having missed too much. */
function begin() {
  trying = false;
  if (study) return;
  const { players, game, options } = known.table;
  study = new Study(players, { game, options }, (ply) => get(`/api/tables/${id}/plies/${ply}`));
  study.onmove = moved;
  study.onchange = refresh;
  if (known.seated) device.keepTable(id, {});
  name();
}

/** Another position of the game has been drawn: show it, unless somebody looks at another one. */
function shown() {
  const moving = came === 1;
  came = 0;
  const { board, review } = study;
  const { position, ply } = known.view;
  const same = board.view?.ply === ply && board.view.position === position;
  if (same && known.open && board.pointing.ways.length) return; // nothing was missed: what is selected stays
  if (known.open || known.view.over) announce(known.view.prompt);
  if (review.live && !trying) board.show(known.view, { open: known.open, moving });
}

function happened(event) {
  const who = event.seat === undefined || event.seat === null ? "" : known.called(event.seat);
  const own = known.yours.includes(event.seat);
  if (event.type === "moved") {
    came += 1;
    sounds.knock(own);
    announce(sentence(event.says));
    if (known.state.over) sounds.bowl();
  } else if (event.type === "ended") {
    sounds.bowl();
    announce(known.ending);
  } else if (event.type === "taken_back") announce(`Back to move ${event.ply}.`);
  else if (event.type === "said" && !own) {
    sounds.tap();
    announce(`${who} says: ${event.text}`);
  } else if (event.type === "offered" && !own) {
    sounds.tap();
    announce(`${who} asks: ${event.offer}.`);
  } else if (event.type === "answered" && !event.yes && !own) note(`${who} declines.`);
  else if (event.type === "sat" && !own) note(`${known.table.players[event.seat]} has come.`);
  else if (event.type === "hinted" && !own) note(`${who} asked a bot for a hint.`);
  else if (event.type === "replaced") note(`A bot plays on for ${known.table.players[event.seat]}.`);
  else if (event.type === "rematch") follow(event.table);
}

/** Say something that concerns nobody for long. */
function note(text) {
  write(the("state"), text);
  clearTimeout(note.later);
  note.later = setTimeout(() => write(the("state"), ""), 5000);
}

function refresh() {
  if (!study || !known.state) return;
  const live = study.review.live;
  showPeople(the("seats"), known);
  showOffers(the("offers"), known, answer);
  showActions(the("actions"), known, { trying, live }, act);
  showChat(known);
  showShare(the("share").querySelector(".links"), known, (error) => study.trouble(error));
  const { watching } = known;
  write(the("watching"), watching ? ` · ${watching} watching` : "");
  if (live && !trying) {
    if (known.state.over) showTurn(the("seats"), { player: null, over: true, winners: known.state.winners });
    if (known.ending) write(the("prompt"), known.ending);
  }
  document.body.classList.toggle("aside", !live || trying);
  document.title = known.mine ? `● ${title}` : title;
}

function connected(state) {
  clearTimeout(connected.later);
  document.body.classList.toggle("lost", state !== "open");
  if (state === "open") write(the("state"), "");
  else if (state === "lost") {
    connected.later = setTimeout(() => write(the("state"), "The connection is lost. Trying again …"), 700);
  } else if (state === 4403) {
    device.keepTable(id, { secrets: [] });
    connection.secrets = [];
    connection.over = false;
    connection.open();
    setTimeout(() => note("This link opens no seat here; you are watching."), 1000);
  } else write(the("state"), "This table is no longer there.");
}

/** Tell the house; whether it agreed. */
async function tell(message) {
  try {
    await connection.ask(message);
    return true;
  } catch (error) {
    study.trouble(error);
    announce(sentence(error.message));
    return false;
  }
}

/** Sit under the name that this person goes by, at a seat that is theirs alone. */
function name(anew = false) {
  const given = device.name();
  const [seat, ...more] = known.yours;
  if (!given || seat === undefined || more.length) return;
  const now = known.state.seats[seat].name;
  if (now !== given && (anew || !now)) tell({ type: "name", seat, name: given });
}
addEventListener("renamed", () => name(true));

async function moved(move, view) {
  if (trying || !study.review.live || !known.mine) {
    study.review.try(move, view);
    return;
  }
  const { player: seat, ply } = known.state;
  if (!(await tell({ type: "play", seat, ply, move }))) study.board.open(study.review.live && known.open);
}

function follow(table) {
  if (!known.seated) return;
  const { secrets } = device.table(id);
  device.keepTable(table, { secrets });
  location.href = `/tables/${table}`;
}

function answer(seat, offer, yes) {
  tell({ type: "answer", seat, offer, yes });
}

async function hint() {
  const advice = the("advice");
  const { review, board } = study;
  const view = board.view;
  showThinking(advice, true);
  try {
    const found =
      review.live && !trying && known.mine
        ? await connection.ask({ type: "hint", seat: known.seat, ply: known.state.ply })
        : await post("/api/hint", await review.asked());
    if (board.view !== view) return showThinking(advice, false);
    showAdvice(advice, found, view);
    board.advise(found.steps);
    announce(`Hint: ${sentence(found.says)}`);
  } catch (error) {
    showThinking(advice, false);
    study.trouble(error);
  }
}

const act = {
  hint,
  home() {
    trying = false;
    study.review.home();
    study.board.show(known.view, { open: known.open });
    announce(`The game. ${known.view.prompt}`);
  },
  try() {
    trying = !trying;
    study.review.home();
    study.board.show(known.view, { open: trying || known.open });
    announce(trying ? "Moves are now tried out and not played." : "Back in the game.");
  },
  takeback: () => tell({ type: "ask", seat: known.seat, offer: "takeback" }),
  draw: () => tell({ type: "ask", seat: known.seat, offer: "draw" }),
  rematch: () => tell({ type: "ask", seat: known.seat, offer: "rematch" }),
  follow: () => follow(known.state.rematch),
  async resign() {
    if (await sure("Do you want to resign this game?", "Resign", "Play on")) {
      tell({ type: "resign", seat: known.seat });
    }
  },
};

connectChat((text) => tell({ type: "say", seat: known.seat, text }));
connection.open();
