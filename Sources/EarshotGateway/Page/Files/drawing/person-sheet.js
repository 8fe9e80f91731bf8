/** About a person: who they say they are, whether it is true, and what to do about it. */
import { shortKey, trustWords } from "../deciding/naming.js";
import { line } from "../deciding/safe-text.js";
import { lastSeen, wholeTime } from "../deciding/times.js";
import { foreign, h, replace } from "./dom.js";
import { icon, squares } from "./icons.js";
import { notificationLevel } from "./notification-level.js";
import { attempt, showSheet } from "./sheet.js";

/**
 * @param {any} user @param {any} app
 */
export function showPerson(user, app) {
  const name = line(user.name ?? "unknown"), trust = h("div", {}), safety = h("section", { class: "safety", "aria-label": "Safety number" });
  const profile = h("p", { class: "says", hidden: true }), problem = h("p", { class: "problem", role: "alert" });
  let shown = user;
  const draw = () => replace(trust, ...decisions(shown, app, problem));
  showSheet({
    name: "person", title: foreign("bdi", name), body: [
      h("p", { class: "key" }, "Key ", h("code", {}, user.fingerprint ?? shortKey(user.id))),
      user.lastSeen ? h("p", { class: "muted" }, user.isOnline ? "Online now" : `Last seen ${lastSeen(user.lastSeenMilliseconds, Date.now())}`,
        ` · first met ${wholeTime(user.firstSeenMilliseconds)}`) : null,
      profile, trust, problem, safety, user.trust ? notificationLevel(user.id, app, problem) : null,
      h("div", { class: "buttons" }, h("button", { type: "button", onclick: () => app.command("openUser", user.id) }, "Write to them")),
    ],
    update: (state) => {
      const now = state.users.get(user.id);
      if (now && now !== shown) {
        shown = now;
        draw();
      }
    },
  });
  draw();
  if (user.trust) fillSafety(safety, user, app);
  fillProfile(profile, user, app);
}

/** @param {any} user @param {any} app @param {HTMLElement} problem */
function decisions(user, app, problem) {
  if (!user.trust) return [];
  const { word, hint } = trustWords(user.trust);
  /** @param {string} label @param {"accept"|"verify"|"block"|"unblock"} decision @param {string} look */
  const button = (label, decision, look = "") => h("button", {
    type: "button", class: look, onclick: () => attempt(problem, () => app.people.decide(user, decision)),
  }, label);
  const buttons = {
    new: [button("We have compared the number: verified", "verify", "primary"), button("Block", "block", "danger")],
    unverified: [button("We have compared the number: verified", "verify", "primary"), button("Block", "block", "danger")],
    verified: [button("Block", "block", "danger")],
    blocked: [button("Unblock", "unblock")],
    conflict: [h("button", { type: "button", class: "danger", onclick: () => app.command("accept", user.id) }, "Accept this key…"), button("Block", "block")],
  }[user.trust] ?? [];
  if (user.claimedName && user.trust !== "blocked") {
    buttons.unshift(h("button", { type: "button", onclick: () => app.command("rename", user.id) }, `Call them ${line(user.claimedName)}…`));
  }
  return [
    h("p", { class: `trust-line trust-${user.trust}` }, icon(user.trust === "verified" ? "verified" : user.trust === "conflict" ? "warning" : user.trust === "blocked" ? "blocked" : "shield"),
      h("strong", {}, word), h("span", {}, ` — ${hint}.`)),
    h("div", { class: "buttons" }, buttons),
  ];
}

/** @param {HTMLElement} place @param {any} user @param {any} app */
async function fillSafety(place, user, app) {
  try {
    const { text, qr } = await app.people.safetyNumber(user.id);
    const groups = text.split(" ");
    replace(place, h("h3", {}, "Safety number"),
      h("p", { class: "muted" }, "Compare it with what the other sees, in person or by a call whose voice you know. If it is the same, nobody is in between."),
      h("div", { class: "safety-number" },
        Array.isArray(qr) ? squares(qr, "The safety number as a QR code") : null,
        h("ol", { class: "digits", "aria-label": `Safety number in ${groups.length} groups of five digits` }, groups.map((/** @type {string} */ group) => h("li", {}, group)))));
  } catch (error) {
    replace(place, h("p", { class: "problem" }, `The safety number is not known: ${error.message}`));
  }
}

/** @param {HTMLElement} place @param {any} user @param {any} app */
async function fillProfile(place, user, app) {
  try {
    const { friendlyName, isBot, commands } = await app.people.profile(user.id);
    const says = [friendlyName ? ["They call themselves ", foreign("bdi", line(friendlyName)), ", which proves nothing. "] : [],
      isBot ? [`It is a bot${commands.length > 0 ? " that understands " : "."}`, foreign("bdi", commands.map((/** @type {any} */ each) => `/${line(each.name)}`).join(", "))] : []].flat();
    place.hidden = says.length === 0;
    replace(place, ...says);
  } catch (error) {
    console.info("no profile", error);
  }
}
