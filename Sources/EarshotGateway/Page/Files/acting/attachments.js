/** Files that messages bring along: what the node has of them, fetching them, and what they contain. */
import { isPicture, savedName } from "../deciding/files.js";
import { LIMITS } from "../deciding/limits.js";
/** @typedef {import("../talking/api.js").Api} Api */
/** @typedef {import("./store.js").Store} Store */

export class Attachments {
  #api;
  #store;

  /** @param {Api} api @param {Store} store */
  constructor(api, store) {
    this.#api = api;
    this.#store = store;
  }

  /** Asks what the node has of a file, unless that is known. @param {string} id */
  async ask(id) {
    const { files, eventCount: since } = this.#store.state, known = files.get(id);
    if (known && !known.isStale) return;
    this.#store.apply({ type: "fileAsked", id });
    try {
      this.#told(await this.#api.get(`files/${id}`), since);
    } catch (error) {
      this.#told({ id, state: "unknown", reason: error.message }, since);
    }
  }

  /** @param {string} id */
  async fetch(id) { await this.#decide(id, "fetch"); }

  /** @param {string} id */
  async decline(id) { await this.#decide(id, "decline"); }

  /** Saves what a file contains where the browser saves things. @param {any} attachment */
  async save({ fileID: id, name }) {
    this.#store.apply({ type: "fileSaving", id, isSaving: true });
    try {
      const response = await this.#api.content(`files/${id}/content?name=${encodeURIComponent(name)}`);
      const address = URL.createObjectURL(await response.blob()), link = document.createElement("a");
      link.href = address;
      link.download = savedName(response.headers.get("content-disposition"));
      link.click();
      // The browser has begun to save by then, and holds what it saves.
      setTimeout(() => URL.revokeObjectURL(address), LIMITS.savingMilliseconds);
    } finally {
      this.#store.apply({ type: "fileSaving", id, isSaving: false });
    }
  }

  /** A picture that the node has checked, as one of the types that are shown. @param {string} id @returns {Promise<Blob>} */
  async picture(id) {
    const response = await this.#api.content(`files/${id}/picture`);
    const type = response.headers.get("content-type") ?? "";
    if (!isPicture(type)) throw new Error("it is not a picture that is shown");
    // Of this type, whatever else it may look like.
    return new Blob([await response.arrayBuffer()], { type });
  }

  /** @param {string} id @param {"fetch"|"decline"} decision */
  async #decide(id, decision) {
    const since = this.#store.state.eventCount;
    this.#told(await this.#api.post(`files/${id}/${decision}`), since);
  }

  /** @param {any} file @param {number} since */
  #told(file, since) { this.#store.apply({ type: "file", file, since, now: Date.now() }); }
}
