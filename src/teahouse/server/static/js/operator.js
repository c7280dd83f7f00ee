// The operators' page: reports, actions and their log.
import { profilePath } from "./account.js";
import { openTab } from "./account-tab.js";
import { getJson, post } from "./api.js";
import { byId, element, find, replaceKeepingFocus, setText } from "./dom.js";
import { ageText } from "./game-status.js";
import { errorText } from "./wording.js";

/** @import { AccountBody } from "./protocol.js" */

/**
 * @typedef {object} Report
 * @property {string} id
 * @property {number} created
 * @property {"table" | "chat" | "name"} subject
 * @property {string} reason
 * @property {string} text
 * @property {string} quote
 * @property {(AccountBody & { suspended: boolean }) | null} account
 * @property {AccountBody | null} reporter
 * @property {string | null} table_id
 * @property {string | null} closed_by
 */
/** @typedef {{ created: number, operator: string, action: string, reason: string, answer: string }} Action */

const REASONS = new Map([
  ["abuse", "Insults or harassment"],
  ["name", "Offensive name"],
  ["cheating", "Unfair play"],
  ["stalling", "Stalling or leaving"],
  ["spam", "Advertising or flooding"],
  ["other", "Something else"],
]);
const SUBJECTS = { table: "a game", chat: "a message", name: "a name" };

const form = byId("action-form", HTMLFormElement);
const status = byId("action-status");
const action = find(form, "[name=action]", HTMLSelectElement);

/** Show the fields that an action needs. */
function showFields() {
  for (const label of form.querySelectorAll("[data-for]")) {
    const wanted = label.getAttribute("data-for")?.split(" ").includes(action.value) ?? false;
    label.toggleAttribute("hidden", !wanted);
  }
}

/**
 * Fill in the form for an action.
 * @param {string} kind
 * @param {Record<string, string>} values
 */
function prepare(kind, values) {
  form.reset();
  action.value = kind;
  for (const [name, value] of Object.entries(values)) {
    find(form, `[name=${name}]`, HTMLInputElement).value = value;
  }
  showFields();
  setText(status, "");
  find(form, "[name=reason]", HTMLInputElement).focus();
}

/** @param {Report} report */
function reportItem(report) {
  const { account, reporter, table_id: table, quote, text } = report;
  const name = account?.name ?? "a guest";
  const about = account
    ? element("a", { href: profilePath(name) }, name)
    : report.subject === "table"
      ? "a game"
      : name;
  const act = (/** @type {string} */ label, /** @type {() => void} */ onclick) =>
    element("button", { type: "button", "aria-label": `${label}: ${name}`, onclick }, label);
  return element(
    "li",
    {},
    element(
      "div",
      { class: "what" },
      element(
        "span",
        {},
        element("b", {}, REASONS.get(report.reason) ?? report.reason),
        " · ",
        about,
        account?.suspended ? element("span", { class: "badge" }, "suspended") : null,
      ),
      quote ? element("blockquote", {}, quote) : null,
      text ? element("span", {}, text) : null,
      element(
        "span",
        { class: "secondary" },
        `${SUBJECTS[report.subject]}, reported by ${reporter?.name ?? "a guest"} ${ageText(report.created)}`,
        table
          ? element(
              "span",
              {},
              " at ",
              element("a", { href: `/tables/${table}` }, `table ${table}`),
            )
          : null,
        report.closed_by ? `, closed by ${report.closed_by}` : null,
      ),
    ),
    report.closed_by
      ? null
      : element(
          "p",
          { class: "buttons" },
          account && !account.suspended
            ? act("Suspend…", () => prepare("suspend", { account: name }))
            : null,
          account ? act("Rename…", () => prepare("rename", { account: name })) : null,
          table ? act("Close table…", () => prepare("close-table", { table })) : null,
          act("Done", () => carryOut(`/api/operator/reports/${report.id}/close`, {})),
        ),
  );
}

/** @param {Action} done */
const actionItem = ({ created, operator, answer, reason }) =>
  element(
    "li",
    {},
    element(
      "div",
      { class: "what" },
      element("span", {}, answer),
      reason ? element("span", {}, reason) : null,
      element("span", { class: "secondary" }, `by ${operator} ${ageText(created)}`),
    ),
  );

/**
 * @template T
 * @param {string} id
 * @param {T[]} entries
 * @param {(entry: T) => HTMLElement} item
 */
function fill(id, entries, item) {
  if (!replaceKeepingFocus(byId(id), entries.map(item))) action.focus();
  byId(`no-${id}`).hidden = entries.length > 0;
}

async function load() {
  const { reports, closed, actions } = await getJson("/api/operator");
  fill("reports", reports, reportItem);
  fill("closed", closed, reportItem);
  fill("actions-log", actions, actionItem);
}

/**
 * @param {string} path
 * @param {object} body
 */
async function carryOut(path, body) {
  try {
    const { answer } = await post(path, body);
    await load();
    setText(status, answer);
    return true;
  } catch (error) {
    setText(status, errorText(error));
    return false;
  }
}

action.addEventListener("change", showFields);
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const given = Object.fromEntries(
    [...new FormData(form)].map(([name, value]) => [name, String(value).trim()]),
  );
  const kind = given.action;
  const body = {
    action: kind,
    reason: given.reason,
    account: kind === "close-table" ? null : given.account || null,
    table: kind === "close-table" ? given.table.split("/").at(-1) : null,
    days: kind === "suspend" && given.days ? Number(given.days) : null,
    name: kind === "rename" && given.name ? given.name : null,
  };
  if (await carryOut("/api/operator/actions", body)) {
    const said = status.textContent ?? "";
    form.reset();
    showFields();
    setText(status, said);
  }
});
showFields();
openTab(load);
