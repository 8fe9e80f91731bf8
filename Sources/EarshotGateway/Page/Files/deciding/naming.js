/** What people and conversations are called. Names are what others say; all of them are drawn as isolated text. */
import { line } from "./safe-text.js";
/** @typedef {import("./state.js").State} State */

/** The beginning of a key as people compare it. @param {string} id */
export const shortKey = (id) => `${id.slice(0, 4)} ${id.slice(4, 8)}`;

/** @param {State} state @param {{id: string, name?: string}} party */
export function partyName(state, party) {
  if (state.node && party.id === state.node.id) return "You";
  const name = state.users.get(party.id)?.name ?? party.name;
  return name ? line(name) : `unknown (${shortKey(party.id)})`;
}

/** @param {State} state @param {any} conversation */
export function conversationTitle(state, conversation) {
  if (conversation.kind === "direct") return conversation.peer ? partyName(state, conversation.peer) : "Notes to yourself";
  return line(conversation.friendlyName || `#${conversation.uniqueName}`);
}

const TRUST = {
  new: { word: "New", hint: "No message was exchanged yet" },
  unverified: { word: "Not verified", hint: "The name belongs to this key here. Compare safety numbers to be sure" },
  verified: { word: "Verified", hint: "You have compared safety numbers" },
  blocked: { word: "Blocked", hint: "Nothing is sent to them or taken from them" },
  conflict: { word: "Another key", hint: "The name belongs to another key here" },
};

/** @param {string} trust @returns {{word: string, hint: string}} */
export const trustWords = (trust) => TRUST[trust] ?? { word: trust, hint: "" };

/** Who has inserted a draft: a program by the name of its token, or this user. @param {any} draft */
export const draftAuthor = (draft) => draft.insertedBy ?? "you";
