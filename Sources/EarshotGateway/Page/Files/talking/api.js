/** Asks the node. It decides nothing: whoever asks deals with the answer. */
import { LIMITS } from "../deciding/limits.js";
import { ApiError, refusalOf } from "./api-error.js";
import { upload } from "./upload.js";

export class Api {
  #token;
  #onUnauthorized;

  /** @param {string} token @param {(error: ApiError) => void} onUnauthorized */
  constructor(token, onUnauthorized) {
    this.#token = token;
    this.#onUnauthorized = onUnauthorized;
  }

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
    const headers = { accept: "text/event-stream", ...this.#authorization(), ...(lastID ? { "last-event-id": lastID } : {}) };
    const response = await fetch("/v1/events", { headers, signal, cache: "no-store" });
    if (!response.ok) throw await this.#refusal(response);
    return response;
  }

  /** What a file contains: the answer as it is, whose body comes as fast as it is read. @param {string} path @returns {Promise<Response>} */
  async content(path) {
    const signal = AbortSignal.timeout(LIMITS.contentMilliseconds);
    const response = await answer(`/v1/${path}`, { headers: this.#authorization(), signal, cache: "no-store" });
    if (!response.ok) throw await this.#refusal(response);
    return response;
  }

  /**
   * Takes in a file, however large it is: what a message then names.
   * @param {Blob} content @param {string} name @param {{onProgress: (bytes: number) => void, signal: AbortSignal}} options
   * @returns {Promise<any>}
   */
  async upload(content, name, options) {
    // A browser may know of a type's parameters, which no message says.
    const [mediaType] = content.type.split(";");
    const query = new URLSearchParams({ name, ...(mediaType ? { mediaType } : {}) });
    const headers = { ...this.#authorization(), "content-type": "application/octet-stream" };
    try {
      return await upload(`/v1/files/upload?${query}`, headers, content, options);
    } catch (error) {
      if (error.isUnauthorized) this.#onUnauthorized(error);
      throw error;
    }
  }

  #authorization() { return { authorization: `Bearer ${this.#token}` }; }

  /** @param {string} method @param {string} path @param {any} [body] @param {{key?: string, patience?: number}} [options] */
  async #ask(method, path, body, { key, patience = LIMITS.requestMilliseconds } = {}) {
    const headers = {
      ...this.#authorization(), ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(key ? { "idempotency-key": key } : {}),
    };
    const response = await answer(`/v1/${path}`, {
      method, headers, body: body === undefined ? undefined : JSON.stringify(body), signal: AbortSignal.timeout(patience), cache: "no-store",
    });
    if (!response.ok) throw await this.#refusal(response);
    return response.status === 204 ? null : complete(response);
  }

  /** @param {Response} response */
  async #refusal(response) {
    const error = await refusal(response);
    if (error.isUnauthorized) this.#onUnauthorized(error);
    return error;
  }
}

/** @param {string} url @param {RequestInit} options */
async function answer(url, options) {
  try {
    return await fetch(url, options);
  } catch (error) {
    throw new ApiError("noAnswer", "the node does not answer", 0, { detail: String(error) });
  }
}

/** @param {Response} response */
async function complete(response) {
  try {
    return await response.json();
  } catch (error) {
    throw new ApiError("noAnswer", "the node's answer broke off", 0, { detail: String(error) });
  }
}

/** @param {Response} response @returns {Promise<ApiError>} */
const refusal = async (response) => refusalOf(response.status, await response.text().catch(() => ""));

/**
 * Turns the one-time login of the address into a token for this tab.
 * @param {string} login
 * @returns {Promise<string>}
 */
export async function exchange(login) {
  const response = await answer("/v1/login", {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ login }), cache: "no-store",
    signal: AbortSignal.timeout(LIMITS.requestMilliseconds),
  });
  if (!response.ok) throw await refusal(response);
  return (await complete(response)).token;
}
