/** A file that a message brings along: what it is called, what the node has of it, and what can be done about it. */
import { byteText, percent, progressText } from "../deciding/files.js";
import { LIMITS } from "../deciding/limits.js";
import { line } from "../deciding/safe-text.js";
import { announce } from "./announcer.js";
import { command } from "./command.js";
import { foreign, h, replace, setText } from "./dom.js";
import { icon } from "./icons.js";
/** @typedef {import("../deciding/known-files.js").KnownFile} KnownFile */

export class MessageFile extends HTMLElement {
  #what = h("p", { class: "file" });
  #state = h("div", { class: "file-state" });
  #bar = h("progress", { max: 100 });
  #text = h("span", { class: "size" });
  /** @type {any} */
  #attachment = null;
  #messageID = "";
  #isNear = false;
  /** What is drawn now. */
  #drawn = "";
  /** Whether somebody has asked for it here, and so is told what becomes of it. */
  #isAwaited = false;
  /** @type {KnownFile|undefined} */
  #file = undefined;

  connectedCallback() { if (!this.firstElementChild) this.append(this.#what, this.#state); }

  /** @param {any} attachment @param {string} messageID */
  use(attachment, messageID) {
    this.#attachment = attachment;
    this.#messageID = messageID;
    replace(this.#what, icon("file"), foreign("span", attachment.name, { class: "file-name" }), h("span", { class: "size" }, byteText(attachment.byteCount)));
    this.#bar.setAttribute("aria-label", `${line(attachment.name)} is fetched`);
  }

  /** @param {KnownFile|undefined} file */
  update(file) {
    if (file === this.#file && !file?.isStale) return;
    this.#tell(file);
    this.#file = file;
    this.#ask();
    if (file?.state === "fetching") this.#drawProgress(file);
    const drawn = `${file?.state} ${file?.reason} ${file?.isSaving}`;
    if (drawn !== this.#drawn) this.#draw(file);
    this.#drawn = drawn;
  }

  /** @param {boolean} isNear whether it is near the screen now */
  near(isNear) {
    this.#isNear = isNear;
    this.#ask();
  }

  #ask() {
    if (this.#isNear && (!this.#file || this.#file.isStale)) command(this, "askFile", this.#attachment.fileID);
  }

  /** @param {KnownFile|undefined} file */
  #tell(file) {
    if (!this.#isAwaited || !file || file.state === "fetching" || file.state === "waiting") return;
    this.#isAwaited = false;
    const name = line(this.#attachment.name);
    if (file.state === "held") announce(`${name} is here`);
    else if (file.state === "failed") announce(`${name} cannot be kept: ${line(file.reason ?? "")}`, { isUrgent: true });
  }

  /** @param {KnownFile} file */
  #drawProgress({ receivedBytes = 0, samples }) {
    const { byteCount } = this.#attachment;
    this.#bar.value = percent(receivedBytes, byteCount);
    setText(this.#text, receivedBytes === 0 ? "0 %, waits for somebody who has it" : progressText(receivedBytes, byteCount, samples));
  }

  /** @param {KnownFile|undefined} file */
  #draw(file) {
    const hadFocus = this.#state.contains(document.activeElement);
    replace(this.#state, this.#parts(file));
    if (hadFocus) /** @type {HTMLElement|null} */ (this.#state.querySelector("button:not(:disabled)") ?? this.closest("li.message"))?.focus();
  }

  /** @param {KnownFile|undefined} file */
  #parts(file) {
    const again = () => this.#button("Fetch again", "fetchFile", "retry");
    switch (file?.state) {
      case "waiting": return [this.#button("Fetch", "fetchFile", "down"), this.#button("Decline", "declineFile", "close")];
      case "fetching": return [this.#bar, this.#text, this.#button("Cancel", "declineFile", "close")];
      case "held": return this.#saving(file);
      case "declined": return [h("span", { class: "size" }, "Declined"), again()];
      case "failed": return [h("span", { class: "problem" }, `It cannot be kept: ${line(file.reason ?? "")}`), again()];
      case "unknown": return [h("span", { class: "problem" }, line(file.reason ?? ""))];
      default: return [];
    }
  }

  /** @param {KnownFile} file */
  #saving(file) {
    if (this.#attachment.byteCount > LIMITS.savedBytes) {
      return [h("span", { class: "size" }, "Too large for a browser to save: ", h("code", {}, `earshot save ${this.#messageID}`))];
    }
    return [this.#button(file.isSaving ? "Saving…" : "Save", "saveFile", "save", file.isSaving)];
  }

  /** @param {string} word @param {string} name @param {any} sign @param {boolean} [isDisabled] */
  #button(word, name, sign, isDisabled = false) {
    return h("button", {
      type: "button", class: "small", disabled: isDisabled, "aria-label": `${word} ${line(this.#attachment.name)}`,
      onclick: () => {
        this.#isAwaited = name === "fetchFile";
        command(this, name, this.#attachment);
      },
    }, icon(sign), word);
  }
}

customElements.define("message-file", MessageFile);
