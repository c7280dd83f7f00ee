// The tab Profile of the account: its data, and its deletion.
import { profilePath, remember } from "./account.js";
import { openTab } from "./account-tab.js";
import { getJson, post } from "./api.js";
import { confirmIdentity } from "./confirm-identity.js";
import { byId, find } from "./dom.js";
import { openPage, sitePath } from "./site-path.js";
import { errorText } from "./wording.js";

const dialog = byId("delete-dialog", HTMLDialogElement);
const form = find(dialog, "form", HTMLFormElement);
const field = find(form, "[name=name]", HTMLInputElement);
const since = new Intl.DateTimeFormat("en", { dateStyle: "long" });

byId("delete").addEventListener("click", () => {
  form.reset();
  find(form, ".error-text").textContent = "";
  byId("delete-error").textContent = "";
  dialog.showModal();
});
find(form, "[value=cancel]").addEventListener("click", () => dialog.close());
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (field.value.trim() !== byId("who-title").textContent) {
    find(form, ".error-text").textContent = "This does not match your name.";
    field.select();
    return;
  }
  dialog.close();
  try {
    if (!(await confirmIdentity())) return;
    await post("/api/account/delete", {});
    remember(null);
    openPage("/account?deleted");
  } catch (error) {
    byId("delete-error").textContent = errorText(error);
  }
});

openTab(async ({ name, created }) => {
  const { recovery_codes: codes } = await getJson("/api/account/security");
  byId("no-codes").hidden = codes > 0;
  byId("who-title").textContent = name;
  byId("since").textContent = `Member since ${since.format(new Date(1000 * created))}.`;
  byId("public-profile", HTMLAnchorElement).href = sitePath(profilePath(name));
});
