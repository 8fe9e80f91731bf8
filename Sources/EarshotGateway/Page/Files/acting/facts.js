/** Asks the node for what the page shows, at the beginning and after events. */
import { LIMITS } from "../deciding/limits.js";
import { userOfKey } from "../deciding/state.js";
/** @typedef {import("../talking/api.js").Api} Api */
/** @typedef {import("./store.js").Store} Store */

export class Facts {
  #api;
  #store;
  #dialogs;

  /** @param {Api} api @param {Store} store @param {import("./dialogs.js").Dialogs} dialogs */
  constructor(api, store, dialogs) {
    this.#api = api;
    this.#store = store;
    this.#dialogs = dialogs;
  }

  /** What the first picture needs, all at once. It is ready before the people are known: messages bring their names. */
  async begin() {
    const people = this.#api.get("users").then((users) => this.#store.apply({ type: "users", users }));
    const [node, conversations] = await Promise.all([this.#api.get("node"), this.#api.get(`conversations?limit=${LIMITS.conversations}`)]);
    this.#store.apply({ type: "node", node });
    this.#store.apply({ type: "conversations", conversations, isFirstPage: true });
    this.#store.apply({ type: "ready" });
    return { people };
  }

  /** What may take longer. */
  async beginSlowly() { await Promise.all([this.#ask({ kind: "advertised" }), this.#ask({ kind: "health" })]); }

  async moreConversations() {
    const oldest = [...this.#store.state.conversations.values()].filter((each) => each.lastMessage)
      .sort((a, b) => (a.lastMessage.index ?? Infinity) - (b.lastMessage.index ?? Infinity))[0];
    if (!oldest) return;
    const conversations = await this.#api.get(`conversations?limit=${LIMITS.conversations}&before=${oldest.id}`);
    this.#store.apply({ type: "conversations", conversations, isFirstPage: false });
  }

  /**
   * Whether the node answers; and what other programs have read meanwhile.
   * @returns {Promise<boolean>}
   */
  async pulse() {
    try {
      const conversations = await this.#api.get(`conversations?limit=${LIMITS.conversations}`, { patience: LIMITS.pulsePatience });
      this.#store.apply({ type: "conversations", conversations, isFirstPage: true });
      return true;
    } catch (error) {
      return !error.isLost;
    }
  }

  /** Asks for one thing. A failure is no more than that: the next event, or the next connection, asks again.
   * @param {import("../deciding/consequences.js").Request} request */
  ask = async (request) => {
    try {
      await this.#ask(request);
    } catch (error) {
      console.info("not refreshed:", request.kind, error);
    }
  };

  /** @param {import("../deciding/consequences.js").Request} request */
  async #ask(request) {
    switch (request.kind) {
      case "conversation":
        return this.#store.apply({ type: "conversation", conversation: await this.#api.get(`conversations/${request.id}`), now: Date.now() });
      case "message":
        return this.#store.apply({ type: "message", message: await this.#api.get(`messages/${request.id}`), isNew: false });
      case "users": return this.#store.apply({ type: "users", users: await this.#api.get("users") });
      case "node": return this.#store.apply({ type: "node", node: await this.#api.get("node") });
      case "advertised": return this.#store.apply({ type: "advertised", advertised: await this.#api.get("advertised") });
      case "prepared": return this.#askPrepared();
      case "health": return this.#store.apply({ type: "findings", findings: await this.#api.get("health") });
      case "everything": {
        this.#store.apply({ type: "filesStale" });
        await (await this.begin()).people;
        await Promise.all([this.#dialogs.refresh(), this.#askPrepared()]);
      }
    }
  }

  /** What programs have prepared for the dialog that is open. */
  async #askPrepared() {
    const key = this.#store.state.open;
    if (!key) return;
    const drafts = await this.#drafts(userOfKey(key) ?? key);
    if (this.#store.state.open === key) this.#store.apply({ type: "prepared", key, drafts });
  }

  /** @param {string} conversation */
  async #drafts(conversation) {
    try {
      return await this.#api.get(`drafts?conversation=${conversation}`);
    } catch (error) {
      // Nothing was written there yet, and nothing prepared.
      if (error.status === 404) return [];
      throw error;
    }
  }
}
