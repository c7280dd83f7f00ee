// Links to seats, to the table and to its record.
import { announce } from "./announce.js";
import { getText, post } from "./api.js";
import { element, needsRender } from "./dom.js";
import { siteUrl } from "./site-path.js";
import * as storage from "./storage.js";

/** @import { TableState } from "./table-state.js" */

/**
 * Create a button that copies a link to the clipboard.
 * @param {string} label
 * @param {string | (() => Promise<string | null>)} link
 * @param {{ main?: boolean }} [options]
 */
export function copyButton(label, link, { main = false } = {}) {
  const button = element("button", { type: "button", class: main ? "main" : "" }, label);
  button.addEventListener("click", async () => {
    const url = typeof link === "function" ? await link() : link;
    if (!url) return;
    try {
      await navigator.clipboard.writeText(url);
      button.textContent = "Copied";
      announce("Copied.");
      setTimeout(() => button.replaceChildren(label), 1600);
    } catch {
      // No access to the clipboard: show the link, selected, to be copied by hand.
      const field = element("input", { readonly: true, value: url, "aria-label": label });
      button.replaceWith(field);
      field.select();
    }
  });
  return button;
}

/**
 * @param {string} table
 * @param {string} secret
 */
export const seatLink = (table, secret) => siteUrl(`/tables/${table}#${secret}`);

/**
 * Create a button that copies the HTML of a read-only board, for pages of other sites.
 * @param {string} id of a table or a record
 * @param {string} title
 */
export function embedButton(id, title) {
  const source = `src="${siteUrl(`/embed/${id}`)}" title="${title}"`;
  const size = 'width="480" height="600" loading="lazy"';
  return copyButton("Copy HTML to embed", `<iframe ${source} ${size}></iframe>`);
}

/**
 * Store a record on the server; return its link.
 * @param {string} text
 * @param {string} title
 */
export async function saveRecord(text, title) {
  const { id } = await post("/api/records", { text });
  storage.addRecord(id, title);
  return siteUrl(`/records/${id}`);
}

/**
 * @param {HTMLElement} box
 * @param {TableState} table
 * @param {(error: unknown) => void} onerror
 */
export function renderShare(box, table, onerror) {
  const { id, title, players } = table.info;
  const { links, secrets } = storage.table(id);
  if (!needsRender(box, id, links, table.yourSeats)) return;
  const recordLink = async () => {
    try {
      return await saveRecord(await getText(`/api/tables/${id}/record`), title);
    } catch (error) {
      onerror(error);
      return null;
    }
  };
  const download = { class: "button", href: `/api/tables/${id}/record`, download: true };
  box.replaceChildren(
    ...Object.entries(links).map(([seat, secret]) =>
      copyButton(`Copy link for ${players[Number(seat)]}`, seatLink(id, secret)),
    ),
    copyButton("Copy link for spectators", siteUrl(`/tables/${id}`)),
    ...(table.ownSeat !== null && secrets.length === 1
      ? [copyButton("Copy link to my seat", seatLink(id, secrets[0]))]
      : []),
    copyButton("Copy link to this game", recordLink),
    embedButton(id, title),
    element("a", download, "Download record"),
  );
}
