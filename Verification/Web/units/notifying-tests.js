import { isToldOf, levelOf } from "/page/deciding/notifying.js";
import { equal, test } from "./testing.js";

/** @param {string} level */
const state = (level) => ({
  node: { id: "me" },
  conversations: new Map([["c", { id: "c", kind: "direct", peer: { id: "bob" }, notificationLevel: level }]]),
  dialogs: new Map([["c", { messages: [{ id: "mine", sender: { id: "me" } }, { id: "theirs", sender: { id: "bob" } }] }]]),
});
const message = { conversationID: "c", mentions: [] };

test("Notifying goes by the level of the conversation, which its other user names, too", () => {
  equal(["all", "mentions", "none"].map((level) => levelOf(state(level), "bob")), ["all", "mentions", "none"]);
  equal(levelOf(state("none"), "somebody else"), "all");
  equal(["all", "mentions", "none"].map((level) => isToldOf(state(level), message)), [true, false, false]);
});
test("Notifying of mentions tells of answers, too", () => {
  const mentions = state("mentions");
  equal(isToldOf(mentions, { ...message, mentions: [{ id: "me" }] }), true);
  equal(isToldOf(mentions, { ...message, mentions: [{ id: "carol" }] }), false);
  equal(isToldOf(mentions, { ...message, replyTo: "mine" }), true);
  equal(isToldOf(mentions, { ...message, replyTo: "theirs" }), false);
});
