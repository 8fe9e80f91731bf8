import { Attachments } from "/page/acting/attachments.js";
import { Uploads } from "/page/acting/uploads.js";
import { Writing } from "/page/acting/writing.js";
import { filesOf, isPicture, percent, progressText, savedName, withSample } from "/page/deciding/files.js";
import { cardOf, spoken } from "/page/deciding/layout.js";
import { LIMITS } from "/page/deciding/limits.js";
import { filesFor } from "/page/deciding/outgoing.js";
import { reduce } from "/page/deciding/reduce.js";
import { INITIAL } from "/page/deciding/state.js";
import { equal, test } from "./testing.js";

const bob = "b".repeat(52), talk = "c".repeat(52);
const all = (state, ...actions) => actions.reduce(reduce, state);
const event = (file, now = 1000) => ({ type: "event", now, event: { name: "fileUpdated", file } });
const picture = { fileID: "p", name: "a.png", mediaType: "image/png", byteCount: 1 }, plan = { fileID: "q", name: "plan.pdf", mediaType: "application/pdf", byteCount: 2 };

/** As acting/store.js, without a page to draw. */
class Store {
  state = INITIAL;
  apply(action) { this.state = reduce(this.state, action); }
}

/** A node that takes in files when the test says so. */
class Node {
  pending = new Map();
  aborted = [];
  upload(content, name, { signal, onProgress }) {
    return new Promise((resolve, reject) => {
      signal.addEventListener("abort", () => {
        this.aborted.push(name);
        reject(new Error("aborted"));
      });
      this.pending.set(name, { resolve, reject, onProgress });
    });
  }

  async answer(name, how) {
    const { resolve, reject } = this.pending.get(name);
    this.pending.delete(name);
    if (how) reject(new Error(how));
    else resolve({ fileID: `id of ${name}`, name });
    // Whoever waits for it goes on first.
    await new Promise((done) => setTimeout(done));
  }
}
/** What has come of it by now. */
const now = (promise) => Promise.race([promise, "nothing yet"]);
const file = (name) => new File(["x"], name);
function uploading(...names) {
  const node = new Node(), store = new Store(), failures = [];
  const uploads = new Uploads(node, store, (name, reason) => failures.push(`${name}: ${reason}`));
  uploads.add(talk, names.map(file));
  return { node, store, uploads, failures, files: () => filesFor(store.state, talk), ids: filesFor(store.state, talk).map((each) => each.id) };
}

test("Progress is said with its share, rate and time left once it has a rate", () => {
  equal(progressText(0, 100, []), "0 %");
  equal(progressText(10_000_000, 40_000_000, [{ at: 0, bytes: 0 }, { at: 100, bytes: 10_000_000 }]), "25 %");
  equal(progressText(10_000_000, 40_000_000, [{ at: 0, bytes: 0 }, { at: 2000, bytes: 10_000_000 }]), "25 %, 5.00 MB/s, 0:06 left");
  equal(progressText(1_000_000, 400_000_000, [{ at: 0, bytes: 0 }, { at: 1000, bytes: 1_000_000 }]), "0 %, 1.00 MB/s, 6:39 left");
});
test("All of a file has moved only when all has, also where it is empty", () => {
  equal([percent(999, 1000), percent(1000, 1000), percent(2000, 1000), percent(0, 0)], [99, 100, 100, 100]);
});
test("A rate is reckoned by the last seconds, and anew where a file begins anew", () => {
  let samples = [];
  for (let at = 0; at <= 20_000; at += 1000) samples = withSample(samples, at, at);
  equal([samples[0].at, samples.at(-1).at], [20_000 - LIMITS.rateMilliseconds, 20_000]);
  equal(withSample(samples, 5, 21_000), [{ at: 21_000, bytes: 5 }]);
});
test("A picture is shown of four types, and SVG is none of them", () => {
  equal(["image/png", "IMAGE/JPEG", "image/gif", "image/webp"].map(isPicture), [true, true, true, true]);
  equal(["image/svg+xml", "image/png; x=y", "text/html", "image/avif", ""].map(isPicture), [false, false, false, false, false]);
});
test("A file is saved under the name that the node's answer has, which does nothing in a folder", () => {
  const headers = ["attachment; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%281%29.txt", "attachment; filename*=UTF-8''_bash_profile", "attachment", null];
  equal(headers.map(savedName), ["Grüße (1).txt", "_bash_profile", "file", "file"]);
});
test("A message whose content is gone shows no files", () => {
  const message = { attachments: [plan] };
  equal(filesOf(message), [plan]);
  for (const gone of [{ isRetracted: true }, { isDeleted: true }, { session: { isSuperseded: true } }]) equal(filesOf({ ...message, ...gone }), []);
});
test("The first picture of a message with a layout is that of its card, and any file is read aloud by its name", () => {
  const message = { text: "", attachments: [plan, picture], layout: { imageTitle: "t", caption: "c" } };
  equal(cardOf(message).picture, picture);
  equal(cardOf({ ...message, attachments: [plan] }).picture, null);
  equal(cardOf({ ...message, layout: undefined }), null);
  equal(spoken({ text: "see", attachments: [plan] }), "see, plan.pdf");
});
test("The state follows the files that were asked for, and no others", () => {
  const told = { id: "p", state: "fetching", byteCount: 10, receivedBytes: 5 };
  equal(reduce(INITIAL, event(told)).files, []);
  const asked = all(INITIAL, { type: "fileAsked", id: "p" }), known = reduce(asked, event(told));
  equal([asked.files.get("p").state, known.files.get("p").state, known.files.get("p").receivedBytes], ["asked", "fetching", 5]);
});
test("An answer about a file is not believed where an event came after the question", () => {
  const asked = all(INITIAL, { type: "fileAsked", id: "p" }), answer = { type: "file", file: { id: "p", state: "waiting" }, since: asked.eventCount, now: 1 };
  equal(all(asked, event({ id: "p", state: "held" }), answer).files.get("p").state, "held");
  equal(all(asked, answer, event({ id: "p", state: "held" })).files.get("p").state, "held");
});
test("What is known of files is bounded, and is asked for again after events were lost", () => {
  let state = INITIAL;
  for (let number = 0; number <= LIMITS.files; number += 1) state = reduce(state, { type: "fileAsked", id: String(number) });
  equal([state.files.size, state.files.has("0"), state.files.has("1")], [LIMITS.files, false, true]);
  const stale = reduce(state, { type: "filesStale" });
  equal([stale.files.get("1").isStale, reduce(stale, { type: "fileAsked", id: "1" }).files.get("1").isStale], [true, false]);
});
test("A file is asked for once, and says why where it cannot be", async () => {
  const store = new Store(), asked = [];
  const api = { get: async (path) => { asked.push(path); throw new Error("no such file"); } };
  const attachments = new Attachments(api, store);
  await Promise.all([attachments.ask("p"), attachments.ask("p")]);
  await attachments.ask("p");
  equal([asked, store.state.files.get("p").state, store.state.files.get("p").reason], [["files/p"], "unknown", "no such file"]);
});
test("A picture is taken as the type that the node says, and as no other than those that are shown", async () => {
  const taken = async (type) => {
    const response = new Response("x", { headers: { "content-type": type } });
    const blob = await new Attachments({ content: async () => response }, new Store()).picture("p").catch((error) => error.message);
    return blob.type ?? blob;
  };
  equal([await taken("image/png"), await taken("image/svg+xml")], ["image/png", "it is not a picture that is shown"]);
});
test("Nothing prepared, before and after, changes nothing", () => {
  equal(reduce(INITIAL, { type: "prepared", key: talk, drafts: [] }) === INITIAL, true);
  equal(reduce(INITIAL, { type: "prepared", key: talk, drafts: [{ id: "d" }] }).prepared.drafts.length, 1);
});
test("What was attached for a user goes with their conversation, as soon as there is one", () => {
  const conversation = { id: talk, kind: "direct", status: "joined", peer: { id: bob }, participants: [], unreadCount: 0 };
  const state = all(INITIAL, { type: "open", key: `user:${bob}` }, { type: "outgoingAdded", key: `user:${bob}`, files: [{ id: "1" }] }, { type: "conversation", conversation, now: 1 });
  equal([filesFor(state, talk).length, filesFor(state, `user:${bob}`).length], [1, 0]);
});
test("A message goes with its files, also as a reply, and when a failed one is sent again", async () => {
  const posted = [];
  const post = async (path, body) => {
    posted.push([path, body.attachments]);
    return { id: "n", conversationID: talk, recipients: [] };
  };
  const writing = new Writing({ post }, new Store());
  await writing.send(talk, { text: "", attachments: [plan], key: "k" });
  await writing.send(talk, { text: "x", replyTo: { id: "r" }, attachments: [plan], key: "k" });
  await writing.send(talk, { text: "x", attachments: [], key: "k" });
  await writing.retry({ id: "f", conversationID: talk, text: "", mentions: [], attachments: [plan] });
  equal(posted, [["messages", [plan]], ["messages/r/reply", [plan]], ["messages", undefined], ["messages", [plan]]]);
});
test("Files are uploaded two at a time, and a message has them when all are there", async () => {
  const { node, uploads, ids, files } = uploading("a", "b", "c");
  equal([...node.pending.keys()], ["a", "b"]);
  const whole = uploads.whole(ids);
  await node.answer("b");
  equal([...node.pending.keys()], ["a", "c"]);
  await node.answer("a");
  equal(files().map((each) => each.state), ["ready", "ready", "uploading"]);
  await node.answer("c");
  equal((await now(whole)).map?.((each) => each.fileID), ["id of a", "id of b", "id of c"]);
});
test("A message whose file is not uploaded says why, and goes when that was tried again", async () => {
  const { node, uploads, ids, files, failures } = uploading("a", "b");
  const whole = uploads.whole(ids).catch((error) => error.message);
  await node.answer("a", "the disk is full");
  equal([await now(whole), failures], ["a was not uploaded: the disk is full", ["a: the disk is full"]]);
  equal(files().map((each) => [each.state, each.reason]), [["failed", "the disk is full"], ["uploading", ""]]);
  uploads.again(ids[0]);
  const again = uploads.whole(ids);
  await node.answer("a");
  await node.answer("b");
  equal((await now(again)).length, 2);
});
test("A file that is removed is uploaded no further, and no message waits for it", async () => {
  const { node, uploads, ids, files, failures } = uploading("a", "b", "c");
  const whole = uploads.whole(ids);
  uploads.remove(ids[0]);
  uploads.remove(ids[2]);
  await node.answer("b");
  equal([(await now(whole)).map?.((each) => each.name), files().map((each) => each.name), failures, node.aborted], [["b"], ["b"], [], ["a"]]);
});
test("More files than a message brings along are refused as a whole", () => {
  const { uploads, files } = uploading("a");
  let reason = "";
  try {
    uploads.add(talk, Array.from({ length: LIMITS.attachments }, (_, number) => file(String(number))));
  } catch (error) {
    reason = error.message;
  }
  equal([reason, files().length], ["a message brings at most 64 files along", 1]);
});
