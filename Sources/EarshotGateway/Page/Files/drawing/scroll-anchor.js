/**
 * Keeps what somebody reads where it is, while things come and go above it and below it.
 */

/** How near to the end counts as being there, in pixels. */
const NEAR_END = 40;

/** @param {HTMLElement} scroller */
export const isAtEnd = (scroller) => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight <= NEAR_END;

/**
 * Runs a change of what is in a scroller. If it was at its end it is so afterwards; else the first element that was in
 * sight, and still is there, stays where it was.
 * @param {HTMLElement} scroller @param {Element} list @param {() => void} change @param {{toEnd: boolean}} options
 */
export function keepingPlace(scroller, list, change, { toEnd }) {
  const top = scroller.getBoundingClientRect().top;
  const inSight = toEnd ? [] : elementsInSight(scroller, list, top);
  change();
  if (toEnd) {
    scroller.scrollTop = scroller.scrollHeight;
    return;
  }
  const anchor = inSight.find(({ element }) => element.isConnected);
  if (!anchor) return;
  const moved = anchor.element.getBoundingClientRect().top - top - anchor.offset;
  if (moved !== 0) scroller.scrollTop += moved;
}

/** @param {HTMLElement} scroller @param {Element} list @param {number} top */
function elementsInSight(scroller, list, top) {
  const result = [], end = top + scroller.clientHeight;
  for (const element of list.children) {
    const box = element.getBoundingClientRect();
    if (box.top >= end) break;
    // A heading of a day is made anew when a page comes before it.
    if (box.bottom > top && element.classList.contains("message")) result.push({ element, offset: box.top - top });
  }
  return result;
}
