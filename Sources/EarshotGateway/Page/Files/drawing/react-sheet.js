/** Choosing an emoji. */
import { LIMITS } from "../deciding/limits.js";
import { bytes } from "../deciding/safe-text.js";
import { h } from "./dom.js";
import { attempt, showSheet } from "./sheet.js";

const OFFERED = [["👍", "thumbs up"], ["❤️", "heart"], ["😂", "laughing"], ["😮", "surprised"], ["😢", "sad"], ["🎉", "party"], ["👀", "eyes"], ["✅", "done"], ["🙏", "thank you"], ["🔥", "fire"], ["🤔", "thinking"], ["👎", "thumbs down"]];

/** @param {any} message @param {any} app */
export function showReact(message, app) {
  const problem = h("p", { class: "problem", role: "alert" }), other = h("input", { type: "text", id: "other-emoji", autocomplete: "off", maxlength: 16 });
  /** @param {string} emoji */
  const react = async (emoji) => {
    if (emoji && bytes(emoji) <= LIMITS.emojiBytes && await attempt(problem, () => app.writing.react(message, emoji, false))) sheet.close();
  };
  const sheet = showSheet({
    name: "react", title: "React", body: [
      h("div", { class: "emojis" }, OFFERED.map(([emoji, name]) => h("button", { type: "button", "aria-label": name, title: name, onclick: () => react(emoji) }, emoji))),
      h("form", { class: "inline", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); react(other.value.trim()); } },
        h("label", { for: "other-emoji" }, "Another"), other, h("button", { type: "submit" }, "React")),
      problem,
    ],
  });
}
