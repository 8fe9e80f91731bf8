/** The keys, as the page obeys them. */
import { KEYS } from "../deciding/keys.js";
import { STATE_WORDS, meaning } from "../deciding/delivery.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { showSheet } from "./sheet.js";

const PLACES = [["page", "Everywhere"], ["composer", "While you write"], ["message", "On a message (Shift Tab from the text field, then arrows)"]];

export function showHelp() {
  showSheet({
    name: "help", title: "Help", body: [
      ...PLACES.map(([where, heading]) => h("section", {}, h("h3", {}, heading),
        h("dl", { class: "keys" }, KEYS.filter((each) => each.where === where).map((each) => [h("dt", {}, h("kbd", {}, each.shown ?? each.key)), h("dd", {}, each.help)])))),
      h("section", {}, h("h3", {}, "What the marks of your messages mean"),
        h("ul", { class: "recipients" }, Object.entries(STATE_WORDS).map(([state, word]) =>
          h("li", { class: `state-${state}` }, icon(/** @type {any} */ (state)), h("span", { class: "name" }, word), h("span", { class: "muted" }, `it ${meaning(state)}`))))),
    ],
  });
}
