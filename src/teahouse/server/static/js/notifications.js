// Notifications of the browser while a page of this server is open. Only a button asks for them.
import { openPage, pagePath, sitePath } from "./site-path.js";
import * as storage from "./storage.js";

/** Whether this browser has notifications at all. */
const isSupported = () => "Notification" in globalThis;

/** Return whether notifications are shown. */
const areNotificationsOn = () =>
  isSupported() && Notification.permission === "granted" && storage.notificationsOn();

const ANSWER_MS = 300;
/** Pages of this browser ask each other whether they are visible. @type {BroadcastChannel | null} */
const channel = "BroadcastChannel" in globalThis ? new BroadcastChannel("teahouse") : null;

/** Answer other pages whether this one is visible. */
export function answerOtherPages() {
  channel?.addEventListener("message", ({ data }) => {
    if (data.ask === pagePath() && !document.hidden) channel.postMessage({ seen: data.ask });
  });
}

/**
 * Return whether a page is visible in any window.
 * @param {string} path
 * @returns {Promise<boolean>}
 */
function isSeen(path) {
  if (!document.hidden && pagePath() === path) return Promise.resolve(true);
  return new Promise((resolve) => {
    const asked = new AbortController();
    const answer = (/** @type {boolean} */ seen) => {
      asked.abort();
      resolve(seen);
    };
    const { signal } = asked;
    channel?.addEventListener("message", ({ data }) => data.seen === path && answer(true), {
      signal,
    });
    channel?.postMessage({ ask: path });
    setTimeout(() => answer(false), ANSWER_MS);
  });
}

/**
 * Show a notification, unless the page that it is about is visible.
 * @param {{ title: string, text: string, path: string }} news
 */
export async function showNotification({ title, text, path }) {
  if (!areNotificationsOn() || (await isSeen(path))) return;
  try {
    // Pages in several tabs share a tag, so that one notification is shown.
    const notification = new Notification(title, {
      body: text,
      tag: path,
      icon: sitePath("/static/icon.svg"),
    });
    notification.onclick = () => {
      focus();
      notification.close();
      if (pagePath() !== path) openPage(path);
    };
  } catch {
    // phones show notifications only for installed pages
  }
}

/**
 * Connect the button that switches notifications on and off.
 * @param {HTMLElement} box hidden where the browser has no notifications
 * @param {HTMLElement} text
 * @param {HTMLButtonElement} button
 */
export function connectNotificationButton(box, text, button) {
  box.hidden = !isSupported();
  if (box.hidden) return;
  const explanation = text.textContent ?? "";
  const show = () => {
    const on = areNotificationsOn();
    button.textContent = on ? "Switch notifications off" : "Allow notifications";
    button.hidden = Notification.permission === "denied";
    text.textContent = button.hidden
      ? "Your browser blocks notifications from this site. Allow them in its site settings."
      : on
        ? "Your browser shows a notification while a page of this server is open."
        : explanation;
  };
  button.addEventListener("click", async () => {
    if (areNotificationsOn()) storage.setNotifications(false);
    else if ((await Notification.requestPermission()) === "granted") storage.setNotifications(true);
    show();
  });
  show();
}
