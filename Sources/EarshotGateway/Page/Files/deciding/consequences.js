/** What the page must ask the node for after an event. */
import { userOfKey } from "./state.js";
/** @typedef {import("./state.js").State} State */

/**
 * @typedef {{kind: "conversation", id: string} | {kind: "message", id: string, conversationID: string} | {kind: "users"}
 *   | {kind: "advertised"} | {kind: "everything"} | {kind: "node"} | {kind: "health"} | {kind: "prepared"}} Request
 */

/** @param {State} state after the event @param {any} event @returns {Request[]} */
export function consequences(state, event) {
  switch (event.name) {
    case "messageQueued":
    case "messageReceived": return [{ kind: "conversation", id: event.message.conversationID }, ...steps(state, event.message)];
    case "messageFailed": {
      const { messageID, conversationID } = event.stateChange;
      const failed = state.dialogs.get(conversationID)?.messages.find((message) => message.id === messageID);
      return failed ? steps(state, failed) : [];
    }
    case "messageRead": {
      // Of another one's message: this user has read it, in another program.
      const isOwn = event.stateChange.recipient.id === state.node?.id;
      return isOwn ? [{ kind: "conversation", id: event.stateChange.conversationID }] : [];
    }
    case "messageUpdated": return updated(state, event.update);
    case "conversationUpdated": return [{ kind: "conversation", id: event.conversation.conversationID }, { kind: "advertised" }];
    case "participantUpdated": return [{ kind: "conversation", id: event.participant.conversationID }];
    case "conversationAdvertised": return [{ kind: "advertised" }];
    case "draftInserted":
    case "draftUpdated":
    case "draftSent":
    case "draftDiscarded": return isOpen(state, event.draft.conversationID) ? [{ kind: "prepared" }] : [];
    case "identityConflict": return [{ kind: "users" }];
    case "historyRecovered":
    case "eventsGone":
    case "eventsLost": return [{ kind: "everything" }];
    case "storageFailed":
    case "storageRecovered": return [{ kind: "health" }];
    default: return [];
  }
}

/**
 * The messages of a session of which another one stands than before, now that a message of it has come or has failed.
 * @param {State} state @param {any} message @returns {Request[]}
 */
function steps(state, { conversationID, session }) {
  if (!session) return [];
  const messages = state.dialogs.get(conversationID)?.messages ?? [];
  const near = messages.filter((each) => each.session?.id === session.id && (!each.session.isSuperseded || each.session.counter >= session.counter - 1));
  return near.map(({ id }) => ({ kind: "message", id, conversationID }));
}

/** What was opened by a user may be any conversation. @param {State} state @param {string} conversationID */
const isOpen = (state, conversationID) => state.open === conversationID || userOfKey(state.open) !== null;

/** @param {State} state @param {any} update @returns {Request[]} */
function updated(state, { messageID, conversationID }) {
  /** @type {Request[]} */
  const requests = [];
  if (state.dialogs.get(conversationID)?.messages.some((message) => message.id === messageID)) {
    requests.push({ kind: "message", id: messageID, conversationID });
  }
  const conversation = state.conversations.get(conversationID);
  if (!conversation || conversation.lastMessage?.id === messageID || conversation.unreadCount > 0) {
    requests.push({ kind: "conversation", id: conversationID });
  }
  return requests;
}
