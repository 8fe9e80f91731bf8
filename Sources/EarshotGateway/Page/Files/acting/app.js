/** The parts of the page, and how they work together. It decides nothing itself. */
import { consequences } from "../deciding/consequences.js";
import { spoken } from "../deciding/layout.js";
import { LIMITS } from "../deciding/limits.js";
import { conversationTitle, draftAuthor, partyName } from "../deciding/naming.js";
import { fragmentOf } from "../deciding/route.js";
import { excerpt, line } from "../deciding/safe-text.js";
import { writingProblem } from "../deciding/views.js";
import { announce } from "../drawing/announcer.js";
import { closeSheet } from "../drawing/sheet.js";
import { Api } from "../talking/api.js";
import { EventStream } from "../talking/event-stream.js";
import { Refresher } from "../talking/refresher.js";
import { Drafts } from "../talking/tab-storage.js";
import { Attachments } from "./attachments.js";
import { commands } from "./commands.js";
import { Dialogs } from "./dialogs.js";
import { Facts } from "./facts.js";
import { Gathering } from "./gathering.js";
import { notify } from "./notifier.js";
import { People } from "./people.js";
import { ReadingWatch } from "./reading-watch.js";
import { Uploads } from "./uploads.js";
import { Writing } from "./writing.js";

export class App {
  canSearch = true;
  drafts = new Drafts();
  #listening = 0;
  /** What the address said is open. @type {string|null} */
  #wanted = null;

  /** @param {import("../talking/session.js").Session} session @param {import("./store.js").Store} store @param {import("../drawing/page.js").Page} drawn */
  constructor(session, store, drawn) {
    this.store = store;
    this.drawn = drawn;
    this.session = session;
    this.api = new Api(session);
    this.dialogs = new Dialogs(this.api, store);
    this.facts = new Facts(this.api, store, this.dialogs);
    this.writing = new Writing(this.api, store);
    this.attachments = new Attachments(this.api, store);
    this.uploads = new Uploads(this.api, store, (name, reason) => announce(`${line(name)} was not uploaded: ${reason}`, { isUrgent: true }));
    this.people = new People(this.api, store);
    this.gathering = new Gathering(this.api, store);
    this.refresher = new Refresher(this.facts.ask);
    this.reading = new ReadingWatch(this.api, (id) => this.refresher.want([{ kind: "conversation", id }]));
    this.events = new EventStream(this.api, {
      onEvent: (event) => this.#happened(event), onLive: (isFirst) => this.#live(isFirst), onLost: (isForeign) => this.#lost(isForeign),
    });
    this.commands = commands(this);
  }

  get state() { return this.store.state; }

  /** @param {string} name @param {any} [subject] */
  command(name, subject) { return this.commands[name]?.(subject); }

  /** @param {string|null} open what the address says is open */
  async begin(open) {
    this.#wanted = open;
    // Events first: what happens while the first picture is fetched is not missed.
    this.events.run();
    setInterval(() => this.#pulse(), LIMITS.pulseMilliseconds);
    await this.#firstPicture(open);
    await this.attempt(() => this.facts.beginSlowly());
  }

  /** @param {string|null} open */
  async #firstPicture(open) {
    try {
      this.dialogs.askAhead(open);
      const { people } = await this.facts.begin();
      this.command("open", open);
      await people;
    } catch (error) {
      // It goes on when the node is there.
      if (error.isForeign) this.store.apply({ type: "needsLogin", problem: error.message });
      else this.drawn.showProblem(error.message, () => this.#firstPicture(open));
    }
  }

  /** @param {string|null} key @param {{isFromAddress?: boolean}} [options] */
  async open(key, { isFromAddress = false } = {}) {
    closeSheet();
    if (!isFromAddress && key !== this.state.open) history.pushState(null, "", fragmentOf(key));
    const unread = key ? this.state.conversations.get(key)?.unreadCount ?? 0 : 0;
    this.reading.follow(key, unread);
    await this.dialogs.open(key);
    if (this.state.open !== key) return;
    this.reading.learn();
    // What is not drawn yet cannot have the focus.
    this.store.flush();
    this.drawn.opened(key);
    // Behind the history, which people wait for.
    if (key) this.refresher.want([{ kind: "prepared" }]);
  }

  /** Sends a draft, and shows it: in the middle of a long history it would be out of sight. @param {string} key @param {any} draft */
  async write(key, draft) {
    await this.writing.send(key, draft);
    if (!draft.edit && this.state.open === key) this.drawn.messages.toEnd();
  }

  /** Takes files for the message that is written. @param {File[]} files */
  attach(files) {
    const key = this.state.open;
    if (!key || files.length === 0 || writingProblem(this.state) !== "") return;
    try {
      this.uploads.add(key, files);
      announce(`Attached: ${files.map((each) => line(each.name)).join(", ")}`);
    } catch (error) {
      this.command("refuseFiles", error.message);
    }
  }

  /** Whether files that were chosen would be lost with the page: a browser cannot choose them again. */
  get holdsFiles() { return this.state.outgoing.size > 0; }

  /** A dialog is in the page: after the next frame it is on the screen. */
  painted() {
    requestAnimationFrame(() => setTimeout(() => {
      performance.mark("earshot:painted");
      performance.measure("earshot:first-paint", "earshot:open", "earshot:painted");
    }));
  }

  /** @param {Record<string, string|number>} query */
  async search(query) {
    try {
      return await this.api.get(`search?${new URLSearchParams(/** @type {any} */ (query))}`);
    } catch (error) {
      if (error.status === 404) this.canSearch = false;
      throw error.status === 404 ? new Error("This node cannot search messages yet.") : error;
    }
  }

  /** Runs what a person asked for, and says what went wrong. @template T @param {() => Promise<T>} work */
  async attempt(work) {
    try {
      return await work();
    } catch (error) {
      this.drawn.showToast(`That did not work: ${error.message}`);
      return null;
    }
  }

  reconnect() { this.events.restart(); }

  /** Ends the login of this browser, and so of all of its tabs. */
  async signOut() {
    this.events.end();
    closeSheet();
    this.store.apply({ type: "needsLogin", problem: "This browser's login has ended." });
    await this.attempt(() => this.api.delete(`tokens/${this.session.id}`));
    await this.session.forget();
  }

  nextPane() { this.drawn.nextPane(); }

  /** @param {any} event */
  #happened(event) {
    this.store.apply({ type: "event", event, now: Date.now() });
    this.refresher.want(consequences(this.state, event));
    if (event.name === "messageReceived") this.#received(event.message);
    if (event.name === "draftInserted") this.#prepared(event.draft);
    // Whoever is silent says so by nothing.
    clearTimeout(this.#listening);
    this.#listening = setTimeout(() => this.store.apply({ type: "listened", now: Date.now() }), LIMITS.answerMilliseconds + 50);
    if (event.name === "typingStarted") setTimeout(() => this.store.apply({ type: "typingEnded", now: Date.now() }), LIMITS.typingShown + 50);
  }

  /** @param {any} message */
  #received(message) {
    if (message.sender.id === this.state.node?.id) return;
    this.reading.arrived(message);
    if (message.conversationID === this.state.open) announce(`${partyName(this.state, message.sender)}: ${excerpt(spoken(message), LIMITS.excerpt)}`);
    else announce(`New message from ${partyName(this.state, message.sender)}`);
    notify(this.state, message, (key) => this.open(key));
  }

  /** @param {any} draft */
  #prepared(draft) {
    const conversation = this.state.conversations.get(draft.conversationID);
    const where = conversation ? conversationTitle(this.state, conversation) : "somebody new";
    if (draft.conversationID === this.state.open) announce(`${draftAuthor(draft)} has prepared a draft: Alt D`);
    else this.drawn.showToast(`${line(draftAuthor(draft))} has prepared a draft to ${line(where)}.`);
  }

  /** @param {boolean} isForeign whether somebody else answers */
  #lost(isForeign) {
    // Before anything else is asked, whoever answers then has to prove who it is.
    this.session.doubt();
    this.store.apply({ type: "link", link: "lost", isForeign });
  }

  /** @param {boolean} isFirst */
  #live(isFirst) {
    const wasLost = this.state.link === "lost";
    this.store.apply({ type: "link", link: "live" });
    if (this.state.phase === "needsLogin") this.#firstPicture(this.#wanted);
    if (isFirst) return;
    if (wasLost) announce("The node is back");
    this.refresher.want([{ kind: "everything" }, { kind: "health" }]);
    if (this.state.open && this.state.phase === "ready") {
      // What came while the node was away is known when it has said so.
      this.reading.follow(this.state.open, Infinity);
      this.reading.learn();
    }
  }

  async #pulse() {
    if (this.state.phase !== "ready" || this.state.link !== "live" || document.hidden) return;
    // A node that is stopped or hangs keeps its connections, and says nothing.
    if (!(await this.facts.pulse()) && this.state.link === "live") this.events.restart();
  }
}
