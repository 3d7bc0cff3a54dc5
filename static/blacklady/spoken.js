// What was done is said when the page has come: a reader of screens speaks what changes in a status,
// not what is there from the beginning.
"use strict";
(() => {
  const AFTER_MS = 150; // the title and the field with the focus are spoken first

  for (const status of document.querySelectorAll("[role=status].said")) {
    const said = [...status.childNodes];
    status.style.minHeight = `${status.offsetHeight}px`;
    status.replaceChildren();
    setTimeout(() => {
      status.append(...said);
      status.style.minHeight = "";
    }, AFTER_MS);
  }

  // htmx puts the words of an answer into a status that stays. The same words would be spoken again.
  document.addEventListener("htmx:oobBeforeSwap", (event) => {
    const { target, fragment } = event.detail;
    const isStatus = target.matches("[role=status], [aria-live]");
    if (isStatus && target.innerHTML === fragment.innerHTML) event.detail.shouldSwap = false;
  });
})();
