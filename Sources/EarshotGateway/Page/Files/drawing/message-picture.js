/**
 * A picture that a message brings along, as the node has checked it. It is fetched when it comes near the screen, and let go
 * when its message leaves the dialog, or when others need its room.
 */
import { LIMITS } from "../deciding/limits.js";
import { line } from "../deciding/safe-text.js";
import { command } from "./command.js";
import { h, replace } from "./dom.js";

export class MessagePicture extends HTMLElement {
  /** Those that hold a picture, in the order in which they were last near the screen. @type {Set<MessagePicture>} */
  static #held = new Set();

  /** @type {string|null} */
  #address = null;
  /** Of what is held. */
  #bytes = 0;
  /** @type {"none"|"fetching"|"decoding"|"shown"|"refused"} */
  #state = "none";
  #isNear = false;
  /** @type {import("../deciding/known-files.js").KnownFile|undefined} */
  #file = undefined;
  #fileID = "";
  #label = "";

  /** @param {string} fileID @param {string} label what is read aloud in its place */
  use(fileID, label) {
    this.#fileID = fileID;
    this.#label = line(label);
    const picture = this.querySelector("img");
    if (picture) picture.alt = this.#label;
  }

  /** @param {import("../deciding/known-files.js").KnownFile|undefined} file */
  update(file) {
    if (file === this.#file) return;
    this.#file = file;
    this.hidden = file?.state !== "held" && this.#state === "none";
    this.#look();
  }

  /** @param {boolean} isNear whether it is near the screen now */
  near(isNear) {
    this.#isNear = isNear;
    if (isNear) this.#look();
    else MessagePicture.#makeRoom();
  }

  disconnectedCallback() {
    // What is only moved is back at once.
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.#isNear = false;
      this.#letGo();
    });
  }

  #look() {
    if (!this.#isNear || this.#file?.state !== "held") return;
    if (this.#state === "none") this.#fetch();
    if (this.#state === "shown") this.#hold();
  }

  #fetch() {
    this.#state = "fetching";
    if (!this.firstElementChild) replace(this, h("p", { class: "picture-note" }, "The picture comes…"));
    command(this, "picture", {
      id: this.#fileID, show: (/** @type {Blob} */ content) => this.#show(content),
      refuse: (/** @type {string} */ reason, /** @type {boolean} */ isLost) => this.#refuse(reason, isLost),
    });
  }

  /** @param {Blob} content */
  async #show(content) {
    // Its message may have left meanwhile, and have come back.
    if (this.#state !== "fetching") return;
    this.#state = "decoding";
    const address = this.#address = URL.createObjectURL(content);
    const picture = h("img", { src: address, alt: this.#label, class: "picture", draggable: "false" });
    const isRead = await picture.decode().then(() => true, () => false);
    if (this.#address !== address) return;
    if (!isRead) {
      this.#letGo();
      return this.#refuse("the browser cannot read it");
    }
    this.#state = "shown";
    this.#bytes = content.size;
    this.#hold();
    this.#change(() => {
      this.style.minHeight = "";
      replace(this, picture);
    });
  }

  /** @param {string} reason @param {boolean} [isLost] whether the node was away: it is asked again when it is back, or when somebody comes back */
  #refuse(reason, isLost = false) {
    this.#state = isLost ? "none" : "refused";
    this.#change(() => {
      this.style.minHeight = "";
      replace(this, h("p", { class: "picture-note", dir: "auto" }, `Not shown as a picture: ${line(reason)}`));
    });
  }

  /** It is the last that gives way. */
  #hold() {
    MessagePicture.#held.delete(this);
    MessagePicture.#held.add(this);
    MessagePicture.#makeRoom();
  }

  /** Where they are too many, or too large together, the first gives way that is not near the screen. */
  static #makeRoom() {
    const held = MessagePicture.#held;
    for (const each of held) {
      const bytes = [...held].reduce((sum, one) => sum + one.#bytes, 0);
      if (held.size <= LIMITS.pictures && bytes <= LIMITS.pictureBytes) break;
      if (!each.#isNear) each.#giveWay();
    }
  }

  /** Its place stays as it is: what somebody reads does not move. */
  #giveWay() {
    this.style.minHeight = `${this.offsetHeight}px`;
    this.replaceChildren();
    this.#letGo();
  }

  #letGo() {
    if (this.#address) URL.revokeObjectURL(this.#address);
    this.#address = null;
    this.#state = "none";
    MessagePicture.#held.delete(this);
  }

  /** Its size changes, and what somebody reads stays where it is. @param {() => void} change */
  #change(change) { this.dispatchEvent(new CustomEvent("resizing", { bubbles: true, detail: change })); }
}

customElements.define("message-picture", MessagePicture);
