// Shared by the account pages, which need a signed-in user.
import { currentAccount } from "./account.js";
import { byId } from "./dom.js";
import { errorText } from "./wording.js";

/**
 * Show the page's content if somebody is signed in, else a link to sign in.
 * @param {(account: import("./account.js").Account) => Promise<void>} fill fill in the content
 */
export async function openTab(fill) {
  const content = byId("account-tab");
  const signedOut = byId("signed-out");
  try {
    const account = await currentAccount();
    signedOut.hidden = account !== null;
    if (account === null) {
      if (new URLSearchParams(location.search).has("deleted")) {
        signedOut.textContent = "Your account was deleted. You can still play as a guest.";
      }
      return;
    }
    await fill(account);
    content.hidden = false;
  } catch (error) {
    signedOut.textContent = errorText(error);
    signedOut.hidden = false;
  } finally {
    content.removeAttribute("aria-busy");
  }
}
