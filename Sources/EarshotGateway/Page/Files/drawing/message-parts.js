/** The elements for the files of one message. They stay when the message is drawn anew: a picture is not fetched again. */
import { isPicture } from "../deciding/files.js";
import { MessageFile } from "./message-file.js";
import { MessagePicture } from "./message-picture.js";

export class MessageParts {
  /** @type {Map<string, MessageFile|MessagePicture>} */
  #elements = new Map();
  #observer;

  /** @param {IntersectionObserver} observer which says what is near the screen */
  constructor(observer) { this.#observer = observer; }

  /** @param {any} message @param {any} attachment @param {number} place among the files of the message */
  file(message, attachment, place) {
    const element = this.#element(`file ${place}`, () => document.createElement("message-file"));
    element.use(attachment, message.id);
    return element;
  }

  /** Null for what is not shown. @param {any} message @param {any} attachment @param {number} place */
  picture(message, attachment, place) {
    if (!isPicture(attachment.mediaType)) return null;
    const element = this.#element(`picture ${place}`, () => document.createElement("message-picture"));
    element.use(attachment.fileID, message.layout?.accessibilityLabel || attachment.name);
    return element;
  }

  /** @param {any[]} attachments @param {ReadonlyMap<string, any>} files what the node has */
  update(attachments, files) {
    attachments.forEach(({ fileID }, place) => {
      for (const kind of ["file", "picture"]) this.#elements.get(`${kind} ${place}`)?.update(files.get(fileID));
    });
  }

  /** @param {string} key @param {() => any} make */
  #element(key, make) {
    const known = this.#elements.get(key);
    if (known) return /** @type {any} */ (known);
    const element = make();
    this.#elements.set(key, element);
    this.#observer.observe(element);
    return element;
  }
}
