/** Sends, changes and takes back messages. */
import { LIMITS } from "../deciding/limits.js";
import { mentioned } from "../deciding/mentions.js";
import { bytes } from "../deciding/safe-text.js";
import { userOfKey } from "../deciding/state.js";
import { openConversation } from "../deciding/views.js";
/** @typedef {import("../talking/api.js").Api} Api */
/** @typedef {import("./store.js").Store} Store */

export class Writing {
  #api;
  #store;
  #typing = { key: "", saidAt: 0 };

  /** @param {Api} api @param {Store} store */
  constructor(api, store) {
    this.#api = api;
    this.#store = store;
  }

  /** Why a text cannot be sent, or nothing. @param {string} text */
  problem(text) {
    const length = bytes(text);
    return length > LIMITS.messageBytes ? `It is too long: ${length.toLocaleString()} bytes of at most ${LIMITS.messageBytes.toLocaleString()}.` : "";
  }

  /**
   * Sends a draft. It throws if the node has not taken it; sent again with the same key, it goes once.
   * @param {string} key what is open @param {{text: string, replyTo?: any, edit?: any, attachments?: any[], key: string}} draft
   */
  async send(key, draft) {
    if (draft.edit) {
      const message = await this.#api.post(`messages/${draft.edit.id}/edit`, { text: draft.text });
      this.#store.apply({ type: "message", message, isNew: false });
      return;
    }
    const mentions = mentioned(draft.text, openConversation(this.#store.state)?.participants ?? []);
    const body = { text: draft.text, ...(mentions.length > 0 ? { mentions } : {}), ...bringing(draft.attachments) };
    const message = draft.replyTo
      ? await this.#api.post(`messages/${draft.replyTo.id}/reply`, body, { key: draft.key })
      : await this.#api.post("messages", { ...body, to: this.#recipient(key) }, { key: draft.key });
    this.#typing = { key: "", saidAt: 0 };
    this.#store.apply({ type: "message", message, isNew: true });
    if (userOfKey(key)) await this.#begun(message.conversationID);
  }

  /** @param {any} message */
  async retract(message) { this.#changed(await this.#api.post(`messages/${message.id}/retract`)); }

  /** @param {any} message */
  async cancel(message) { this.#changed(await this.#api.post(`messages/${message.id}/cancel`)); }

  /** @param {any} message @param {string} emoji @param {boolean} remove */
  async react(message, emoji, remove) {
    this.#changed(await this.#api.post(`messages/${message.id}/react`, remove ? { emoji, remove } : { emoji }));
  }

  /** Sends what a program has prepared, as it is now. @param {any} draft @param {string} text */
  async sendPrepared(draft, text) {
    if (text !== draft.text) await this.editPrepared(draft, text);
    const message = await this.#api.post(`drafts/${draft.id}/send`);
    this.#store.apply({ type: "preparedGone", id: draft.id });
    this.#store.apply({ type: "message", message, isNew: true });
    if (userOfKey(this.#store.state.open)) await this.#begun(message.conversationID);
  }

  /** @param {any} draft @param {string} text */
  async editPrepared(draft, text) { await this.#api.post(`drafts/${draft.id}/edit`, { text }); }

  /** @param {any} draft */
  async discardPrepared(draft) {
    await this.#api.delete(`drafts/${draft.id}`);
    this.#store.apply({ type: "preparedGone", id: draft.id });
  }

  /** Sends the text and the files of a failed message once more, to whom it was for. @param {any} message */
  async retry(message) {
    const mentions = message.mentions.map((/** @type {any} */ each) => each.id);
    const conversation = this.#store.state.conversations.get(message.conversationID);
    const to = conversation?.kind === "direct" ? conversation.peer.id : message.conversationID;
    const again = await this.#api.post("messages", { to, text: message.text, ...(mentions.length > 0 ? { mentions } : {}), ...bringing(message.attachments) }, { key: `again-${message.id}` });
    this.#store.apply({ type: "message", message: again, isNew: true });
  }

  /** Tells the others that somebody types here, or has stopped. @param {string} key @param {boolean} isTyping */
  async sayTyping(key, isTyping) {
    const now = Date.now(), said = this.#typing;
    if (userOfKey(key) || this.#store.state.link !== "live") return;
    if (isTyping ? said.key === key && now - said.saidAt < LIMITS.typingSaid : said.key !== key) return;
    this.#typing = isTyping ? { key, saidAt: now } : { key: "", saidAt: 0 };
    try {
      await this.#api.post(`conversations/${key}/typing`, { isTyping });
    } catch (error) {
      // It is a courtesy, and the next key says it again.
      console.info("typing was not told", error);
    }
  }

  /** @param {string} key */
  #recipient(key) {
    const conversation = this.#store.state.conversations.get(key);
    return userOfKey(key) ?? (conversation?.kind === "direct" ? conversation.peer?.id : key);
  }

  /** @param {string} conversationID */
  async #begun(conversationID) {
    const since = this.#store.state.eventCount;
    const [conversation, messages] = await Promise.all([
      this.#api.get(`conversations/${conversationID}`), this.#api.get(`conversations/${conversationID}/messages?limit=${LIMITS.page}`),
    ]);
    this.#store.apply({ type: "conversation", conversation, now: Date.now() });
    this.#store.apply({ type: "dialog", key: conversationID, since, messages, isAtStart: messages.length < LIMITS.page, isAtEnd: true });
  }

  /** @param {any} message */
  #changed(message) { this.#store.apply({ type: "message", message, isNew: false }); }
}

/** @param {any[]|undefined} attachments */
const bringing = (attachments = []) => (attachments.length > 0 ? { attachments } : {});
