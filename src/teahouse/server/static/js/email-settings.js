// The e-mail settings of an account, on servers that send e-mail.

import { announce } from "./announce.js";
import { post } from "./api.js";
import { element, replaceKeepingFocus } from "./dom.js";

/** @import { NotificationSettings } from "./protocol.js" */

/** @typedef {NonNullable<NotificationSettings["email"]>} EmailSettings */

/** @type {[string, string][]} */
const KINDS = [
  ["turn", "Your turn in a correspondence game"],
  ["over", "The end of a correspondence game"],
  ["challenge", "A challenge"],
  ["tournament", "A tournament begins"],
];
/** @type {[number, string][]} */
const DELAYS = [
  [0, "at once"],
  [5, "5 minutes"],
  [15, "15 minutes"],
  [60, "1 hour"],
  [240, "4 hours"],
  [1440, "1 day"],
];

/** @param {EmailSettings} email */
function stateText({ address, verified }) {
  if (!address) return "No e-mail is sent to you.";
  return verified
    ? `E-mail goes to ${address}, at most once an hour.`
    : `A link was sent to ${address}. Open it to confirm the address.`;
}

/**
 * Show the settings.
 * @param {HTMLElement} section
 * @param {EmailSettings} email
 * @param {(action: () => Promise<void>) => Promise<void>} attempt runs an action and shows its error
 * @param {string} [saved] shown before what is set, once that was changed
 */
export function renderEmail(section, email, attempt, saved = "") {
  const show = (/** @type {Partial<EmailSettings>} */ changes) => {
    const after = { ...email, ...changes };
    renderEmail(section, after, attempt, "Saved. ");
    announce(`Saved. ${stateText(after)}`);
  };
  const address = element("input", {
    type: "email",
    name: "address",
    required: true,
    autocomplete: "email",
    maxlength: 254,
    value: email.address ?? "",
  });
  const remove = () =>
    attempt(async () => show(await post("/api/notifications/email", { address: null })));
  const addressForm = element(
    "form",
    {
      class: "fields",
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        attempt(async () =>
          show(await post("/api/notifications/email", { address: address.value })),
        );
      },
    },
    element("label", {}, "Your e-mail address ", address),
    element(
      "p",
      { class: "buttons" },
      element("button", {}, email.address ? "Change it" : "Send me a link"),
      " ",
      email.address ? element("button", { type: "button", onclick: remove }, "Remove") : null,
    ),
  );
  replaceKeepingFocus(section, [
    element(
      "section",
      { "aria-labelledby": "email-title" },
      element("h2", { id: "email-title" }, "E-mail"),
      element("p", {}, `${saved}${stateText(email)}`),
      addressForm,
      email.verified ? choicesForm(email, attempt, show) : null,
    ),
  ]);
}

/**
 * @param {EmailSettings} email
 * @param {(action: () => Promise<void>) => Promise<void>} attempt
 * @param {(changes: Partial<EmailSettings>) => void} show
 */
function choicesForm(email, attempt, show) {
  const boxes = KINDS.map(([kind, label]) => {
    const box = element("input", {
      type: "checkbox",
      value: kind,
      checked: email.kinds.includes(kind),
    });
    return { box, label: element("label", {}, box, ` ${label}`) };
  });
  const delay = element(
    "select",
    {},
    ...DELAYS.map(([minutes, label]) =>
      element("option", { value: minutes, selected: minutes === email.minutes }, label),
    ),
  );
  const save = (/** @type {Event} */ event) => {
    event.preventDefault();
    const kinds = boxes.filter(({ box }) => box.checked).map(({ box }) => box.value);
    const minutes = Number(delay.value);
    attempt(async () => show(await post("/api/notifications/mail", { kinds, minutes })));
  };
  return element(
    "form",
    { class: "fields", onsubmit: save },
    element(
      "fieldset",
      {},
      element("legend", {}, "Notify me about"),
      ...boxes.map(({ label }) => label),
    ),
    element("label", {}, "When I have been offline for ", delay),
    element("p", { class: "buttons" }, element("button", {}, "Save")),
  );
}
