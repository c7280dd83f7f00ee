// The dialog to mute, block and report a player.
import { currentAccount } from "./account.js";
import { post } from "./api.js";
import { byId, element, find, setText } from "./dom.js";
import { isHidden, loadRelations, muteSeat, relationTo, setRelation } from "./relations.js";
import { errorText } from "./wording.js";

/** @import { AccountBody } from "./protocol.js" */

/**
 * Whom the dialog is about.
 * @typedef {object} Subject
 * @property {string} name
 * @property {AccountBody | null} account
 * @property {string} [table]
 * @property {number} [seat]
 * @property {{ seq: number, text: string }} [message] the message that is reported
 */

/** @param {Subject} subject */
function reportBody({ account, table, seat, message }) {
  if (message) return { subject: "chat", table, seq: message.seq };
  return table ? { subject: "name", table, seat } : { subject: "name", account: account?.name };
}

/**
 * Open the dialog for one of some players.
 * @param {Subject[]} subjects
 * @param {() => void} [changed] called when somebody was muted or blocked, or no longer is
 */
export async function openPlayerDialog(subjects, changed = () => {}) {
  const dialog = byId("player-dialog", HTMLDialogElement);
  const form = find(dialog, "form", HTMLFormElement);
  const choice = find(form, "[name=player]", HTMLSelectElement);
  const mute = find(form, "[value=mute]", HTMLButtonElement);
  const block = find(form, "[value=block]", HTMLButtonElement);
  const report = find(form, "[value=report]", HTMLButtonElement);
  const status = find(form, ".status");
  const quote = find(form, "blockquote");
  const me = await currentAccount().catch(() => null);
  form.reset();
  setText(status, "");
  choice.replaceChildren(
    ...subjects.map(({ name }, index) => element("option", { value: String(index) }, name)),
  );
  find(form, ".which").hidden = subjects.length < 2;

  const chosen = () => subjects[Number(choice.value) || 0];
  const byAccount = () => me?.kind === "person" && chosen().account !== null;
  const isMuted = () => {
    const { table, seat, account } = chosen();
    if (byAccount() || table === undefined || seat === undefined) {
      return relationTo(account) === "mute";
    }
    return isHidden(table, seat, null);
  };
  function render() {
    const { name, account, message, table } = chosen();
    const blocked = relationTo(account) === "block";
    setText(byId("player-dialog-title"), name);
    quote.hidden = !message;
    setText(quote, message?.text ?? "");
    mute.hidden = blocked || !(byAccount() || table);
    setText(mute, isMuted() ? "Unmute" : "Mute");
    block.hidden = !byAccount();
    setText(block, blocked ? "Unblock" : "Block");
    report.disabled = false;
  }
  /**
   * @param {() => Promise<string>} work returns what was done
   */
  async function carryOut(work) {
    try {
      setText(status, await work());
      changed();
    } catch (error) {
      setText(status, errorText(error));
    }
    render();
  }
  choice.onchange = () => {
    setText(status, "");
    render();
  };
  mute.onclick = () =>
    carryOut(async () => {
      const { name, table, seat } = chosen();
      const muted = isMuted();
      if (byAccount()) await setRelation(name, muted ? "none" : "mute");
      else if (table !== undefined && seat !== undefined) muteSeat(table, seat, !muted);
      return muted
        ? `You see the messages of ${name} again.`
        : `You no longer see messages of ${name}.`;
    });
  block.onclick = () =>
    carryOut(async () => {
      const { name, account } = chosen();
      const blocked = relationTo(account) === "block";
      await setRelation(name, blocked ? "none" : "block");
      return blocked
        ? `You no longer block ${name}.`
        : `You block ${name}: you will not be paired, and you see no messages.`;
    });
  report.onclick = () =>
    carryOut(async () => {
      const { reason, text } = Object.fromEntries(new FormData(form));
      await post("/api/reports", { ...reportBody(chosen()), reason, text: String(text) });
      return "Thank you. The operators will look at it.";
    }).then(() => {
      report.disabled = status.textContent?.startsWith("Thank") ?? false;
    });
  await loadRelations().catch(() => {});
  render();
  dialog.showModal();
}
