/** Who is named with an @ in a text. */

/** A character after which a name has ended. */
const ENDS = /[\s.,;:!?()[\]{}"'…/]/u;

/**
 * The participants whom a text names, as `@name`, at the beginning of a word.
 * @param {string} text @param {{id: string, name?: string}[]} participants
 * @returns {string[]} their keys
 */
export function mentioned(text, participants) {
  const found = new Set();
  for (const { id, name } of participants) {
    if (!name) continue;
    const wanted = `@${name}`;
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
      const before = text[at - 1], after = text[at + wanted.length];
      if ((before === undefined || ENDS.test(before)) && (after === undefined || ENDS.test(after))) found.add(id);
    }
  }
  return [...found];
}

/**
 * The name that is being typed at the cursor, after an @.
 * @param {string} text @param {number} cursor
 * @returns {{begin: number, prefix: string}|null}
 */
export function beginning(text, cursor) {
  const begin = text.lastIndexOf("@", cursor - 1);
  if (begin < 0 || (begin > 0 && !ENDS.test(text[begin - 1]))) return null;
  const prefix = text.slice(begin + 1, cursor);
  return /\s/.test(prefix) ? null : { begin, prefix };
}
