/** Decisions about people, and about this node's own user. */
/** @typedef {import("../talking/api.js").Api} Api */
/** @typedef {import("./store.js").Store} Store */

export class People {
  #api;
  #store;

  /** @param {Api} api @param {Store} store */
  constructor(api, store) {
    this.#api = api;
    this.#store = store;
  }

  /**
   * @param {any} user as they were shown when the person decided: with another name now, nothing is done
   * @param {"accept"|"verify"|"block"|"unblock"} decision
   * @param {string} name that the decision is about
   */
  async decide(user, decision, name = user.name) {
    const decided = await this.#api.post(`users/${user.id}/trust`, { decision, name });
    this.#store.apply({ type: "user", user: decided });
    // A name that goes to another key leaves the one that had it.
    this.#store.apply({ type: "users", users: await this.#api.get("users") });
  }

  /** @param {string} userID */
  safetyNumber(userID) { return this.#api.get(`users/${userID}/safety-number`); }
  /** @param {string} userID */
  profile(userID) { return this.#api.get(`users/${userID}/profile`); }
  ownProfile() { return this.#api.get("profile"); }
  /** @param {any} change */
  updateProfile(change) { return this.#api.post("profile", change); }
  devices() { return this.#api.get("devices"); }
  targets() { return this.#api.get("notifications/targets"); }
  /** @param {any} target as `POST /v1/notifications/targets` takes it */
  addTarget(target) { return this.#api.post("notifications/targets", target); }
  /** @param {string} name */
  removeTarget(name) { return this.#api.delete(`notifications/targets/${encodeURIComponent(name)}`); }
  tokens() { return this.#api.get("tokens"); }
  /** @param {string} name */
  revokeToken(name) { return this.#api.delete(`tokens/${encodeURIComponent(name)}`); }
}
