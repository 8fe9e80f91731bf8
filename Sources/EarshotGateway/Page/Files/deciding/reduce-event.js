/** What an event of the node changes at once. What must be asked for is in consequences.js. */
import { withChange } from "./delivery.js";
import { changed, withMessage, withState } from "./dialog-window.js";
import { withFileEvent } from "./known-files.js";
import { LIMITS } from "./limits.js";
/** @typedef {import("./state.js").State} State */

/** @param {State} state @param {any} event @param {number} now @returns {State} */
export function reduceEvent(state, event, now) {
  const eventCount = state.eventCount + 1;
  const known = event.message ? { ...event, message: withArrivalTime(state, event.message, now) } : event;
  const isKept = event.message !== undefined || event.stateChange !== undefined;
  const recent = isKept ? [...state.recent, { number: eventCount, event: known }].slice(-LIMITS.recentEvents) : state.recent;
  return { ...withSign(happened(state, known, now), state, event, now), eventCount, recent };
}

/** Who an event shows to be there. @param {State} state before it @param {any} event */
function whoIsThere(state, { message, stateChange, user, name }) {
  if (message) return message.sender.id;
  if (stateChange) return ["delivered", "handled", "read"].includes(stateChange.recipient.state) ? stateChange.recipient.id : undefined;
  if (!user || name === "typingStarted" || name === "typingEnded") return user?.id;
  return user.isOnline && !state.users.get(user.id)?.isOnline ? user.id : undefined;
}

/** @param {State} next @param {State} state @param {any} event @param {number} now @returns {State} */
function withSign(next, state, event, now) {
  const id = whoIsThere(state, event);
  return id === undefined || id === state.node?.id ? next : { ...next, heard: new Map(next.heard).set(id, now) };
}

/** The event does not say when it came: now, or while the page was away. @param {State} state @param {any} message @param {number} now */
const withArrivalTime = (state, message, now) =>
  message.sender.id === state.node?.id ? message : { receivedAtMilliseconds: now, ...message };

/**
 * A window on what was asked for when there had been so many events: the answer may be older than those that came since.
 * @param {State} state @param {import("./dialog-window.js").DialogWindow} window @param {string} key @param {number} since
 */
export function caughtUp(state, window, key, since) {
  let result = window;
  for (const { number, event } of state.recent) {
    if (number <= since) continue;
    const { message, stateChange } = event;
    const isMissing = message?.conversationID === key && result.isAtEnd && !result.messages.some((each) => each.id === message.id);
    if (isMissing) result = withMessage(result, message);
    if (stateChange?.conversationID === key) result = withState(result, stateChange.messageID, stateChange.recipient);
  }
  return result;
}

/** @param {State} state @param {any} event @param {number} now @returns {State} */
function happened(state, event, now) {
  switch (event.name) {
    case "messageQueued":
    case "messageReceived": return withArrival(state, event.message);
    case "messageSent":
    case "messageDelivered":
    case "messageHandled":
    case "messageRead":
    case "messageFailed": return withStateChange(state, event.stateChange);
    case "typingStarted": return withTyping(state, event, now + LIMITS.typingShown);
    case "typingEnded": return withTyping(state, event, 0);
    case "userDiscovered":
    case "userUpdated": return withUser(state, event.user);
    case "userSubscribed": return withPresence(state, event.user, true);
    case "userUnsubscribed": return withPresence(state, event.user, false);
    case "fileUpdated": return withFileEvent(state, event.file, now);
    case "storageFailed": return { ...state, storageProblem: event.reason ?? "" };
    case "storageRecovered": return { ...state, storageProblem: null };
    default: return state;
  }
}

/** @param {State} state @param {any} message @returns {State} */
function withArrival(state, message) {
  const isOwn = message.sender.id === state.node?.id;
  let next = changed(state, message.conversationID, (window) => withMessage(window, message));
  const conversation = next.conversations.get(message.conversationID);
  if (conversation) {
    const isLast = (conversation.lastMessage?.timestampMilliseconds ?? 0) <= message.timestampMilliseconds;
    const conversations = new Map(next.conversations);
    conversations.set(conversation.id, { ...conversation, lastMessage: isLast ? message : conversation.lastMessage });
    next = { ...next, conversations };
  }
  return isOwn ? next : withTyping(next, { conversationID: message.conversationID, user: message.sender }, 0);
}

/** @param {State} state @param {any} change @returns {State} */
function withStateChange(state, change) {
  const next = changed(state, change.conversationID, (window) => withState(window, change.messageID, change.recipient));
  const conversation = next.conversations.get(change.conversationID);
  if (conversation?.lastMessage?.id !== change.messageID) return next;
  const { lastMessage } = conversation;
  const recipients = withChange(lastMessage.recipients, change.recipient);
  if (recipients === lastMessage.recipients) return next;
  const conversations = new Map(next.conversations);
  conversations.set(conversation.id, { ...conversation, lastMessage: { ...lastMessage, recipients } });
  return { ...next, conversations };
}

/** @param {State} state @param {{conversationID: string, user?: {id: string}}} event @param {number} until @returns {State} */
function withTyping(state, { conversationID, user }, until) {
  if (!user || (until === 0 && !state.typing.get(conversationID)?.has(user.id))) return state;
  const users = new Map(state.typing.get(conversationID));
  if (until > 0) users.set(user.id, until);
  else users.delete(user.id);
  return { ...state, typing: new Map(state.typing).set(conversationID, users) };
}

/** @param {State} state @param {any} user @returns {State} */
function withUser(state, user) {
  return user ? { ...state, users: new Map(state.users).set(user.id, user) } : state;
}

/** @param {State} state @param {any} user @param {boolean} isOnline @returns {State} */
const withPresence = (state, user, isOnline) => (user ? withUser(state, { ...user, isOnline }) : state);
