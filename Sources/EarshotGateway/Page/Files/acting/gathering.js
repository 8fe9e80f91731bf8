/** Conversations of many: begun, joined, left, and who is in. */
/** @typedef {import("../talking/api.js").Api} Api */
/** @typedef {import("./store.js").Store} Store */

export class Gathering {
  #api;
  #store;

  /** @param {Api} api @param {Store} store */
  constructor(api, store) {
    this.#api = api;
    this.#store = store;
  }

  /** @param {any} request as `POST /v1/conversations` takes it @returns {Promise<string>} its id */
  async begin(request) {
    const id = this.#changed(await this.#api.post("conversations", request));
    this.#store.apply({ type: "advertised", advertised: await this.#api.get("advertised") });
    return id;
  }

  /** @param {string} id @param {"join"|"leave"|"close"} what */
  async decide(id, what) { return this.#changed(await this.#api.post(`conversations/${id}/${what}`)); }

  /** @param {string} id @param {string[]} users */
  async invite(id, users) { return this.#changed(await this.#api.post(`conversations/${id}/invite`, { users })); }

  /** @param {string} id @param {string} user */
  async remove(id, user) { return this.#changed(await this.#api.post(`conversations/${id}/remove`, { user })); }

  /** @param {string} id @param {string} friendlyName */
  async rename(id, friendlyName) { return this.#changed(await this.#api.post(`conversations/${id}/update`, { friendlyName })); }

  /** @param {string} id */
  async markAll(id) {
    await this.#api.post(`conversations/${id}/read`, { all: true });
    this.#changed(await this.#api.get(`conversations/${id}`));
  }

  /** @param {string} key a conversation's id, or the key of the other user @param {"all"|"mentions"|"none"} level */
  async setLevel(key, level) {
    const conversation = await this.#api.post(`conversations/${key}/notifications`, { level });
    // One in which nothing was written yet is in no list.
    if (conversation.lastMessage || conversation.kind !== "direct") this.#changed(conversation);
  }

  /** @param {string} id */
  participants(id) { return this.#api.get(`conversations/${id}/participants?limit=200`); }

  /** @param {any} conversation */
  #changed(conversation) {
    this.#store.apply({ type: "conversation", conversation, now: Date.now() });
    return conversation.id;
  }
}
