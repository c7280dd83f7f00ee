// Chat. Messages are text nodes, never markup.
import { byId, element } from "./dom.js";

/** @import { TableState } from "./table-state.js" */

/** @param {(text: string) => Promise<boolean>} send returns whether the message was accepted */
export function connectChat(send) {
  byId("chat-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const input = byId("chat-input", HTMLInputElement);
    const text = input.value.trim();
    if (text && (await send(text))) input.value = "";
  });
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
