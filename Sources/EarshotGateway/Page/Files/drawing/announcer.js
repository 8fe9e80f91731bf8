/** Says things to those who hear the page instead of seeing it. */
import { setText } from "./dom.js";

/**
 * @param {string} text
 * @param {{isUrgent?: boolean}} [options]
 */
export function announce(text, { isUrgent = false } = {}) {
  const region = document.getElementById(isUrgent ? "urgent" : "polite");
  if (!region) return;
  // The same text again is news, too.
  setText(region, region.textContent === text ? `${text}\u00a0` : text);
}
