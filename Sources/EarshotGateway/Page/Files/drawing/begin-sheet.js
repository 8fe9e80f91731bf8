/** A new conversation: with one person, an open one, or a private one. */
import { h } from "./dom.js";
import { peoplePicker } from "./people-picker.js";
import { attempt, showSheet } from "./sheet.js";

/** @param {any} app */
export function showBegin(app) {
  const name = h("input", { type: "text", id: "begin-name", required: true, maxlength: 63, dir: "auto", autocomplete: "off", placeholder: "ops" });
  const friendly = h("input", { type: "text", id: "begin-friendly", maxlength: 256, dir: "auto", placeholder: "The crew" });
  const kinds = [
    radio("open", "Open", "whoever knows its name joins, and gets the whole history", true),
    radio("private", "Private", "you say who is in", false),
  ];
  const tells = h("input", { type: "checkbox", checked: true }), history = h("input", { type: "checkbox" });
  const picker = peoplePicker(app.state, () => true, "Invite");
  const openPart = h("label", { class: "check" }, tells, "Tell people on this network its name");
  const privatePart = h("div", { hidden: true },
    h("label", { for: "begin-friendly" }, "What people call it (may be left out)"), friendly,
    h("h3", {}, "Invite"), picker.element, h("label", { class: "check" }, history, "Give what was written before to whoever joins"));
  const problem = h("p", { class: "problem", role: "alert" });
  const isPrivate = () => kinds[1].input.checked;
  const form = h("form", {
    onchange: () => {
      openPart.hidden = isPrivate();
      privatePart.hidden = !isPrivate();
    },
    onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      const request = isPrivate()
        ? { uniqueName: name.value.trim(), kind: "private", givesHistory: history.checked, invite: picker.chosen(), ...(friendly.value ? { friendlyName: friendly.value } : {}) }
        : { uniqueName: name.value.trim(), isAdvertised: tells.checked };
      attempt(problem, async () => {
        const id = await app.gathering.begin(request);
        sheet.close();
        app.command("open", id);
      });
    },
  },
  h("label", { for: "begin-name" }, "Its name, by which it is found"), name,
  h("fieldset", { class: "kinds" }, h("legend", { class: "hidden" }, "Kind"), kinds.map((each) => each.element)),
  openPart, privatePart, problem,
  h("div", { class: "buttons" }, h("button", { type: "submit", class: "primary" }, "Begin or join"), h("button", { type: "button", onclick: () => sheet.close() }, "Cancel")));
  const sheet = showSheet({ name: "begin", title: "New conversation", body: [h("p", { class: "muted" }, "To write to one person, choose them under People."), form] });
  name.focus();
}

/** @param {string} value @param {string} label @param {string} hint @param {boolean} checked */
function radio(value, label, hint, checked) {
  const input = h("input", { type: "radio", name: "kind", value, checked });
  return { input, element: h("label", { class: "check" }, input, h("span", {}, h("strong", {}, label), ` — ${hint}`)) };
}
