import { afterMarking, NOTHING_READ, upTo, withSeen, withUnread } from "/page/deciding/reading.js";
import { equal, test } from "./testing.js";

const messages = [{ id: "a", index: 1 }, { id: "b", index: 2 }, { id: "c", index: 3 }];
const unread = withUnread(NOTHING_READ, messages, true);

test("Reading marks up to the last message that was on the screen", () => {
  equal(upTo(withSeen(unread, ["a", "b"])), "b");
});
test("Reading marks nothing while an earlier arrival was not on the screen", () => {
  equal(upTo(withSeen(unread, ["b", "c"])), null);
});
test("Reading goes by arrival, wherever a late message stands in time", () => {
  const late = withUnread(NOTHING_READ, [{ id: "late", index: 9 }, { id: "old", index: 4 }], true);
  equal(upTo(withSeen(late, ["late"])), null);
  equal(upTo(withSeen(late, ["late", "old"])), "late");
});
test("Reading marks nothing before all unread messages are known", () => {
  equal(upTo(withSeen(withUnread(NOTHING_READ, messages, false), ["a", "b", "c"])), null);
});
test("Reading goes on after what was marked", () => {
  const rest = afterMarking(withSeen(unread, ["a"]), "a");
  equal(upTo(rest), null);
  equal(upTo(withSeen(rest, ["b"])), "b");
});
test("Reading takes a message without a place as the last arrival", () => {
  const live = withUnread(unread, [{ id: "d" }], true);
  equal(upTo(withSeen(live, ["d"])), null);
  equal(upTo(withSeen(live, ["a", "b", "c", "d"])), "d");
});
