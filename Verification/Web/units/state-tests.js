import { banners } from "/page/deciding/banners.js";
import { consequences } from "/page/deciding/consequences.js";
import { summary, withChange } from "/page/deciding/delivery.js";
import { LIMITS } from "/page/deciding/limits.js";
import { reduce } from "/page/deciding/reduce.js";
import { INITIAL } from "/page/deciding/state.js";
import { conversationRows, isSilent, openPrepared, openTitle, typingWords, unreadTotal, writingProblem } from "/page/deciding/views.js";
import { equal, test } from "./testing.js";

const me = "m".repeat(52), bob = "b".repeat(52), talk = "c".repeat(52);
const message = (number, more = {}) => ({
  id: `${talk}-${number}`, conversationID: talk, sender: { id: bob, name: "bob" }, recipients: [], timestampMilliseconds: number, text: "hi", ...more,
});
const conversation = { id: talk, kind: "direct", status: "joined", peer: { id: bob, name: "bob" }, participants: [], unreadCount: 2 };
const user = { id: bob, name: "bob", trust: "unverified", isOnline: true };
const all = (state, ...actions) => actions.reduce(reduce, state);
const started = all(INITIAL, { type: "node", node: { id: me, name: "alice" } }, { type: "users", users: [user] },
  { type: "conversations", conversations: [conversation], isFirstPage: true }, { type: "ready" });
const event = (name, more) => ({ type: "event", now: 1000, event: { name, ...more } });

test("The state shows a message that comes in its open dialog and as the last of its conversation", () => {
  const state = all(started, { type: "open", key: talk }, { type: "dialog", key: talk, messages: [], isAtStart: true, isAtEnd: true }, event("messageReceived", { message: message(5) }));
  equal(state.dialogs.get(talk).messages.length, 1);
  equal(conversationRows(state)[0].lastMessage.id, message(5).id);
  equal(unreadTotal(state), 2);
});
test("The state misses nothing that came while a page was asked for", () => {
  const asked = all(started, { type: "open", key: talk }), since = asked.eventCount;
  const state = all(asked, event("messageReceived", { message: message(7) }),
    event("messageRead", { stateChange: { conversationID: talk, messageID: message(6).id, recipient: { id: bob, state: "read" } } }),
    { type: "dialog", key: talk, since, messages: [message(6, { recipients: [{ id: bob, state: "sent" }] })], isAtStart: true, isAtEnd: true });
  equal(state.dialogs.get(talk).messages.map((each) => [each.id, each.recipients]), [[message(6).id, [{ id: bob, state: "read" }]], [message(7).id, []]]);
});
test("The state ends typing with a message, and after its time", () => {
  const typing = all(started, { type: "open", key: talk }, event("typingStarted", { conversationID: talk, user }));
  equal(typingWords(typing, 1001), "bob is typing…");
  equal(typingWords(typing, 1001 + LIMITS.typingShown), "");
  equal(typingWords(reduce(typing, event("messageReceived", { message: message(5) })), 1001), "");
  equal(reduce(typing, { type: "typingEnded", now: 1001 + LIMITS.typingShown }).typing.size, 0);
});
test("The state says who is online and lets a message wait, until something of theirs comes", () => {
  const own = message(5, { sender: { id: me, name: "alice" }, timestampMilliseconds: 1000, recipients: [{ id: bob, state: "sent" }] });
  const waiting = all(started, { type: "user", user: { ...user, isOnline: true } }, { type: "open", key: talk },
    { type: "dialog", key: talk, messages: [own], isAtStart: true, isAtEnd: true });
  const late = 1000 + LIMITS.answerMilliseconds;
  equal([isSilent(waiting, late - 1), isSilent(waiting, late)], [false, true]);
  equal(isSilent(all(waiting, { type: "user", user: { ...user, isOnline: false } }), late), false);
  const heard = reduce(waiting, { type: "event", now: 2000, event: { name: "typingStarted", conversationID: talk, user } });
  equal([isSilent(heard, late), isSilent(heard, late + 1000)], [false, true]);
  equal(isSilent(all(waiting, event("messageDelivered", { stateChange: { conversationID: talk, messageID: own.id, recipient: { id: bob, state: "delivered" } } })), late), false);
  equal([reduce(waiting, { type: "listened", now: 1000 }) === waiting, reduce(waiting, { type: "listened", now: late }) === waiting], [true, false]);
});
test("The state shows what was prepared for the open dialog alone, and asks again when that changes", () => {
  const draft = { id: "d1", conversationID: talk, text: "quote", insertedBy: "quotes" };
  const shown = all(started, { type: "open", key: talk }, { type: "prepared", key: talk, drafts: [draft] });
  equal(openPrepared(shown), [draft]);
  equal(openPrepared(all(shown, { type: "open", key: "elsewhere" })), []);
  equal(openPrepared(reduce(shown, { type: "preparedGone", id: "d1" })), []);
  const change = { name: "draftInserted", draft: { id: "d2", conversationID: talk } };
  equal(consequences(shown, change), [{ kind: "prepared" }]);
  equal(consequences(all(shown, { type: "open", key: "elsewhere" }), change), []);
  const begun = all(started, { type: "open", key: `user:${bob}` }, { type: "prepared", key: `user:${bob}`, drafts: [draft] }, { type: "conversation", conversation, now: 1 });
  equal(openPrepared(begun), [draft]);
});
test("The state keeps few dialogs, and always the open one", () => {
  let state = started;
  for (let number = 0; number < LIMITS.dialogs + 5; number += 1) {
    state = all(state, { type: "open", key: `d${number}` }, { type: "dialog", key: `d${number}`, messages: [], isAtStart: true, isAtEnd: true });
  }
  equal(state.dialogs.size, LIMITS.dialogs);
  equal(state.dialogs.has(`d${LIMITS.dialogs + 4}`), true);
});
test("The state opens a conversation in the place of the user to whom its first message went", () => {
  const state = all(started, { type: "open", key: `user:${bob}` }, { type: "conversation", conversation, now: 1 });
  equal(state.open, talk);
  equal(openTitle(state), "bob");
});
test("The state warns of a lost node, another key and a full disk, and of each once", () => {
  const lost = all(started, { type: "link", link: "lost" }, { type: "user", user: { ...user, id: me.replace("m", "x"), trust: "conflict" } }, event("storageFailed", { reason: "full" }));
  equal(banners(lost).map((each) => each.title), ["The node is away", "A new key for bob", "The node cannot write to its disk"]);
  equal(banners(all(lost, { type: "link", link: "live" }, event("storageRecovered"))).length, 1);
});
test("The state says whether the node is away, or somebody else answers where it was", () => {
  const foreign = all(started, { type: "link", link: "lost", isForeign: true });
  equal(banners(foreign).map((each) => each.title), ["What answers here is not your node"]);
  equal(banners(all(foreign, { type: "link", link: "lost" })).map((each) => each.title), ["The node is away"]);
  equal(banners(all(foreign, { type: "link", link: "live" })), []);
});
test("The state warns of a newer key, and not of the old one after the newer was accepted", () => {
  const other = { ...user, id: "x".repeat(52), firstSeenMilliseconds: 2 }, first = { ...user, firstSeenMilliseconds: 1 };
  const claimed = all(started, { type: "users", users: [first, { ...other, trust: "conflict", conflictsWith: first.id }] });
  const accepted = all(started, { type: "users", users: [{ ...first, trust: "conflict", conflictsWith: other.id }, other] });
  equal([banners(claimed).length, banners(accepted).length], [1, 0]);
});
test("The state says who calls themselves by another name, until that is agreed to or they are blocked", () => {
  const renamed = { ...user, claimedName: "robert" };
  equal(banners(all(started, { type: "user", user: renamed })).map((each) => each.title), ["bob calls themselves robert now"]);
  equal(banners(all(started, { type: "user", user: { ...renamed, trust: "blocked" } })), []);
  equal(banners(all(started, { type: "user", user: renamed }, { type: "user", user: { ...user, name: "robert" } })), []);
});
test("The state lets nobody write to who is blocked, or where they do not belong", () => {
  const open = all(started, { type: "open", key: talk });
  equal(writingProblem(open), "");
  equal(writingProblem(all(open, { type: "user", user: { ...user, trust: "blocked" } })) === "", false);
  equal(writingProblem(all(open, { type: "conversation", conversation: { ...conversation, status: "left" }, now: 1 })) === "", false);
});
test("The state asks for everything when events were lost", () => {
  for (const name of ["eventsLost", "eventsGone", "historyRecovered"]) equal(consequences(started, { name }), [{ kind: "everything" }]);
});
test("A delivery never goes back, and a failure stands", () => {
  const read = [{ id: bob, state: "read" }];
  equal(withChange(read, { id: bob, state: "sent" }), read);
  equal(withChange(read, { id: bob, state: "failed", reason: "removed" })[0].state, "failed");
});
test("A delivery to a group says by how many", () => {
  const recipients = [{ id: "1", state: "read" }, { id: "2", state: "delivered" }, { id: "3", state: "delivered" }];
  equal(summary(recipients), { state: "delivered", isPartial: true, reason: "", label: "Read by 1 of 3" });
  equal(summary(recipients.slice(1)).label, "Delivered by all");
  equal(summary([{ id: "1", state: "failed", reason: "expired" }]).reason, "it was not delivered in time");
});
