import { LIMITS } from "./limits.js";

/** @typedef {{id?: string, name?: string, data?: string}} ServerEvent */

/**
 * Reads server-sent events (WHATWG HTML, section 9.2) from pieces of text.
 */
export class EventParser {
  #rest = "";
  /** @type {ServerEvent} */
  #event = {};

  /**
   * @param {string} piece
   * @returns {ServerEvent[]} the events that are complete with it
   */
  take(piece) {
    this.#rest += piece;
    const lines = this.#rest.split("\n");
    this.#rest = lines.pop() ?? "";
    if (this.#rest.length > LIMITS.eventBytes) throw new RangeError("an event is too long");
    const events = [];
    for (const raw of lines) {
      const text = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
      if (text !== "") this.#field(text);
      else if (Object.keys(this.#event).length > 0) {
        events.push(this.#event);
        this.#event = {};
      }
    }
    return events;
  }

  /** @param {string} text */
  #field(text) {
    const colon = text.indexOf(":");
    if (colon === 0) return;
    const name = colon < 0 ? text : text.slice(0, colon);
    const value = colon < 0 ? "" : text.slice(colon + 1).replace(/^ /, "");
    if (name === "id") this.#event.id = value;
    else if (name === "event") this.#event.name = value;
    else if (name === "data") this.#event.data = this.#event.data === undefined ? value : this.#event.data + "\n" + value;
  }
}
