// Fields for the options that a game declares, in forms for new games and tournaments.
import { byId, element } from "./dom.js";

/** @import { GameInfo, OptionInfo, Options, Setup } from "./protocol.js" */

const MAX_OPTION_TEXT = 5000;
/** The value of a preset for an own drawing; no text of one line can be it. */
const OWN = "\n";

/** @param {OptionInfo} option */
function optionInput(option) {
  const id = `option-${option.name}`;
  const common = { id, name: id, "data-option": option.name };
  if (option.kind === "int") {
    const { min, max } = option;
    return element("input", {
      ...common,
      type: "number",
      min,
      max,
      value: option.default,
      required: true,
    });
  }
  if (option.kind === "bool") {
    return element("input", { ...common, type: "checkbox", checked: option.default });
  }
  if (option.kind === "choice") {
    const choices = (option.choices ?? []).map((choice, index) => {
      const attributes = { value: choice, selected: choice === String(option.default) };
      return element("option", attributes, option.choice_labels?.[index] ?? choice);
    });
    return element("select", common, ...choices);
  }
  const text = { ...common, maxlength: MAX_OPTION_TEXT, spellcheck: "false" };
  const shown = String(option.default ?? "");
  if (option.multiline) {
    const presets = (option.examples ?? []).map((example) =>
      element("option", { value: example, selected: example === option.default }, example),
    );
    const own = element("option", { value: OWN }, "Own drawing");
    return element("select", { ...common, class: "preset" }, ...presets, own);
  }
  return element("input", { ...text, type: "text", value: shown, placeholder: shown });
}

/**
 * Offer the choices that fit the other options, and show the option that the server has chosen.
 * @param {Setup} accepted
 */
export function updateChoices({ options, choices }) {
  for (const [name, fitting] of Object.entries(choices)) {
    const select = byId(`option-${name}`, HTMLSelectElement);
    for (const choice of select.options) {
      choice.hidden = !fitting.includes(choice.value);
      choice.disabled = choice.hidden;
    }
    select.value = String(options[name]);
  }
}

/**
 * Create the text area for an own drawing; it appears when that is chosen, with a draft.
 * @param {OptionInfo} option
 * @param {HTMLElement} select
 * @param {() => Setup | null} currentSetup
 */
function drawingArea({ name, label }, select, currentSetup) {
  const area = element("textarea", {
    id: `drawing-${name}`,
    "data-option": name,
    "aria-label": `${label}: drawing`,
    maxlength: MAX_OPTION_TEXT,
    spellcheck: "false",
    hidden: true,
  });
  const fitHeight = () => {
    area.rows = area.value.split("\n").length;
  };
  area.addEventListener("input", fitHeight);
  select.addEventListener("change", () => {
    const own = select instanceof HTMLSelectElement && select.value === OWN;
    if (own && !area.value.trim()) area.value = currentSetup()?.drawings[name] ?? "";
    area.hidden = !own;
    fitHeight();
  });
  return area;
}

/** @param {OptionInfo} option */
function optionHelp({ kind, help, min, max, allowed }) {
  if (kind === "int") return `${help}, ${min} to ${max}`;
  return kind === "text" ? `${help}: ${allowed}` : help;
}

/**
 * Create the field of an option with its label and help.
 * @param {OptionInfo} option
 * @param {() => Setup | null} currentSetup returns the last setup that the server accepted
 */
function optionField(option, currentSetup) {
  const input = optionInput(option);
  const help = element("small", { id: `${input.id}-help`, class: "help" }, optionHelp(option));
  input.setAttribute("aria-describedby", help.id);
  const label = element("label", { for: input.id }, option.label);
  const bool = option.kind === "bool";
  const children = bool ? [input, label, help] : [label, input, help];
  if (option.multiline) children.push(drawingArea(option, input, currentSetup));
  return element("p", { class: bool ? "option bool" : "option" }, ...children);
}

/**
 * Create the fields of all options of a game; house rules are a group of their own.
 * @param {GameInfo} game
 * @param {() => Setup | null} currentSetup returns the last setup that the server accepted
 */
export function optionFields(game, currentSetup) {
  const field = (/** @type {OptionInfo} */ option) => optionField(option, currentSetup);
  const fields = game.options.filter((option) => !option.house_rule).map(field);
  const house = game.options.filter((option) => option.house_rule).map(field);
  if (!house.length) return fields;
  const legend = element("legend", {}, "House rules");
  return [...fields, element("fieldset", { class: "house-rules" }, legend, ...house)];
}

/**
 * Return the chosen options that differ from their defaults.
 * @param {GameInfo} game
 * @returns {Options}
 */
export function selectedOptions(game) {
  /** @type {Options} */
  const options = {};
  for (const option of game.options) {
    const input = byId(`option-${option.name}`);
    let chosen = option.default;
    if (input instanceof HTMLSelectElement && input.value === OWN) {
      const drawing = byId(`drawing-${option.name}`, HTMLTextAreaElement).value;
      chosen = `${drawing.replace(/^\s*\n|\s+$/g, "")}\n`;
    } else if (input instanceof HTMLSelectElement) {
      chosen = input.value === String(option.default) ? option.default : input.value;
    } else if (input instanceof HTMLInputElement) {
      if (option.kind === "bool") chosen = input.checked;
      else if (option.kind === "int") chosen = Number(input.value);
      else chosen = input.value.trim() || option.default;
    }
    if (chosen !== option.default) options[option.name] = chosen;
  }
  return options;
}
