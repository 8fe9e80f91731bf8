/** Sends files to the node while a message is written, and says when all that go with it are there. */
import { LIMITS } from "../deciding/limits.js";
import { filesFor, outgoing, outgoingFile } from "../deciding/outgoing.js";
import { line } from "../deciding/safe-text.js";
/** @typedef {import("../talking/api.js").Api} Api */
/** @typedef {import("./store.js").Store} Store */

export class Uploads {
  #api;
  #store;
  #onFailed;
  /** @type {Map<string, {content: File, abort: AbortController}>} */
  #contents = new Map();
  /** Those that are not sent yet, in their order. @type {string[]} */
  #waiting = [];
  /** @type {Set<string>} */
  #running = new Set();
  /** Who waits until something has changed. @type {Set<() => void>} */
  #waiters = new Set();

  /** @param {Api} api @param {Store} store @param {(name: string, reason: string) => void} onFailed */
  constructor(api, store, onFailed) {
    this.#api = api;
    this.#store = store;
    this.#onFailed = onFailed;
  }

  /**
   * Takes files for the next message of a dialog. What is too much for one message is refused as a whole.
   * @param {string} key @param {File[]} contents
   */
  add(key, contents) {
    if (filesFor(this.#store.state, key).length + contents.length > LIMITS.attachments) {
      throw new Error(`a message brings at most ${LIMITS.attachments} files along`);
    }
    const files = contents.map((content) => {
      const id = crypto.randomUUID();
      this.#contents.set(id, { content, abort: new AbortController() });
      this.#waiting.push(id);
      return outgoing({ id, name: content.name, byteCount: content.size });
    });
    this.#store.apply({ type: "outgoingAdded", key, files });
    this.#next();
  }

  /** @param {string} id */
  remove(id) { this.done([id]); }

  /** Lets go of files: their message has gone, or a person has removed them. @param {string[]} ids */
  done(ids) {
    this.#waiting = this.#waiting.filter((each) => !ids.includes(each));
    for (const id of ids) {
      this.#contents.get(id)?.abort.abort();
      this.#contents.delete(id);
    }
    this.#changed({ type: "outgoingGone", ids });
  }

  /** Tries once more what has failed. @param {string} id */
  again(id) {
    if (!this.#contents.has(id) || outgoingFile(this.#store.state, id)?.state !== "failed") return;
    this.#waiting.push(id);
    this.#changed({ type: "outgoingBegun", id, now: Date.now() });
    this.#next();
  }

  /**
   * The files as a message names them, as soon as the node has all. Those that are removed meanwhile are left out.
   * @param {string[]} ids @returns {Promise<any[]>}
   */
  async whole(ids) {
    for (;;) {
      const files = ids.map((id) => outgoingFile(this.#store.state, id)).filter((each) => each !== null);
      const failed = files.find((each) => each.state === "failed");
      if (failed) throw new Error(`${line(failed.name)} was not uploaded: ${failed.reason}`);
      if (files.every((each) => each.state === "ready")) return files.map((each) => each.attachment);
      await new Promise((resolve) => this.#waiters.add(() => resolve(undefined)));
    }
  }

  #next() {
    while (this.#running.size < LIMITS.uploads) {
      const id = this.#waiting.shift();
      if (id === undefined) return;
      this.#send(id);
    }
  }

  /** @param {string} id */
  async #send(id) {
    const held = this.#contents.get(id);
    if (!held) return;
    const { content, abort: { signal } } = held;
    this.#running.add(id);
    this.#store.apply({ type: "outgoingBegun", id, now: Date.now() });
    let toldAt = 0;
    const onProgress = (/** @type {number} */ bytes) => {
      const now = Date.now();
      if (now - toldAt < LIMITS.progressMilliseconds) return;
      toldAt = now;
      this.#store.apply({ type: "outgoingMoved", id, bytes, now });
    };
    try {
      this.#changed({ type: "outgoingReady", id, attachment: await this.#api.upload(content, content.name, { onProgress, signal }) });
    } catch (error) {
      if (!signal.aborted) {
        this.#changed({ type: "outgoingFailed", id, reason: error.message });
        this.#onFailed(content.name, error.message);
      }
    } finally {
      this.#running.delete(id);
      this.#next();
    }
  }

  /** @param {any} action */
  #changed(action) {
    this.#store.apply(action);
    for (const waiter of this.#waiters) waiter();
    this.#waiters.clear();
  }
}
