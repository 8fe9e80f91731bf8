/** Choosing people, by their boxes. */
import { LIMITS } from "../deciding/limits.js";
import { trustWords } from "../deciding/naming.js";
import { line } from "../deciding/safe-text.js";
import { peopleRows } from "../deciding/views.js";
import { foreign, h } from "./dom.js";

/**
 * @param {import("../deciding/state.js").State} state @param {(user: any) => boolean} isOffered @param {string} label
 * @returns {{element: HTMLElement, chosen: () => string[]}}
 */
export function peoplePicker(state, isOffered, label) {
  const users = peopleRows(state).filter((user) => user.trust !== "blocked" && user.trust !== "conflict" && isOffered(user)).slice(0, LIMITS.peopleRows);
  const boxes = users.map((user) => h("input", { type: "checkbox", value: user.id }));
  const element = h("fieldset", { class: "picker" }, h("legend", { class: "hidden" }, label),
    users.length === 0 ? h("p", { class: "muted" }, "There is nobody else to choose.") : null,
    users.map((user, index) => h("label", {}, boxes[index], foreign("bdi", line(user.name)), h("span", { class: "muted" }, ` ${trustWords(user.trust).word.toLowerCase()}`))));
  return { element, chosen: () => boxes.filter((box) => box.checked).map((box) => box.value) };
}
