// The service worker: the host's page opens without a signal, and what waits is sent when there is
// one. It keeps the files that the page is made of, the page of each table that somebody enters hands
// at, the table's sheet and the attendance of an evening, the page of a personal link and *Me* (as the answer's
// header allows), and nothing else of anybody's.
"use strict";

const site = {{ site|safe }};
const FILES = `blacklady-files-${site.version}`;
const PAGES = "blacklady-pages";
const OWN = "blacklady-own";
const PATIENCE_MS = 4000;
const LONGEST_MS = 7 * 24 * 3600 * 1000;
const KEPT_AT = "X-Kept-At";
// On every answer of the site to a page. A network that one signs in to and a proxy in between answer without it.
const OURS = "X-Request-ID";

importScripts(site.store);

self.addEventListener("install", (event) => {
  event.waitUntil(Promise.all([...site.files, site.page].map(keepFile)).then(() => self.skipWaiting()));
});

async function keepFile(url) {
  const response = await fetch(url, { cache: "reload" });
  if (!(url === site.page ? response.ok && response.headers.has(OURS) : isFile(response))) throw new Error(`${url} did not come`);
  await (await caches.open(FILES)).put(url, response);
}

self.addEventListener("activate", (event) => {
  const drop = async () => {
    for (const name of await caches.keys()) {
      if (name.startsWith("blacklady-") && ![FILES, PAGES, OWN].includes(name)) await caches.delete(name);
    }
    await self.clients.claim();
  };
  event.waitUntil(drop());
});

// The page where a table's hands are entered, and the table's sheet; the second belongs to the first.
const DESK = /\/tables\/[^/]+\/hands\/new$/;
const isDesk = (url) => DESK.test(url.pathname);
const isSheet = (url) => /\/events\/[^/]+\/tables\/[^/]+$/.test(url.pathname);
const isAttendance = (url) => /\/meetings\/[^/]+\/attendance$/.test(url.pathname);
// The pages of one person: that of a personal link, and *Me*.
const PERSON = /^\/my\/(?!confirm\/)[^/]+/;
const isOwn = (url) => url.pathname === site.me || PERSON.exec(url.pathname)?.[0] === url.pathname;
const isKeepable = (url) => isDesk(url) || isSheet(url) || isAttendance(url) || isOwn(url);
const cacheOf = (url) => caches.open(isOwn(url) ? OWN : PAGES);
const sheetOf = (url) => new URL(url.href.replace(/\/hands\/new$/, ""));
const withoutQuery = (url) => url.origin + url.pathname;

// Whether the site itself answered. A redirect does not say who sent it: then the way to the table is asked for.
async function isOurs(url, response) {
  if (response.type !== "opaqueredirect") return response.headers.has(OURS);
  const desk = isDesk(url) || isAttendance(url) ? withoutQuery(url) : `${withoutQuery(url)}/hands/new`;
  try {
    const asked = await fetch(desk, { headers: { "X-Outbox": "?" }, redirect: "manual", cache: "no-store" });
    return asked.headers.has(OURS);
  } catch {
    return false;
  }
}

const isFile = (response) => response.ok && !response.headers.get("Content-Type")?.startsWith("text/html");

// Keep a table's page as long as the site's answer says so; any other answer of the site drops it.
async function keep(url, response) {
  if (url.search) return;
  const pages = await cacheOf(url);
  if (response.ok && response.headers.has(site.keep)) return pages.put(withoutQuery(url), dated(response));
  if (await isOurs(url, response)) await pages.delete(withoutQuery(url));
}

// The age of a kept page is counted by one clock, this device's: it may differ from the server's by days.
async function kept(url) {
  const found = await (await cacheOf(url)).match(withoutQuery(url));
  const is_old = found && Date.now() - Number(found.headers.get(KEPT_AT)) > LONGEST_MS;
  if (!found || is_old) return undefined;
  return isOwn(url) ? marked(found) : found;
}

// A page of a person says that it is a copy, and of when.
async function marked(response) {
  const text = await response.text();
  const at = `id="own-page" data-kept-at="${Number(response.headers.get(KEPT_AT))}"`;
  return new Response(text.replace('id="own-page"', at), { status: response.status, headers: response.headers });
}

function dated(response) {
  const headers = new Headers(response.headers);
  headers.set(KEPT_AT, Date.now());
  return new Response(response.body, { status: response.status, headers });
}

const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// The answer, or what is kept where there is none. A signal that is hardly one counts as none
// after a while: the page that is here is better than no page.
async function patiently(asked, find) {
  asked.catch(() => {});
  try {
    return await Promise.race([asked, later(PATIENCE_MS).then(async () => (await find()) ?? asked)]);
  } catch (away) {
    const found = await find();
    if (found) return found;
    throw away;
  }
}

// A desk that is kept brings the sheet so far along: hands were sent since it was kept.
async function keepBoth(url, response) {
  await keep(url, response);
  if (isDesk(url) && !url.search && response.ok) await keepFresh(sheetOf(url));
}

async function keepFresh(url) {
  const response = await fetch(url, { redirect: "manual", cache: "no-store" });
  if (response.status < 500) await keep(url, response);
}

function keepable(event, url) {
  const asked = fetch(event.request).then(async (response) => {
    // Where something else answers in the site's place, the page that is here is better.
    if ((await kept(url)) && !(await isOurs(url, response))) throw new Error("not the site");
    if (response.status < 500) event.waitUntil(keepBoth(url, response.clone()).catch(() => {}));
    return response;
  });
  return patiently(asked, () => kept(url)).catch(() => caches.match(site.page));
}

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (url.origin !== self.location.origin) return;
  if (event.request.method === "POST" && url.pathname === site.signing_out) {
    event.waitUntil(forget());
  } else if (event.request.method === "POST" && url.pathname === site.entrance) {
    const asked = fetch(event.request); // a table was left, or another one opened
    event.respondWith(asked);
    event.waitUntil(asked.then(() => tidy([])).catch(() => {}));
  } else if (event.request.method === "POST" && event.request.mode === "navigate") {
    answered(event, url);
  } else if (event.request.method !== "GET") {
    return;
  } else if (event.request.mode === "navigate") {
    if (isKeepable(url)) event.respondWith(keepable(event, url));
    else event.respondWith(fetch(event.request).catch(() => caches.match(site.page)));
  } else if (site.files.includes(url.pathname)) {
    const find = () => caches.match(url.href);
    const asked = fetch(event.request).then(async (response) => (isFile(response) ? response : ((await find()) ?? response)));
    event.respondWith(patiently(asked, find));
  }
});

// An answer that a person sends from their own page and that does not arrive: the page says so. Whoever signs
// in may be somebody else: what was kept of *Me* goes.
function answered(event, url) {
  const isFromMe = event.request.referrer === url.origin + site.me;
  const page = PERSON.exec(url.pathname)?.[0] ?? (isFromMe ? site.me : undefined);
  if (url.pathname.startsWith(site.accounts)) {
    event.waitUntil(caches.open(OWN).then((own) => own.delete(site.me)));
  } else if (page) {
    event.respondWith(fetch(event.request).catch(() => Response.redirect(`${page}#not-sent`, 303)));
  }
}

// Whoever signs out leaves no page behind, and no hand but those that still wait to be sent.
async function forget() {
  await caches.delete(PAGES);
  await caches.delete(OWN);
  await self.outbox.sweep(true);
  await self.outbox.dropDrafts();
}

// Ask for the kept pages again: a link that was revoked or a round that closed takes its page along.
async function tidy(addresses) {
  const there = [];
  for (const name of [PAGES, OWN]) {
    const pages = await caches.open(name);
    there.push(...(await pages.keys()).map((request) => request.url));
  }
  for (const address of new Set([...there, ...addresses])) {
    try {
      await keepFresh(new URL(address));
    } catch {
      return; // no signal: what is here stays
    }
  }
}

self.addEventListener("message", (event) => {
  const own = (address) => typeof address === "string" && address.startsWith(`${self.location.origin}/`);
  if (event.origin === self.location.origin && Array.isArray(event.data?.tidy) && event.data.tidy.every(own)) {
    const answer = () => event.source?.postMessage({ tidied: true });
    event.waitUntil(tidy(event.data.tidy).then(answer));
  }
});

self.addEventListener("sync", (event) => {
  if (event.tag !== "hands") return;
  const send = self.outbox.flush().then((done) => {
    if (!done.contact) throw new Error("no contact"); // the browser tries again later
  });
  event.waitUntil(send);
});
