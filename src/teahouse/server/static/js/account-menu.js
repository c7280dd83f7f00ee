// The account in the header: "Sign in", or a menu with one's profile, games and settings.
import { currentAccount, profilePath, signOut } from "./account.js";
import { byId, element, find } from "./dom.js";
import { pagePath, sitePath } from "./site-path.js";
import * as storage from "./storage.js";
import { errorText } from "./wording.js";

const menu = byId("account-nav");
const button = byId("open-account", HTMLButtonElement);
const nameField = byId("player-name", HTMLInputElement);

/** The name of the account that this page shows. @type {string | null} */
let shown = null;

/**
 * Show the name of the account, with its first letter as the avatar.
 * @param {string | null} name
 */
function show(name) {
  shown = name;
  button.textContent = name ? [...name][0].toUpperCase() : "";
  button.setAttribute("aria-label", name ? `Account of ${name}` : "Account");
  button.title = name ?? "";
  find(menu, ".account-name").textContent = name;
  find(menu, "[data-profile]", HTMLAnchorElement).href = sitePath(
    name ? profilePath(name) : "/account",
  );
  nameField.disabled = name !== null;
}

// After signing in, return to this page.
const here = pagePath() + location.search;
if (!here.startsWith("/sign-")) storage.setLastPage(here);
byId("sign-out").addEventListener("click", async () => {
  try {
    await signOut();
    location.reload();
  } catch (error) {
    find(menu, ".error-text").textContent = errorText(error);
  }
});
// A page restored from the back-forward cache may show what belongs to somebody who has signed out.
addEventListener("pageshow", ({ persisted }) => {
  if (persisted && storage.accountName() !== shown) location.reload();
});
show(storage.accountName());
const account = await currentAccount().catch(() => null);
show(account?.name ?? null);
find(menu, "[data-operator]").hidden = account?.role !== "operator";
if (account?.suspension && 1000 * (account.suspended_until ?? 0) > Date.now()) {
  const notice = element("p", { class: "suspension", role: "status" }, account.suspension);
  byId("main").before(notice);
}
if (account?.kind === "person") {
  const { keepSynchronised } = await import("./account-data.js");
  keepSynchronised(account);
}
