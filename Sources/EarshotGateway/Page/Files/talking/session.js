/**
 * This browser's session with the node, which all of its tabs share.
 *
 * It is a key that no script can read. Each request proves it, and each answer is proved, too, over what is asked for and over what
 * both ends have drawn (SessionProof.swift). Nothing is asked of whoever has not proved to be the node since it was lost.
 */
import { LIMITS } from "../deciding/limits.js";
import { ApiError, refusalOf } from "./api-error.js";
import { answer, complete } from "./asking.js";
import { readSession, writeSession } from "./tab-storage.js";

const HMAC = { name: "HMAC", hash: "SHA-256" };

/** @param {Uint8Array} bytes @returns {Promise<CryptoKey>} a key that cannot be read any more */
const imported = (bytes) => crypto.subtle.importKey("raw", /** @type {any} */ (bytes), HMAC, false, ["sign"]);

const drawn = () => hex(crypto.getRandomValues(new Uint8Array(16)));

/** @param {Uint8Array} bytes */
const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * @param {CryptoKey} key @param {string} role
 * @param {{nonce?: string, cnonce: string, method?: string, target?: string}} about
 * @returns {Promise<Uint8Array>}
 */
async function proof(key, role, { nonce = "", cnonce, method = "", target = "" }) {
  const text = ["earshot page 1", role, location.port, nonce, cnonce, method, target].join("\n");
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text)));
}

const unproved = () => new ApiError(
  "unproved", "What answers here cannot prove that it is your node, so nothing is sent to it. Either another program has this port, or this login was ended.", 0);

export class Session {
  #key;
  /** The nonce of the node that has proved itself; or what waits for that. @type {Promise<string>|null} */
  #nonce = null;

  /** @param {string} id @param {CryptoKey} key */
  constructor(id, key) {
    this.id = id;
    this.#key = key;
  }

  /** What this browser has kept. @returns {Promise<Session|null>} */
  static async kept() {
    const found = await readSession();
    return found && new Session(found.id, found.key);
  }

  /**
   * Turns the one-time login of the address into a session of this browser. The login itself is not sent.
   * @param {string} login
   */
  static async enter(login) {
    const [id, secret = ""] = login.split(".");
    const key = await imported(new TextEncoder().encode(secret)), cnonce = drawn();
    const body = JSON.stringify({ login: id, cnonce, proof: hex(await proof(key, "login", { cnonce })) });
    const response = await answer("/v1/login", {
      method: "POST", headers: { "content-type": "application/json" }, body, cache: "no-store",
      signal: AbortSignal.timeout(LIMITS.requestMilliseconds),
    });
    if (!response.ok) throw refusalOf(response.status, await response.text().catch(() => ""));
    const made = await complete(response), about = { nonce: String(made.session), cnonce };
    if (made.proof !== hex(await proof(key, "session", about))) throw unproved();
    const session = { id: made.session, key: await imported(await proof(key, "key", about)) };
    await writeSession(session);
    return new Session(session.id, session.key);
  }

  /** This browser forgets it. */
  forget() { return writeSession(null); }

  /** Whoever answers next has to prove again that it is the node. */
  doubt() { this.#nonce = null; }

  /**
   * How something is asked for so that it proves the session, and what tells whether the answer is the node's.
   * @param {string} method @param {string} url
   * @returns {Promise<{headers: Record<string, string>, check: (info: string|null) => Promise<void>}>}
   */
  async request(method, url) {
    const nonce = await this.#greeted(), { pathname, search } = new URL(url, location.href);
    const about = { nonce, cnonce: drawn(), method, target: pathname + search };
    const [shown, expected] = await Promise.all(["request", "answer"].map((role) => proof(this.#key, role, about)));
    const authorization = `Earshot-Session session="${this.id}", nonce="${nonce}", cnonce="${about.cnonce}", proof="${hex(shown)}"`;
    return {
      headers: { authorization },
      check: async (info) => {
        if (info === `proof="${hex(expected)}"`) return;
        this.doubt();
        throw unproved();
      },
    };
  }

  /** Lets the node prove itself, if it has not since it was lost. @returns {Promise<string>} its nonce */
  #greeted() {
    if (this.#nonce === null) {
      const greeting = this.#greet();
      this.#nonce = greeting;
      greeting.catch(() => { if (this.#nonce === greeting) this.doubt(); });
    }
    return this.#nonce;
  }

  async #greet() {
    const cnonce = drawn();
    const response = await answer(`/v1/session?${new URLSearchParams({ session: this.id, cnonce })}`, {
      cache: "no-store", signal: AbortSignal.timeout(LIMITS.requestMilliseconds),
    });
    if (!response.ok) throw unproved();
    const { nonce, proof: shown } = await complete(response);
    if (shown !== hex(await proof(this.#key, "greeting", { nonce: String(nonce), cnonce }))) throw unproved();
    return String(nonce);
  }
}
