import { consequences } from "/page/deciding/consequences.js";
import { windowOn, withMessage } from "/page/deciding/dialog-window.js";
import { cardOf, spoken } from "/page/deciding/layout.js";
import { INITIAL } from "/page/deciding/state.js";
import { gist } from "/page/deciding/timeline.js";
import { equal, test } from "./testing.js";

const talk = "c".repeat(52);
const message = (number, more = {}) => ({
  id: `${talk}-${number}`, conversationID: talk, sender: { id: "b" }, recipients: [], timestampMilliseconds: number, text: "hi", ...more,
});
const step = (counter, isSuperseded, id = "s") => ({ session: { id, counter, summary: `step ${counter}`, isSuperseded } });

test("A card has any parts of a layout that there are, and none for a message that shows none", () => {
  equal(cardOf(message(1)), null);
  equal(cardOf(message(1, { layout: { accessibilityLabel: "only heard" } })), null);
  equal(cardOf(message(1, { layout: { caption: "c" } })), { picture: null, image: [], caption: "c", subcaption: "", link: null });
  const whole = { caption: "c", subcaption: "s", imageTitle: "t", imageSubtitle: "u", url: "https://Example.org/a" };
  equal(cardOf(message(1, { layout: whole })), {
    picture: null, image: ["t", "u"], caption: "c", subcaption: "s", link: { href: "https://example.org/a", host: "example.org" },
  });
  for (const gone of [{ isRetracted: true }, { isDeleted: true }, step(1, true)]) equal(cardOf(message(1, { layout: whole, ...gone })), null);
});
test("A card links to the web and to nothing else, whatever the node lets through", () => {
  for (const url of ["javascript:alert(1)", "data:text/html,x", "https://user@evil.example/", "//a", "", "https://"]) {
    equal(cardOf(message(1, { layout: { caption: "c", url } })).link, null);
  }
});
test("A message is read aloud by its label, or with all that its card shows", () => {
  equal(spoken(message(1, { layout: { caption: "c", accessibilityLabel: "a\nlabel" } })), "a label");
  equal(spoken(message(1, { layout: { caption: "c", imageTitle: "t", url: "https://a.example/b" } })), "hi, t, c, a.example");
  equal(spoken(message(1, { layout: { accessibilityLabel: "x" }, ...step(1, true) })), "step 1");
  equal(spoken(message(1, { isRetracted: true, text: "" })), "Message taken back");
});
test("A message of a session is its text while it stands, and then its summary", () => {
  equal([gist(message(1, step(1, false))), gist(message(1, step(1, true)))], ["hi", "step 1"]);
});
test("A message of a session that comes has those asked for whose place it may take", () => {
  const messages = [message(1, step(1, true)), message(2, step(2, false)), message(3, step(1, false, "t")), message(4), message(5, step(3, false))];
  const state = { ...INITIAL, dialogs: new Map([[talk, windowOn(messages, { isAtStart: true, isAtEnd: true })]]) };
  const asked = (event) => consequences(state, event).filter((each) => each.kind === "message").map((each) => Number(each.id.slice(53)));
  equal(asked({ name: "messageReceived", message: messages[4] }), [2, 5]);
  equal(asked({ name: "messageReceived", message: messages[3] }), []);
  // One that was taken back before it left gives its place back.
  equal(asked({ name: "messageFailed", stateChange: { messageID: messages[1].id, conversationID: talk, recipient: {} } }), [1, 2, 5]);
});
test("An event that comes again does not make a message stand that another has replaced", () => {
  const window = windowOn([message(1, step(1, true))], { isAtStart: true, isAtEnd: true });
  equal(withMessage(window, message(1, step(1, false))).messages[0].session.isSuperseded, true);
});
