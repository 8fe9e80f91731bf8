/** Who is open: name, trust, presence. */
import { trustWords } from "../deciding/naming.js";
import { lastSeen } from "../deciding/times.js";
import { isSilent, openConversation, openPeer, openTitle } from "../deciding/views.js";
import { avatar } from "./avatar.js";
import { command } from "./command.js";
import { foreign, h, replace, setText } from "./dom.js";
import { icon } from "./icons.js";
/** @typedef {import("../deciding/state.js").State} State */

export class DialogHeader extends HTMLElement {
  #face = h("span", { class: "face" });
  #title = h("h2", { dir: "auto", tabindex: -1 });
  #about = h("p", { class: "subtitle" });
  #invitation = h("div", { class: "invitation", hidden: true },
    h("button", { type: "button", class: "primary", onclick: () => command(this, "joinOpenConversation") }, "Accept"),
    h("button", { type: "button", onclick: () => command(this, "leave") }, "Decline"));
  #markAll = h("button", { type: "button", class: "small", hidden: true, onclick: () => command(this, "markAll") }, "Mark all as read");

  connectedCallback() {
    this.append(
      h("button", { type: "button", class: "icon-button back", "aria-label": "Back to the list", onclick: () => command(this, "close") }, icon("back")),
      this.#face, h("div", { class: "titles" }, this.#title, this.#about), this.#invitation, this.#markAll,
      h("button", { type: "button", class: "icon-button", "aria-label": "About this conversation", title: "About", onclick: () => command(this, "details") }, icon("info")));
  }

  focusTitle() { this.#title.focus(); }

  /** @param {State} state */
  update(state) {
    this.hidden = !state.open;
    if (!state.open) return;
    const conversation = openConversation(state), peer = openPeer(state), title = openTitle(state);
    setText(this.#title, title);
    replace(this.#face, avatar({ id: peer?.id ?? state.open, name: title, kind: conversation?.kind ?? "direct", isOnline: peer ? peer.isOnline ?? false : undefined }));
    replace(this.#about, ...(peer ? aboutPerson(peer, isSilent(state, Date.now())) : aboutGroup(conversation)));
    this.#invitation.hidden = conversation?.status !== "invited";
    this.#markAll.hidden = !(conversation?.unreadCount > 50);
  }
}

/** @param {any} peer @param {boolean} isSilent */
function aboutPerson(peer, isSilent) {
  if (!peer.trust) return ["Never met"];
  const signs = { verified: "verified", blocked: "blocked", conflict: "warning" };
  return [
    h("span", {}, isSilent ? "Not answering" : peer.isOnline ? "Online" : `Seen ${lastSeen(peer.lastSeenMilliseconds, Date.now())}`), " · ",
    h("span", { class: `trust trust-${peer.trust}`, title: trustWords(peer.trust).hint }, icon(/** @type {any} */ (signs[peer.trust] ?? "shield")), trustWords(peer.trust).word),
  ];
}

/** @param {any} conversation */
function aboutGroup(conversation) {
  if (!conversation) return [];
  const count = conversation.participants.length;
  return [`${conversation.kind === "private" ? "Private" : "Open"} conversation · ${count} ${count === 1 ? "participant" : "participants"}`,
    conversation.friendlyName ? foreign("bdi", ` · #${conversation.uniqueName}`) : ""];
}

customElements.define("dialog-header", DialogHeader);
