/** What the page shows, taken from what it knows. */
import { LIMITS } from "./limits.js";
import { conversationTitle, partyName } from "./naming.js";
import { userOfKey, USER_PREFIX } from "./state.js";
/** @typedef {import("./state.js").State} State */

/** When something last came in a conversation, for the order of the list. @param {any} conversation */
const activity = (conversation) =>
  conversation.lastMessage?.receivedAtMilliseconds ?? conversation.lastMessage?.timestampMilliseconds ?? conversation.begunAt ?? 0;

/** Invitations first, then the one with the latest message. @param {State} state */
export const conversationRows = (state) =>
  [...state.conversations.values()]
    .filter((each) => each.lastMessage || each.status === "joined" || each.status === "invited")
    .sort((a, b) => Number(b.status === "invited") - Number(a.status === "invited") || activity(b) - activity(a));

/** Whoever is here first, then by name. @param {State} state @param {string} [filter] */
export function peopleRows(state, filter = "") {
  const wanted = filter.trim().toLocaleLowerCase();
  return [...state.users.values()]
    .filter((user) => user.name.toLocaleLowerCase().includes(wanted))
    .sort((a, b) => Number(b.isOnline) - Number(a.isOnline) || a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1));
}

/** @param {State} state */
export const unreadTotal = (state) =>
  [...state.conversations.values()].reduce((sum, each) => sum + (each.status === "left" ? 0 : each.unreadCount), 0);

/** @param {State} state */
export const openConversation = (state) => (state.open ? state.conversations.get(state.open) ?? null : null);

/** The other user of what is open, if it is direct. @param {State} state */
export function openPeer(state) {
  const id = userOfKey(state.open) ?? openConversation(state)?.peer?.id;
  return id ? state.users.get(id) ?? { id, name: openConversation(state)?.peer?.name } : null;
}

/** @param {State} state */
export const openWindow = (state) => (state.open ? state.dialogs.get(state.open) ?? null : null);

/**
 * Whether the other user of what is open counts as online, and lets a message wait. Whoever loses their cable is online until
 * the link is given up.
 * @param {State} state @param {number} now
 */
export function isSilent(state, now) {
  const peer = openPeer(state);
  if (!peer?.isOnline) return false;
  const heard = state.heard.get(peer.id) ?? 0;
  return (openWindow(state)?.messages ?? []).some((message) => message.sender.id === state.node?.id &&
    message.recipients.some((/** @type {any} */ each) => each.state === "queued" || each.state === "sent") &&
    now - Math.max(message.timestampMilliseconds, heard) >= LIMITS.answerMilliseconds);
}

/** The key by which a user's dialog is opened. @param {State} state @param {string} userID */
export const keyOfUser = (state, userID) =>
  [...state.conversations.values()].find((each) => each.kind === "direct" && each.peer?.id === userID)?.id ?? USER_PREFIX + userID;

/** @param {State} state */
export function openTitle(state) {
  const conversation = openConversation(state), peer = openPeer(state);
  if (conversation) return conversationTitle(state, conversation);
  return peer ? partyName(state, peer) : "";
}

/** What programs have prepared for what is open. @param {State} state */
export const openPrepared = (state) => (state.open && state.prepared.key === state.open ? state.prepared.drafts : []);

/** Why nothing can be written there, or nothing. @param {State} state */
export function writingProblem(state) {
  const conversation = openConversation(state), peer = openPeer(state);
  if (conversation && conversation.status !== "joined") {
    return {
      invited: "Accept the invitation to write here.", left: "You have left this conversation. What is here stays.",
      removed: "You were removed from this conversation. What is here stays.", closed: "This conversation is closed.",
    }[conversation.status] ?? "";
  }
  if (peer?.trust === "blocked") return "You have blocked this person. Unblock them to write.";
  if (peer?.trust === "conflict") return "This key is not the one that the name belongs to. Decide first whose the name is.";
  return "";
}

/** Who types in what is open, in words. @param {State} state @param {number} now */
export function typingWords(state, now) {
  const typing = state.open ? state.typing.get(state.open) : undefined;
  const names = [...(typing ?? [])].filter(([, until]) => until > now).map(([id]) => partyName(state, { id }));
  if (names.length === 0) return "";
  if (names.length > 2) return `${names.length} people are typing…`;
  return `${names.join(" and ")} ${names.length === 1 ? "is" : "are"} typing…`;
}
