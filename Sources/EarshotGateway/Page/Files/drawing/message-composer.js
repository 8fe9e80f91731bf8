/** Where one writes. What is typed is a draft of its dialog until the node has it. */
import { LIMITS } from "../deciding/limits.js";
import { commandFor } from "../deciding/keys.js";
import { beginning } from "../deciding/mentions.js";
import { partyName } from "../deciding/naming.js";
import { excerpt } from "../deciding/safe-text.js";
import { gist } from "../deciding/timeline.js";
import { openConversation, openTitle, writingProblem } from "../deciding/views.js";
import { readChoices } from "../talking/tab-storage.js";
import { announce } from "./announcer.js";
import { command } from "./command.js";
import { foreign, h, replace, setAttribute, setText } from "./dom.js";
import { icon } from "./icons.js";
/** @typedef {import("../deciding/state.js").State} State */

export class MessageComposer extends HTMLElement {
  #about = h("div", { class: "about", hidden: true });
  #field = h("textarea", { id: "field", rows: 1, dir: "auto", autocomplete: "off", "aria-describedby": "composer-note" });
  #send = h("button", { type: "submit", class: "send", "aria-label": "Send" }, icon("send"));
  #note = h("p", { id: "composer-note", class: "note", role: "status" });
  #names = h("div", { class: "names", role: "group", "aria-label": "Names that fit", hidden: true });
  #form = h("form", {}, this.#about, this.#names, h("div", { class: "line" }, this.#field, this.#send), this.#note);
  /** @type {State|null} */
  #state = null;
  /** @type {import("../talking/tab-storage.js").Drafts|null} */
  #drafts = null;
  /** @type {((key: string, draft: any) => Promise<void>)|null} */
  #post = null;
  /** @type {((text: string) => string)|null} */
  #check = null;
  /** @type {string|null} */
  #key = null;
  #isSending = false;

  connectedCallback() {
    this.append(this.#form);
    this.#form.addEventListener("submit", (/** @type {Event} */ event) => {
      event.preventDefault();
      this.#submit();
    });
    this.#field.addEventListener("input", () => this.#typed());
    this.#field.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.#keyPressed(event));
  }

  /** @param {{drafts: any, post: (key: string, draft: any) => Promise<void>, check: (text: string) => string}} means */
  use({ drafts, post, check }) {
    this.#drafts = drafts;
    this.#post = post;
    this.#check = check;
  }

  /** @param {State} state */
  update(state) {
    const before = this.#key;
    this.#state = state;
    this.#key = state.open;
    this.hidden = !state.open;
    if (before !== this.#key) this.#changeDialog(before);
    const problem = writingProblem(state), title = openTitle(state);
    this.#field.disabled = problem !== "";
    setAttribute(this.#field, "placeholder", problem || `Message ${title}`);
    setAttribute(this.#field, "aria-label", `Message to ${title}`);
    this.#drawSend();
  }

  focusField() { this.#field.focus(); }

  /** @param {any} message */
  reply(message) {
    this.#setDraft({ ...this.#draft(), replyTo: message, edit: undefined });
    this.focusField();
  }

  /** @param {any} message */
  edit(message) {
    this.#setDraft({ text: message.text, edit: message });
    this.#showDraft();
    this.focusField();
  }

  /** Puts away what the draft answers or changes. @returns {boolean} whether there was something */
  cancel() {
    const { replyTo, edit, text } = this.#draft();
    if (!replyTo && !edit) return false;
    this.#setDraft({ text: edit ? "" : text });
    this.#showDraft();
    this.focusField();
    return true;
  }

  #draft() { return this.#key ? /** @type {any} */ (this.#drafts).get(this.#key) : { text: "" }; }

  /** @param {any} draft */
  #setDraft(draft) {
    if (this.#key) this.#drafts?.set(this.#key, draft);
    this.#drawAbout();
    this.#drawSend();
  }

  /** @param {string|null} before */
  #changeDialog(before) {
    // Opened by a user, and by the conversation from the first message on: it is the same dialog.
    if (before?.startsWith("user:") && this.#key && this.#drafts?.has(before) && !this.#drafts.has(this.#key) && this.#field.value !== "") {
      this.#drafts.set(this.#key, this.#drafts.get(before));
      this.#drafts.set(before, { text: "" });
    }
    setText(this.#note, "");
    this.#showDraft();
  }

  #showDraft() {
    const { text } = this.#draft();
    if (this.#field.value !== text) this.#field.value = text;
    this.#names.hidden = true;
    this.#fit();
    this.#drawAbout();
    this.#drawSend();
  }

  /** As high as its text, up to what the style sheet allows. */
  #fit() {
    this.#field.style.height = "auto";
    this.#field.style.height = `${this.#field.scrollHeight + 2}px`;
  }

  #typed() {
    // Another text is another message: it must not go under the key of the one that was tried before.
    this.#setDraft({ ...this.#draft(), text: this.#field.value, key: undefined });
    this.#fit();
    this.#drawNames();
    setText(this.#note, this.#check?.(this.#field.value) ?? "");
    command(this, "typing", { key: this.#key, isTyping: this.#field.value.trim() !== "" });
  }

  /** @param {KeyboardEvent} event */
  #keyPressed(event) {
    // While an input method composes, Enter belongs to it.
    if (event.isComposing) return;
    if (event.key === "ArrowUp" && !this.#names.hidden) {
      event.preventDefault();
      this.#names.lastElementChild.focus();
      return;
    }
    const name = commandFor(event, "composer");
    if (name === "send" && readChoices().sendsWithEnter) {
      event.preventDefault();
      this.#submit();
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.#submit();
    } else if (name === "editLast" && this.#field.value === "") {
      event.preventDefault();
      command(this, "editLast");
    }
  }

  async #submit() {
    const key = this.#key, draft = this.#draft();
    if (!key || this.#isSending || draft.text.trim() === "" || this.#check?.(draft.text)) return;
    if (this.#state?.link === "lost") {
      setText(this.#note, "The node is away. Your draft is kept; send it when the node is back.");
      return;
    }
    this.#isSending = true;
    const sent = { ...draft, key: draft.key ?? crypto.randomUUID() };
    this.#drafts?.set(key, sent);
    try {
      await this.#post?.(key, sent);
      this.#after(key, sent);
    } catch (error) {
      setText(this.#note, `Not sent: ${error.message}. Your draft is kept.`);
      announce(`Not sent: ${error.message}`, { isUrgent: true });
    } finally {
      this.#isSending = false;
      this.#drawSend();
    }
  }

  /** What was typed while the node took the message stays. @param {string} key @param {any} sent */
  #after(key, sent) {
    for (const each of new Set([key, this.#key])) {
      if (!each) continue;
      const { text } = /** @type {any} */ (this.#drafts).get(each);
      if (each === key || text === sent.text) this.#drafts?.set(each, { text: text.startsWith(sent.text) ? text.slice(sent.text.length) : text });
    }
    setText(this.#note, "");
    this.#showDraft();
    announce(sent.edit ? "Edited" : "Sent");
  }

  #drawSend() {
    this.#send.disabled = this.#isSending || this.#field.disabled || this.#field.value.trim() === "" || this.#state?.link === "lost";
    const label = this.#draft().edit ? "Save the edit" : "Send";
    setAttribute(this.#send, "aria-label", this.#state?.link === "lost" ? `${label}: the node is away` : label);
    setAttribute(this.#send, "title", label);
  }

  #drawAbout() {
    const { replyTo, edit } = this.#draft(), message = edit ?? replyTo;
    this.#about.hidden = !message;
    if (!message || !this.#state) return;
    const what = edit ? "Editing your message" : `Replying to ${partyName(this.#state, message.sender)}`;
    replace(this.#about, icon(edit ? "edit" : "reply"),
      h("div", { class: "about-text" }, foreign("span", what, { class: "quoted-name" }), foreign("span", excerpt(gist(message), LIMITS.excerpt), { class: "quoted-text" })),
      h("button", { type: "button", class: "icon-button", "aria-label": edit ? "Stop editing" : "Do not reply", onclick: () => this.cancel() }, icon("close")));
  }

  /** Offers the names of participants after an @. */
  #drawNames() {
    const conversation = this.#state && openConversation(this.#state);
    const typed = conversation && conversation.kind !== "direct" ? beginning(this.#field.value, this.#field.selectionStart) : null;
    const fitting = !typed ? [] : conversation.participants.filter((/** @type {any} */ each) =>
      each.id !== this.#state?.node.id && each.name?.toLocaleLowerCase().startsWith(typed.prefix.toLocaleLowerCase())).slice(0, 6);
    this.#names.hidden = fitting.length === 0;
    replace(this.#names, fitting.map((/** @type {any} */ each) => h("button", { type: "button", class: "chip", onclick: () => this.#complete(each.name) }, foreign("span", `@${each.name}`))));
  }

  /** @param {string} name */
  #complete(name) {
    const typed = beginning(this.#field.value, this.#field.selectionStart);
    if (typed) this.#field.setRangeText(`@${name} `, typed.begin, this.#field.selectionStart, "end");
    this.#typed();
    this.focusField();
  }
}

customElements.define("message-composer", MessageComposer);
