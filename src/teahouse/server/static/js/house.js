// What every page has: settings, and how many games wait for me.
import { post } from "./api.js";
import { keepName, name as ownName, table, tables } from "./device.js";
import { the } from "./dom.js";

const dialog = the("settings");
const form = dialog.querySelector("form");

the("open-settings").addEventListener("click", () => {
  for (const [name, value] of Object.entries(globalThis.look.settings())) {
    const field = form.elements[name];
    if (!field) continue;
    if (field.type === "checkbox") field.checked = value;
    else field.value = value;
  }
  form.elements.name.value = ownName();
  dialog.showModal();
});
form.addEventListener("change", ({ target }) => {
  if (target.name === "name") {
    keepName(target.value.trim());
    dispatchEvent(new CustomEvent("renamed"));
  } else globalThis.look.set(target.name, target.type === "checkbox" ? target.checked : target.value);
});
dialog.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close();
});

/** Say beside "My games" how many of them wait for me. */
async function count() {
  const here = location.pathname.split("/").at(-1);
  const known = Object.keys(tables()).filter((id) => id !== here && table(id).secrets.length);
  if (!known.length) return;
  const asked = known.map((id) => ({ id, secrets: table(id).secrets }));
  const answer = await post("/api/status", { tables: asked });
  const waiting = answer.tables.filter((one) => one.found && one.waits && !one.over).length;
  const badge = the("waiting");
  badge.hidden = waiting === 0;
  badge.textContent = String(waiting);
  badge.setAttribute("aria-label", waiting === 1 ? "1 waits for you" : `${waiting} wait for you`);
}
count().catch(() => {});
