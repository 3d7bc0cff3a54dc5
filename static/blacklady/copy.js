// Copies the link or text of a field beside a button, hands a link to another app where the browser
// can (phones), and prints the page. Without it the field is selected by hand, and the browser's own
// menu prints. Buttons that htmx brings are shown as well.
"use strict";

(() => {
  function begin(root) {
    for (const button of root.querySelectorAll("button[data-copy]")) {
      const field = document.getElementById(button.dataset.copy);
      field.addEventListener("focus", () => field.select());
      button.hidden = !navigator.clipboard;
    }
    for (const button of root.querySelectorAll("button[data-share]")) button.hidden = !navigator.share;
    for (const button of root.querySelectorAll("button[data-print]")) button.hidden = false;
  }

  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("button[data-copy], button[data-share], button[data-print]");
    if (!button) return;
    if (button.dataset.print) window.print();
    else if (button.dataset.share) {
      const url = document.getElementById(button.dataset.share).value;
      await navigator.share({ title: document.title, url }).catch(() => {}); // closed without a choice
    } else {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).value);
      button.textContent = button.dataset.copied;
    }
  });
  // A box that the focus has left would lie over what has it now.
  document.addEventListener("focusout", (event) => {
    const box = event.target.closest?.("[popover]:popover-open");
    if (box && event.relatedTarget && !box.contains(event.relatedTarget)) box.hidePopover();
  });
  document.addEventListener("htmx:afterSwap", (event) => begin(event.detail.target.ownerDocument));
  begin(document);
})();
