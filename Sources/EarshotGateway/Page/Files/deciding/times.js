/** Times as people read them. All take milliseconds since 1970, and the present time where it matters. */
import { LIMITS } from "./limits.js";

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const weekday = new Intl.DateTimeFormat(undefined, { weekday: "long" });
const dayOfYear = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });
const wholeDate = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "long", year: "numeric" });
const shortDate = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const everything = new Intl.DateTimeFormat(undefined, { dateStyle: "long", timeStyle: "medium" });

const DAY = 86_400_000;

/** @param {number} time */
const midnight = (time) => new Date(time).setHours(0, 0, 0, 0);

/** Days between the days of two times, whatever daylight saving does. @param {number} from @param {number} to */
const daysBetween = (from, to) => Math.round((midnight(to) - midnight(from)) / DAY);

/** @param {number} time */
export const timeOfDay = (time) => clock.format(time);

/** @param {number} time */
export const wholeTime = (time) => everything.format(time);

/** The heading of a day. @param {number} time @param {number} now */
export function dayHeading(time, now) {
  const days = daysBetween(time, now);
  if (days === 0) return "Today";
  if (days === 1) return "Yesterday";
  if (days > 1 && days < 7) return weekday.format(time);
  return new Date(time).getFullYear() === new Date(now).getFullYear() ? dayOfYear.format(time) : wholeDate.format(time);
}

/** For a list: the time today, else the day. @param {number} time @param {number} now */
export function shortTime(time, now) {
  const days = daysBetween(time, now);
  if (days <= 0) return clock.format(time);
  if (days < 7) return days === 1 ? "Yesterday" : weekday.format(time).slice(0, 3);
  return shortDate.format(time);
}

/** When somebody was here last. @param {number} time @param {number} now */
export function lastSeen(time, now) {
  const minutes = Math.floor((now - time) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  const days = daysBetween(time, now);
  if (days <= 0) return `at ${clock.format(time)}`;
  if (days === 1) return `yesterday at ${clock.format(time)}`;
  return `on ${wholeDate.format(time)}`;
}

/** Whether two times are on one day. @param {number} a @param {number} b */
export const isSameDay = (a, b) => midnight(a) === midnight(b);

/**
 * Whether a message of somebody else came much later than it was written.
 * @param {{timestampMilliseconds: number, receivedAtMilliseconds?: number}} message
 */
export const isLate = (message) =>
  message.receivedAtMilliseconds !== undefined &&
  message.receivedAtMilliseconds - message.timestampMilliseconds >= LIMITS.lateMilliseconds;
