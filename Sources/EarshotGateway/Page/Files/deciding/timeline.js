/** What a dialog shows, line by line: messages, days, and where the unread ones begin. */
import { fileNames } from "./files.js";
import { LIMITS } from "./limits.js";
import { dayHeading, isSameDay } from "./times.js";

/**
 * @typedef {{kind: "message", key: string, message: any, isFirst: boolean, isLast: boolean}
 *   | {kind: "day" | "new" | "start", key: string, text: string}} Line
 */

/**
 * @param {import("./dialog-window.js").DialogWindow} window @param {number} now
 * @returns {Line[]}
 */
export function timeline(window, now) {
  /** @type {Line[]} */
  const lines = [];
  const { messages } = window;
  if (window.isAtStart && messages.length > 0) lines.push({ kind: "start", key: "start", text: "This is where it begins." });
  messages.forEach((message, index) => {
    const before = messages[index - 1], after = messages[index + 1];
    const isNewDay = !before || !isSameDay(before.timestampMilliseconds, message.timestampMilliseconds);
    const isNew = message.id === window.newFrom;
    if (isNewDay) lines.push({ kind: "day", key: `day ${message.id}`, text: dayHeading(message.timestampMilliseconds, now) });
    if (isNew) lines.push({ kind: "new", key: "new", text: "New messages" });
    const endsBefore = !after || after.id === window.newFrom || !isSameDay(after.timestampMilliseconds, message.timestampMilliseconds);
    lines.push({
      kind: "message", key: message.id, message, isFirst: isNewDay || isNew || !belongs(before, message),
      isLast: endsBefore || !belongs(message, after),
    });
  });
  return lines;
}

/** Whether two messages stand together. @param {any} a @param {any} b */
const belongs = (a, b) =>
  a.sender.id === b.sender.id && b.timestampMilliseconds - a.timestampMilliseconds < LIMITS.groupMilliseconds;

/**
 * What a message shows in one line, as in a list or a quote.
 * @param {any} message
 */
export function gist(message) {
  if (message.isRetracted) return "Message taken back";
  if (message.isDeleted) return "Message erased";
  return message.session?.isSuperseded ? message.session.summary : message.text || fileNames(message);
}
