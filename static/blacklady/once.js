// The pressed button of a form is disabled while the form is on its way. Its name and value were
// taken by then. The server stores an equal form once, so that this is for the eye only.
"use strict";
(() => {
  const WAIT_MS = 5000; // a file may have come, which leaves the page in its place
  const waiting = new Set();

  function enable(button) {
    button.disabled = false;
    waiting.delete(button);
  }

  document.addEventListener("submit", (event) => {
    const button = event.submitter;
    const method = button?.getAttribute("formmethod") ?? event.target.method;
    if (!button || event.defaultPrevented || method.toLowerCase() !== "post") return;
    setTimeout(() => {
      if (event.defaultPrevented) return;
      button.disabled = true;
      waiting.add(button);
      setTimeout(() => enable(button), WAIT_MS);
    });
  });
  // A page that comes back from the browser's memory has its buttons as they were left.
  addEventListener("pageshow", () => waiting.forEach(enable));
})();
// A file that the server would refuse for its size is refused before it is sent.
addEventListener("change", ({ target }) => {
  const most = Number(target.dataset?.maxBytes);
  if (!most) return;
  const isTooLarge = [...target.files].some((file) => file.size > most);
  target.setCustomValidity(isTooLarge ? target.dataset.tooLarge : "");
  target.reportValidity();
});
