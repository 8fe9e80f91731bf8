/**
 * What may be marked as read: only what was on the screen.
 *
 * The node marks a message and all that had arrived before it. So a message may be named only when every unread one that
 * arrived before it was on the screen, too. A late message counts by its arrival, wherever its time puts it.
 *
 * @typedef {object} Reading
 * @property {Map<string, number>} unread the unread messages, each with its place in the order of arrival
 * @property {Set<string>} seen those of them that were on the screen
 * @property {boolean} isWhole whether these are all unread messages; until then nothing is marked
 */

/** @type {Reading} */
export const NOTHING_READ = Object.freeze({ unread: new Map(), seen: new Set(), isWhole: true });

/**
 * A message that has just come has no place in the order yet; it comes after all that have one.
 * @param {any} message
 */
const place = (message) => message.index ?? Number.MAX_SAFE_INTEGER;

/**
 * @param {Reading} reading @param {any[]} messages @param {boolean} isWhole
 * @returns {Reading}
 */
export function withUnread(reading, messages, isWhole) {
  const unread = new Map(reading.unread);
  for (const message of messages) unread.set(message.id, place(message));
  return { ...reading, unread, isWhole };
}

/**
 * Notes what is on the screen of somebody who looks at it.
 * @param {Reading} reading @param {Iterable<string>} onScreen
 * @returns {Reading}
 */
export function withSeen(reading, onScreen) {
  const seen = new Set(reading.seen);
  for (const id of onScreen) if (reading.unread.has(id)) seen.add(id);
  return seen.size === reading.seen.size ? reading : { ...reading, seen };
}

/**
 * The message up to which everything was seen, or nothing.
 * @param {Reading} reading
 * @returns {string|null}
 */
export function upTo(reading) {
  if (!reading.isWhole) return null;
  let last = null;
  for (const [id] of [...reading.unread].sort((a, b) => a[1] - b[1])) {
    if (!reading.seen.has(id)) break;
    last = id;
  }
  return last;
}

/**
 * After the node has marked a message, and all that had arrived before it.
 * @param {Reading} reading @param {string} messageID
 * @returns {Reading}
 */
export function afterMarking(reading, messageID) {
  const end = reading.unread.get(messageID);
  if (end === undefined) return reading;
  const unread = new Map([...reading.unread].filter(([id, index]) => index > end || (index === end && !reading.seen.has(id))));
  return { ...reading, unread, seen: new Set([...reading.seen].filter((id) => unread.has(id))) };
}
