// What one can do at a table beside moving, and what others ask.
import { element, the } from "./dom.js";
import { copier, seatLink } from "./share.js";
import * as device from "./device.js";

const ASKED = {
  takeback: "to take back",
  draw: "for a draw",
  resign: "to resign together",
  rematch: "for another game, sides changed",
};

/** Ask a question; whether the answer is yes. */
export function sure(question, yes, no) {
  const dialog = the("ask");
  the("ask-words").textContent = question;
  const [keep, go] = dialog.querySelectorAll("button");
  keep.textContent = no;
  go.textContent = yes;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

/** The buttons; `act` has what each does. */
export function showActions(box, known, { trying, live }, act) {
  const { over, rematch, offers } = known.state;
  const asked = (offer) => offers.some((one) => one.offer === offer && known.yours.includes(one.seat));
  const own = known.moves.some(({ player }) => known.yours.includes(player));
  const buttons = [];
  const add = (name, label, { main = false, disabled = false, pressed = null, title = "" } = {}) =>
    buttons.push({ name, label, main, disabled, pressed, title });
  if (!live || trying) add("home", "Back to the game", { main: true });
  if (over && known.seated && !rematch) {
    add("rematch", "Play again", { main: live && !trying, disabled: asked("rematch") });
  }
  if (over && rematch) add("follow", "To the next game", { main: live && !trying });
  if (!over || !live) add("hint", "Hint", { title: "What a bot would do" });
  if (live) add("try", "Try moves", { pressed: trying, title: "Without touching the game" });
  if (!over && known.seated) {
    add("takeback", "Take back", { disabled: !own || asked("takeback") });
    add("draw", "Offer draw", { disabled: asked("draw") });
    add("resign", "Resign");
  }
  const key = JSON.stringify(buttons);
  if (box.shown === key) return;
  box.shown = key;
  const focused = box.contains(document.activeElement) && document.activeElement.dataset.act;
  box.replaceChildren(
    ...buttons.map(({ name, label, main, disabled, pressed, title }) =>
      element(
        "button",
        {
          type: "button",
          class: main ? "main" : "",
          "data-act": name,
          disabled,
          title,
          "aria-pressed": pressed === null ? null : String(pressed),
          onclick: () => act[name](),
        },
        label,
      ),
    ),
  );
  if (focused) (box.querySelector(`[data-act="${focused}"]:enabled`) ?? box.querySelector("button"))?.focus();
}

function offered(known, { offer, seat, waits, ply }, answer) {
  const mine = waits.filter((one) => known.yours.includes(one));
  const words = ASKED[offer] + (offer === "takeback" ? ` to move ${ply}` : "");
  if (mine.length) {
    const yes = () => answer(mine[0], offer, true);
    const no = () => answer(mine[0], offer, false);
    return element(
      "div",
      { class: "offer", role: "group", "aria-label": "Asked" },
      element("p", {}, `${known.called(seat)} asks ${words}.`),
      element("button", { type: "button", class: "main", onclick: yes }, "Agree"),
      element("button", { type: "button", onclick: no }, "Decline"),
    );
  }
  if (!known.yours.includes(seat)) return element("p", { class: "quiet" }, `${known.called(seat)} asks ${words}.`);
  return element(
    "div",
    { class: "offer" },
    element("p", { class: "quiet" }, `You asked ${words}.`),
    element("button", { type: "button", onclick: () => answer(seat, offer, false) }, "Withdraw"),
  );
}

/** Somebody is still to come: the link to send them. */
function invitations(known) {
  const { links } = device.table(known.table.id);
  return Object.entries(links)
    .filter(([seat]) => !known.state.seats[seat].sat)
    .map(([seat, secret]) =>
      element(
        "div",
        { class: "offer" },
        element("p", {}, `Send this link to whoever plays ${known.table.players[seat]}.`),
        copier("Copy the link", seatLink(known.table.id, secret), true),
      ),
    );
}

/** What is being asked, and who is still to be invited. */
export function showOffers(box, known, answer) {
  const { offers, seats } = known.state;
  const key = JSON.stringify([offers, seats.map(({ sat }) => sat), known.yours]);
  if (box.shown === key) return;
  box.shown = key;
  box.replaceChildren(
    ...invitations(known),
    ...offers.map((offer) => offered(known, offer, answer)),
  );
}
