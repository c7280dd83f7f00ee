// What this device remembers: tables with their secrets, kept records, a name.

const TABLES = "teahouse.tables";
const RECORDS = "teahouse.records";
const TURNED = "teahouse.turned";
const MOST = 200;
const forgotten = new Map();

function read(key, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null") ?? otherwise;
  } catch {
    return forgotten.get(key) ?? otherwise;
  }
}

function write(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    forgotten.set(key, value);
  }
}

/** Tables by their ids: `{secrets: […], links: {seat: secret}, at}`. */
export const tables = () => read(TABLES, {});

/** What is known of one table. */
export const table = (id) => ({ secrets: [], links: {}, at: 0, ...tables()[id] });

/** Change what is known of a table; the oldest of too many are forgotten. */
export function keepTable(id, change) {
  const all = tables();
  all[id] = { ...table(id), ...change, at: Date.now() };
  const ids = Object.keys(all).sort((one, other) => all[other].at - all[one].at);
  write(TABLES, Object.fromEntries(ids.slice(0, MOST).map((one) => [one, all[one]])));
}

/** Forget a table. Its seat can then only be taken with its link. */
export function forgetTable(id) {
  const all = tables();
  delete all[id];
  write(TABLES, all);
}

/** Records that were uploaded or shared, newest first: `{id, title, at}`. */
export const records = () => read(RECORDS, []);

export function keepRecord(id, title) {
  const others = records().filter((one) => one.id !== id);
  write(RECORDS, [{ id, title, at: Date.now() }, ...others].slice(0, MOST));
}

export const forgetRecord = (id) => write(RECORDS, records().filter((one) => one.id !== id));

/** The name and the bot's level that were chosen last. */
export const name = () => read("teahouse.name", "");
export const keepName = (given) => write("teahouse.name", given);
export const level = () => read("teahouse.level", 3);
export const keepLevel = (chosen) => write("teahouse.level", chosen);

/** Whether the boards of a game are seen from the other side. */
export const turned = (game) => read(TURNED, []).includes(game);
export function keepTurned(game, whether) {
  const others = read(TURNED, []).filter((one) => one !== game);
  write(TURNED, whether ? [...others, game] : others);
}

/** Remember a table that was just opened: own seats' secrets, and links to give away. */
export function keepOpened(opened, seats) {
  const secrets = [];
  const links = {};
  for (const { seat, secret } of opened.seats) {
    if (seats[seat].kind === "link") links[seat] = secret;
    else secrets.push(secret);
  }
  keepTable(opened.id, { secrets, links });
}
