/**
 * Asks again for what events have changed: each thing once in a while, however much happens.
 */
import { LIMITS } from "../deciding/limits.js";
/** @typedef {import("../deciding/consequences.js").Request} Request */

export class Refresher {
  /** @type {Map<string, Request>} */
  #wanted = new Map();
  #ask;
  #isWaiting = false;

  /** @param {(request: Request) => Promise<void>} ask */
  constructor(ask) { this.#ask = ask; }

  /** @param {Request[]} requests */
  want(requests) {
    for (const request of requests) this.#wanted.set("id" in request ? `${request.kind} ${request.id}` : request.kind, request);
    if (this.#wanted.size > 0 && !this.#isWaiting) this.#run();
  }

  async #run() {
    this.#isWaiting = true;
    while (this.#wanted.size > 0) {
      const round = this.#round();
      this.#wanted.clear();
      await Promise.all(round.map((request) => this.#ask(request)));
      await new Promise((resolve) => setTimeout(resolve, LIMITS.refreshMilliseconds));
    }
    this.#isWaiting = false;
  }

  /** Where so many messages have changed, everything is asked for. @returns {Request[]} */
  #round() {
    const all = [...this.#wanted.values()];
    if (all.some((each) => each.kind === "everything")) return [{ kind: "everything" }];
    const isMany = all.filter((each) => each.kind === "message").length > LIMITS.refreshMessages;
    return isMany ? [{ kind: "everything" }] : all;
  }
}
