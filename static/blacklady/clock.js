// Counts a round's clock down, by the server's time: this device's clock may be wrong. Without it
// the page shows the full minutes that were left when it was made. Where nothing else renews the
// clock (`data-from`), it is asked for again, for a round may be given more time.
"use strict";

(() => {
  const WARNING = 5 * 60;
  const ASKED_EVERY_MS = 30 * 1000;
  const offsets = new WeakMap();

  function put(element, text) {
    if (element.textContent !== text) element.textContent = text;
  }

  function show(clock) {
    const { ends, now, running, soon, over, since } = clock.dataset;
    if (!offsets.has(clock)) offsets.set(clock, Date.parse(now) - Date.now());
    const left = Math.ceil((Date.parse(ends) - Date.now() - offsets.get(clock)) / 1000);
    const [figure, words] = clock.children;
    clock.classList.toggle("over", left <= 0);
    clock.classList.toggle("soon", left > 0 && left <= WARNING);
    if (left <= 0) {
      put(figure, over);
      put(words, since);
      return;
    }
    put(figure, `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`);
    put(words, left <= WARNING ? soon : running);
  }

  const showAll = () => document.querySelectorAll("[data-clock]").forEach(show);
  showAll();
  setInterval(showAll, 1000);

  async function renew(clock) {
    const asked = { headers: { "HX-Request": "true" }, cache: "no-store" };
    const response = await fetch(clock.dataset.from, asked);
    if (!response.ok || response.redirected) return;
    const part = new DOMParser().parseFromString(await response.text(), "text/html");
    clock.replaceWith(...part.querySelectorAll("[role=timer]")); // none once the round is over
    showAll();
  }

  function renewAll() {
    if (document.hidden) return;
    for (const clock of document.querySelectorAll("[data-clock][data-from]")) renew(clock).catch(() => {});
  }
  setInterval(renewAll, ASKED_EVERY_MS);
  document.addEventListener("visibilitychange", renewAll);
})();
