/** Marks as read what was on the screen of somebody who looked at it. */
import { LIMITS } from "../deciding/limits.js";
import { afterMarking, NOTHING_READ, upTo, withSeen, withUnread } from "../deciding/reading.js";
import { userOfKey } from "../deciding/state.js";
/** @typedef {import("../talking/api.js").Api} Api */

export class ReadingWatch {
  #api;
  #onMarked;
  /** @type {string|null} */
  #key = null;
  #reading = NOTHING_READ;
  /** @type {ReadonlySet<string>} */
  #onScreen = new Set();
  #isMarking = false;

  /** @param {Api} api @param {(conversationID: string) => void} onMarked */
  constructor(api, onMarked) {
    this.#api = api;
    this.#onMarked = onMarked;
  }

  /** Whether somebody can see the page. */
  static get isLookedAt() { return document.visibilityState === "visible" && document.hasFocus(); }

  /**
   * Begins with a dialog that is opened. What comes from now on is unread; `learn` asks for what was before.
   * @param {string|null} key @param {number} unreadCount
   */
  follow(key, unreadCount) {
    this.#key = key;
    this.#reading = { ...NOTHING_READ, isWhole: unreadCount === 0 || !key || userOfKey(key) !== null };
    this.#onScreen = new Set();
  }

  /** Asks which messages are unread, page by page. */
  async learn() {
    const key = this.#key;
    if (!key || this.#reading.isWhole) return;
    try {
      let after = "", count = 0;
      while (this.#key === key && count < LIMITS.unreadFollowed) {
        const page = await this.#api.get(`conversations/${key}/unread?limit=${LIMITS.unreadPage}${after && `&after=${after}`}`);
        if (this.#key !== key) return;
        count += page.length;
        this.#reading = withUnread(this.#reading, page, page.length < LIMITS.unreadPage);
        this.check();
        if (page.length < LIMITS.unreadPage) return;
        after = page[page.length - 1].id;
      }
    } catch (error) {
      // Nothing is marked then; what is unread is asked for again when the dialog is opened, or the node is back.
      console.info("what is unread is not known", error);
    }
  }

  /** A message of somebody else has come. @param {any} message */
  arrived(message) {
    if (message.conversationID !== this.#key) return;
    this.#reading = withUnread(this.#reading, [message], this.#reading.isWhole);
    this.check();
  }

  /** @param {ReadonlySet<string>} ids the messages that are on the screen now */
  shows(ids) {
    this.#onScreen = ids;
    this.check();
  }

  /** Looks whether there is something to mark. */
  async check() {
    if (!this.#key || !ReadingWatch.isLookedAt) return;
    this.#reading = withSeen(this.#reading, this.#onScreen);
    const key = this.#key, message = upTo(this.#reading);
    if (!message || this.#isMarking) return;
    this.#isMarking = true;
    try {
      await this.#api.post(`conversations/${key}/read`, { upTo: message });
      if (this.#key === key) this.#reading = afterMarking(this.#reading, message);
      this.#onMarked(key);
    } catch (error) {
      console.info("nothing was marked as read", error);
      return;
    } finally {
      this.#isMarking = false;
    }
    if (upTo(this.#reading)) this.check();
  }
}
