// Bot accounts and API tokens of the account.
import { openTab } from "./account-tab.js";
import { announce } from "./announce.js";
import { getJson, post } from "./api.js";
import { confirmed } from "./confirm-identity.js";
import { byId, element, find, replaceKeepingFocus } from "./dom.js";
import { ageText } from "./game-status.js";
import { copyButton } from "./share.js";
import { errorText } from "./wording.js";

/**
 * @typedef {{ id: string, name: string, scopes: string[], created: number, expires: number | null, used: number | null }} Token
 * @typedef {{ id: string, name: string, tokens: Token[] }} BotAccount
 * @typedef {{ tokens: Token[], bots: BotAccount[], max_bots: number }} AccountTokens
 */

const status = byId("tokens-status");
const botForm = byId("bot-form", HTMLFormElement);
const tokenForm = byId("token-form", HTMLFormElement);
const created = byId("new-token-box");
/** The name of the person who is signed in. */
let owner = "";

/** @param {number} time */
const dateText = (time) =>
  new Date(1000 * time).toLocaleDateString(undefined, { dateStyle: "medium" });

/** @param {Token} token */
function tokenText({ scopes, created, expires, used }) {
  const end =
    expires === null
      ? "never expires"
      : 1000 * expires < Date.now()
        ? `expired on ${dateText(expires)}`
        : `expires on ${dateText(expires)}`;
  const last = used === null ? "never used" : `last used ${ageText(used)}`;
  return `${scopes.join(", ")} · created on ${dateText(created)} · ${end} · ${last}`;
}

/**
 * @param {Token} token
 * @param {string} holder
 * @param {boolean} isBot
 */
function tokenItem(token, holder, isBot) {
  const revoke = () =>
    carryOut(async () => {
      await post(`/api/account/tokens/${token.id}/revoke`, {});
      announce(`The token ${token.name} was revoked.`);
    });
  return element(
    "li",
    {},
    element(
      "div",
      { class: "what" },
      element("b", {}, token.name),
      element("span", { class: "secondary" }, `for ${holder}${isBot ? " (BOT)" : ""}`),
      element("span", { class: "secondary" }, tokenText(token)),
    ),
    element(
      "button",
      { type: "button", "aria-label": `Revoke ${token.name} of ${holder}`, onclick: revoke },
      "Revoke",
    ),
  );
}

/** @param {BotAccount} bot */
function botItem({ id, name, tokens }) {
  const remove = () => {
    const question = `Delete ${name}? Its tokens stop working at once, and its games stay without its name.`;
    if (!confirm(question)) return;
    carryOut(async () => {
      await post(`/api/account/bots/${id}/delete`, {});
      announce(`The bot account ${name} was deleted.`);
    });
  };
  const count = tokens.length === 1 ? "1 token" : `${tokens.length} tokens`;
  return element(
    "li",
    {},
    element(
      "div",
      { class: "what" },
      element(
        "span",
        {},
        element("a", { href: `/players/${encodeURIComponent(name)}` }, name),
        element("span", { class: "badge" }, "BOT"),
      ),
      element("span", { class: "secondary" }, count),
    ),
    element(
      "button",
      { type: "button", class: "danger", "aria-label": `Delete ${name}`, onclick: remove },
      "Delete",
    ),
  );
}

/** @param {AccountTokens} loaded */
function render({ tokens, bots, max_bots }) {
  replaceKeepingFocus(byId("bots"), bots.map(botItem));
  botForm.hidden = bots.length >= max_bots;
  replaceKeepingFocus(byId("tokens"), [
    ...tokens.map((token) => tokenItem(token, owner, false)),
    ...bots.flatMap((bot) => bot.tokens.map((token) => tokenItem(token, bot.name, true))),
  ]);
  const account = find(tokenForm, "[name=account]", HTMLSelectElement);
  const chosen = account.value;
  account.replaceChildren(
    ...bots.map((bot) => element("option", { value: bot.id }, `${bot.name} (BOT)`)),
    element("option", { value: "" }, `${owner} (you)`),
  );
  if (bots.some((bot) => bot.id === chosen)) account.value = chosen;
}

const reload = async () => render(await getJson("/api/account/tokens"));

/**
 * Carry out a change, then show the lists again, or the error.
 * @param {() => Promise<void>} change
 */
async function carryOut(change) {
  status.textContent = "";
  try {
    await change();
    await reload();
  } catch (error) {
    status.textContent = errorText(error);
    status.scrollIntoView({ block: "nearest" });
  }
}

botForm.addEventListener("submit", (event) => {
  event.preventDefault();
  carryOut(async () => {
    const bot = await post("/api/account/bots", { name: new FormData(botForm).get("name") });
    botForm.reset();
    announce(`The bot account ${bot.name} was created.`);
    await reload();
    find(tokenForm, "[name=account]", HTMLSelectElement).value = bot.id;
  });
});

tokenForm.addEventListener("submit", (event) => {
  event.preventDefault();
  carryOut(async () => {
    const form = new FormData(tokenForm);
    const account = form.get("account") || null;
    const holder = find(tokenForm, "[name=account] :checked").textContent ?? "";
    const wanted = {
      name: form.get("name"),
      scopes: form.getAll("scopes"),
      days: form.get("days") ? Number(form.get("days")) : null,
      account,
    };
    const answer = await confirmed(() => post("/api/account/tokens", wanted));
    if (!answer) return; // the person has cancelled
    find(tokenForm, "[name=name]", HTMLInputElement).value = "";
    find(created, ".holder").textContent = holder;
    find(created, ".token").textContent = answer.token;
    find(created, ".buttons").replaceChildren(
      copyButton("Copy token", answer.token, { main: true }),
    );
    created.hidden = false;
    created.focus();
  });
});

openTab(async (account) => {
  owner = account.name;
  await reload();
});
