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
