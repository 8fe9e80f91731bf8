/** What went wrong where the node was asked. */

/** What the node answered instead of what was asked for; or that it did not answer. */
export class ApiError extends Error {
  /** @param {string} code @param {string} message @param {number} status 0 if there was no answer @param {any} [parameters] */
  constructor(code, message, status, parameters = {}) {
    super(message);
    this.name = "ApiError";
    this.code = code;
    this.status = status;
    this.parameters = parameters;
  }

  get isLost() { return this.status === 0; }
  /** Whether somebody answers who cannot prove to be the node. */
  get isForeign() { return this.code === "unproved"; }
  /** Whether this node is older than what was asked for. */
  get isUnknownRoute() { return this.status === 404 && (this.code === "unknownPath" || this.code === "notFound" || this.code === "noSuchPath"); }
}

/** @param {number} status @param {string} text of the answer @returns {ApiError} */
export function refusalOf(status, text) {
  try {
    const { code, message, parameters } = JSON.parse(text).error;
    return new ApiError(code, message, status, parameters);
  } catch {
    return new ApiError("unexpectedAnswer", `the node answered ${status}`, status);
  }
}
