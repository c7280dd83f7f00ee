// News of the account's games on every page: a challenge, a game that begins, your turn.
import { announce } from "./announce.js";
import { element } from "./dom.js";
import { LobbyConnection } from "./lobby-connection.js";
import { answerOtherPages, showNotification } from "./notifications.js";
import { pagePath } from "./site-path.js";

/** @import { LobbyMessage } from "./protocol.js" */
/** @typedef {{ title: string, text: string, path: string }} News */

const SHOWN_MS = 20_000;

/**
 * Return the news in a message, if any.
 * @param {LobbyMessage} message
 * @returns {News | null}
 */
function newsOf(message) {
  switch (message.type) {
    case "challenge": {
      const { players, title } = message.challenge;
      const name = players[0]?.name ?? "A guest";
      return { title: "Challenge", text: `${name} challenges you to ${title}.`, path: "/" };
    }
    case "game_begins":
      return {
        title: "Your game begins",
        text: `${message.title}: the game begins.`,
        path: `/tables/${message.table}`,
      };
    case "your_turn":
      return {
        title: "Your turn",
        text: `${message.title}: it is your turn.`,
        path: `/tables/${message.table}`,
      };
    default:
      return null;
  }
}

/**
 * Show a sentence in a corner of the page, with a link.
 * @param {News} news
 */
function showToast({ text, path }) {
  let box = document.querySelector(".news");
  if (!box) {
    box = element("section", { class: "news", "aria-label": "News" });
    document.body.append(box);
  }
  const close = () => toast.remove();
  const label = { type: "button", class: "plain", "aria-label": "Close", onclick: close };
  const toast = element("p", {}, element("a", { href: path }, text), element("button", label, "×"));
  box.append(toast);
  announce(text);
  const closeUnused = () => {
    if (toast.matches(":hover, :focus-within")) setTimeout(closeUnused, SHOWN_MS);
    else close();
  };
  setTimeout(closeUnused, SHOWN_MS);
}

/**
 * Follow the news of the account that is signed in.
 * @param {() => void} onchange called when another game waits, or one no longer does
 */
export function followNews(onchange) {
  answerOtherPages();
  addEventListener("lobby-message", (event) => {
    /** @type {LobbyMessage} */
    const message = /** @type {CustomEvent} */ (event).detail;
    const news = newsOf(message);
    if (news) showNotification(news);
    const elsewhere = news && pagePath() !== news.path;
    if (news && elsewhere && message.type !== "your_turn" && !document.getElementById("lobby")) {
      showToast(news);
    }
    if (["your_turn", "game_begins", "game_over"].includes(message.type)) onchange();
  });
  if (document.getElementById("lobby")) return; // the first page has a connection
  new LobbyConnection({ boards: false, onmessage: () => {} }).open();
}
