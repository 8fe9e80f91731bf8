/** Files that go with the message which is being written: above the field, each with how far it is. */
import { byteText, percent, progressText } from "../deciding/files.js";
import { line } from "../deciding/safe-text.js";
import { command } from "./command.js";
import { foreign, h, reconcile, replace, setAttribute, setText } from "./dom.js";
import { icon } from "./icons.js";
/** @typedef {import("../deciding/outgoing.js").OutgoingFile} OutgoingFile */

export class OutgoingFiles extends HTMLElement {
  #list = h("ul", { "aria-label": "Files that go with the message" });
  #note = h("p", { class: "outgoing-note", role: "status" });

  connectedCallback() { if (!this.firstElementChild) this.append(this.#list, this.#note); }

  /** @param {OutgoingFile[]} files @param {boolean} isAwaited whether the message waits for them */
  update(files, isAwaited) {
    const hadFocus = this.contains(document.activeElement);
    this.hidden = files.length === 0;
    setText(this.#note, isAwaited && files.some((each) => each.state === "uploading") ? "The message goes as soon as its files are uploaded." : "");
    reconcile(this.#list, files, {
      key: (file) => file.id,
      make: () => h("li", { class: "outgoing" }),
      update: (element, file) => {
        const drawn = `${file.state} ${file.reason}`;
        if (element.drawn !== drawn) draw(element, file, this);
        element.drawn = drawn;
        if (file.state === "uploading") drawProgress(element, file);
      },
    });
    // Whoever has removed one goes on with the next, or with writing.
    if (hadFocus && !this.contains(document.activeElement)) {
      /** @type {HTMLElement|null} */ (this.#list.querySelector("button") ?? document.querySelector("#field"))?.focus();
    }
  }
}

/** @param {HTMLElement} element @param {OutgoingFile} file @param {HTMLElement} from */
function draw(element, file, from) {
  const name = line(file.name), hadFocus = element.contains(document.activeElement);
  setAttribute(element, "class", `outgoing ${file.state}`);
  replace(element, icon(file.state === "failed" ? "warning" : "file"),
    h("div", { class: "outgoing-text" },
      h("p", { class: "file" }, foreign("span", file.name, { class: "file-name" }), h("span", { class: "size" }, byteText(file.byteCount))),
      file.state === "uploading" ? h("p", { class: "file-state" }, h("progress", { max: 100, "aria-label": `${name} is uploaded` }), h("span", { class: "size" })) : null,
      file.state === "failed" ? h("p", { class: "problem" }, `Not uploaded: ${line(file.reason)}`) : null),
    file.state === "failed" ? h("button", { type: "button", class: "small", "aria-label": `Try ${name} again`, onclick: () => command(from, "uploadAgain", file.id) }, icon("retry"), "Try again") : null,
    h("button", { type: "button", class: "icon-button", "aria-label": `Remove ${name}`, title: "Remove", onclick: () => command(from, "removeFile", file.id) }, icon("close")));
  if (hadFocus) element.querySelector("button")?.focus();
}

/** @param {HTMLElement} element @param {OutgoingFile} file */
function drawProgress(element, { sentBytes, byteCount, samples }) {
  const bar = /** @type {HTMLProgressElement} */ (element.querySelector("progress")), text = /** @type {Element} */ (element.querySelector(".file-state .size"));
  bar.value = percent(sentBytes, byteCount);
  setText(text, progressText(sentBytes, byteCount, samples));
}

customElements.define("outgoing-files", OutgoingFiles);
