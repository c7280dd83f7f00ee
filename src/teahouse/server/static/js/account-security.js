// The tab Security: passkeys, the password, recovery codes and sessions.
import { openTab } from "./account-tab.js";
import { getJson, post } from "./api.js";
import { confirmed } from "./confirm-identity.js";
import { byId, element, find, replaceKeepingFocus, setHidden } from "./dom.js";
import { ageText } from "./game-status.js";
import { createPasskey, passkeysAvailable } from "./passkeys.js";
import { siteUrl } from "./site-path.js";
import { errorText } from "./wording.js";

/** @import { AccountPasskey, AccountSecurity, AccountSession } from "./protocol.js" */

const passwordForm = byId("password-form", HTMLFormElement);
/** The codes that are shown. @type {string[]} */
let codes = [];
let accountName = "";

/**
 * Carry out a change, show the outcome in a status line, and reload the state.
 * @param {string} status the id of the line
 * @param {() => Promise<string | undefined>} change returns what happened, or undefined if nothing
 */
async function carryOut(status, change) {
  const line = byId(status);
  line.textContent = "";
  line.classList.remove("error-text");
  try {
    const happened = await confirmed(change);
    await show();
    line.textContent = happened ?? "";
  } catch (error) {
    line.classList.add("error-text");
    line.textContent = errorText(error);
  }
}

/**
 * @param {string} label
 * @param {string} about what it is about, for screen readers
 * @param {() => void} onclick
 */
const button = (label, about, onclick) =>
  element("button", { type: "button", "aria-label": `${label}: ${about}`, onclick }, label);

/** @param {AccountPasskey} passkey */
function passkeyItem({ id, name, host, synced, created, used }) {
  const kind = synced ? "synced between your devices" : "on one device";
  const elsewhere = host === location.hostname ? "" : ` For ${host}.`;
  const use = used === null ? "Never used." : `Last used ${ageText(used)}.`;
  const item = element("li", {});
  const rename = () => item.replaceChildren(renameForm(id, name));
  item.append(
    element(
      "div",
      { class: "what" },
      element("b", {}, name),
      element(
        "span",
        { class: "secondary" },
        `Added ${ageText(created)}, ${kind}. ${use}${elsewhere}`,
      ),
    ),
    element(
      "span",
      { class: "buttons" },
      button("Rename", name, rename),
      button("Remove", name, () =>
        carryOut("passkeys-status", async () => {
          await post("/api/account/passkeys/remove", { id });
          return `Removed ${name}. Delete it on your device too.`;
        }),
      ),
    ),
  );
  return item;
}

/**
 * @param {string} id
 * @param {string} name
 */
function renameForm(id, name) {
  const field = element("input", {
    value: name,
    maxlength: 40,
    required: true,
    "aria-label": "Name of the passkey",
  });
  const form = element("form", { class: "buttons" }, field, element("button", {}, "Save"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    carryOut("passkeys-status", async () => {
      await post("/api/account/passkeys/rename", { id, name: field.value });
      return "Renamed.";
    });
  });
  requestAnimationFrame(() => field.select());
  return form;
}

/** @param {AccountSession} session */
function sessionItem({ id, browser, created, used, current }) {
  const badge = current ? element("span", { class: "badge" }, "this device") : null;
  const seen = current ? "Active now" : `Last seen ${ageText(used)}`;
  return element(
    "li",
    {},
    element(
      "div",
      { class: "what" },
      element("span", {}, element("b", {}, browser), badge),
      element("span", { class: "secondary" }, `${seen}, signed in ${ageText(created)}.`),
    ),
    current
      ? null
      : button("Sign out", browser, () =>
          carryOut("sessions-status", async () => {
            await post("/api/account/sessions/revoke", { id });
            return `Signed out ${browser}.`;
          }),
        ),
  );
}

/** Load the state and show it. */
async function show() {
  /** @type {AccountSecurity} */
  const security = await getJson("/api/account/security");
  const kept = replaceKeepingFocus(byId("passkeys"), security.passkeys.map(passkeyItem));
  byId("passkeys").hidden = security.passkeys.length === 0;
  byId("add-passkey").hidden = !passkeysAvailable();
  if (!kept) byId("add-passkey").focus();
  const missing = byId("no-passkeys");
  missing.hidden = passkeysAvailable() && security.passkeys.length > 0;
  missing.textContent = passkeysAvailable()
    ? "You have no passkey yet."
    : "Passkeys are not available here: they need https, the server's name instead of its IP address, and a browser that supports them.";
  byId("password-state").textContent = security.password
    ? "You have a password. Setting another one replaces it."
    : "You have no password and sign in with a passkey.";
  const field = find(passwordForm, "[name=password]");
  setHidden(byId("remove-password"), !(security.password && security.passkeys.length > 0), field);
  byId("codes-state").textContent = codesText(security.recovery_codes);
  if (!replaceKeepingFocus(byId("sessions"), security.sessions.map(sessionItem))) {
    byId("main").focus();
  }
  setHidden(byId("sign-out-others"), security.sessions.length < 2, byId("main"));
}

/** @param {number} count */
function codesText(count) {
  if (count === 0) {
    return "You have none. Without one, a lost password or passkey means a lost account: nobody can reset it for you.";
  }
  const left = count === 1 ? "1 code" : `${count} codes`;
  return `You have ${left} left. New codes replace them.`;
}

/** The codes as a text file. */
const codesFile = () =>
  `Teahouse recovery codes of ${accountName}\n${siteUrl("/sign-in/recovery")}\n\n${codes.join("\n")}\n`;

byId("add-passkey").addEventListener("click", () =>
  carryOut("passkeys-status", async () => {
    const answer = await createPasskey(await post("/api/account/passkeys/options", {}));
    await post("/api/account/passkeys", { answer });
    byId("recovered").hidden = true;
    return "Added a passkey.";
  }),
);

passwordForm.addEventListener("submit", (event) => {
  event.preventDefault();
  const field = find(passwordForm, "[name=password]", HTMLInputElement);
  carryOut("password-status", async () => {
    await post("/api/account/password", { password: field.value });
    passwordForm.reset();
    byId("recovered").hidden = true;
    return "Your password is set. Your other devices were signed out.";
  });
});

byId("remove-password").addEventListener("click", () =>
  carryOut("password-status", async () => {
    await post("/api/account/password/remove", {});
    return "Your password was removed. You sign in with a passkey.";
  }),
);

byId("make-codes").addEventListener("click", () =>
  carryOut("codes-status", async () => {
    ({ codes } = await post("/api/account/recovery-codes", {}));
    byId("codes").replaceChildren(...codes.map((code) => element("li", {}, code)));
    byId("new-codes").hidden = false;
    return "Ten new codes. Earlier ones are no longer valid.";
  }),
);

byId("download-codes").addEventListener("click", () => {
  const url = URL.createObjectURL(new Blob([codesFile()], { type: "text/plain" }));
  element("a", { href: url, download: "teahouse-recovery-codes.txt" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
});
byId("print-codes").addEventListener("click", () => print());
byId("copy-codes").addEventListener("click", async () => {
  const line = byId("codes-status");
  try {
    await navigator.clipboard.writeText(codesFile());
    line.textContent = "Copied.";
  } catch {
    line.textContent = "This browser does not let the page copy. Download or print the codes.";
  }
});

byId("sign-out-others").addEventListener("click", () =>
  carryOut("sessions-status", async () => {
    const { revoked } = await post("/api/account/sessions/revoke-others", {});
    return revoked === 1 ? "Signed out 1 other device." : `Signed out ${revoked} other devices.`;
  }),
);

openTab(async (account) => {
  accountName = account.name;
  find(passwordForm, "[name=username]", HTMLInputElement).value = account.name;
  byId("recovered").hidden = location.hash !== "#recovered";
  await show();
});
