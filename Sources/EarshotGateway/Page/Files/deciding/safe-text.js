/**
 * Makes text of others safe to show: nothing in it reverses a line or hides. The same rule as the command line's.
 *
 * Dangerous are control characters, line separators, and everything that changes the direction of text (Unicode UAX 9);
 * tag characters, too: they are invisible, and may hide something in copied text.
 */
const DANGEROUS = /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/u;
const EACH = new RegExp(DANGEROUS.source, "gu");

/** @typedef {{text: string, isEscaped: boolean}} Segment */

/** @param {string} character */
const escaped = (character) => "\\u{" + character.codePointAt(0).toString(16).padStart(2, "0") + "}";

/**
 * The segments of a text, in its order. Line breaks stay, and a tab becomes four spaces.
 * @param {string} text
 * @returns {Segment[]}
 */
export function segments(text) {
  const whole = text.replaceAll("\t", "    ");
  /** @type {Segment[]} */
  const result = [];
  let begin = 0;
  for (const match of whole.matchAll(EACH)) {
    if (match[0] === "\n") continue;
    if (match.index > begin) result.push({ text: whole.slice(begin, match.index), isEscaped: false });
    result.push({ text: escaped(match[0]), isEscaped: true });
    begin = match.index + match[0].length;
  }
  if (begin < whole.length || result.length === 0) result.push({ text: whole.slice(begin), isEscaped: false });
  return result;
}

/**
 * One line: line breaks become spaces, as in a list or a label.
 * @param {string} text
 */
export function line(text) {
  return segments(text.replaceAll("\n", " ")).map((segment) => segment.text).join("");
}

/**
 * The beginning of a text as one line, never cut within a character.
 * @param {string} text @param {number} length
 */
export function excerpt(text, length) {
  const characters = Array.from(text.slice(0, length * 4));
  const isCut = characters.length > length || text.length > length * 4;
  return line(characters.slice(0, length).join("")) + (isCut ? "…" : "");
}

/** How many bytes a text has in UTF-8. @param {string} text */
export const bytes = (text) => new TextEncoder().encode(text).length;
