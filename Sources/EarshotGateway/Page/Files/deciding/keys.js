/** The keys of the page: one table, which the help shows and the page obeys. */

/**
 * @typedef {object} KeyRule
 * @property {string} key as in KeyboardEvent.key
 * @property {string} command
 * @property {string} help
 * @property {"page"|"message"|"composer"} where
 * @property {boolean} [alt] @property {boolean} [control] also the command key of a Mac @property {boolean} [shift]
 * @property {string} [shown] how the help writes it
 */

/** @type {readonly KeyRule[]} */
export const KEYS = Object.freeze([
  { where: "page", key: "k", control: true, command: "search", help: "Search messages, people and conversations", shown: "Ctrl K" },
  { where: "page", key: "ArrowDown", alt: true, command: "nextConversation", help: "Next conversation", shown: "Alt ↓" },
  { where: "page", key: "ArrowUp", alt: true, command: "previousConversation", help: "Previous conversation", shown: "Alt ↑" },
  { where: "page", key: "u", alt: true, command: "nextUnread", help: "Next conversation with unread messages", shown: "Alt U" },
  { where: "page", key: "n", alt: true, command: "newConversation", help: "New conversation", shown: "Alt N" },
  { where: "page", key: "i", alt: true, command: "details", help: "About this person or conversation", shown: "Alt I" },
  { where: "page", key: "d", alt: true, command: "prepared", help: "To the drafts that programs have prepared here", shown: "Alt D" },
  { where: "page", key: "a", alt: true, command: "attach", help: "Attach files to the message that you write", shown: "Alt A" },
  { where: "page", key: ",", alt: true, command: "settings", help: "Settings", shown: "Alt ," },
  { where: "page", key: "F6", command: "nextPane", help: "Next pane: list, messages, writing", shown: "F6" },
  { where: "page", key: "/", control: true, command: "help", help: "This help (also ? outside a text field)", shown: "Ctrl /" },
  { where: "page", key: "Escape", command: "back", help: "Back: cancel, to the text field, to the list", shown: "Esc" },
  { where: "composer", key: "Enter", command: "send", help: "Send", shown: "Enter" },
  { where: "composer", key: "Enter", shift: true, command: "newLine", help: "New line", shown: "Shift Enter" },
  { where: "composer", key: "ArrowUp", command: "editLast", help: "Edit your last message (in an empty field)", shown: "↑" },
  { where: "message", key: "ArrowUp", command: "previousMessage", help: "Previous message", shown: "↑" },
  { where: "message", key: "ArrowDown", command: "nextMessage", help: "Next message", shown: "↓" },
  { where: "message", key: "Home", command: "firstMessage", help: "First message that is loaded", shown: "Home" },
  { where: "message", key: "End", command: "lastMessage", help: "Latest message", shown: "End" },
  { where: "message", key: "r", command: "reply", help: "Reply", shown: "R" },
  { where: "message", key: "e", command: "edit", help: "Edit your own message", shown: "E" },
  { where: "message", key: "+", command: "react", help: "React", shown: "+" },
  { where: "message", key: "Delete", command: "retract", help: "Take back your own message", shown: "Del" },
  { where: "message", key: "Enter", command: "messageDetails", help: "Details: who has it, who has read it", shown: "Enter" },
]);

/**
 * The command of a key, if it has one there.
 * @param {{key: string, altKey: boolean, ctrlKey: boolean, metaKey: boolean, shiftKey: boolean}} event
 * @param {"page"|"message"|"composer"} where
 */
export function commandFor(event, where) {
  const rule = KEYS.find((each) =>
    each.where === where && each.key.toLowerCase() === event.key.toLowerCase() &&
    !!each.alt === event.altKey && !!each.control === (event.ctrlKey || event.metaKey) &&
    // Shift is part of how a sign such as + is typed.
    (each.key.length === 1 || !!each.shift === event.shiftKey));
  return rule?.command ?? null;
}
