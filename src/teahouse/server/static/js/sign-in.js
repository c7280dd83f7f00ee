// Sign in or sign up with a password or a passkey; a guest's games and progress are kept.
import { remember } from "./account.js";
import { claimGames, synchronise } from "./account-data.js";
import { post } from "./api.js";
import { byId, find } from "./dom.js";
import { passkeysAvailable, signInWithPasskey, signUpWithPasskey } from "./passkeys.js";
import { openPage } from "./site-path.js";
import * as storage from "./storage.js";
import { errorText } from "./wording.js";

/** @import { Account } from "./account.js" */

/** Until the browser is asked anew for a passkey, before the server forgets the request. */
const RENEW_MS = 240_000;

const form = byId("sign-in-form", HTMLFormElement);
const isNew = form.dataset.new !== undefined;
const passkeyButton = byId("passkey", HTMLButtonElement);
const gamesBox = byId("bring-games");
const bringGames = find(gamesBox, "input", HTMLInputElement);
/** The passkey that the browser may fill in. @type {AbortController | null} */
let autofill = null;

/** @param {string} name */
const field = (name) => find(form, `[name=${name}]`, HTMLInputElement);

/** Return a page of this server to go to; never another site. */
function nextPage() {
  const next = new URLSearchParams(location.search).get("next") ?? storage.lastPage();
  const url = new URL(next, location.origin);
  const isOwn = next.startsWith("/") && url.origin === location.origin;
  return isOwn && !url.pathname.startsWith("/sign-") ? next : "/";
}

/** @param {boolean} busy */
function setBusy(busy) {
  for (const button of form.querySelectorAll("button")) button.disabled = busy;
  form.setAttribute("aria-busy", String(busy));
}

/**
 * Sign in, claim the games and data of this browser, and continue.
 * @param {() => Promise<{ account: Account }>} request
 */
async function enter(request) {
  autofill?.abort();
  byId("error").textContent = "";
  setBusy(true);
  try {
    const { account } = await request();
    remember(account);
    if (!gamesBox.hidden && bringGames.checked) await claimGames();
    await synchronise(account).catch(() => {}); // every page tries again
    openPage(nextPage());
  } catch (error) {
    byId("error").textContent = errorText(error);
    setBusy(false);
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const body = { name: field("name").value, password: field("password").value };
  enter(() => post(`/api/account/sign-${isNew ? "up" : "in"}`, body));
});
// Until now the browser would have submitted the form itself.
find(form, "button.main", HTMLButtonElement).disabled = false;
passkeyButton.addEventListener("click", () => {
  if (isNew && !field("name").reportValidity()) return;
  enter(() => (isNew ? signUpWithPasskey(field("name").value) : signInWithPasskey()));
});
byId("show-password").addEventListener("change", ({ target }) => {
  const shown = target instanceof HTMLInputElement && target.checked;
  field("password").type = shown ? "text" : "password";
});

/** Let the browser offer passkeys where the name is typed; a request of it expires. */
async function offerPasskeys() {
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
  const offered = new AbortController();
  const { signal } = offered;
  autofill = offered;
  const renewal = setTimeout(() => {
    offered.abort();
    offerPasskeys().catch(() => {});
  }, RENEW_MS);
  try {
    const answer = await signInWithPasskey({ signal, autofill: true });
    await enter(async () => answer);
  } catch (error) {
    if (!signal.aborted) byId("error").textContent = errorText(error);
  } finally {
    clearTimeout(renewal);
  }
}

const games = storage.guestTables().length;
gamesBox.hidden = games === 0;
find(gamesBox, ".count").textContent = games === 1 ? "the game" : `the ${games} games`;
bringGames.checked = isNew;
byId("passkey-box").hidden = !passkeysAvailable();
if (passkeysAvailable() && !isNew) offerPasskeys().catch(() => {}); // only a convenience
