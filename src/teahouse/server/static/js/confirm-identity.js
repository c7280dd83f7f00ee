// Asks for the password or a passkey again before a sensitive change.
import { getJson, post } from "./api.js";
import { byId, find } from "./dom.js";
import { passkeysAvailable, usePasskey } from "./passkeys.js";
import { errorText } from "./wording.js";

/**
 * Carry out a change; if the server requires confirmation first, ask for it and retry.
 * @template T
 * @param {() => Promise<T>} change
 * @returns {Promise<T | undefined>} undefined if the person cancelled
 */
export async function confirmed(change) {
  try {
    return await change();
  } catch (error) {
    if (/** @type {{ code?: string }} */ (error).code !== "confirmation_required") throw error;
  }
  return (await confirmIdentity()) ? change() : undefined;
}

/**
 * Ask for the password or a passkey.
 * @returns {Promise<boolean>} false if the person cancelled
 */
export async function confirmIdentity() {
  const { password, passkeys } = await getJson("/api/account/security");
  const dialog = byId("confirm-identity", HTMLDialogElement);
  const form = find(dialog, "form", HTMLFormElement);
  const field = find(form, "[name=password]", HTMLInputElement);
  const withPasskey = find(form, "[value=passkey]", HTMLButtonElement);
  const withPassword = find(form, "[value=password]", HTMLButtonElement);
  const problem = find(form, ".error-text");
  byId("confirm-with-password").hidden = !password;
  withPassword.hidden = !password;
  withPasskey.hidden = !(passkeys.length > 0 && passkeysAvailable());
  withPasskey.classList.toggle("main", !password);
  problem.textContent = "";
  form.reset();

  return new Promise((resolve) => {
    const listening = new AbortController();
    const { signal } = listening;
    /** @param {boolean} outcome */
    const finish = (outcome) => {
      listening.abort();
      form.reset();
      dialog.close();
      resolve(outcome);
    };
    /** @param {() => Promise<unknown>} attempt */
    const attempt = async (attempt) => {
      problem.textContent = "";
      try {
        await attempt();
        finish(true);
      } catch (error) {
        problem.textContent = errorText(error);
        field.select();
      }
    };
    form.addEventListener(
      "submit",
      (event) => {
        event.preventDefault();
        if (password) attempt(() => post("/api/account/confirm", { password: field.value }));
      },
      { signal },
    );
    withPasskey.addEventListener(
      "click",
      () =>
        attempt(async () => {
          const options = await post("/api/account/confirm/passkey/options", {});
          await post("/api/account/confirm/passkey", { answer: await usePasskey(options) });
        }),
      { signal },
    );
    find(form, "[value=cancel]").addEventListener("click", () => finish(false), { signal });
    dialog.addEventListener("cancel", () => finish(false), { signal });
    dialog.showModal();
  });
}
