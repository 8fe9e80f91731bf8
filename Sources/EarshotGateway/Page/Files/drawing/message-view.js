/** Draws one message. */
import { STATE_WORDS, summary } from "../deciding/delivery.js";
import { filesOf } from "../deciding/files.js";
import { cardOf, spoken } from "../deciding/layout.js";
import { LIMITS } from "../deciding/limits.js";
import { partyName } from "../deciding/naming.js";
import { excerpt, line } from "../deciding/safe-text.js";
import { isLate, timeOfDay, wholeTime } from "../deciding/times.js";
import { gist } from "../deciding/timeline.js";
import { avatar } from "./avatar.js";
import { command } from "./command.js";
import { foreign, h } from "./dom.js";
import { icon } from "./icons.js";
/** @typedef {import("../deciding/state.js").State} State */

/**
 * @param {State} state
 * @param {{message: any, isFirst: boolean, isLast: boolean}} shown
 * @param {{isGroup: boolean, quote: any, isWhole: boolean, parts: import("./message-parts.js").MessageParts}} context
 * @returns {HTMLElement[]} what the item of the list holds
 */
export function messageView(state, { message, isFirst, isLast }, { isGroup, quote, isWhole, parts }) {
  const isOwn = message.sender.id === state.node.id;
  const name = partyName(state, message.sender);
  return [
    isGroup && !isOwn ? h("div", { class: "gutter" }, isLast ? avatar({ id: message.sender.id, name }) : null) : null,
    h("div", { class: "bubble" },
      isGroup && !isOwn && isFirst ? foreign("p", name, { class: `sender hue-text` }) : null,
      message.replyTo ? quoteView(state, message, quote) : null,
      textView(message, isWhole),
      cardView(message, parts),
      filesView(message, parts),
      h("p", { class: "meta" },
        message.isEdited && !message.isRetracted ? h("span", {}, "edited") : null,
        isLate(message) && !isOwn ? lateMark(message) : null,
        h("time", { datetime: message.timestamp, title: wholeTime(message.timestampMilliseconds) }, timeOfDay(message.timestampMilliseconds)),
        isOwn ? stateMark(message, isGroup) : null),
      isOwn ? failure(message) : null),
    reactions(state, message),
  ].filter((each) => each !== null);
}

/** What is read aloud for a message as a whole. @param {State} state @param {any} message */
export function messageLabel(state, message) {
  const isOwn = message.sender.id === state.node.id;
  const parts = [
    partyName(state, message.sender), spoken(message), message.isEdited ? "edited" : "", isLate(message) && !isOwn ? "arrived late" : "",
    timeOfDay(message.timestampMilliseconds), isOwn && !message.isRetracted ? summary(message.recipients).label : "",
    ...message.reactions.map((/** @type {any} */ each) => `${each.emoji} ${each.users.length}`),
  ];
  return parts.filter((each) => each !== "").join(", ");
}

/** @param {any} message @param {boolean} isWhole */
function textView(message, isWhole) {
  if (message.isRetracted) return h("p", { class: "text gone" }, "This message was taken back.");
  if (message.isDeleted) return h("p", { class: "text gone" }, "This message was erased.");
  if (message.session?.isSuperseded) return foreign("p", message.session.summary, { class: "text gone step" });
  const text = shortened(message.text);
  if (message.text === "") return null;
  if (isWhole || text === message.text) return foreign("p", message.text, { class: "text" });
  return h("div", {}, foreign("p", text, { class: "text" }),
    h("button", { type: "button", class: "link", onclick: (/** @type {Event} */ event) => command(event.currentTarget, "showWhole", message.id) },
      `Show all (${message.text.length.toLocaleString()} characters)`));
}

/** The files that it brings along, each with its picture. @param {any} message @param {import("./message-parts.js").MessageParts} parts */
function filesView(message, parts) {
  const files = filesOf(message), inCard = cardOf(message)?.picture;
  if (files.length === 0) return null;
  return h("ul", { class: "files", "aria-label": "Files" }, files.map((each, place) =>
    h("li", {}, each === inCard ? null : parts.picture(message, each, place), parts.file(message, each, place))));
}

/** What stands below the text: any part of it may be missing. @param {any} message @param {import("./message-parts.js").MessageParts} parts */
function cardView(message, parts) {
  const card = cardOf(message);
  if (!card) return null;
  const [title, ...subtitle] = card.image.map((text) => foreign("p", text, { class: "card-image" }));
  return h("div", { class: "card" },
    title, card.picture ? parts.picture(message, card.picture, filesOf(message).indexOf(card.picture)) : null, subtitle,
    card.caption ? foreign("p", card.caption, { class: "card-caption" }) : null,
    card.subcaption ? foreign("p", card.subcaption, { class: "card-subcaption" }) : null,
    card.link ? h("a", { class: "card-link", href: card.link.href, target: "_blank", rel: "noopener noreferrer", title: card.link.href },
      icon("outside"), h("bdi", {}, card.link.host), h("span", { class: "hidden" }, ", opens outside")) : null);
}

/** The beginning of a long text. @param {string} text */
function shortened(text) {
  const lines = text.split("\n", LIMITS.shortLines + 1);
  const head = lines.length > LIMITS.shortLines ? lines.slice(0, LIMITS.shortLines).join("\n") : text;
  return head.length > LIMITS.shortText ? Array.from(head.slice(0, LIMITS.shortText + 1)).slice(0, -1).join("") : head;
}

/** @param {State} state @param {any} message @param {any} quote */
function quoteView(state, message, quote) {
  const content = quote
    ? [foreign("span", partyName(state, quote.sender), { class: "quoted-name" }), foreign("span", excerpt(gist(quote), LIMITS.excerpt), { class: "quoted-text" })]
    : [h("span", { class: "quoted-text" }, "An earlier message")];
  return h("button", {
    type: "button", class: "quote", disabled: !quote, "aria-label": quote ? `In reply to ${partyName(state, quote.sender)}: ${excerpt(gist(quote), LIMITS.excerpt)}. Show it` : null,
    onclick: (/** @type {Event} */ event) => command(event.currentTarget, "showMessage", quote),
  }, ...content);
}

/** @param {any} message */
function lateMark(message) {
  return h("span", { class: "late", title: `Written ${wholeTime(message.timestampMilliseconds)}, arrived ${wholeTime(message.receivedAtMilliseconds)}` },
    icon("late"), `arrived late, ${timeOfDay(message.receivedAtMilliseconds)}`);
}

/** A sign and a word: the colour only goes with them. @param {any} message @param {boolean} isGroup */
function stateMark(message, isGroup) {
  if (message.isRetracted) return null;
  const { state, label } = summary(message.recipients);
  return h("button", {
    type: "button", class: `state state-${state}`, tabindex: -1, "aria-label": `${label}. Details`,
    onclick: (/** @type {Event} */ event) => command(event.currentTarget, "messageDetails", message),
  }, icon(/** @type {any} */ (state)), h("span", { class: "state-word" }, isGroup ? label : STATE_WORDS[state] ?? state));
}

/** @param {any} message */
function failure(message) {
  const { state, reason } = summary(message.recipients);
  if (message.isRetracted || !reason) return null;
  return h("p", { class: "failure" }, state === "failed" ? `Not delivered: ${reason}. ` : `${reason}. `,
    state === "failed" && (message.text !== "" || filesOf(message).length > 0) ? h("button", {
      type: "button", class: "link", onclick: (/** @type {Event} */ event) => command(event.currentTarget, "retry", message),
    }, icon("retry"), "Send again") : null);
}

/** @param {State} state @param {any} message */
function reactions(state, message) {
  if (message.reactions.length === 0) return null;
  return h("div", { class: "reactions" }, message.reactions.map((/** @type {any} */ { emoji, users }) => {
    const isOwn = users.some((/** @type {any} */ user) => user.id === state.node.id);
    const names = users.map((/** @type {any} */ user) => partyName(state, user)).join(", ");
    return h("button", {
      type: "button", class: "reaction", "aria-pressed": String(isOwn), title: names, "aria-label": `${line(emoji)}: ${names}`,
      onclick: (/** @type {Event} */ event) => command(event.currentTarget, "react", { message, emoji, remove: isOwn }),
    }, foreign("span", emoji), String(users.length));
  }));
}
