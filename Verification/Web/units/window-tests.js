import { windowOn, withChangedMessage, withEarlier, withLater, withMessage, withState } from "/page/deciding/dialog-window.js";
import { LIMITS } from "/page/deciding/limits.js";
import { timeline } from "/page/deciding/timeline.js";
import { equal, test } from "./testing.js";

const log = "a".repeat(52);
const message = (number, time = number * 1000, more = {}) => ({
  id: `${log}-${number}`, timestampMilliseconds: time, recipients: [], sender: { id: "s" }, text: "", ...more,
});
const range = (from, to) => Array.from({ length: to - from }, (_, index) => message(from + index));
const numbers = (window) => window.messages.map((each) => Number(each.id.slice(53)));

test("A dialog's window puts a late message at its place in time", () => {
  equal(numbers(withMessage(windowOn([message(1), message(3)], { isAtStart: true, isAtEnd: true }), message(9, 2000))), [1, 9, 3]);
});
test("A dialog's window orders messages of one time and log by their numbers", () => {
  const window = windowOn([message(9, 5000)], { isAtStart: true, isAtEnd: true });
  equal(numbers(withMessage(window, message(10, 5000))), [9, 10]);
});
test("A dialog's window has a message once, however often it comes", () => {
  const window = windowOn(range(1, 4), { isAtStart: true, isAtEnd: true });
  equal(numbers(withMessage(window, message(2))), [1, 2, 3]);
});
test("A dialog's window counts what comes after it while it does not reach the end", () => {
  const window = withMessage(windowOn(range(1, 4), { isAtStart: false, isAtEnd: false }), message(9));
  equal([numbers(window), window.below], [[1, 2, 3], 1]);
});
test("A dialog's window leaves out what is older than it reaches", () => {
  equal(numbers(withMessage(windowOn(range(5, 7), { isAtStart: false, isAtEnd: true }), message(1))), [5, 6]);
});
test("A dialog's window is bounded when earlier pages come, and then does not reach the end", () => {
  const window = withEarlier(windowOn(range(201, 201 + LIMITS.windowMessages), { isAtStart: false, isAtEnd: true }), range(151, 201), 50);
  equal([window.messages.length, numbers(window)[0], window.isAtEnd, window.isAtStart], [LIMITS.windowMessages, 151, false, false]);
});
test("A dialog's window is at its start when a page is short", () => {
  equal(withEarlier(windowOn(range(3, 5), { isAtStart: false, isAtEnd: true }), range(1, 3), 50).isAtStart, true);
});
test("A dialog's window is bounded when later pages come, and then does not reach the start", () => {
  const window = withLater(windowOn(range(1, 1 + LIMITS.windowMessages), { isAtStart: true, isAtEnd: false }), range(251, 301), 50);
  equal([window.messages.length, window.isAtStart, window.isAtEnd], [LIMITS.windowMessages, false, false]);
});
test("A dialog's window never takes a state back", () => {
  const own = message(1, 1000, { recipients: [{ id: "bob", state: "read" }] });
  const window = windowOn([own], { isAtStart: true, isAtEnd: true });
  equal(withState(window, own.id, { id: "bob", state: "delivered" }) === window, true);
  const older = { ...own, text: "new", recipients: [{ id: "bob", state: "sent" }] };
  equal(withChangedMessage(window, older).messages[0].recipients[0].state, "read");
});
test("A timeline has a line for each day, and one where the unread messages begin", () => {
  const day = 86_400_000, noon = new Date(2026, 0, 10, 12).getTime();
  const window = windowOn([message(1, noon - day), message(2, noon), message(3, noon + 1000)], { isAtStart: true, isAtEnd: true, newFrom: `${log}-3` });
  equal(timeline(window, noon).map((each) => each.kind), ["start", "day", "message", "day", "message", "new", "message"]);
});
test("A timeline puts messages of one sender together", () => {
  const window = windowOn([message(1, 1000), message(2, 2000), message(3, 3000, { sender: { id: "t" } })], { isAtStart: false, isAtEnd: true });
  equal(timeline(window, 4000).filter((each) => each.kind === "message").map((each) => [each.isFirst, each.isLast]), [[true, false], [false, true], [true, true]]);
});
