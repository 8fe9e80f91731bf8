/** Sends a file to the node. `fetch` says nothing of how far it is, so this is an XMLHttpRequest. */
import { ApiError, refusalOf } from "./api-error.js";

/**
 * @param {string} url @param {Record<string, string>} headers @param {Blob} body
 * @param {{onProgress: (bytes: number) => void, signal: AbortSignal, check: (info: string|null) => Promise<void>}} options check: whether the answer is the node's
 * @returns {Promise<any>} what the node answers
 */
export function upload(url, headers, body, { onProgress, signal, check }) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", (event) => onProgress(event.loaded));
    // Also where the browser cannot read the file, such as one that was removed.
    request.addEventListener("error", () => reject(new ApiError("noAnswer", "the file cannot be read, or the node does not answer", 0)));
    request.addEventListener("abort", () => reject(new ApiError("aborted", "it was removed", 0)));
    request.addEventListener("load", async () => {
      try {
        await check(request.getResponseHeader("authentication-info"));
      } catch (error) {
        return reject(error);
      }
      if (request.status !== 201) return reject(refusalOf(request.status, request.responseText));
      try {
        resolve(JSON.parse(request.responseText));
      } catch (error) {
        reject(new ApiError("noAnswer", "the node's answer broke off", 0, { detail: String(error) }));
      }
    });
    signal.addEventListener("abort", () => request.abort());
    request.send(body);
  });
}
