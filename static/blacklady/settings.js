// Keeps "What would change" up to date while a director changes settings: sends the form as
// "Update preview" does, and puts the parts of the answer marked data-live into this page.
// Without it the button shows the same page.
"use strict";

(() => {
  const form = document.querySelector("form[data-settings]");
  if (!form) return;
  const late = document.getElementById("late");
  const pauseMs = 500;
  let timer, asked;

  const replaceParts = (fresh) => {
    for (const part of document.querySelectorAll("[data-live]")) {
      const next = fresh.getElementById(part.id);
      if (!next || next.innerHTML === part.innerHTML) continue;
      const isOpen = part.querySelector("details[open]") !== null;
      part.innerHTML = next.innerHTML;
      if (isOpen) part.querySelector("details")?.setAttribute("open", "");
    }
    for (const section of form.querySelectorAll("details.fold")) {
      const next = fresh.getElementById(section.id);
      if (next) section.classList.toggle("changed", next.classList.contains("changed"));
    }
  };

  const update = async () => {
    asked?.abort();
    asked = new AbortController();
    const body = new FormData(form);
    body.set("update", "yes");
    try {
      const answer = await fetch(form.action, { method: "POST", body, signal: asked.signal });
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
      late.hidden = fresh.getElementById("effects") !== null;
      replaceParts(fresh);
    } catch (fault) {
      if (fault.name !== "AbortError") late.hidden = false;
    }
  };

  form.addEventListener("input", ({ target }) => {
    if (target.name === "reason") return;
    clearTimeout(timer);
    timer = setTimeout(update, pauseMs);
  });
  form.addEventListener("submit", () => {
    clearTimeout(timer);
    asked?.abort();
  });

  // A link to a refused field opens the section that the field is in.
  document.addEventListener("click", ({ target }) => {
    const link = target.closest('a[href^="#id_"]');
    const field = link && document.getElementById(link.hash.slice(1));
    const section = field?.closest("details");
    if (section) section.open = true;
  });
})();
