// The outbox of a phone: hands as they were typed, kept in IndexedDB until the server has answered,
// each sent under a key of its own. The page and the service worker both read this file, so a hand
// goes the same way from either. The answers are those of tournaments/views/hands/phone_queue.py.
"use strict";

self.outbox = (() => {
  const DATABASE = "blacklady";
  const STORE = "hands";
  const DRAFTS = "drafts";
  const LOCK = "blacklady-outbox";
  const PATIENCE_MS = 15000;
  const FIRST_PAUSE_S = 5;
  const LONGEST_PAUSE_S = 60;
  const KEPT_MS = 24 * 3600 * 1000;
  const DRAFT_KEPT_MS = 7 * KEPT_MS;
  // What a hand may be: waiting (also: tried again), settled one way or the other, or in need of a person.
  const WAITING = ["waiting", "stopped"];
  const ASKING = ["asked", "question", "refused"];
  const SETTLED = ["sent", "there", "mended", "left"];
  const news = new BroadcastChannel(LOCK);
  const listeners = [];
  let opened = null;
  let failures = 0;

  function open() {
    opened ??= new Promise((resolve, reject) => {
      const asked = indexedDB.open(DATABASE, 2);
      asked.onupgradeneeded = ({ oldVersion }) => {
        if (oldVersion < 1) {
          const store = asked.result.createObjectStore(STORE, { keyPath: "id", autoIncrement: true });
          store.createIndex("key", "key", { unique: true });
        }
        asked.result.createObjectStore(DRAFTS, { keyPath: "id" });
      };
      asked.onsuccess = () => {
        asked.result.onclose = () => (opened = null);
        asked.result.onversionchange = () => {
          asked.result.close();
          opened = null;
        };
        resolve(asked.result);
      };
      asked.onerror = () => {
        opened = null;
        reject(asked.error);
      };
    });
    return opened;
  }

  // One transaction; it resolves when what it wrote is on the disk, so a killed browser keeps it.
  async function run(mode, act, name = STORE) {
    const database = await open();
    return new Promise((resolve, reject) => {
      const durability = name === STORE ? "strict" : "relaxed";
      const work = database.transaction(name, mode, { durability });
      let result;
      work.oncomplete = () => resolve(result);
      work.onabort = () => reject(work.error);
      act(work.objectStore(name), (value) => (result = value));
    });
  }

  const tell = () => {
    news.postMessage("changed");
    listeners.forEach((listener) => listener());
  };
  news.onmessage = () => listeners.forEach((listener) => listener());

  const all = () =>
    run("readonly", (store, give) => {
      const found = store.getAll();
      found.onsuccess = () => give(found.result);
    });

  // A key that is there already is the same tap twice: its hand stays as it was kept first.
  async function add(hand) {
    const id = await run("readwrite", (store, give) => {
      const there = store.index("key").getKey(hand.key);
      there.onsuccess = () => {
        if (there.result !== undefined) return give(there.result);
        const added = store.add({ ...hand, state: "waiting", typed: Date.now(), told: null, reason: "", to: "" });
        added.onsuccess = () => give(added.result);
      };
    });
    tell();
    return id;
  }

  // Change a hand only if it is still what the caller saw; whether it was.
  async function change(id, seen, patch) {
    const done = await run("readwrite", (store, give) => {
      const found = store.get(id);
      found.onsuccess = () => {
        const hand = found.result;
        const is_same = hand && hand.key === seen.key && seen.states.includes(hand.state);
        give(Boolean(is_same));
        if (is_same) store.put({ ...hand, ...patch });
      };
    });
    tell();
    return done;
  }

  const one = async (id) => (await all()).find((hand) => hand.id === id);
  const isSame = (hand, other) => hand.table === other.table && hand.number === other.number;

  // A hand that went in settles what was typed for it before and could not be.
  async function settleBefore(sent) {
    for (const hand of await all()) {
      if (hand.id < sent.id && isSame(hand, sent) && ASKING.includes(hand.state)) {
        await change(hand.id, { key: hand.key, states: ASKING }, { state: "mended", told: Date.now() });
      }
    }
  }

  // Sent hands are shown for a day; what was never sent is never dropped.
  async function sweep(all_settled = false) {
    const before = Date.now() - KEPT_MS;
    await run("readwrite", (store) => {
      const cursor = store.openCursor();
      cursor.onsuccess = () => {
        const at = cursor.result;
        if (!at) return;
        const is_done = ["sent", "there", "mended"].includes(at.value.state);
        if (is_done && (all_settled || at.value.told < before)) at.delete();
        at.continue();
      };
    });
    if (all_settled) tell();
  }

  // Hands that were undone, by their keys: this device neither sends nor counts them any more.
  const forget = (keys) =>
    run("readwrite", (store) => {
      const cursor = store.openCursor();
      cursor.onsuccess = () => {
        const at = cursor.result;
        if (!at) return;
        if (keys.includes(at.value.key)) at.delete();
        at.continue();
      };
    });

  // --- What is being entered and not saved yet: one for each form, of one person at one table -----

  const draft = (id) =>
    run("readonly", (store, give) => {
      const found = store.get(id);
      found.onsuccess = () => give(found.result);
    }, DRAFTS);
  const keepDraft = (id, fields) => run("readwrite", (store) => store.put({ id, fields, typed: Date.now() }), DRAFTS);

  // Those whose name begins so; all of them where nothing is given.
  const dropDrafts = (begin = "") =>
    run("readwrite", (store) => {
      const cursor = store.openCursor();
      cursor.onsuccess = () => {
        const at = cursor.result;
        if (!at) return;
        const is_old = at.value.typed < Date.now() - DRAFT_KEPT_MS;
        if (at.value.id.startsWith(begin) || is_old) at.delete();
        at.continue();
      };
    }, DRAFTS);

  async function ask(address, options) {
    try {
      return await fetch(address, {
        ...options,
        redirect: "manual",
        credentials: "same-origin",
        cache: "no-store",
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
    } catch {
      return null; // no signal, or none to speak of
    }
  }

  const answerOf = async (response) => {
    const is_ours = response?.headers.get("Content-Type")?.startsWith("application/json");
    return is_ours ? response.json().catch(() => null) : null;
  };

  // A fresh token for the form, where the one of the page is too old; null without contact.
  async function ready(address) {
    const response = await ask(address, { headers: { "X-Outbox": "?" } });
    return response && ((await answerOf(response)) ?? { state: "away", status: response.status });
  }

  async function post(hand, token, is_seen) {
    const body = new URLSearchParams(hand.fields);
    body.set("csrfmiddlewaretoken", token);
    const owner = is_seen ? hand.owner : `later ${hand.owner}`;
    return ask(hand.action, { method: "POST", body, headers: { "X-Outbox": owner } });
  }

  // What is no answer to a hand: one that is not the site's, as of a hotel's network that asks to sign in or of
  // a proxy that takes no such thing; a site that is away or busy; a hand that did not arrive in time.
  const isNone = (response) =>
    response.ok || !response.headers.has("X-Request-ID") || response.type === "opaqueredirect" || response.status >= 500 || [408, 425, 429].includes(response.status);

  // What became of one hand: an answer, or {again} where there was none. A token may be used up.
  async function send(hand, tokens, is_seen) {
    for (const is_second of [false, true]) {
      if (!tokens.csrf || is_second) {
        const way = await ready(hand.home);
        if (way?.state === "stopped") return way;
        if (way?.state !== "ready") return { again: 0 };
        tokens.csrf = way.csrf;
      }
      const response = await post(hand, tokens.csrf, is_seen);
      if (!response) return { again: 0 };
      const answer = await answerOf(response);
      if (answer?.state) return answer;
      if (response.status === 403 && !is_second) continue;
      if (isNone(response)) {
        return { again: Number(response.headers.get("Retry-After")) || 0 };
      }
      return { state: "refused", reason: "", status: response.status };
    }
    return { again: 0 };
  }

  // Send what waits, in the order it was typed. One page or worker at a time; whoever comes second
  // finds the work done. `seen` is the hand whose page somebody is looking at.
  function flush({ csrf = "", seen = null } = {}) {
    return navigator.locks.request(LOCK, async () => {
      const tokens = { csrf };
      for (const hand of (await all()).filter((found) => WAITING.includes(found.state))) {
        const answer = await send(hand, tokens, hand.id === seen);
        if (answer.again !== undefined) {
          failures += 1;
          const pause = Math.min(FIRST_PAUSE_S * 2 ** (failures - 1), LONGEST_PAUSE_S);
          tell();
          return { contact: false, pause_s: Math.max(pause, answer.again) };
        }
        failures = 0;
        const { state, reason = "", to = "", way = "" } = answer;
        // A hand that was changed meanwhile has another key, and its turn comes.
        const patch = { state, reason, to, way, told: Date.now() };
        const is_told = await change(hand.id, { key: hand.key, states: WAITING }, patch);
        if (is_told && ["sent", "there"].includes(state)) await settleBefore(hand);
      }
      await sweep();
      return { contact: true, pause_s: 0 };
    });
  }

  return {
    WAITING, ASKING, SETTLED,
    add, all, change, draft, dropDrafts, flush, forget, keepDraft, one, ready, sweep,
    onChange: (listener) => listeners.push(listener),
  };
})();
