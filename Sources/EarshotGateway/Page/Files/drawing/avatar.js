/** The disc that stands for a person or a conversation. */
import { h } from "./dom.js";
import { icon } from "./icons.js";

/** A hue from a key, so that the same person always has the same. @param {string} id */
const hue = (id) => Array.from(id.slice(0, 12)).reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9973, 7) % 12;

/** The first letter that a name has. @param {string} name */
const letter = (name) => Array.from(name.replace(/^[^\p{L}\p{N}]+/u, ""))[0]?.toLocaleUpperCase() ?? "?";

/**
 * @param {{id: string, name: string, kind?: string, isOnline?: boolean}} subject
 * @returns {HTMLElement}
 */
export function avatar({ id, name, kind = "direct", isOnline }) {
  const face = kind === "direct" ? letter(name) : icon(kind === "private" ? "lock" : "people");
  return h("span", { class: `avatar hue-${hue(id)}`, "aria-hidden": "true" }, face,
    isOnline === undefined ? null : h("span", { class: isOnline ? "presence online" : "presence away" }));
}
