// Dialogs of the analysis board: another game, import, export, save and share.
import { confirmDialog } from "./actions.js";
import { announce } from "./announce.js";
import { post } from "./api.js";
import { byId, element, setText } from "./dom.js";
import { exploreUrl } from "./explore-url.js";
import { openImported } from "./imported.js";
import { copyButton } from "./share.js";
import { openPage, siteUrl } from "./site-path.js";
import * as storage from "./storage.js";
import { download, kindOfText, recordText, studyData } from "./study-files.js";
import { errorText } from "./wording.js";

/** @import { AnalysisPage } from "./analysis-page.js" */
/** @import { CreatedStudy } from "./protocol.js" */

/** @param {string} id */
function dialog(id) {
  const found = byId(id, HTMLDialogElement);
  return { found, error: found.querySelector(".error-text") ?? found };
}

/** @param {AnalysisPage | null} page */
function connectImport(page) {
  const { found, error } = dialog("import-dialog");
  const text = byId("import-text", HTMLTextAreaElement);
  const file = byId("import-file", HTMLInputElement);
  byId("open-import").addEventListener("click", () => {
    setText(error, "");
    found.showModal();
  });
  byId("import-cancel").addEventListener("click", () => found.close());
  file.addEventListener("change", async () => {
    const [chosen] = file.files ?? [];
    if (chosen) text.value = await chosen.text();
  });
  found.querySelector("form")?.addEventListener("submit", async (event) => {
    event.preventDefault();
    setText(error, "");
    try {
      await importText(page, text.value.trim());
    } catch (failure) {
      setText(error, errorText(failure));
    }
  });
}

/**
 * Open an imported text; throw an error with the reason if that is impossible.
 * @param {AnalysisPage | null} page
 * @param {string} text
 */
async function importText(page, text) {
  if (!text) throw new Error("Choose a file, or paste a record, a tree or a position first.");
  const kind = kindOfText(text);
  if (kind === "record") {
    await post("/api/explore", { record: text, partial: true, ply: 0 });
    openImported(text);
    return;
  }
  if (kind === "tree") {
    const created = await post("/api/studies", parseTree(text));
    storage.addStudyKey(created.id, created.key);
    openPage(`/studies/${created.id}`);
    return;
  }
  const game = page?.opened.game ?? byId("game", HTMLSelectElement).value;
  const options = page?.opened.options ?? {};
  await post("/api/explore", { game, options, start: text, ply: 0 });
  openPage(exploreUrl(game, options, text));
}

/** @param {string} text */
function parseTree(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("This is not a complete tree: the file seems to be damaged.");
  }
}

/** @param {AnalysisPage} page */
function connectExport(page) {
  const { found, error } = dialog("export-dialog");
  const { game } = page.opened;
  byId("open-export").addEventListener("click", () => {
    setText(error, "");
    byId("position-text", HTMLInputElement).value = page.board.snapshot?.position ?? "";
    found.showModal();
  });
  byId("export-close").addEventListener("click", () => found.close());
  byId("export-record").addEventListener("click", async () => {
    try {
      const text = recordText(await page.exploredMainline(), page.tree);
      download(text, `${game}.txt`, "text/plain");
    } catch (failure) {
      setText(error, errorText(failure));
    }
  });
  byId("export-tree").addEventListener("click", () => {
    const data = JSON.stringify(studyData(page.tree, page.title), null, 1);
    download(data, `${game}-analysis.json`, "application/json");
  });
  const position = () => Promise.resolve(byId("position-text", HTMLInputElement).value);
  byId("copy-position").replaceWith(copyButton("Copy position", position));
}

/** @param {AnalysisPage} page */
function connectSave(page) {
  const { found, error } = dialog("save-dialog");
  byId("open-save").addEventListener("click", () => {
    setText(error, "");
    byId("saved").replaceChildren();
    found.showModal();
  });
  byId("save-close").addEventListener("click", () => found.close());
  byId("save").addEventListener("click", async () => {
    setText(error, "");
    try {
      const id = await save(page);
      const link = siteUrl(`/studies/${id}`);
      byId("saved").replaceChildren(
        element("p", {}, "Saved. Anyone with the link can read it; only you can change it."),
        copyButton("Copy link", link, { main: true }),
      );
      announce("Saved.");
    } catch (failure) {
      setText(error, errorText(failure));
    }
  });
}

/**
 * Store the tree on the server; return the id of the study.
 * @param {AnalysisPage} page
 */
async function save(page) {
  const study = studyData(page.tree, page.title);
  const key = page.id ? storage.studyKeys()[page.id] : undefined;
  if (page.id && key) {
    await post(`/api/studies/${page.id}`, { key, study });
    page.setStudy(page.id);
    return page.id;
  }
  /** @type {CreatedStudy} */
  const created = await post("/api/studies", study);
  storage.addStudyKey(created.id, created.key);
  page.setStudy(created.id);
  return created.id;
}

/**
 * Connect the buttons that open dialogs; without a page, those that need no position.
 * @param {AnalysisPage | null} page
 */
export function connectDialogs(page) {
  connectImport(page);
  if (!page) return;
  connectExport(page);
  connectSave(page);
  byId("start-over").addEventListener("click", async () => {
    const question = "Discard all variations and comments that you have added here?";
    if (!(await confirmDialog(question, "Start over", "Keep them"))) return;
    storage.setAnalysis(page.key, null);
    location.reload();
  });
}
