// Notifications of an account: this browser, feed, e-mail, vacation.
import { openTab } from "./account-tab.js";
import { getJson, post } from "./api.js";
import { byId, setHidden, setText } from "./dom.js";
import { renderEmail } from "./email-settings.js";
import { connectNotificationButton } from "./notifications.js";
import { dateText } from "./seats.js";
import { siteUrl } from "./site-path.js";
import { errorText } from "./wording.js";

/** @import { NotificationSettings, Vacation } from "./protocol.js" */

const DAY_S = 86_400;

/**
 * Run an action of a button; show its error.
 * @param {() => Promise<void>} action
 */
async function attempt(action) {
  setText(byId("error"), "");
  try {
    await action();
  } catch (error) {
    setText(byId("error"), errorText(error));
  }
}

/**
 * @param {boolean} exists
 * @param {string} path the address, if it was just made
 */
function showFeed(exists, path = "") {
  const address = path && siteUrl(path);
  setText(byId("feed-state"), exists ? "Your feed has an address." : "Your feed has no address.");
  setText(byId("feed-address"), address);
  byId("feed-new").textContent = exists ? "Replace the address" : "Create an address";
  setHidden(byId("feed-revoke"), !exists, byId("feed-new"));
  setHidden(byId("feed-copy"), !address, byId("feed-new"));
  if (address) setText(byId("feed-state"), "Copy this address now: it is not shown again.");
}

/** @param {Vacation} vacation */
function showVacation({ until, days_left, days_a_year }) {
  const planned = until ? until / DAY_S - Date.now() / (1000 * DAY_S) : 0;
  const free = Math.max(0, Math.floor(days_left - planned + 0.01)); // clocks differ
  const left = `${free} of ${days_a_year} days are left for this year.`;
  setText(
    byId("vacation-state"),
    until ? `You are on vacation until ${dateText(until)}. ${left}` : left,
  );
  setHidden(byId("vacation-end"), !until, byId("vacation-start"));
  byId("vacation-start").textContent = until ? "Change the end" : "Go on vacation";
  const field = byId("vacation-form").querySelector("input");
  if (field) field.max = String(Math.max(1, Math.floor(days_left)));
}

byId("feed-new").addEventListener("click", () =>
  attempt(async () => {
    const { path } = await post("/api/notifications/feed", {});
    showFeed(true, path);
  }),
);
byId("feed-revoke").addEventListener("click", () =>
  attempt(async () => {
    await post("/api/notifications/feed/revoke", {});
    showFeed(false);
  }),
);
byId("feed-copy").addEventListener("click", () =>
  attempt(async () => {
    try {
      await navigator.clipboard.writeText(byId("feed-address").textContent ?? "");
    } catch {
      throw new Error("This browser does not let the page copy. Select the address and copy it.");
    }
    setText(byId("feed-state"), "Copied. The address is not shown again.");
  }),
);
byId("vacation-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const days = Number(byId("vacation-form").querySelector("input")?.value);
  attempt(async () => showVacation(await post("/api/vacation", { days })));
});
byId("vacation-end").addEventListener("click", () =>
  attempt(async () => showVacation(await post("/api/vacation", { days: 0 }))),
);

openTab(async () => {
  /** @type {NotificationSettings} */
  const settings = await getJson("/api/notifications");
  const button = byId("notify-button", HTMLButtonElement);
  connectNotificationButton(byId("notify"), byId("notify-text"), button);
  showFeed(settings.feed);
  showVacation(settings.vacation);
  if (settings.email) renderEmail(byId("more-ways"), settings.email, attempt);
});
