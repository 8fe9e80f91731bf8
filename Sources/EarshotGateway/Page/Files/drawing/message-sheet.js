/** About a message: when, and who has it. */
import { meaning, reasonWords, STATE_WORDS } from "../deciding/delivery.js";
import { partyName } from "../deciding/naming.js";
import { segments } from "../deciding/safe-text.js";
import { wholeTime } from "../deciding/times.js";
import { openWindow } from "../deciding/views.js";
import { foreign, h, replace } from "./dom.js";
import { icon } from "./icons.js";
import { attempt, showSheet } from "./sheet.js";

/** @param {any} message @param {any} app */
export function showMessageDetails(message, app) {
  const place = h("div", {}), problem = h("p", { class: "problem", role: "alert" });
  let shown = message;
  const draw = () => replace(place, ...details(shown, app, problem));
  showSheet({
    name: "message", title: "About this message", body: [place, problem],
    update: (state) => {
      const now = openWindow(state)?.messages.find((/** @type {any} */ each) => each.id === message.id);
      if (now && now !== shown) {
        shown = now;
        draw();
      }
    },
  });
  draw();
}

/** @param {any} message @param {any} app @param {HTMLElement} problem */
function details(message, app, problem) {
  const { state } = app, isOwn = message.sender.id === state.node.id;
  const headers = Object.entries(message.headers ?? {});
  return [
    h("dl", { class: "facts" },
      h("dt", {}, "Written by"), h("dd", {}, foreign("bdi", partyName(state, message.sender))),
      h("dt", {}, "Written"), h("dd", {}, wholeTime(message.timestampMilliseconds)),
      message.receivedAtMilliseconds ? [h("dt", {}, "Arrived"), h("dd", {}, wholeTime(message.receivedAtMilliseconds))] : null,
      h("dt", {}, "Message"), h("dd", {}, h("code", {}, message.id))),
    isOwn ? h("section", {}, h("h3", {}, "Recipients"), h("ul", { class: "recipients", "aria-label": "Recipients" }, message.recipients.map((/** @type {any} */ each) => recipient(state, each)))) : null,
    headers.length > 0 ? h("section", {}, h("h3", {}, "Headers"), h("dl", { class: "facts" }, headers.map(([name, value]) => [foreign("dt", name), foreign("dd", String(value))]))) : null,
    h("div", { class: "buttons" },
      isOwn && message.recipients.some((/** @type {any} */ each) => each.state === "queued") && message.recipients.every((/** @type {any} */ each) => each.state === "queued")
        ? h("button", { type: "button", onclick: () => attempt(problem, () => app.writing.cancel(message)) }, "Cancel sending") : null,
      message.text ? h("button", { type: "button", onclick: () => attempt(problem, () => navigator.clipboard.writeText(segments(message.text).map((each) => each.text).join(""))) }, "Copy the text") : null),
  ];
}

/** @param {any} state @param {any} each */
function recipient(state, each) {
  const time = each.readAtMilliseconds ?? each.handledAtMilliseconds ?? each.deliveredAtMilliseconds ?? each.sentAtMilliseconds;
  return h("li", { class: `state-${each.state}` }, icon(each.state), foreign("bdi", partyName(state, each), { class: "name" }),
    h("span", {}, `${STATE_WORDS[each.state] ?? each.state}${time ? `, ${wholeTime(time)}` : ""}`),
    h("span", { class: "muted" }, each.state === "failed" ? reasonWords(each.reason) : meaning(each.state)));
}
