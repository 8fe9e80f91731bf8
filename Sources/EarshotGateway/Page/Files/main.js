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
