/** What the fragment of the address says: a login, which is used once, or what is open. */

/**
 * @param {string} fragment with or without its #
 * @returns {{login?: string, open?: string}}
 */
export function readFragment(fragment) {
  const text = fragment.replace(/^#/, "");
  const login = /^login=([A-Za-z0-9._~-]{8,256})$/.exec(text);
  if (login) return { login: login[1] };
  const open = /^((?:user:)?[0-9a-z]{52})$/.exec(text);
  return open ? { open: open[1] } : {};
}

/** @param {string|null} key */
export const fragmentOf = (key) => (key ? `#${key}` : "#");
