/**
 * What the page keeps: drafts for this tab alone, the session and choices of the person for this browser.
 *
 * A browser may forbid storing. Then the page works all the same, and forgets.
 */
import { LIMITS } from "../deciding/limits.js";

const SESSION = "session", DRAFTS = "earshot.drafts", CHOICES = "earshot.choices";

/** @param {() => Storage} storage @param {string} key */
function read(storage, key) {
  try {
    return storage().getItem(key);
  } catch (error) {
    console.info("the browser keeps nothing for this page", error);
    return null;
  }
}

/** @param {() => Storage} storage @param {string} key @param {string|null} value */
function write(storage, key, value) {
  try {
    if (value === null) storage().removeItem(key);
    else storage().setItem(key, value);
  } catch (error) {
    console.info("the browser keeps nothing for this page", error);
  }
}

/** @param {string|null} text @returns {any} */
function parsed(text) {
  try {
    return JSON.parse(text ?? "{}");
  } catch (error) {
    console.info("what the page had kept cannot be read", error);
    return {};
  }
}

const tab = () => sessionStorage, browser = () => localStorage;

/** The place for what is no text. @returns {Promise<IDBDatabase>} */
const database = () => new Promise((resolve, reject) => {
  const request = indexedDB.open("earshot", 1);
  request.onupgradeneeded = () => request.result.createObjectStore(SESSION);
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

/** @param {IDBTransactionMode} mode @param {(store: IDBObjectStore) => IDBRequest} work @returns {Promise<any>} */
async function inDatabase(mode, work) {
  try {
    const opened = await database();
    try {
      return await new Promise((resolve, reject) => {
        const transaction = opened.transaction(SESSION, mode), request = work(transaction.objectStore(SESSION));
        transaction.oncomplete = () => resolve(request.result);
        transaction.onabort = () => reject(transaction.error);
      });
    } finally {
      opened.close();
    }
  } catch (error) {
    console.info("the browser keeps nothing for this page", error);
    return null;
  }
}

/** A key can be kept so, though nobody can read it. @returns {Promise<{id: string, key: CryptoKey}|null>} */
export const readSession = async () => (await inDatabase("readonly", (store) => store.get(SESSION))) ?? null;
/** @param {{id: string, key: CryptoKey}|null} session */
export const writeSession = (session) => inDatabase("readwrite", (store) => (session ? store.put(session, SESSION) : store.delete(SESSION)));

/** @returns {{theme: string, sendsWithEnter: boolean, notifies: boolean}} */
export const readChoices = () => ({ theme: "auto", sendsWithEnter: true, notifies: false, ...parsed(read(browser, CHOICES)) });
/** @param {any} choices */
export const writeChoices = (choices) => write(browser, CHOICES, JSON.stringify(choices));

/**
 * Texts that are not sent yet, each with the dialog that it is for, what it answers or changes, and the key under which
 * it is sent once however often that is tried.
 */
export class Drafts {
  /** @type {Map<string, {text: string, replyTo?: any, edit?: any, key?: string}>} */
  #drafts = new Map(Object.entries(parsed(read(tab, DRAFTS))));

  /** @param {string} dialog */
  get(dialog) { return this.#drafts.get(dialog) ?? { text: "" }; }

  /** @param {string} dialog */
  has(dialog) { return this.get(dialog).text.trim() !== ""; }

  /** @param {string} dialog @param {any} draft */
  set(dialog, draft) {
    this.#drafts.delete(dialog);
    if (draft.text !== "" || draft.replyTo || draft.edit || draft.key) this.#drafts.set(dialog, draft);
    for (const oldest of this.#drafts.keys()) {
      if (this.#drafts.size <= LIMITS.drafts) break;
      this.#drafts.delete(oldest);
    }
    write(tab, DRAFTS, JSON.stringify(Object.fromEntries(this.#drafts)));
  }
}
