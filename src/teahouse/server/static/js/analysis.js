// The analysis board: any position, with an engine and a tree of variations with comments.
import { AnalysisPage } from "./analysis-page.js";
import { getText, post } from "./api.js";
import { byId } from "./dom.js";
import { exploreUrl } from "./explore-url.js";
import { importedRecord } from "./imported.js";
import { openPage } from "./site-path.js";
import * as storage from "./storage.js";
import { studyMoves } from "./study-files.js";
import { errorText } from "./wording.js";

/** @import { ExploreRequest, Explored, Options, Study } from "./protocol.js" */
/** @import { Opened } from "./analysis-page.js" */

const OWN_PARAMETERS = ["game", "position", "record", "import"];

/** @param {Explored} explored @param {string} key @returns {Opened} */
const fromExplored = (explored, key) => ({
  ...explored,
  key,
  id: null,
  title: "",
  comment: explored.comments["0"] ?? "",
  nodes: studyMoves(explored),
});

/**
 * Show a position, or a record: its main line with comments.
 * @param {ExploreRequest} request
 * @param {string} key under which changes are kept in this browser
 * @returns {Promise<Opened>}
 */
async function explore(request, key) {
  /** @type {Explored} */
  const explored = await post("/api/explore", { ...request, ply: 0 });
  return fromExplored(explored, key);
}

/** @returns {Promise<Opened>} */
async function openStart() {
  const study = document.getElementById("study")?.textContent;
  if (study) {
    /** @type {Study & { id: string }} */
    const { id, game_title: _, ...stored } = JSON.parse(study);
    const empty = { names: {}, result: "*", broken: null };
    return { ...empty, ...stored, id, key: `study ${id}` };
  }
  const query = new URLSearchParams(location.search);
  const record = query.get("record");
  if (record) {
    const text = await getText(`/api/records/${encodeURIComponent(record)}`);
    return explore({ record: text, partial: true }, `record ${record}`);
  }
  const imported = importedRecord();
  if (query.has("import") && imported) return openText(imported);
  const select = byId("game", HTMLSelectElement);
  const known = [...select.options].map(({ value }) => value);
  const wanted = [query.get("game"), location.hash.slice(1), storage.analysisSettings().game];
  const game = wanted.find((name) => name && known.includes(name)) ?? known[0];
  /** @type {Options} */
  const options = {};
  for (const [name, value] of query) if (!OWN_PARAMETERS.includes(name)) options[name] = value;
  const start = query.get("position");
  const from = start ? { start } : { seed: 1 };
  return explore({ game, options, ...from }, `${game} ${JSON.stringify(options)} ${start ?? ""}`);
}

/**
 * Open an imported record, as far as its moves are legal.
 * @param {string} text
 */
const openText = (text) =>
  explore({ record: text, partial: true }, `text ${text.slice(0, 2000)} ${text.length}`);

/** @param {unknown} error */
function showFailure(error) {
  byId("prompt").textContent = errorText(error);
  byId("notice").textContent = "Choose a game, or import a record or a position.";
}

async function main() {
  const select = byId("game", HTMLSelectElement);
  select.addEventListener("change", () => {
    openPage(exploreUrl(select.value, {}));
  });
  /** @type {AnalysisPage | null} */
  let page = null;
  try {
    page = new AnalysisPage(await openStart());
    await page.start();
  } catch (error) {
    showFailure(error);
    AnalysisPage.connectDialogs(null);
  }
}

main();
