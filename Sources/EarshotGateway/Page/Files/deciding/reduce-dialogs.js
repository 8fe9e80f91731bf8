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
