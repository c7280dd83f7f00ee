// Chat. Messages are text nodes, never markup.
import { announce } from "./announce.js";
import { getJson } from "./api.js";
import { byId, element } from "./dom.js";

/** @import { TableState } from "./table-state.js" */

/** @param {(text: string) => Promise<boolean>} send returns whether the message was accepted */
export function connectChat(send) {
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
  const { chat } = table;
  const hasRemote = table.state.seats.some(({ kind }) => kind === "remote");
  byId("chat").hidden = !hasRemote && chat.length === 0;
  byId("chat-form").hidden = !table.isSeated;
  const earlier = byId("chat-earlier", HTMLButtonElement);
  earlier.hidden = !table.hasEarlierChat;
  earlier.onclick = () => loadEarlier(table);
  const list = byId("chat-messages");
  if (list.children.length === chat.length && chat.length) return;
  const box = byId("chat-log");
  const atBottom = box.scrollHeight - box.scrollTop - box.clientHeight < 30;
  list.replaceChildren(
    ...chat.map(({ seat, text }) =>
      element("li", {}, element("b", {}, table.displayName(seat)), " ", text),
    ),
  );
  if (atBottom) box.scrollTop = box.scrollHeight;
}
