// Chat. Messages are text nodes, never markup.
import { announce } from "./announce.js";
import { getJson } from "./api.js";
import { byId, element, needsRender, replaceKeepingFocus } from "./dom.js";
import { isHidden, loadRelations } from "./relations.js";

/** @import { TableState } from "./table-state.js" */
/** @import { Subject } from "./player-dialog.js" */

/**
 * Open the dialog to mute or report players; it is loaded when it is needed.
 * @param {Subject[]} subjects
 * @param {TableState} table
 */
async function openDialog(subjects, table) {
  const { openPlayerDialog } = await import("./player-dialog.js");
  openPlayerDialog(subjects, () => renderChat(table));
}

/** The table whose messages are shown. @type {TableState | null} */
let current = null;

/** @param {(text: string) => Promise<boolean>} send returns whether the message was accepted */
export function connectChat(send) {
  loadRelations()
    .then(() => current && renderChat(current))
    .catch(() => {}); // all messages are shown then
  byId("chat-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const input = byId("chat-input", HTMLInputElement);
    const text = input.value.trim();
    if (!text) return;
    input.value = ""; // the next message may be typed before this one is accepted
    if (!(await send(text)) && !input.value) input.value = text;
  });
}

/**
 * Load the messages before those that are shown.
 * @param {TableState} table
 */
async function loadEarlier(table) {
  const button = byId("chat-earlier", HTMLButtonElement);
  button.disabled = true;
  try {
    const { id } = table.info;
    const { chat, earlier_chat } = await getJson(
      `/api/tables/${id}/chat?before=${table.chat[0]?.seq ?? table.seq}`,
    );
    table.chat.unshift(...chat);
    table.hasEarlierChat = earlier_chat;
    const box = byId("chat-log");
    const fromBottom = box.scrollHeight - box.scrollTop;
    renderChat(table);
    box.scrollTop = box.scrollHeight - fromBottom; // keep what was read in place
  } catch (error) {
    announce(error instanceof Error ? error.message : String(error));
  } finally {
    button.disabled = false;
  }
}

/**
 * Show the messages; hide the chat where nobody else could read it.
 * @param {TableState} table
 */
export function renderChat(table) {
  current = table;
  const { chat } = table;
  const hasRemote = table.state.seats.some(({ kind }) => kind === "remote");
  byId("chat").hidden = !hasRemote && chat.length === 0;
  byId("chat-form").hidden = !table.isSeated;
  const earlier = byId("chat-earlier", HTMLButtonElement);
  earlier.hidden = !table.hasEarlierChat;
  earlier.onclick = () => loadEarlier(table);
  const others = otherPlayers(table);
  const moderate = byId("chat-moderate");
  moderate.hidden = others.length === 0;
  moderate.onclick = () => openDialog(others, table);
  const { id } = table.info;
  const shown = chat.filter(
    ({ seat }) => !isHidden(id, seat, table.state.seats[seat]?.account ?? null),
  );
  const list = byId("chat-messages");
  const names = others.map(({ name }) => name);
  if (!needsRender(list, shown.length, chat.length, chat[0]?.seq, names)) return;
  const box = byId("chat-log");
  const atBottom = box.scrollHeight - box.scrollTop - box.clientHeight < 30;
  replaceKeepingFocus(
    list,
    shown.map(({ seat, seq, text }) => {
      const name = table.displayName(seat, true);
      const about = others.find((one) => one.seat === seat);
      const open = () => about && openDialog([{ ...about, message: { seq, text } }], table);
      const label = `Mute or report ${name}`;
      const button = {
        type: "button",
        class: "plain",
        "data-key": seq,
        "aria-label": label,
        title: label,
        onclick: open,
      };
      return element(
        "li",
        {},
        element("span", {}, element("b", {}, name), " ", text),
        about ? element("button", button, "⋯") : null,
      );
    }),
  );
  const hidden = chat.length - shown.length;
  if (hidden) {
    const text = hidden === 1 ? "1 message is hidden." : `${hidden} messages are hidden.`;
    list.append(element("li", { class: "secondary" }, text));
  }
  if (atBottom) box.scrollTop = box.scrollHeight;
}

/**
 * Return the people of other seats, who can be muted, blocked and reported: also those for whom a
 * bot plays on.
 * @param {TableState} table
 * @returns {Subject[]}
 */
function otherPlayers(table) {
  return table.state.seats.flatMap(({ kind, left, account }, seat) => {
    if ((kind === "bot" && !left) || table.heldSeats.includes(seat)) return [];
    const name = account?.name ?? table.displayName(seat, true);
    return [{ name, account, table: table.info.id, seat }];
  });
}
