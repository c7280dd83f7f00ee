// Who sits where: names, presence, hands.
import { element, picture, write } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";

function swatch(colour) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "board swatch");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const group = document.createElementNS(SVG, "g");
  group.setAttribute("class", `c-${colour}`);
  const circle = document.createElementNS(SVG, "circle");
  const attributes = { cx: 12, cy: 12, r: 10, fill: "currentColor" };
  for (const [name, value] of Object.entries(attributes)) circle.setAttribute(name, value);
  group.append(circle);
  svg.append(group);
  return svg;
}

function made(player, seat, colour) {
  return element(
    "li",
    { class: "seat", "data-seat": seat },
    swatch(colour),
    element("span", { class: "who" }, element("span", { class: "name" }), " ", element("span", { class: "sits" }, player)),
    element("span", { class: "clock" }),
    element("span", { class: "hands" }),
  );
}

/** Seats for players, if they are not there yet. */
export function laySeats(list, players, colours) {
  const there = [...list.querySelectorAll(".sits")].map((one) => one.textContent);
  if (there.join() === players.join()) return;
  list.replaceChildren(...players.map((player, seat) => made(player, seat, colours[seat])));
}

/** The hands of a view, each at its player's seat. */
export function showHands(list, view) {
  for (const seat of list.children) {
    const hands = view.hands.filter(({ player }) => player === Number(seat.dataset.seat));
    seat.querySelector(".hands").replaceChildren(
      ...hands.map(({ name, label, piece, away, svg }) =>
        element(
          "span",
          {
            class: `hand${away ? " away" : ""}${piece.count ? "" : " empty"}`,
            "data-hand": name,
            role: "img",
            "aria-label": label,
            title: label,
          },
          picture(svg),
          element("span", { class: "count" }, String(piece.count)),
        ),
      ),
    );
  }
}

/** Whose turn it is in a view, or who has won. */
export function showTurn(list, view) {
  for (const seat of list.children) {
    const number = Number(seat.dataset.seat);
    seat.classList.toggle("turn", view.player === number);
    seat.classList.toggle("winner", view.over && view.winners.includes(number));
  }
}

/** Names and presence at a table. */
export function showPeople(list, known) {
  for (const row of list.children) {
    const seat = Number(row.dataset.seat);
    const { kind, here, sat } = known.state.seats[seat];
    const player = known.table.players[seat];
    write(row.querySelector(".name"), known.called(seat));
    row.querySelector(".sits").hidden = known.called(seat) === player;
    row.classList.toggle("gone", kind === "link" && !here);
    row.classList.toggle("yours", known.yours.includes(seat) && known.yours.length === 1);
    const { thinking, player: decides, over } = known.state;
    row.classList.toggle("thinking", Boolean(thinking) && !over && kind === "bot" && decides === seat);
    row.title = kind !== "link" || here ? "" : sat ? "not here just now" : "has not come yet";
  }
}
