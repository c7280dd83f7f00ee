// The blocked and muted players of the account.

import { profilePath } from "./account.js";
import { openTab } from "./account-tab.js";
import { getJson } from "./api.js";
import { byId, element, find, replaceKeepingFocus, setText } from "./dom.js";
import { setRelation } from "./relations.js";
import { errorText } from "./wording.js";

/** @import { Relation, Relations } from "./relations.js" */

const status = byId("relation-status");
const form = byId("relation-form", HTMLFormElement);

/** @param {Relations} relations */
function render(relations) {
  for (const kind of /** @type {const} */ (["blocked", "muted"])) {
    const people = relations[kind];
    byId(`no-${kind}`).hidden = people.length > 0;
    const kept = replaceKeepingFocus(
      byId(kind),
      people.map(({ name }) => {
        const undo = kind === "blocked" ? "Unblock" : "Unmute";
        return element(
          "li",
          {},
          element("div", { class: "what" }, element("a", { href: profilePath(name) }, name)),
          element(
            "button",
            {
              type: "button",
              "aria-label": `${undo} ${name}`,
              onclick: () =>
                change(
                  name,
                  "none",
                  `You no longer ${kind === "blocked" ? "block" : "mute"} ${name}.`,
                ),
            },
            undo,
          ),
        );
      }),
    );
    if (!kept) find(form, "[name=account]").focus();
  }
}

/**
 * @param {string} name
 * @param {Relation} relation
 * @param {string} done
 */
async function change(name, relation, done) {
  try {
    render(await setRelation(name, relation));
    setText(status, done);
    return true;
  } catch (error) {
    setText(status, errorText(error));
    return false;
  }
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const pressed = /** @type {SubmitEvent} */ (event).submitter;
  const relation =
    pressed instanceof HTMLButtonElement && pressed.value === "mute" ? "mute" : "block";
  const name = String(new FormData(form).get("account")).trim();
  if (await change(name, relation, `You ${relation} ${name} now.`)) form.reset();
});

openTab(async () => render(await getJson("/api/account/relations")));
