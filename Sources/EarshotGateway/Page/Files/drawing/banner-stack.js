/** What must not be overlooked stands above everything else, and is said at once. */
import { banners } from "../deciding/banners.js";
import { announce } from "./announcer.js";
import { command } from "./command.js";
import { foreign, h, reconcile, replace } from "./dom.js";
import { icon } from "./icons.js";

export class BannerStack extends HTMLElement {
  #list = h("ul", { "aria-label": "Warnings" });

  connectedCallback() { this.append(this.#list); }

  /** @param {import("../deciding/state.js").State} state */
  update(state) {
    const shown = banners(state);
    this.hidden = shown.length === 0;
    reconcile(this.#list, shown, {
      key: (banner) => banner.key,
      make: (banner) => {
        announce(`${banner.title}. ${banner.text}`, { isUrgent: banner.severity === "problem" });
        return h("li", { class: `banner ${banner.severity}` });
      },
      update: (element, banner) => {
        if (element.drawn === banner.title + banner.text) return;
        element.drawn = banner.title + banner.text;
        replace(element, icon("warning"),
          h("div", { class: "banner-text" }, foreign("strong", banner.title), " ", foreign("span", banner.text)),
          h("div", { class: "banner-actions" }, banner.actions.map((each) =>
            h("button", { type: "button", class: "small", onclick: () => command(this, each.command, each.subject) }, each.label)),
          banner.canDismiss ? h("button", { type: "button", class: "icon-button", "aria-label": "Put away", onclick: () => command(this, "dismiss", banner.key) }, icon("close")) : null));
      },
    });
  }
}

customElements.define("banner-stack", BannerStack);
