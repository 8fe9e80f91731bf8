/** Holds what the page knows, and tells once a frame that it has changed. */
import { reduce } from "../deciding/reduce.js";
import { INITIAL } from "../deciding/state.js";

export class Store {
  #state = INITIAL;
  #draw;
  #isWaiting = false;

  /** @param {(state: import("../deciding/state.js").State) => void} draw */
  constructor(draw) { this.#draw = draw; }

  get state() { return this.#state; }

  /** @param {any} action */
  apply(action) {
    const next = reduce(this.#state, action);
    if (next === this.#state) return;
    this.#state = next;
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    // A hidden page gets no frames, and still has to say in its title what came.
    if (document.hidden) setTimeout(() => this.flush());
    else requestAnimationFrame(() => this.flush());
  }

  /** Draws at once what is waiting. */
  flush() {
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    this.#draw(this.#state);
  }
}
