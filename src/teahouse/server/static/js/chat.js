// Chat: only text, never markup.
import { element, the } from "./dom.js";

/** Connect the form; `say` sends what was written. */
export function connectChat(say) {
  the("say").addEventListener("submit", async (event) => {
    event.preventDefault();
    const words = the("words");
    const text = words.value.trim();
    if (!text) return;
    if (await say(text)) words.value = "";
  });
}

/** Show what was said, if there is anybody to talk to. */
export function showChat(known) {
  const people = known.state.seats.filter(({ kind }) => kind === "link").length;
  the("chat").hidden = people === 0 && known.chat.length === 0;
  the("say").hidden = !known.seated;
  const list = the("said-list");
  if (list.children.length === known.chat.length && known.chat.length) return;
  const box = list.parentElement;
  const low = box.scrollHeight - box.scrollTop - box.clientHeight < 30;
  list.replaceChildren(
    ...known.chat.map(({ seat, text }) =>
      element("li", {}, element("b", {}, known.called(seat)), " ", text),
    ),
  );
  if (low) box.scrollTop = box.scrollHeight;
}
