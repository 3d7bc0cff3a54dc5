// The live part of a page: asks again and again while it is seen, opens the nights behind a row on
// demand, and puts the reader back where they were after new standings came in. `data-live` is the
// longest pause between two questions in seconds; at 0 nothing is asked. Where a page says when it
// was updated (`data-contact`), that time follows, or since when nobody answers. Without this script
// the page just stands.
"use strict";

(() => {
  const isLive = (element) => element.matches("[data-live]");
  const LEAST = 0.9; // of the longest pause: pages that came at once do not ask at once
  const PATIENCE_MS = 5000; // then the question is given up: a connection may be dead, and nobody says so
  let open = [];
  let focused = null;
  let coming = null;

  function following() {
    const part = document.querySelector("[data-live]");
    return Number(part?.dataset.live) ? part : null;
  }

  function ask() {
    const part = following();
    if (part && !document.hidden) htmx.trigger(part, "ask");
    else askLater();
  }

  function askLater() {
    clearTimeout(coming);
    const longest = 1000 * (following()?.dataset.live ?? 0);
    if (longest) coming = setTimeout(ask, longest * (LEAST + (1 - LEAST) * Math.random()));
  }

  const reachable = (row) => [...row.querySelectorAll("a, button, summary")];

  function remember() {
    open = [...document.querySelectorAll("[data-live] tr[id] details[open]")].map((one) => one.closest("tr").id);
    const active = document.activeElement;
    const row = active?.closest("[data-live] tr[id], [data-live] .tile") ?? active?.closest("[data-live], #live-title");
    focused = row ? { id: row.id, index: reachable(row).indexOf(active) } : null;
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

  document.addEventListener("htmx:configRequest", (event) => {
    if (isLive(event.detail.elt)) event.detail.timeout = PATIENCE_MS;
  });
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (isLive(event.detail.elt) && document.hidden) event.preventDefault();
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { shouldSwap, target } = event.detail;
    if (!shouldSwap || !isLive(target)) return;
    // What the reader has opened over the page stays; the news comes with the next answer.
    if (document.querySelector("main :popover-open")) event.detail.shouldSwap = false;
    else remember();
  });
  document.addEventListener("htmx:afterSettle", restore);
  document.addEventListener("htmx:afterRequest", askLater);
  document.addEventListener("visibilitychange", () => {
    clearTimeout(coming);
    ask();
  });
  askLater();

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
