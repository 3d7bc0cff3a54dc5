// The key "?" shows the list of keyboard shortcuts in a dialog over the page, so that nothing that
// was entered is lost. Without it the link "Keyboard" in the foot leads to the same list.
// A reader who needs the single keys for something else turns them off on the page of the list.
"use strict";

(() => {
  const OFF = "shortcuts-off";
  const link = document.querySelector("[data-shortcuts]");
  const typing = (at) => at.isContentEditable || /^(?:INPUT|SELECT|TEXTAREA)$/.test(at.tagName);
  const isOff = () => {
    try {
      return localStorage.getItem(OFF) === "yes";
    } catch {
      return false;
    }
  };
  let dialog = null;

  async function list() {
    const answer = await fetch(link.href);
    if (!answer.ok) throw new Error(`${answer.status}`);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    return [page.querySelector("main h1"), page.getElementById("keys")];
  }

  async function show() {
    if (!dialog) {
      const shown = document.createElement("dialog");
      shown.className = "shortcuts";
      try {
        shown.append(...(await list()));
      } catch {
        location.assign(link.href);
        return;
      }
      const heading = shown.querySelector("h1");
      const title = document.createElement("h2");
      title.id = "shortcuts-title";
      title.textContent = heading.textContent;
      heading.replaceWith(title);
      shown.setAttribute("aria-labelledby", title.id);
      const form = document.createElement("form");
      form.method = "dialog";
      const close = document.createElement("button");
      close.className = "btn";
      close.textContent = link.dataset.close;
      form.append(close);
      shown.append(form);
      document.body.append(shown);
      dialog = shown;
    }
    if (!dialog.open) dialog.showModal();
  }

  document.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "?" && event.key !== "/") return;
      if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
      if (isOff()) {
        event.stopImmediatePropagation(); // the search does not take "/" either
        return;
      }
      if (event.key !== "?" || !link) return;
      event.preventDefault();
      show();
    },
    true,
  );

  const choice = document.getElementById("keys-on");
  if (choice) {
    choice.closest("label").hidden = false;
    choice.checked = !isOff();
    choice.addEventListener("change", () => {
      if (choice.checked) localStorage.removeItem(OFF);
      else localStorage.setItem(OFF, "yes");
    });
  }
})();
