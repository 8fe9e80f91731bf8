/** Tells the desktop of messages while nobody looks at the page. Never what they say: a screen has many readers. */
import { conversationTitle, partyName } from "../deciding/naming.js";
import { isToldOf } from "../deciding/notifying.js";
import { readChoices } from "../talking/tab-storage.js";
import { ReadingWatch } from "./reading-watch.js";

export const canNotify = () => "Notification" in window;

/** Asks the browser, which asks the person. @returns {Promise<boolean>} */
export const askForNotifications = async () => canNotify() && (await Notification.requestPermission()) === "granted";

/**
 * @param {import("../deciding/state.js").State} state @param {any} message
 * @param {(key: string) => void} open
 */
export function notify(state, message, open) {
  if (!canNotify() || Notification.permission !== "granted" || !readChoices().notifies || ReadingWatch.isLookedAt) return;
  if (!isToldOf(state, message)) return;
  const conversation = state.conversations.get(message.conversationID);
  const sender = partyName(state, message.sender);
  const isDirect = !conversation || conversation.kind === "direct";
  const title = isDirect ? `${sender} has written` : `${sender} has written in ${conversationTitle(state, conversation)}`;
  // One for each conversation: the next takes the place of the last.
  const notification = new Notification(title, { tag: message.conversationID });
  notification.addEventListener("click", () => {
    window.focus();
    open(message.conversationID);
    notification.close();
  });
}
