/** Asks the node, and nobody else (session.js). It decides nothing: whoever asks deals with the answer. */
import { LIMITS } from "../deciding/limits.js";
import { refusalOf } from "./api-error.js";
import { answer, complete } from "./asking.js";
import { upload } from "./upload.js";

export class Api {
  #session;

  /** @param {import("./session.js").Session} session */
  constructor(session) { this.#session = session; }

  /** @param {string} path @param {{patience?: number}} [options] @returns {Promise<any>} */
  get(path, options) { return this.#ask("GET", path, undefined, options); }

  /** @param {string} path @param {any} [body] @param {{key?: string}} [options] @returns {Promise<any>} */
  post(path, body = undefined, options = {}) { return this.#ask("POST", path, body, options); }

  /** @param {string} path @returns {Promise<any>} */
  delete(path) { return this.#ask("DELETE", path); }

  /**
   * The answer to a request for events, whose body goes on.
   * @param {string} lastID @param {AbortSignal} signal @returns {Promise<Response>}
   */
  async events(lastID, signal) {
    const headers = { accept: "text/event-stream", ...(lastID ? { "last-event-id": lastID } : {}) };
    return this.#proved("GET", "/v1/events", { headers, signal });
  }

  /** What a file contains: the answer as it is, whose body comes as fast as it is read. @param {string} path @returns {Promise<Response>} */
  content(path) { return this.#proved("GET", `/v1/${path}`, { signal: AbortSignal.timeout(LIMITS.contentMilliseconds) }); }

  /**
   * Takes in a file, however large it is: what a message then names.
   * @param {Blob} content @param {string} name @param {{onProgress: (bytes: number) => void, signal: AbortSignal}} options
   * @returns {Promise<any>}
   */
  async upload(content, name, options) {
    // A browser may know of a type's parameters, which no message says.
    const [mediaType] = content.type.split(";");
    const query = new URLSearchParams({ name, ...(mediaType ? { mediaType } : {}) });
    const url = `/v1/files/upload?${query}`, request = await this.#session.request("POST", url);
    return upload(url, { ...request.headers, "content-type": "application/octet-stream" }, content, { ...options, check: request.check });
  }

  /** @param {string} method @param {string} path @param {any} [body] @param {{key?: string, patience?: number}} [options] */
  async #ask(method, path, body, { key, patience = LIMITS.requestMilliseconds } = {}) {
    const headers = { ...(body === undefined ? {} : { "content-type": "application/json" }), ...(key ? { "idempotency-key": key } : {}) };
    const response = await this.#proved(method, `/v1/${path}`, {
      headers, body: body === undefined ? undefined : JSON.stringify(body), signal: AbortSignal.timeout(patience),
    });
    return response.status === 204 ? null : complete(response);
  }

  /**
   * The node's own answer. If another one came, perhaps the node has begun anew: it is asked once more, if it proves itself.
   * @param {string} method @param {string} url @param {RequestInit} options @returns {Promise<Response>}
   */
  async #proved(method, url, options) {
    for (let isAgain = false; ; isAgain = true) {
      const request = await this.#session.request(method, url);
      try {
        const response = await answer(url, { ...options, method, headers: { ...options.headers, ...request.headers }, cache: "no-store" });
        await request.check(response.headers.get("authentication-info"));
        if (!response.ok) throw refusalOf(response.status, await response.text().catch(() => ""));
        return response;
      } catch (error) {
        if (error.isLost) this.#session.doubt();
        if (error.code !== "unproved" || isAgain) throw error;
      }
    }
  }
}
