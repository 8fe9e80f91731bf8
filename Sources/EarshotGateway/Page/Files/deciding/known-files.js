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
