/** Makes and changes elements. Text is only ever text: nothing here takes markup. */
import { segments } from "../deciding/safe-text.js";

/** @typedef {Node|string|null|undefined|false|any[]} Child */

/**
 * An element with attributes, listeners (`onclick: …`) and children. A value of `false`, `null` or `undefined` leaves an
 * attribute out, `true` gives it without a value.
 * @param {string} tag @param {Record<string, any>} [attributes] @param {...(Child|Child[])} children
 * @returns {any}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else setAttribute(element, name, value);
  }
  append(element, children);
  return element;
}

/** @param {Element} element @param {string} name @param {any} value */
export function setAttribute(element, name, value) {
  if (value === false || value === null || value === undefined) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value === true ? "" : value)) element.setAttribute(name, value === true ? "" : String(value));
}

/** @param {Element} element @param {(Child|Child[])[]} children */
function append(element, children) {
  for (const child of children.flat(Infinity)) if (child !== null && child !== undefined && child !== false) element.append(child);
}

/** @param {Element} element @param {...(Child|Child[])} children */
export function replace(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

/** Sets a text only where it differs, so that nothing is announced or drawn again. @param {Element} element @param {string} text */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * A text of somebody else: isolated from what stands around it, with what is dangerous in it shown as its code.
 * @param {string} tag @param {string} text @param {Record<string, any>} [attributes]
 */
export function foreign(tag, text, attributes = {}) {
  const parts = segments(text).map((each) => (each.isEscaped ? h("span", { class: "escaped" }, each.text) : each.text));
  return h(tag, { dir: "auto", ...attributes }, ...parts);
}

/**
 * Makes the children of an element those of a list, each with a key. What is there already is moved and changed, and not
 * made anew; so it keeps the focus.
 * @template Item
 * @param {Element} container @param {Item[]} items
 * @param {{key: (item: Item) => string, make: (item: Item) => any, update: (element: any, item: Item) => void}} how
 */
export function reconcile(container, items, { key, make, update }) {
  const wanted = new Set(items.map(key)), known = new Map();
  for (const child of [...container.children]) {
    const name = /** @type {any} */ (child).dataset.key;
    // First what goes: it would else push all that follow to another place.
    if (wanted.has(name)) known.set(name, child);
    else child.remove();
  }
  let next = container.firstElementChild;
  for (const item of items) {
    const name = key(item);
    const element = known.get(name) ?? make(item);
    element.dataset.key = name;
    update(element, item);
    if (element === next) next = next.nextElementSibling;
    else container.insertBefore(element, next);
  }
}
