/** Files that messages bring along, in words. */

const UNITS = ["kB", "MB", "GB", "TB"];

/** A size in decimal units, in three digits: `17 bytes`, `2.90 MB`. @param {number} count */
export function byteText(count) {
  if (count < 1000) return count === 1 ? "1 byte" : `${count} bytes`;
  let [value, unit] = [count / 1000, 0];
  while (value >= 999.5 && unit + 1 < UNITS.length) [value, unit] = [value / 1000, unit + 1];
  return `${value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0)} ${UNITS[unit]}`;
}

/** What stands for a message's files where there is one line for it. @param {any} message */
export function fileNames(message) {
  return (message.attachments ?? []).map((/** @type {any} */ each) => each.name).join(", ");
}
