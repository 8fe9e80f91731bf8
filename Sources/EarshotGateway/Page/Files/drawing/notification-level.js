/** Of which messages of a conversation somebody wants to be told. */
import { levelOf } from "../deciding/notifying.js";
import { h } from "./dom.js";
import { attempt } from "./sheet.js";

const LEVELS = [["all", "Each message"], ["mentions", "Mentions of me, and answers to me"], ["none", "Nothing"]];

/** @param {string} key the id of a conversation, or the key of the other user of a direct one @param {any} app @param {HTMLElement} problem */
export function notificationLevel(key, app, problem) {
  const chosen = levelOf(app.state, key);
  /** @param {HTMLInputElement} input */
  const choose = async (input) => {
    const before = levelOf(app.state, key);
    if (await attempt(problem, () => app.gathering.setLevel(key, input.value))) return;
    const old = /** @type {HTMLInputElement} */ (input.form ?? input.closest("fieldset")).querySelector(`input[value="${before}"]`);
    if (old) old.checked = true;
  };
  return h("section", {}, h("h3", { id: "notification-level" }, "Tell me of"),
    h("fieldset", {
      class: "segments", "aria-labelledby": "notification-level",
      onchange: (/** @type {any} */ event) => choose(event.target),
    }, LEVELS.map(([value, label]) =>
      h("label", {}, h("input", { type: "radio", name: "notification-level", value, checked: value === chosen }), h("span", {}, label)))));
}
