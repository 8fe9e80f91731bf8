/** Files that messages bring along, in words. */
import { LIMITS } from "./limits.js";

const UNITS = ["kB", "MB", "GB", "TB"];

/** The pictures that are shown. What may hold scripts, as SVG does, is none of them. */
const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

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

/** All that a draft would send beside its text: whoever sends it must have seen it. @param {any} draft @returns {string[]} */
export function besidesText(draft) {
  const { layout = {}, attachments = [] } = draft;
  const parts = [layout.imageTitle, layout.imageSubtitle, layout.caption, layout.subcaption, layout.url].filter(Boolean);
  return [...parts, ...attachments.map((/** @type {any} */ each) => `${each.name} (${byteText(each.byteCount)})`)];
}

/** Whether a type is one of those that are shown. @param {string} mediaType */
export const isPicture = (mediaType) => PICTURES.includes(mediaType.toLowerCase());

/** The files that a message shows. @param {any} message @returns {any[]} */
export const filesOf = (message) =>
  message.isRetracted || message.isDeleted || message.session?.isSuperseded ? [] : message.attachments ?? [];

/** What a file is called where it is saved, as the node's answer says: it knows names that do nothing in a folder. @param {string?} header */
export function savedName(header) {
  const name = /filename\*=UTF-8''([^;]+)/.exec(header ?? "")?.[1];
  return name ? decodeURIComponent(name) : "file";
}

/** @typedef {readonly {at: number, bytes: number}[]} Samples how far it was, and when: of the last seconds */

/** @param {Samples} samples @param {number} bytes @param {number} at @returns {Samples} */
export function withSample(samples, bytes, at) {
  // It has begun anew.
  if (bytes < (samples.at(-1)?.bytes ?? 0)) return [{ at, bytes }];
  return [...samples.filter((each) => at - each.at <= LIMITS.rateMilliseconds), { at, bytes }].slice(-LIMITS.rateSamples);
}

/** How much of a file has moved, of a hundred: all of it only when all has. @param {number} bytes @param {number} byteCount */
export const percent = (bytes, byteCount) => (byteCount === 0 ? 100 : Math.floor((Math.min(bytes, byteCount) / byteCount) * 100));

/**
 * How far it is, how fast it goes, and how long it takes: `43 %, 12.3 MB/s, 1:05 left`.
 * @param {number} bytes @param {number} byteCount @param {Samples} samples
 */
export function progressText(bytes, byteCount, samples) {
  const share = `${percent(bytes, byteCount)} %`, first = samples[0], last = samples.at(-1);
  const seconds = first && last ? (last.at - first.at) / 1000 : 0, moved = first && last ? last.bytes - first.bytes : 0;
  if (seconds < LIMITS.rateFrom / 1000 || moved <= 0) return share;
  const left = Math.ceil((byteCount - Math.min(bytes, byteCount)) / (moved / seconds));
  return `${share}, ${byteText(Math.round(moved / seconds))}/s, ${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")} left`;
}
