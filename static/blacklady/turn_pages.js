// Turns the pages of the big screen. It waits while somebody moves the pointer over them or has the
// focus in them, where the reader asked for less motion, and on a page that was chosen. Without it
// the links in the head lead to the pages. Pages of the standings are turned by the server, which
// sends the same one again while they wait.
"use strict";

(() => {
  const EVERY_MS = 8000;
  const POINTER_MS = 30000; // a pointer that lies still does not stop a screen on a wall
  const still = window.matchMedia("(prefers-reduced-motion: reduce)");
  let page = 0;
  let moved = -POINTER_MS;

  const around = () => document.querySelector("[data-pages], [data-turn]");
  const pages = () => [...document.querySelectorAll("[data-page]")];

  function show() {
    const found = pages();
    if (!found.length || "held" in around().dataset) return;
    page %= found.length;
    found.forEach((one, at) => {
      one.hidden = at !== page;
    });
    document.querySelectorAll(".turn a[href^='?page=']:not([data-stay])").forEach((link, at) => {
      if (at === page) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    });
    const stay = document.querySelector("[data-stay]");
    if (stay) stay.href = `?page=${page + 1}`;
  }

  function isPaused() {
    const list = around();
    const isPointed = performance.now() - moved < POINTER_MS && list?.matches(":hover");
    const focused = document.activeElement?.closest("[data-pages], [data-turn], .turn");
    return still.matches || document.hidden || isPointed || Boolean(focused);
  }

  document.addEventListener("pointermove", () => {
    moved = performance.now();
  });
  document.addEventListener("htmx:afterSwap", show);
  document.addEventListener("htmx:configRequest", (event) => {
    const { elt, parameters } = event.detail;
    if (!elt.dataset.turn) return;
    event.detail.path = location.pathname + location.search;
    if (isPaused()) parameters.still = elt.dataset.turn;
  });
  setInterval(() => {
    if (isPaused()) return;
    page += 1;
    show();
  }, EVERY_MS);
})();
