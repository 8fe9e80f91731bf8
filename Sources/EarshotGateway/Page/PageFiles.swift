// swift-format-ignore-file

/// The files in `Files`, from which `script/page` writes this one.
enum PageFiles {
    static let all: [String: PageFile] = [
        "acting/app.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
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

            """##),
        "acting/attachments.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** Files that messages bring along: what the node has of them, fetching them, and what they contain. */
            import { isPicture, savedName } from "../deciding/files.js";
            import { LIMITS } from "../deciding/limits.js";
            /** @typedef {import("../talking/api.js").Api} Api */
            /** @typedef {import("./store.js").Store} Store */

            export class Attachments {
              #api;
              #store;

              /** @param {Api} api @param {Store} store */
              constructor(api, store) {
                this.#api = api;
                this.#store = store;
              }

              /** Asks what the node has of a file, unless that is known. @param {string} id */
              async ask(id) {
                const { files, eventCount: since } = this.#store.state, known = files.get(id);
                if (known && !known.isStale) return;
                this.#store.apply({ type: "fileAsked", id });
                try {
                  this.#told(await this.#api.get(`files/${id}`), since);
                } catch (error) {
                  this.#told({ id, state: "unknown", reason: error.message }, since);
                }
              }

              /** @param {string} id */
              async fetch(id) { await this.#decide(id, "fetch"); }

              /** @param {string} id */
              async decline(id) { await this.#decide(id, "decline"); }

              /** Saves what a file contains where the browser saves things. @param {any} attachment */
              async save({ fileID: id, name }) {
                this.#store.apply({ type: "fileSaving", id, isSaving: true });
                try {
                  const response = await this.#api.content(`files/${id}/content?name=${encodeURIComponent(name)}`);
                  const address = URL.createObjectURL(await response.blob()), link = document.createElement("a");
                  link.href = address;
                  link.download = savedName(response.headers.get("content-disposition"));
                  link.click();
                  // The browser has begun to save by then, and holds what it saves.
                  setTimeout(() => URL.revokeObjectURL(address), LIMITS.savingMilliseconds);
                } finally {
                  this.#store.apply({ type: "fileSaving", id, isSaving: false });
                }
              }

              /** A picture that the node has checked, as one of the types that are shown. @param {string} id @returns {Promise<Blob>} */
              async picture(id) {
                const response = await this.#api.content(`files/${id}/picture`);
                const type = response.headers.get("content-type") ?? "";
                if (!isPicture(type)) throw new Error("it is not a picture that is shown");
                // Of this type, whatever else it may look like.
                return new Blob([await response.arrayBuffer()], { type });
              }

              /** @param {string} id @param {"fetch"|"decline"} decision */
              async #decide(id, decision) {
                const since = this.#store.state.eventCount;
                this.#told(await this.#api.post(`files/${id}/${decision}`), since);
              }

              /** @param {any} file @param {number} since */
              #told(file, since) { this.#store.apply({ type: "file", file, since, now: Date.now() }); }
            }

            """##),
        "acting/commands.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** What each command of the page does. Elements and keys name commands; here is the one table of them. */
            import { openConversation, openPeer, openTitle, openWindow, conversationRows, keyOfUser } from "../deciding/views.js";
            import { line } from "../deciding/safe-text.js";
            import { announce } from "../drawing/announcer.js";
            import { showBegin } from "../drawing/begin-sheet.js";
            import { showFindings } from "../drawing/findings-sheet.js";
            import { showGroup } from "../drawing/group-sheet.js";
            import { showHelp } from "../drawing/help-sheet.js";
            import { showMessageDetails } from "../drawing/message-sheet.js";
            import { showPerson } from "../drawing/person-sheet.js";
            import { showReact } from "../drawing/react-sheet.js";
            import { showSearch } from "../drawing/search-sheet.js";
            import { showSettings } from "../drawing/settings-sheet.js";
            import { closeSheet, confirmSheet } from "../drawing/sheet.js";

            /**
             * @param {import("./app.js").App} app
             * @returns {Record<string, (subject: any) => any>}
             */
            export function commands(app) {
              const { dialogs, attachments, uploads, writing, people, gathering, store, drawn } = app;
              const user = (/** @type {string} */ id) => store.state.users.get(id);
              const conversation = () => openConversation(store.state);
              return {
                // Dialogs
                open: (key) => app.open(key),
                openUser: (id) => app.open(keyOfUser(store.state, id)),
                close: () => app.open(null),
                nextConversation: () => app.open(neighbour(store.state, 1)),
                previousConversation: () => app.open(neighbour(store.state, -1)),
                nextUnread: () => {
                  const next = conversationRows(store.state).find((each) => each.unreadCount > 0 && each.id !== store.state.open);
                  if (next) app.open(next.id);
                  else announce("Nothing is unread");
                },
                earlier: () => dialogs.fetchEarlier(),
                later: () => dialogs.fetchLater(),
                showEnd: () => dialogs.showEnd(),
                showMessage: async (message) => {
                  closeSheet();
                  if (message.conversationID !== store.state.open) await app.open(message.conversationID);
                  drawn.messages.aim(message.id);
                  await dialogs.showMessage(message);
                },
                quote: (id) => dialogs.fetchQuote(id),
                moreConversations: () => app.facts.moreConversations(),
                // Messages
                typing: ({ key, isTyping }) => key && writing.sayTyping(key, isTyping),
                reply: (message) => drawn.composer.reply(message),
                edit: (message) => isOwn(store.state, message) && drawn.composer.edit(message),
                editLast: () => {
                  const last = openWindow(store.state)?.messages.findLast((/** @type {any} */ each) => isOwn(store.state, each) && !each.isRetracted && !each.isDeleted);
                  if (last) drawn.composer.edit(last);
                },
                retract: (message) => isOwn(store.state, message) && confirmSheet({
                  title: "Take this message back?", text: "Whoever has it shows that it was taken back, and its text is erased there and here.", action: "Take back", isDangerous: true,
                }, () => writing.retract(message)),
                retry: (message) => app.attempt(() => writing.retry(message)),
                react: ({ message, emoji, remove }) => app.attempt(() => writing.react(message, emoji, remove)),
                prepared: () => drawn.prepared.focusDraft(),
                sendPrepared: ({ draft, text }) => app.attempt(async () => {
                  await writing.sendPrepared(draft, text);
                  announce("Sent");
                }),
                editPrepared: ({ draft, text }) => app.attempt(() => writing.editPrepared(draft, text)),
                discardPrepared: (draft) => app.attempt(async () => {
                  await writing.discardPrepared(draft);
                  announce("Discarded");
                }),
                // Files
                attach: () => drawn.composer.chooseFiles(),
                attachFiles: (files) => app.attach(files),
                refuseFiles: (reason) => drawn.showToast(`Not attached: ${reason}.`),
                notSent: (reason) => drawn.showToast(`Not sent: ${reason}. The draft is kept.`),
                removeFile: (id) => {
                  uploads.remove(id);
                  announce("Removed");
                },
                uploadAgain: (id) => uploads.again(id),
                askFile: (id) => attachments.ask(id),
                fetchFile: ({ fileID }) => app.attempt(() => attachments.fetch(fileID)),
                declineFile: ({ fileID }) => app.attempt(() => attachments.decline(fileID)),
                saveFile: (attachment) => app.attempt(() => attachments.save(attachment)),
                picture: async ({ id, show, refuse }) => {
                  try {
                    show(await attachments.picture(id));
                  } catch (error) {
                    refuse(error.message, error.isLost);
                  }
                },
                reactWith: (message) => showReact(message, app),
                messageDetails: (message) => showMessageDetails(message, app),
                onScreen: (ids) => app.reading.shows(ids),
                drawn: () => app.painted(),
                // People
                details: (id) => {
                  const peer = (id && user(id)) || (!id && openPeer(store.state));
                  if (peer) showPerson(peer, app);
                  else if (conversation()) showGroup(conversation(), app);
                },
                accept: (id) => confirmSheet({
                  title: `Accept the new key for ${line(user(id).name)}?`,
                  text: `The name goes to the key ${user(id).fingerprint}. Nothing more is sent to the old key, and messages that wait for it fail. Do it only if they have told you of it themselves.`,
                  action: "Accept the new key", isDangerous: true,
                }, () => people.decide(user(id), "accept")),
                rename: (id) => confirmSheet({
                  title: `Call ${line(user(id).name)} ${line(user(id).claimedName)} from now on?`,
                  text: `The key is the same: ${user(id).fingerprint}. Whoever else had that name here loses it.`,
                  action: `Call them ${line(user(id).claimedName)}`,
                }, () => people.decide(user(id), "accept", user(id).claimedName)),
                block: (id) => confirmSheet({
                  title: `Block ${line(user(id).name)}?`, text: "Nothing is sent to them or taken from them.", action: "Block", isDangerous: true,
                }, () => people.decide(user(id), "block")),
                // Conversations of many
                newConversation: () => showBegin(app),
                joinOpen: async ({ uniqueName }) => {
                  const id = await app.attempt(() => gathering.begin({ uniqueName }));
                  if (id) app.open(id);
                },
                joinOpenConversation: () => app.attempt(() => gathering.decide(conversation().id, "join")),
                leave: () => confirmSheet({
                  title: `${conversation().status === "invited" ? "Decline" : "Leave"} ${openTitle(store.state)}?`, text: "What is here of it stays, and can be read.",
                  action: conversation().status === "invited" ? "Decline" : "Leave", isDangerous: true,
                }, () => gathering.decide(conversation().id, "leave")),
                markAll: () => app.attempt(async () => {
                  await gathering.markAll(conversation().id);
                  app.reading.follow(conversation().id, 0);
                }),
                // The page
                search: () => showSearch(app),
                settings: () => showSettings(app),
                help: () => showHelp(),
                findings: () => showFindings(app),
                dismiss: (key) => store.apply({ type: "dismissed", key }),
                reconnect: () => app.reconnect(),
                signOut: () => app.signOut(),
                nextPane: () => app.nextPane(),
                back: () => {
                  if (drawn.composer.cancel()) return;
                  if (drawn.composer.contains(document.activeElement)) drawn.messages.focusMessage();
                  else if (store.state.open) drawn.composer.focusField();
                },
              };
            }

            /** @param {any} state @param {any} message */
            const isOwn = (state, message) => message.sender.id === state.node?.id;

            /** @param {any} state @param {number} step */
            function neighbour(state, step) {
              const rows = conversationRows(state), at = rows.findIndex((each) => each.id === state.open);
              return (rows[at + step] ?? rows[at] ?? rows[0])?.id ?? null;
            }

            """##),
        "acting/dialogs.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** Opens dialogs, and fetches their pages. */
            import { LIMITS } from "../deciding/limits.js";
            import { userOfKey } from "../deciding/state.js";
            import { openWindow } from "../deciding/views.js";
            /** @typedef {import("../talking/api.js").Api} Api */
            /** @typedef {import("./store.js").Store} Store */

            /** @param {string} id @param {Record<string, string|number>} query */
            export const messagesPath = (id, query) => `conversations/${id}/messages?${new URLSearchParams(/** @type {any} */ (query))}`;

            export class Dialogs {
              #api;
              #store;
              /** @type {{key: string, page: Promise<any[]>, since: number}|null} */
              #ahead = null;

              /** @param {Api} api @param {Store} store */
              constructor(api, store) {
                this.#api = api;
                this.#store = store;
              }

              /** Asks for the latest messages of a dialog that will be opened in a moment. @param {string|null} key */
              askAhead(key) {
                if (!key || userOfKey(key)) return;
                performance.mark("earshot:open");
                const page = this.#api.get(messagesPath(key, { limit: LIMITS.page }));
                // If it fails, it is whoever opens the dialog who hears of it.
                page.catch(() => {});
                this.#ahead = { key, page, since: this.#store.state.eventCount };
              }

              /** The latest messages of a dialog, and how many events there had been when they were asked for. @param {string} key */
              async #lastPage(key) {
                const ahead = this.#ahead;
                this.#ahead = null;
                if (ahead?.key === key) return { since: ahead.since, messages: await ahead.page };
                return { since: this.#store.state.eventCount, messages: await this.#api.get(messagesPath(key, { limit: LIMITS.page })) };
              }

              /**
               * Opens a dialog at the first unread message, or at its end.
               * @param {string|null} key
               */
              async open(key) {
                // Whoever has asked ahead waits since then.
                if (this.#ahead?.key !== key) performance.mark("earshot:open");
                this.#store.apply({ type: "open", key });
                if (!key) return;
                if (userOfKey(key)) {
                  this.#store.apply({ type: "dialog", key, since: this.#store.state.eventCount, messages: [], isAtStart: true, isAtEnd: true });
                  return;
                }
                const window = openWindow(this.#store.state);
                const conversation = this.#store.state.conversations.get(key);
                const firstUnread = conversation?.unreadCount > 0 ? conversation.firstUnread : null;
                if (window?.isAtEnd && (!firstUnread || window.messages.some((each) => each.id === firstUnread.id))) {
                  this.#store.apply({ type: "dialog", key, since: this.#store.state.eventCount, ...window, newFrom: firstUnread?.id ?? null });
                  return;
                }
                await this.#loading(key, "whole", async () => {
                  if (firstUnread && conversation.unreadCount > LIMITS.page) await this.#fetchAround(key, firstUnread, firstUnread.id);
                  else await this.#fetchEnd(key, firstUnread);
                });
              }

              /** Shows the latest messages of what is open. */
              async showEnd() {
                const { open } = this.#store.state;
                if (open && !openWindow(this.#store.state)?.isAtEnd) await this.#loading(open, "whole", () => this.#fetchEnd(open, null));
              }

              /** Shows a message, wherever it is in its dialog. @param {any} message */
              async showMessage(message) {
                const key = message.conversationID;
                if (this.#store.state.open !== key) this.#store.apply({ type: "open", key });
                if (openWindow(this.#store.state)?.messages.some((each) => each.id === message.id)) return;
                await this.#loading(key, "whole", () => this.#fetchAround(key, message, null));
              }

              async fetchEarlier() {
                const { open: key, loading } = this.#store.state, window = openWindow(this.#store.state);
                if (!key || !window || window.isAtStart || loading || window.messages.length === 0) return;
                await this.#loading(key, "before", async () => {
                  const since = this.#store.state.eventCount;
                  const page = await this.#api.get(messagesPath(key, { limit: LIMITS.page, before: window.messages[0].id }));
                  this.#store.apply({ type: "earlier", key, since, page, asked: LIMITS.page });
                });
              }

              async fetchLater() {
                const { open: key, loading } = this.#store.state, window = openWindow(this.#store.state);
                if (!key || !window || window.isAtEnd || loading || window.messages.length === 0) return;
                await this.#loading(key, "after", async () => {
                  const since = this.#store.state.eventCount;
                  const after = window.messages[window.messages.length - 1].id;
                  const page = await this.#api.get(messagesPath(key, { limit: LIMITS.page, after, order: "time" }));
                  this.#store.apply({ type: "later", key, since, page, asked: LIMITS.page });
                });
              }

              /** Fetches what is shown anew, after events were lost. */
              async refresh() {
                const { open: key } = this.#store.state, window = openWindow(this.#store.state);
                if (!key || !window || userOfKey(key) || window.messages.length === 0) return;
                const since = this.#store.state.eventCount;
                const asked = Math.max(LIMITS.page, window.messages.length);
                const first = window.messages[0], query = window.isAtEnd ? { limit: asked } : { limit: asked - 1, after: first.id, order: "time" };
                const page = await this.#api.get(messagesPath(key, query));
                const messages = window.isAtEnd ? page : [await this.#api.get(`messages/${first.id}`), ...page];
                this.#store.apply({
                  type: "dialog", key, since, messages, isAtStart: window.isAtEnd ? page.length < asked : window.isAtStart,
                  isAtEnd: window.isAtEnd || page.length < asked - 1, newFrom: window.newFrom, keepsPlace: true,
                });
              }

              /** Fetches a message that a reply answers. @param {string} id */
              async fetchQuote(id) {
                this.#store.apply({ type: "quote", id, message: null });
                try {
                  this.#store.apply({ type: "quote", id, message: await this.#api.get(`messages/${id}`) });
                } catch (error) {
                  // It need not be here. The reply is shown without it.
                  console.info("what is answered is not here", error);
                }
              }

              /** @param {string} key @param {any} firstUnread */
              async #fetchEnd(key, firstUnread) {
                const { messages, since } = await this.#lastPage(key);
                const isThere = !firstUnread || messages.some((/** @type {any} */ each) => each.id === firstUnread.id);
                // What came late may be unread long before the end.
                if (!isThere) return this.#fetchAround(key, firstUnread, firstUnread.id);
                this.#store.apply({
                  type: "dialog", key, since, messages, isAtStart: messages.length < LIMITS.page, isAtEnd: true, newFrom: firstUnread?.id ?? null,
                });
              }

              /** @param {string} key @param {any} message @param {string|null} newFrom */
              async #fetchAround(key, message, newFrom) {
                const since = this.#store.state.eventCount;
                const [earlier, later] = await Promise.all([
                  this.#api.get(messagesPath(key, { limit: LIMITS.context, before: message.id })),
                  this.#api.get(messagesPath(key, { limit: LIMITS.page, after: message.id, order: "time" })),
                ]);
                this.#store.apply({
                  type: "dialog", key, since, messages: [...earlier, message, ...later], isAtStart: earlier.length < LIMITS.context,
                  isAtEnd: later.length < LIMITS.page, newFrom,
                });
              }

              /** @param {string} key @param {"before"|"after"|"whole"} loading @param {() => Promise<void>} fetch */
              async #loading(key, loading, fetch) {
                this.#store.apply({ type: "loading", key, loading });
                try {
                  await fetch();
                } catch (error) {
                  this.#store.apply({ type: "dialogFailed", key, problem: error.message });
                }
              }
            }

            """##),
        "acting/facts.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** Asks the node for what the page shows, at the beginning and after events. */
            import { LIMITS } from "../deciding/limits.js";
            import { userOfKey } from "../deciding/state.js";
            /** @typedef {import("../talking/api.js").Api} Api */
            /** @typedef {import("./store.js").Store} Store */

            export class Facts {
              #api;
              #store;
              #dialogs;

              /** @param {Api} api @param {Store} store @param {import("./dialogs.js").Dialogs} dialogs */
              constructor(api, store, dialogs) {
                this.#api = api;
                this.#store = store;
                this.#dialogs = dialogs;
              }

              /** What the first picture needs, all at once. It is ready before the people are known: messages bring their names. */
              async begin() {
                const people = this.#api.get("users").then((users) => this.#store.apply({ type: "users", users }));
                const [node, conversations] = await Promise.all([this.#api.get("node"), this.#api.get(`conversations?limit=${LIMITS.conversations}`)]);
                this.#store.apply({ type: "node", node });
                this.#store.apply({ type: "conversations", conversations, isFirstPage: true });
                this.#store.apply({ type: "ready" });
                return { people };
              }

              /** What may take longer. */
              async beginSlowly() { await Promise.all([this.#ask({ kind: "advertised" }), this.#ask({ kind: "health" })]); }

              async moreConversations() {
                const oldest = [...this.#store.state.conversations.values()].filter((each) => each.lastMessage)
                  .sort((a, b) => (a.lastMessage.index ?? Infinity) - (b.lastMessage.index ?? Infinity))[0];
                if (!oldest) return;
                const conversations = await this.#api.get(`conversations?limit=${LIMITS.conversations}&before=${oldest.id}`);
                this.#store.apply({ type: "conversations", conversations, isFirstPage: false });
              }

              /**
               * Whether the node answers; and what other programs have read meanwhile.
               * @returns {Promise<boolean>}
               */
              async pulse() {
                try {
                  const conversations = await this.#api.get(`conversations?limit=${LIMITS.conversations}`, { patience: LIMITS.pulsePatience });
                  this.#store.apply({ type: "conversations", conversations, isFirstPage: true });
                  return true;
                } catch (error) {
                  return !error.isLost;
                }
              }

              /** Asks for one thing. A failure is no more than that: the next event, or the next connection, asks again.
               * @param {import("../deciding/consequences.js").Request} request */
              ask = async (request) => {
                try {
                  await this.#ask(request);
                } catch (error) {
                  console.info("not refreshed:", request.kind, error);
                }
              };

              /** @param {import("../deciding/consequences.js").Request} request */
              async #ask(request) {
                switch (request.kind) {
                  case "conversation":
                    return this.#store.apply({ type: "conversation", conversation: await this.#api.get(`conversations/${request.id}`), now: Date.now() });
                  case "message":
                    return this.#store.apply({ type: "message", message: await this.#api.get(`messages/${request.id}`), isNew: false });
                  case "users": return this.#store.apply({ type: "users", users: await this.#api.get("users") });
                  case "node": return this.#store.apply({ type: "node", node: await this.#api.get("node") });
                  case "advertised": return this.#store.apply({ type: "advertised", advertised: await this.#api.get("advertised") });
                  case "prepared": return this.#askPrepared();
                  case "health": return this.#store.apply({ type: "findings", findings: await this.#api.get("health") });
                  case "everything": {
                    this.#store.apply({ type: "filesStale" });
                    await (await this.begin()).people;
                    await Promise.all([this.#dialogs.refresh(), this.#askPrepared()]);
                  }
                }
              }

              /** What programs have prepared for the dialog that is open. */
              async #askPrepared() {
                const key = this.#store.state.open;
                if (!key) return;
                const drafts = await this.#drafts(userOfKey(key) ?? key);
                if (this.#store.state.open === key) this.#store.apply({ type: "prepared", key, drafts });
              }

              /** @param {string} conversation */
              async #drafts(conversation) {
                try {
                  return await this.#api.get(`drafts?conversation=${conversation}`);
                } catch (error) {
                  // Nothing was written there yet, and nothing prepared.
                  if (error.status === 404) return [];
                  throw error;
                }
              }
            }

            """##),
        "acting/gathering.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** Conversations of many: begun, joined, left, and who is in. */
            /** @typedef {import("../talking/api.js").Api} Api */
            /** @typedef {import("./store.js").Store} Store */

            export class Gathering {
              #api;
              #store;

              /** @param {Api} api @param {Store} store */
              constructor(api, store) {
                this.#api = api;
                this.#store = store;
              }

              /** @param {any} request as `POST /v1/conversations` takes it @returns {Promise<string>} its id */
              async begin(request) {
                const id = this.#changed(await this.#api.post("conversations", request));
                this.#store.apply({ type: "advertised", advertised: await this.#api.get("advertised") });
                return id;
              }

              /** @param {string} id @param {"join"|"leave"|"close"} what */
              async decide(id, what) { return this.#changed(await this.#api.post(`conversations/${id}/${what}`)); }

              /** @param {string} id @param {string[]} users */
              async invite(id, users) { return this.#changed(await this.#api.post(`conversations/${id}/invite`, { users })); }

              /** @param {string} id @param {string} user */
              async remove(id, user) { return this.#changed(await this.#api.post(`conversations/${id}/remove`, { user })); }

              /** @param {string} id @param {string} friendlyName */
              async rename(id, friendlyName) { return this.#changed(await this.#api.post(`conversations/${id}/update`, { friendlyName })); }

              /** @param {string} id */
              async markAll(id) {
                await this.#api.post(`conversations/${id}/read`, { all: true });
                this.#changed(await this.#api.get(`conversations/${id}`));
              }

              /** @param {string} key a conversation's id, or the key of the other user @param {"all"|"mentions"|"none"} level */
              async setLevel(key, level) {
                const conversation = await this.#api.post(`conversations/${key}/notifications`, { level });
                // One in which nothing was written yet is in no list.
                if (conversation.lastMessage || conversation.kind !== "direct") this.#changed(conversation);
              }

              /** @param {string} id */
              participants(id) { return this.#api.get(`conversations/${id}/participants?limit=200`); }

              /** @param {any} conversation */
              #changed(conversation) {
                this.#store.apply({ type: "conversation", conversation, now: Date.now() });
                return conversation.id;
              }
            }

            """##),
        "acting/notifier.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
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

            """##),
        "acting/people.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** Decisions about people, and about this node's own user. */
            /** @typedef {import("../talking/api.js").Api} Api */
            /** @typedef {import("./store.js").Store} Store */

            export class People {
              #api;
              #store;

              /** @param {Api} api @param {Store} store */
              constructor(api, store) {
                this.#api = api;
                this.#store = store;
              }

              /**
               * @param {any} user as they were shown when the person decided: with another name now, nothing is done
               * @param {"accept"|"verify"|"block"|"unblock"} decision
               * @param {string} name that the decision is about
               */
              async decide(user, decision, name = user.name) {
                const decided = await this.#api.post(`users/${user.id}/trust`, { decision, name });
                this.#store.apply({ type: "user", user: decided });
                // A name that goes to another key leaves the one that had it.
                this.#store.apply({ type: "users", users: await this.#api.get("users") });
              }

              /** @param {string} userID */
              safetyNumber(userID) { return this.#api.get(`users/${userID}/safety-number`); }
              /** @param {string} userID */
              profile(userID) { return this.#api.get(`users/${userID}/profile`); }
              ownProfile() { return this.#api.get("profile"); }
              /** @param {any} change */
              updateProfile(change) { return this.#api.post("profile", change); }
              devices() { return this.#api.get("devices"); }
              targets() { return this.#api.get("notifications/targets"); }
              /** @param {any} target as `POST /v1/notifications/targets` takes it */
              addTarget(target) { return this.#api.post("notifications/targets", target); }
              /** @param {string} name */
              removeTarget(name) { return this.#api.delete(`notifications/targets/${encodeURIComponent(name)}`); }
              tokens() { return this.#api.get("tokens"); }
              /** @param {string} name */
              revokeToken(name) { return this.#api.delete(`tokens/${encodeURIComponent(name)}`); }
            }

            """##),
        "acting/reading-watch.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** Marks as read what was on the screen of somebody who looked at it. */
            import { LIMITS } from "../deciding/limits.js";
            import { afterMarking, NOTHING_READ, upTo, withSeen, withUnread } from "../deciding/reading.js";
            import { userOfKey } from "../deciding/state.js";
            /** @typedef {import("../talking/api.js").Api} Api */

            export class ReadingWatch {
              #api;
              #onMarked;
              /** @type {string|null} */
              #key = null;
              #reading = NOTHING_READ;
              /** @type {ReadonlySet<string>} */
              #onScreen = new Set();
              #isMarking = false;

              /** @param {Api} api @param {(conversationID: string) => void} onMarked */
              constructor(api, onMarked) {
                this.#api = api;
                this.#onMarked = onMarked;
              }

              /** Whether somebody can see the page. */
              static get isLookedAt() { return document.visibilityState === "visible" && document.hasFocus(); }

              /**
               * Begins with a dialog that is opened. What comes from now on is unread; `learn` asks for what was before.
               * @param {string|null} key @param {number} unreadCount
               */
              follow(key, unreadCount) {
                this.#key = key;
                this.#reading = { ...NOTHING_READ, isWhole: unreadCount === 0 || !key || userOfKey(key) !== null };
                this.#onScreen = new Set();
              }

              /** Asks which messages are unread, page by page. */
              async learn() {
                const key = this.#key;
                if (!key || this.#reading.isWhole) return;
                try {
                  let after = "", count = 0;
                  while (this.#key === key && count < LIMITS.unreadFollowed) {
                    const page = await this.#api.get(`conversations/${key}/unread?limit=${LIMITS.unreadPage}${after && `&after=${after}`}`);
                    if (this.#key !== key) return;
                    count += page.length;
                    this.#reading = withUnread(this.#reading, page, page.length < LIMITS.unreadPage);
                    this.check();
                    if (page.length < LIMITS.unreadPage) return;
                    after = page[page.length - 1].id;
                  }
                } catch (error) {
                  // Nothing is marked then; what is unread is asked for again when the dialog is opened, or the node is back.
                  console.info("what is unread is not known", error);
                }
              }

              /** A message of somebody else has come. @param {any} message */
              arrived(message) {
                if (message.conversationID !== this.#key) return;
                this.#reading = withUnread(this.#reading, [message], this.#reading.isWhole);
                this.check();
              }

              /** @param {ReadonlySet<string>} ids the messages that are on the screen now */
              shows(ids) {
                this.#onScreen = ids;
                this.check();
              }

              /** Looks whether there is something to mark. */
              async check() {
                if (!this.#key || !ReadingWatch.isLookedAt) return;
                this.#reading = withSeen(this.#reading, this.#onScreen);
                const key = this.#key, message = upTo(this.#reading);
                if (!message || this.#isMarking) return;
                this.#isMarking = true;
                try {
                  await this.#api.post(`conversations/${key}/read`, { upTo: message });
                  if (this.#key === key) this.#reading = afterMarking(this.#reading, message);
                  this.#onMarked(key);
                } catch (error) {
                  console.info("nothing was marked as read", error);
                  return;
                } finally {
                  this.#isMarking = false;
                }
                if (upTo(this.#reading)) this.check();
              }
            }

            """##),
        "acting/store.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** Holds what the page knows, and tells once a frame that it has changed. */
            import { reduce } from "../deciding/reduce.js";
            import { INITIAL } from "../deciding/state.js";

            export class Store {
              #state = INITIAL;
              #draw;
              #isWaiting = false;

              /** @param {(state: import("../deciding/state.js").State) => void} draw */
              constructor(draw) { this.#draw = draw; }

              get state() { return this.#state; }

              /** @param {any} action */
              apply(action) {
                const next = reduce(this.#state, action);
                if (next === this.#state) return;
                this.#state = next;
                if (this.#isWaiting) return;
                this.#isWaiting = true;
                // A hidden page gets no frames, and still has to say in its title what came.
                if (document.hidden) setTimeout(() => this.flush());
                else requestAnimationFrame(() => this.flush());
              }

              /** Draws at once what is waiting. */
              flush() {
                if (!this.#isWaiting) return;
                this.#isWaiting = false;
                this.#draw(this.#state);
              }
            }

            """##),
        "acting/uploads.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** Sends files to the node while a message is written, and says when all that go with it are there. */
            import { LIMITS } from "../deciding/limits.js";
            import { filesFor, outgoing, outgoingFile } from "../deciding/outgoing.js";
            import { line } from "../deciding/safe-text.js";
            /** @typedef {import("../talking/api.js").Api} Api */
            /** @typedef {import("./store.js").Store} Store */

            export class Uploads {
              #api;
              #store;
              #onFailed;
              /** @type {Map<string, {content: File, abort: AbortController}>} */
              #contents = new Map();
              /** Those that are not sent yet, in their order. @type {string[]} */
              #waiting = [];
              /** @type {Set<string>} */
              #running = new Set();
              /** Who waits until something has changed. @type {Set<() => void>} */
              #waiters = new Set();

              /** @param {Api} api @param {Store} store @param {(name: string, reason: string) => void} onFailed */
              constructor(api, store, onFailed) {
                this.#api = api;
                this.#store = store;
                this.#onFailed = onFailed;
              }

              /**
               * Takes files for the next message of a dialog. What is too much for one message is refused as a whole.
               * @param {string} key @param {File[]} contents
               */
              add(key, contents) {
                if (filesFor(this.#store.state, key).length + contents.length > LIMITS.attachments) {
                  throw new Error(`a message brings at most ${LIMITS.attachments} files along`);
                }
                const files = contents.map((content) => {
                  const id = crypto.randomUUID();
                  this.#contents.set(id, { content, abort: new AbortController() });
                  this.#waiting.push(id);
                  return outgoing({ id, name: content.name, byteCount: content.size });
                });
                this.#store.apply({ type: "outgoingAdded", key, files });
                this.#next();
              }

              /** @param {string} id */
              remove(id) { this.done([id]); }

              /** Lets go of files: their message has gone, or a person has removed them. @param {string[]} ids */
              done(ids) {
                this.#waiting = this.#waiting.filter((each) => !ids.includes(each));
                for (const id of ids) {
                  this.#contents.get(id)?.abort.abort();
                  this.#contents.delete(id);
                }
                this.#changed({ type: "outgoingGone", ids });
              }

              /** Tries once more what has failed. @param {string} id */
              again(id) {
                if (!this.#contents.has(id) || outgoingFile(this.#store.state, id)?.state !== "failed") return;
                this.#waiting.push(id);
                this.#changed({ type: "outgoingBegun", id, now: Date.now() });
                this.#next();
              }

              /**
               * The files as a message names them, as soon as the node has all. Those that are removed meanwhile are left out.
               * @param {string[]} ids @returns {Promise<any[]>}
               */
              async whole(ids) {
                for (;;) {
                  const files = ids.map((id) => outgoingFile(this.#store.state, id)).filter((each) => each !== null);
                  const failed = files.find((each) => each.state === "failed");
                  if (failed) throw new Error(`${line(failed.name)} was not uploaded: ${failed.reason}`);
                  if (files.every((each) => each.state === "ready")) return files.map((each) => each.attachment);
                  await new Promise((resolve) => this.#waiters.add(() => resolve(undefined)));
                }
              }

              #next() {
                while (this.#running.size < LIMITS.uploads) {
                  const id = this.#waiting.shift();
                  if (id === undefined) return;
                  this.#send(id);
                }
              }

              /** @param {string} id */
              async #send(id) {
                const held = this.#contents.get(id);
                if (!held) return;
                const { content, abort: { signal } } = held;
                this.#running.add(id);
                this.#store.apply({ type: "outgoingBegun", id, now: Date.now() });
                let toldAt = 0;
                const onProgress = (/** @type {number} */ bytes) => {
                  const now = Date.now();
                  if (now - toldAt < LIMITS.progressMilliseconds) return;
                  toldAt = now;
                  this.#store.apply({ type: "outgoingMoved", id, bytes, now });
                };
                try {
                  this.#changed({ type: "outgoingReady", id, attachment: await this.#api.upload(content, content.name, { onProgress, signal }) });
                } catch (error) {
                  if (!signal.aborted) {
                    this.#changed({ type: "outgoingFailed", id, reason: error.message });
                    this.#onFailed(content.name, error.message);
                  }
                } finally {
                  this.#running.delete(id);
                  this.#next();
                }
              }

              /** @param {any} action */
              #changed(action) {
                this.#store.apply(action);
                for (const waiter of this.#waiters) waiter();
                this.#waiters.clear();
              }
            }

            """##),
        "acting/writing.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** Sends, changes and takes back messages. */
            import { LIMITS } from "../deciding/limits.js";
            import { mentioned } from "../deciding/mentions.js";
            import { bytes } from "../deciding/safe-text.js";
            import { userOfKey } from "../deciding/state.js";
            import { openConversation } from "../deciding/views.js";
            /** @typedef {import("../talking/api.js").Api} Api */
            /** @typedef {import("./store.js").Store} Store */

            export class Writing {
              #api;
              #store;
              #typing = { key: "", saidAt: 0 };

              /** @param {Api} api @param {Store} store */
              constructor(api, store) {
                this.#api = api;
                this.#store = store;
              }

              /** Why a text cannot be sent, or nothing. @param {string} text */
              problem(text) {
                const length = bytes(text);
                return length > LIMITS.messageBytes ? `It is too long: ${length.toLocaleString()} bytes of at most ${LIMITS.messageBytes.toLocaleString()}.` : "";
              }

              /**
               * Sends a draft. It throws if the node has not taken it; sent again with the same key, it goes once.
               * @param {string} key what is open @param {{text: string, replyTo?: any, edit?: any, attachments?: any[], key: string}} draft
               */
              async send(key, draft) {
                if (draft.edit) {
                  const message = await this.#api.post(`messages/${draft.edit.id}/edit`, { text: draft.text });
                  this.#store.apply({ type: "message", message, isNew: false });
                  return;
                }
                const mentions = mentioned(draft.text, openConversation(this.#store.state)?.participants ?? []);
                const body = { text: draft.text, ...(mentions.length > 0 ? { mentions } : {}), ...bringing(draft.attachments) };
                const message = draft.replyTo
                  ? await this.#api.post(`messages/${draft.replyTo.id}/reply`, body, { key: draft.key })
                  : await this.#api.post("messages", { ...body, to: this.#recipient(key) }, { key: draft.key });
                this.#typing = { key: "", saidAt: 0 };
                this.#store.apply({ type: "message", message, isNew: true });
                if (userOfKey(key)) await this.#begun(message.conversationID);
              }

              /** @param {any} message */
              async retract(message) { this.#changed(await this.#api.post(`messages/${message.id}/retract`)); }

              /** @param {any} message */
              async cancel(message) { this.#changed(await this.#api.post(`messages/${message.id}/cancel`)); }

              /** @param {any} message @param {string} emoji @param {boolean} remove */
              async react(message, emoji, remove) {
                this.#changed(await this.#api.post(`messages/${message.id}/react`, remove ? { emoji, remove } : { emoji }));
              }

              /** Sends what a program has prepared, as it is now. @param {any} draft @param {string} text */
              async sendPrepared(draft, text) {
                if (text !== draft.text) await this.editPrepared(draft, text);
                const message = await this.#api.post(`drafts/${draft.id}/send`);
                this.#store.apply({ type: "preparedGone", id: draft.id });
                this.#store.apply({ type: "message", message, isNew: true });
                if (userOfKey(this.#store.state.open)) await this.#begun(message.conversationID);
              }

              /** @param {any} draft @param {string} text */
              async editPrepared(draft, text) { await this.#api.post(`drafts/${draft.id}/edit`, { text }); }

              /** @param {any} draft */
              async discardPrepared(draft) {
                await this.#api.delete(`drafts/${draft.id}`);
                this.#store.apply({ type: "preparedGone", id: draft.id });
              }

              /** Sends the text and the files of a failed message once more, to whom it was for. @param {any} message */
              async retry(message) {
                const mentions = message.mentions.map((/** @type {any} */ each) => each.id);
                const conversation = this.#store.state.conversations.get(message.conversationID);
                const to = conversation?.kind === "direct" ? conversation.peer.id : message.conversationID;
                const again = await this.#api.post("messages", { to, text: message.text, ...(mentions.length > 0 ? { mentions } : {}), ...bringing(message.attachments) }, { key: `again-${message.id}` });
                this.#store.apply({ type: "message", message: again, isNew: true });
              }

              /** Tells the others that somebody types here, or has stopped. @param {string} key @param {boolean} isTyping */
              async sayTyping(key, isTyping) {
                const now = Date.now(), said = this.#typing;
                if (userOfKey(key) || this.#store.state.link !== "live") return;
                if (isTyping ? said.key === key && now - said.saidAt < LIMITS.typingSaid : said.key !== key) return;
                this.#typing = isTyping ? { key, saidAt: now } : { key: "", saidAt: 0 };
                try {
                  await this.#api.post(`conversations/${key}/typing`, { isTyping });
                } catch (error) {
                  // It is a courtesy, and the next key says it again.
                  console.info("typing was not told", error);
                }
              }

              /** @param {string} key */
              #recipient(key) {
                const conversation = this.#store.state.conversations.get(key);
                return userOfKey(key) ?? (conversation?.kind === "direct" ? conversation.peer?.id : key);
              }

              /** @param {string} conversationID */
              async #begun(conversationID) {
                const since = this.#store.state.eventCount;
                const [conversation, messages] = await Promise.all([
                  this.#api.get(`conversations/${conversationID}`), this.#api.get(`conversations/${conversationID}/messages?limit=${LIMITS.page}`),
                ]);
                this.#store.apply({ type: "conversation", conversation, now: Date.now() });
                this.#store.apply({ type: "dialog", key: conversationID, since, messages, isAtStart: messages.length < LIMITS.page, isAtEnd: true });
              }

              /** @param {any} message */
              #changed(message) { this.#store.apply({ type: "message", message, isNew: false }); }
            }

            /** @param {any[]|undefined} attachments */
            const bringing = (attachments = []) => (attachments.length > 0 ? { attachments } : {});

            """##),
        "deciding/banners.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** What must not be overlooked, the most urgent first. */
            import { LIMITS } from "./limits.js";
            import { shortKey } from "./naming.js";
            import { line } from "./safe-text.js";
            /** @typedef {import("./state.js").State} State */

            /**
             * @typedef {object} Banner
             * @property {string} key the same as long as it is about the same
             * @property {"problem"|"warning"|"note"} severity
             * @property {string} title
             * @property {string} text
             * @property {{label: string, command: string, subject?: string}[]} actions
             * @property {boolean} canDismiss
             */

            /** @param {State} state @returns {Banner[]} */
            export function banners(state) {
              if (state.phase !== "ready") return [];
              return [lost(state), ...conflicts(state), storage(state), ...findings(state), ...renames(state)]
                .filter((each) => each !== null && !state.dismissed.has(each.key))
                .slice(0, LIMITS.banners);
            }

            /** @param {State} state @returns {Banner|null} */
            function lost(state) {
              if (state.link !== "lost") return null;
              const actions = [{ label: "Try now", command: "reconnect" }];
              if (state.isForeign) {
                return {
                  key: "foreign", severity: "problem", title: "What answers here is not your node",
                  text: "It cannot prove that it is, so nothing is sent to it: another program has this port, or this login was ended. Your drafts are kept, " +
                    "and the page goes on when your node is back here. Else: earshot web.",
                  actions, canDismiss: false,
                };
              }
              return {
                key: "lost", severity: "problem", title: "The node is away",
                text: "Nothing is sent or received. Your drafts are kept, and the page goes on when the node is back. If it stays away: earshot up, then earshot web.",
                actions, canDismiss: false,
              };
            }

            /** @param {State} state @returns {Banner[]} */
            function conflicts(state) {
              return [...state.users.values()].filter((user) => user.trust === "conflict" && !isReplaced(state, user)).map((user) => ({
                key: `conflict ${user.id}`, severity: "problem", title: `A new key for ${line(user.name)}`,
                text: `Somebody with another key (${shortKey(user.id)} …) uses the name ${line(user.name)}. Either they have a new device, or ` +
                  "somebody pretends to be them. Ask them in person before you accept it.",
                actions: [
                  { label: "Compare safety number", command: "details", subject: user.id },
                  { label: "Accept the new key…", command: "accept", subject: user.id },
                  { label: "Block", command: "block", subject: user.id },
                ],
                canDismiss: true,
              }));
            }

            /** @param {State} state @returns {Banner[]} */
            function renames(state) {
              const renamed = [...state.users.values()].filter((user) => user.claimedName && user.trust !== "blocked");
              return renamed.map((user) => ({
                key: `renamed ${user.id} ${user.claimedName}`, severity: "note",
                title: `${line(user.name)} calls themselves ${line(user.claimedName)} now`,
                text: `The key is the same. They are ${line(user.name)} here until you agree.`,
                actions: [{ label: `Call them ${line(user.claimedName)}…`, command: "rename", subject: user.id }], canDismiss: true,
              }));
            }

            /**
             * Whether it is the old key of a name that was given to a newer one: that was decided, and is shown among the people.
             * @param {State} state @param {any} user
             */
            function isReplaced(state, user) {
              const pinned = state.users.get(user.conflictsWith);
              return pinned !== undefined && pinned.firstSeenMilliseconds > user.firstSeenMilliseconds;
            }

            /** @param {State} state @returns {Banner|null} */
            function storage(state) {
              if (state.storageProblem === null) return null;
              return {
                key: "storage", severity: "problem", title: "The node cannot write to its disk",
                text: `${line(state.storageProblem) || "The disk may be full."} Messages that you send are refused until there is room again.`,
                actions: [{ label: "What the doctor finds", command: "findings" }], canDismiss: false,
              };
            }

            /** @param {State} state @returns {Banner[]} */
            function findings(state) {
              return state.findings.filter((each) => each.severity === "problem" && each.check !== "names" && each.check !== "storage").map((each) => ({
                key: `finding ${each.check} ${each.code ?? ""}`, severity: "warning", title: line(each.what), text: line(each.why ?? ""),
                actions: [{ label: "What the doctor finds", command: "findings" }], canDismiss: true,
              }));
            }

            """##),
        "deciding/consequences.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** What the page must ask the node for after an event. */
            import { userOfKey } from "./state.js";
            /** @typedef {import("./state.js").State} State */

            /**
             * @typedef {{kind: "conversation", id: string} | {kind: "message", id: string, conversationID: string} | {kind: "users"}
             *   | {kind: "advertised"} | {kind: "everything"} | {kind: "node"} | {kind: "health"} | {kind: "prepared"}} Request
             */

            /** @param {State} state after the event @param {any} event @returns {Request[]} */
            export function consequences(state, event) {
              switch (event.name) {
                case "messageQueued":
                case "messageReceived": return [{ kind: "conversation", id: event.message.conversationID }, ...steps(state, event.message)];
                case "messageFailed": {
                  const { messageID, conversationID } = event.stateChange;
                  const failed = state.dialogs.get(conversationID)?.messages.find((message) => message.id === messageID);
                  return failed ? steps(state, failed) : [];
                }
                case "messageRead": {
                  // Of another one's message: this user has read it, in another program.
                  const isOwn = event.stateChange.recipient.id === state.node?.id;
                  return isOwn ? [{ kind: "conversation", id: event.stateChange.conversationID }] : [];
                }
                case "messageUpdated": return updated(state, event.update);
                case "conversationUpdated": return [{ kind: "conversation", id: event.conversation.conversationID }, { kind: "advertised" }];
                case "participantUpdated": return [{ kind: "conversation", id: event.participant.conversationID }];
                case "conversationAdvertised": return [{ kind: "advertised" }];
                case "draftInserted":
                case "draftUpdated":
                case "draftSent":
                case "draftDiscarded": return isOpen(state, event.draft.conversationID) ? [{ kind: "prepared" }] : [];
                case "identityConflict": return [{ kind: "users" }];
                case "historyRecovered":
                case "eventsGone":
                case "eventsLost": return [{ kind: "everything" }];
                case "storageFailed":
                case "storageRecovered": return [{ kind: "health" }];
                default: return [];
              }
            }

            /**
             * The messages of a session of which another one stands than before, now that a message of it has come or has failed.
             * @param {State} state @param {any} message @returns {Request[]}
             */
            function steps(state, { conversationID, session }) {
              if (!session) return [];
              const messages = state.dialogs.get(conversationID)?.messages ?? [];
              const near = messages.filter((each) => each.session?.id === session.id && (!each.session.isSuperseded || each.session.counter >= session.counter - 1));
              return near.map(({ id }) => ({ kind: "message", id, conversationID }));
            }

            /** What was opened by a user may be any conversation. @param {State} state @param {string} conversationID */
            const isOpen = (state, conversationID) => state.open === conversationID || userOfKey(state.open) !== null;

            /** @param {State} state @param {any} update @returns {Request[]} */
            function updated(state, { messageID, conversationID }) {
              /** @type {Request[]} */
              const requests = [];
              if (state.dialogs.get(conversationID)?.messages.some((message) => message.id === messageID)) {
                requests.push({ kind: "message", id: messageID, conversationID });
              }
              const conversation = state.conversations.get(conversationID);
              if (!conversation || conversation.lastMessage?.id === messageID || conversation.unreadCount > 0) {
                requests.push({ kind: "conversation", id: conversationID });
              }
              return requests;
            }

            """##),
        "deciding/delivery.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** What has become of a message, in words and counts. */

            /** @typedef {{id: string, name?: string, state: string, reason?: string}} Delivery */

            /** How far a state is. A message need not pass through all of them. */
            const RANKS = { failed: -1, queued: 0, sent: 1, delivered: 2, handled: 3, read: 4 };

            export const STATE_WORDS = Object.freeze({
              queued: "Queued", sent: "Sent", delivered: "Delivered", handled: "Handled", read: "Read", failed: "Failed",
            });

            const STATE_MEANINGS = {
              queued: "waits on this machine", sent: "is on its way", delivered: "is on the other's disk",
              handled: "a program of the recipient has dealt with it", read: "was seen", failed: "will not arrive",
            };

            const REASONS = {
              expired: "it was not delivered in time",
              cancelled: "it was taken back before it left",
              blocked: "the recipient is blocked",
              identityChanged: "the recipient has a new key: accept it first",
              deviceReplaced: "the device that it waited for was replaced",
              removed: "the recipient was removed from the conversation",
            };

            /** @param {string} state */
            export const meaning = (state) => STATE_MEANINGS[state] ?? "";

            /** @param {string|undefined} reason */
            export const reasonWords = (reason) => (reason ? REASONS[reason] ?? reason : "");

            /**
             * The recipients with one changed. A state never goes back, whichever order events come in; but a failure stands.
             * @param {Delivery[]} recipients @param {Delivery} change
             * @returns {Delivery[]}
             */
            export function withChange(recipients, change) {
              const index = recipients.findIndex((each) => each.id === change.id);
              if (index < 0) return [...recipients, change];
              const known = recipients[index];
              if (change.state !== "failed" && RANKS[change.state] < RANKS[known.state]) return recipients;
              const result = [...recipients];
              result[index] = { ...known, ...change };
              return result;
            }

            /**
             * The state of a message for all its recipients: the least that any of them has reached.
             * @param {Delivery[]} recipients
             * @returns {{state: string, label: string, isPartial: boolean, reason: string}}
             */
            export function summary(recipients) {
              if (recipients.length === 0) return { state: "queued", label: "Waits for others to join", isPartial: false, reason: "" };
              const failed = recipients.filter((each) => each.state === "failed");
              if (failed.length === recipients.length) {
                return { state: "failed", label: "Failed", isPartial: false, reason: reasonWords(failed[0].reason) };
              }
              const rest = recipients.filter((each) => each.state !== "failed");
              const least = rest.reduce((a, b) => (RANKS[b.state] < RANKS[a.state] ? b : a)).state;
              const reason = failed.length > 0 ? `failed for ${failed.length}: ${reasonWords(failed[0].reason)}` : "";
              if (recipients.length === 1) return { state: least, label: STATE_WORDS[least], isPartial: false, reason };
              for (const state of ["read", "handled", "delivered", "sent"]) {
                const count = rest.filter((each) => RANKS[each.state] >= RANKS[state]).length;
                if (count === 0) continue;
                const isAll = count === recipients.length;
                return {
                  state: isAll ? state : least, isPartial: !isAll, reason,
                  label: isAll ? `${STATE_WORDS[state]} by all` : `${STATE_WORDS[state]} by ${count} of ${recipients.length}`,
                };
              }
              return { state: least, label: STATE_WORDS[least], isPartial: false, reason };
            }

            """##),
        "deciding/dialog-window.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /**
             * The messages of one dialog that the page has: an unbroken piece of its history, in the order of time.
             *
             * @typedef {object} DialogWindow
             * @property {any[]} messages
             * @property {boolean} isAtStart whether nothing comes before them
             * @property {boolean} isAtEnd whether nothing comes after them
             * @property {number} below messages that came after the piece, while it did not reach the end
             * @property {string|null} newFrom the first message that was unread when the dialog was opened
             * @property {object} origin another one each time that the dialog is shown from another place
             */
            import { LIMITS } from "./limits.js";
            import { withChange } from "./delivery.js";

            /** The log of a message and its number there. @param {string} id */
            const logAndNumber = (id) => /** @type {[string, number]} */ ([id.slice(0, 52), Number(id.slice(53))]);

            /** The order of time; of two messages of one time and log, the order of the log. @param {any} a @param {any} b */
            function isBefore(a, b) {
              if (a.timestampMilliseconds !== b.timestampMilliseconds) return a.timestampMilliseconds < b.timestampMilliseconds;
              const [logA, numberA] = logAndNumber(a.id), [logB, numberB] = logAndNumber(b.id);
              return logA === logB ? numberA < numberB : logA < logB;
            }

            /**
             * A window on what one request answered.
             * @param {any[]} messages @param {{isAtStart: boolean, isAtEnd: boolean, newFrom?: string|null, origin?: object}} place
             * @returns {DialogWindow}
             */
            export const windowOn = (messages, { isAtStart, isAtEnd, newFrom = null, origin = {} }) => ({
              messages, isAtStart, isAtEnd, below: 0, newFrom, origin,
            });

            /** Without those that the window has. @param {DialogWindow} window @param {any[]} messages */
            function unknown(window, messages) {
              const known = new Set(window.messages.map((message) => message.id));
              return messages.filter((message) => !known.has(message.id));
            }

            /**
             * With an earlier page. What is then too much is let go at the end.
             * @param {DialogWindow} window @param {any[]} page @param {number} asked
             * @returns {DialogWindow}
             */
            export function withEarlier(window, page, asked) {
              const messages = [...unknown(window, page), ...window.messages];
              const isCut = messages.length > LIMITS.windowMessages;
              return {
                ...window, messages: isCut ? messages.slice(0, LIMITS.windowMessages) : messages,
                isAtStart: page.length < asked, isAtEnd: window.isAtEnd && !isCut,
              };
            }

            /**
             * With a later page. What is then too much is let go at the beginning.
             * @param {DialogWindow} window @param {any[]} page @param {number} asked
             * @returns {DialogWindow}
             */
            export function withLater(window, page, asked) {
              const messages = [...window.messages, ...unknown(window, page)];
              const isCut = messages.length > LIMITS.windowMessages;
              const isAtEnd = page.length < asked;
              return {
                ...window, messages: isCut ? messages.slice(-LIMITS.windowMessages) : messages,
                isAtStart: window.isAtStart && !isCut, isAtEnd, below: isAtEnd ? 0 : window.below,
              };
            }

            /**
             * With a message that has come or was sent: at its place in time, if the window reaches there.
             * @param {DialogWindow} window @param {any} message
             * @returns {DialogWindow}
             */
            export function withMessage(window, message) {
              const { messages } = window;
              const known = messages.findIndex((each) => each.id === message.id);
              // Whether a later step of its session stands is asked for: no event says it.
              if (known >= 0) return replaced(window, known, merged(messages[known], { ...message, session: messages[known].session }));
              let place = messages.length;
              while (place > 0 && isBefore(message, messages[place - 1])) place -= 1;
              if (place === 0 && !window.isAtStart) return window;
              if (place === messages.length && !window.isAtEnd) return { ...window, below: window.below + 1 };
              const result = [...messages.slice(0, place), message, ...messages.slice(place)];
              const isCut = result.length > LIMITS.windowMessages;
              return {
                ...window, messages: isCut ? result.slice(-LIMITS.windowMessages) : result, isAtStart: window.isAtStart && !isCut,
              };
            }

            /**
             * The same message as it is now. An event may be older than what was fetched: states never go back, and a field that
             * the event lacks stays.
             * @param {any} known @param {any} newer
             */
            function merged(known, newer) {
              let { recipients } = newer;
              for (const each of known.recipients) recipients = withChange(recipients, each);
              return { ...known, ...newer, recipients };
            }

            /** @param {DialogWindow} window @param {number} index @param {any} message @returns {DialogWindow} */
            function replaced(window, index, message) {
              const messages = [...window.messages];
              messages[index] = message;
              return { ...window, messages };
            }

            /**
             * With a message as it is after a change, if the window has it.
             * @param {DialogWindow} window @param {any} message
             */
            export function withChangedMessage(window, message) {
              const index = window.messages.findIndex((each) => each.id === message.id);
              return index < 0 ? window : replaced(window, index, merged(window.messages[index], message));
            }

            /**
             * With another state of a message for one recipient.
             * @param {DialogWindow} window @param {string} messageID @param {any} recipient
             */
            export function withState(window, messageID, recipient) {
              const index = window.messages.findIndex((each) => each.id === messageID);
              if (index < 0) return window;
              const message = window.messages[index];
              const recipients = withChange(message.recipients, recipient);
              return recipients === message.recipients ? window : replaced(window, index, { ...message, recipients });
            }

            /**
             * The state with another window of a dialog, if it has one.
             * @param {import("./state.js").State} state @param {string} key @param {(window: DialogWindow) => DialogWindow} change
             */
            export function changed(state, key, change) {
              const window = state.dialogs.get(key);
              if (!window) return state;
              const next = change(window);
              return next === window ? state : { ...state, dialogs: new Map(state.dialogs).set(key, next) };
            }

            """##),
        "deciding/event-parser.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            import { LIMITS } from "./limits.js";

            /** @typedef {{id?: string, name?: string, data?: string}} ServerEvent */

            /**
             * Reads server-sent events (WHATWG HTML, section 9.2) from pieces of text.
             */
            export class EventParser {
              #rest = "";
              /** @type {ServerEvent} */
              #event = {};

              /**
               * @param {string} piece
               * @returns {ServerEvent[]} the events that are complete with it
               */
              take(piece) {
                this.#rest += piece;
                const lines = this.#rest.split("\n");
                this.#rest = lines.pop() ?? "";
                if (this.#rest.length > LIMITS.eventBytes) throw new RangeError("an event is too long");
                const events = [];
                for (const raw of lines) {
                  const text = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
                  if (text !== "") this.#field(text);
                  else if (Object.keys(this.#event).length > 0) {
                    events.push(this.#event);
                    this.#event = {};
                  }
                }
                return events;
              }

              /** @param {string} text */
              #field(text) {
                const colon = text.indexOf(":");
                if (colon === 0) return;
                const name = colon < 0 ? text : text.slice(0, colon);
                const value = colon < 0 ? "" : text.slice(colon + 1).replace(/^ /, "");
                if (name === "id") this.#event.id = value;
                else if (name === "event") this.#event.name = value;
                else if (name === "data") this.#event.data = this.#event.data === undefined ? value : this.#event.data + "\n" + value;
              }
            }

            """##),
        "deciding/files.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** Files that messages bring along, in words. */
            import { LIMITS } from "./limits.js";

            const UNITS = ["kB", "MB", "GB", "TB"];

            /** The pictures that are shown. What may hold scripts, as SVG does, is none of them. */
            const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

            /** A size in decimal units, in three digits: `17 bytes`, `2.90 MB`. @param {number} count */
            export function byteText(count) {
              if (count < 1000) return count === 1 ? "1 byte" : `${count} bytes`;
              let [value, unit] = [count / 1000, 0];
              while (value >= 999.5 && unit + 1 < UNITS.length) [value, unit] = [value / 1000, unit + 1];
              return `${value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0)} ${UNITS[unit]}`;
            }

            /** What stands for a message's files where there is one line for it. @param {any} message */
            export function fileNames(message) {
              return (message.attachments ?? []).map((/** @type {any} */ each) => each.name).join(", ");
            }

            /** All that a draft would send beside its text: whoever sends it must have seen it. @param {any} draft @returns {string[]} */
            export function besidesText(draft) {
              const { layout = {}, attachments = [] } = draft;
              const parts = [layout.imageTitle, layout.imageSubtitle, layout.caption, layout.subcaption, layout.url].filter(Boolean);
              return [...parts, ...attachments.map((/** @type {any} */ each) => `${each.name} (${byteText(each.byteCount)})`)];
            }

            /** Whether a type is one of those that are shown. @param {string} mediaType */
            export const isPicture = (mediaType) => PICTURES.includes(mediaType.toLowerCase());

            /** The files that a message shows. @param {any} message @returns {any[]} */
            export const filesOf = (message) =>
              message.isRetracted || message.isDeleted || message.session?.isSuperseded ? [] : message.attachments ?? [];

            /** What a file is called where it is saved, as the node's answer says: it knows names that do nothing in a folder. @param {string?} header */
            export function savedName(header) {
              const name = /filename\*=UTF-8''([^;]+)/.exec(header ?? "")?.[1];
              return name ? decodeURIComponent(name) : "file";
            }

            /** @typedef {readonly {at: number, bytes: number}[]} Samples how far it was, and when: of the last seconds */

            /** @param {Samples} samples @param {number} bytes @param {number} at @returns {Samples} */
            export function withSample(samples, bytes, at) {
              // It has begun anew.
              if (bytes < (samples.at(-1)?.bytes ?? 0)) return [{ at, bytes }];
              return [...samples.filter((each) => at - each.at <= LIMITS.rateMilliseconds), { at, bytes }].slice(-LIMITS.rateSamples);
            }

            /** How much of a file has moved, of a hundred: all of it only when all has. @param {number} bytes @param {number} byteCount */
            export const percent = (bytes, byteCount) => (byteCount === 0 ? 100 : Math.floor((Math.min(bytes, byteCount) / byteCount) * 100));

            /**
             * How far it is, how fast it goes, and how long it takes: `43 %, 12.3 MB/s, 1:05 left`.
             * @param {number} bytes @param {number} byteCount @param {Samples} samples
             */
            export function progressText(bytes, byteCount, samples) {
              const share = `${percent(bytes, byteCount)} %`, first = samples[0], last = samples.at(-1);
              const seconds = first && last ? (last.at - first.at) / 1000 : 0, moved = first && last ? last.bytes - first.bytes : 0;
              if (seconds < LIMITS.rateFrom / 1000 || moved <= 0) return share;
              const left = Math.ceil((byteCount - Math.min(bytes, byteCount)) / (moved / seconds));
              return `${share}, ${byteText(Math.round(moved / seconds))}/s, ${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")} left`;
            }

            """##),
        "deciding/keys.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
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

            """##),
        "deciding/known-files.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** What the node has of the files that messages bring along. */
            import { withSample } from "./files.js";
            import { LIMITS } from "./limits.js";
            /** @typedef {import("./state.js").State} State */

            /**
             * @typedef {object} KnownFile
             * @property {string} id
             * @property {"asked"|"unknown"|"waiting"|"fetching"|"held"|"declined"|"failed"} state `asked` until the node has said it, and `unknown` if it cannot
             * @property {number} [byteCount]
             * @property {number} [receivedBytes] of one that is fetched
             * @property {string} [reason] why it failed, or is not known
             * @property {import("./files.js").Samples} samples
             * @property {number} number how many events there had been when this was said
             * @property {boolean} [isStale] events were lost, so it is to be asked for again
             * @property {boolean} [isSaving]
             */

            /** @param {State} state @param {any} action @returns {State} */
            export function reduceFiles(state, action) {
              switch (action.type) {
                case "fileAsked": return withFile(state, { samples: [], number: state.eventCount, ...state.files.get(action.id), id: action.id, state: state.files.get(action.id)?.state ?? "asked", isStale: false });
                case "file": return answered(state, action);
                case "fileSaving": {
                  const known = state.files.get(action.id);
                  return known ? withFile(state, { ...known, isSaving: action.isSaving }) : state;
                }
                case "filesStale": return { ...state, files: new Map([...state.files].map(([id, each]) => [id, { ...each, isStale: true }])) };
                default: return state;
              }
            }

            /** An answer says nothing where an event has said something newer. @param {State} state @param {{file: any, since: number, now: number}} action */
            function answered(state, { file, since, now }) {
              const known = state.files.get(file.id);
              return known && known.number > since ? state : withFile(state, told(known, file, since, now));
            }

            /** What an event says of a file that was asked for; of others it is asked for when they come near. @param {State} state @param {any} file @param {number} now */
            export function withFileEvent(state, file, now) {
              const known = file && state.files.get(file.id);
              return known ? withFile(state, told(known, file, state.eventCount + 1, now)) : state;
            }

            /** @param {KnownFile|undefined} known @param {any} file @param {number} number @param {number} now @returns {KnownFile} */
            function told(known, file, number, now) {
              const samples = file.state !== "fetching" ? [] : withSample(known?.samples ?? [], file.receivedBytes ?? 0, now);
              return { ...file, samples, number, isSaving: known?.isSaving ?? false, isStale: false };
            }

            /** @param {State} state @param {KnownFile} file @returns {State} */
            function withFile(state, file) {
              const files = new Map(state.files).set(file.id, file);
              if (files.size > LIMITS.files) files.delete(files.keys().next().value ?? "");
              return { ...state, files };
            }

            """##),
        "deciding/layout.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** What a message shows beside its text, and what is read aloud for it. */
            import { filesOf, isPicture } from "./files.js";
            import { line } from "./safe-text.js";
            import { gist } from "./timeline.js";

            /**
             * @typedef {object} Card
             * @property {any} picture the first of the message's files that is one, or null
             * @property {string[]} image the lines at its picture: its title and its subtitle
             * @property {string} caption
             * @property {string} subcaption
             * @property {{href: string, host: string}|null} link
             */

            /**
             * What a message shows beside its text; null for one that shows nothing else, or not even that.
             * @param {any} message @returns {Card|null}
             */
            export function cardOf(message) {
              const { layout } = message;
              if (!layout || message.isRetracted || message.isDeleted || message.session?.isSuperseded) return null;
              const card = {
                picture: filesOf(message).find((each) => isPicture(each.mediaType)) ?? null,
                image: [layout.imageTitle, layout.imageSubtitle].filter(Boolean), caption: layout.caption ?? "",
                subcaption: layout.subcaption ?? "", link: linkTo(layout.url),
              };
              return card.picture || card.image.length > 0 || card.caption || card.subcaption || card.link ? card : null;
            }

            /**
             * An address that may be opened, with the host that the browser would go to. The node has checked it; whoever fools the node
             * does not fool the page.
             * @param {string|undefined} text
             */
            function linkTo(text) {
              if (!text || !URL.canParse(text)) return null;
              const url = new URL(text);
              const isWeb = (url.protocol === "https:" || url.protocol === "http:") && url.host !== "" && url.username === "" && url.password === "";
              return isWeb ? { href: url.href, host: url.host } : null;
            }

            /** What is read aloud of what a message says. @param {any} message */
            export function spoken(message) {
              if (message.isRetracted || message.isDeleted || message.session?.isSuperseded) return line(gist(message));
              if (message.layout?.accessibilityLabel) return line(message.layout.accessibilityLabel);
              const card = cardOf(message), files = filesOf(message).map((each) => each.name);
              const parts = [message.text, ...(card ? [...card.image, card.caption, card.subcaption, card.link?.host ?? ""] : []), ...files];
              return parts.filter((each) => each !== "").map(line).join(", ");
            }

            """##),
        "deciding/limits.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** Every bound of the page by its name. */
            export const LIMITS = Object.freeze({
              /** Messages in one request for a page of history: what a screen shows first. */
              page: 50,
              /** Messages of one dialog that are kept and drawn at once. What is farther away is fetched again. */
              windowMessages: 250,
              /** Dialogs whose messages are kept while others are open. */
              dialogs: 8,
              /** Events that are kept for answers that were asked for before them. */
              recentEvents: 500,
              /** Messages that replies answer, and that are not in the window. */
              quotes: 200,
              /** Messages before the first unread one that are shown with it. */
              context: 10,
              /** Unread messages in one request, and how many the page follows one by one. */
              unreadPage: 500,
              unreadFollowed: 5000,
              /** Conversations in one request. */
              conversations: 200,
              /** Rows of a list of people that are drawn at once. */
              peopleRows: 200,
              /** Results of a search in one request. */
              results: 20,
              /** Bytes of a message, of UTF-8. */
              messageBytes: 65536,
              /** Characters and lines of a message that are shown before "Show all". */
              shortText: 3000,
              shortLines: 40,
              /** Characters of a message that a list or a quote shows. */
              excerpt: 120,
              /** A message that came so much later than it was written is marked. */
              lateMilliseconds: 60_000,
              /** Messages of one sender within this time stand together. */
              groupMilliseconds: 5 * 60_000,
              /** How long a request may take. */
              requestMilliseconds: 20_000,
              /** How often the page asks whether the node is there, and what other programs have read meanwhile. */
              pulseMilliseconds: 15_000,
              pulsePatience: 8_000,
              /** Waits between attempts to reach a lost node. */
              firstRetry: 500,
              longestRetry: 5_000,
              /** Bytes of one server-sent event. */
              eventBytes: 1 << 20,
              /** How long others are shown as typing, and how often the page says so itself. */
              typingShown: 10_000,
              typingSaid: 4_000,
              /** How often a conversation is fetched anew while much happens in it. */
              refreshMilliseconds: 250,
              /** Messages that are fetched anew at once; of more the whole window is. */
              refreshMessages: 20,
              /** Distance from an end of the dialog at which the next page is fetched, in pixels. */
              pagingDistance: 800,
              /** A message may be under way so long before its recipient, who is online, is said not to answer. */
              answerMilliseconds: 3_000,
              /** Drafts that are kept. */
              drafts: 100,
              /** Bytes of an emoji. */
              emojiBytes: 64,
              /** Files of one message, as the node allows them. */
              attachments: 64,
              /** Files that are sent to the node at once. */
              uploads: 2,
              /** How often the page draws how far a file is. */
              progressMilliseconds: 200,
              /** The last time by which a rate is reckoned, the shortest that gives one, and how often it was looked within it. */
              rateMilliseconds: 5_000,
              rateFrom: 500,
              rateSamples: 64,
              /** Files whose state is known. */
              files: 500,
              /** The largest file that a browser saves; larger ones are saved with the command line. */
              savedBytes: 512 * 2 ** 20,
              /** How long the content of a file may take. */
              contentMilliseconds: 10 * 60_000,
              /** How long what is saved is held for the browser. */
              savingMilliseconds: 60_000,
              /** Pictures that are held at once, their bytes, and how near to the screen one is held, in pixels. */
              pictures: 30,
              pictureBytes: 256 * 2 ** 20,
              nearPixels: 600,
              /** Banners that are drawn at once. */
              banners: 4,
            });

            """##),
        "deciding/mentions.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** Who is named with an @ in a text. */

            /** A character after which a name has ended. */
            const ENDS = /[\s.,;:!?()[\]{}"'…/]/u;

            /**
             * The participants whom a text names, as `@name`, at the beginning of a word.
             * @param {string} text @param {{id: string, name?: string}[]} participants
             * @returns {string[]} their keys
             */
            export function mentioned(text, participants) {
              const found = new Set();
              for (const { id, name } of participants) {
                if (!name) continue;
                const wanted = `@${name}`;
                for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
                  const before = text[at - 1], after = text[at + wanted.length];
                  if ((before === undefined || ENDS.test(before)) && (after === undefined || ENDS.test(after))) found.add(id);
                }
              }
              return [...found];
            }

            /**
             * The name that is being typed at the cursor, after an @.
             * @param {string} text @param {number} cursor
             * @returns {{begin: number, prefix: string}|null}
             */
            export function beginning(text, cursor) {
              const begin = text.lastIndexOf("@", cursor - 1);
              if (begin < 0 || (begin > 0 && !ENDS.test(text[begin - 1]))) return null;
              const prefix = text.slice(begin + 1, cursor);
              return /\s/.test(prefix) ? null : { begin, prefix };
            }

            """##),
        "deciding/naming.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** What people and conversations are called. Names are what others say; all of them are drawn as isolated text. */
            import { line } from "./safe-text.js";
            /** @typedef {import("./state.js").State} State */

            /** The beginning of a key as people compare it. @param {string} id */
            export const shortKey = (id) => `${id.slice(0, 4)} ${id.slice(4, 8)}`;

            /** @param {State} state @param {{id: string, name?: string}} party */
            export function partyName(state, party) {
              if (state.node && party.id === state.node.id) return "You";
              const name = state.users.get(party.id)?.name ?? party.name;
              return name ? line(name) : `unknown (${shortKey(party.id)})`;
            }

            /** @param {State} state @param {any} conversation */
            export function conversationTitle(state, conversation) {
              if (conversation.kind === "direct") return conversation.peer ? partyName(state, conversation.peer) : "Notes to yourself";
              return line(conversation.friendlyName || `#${conversation.uniqueName}`);
            }

            const TRUST = {
              new: { word: "New", hint: "No message was exchanged yet" },
              unverified: { word: "Not verified", hint: "The name belongs to this key here. Compare safety numbers to be sure" },
              verified: { word: "Verified", hint: "You have compared safety numbers" },
              blocked: { word: "Blocked", hint: "Nothing is sent to them or taken from them" },
              conflict: { word: "Another key", hint: "The name belongs to another key here" },
            };

            /** @param {string} trust @returns {{word: string, hint: string}} */
            export const trustWords = (trust) => TRUST[trust] ?? { word: trust, hint: "" };

            /** Who has inserted a draft: a program by the name of its token, or this user. @param {any} draft */
            export const draftAuthor = (draft) => draft.insertedBy ?? "you";

            """##),
        "deciding/notifying.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** Of which messages somebody wants to be told. */
            /** @typedef {import("./state.js").State} State */

            /** @param {State} state @param {string} key the id of a conversation, or the key of the other user of a direct one */
            export function levelOf(state, key) {
              const found = state.conversations.get(key) ?? [...state.conversations.values()].find((each) => each.kind === "direct" && each.peer?.id === key);
              return found?.notificationLevel ?? "all";
            }

            /** Whether a message that came is to be told of, as far as the page knows. @param {State} state @param {any} message */
            export function isToldOf(state, message) {
              const level = levelOf(state, message.conversationID);
              if (level !== "mentions") return level === "all";
              const own = state.node?.id;
              const isAnswer = message.replyTo && state.dialogs.get(message.conversationID)?.messages.find((each) => each.id === message.replyTo)?.sender.id === own;
              return Boolean(isAnswer) || (message.mentions ?? []).some((/** @type {any} */ each) => (each.id ?? each) === own);
            }

            """##),
        "deciding/outgoing.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** Files that go with the next message of a dialog. */
            import { withSample } from "./files.js";
            /** @typedef {import("./state.js").State} State */

            /**
             * @typedef {object} OutgoingFile
             * @property {string} id of this page's own
             * @property {string} name
             * @property {number} byteCount
             * @property {"uploading"|"ready"|"failed"} state
             * @property {number} sentBytes
             * @property {import("./files.js").Samples} samples
             * @property {string} reason why it failed
             * @property {any} attachment as a message names it, once the node has it
             */

            /** @param {{id: string, name: string, byteCount: number}} file @returns {OutgoingFile} */
            export const outgoing = ({ id, name, byteCount }) => ({ id, name, byteCount, state: "uploading", sentBytes: 0, samples: [], reason: "", attachment: null });

            /** @param {State} state @param {any} action @returns {State} */
            export function reduceOutgoing(state, action) {
              switch (action.type) {
                case "outgoingAdded": return withFiles(state, action.key, [...filesFor(state, action.key), ...action.files]);
                case "outgoingBegun": return changed(state, action.id, (file) => ({ ...file, state: "uploading", sentBytes: 0, samples: [{ at: action.now, bytes: 0 }], reason: "" }));
                case "outgoingMoved": return changed(state, action.id, (file) => ({ ...file, sentBytes: action.bytes, samples: withSample(file.samples, action.bytes, action.now) }));
                case "outgoingReady": return changed(state, action.id, (file) => ({ ...file, state: "ready", sentBytes: file.byteCount, attachment: action.attachment }));
                case "outgoingFailed": return changed(state, action.id, (file) => ({ ...file, state: "failed", reason: action.reason }));
                case "outgoingGone": {
                  const key = keyOf(state, (file) => action.ids.includes(file.id));
                  return key === null ? state : withFiles(state, key, filesFor(state, key).filter((each) => !action.ids.includes(each.id)));
                }
                default: return state;
              }
            }

            /** What goes with the next message of a dialog. @param {State} state @param {string|null} key @returns {OutgoingFile[]} */
            export const filesFor = (state, key) => (key && state.outgoing.get(key)) || [];

            /** @param {State} state @param {string} id */
            export const outgoingFile = (state, id) => [...state.outgoing.values()].flat().find((each) => each.id === id) ?? null;

            /** What was chosen for a user is for their conversation, as soon as there is one. @param {State["outgoing"]} all @param {string} from @param {string} to */
            export function withKey(all, from, to) {
              const moved = all.get(from);
              if (!moved) return all;
              const result = new Map(all).set(to, [...(all.get(to) ?? []), ...moved]);
              result.delete(from);
              return result;
            }

            /** @param {State} state @param {(file: OutgoingFile) => boolean} isIt */
            const keyOf = (state, isIt) => [...state.outgoing].find(([, files]) => files.some(isIt))?.[0] ?? null;

            /** @param {State} state @param {string} key @param {OutgoingFile[]} files @returns {State} */
            function withFiles(state, key, files) {
              const all = new Map(state.outgoing).set(key, files);
              if (files.length === 0) all.delete(key);
              return { ...state, outgoing: all };
            }

            /** @param {State} state @param {string} id @param {(file: OutgoingFile) => OutgoingFile} change @returns {State} */
            function changed(state, id, change) {
              const key = keyOf(state, (file) => file.id === id);
              return key === null ? state : withFiles(state, key, filesFor(state, key).map((each) => (each.id === id ? change(each) : each)));
            }

            """##),
        "deciding/reading.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /**
             * What may be marked as read: only what was on the screen.
             *
             * The node marks a message and all that had arrived before it. So a message may be named only when every unread one that
             * arrived before it was on the screen, too. A late message counts by its arrival, wherever its time puts it.
             *
             * @typedef {object} Reading
             * @property {Map<string, number>} unread the unread messages, each with its place in the order of arrival
             * @property {Set<string>} seen those of them that were on the screen
             * @property {boolean} isWhole whether these are all unread messages; until then nothing is marked
             */

            /** @type {Reading} */
            export const NOTHING_READ = Object.freeze({ unread: new Map(), seen: new Set(), isWhole: true });

            /**
             * A message that has just come has no place in the order yet; it comes after all that have one.
             * @param {any} message
             */
            const place = (message) => message.index ?? Number.MAX_SAFE_INTEGER;

            /**
             * @param {Reading} reading @param {any[]} messages @param {boolean} isWhole
             * @returns {Reading}
             */
            export function withUnread(reading, messages, isWhole) {
              const unread = new Map(reading.unread);
              for (const message of messages) unread.set(message.id, place(message));
              return { ...reading, unread, isWhole };
            }

            /**
             * Notes what is on the screen of somebody who looks at it.
             * @param {Reading} reading @param {Iterable<string>} onScreen
             * @returns {Reading}
             */
            export function withSeen(reading, onScreen) {
              const seen = new Set(reading.seen);
              for (const id of onScreen) if (reading.unread.has(id)) seen.add(id);
              return seen.size === reading.seen.size ? reading : { ...reading, seen };
            }

            /**
             * The message up to which everything was seen, or nothing.
             * @param {Reading} reading
             * @returns {string|null}
             */
            export function upTo(reading) {
              if (!reading.isWhole) return null;
              let last = null;
              for (const [id] of [...reading.unread].sort((a, b) => a[1] - b[1])) {
                if (!reading.seen.has(id)) break;
                last = id;
              }
              return last;
            }

            /**
             * After the node has marked a message, and all that had arrived before it.
             * @param {Reading} reading @param {string} messageID
             * @returns {Reading}
             */
            export function afterMarking(reading, messageID) {
              const end = reading.unread.get(messageID);
              if (end === undefined) return reading;
              const unread = new Map([...reading.unread].filter(([id, index]) => index > end || (index === end && !reading.seen.has(id))));
              return { ...reading, unread, seen: new Set([...reading.seen].filter((id) => unread.has(id))) };
            }

            """##),
        "deciding/reduce-dialogs.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** What follows for the dialogs: opened, and page after page. */
            import { changed, withChangedMessage, withEarlier, withLater, withMessage, windowOn } from "./dialog-window.js";
            import { LIMITS } from "./limits.js";
            import { caughtUp } from "./reduce-event.js";
            /** @typedef {import("./state.js").State} State */

            /** @param {State} state @param {any} action @returns {State} */
            export function reduceDialogs(state, action) {
              switch (action.type) {
                case "open":
                  return { ...state, open: action.key, loading: null, dialogProblem: "", dialogs: lastUsed(state.dialogs, action.key) };
                case "loading": return action.key === state.open ? { ...state, loading: action.loading, dialogProblem: "" } : state;
                case "dialogFailed":
                  return action.key === state.open ? { ...state, loading: null, dialogProblem: action.problem } : state;
                case "dialog":
                  return arrived(state, action.key, caughtUp(state, windowOn(action.messages, {
                    ...action, origin: action.keepsPlace ? state.dialogs.get(action.key)?.origin : {},
                  }), action.key, action.since));
                case "quote": return { ...state, quotes: withQuote(state.quotes, action) };
                case "earlier": return paged(state, action, withEarlier);
                case "later": return paged(state, action, withLater);
                case "message": return changed(state, action.message.conversationID, (window) =>
                  action.isNew ? withMessage(window, action.message) : withChangedMessage(window, action.message));
                case "seenDivider": return changed(state, action.key, (window) => ({ ...window, newFrom: null }));
                default: return state;
              }
            }

            /** @param {State["quotes"]} quotes @param {{id: string, message: any}} action */
            function withQuote(quotes, { id, message }) {
              const result = new Map(quotes).set(id, message);
              if (result.size > LIMITS.quotes) result.delete(result.keys().next().value ?? "");
              return result;
            }

            /** @param {State["dialogs"]} dialogs @param {string} key */
            function lastUsed(dialogs, key) {
              const window = dialogs.get(key);
              if (!window) return dialogs;
              const result = new Map(dialogs);
              result.delete(key);
              return result.set(key, window);
            }

            /** @param {State} state @param {string} key @param {any} window @returns {State} */
            function arrived(state, key, window) {
              const dialogs = new Map(state.dialogs);
              dialogs.delete(key);
              dialogs.set(key, window);
              for (const oldest of dialogs.keys()) {
                if (dialogs.size <= LIMITS.dialogs) break;
                if (oldest !== state.open) dialogs.delete(oldest);
              }
              return { ...state, dialogs, loading: key === state.open ? null : state.loading };
            }

            /**
             * @param {State} state @param {{key: string, page: any[], asked: number, since: number}} action
             * @param {(window: any, page: any[], asked: number) => any} join
             * @returns {State}
             */
            function paged(state, { key, page, asked, since }, join) {
              const next = changed(state, key, (window) => caughtUp(state, join(window, page, asked), key, since));
              return key === state.open ? { ...next, loading: null } : next;
            }

            """##),
        "deciding/reduce-event.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** What an event of the node changes at once. What must be asked for is in consequences.js. */
            import { withChange } from "./delivery.js";
            import { changed, withMessage, withState } from "./dialog-window.js";
            import { withFileEvent } from "./known-files.js";
            import { LIMITS } from "./limits.js";
            /** @typedef {import("./state.js").State} State */

            /** @param {State} state @param {any} event @param {number} now @returns {State} */
            export function reduceEvent(state, event, now) {
              const eventCount = state.eventCount + 1;
              const known = event.message ? { ...event, message: withArrivalTime(state, event.message, now) } : event;
              const isKept = event.message !== undefined || event.stateChange !== undefined;
              const recent = isKept ? [...state.recent, { number: eventCount, event: known }].slice(-LIMITS.recentEvents) : state.recent;
              return { ...withSign(happened(state, known, now), state, event, now), eventCount, recent };
            }

            /** Who an event shows to be there. @param {State} state before it @param {any} event */
            function whoIsThere(state, { message, stateChange, user, name }) {
              if (message) return message.sender.id;
              if (stateChange) return ["delivered", "handled", "read"].includes(stateChange.recipient.state) ? stateChange.recipient.id : undefined;
              if (!user || name === "typingStarted" || name === "typingEnded") return user?.id;
              return user.isOnline && !state.users.get(user.id)?.isOnline ? user.id : undefined;
            }

            /** @param {State} next @param {State} state @param {any} event @param {number} now @returns {State} */
            function withSign(next, state, event, now) {
              const id = whoIsThere(state, event);
              return id === undefined || id === state.node?.id ? next : { ...next, heard: new Map(next.heard).set(id, now) };
            }

            /** The event does not say when it came: now, or while the page was away. @param {State} state @param {any} message @param {number} now */
            const withArrivalTime = (state, message, now) =>
              message.sender.id === state.node?.id ? message : { receivedAtMilliseconds: now, ...message };

            /**
             * A window on what was asked for when there had been so many events: the answer may be older than those that came since.
             * @param {State} state @param {import("./dialog-window.js").DialogWindow} window @param {string} key @param {number} since
             */
            export function caughtUp(state, window, key, since) {
              let result = window;
              for (const { number, event } of state.recent) {
                if (number <= since) continue;
                const { message, stateChange } = event;
                const isMissing = message?.conversationID === key && result.isAtEnd && !result.messages.some((each) => each.id === message.id);
                if (isMissing) result = withMessage(result, message);
                if (stateChange?.conversationID === key) result = withState(result, stateChange.messageID, stateChange.recipient);
              }
              return result;
            }

            /** @param {State} state @param {any} event @param {number} now @returns {State} */
            function happened(state, event, now) {
              switch (event.name) {
                case "messageQueued":
                case "messageReceived": return withArrival(state, event.message);
                case "messageSent":
                case "messageDelivered":
                case "messageHandled":
                case "messageRead":
                case "messageFailed": return withStateChange(state, event.stateChange);
                case "typingStarted": return withTyping(state, event, now + LIMITS.typingShown);
                case "typingEnded": return withTyping(state, event, 0);
                case "userDiscovered":
                case "userUpdated": return withUser(state, event.user);
                case "userSubscribed": return withPresence(state, event.user, true);
                case "userUnsubscribed": return withPresence(state, event.user, false);
                case "fileUpdated": return withFileEvent(state, event.file, now);
                case "storageFailed": return { ...state, storageProblem: event.reason ?? "" };
                case "storageRecovered": return { ...state, storageProblem: null };
                default: return state;
              }
            }

            /** @param {State} state @param {any} message @returns {State} */
            function withArrival(state, message) {
              const isOwn = message.sender.id === state.node?.id;
              let next = changed(state, message.conversationID, (window) => withMessage(window, message));
              const conversation = next.conversations.get(message.conversationID);
              if (conversation) {
                const isLast = (conversation.lastMessage?.timestampMilliseconds ?? 0) <= message.timestampMilliseconds;
                const conversations = new Map(next.conversations);
                conversations.set(conversation.id, { ...conversation, lastMessage: isLast ? message : conversation.lastMessage });
                next = { ...next, conversations };
              }
              return isOwn ? next : withTyping(next, { conversationID: message.conversationID, user: message.sender }, 0);
            }

            /** @param {State} state @param {any} change @returns {State} */
            function withStateChange(state, change) {
              const next = changed(state, change.conversationID, (window) => withState(window, change.messageID, change.recipient));
              const conversation = next.conversations.get(change.conversationID);
              if (conversation?.lastMessage?.id !== change.messageID) return next;
              const { lastMessage } = conversation;
              const recipients = withChange(lastMessage.recipients, change.recipient);
              if (recipients === lastMessage.recipients) return next;
              const conversations = new Map(next.conversations);
              conversations.set(conversation.id, { ...conversation, lastMessage: { ...lastMessage, recipients } });
              return { ...next, conversations };
            }

            /** @param {State} state @param {{conversationID: string, user?: {id: string}}} event @param {number} until @returns {State} */
            function withTyping(state, { conversationID, user }, until) {
              if (!user || (until === 0 && !state.typing.get(conversationID)?.has(user.id))) return state;
              const users = new Map(state.typing.get(conversationID));
              if (until > 0) users.set(user.id, until);
              else users.delete(user.id);
              return { ...state, typing: new Map(state.typing).set(conversationID, users) };
            }

            /** @param {State} state @param {any} user @returns {State} */
            function withUser(state, user) {
              return user ? { ...state, users: new Map(state.users).set(user.id, user) } : state;
            }

            /** @param {State} state @param {any} user @param {boolean} isOnline @returns {State} */
            const withPresence = (state, user, isOnline) => (user ? withUser(state, { ...user, isOnline }) : state);

            """##),
        "deciding/reduce.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** What the page knows after something has happened. */
            import { reduceFiles } from "./known-files.js";
            import { LIMITS } from "./limits.js";
            import { reduceOutgoing, withKey } from "./outgoing.js";
            import { reduceDialogs } from "./reduce-dialogs.js";
            import { reduceEvent } from "./reduce-event.js";
            import { isSilent } from "./views.js";
            /** @typedef {import("./state.js").State} State */

            /** Each leaves alone what it does not know. */
            const parts = [reduceDialogs, reduceFiles, reduceOutgoing];

            /** @param {any[]} items */
            const byID = (items) => new Map(items.map((item) => [item.id, item]));

            /** @param {State} state @param {any} action @returns {State} */
            export function reduce(state, action) {
              switch (action.type) {
                case "needsLogin": return { ...state, phase: "needsLogin", loginProblem: action.problem };
                case "ready": return { ...state, phase: "ready" };
                case "link": return { ...state, link: action.link, isForeign: action.isForeign ?? false };
                case "node": return { ...state, node: action.node };
                case "users": return { ...state, users: byID(action.users) };
                case "user": return { ...state, users: new Map(state.users).set(action.user.id, action.user) };
                case "conversations": return withConversations(state, action);
                case "conversation": return withConversation(state, action);
                case "advertised": return { ...state, advertised: action.advertised };
                case "prepared": return withPrepared(state, action);
                case "preparedGone": return { ...state, prepared: { ...state.prepared, drafts: state.prepared.drafts.filter((each) => each.id !== action.id) } };
                case "findings": return { ...state, findings: action.findings };
                case "dismissed": return { ...state, dismissed: new Set(state.dismissed).add(action.key) };
                case "event": return reduceEvent(state, action.event, action.now);
                // Nothing has happened, and so somebody may have become silent: that is drawn.
                case "listened": return isSilent(state, action.now) ? { ...state } : state;
                case "typingEnded": return { ...state, typing: withoutOld(state.typing, action.now) };
                default: return parts.reduce((next, part) => part(next, action), state);
              }
            }

            /** @param {State} state @param {{conversations: any[], isFirstPage: boolean}} action @returns {State} */
            function withConversations(state, { conversations, isFirstPage }) {
              const kept = new Map(state.conversations);
              for (const each of conversations) kept.set(each.id, { ...kept.get(each.id), ...each });
              // The first page alone says nothing of whether there is more behind the pages that were fetched before.
              const isKnownBeyond = isFirstPage && kept.size > conversations.length;
              const hasMoreConversations = isKnownBeyond ? state.hasMoreConversations : conversations.length === LIMITS.conversations;
              return { ...state, conversations: kept, hasMoreConversations };
            }

            /** Where nothing was prepared, and is not, nothing is drawn again. @param {State} state @param {{key: string, drafts: any[]}} action @returns {State} */
            function withPrepared(state, { key, drafts }) {
              const isNothing = drafts.length === 0 && state.prepared.drafts.length === 0;
              return isNothing ? state : { ...state, prepared: { key, drafts } };
            }

            /** @param {State} state @param {{conversation: any, now: number}} action @returns {State} */
            function withConversation(state, { conversation, now }) {
              const conversations = new Map(state.conversations);
              const begunAt = conversations.get(conversation.id)?.begunAt ?? now;
              conversations.set(conversation.id, { begunAt, ...conversation });
              // What was opened by a user is opened by its conversation as soon as there is one.
              const isOpened = conversation.kind === "direct" && state.open === `user:${conversation.peer?.id}`;
              if (!isOpened) return { ...state, conversations };
              const outgoing = withKey(state.outgoing, state.open ?? "", conversation.id);
              return { ...state, conversations, outgoing, prepared: { ...state.prepared, key: conversation.id }, open: conversation.id };
            }

            /** @param {State["typing"]} typing @param {number} now */
            function withoutOld(typing, now) {
              const result = new Map();
              for (const [conversation, users] of typing) {
                const left = new Map([...users].filter(([, until]) => until > now));
                if (left.size > 0) result.set(conversation, left);
              }
              return result;
            }

            """##),
        "deciding/route.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** What the fragment of the address says: a login, which is used once, or what is open. */

            /**
             * @param {string} fragment with or without its #
             * @returns {{login?: string, open?: string}}
             */
            export function readFragment(fragment) {
              const text = fragment.replace(/^#/, "");
              const login = /^login=([A-Za-z0-9._~-]{8,256})$/.exec(text);
              if (login) return { login: login[1] };
              const open = /^((?:user:)?[0-9a-z]{52})$/.exec(text);
              return open ? { open: open[1] } : {};
            }

            /** @param {string|null} key */
            export const fragmentOf = (key) => (key ? `#${key}` : "#");

            """##),
        "deciding/safe-text.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /**
             * Makes text of others safe to show: nothing in it reverses a line or hides. The same rule as the command line's.
             *
             * Dangerous are control characters, line separators, and everything that changes the direction of text (Unicode UAX 9);
             * tag characters, too: they are invisible, and may hide something in copied text.
             */
            const DANGEROUS = /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/u;
            const EACH = new RegExp(DANGEROUS.source, "gu");

            /** @typedef {{text: string, isEscaped: boolean}} Segment */

            /** @param {string} character */
            const escaped = (character) => "\\u{" + character.codePointAt(0).toString(16).padStart(2, "0") + "}";

            /**
             * The segments of a text, in its order. Line breaks stay, and a tab becomes four spaces.
             * @param {string} text
             * @returns {Segment[]}
             */
            export function segments(text) {
              const whole = text.replaceAll("\t", "    ");
              /** @type {Segment[]} */
              const result = [];
              let begin = 0;
              for (const match of whole.matchAll(EACH)) {
                if (match[0] === "\n") continue;
                if (match.index > begin) result.push({ text: whole.slice(begin, match.index), isEscaped: false });
                result.push({ text: escaped(match[0]), isEscaped: true });
                begin = match.index + match[0].length;
              }
              if (begin < whole.length || result.length === 0) result.push({ text: whole.slice(begin), isEscaped: false });
              return result;
            }

            /**
             * One line: line breaks become spaces, as in a list or a label.
             * @param {string} text
             */
            export function line(text) {
              return segments(text.replaceAll("\n", " ")).map((segment) => segment.text).join("");
            }

            /**
             * The beginning of a text as one line, never cut within a character.
             * @param {string} text @param {number} length
             */
            export function excerpt(text, length) {
              const characters = Array.from(text.slice(0, length * 4));
              const isCut = characters.length > length || text.length > length * 4;
              return line(characters.slice(0, length).join("")) + (isCut ? "…" : "");
            }

            /** How many bytes a text has in UTF-8. @param {string} text */
            export const bytes = (text) => new TextEncoder().encode(text).length;

            """##),
        "deciding/state.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /**
             * All that the page knows. It is never changed: what happens makes another one (reduce.js).
             *
             * @typedef {object} State
             * @property {"starting"|"needsLogin"|"ready"} phase
             * @property {string} loginProblem why there is no login, in words
             * @property {"connecting"|"live"|"lost"} link to the node
             * @property {boolean} isForeign whether somebody else answers where the node was
             * @property {any} node what it says of itself, or null
             * @property {Map<string, any>} users
             * @property {Map<string, any>} conversations
             * @property {boolean} hasMoreConversations
             * @property {any[]} advertised open conversations that others tell of
             * @property {string|null} open a conversation's id, or `user:` and a key while nothing was written to them
             * @property {Map<string, import("./dialog-window.js").DialogWindow>} dialogs the one that was used last is the last
             * @property {"before"|"after"|"whole"|null} loading what is being fetched for the open dialog
             * @property {string} dialogProblem why nothing can be shown of it
             * @property {number} eventCount how many events there have been
             * @property {{number: number, event: any}[]} recent the last ones about messages, for answers that were asked for before them
             * @property {Map<string, Map<string, number>>} typing conversation, user, until when
             * @property {Map<string, number>} heard users, and when something last came from them
             * @property {{key: string|null, drafts: any[]}} prepared what programs have prepared for the dialog with this key, the oldest first
             * @property {Map<string, import("./known-files.js").KnownFile>} files what the node has of the files that were near the screen
             * @property {Map<string, import("./outgoing.js").OutgoingFile[]>} outgoing what goes with the next message, by the dialog's key
             * @property {Map<string, any>} quotes messages that are answered and are not in a window; null for one that is not here
             * @property {string|null} storageProblem why the node's disk takes nothing
             * @property {any[]} findings the doctor's, of the last time
             * @property {ReadonlySet<string>} dismissed banners that were put away
             */

            /** @type {State} */
            export const INITIAL = Object.freeze({
              phase: "starting", loginProblem: "", link: "connecting", isForeign: false, node: null, users: new Map(), conversations: new Map(),
              hasMoreConversations: false, advertised: [], open: null, dialogs: new Map(), loading: null, dialogProblem: "",
              eventCount: 0, recent: [], typing: new Map(), heard: new Map(), prepared: { key: null, drafts: [] },
              files: new Map(), outgoing: new Map(), quotes: new Map(), storageProblem: null, findings: [], dismissed: new Set(),
            });

            export const USER_PREFIX = "user:";

            /** The user whom a key of `open` names, if it names one. @param {string|null} key */
            export const userOfKey = (key) => (key?.startsWith(USER_PREFIX) ? key.slice(USER_PREFIX.length) : null);

            """##),
        "deciding/timeline.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** What a dialog shows, line by line: messages, days, and where the unread ones begin. */
            import { fileNames } from "./files.js";
            import { LIMITS } from "./limits.js";
            import { dayHeading, isSameDay } from "./times.js";

            /**
             * @typedef {{kind: "message", key: string, message: any, isFirst: boolean, isLast: boolean}
             *   | {kind: "day" | "new" | "start", key: string, text: string}} Line
             */

            /**
             * @param {import("./dialog-window.js").DialogWindow} window @param {number} now
             * @returns {Line[]}
             */
            export function timeline(window, now) {
              /** @type {Line[]} */
              const lines = [];
              const { messages } = window;
              if (window.isAtStart && messages.length > 0) lines.push({ kind: "start", key: "start", text: "This is where it begins." });
              messages.forEach((message, index) => {
                const before = messages[index - 1], after = messages[index + 1];
                const isNewDay = !before || !isSameDay(before.timestampMilliseconds, message.timestampMilliseconds);
                const isNew = message.id === window.newFrom;
                if (isNewDay) lines.push({ kind: "day", key: `day ${message.id}`, text: dayHeading(message.timestampMilliseconds, now) });
                if (isNew) lines.push({ kind: "new", key: "new", text: "New messages" });
                const endsBefore = !after || after.id === window.newFrom || !isSameDay(after.timestampMilliseconds, message.timestampMilliseconds);
                lines.push({
                  kind: "message", key: message.id, message, isFirst: isNewDay || isNew || !belongs(before, message),
                  isLast: endsBefore || !belongs(message, after),
                });
              });
              return lines;
            }

            /** Whether two messages stand together. @param {any} a @param {any} b */
            const belongs = (a, b) =>
              a.sender.id === b.sender.id && b.timestampMilliseconds - a.timestampMilliseconds < LIMITS.groupMilliseconds;

            /**
             * What a message shows in one line, as in a list or a quote.
             * @param {any} message
             */
            export function gist(message) {
              if (message.isRetracted) return "Message taken back";
              if (message.isDeleted) return "Message erased";
              return message.session?.isSuperseded ? message.session.summary : message.text || fileNames(message);
            }

            """##),
        "deciding/times.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** Times as people read them. All take milliseconds since 1970, and the present time where it matters. */
            import { LIMITS } from "./limits.js";

            const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
            const weekday = new Intl.DateTimeFormat(undefined, { weekday: "long" });
            const dayOfYear = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });
            const wholeDate = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "long", year: "numeric" });
            const shortDate = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
            const everything = new Intl.DateTimeFormat(undefined, { dateStyle: "long", timeStyle: "medium" });

            const DAY = 86_400_000;

            /** @param {number} time */
            const midnight = (time) => new Date(time).setHours(0, 0, 0, 0);

            /** Days between the days of two times, whatever daylight saving does. @param {number} from @param {number} to */
            const daysBetween = (from, to) => Math.round((midnight(to) - midnight(from)) / DAY);

            /** @param {number} time */
            export const timeOfDay = (time) => clock.format(time);

            /** @param {number} time */
            export const wholeTime = (time) => everything.format(time);

            /** The heading of a day. @param {number} time @param {number} now */
            export function dayHeading(time, now) {
              const days = daysBetween(time, now);
              if (days === 0) return "Today";
              if (days === 1) return "Yesterday";
              if (days > 1 && days < 7) return weekday.format(time);
              return new Date(time).getFullYear() === new Date(now).getFullYear() ? dayOfYear.format(time) : wholeDate.format(time);
            }

            /** For a list: the time today, else the day. @param {number} time @param {number} now */
            export function shortTime(time, now) {
              const days = daysBetween(time, now);
              if (days <= 0) return clock.format(time);
              if (days < 7) return days === 1 ? "Yesterday" : weekday.format(time).slice(0, 3);
              return shortDate.format(time);
            }

            /** When somebody was here last. @param {number} time @param {number} now */
            export function lastSeen(time, now) {
              const minutes = Math.floor((now - time) / 60_000);
              if (minutes < 1) return "just now";
              if (minutes < 60) return `${minutes} min ago`;
              const days = daysBetween(time, now);
              if (days <= 0) return `at ${clock.format(time)}`;
              if (days === 1) return `yesterday at ${clock.format(time)}`;
              return `on ${wholeDate.format(time)}`;
            }

            /** Whether two times are on one day. @param {number} a @param {number} b */
            export const isSameDay = (a, b) => midnight(a) === midnight(b);

            /**
             * Whether a message of somebody else came much later than it was written.
             * @param {{timestampMilliseconds: number, receivedAtMilliseconds?: number}} message
             */
            export const isLate = (message) =>
              message.receivedAtMilliseconds !== undefined &&
              message.receivedAtMilliseconds - message.timestampMilliseconds >= LIMITS.lateMilliseconds;

            """##),
        "deciding/views.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** What the page shows, taken from what it knows. */
            import { LIMITS } from "./limits.js";
            import { conversationTitle, partyName } from "./naming.js";
            import { userOfKey, USER_PREFIX } from "./state.js";
            /** @typedef {import("./state.js").State} State */

            /** When something last came in a conversation, for the order of the list. @param {any} conversation */
            const activity = (conversation) =>
              conversation.lastMessage?.receivedAtMilliseconds ?? conversation.lastMessage?.timestampMilliseconds ?? conversation.begunAt ?? 0;

            /** Invitations first, then the one with the latest message. @param {State} state */
            export const conversationRows = (state) =>
              [...state.conversations.values()]
                .filter((each) => each.lastMessage || each.status === "joined" || each.status === "invited")
                .sort((a, b) => Number(b.status === "invited") - Number(a.status === "invited") || activity(b) - activity(a));

            /** Whoever is here first, then by name. @param {State} state @param {string} [filter] */
            export function peopleRows(state, filter = "") {
              const wanted = filter.trim().toLocaleLowerCase();
              return [...state.users.values()]
                .filter((user) => user.name.toLocaleLowerCase().includes(wanted))
                .sort((a, b) => Number(b.isOnline) - Number(a.isOnline) || a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1));
            }

            /** @param {State} state */
            export const unreadTotal = (state) =>
              [...state.conversations.values()].reduce((sum, each) => sum + (each.status === "left" ? 0 : each.unreadCount), 0);

            /** @param {State} state */
            export const openConversation = (state) => (state.open ? state.conversations.get(state.open) ?? null : null);

            /** The other user of what is open, if it is direct. @param {State} state */
            export function openPeer(state) {
              const id = userOfKey(state.open) ?? openConversation(state)?.peer?.id;
              return id ? state.users.get(id) ?? { id, name: openConversation(state)?.peer?.name } : null;
            }

            /** @param {State} state */
            export const openWindow = (state) => (state.open ? state.dialogs.get(state.open) ?? null : null);

            /**
             * Whether the other user of what is open counts as online, and lets a message wait. Whoever loses their cable is online until
             * the link is given up.
             * @param {State} state @param {number} now
             */
            export function isSilent(state, now) {
              const peer = openPeer(state);
              if (!peer?.isOnline) return false;
              const heard = state.heard.get(peer.id) ?? 0;
              return (openWindow(state)?.messages ?? []).some((message) => message.sender.id === state.node?.id &&
                message.recipients.some((/** @type {any} */ each) => each.state === "queued" || each.state === "sent") &&
                now - Math.max(message.timestampMilliseconds, heard) >= LIMITS.answerMilliseconds);
            }

            /** The key by which a user's dialog is opened. @param {State} state @param {string} userID */
            export const keyOfUser = (state, userID) =>
              [...state.conversations.values()].find((each) => each.kind === "direct" && each.peer?.id === userID)?.id ?? USER_PREFIX + userID;

            /** @param {State} state */
            export function openTitle(state) {
              const conversation = openConversation(state), peer = openPeer(state);
              if (conversation) return conversationTitle(state, conversation);
              return peer ? partyName(state, peer) : "";
            }

            /** What programs have prepared for what is open. @param {State} state */
            export const openPrepared = (state) => (state.open && state.prepared.key === state.open ? state.prepared.drafts : []);

            /** Why nothing can be written there, or nothing. @param {State} state */
            export function writingProblem(state) {
              const conversation = openConversation(state), peer = openPeer(state);
              if (conversation && conversation.status !== "joined") {
                return {
                  invited: "Accept the invitation to write here.", left: "You have left this conversation. What is here stays.",
                  removed: "You were removed from this conversation. What is here stays.", closed: "This conversation is closed.",
                }[conversation.status] ?? "";
              }
              if (peer?.trust === "blocked") return "You have blocked this person. Unblock them to write.";
              if (peer?.trust === "conflict") return "This key is not the one that the name belongs to. Decide first whose the name is.";
              return "";
            }

            /** Who types in what is open, in words. @param {State} state @param {number} now */
            export function typingWords(state, now) {
              const typing = state.open ? state.typing.get(state.open) : undefined;
              const names = [...(typing ?? [])].filter(([, until]) => until > now).map(([id]) => partyName(state, { id }));
              if (names.length === 0) return "";
              if (names.length > 2) return `${names.length} people are typing…`;
              return `${names.join(" and ")} ${names.length === 1 ? "is" : "are"} typing…`;
            }

            """##),
        "drawing/announcer.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** Says things to those who hear the page instead of seeing it. */
            import { setText } from "./dom.js";

            /**
             * @param {string} text
             * @param {{isUrgent?: boolean}} [options]
             */
            export function announce(text, { isUrgent = false } = {}) {
              const region = document.getElementById(isUrgent ? "urgent" : "polite");
              if (!region) return;
              // The same text again is news, too.
              setText(region, region.textContent === text ? `${text}\u00a0` : text);
            }

            """##),
        "drawing/avatar.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** The disc that stands for a person or a conversation. */
            import { h } from "./dom.js";
            import { icon } from "./icons.js";

            /** A hue from a key, so that the same person always has the same. @param {string} id */
            const hue = (id) => Array.from(id.slice(0, 12)).reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9973, 7) % 12;

            /** The first letter that a name has. @param {string} name */
            const letter = (name) => Array.from(name.replace(/^[^\p{L}\p{N}]+/u, ""))[0]?.toLocaleUpperCase() ?? "?";

            /**
             * @param {{id: string, name: string, kind?: string, isOnline?: boolean}} subject
             * @returns {HTMLElement}
             */
            export function avatar({ id, name, kind = "direct", isOnline }) {
              const face = kind === "direct" ? letter(name) : icon(kind === "private" ? "lock" : "people");
              return h("span", { class: `avatar hue-${hue(id)}`, "aria-hidden": "true" }, face,
                isOnline === undefined ? null : h("span", { class: isOnline ? "presence online" : "presence away" }));
            }

            """##),
        "drawing/banner-stack.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** What must not be overlooked stands above everything else, and is said at once. */
            import { banners } from "../deciding/banners.js";
            import { announce } from "./announcer.js";
            import { command } from "./command.js";
            import { foreign, h, reconcile, replace } from "./dom.js";
            import { icon } from "./icons.js";

            export class BannerStack extends HTMLElement {
              #list = h("ul", { "aria-label": "Warnings" });

              connectedCallback() { this.append(this.#list); }

              /** @param {import("../deciding/state.js").State} state */
              update(state) {
                const shown = banners(state);
                this.hidden = shown.length === 0;
                reconcile(this.#list, shown, {
                  key: (banner) => banner.key,
                  make: (banner) => {
                    announce(`${banner.title}. ${banner.text}`, { isUrgent: banner.severity === "problem" });
                    return h("li", { class: `banner ${banner.severity}` });
                  },
                  update: (element, banner) => {
                    if (element.drawn === banner.title + banner.text) return;
                    element.drawn = banner.title + banner.text;
                    replace(element, icon("warning"),
                      h("div", { class: "banner-text" }, foreign("strong", banner.title), " ", foreign("span", banner.text)),
                      h("div", { class: "banner-actions" }, banner.actions.map((each) =>
                        h("button", { type: "button", class: "small", onclick: () => command(this, each.command, each.subject) }, each.label)),
                      banner.canDismiss ? h("button", { type: "button", class: "icon-button", "aria-label": "Put away", onclick: () => command(this, "dismiss", banner.key) }, icon("close")) : null));
                  },
                });
              }
            }

            customElements.define("banner-stack", BannerStack);

            """##),
        "drawing/begin-sheet.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** A new conversation: with one person, an open one, or a private one. */
            import { h } from "./dom.js";
            import { peoplePicker } from "./people-picker.js";
            import { attempt, showSheet } from "./sheet.js";

            /** @param {any} app */
            export function showBegin(app) {
              const name = h("input", { type: "text", id: "begin-name", required: true, maxlength: 63, dir: "auto", autocomplete: "off", placeholder: "ops" });
              const friendly = h("input", { type: "text", id: "begin-friendly", maxlength: 256, dir: "auto", placeholder: "The crew" });
              const kinds = [
                radio("open", "Open", "whoever knows its name joins, and gets the whole history", true),
                radio("private", "Private", "you say who is in", false),
              ];
              const tells = h("input", { type: "checkbox", checked: true }), history = h("input", { type: "checkbox" });
              const picker = peoplePicker(app.state, () => true, "Invite");
              const openPart = h("label", { class: "check" }, tells, "Tell people on this network its name");
              const privatePart = h("div", { hidden: true },
                h("label", { for: "begin-friendly" }, "What people call it (may be left out)"), friendly,
                h("h3", {}, "Invite"), picker.element, h("label", { class: "check" }, history, "Give what was written before to whoever joins"));
              const problem = h("p", { class: "problem", role: "alert" });
              const isPrivate = () => kinds[1].input.checked;
              const form = h("form", {
                onchange: () => {
                  openPart.hidden = isPrivate();
                  privatePart.hidden = !isPrivate();
                },
                onsubmit: (/** @type {Event} */ event) => {
                  event.preventDefault();
                  const request = isPrivate()
                    ? { uniqueName: name.value.trim(), kind: "private", givesHistory: history.checked, invite: picker.chosen(), ...(friendly.value ? { friendlyName: friendly.value } : {}) }
                    : { uniqueName: name.value.trim(), isAdvertised: tells.checked };
                  attempt(problem, async () => {
                    const id = await app.gathering.begin(request);
                    sheet.close();
                    app.command("open", id);
                  });
                },
              },
              h("label", { for: "begin-name" }, "Its name, by which it is found"), name,
              h("fieldset", { class: "kinds" }, h("legend", { class: "hidden" }, "Kind"), kinds.map((each) => each.element)),
              openPart, privatePart, problem,
              h("div", { class: "buttons" }, h("button", { type: "submit", class: "primary" }, "Begin or join"), h("button", { type: "button", onclick: () => sheet.close() }, "Cancel")));
              const sheet = showSheet({ name: "begin", title: "New conversation", body: [h("p", { class: "muted" }, "To write to one person, choose them under People."), form] });
              name.focus();
            }

            /** @param {string} value @param {string} label @param {string} hint @param {boolean} checked */
            function radio(value, label, hint, checked) {
              const input = h("input", { type: "radio", name: "kind", value, checked });
              return { input, element: h("label", { class: "check" }, input, h("span", {}, h("strong", {}, label), ` — ${hint}`)) };
            }

            """##),
        "drawing/command.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** How what is drawn says what a person wants: it travels up to whoever acts (acting/commands.js). */

            /** @param {EventTarget|null} from @param {string} name @param {any} [subject] */
            export function command(from, name, subject) {
              (from ?? document.body).dispatchEvent(new CustomEvent("command", { bubbles: true, detail: { name, subject } }));
            }

            """##),
        "drawing/conversation-list.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** The conversations, the one with the latest message first. */
            import { summary } from "../deciding/delivery.js";
            import { LIMITS } from "../deciding/limits.js";
            import { conversationTitle, partyName } from "../deciding/naming.js";
            import { excerpt } from "../deciding/safe-text.js";
            import { shortTime } from "../deciding/times.js";
            import { gist } from "../deciding/timeline.js";
            import { conversationRows } from "../deciding/views.js";
            import { avatar } from "./avatar.js";
            import { command } from "./command.js";
            import { foreign, h, reconcile, replace, setAttribute } from "./dom.js";
            import { icon } from "./icons.js";
            /** @typedef {import("../deciding/state.js").State} State */

            export class ConversationList extends HTMLElement {
              #list = h("ul", { "aria-label": "Conversations" });
              #more = h("button", { type: "button", class: "link more", hidden: true, onclick: () => command(this, "moreConversations") }, "Show older conversations");
              #empty = h("p", { class: "empty" }, "Nobody has written yet. Choose somebody under People, or begin a conversation.");
              /** @type {import("../talking/tab-storage.js").Drafts|null} */
              drafts = null;

              connectedCallback() { this.append(this.#list, this.#empty, this.#more); }

              /** @param {State} state */
              update(state) {
                const rows = conversationRows(state);
                this.#more.hidden = !state.hasMoreConversations;
                this.#empty.hidden = rows.length > 0;
                reconcile(this.#list, rows, {
                  key: (each) => each.id,
                  make: (each) => h("li", {}, h("button", { type: "button", class: "row", onclick: () => command(this, "open", each.id) })),
                  update: (element, each) => this.#update(element, each, state),
                });
              }

              /** @param {any} element @param {any} conversation @param {State} state */
              #update(element, conversation, state) {
                const isOpen = state.open === conversation.id;
                const peer = conversation.kind === "direct" ? state.users.get(conversation.peer?.id) : null;
                const draft = !isOpen && this.drafts?.has(conversation.id) ? this.drafts.get(conversation.id).text : "";
                const isTyping = [...(state.typing.get(conversation.id)?.values() ?? [])].some((until) => until > Date.now());
                const drawn = [conversation, peer, isOpen, draft, isTyping, new Date().getDate()];
                if (element.drawn?.every((/** @type {any} */ each, /** @type {number} */ index) => each === drawn[index])) return;
                element.drawn = drawn;
                const title = conversationTitle(state, conversation), { lastMessage, unreadCount } = conversation;
                const button = element.firstElementChild;
                setAttribute(button, "aria-current", isOpen ? "true" : null);
                button.classList.toggle("has-unread", unreadCount > 0);
                replace(button,
                  avatar({ id: conversation.peer?.id ?? conversation.id, name: title, kind: conversation.kind, isOnline: conversation.kind === "direct" ? peer?.isOnline ?? false : undefined }),
                  h("span", { class: "row-main" },
                    h("span", { class: "row-title" }, foreign("bdi", title, { class: "name" }), trustSign(peer),
                      h("span", { class: "hidden" }, conversation.kind === "direct" ? (peer?.isOnline ? ", online" : ", away") : ""),
                      lastMessage ? h("time", { class: "row-time", datetime: lastMessage.timestamp }, shortTime(lastMessage.timestampMilliseconds, Date.now())) : null),
                    h("span", { class: "row-text" },
                      isTyping ? h("span", { class: "preview typing" }, "typing…") : draft ? preview("Draft: ", draft) : lastLine(state, conversation, lastMessage),
                      unreadCount > 0 ? h("span", { class: "count" }, unreadCount > 999 ? "999+" : String(unreadCount), h("span", { class: "hidden" }, " unread")) : null)));
              }
            }

            /** @param {any} peer */
            export function trustSign(peer) {
              if (peer?.trust === "verified") return h("span", { class: "sign verified", title: "Verified" }, icon("verified"), h("span", { class: "hidden" }, "verified"));
              if (peer?.trust === "conflict") return h("span", { class: "sign conflict", title: "Another key" }, icon("warning"), h("span", { class: "hidden" }, "another key"));
              if (peer?.trust === "blocked") return h("span", { class: "sign", title: "Blocked" }, icon("blocked"), h("span", { class: "hidden" }, "blocked"));
              return null;
            }

            /** @param {string} before @param {string} text */
            const preview = (before, text) => h("span", { class: "preview" }, h("span", { class: "preview-who" }, before), foreign("bdi", excerpt(text, LIMITS.excerpt)));

            /** @param {State} state @param {any} conversation @param {any} message */
            function lastLine(state, conversation, message) {
              if (conversation.status === "invited") return h("span", { class: "preview invited" }, `${conversation.owner ? partyName(state, conversation.owner) : "Somebody"} invites you`);
              if (conversation.status === "left") return h("span", { class: "preview" }, "You have left");
              if (!message) return h("span", { class: "preview" }, "Nothing was written yet");
              const isOwn = message.sender.id === state.node?.id;
              const result = preview(isOwn ? "You: " : conversation.kind === "direct" ? "" : `${partyName(state, message.sender)}: `, gist(message));
              if (isOwn && !message.isRetracted) {
                const { state: reached, label } = summary(message.recipients);
                result.prepend(h("span", { class: `state state-${reached}`, title: label }, icon(/** @type {any} */ (reached)), h("span", { class: "hidden" }, `${label}. `)));
              }
              return result;
            }

            customElements.define("conversation-list", ConversationList);

            """##),
        "drawing/dialog-header.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** Who is open: name, trust, presence. */
            import { trustWords } from "../deciding/naming.js";
            import { lastSeen } from "../deciding/times.js";
            import { isSilent, openConversation, openPeer, openTitle } from "../deciding/views.js";
            import { avatar } from "./avatar.js";
            import { command } from "./command.js";
            import { foreign, h, replace, setText } from "./dom.js";
            import { icon } from "./icons.js";
            /** @typedef {import("../deciding/state.js").State} State */

            export class DialogHeader extends HTMLElement {
              #face = h("span", { class: "face" });
              #title = h("h2", { dir: "auto", tabindex: -1 });
              #about = h("p", { class: "subtitle" });
              #invitation = h("div", { class: "invitation", hidden: true },
                h("button", { type: "button", class: "primary", onclick: () => command(this, "joinOpenConversation") }, "Accept"),
                h("button", { type: "button", onclick: () => command(this, "leave") }, "Decline"));
              #markAll = h("button", { type: "button", class: "small", hidden: true, onclick: () => command(this, "markAll") }, "Mark all as read");

              connectedCallback() {
                this.append(
                  h("button", { type: "button", class: "icon-button back", "aria-label": "Back to the list", onclick: () => command(this, "close") }, icon("back")),
                  this.#face, h("div", { class: "titles" }, this.#title, this.#about), this.#invitation, this.#markAll,
                  h("button", { type: "button", class: "icon-button", "aria-label": "About this conversation", title: "About", onclick: () => command(this, "details") }, icon("info")));
              }

              focusTitle() { this.#title.focus(); }

              /** @param {State} state */
              update(state) {
                this.hidden = !state.open;
                if (!state.open) return;
                const conversation = openConversation(state), peer = openPeer(state), title = openTitle(state);
                setText(this.#title, title);
                replace(this.#face, avatar({ id: peer?.id ?? state.open, name: title, kind: conversation?.kind ?? "direct", isOnline: peer ? peer.isOnline ?? false : undefined }));
                replace(this.#about, ...(peer ? aboutPerson(peer, isSilent(state, Date.now())) : aboutGroup(conversation)));
                this.#invitation.hidden = conversation?.status !== "invited";
                this.#markAll.hidden = !(conversation?.unreadCount > 50);
              }
            }

            /** @param {any} peer @param {boolean} isSilent */
            function aboutPerson(peer, isSilent) {
              if (!peer.trust) return ["Never met"];
              const signs = { verified: "verified", blocked: "blocked", conflict: "warning" };
              return [
                h("span", {}, isSilent ? "Not answering" : peer.isOnline ? "Online" : `Seen ${lastSeen(peer.lastSeenMilliseconds, Date.now())}`), " · ",
                h("span", { class: `trust trust-${peer.trust}`, title: trustWords(peer.trust).hint }, icon(/** @type {any} */ (signs[peer.trust] ?? "shield")), trustWords(peer.trust).word),
              ];
            }

            /** @param {any} conversation */
            function aboutGroup(conversation) {
              if (!conversation) return [];
              const count = conversation.participants.length;
              return [`${conversation.kind === "private" ? "Private" : "Open"} conversation · ${count} ${count === 1 ? "participant" : "participants"}`,
                conversation.friendlyName ? foreign("bdi", ` · #${conversation.uniqueName}`) : ""];
            }

            customElements.define("dialog-header", DialogHeader);

            """##),
        "drawing/dom.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** Makes and changes elements. Text is only ever text: nothing here takes markup. */
            import { segments } from "../deciding/safe-text.js";

            /** @typedef {Node|string|null|undefined|false|any[]} Child */

            /**
             * An element with attributes, listeners (`onclick: …`) and children. A value of `false`, `null` or `undefined` leaves an
             * attribute out, `true` gives it without a value.
             * @param {string} tag @param {Record<string, any>} [attributes] @param {...(Child|Child[])} children
             * @returns {any}
             */
            export function h(tag, attributes = {}, ...children) {
              const element = document.createElement(tag);
              for (const [name, value] of Object.entries(attributes)) {
                if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
                else setAttribute(element, name, value);
              }
              append(element, children);
              return element;
            }

            /** @param {Element} element @param {string} name @param {any} value */
            export function setAttribute(element, name, value) {
              if (value === false || value === null || value === undefined) element.removeAttribute(name);
              else if (element.getAttribute(name) !== String(value === true ? "" : value)) element.setAttribute(name, value === true ? "" : String(value));
            }

            /** @param {Element} element @param {(Child|Child[])[]} children */
            function append(element, children) {
              for (const child of children.flat(Infinity)) if (child !== null && child !== undefined && child !== false) element.append(child);
            }

            /** @param {Element} element @param {...(Child|Child[])} children */
            export function replace(element, ...children) {
              element.replaceChildren();
              append(element, children);
            }

            /** Sets a text only where it differs, so that nothing is announced or drawn again. @param {Element} element @param {string} text */
            export function setText(element, text) {
              if (element.textContent !== text) element.textContent = text;
            }

            /**
             * A text of somebody else: isolated from what stands around it, with what is dangerous in it shown as its code.
             * @param {string} tag @param {string} text @param {Record<string, any>} [attributes]
             */
            export function foreign(tag, text, attributes = {}) {
              const parts = segments(text).map((each) => (each.isEscaped ? h("span", { class: "escaped" }, each.text) : each.text));
              return h(tag, { dir: "auto", ...attributes }, ...parts);
            }

            /**
             * Makes the children of an element those of a list, each with a key. What is there already is moved and changed, and not
             * made anew; so it keeps the focus.
             * @template Item
             * @param {Element} container @param {Item[]} items
             * @param {{key: (item: Item) => string, make: (item: Item) => any, update: (element: any, item: Item) => void}} how
             */
            export function reconcile(container, items, { key, make, update }) {
              const wanted = new Set(items.map(key)), known = new Map();
              for (const child of [...container.children]) {
                const name = /** @type {any} */ (child).dataset.key;
                // First what goes: it would else push all that follow to another place.
                if (wanted.has(name)) known.set(name, child);
                else child.remove();
              }
              let next = container.firstElementChild;
              for (const item of items) {
                const name = key(item);
                const element = known.get(name) ?? make(item);
                element.dataset.key = name;
                update(element, item);
                if (element === next) next = next.nextElementSibling;
                else container.insertBefore(element, next);
              }
            }

            """##),
        "drawing/file-drop.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** Takes the files that somebody drags here, or pastes. */
            import { h } from "./dom.js";

            /**
             * @param {HTMLElement} area where files may be dropped
             * @param {{accepts: () => boolean, take: (files: File[]) => void, refuse: (reason: string) => void}} means
             */
            export function takeDrops(area, { accepts, take, refuse }) {
              const hint = h("p", { class: "drop-hint", "aria-hidden": "true", hidden: true }, h("span", {}, "Drop files to attach them"));
              area.append(hint);
              const holdsFiles = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files") ?? false;
              const isHere = (/** @type {DragEvent} */ event) => accepts() && area.contains(/** @type {Node} */ (event.target));
              document.addEventListener("dragover", (event) => {
                if (!holdsFiles(event)) return;
                // Elsewhere, too: the browser would else leave the page and show the file.
                event.preventDefault();
                if (event.dataTransfer) event.dataTransfer.dropEffect = isHere(event) ? "copy" : "none";
                hint.hidden = !isHere(event);
              });
              document.addEventListener("dragleave", (event) => { if (event.relatedTarget === null) hint.hidden = true; });
              document.addEventListener("drop", (event) => {
                hint.hidden = true;
                if (!holdsFiles(event)) return;
                event.preventDefault();
                if (!isHere(event) || !event.dataTransfer) return;
                const items = [...event.dataTransfer.items].filter((each) => each.kind === "file");
                const hasFolder = items.some((each) => each.webkitGetAsEntry?.()?.isDirectory);
                if (hasFolder) refuse("a folder cannot be attached: attach the files that are in it");
                else take([...event.dataTransfer.files]);
              });
            }

            /** The files of what is pasted; none where there is a text, as programs put a picture of it beside it. @param {ClipboardEvent} event */
            export function pastedFiles({ clipboardData }) {
              if (!clipboardData || clipboardData.types.includes("text/plain")) return [];
              return [...clipboardData.files];
            }

            """##),
        "drawing/findings-sheet.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** What the doctor finds: why messages flow, or why they do not. */
            import { line } from "../deciding/safe-text.js";
            import { foreign, h, replace } from "./dom.js";
            import { icon } from "./icons.js";
            import { attempt, showSheet } from "./sheet.js";

            const WORDS = { ok: "Fine", note: "Note", warning: "Warning", problem: "Problem" };
            const ICONS = { ok: "sent", note: "info", warning: "warning", problem: "failed" };
            const ORDER = ["problem", "warning", "note", "ok"];

            /** @param {any} app */
            export function showFindings(app) {
              const list = h("ul", { class: "findings", "aria-label": "Findings" }), problem = h("p", { class: "problem", role: "alert" });
              showSheet({
                name: "findings", title: "What the doctor finds", body: [list, problem,
                  h("div", { class: "buttons" }, h("button", { type: "button", onclick: () => look() }, "Look again"))],
              });
              const look = async () => {
                replace(list, h("li", {}, "Looking. It may take some seconds…"));
                const isDone = await attempt(problem, async () => {
                  const findings = await app.api.get("health");
                  app.store.apply({ type: "findings", findings });
                  replace(list, [...findings].sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity)).map((each) =>
                    h("li", { class: `finding ${each.severity}` }, icon(/** @type {any} */ (ICONS[each.severity] ?? "info")),
                      h("div", {}, h("strong", {}, `${WORDS[each.severity] ?? each.severity}: `), foreign("span", line(each.what)),
                        each.why ? foreign("p", line(each.why), { class: "muted" }) : null))));
                });
                if (!isDone) replace(list);
              };
              look();
            }

            """##),
        "drawing/group-sheet.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** About a conversation of many: who is in, and what its owner may do. */
            import { conversationTitle, partyName } from "../deciding/naming.js";
            import { avatar } from "./avatar.js";
            import { foreign, h, replace } from "./dom.js";
            import { notificationLevel } from "./notification-level.js";
            import { attempt, confirmSheet, showSheet } from "./sheet.js";
            import { peoplePicker } from "./people-picker.js";

            /** @param {any} conversation @param {any} app */
            export function showGroup(conversation, app) {
              const { state } = app, isPrivate = conversation.kind === "private";
              const isOwner = isPrivate && conversation.owner?.id === state.node.id, isIn = conversation.status === "joined";
              const people = h("ul", { class: "participants", "aria-label": "Participants" }), problem = h("p", { class: "problem", role: "alert" });
              const refresh = () => fill(people, conversation, app, isOwner, problem);
              const sheet = showSheet({
                name: "group", title: foreign("bdi", conversationTitle(state, conversation)), body: [
                  h("p", { class: "muted" }, isPrivate
                    ? `Private: ${isOwner ? "you say" : "its owner says"} who is in. ${conversation.givesHistory ? "Who joins is given what was written before." : "Who joins is not given what was written before."}`
                    : "Open: whoever knows its name joins, and gets the whole history.", foreign("bdi", ` #${conversation.uniqueName}`)),
                  h("h3", {}, "Participants"), people, problem, isIn ? notificationLevel(conversation.id, app, problem) : null,
                  isOwner && isIn ? ownerPart(conversation, app, problem, refresh) : null,
                  h("div", { class: "buttons" },
                    isIn && !isOwner ? h("button", { type: "button", class: "danger", onclick: () => app.command("leave") }, "Leave…") : null,
                    isOwner && isIn ? h("button", { type: "button", class: "danger", onclick: () => close(conversation, app) }, "Close for all…") : null,
                    ["left", "invited"].includes(conversation.status) ? h("button", {
                      type: "button", class: "primary",
                      onclick: async () => (await attempt(problem, () => app.gathering.decide(conversation.id, "join"))) && sheet.close(),
                    }, "Join") : null),
                ],
              });
              refresh();
            }

            /** @param {HTMLElement} list @param {any} conversation @param {any} app @param {boolean} isOwner @param {HTMLElement} problem */
            async function fill(list, conversation, app, isOwner, problem) {
              const words = { joined: "", invited: "invited", left: "has left", removed: "removed", closed: "closed" };
              await attempt(problem, async () => {
                const participants = await app.gathering.participants(conversation.id);
                replace(list, participants.map((/** @type {any} */ each) => {
                  const name = partyName(app.state, each), user = app.state.users.get(each.id), isSelf = each.id === app.state.node.id;
                  return h("li", {}, avatar({ id: each.id, name: isSelf ? app.state.node.name : name, isOnline: isSelf ? undefined : user?.isOnline ?? false }), foreign("bdi", name, { class: "name" }),
                    h("span", { class: "muted" }, [each.role === "owner" ? "owner" : "", words[each.status] ?? each.status].filter(Boolean).join(", ")),
                    isOwner && !isSelf ? h("button", {
                      type: "button", class: "small", "aria-label": `Remove ${name}`,
                      onclick: () => confirmSheet({ title: `Remove ${name}?`, text: "What they have, they keep. What they write from now on counts for nobody.", action: "Remove", isDangerous: true },
                        () => app.gathering.remove(conversation.id, each.id)),
                    }, "Remove") : null);
                }));
              });
            }

            /** @param {any} conversation @param {any} app @param {HTMLElement} problem @param {() => void} refresh */
            function ownerPart(conversation, app, problem, refresh) {
              const known = new Set(conversation.participants.map((/** @type {any} */ each) => each.id));
              const picker = peoplePicker(app.state, (user) => !known.has(user.id), "Invite");
              const name = h("input", { type: "text", dir: "auto", maxlength: 256, value: conversation.friendlyName ?? "", "aria-label": "What people call it" });
              return h("div", {},
                h("h3", {}, "Invite"), picker.element,
                h("div", { class: "buttons" }, h("button", {
                  type: "button", onclick: async () => {
                    if (picker.chosen().length > 0 && await attempt(problem, () => app.gathering.invite(conversation.id, picker.chosen()))) refresh();
                  },
                }, "Invite")),
                h("h3", {}, "Name"), h("form", {
                  class: "inline", onsubmit: (/** @type {Event} */ event) => {
                    event.preventDefault();
                    attempt(problem, () => app.gathering.rename(conversation.id, name.value));
                  },
                }, name, h("button", { type: "submit" }, "Rename")));
            }

            /** @param {any} conversation @param {any} app */
            function close(conversation, app) {
              confirmSheet({ title: "Close this conversation?", text: "It ends for all. What is there stays, and can be read. This cannot be undone.", action: "Close for all", isDangerous: true },
                () => app.gathering.decide(conversation.id, "close"));
            }

            """##),
        "drawing/help-sheet.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** The keys, as the page obeys them. */
            import { KEYS } from "../deciding/keys.js";
            import { STATE_WORDS, meaning } from "../deciding/delivery.js";
            import { h } from "./dom.js";
            import { icon } from "./icons.js";
            import { showSheet } from "./sheet.js";

            const PLACES = [["page", "Everywhere"], ["composer", "While you write"], ["message", "On a message (Shift Tab from the text field, then arrows)"]];

            export function showHelp() {
              showSheet({
                name: "help", title: "Help", body: [
                  ...PLACES.map(([where, heading]) => h("section", {}, h("h3", {}, heading),
                    h("dl", { class: "keys" }, KEYS.filter((each) => each.where === where).map((each) => [h("dt", {}, h("kbd", {}, each.shown ?? each.key)), h("dd", {}, each.help)])))),
                  h("section", {}, h("h3", {}, "What the marks of your messages mean"),
                    h("ul", { class: "recipients" }, Object.entries(STATE_WORDS).map(([state, word]) =>
                      h("li", { class: `state-${state}` }, icon(/** @type {any} */ (state)), h("span", { class: "name" }, word), h("span", { class: "muted" }, `it ${meaning(state)}`))))),
                ],
              });
            }

            """##),
        "drawing/icons.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** Small drawings, as strokes on 24 by 24. They say nothing by themselves: a label or a text beside them does. */

            const PATHS = {
              ear: "M7 9a5 5 0 0 1 10 0c0 3-3 4-3 7a3 3 0 0 1-5.5 1.7M10 9.5a2 2 0 0 1 4 0c0 1.2-1.3 1.8-1.3 3",
              search: "M10.5 4a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zM20 20l-4.7-4.7",
              plus: "M12 5v14M5 12h14",
              settings: "M4 7h9M19 7h1M4 17h1M11 17h9M16 4.5v5M8 14.5v5",
              help: "M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 17.5v.5M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18z",
              back: "M15 5l-7 7 7 7",
              down: "M12 5v13M6 12.5l6 6 6-6",
              attach: "M18 11l-6.5 6.5a4 4 0 0 1-5.7-5.7L13 4.6a2.6 2.6 0 0 1 3.7 3.7L9.5 15.5a1.2 1.2 0 0 1-1.7-1.7L14 7.6",
              file: "M7 3.5h6.5L18 8v12.5H7zM13 3.5V8.5h5",
              save: "M12 4v10M7.5 10l4.5 4.5L16.5 10M5 19.5h14",
              send: "M5 12h13M12.5 6l6 6-6 6",
              close: "M6 6l12 12M18 6L6 18",
              info: "M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM12 11v5.5M12 7.5v.5",
              warning: "M12 4l9 16H3zM12 10v4.5M12 17v.5",
              shield: "M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6z",
              verified: "M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6zM8.5 11.8l2.5 2.5 4.5-4.8",
              blocked: "M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM5.7 5.7l12.6 12.6",
              people: "M9 5a3.2 3.2 0 1 1 0 6.4A3.2 3.2 0 0 1 9 5zM3 19c0-3.3 2.6-5 6-5s6 1.7 6 5M16 5.3a3 3 0 0 1 0 5.8M17.5 14.2c2.2.5 3.5 2.2 3.5 4.8",
              lock: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3",
              reply: "M10 6l-5 5 5 5M5 11h8c4 0 6 2.5 6 7",
              edit: "M5 19l1-4L16 5l3 3L9 18zM14 7l3 3",
              retract: "M5 7h14M10 7V4.5h4V7M7 7l1 12.5h8L17 7",
              smile: "M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM8.5 14c.8 1.5 2 2.2 3.5 2.2s2.7-.7 3.5-2.2M9 9.5v.5M15 9.5v.5",
              more: "M5.5 12h.01M12 12h.01M18.5 12h.01",
              retry: "M19 12a7 7 0 1 1-2-5M19 4v4h-4",
              outside: "M10 6H6v12h12v-4M13 5h6v6M19 5l-8 8",
              late: "M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16zM12 8v4.5l3 2",
              queued: "M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16zM12 8v4.5l3 2",
              sent: "M5 12.5l4.5 4.5L19 7.5",
              delivered: "M2.5 12.5L7 17l9-9.5M11 16l1 1 9.5-9.5",
              handled: "M9 4h6v3H9zM6 7h12v11H6zM9.5 12v1.5M14.5 12v1.5M3.5 11v4M20.5 11v4",
              read: "M2.5 12s3.5-6 9.5-6 9.5 6 9.5 6-3.5 6-9.5 6-9.5-6-9.5-6zM12 9.3a2.7 2.7 0 1 1 0 5.4 2.7 2.7 0 0 1 0-5.4z",
              failed: "M12 4l9 16H3zM12 10v4.5M12 17v.5",
            };

            const SVG = "http://www.w3.org/2000/svg";

            /** @param {keyof typeof PATHS} name */
            export function icon(name) {
              const svg = document.createElementNS(SVG, "svg"), path = document.createElementNS(SVG, "path");
              svg.setAttribute("viewBox", "0 0 24 24");
              svg.setAttribute("class", `icon icon-${name}`);
              svg.setAttribute("aria-hidden", "true");
              path.setAttribute("d", PATHS[name] ?? PATHS.info);
              svg.append(path);
              return svg;
            }

            /**
             * A picture of squares, such as a QR code, from rows of "0" and "1".
             * @param {string[]} rows @param {string} label
             */
            export function squares(rows, label) {
              const svg = document.createElementNS(SVG, "svg"), path = document.createElementNS(SVG, "path");
              const margin = 4, size = rows.length + 2 * margin;
              let strokes = "";
              rows.forEach((row, y) => {
                for (const run of row.matchAll(/1+/g)) strokes += `M${run.index + margin} ${y + margin}h${run[0].length}v1h-${run[0].length}z`;
              });
              svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
              svg.setAttribute("class", "squares");
              svg.setAttribute("role", "img");
              svg.setAttribute("aria-label", label);
              svg.setAttribute("shape-rendering", "crispEdges");
              path.setAttribute("d", strokes);
              svg.append(path);
              return svg;
            }

            """##),
        "drawing/message-actions.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** The small bar beside a message that has the pointer or the focus. There is one, which moves. */
            import { h } from "./dom.js";
            import { command } from "./command.js";
            import { icon } from "./icons.js";

            const ACTIONS = [
              { name: "reactWith", label: "React", icon: "smile", isShown: () => true },
              { name: "reply", label: "Reply", icon: "reply", isShown: () => true },
              { name: "edit", label: "Edit", icon: "edit", isShown: (/** @type {any} */ _, /** @type {boolean} */ isOwn) => isOwn },
              { name: "retract", label: "Take back", icon: "retract", isShown: (/** @type {any} */ _, /** @type {boolean} */ isOwn) => isOwn },
              { name: "messageDetails", label: "Details", icon: "info", isShown: () => true },
            ];

            /**
             * @param {any} message @param {boolean} isOwn @param {boolean} canWrite
             * @returns {HTMLElement}
             */
            export function messageActions(message, isOwn, canWrite) {
              const isGone = message.isRetracted || message.isDeleted;
              const shown = ACTIONS.filter((each) => (each.name === "messageDetails" || (canWrite && !isGone)) && each.isShown(message, isOwn));
              return h("div", { class: "actions", role: "group", "aria-label": "Actions for this message" }, shown.map((each) =>
                h("button", {
                  type: "button", title: each.label, "aria-label": each.label,
                  onclick: (/** @type {Event} */ event) => command(event.currentTarget, each.name, message),
                }, icon(/** @type {any} */ (each.icon)))));
            }

            """##),
        "drawing/message-composer.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** Where one writes. What is typed is a draft of its dialog until the node has it. */
            import { LIMITS } from "../deciding/limits.js";
            import { commandFor } from "../deciding/keys.js";
            import { beginning } from "../deciding/mentions.js";
            import { partyName } from "../deciding/naming.js";
            import { filesFor } from "../deciding/outgoing.js";
            import { excerpt } from "../deciding/safe-text.js";
            import { gist } from "../deciding/timeline.js";
            import { openConversation, openTitle, writingProblem } from "../deciding/views.js";
            import { readChoices } from "../talking/tab-storage.js";
            import { announce } from "./announcer.js";
            import { command } from "./command.js";
            import { foreign, h, replace, setAttribute, setText } from "./dom.js";
            import { pastedFiles, takeDrops } from "./file-drop.js";
            import { icon } from "./icons.js";
            import { OutgoingFiles } from "./outgoing-files.js";
            /** @typedef {import("../deciding/state.js").State} State */

            export class MessageComposer extends HTMLElement {
              #about = h("div", { class: "about", hidden: true });
              #field = h("textarea", { id: "field", rows: 1, dir: "auto", autocomplete: "off", "aria-describedby": "composer-note" });
              #send = h("button", { type: "submit", class: "send", "aria-label": "Send" }, icon("send"));
              #note = h("p", { id: "composer-note", class: "note", role: "status" });
              #names = h("div", { class: "names", role: "group", "aria-label": "Names that fit", hidden: true });
              #files = /** @type {OutgoingFiles} */ (document.createElement("outgoing-files"));
              #chooser = h("input", { type: "file", multiple: true, hidden: true });
              #attach = h("button", { type: "button", class: "icon-button attach", "aria-label": "Attach files", title: "Attach files (Alt A)", onclick: () => this.chooseFiles() }, icon("attach"));
              #form = h("form", {}, this.#about, this.#names, this.#files, h("div", { class: "line" }, this.#attach, this.#field, this.#send), this.#note, this.#chooser);
              /** @type {State|null} */
              #state = null;
              /** @type {import("../talking/tab-storage.js").Drafts|null} */
              #drafts = null;
              /** @type {((key: string, draft: any) => Promise<void>)|null} */
              #post = null;
              /** @type {((text: string) => string)|null} */
              #check = null;
              /** @type {import("../acting/uploads.js").Uploads|null} */
              #uploads = null;
              /** @type {string|null} */
              #key = null;
              /** The dialogs whose message is on its way to the node, or waits for its files. @type {Set<string>} */
              #sending = new Set();
              /** The files that were there when it was drawn. */
              #drawnFiles = "";

              connectedCallback() {
                this.append(this.#form);
                this.#form.addEventListener("submit", (/** @type {Event} */ event) => {
                  event.preventDefault();
                  this.#submit();
                });
                this.#field.addEventListener("input", () => this.#typed());
                this.#field.addEventListener("paste", (/** @type {ClipboardEvent} */ event) => {
                  const files = pastedFiles(event);
                  if (files.length === 0) return;
                  event.preventDefault();
                  command(this, "attachFiles", files);
                });
                this.#chooser.addEventListener("change", () => {
                  command(this, "attachFiles", [...this.#chooser.files]);
                  // The same file may be chosen again.
                  this.#chooser.value = "";
                  this.focusField();
                });
                takeDrops(/** @type {HTMLElement} */ (this.closest(".dialog")), {
                  accepts: () => this.#canAttach, take: (files) => command(this, "attachFiles", files), refuse: (reason) => command(this, "refuseFiles", reason),
                });
                this.#field.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.#keyPressed(event));
              }

              /** @param {{drafts: any, post: (key: string, draft: any) => Promise<void>, check: (text: string) => string, uploads: any}} means */
              use({ drafts, post, check, uploads }) {
                this.#uploads = uploads;
                this.#drafts = drafts;
                this.#post = post;
                this.#check = check;
              }

              /** @param {State} state */
              update(state) {
                const before = this.#key;
                this.#state = state;
                this.#key = state.open;
                this.hidden = !state.open;
                if (before !== this.#key) this.#changeDialog(before);
                const problem = writingProblem(state), title = openTitle(state);
                this.#field.disabled = problem !== "";
                setAttribute(this.#field, "placeholder", problem || `Message ${title}`);
                setAttribute(this.#field, "aria-label", `Message to ${title}`);
                this.#drawFiles();
                this.#drawSend();
              }

              chooseFiles() { if (this.#canAttach) this.#chooser.click(); }

              focusField() { this.#field.focus(); }

              /** @param {any} message */
              reply(message) {
                this.#setDraft({ ...this.#draft(), replyTo: message, edit: undefined });
                this.focusField();
              }

              /** @param {any} message */
              edit(message) {
                this.#setDraft({ text: message.text, edit: message });
                this.#showDraft();
                this.focusField();
              }

              /** Puts away what the draft answers or changes. @returns {boolean} whether there was something */
              cancel() {
                const { replyTo, edit, text } = this.#draft();
                if (!replyTo && !edit) return false;
                this.#setDraft({ text: edit ? "" : text });
                this.#showDraft();
                this.focusField();
                return true;
              }

              #draft() { return this.#key ? /** @type {any} */ (this.#drafts).get(this.#key) : { text: "" }; }

              /** @param {any} draft */
              #setDraft(draft) {
                if (this.#key) this.#drafts?.set(this.#key, draft);
                this.#drawAbout();
                this.#files.update(this.#outgoing, this.#sending.has(this.#key ?? ""));
                this.#drawSend();
              }

              /** @param {string|null} before */
              #changeDialog(before) {
                // Opened by a user, and by the conversation from the first message on: it is the same dialog.
                if (before?.startsWith("user:") && this.#key && this.#drafts?.has(before) && !this.#drafts.has(this.#key) && this.#field.value !== "") {
                  this.#drafts.set(this.#key, this.#drafts.get(before));
                  this.#drafts.set(before, { text: "" });
                }
                setText(this.#note, "");
                this.#showDraft();
              }

              #showDraft() {
                const { text } = this.#draft();
                if (this.#field.value !== text) this.#field.value = text;
                this.#names.hidden = true;
                this.#fit();
                this.#drawAbout();
                this.#drawSend();
              }

              /** As high as its text, up to what the style sheet allows. */
              #fit() {
                this.#field.style.height = "auto";
                this.#field.style.height = `${this.#field.scrollHeight + 2}px`;
              }

              #typed() {
                // Another text is another message: it must not go under the key of the one that was tried before.
                this.#setDraft({ ...this.#draft(), text: this.#field.value, key: undefined });
                this.#fit();
                this.#drawNames();
                setText(this.#note, this.#check?.(this.#field.value) ?? "");
                command(this, "typing", { key: this.#key, isTyping: this.#field.value.trim() !== "" });
              }

              /** @param {KeyboardEvent} event */
              #keyPressed(event) {
                // While an input method composes, Enter belongs to it.
                if (event.isComposing) return;
                if (event.key === "ArrowUp" && !this.#names.hidden) {
                  event.preventDefault();
                  this.#names.lastElementChild.focus();
                  return;
                }
                const name = commandFor(event, "composer");
                if (name === "send" && readChoices().sendsWithEnter) {
                  event.preventDefault();
                  this.#submit();
                } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
                  event.preventDefault();
                  this.#submit();
                } else if (name === "editLast" && this.#field.value === "") {
                  event.preventDefault();
                  command(this, "editLast");
                }
              }

              get #canAttach() { return this.#key !== null && !this.#field.disabled && !this.#draft().edit; }

              /** What goes with the message: nothing with a change of one that was sent. */
              get #outgoing() { return this.#state && !this.#draft().edit ? filesFor(this.#state, this.#key) : []; }

              #drawFiles() {
                const files = this.#outgoing, drawn = `${this.#key} ${files.map((each) => each.id)}`;
                // Other files are another message: it must not go under the key of the one that was tried before.
                if (drawn !== this.#drawnFiles && this.#draft().key && !this.#sending.has(this.#key ?? "")) this.#setDraft({ ...this.#draft(), key: undefined });
                this.#drawnFiles = drawn;
                this.#files.update(files, this.#sending.has(this.#key ?? ""));
                this.#attach.disabled = !this.#canAttach;
              }

              async #submit() {
                const key = this.#key, draft = this.#draft(), files = this.#outgoing.map((each) => each.id);
                if (!key || this.#sending.has(key) || (draft.text.trim() === "" && files.length === 0) || this.#check?.(draft.text)) return;
                if (this.#state?.link === "lost") {
                  setText(this.#note, "The node is away. Your draft is kept; send it when the node is back.");
                  return;
                }
                this.#sending.add(key);
                const sent = { ...draft, key: draft.key ?? crypto.randomUUID() };
                this.#drafts?.set(key, sent);
                setText(this.#note, "");
                this.#drawFiles();
                this.#drawSend();
                try {
                  const attachments = files.length > 0 ? await this.#uploads?.whole(files) : [];
                  // All were removed meanwhile, and nothing is left to say.
                  if (draft.text.trim() === "" && attachments?.length === 0) return;
                  await this.#post?.(key, { ...sent, attachments });
                  this.#uploads?.done(files);
                  this.#after(key, sent);
                } catch (error) {
                  if (this.#key === key) setText(this.#note, `Not sent: ${error.message}. Your draft is kept.`);
                  else command(this, "notSent", error.message);
                  announce(`Not sent: ${error.message}`, { isUrgent: true });
                } finally {
                  this.#sending.delete(key);
                  this.#drawFiles();
                  this.#drawSend();
                }
              }

              /** What was typed while the node took the message stays. @param {string} key @param {any} sent */
              #after(key, sent) {
                for (const each of new Set([key, this.#key])) {
                  if (!each) continue;
                  const { text } = /** @type {any} */ (this.#drafts).get(each);
                  if (each === key || (text !== "" && text === sent.text)) this.#drafts?.set(each, { text: text.startsWith(sent.text) ? text.slice(sent.text.length) : text });
                }
                setText(this.#note, "");
                this.#showDraft();
                announce(sent.edit ? "Edited" : "Sent");
              }

              #drawSend() {
                const isEmpty = this.#field.value.trim() === "" && this.#outgoing.length === 0;
                this.#send.disabled = this.#sending.has(this.#key ?? "") || this.#field.disabled || isEmpty || this.#state?.link === "lost";
                const label = this.#draft().edit ? "Save the edit" : "Send";
                setAttribute(this.#send, "aria-label", this.#state?.link === "lost" ? `${label}: the node is away` : label);
                setAttribute(this.#send, "title", label);
              }

              #drawAbout() {
                const { replyTo, edit } = this.#draft(), message = edit ?? replyTo;
                this.#about.hidden = !message;
                if (!message || !this.#state) return;
                const what = edit ? "Editing your message" : `Replying to ${partyName(this.#state, message.sender)}`;
                replace(this.#about, icon(edit ? "edit" : "reply"),
                  h("div", { class: "about-text" }, foreign("span", what, { class: "quoted-name" }), foreign("span", excerpt(gist(message), LIMITS.excerpt), { class: "quoted-text" })),
                  h("button", { type: "button", class: "icon-button", "aria-label": edit ? "Stop editing" : "Do not reply", onclick: () => this.cancel() }, icon("close")));
              }

              /** Offers the names of participants after an @. */
              #drawNames() {
                const conversation = this.#state && openConversation(this.#state);
                const typed = conversation && conversation.kind !== "direct" ? beginning(this.#field.value, this.#field.selectionStart) : null;
                const fitting = !typed ? [] : conversation.participants.filter((/** @type {any} */ each) =>
                  each.id !== this.#state?.node.id && each.name?.toLocaleLowerCase().startsWith(typed.prefix.toLocaleLowerCase())).slice(0, 6);
                this.#names.hidden = fitting.length === 0;
                replace(this.#names, fitting.map((/** @type {any} */ each) => h("button", { type: "button", class: "chip", onclick: () => this.#complete(each.name) }, foreign("span", `@${each.name}`))));
              }

              /** @param {string} name */
              #complete(name) {
                const typed = beginning(this.#field.value, this.#field.selectionStart);
                if (typed) this.#field.setRangeText(`@${name} `, typed.begin, this.#field.selectionStart, "end");
                this.#typed();
                this.focusField();
              }
            }

            customElements.define("message-composer", MessageComposer);

            """##),
        "drawing/message-file.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** A file that a message brings along: what it is called, what the node has of it, and what can be done about it. */
            import { byteText, percent, progressText } from "../deciding/files.js";
            import { LIMITS } from "../deciding/limits.js";
            import { line } from "../deciding/safe-text.js";
            import { announce } from "./announcer.js";
            import { command } from "./command.js";
            import { foreign, h, replace, setText } from "./dom.js";
            import { icon } from "./icons.js";
            /** @typedef {import("../deciding/known-files.js").KnownFile} KnownFile */

            export class MessageFile extends HTMLElement {
              #what = h("p", { class: "file" });
              #state = h("div", { class: "file-state" });
              #bar = h("progress", { max: 100 });
              #text = h("span", { class: "size" });
              /** @type {any} */
              #attachment = null;
              #messageID = "";
              #isNear = false;
              /** What is drawn now. */
              #drawn = "";
              /** Whether somebody has asked for it here, and so is told what becomes of it. */
              #isAwaited = false;
              /** @type {KnownFile|undefined} */
              #file = undefined;

              connectedCallback() { if (!this.firstElementChild) this.append(this.#what, this.#state); }

              /** @param {any} attachment @param {string} messageID */
              use(attachment, messageID) {
                this.#attachment = attachment;
                this.#messageID = messageID;
                replace(this.#what, icon("file"), foreign("span", attachment.name, { class: "file-name" }), h("span", { class: "size" }, byteText(attachment.byteCount)));
                this.#bar.setAttribute("aria-label", `${line(attachment.name)} is fetched`);
              }

              /** @param {KnownFile|undefined} file */
              update(file) {
                if (file === this.#file && !file?.isStale) return;
                this.#tell(file);
                this.#file = file;
                this.#ask();
                if (file?.state === "fetching") this.#drawProgress(file);
                const drawn = `${file?.state} ${file?.reason} ${file?.isSaving}`;
                if (drawn !== this.#drawn) this.#draw(file);
                this.#drawn = drawn;
              }

              /** @param {boolean} isNear whether it is near the screen now */
              near(isNear) {
                this.#isNear = isNear;
                this.#ask();
              }

              #ask() {
                if (this.#isNear && (!this.#file || this.#file.isStale)) command(this, "askFile", this.#attachment.fileID);
              }

              /** @param {KnownFile|undefined} file */
              #tell(file) {
                if (!this.#isAwaited || !file || file.state === "fetching" || file.state === "waiting") return;
                this.#isAwaited = false;
                const name = line(this.#attachment.name);
                if (file.state === "held") announce(`${name} is here`);
                else if (file.state === "failed") announce(`${name} cannot be kept: ${line(file.reason ?? "")}`, { isUrgent: true });
              }

              /** @param {KnownFile} file */
              #drawProgress({ receivedBytes = 0, samples }) {
                const { byteCount } = this.#attachment;
                this.#bar.value = percent(receivedBytes, byteCount);
                setText(this.#text, receivedBytes === 0 ? "0 %, waits for somebody who has it" : progressText(receivedBytes, byteCount, samples));
              }

              /** @param {KnownFile|undefined} file */
              #draw(file) {
                const hadFocus = this.#state.contains(document.activeElement);
                replace(this.#state, this.#parts(file));
                if (hadFocus) /** @type {HTMLElement|null} */ (this.#state.querySelector("button:not(:disabled)") ?? this.closest("li.message"))?.focus();
              }

              /** @param {KnownFile|undefined} file */
              #parts(file) {
                const again = () => this.#button("Fetch again", "fetchFile", "retry");
                switch (file?.state) {
                  case "waiting": return [this.#button("Fetch", "fetchFile", "down"), this.#button("Decline", "declineFile", "close")];
                  case "fetching": return [this.#bar, this.#text, this.#button("Cancel", "declineFile", "close")];
                  case "held": return this.#saving(file);
                  case "declined": return [h("span", { class: "size" }, "Declined"), again()];
                  case "failed": return [h("span", { class: "problem" }, `It cannot be kept: ${line(file.reason ?? "")}`), again()];
                  case "unknown": return [h("span", { class: "problem" }, line(file.reason ?? ""))];
                  default: return [];
                }
              }

              /** @param {KnownFile} file */
              #saving(file) {
                if (this.#attachment.byteCount > LIMITS.savedBytes) {
                  return [h("span", { class: "size" }, "Too large for a browser to save: ", h("code", {}, `earshot save ${this.#messageID}`))];
                }
                return [this.#button(file.isSaving ? "Saving…" : "Save", "saveFile", "save", file.isSaving)];
              }

              /** @param {string} word @param {string} name @param {any} sign @param {boolean} [isDisabled] */
              #button(word, name, sign, isDisabled = false) {
                return h("button", {
                  type: "button", class: "small", disabled: isDisabled, "aria-label": `${word} ${line(this.#attachment.name)}`,
                  onclick: () => {
                    this.#isAwaited = name === "fetchFile";
                    command(this, name, this.#attachment);
                  },
                }, icon(sign), word);
              }
            }

            customElements.define("message-file", MessageFile);

            """##),
        "drawing/message-list.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** The messages of the open dialog, in a window that follows the reader. */
            import { filesOf } from "../deciding/files.js";
            import { LIMITS } from "../deciding/limits.js";
            import { commandFor } from "../deciding/keys.js";
            import { timeline } from "../deciding/timeline.js";
            import { openConversation, openWindow, writingProblem } from "../deciding/views.js";
            import { command } from "./command.js";
            import { h, reconcile, setAttribute, setText } from "./dom.js";
            import { icon } from "./icons.js";
            import { messageActions } from "./message-actions.js";
            import { MessageParts } from "./message-parts.js";
            import { messageLabel, messageView } from "./message-view.js";
            import { isAtEnd, keepingPlace } from "./scroll-anchor.js";
            /** @typedef {import("../deciding/state.js").State} State */

            export class MessageList extends HTMLElement {
              #list = h("ol", { class: "messages", "aria-label": "Messages" });
              #hint = h("p", { class: "dialog-hint", role: "status" });
              #scroller = h("div", { class: "scroller" }, this.#hint, this.#list);
              #down = h("button", { type: "button", class: "to-end", hidden: true }, icon("down"), h("span", {}, "Latest"));
              /** @type {State|null} */
              #state = null;
              /** @type {object|null} */
              #origin = null;
              #follows = true;
              /** @type {string|null} */
              #current = null;
              /** @type {string|null} */
              #target = null;
              #whole = new Set();
              #onScreen = new Set();
              #observer = new IntersectionObserver((entries) => this.#seen(entries), { root: this.#scroller, threshold: [0, 0.5, 1] });

              /** Files and pictures ask for what they need when they come near the screen. */
              #near = new IntersectionObserver((entries) => {
                for (const { target, isIntersecting } of entries) /** @type {any} */ (target).near(isIntersecting && target.isConnected);
              }, { root: this.#scroller, rootMargin: `${LIMITS.nearPixels}px 0px` });

              connectedCallback() {
                this.append(this.#scroller, this.#down);
                this.#scroller.addEventListener("scroll", () => this.#scrolled(), { passive: true });
                this.#down.addEventListener("click", () => this.toEnd());
                this.#list.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.#key(event));
                for (const name of ["pointerover", "focusin", "click"]) this.#list.addEventListener(name, (/** @type {any} */ event) => this.#showActions(event));
                this.addEventListener("resizing", (/** @type {any} */ event) => keepingPlace(this.#scroller, this.#list, event.detail, { toEnd: this.#follows }));
                this.addEventListener("command", (/** @type {any} */ event) => {
                  if (event.detail.name === "showWhole") this.#showWhole(event.detail.subject);
                });
                // A field that grows, or a keyboard that opens, must not hide the end.
                new ResizeObserver(() => this.#follows && this.#scrollToEnd()).observe(this.#scroller);
              }

              /** @param {State} state */
              update(state) {
                this.#state = state;
                const window = openWindow(state);
                setAttribute(this, "aria-busy", String(state.loading !== null));
                setText(this.#hint, state.dialogProblem || (state.loading === "before" ? "Loading earlier messages…" : !window && state.open ? "Loading…"
                  : window?.messages.length === 0 ? "Nothing was written here yet." : ""));
                const isOther = window?.origin !== this.#origin;
                if (isOther) this.#forget(window);
                // Whoever reads above the end stays there, whatever comes.
                const toEnd = !isOther && this.#follows && (window?.isAtEnd ?? true);
                // Where all is drawn anew there is no place to keep, and measuring it costs time.
                if (isOther) this.#draw(state, window);
                else keepingPlace(this.#scroller, this.#list, () => this.#draw(state, window), { toEnd });
                if (isOther && window) this.#place(window);
                else if (this.#target) this.#scrollToTarget();
                this.#drawDown();
              }

              /** Shows a message in the middle as soon as it is there. @param {string} id */
              aim(id) {
                this.#target = id;
                this.#scrollToTarget();
              }

              toEnd() {
                if (openWindow(/** @type {State} */ (this.#state))?.isAtEnd) this.#scrollToEnd();
                else command(this, "showEnd");
              }

              /** Puts the focus on the message that had it last, or on the last one. */
              focusMessage() { (this.#item(this.#current) ?? this.#list.lastElementChild)?.focus(); }

              /** @param {any} window */
              #forget(window) {
                this.#origin = window?.origin ?? null;
                this.#current = null;
                this.#onScreen.clear();
                this.#whole.clear();
                this.#list.replaceChildren();
                this.#observer.disconnect();
                this.#near.disconnect();
              }

              /** @param {State} state @param {any} window */
              #draw(state, window) {
                const hadFocus = this.#list.contains(document.activeElement);
                const isGroup = openConversation(state)?.kind !== "direct" && openConversation(state) !== null;
                const byID = new Map((window?.messages ?? []).map((/** @type {any} */ each) => [each.id, each]));
                reconcile(this.#list, window ? timeline(window, Date.now()) : [], {
                  key: (each) => each.key,
                  make: (each) => (each.kind === "message" ? this.#make() : h("li", { class: each.kind })),
                  update: (element, each) => {
                    if (each.kind === "message") this.#update(element, each, state, byID, isGroup);
                    else if (element.textContent !== each.text) element.replaceChildren(h("span", {}, each.text));
                  },
                });
                if (!this.#item(this.#current)) this.#current = window?.messages.at(-1)?.id ?? null;
                setAttribute(this.#item(this.#current) ?? this.#list, "tabindex", this.#current ? 0 : null);
                if (hadFocus && !this.#list.contains(document.activeElement)) this.focusMessage();
              }

              #make() {
                const element = h("li", { class: "message", tabindex: -1 }, h("div", { class: "content" }));
                this.#observer.observe(element);
                element.parts = new MessageParts(this.#near);
                return element;
              }

              /** @param {any} element @param {any} shown @param {State} state @param {Map<string, any>} byID @param {boolean} isGroup */
              #update(element, shown, state, byID, isGroup) {
                const { message, isFirst, isLast } = shown;
                const quote = message.replyTo ? byID.get(message.replyTo) ?? state.quotes.get(message.replyTo) : undefined;
                if (message.replyTo && quote === undefined) command(this, "quote", message.replyTo);
                const isWhole = this.#whole.has(message.id);
                const drawn = [message, isFirst, isLast, quote, isWhole, isGroup, state.users.get(message.sender.id)?.name];
                const isDrawn = element.drawn?.every((/** @type {any} */ each, /** @type {number} */ index) => each === drawn[index]);
                if (!isDrawn) this.#drawMessage(element, shown, state, { isGroup, quote, isWhole, parts: element.parts });
                element.drawn = drawn;
                element.parts.update(filesOf(message), state.files);
              }

              /** @param {any} element @param {any} shown @param {State} state @param {any} context */
              #drawMessage(element, shown, state, context) {
                const { message, isFirst, isLast } = shown, { isGroup } = context;
                element.message = message;
                const isOwn = message.sender.id === state.node.id;
                element.className = ["message", isOwn ? "own" : "other", isFirst ? "first" : "", isLast ? "last" : "", isGroup ? "in-group" : "",
                  message.mentions.some((/** @type {any} */ each) => each.id === state.node.id) ? "mentions-me" : ""].filter(Boolean).join(" ");
                setAttribute(element, "aria-label", messageLabel(state, message));
                element.firstElementChild.replaceChildren(...messageView(state, shown, context));
                if (element.lastElementChild.classList.contains("actions")) this.#placeActions(element);
              }

              /** Where reading begins: at a target, at the first unread message, or at the end. @param {any} window */
              #place(window) {
                const divider = window.newFrom ? this.#list.querySelector("li.new") : null;
                if (this.#target) this.#scrollToTarget();
                else if (divider) this.#scroller.scrollTop = divider.offsetTop - this.#scroller.clientHeight / 4;
                else this.#scrollToEnd();
                this.#follows = window.isAtEnd && isAtEnd(this.#scroller);
                performance.mark("earshot:drawn");
                command(this, "drawn", window);
              }

              #scrollToEnd() {
                this.#scroller.scrollTop = this.#scroller.scrollHeight;
                this.#follows = true;
              }

              #scrollToTarget() {
                const element = this.#item(this.#target);
                if (!element) return;
                this.#target = null;
                this.#follows = false;
                element.scrollIntoView({ block: "center" });
                element.classList.add("aimed");
                element.addEventListener("animationend", () => element.classList.remove("aimed"), { once: true });
                this.#focus(element);
              }

              #scrolled() {
                const scroller = this.#scroller, window = this.#state && openWindow(this.#state);
                if (!window) return;
                this.#follows = window.isAtEnd && isAtEnd(scroller);
                if (scroller.scrollTop < LIMITS.pagingDistance && !window.isAtStart) command(this, "earlier");
                const below = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;
                if (below < LIMITS.pagingDistance && !window.isAtEnd) command(this, "later");
                this.#drawDown();
              }

              #drawDown() {
                const window = this.#state && openWindow(this.#state);
                const scroller = this.#scroller;
                const isFar = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight > scroller.clientHeight / 2;
                setAttribute(this.#down, "hidden", !window || (window.isAtEnd && !isFar));
                setText(this.#down.lastElementChild, window?.below ? `${window.below} new` : "Latest");
              }

              /** @param {IntersectionObserverEntry[]} entries */
              #seen(entries) {
                for (const { target, isIntersecting, intersectionRatio, intersectionRect, rootBounds } of entries) {
                  const id = /** @type {any} */ (target).dataset.key;
                  // Half of it was in sight; or of one that is longer than the screen, as much as fits half of that.
                  const isSeen = isIntersecting && (intersectionRatio >= 0.5 || intersectionRect.height >= (rootBounds?.height ?? 0) / 2);
                  if (isSeen && target.isConnected) this.#onScreen.add(id);
                  else this.#onScreen.delete(id);
                }
                command(this, "onScreen", new Set(this.#onScreen));
              }

              /** @param {KeyboardEvent} event */
              #key(event) {
                const item = /** @type {any} */ (event.target).closest("li.message");
                if (!item || event.target !== item) return;
                const name = commandFor(event, "message");
                const items = [...this.#list.querySelectorAll("li.message")];
                const moves = { previousMessage: items[items.indexOf(item) - 1], nextMessage: items[items.indexOf(item) + 1], firstMessage: items[0] };
                if (name === null) return;
                event.preventDefault();
                if (name === "lastMessage") {
                  this.#current = null;
                  this.toEnd();
                  items.at(-1)?.focus();
                } else if (name in moves) this.#focus(moves[name]);
                else command(item, name === "react" ? "reactWith" : name, item.message);
              }

              /** @param {any} item */
              #focus(item) {
                if (!item) return;
                this.#item(this.#current)?.setAttribute("tabindex", "-1");
                this.#current = item.dataset.key;
                item.setAttribute("tabindex", "0");
                item.focus({ preventScroll: true });
                item.scrollIntoView({ block: "nearest" });
              }

              /** @param {any} event */
              #showActions(event) {
                const item = event.target.closest("li.message");
                if (!item) return;
                if (event.type === "focusin" && event.target === item && this.#current !== item.dataset.key) this.#focus(item);
                if (!item.lastElementChild.classList.contains("actions")) this.#placeActions(item);
              }

              /** @param {any} item */
              #placeActions(item) {
                const state = /** @type {State} */ (this.#state);
                for (const bar of this.#list.querySelectorAll(".actions")) if (!bar.contains(document.activeElement) || item.contains(bar)) bar.remove();
                item.append(messageActions(item.message, item.message.sender.id === state.node.id, writingProblem(state) === ""));
              }

              /** @param {string} id */
              #showWhole(id) {
                this.#whole.add(id);
                this.update(/** @type {State} */ (this.#state));
                this.#focus(this.#item(id));
              }

              /** @param {string|null} id */
              #item(id) { return id ? [...this.#list.children].find((/** @type {any} */ each) => each.dataset.key === id) : undefined; }
            }

            customElements.define("message-list", MessageList);

            """##),
        "drawing/message-parts.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** The elements for the files of one message. They stay when the message is drawn anew: a picture is not fetched again. */
            import { isPicture } from "../deciding/files.js";
            import { MessageFile } from "./message-file.js";
            import { MessagePicture } from "./message-picture.js";

            export class MessageParts {
              /** @type {Map<string, MessageFile|MessagePicture>} */
              #elements = new Map();
              #observer;

              /** @param {IntersectionObserver} observer which says what is near the screen */
              constructor(observer) { this.#observer = observer; }

              /** @param {any} message @param {any} attachment @param {number} place among the files of the message */
              file(message, attachment, place) {
                const element = this.#element(`file ${place}`, () => document.createElement("message-file"));
                element.use(attachment, message.id);
                return element;
              }

              /** Null for what is not shown. @param {any} message @param {any} attachment @param {number} place */
              picture(message, attachment, place) {
                if (!isPicture(attachment.mediaType)) return null;
                const element = this.#element(`picture ${place}`, () => document.createElement("message-picture"));
                element.use(attachment.fileID, message.layout?.accessibilityLabel || attachment.name);
                return element;
              }

              /** @param {any[]} attachments @param {ReadonlyMap<string, any>} files what the node has */
              update(attachments, files) {
                attachments.forEach(({ fileID }, place) => {
                  for (const kind of ["file", "picture"]) this.#elements.get(`${kind} ${place}`)?.update(files.get(fileID));
                });
              }

              /** @param {string} key @param {() => any} make */
              #element(key, make) {
                const known = this.#elements.get(key);
                if (known) return /** @type {any} */ (known);
                const element = make();
                this.#elements.set(key, element);
                this.#observer.observe(element);
                return element;
              }
            }

            """##),
        "drawing/message-picture.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /**
             * A picture that a message brings along, as the node has checked it. It is fetched when it comes near the screen, and let go
             * when its message leaves the dialog, or when others need its room.
             */
            import { LIMITS } from "../deciding/limits.js";
            import { line } from "../deciding/safe-text.js";
            import { command } from "./command.js";
            import { h, replace } from "./dom.js";

            export class MessagePicture extends HTMLElement {
              /** Those that hold a picture, in the order in which they were last near the screen. @type {Set<MessagePicture>} */
              static #held = new Set();

              /** @type {string|null} */
              #address = null;
              /** Of what is held. */
              #bytes = 0;
              /** @type {"none"|"fetching"|"decoding"|"shown"|"refused"} */
              #state = "none";
              #isNear = false;
              /** @type {import("../deciding/known-files.js").KnownFile|undefined} */
              #file = undefined;
              #fileID = "";
              #label = "";

              /** @param {string} fileID @param {string} label what is read aloud in its place */
              use(fileID, label) {
                this.#fileID = fileID;
                this.#label = line(label);
                const picture = this.querySelector("img");
                if (picture) picture.alt = this.#label;
              }

              /** @param {import("../deciding/known-files.js").KnownFile|undefined} file */
              update(file) {
                if (file === this.#file) return;
                this.#file = file;
                this.hidden = file?.state !== "held" && this.#state === "none";
                this.#look();
              }

              /** @param {boolean} isNear whether it is near the screen now */
              near(isNear) {
                this.#isNear = isNear;
                if (isNear) this.#look();
                else MessagePicture.#makeRoom();
              }

              disconnectedCallback() {
                // What is only moved is back at once.
                queueMicrotask(() => {
                  if (this.isConnected) return;
                  this.#isNear = false;
                  this.#letGo();
                });
              }

              #look() {
                if (!this.#isNear || this.#file?.state !== "held") return;
                if (this.#state === "none") this.#fetch();
                if (this.#state === "shown") this.#hold();
              }

              #fetch() {
                this.#state = "fetching";
                if (!this.firstElementChild) replace(this, h("p", { class: "picture-note" }, "The picture comes…"));
                command(this, "picture", {
                  id: this.#fileID, show: (/** @type {Blob} */ content) => this.#show(content),
                  refuse: (/** @type {string} */ reason, /** @type {boolean} */ isLost) => this.#refuse(reason, isLost),
                });
              }

              /** @param {Blob} content */
              async #show(content) {
                // Its message may have left meanwhile, and have come back.
                if (this.#state !== "fetching") return;
                this.#state = "decoding";
                const address = this.#address = URL.createObjectURL(content);
                const picture = h("img", { src: address, alt: this.#label, class: "picture", draggable: "false" });
                const isRead = await picture.decode().then(() => true, () => false);
                if (this.#address !== address) return;
                if (!isRead) {
                  this.#letGo();
                  return this.#refuse("the browser cannot read it");
                }
                this.#state = "shown";
                this.#bytes = content.size;
                this.#hold();
                this.#change(() => {
                  this.style.minHeight = "";
                  replace(this, picture);
                });
              }

              /** @param {string} reason @param {boolean} [isLost] whether the node was away: it is asked again when it is back, or when somebody comes back */
              #refuse(reason, isLost = false) {
                this.#state = isLost ? "none" : "refused";
                this.#change(() => {
                  this.style.minHeight = "";
                  replace(this, h("p", { class: "picture-note", dir: "auto" }, `Not shown as a picture: ${line(reason)}`));
                });
              }

              /** It is the last that gives way. */
              #hold() {
                MessagePicture.#held.delete(this);
                MessagePicture.#held.add(this);
                MessagePicture.#makeRoom();
              }

              /** Where they are too many, or too large together, the first gives way that is not near the screen. */
              static #makeRoom() {
                const held = MessagePicture.#held;
                for (const each of held) {
                  const bytes = [...held].reduce((sum, one) => sum + one.#bytes, 0);
                  if (held.size <= LIMITS.pictures && bytes <= LIMITS.pictureBytes) break;
                  if (!each.#isNear) each.#giveWay();
                }
              }

              /** Its place stays as it is: what somebody reads does not move. */
              #giveWay() {
                this.style.minHeight = `${this.offsetHeight}px`;
                this.replaceChildren();
                this.#letGo();
              }

              #letGo() {
                if (this.#address) URL.revokeObjectURL(this.#address);
                this.#address = null;
                this.#state = "none";
                MessagePicture.#held.delete(this);
              }

              /** Its size changes, and what somebody reads stays where it is. @param {() => void} change */
              #change(change) { this.dispatchEvent(new CustomEvent("resizing", { bubbles: true, detail: change })); }
            }

            customElements.define("message-picture", MessagePicture);

            """##),
        "drawing/message-sheet.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** About a message: when, and who has it. */
            import { meaning, reasonWords, STATE_WORDS } from "../deciding/delivery.js";
            import { partyName } from "../deciding/naming.js";
            import { segments } from "../deciding/safe-text.js";
            import { wholeTime } from "../deciding/times.js";
            import { openWindow } from "../deciding/views.js";
            import { foreign, h, replace } from "./dom.js";
            import { icon } from "./icons.js";
            import { attempt, showSheet } from "./sheet.js";

            /** @param {any} message @param {any} app */
            export function showMessageDetails(message, app) {
              const place = h("div", {}), problem = h("p", { class: "problem", role: "alert" });
              let shown = message;
              const draw = () => replace(place, ...details(shown, app, problem));
              showSheet({
                name: "message", title: "About this message", body: [place, problem],
                update: (state) => {
                  const now = openWindow(state)?.messages.find((/** @type {any} */ each) => each.id === message.id);
                  if (now && now !== shown) {
                    shown = now;
                    draw();
                  }
                },
              });
              draw();
            }

            /** @param {any} message @param {any} app @param {HTMLElement} problem */
            function details(message, app, problem) {
              const { state } = app, isOwn = message.sender.id === state.node.id;
              const headers = Object.entries(message.headers ?? {});
              return [
                h("dl", { class: "facts" },
                  h("dt", {}, "Written by"), h("dd", {}, foreign("bdi", partyName(state, message.sender))),
                  h("dt", {}, "Written"), h("dd", {}, wholeTime(message.timestampMilliseconds)),
                  message.receivedAtMilliseconds ? [h("dt", {}, "Arrived"), h("dd", {}, wholeTime(message.receivedAtMilliseconds))] : null,
                  h("dt", {}, "Message"), h("dd", {}, h("code", {}, message.id))),
                isOwn ? h("section", {}, h("h3", {}, "Recipients"), h("ul", { class: "recipients", "aria-label": "Recipients" }, message.recipients.map((/** @type {any} */ each) => recipient(state, each)))) : null,
                headers.length > 0 ? h("section", {}, h("h3", {}, "Headers"), h("dl", { class: "facts" }, headers.map(([name, value]) => [foreign("dt", name), foreign("dd", String(value))]))) : null,
                h("div", { class: "buttons" },
                  isOwn && message.recipients.some((/** @type {any} */ each) => each.state === "queued") && message.recipients.every((/** @type {any} */ each) => each.state === "queued")
                    ? h("button", { type: "button", onclick: () => attempt(problem, () => app.writing.cancel(message)) }, "Cancel sending") : null,
                  message.text ? h("button", { type: "button", onclick: () => attempt(problem, () => navigator.clipboard.writeText(segments(message.text).map((each) => each.text).join(""))) }, "Copy the text") : null),
              ];
            }

            /** @param {any} state @param {any} each */
            function recipient(state, each) {
              const time = each.readAtMilliseconds ?? each.handledAtMilliseconds ?? each.deliveredAtMilliseconds ?? each.sentAtMilliseconds;
              return h("li", { class: `state-${each.state}` }, icon(each.state), foreign("bdi", partyName(state, each), { class: "name" }),
                h("span", {}, `${STATE_WORDS[each.state] ?? each.state}${time ? `, ${wholeTime(time)}` : ""}`),
                h("span", { class: "muted" }, each.state === "failed" ? reasonWords(each.reason) : meaning(each.state)));
            }

            """##),
        "drawing/message-view.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** Draws one message. */
            import { STATE_WORDS, summary } from "../deciding/delivery.js";
            import { filesOf } from "../deciding/files.js";
            import { cardOf, spoken } from "../deciding/layout.js";
            import { LIMITS } from "../deciding/limits.js";
            import { partyName } from "../deciding/naming.js";
            import { excerpt, line } from "../deciding/safe-text.js";
            import { isLate, timeOfDay, wholeTime } from "../deciding/times.js";
            import { gist } from "../deciding/timeline.js";
            import { avatar } from "./avatar.js";
            import { command } from "./command.js";
            import { foreign, h } from "./dom.js";
            import { icon } from "./icons.js";
            /** @typedef {import("../deciding/state.js").State} State */

            /**
             * @param {State} state
             * @param {{message: any, isFirst: boolean, isLast: boolean}} shown
             * @param {{isGroup: boolean, quote: any, isWhole: boolean, parts: import("./message-parts.js").MessageParts}} context
             * @returns {HTMLElement[]} what the item of the list holds
             */
            export function messageView(state, { message, isFirst, isLast }, { isGroup, quote, isWhole, parts }) {
              const isOwn = message.sender.id === state.node.id;
              const name = partyName(state, message.sender);
              return [
                isGroup && !isOwn ? h("div", { class: "gutter" }, isLast ? avatar({ id: message.sender.id, name }) : null) : null,
                h("div", { class: "bubble" },
                  isGroup && !isOwn && isFirst ? foreign("p", name, { class: `sender hue-text` }) : null,
                  message.replyTo ? quoteView(state, message, quote) : null,
                  textView(message, isWhole),
                  cardView(message, parts),
                  filesView(message, parts),
                  h("p", { class: "meta" },
                    message.isEdited && !message.isRetracted ? h("span", {}, "edited") : null,
                    isLate(message) && !isOwn ? lateMark(message) : null,
                    h("time", { datetime: message.timestamp, title: wholeTime(message.timestampMilliseconds) }, timeOfDay(message.timestampMilliseconds)),
                    isOwn ? stateMark(message, isGroup) : null),
                  isOwn ? failure(message) : null),
                reactions(state, message),
              ].filter((each) => each !== null);
            }

            /** What is read aloud for a message as a whole. @param {State} state @param {any} message */
            export function messageLabel(state, message) {
              const isOwn = message.sender.id === state.node.id;
              const parts = [
                partyName(state, message.sender), spoken(message), message.isEdited ? "edited" : "", isLate(message) && !isOwn ? "arrived late" : "",
                timeOfDay(message.timestampMilliseconds), isOwn && !message.isRetracted ? summary(message.recipients).label : "",
                ...message.reactions.map((/** @type {any} */ each) => `${each.emoji} ${each.users.length}`),
              ];
              return parts.filter((each) => each !== "").join(", ");
            }

            /** @param {any} message @param {boolean} isWhole */
            function textView(message, isWhole) {
              if (message.isRetracted) return h("p", { class: "text gone" }, "This message was taken back.");
              if (message.isDeleted) return h("p", { class: "text gone" }, "This message was erased.");
              if (message.session?.isSuperseded) return foreign("p", message.session.summary, { class: "text gone step" });
              const text = shortened(message.text);
              if (message.text === "") return null;
              if (isWhole || text === message.text) return foreign("p", message.text, { class: "text" });
              return h("div", {}, foreign("p", text, { class: "text" }),
                h("button", { type: "button", class: "link", onclick: (/** @type {Event} */ event) => command(event.currentTarget, "showWhole", message.id) },
                  `Show all (${message.text.length.toLocaleString()} characters)`));
            }

            /** The files that it brings along, each with its picture. @param {any} message @param {import("./message-parts.js").MessageParts} parts */
            function filesView(message, parts) {
              const files = filesOf(message), inCard = cardOf(message)?.picture;
              if (files.length === 0) return null;
              return h("ul", { class: "files", "aria-label": "Files" }, files.map((each, place) =>
                h("li", {}, each === inCard ? null : parts.picture(message, each, place), parts.file(message, each, place))));
            }

            /** What stands below the text: any part of it may be missing. @param {any} message @param {import("./message-parts.js").MessageParts} parts */
            function cardView(message, parts) {
              const card = cardOf(message);
              if (!card) return null;
              const [title, ...subtitle] = card.image.map((text) => foreign("p", text, { class: "card-image" }));
              return h("div", { class: "card" },
                title, card.picture ? parts.picture(message, card.picture, filesOf(message).indexOf(card.picture)) : null, subtitle,
                card.caption ? foreign("p", card.caption, { class: "card-caption" }) : null,
                card.subcaption ? foreign("p", card.subcaption, { class: "card-subcaption" }) : null,
                card.link ? h("a", { class: "card-link", href: card.link.href, target: "_blank", rel: "noopener noreferrer", title: card.link.href },
                  icon("outside"), h("bdi", {}, card.link.host), h("span", { class: "hidden" }, ", opens outside")) : null);
            }

            /** The beginning of a long text. @param {string} text */
            function shortened(text) {
              const lines = text.split("\n", LIMITS.shortLines + 1);
              const head = lines.length > LIMITS.shortLines ? lines.slice(0, LIMITS.shortLines).join("\n") : text;
              return head.length > LIMITS.shortText ? Array.from(head.slice(0, LIMITS.shortText + 1)).slice(0, -1).join("") : head;
            }

            /** @param {State} state @param {any} message @param {any} quote */
            function quoteView(state, message, quote) {
              const content = quote
                ? [foreign("span", partyName(state, quote.sender), { class: "quoted-name" }), foreign("span", excerpt(gist(quote), LIMITS.excerpt), { class: "quoted-text" })]
                : [h("span", { class: "quoted-text" }, "An earlier message")];
              return h("button", {
                type: "button", class: "quote", disabled: !quote, "aria-label": quote ? `In reply to ${partyName(state, quote.sender)}: ${excerpt(gist(quote), LIMITS.excerpt)}. Show it` : null,
                onclick: (/** @type {Event} */ event) => command(event.currentTarget, "showMessage", quote),
              }, ...content);
            }

            /** @param {any} message */
            function lateMark(message) {
              return h("span", { class: "late", title: `Written ${wholeTime(message.timestampMilliseconds)}, arrived ${wholeTime(message.receivedAtMilliseconds)}` },
                icon("late"), `arrived late, ${timeOfDay(message.receivedAtMilliseconds)}`);
            }

            /** A sign and a word: the colour only goes with them. @param {any} message @param {boolean} isGroup */
            function stateMark(message, isGroup) {
              if (message.isRetracted) return null;
              const { state, label } = summary(message.recipients);
              return h("button", {
                type: "button", class: `state state-${state}`, tabindex: -1, "aria-label": `${label}. Details`,
                onclick: (/** @type {Event} */ event) => command(event.currentTarget, "messageDetails", message),
              }, icon(/** @type {any} */ (state)), h("span", { class: "state-word" }, isGroup ? label : STATE_WORDS[state] ?? state));
            }

            /** @param {any} message */
            function failure(message) {
              const { state, reason } = summary(message.recipients);
              if (message.isRetracted || !reason) return null;
              return h("p", { class: "failure" }, state === "failed" ? `Not delivered: ${reason}. ` : `${reason}. `,
                state === "failed" && (message.text !== "" || filesOf(message).length > 0) ? h("button", {
                  type: "button", class: "link", onclick: (/** @type {Event} */ event) => command(event.currentTarget, "retry", message),
                }, icon("retry"), "Send again") : null);
            }

            /** @param {State} state @param {any} message */
            function reactions(state, message) {
              if (message.reactions.length === 0) return null;
              return h("div", { class: "reactions" }, message.reactions.map((/** @type {any} */ { emoji, users }) => {
                const isOwn = users.some((/** @type {any} */ user) => user.id === state.node.id);
                const names = users.map((/** @type {any} */ user) => partyName(state, user)).join(", ");
                return h("button", {
                  type: "button", class: "reaction", "aria-pressed": String(isOwn), title: names, "aria-label": `${line(emoji)}: ${names}`,
                  onclick: (/** @type {Event} */ event) => command(event.currentTarget, "react", { message, emoji, remove: isOwn }),
                }, foreign("span", emoji), String(users.length));
              }));
            }

            """##),
        "drawing/notification-level.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** Of which messages of a conversation somebody wants to be told. */
            import { levelOf } from "../deciding/notifying.js";
            import { h } from "./dom.js";
            import { attempt } from "./sheet.js";

            const LEVELS = [["all", "Each message"], ["mentions", "Mentions of me, and answers to me"], ["none", "Nothing"]];

            /** @param {string} key the id of a conversation, or the key of the other user of a direct one @param {any} app @param {HTMLElement} problem */
            export function notificationLevel(key, app, problem) {
              const chosen = levelOf(app.state, key);
              /** @param {HTMLInputElement} input */
              const choose = async (input) => {
                const before = levelOf(app.state, key);
                if (await attempt(problem, () => app.gathering.setLevel(key, input.value))) return;
                const old = /** @type {HTMLInputElement} */ (input.form ?? input.closest("fieldset")).querySelector(`input[value="${before}"]`);
                if (old) old.checked = true;
              };
              return h("section", {}, h("h3", { id: "notification-level" }, "Tell me of"),
                h("fieldset", {
                  class: "segments", "aria-labelledby": "notification-level",
                  onchange: (/** @type {any} */ event) => choose(event.target),
                }, LEVELS.map(([value, label]) =>
                  h("label", {}, h("input", { type: "radio", name: "notification-level", value, checked: value === chosen }), h("span", {}, label)))));
            }

            """##),
        "drawing/outgoing-files.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** Files that go with the message which is being written: above the field, each with how far it is. */
            import { byteText, percent, progressText } from "../deciding/files.js";
            import { line } from "../deciding/safe-text.js";
            import { command } from "./command.js";
            import { foreign, h, reconcile, replace, setAttribute, setText } from "./dom.js";
            import { icon } from "./icons.js";
            /** @typedef {import("../deciding/outgoing.js").OutgoingFile} OutgoingFile */

            export class OutgoingFiles extends HTMLElement {
              #list = h("ul", { "aria-label": "Files that go with the message" });
              #note = h("p", { class: "outgoing-note", role: "status" });

              connectedCallback() { if (!this.firstElementChild) this.append(this.#list, this.#note); }

              /** @param {OutgoingFile[]} files @param {boolean} isAwaited whether the message waits for them */
              update(files, isAwaited) {
                const hadFocus = this.contains(document.activeElement);
                this.hidden = files.length === 0;
                setText(this.#note, isAwaited && files.some((each) => each.state === "uploading") ? "The message goes as soon as its files are uploaded." : "");
                reconcile(this.#list, files, {
                  key: (file) => file.id,
                  make: () => h("li", { class: "outgoing" }),
                  update: (element, file) => {
                    const drawn = `${file.state} ${file.reason}`;
                    if (element.drawn !== drawn) draw(element, file, this);
                    element.drawn = drawn;
                    if (file.state === "uploading") drawProgress(element, file);
                  },
                });
                // Whoever has removed one goes on with the next, or with writing.
                if (hadFocus && !this.contains(document.activeElement)) {
                  /** @type {HTMLElement|null} */ (this.#list.querySelector("button") ?? document.querySelector("#field"))?.focus();
                }
              }
            }

            /** @param {HTMLElement} element @param {OutgoingFile} file @param {HTMLElement} from */
            function draw(element, file, from) {
              const name = line(file.name), hadFocus = element.contains(document.activeElement);
              setAttribute(element, "class", `outgoing ${file.state}`);
              replace(element, icon(file.state === "failed" ? "warning" : "file"),
                h("div", { class: "outgoing-text" },
                  h("p", { class: "file" }, foreign("span", file.name, { class: "file-name" }), h("span", { class: "size" }, byteText(file.byteCount))),
                  file.state === "uploading" ? h("p", { class: "file-state" }, h("progress", { max: 100, "aria-label": `${name} is uploaded` }), h("span", { class: "size" })) : null,
                  file.state === "failed" ? h("p", { class: "problem" }, `Not uploaded: ${line(file.reason)}`) : null),
                file.state === "failed" ? h("button", { type: "button", class: "small", "aria-label": `Try ${name} again`, onclick: () => command(from, "uploadAgain", file.id) }, icon("retry"), "Try again") : null,
                h("button", { type: "button", class: "icon-button", "aria-label": `Remove ${name}`, title: "Remove", onclick: () => command(from, "removeFile", file.id) }, icon("close")));
              if (hadFocus) element.querySelector("button")?.focus();
            }

            /** @param {HTMLElement} element @param {OutgoingFile} file */
            function drawProgress(element, { sentBytes, byteCount, samples }) {
              const bar = /** @type {HTMLProgressElement} */ (element.querySelector("progress")), text = /** @type {Element} */ (element.querySelector(".file-state .size"));
              bar.value = percent(sentBytes, byteCount);
              setText(text, progressText(sentBytes, byteCount, samples));
            }

            customElements.define("outgoing-files", OutgoingFiles);

            """##),
        "drawing/page.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** The page as a whole: its elements, and which of them has the place on a narrow screen. */
            import { openTitle, typingWords, unreadTotal } from "../deciding/views.js";
            import { command } from "./command.js";
            import { h, replace, setAttribute, setText } from "./dom.js";
            import { updateSheet } from "./sheet.js";
            import "./banner-stack.js";
            import "./conversation-list.js";
            import "./dialog-header.js";
            import "./message-composer.js";
            import "./message-list.js";
            import "./people-list.js";
            import "./prepared-drafts.js";
            /** @typedef {import("../deciding/state.js").State} State */

            const TOAST_MILLISECONDS = 8000;

            export class Page {
              messages = /** @type {import("./message-list.js").MessageList} */ (document.querySelector("message-list"));
              composer = /** @type {import("./message-composer.js").MessageComposer} */ (document.querySelector("message-composer"));
              prepared = /** @type {import("./prepared-drafts.js").PreparedDrafts} */ (document.querySelector("prepared-drafts"));
              conversations = /** @type {import("./conversation-list.js").ConversationList} */ (document.querySelector("conversation-list"));
              #people = /** @type {any} */ (document.querySelector("people-list"));
              #banners = /** @type {any} */ (document.querySelector("banner-stack"));
              #header = /** @type {any} */ (document.querySelector("dialog-header"));
              #shell = element("shell");
              #login = element("login");
              #tabs = [...document.querySelectorAll("[role=tab]")];
              #toastTimer = 0;

              constructor() {
                for (const tab of this.#tabs) tab.addEventListener("click", () => this.#choose(tab));
                element("tabs").addEventListener("keydown", (event) => {
                  if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
                  const other = this.#tabs[1 - this.#tabs.indexOf(/** @type {Element} */ (event.target))];
                  this.#choose(other);
                  /** @type {HTMLElement} */ (other)?.focus();
                });
                for (const button of document.querySelectorAll("[data-command]")) {
                  button.addEventListener("click", () => command(button, /** @type {HTMLElement} */ (button).dataset.command ?? ""));
                }
              }

              /** @param {State} state */
              update(state) {
                setAttribute(this.#shell, "hidden", state.phase !== "ready");
                setAttribute(this.#login, "hidden", state.phase !== "needsLogin");
                setText(element("login-problem"), state.loginProblem);
                setAttribute(element("starting"), "hidden", state.phase !== "starting");
                if (state.phase !== "ready") return;
                this.#shell.dataset.pane = state.open ? "dialog" : "list";
                this.#drawSelf(state);
                this.#banners.update(state);
                this.conversations.update(state);
                this.#people.update(state);
                this.#header.update(state);
                this.messages.update(state);
                this.prepared.update(state);
                this.composer.update(state);
                setText(element("typing"), typingWords(state, Date.now()));
                setAttribute(element("nothing-open"), "hidden", state.open !== null);
                updateSheet(state);
                const unread = unreadTotal(state), title = openTitle(state);
                document.title = `${unread > 0 ? `(${unread}) ` : ""}${title ? `${title} · ` : ""}Earshot`;
              }

              /** @param {State} state */
              #drawSelf(state) {
                const words = { live: "connected", connecting: "connecting…", lost: "node away" }[state.link];
                setText(element("self-name"), state.node.name);
                setText(element("self-state"), words);
                element("self-state").className = `link-state ${state.link}`;
                const unread = unreadTotal(state);
                setText(element("unread-total"), unread > 0 ? String(unread) : "");
                setAttribute(element("unread-total"), "hidden", unread === 0);
              }

              /** @param {string|null} key */
              opened(key) {
                const isNarrow = matchMedia("(max-width: 760px)").matches;
                // On a phone the keyboard would hide half of what was just opened.
                if (!key) this.#list()?.focus();
                else if (isNarrow) this.#header.focusTitle();
                else this.composer.focusField();
              }

              nextPane() {
                const panes = [this.#list(), this.messages, this.composer];
                const at = panes.findIndex((pane) => pane === document.activeElement || pane?.parentElement?.closest("ul")?.contains(document.activeElement) || pane?.contains(document.activeElement));
                const next = (at + 1) % panes.length;
                if (next === 0) this.#list()?.focus();
                else if (next === 1) this.messages.focusMessage();
                else this.composer.focusField();
              }

              /** @param {string} text */
              showToast(text) {
                const toast = element("toast");
                setText(toast, text);
                toast.hidden = false;
                clearTimeout(this.#toastTimer);
                this.#toastTimer = window.setTimeout(() => { toast.hidden = true; }, TOAST_MILLISECONDS);
              }

              /** Before there is anything to show. @param {string} text @param {() => void} again */
              showProblem(text, again) {
                replace(element("starting"), h("p", { role: "alert" }, `The page cannot begin: ${text}`), h("button", { type: "button", class: "primary", onclick: again }, "Try again"));
              }

              /** @returns {HTMLElement|null} */
              #list() {
                const pane = document.querySelector("[role=tabpanel]:not([hidden])");
                return pane?.querySelector("[aria-current]") ?? pane?.querySelector("button.row") ?? null;
              }

              /** @param {Element|undefined} tab */
              #choose(tab) {
                for (const each of this.#tabs) {
                  const isChosen = each === tab;
                  each.setAttribute("aria-selected", String(isChosen));
                  each.setAttribute("tabindex", isChosen ? "0" : "-1");
                  element(each.getAttribute("aria-controls") ?? "").hidden = !isChosen;
                }
              }
            }

            /** @param {string} id @returns {HTMLElement} */
            function element(id) {
              const found = document.getElementById(id);
              if (!found) throw new Error(`the page has no ${id}`);
              return found;
            }

            """##),
        "drawing/people-list.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** Everybody whom the node has met, and the open conversations that they tell of. */
            import { LIMITS } from "../deciding/limits.js";
            import { shortKey, trustWords } from "../deciding/naming.js";
            import { line } from "../deciding/safe-text.js";
            import { lastSeen } from "../deciding/times.js";
            import { keyOfUser, peopleRows } from "../deciding/views.js";
            import { avatar } from "./avatar.js";
            import { command } from "./command.js";
            import { trustSign } from "./conversation-list.js";
            import { foreign, h, reconcile, replace, setText } from "./dom.js";
            import { icon } from "./icons.js";
            /** @typedef {import("../deciding/state.js").State} State */

            export class PeopleList extends HTMLElement {
              #filter = h("input", { type: "search", class: "filter", placeholder: "Find somebody", "aria-label": "Find somebody by name" });
              #list = h("ul", { "aria-label": "People" });
              #note = h("p", { class: "empty", role: "status" });
              #openHeading = h("h3", { class: "list-heading" }, "Open conversations");
              #openList = h("ul", { "aria-label": "Open conversations that others tell of" });
              /** @type {State|null} */
              #state = null;

              connectedCallback() {
                this.append(this.#filter, this.#list, this.#note, this.#openHeading, this.#openList);
                this.#filter.addEventListener("input", () => this.#state && this.update(this.#state));
              }

              /** @param {State} state */
              update(state) {
                this.#state = state;
                const rows = peopleRows(state, this.#filter.value), shown = rows.slice(0, LIMITS.peopleRows);
                setText(this.#note, rows.length === 0 ? (this.#filter.value ? "Nobody of that name is known." : "Nobody was met yet. Whoever runs Earshot on this network appears here.")
                  : rows.length > shown.length ? `And ${rows.length - shown.length} more: find them by name.` : "");
                reconcile(this.#list, shown, {
                  key: (user) => user.id,
                  make: () => h("li", { class: "person" }, h("button", { type: "button", class: "row" }), h("button", { type: "button", class: "icon-button" }, icon("info"))),
                  update: (element, user) => this.#update(element, user, state),
                });
                this.#openHeading.hidden = state.advertised.length === 0;
                reconcile(this.#openList, state.advertised.slice(0, LIMITS.peopleRows), {
                  key: (each) => each.id,
                  make: (each) => h("li", {}, h("button", { type: "button", class: "row", onclick: () => command(this, "joinOpen", each) })),
                  update: (element, each) => {
                    if (element.drawn === each) return;
                    element.drawn = each;
                    const names = each.users.map((/** @type {any} */ user) => line(user.name ?? shortKey(user.id))).join(", ");
                    replace(element.firstElementChild, avatar({ id: each.id, name: each.uniqueName, kind: "open" }),
                      h("span", { class: "row-main" }, h("span", { class: "row-title" }, foreign("bdi", `#${line(each.uniqueName)}`, { class: "name" })),
                        h("span", { class: "row-text" }, h("span", { class: "preview" }, "Join: ", foreign("bdi", names)))));
                  },
                });
              }

              /** @param {any} element @param {any} user @param {State} state */
              #update(element, user, state) {
                const minute = Math.floor(Date.now() / 60_000), isOpen = state.open === keyOfUser(state, user.id);
                if (element.drawn?.[0] === user && element.drawn[1] === isOpen && (user.isOnline || element.drawn[2] === minute)) return;
                element.drawn = [user, isOpen, minute];
                const [row, about] = element.children, name = line(user.name);
                row.onclick = () => command(this, "openUser", user.id);
                row.toggleAttribute("aria-current", isOpen);
                replace(row, avatar({ id: user.id, name, isOnline: user.isOnline }),
                  h("span", { class: "row-main" },
                    h("span", { class: "row-title" }, foreign("bdi", name, { class: "name" }), trustSign(user)),
                    h("span", { class: "row-text" }, h("span", { class: "preview" },
                      `${user.isOnline ? "Online" : `Seen ${lastSeen(user.lastSeenMilliseconds, Date.now())}`} · ${trustWords(user.trust).word}`))));
                about.setAttribute("aria-label", `About ${name}`);
                about.onclick = () => command(this, "details", user.id);
              }
            }

            customElements.define("people-list", PeopleList);

            """##),
        "drawing/people-picker.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** Choosing people, by their boxes. */
            import { LIMITS } from "../deciding/limits.js";
            import { trustWords } from "../deciding/naming.js";
            import { line } from "../deciding/safe-text.js";
            import { peopleRows } from "../deciding/views.js";
            import { foreign, h } from "./dom.js";

            /**
             * @param {import("../deciding/state.js").State} state @param {(user: any) => boolean} isOffered @param {string} label
             * @returns {{element: HTMLElement, chosen: () => string[]}}
             */
            export function peoplePicker(state, isOffered, label) {
              const users = peopleRows(state).filter((user) => user.trust !== "blocked" && user.trust !== "conflict" && isOffered(user)).slice(0, LIMITS.peopleRows);
              const boxes = users.map((user) => h("input", { type: "checkbox", value: user.id }));
              const element = h("fieldset", { class: "picker" }, h("legend", { class: "hidden" }, label),
                users.length === 0 ? h("p", { class: "muted" }, "There is nobody else to choose.") : null,
                users.map((user, index) => h("label", {}, boxes[index], foreign("bdi", line(user.name)), h("span", { class: "muted" }, ` ${trustWords(user.trust).word.toLowerCase()}`))));
              return { element, chosen: () => boxes.filter((box) => box.checked).map((box) => box.value) };
            }

            """##),
        "drawing/person-sheet.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** About a person: who they say they are, whether it is true, and what to do about it. */
            import { shortKey, trustWords } from "../deciding/naming.js";
            import { line } from "../deciding/safe-text.js";
            import { lastSeen, wholeTime } from "../deciding/times.js";
            import { foreign, h, replace } from "./dom.js";
            import { icon, squares } from "./icons.js";
            import { notificationLevel } from "./notification-level.js";
            import { attempt, showSheet } from "./sheet.js";

            /**
             * @param {any} user @param {any} app
             */
            export function showPerson(user, app) {
              const name = line(user.name ?? "unknown"), trust = h("div", {}), safety = h("section", { class: "safety", "aria-label": "Safety number" });
              const profile = h("p", { class: "says", hidden: true }), problem = h("p", { class: "problem", role: "alert" });
              let shown = user;
              const draw = () => replace(trust, ...decisions(shown, app, problem));
              showSheet({
                name: "person", title: foreign("bdi", name), body: [
                  h("p", { class: "key" }, "Key ", h("code", {}, user.fingerprint ?? shortKey(user.id))),
                  user.lastSeen ? h("p", { class: "muted" }, user.isOnline ? "Online now" : `Last seen ${lastSeen(user.lastSeenMilliseconds, Date.now())}`,
                    ` · first met ${wholeTime(user.firstSeenMilliseconds)}`) : null,
                  profile, trust, problem, safety, user.trust ? notificationLevel(user.id, app, problem) : null,
                  h("div", { class: "buttons" }, h("button", { type: "button", onclick: () => app.command("openUser", user.id) }, "Write to them")),
                ],
                update: (state) => {
                  const now = state.users.get(user.id);
                  if (now && now !== shown) {
                    shown = now;
                    draw();
                  }
                },
              });
              draw();
              if (user.trust) fillSafety(safety, user, app);
              fillProfile(profile, user, app);
            }

            /** @param {any} user @param {any} app @param {HTMLElement} problem */
            function decisions(user, app, problem) {
              if (!user.trust) return [];
              const { word, hint } = trustWords(user.trust);
              /** @param {string} label @param {"accept"|"verify"|"block"|"unblock"} decision @param {string} look */
              const button = (label, decision, look = "") => h("button", {
                type: "button", class: look, onclick: () => attempt(problem, () => app.people.decide(user, decision)),
              }, label);
              const buttons = {
                new: [button("We have compared the number: verified", "verify", "primary"), button("Block", "block", "danger")],
                unverified: [button("We have compared the number: verified", "verify", "primary"), button("Block", "block", "danger")],
                verified: [button("Block", "block", "danger")],
                blocked: [button("Unblock", "unblock")],
                conflict: [h("button", { type: "button", class: "danger", onclick: () => app.command("accept", user.id) }, "Accept this key…"), button("Block", "block")],
              }[user.trust] ?? [];
              if (user.claimedName && user.trust !== "blocked") {
                buttons.unshift(h("button", { type: "button", onclick: () => app.command("rename", user.id) }, `Call them ${line(user.claimedName)}…`));
              }
              return [
                h("p", { class: `trust-line trust-${user.trust}` }, icon(user.trust === "verified" ? "verified" : user.trust === "conflict" ? "warning" : user.trust === "blocked" ? "blocked" : "shield"),
                  h("strong", {}, word), h("span", {}, ` — ${hint}.`)),
                h("div", { class: "buttons" }, buttons),
              ];
            }

            /** @param {HTMLElement} place @param {any} user @param {any} app */
            async function fillSafety(place, user, app) {
              try {
                const { text, qr } = await app.people.safetyNumber(user.id);
                const groups = text.split(" ");
                replace(place, h("h3", {}, "Safety number"),
                  h("p", { class: "muted" }, "Compare it with what the other sees, in person or by a call whose voice you know. If it is the same, nobody is in between."),
                  h("div", { class: "safety-number" },
                    Array.isArray(qr) ? squares(qr, "The safety number as a QR code") : null,
                    h("ol", { class: "digits", "aria-label": `Safety number in ${groups.length} groups of five digits` }, groups.map((/** @type {string} */ group) => h("li", {}, group)))));
              } catch (error) {
                replace(place, h("p", { class: "problem" }, `The safety number is not known: ${error.message}`));
              }
            }

            /** @param {HTMLElement} place @param {any} user @param {any} app */
            async function fillProfile(place, user, app) {
              try {
                const { friendlyName, isBot, commands } = await app.people.profile(user.id);
                const says = [friendlyName ? ["They call themselves ", foreign("bdi", line(friendlyName)), ", which proves nothing. "] : [],
                  isBot ? [`It is a bot${commands.length > 0 ? " that understands " : "."}`, foreign("bdi", commands.map((/** @type {any} */ each) => `/${line(each.name)}`).join(", "))] : []].flat();
                place.hidden = says.length === 0;
                replace(place, ...says);
              } catch (error) {
                console.info("no profile", error);
              }
            }

            """##),
        "drawing/prepared-drafts.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** What programs have prepared for the open dialog: above the field, and apart from what was said. Who prepared it is always there. */
            import { besidesText } from "../deciding/files.js";
            import { draftAuthor } from "../deciding/naming.js";
            import { openPrepared, writingProblem } from "../deciding/views.js";
            import { command } from "./command.js";
            import { foreign, h, reconcile, replace, setAttribute } from "./dom.js";

            export class PreparedDrafts extends HTMLElement {
              #list = h("ul", { "aria-label": "Drafts, not sent" });
              /** What is changed now, by the draft's id. @type {Map<string, string>} */
              #edits = new Map();

              connectedCallback() { this.append(this.#list); }

              /** @param {import("../deciding/state.js").State} state */
              update(state) {
                const drafts = openPrepared(state), hadFocus = this.contains(document.activeElement);
                this.hidden = drafts.length === 0;
                for (const id of this.#edits.keys()) if (!drafts.some((each) => each.id === id)) this.#edits.delete(id);
                const cannotSend = writingProblem(state) !== "" || state.link === "lost";
                reconcile(this.#list, drafts, {
                  key: (draft) => draft.id,
                  make: () => h("li", { class: "prepared" }),
                  update: (element, draft) => {
                    const isEdited = this.#edits.has(draft.id), drawn = `${isEdited} ${draft.text}`;
                    if (element.drawn !== drawn) this.#draw(element, draft, isEdited);
                    element.drawn = drawn;
                    setAttribute(element.querySelector(".primary"), "disabled", cannotSend);
                  },
                });
                // Whoever had the focus on one that is gone goes on writing.
                if (hadFocus && !this.contains(document.activeElement)) {
                  /** @type {HTMLElement|null} */ (this.hidden ? document.querySelector("#field") : this.#list.querySelector("button"))?.focus();
                }
              }

              focusDraft() { /** @type {HTMLElement|null} */ (this.#list.querySelector("textarea, button"))?.focus(); }

              /** @param {HTMLElement} element @param {any} draft @param {boolean} isEdited */
              #draw(element, draft, isEdited) {
                const author = draftAuthor(draft), besides = besidesText(draft);
                const button = (/** @type {string} */ word, /** @type {() => void} */ act, isFirst = false) => h("button", {
                  type: "button", class: isFirst ? "small primary" : "small", "aria-label": `${word} the draft by ${author}`, onclick: act,
                }, word);
                const text = () => this.#edits.get(draft.id) ?? draft.text;
                const field = isEdited ? h("textarea", {
                  rows: 3, dir: "auto", "aria-label": `The text of the draft by ${author}`,
                  oninput: (/** @type {any} */ event) => this.#edits.set(draft.id, event.target.value),
                  onkeydown: (/** @type {KeyboardEvent} */ event) => {
                    if (event.key !== "Escape") return;
                    event.stopPropagation();
                    this.#edit(element, draft, null);
                  },
                }) : null;
                if (field) field.value = text();
                replace(element,
                  h("p", { class: "prepared-by" }, "Draft by ", foreign("strong", author), ", not sent"),
                  field ?? foreign("p", draft.text, { class: "prepared-text" }),
                  besides.length === 0 ? null
                    : h("ul", { class: "prepared-besides", "aria-label": "It brings along" }, besides.map((each) => foreign("li", each))),
                  h("div", { class: "prepared-actions" },
                    button("Send", () => command(this, "sendPrepared", { draft, text: text() }), true),
                    isEdited
                      ? [button("Save", () => this.#save(element, draft)), button("Stop editing", () => this.#edit(element, draft, null))]
                      : button("Edit", () => this.#edit(element, draft, draft.text)),
                    button("Discard", () => command(this, "discardPrepared", draft))));
              }

              /** @param {any} element @param {any} draft @param {string|null} text what is changed from now on, or nothing */
              #edit(element, draft, text) {
                if (text === null) this.#edits.delete(draft.id);
                else this.#edits.set(draft.id, text);
                this.#draw(element, draft, text !== null);
                element.drawn = `${text !== null} ${draft.text}`;
                element.querySelector(text === null ? "button" : "textarea").focus();
              }

              /** @param {HTMLElement} element @param {any} draft */
              #save(element, draft) {
                const text = this.#edits.get(draft.id) ?? draft.text;
                this.#edit(element, draft, null);
                if (text !== draft.text) command(this, "editPrepared", { draft, text });
              }
            }

            customElements.define("prepared-drafts", PreparedDrafts);

            """##),
        "drawing/react-sheet.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** Choosing an emoji. */
            import { LIMITS } from "../deciding/limits.js";
            import { bytes } from "../deciding/safe-text.js";
            import { h } from "./dom.js";
            import { attempt, showSheet } from "./sheet.js";

            const OFFERED = [["👍", "thumbs up"], ["❤️", "heart"], ["😂", "laughing"], ["😮", "surprised"], ["😢", "sad"], ["🎉", "party"], ["👀", "eyes"], ["✅", "done"], ["🙏", "thank you"], ["🔥", "fire"], ["🤔", "thinking"], ["👎", "thumbs down"]];

            /** @param {any} message @param {any} app */
            export function showReact(message, app) {
              const problem = h("p", { class: "problem", role: "alert" }), other = h("input", { type: "text", id: "other-emoji", autocomplete: "off", maxlength: 16 });
              /** @param {string} emoji */
              const react = async (emoji) => {
                if (emoji && bytes(emoji) <= LIMITS.emojiBytes && await attempt(problem, () => app.writing.react(message, emoji, false))) sheet.close();
              };
              const sheet = showSheet({
                name: "react", title: "React", body: [
                  h("div", { class: "emojis" }, OFFERED.map(([emoji, name]) => h("button", { type: "button", "aria-label": name, title: name, onclick: () => react(emoji) }, emoji))),
                  h("form", { class: "inline", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); react(other.value.trim()); } },
                    h("label", { for: "other-emoji" }, "Another"), other, h("button", { type: "submit" }, "React")),
                  problem,
                ],
              });
            }

            """##),
        "drawing/scroll-anchor.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /**
             * Keeps what somebody reads where it is, while things come and go above it and below it.
             */

            /** How near to the end counts as being there, in pixels. */
            const NEAR_END = 40;

            /** @param {HTMLElement} scroller */
            export const isAtEnd = (scroller) => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight <= NEAR_END;

            /**
             * Runs a change of what is in a scroller. If it was at its end it is so afterwards; else the first element that was in
             * sight, and still is there, stays where it was.
             * @param {HTMLElement} scroller @param {Element} list @param {() => void} change @param {{toEnd: boolean}} options
             */
            export function keepingPlace(scroller, list, change, { toEnd }) {
              const top = scroller.getBoundingClientRect().top;
              const inSight = toEnd ? [] : elementsInSight(scroller, list, top);
              change();
              if (toEnd) {
                scroller.scrollTop = scroller.scrollHeight;
                return;
              }
              const anchor = inSight.find(({ element }) => element.isConnected);
              if (!anchor) return;
              const moved = anchor.element.getBoundingClientRect().top - top - anchor.offset;
              if (moved !== 0) scroller.scrollTop += moved;
            }

            /** @param {HTMLElement} scroller @param {Element} list @param {number} top */
            function elementsInSight(scroller, list, top) {
              const result = [], end = top + scroller.clientHeight;
              for (const element of list.children) {
                const box = element.getBoundingClientRect();
                if (box.top >= end) break;
                // A heading of a day is made anew when a page comes before it.
                if (box.bottom > top && element.classList.contains("message")) result.push({ element, offset: box.top - top });
              }
              return result;
            }

            """##),
        "drawing/search-sheet.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** Finding: people and conversations by name at once, messages by what they say. */
            import { LIMITS } from "../deciding/limits.js";
            import { conversationTitle, partyName } from "../deciding/naming.js";
            import { line } from "../deciding/safe-text.js";
            import { shortTime } from "../deciding/times.js";
            import { gist } from "../deciding/timeline.js";
            import { conversationRows, peopleRows } from "../deciding/views.js";
            import { avatar } from "./avatar.js";
            import { foreign, h, replace, setText } from "./dom.js";
            import { showSheet } from "./sheet.js";

            const PAUSE = 150;

            /** @param {any} app */
            export function showSearch(app) {
              const field = h("input", { type: "text", role: "searchbox", class: "search-field", "aria-label": "Search messages, people and conversations", placeholder: "Words, a name, a conversation", autocomplete: "off", dir: "auto" });
              const filters = filterRow(app);
              const names = h("ul", { class: "results", "aria-label": "People and conversations" }), messages = h("ul", { class: "results", "aria-label": "Messages" });
              const note = h("p", { class: "muted", role: "status" });
              const more = h("button", { type: "button", class: "link", hidden: true }, "Show older results");
              let timer = 0, round = 0;
              const look = async (/** @type {any} */ before = null) => {
                const text = field.value.trim(), mine = ++round;
                if (!before) replace(messages);
                more.hidden = true;
                setText(note, "");
                if (text === "" || !app.canSearch) return setText(note, app.canSearch ? "" : "This node cannot search messages yet.");
                try {
                  const found = await app.search({ text: asTyped(text), ...filters.values(), ...(before ? { before } : {}), limit: LIMITS.results });
                  if (mine !== round) return;
                  messages.append(...found.map((/** @type {any} */ each) => result(each, app, text)));
                  more.hidden = found.length < LIMITS.results;
                  more.onclick = () => look(found.at(-1).id);
                  setText(note, messages.children.length === 0 ? "No message has these words." : `${messages.children.length}${more.hidden ? "" : " or more"} messages`);
                } catch (error) {
                  if (mine === round) setText(note, error.message);
                }
              };
              const lookSoon = () => {
                // Names are known here, so they are there at once.
                drawNames(names, field.value.trim(), app);
                clearTimeout(timer);
                timer = window.setTimeout(() => look(), PAUSE);
              };
              field.addEventListener("input", lookSoon);
              filters.element.addEventListener("change", lookSoon);
              const body = h("div", { onkeydown: (/** @type {KeyboardEvent} */ event) => move(event, body) }, field, filters.element, note, names, messages, more);
              showSheet({ name: "search", title: "Search", body: [body] });
              field.focus();
              drawNames(names, "", app);
            }

            /** The last word may be a beginning still. @param {string} text */
            const asTyped = (text) => (/[\p{L}\p{N}]{2}$/u.test(text) && (text.match(/"/g) ?? []).length % 2 === 0 ? `${text}*` : text);

            /** Arrows go from the field through the results. @param {KeyboardEvent} event @param {HTMLElement} body */
            function move(event, body) {
              const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
              if (!step || /** @type {HTMLElement} */ (event.target).tagName === "SELECT") return;
              const stops = [body.querySelector("input"), ...body.querySelectorAll(".results button")];
              const next = stops[stops.indexOf(/** @type {any} */ (event.target)) + step];
              event.preventDefault();
              /** @type {HTMLElement|undefined} */ (next)?.focus();
            }

            /** Where, who and when. @param {any} app */
            function filterRow(app) {
              const { state } = app;
              /** @param {string} label @param {[string, string][]} options */
              const choice = (label, options) => h("select", { "aria-label": label }, h("option", { value: "" }, label), options.map(([value, text]) => h("option", { value }, text)));
              const where = choice("Everywhere", conversationRows(state).map((each) => [each.id, conversationTitle(state, each)]));
              const who = choice("Anybody", [[state.node.id, "You"], ...peopleRows(state).slice(0, LIMITS.peopleRows).map((user) => /** @type {[string, string]} */ ([user.id, line(user.name)]))]);
              const since = h("input", { type: "date", "aria-label": "Since" }), until = h("input", { type: "date", "aria-label": "Until" });
              const element = h("div", { class: "filters", hidden: !app.canSearch }, where, who, since, until);
              /** The end of a day belongs to it. @param {string} day @param {number} added */
              const time = (day, added) => new Date(new Date(`${day}T00:00`).getTime() + added).toISOString();
              const values = () => ({
                ...(where.value ? { conversation: where.value } : {}), ...(who.value ? { sender: who.value } : {}),
                ...(since.value ? { since: time(since.value, 0) } : {}), ...(until.value ? { until: time(until.value, 86_400_000) } : {}),
              });
              return { element, values };
            }

            /** @param {HTMLElement} list @param {string} text @param {any} app */
            function drawNames(list, text, app) {
              const { state } = app, wanted = text.toLocaleLowerCase();
              const people = peopleRows(state, text).slice(0, 5).map((user) => ({ name: line(user.name), id: user.id, kind: "direct", isOnline: user.isOnline, go: () => app.command("openUser", user.id) }));
              const groups = conversationRows(state).filter((each) => each.kind !== "direct" && `${conversationTitle(state, each)} ${each.uniqueName}`.toLocaleLowerCase().includes(wanted)).slice(0, 5)
                .map((each) => ({ name: conversationTitle(state, each), id: each.id, kind: each.kind, isOnline: undefined, go: () => app.command("open", each.id) }));
              replace(list, [...groups, ...people].map((each) => h("li", {}, h("button", { type: "button", class: "row compact", onclick: each.go }, avatar(each), foreign("bdi", each.name, { class: "name" })))));
            }

            /** @param {any} message @param {any} app @param {string} text */
            function result(message, app, text) {
              const { state } = app, conversation = state.conversations.get(message.conversationID);
              return h("li", {}, h("button", { type: "button", class: "row", onclick: () => app.command("showMessage", message) },
                h("span", { class: "row-main" },
                  h("span", { class: "row-title" }, foreign("bdi", partyName(state, message.sender), { class: "name" }),
                    conversation ? h("span", { class: "muted" }, " in ", foreign("bdi", conversationTitle(state, conversation))) : null,
                    h("time", { class: "row-time", datetime: message.timestamp }, shortTime(message.timestampMilliseconds, Date.now()))),
                  h("span", { class: "found" }, ...marked(line(gist(message)), text)))));
            }

            /** The words in what was found, around the first of them. @param {string} whole @param {string} text */
            function marked(whole, text) {
              const words = text.split(/\s+/).map((word) => word.replace(/[^\p{L}\p{N}]/gu, "")).filter(Boolean).map((word) => word.toLocaleLowerCase());
              const first = Math.max(0, Math.min(...words.map((word) => whole.toLocaleLowerCase().indexOf(word)).filter((at) => at >= 0), whole.length) - 40);
              const shown = (first > 0 ? "…" : "") + whole.slice(first, first + 240) + (whole.length > first + 240 ? "…" : "");
              if (words.length === 0) return [foreign("bdi", shown)];
              const pattern = new RegExp(`(${words.join("|")})`, "giu");
              return [h("bdi", { dir: "auto" }, shown.split(pattern).map((part, index) => (index % 2 === 1 ? h("mark", {}, part) : part)))];
            }

            """##),
        "drawing/settings-sheet.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** Choices for this browser, what one says of oneself, and what else may use the node. */
            import { askForNotifications, canNotify } from "../acting/notifier.js";
            import { shortKey } from "../deciding/naming.js";
            import { line } from "../deciding/safe-text.js";
            import { readChoices, writeChoices } from "../talking/tab-storage.js";
            import { foreign, h, replace } from "./dom.js";
            import { attempt, confirmSheet, showSheet } from "./sheet.js";
            import { applyTheme } from "./theme.js";

            /** @param {any} app */
            export function showSettings(app) {
              const { node } = app.state, problem = h("p", { class: "problem", role: "alert" });
              const devices = h("ul", { class: "plain", "aria-label": "Devices" }), tokens = h("ul", { class: "plain", "aria-label": "Tokens" });
              const targets = h("ul", { class: "plain", "aria-label": "Where the node tells me" });
              showSheet({
                name: "settings", title: "Settings", body: [
                  h("section", {}, h("h3", {}, "You"), h("p", {}, foreign("bdi", line(node.name), { class: "name" }), h("span", { class: "muted" }, ` ${node.fingerprint}`)), profileForm(app, problem)),
                  h("section", {}, h("h3", {}, "Look"), themes()),
                  h("section", {}, h("h3", {}, "Writing and telling"), ...choices(problem)),
                  h("section", {}, h("h3", {}, "Told by the node, also without this page"), targets, h("div", { class: "buttons" }, desktopButton(app, targets, problem))),
                  h("section", {}, h("h3", {}, "Devices"), devices), h("section", {}, h("h3", {}, "Programs with a token"), tokens), problem,
                  h("section", {}, h("h3", {}, "The node"), h("p", { class: "muted" }, `Earshot ${node.version} · ${node.knownUsers} people known · ${node.undeliveredMessages} messages not delivered yet`),
                    h("div", { class: "buttons" },
                      h("button", { type: "button", onclick: () => app.command("findings") }, "What the doctor finds"),
                      h("button", { type: "button", onclick: () => app.command("signOut") }, "End this browser's login"))),
                ],
              });
              attempt(problem, () => fill(app, devices, tokens));
              attempt(problem, () => fillTargets(app, targets));
            }

            /** @param {any} app @param {HTMLElement} targets @param {HTMLElement} problem */
            const desktopButton = (app, targets, problem) => h("button", {
              type: "button", onclick: async () => {
                await attempt(problem, async () => {
                  await app.people.addTarget({ kind: "desktop" });
                  await fillTargets(app, targets);
                });
              },
            }, "On this machine's desktop");

            /** @param {any} app @param {HTMLElement} list */
            async function fillTargets(app, list) {
              const targets = await app.people.targets();
              replace(list, targets.length === 0 ? h("li", { class: "muted" }, "Nowhere.") : targets.map((/** @type {any} */ each) =>
                h("li", {}, h("span", { class: "name" }, each.name),
                  foreign("bdi", line(each.failure ?? each.url ?? each.command?.join(" ") ?? ""), { class: each.failure ? "problem" : "muted" }),
                  h("button", { type: "button", class: "small", "aria-label": `Remove ${each.name}`, onclick: () => confirmSheet(
                    { title: `Remove ${each.name}?`, text: "You are no longer told of messages there.", action: "Remove", isDangerous: true },
                    () => app.people.removeTarget(each.name)) }, "Remove"))));
            }

            /** @param {any} app @param {HTMLElement} problem */
            function profileForm(app, problem) {
              const name = h("input", { type: "text", id: "friendly-name", dir: "auto", maxlength: 256 }), saved = h("span", { class: "muted", role: "status" });
              app.people.ownProfile().then((/** @type {any} */ profile) => { name.value = profile.friendlyName; }, (/** @type {Error} */ error) => { problem.textContent = error.message; });
              return h("form", {
                onsubmit: async (/** @type {Event} */ event) => {
                  event.preventDefault();
                  saved.textContent = await attempt(problem, () => app.people.updateProfile({ friendlyName: name.value })) ? "Saved." : "";
                },
              }, h("label", { for: "friendly-name" }, "What others may call you"), h("div", { class: "inline" }, name, h("button", { type: "submit" }, "Save")), saved);
            }

            function themes() {
              const chosen = readChoices().theme;
              return h("fieldset", {
                class: "segments", onchange: (/** @type {any} */ event) => {
                  writeChoices({ ...readChoices(), theme: event.target.value });
                  applyTheme();
                },
              }, h("legend", { class: "hidden" }, "Theme"), [["auto", "As the system"], ["light", "Light"], ["dark", "Dark"]].map(([value, label]) =>
                h("label", {}, h("input", { type: "radio", name: "theme", value, checked: chosen === value }), h("span", {}, label))));
            }

            /** @param {HTMLElement} problem */
            function choices(problem) {
              const enter = h("input", { type: "checkbox", checked: readChoices().sendsWithEnter, onchange: () => writeChoices({ ...readChoices(), sendsWithEnter: enter.checked }) });
              const notifies = h("input", {
                type: "checkbox", checked: readChoices().notifies, disabled: !canNotify(), onchange: async () => {
                  if (notifies.checked && !(await askForNotifications())) {
                    notifies.checked = false;
                    problem.textContent = "The browser does not allow notifications for this page: allow them in its settings for this address.";
                  }
                  writeChoices({ ...readChoices(), notifies: notifies.checked });
                },
              });
              return [h("label", { class: "check" }, enter, "Enter sends (else Ctrl Enter)"),
                h("label", { class: "check" }, notifies, "Tell me of messages while I do not look here, without their text")];
            }

            /** @param {any} app @param {HTMLElement} devices @param {HTMLElement} tokens */
            async function fill(app, devices, tokens) {
              const [ownDevices, allTokens] = await Promise.all([app.people.devices(), app.people.tokens()]);
              replace(devices, ownDevices.map((/** @type {any} */ each) => h("li", {}, foreign("bdi", line(each.name ?? `Device ${shortKey(each.id)}`), { class: "name" }),
                h("span", { class: "muted" }, [each.isThisDevice ? "this one" : each.isOnline ? "online" : "away", each.isPrimary ? "holds the identity" : "", each.isRevoked ? "revoked" : ""].filter(Boolean).join(", ")))));
              replace(tokens, allTokens.length === 0 ? h("li", { class: "muted" }, "None.") : allTokens.map((/** @type {any} */ each) =>
                h("li", {}, h("span", { class: "name" }, each.name), h("span", { class: "muted" }, `${each.scopes.join(", ")}${each.usedAt ? "" : ", never used"}`),
                  h("button", { type: "button", class: "small", "aria-label": `Revoke ${each.name}`, onclick: () => confirmSheet(
                    { title: `Revoke ${each.name}?`, text: "Whatever uses it can no longer use the node. This cannot be undone.", action: "Revoke", isDangerous: true },
                    () => app.people.revokeToken(each.name)) }, "Revoke"))));
            }

            """##),
        "drawing/sheet.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** A sheet over the page, for one subject. The browser keeps the focus in it, and gives it back. */
            import { h } from "./dom.js";
            import { icon } from "./icons.js";

            /** @type {{element: HTMLDialogElement, update?: (state: any) => void}|null} */
            let shown = null;

            /**
             * @param {{title: string|Node, body: (Node|null)[], name: string, update?: (state: any) => void, onClose?: () => void}} content
             * @returns {HTMLDialogElement}
             */
            export function showSheet({ title, body, name, update, onClose }) {
              closeSheet();
              const element = h("dialog", { class: `sheet sheet-${name}`, "aria-labelledby": "sheet-title" },
                h("header", {}, h("h2", { id: "sheet-title" }, title),
                  h("button", { type: "button", class: "icon-button", "aria-label": "Close", onclick: () => element.close() }, icon("close"))),
                h("div", { class: "sheet-body", tabindex: 0 }, body));
              element.addEventListener("click", (/** @type {Event} */ event) => event.target === element && element.close());
              element.addEventListener("close", () => {
                if (shown?.element === element) shown = null;
                element.remove();
                onClose?.();
              });
              document.body.append(element);
              shown = { element, update };
              element.showModal();
              return element;
            }

            export function closeSheet() { shown?.element.close(); }

            export const isSheetShown = () => shown !== null;

            /** @param {any} state */
            export function updateSheet(state) { shown?.update?.(state); }

            /**
             * Runs what a button is for: it waits, and says below it what went wrong.
             * @param {HTMLElement} place where the problem is said @param {() => Promise<any>} work
             */
            export async function attempt(place, work) {
              place.textContent = "";
              try {
                await work();
                return true;
              } catch (error) {
                place.textContent = `That did not work: ${error.message}`;
                return false;
              }
            }

            /**
             * Asks before something that cannot be undone.
             * @param {{title: string, text: string, action: string, isDangerous?: boolean}} question @param {() => Promise<any>} work
             */
            export function confirmSheet({ title, text, action, isDangerous = false }, work) {
              const problem = h("p", { class: "problem", role: "alert" });
              const sheet = showSheet({
                title, name: "confirm", body: [
                  h("p", { dir: "auto" }, text), problem,
                  h("div", { class: "buttons" },
                    h("button", { type: "button", class: isDangerous ? "danger" : "primary", onclick: async () => (await attempt(problem, work)) && sheet.close() }, action),
                    h("button", { type: "button", onclick: () => sheet.close() }, "Cancel")),
                ],
              });
            }

            """##),
        "drawing/theme.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** Dark or light: as the person has chosen, else as the system is. */
            import { readChoices } from "../talking/tab-storage.js";

            export function applyTheme() {
              const { theme } = readChoices();
              if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
              else delete document.documentElement.dataset.theme;
            }

            """##),
        "index.html": PageFile(
            contentType: "text/html; charset=utf-8",
            text: ##"""
            <!doctype html>
            <html lang="en">
              <head>
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
                <meta name="color-scheme" content="light dark">
                <meta name="referrer" content="no-referrer">
                <title>Earshot</title>
                <link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24' fill='none' stroke='%230b7a69' stroke-width='2.2' stroke-linecap='round' stroke-linejoin='round'%3E%3Cpath d='M7 9a5 5 0 0 1 10 0c0 3-3 4-3 7a3 3 0 0 1-5.5 1.7M10 9.5a2 2 0 0 1 4 0c0 1.2-1.3 1.8-1.3 3'/%3E%3C/svg%3E">
                <link rel="stylesheet" href="styles/theme.css">
                <link rel="stylesheet" href="styles/layout.css">
                <link rel="stylesheet" href="styles/lists.css">
                <link rel="stylesheet" href="styles/messages.css">
                <link rel="stylesheet" href="styles/sheets.css">
                <!-- All modules at once: one that is imported by another would else be asked for one round trip later. -->
                <link rel="modulepreload" href="acting/app.js">
                <link rel="modulepreload" href="acting/attachments.js">
                <link rel="modulepreload" href="acting/commands.js">
                <link rel="modulepreload" href="acting/dialogs.js">
                <link rel="modulepreload" href="acting/facts.js">
                <link rel="modulepreload" href="acting/gathering.js">
                <link rel="modulepreload" href="acting/notifier.js">
                <link rel="modulepreload" href="acting/people.js">
                <link rel="modulepreload" href="acting/reading-watch.js">
                <link rel="modulepreload" href="acting/store.js">
                <link rel="modulepreload" href="acting/uploads.js">
                <link rel="modulepreload" href="acting/writing.js">
                <link rel="modulepreload" href="deciding/banners.js">
                <link rel="modulepreload" href="deciding/consequences.js">
                <link rel="modulepreload" href="deciding/delivery.js">
                <link rel="modulepreload" href="deciding/dialog-window.js">
                <link rel="modulepreload" href="deciding/event-parser.js">
                <link rel="modulepreload" href="deciding/files.js">
                <link rel="modulepreload" href="deciding/keys.js">
                <link rel="modulepreload" href="deciding/known-files.js">
                <link rel="modulepreload" href="deciding/layout.js">
                <link rel="modulepreload" href="deciding/limits.js">
                <link rel="modulepreload" href="deciding/mentions.js">
                <link rel="modulepreload" href="deciding/naming.js">
                <link rel="modulepreload" href="deciding/notifying.js">
                <link rel="modulepreload" href="deciding/outgoing.js">
                <link rel="modulepreload" href="deciding/reading.js">
                <link rel="modulepreload" href="deciding/reduce-dialogs.js">
                <link rel="modulepreload" href="deciding/reduce-event.js">
                <link rel="modulepreload" href="deciding/reduce.js">
                <link rel="modulepreload" href="deciding/route.js">
                <link rel="modulepreload" href="deciding/safe-text.js">
                <link rel="modulepreload" href="deciding/state.js">
                <link rel="modulepreload" href="deciding/timeline.js">
                <link rel="modulepreload" href="deciding/times.js">
                <link rel="modulepreload" href="deciding/views.js">
                <link rel="modulepreload" href="drawing/announcer.js">
                <link rel="modulepreload" href="drawing/avatar.js">
                <link rel="modulepreload" href="drawing/banner-stack.js">
                <link rel="modulepreload" href="drawing/begin-sheet.js">
                <link rel="modulepreload" href="drawing/command.js">
                <link rel="modulepreload" href="drawing/conversation-list.js">
                <link rel="modulepreload" href="drawing/dialog-header.js">
                <link rel="modulepreload" href="drawing/dom.js">
                <link rel="modulepreload" href="drawing/file-drop.js">
                <link rel="modulepreload" href="drawing/findings-sheet.js">
                <link rel="modulepreload" href="drawing/group-sheet.js">
                <link rel="modulepreload" href="drawing/help-sheet.js">
                <link rel="modulepreload" href="drawing/icons.js">
                <link rel="modulepreload" href="drawing/message-actions.js">
                <link rel="modulepreload" href="drawing/message-composer.js">
                <link rel="modulepreload" href="drawing/message-file.js">
                <link rel="modulepreload" href="drawing/message-list.js">
                <link rel="modulepreload" href="drawing/message-parts.js">
                <link rel="modulepreload" href="drawing/message-picture.js">
                <link rel="modulepreload" href="drawing/message-sheet.js">
                <link rel="modulepreload" href="drawing/message-view.js">
                <link rel="modulepreload" href="drawing/notification-level.js">
                <link rel="modulepreload" href="drawing/outgoing-files.js">
                <link rel="modulepreload" href="drawing/page.js">
                <link rel="modulepreload" href="drawing/people-list.js">
                <link rel="modulepreload" href="drawing/people-picker.js">
                <link rel="modulepreload" href="drawing/person-sheet.js">
                <link rel="modulepreload" href="drawing/prepared-drafts.js">
                <link rel="modulepreload" href="drawing/react-sheet.js">
                <link rel="modulepreload" href="drawing/scroll-anchor.js">
                <link rel="modulepreload" href="drawing/search-sheet.js">
                <link rel="modulepreload" href="drawing/settings-sheet.js">
                <link rel="modulepreload" href="drawing/sheet.js">
                <link rel="modulepreload" href="drawing/theme.js">
                <link rel="modulepreload" href="talking/api-error.js">
                <link rel="modulepreload" href="talking/api.js">
                <link rel="modulepreload" href="talking/asking.js">
                <link rel="modulepreload" href="talking/event-stream.js">
                <link rel="modulepreload" href="talking/refresher.js">
                <link rel="modulepreload" href="talking/session.js">
                <link rel="modulepreload" href="talking/tab-storage.js">
                <link rel="modulepreload" href="talking/upload.js">
                <script type="module" src="main.js"></script>
              </head>
              <body>
                <div id="polite" class="hidden" role="status" aria-live="polite"></div>
                <div id="urgent" class="hidden" role="alert"></div>
                <main id="starting" class="alone"><h1 class="hidden">Earshot</h1><p>Connecting to the node…</p></main>
                <main id="login" class="alone" hidden>
                  <h1>Earshot</h1>
                  <p id="login-problem" role="alert"></p>
                  <p>To open this page, type this on this machine:</p>
                  <p><code>earshot web</code></p>
                  <p class="muted">It opens an address with a login that is good once, and for a minute; then this page opens from a bookmark, too. Drafts that you have written in this tab are kept.</p>
                </main>
                <div id="shell" data-pane="list" hidden>
                  <banner-stack></banner-stack>
                  <nav class="side" aria-label="Conversations and people">
                    <header class="side-head">
                      <div class="self">
                        <h1><span class="hidden">Earshot, as </span><bdi id="self-name"></bdi></h1>
                        <p id="self-state" class="link-state" role="status"></p>
                      </div>
                      <button type="button" class="icon-button" data-command="newConversation" aria-label="New conversation" title="New conversation (Alt N)"><svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="M12 5v14M5 12h14"/></svg></button>
                      <button type="button" class="icon-button" data-command="settings" aria-label="Settings" title="Settings (Alt ,)"><svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="M4 7h9M19 7h1M4 17h1M11 17h9M16 4.5v5M8 14.5v5"/></svg></button>
                      <button type="button" class="icon-button" data-command="help" aria-label="Help" title="Help (?)"><svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 17.5v.5M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18z"/></svg></button>
                    </header>
                    <button type="button" class="search-button" data-command="search"><svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="M10.5 4a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zM20 20l-4.7-4.7"/></svg><span>Search</span><kbd aria-hidden="true">Ctrl K</kbd></button>
                    <div id="tabs" class="tabs" role="tablist" aria-label="Lists">
                      <button type="button" role="tab" id="tab-conversations" aria-selected="true" aria-controls="pane-conversations">Conversations <span id="unread-total" class="count" hidden></span></button>
                      <button type="button" role="tab" id="tab-people" aria-selected="false" aria-controls="pane-people" tabindex="-1">People</button>
                    </div>
                    <div id="pane-conversations" class="pane" role="tabpanel" aria-labelledby="tab-conversations"><conversation-list></conversation-list></div>
                    <div id="pane-people" class="pane" role="tabpanel" aria-labelledby="tab-people" hidden><people-list></people-list></div>
                  </nav>
                  <main class="dialog">
                    <dialog-header></dialog-header>
                    <div id="nothing-open" class="alone"><p>Choose a conversation, or somebody under People.</p><p class="muted">Press <kbd>?</kbd> for the keys.</p></div>
                    <message-list></message-list>
                    <p id="typing" class="typing-line" role="status"></p>
                    <prepared-drafts></prepared-drafts>
                    <message-composer></message-composer>
                  </main>
                  <p id="toast" class="toast" role="alert" hidden></p>
                </div>
                <noscript><p>This page needs JavaScript, which comes from the node alone.</p></noscript>
              </body>
            </html>

            """##),
        "main.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** Begins: takes the login out of the address, and puts the parts together. */
            import { App } from "./acting/app.js";
            import { Store } from "./acting/store.js";
            import { commandFor } from "./deciding/keys.js";
            import { readFragment } from "./deciding/route.js";
            import { Page } from "./drawing/page.js";
            import { isSheetShown } from "./drawing/sheet.js";
            import { applyTheme } from "./drawing/theme.js";
            import { Session } from "./talking/session.js";

            performance.mark("earshot:begin");
            applyTheme();
            const fragment = readFragment(location.hash);
            // At once: nobody finds it in the address, or in the history.
            if (fragment.login) history.replaceState(null, "", location.pathname);

            const page = new Page();
            const store = new Store((state) => page.update(state));

            /** @param {App} app */
            function listen(app) {
              document.addEventListener("command", (/** @type {any} */ event) => app.command(event.detail.name, event.detail.subject));
              document.addEventListener("keydown", (event) => {
                const isTyping = /** @type {HTMLElement} */ (event.target).matches?.("input, textarea, select");
                const name = event.key === "?" && !isTyping ? "help" : commandFor(event, "page");
                // A sheet is closed by the browser; and under it nothing moves.
                if (!name || isSheetShown()) return;
                event.preventDefault();
                app.command(name);
              });
              addEventListener("popstate", () => app.open(readFragment(location.hash).open ?? null, { isFromAddress: true }));
              for (const name of ["focus", "visibilitychange"]) addEventListener(name, () => app.reading.check());
              addEventListener("beforeunload", (event) => app.holdsFiles && event.preventDefault());
              page.conversations.drafts = app.drafts;
              page.composer.use({ drafts: app.drafts, post: (key, draft) => app.write(key, draft), check: (text) => app.writing.problem(text), uploads: app.uploads });
            }

            async function begin() {
              if (fragment.login) {
                try {
                  return start(await Session.enter(fragment.login));
                } catch (error) {
                  return store.apply({ type: "needsLogin", problem: error.status === 401 || error.status === 403 ? "This login was used before, or is older than a minute." : `The login did not work: ${error.message}` });
                }
              }
              const session = await Session.kept();
              if (session) start(session);
              else store.apply({ type: "needsLogin", problem: "" });
            }

            /** @param {Session} session */
            function start(session) {
              const app = new App(session, store, page);
              listen(app);
              app.begin(fragment.open ?? null);
            }

            // An address with a new login, opened in a tab that is open.
            addEventListener("hashchange", () => readFragment(location.hash).login && location.reload());
            begin();

            """##),
        "styles/layout.css": PageFile(
            contentType: "text/css; charset=utf-8",
            text: ##"""
            /* Where things are: a list beside a dialog, or one of them at a time. */
            html, body { height: 100%; overflow: hidden; }
            #shell {
              display: grid; height: 100dvh; grid-template: "banners banners" auto "side dialog" minmax(0, 1fr) / minmax(270px, 340px) minmax(0, 1fr);
            }
            banner-stack { grid-area: banners; display: block; }
            .side { grid-area: side; display: flex; flex-direction: column; min-height: 0; background: var(--pane); border-inline-end: 1px solid var(--line); }
            .dialog { grid-area: dialog; display: flex; flex-direction: column; min-height: 0; min-width: 0; position: relative; }
            .alone { margin: auto; max-width: 30rem; padding: 2rem; text-align: center; display: grid; gap: .6rem; justify-items: center; }
            #starting, #login { min-height: 100dvh; align-content: center; }
            #login h1 { font-size: 1.7rem; }
            #login code { display: inline-block; font-size: 1.05rem; background: var(--raised); border: 1px solid var(--line); border-radius: var(--round-small); padding: .5rem 1rem; user-select: all; }
            #login-problem { color: var(--danger); }
            #login-problem:empty { display: none; }

            .side-head { display: flex; align-items: center; padding: .7rem .5rem .5rem 1rem; }
            .self { flex: 1; min-width: 0; }
            .self h1 { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
            .link-state { font-size: .8rem; color: var(--ink-soft); display: flex; align-items: center; gap: .35rem; }
            .link-state::before { content: ""; width: .5rem; height: .5rem; border-radius: 50%; border: 2px solid currentColor; }
            .link-state.live { color: var(--accent); }
            .link-state.live::before { background: currentColor; }
            .link-state.lost { color: var(--danger); }
            .link-state.lost::before { border-radius: 0; rotate: 45deg; }
            .search-button { display: flex; align-items: center; gap: .55rem; margin: 0 1rem .6rem; color: var(--ink-soft); text-align: start; background: var(--raised); border-color: var(--line); }
            .search-button span { flex: 1; }
            .search-button kbd { border-color: var(--line); color: var(--ink-soft); }
            .tabs { display: flex; margin: 0 1rem; gap: 1.2rem; border-bottom: 1px solid var(--line); }
            .tabs [role="tab"] { border: 0; border-radius: 0; background: none; padding: .3rem 0; color: var(--ink-soft); border-bottom: 2px solid transparent; margin-bottom: -1px; font-weight: 550; font-size: .93rem; }
            .tabs [aria-selected="true"] { color: var(--ink); border-color: var(--accent); }
            .pane { flex: 1; overflow-y: auto; min-height: 0; overscroll-behavior: contain; scrollbar-width: thin; scrollbar-color: var(--line) transparent; }

            /* Banners */
            .banner { display: flex; align-items: center; gap: .8rem; padding: .6rem 1rem; border-bottom: 1px solid var(--line); }
            .banner.problem { background: var(--danger-soft); color: var(--ink); }
            .banner.problem > .icon { color: var(--danger); }
            .banner.warning, .banner.note { background: var(--warn-soft); }
            .banner.warning > .icon { color: var(--warn); }
            .banner > .icon { font-size: 1.2rem; }
            .banner-text { flex: 1; font-size: .92rem; max-width: 75ch; }
            .banner-actions { display: flex; gap: .4rem; flex-wrap: wrap; margin-inline-start: auto; }
            .toast { position: fixed; inset: auto 1rem 6rem; margin: 0 auto; width: fit-content; max-width: 40rem; background: var(--ink); color: var(--paper); padding: .6rem 1rem; border-radius: var(--round-small); box-shadow: var(--shadow-big); z-index: 5; }

            dialog-header { display: flex; align-items: center; gap: .75rem; padding: .55rem .75rem .55rem 1.25rem; background: var(--pane); border-bottom: 1px solid var(--line); min-height: 3.9rem; }
            .titles { flex: 1; min-width: 0; }
            .titles h2, .subtitle { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
            .subtitle { font-size: .84rem; color: var(--ink-soft); }
            .trust .icon { margin-inline-end: .25em; }
            .trust-verified, .sign.verified { color: var(--accent); }
            .trust-conflict, .sign.conflict { color: var(--danger); }
            .invitation { display: flex; gap: .5rem; }
            .icon-button.back { display: none; }

            @media (max-width: 760px) {
              #shell { grid-template: "banners" auto "pane" minmax(0, 1fr) / minmax(0, 1fr); }
              .side, .dialog { grid-area: pane; border: 0; }
              #shell[data-pane="list"] .dialog, #shell[data-pane="dialog"] .side { display: none; }
              .icon-button.back { display: inline-grid; margin-inline-start: -.6rem; margin-inline-end: -.4rem; }
              dialog-header { padding-inline: .75rem .35rem; }
              .banner { flex-wrap: wrap; gap: .4rem .7rem; }
              .banner-text { flex: 1 1 60%; }
              .banner-actions { flex: 1 0 100%; margin: 0 0 .2rem 2rem; }
              .search-button kbd { display: none; }
            }

            """##),
        "styles/lists.css": PageFile(
            contentType: "text/css; charset=utf-8",
            text: ##"""
            /* Conversations, people, results. */
            .row { display: flex; align-items: center; gap: .75rem; width: 100%; text-align: start; border: 0; border-radius: 0; background: none; padding: .6rem 1rem; min-height: 4rem; position: relative; }
            .row:focus-visible { outline-offset: -3px; border-radius: var(--round-small); }
            .row:active:not(:disabled) { transform: none; }
            .row[aria-current], .row[aria-current]:hover:not(:disabled) { background: var(--chosen); }
            .row[aria-current]::before { content: ""; position: absolute; inset: .5rem auto .5rem 0; width: 3px; border-radius: 0 3px 3px 0; background: var(--accent); }
            .row.compact { min-height: 3rem; padding-block: .35rem; }
            .row-main { flex: 1; min-width: 0; display: grid; gap: .1rem; }
            .row-title, .row-text { display: flex; align-items: center; gap: .4rem; min-width: 0; }
            .row-title .name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
            .row-time { margin-inline-start: auto; font-size: .78rem; color: var(--ink-soft); white-space: nowrap; padding-inline-start: .4rem; }
            .preview { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-size: .88rem; color: var(--ink-soft); }
            .preview.typing { color: var(--accent); font-style: italic; }
            .preview.invited { color: var(--accent); font-weight: 550; }
            .preview .state { display: inline; margin-inline-end: .3rem; line-height: 1; }
            .preview .state .icon { width: 1.1em; height: 1.1em; vertical-align: -.2em; }
            .has-unread .name { font-weight: 700; }
            .has-unread .preview { color: var(--ink); }
            .count { display: inline-block; min-width: 1.35rem; padding: 0 .4rem; border-radius: 1rem; background: var(--accent); color: var(--on-accent); font-size: .76rem; line-height: 1.35rem; font-weight: 700; text-align: center; }
            .sign { display: inline-flex; font-size: .85rem; }
            .empty { padding: 1rem; color: var(--ink-soft); font-size: .92rem; }
            .empty:empty { display: none; }
            .more { margin: .6rem 1rem; }
            people-list { display: block; padding-top: .7rem; }
            .filter { margin: 0 1rem .4rem; width: calc(100% - 2rem) !important; }
            .person { display: flex; align-items: center; padding-inline-end: .5rem; }
            .person .row { flex: 1; min-width: 0; }
            .list-heading { padding-inline: 1rem; }

            .avatar { position: relative; flex: none; width: 2.6rem; height: 2.6rem; border-radius: 50%; display: grid; place-items: center; font-weight: 600; font-size: 1.02rem; --hue: 170;
              background: light-dark(oklch(90% .05 var(--hue)), oklch(38% .06 var(--hue))); color: light-dark(oklch(36% .09 var(--hue)), oklch(92% .05 var(--hue))); }
            .presence { position: absolute; inset: auto -1px -1px auto; width: .8rem; height: .8rem; border-radius: 50%; border: 2px solid var(--pane); background: var(--pane); }
            .presence.online { background: light-dark(#16875f, #46c893); }
            .presence.away { box-shadow: inset 0 0 0 2px var(--line-strong); }
            .hue-0 { --hue: 15; } .hue-1 { --hue: 45; } .hue-2 { --hue: 75; } .hue-3 { --hue: 105; } .hue-4 { --hue: 135; } .hue-5 { --hue: 165; }
            .hue-6 { --hue: 195; } .hue-7 { --hue: 225; } .hue-8 { --hue: 255; } .hue-9 { --hue: 285; } .hue-10 { --hue: 315; } .hue-11 { --hue: 345; }

            """##),
        "styles/messages.css": PageFile(
            contentType: "text/css; charset=utf-8",
            text: ##"""
            /* The dialog: own messages on the right, those of others on the left. */
            message-list { flex: 1; min-height: 0; position: relative; display: block; }
            #shell[data-pane="list"] message-list { display: none; }
            .scroller { height: 100%; overflow-y: auto; overscroll-behavior: contain; overflow-anchor: none; position: relative; scrollbar-width: thin; scrollbar-color: var(--line-strong) transparent; }
            .messages { display: flex; flex-direction: column; max-width: 62rem; margin: 0 auto; padding: 1rem 1.25rem .75rem; min-height: 100%; justify-content: flex-end; }
            .dialog-hint { position: sticky; top: .4rem; z-index: 2; margin: 0 auto; width: fit-content; height: 0; font-size: .84rem; color: var(--ink-soft); white-space: nowrap; }
            .dialog-hint:empty { display: none; }
            .day, .start { text-align: center; margin: 1.1rem 0 .5rem; font-size: .8rem; color: var(--ink-soft); }
            .day span { background: var(--pane); border: 1px solid var(--line); border-radius: 1rem; padding: .2rem .8rem; font-weight: 550; }
            .new { display: flex; align-items: center; gap: .8rem; margin: 1rem 0 .3rem; color: var(--accent); font-size: .8rem; font-weight: 650; }
            .new::before, .new::after { content: ""; flex: 1; height: 1px; background: currentColor; opacity: .5; }

            .message { position: relative; display: flex; margin-top: 2px; border-radius: var(--round); scroll-margin: 1rem; }
            .message.first { margin-top: .7rem; }
            .message.own { justify-content: flex-end; }
            .message:focus-visible { outline-offset: 3px; }
            .content { display: grid; grid-template-columns: auto minmax(0, 1fr); max-width: min(85%, 42rem); min-width: 0; }
            .own .content { justify-items: end; }
            .content > .bubble, .content > .reactions { grid-column: 2; }
            .gutter { grid-column: 1; width: 2.6rem; align-self: end; }
            .gutter .avatar { width: 2rem; height: 2rem; font-size: .85rem; }
            .bubble { background: var(--raised); border: 1px solid var(--line); border-radius: var(--round); padding: .45rem .8rem .4rem; box-shadow: var(--shadow); min-width: 0; width: fit-content; max-width: 100%; }
            .own .bubble { background: var(--own); border-color: transparent; }
            .other.last .bubble { border-end-start-radius: 5px; }
            .own.last .bubble { border-end-end-radius: 5px; }
            .mentions-me .bubble { border-color: var(--accent); box-shadow: inset 3px 0 0 var(--accent); }
            .sender { font-size: .82rem; font-weight: 650; color: var(--accent); }
            .text { white-space: pre-wrap; overflow-wrap: anywhere; }
            .files { display: grid; gap: .35rem; margin: .25rem 0 .15rem; }
            .file { display: flex; gap: .4rem; align-items: baseline; font-weight: 500; }
            .file-name { overflow-wrap: anywhere; min-width: 0; }
            .file .icon { align-self: center; }
            .size { color: var(--ink-soft); font-weight: 400; font-size: .86rem; font-variant-numeric: tabular-nums; }
            .file .size { white-space: nowrap; }
            .own .size { color: var(--own-soft); }
            .file-state { display: flex; flex-wrap: wrap; gap: .3rem .6rem; align-items: center; }
            .file-state:empty { display: none; }
            .file-state button, .outgoing button.small { display: inline-flex; gap: .35rem; align-items: center; }
            progress { width: 9rem; height: .55rem; accent-color: var(--accent); }
            message-file { display: flex; flex-wrap: wrap; gap: .15rem .8rem; align-items: center; justify-content: space-between; }
            message-picture { display: block; }
            /* As large as the dialog has room for, and never larger than it is. */
            .picture { display: block; max-width: 100%; max-height: min(24rem, 55vh); width: auto; height: auto; border-radius: var(--round-small); margin: .15rem 0 .3rem; }
            .picture-note { min-height: 3rem; font-size: .86rem; color: var(--ink-soft); overflow-wrap: anywhere; }
            .own .picture-note { color: var(--own-soft); }
            .text.gone { color: var(--ink-soft); font-style: italic; }
            .own .text.gone { color: var(--own-soft); }
            .text.step { font-size: .86rem; }
            .card { display: grid; gap: .1rem; margin: .35rem 0 .2rem; padding: .4rem .7rem; border-inline-start: 3px solid var(--line-strong); border-radius: 4px; background: color-mix(in oklab, var(--ink) 5%, transparent); min-width: 12rem; }
            .card p { overflow-wrap: anywhere; white-space: pre-line; }
            .card-image { font-size: .86rem; font-weight: 550; }
            .card-caption { font-weight: 650; }
            .card-subcaption { font-size: .86rem; color: var(--ink-soft); }
            .own .card-subcaption { color: var(--own-soft); }
            .card-link { display: inline-flex; gap: .35rem; align-items: center; min-height: 1.5rem; width: fit-content; font-size: .86rem; overflow-wrap: anywhere; }
            .meta { display: flex; flex-wrap: wrap; gap: .1rem .55rem; align-items: center; justify-content: flex-end; font-size: .74rem; color: var(--ink-soft); margin-top: .1rem; font-variant-numeric: tabular-nums; }
            .own .meta { color: var(--own-soft); }
            .late { display: inline-flex; align-items: center; gap: .25rem; color: var(--warn); font-weight: 550; }
            .state { display: inline-flex; align-items: center; gap: .2rem; }
            button.state { border: 0; background: none; padding: 0; min-height: 1.5rem; min-width: 1.5rem; font-size: inherit; color: inherit; }
            .state-read { color: var(--accent); }
            .state-failed { color: var(--danger); font-weight: 600; }
            .own .state-read { color: light-dark(#07594c, #7fe3cd); }
            .message.own:not(.last) .state-word { display: none; }
            .in-group.own .state-word { display: inline !important; }
            .failure { font-size: .84rem; color: var(--danger); margin-top: .2rem; display: flex; gap: .4rem; flex-wrap: wrap; align-items: center; }
            .quote { display: grid; width: 100%; text-align: start; border: 0; border-inline-start: 3px solid var(--accent); border-radius: 4px; background: color-mix(in oklab, var(--ink) 5%, transparent); padding: .25rem .6rem; margin: .15rem 0 .3rem; min-height: 0; font-size: .86rem; }
            .quote:hover:not(:disabled) { background: color-mix(in oklab, var(--ink) 9%, transparent); }
            .quote:disabled { opacity: 1; }
            .quoted-name { font-weight: 650; font-size: .8rem; color: var(--accent); }
            .quoted-text { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; color: var(--ink-soft); }
            .own .quoted-text { color: var(--own-soft); }
            .own .quoted-name { color: light-dark(#07594c, #7fe3cd); }
            .reactions { display: flex; flex-wrap: wrap; gap: .3rem; margin: -.2rem .4rem .2rem; position: relative; }
            .reaction { display: inline-flex; gap: .3rem; align-items: center; min-height: 1.7rem; padding: 0 .55rem; border-radius: 1rem; border-color: var(--line); font-size: .84rem; font-variant-numeric: tabular-nums; }
            .reaction[aria-pressed="true"] { border-color: var(--accent); background: var(--chosen); font-weight: 650; }

            .actions { position: absolute; top: -1.8rem; display: flex; background: var(--raised); border: 1px solid var(--line); border-radius: var(--round-small); box-shadow: var(--shadow); opacity: 0; pointer-events: none; transition: opacity var(--quick); z-index: 1; }
            .own .actions { inset-inline-end: .5rem; }
            .other .actions { inset-inline-start: .5rem; }
            .in-group.other .actions { inset-inline-start: 3.1rem; }
            .message:hover .actions, .message:focus-within .actions { opacity: 1; pointer-events: auto; }
            .actions button { border: 0; background: none; width: 2.1rem; min-height: 2rem; padding: 0; color: var(--ink-soft); display: grid; place-items: center; }
            .actions button:hover { color: var(--ink); }
            .aimed .bubble { animation: aimed 2s ease-out; }
            @keyframes aimed { from { background: var(--mark); } }
            .to-end { position: absolute; inset: auto 1.2rem .8rem auto; display: inline-flex; gap: .35rem; align-items: center; border-radius: 2rem; border-color: var(--line); box-shadow: var(--shadow-big); padding-inline: .8rem 1rem; font-size: .87rem; font-weight: 550; }

            /* Writing */
            .typing-line { max-width: 62rem; width: 100%; margin: 0 auto; padding: 0 1.6rem; min-height: 1.3rem; font-size: .82rem; color: var(--ink-soft); font-style: italic; }
            prepared-drafts { display: block; padding: .25rem 1.25rem 0; max-height: 40vh; overflow-y: auto; scrollbar-width: thin; }
            prepared-drafts ul { max-width: 59.5rem; margin: 0 auto; padding: 0; list-style: none; display: grid; gap: .4rem; }
            .prepared { background: var(--pane); border: 1px dashed var(--line-strong); border-radius: var(--round-small); padding: .5rem .9rem; }
            .prepared-by { margin: 0; font-size: .84rem; color: var(--ink-soft); }
            .prepared-besides { margin: 0 0 .4rem; padding-inline-start: 1.2rem; overflow-wrap: anywhere; }
            .prepared-text { margin: .25rem 0 .4rem; white-space: pre-wrap; overflow-wrap: anywhere; }
            .prepared textarea { width: 100%; margin: .3rem 0; }
            .prepared-actions { display: flex; gap: .4rem; flex-wrap: wrap; }
            message-composer { display: block; padding: .25rem 1.25rem 1rem; }
            message-composer form { max-width: 59.5rem; margin: 0 auto; }
            .line { display: flex; align-items: flex-end; gap: .5rem; background: var(--raised); border: 1px solid var(--line-strong); border-radius: 1.4rem; padding: .25rem .3rem .25rem 1rem; }
            .line:focus-within { border-color: var(--accent); outline: 1px solid var(--accent); }
            .line textarea { border: 0; background: none; resize: none; padding: .5rem 0; min-height: 2.5rem; max-height: min(40vh, 18rem); line-height: 1.45; outline: none; overflow-y: auto; scrollbar-width: thin; }
            .line textarea:disabled { color: var(--ink-soft); }
            .send { border-radius: 50%; width: 2.5rem; min-width: 2.5rem; min-height: 2.5rem; padding: 0; display: grid; place-items: center; background: var(--accent); border: 0; color: var(--on-accent); font-size: 1.05rem; }
            .send:hover:not(:disabled) { background: color-mix(in oklab, var(--accent) 88%, var(--ink)); }
            .send:disabled { background: var(--hover); color: var(--ink-soft); opacity: 1; }
            message-composer .note { font-size: .84rem; color: var(--danger); padding: .3rem 1rem 0; }
            message-composer .note:empty { display: none; }
            .about { display: flex; align-items: center; gap: .6rem; padding: .35rem .4rem .35rem .9rem; margin-bottom: .35rem; background: var(--pane); border-radius: var(--round-small); border: 1px solid var(--line); }
            .about-text { flex: 1; min-width: 0; display: grid; font-size: .86rem; }
            outgoing-files { display: block; margin-bottom: .35rem; max-height: 35vh; overflow-y: auto; scrollbar-width: thin; }
            outgoing-files ul { display: grid; gap: .3rem; }
            .outgoing { display: flex; align-items: center; gap: .6rem; padding: .35rem .4rem .35rem .9rem; background: var(--pane); border: 1px solid var(--line); border-radius: var(--round-small); }
            .outgoing.failed { border-color: var(--danger); }
            .outgoing-text { flex: 1; min-width: 0; font-size: .9rem; }
            .outgoing-note { font-size: .84rem; color: var(--ink-soft); padding: .3rem 1rem 0; }
            .outgoing-note:empty { display: none; }
            .attach { margin-inline-start: -.6rem; }
            .drop-hint { position: absolute; inset: .6rem; z-index: 3; display: grid; place-items: center; border: 2px dashed var(--accent); border-radius: var(--round); background: color-mix(in oklab, var(--paper) 85%, transparent); font-weight: 600; pointer-events: none; }
            .names { display: flex; gap: .4rem; flex-wrap: wrap; margin-bottom: .4rem; }
            .chip { border-radius: 1rem; min-height: 2rem; padding: .1rem .8rem; }

            @media (max-width: 760px) {
              .messages { padding: .75rem .75rem .5rem; }
              .content { max-width: 90%; }
              prepared-drafts { padding: .2rem .6rem 0; }
              message-composer { padding: .2rem .6rem .6rem; }
              .typing-line { padding: 0 1rem; }
            }
            @media (hover: none) {
              .message:hover:not(:focus-within) .actions { opacity: 0; pointer-events: none; }
            }

            """##),
        "styles/sheets.css": PageFile(
            contentType: "text/css; charset=utf-8",
            text: ##"""
            /* What lies over the page, for one subject. */
            .sheet { width: min(34rem, calc(100vw - 2rem)); max-height: min(46rem, calc(100dvh - 2rem)); padding: 0; border: 1px solid var(--line); border-radius: 18px; background: var(--pane); color: var(--ink); box-shadow: var(--shadow-big); overflow: hidden; }
            .sheet[open] { display: flex; flex-direction: column; animation: rise var(--quick) ease-out; }
            .sheet::backdrop { background: light-dark(#1c202266, #000a); }
            @keyframes rise { from { opacity: 0; translate: 0 8px; } }
            .sheet > header { display: flex; align-items: center; justify-content: space-between; gap: 1rem; padding: .8rem .8rem .3rem 1.4rem; }
            .sheet > header h2 { font-size: 1.2rem; overflow-wrap: anywhere; }
            .sheet-body { overflow-y: auto; padding: .3rem 1.4rem 1.3rem; scrollbar-width: thin; scrollbar-color: var(--line-strong) transparent; }
            .sheet-body > p + p { margin-top: .35rem; }
            .sheet-body section:first-child > h3:first-child { margin-top: .2rem; }
            .sheet-confirm { width: min(26rem, calc(100vw - 2rem)); }
            .sheet-search { width: min(40rem, calc(100vw - 2rem)); margin-top: 8vh; }
            .buttons { display: flex; gap: .6rem; flex-wrap: wrap; margin-top: 1rem; }
            .inline { display: flex; gap: .5rem; align-items: center; margin-top: .3rem; }
            .inline button { flex: none; }
            .check { display: flex; gap: .6rem; align-items: flex-start; padding: .35rem 0; }
            .check input { margin-top: .15rem; }
            fieldset { border: 0; padding: 0; margin: 0; }
            .kinds { margin-top: .6rem; }
            label[for] { display: block; font-size: .88rem; color: var(--ink-soft); margin: .7rem 0 .25rem; }
            .inline label[for] { margin: 0; }
            .picker { max-height: 13rem; overflow-y: auto; border: 1px solid var(--line); border-radius: var(--round-small); padding: .3rem .8rem; background: var(--raised); }
            .picker label { display: flex; gap: .6rem; align-items: center; padding: .35rem 0; }
            .segments { display: inline-flex; border: 1px solid var(--line-strong); border-radius: var(--round-small); overflow: hidden; }
            .segments label { position: relative; }
            .segments input { position: absolute; opacity: 0; inset: 0; width: 100%; height: 100%; cursor: pointer; }
            .segments span { display: block; padding: .45rem .95rem; }
            .segments input:checked + span { background: var(--accent); color: var(--on-accent); font-weight: 600; }
            .segments input:focus-visible + span { outline: 2px solid var(--ink); outline-offset: -4px; border-radius: var(--round-small); }

            .key code { font-size: .95rem; letter-spacing: .03em; }
            .trust-line { display: flex; gap: .4rem; align-items: baseline; margin-top: .9rem; color: var(--ink); }
            .trust-line.trust-verified .icon, .trust-line.trust-verified strong { color: var(--accent); }
            .trust-line.trust-conflict .icon, .trust-line.trust-conflict strong { color: var(--danger); }
            .trust-line .icon { align-self: center; }
            .safety-number { display: flex; flex-wrap: wrap; gap: 1.2rem; align-items: center; margin-top: .8rem; }
            .digits { display: grid; grid-template-columns: repeat(3, auto); gap: .35rem 1.1rem; font: 1.12rem ui-monospace, "DejaVu Sans Mono", monospace; letter-spacing: .04em; }
            .squares { width: 10rem; height: 10rem; background: #fff; border-radius: 8px; }
            .squares path { fill: #000; }
            .participants li, .recipients li, .plain li { display: flex; align-items: center; gap: .6rem; padding: .35rem 0; flex-wrap: wrap; }
            .participants .avatar { width: 2rem; height: 2rem; font-size: .85rem; }
            .participants button, .plain button { margin-inline-start: auto; }
            .recipients .icon { font-size: 1rem; }
            .recipients .name { min-width: 6rem; }
            .facts { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: .25rem 1rem; font-size: .92rem; }
            .facts dt { color: var(--ink-soft); }
            .facts dd { overflow-wrap: anywhere; }
            .keys { display: grid; grid-template-columns: 7.5rem minmax(0, 1fr); gap: .4rem .8rem; align-items: baseline; }
            .emojis { display: grid; grid-template-columns: repeat(6, 1fr); gap: .4rem; margin-bottom: .8rem; }
            .emojis button { font-size: 1.4rem; min-height: 2.9rem; padding: 0; border-color: transparent; background: none; }
            .emojis button:hover { background: var(--hover); }
            .finding { display: flex; gap: .7rem; padding: .5rem 0; border-bottom: 1px solid var(--line); }
            .finding.problem > .icon, .finding.problem strong { color: var(--danger); }
            .finding.warning > .icon, .finding.warning strong { color: var(--warn); }
            .finding.ok > .icon { color: var(--accent); }
            .finding.problem { color: inherit; }
            .search-field { font-size: 1.05rem; min-height: 2.8rem !important; }
            .filters { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: .5rem; margin: .6rem 0; }
            .filters select, .filters input { font-size: .87rem; min-height: 2.1rem; padding: .2rem .5rem; }
            .results { margin: .3rem -1.4rem; }
            .results .row { padding-inline: 1.4rem; min-height: 0; }
            .found { font-size: .9rem; color: var(--ink-soft); overflow-wrap: anywhere; display: -webkit-box; -webkit-line-clamp: 3; -webkit-box-orient: vertical; overflow: hidden; }
            .found mark { color: var(--ink); }

            @media (max-width: 760px) {
              .sheet { width: 100vw; max-width: 100vw; max-height: 92dvh; margin: auto 0 0; border-radius: 18px 18px 0 0; border-inline: 0; border-bottom: 0; }
              .sheet-search { margin-top: auto; height: 92dvh; }
              .filters { grid-template-columns: repeat(2, minmax(0, 1fr)); }
            }

            """##),
        "styles/theme.css": PageFile(
            contentType: "text/css; charset=utf-8",
            text: ##"""
            /* Colours, sizes and letters. Each colour has its light and its dark value beside each other. */
            :root {
              color-scheme: light dark;
              --paper: light-dark(#f4f2ee, #121517);
              --pane: light-dark(#fbfaf8, #191d20);
              --raised: light-dark(#ffffff, #23282c);
              --hover: light-dark(#efece6, #23292d);
              --chosen: light-dark(#e0eeea, #1f3531);
              --line: light-dark(#e2ded6, #2e3439);
              --line-strong: light-dark(#8d877b, #78828a);
              --ink: light-dark(#1c2022, #e9ecee);
              --ink-soft: light-dark(#5b615f, #a6aeb3);
              --accent: light-dark(#0b6a5b, #63d0b8);
              --on-accent: light-dark(#ffffff, #06231d);
              --own: light-dark(#d5ebe4, #1d463e);
              --own-soft: light-dark(#3f5d55, #a9cfc4);
              --danger: light-dark(#ab2330, #ff9a9a);
              --on-danger: light-dark(#ffffff, #350608);
              --danger-soft: light-dark(#fbe6e4, #43191c);
              --warn: light-dark(#8a5200, #f3c06b);
              --warn-soft: light-dark(#fdf0d9, #3a2a10);
              --mark: light-dark(#ffe9a8, #5b4a12);
              --shadow: 0 1px 2px light-dark(#1c20220f, #0005);
              --shadow-big: 0 12px 40px light-dark(#1c202233, #000a);
              --round: 14px;
              --round-small: 9px;
              --quick: 140ms;
              font: 400 15px/1.45 "Inter Variable", Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
              font-feature-settings: "cv05", "ss03";
              -webkit-text-size-adjust: 100%;
            }
            :root[data-theme="light"] { color-scheme: light; }
            :root[data-theme="dark"] { color-scheme: dark; }

            *, *::before, *::after { box-sizing: border-box; }
            [hidden] { display: none !important; }
            body { margin: 0; background: var(--paper); color: var(--ink); }
            h1, h2, h3, p, ul, ol, dl, dd { margin: 0; padding: 0; }
            ul, ol { list-style: none; }
            h1, h2, h3 { font-weight: 600; letter-spacing: -0.01em; }
            h1 { font-size: 1.05rem; }
            h2 { font-size: 1.05rem; }
            h3 { font-size: .8rem; color: var(--ink-soft); letter-spacing: .02em; margin: 1.2rem 0 .4rem; }
            code, kbd { font: .86em/1.4 ui-monospace, "JetBrains Mono", "DejaVu Sans Mono", monospace; }
            kbd { border: 1px solid var(--line-strong); border-bottom-width: 2px; border-radius: 5px; padding: 0 .4em; background: var(--raised); color: var(--ink); white-space: nowrap; }
            mark { background: var(--mark); color: inherit; border-radius: 3px; }
            bdi, [dir="auto"] { unicode-bidi: isolate; }
            .muted { color: var(--ink-soft); }
            .name { font-weight: 550; }
            .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
            .escaped { font: .8em ui-monospace, monospace; background: var(--warn-soft); color: var(--warn); border-radius: 4px; padding: 0 .25em; }
            .problem { color: var(--danger); }
            .problem:empty { display: none; }

            .icon { width: 1.25em; height: 1.25em; fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round; flex: none; vertical-align: -.25em; }

            /* Controls */
            button, input, select, textarea { font: inherit; color: inherit; }
            button {
              border: 1px solid var(--line-strong); border-radius: var(--round-small); background: var(--raised); padding: .45rem .8rem; cursor: pointer;
              min-height: 2.4rem; transition: background var(--quick), border-color var(--quick), transform var(--quick);
            }
            button:hover:not(:disabled) { background: var(--hover); }
            button:active:not(:disabled) { transform: translateY(1px); }
            button:disabled { opacity: .55; cursor: default; }
            button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; }
            button.primary:hover:not(:disabled) { background: color-mix(in oklab, var(--accent) 88%, var(--ink)); }
            button.danger { color: var(--danger); border-color: var(--danger); }
            button.small { min-height: 1.9rem; padding: .2rem .65rem; font-size: .87rem; }
            button.link { border: 0; background: none; color: var(--accent); padding: .1rem .2rem; min-height: 1.6rem; text-decoration: underline; text-underline-offset: 3px; }
            .icon-button { border: 0; background: none; padding: 0; width: 2.4rem; min-width: 2.4rem; display: inline-grid; place-items: center; color: var(--ink-soft); font-size: 1.05rem; }
            .icon-button:hover:not(:disabled) { color: var(--ink); }
            input[type="text"], input[type="search"], input[type="date"], select, textarea {
              border: 1px solid var(--line-strong); border-radius: var(--round-small); background: var(--raised); padding: .45rem .7rem; min-height: 2.4rem; width: 100%;
            }
            input[type="checkbox"], input[type="radio"] { accent-color: var(--accent); width: 1.1rem; height: 1.1rem; flex: none; margin: 0; }
            ::placeholder { color: var(--ink-soft); opacity: 1; }
            :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
            h2:focus-visible, .sheet-body:focus-visible { outline: none; }

            @media (prefers-reduced-motion: reduce) {
              /* None, and not a short one: every property of everything would change a frame late. */
              *, *::before, *::after { transition: none !important; animation-duration: .01ms !important; scroll-behavior: auto !important; }
            }
            @media (forced-colors: active) {
              .bubble, .count, .avatar, .banner { border: 1px solid CanvasText; }
            }

            """##),
        "talking/api-error.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** What went wrong where the node was asked. */

            /** What the node answered instead of what was asked for; or that it did not answer. */
            export class ApiError extends Error {
              /** @param {string} code @param {string} message @param {number} status 0 if there was no answer @param {any} [parameters] */
              constructor(code, message, status, parameters = {}) {
                super(message);
                this.name = "ApiError";
                this.code = code;
                this.status = status;
                this.parameters = parameters;
              }

              get isLost() { return this.status === 0; }
              /** Whether somebody answers who cannot prove to be the node. */
              get isForeign() { return this.code === "unproved"; }
              /** Whether this node is older than what was asked for. */
              get isUnknownRoute() { return this.status === 404 && (this.code === "unknownPath" || this.code === "notFound" || this.code === "noSuchPath"); }
            }

            /** @param {number} status @param {string} text of the answer @returns {ApiError} */
            export function refusalOf(status, text) {
              try {
                const { code, message, parameters } = JSON.parse(text).error;
                return new ApiError(code, message, status, parameters);
              } catch {
                return new ApiError("unexpectedAnswer", `the node answered ${status}`, status);
              }
            }

            """##),
        "talking/api.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** Asks the node, and nobody else (session.js). It decides nothing: whoever asks deals with the answer. */
            import { LIMITS } from "../deciding/limits.js";
            import { refusalOf } from "./api-error.js";
            import { answer, complete } from "./asking.js";
            import { upload } from "./upload.js";

            export class Api {
              #session;

              /** @param {import("./session.js").Session} session */
              constructor(session) { this.#session = session; }

              /** @param {string} path @param {{patience?: number}} [options] @returns {Promise<any>} */
              get(path, options) { return this.#ask("GET", path, undefined, options); }

              /** @param {string} path @param {any} [body] @param {{key?: string}} [options] @returns {Promise<any>} */
              post(path, body = undefined, options = {}) { return this.#ask("POST", path, body, options); }

              /** @param {string} path @returns {Promise<any>} */
              delete(path) { return this.#ask("DELETE", path); }

              /**
               * The answer to a request for events, whose body goes on.
               * @param {string} lastID @param {AbortSignal} signal @returns {Promise<Response>}
               */
              async events(lastID, signal) {
                const headers = { accept: "text/event-stream", ...(lastID ? { "last-event-id": lastID } : {}) };
                return this.#proved("GET", "/v1/events", { headers, signal });
              }

              /** What a file contains: the answer as it is, whose body comes as fast as it is read. @param {string} path @returns {Promise<Response>} */
              content(path) { return this.#proved("GET", `/v1/${path}`, { signal: AbortSignal.timeout(LIMITS.contentMilliseconds) }); }

              /**
               * Takes in a file, however large it is: what a message then names.
               * @param {Blob} content @param {string} name @param {{onProgress: (bytes: number) => void, signal: AbortSignal}} options
               * @returns {Promise<any>}
               */
              async upload(content, name, options) {
                // A browser may know of a type's parameters, which no message says.
                const [mediaType] = content.type.split(";");
                const query = new URLSearchParams({ name, ...(mediaType ? { mediaType } : {}) });
                const url = `/v1/files/upload?${query}`, request = await this.#session.request("POST", url);
                return upload(url, { ...request.headers, "content-type": "application/octet-stream" }, content, { ...options, check: request.check });
              }

              /** @param {string} method @param {string} path @param {any} [body] @param {{key?: string, patience?: number}} [options] */
              async #ask(method, path, body, { key, patience = LIMITS.requestMilliseconds } = {}) {
                const headers = { ...(body === undefined ? {} : { "content-type": "application/json" }), ...(key ? { "idempotency-key": key } : {}) };
                const response = await this.#proved(method, `/v1/${path}`, {
                  headers, body: body === undefined ? undefined : JSON.stringify(body), signal: AbortSignal.timeout(patience),
                });
                return response.status === 204 ? null : complete(response);
              }

              /**
               * The node's own answer. If another one came, perhaps the node has begun anew: it is asked once more, if it proves itself.
               * @param {string} method @param {string} url @param {RequestInit} options @returns {Promise<Response>}
               */
              async #proved(method, url, options) {
                for (let isAgain = false; ; isAgain = true) {
                  const request = await this.#session.request(method, url);
                  try {
                    const response = await answer(url, { ...options, method, headers: { ...options.headers, ...request.headers }, cache: "no-store" });
                    await request.check(response.headers.get("authentication-info"));
                    if (!response.ok) throw refusalOf(response.status, await response.text().catch(() => ""));
                    return response;
                  } catch (error) {
                    if (error.isLost) this.#session.doubt();
                    if (error.code !== "unproved" || isAgain) throw error;
                  }
                }
              }
            }

            """##),
        "talking/asking.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** Requests, and what becomes of those that nobody answers. */
            import { ApiError } from "./api-error.js";

            /** @param {string} url @param {RequestInit} options */
            export async function answer(url, options) {
              try {
                return await fetch(url, options);
              } catch (error) {
                throw new ApiError("noAnswer", "the node does not answer", 0, { detail: String(error) });
              }
            }

            /** @param {Response} response */
            export async function complete(response) {
              try {
                return await response.json();
              } catch (error) {
                throw new ApiError("noAnswer", "the node's answer broke off", 0, { detail: String(error) });
              }
            }

            """##),
        "talking/event-stream.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** Follows the node's events, and goes on where it was when the node was away. */
            import { EventParser } from "../deciding/event-parser.js";
            import { LIMITS } from "../deciding/limits.js";
            /** @typedef {import("./api.js").Api} Api */

            export class EventStream {
              #api;
              #handlers;
              #lastID = "";
              #isEnded = false;
              /** @type {AbortController|null} */
              #attempt = null;
              /** @type {(() => void)|null} */
              #wake = null;

              /**
               * @param {Api} api
               * @param {{onEvent: (event: any) => void, onLive: (isFirst: boolean) => void, onLost: (isForeign: boolean) => void}} handlers
               */
              constructor(api, handlers) {
                this.#api = api;
                this.#handlers = handlers;
              }

              /** Runs until `end`. */
              async run() {
                let wait = LIMITS.firstRetry, isFirst = true;
                while (!this.#isEnded) {
                  this.#attempt = new AbortController();
                  let isForeign = false;
                  try {
                    const response = await this.#api.events(this.#lastID, this.#attempt.signal);
                    wait = LIMITS.firstRetry;
                    this.#handlers.onLive(isFirst);
                    isFirst = false;
                    await this.#read(response);
                  } catch (error) {
                    isForeign = error.isForeign ?? false;
                    // A place that the node does not know, as after another history was put in place: all is asked for anew.
                    if (error.status === 400) this.#lastID = "";
                  }
                  if (this.#isEnded) return;
                  this.#handlers.onLost(isForeign);
                  await this.#pause(wait);
                  wait = Math.min(wait * 2, LIMITS.longestRetry);
                }
              }

              /** Tries again at once; or connects anew, if the connection seems to be dead. */
              restart() {
                this.#attempt?.abort();
                this.#wake?.();
              }

              end() {
                this.#isEnded = true;
                this.restart();
              }

              /** @param {Response} response */
              async #read(response) {
                const parser = new EventParser();
                const reader = /** @type {any} */ (response.body).pipeThrough(new TextDecoderStream()).getReader();
                for (;;) {
                  const { value, done } = await reader.read();
                  if (done) return;
                  for (const { id, data } of parser.take(value)) {
                    if (data !== undefined) this.#handlers.onEvent(JSON.parse(data));
                    // Only now: an event that was not dealt with comes again.
                    if (id !== undefined) this.#lastID = id;
                  }
                }
              }

              /** @param {number} milliseconds */
              #pause(milliseconds) {
                return new Promise((resolve) => {
                  const timer = setTimeout(resolve, milliseconds);
                  this.#wake = () => { clearTimeout(timer); resolve(undefined); };
                });
              }
            }

            """##),
        "talking/refresher.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /**
             * Asks again for what events have changed: each thing once in a while, however much happens.
             */
            import { LIMITS } from "../deciding/limits.js";
            /** @typedef {import("../deciding/consequences.js").Request} Request */

            export class Refresher {
              /** @type {Map<string, Request>} */
              #wanted = new Map();
              #ask;
              #isWaiting = false;

              /** @param {(request: Request) => Promise<void>} ask */
              constructor(ask) { this.#ask = ask; }

              /** @param {Request[]} requests */
              want(requests) {
                for (const request of requests) this.#wanted.set("id" in request ? `${request.kind} ${request.id}` : request.kind, request);
                if (this.#wanted.size > 0 && !this.#isWaiting) this.#run();
              }

              async #run() {
                this.#isWaiting = true;
                while (this.#wanted.size > 0) {
                  const round = this.#round();
                  this.#wanted.clear();
                  await Promise.all(round.map((request) => this.#ask(request)));
                  await new Promise((resolve) => setTimeout(resolve, LIMITS.refreshMilliseconds));
                }
                this.#isWaiting = false;
              }

              /** Where so many messages have changed, everything is asked for. @returns {Request[]} */
              #round() {
                const all = [...this.#wanted.values()];
                if (all.some((each) => each.kind === "everything")) return [{ kind: "everything" }];
                const isMany = all.filter((each) => each.kind === "message").length > LIMITS.refreshMessages;
                return isMany ? [{ kind: "everything" }] : all;
              }
            }

            """##),
        "talking/session.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /**
             * This browser's session with the node, which all of its tabs share.
             *
             * It is a key that no script can read. Each request proves it, and each answer is proved, too, over what is asked for and over what
             * both ends have drawn (SessionProof.swift). Nothing is asked of whoever has not proved to be the node since it was lost.
             */
            import { LIMITS } from "../deciding/limits.js";
            import { ApiError, refusalOf } from "./api-error.js";
            import { answer, complete } from "./asking.js";
            import { readSession, writeSession } from "./tab-storage.js";

            const HMAC = { name: "HMAC", hash: "SHA-256" };

            /** @param {Uint8Array} bytes @returns {Promise<CryptoKey>} a key that cannot be read any more */
            const imported = (bytes) => crypto.subtle.importKey("raw", /** @type {any} */ (bytes), HMAC, false, ["sign"]);

            const drawn = () => hex(crypto.getRandomValues(new Uint8Array(16)));

            /** @param {Uint8Array} bytes */
            const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

            /**
             * @param {CryptoKey} key @param {string} role
             * @param {{nonce?: string, cnonce: string, method?: string, target?: string}} about
             * @returns {Promise<Uint8Array>}
             */
            async function proof(key, role, { nonce = "", cnonce, method = "", target = "" }) {
              const text = ["earshot page 1", role, location.port, nonce, cnonce, method, target].join("\n");
              return new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text)));
            }

            const unproved = () => new ApiError(
              "unproved", "What answers here cannot prove that it is your node, so nothing is sent to it. Either another program has this port, or this login was ended.", 0);

            export class Session {
              #key;
              /** The nonce of the node that has proved itself; or what waits for that. @type {Promise<string>|null} */
              #nonce = null;

              /** @param {string} id @param {CryptoKey} key */
              constructor(id, key) {
                this.id = id;
                this.#key = key;
              }

              /** What this browser has kept. @returns {Promise<Session|null>} */
              static async kept() {
                const found = await readSession();
                return found && new Session(found.id, found.key);
              }

              /**
               * Turns the one-time login of the address into a session of this browser. The login itself is not sent.
               * @param {string} login
               */
              static async enter(login) {
                const [id, secret = ""] = login.split(".");
                const key = await imported(new TextEncoder().encode(secret)), cnonce = drawn();
                const body = JSON.stringify({ login: id, cnonce, proof: hex(await proof(key, "login", { cnonce })) });
                const response = await answer("/v1/login", {
                  method: "POST", headers: { "content-type": "application/json" }, body, cache: "no-store",
                  signal: AbortSignal.timeout(LIMITS.requestMilliseconds),
                });
                if (!response.ok) throw refusalOf(response.status, await response.text().catch(() => ""));
                const made = await complete(response), about = { nonce: String(made.session), cnonce };
                if (made.proof !== hex(await proof(key, "session", about))) throw unproved();
                const session = { id: made.session, key: await imported(await proof(key, "key", about)) };
                await writeSession(session);
                return new Session(session.id, session.key);
              }

              /** This browser forgets it. */
              forget() { return writeSession(null); }

              /** Whoever answers next has to prove again that it is the node. */
              doubt() { this.#nonce = null; }

              /**
               * How something is asked for so that it proves the session, and what tells whether the answer is the node's.
               * @param {string} method @param {string} url
               * @returns {Promise<{headers: Record<string, string>, check: (info: string|null) => Promise<void>}>}
               */
              async request(method, url) {
                const nonce = await this.#greeted(), { pathname, search } = new URL(url, location.href);
                const about = { nonce, cnonce: drawn(), method, target: pathname + search };
                const [shown, expected] = await Promise.all(["request", "answer"].map((role) => proof(this.#key, role, about)));
                const authorization = `Earshot-Session session="${this.id}", nonce="${nonce}", cnonce="${about.cnonce}", proof="${hex(shown)}"`;
                return {
                  headers: { authorization },
                  check: async (info) => {
                    if (info === `proof="${hex(expected)}"`) return;
                    this.doubt();
                    throw unproved();
                  },
                };
              }

              /** Lets the node prove itself, if it has not since it was lost. @returns {Promise<string>} its nonce */
              #greeted() {
                if (this.#nonce === null) {
                  const greeting = this.#greet();
                  this.#nonce = greeting;
                  greeting.catch(() => { if (this.#nonce === greeting) this.doubt(); });
                }
                return this.#nonce;
              }

              async #greet() {
                const cnonce = drawn();
                const response = await answer(`/v1/session?${new URLSearchParams({ session: this.id, cnonce })}`, {
                  cache: "no-store", signal: AbortSignal.timeout(LIMITS.requestMilliseconds),
                });
                if (!response.ok) throw unproved();
                const { nonce, proof: shown } = await complete(response);
                if (shown !== hex(await proof(this.#key, "greeting", { nonce: String(nonce), cnonce }))) throw unproved();
                return String(nonce);
              }
            }

            """##),
        "talking/tab-storage.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /**
             * What the page keeps: drafts for this tab alone, the session and choices of the person for this browser.
             *
             * A browser may forbid storing. Then the page works all the same, and forgets.
             */
            import { LIMITS } from "../deciding/limits.js";

            const SESSION = "session", DRAFTS = "earshot.drafts", CHOICES = "earshot.choices";

            /** @param {() => Storage} storage @param {string} key */
            function read(storage, key) {
              try {
                return storage().getItem(key);
              } catch (error) {
                console.info("the browser keeps nothing for this page", error);
                return null;
              }
            }

            /** @param {() => Storage} storage @param {string} key @param {string|null} value */
            function write(storage, key, value) {
              try {
                if (value === null) storage().removeItem(key);
                else storage().setItem(key, value);
              } catch (error) {
                console.info("the browser keeps nothing for this page", error);
              }
            }

            /** @param {string|null} text @returns {any} */
            function parsed(text) {
              try {
                return JSON.parse(text ?? "{}");
              } catch (error) {
                console.info("what the page had kept cannot be read", error);
                return {};
              }
            }

            const tab = () => sessionStorage, browser = () => localStorage;

            /** The place for what is no text. @returns {Promise<IDBDatabase>} */
            const database = () => new Promise((resolve, reject) => {
              const request = indexedDB.open("earshot", 1);
              request.onupgradeneeded = () => request.result.createObjectStore(SESSION);
              request.onsuccess = () => resolve(request.result);
              request.onerror = () => reject(request.error);
            });

            /** @param {IDBTransactionMode} mode @param {(store: IDBObjectStore) => IDBRequest} work @returns {Promise<any>} */
            async function inDatabase(mode, work) {
              try {
                const opened = await database();
                try {
                  return await new Promise((resolve, reject) => {
                    const transaction = opened.transaction(SESSION, mode), request = work(transaction.objectStore(SESSION));
                    transaction.oncomplete = () => resolve(request.result);
                    transaction.onabort = () => reject(transaction.error);
                  });
                } finally {
                  opened.close();
                }
              } catch (error) {
                console.info("the browser keeps nothing for this page", error);
                return null;
              }
            }

            /** A key can be kept so, though nobody can read it. @returns {Promise<{id: string, key: CryptoKey}|null>} */
            export const readSession = async () => (await inDatabase("readonly", (store) => store.get(SESSION))) ?? null;
            /** @param {{id: string, key: CryptoKey}|null} session */
            export const writeSession = (session) => inDatabase("readwrite", (store) => (session ? store.put(session, SESSION) : store.delete(SESSION)));

            /** @returns {{theme: string, sendsWithEnter: boolean, notifies: boolean}} */
            export const readChoices = () => ({ theme: "auto", sendsWithEnter: true, notifies: false, ...parsed(read(browser, CHOICES)) });
            /** @param {any} choices */
            export const writeChoices = (choices) => write(browser, CHOICES, JSON.stringify(choices));

            /**
             * Texts that are not sent yet, each with the dialog that it is for, what it answers or changes, and the key under which
             * it is sent once however often that is tried.
             */
            export class Drafts {
              /** @type {Map<string, {text: string, replyTo?: any, edit?: any, key?: string}>} */
              #drafts = new Map(Object.entries(parsed(read(tab, DRAFTS))));

              /** @param {string} dialog */
              get(dialog) { return this.#drafts.get(dialog) ?? { text: "" }; }

              /** @param {string} dialog */
              has(dialog) { return this.get(dialog).text.trim() !== ""; }

              /** @param {string} dialog @param {any} draft */
              set(dialog, draft) {
                this.#drafts.delete(dialog);
                if (draft.text !== "" || draft.replyTo || draft.edit || draft.key) this.#drafts.set(dialog, draft);
                for (const oldest of this.#drafts.keys()) {
                  if (this.#drafts.size <= LIMITS.drafts) break;
                  this.#drafts.delete(oldest);
                }
                write(tab, DRAFTS, JSON.stringify(Object.fromEntries(this.#drafts)));
              }
            }

            """##),
        "talking/upload.js": PageFile(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
            /** Sends a file to the node. `fetch` says nothing of how far it is, so this is an XMLHttpRequest. */
            import { ApiError, refusalOf } from "./api-error.js";

            /**
             * @param {string} url @param {Record<string, string>} headers @param {Blob} body
             * @param {{onProgress: (bytes: number) => void, signal: AbortSignal, check: (info: string|null) => Promise<void>}} options check: whether the answer is the node's
             * @returns {Promise<any>} what the node answers
             */
            export function upload(url, headers, body, { onProgress, signal, check }) {
              return new Promise((resolve, reject) => {
                const request = new XMLHttpRequest();
                request.open("POST", url);
                for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
                request.upload.addEventListener("progress", (event) => onProgress(event.loaded));
                // Also where the browser cannot read the file, such as one that was removed.
                request.addEventListener("error", () => reject(new ApiError("noAnswer", "the file cannot be read, or the node does not answer", 0)));
                request.addEventListener("abort", () => reject(new ApiError("aborted", "it was removed", 0)));
                request.addEventListener("load", async () => {
                  try {
                    await check(request.getResponseHeader("authentication-info"));
                  } catch (error) {
                    return reject(error);
                  }
                  if (request.status !== 201) return reject(refusalOf(request.status, request.responseText));
                  try {
                    resolve(JSON.parse(request.responseText));
                  } catch (error) {
                    reject(new ApiError("noAnswer", "the node's answer broke off", 0, { detail: String(error) }));
                  }
                });
                signal.addEventListener("abort", () => request.abort());
                request.send(body);
              });
            }

            """##),
    ]
}
