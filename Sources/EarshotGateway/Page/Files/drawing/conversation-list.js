/** The conversations, the one with the latest message first. */
import { summary } from "../deciding/delivery.js";
import { LIMITS } from "../deciding/limits.js";
import { conversationTitle, partyName } from "../deciding/naming.js";
import { excerpt } from "../deciding/safe-text.js";
import { shortTime } from "../deciding/times.js";
import { gist } from "../deciding/timeline.js";
import { conversationRows } from "../deciding/views.js";
import { avatar } from "./avatar.js";
import { command } from "./command.js";
import { foreign, h, reconcile, replace, setAttribute } from "./dom.js";
import { icon } from "./icons.js";
/** @typedef {import("../deciding/state.js").State} State */

export class ConversationList extends HTMLElement {
  #list = h("ul", { "aria-label": "Conversations" });
  #more = h("button", { type: "button", class: "link more", hidden: true, onclick: () => command(this, "moreConversations") }, "Show older conversations");
  #empty = h("p", { class: "empty" }, "Nobody has written yet. Choose somebody under People, or begin a conversation.");
  /** @type {import("../talking/tab-storage.js").Drafts|null} */
  drafts = null;

  connectedCallback() { this.append(this.#list, this.#empty, this.#more); }

  /** @param {State} state */
  update(state) {
    const rows = conversationRows(state);
    this.#more.hidden = !state.hasMoreConversations;
    this.#empty.hidden = rows.length > 0;
    reconcile(this.#list, rows, {
      key: (each) => each.id,
      make: (each) => h("li", {}, h("button", { type: "button", class: "row", onclick: () => command(this, "open", each.id) })),
      update: (element, each) => this.#update(element, each, state),
    });
  }

  /** @param {any} element @param {any} conversation @param {State} state */
  #update(element, conversation, state) {
    const isOpen = state.open === conversation.id;
    const peer = conversation.kind === "direct" ? state.users.get(conversation.peer?.id) : null;
    const draft = !isOpen && this.drafts?.has(conversation.id) ? this.drafts.get(conversation.id).text : "";
    const isTyping = [...(state.typing.get(conversation.id)?.values() ?? [])].some((until) => until > Date.now());
    const drawn = [conversation, peer, isOpen, draft, isTyping, new Date().getDate()];
    if (element.drawn?.every((/** @type {any} */ each, /** @type {number} */ index) => each === drawn[index])) return;
    element.drawn = drawn;
    const title = conversationTitle(state, conversation), { lastMessage, unreadCount } = conversation;
    const button = element.firstElementChild;
    setAttribute(button, "aria-current", isOpen ? "true" : null);
    button.classList.toggle("has-unread", unreadCount > 0);
    replace(button,
      avatar({ id: conversation.peer?.id ?? conversation.id, name: title, kind: conversation.kind, isOnline: conversation.kind === "direct" ? peer?.isOnline ?? false : undefined }),
      h("span", { class: "row-main" },
        h("span", { class: "row-title" }, foreign("bdi", title, { class: "name" }), trustSign(peer),
          h("span", { class: "hidden" }, conversation.kind === "direct" ? (peer?.isOnline ? ", online" : ", away") : ""),
          lastMessage ? h("time", { class: "row-time", datetime: lastMessage.timestamp }, shortTime(lastMessage.timestampMilliseconds, Date.now())) : null),
        h("span", { class: "row-text" },
          isTyping ? h("span", { class: "preview typing" }, "typing…") : draft ? preview("Draft: ", draft) : lastLine(state, conversation, lastMessage),
          unreadCount > 0 ? h("span", { class: "count" }, unreadCount > 999 ? "999+" : String(unreadCount), h("span", { class: "hidden" }, " unread")) : null)));
  }
}

/** @param {any} peer */
export function trustSign(peer) {
  if (peer?.trust === "verified") return h("span", { class: "sign verified", title: "Verified" }, icon("verified"), h("span", { class: "hidden" }, "verified"));
  if (peer?.trust === "conflict") return h("span", { class: "sign conflict", title: "Another key" }, icon("warning"), h("span", { class: "hidden" }, "another key"));
  if (peer?.trust === "blocked") return h("span", { class: "sign", title: "Blocked" }, icon("blocked"), h("span", { class: "hidden" }, "blocked"));
  return null;
}

/** @param {string} before @param {string} text */
const preview = (before, text) => h("span", { class: "preview" }, h("span", { class: "preview-who" }, before), foreign("bdi", excerpt(text, LIMITS.excerpt)));

/** @param {State} state @param {any} conversation @param {any} message */
function lastLine(state, conversation, message) {
  if (conversation.status === "invited") return h("span", { class: "preview invited" }, `${conversation.owner ? partyName(state, conversation.owner) : "Somebody"} invites you`);
  if (conversation.status === "left") return h("span", { class: "preview" }, "You have left");
  if (!message) return h("span", { class: "preview" }, "Nothing was written yet");
  const isOwn = message.sender.id === state.node?.id;
  const result = preview(isOwn ? "You: " : conversation.kind === "direct" ? "" : `${partyName(state, message.sender)}: `, gist(message));
  if (isOwn && !message.isRetracted) {
    const { state: reached, label } = summary(message.recipients);
    result.prepend(h("span", { class: `state state-${reached}`, title: label }, icon(/** @type {any} */ (reached)), h("span", { class: "hidden" }, `${label}. `)));
  }
  return result;
}

customElements.define("conversation-list", ConversationList);
