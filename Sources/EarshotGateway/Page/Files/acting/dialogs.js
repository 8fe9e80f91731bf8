/** Opens dialogs, and fetches their pages. */
import { LIMITS } from "../deciding/limits.js";
import { userOfKey } from "../deciding/state.js";
import { openWindow } from "../deciding/views.js";
/** @typedef {import("../talking/api.js").Api} Api */
/** @typedef {import("./store.js").Store} Store */

/** @param {string} id @param {Record<string, string|number>} query */
export const messagesPath = (id, query) => `conversations/${id}/messages?${new URLSearchParams(/** @type {any} */ (query))}`;

export class Dialogs {
  #api;
  #store;
  /** @type {{key: string, page: Promise<any[]>, since: number}|null} */
  #ahead = null;

  /** @param {Api} api @param {Store} store */
  constructor(api, store) {
    this.#api = api;
    this.#store = store;
  }

  /** Asks for the latest messages of a dialog that will be opened in a moment. @param {string|null} key */
  askAhead(key) {
    if (!key || userOfKey(key)) return;
    performance.mark("earshot:open");
    const page = this.#api.get(messagesPath(key, { limit: LIMITS.page }));
    // If it fails, it is whoever opens the dialog who hears of it.
    page.catch(() => {});
    this.#ahead = { key, page, since: this.#store.state.eventCount };
  }

  /** The latest messages of a dialog, and how many events there had been when they were asked for. @param {string} key */
  async #lastPage(key) {
    const ahead = this.#ahead;
    this.#ahead = null;
    if (ahead?.key === key) return { since: ahead.since, messages: await ahead.page };
    return { since: this.#store.state.eventCount, messages: await this.#api.get(messagesPath(key, { limit: LIMITS.page })) };
  }

  /**
   * Opens a dialog at the first unread message, or at its end.
   * @param {string|null} key
   */
  async open(key) {
    // Whoever has asked ahead waits since then.
    if (this.#ahead?.key !== key) performance.mark("earshot:open");
    this.#store.apply({ type: "open", key });
    if (!key) return;
    if (userOfKey(key)) {
      this.#store.apply({ type: "dialog", key, since: this.#store.state.eventCount, messages: [], isAtStart: true, isAtEnd: true });
      return;
    }
    const window = openWindow(this.#store.state);
    const conversation = this.#store.state.conversations.get(key);
    const firstUnread = conversation?.unreadCount > 0 ? conversation.firstUnread : null;
    if (window?.isAtEnd && (!firstUnread || window.messages.some((each) => each.id === firstUnread.id))) {
      this.#store.apply({ type: "dialog", key, since: this.#store.state.eventCount, ...window, newFrom: firstUnread?.id ?? null });
      return;
    }
    await this.#loading(key, "whole", async () => {
      if (firstUnread && conversation.unreadCount > LIMITS.page) await this.#fetchAround(key, firstUnread, firstUnread.id);
      else await this.#fetchEnd(key, firstUnread);
    });
  }

  /** Shows the latest messages of what is open. */
  async showEnd() {
    const { open } = this.#store.state;
    if (open && !openWindow(this.#store.state)?.isAtEnd) await this.#loading(open, "whole", () => this.#fetchEnd(open, null));
  }

  /** Shows a message, wherever it is in its dialog. @param {any} message */
  async showMessage(message) {
    const key = message.conversationID;
    if (this.#store.state.open !== key) this.#store.apply({ type: "open", key });
    if (openWindow(this.#store.state)?.messages.some((each) => each.id === message.id)) return;
    await this.#loading(key, "whole", () => this.#fetchAround(key, message, null));
  }

  async fetchEarlier() {
    const { open: key, loading } = this.#store.state, window = openWindow(this.#store.state);
    if (!key || !window || window.isAtStart || loading || window.messages.length === 0) return;
    await this.#loading(key, "before", async () => {
      const since = this.#store.state.eventCount;
      const page = await this.#api.get(messagesPath(key, { limit: LIMITS.page, before: window.messages[0].id }));
      this.#store.apply({ type: "earlier", key, since, page, asked: LIMITS.page });
    });
  }

  async fetchLater() {
    const { open: key, loading } = this.#store.state, window = openWindow(this.#store.state);
    if (!key || !window || window.isAtEnd || loading || window.messages.length === 0) return;
    await this.#loading(key, "after", async () => {
      const since = this.#store.state.eventCount;
      const after = window.messages[window.messages.length - 1].id;
      const page = await this.#api.get(messagesPath(key, { limit: LIMITS.page, after, order: "time" }));
      this.#store.apply({ type: "later", key, since, page, asked: LIMITS.page });
    });
  }

  /** Fetches what is shown anew, after events were lost. */
  async refresh() {
    const { open: key } = this.#store.state, window = openWindow(this.#store.state);
    if (!key || !window || userOfKey(key) || window.messages.length === 0) return;
    const since = this.#store.state.eventCount;
    const asked = Math.max(LIMITS.page, window.messages.length);
    const first = window.messages[0], query = window.isAtEnd ? { limit: asked } : { limit: asked - 1, after: first.id, order: "time" };
    const page = await this.#api.get(messagesPath(key, query));
    const messages = window.isAtEnd ? page : [await this.#api.get(`messages/${first.id}`), ...page];
    this.#store.apply({
      type: "dialog", key, since, messages, isAtStart: window.isAtEnd ? page.length < asked : window.isAtStart,
      isAtEnd: window.isAtEnd || page.length < asked - 1, newFrom: window.newFrom, keepsPlace: true,
    });
  }

  /** Fetches a message that a reply answers. @param {string} id */
  async fetchQuote(id) {
    this.#store.apply({ type: "quote", id, message: null });
    try {
      this.#store.apply({ type: "quote", id, message: await this.#api.get(`messages/${id}`) });
    } catch (error) {
      // It need not be here. The reply is shown without it.
      console.info("what is answered is not here", error);
    }
  }

  /** @param {string} key @param {any} firstUnread */
  async #fetchEnd(key, firstUnread) {
    const { messages, since } = await this.#lastPage(key);
    const isThere = !firstUnread || messages.some((/** @type {any} */ each) => each.id === firstUnread.id);
    // What came late may be unread long before the end.
    if (!isThere) return this.#fetchAround(key, firstUnread, firstUnread.id);
    this.#store.apply({
      type: "dialog", key, since, messages, isAtStart: messages.length < LIMITS.page, isAtEnd: true, newFrom: firstUnread?.id ?? null,
    });
  }

  /** @param {string} key @param {any} message @param {string|null} newFrom */
  async #fetchAround(key, message, newFrom) {
    const since = this.#store.state.eventCount;
    const [earlier, later] = await Promise.all([
      this.#api.get(messagesPath(key, { limit: LIMITS.context, before: message.id })),
      this.#api.get(messagesPath(key, { limit: LIMITS.page, after: message.id, order: "time" })),
    ]);
    this.#store.apply({
      type: "dialog", key, since, messages: [...earlier, message, ...later], isAtStart: earlier.length < LIMITS.context,
      isAtEnd: later.length < LIMITS.page, newFrom,
    });
  }

  /** @param {string} key @param {"before"|"after"|"whole"} loading @param {() => Promise<void>} fetch */
  async #loading(key, loading, fetch) {
    this.#store.apply({ type: "loading", key, loading });
    try {
      await fetch();
    } catch (error) {
      this.#store.apply({ type: "dialogFailed", key, problem: error.message });
    }
  }
}
