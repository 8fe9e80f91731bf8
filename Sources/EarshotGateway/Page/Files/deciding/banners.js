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
