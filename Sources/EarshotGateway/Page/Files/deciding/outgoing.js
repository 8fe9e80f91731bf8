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
