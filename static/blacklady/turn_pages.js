// Turns the pages of the big screen. It waits while somebody moves the pointer over them or has the
// focus in them, where the reader asked for less motion, and on a page that was chosen. Without it
// the links in the head lead to the pages.
"use strict";

(() => {
  const EVERY_MS = 8000;
  const POINTER_MS = 30000; // a pointer that lies still does not stop a screen on a wall
  const still = window.matchMedia("(prefers-reduced-motion: reduce)");
  let page = 0;
  let moved = -POINTER_MS;

  const around = () => document.querySelector("[data-pages]");
  const pages = () => [...document.querySelectorAll("[data-page]")];

  function show() {
    const found = pages();
    if (!found.length || "held" in around().dataset) return;
    page %= found.length;
    found.forEach((one, at) => {
      one.hidden = at !== page;
    });
    document.querySelectorAll(".turn a[href^='?page=']").forEach((link, at) => {
      if (at === page) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    });
  }

  function isPaused() {
    const list = around();
    const isPointed = performance.now() - moved < POINTER_MS && list?.matches(":hover");
    const focused = document.activeElement?.closest("[data-pages], .turn");
    return still.matches || document.hidden || isPointed || Boolean(focused);
  }

  document.addEventListener("pointermove", () => {
    moved = performance.now();
  });
  document.addEventListener("htmx:afterSwap", show);
  setInterval(() => {
    if (isPaused()) return;
    page += 1;
    show();
  }, EVERY_MS);
})();
