/** What a message shows beside its text, and what is read aloud for it. */
import { filesOf, isPicture } from "./files.js";
import { line } from "./safe-text.js";
import { gist } from "./timeline.js";

/**
 * @typedef {object} Card
 * @property {any} picture the first of the message's files that is one, or null
 * @property {string[]} image the lines at its picture: its title and its subtitle
 * @property {string} caption
 * @property {string} subcaption
 * @property {{href: string, host: string}|null} link
 */

/**
 * What a message shows beside its text; null for one that shows nothing else, or not even that.
 * @param {any} message @returns {Card|null}
 */
export function cardOf(message) {
  const { layout } = message;
  if (!layout || message.isRetracted || message.isDeleted || message.session?.isSuperseded) return null;
  const card = {
    picture: filesOf(message).find((each) => isPicture(each.mediaType)) ?? null,
    image: [layout.imageTitle, layout.imageSubtitle].filter(Boolean), caption: layout.caption ?? "",
    subcaption: layout.subcaption ?? "", link: linkTo(layout.url),
  };
  return card.picture || card.image.length > 0 || card.caption || card.subcaption || card.link ? card : null;
}

/**
 * An address that may be opened, with the host that the browser would go to. The node has checked it; whoever fools the node
 * does not fool the page.
 * @param {string|undefined} text
 */
function linkTo(text) {
  if (!text || !URL.canParse(text)) return null;
  const url = new URL(text);
  const isWeb = (url.protocol === "https:" || url.protocol === "http:") && url.host !== "" && url.username === "" && url.password === "";
  return isWeb ? { href: url.href, host: url.host } : null;
}

/** What is read aloud of what a message says. @param {any} message */
export function spoken(message) {
  if (message.isRetracted || message.isDeleted || message.session?.isSuperseded) return line(gist(message));
  if (message.layout?.accessibilityLabel) return line(message.layout.accessibilityLabel);
  const card = cardOf(message), files = filesOf(message).map((each) => each.name);
  const parts = [message.text, ...(card ? [...card.image, card.caption, card.subcaption, card.link?.host ?? ""] : []), ...files];
  return parts.filter((each) => each !== "").map(line).join(", ");
}
