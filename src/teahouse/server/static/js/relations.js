// Players whose messages are not shown: whom the account blocks or mutes, and seats muted by guests.
import { currentAccount } from "./account.js";
import { getJson, post } from "./api.js";
import * as storage from "./storage.js";

/** @import { AccountBody } from "./protocol.js" */
/** @typedef {"block" | "mute" | "none"} Relation */
/** @typedef {{ blocked: AccountBody[], muted: AccountBody[] }} Relations */

/** Relations by the ids of accounts. @type {Map<string, Relation>} */
const known = new Map();

/** @param {Relations} relations */
function remember({ blocked, muted }) {
  known.clear();
  for (const { id } of blocked) known.set(id, "block");
  for (const { id } of muted) known.set(id, "mute");
}

/** Load the blocked and muted players of the account; none for a guest. @returns {Promise<void>} */
export async function loadRelations() {
  if ((await currentAccount())?.kind === "person")
    remember(await getJson("/api/account/relations"));
}

/**
 * @param {AccountBody | null} account
 * @returns {Relation}
 */
export const relationTo = (account) => (account && known.get(account.id)) || "none";

/**
 * Block or mute a player, or neither.
 * @param {string} name
 * @param {Relation} relation
 * @returns {Promise<Relations>}
 */
export async function setRelation(name, relation) {
  const relations = await post("/api/account/relations", { account: name, relation });
  remember(relations);
  return relations;
}

/**
 * Return whether the messages of a seat are hidden.
 * @param {string} table
 * @param {number} seat
 * @param {AccountBody | null} account
 */
export const isHidden = (table, seat, account) =>
  relationTo(account) !== "none" || (storage.table(table).muted ?? []).includes(seat);

/**
 * Hide or show the messages of a seat in this browser.
 * @param {string} table
 * @param {number} seat
 * @param {boolean} muted
 */
export function muteSeat(table, seat, muted) {
  const others = (storage.table(table).muted ?? []).filter((one) => one !== seat);
  storage.updateTable(table, { muted: muted ? [...others, seat] : others });
}
