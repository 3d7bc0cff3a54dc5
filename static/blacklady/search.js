// The key "/" goes to the search of the page: to the field in its content, else to that in the
// header, else (on a narrow screen) to the page with the field.
"use strict";

(() => {
  const typing = (at) => at.isContentEditable || /^(?:INPUT|SELECT|TEXTAREA)$/.test(at.tagName);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.defaultPrevented || typing(event.target)) return;
    const fields = [...document.querySelectorAll("main [data-search], .mast [data-search]")];
    const shown = (one) => one.getClientRects().length > 0;
    const field = fields.find((one) => shown(one) && one.closest("main")) || fields.find(shown);
    const page = document.querySelector("[data-search-page]");
    if (!field && !page) return;
    event.preventDefault();
    if (!field) page.click();
    else {
      field.focus();
      field.select();
    }
  });
})();
