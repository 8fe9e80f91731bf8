/**
 * The messages of one dialog that the page has: an unbroken piece of its history, in the order of time.
 *
 * @typedef {object} DialogWindow
 * @property {any[]} messages
 * @property {boolean} isAtStart whether nothing comes before them
 * @property {boolean} isAtEnd whether nothing comes after them
 * @property {number} below messages that came after the piece, while it did not reach the end
 * @property {string|null} newFrom the first message that was unread when the dialog was opened
 * @property {object} origin another one each time that the dialog is shown from another place
 */
import { LIMITS } from "./limits.js";
import { withChange } from "./delivery.js";

/** The log of a message and its number there. @param {string} id */
const logAndNumber = (id) => /** @type {[string, number]} */ ([id.slice(0, 52), Number(id.slice(53))]);

/** The order of time; of two messages of one time and log, the order of the log. @param {any} a @param {any} b */
function isBefore(a, b) {
  if (a.timestampMilliseconds !== b.timestampMilliseconds) return a.timestampMilliseconds < b.timestampMilliseconds;
  const [logA, numberA] = logAndNumber(a.id), [logB, numberB] = logAndNumber(b.id);
  return logA === logB ? numberA < numberB : logA < logB;
}

/**
 * A window on what one request answered.
 * @param {any[]} messages @param {{isAtStart: boolean, isAtEnd: boolean, newFrom?: string|null, origin?: object}} place
 * @returns {DialogWindow}
 */
export const windowOn = (messages, { isAtStart, isAtEnd, newFrom = null, origin = {} }) => ({
  messages, isAtStart, isAtEnd, below: 0, newFrom, origin,
});

/** Without those that the window has. @param {DialogWindow} window @param {any[]} messages */
function unknown(window, messages) {
  const known = new Set(window.messages.map((message) => message.id));
  return messages.filter((message) => !known.has(message.id));
}

/**
 * With an earlier page. What is then too much is let go at the end.
 * @param {DialogWindow} window @param {any[]} page @param {number} asked
 * @returns {DialogWindow}
 */
export function withEarlier(window, page, asked) {
  const messages = [...unknown(window, page), ...window.messages];
  const isCut = messages.length > LIMITS.windowMessages;
  return {
    ...window, messages: isCut ? messages.slice(0, LIMITS.windowMessages) : messages,
    isAtStart: page.length < asked, isAtEnd: window.isAtEnd && !isCut,
  };
}

/**
 * With a later page. What is then too much is let go at the beginning.
 * @param {DialogWindow} window @param {any[]} page @param {number} asked
 * @returns {DialogWindow}
 */
export function withLater(window, page, asked) {
  const messages = [...window.messages, ...unknown(window, page)];
  const isCut = messages.length > LIMITS.windowMessages;
  const isAtEnd = page.length < asked;
  return {
    ...window, messages: isCut ? messages.slice(-LIMITS.windowMessages) : messages,
    isAtStart: window.isAtStart && !isCut, isAtEnd, below: isAtEnd ? 0 : window.below,
  };
}

/**
 * With a message that has come or was sent: at its place in time, if the window reaches there.
 * @param {DialogWindow} window @param {any} message
 * @returns {DialogWindow}
 */
export function withMessage(window, message) {
  const { messages } = window;
  const known = messages.findIndex((each) => each.id === message.id);
  // Whether a later step of its session stands is asked for: no event says it.
  if (known >= 0) return replaced(window, known, merged(messages[known], { ...message, session: messages[known].session }));
  let place = messages.length;
  while (place > 0 && isBefore(message, messages[place - 1])) place -= 1;
  if (place === 0 && !window.isAtStart) return window;
  if (place === messages.length && !window.isAtEnd) return { ...window, below: window.below + 1 };
  const result = [...messages.slice(0, place), message, ...messages.slice(place)];
  const isCut = result.length > LIMITS.windowMessages;
  return {
    ...window, messages: isCut ? result.slice(-LIMITS.windowMessages) : result, isAtStart: window.isAtStart && !isCut,
  };
}

/**
 * The same message as it is now. An event may be older than what was fetched: states never go back, and a field that
 * the event lacks stays.
 * @param {any} known @param {any} newer
 */
function merged(known, newer) {
  let { recipients } = newer;
  for (const each of known.recipients) recipients = withChange(recipients, each);
  return { ...known, ...newer, recipients };
}

/** @param {DialogWindow} window @param {number} index @param {any} message @returns {DialogWindow} */
function replaced(window, index, message) {
  const messages = [...window.messages];
  messages[index] = message;
  return { ...window, messages };
}

/**
 * With a message as it is after a change, if the window has it.
 * @param {DialogWindow} window @param {any} message
 */
export function withChangedMessage(window, message) {
  const index = window.messages.findIndex((each) => each.id === message.id);
  return index < 0 ? window : replaced(window, index, merged(window.messages[index], message));
}

/**
 * With another state of a message for one recipient.
 * @param {DialogWindow} window @param {string} messageID @param {any} recipient
 */
export function withState(window, messageID, recipient) {
  const index = window.messages.findIndex((each) => each.id === messageID);
  if (index < 0) return window;
  const message = window.messages[index];
  const recipients = withChange(message.recipients, recipient);
  return recipients === message.recipients ? window : replaced(window, index, { ...message, recipients });
}

/**
 * The state with another window of a dialog, if it has one.
 * @param {import("./state.js").State} state @param {string} key @param {(window: DialogWindow) => DialogWindow} change
 */
export function changed(state, key, change) {
  const window = state.dialogs.get(key);
  if (!window) return state;
  const next = change(window);
  return next === window ? state : { ...state, dialogs: new Map(state.dialogs).set(key, next) };
}
