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
