/** About a conversation of many: who is in, and what its owner may do. */
import { conversationTitle, partyName } from "../deciding/naming.js";
import { avatar } from "./avatar.js";
import { foreign, h, replace } from "./dom.js";
import { notificationLevel } from "./notification-level.js";
import { attempt, confirmSheet, showSheet } from "./sheet.js";
import { peoplePicker } from "./people-picker.js";

/** @param {any} conversation @param {any} app */
export function showGroup(conversation, app) {
  const { state } = app, isPrivate = conversation.kind === "private";
  const isOwner = isPrivate && conversation.owner?.id === state.node.id, isIn = conversation.status === "joined";
  const people = h("ul", { class: "participants", "aria-label": "Participants" }), problem = h("p", { class: "problem", role: "alert" });
  const refresh = () => fill(people, conversation, app, isOwner, problem);
  const sheet = showSheet({
    name: "group", title: foreign("bdi", conversationTitle(state, conversation)), body: [
      h("p", { class: "muted" }, isPrivate
        ? `Private: ${isOwner ? "you say" : "its owner says"} who is in. ${conversation.givesHistory ? "Who joins is given what was written before." : "Who joins is not given what was written before."}`
        : "Open: whoever knows its name joins, and gets the whole history.", foreign("bdi", ` #${conversation.uniqueName}`)),
      h("h3", {}, "Participants"), people, problem, isIn ? notificationLevel(conversation.id, app, problem) : null,
      isOwner && isIn ? ownerPart(conversation, app, problem, refresh) : null,
      h("div", { class: "buttons" },
        isIn && !isOwner ? h("button", { type: "button", class: "danger", onclick: () => app.command("leave") }, "Leave…") : null,
        isOwner && isIn ? h("button", { type: "button", class: "danger", onclick: () => close(conversation, app) }, "Close for all…") : null,
        ["left", "invited"].includes(conversation.status) ? h("button", {
          type: "button", class: "primary",
          onclick: async () => (await attempt(problem, () => app.gathering.decide(conversation.id, "join"))) && sheet.close(),
        }, "Join") : null),
    ],
  });
  refresh();
}

/** @param {HTMLElement} list @param {any} conversation @param {any} app @param {boolean} isOwner @param {HTMLElement} problem */
async function fill(list, conversation, app, isOwner, problem) {
  const words = { joined: "", invited: "invited", left: "has left", removed: "removed", closed: "closed" };
  await attempt(problem, async () => {
    const participants = await app.gathering.participants(conversation.id);
    replace(list, participants.map((/** @type {any} */ each) => {
      const name = partyName(app.state, each), user = app.state.users.get(each.id), isSelf = each.id === app.state.node.id;
      return h("li", {}, avatar({ id: each.id, name: isSelf ? app.state.node.name : name, isOnline: isSelf ? undefined : user?.isOnline ?? false }), foreign("bdi", name, { class: "name" }),
        h("span", { class: "muted" }, [each.role === "owner" ? "owner" : "", words[each.status] ?? each.status].filter(Boolean).join(", ")),
        isOwner && !isSelf ? h("button", {
          type: "button", class: "small", "aria-label": `Remove ${name}`,
          onclick: () => confirmSheet({ title: `Remove ${name}?`, text: "What they have, they keep. What they write from now on counts for nobody.", action: "Remove", isDangerous: true },
            () => app.gathering.remove(conversation.id, each.id)),
        }, "Remove") : null);
    }));
  });
}

/** @param {any} conversation @param {any} app @param {HTMLElement} problem @param {() => void} refresh */
function ownerPart(conversation, app, problem, refresh) {
  const known = new Set(conversation.participants.map((/** @type {any} */ each) => each.id));
  const picker = peoplePicker(app.state, (user) => !known.has(user.id), "Invite");
  const name = h("input", { type: "text", dir: "auto", maxlength: 256, value: conversation.friendlyName ?? "", "aria-label": "What people call it" });
  return h("div", {},
    h("h3", {}, "Invite"), picker.element,
    h("div", { class: "buttons" }, h("button", {
      type: "button", onclick: async () => {
        if (picker.chosen().length > 0 && await attempt(problem, () => app.gathering.invite(conversation.id, picker.chosen()))) refresh();
      },
    }, "Invite")),
    h("h3", {}, "Name"), h("form", {
      class: "inline", onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        attempt(problem, () => app.gathering.rename(conversation.id, name.value));
      },
    }, name, h("button", { type: "submit" }, "Rename")));
}

/** @param {any} conversation @param {any} app */
function close(conversation, app) {
  confirmSheet({ title: "Close this conversation?", text: "It ends for all. What is there stays, and can be read. This cannot be undone.", action: "Close for all", isDangerous: true },
    () => app.gathering.decide(conversation.id, "close"));
}
