/** Of which messages somebody wants to be told. */
/** @typedef {import("./state.js").State} State */

/** @param {State} state @param {string} key the id of a conversation, or the key of the other user of a direct one */
export function levelOf(state, key) {
  const found = state.conversations.get(key) ?? [...state.conversations.values()].find((each) => each.kind === "direct" && each.peer?.id === key);
  return found?.notificationLevel ?? "all";
}

/** Whether a message that came is to be told of, as far as the page knows. @param {State} state @param {any} message */
export function isToldOf(state, message) {
  const level = levelOf(state, message.conversationID);
  if (level !== "mentions") return level === "all";
  const own = state.node?.id;
  const isAnswer = message.replyTo && state.dialogs.get(message.conversationID)?.messages.find((each) => each.id === message.replyTo)?.sender.id === own;
  return Boolean(isAnswer) || (message.mentions ?? []).some((/** @type {any} */ each) => (each.id ?? each) === own);
}
