// Where somebody has to sign in again before a form is taken, what they typed waits in this tab and
// is in the fields again afterwards. Nothing is sent by it; a form that was taken leaves nothing.
"use strict";

(() => {
  const form = document.querySelector("form[data-sign-in]");
  if (!form) return;
  const KEY = "typed";
  const here = location.pathname;
  const fields = () => [...form.querySelectorAll("input:not([type=hidden], [type=radio], [type=checkbox]), textarea, input[name^='way-']")];

  const kept = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
  sessionStorage.removeItem(KEY);
  const cameFrom = document.referrer ? new URL(document.referrer).pathname : "";
  if (kept?.path === here && cameFrom === form.dataset.signIn) {
    for (const field of fields()) {
      if (!(field.name in kept.typed)) continue;
      field.value = kept.typed[field.name];
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }
    document.getElementById("typed-again").hidden = false;
  }

  form.addEventListener("submit", () => {
    const typed = fields().filter((field) => field.name && field.value !== field.getAttribute("value") && (field.value || field.defaultValue));
    const values = Object.fromEntries(typed.map((field) => [field.name, field.value]));
    sessionStorage.setItem(KEY, JSON.stringify({ path: here, typed: values }));
  });
})();
