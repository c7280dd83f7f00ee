// Links to give away, and records.
import { announce } from "./announce.js";
import { post, text } from "./api.js";
import * as device from "./device.js";
import { element } from "./dom.js";

/** A button that copies a link; it says so for a moment. */
export function copier(label, link, main = false) {
  const button = element("button", { type: "button", class: main ? "main" : "" }, label);
  button.addEventListener("click", async () => {
    const address = typeof link === "function" ? await link() : link;
    if (!address) return;
    try {
      await navigator.clipboard.writeText(address);
      button.textContent = "Copied";
      announce("The link is copied.");
      setTimeout(() => button.replaceChildren(label), 1600);
    } catch {
      const field = element("input", { readonly: true, value: address, "aria-label": label });
      button.replaceWith(field);
      field.select();
    }
  });
  return button;
}

/** The link that gives a seat away. */
export const seatLink = (id, secret) => `${location.origin}/tables/${id}#${secret}`;

/** Keep a record with the house; answers its link. */
export async function keepRecord(record, title) {
  const { id } = await post("/api/records", { text: record });
  device.keepRecord(id, title);
  return `${location.origin}/records/${id}`;
}

/** Everything of a table that can be given away. */
export function showShare(box, known, trouble) {
  const { id, title, players } = known.table;
  const links = Object.entries(device.table(id).links);
  const key = JSON.stringify([id, links, known.yours]);
  if (box.shown === key) return;
  box.shown = key;
  const record = async () => {
    try {
      return await keepRecord(await text(`/api/tables/${id}/record`), title);
    } catch (error) {
      trouble(error);
      return null;
    }
  };
  const own = device.table(id).secrets;
  const elsewhere = known.yours.length === 1 && own.length === 1;
  box.replaceChildren(
    ...links.map(([seat, secret]) => copier(`Link for ${players[seat]}`, seatLink(id, secret))),
    copier("Link to watch", `${location.origin}/tables/${id}`),
    elsewhere ? copier("My seat on another device", seatLink(id, own[0])) : "",
    copier("Link to the record so far", record),
    element("a", { class: "button", href: `/api/tables/${id}/record`, download: true }, "Download the record"),
  );
}
