// A record to step through, or any game to try out moves of.
import { announce } from "./announce.js";
import { post } from "./api.js";
import * as device from "./device.js";
import { element, sentence, the, write } from "./dom.js";
import { showAdvice, showThinking } from "./hint.js";
import { copier, keepRecord } from "./share.js";
import { Study } from "./study.js";

const shown = the("explored") ? JSON.parse(the("explored").textContent) : null;

async function hint(study) {
  const view = study.board.view;
  showThinking(the("advice"), true);
  try {
    const found = await post("/api/hint", await study.review.asked());
    if (study.board.view !== view) return showThinking(the("advice"), false);
    showAdvice(the("advice"), found, view);
    study.board.advise(found.steps);
    announce(`Hint: ${sentence(found.says)}`);
  } catch (error) {
    showThinking(the("advice"), false);
    study.trouble(error);
  }
}

/** The line that is shown, as a record. */
async function lineOf(study, base) {
  const { line, moves } = study.review;
  const played = (line ? [...moves.slice(0, line.at), ...line.moves] : moves).map(({ move }) => move);
  return (await post("/api/explore", { ...base, moves: played })).record;
}

/** Open a game from what the house knows of it. */
async function open(asked) {
  const game = await post("/api/explore", asked);
  const { options, seed, start, title } = game;
  const base = { game: game.game, options, start };
  const load = async (ply) => (await post("/api/explore", { ...asked, ply })).view;
  const study = new Study(game.players, { game: game.game, options }, load);
  study.colours = game.view.colours;
  study.review.set(game.moves, game.view);
  study.review.home();
  await study.board.show(game.view, { open: true });
  the("seats").querySelectorAll(".seat").forEach((row, seat) => {
    const player = game.players[seat];
    write(row.querySelector(".name"), game.names[player] ?? player);
    write(row.querySelector(".sits"), game.names[player] ? player : "");
  });
  the("actions").replaceChildren(
    element("button", { type: "button", onclick: () => hint(study) }, "Hint"),
    element("a", { class: "button", href: `/new?game=${game.game}` }, "Play it"),
  );
  const share = the("share").querySelector(".links");
  const link = async () => {
    try {
      return await keepRecord(await lineOf(study, seed === null ? base : { game: game.game, options, seed }), title);
    } catch (error) {
      study.trouble(error);
      return null;
    }
  };
  const file = shown && element("a", { class: "button", href: `/api/records/${shown.id}`, download: `${game.game}.txt` }, "Download the record");
  share.replaceChildren(
    ...(shown ? [copier("Link to this record", location.href)] : []),
    copier("Link to the line shown", link),
    ...(file ? [file] : []),
  );
}

if (shown) {
  device.keepRecord(shown.id, document.title.split(" – ")[0]);
  open({ record: shown.record });
} else {
  const game = the("game");
  const wanted = location.hash.slice(1);
  if ([...game.options].some(({ value }) => value === wanted)) game.value = wanted;
  game.addEventListener("change", () => {
    location.hash = game.value;
    location.reload();
  });
  open({ game: game.value, seed: 1 });
}
