/** The page as a whole: its elements, and which of them has the place on a narrow screen. */
import { openTitle, typingWords, unreadTotal } from "../deciding/views.js";
import { command } from "./command.js";
import { h, replace, setAttribute, setText } from "./dom.js";
import { updateSheet } from "./sheet.js";
import "./banner-stack.js";
import "./conversation-list.js";
import "./dialog-header.js";
import "./message-composer.js";
import "./message-list.js";
import "./people-list.js";
import "./prepared-drafts.js";
/** @typedef {import("../deciding/state.js").State} State */

const TOAST_MILLISECONDS = 8000;

export class Page {
  messages = /** @type {import("./message-list.js").MessageList} */ (document.querySelector("message-list"));
  composer = /** @type {import("./message-composer.js").MessageComposer} */ (document.querySelector("message-composer"));
  prepared = /** @type {import("./prepared-drafts.js").PreparedDrafts} */ (document.querySelector("prepared-drafts"));
  conversations = /** @type {import("./conversation-list.js").ConversationList} */ (document.querySelector("conversation-list"));
  #people = /** @type {any} */ (document.querySelector("people-list"));
  #banners = /** @type {any} */ (document.querySelector("banner-stack"));
  #header = /** @type {any} */ (document.querySelector("dialog-header"));
  #shell = element("shell");
  #login = element("login");
  #tabs = [...document.querySelectorAll("[role=tab]")];
  #toastTimer = 0;

  constructor() {
    for (const tab of this.#tabs) tab.addEventListener("click", () => this.#choose(tab));
    element("tabs").addEventListener("keydown", (event) => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      const other = this.#tabs[1 - this.#tabs.indexOf(/** @type {Element} */ (event.target))];
      this.#choose(other);
      /** @type {HTMLElement} */ (other)?.focus();
    });
    for (const button of document.querySelectorAll("[data-command]")) {
      button.addEventListener("click", () => command(button, /** @type {HTMLElement} */ (button).dataset.command ?? ""));
    }
  }

  /** @param {State} state */
  update(state) {
    setAttribute(this.#shell, "hidden", state.phase !== "ready");
    setAttribute(this.#login, "hidden", state.phase !== "needsLogin");
    setText(element("login-problem"), state.loginProblem);
    setAttribute(element("starting"), "hidden", state.phase !== "starting");
    if (state.phase !== "ready") return;
    this.#shell.dataset.pane = state.open ? "dialog" : "list";
    this.#drawSelf(state);
    this.#banners.update(state);
    this.conversations.update(state);
    this.#people.update(state);
    this.#header.update(state);
    this.messages.update(state);
    this.prepared.update(state);
    this.composer.update(state);
    setText(element("typing"), typingWords(state, Date.now()));
    setAttribute(element("nothing-open"), "hidden", state.open !== null);
    updateSheet(state);
    const unread = unreadTotal(state), title = openTitle(state);
    document.title = `${unread > 0 ? `(${unread}) ` : ""}${title ? `${title} · ` : ""}Earshot`;
  }

  /** @param {State} state */
  #drawSelf(state) {
    const words = { live: "connected", connecting: "connecting…", lost: "node away" }[state.link];
    setText(element("self-name"), state.node.name);
    setText(element("self-state"), words);
    element("self-state").className = `link-state ${state.link}`;
    const unread = unreadTotal(state);
    setText(element("unread-total"), unread > 0 ? String(unread) : "");
    setAttribute(element("unread-total"), "hidden", unread === 0);
  }

  /** @param {string|null} key */
  opened(key) {
    const isNarrow = matchMedia("(max-width: 760px)").matches;
    // On a phone the keyboard would hide half of what was just opened.
    if (!key) this.#list()?.focus();
    else if (isNarrow) this.#header.focusTitle();
    else this.composer.focusField();
  }

  nextPane() {
    const panes = [this.#list(), this.messages, this.composer];
    const at = panes.findIndex((pane) => pane === document.activeElement || pane?.parentElement?.closest("ul")?.contains(document.activeElement) || pane?.contains(document.activeElement));
    const next = (at + 1) % panes.length;
    if (next === 0) this.#list()?.focus();
    else if (next === 1) this.messages.focusMessage();
    else this.composer.focusField();
  }

  /** @param {string} text */
  showToast(text) {
    const toast = element("toast");
    setText(toast, text);
    toast.hidden = false;
    clearTimeout(this.#toastTimer);
    this.#toastTimer = window.setTimeout(() => { toast.hidden = true; }, TOAST_MILLISECONDS);
  }

  /** Before there is anything to show. @param {string} text @param {() => void} again */
  showProblem(text, again) {
    replace(element("starting"), h("p", { role: "alert" }, `The page cannot begin: ${text}`), h("button", { type: "button", class: "primary", onclick: again }, "Try again"));
  }

  /** @returns {HTMLElement|null} */
  #list() {
    const pane = document.querySelector("[role=tabpanel]:not([hidden])");
    return pane?.querySelector("[aria-current]") ?? pane?.querySelector("button.row") ?? null;
  }

  /** @param {Element|undefined} tab */
  #choose(tab) {
    for (const each of this.#tabs) {
      const isChosen = each === tab;
      each.setAttribute("aria-selected", String(isChosen));
      each.setAttribute("tabindex", isChosen ? "0" : "-1");
      element(each.getAttribute("aria-controls") ?? "").hidden = !isChosen;
    }
  }
}

/** @param {string} id @returns {HTMLElement} */
function element(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no ${id}`);
  return found;
}
