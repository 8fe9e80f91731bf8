/** What the page knows after something has happened. */
import { reduceFiles } from "./known-files.js";
import { LIMITS } from "./limits.js";
import { reduceOutgoing, withKey } from "./outgoing.js";
import { reduceDialogs } from "./reduce-dialogs.js";
import { reduceEvent } from "./reduce-event.js";
import { isSilent } from "./views.js";
/** @typedef {import("./state.js").State} State */

/** Each leaves alone what it does not know. */
const parts = [reduceDialogs, reduceFiles, reduceOutgoing];

/** @param {any[]} items */
const byID = (items) => new Map(items.map((item) => [item.id, item]));

/** @param {State} state @param {any} action @returns {State} */
export function reduce(state, action) {
  switch (action.type) {
    case "needsLogin": return { ...state, phase: "needsLogin", loginProblem: action.problem };
    case "ready": return { ...state, phase: "ready" };
    case "link": return { ...state, link: action.link, isForeign: action.isForeign ?? false };
    case "node": return { ...state, node: action.node };
    case "users": return { ...state, users: byID(action.users) };
    case "user": return { ...state, users: new Map(state.users).set(action.user.id, action.user) };
    case "conversations": return withConversations(state, action);
    case "conversation": return withConversation(state, action);
    case "advertised": return { ...state, advertised: action.advertised };
    case "prepared": return withPrepared(state, action);
    case "preparedGone": return { ...state, prepared: { ...state.prepared, drafts: state.prepared.drafts.filter((each) => each.id !== action.id) } };
    case "findings": return { ...state, findings: action.findings };
    case "dismissed": return { ...state, dismissed: new Set(state.dismissed).add(action.key) };
    case "event": return reduceEvent(state, action.event, action.now);
    // Nothing has happened, and so somebody may have become silent: that is drawn.
    case "listened": return isSilent(state, action.now) ? { ...state } : state;
    case "typingEnded": return { ...state, typing: withoutOld(state.typing, action.now) };
    default: return parts.reduce((next, part) => part(next, action), state);
  }
}

/** @param {State} state @param {{conversations: any[], isFirstPage: boolean}} action @returns {State} */
function withConversations(state, { conversations, isFirstPage }) {
  const kept = new Map(state.conversations);
  for (const each of conversations) kept.set(each.id, { ...kept.get(each.id), ...each });
  // The first page alone says nothing of whether there is more behind the pages that were fetched before.
  const isKnownBeyond = isFirstPage && kept.size > conversations.length;
  const hasMoreConversations = isKnownBeyond ? state.hasMoreConversations : conversations.length === LIMITS.conversations;
  return { ...state, conversations: kept, hasMoreConversations };
}

/** Where nothing was prepared, and is not, nothing is drawn again. @param {State} state @param {{key: string, drafts: any[]}} action @returns {State} */
function withPrepared(state, { key, drafts }) {
  const isNothing = drafts.length === 0 && state.prepared.drafts.length === 0;
  return isNothing ? state : { ...state, prepared: { key, drafts } };
}

/** @param {State} state @param {{conversation: any, now: number}} action @returns {State} */
function withConversation(state, { conversation, now }) {
  const conversations = new Map(state.conversations);
  const begunAt = conversations.get(conversation.id)?.begunAt ?? now;
  conversations.set(conversation.id, { begunAt, ...conversation });
  // What was opened by a user is opened by its conversation as soon as there is one.
  const isOpened = conversation.kind === "direct" && state.open === `user:${conversation.peer?.id}`;
  if (!isOpened) return { ...state, conversations };
  const outgoing = withKey(state.outgoing, state.open ?? "", conversation.id);
  return { ...state, conversations, outgoing, prepared: { ...state.prepared, key: conversation.id }, open: conversation.id };
}

/** @param {State["typing"]} typing @param {number} now */
function withoutOld(typing, now) {
  const result = new Map();
  for (const [conversation, users] of typing) {
    const left = new Map([...users].filter(([, until]) => until > now));
    if (left.size > 0) result.set(conversation, left);
  }
  return result;
}
