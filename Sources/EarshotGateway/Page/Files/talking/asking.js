/** Requests, and what becomes of those that nobody answers. */
import { ApiError } from "./api-error.js";

/** @param {string} url @param {RequestInit} options */
export async function answer(url, options) {
  try {
    return await fetch(url, options);
  } catch (error) {
    throw new ApiError("noAnswer", "the node does not answer", 0, { detail: String(error) });
  }
}

/** @param {Response} response */
export async function complete(response) {
  try {
    return await response.json();
  } catch (error) {
    throw new ApiError("noAnswer", "the node's answer broke off", 0, { detail: String(error) });
  }
}
