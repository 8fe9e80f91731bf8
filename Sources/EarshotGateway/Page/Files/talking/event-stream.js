/** Follows the node's events, and goes on where it was when the node was away. */
import { EventParser } from "../deciding/event-parser.js";
import { LIMITS } from "../deciding/limits.js";
/** @typedef {import("./api.js").Api} Api */

export class EventStream {
  #api;
  #handlers;
  #lastID = "";
  #isEnded = false;
  /** @type {AbortController|null} */
  #attempt = null;
  /** @type {(() => void)|null} */
  #wake = null;

  /**
   * @param {Api} api
   * @param {{onEvent: (event: any) => void, onLive: (isFirst: boolean) => void, onLost: (isForeign: boolean) => void}} handlers
   */
  constructor(api, handlers) {
    this.#api = api;
    this.#handlers = handlers;
  }

  /** Runs until `end`. */
  async run() {
    let wait = LIMITS.firstRetry, isFirst = true;
    while (!this.#isEnded) {
      this.#attempt = new AbortController();
      let isForeign = false;
      try {
        const response = await this.#api.events(this.#lastID, this.#attempt.signal);
        wait = LIMITS.firstRetry;
        this.#handlers.onLive(isFirst);
        isFirst = false;
        await this.#read(response);
      } catch (error) {
        isForeign = error.isForeign ?? false;
        // A place that the node does not know, as after another history was put in place: all is asked for anew.
        if (error.status === 400) this.#lastID = "";
      }
      if (this.#isEnded) return;
      this.#handlers.onLost(isForeign);
      await this.#pause(wait);
      wait = Math.min(wait * 2, LIMITS.longestRetry);
    }
  }

  /** Tries again at once; or connects anew, if the connection seems to be dead. */
  restart() {
    this.#attempt?.abort();
    this.#wake?.();
  }

  end() {
    this.#isEnded = true;
    this.restart();
  }

  /** @param {Response} response */
  async #read(response) {
    const parser = new EventParser();
    const reader = /** @type {any} */ (response.body).pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      for (const { id, data } of parser.take(value)) {
        if (data !== undefined) this.#handlers.onEvent(JSON.parse(data));
        // Only now: an event that was not dealt with comes again.
        if (id !== undefined) this.#lastID = id;
      }
    }
  }

  /** @param {number} milliseconds */
  #pause(milliseconds) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => { clearTimeout(timer); resolve(undefined); };
    });
  }
}
