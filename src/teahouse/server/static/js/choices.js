// The buttons for choices next to a board.
import { element, parseSvg } from "./dom.js";

/** @import { Choice } from "./protocol.js" */

/**
 * @param {ParentNode} box
 * @returns {NodeListOf<HTMLButtonElement>}
 */
export const choiceButtons = (box) => box.querySelectorAll("button.choice");

/**
 * Render the choices. Disabled ones keep their place but are invisible.
 * @param {HTMLElement} box
 * @param {Choice[]} choices
 * @param {(svg: string) => string} withPrefix makes the ids of an icon unique on the page
 * @param {(name: string) => void} onclick
 */
export function renderChoices(box, choices, withPrefix, onclick) {
  const current = [...choiceButtons(box)].map(({ dataset }) => dataset.spot);
  box.classList.toggle("none", !choices.length);
  if (JSON.stringify(current) !== JSON.stringify(choices.map(({ name }) => name))) {
    box.replaceChildren(
      ...choices.map(({ name }) =>
        element("button", { type: "button", class: "choice", "data-spot": name }),
      ),
    );
  }
  const buttons = choiceButtons(box);
  for (const [index, { name, label, disabled, svg }] of choices.entries()) {
    const button = buttons[index];
    const icon = svg ? [parseSvg(withPrefix(svg))] : [];
    button.replaceChildren(...icon, label);
    button.onclick = () => onclick(name);
    button.classList.toggle("unavailable", disabled);
  }
}
