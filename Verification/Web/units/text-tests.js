import { EventParser } from "/page/deciding/event-parser.js";
import { byteText, fileNames } from "/page/deciding/files.js";
import { commandFor } from "/page/deciding/keys.js";
import { beginning, mentioned } from "/page/deciding/mentions.js";
import { fragmentOf, readFragment } from "/page/deciding/route.js";
import { bytes, excerpt, line, segments } from "/page/deciding/safe-text.js";
import { gist } from "/page/deciding/timeline.js";
import { dayHeading, isLate } from "/page/deciding/times.js";
import { equal, test } from "./testing.js";

test("Safe text shows what turns the direction of text as its code", () => {
  equal(segments("a\u202eb"), [{ text: "a", isEscaped: false }, { text: "\\u{202e}", isEscaped: true }, { text: "b", isEscaped: false }]);
});
test("Safe text shows control, tag and separator characters as their codes, and keeps line breaks", () => {
  equal(segments("\u0007\u{E0041}\u2028").map((each) => each.text), ["\\u{07}", "\\u{e0041}", "\\u{2028}"]);
  equal(segments("a\nb\tc").map((each) => each.text), ["a\nb    c"]);
});
test("Safe text leaves words of all scripts and emoji as they are", () => {
  for (const text of ["שלום", "مرحبا", "日本語", "👩‍👩‍👧", "e\u0301"]) equal(segments(text), [{ text, isEscaped: false }]);
});
test("A size has three digits, in decimal units", () => {
  equal([0, 1, 999, 1000, 2_900_000, 99_950_000, 431_000_000, 2 ** 40].map(byteText),
    ["0 bytes", "1 byte", "999 bytes", "1.00 kB", "2.90 MB", "100 MB", "431 MB", "1.10 TB"]);
});
test("Files stand for a message without text where there is one line for it", () => {
  equal(fileNames({ attachments: [{ name: "a.png" }, { name: "b.pdf" }] }), "a.png, b.pdf");
  equal(gist({ text: "", attachments: [{ name: "a.png" }] }), "a.png");
  equal(gist({ text: "look", attachments: [{ name: "a.png" }] }), "look");
});
test("Safe text in one line has no line break, and is never cut within a character", () => {
  equal(line("a\nb"), "a b");
  equal(excerpt("👍👍👍", 2), "👍👍…");
  equal(bytes("é👍"), 6);
});
test("An event parser reads events in pieces, with all line ends and several lines of data", () => {
  const parser = new EventParser();
  equal(parser.take("id: 7\nevent: x\nda"), []);
  equal(parser.take("ta: {\ndata: }\r\n\r\n: a comment\n\nid: 8\n\n"), [{ id: "7", name: "x", data: "{\n}" }, { id: "8" }]);
});
test("An event parser refuses an event that is too long", () => {
  let isRefused = false;
  try {
    new EventParser().take("data: " + "x".repeat(2 << 20));
  } catch (error) {
    isRefused = error instanceof RangeError;
  }
  equal(isRefused, true);
});
test("A mention is a whole name after an @ at the beginning of a word", () => {
  const people = [{ id: "1", name: "bob" }, { id: "2", name: "bobby" }, { id: "3" }];
  equal(mentioned("hi @bob, and @bobby!", people), ["1", "2"]);
  equal(mentioned("mail@bob @bobs", people), []);
  equal(beginning("hi @bo", 6), { begin: 3, prefix: "bo" });
  equal(beginning("a@bo", 4), null);
});
test("A fragment is a login, or what is open, or nothing", () => {
  const key = "a".repeat(52);
  equal(readFragment("#login=abcdefgh12"), { login: "abcdefgh12" });
  equal(readFragment(fragmentOf(key)), { open: key });
  equal(readFragment(fragmentOf(`user:${key}`)), { open: `user:${key}` });
  for (const wrong of ["", "#", "#login=", "#login=<script>", "#javascript:alert(1)", "#../x"]) equal(readFragment(wrong), {});
});
test("A key has its command only where it belongs, and with its modifiers", () => {
  const key = (name, more = {}) => ({ key: name, altKey: false, ctrlKey: false, metaKey: false, shiftKey: false, ...more });
  equal(commandFor(key("k", { ctrlKey: true }), "page"), "search");
  equal(commandFor(key("k"), "page"), null);
  equal(commandFor(key("r"), "message"), "reply");
  equal(commandFor(key("r", { ctrlKey: true }), "message"), null);
  equal(commandFor(key("Enter"), "composer"), "send");
  equal(commandFor(key("Enter", { shiftKey: true }), "composer"), "newLine");
  equal(commandFor(key("+", { shiftKey: true }), "message"), "react");
});
test("A day is called today and yesterday, across the changes of the clock", () => {
  const now = new Date(2026, 2, 29, 12).getTime();
  equal(dayHeading(new Date(2026, 2, 29, 0, 1).getTime(), now), "Today");
  equal(dayHeading(new Date(2026, 2, 28, 23, 59).getTime(), now), "Yesterday");
});
test("A message is late when it came a minute after it was written, and own ones never are", () => {
  equal(isLate({ timestampMilliseconds: 0, receivedAtMilliseconds: 60_000 }), true);
  equal(isLate({ timestampMilliseconds: 0, receivedAtMilliseconds: 59_999 }), false);
  equal(isLate({ timestampMilliseconds: 0 }), false);
});
