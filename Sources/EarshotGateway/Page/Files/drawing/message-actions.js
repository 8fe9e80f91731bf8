/** The small bar beside a message that has the pointer or the focus. There is one, which moves. */
import { h } from "./dom.js";
import { command } from "./command.js";
import { icon } from "./icons.js";

const ACTIONS = [
  { name: "reactWith", label: "React", icon: "smile", isShown: () => true },
  { name: "reply", label: "Reply", icon: "reply", isShown: () => true },
  { name: "edit", label: "Edit", icon: "edit", isShown: (/** @type {any} */ _, /** @type {boolean} */ isOwn) => isOwn },
  { name: "retract", label: "Take back", icon: "retract", isShown: (/** @type {any} */ _, /** @type {boolean} */ isOwn) => isOwn },
  { name: "messageDetails", label: "Details", icon: "info", isShown: () => true },
];

/**
 * @param {any} message @param {boolean} isOwn @param {boolean} canWrite
 * @returns {HTMLElement}
 */
export function messageActions(message, isOwn, canWrite) {
  const isGone = message.isRetracted || message.isDeleted;
  const shown = ACTIONS.filter((each) => (each.name === "messageDetails" || (canWrite && !isGone)) && each.isShown(message, isOwn));
  return h("div", { class: "actions", role: "group", "aria-label": "Actions for this message" }, shown.map((each) =>
    h("button", {
      type: "button", title: each.label, "aria-label": each.label,
      onclick: (/** @type {Event} */ event) => command(event.currentTarget, each.name, message),
    }, icon(/** @type {any} */ (each.icon)))));
}
