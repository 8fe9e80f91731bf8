/** A sheet over the page, for one subject. The browser keeps the focus in it, and gives it back. */
import { h } from "./dom.js";
import { icon } from "./icons.js";

/** @type {{element: HTMLDialogElement, update?: (state: any) => void}|null} */
let shown = null;

/**
 * @param {{title: string|Node, body: (Node|null)[], name: string, update?: (state: any) => void, onClose?: () => void}} content
 * @returns {HTMLDialogElement}
 */
export function showSheet({ title, body, name, update, onClose }) {
  closeSheet();
  const element = h("dialog", { class: `sheet sheet-${name}`, "aria-labelledby": "sheet-title" },
    h("header", {}, h("h2", { id: "sheet-title" }, title),
      h("button", { type: "button", class: "icon-button", "aria-label": "Close", onclick: () => element.close() }, icon("close"))),
    h("div", { class: "sheet-body", tabindex: 0 }, body));
  element.addEventListener("click", (/** @type {Event} */ event) => event.target === element && element.close());
  element.addEventListener("close", () => {
    if (shown?.element === element) shown = null;
    element.remove();
    onClose?.();
  });
  document.body.append(element);
  shown = { element, update };
  element.showModal();
  return element;
}

export function closeSheet() { shown?.element.close(); }

export const isSheetShown = () => shown !== null;

/** @param {any} state */
export function updateSheet(state) { shown?.update?.(state); }

/**
 * Runs what a button is for: it waits, and says below it what went wrong.
 * @param {HTMLElement} place where the problem is said @param {() => Promise<any>} work
 */
export async function attempt(place, work) {
  place.textContent = "";
  try {
    await work();
    return true;
  } catch (error) {
    place.textContent = `That did not work: ${error.message}`;
    return false;
  }
}

/**
 * Asks before something that cannot be undone.
 * @param {{title: string, text: string, action: string, isDangerous?: boolean}} question @param {() => Promise<any>} work
 */
export function confirmSheet({ title, text, action, isDangerous = false }, work) {
  const problem = h("p", { class: "problem", role: "alert" });
  const sheet = showSheet({
    title, name: "confirm", body: [
      h("p", { dir: "auto" }, text), problem,
      h("div", { class: "buttons" },
        h("button", { type: "button", class: isDangerous ? "danger" : "primary", onclick: async () => (await attempt(problem, work)) && sheet.close() }, action),
        h("button", { type: "button", onclick: () => sheet.close() }, "Cancel")),
    ],
  });
}
