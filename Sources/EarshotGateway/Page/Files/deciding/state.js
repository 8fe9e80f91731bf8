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
