/** The messages of the open dialog, in a window that follows the reader. */
import { filesOf } from "../deciding/files.js";
import { LIMITS } from "../deciding/limits.js";
import { commandFor } from "../deciding/keys.js";
import { timeline } from "../deciding/timeline.js";
import { openConversation, openWindow, writingProblem } from "../deciding/views.js";
import { command } from "./command.js";
import { h, reconcile, setAttribute, setText } from "./dom.js";
import { icon } from "./icons.js";
import { messageActions } from "./message-actions.js";
import { MessageParts } from "./message-parts.js";
import { messageLabel, messageView } from "./message-view.js";
import { isAtEnd, keepingPlace } from "./scroll-anchor.js";
/** @typedef {import("../deciding/state.js").State} State */

export class MessageList extends HTMLElement {
  #list = h("ol", { class: "messages", "aria-label": "Messages" });
  #hint = h("p", { class: "dialog-hint", role: "status" });
  #scroller = h("div", { class: "scroller" }, this.#hint, this.#list);
  #down = h("button", { type: "button", class: "to-end", hidden: true }, icon("down"), h("span", {}, "Latest"));
  /** @type {State|null} */
  #state = null;
  /** @type {object|null} */
  #origin = null;
  #follows = true;
  /** @type {string|null} */
  #current = null;
  /** @type {string|null} */
  #target = null;
  #whole = new Set();
  #onScreen = new Set();
  #observer = new IntersectionObserver((entries) => this.#seen(entries), { root: this.#scroller, threshold: [0, 0.5, 1] });

  /** Files and pictures ask for what they need when they come near the screen. */
  #near = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) /** @type {any} */ (target).near(isIntersecting && target.isConnected);
  }, { root: this.#scroller, rootMargin: `${LIMITS.nearPixels}px 0px` });

  connectedCallback() {
    this.append(this.#scroller, this.#down);
    this.#scroller.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    this.#down.addEventListener("click", () => this.toEnd());
    this.#list.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.#key(event));
    for (const name of ["pointerover", "focusin", "click"]) this.#list.addEventListener(name, (/** @type {any} */ event) => this.#showActions(event));
    this.addEventListener("resizing", (/** @type {any} */ event) => keepingPlace(this.#scroller, this.#list, event.detail, { toEnd: this.#follows }));
    this.addEventListener("command", (/** @type {any} */ event) => {
      if (event.detail.name === "showWhole") this.#showWhole(event.detail.subject);
    });
    // A field that grows, or a keyboard that opens, must not hide the end.
    new ResizeObserver(() => this.#follows && this.#scrollToEnd()).observe(this.#scroller);
  }

  /** @param {State} state */
  update(state) {
    this.#state = state;
    const window = openWindow(state);
    setAttribute(this, "aria-busy", String(state.loading !== null));
    setText(this.#hint, state.dialogProblem || (state.loading === "before" ? "Loading earlier messages…" : !window && state.open ? "Loading…"
      : window?.messages.length === 0 ? "Nothing was written here yet." : ""));
    const isOther = window?.origin !== this.#origin;
    if (isOther) this.#forget(window);
    // Whoever reads above the end stays there, whatever comes.
    const toEnd = !isOther && this.#follows && (window?.isAtEnd ?? true);
    // Where all is drawn anew there is no place to keep, and measuring it costs time.
    if (isOther) this.#draw(state, window);
    else keepingPlace(this.#scroller, this.#list, () => this.#draw(state, window), { toEnd });
    if (isOther && window) this.#place(window);
    else if (this.#target) this.#scrollToTarget();
    this.#drawDown();
  }

  /** Shows a message in the middle as soon as it is there. @param {string} id */
  aim(id) {
    this.#target = id;
    this.#scrollToTarget();
  }

  toEnd() {
    if (openWindow(/** @type {State} */ (this.#state))?.isAtEnd) this.#scrollToEnd();
    else command(this, "showEnd");
  }

  /** Puts the focus on the message that had it last, or on the last one. */
  focusMessage() { (this.#item(this.#current) ?? this.#list.lastElementChild)?.focus(); }

  /** @param {any} window */
  #forget(window) {
    this.#origin = window?.origin ?? null;
    this.#current = null;
    this.#onScreen.clear();
    this.#whole.clear();
    this.#list.replaceChildren();
    this.#observer.disconnect();
    this.#near.disconnect();
  }

  /** @param {State} state @param {any} window */
  #draw(state, window) {
    const hadFocus = this.#list.contains(document.activeElement);
    const isGroup = openConversation(state)?.kind !== "direct" && openConversation(state) !== null;
    const byID = new Map((window?.messages ?? []).map((/** @type {any} */ each) => [each.id, each]));
    reconcile(this.#list, window ? timeline(window, Date.now()) : [], {
      key: (each) => each.key,
      make: (each) => (each.kind === "message" ? this.#make() : h("li", { class: each.kind })),
      update: (element, each) => {
        if (each.kind === "message") this.#update(element, each, state, byID, isGroup);
        else if (element.textContent !== each.text) element.replaceChildren(h("span", {}, each.text));
      },
    });
    if (!this.#item(this.#current)) this.#current = window?.messages.at(-1)?.id ?? null;
    setAttribute(this.#item(this.#current) ?? this.#list, "tabindex", this.#current ? 0 : null);
    if (hadFocus && !this.#list.contains(document.activeElement)) this.focusMessage();
  }

  #make() {
    const element = h("li", { class: "message", tabindex: -1 }, h("div", { class: "content" }));
    this.#observer.observe(element);
    element.parts = new MessageParts(this.#near);
    return element;
  }

  /** @param {any} element @param {any} shown @param {State} state @param {Map<string, any>} byID @param {boolean} isGroup */
  #update(element, shown, state, byID, isGroup) {
    const { message, isFirst, isLast } = shown;
    const quote = message.replyTo ? byID.get(message.replyTo) ?? state.quotes.get(message.replyTo) : undefined;
    if (message.replyTo && quote === undefined) command(this, "quote", message.replyTo);
    const isWhole = this.#whole.has(message.id);
    const drawn = [message, isFirst, isLast, quote, isWhole, isGroup, state.users.get(message.sender.id)?.name];
    const isDrawn = element.drawn?.every((/** @type {any} */ each, /** @type {number} */ index) => each === drawn[index]);
    if (!isDrawn) this.#drawMessage(element, shown, state, { isGroup, quote, isWhole, parts: element.parts });
    element.drawn = drawn;
    element.parts.update(filesOf(message), state.files);
  }

  /** @param {any} element @param {any} shown @param {State} state @param {any} context */
  #drawMessage(element, shown, state, context) {
    const { message, isFirst, isLast } = shown, { isGroup } = context;
    element.message = message;
    const isOwn = message.sender.id === state.node.id;
    element.className = ["message", isOwn ? "own" : "other", isFirst ? "first" : "", isLast ? "last" : "", isGroup ? "in-group" : "",
      message.mentions.some((/** @type {any} */ each) => each.id === state.node.id) ? "mentions-me" : ""].filter(Boolean).join(" ");
    setAttribute(element, "aria-label", messageLabel(state, message));
    element.firstElementChild.replaceChildren(...messageView(state, shown, context));
    if (element.lastElementChild.classList.contains("actions")) this.#placeActions(element);
  }

  /** Where reading begins: at a target, at the first unread message, or at the end. @param {any} window */
  #place(window) {
    const divider = window.newFrom ? this.#list.querySelector("li.new") : null;
    if (this.#target) this.#scrollToTarget();
    else if (divider) this.#scroller.scrollTop = divider.offsetTop - this.#scroller.clientHeight / 4;
    else this.#scrollToEnd();
    this.#follows = window.isAtEnd && isAtEnd(this.#scroller);
    performance.mark("earshot:drawn");
    command(this, "drawn", window);
  }

  #scrollToEnd() {
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
    this.#follows = true;
  }

  #scrollToTarget() {
    const element = this.#item(this.#target);
    if (!element) return;
    this.#target = null;
    this.#follows = false;
    element.scrollIntoView({ block: "center" });
    element.classList.add("aimed");
    element.addEventListener("animationend", () => element.classList.remove("aimed"), { once: true });
    this.#focus(element);
  }

  #scrolled() {
    const scroller = this.#scroller, window = this.#state && openWindow(this.#state);
    if (!window) return;
    this.#follows = window.isAtEnd && isAtEnd(scroller);
    if (scroller.scrollTop < LIMITS.pagingDistance && !window.isAtStart) command(this, "earlier");
    const below = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;
    if (below < LIMITS.pagingDistance && !window.isAtEnd) command(this, "later");
    this.#drawDown();
  }

  #drawDown() {
    const window = this.#state && openWindow(this.#state);
    const scroller = this.#scroller;
    const isFar = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight > scroller.clientHeight / 2;
    setAttribute(this.#down, "hidden", !window || (window.isAtEnd && !isFar));
    setText(this.#down.lastElementChild, window?.below ? `${window.below} new` : "Latest");
  }

  /** @param {IntersectionObserverEntry[]} entries */
  #seen(entries) {
    for (const { target, isIntersecting, intersectionRatio, intersectionRect, rootBounds } of entries) {
      const id = /** @type {any} */ (target).dataset.key;
      // Half of it was in sight; or of one that is longer than the screen, as much as fits half of that.
      const isSeen = isIntersecting && (intersectionRatio >= 0.5 || intersectionRect.height >= (rootBounds?.height ?? 0) / 2);
      if (isSeen && target.isConnected) this.#onScreen.add(id);
      else this.#onScreen.delete(id);
    }
    command(this, "onScreen", new Set(this.#onScreen));
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const item = /** @type {any} */ (event.target).closest("li.message");
    if (!item || event.target !== item) return;
    const name = commandFor(event, "message");
    const items = [...this.#list.querySelectorAll("li.message")];
    const moves = { previousMessage: items[items.indexOf(item) - 1], nextMessage: items[items.indexOf(item) + 1], firstMessage: items[0] };
    if (name === null) return;
    event.preventDefault();
    if (name === "lastMessage") {
      this.#current = null;
      this.toEnd();
      items.at(-1)?.focus();
    } else if (name in moves) this.#focus(moves[name]);
    else command(item, name === "react" ? "reactWith" : name, item.message);
  }

  /** @param {any} item */
  #focus(item) {
    if (!item) return;
    this.#item(this.#current)?.setAttribute("tabindex", "-1");
    this.#current = item.dataset.key;
    item.setAttribute("tabindex", "0");
    item.focus({ preventScroll: true });
    item.scrollIntoView({ block: "nearest" });
  }

  /** @param {any} event */
  #showActions(event) {
    const item = event.target.closest("li.message");
    if (!item) return;
    if (event.type === "focusin" && event.target === item && this.#current !== item.dataset.key) this.#focus(item);
    if (!item.lastElementChild.classList.contains("actions")) this.#placeActions(item);
  }

  /** @param {any} item */
  #placeActions(item) {
    const state = /** @type {State} */ (this.#state);
    for (const bar of this.#list.querySelectorAll(".actions")) if (!bar.contains(document.activeElement) || item.contains(bar)) bar.remove();
    item.append(messageActions(item.message, item.message.sender.id === state.node.id, writingProblem(state) === ""));
  }

  /** @param {string} id */
  #showWhole(id) {
    this.#whole.add(id);
    this.update(/** @type {State} */ (this.#state));
    this.#focus(this.#item(id));
  }

  /** @param {string|null} id */
  #item(id) { return id ? [...this.#list.children].find((/** @type {any} */ each) => each.dataset.key === id) : undefined; }
}

customElements.define("message-list", MessageList);
