/** How what is drawn says what a person wants: it travels up to whoever acts (acting/commands.js). */

/** @param {EventTarget|null} from @param {string} name @param {any} [subject] */
export function command(from, name, subject) {
  (from ?? document.body).dispatchEvent(new CustomEvent("command", { bubbles: true, detail: { name, subject } }));
}
