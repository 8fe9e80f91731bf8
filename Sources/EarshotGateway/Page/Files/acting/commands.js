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
