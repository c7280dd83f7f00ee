// Games of this device: what waits for me, what goes on, what is over; and records.
import { post } from "./api.js";
import * as device from "./device.js";
import { element, sentence, the } from "./dom.js";
import { keepRecord } from "./share.js";

const ago = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** How long ago, in words; `at` in Unix seconds. */
function when(at) {
  const seconds = at - Date.now() / 1000;
  const units = [["day", 86400], ["hour", 3600], ["minute", 60]];
  const [unit, length] = units.find(([, size]) => -seconds >= size) ?? ["second", 1];
  return unit === "second" ? "just now" : ago.format(Math.round(seconds / length), unit);
}

function standing(table) {
  const { players, result, over, player, how, yours, waits } = table;
  if (!over) return waits ? "your turn" : `${players[player]} decides`;
  const why = how ? ` (${{ resigned: "resigned", agreed: "agreed", time: "on time" }[how]})` : "";
  if (result === "draw") return `a draw${why}`;
  const won = yours.some((seat) => result.split("+").includes(players[seat]));
  const against = yours.length === 1 ? (won ? "you won" : "you lost") : `${result.replaceAll("+", " and ")} won`;
  return against + why;
}

function row(table) {
  const { id, title, players, names, ply, changed } = table;
  const people = players.map((player, seat) => names?.[seat] ?? names?.[player] ?? player).join(" – ");
  return element(
    "li",
    {},
    element("a", { href: `/tables/${id}` }, element("b", {}, title), " ", element("span", { class: "people" }, people)),
    element("span", { class: "quiet" }, `${standing(table)} · move ${ply} · ${when(changed)}`),
    forget(`Forget this game of ${title}`, () => device.forgetTable(id)),
  );
}

/** A button that forgets when it is pressed a second time: a forgotten seat cannot be found again. */
function forget(label, act) {
  const button = element("button", { type: "button", class: "plain", title: label, "aria-label": label }, "×");
  button.addEventListener("click", () => {
    if (button.textContent === "×") {
      button.textContent = "Forget?";
      button.setAttribute("aria-label", `${label}: are you sure?`);
      return;
    }
    act();
    button.closest("li").remove();
  });
  button.addEventListener("blur", () => {
    button.textContent = "×";
    button.setAttribute("aria-label", label);
  });
  return button;
}

function section(title, rows) {
  return rows.length ? [element("section", {}, element("h2", {}, title), element("ul", { class: "list" }, ...rows))] : [];
}

function recordRow({ id, title, at }) {
  return element(
    "li",
    {},
    element("a", { href: `/records/${id}` }, element("b", {}, title)),
    element("span", { class: "quiet" }, when(at / 1000)),
    forget("Forget this record", () => device.forgetRecord(id)),
  );
}

async function show() {
  const lists = the("lists");
  const kept = section("Kept records", device.records().map(recordRow));
  try {
    const asked = Object.entries(device.tables()).map(([id, { secrets }]) => ({ id, secrets }));
    const answer = asked.length ? await post("/api/status", { tables: asked }) : { tables: [] };
    const found = answer.tables.filter((one) => one.found).sort((one, other) => other.changed - one.changed);
    const waiting = found.filter(({ over, waits }) => !over && waits);
    const going = found.filter(({ over, waits }) => !over && !waits);
    const over = found.filter((one) => one.over);
    const nothing = element("p", {}, "No games yet. ", element("a", { href: "/" }, "Choose one"), " to begin.");
    lists.replaceChildren(
      ...(found.length || kept.length ? [] : [nothing]),
      ...section("Waiting for you", waiting.map(row)),
      ...section("Going on", going.map(row)),
      ...section("Over", over.map(row)),
      ...kept,
    );
  } catch (error) {
    lists.replaceChildren(element("p", { class: "trouble", role: "alert" }, sentence(error.message)), ...kept);
  }
  lists.removeAttribute("aria-busy");
}

const form = the("upload");
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const file = form.elements.file.files[0];
  const text = file ? await file.text() : form.elements.text.value;
  try {
    if (!text.trim()) throw new Error("choose a file or paste a record first");
    location.href = await keepRecord(text, file?.name ?? "A record");
  } catch (error) {
    the("trouble").textContent = sentence(error.message);
  }
});
show();
document.addEventListener("visibilitychange", () => document.hidden || show());
