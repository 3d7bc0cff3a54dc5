// The live part of a page: asks only while it is seen, opens the nights behind a row on demand, and
// puts the reader back where they were after new standings came in. Where a page says when it was
// updated (`data-contact`), that time follows, or since when nobody answers. Without it the page
// just stands.
"use strict";

(() => {
  const isLive = (element) => element.matches("[data-live]");
  let open = [];
  let focused = null;

  const reachable = (row) => [...row.querySelectorAll("a, summary")];

  function remember() {
    open = [...document.querySelectorAll("[data-live] details[open]")].map((one) => one.closest("tr").id);
    const row = document.activeElement?.closest("[data-live] tr[id], [data-live] .tile");
    focused = row ? { id: row.id, index: reachable(row).indexOf(document.activeElement) } : null;
  }

  function restore() {
    for (const id of open) {
      const details = document.getElementById(id)?.querySelector("details");
      if (details) details.open = true;
    }
    const row = focused && document.getElementById(focused.id);
    if (row) reachable(row)[focused.index]?.focus({ preventScroll: true });
    open = [];
    focused = null;
  }

  function showNights(details) {
    const place = details.querySelector(".nights");
    if (!place || place.dataset.asked) return;
    place.dataset.asked = "yes";
    htmx.ajax("GET", details.dataset.nights, { target: place, swap: "afterbegin" });
  }

  document.addEventListener("htmx:beforeRequest", (event) => {
    if (isLive(event.detail.elt) && document.hidden) event.preventDefault();
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.shouldSwap && isLive(event.detail.target)) remember();
  });
  document.addEventListener("htmx:afterSettle", restore);

  let heard = null;
  function say(answered, at) {
    const line = document.querySelector("[data-contact]");
    if (!line) return;
    // The server's clock: this one may be a day off.
    if (answered) heard = at ? new Date(at) : new Date();
    const { zone, updated, lost } = line.dataset;
    const parts = { timeZone: zone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
    const time = heard ? heard.toLocaleTimeString([], parts) : line.dataset.first;
    line.setAttribute("aria-live", answered ? "off" : "polite");
    const text = `${answered ? updated : lost} ${time}`;
    if (line.textContent !== text) line.textContent = text;
  }
  document.addEventListener("htmx:afterRequest", (event) => {
    const { elt, successful, xhr } = event.detail;
    if (isLive(elt)) say(successful || xhr.status === 304, xhr.getResponseHeader("Date"));
  });
  document.addEventListener(
    "toggle",
    (event) => {
      if (event.target.open && event.target.dataset.nights) showNights(event.target);
    },
    true,
  );
})();
