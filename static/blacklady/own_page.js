// The page of one person on a device without a signal: it says when it was last seen, and that an
// answer was not sent. The service worker keeps the page, and marks the copy with its time.
"use strict";

(() => {
  const place = document.getElementById("own-page");
  if (!place || !window.isSecureContext || !navigator.serviceWorker) return;

  const NOT_SENT = "#not-sent";
  const keptAt = Number(place.dataset.keptAt);
  const lang = document.documentElement.lang;

  function say(id, text) {
    const note = document.getElementById(id) ?? document.createElement("p");
    note.id = id;
    note.className = "note warn";
    note.textContent = text;
    place.append(note);
  }

  function timeOf(moment) {
    const isToday = moment.toDateString() === new Date().toDateString();
    const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
    const format = isToday ? clock : { ...clock, day: "numeric", month: "short" };
    return moment.toLocaleString(lang, format);
  }

  const sayNotSent = () => say("own-not-sent", place.dataset.notSent);

  if (keptAt) say("own-as-of", place.dataset.asOf.replace("{time}", timeOf(new Date(keptAt))));
  if (location.hash === NOT_SENT) {
    sayNotSent();
    history.replaceState(null, "", location.pathname + location.search);
  }

  // Before once.js, which would take the button for pressed.
  document.addEventListener("submit", (event) => {
    if (navigator.onLine) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    sayNotSent();
    place.scrollIntoView({ block: "nearest" });
  }, true);

  // What was not sent has to be read before the page is a new one.
  addEventListener("online", () => {
    if (keptAt && !document.getElementById("own-not-sent")) location.reload();
  });

  async function keepPage() {
    const container = navigator.serviceWorker;
    await container.register(place.dataset.worker);
    const worker = (await container.ready).active;
    // The worker keeps what it fetches: of this page it knows nothing yet.
    if (!container.controller && navigator.onLine && !keptAt) {
      worker.postMessage({ tidy: [location.origin + location.pathname] });
    }
  }

  navigator.serviceWorker.addEventListener("message", () => { place.dataset.kept = "yes"; });
  keepPage().catch(() => {}); // a private window has no place to keep anything
})();
