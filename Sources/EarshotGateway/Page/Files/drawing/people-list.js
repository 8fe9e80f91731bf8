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
