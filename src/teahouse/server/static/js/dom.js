// Creating and finding elements.
import { sitePath } from "./site-path.js";

const SVG = "http://www.w3.org/2000/svg";

/** Attributes whose value may be a path of this server. */
const LINKS = ["href", "src"];

/**
 * Create an element. Links that start with "/" are paths of this server. Attributes that start with "on" are listeners; false and null are omitted.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, unknown>} [attributes]
 * @param {...(Node | string | null)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function element(tag, attributes = {}, ...children) {
  const created = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) {
      created.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    } else if (value === true) created.setAttribute(name, "");
    else if (LINKS.includes(name) && String(value).startsWith("/")) {
      created.setAttribute(name, sitePath(String(value)));
    } else if (value !== false && value != null) created.setAttribute(name, String(value));
  }
  created.append(...children.filter((child) => child !== null));
  return created;
}

/**
 * Create an SVG element.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | number>} attributes
 * @param {...Node} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function svgElement(tag, attributes, ...children) {
  const created = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, String(value));
  created.append(...children);
  return created;
}

/**
 * Return the first descendant that matches a selector; throw if there is none.
 * @template {Element} [T=HTMLElement]
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new () => T} [type] the expected class, HTMLElement by default
 * @returns {T}
 */
export function find(root, selector, type) {
  const found = root.querySelector(selector);
  if (!(found instanceof (type ?? HTMLElement))) throw new Error(`Missing element ${selector}.`);
  return /** @type {T} */ (found);
}

/**
 * Return the element with an id; throw if there is none.
 * @template {Element} [T=HTMLElement]
 * @param {string} id
 * @param {new () => T} [type] the expected class, HTMLElement by default
 * @returns {T}
 */
export const byId = (id, type) => find(document, `#${id}`, type);

/**
 * Parse an SVG image from the server, which is trusted.
 * @param {string} markup
 * @returns {SVGSVGElement}
 */
export function parseSvg(markup) {
  const template = document.createElement("template");
  template.innerHTML = markup;
  return find(template.content, "svg", SVGSVGElement);
}

/**
 * Set text only if it differs, so that screen readers do not repeat it.
 * @param {Element} target
 * @param {string} text
 */
export function setText(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

/** @type {WeakMap<Element, string>} */
const rendered = new WeakMap();

/**
 * Return whether an element was last rendered from other values, and remember these.
 * @param {Element} target
 * @param {...unknown} values
 */
export function needsRender(target, ...values) {
  const key = JSON.stringify(values);
  if (rendered.get(target) === key) return false;
  rendered.set(target, key);
  return true;
}

/**
 * Show or hide a part; if it loses the focus by that, another one gets it.
 * @param {HTMLElement} part
 * @param {boolean} hidden
 * @param {HTMLElement} next
 */
export function setHidden(part, hidden, next) {
  const focused = part.contains(document.activeElement);
  part.hidden = hidden;
  if (hidden && focused) next.focus({ preventScroll: true });
}

const FOCUSABLE =
  'a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, [tabindex="0"]';

/** @param {Element | null} part */
const focusKey = (part) => part?.getAttribute("data-key") ?? part?.getAttribute("href") ?? null;

/**
 * Replace children. The focus stays on the part with the same `data-key` or address, else at its
 * place among all that can have it.
 * @param {Element} box
 * @param {(Node | string)[]} items
 * @returns {boolean} false if the focus was in the box and nothing there can have it any more
 */
export function replaceKeepingFocus(box, items) {
  const active = document.activeElement;
  const inside = active !== box && box.contains(active);
  const place = [...box.querySelectorAll(FOCUSABLE)].indexOf(active ?? box);
  box.replaceChildren(...items);
  if (!inside) return true;
  const key = focusKey(active);
  /** @type {NodeListOf<HTMLElement>} */
  const found = box.querySelectorAll(FOCUSABLE);
  const parts = [...found];
  const same = key === null ? undefined : parts.find((one) => focusKey(one) === key);
  const again = same ?? parts[Math.min(Math.max(place, 0), parts.length - 1)];
  again?.focus({ preventScroll: true });
  return again !== undefined;
}
