// Making and finding elements.

/** An element with attributes (`on…` are listeners, false and null are left out) and children. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child != null));
  return made;
}

/** The element with an id. */
export const the = (id) => document.getElementById(id);

/** A picture of the house: its SVG is the house's own and safe. */
export function picture(svg) {
  const holder = document.createElement("template");
  holder.innerHTML = svg;
  return holder.content.firstElementChild;
}

/** Give an element other text only if it is other, so that nothing is announced or drawn twice. */
export function write(where, text) {
  if (where.textContent !== text) where.textContent = text;
}

/** A sentence with its first letter large and a full stop. */
export function sentence(text) {
  const trimmed = text.trim();
  return trimmed[0].toUpperCase() + trimmed.slice(1) + (/[.!?]$/.test(trimmed) ? "" : ".");
}
