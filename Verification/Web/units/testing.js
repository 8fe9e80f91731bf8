/** The least that a test needs: a name that states a rule, and a comparison. */

/** @type {{name: string, body: () => void|Promise<void>}[]} */
const tests = [];

/** @param {string} name @param {() => void|Promise<void>} body */
export const test = (name, body) => tests.push({ name, body });

/** @param {any} value */
function plain(value) {
  if (value instanceof Map) return [...value].map(plain);
  if (value instanceof Set) return [...value];
  if (Array.isArray(value)) return value.map(plain);
  return value;
}

/** @param {any} found @param {any} wanted */
export function equal(found, wanted) {
  const [a, b] = [JSON.stringify(plain(found)), JSON.stringify(plain(wanted))];
  if (a !== b) throw new Error(`${a} is not ${b}`);
}

/** What each test found; no problem means that its rule holds. */
export async function run() {
  const results = [];
  for (const { name, body } of tests) {
    let problem = "";
    try {
      await body();
    } catch (error) {
      problem = String(error.message ?? error) || "failed";
    }
    results.push({ name, problem });
  }
  return results;
}
