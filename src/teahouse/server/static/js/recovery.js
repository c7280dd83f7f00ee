// Signing in with a recovery code.
import { remember } from "./account.js";
import { post } from "./api.js";
import { byId, find } from "./dom.js";
import { openPage } from "./site-path.js";
import { errorText } from "./wording.js";

const form = byId("recovery-form", HTMLFormElement);

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { name, code } = Object.fromEntries(new FormData(form));
  byId("error").textContent = "";
  try {
    const { account } = await post("/api/account/sign-in/recovery", { name, code });
    remember(account);
    openPage("/account/security#recovered");
  } catch (error) {
    byId("error").textContent = errorText(error);
  }
});
// Until now the browser would have submitted the form itself.
find(form, "button.main", HTMLButtonElement).disabled = false;
