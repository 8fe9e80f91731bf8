/** What the doctor finds: why messages flow, or why they do not. */
import { line } from "../deciding/safe-text.js";
import { foreign, h, replace } from "./dom.js";
import { icon } from "./icons.js";
import { attempt, showSheet } from "./sheet.js";

const WORDS = { ok: "Fine", note: "Note", warning: "Warning", problem: "Problem" };
const ICONS = { ok: "sent", note: "info", warning: "warning", problem: "failed" };
const ORDER = ["problem", "warning", "note", "ok"];

/** @param {any} app */
export function showFindings(app) {
  const list = h("ul", { class: "findings", "aria-label": "Findings" }), problem = h("p", { class: "problem", role: "alert" });
  showSheet({
    name: "findings", title: "What the doctor finds", body: [list, problem,
      h("div", { class: "buttons" }, h("button", { type: "button", onclick: () => look() }, "Look again"))],
  });
  const look = async () => {
    replace(list, h("li", {}, "Looking. It may take some seconds…"));
    const isDone = await attempt(problem, async () => {
      const findings = await app.api.get("health");
      app.store.apply({ type: "findings", findings });
      replace(list, [...findings].sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity)).map((each) =>
        h("li", { class: `finding ${each.severity}` }, icon(/** @type {any} */ (ICONS[each.severity] ?? "info")),
          h("div", {}, h("strong", {}, `${WORDS[each.severity] ?? each.severity}: `), foreign("span", line(each.what)),
            each.why ? foreign("p", line(each.why), { class: "muted" }) : null))));
    });
    if (!isDone) replace(list);
  };
  look();
}
