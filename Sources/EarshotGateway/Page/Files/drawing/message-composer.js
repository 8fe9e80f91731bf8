/** Where one writes. What is typed is a draft of its dialog until the node has it. */
import { LIMITS } from "../deciding/limits.js";
import { commandFor } from "../deciding/keys.js";
import { beginning } from "../deciding/mentions.js";
import { partyName } from "../deciding/naming.js";
import { filesFor } from "../deciding/outgoing.js";
import { excerpt } from "../deciding/safe-text.js";
import { gist } from "../deciding/timeline.js";
import { openConversation, openTitle, writingProblem } from "../deciding/views.js";
import { readChoices } from "../talking/tab-storage.js";
import { announce } from "./announcer.js";
import { command } from "./command.js";
import { foreign, h, replace, setAttribute, setText } from "./dom.js";
import { pastedFiles, takeDrops } from "./file-drop.js";
import { icon } from "./icons.js";
import { OutgoingFiles } from "./outgoing-files.js";
/** @typedef {import("../deciding/state.js").State} State */

export class MessageComposer extends HTMLElement {
  #about = h("div", { class: "about", hidden: true });
  #field = h("textarea", { id: "field", rows: 1, dir: "auto", autocomplete: "off", "aria-describedby": "composer-note" });
  #send = h("button", { type: "submit", class: "send", "aria-label": "Send" }, icon("send"));
  #note = h("p", { id: "composer-note", class: "note", role: "status" });
  #names = h("div", { class: "names", role: "group", "aria-label": "Names that fit", hidden: true });
  #files = /** @type {OutgoingFiles} */ (document.createElement("outgoing-files"));
  #chooser = h("input", { type: "file", multiple: true, hidden: true });
  #attach = h("button", { type: "button", class: "icon-button attach", "aria-label": "Attach files", title: "Attach files (Alt A)", onclick: () => this.chooseFiles() }, icon("attach"));
  #form = h("form", {}, this.#about, this.#names, this.#files, h("div", { class: "line" }, this.#attach, this.#field, this.#send), this.#note, this.#chooser);
  /** @type {State|null} */
  #state = null;
  /** @type {import("../talking/tab-storage.js").Drafts|null} */
  #drafts = null;
  /** @type {((key: string, draft: any) => Promise<void>)|null} */
  #post = null;
  /** @type {((text: string) => string)|null} */
  #check = null;
  /** @type {import("../acting/uploads.js").Uploads|null} */
  #uploads = null;
  /** @type {string|null} */
  #key = null;
  /** The dialogs whose message is on its way to the node, or waits for its files. @type {Set<string>} */
  #sending = new Set();
  /** The files that were there when it was drawn. */
  #drawnFiles = "";

  connectedCallback() {
    this.append(this.#form);
    this.#form.addEventListener("submit", (/** @type {Event} */ event) => {
      event.preventDefault();
      this.#submit();
    });
    this.#field.addEventListener("input", () => this.#typed());
    this.#field.addEventListener("paste", (/** @type {ClipboardEvent} */ event) => {
      const files = pastedFiles(event);
      if (files.length === 0) return;
      event.preventDefault();
      command(this, "attachFiles", files);
    });
    this.#chooser.addEventListener("change", () => {
      command(this, "attachFiles", [...this.#chooser.files]);
      // The same file may be chosen again.
      this.#chooser.value = "";
      this.focusField();
    });
    takeDrops(/** @type {HTMLElement} */ (this.closest(".dialog")), {
      accepts: () => this.#canAttach, take: (files) => command(this, "attachFiles", files), refuse: (reason) => command(this, "refuseFiles", reason),
    });
    this.#field.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.#keyPressed(event));
  }

  /** @param {{drafts: any, post: (key: string, draft: any) => Promise<void>, check: (text: string) => string, uploads: any}} means */
  use({ drafts, post, check, uploads }) {
    this.#uploads = uploads;
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
    this.#drawFiles();
    this.#drawSend();
  }

  chooseFiles() { if (this.#canAttach) this.#chooser.click(); }

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
    this.#files.update(this.#outgoing, this.#sending.has(this.#key ?? ""));
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

  get #canAttach() { return this.#key !== null && !this.#field.disabled && !this.#draft().edit; }

  /** What goes with the message: nothing with a change of one that was sent. */
  get #outgoing() { return this.#state && !this.#draft().edit ? filesFor(this.#state, this.#key) : []; }

  #drawFiles() {
    const files = this.#outgoing, drawn = `${this.#key} ${files.map((each) => each.id)}`;
    // Other files are another message: it must not go under the key of the one that was tried before.
    if (drawn !== this.#drawnFiles && this.#draft().key && !this.#sending.has(this.#key ?? "")) this.#setDraft({ ...this.#draft(), key: undefined });
    this.#drawnFiles = drawn;
    this.#files.update(files, this.#sending.has(this.#key ?? ""));
    this.#attach.disabled = !this.#canAttach;
  }

  async #submit() {
    const key = this.#key, draft = this.#draft(), files = this.#outgoing.map((each) => each.id);
    if (!key || this.#sending.has(key) || (draft.text.trim() === "" && files.length === 0) || this.#check?.(draft.text)) return;
    if (this.#state?.link === "lost") {
      setText(this.#note, "The node is away. Your draft is kept; send it when the node is back.");
      return;
    }
    this.#sending.add(key);
    const sent = { ...draft, key: draft.key ?? crypto.randomUUID() };
    this.#drafts?.set(key, sent);
    setText(this.#note, "");
    this.#drawFiles();
    this.#drawSend();
    try {
      const attachments = files.length > 0 ? await this.#uploads?.whole(files) : [];
      // All were removed meanwhile, and nothing is left to say.
      if (draft.text.trim() === "" && attachments?.length === 0) return;
      await this.#post?.(key, { ...sent, attachments });
      this.#uploads?.done(files);
      this.#after(key, sent);
    } catch (error) {
      if (this.#key === key) setText(this.#note, `Not sent: ${error.message}. Your draft is kept.`);
      else command(this, "notSent", error.message);
      announce(`Not sent: ${error.message}`, { isUrgent: true });
    } finally {
      this.#sending.delete(key);
      this.#drawFiles();
      this.#drawSend();
    }
  }

  /** What was typed while the node took the message stays. @param {string} key @param {any} sent */
  #after(key, sent) {
    for (const each of new Set([key, this.#key])) {
      if (!each) continue;
      const { text } = /** @type {any} */ (this.#drafts).get(each);
      if (each === key || (text !== "" && text === sent.text)) this.#drafts?.set(each, { text: text.startsWith(sent.text) ? text.slice(sent.text.length) : text });
    }
    setText(this.#note, "");
    this.#showDraft();
    announce(sent.edit ? "Edited" : "Sent");
  }

  #drawSend() {
    const isEmpty = this.#field.value.trim() === "" && this.#outgoing.length === 0;
    this.#send.disabled = this.#sending.has(this.#key ?? "") || this.#field.disabled || isEmpty || this.#state?.link === "lost";
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
