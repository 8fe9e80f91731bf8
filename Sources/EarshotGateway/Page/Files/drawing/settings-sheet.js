/** Choices for this browser, what one says of oneself, and what else may use the node. */
import { askForNotifications, canNotify } from "../acting/notifier.js";
import { shortKey } from "../deciding/naming.js";
import { line } from "../deciding/safe-text.js";
import { readChoices, writeChoices } from "../talking/tab-storage.js";
import { foreign, h, replace } from "./dom.js";
import { attempt, confirmSheet, showSheet } from "./sheet.js";
import { applyTheme } from "./theme.js";

/** @param {any} app */
export function showSettings(app) {
  const { node } = app.state, problem = h("p", { class: "problem", role: "alert" });
  const devices = h("ul", { class: "plain", "aria-label": "Devices" }), tokens = h("ul", { class: "plain", "aria-label": "Tokens" });
  const targets = h("ul", { class: "plain", "aria-label": "Where the node tells me" });
  showSheet({
    name: "settings", title: "Settings", body: [
      h("section", {}, h("h3", {}, "You"), h("p", {}, foreign("bdi", line(node.name), { class: "name" }), h("span", { class: "muted" }, ` ${node.fingerprint}`)), profileForm(app, problem)),
      h("section", {}, h("h3", {}, "Look"), themes()),
      h("section", {}, h("h3", {}, "Writing and telling"), ...choices(problem)),
      h("section", {}, h("h3", {}, "Told by the node, also without this page"), targets, h("div", { class: "buttons" }, desktopButton(app, targets, problem))),
      h("section", {}, h("h3", {}, "Devices"), devices), h("section", {}, h("h3", {}, "Programs with a token"), tokens), problem,
      h("section", {}, h("h3", {}, "The node"), h("p", { class: "muted" }, `Earshot ${node.version} · ${node.knownUsers} people known · ${node.undeliveredMessages} messages not delivered yet`),
        h("div", { class: "buttons" },
          h("button", { type: "button", onclick: () => app.command("findings") }, "What the doctor finds"),
          h("button", { type: "button", onclick: () => app.command("signOut") }, "End this browser's login"))),
    ],
  });
  attempt(problem, () => fill(app, devices, tokens));
  attempt(problem, () => fillTargets(app, targets));
}

/** @param {any} app @param {HTMLElement} targets @param {HTMLElement} problem */
const desktopButton = (app, targets, problem) => h("button", {
  type: "button", onclick: async () => {
    await attempt(problem, async () => {
      await app.people.addTarget({ kind: "desktop" });
      await fillTargets(app, targets);
    });
  },
}, "On this machine's desktop");

/** @param {any} app @param {HTMLElement} list */
async function fillTargets(app, list) {
  const targets = await app.people.targets();
  replace(list, targets.length === 0 ? h("li", { class: "muted" }, "Nowhere.") : targets.map((/** @type {any} */ each) =>
    h("li", {}, h("span", { class: "name" }, each.name),
      foreign("bdi", line(each.failure ?? each.url ?? each.command?.join(" ") ?? ""), { class: each.failure ? "problem" : "muted" }),
      h("button", { type: "button", class: "small", "aria-label": `Remove ${each.name}`, onclick: () => confirmSheet(
        { title: `Remove ${each.name}?`, text: "You are no longer told of messages there.", action: "Remove", isDangerous: true },
        () => app.people.removeTarget(each.name)) }, "Remove"))));
}

/** @param {any} app @param {HTMLElement} problem */
function profileForm(app, problem) {
  const name = h("input", { type: "text", id: "friendly-name", dir: "auto", maxlength: 256 }), saved = h("span", { class: "muted", role: "status" });
  app.people.ownProfile().then((/** @type {any} */ profile) => { name.value = profile.friendlyName; }, (/** @type {Error} */ error) => { problem.textContent = error.message; });
  return h("form", {
    onsubmit: async (/** @type {Event} */ event) => {
      event.preventDefault();
      saved.textContent = await attempt(problem, () => app.people.updateProfile({ friendlyName: name.value })) ? "Saved." : "";
    },
  }, h("label", { for: "friendly-name" }, "What others may call you"), h("div", { class: "inline" }, name, h("button", { type: "submit" }, "Save")), saved);
}

function themes() {
  const chosen = readChoices().theme;
  return h("fieldset", {
    class: "segments", onchange: (/** @type {any} */ event) => {
      writeChoices({ ...readChoices(), theme: event.target.value });
      applyTheme();
    },
  }, h("legend", { class: "hidden" }, "Theme"), [["auto", "As the system"], ["light", "Light"], ["dark", "Dark"]].map(([value, label]) =>
    h("label", {}, h("input", { type: "radio", name: "theme", value, checked: chosen === value }), h("span", {}, label))));
}

/** @param {HTMLElement} problem */
function choices(problem) {
  const enter = h("input", { type: "checkbox", checked: readChoices().sendsWithEnter, onchange: () => writeChoices({ ...readChoices(), sendsWithEnter: enter.checked }) });
  const notifies = h("input", {
    type: "checkbox", checked: readChoices().notifies, disabled: !canNotify(), onchange: async () => {
      if (notifies.checked && !(await askForNotifications())) {
        notifies.checked = false;
        problem.textContent = "The browser does not allow notifications for this page: allow them in its settings for this address.";
      }
      writeChoices({ ...readChoices(), notifies: notifies.checked });
    },
  });
  return [h("label", { class: "check" }, enter, "Enter sends (else Ctrl Enter)"),
    h("label", { class: "check" }, notifies, "Tell me of messages while I do not look here, without their text")];
}

/** @param {any} app @param {HTMLElement} devices @param {HTMLElement} tokens */
async function fill(app, devices, tokens) {
  const [ownDevices, allTokens] = await Promise.all([app.people.devices(), app.people.tokens()]);
  replace(devices, ownDevices.map((/** @type {any} */ each) => h("li", {}, foreign("bdi", line(each.name ?? `Device ${shortKey(each.id)}`), { class: "name" }),
    h("span", { class: "muted" }, [each.isThisDevice ? "this one" : each.isOnline ? "online" : "away", each.isPrimary ? "holds the identity" : "", each.isRevoked ? "revoked" : ""].filter(Boolean).join(", ")))));
  replace(tokens, allTokens.length === 0 ? h("li", { class: "muted" }, "None.") : allTokens.map((/** @type {any} */ each) =>
    h("li", {}, h("span", { class: "name" }, each.name), h("span", { class: "muted" }, `${each.scopes.join(", ")}${each.usedAt ? "" : ", never used"}`),
      h("button", { type: "button", class: "small", "aria-label": `Revoke ${each.name}`, onclick: () => confirmSheet(
        { title: `Revoke ${each.name}?`, text: "Whatever uses it can no longer use the node. This cannot be undone.", action: "Revoke", isDangerous: true },
        () => app.people.revokeToken(each.name)) }, "Revoke"))));
}
