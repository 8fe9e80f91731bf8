/** What programs have prepared for the open dialog: above the field, and apart from what was said. Who prepared it is always there. */
import { besidesText } from "../deciding/files.js";
import { draftAuthor } from "../deciding/naming.js";
import { openPrepared, writingProblem } from "../deciding/views.js";
import { command } from "./command.js";
import { foreign, h, reconcile, replace, setAttribute } from "./dom.js";

export class PreparedDrafts extends HTMLElement {
  #list = h("ul", { "aria-label": "Drafts, not sent" });
  /** What is changed now, by the draft's id. @type {Map<string, string>} */
  #edits = new Map();

  connectedCallback() { this.append(this.#list); }

  /** @param {import("../deciding/state.js").State} state */
  update(state) {
    const drafts = openPrepared(state), hadFocus = this.contains(document.activeElement);
    this.hidden = drafts.length === 0;
    for (const id of this.#edits.keys()) if (!drafts.some((each) => each.id === id)) this.#edits.delete(id);
    const cannotSend = writingProblem(state) !== "" || state.link === "lost";
    reconcile(this.#list, drafts, {
      key: (draft) => draft.id,
      make: () => h("li", { class: "prepared" }),
      update: (element, draft) => {
        const isEdited = this.#edits.has(draft.id), drawn = `${isEdited} ${draft.text}`;
        if (element.drawn !== drawn) this.#draw(element, draft, isEdited);
        element.drawn = drawn;
        setAttribute(element.querySelector(".primary"), "disabled", cannotSend);
      },
    });
    // Whoever had the focus on one that is gone goes on writing.
    if (hadFocus && !this.contains(document.activeElement)) {
      /** @type {HTMLElement|null} */ (this.hidden ? document.querySelector("#field") : this.#list.querySelector("button"))?.focus();
    }
  }

  focusDraft() { /** @type {HTMLElement|null} */ (this.#list.querySelector("textarea, button"))?.focus(); }

  /** @param {HTMLElement} element @param {any} draft @param {boolean} isEdited */
  #draw(element, draft, isEdited) {
    const author = draftAuthor(draft), besides = besidesText(draft);
    const button = (/** @type {string} */ word, /** @type {() => void} */ act, isFirst = false) => h("button", {
      type: "button", class: isFirst ? "small primary" : "small", "aria-label": `${word} the draft by ${author}`, onclick: act,
    }, word);
    const text = () => this.#edits.get(draft.id) ?? draft.text;
    const field = isEdited ? h("textarea", {
      rows: 3, dir: "auto", "aria-label": `The text of the draft by ${author}`,
      oninput: (/** @type {any} */ event) => this.#edits.set(draft.id, event.target.value),
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        this.#edit(element, draft, null);
      },
    }) : null;
    if (field) field.value = text();
    replace(element,
      h("p", { class: "prepared-by" }, "Draft by ", foreign("strong", author), ", not sent"),
      field ?? foreign("p", draft.text, { class: "prepared-text" }),
      besides.length === 0 ? null
        : h("ul", { class: "prepared-besides", "aria-label": "It brings along" }, besides.map((each) => foreign("li", each))),
      h("div", { class: "prepared-actions" },
        button("Send", () => command(this, "sendPrepared", { draft, text: text() }), true),
        isEdited
          ? [button("Save", () => this.#save(element, draft)), button("Stop editing", () => this.#edit(element, draft, null))]
          : button("Edit", () => this.#edit(element, draft, draft.text)),
        button("Discard", () => command(this, "discardPrepared", draft))));
  }

  /** @param {any} element @param {any} draft @param {string|null} text what is changed from now on, or nothing */
  #edit(element, draft, text) {
    if (text === null) this.#edits.delete(draft.id);
    else this.#edits.set(draft.id, text);
    this.#draw(element, draft, text !== null);
    element.drawn = `${text !== null} ${draft.text}`;
    element.querySelector(text === null ? "button" : "textarea").focus();
  }

  /** @param {HTMLElement} element @param {any} draft */
  #save(element, draft) {
    const text = this.#edits.get(draft.id) ?? draft.text;
    this.#edit(element, draft, null);
    if (text !== draft.text) command(this, "editPrepared", { draft, text });
  }
}

customElements.define("prepared-drafts", PreparedDrafts);
