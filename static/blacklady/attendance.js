// Attendance without a signal: a press goes into the phone's queue (outbox_store.js) with the time of
// the device, and from there to the page's own address. Without this script, or where the browser has
// no place to keep things, the form posts as it always did.
"use strict";

(() => {
  const place = document.getElementById("outbox");
  const store = self.outbox;
  if (!place || !store || !window.isSecureContext || !navigator.locks) return;

  const site = JSON.parse(place.dataset.outbox);
  const PARTS = ["figures", "lists", "foot"];
  const PRESSES = ["here", "undo", "left", "absent", "expected", "times"];
  const loaded = Date.now();
  let seen = loaded;
  let fetching = false;

  const isOurs = (form) => form?.matches?.(".people.attend form");
  const isPress = (button) => PRESSES.includes(button?.name);

  function statement(form, button) {
    const fields = [...new FormData(form, button)].filter(([name]) => name !== "csrfmiddlewaretoken");
    const name = form.querySelector(".nm").firstChild.textContent.trim();
    const act = (button.querySelector("[aria-hidden]") ?? button.firstChild).textContent.trim();
    return {
      key: `attendance-${crypto.randomUUID()}`, number: button.value, label: `${name}: ${act}`,
      fields: [...fields, ["at", new Date().toISOString()]],
      action: site.home, table: site.table, name: site.name, home: site.home, owner: site.owner,
    };
  }

  async function keep(form, button) {
    await store.add(statement(form, button));
    const worker = await navigator.serviceWorker?.getRegistration();
    await worker?.sync?.register("hands").catch(() => {});
  }

  // Before htmx, which knows of no queue.
  document.addEventListener("submit", (event) => {
    if (navigator.onLine || !isOurs(event.target) || !isPress(event.submitter)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    keep(event.target, event.submitter);
  }, true);

  // The browser took itself to be online, and nothing arrived.
  document.addEventListener("htmx:sendError", (event) => {
    const { elt, requestConfig } = event.detail;
    const button = requestConfig?.triggeringEvent?.submitter;
    if (isOurs(elt) && isPress(button)) keep(elt, button);
  });

  // --- The rows ----------------------------------------------------------------------------------

  function mark(form, waiting) {
    const note = document.createElement("p");
    note.className = "small kept-note";
    const undo = document.createElement("button");
    undo.type = "button";
    undo.className = "btn sm";
    undo.textContent = site.say.undo;
    undo.setAttribute("aria-label", `${site.say.undo}: ${waiting.label}`);
    undo.addEventListener("click", () =>
      store.change(waiting.id, { key: waiting.key, states: store.WAITING }, { state: "left", told: Date.now() }));
    note.append(`${waiting.label.split(": ").pop()}. ${site.say.row} `, undo);
    form.append(note);
  }

  async function showRows() {
    const own = (await store.all()).filter((one) => one.table === site.table);
    const waiting = new Map(own.filter((one) => store.WAITING.includes(one.state)).map((one) => [one.number, one]));
    for (const form of document.querySelectorAll(".people.attend form")) {
      const player = form.closest("li").id.slice(2);
      form.querySelector(".kept-note")?.remove();
      const press = document.getElementById(`press-${player}`);
      if (press) press.hidden = waiting.has(player);
      if (waiting.has(player)) mark(form, waiting.get(player));
    }
    const isNew = own.some((one) => ["sent", "there"].includes(one.state) && one.told > seen);
    if (isNew && !waiting.size) await renew();
  }

  // The lists with what was sent, and with what others stated meanwhile.
  async function renew() {
    if (fetching || !navigator.onLine) return;
    fetching = true;
    try {
      const response = await fetch(location.href, { cache: "no-store" });
      if (!response.ok || response.redirected) return;
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      for (const id of PARTS) {
        const part = page.getElementById(id);
        if (!part) continue;
        document.getElementById(id).replaceWith(part);
        self.htmx?.process(part);
      }
      seen = Date.now();
    } catch {
      // no signal again: the lists stay as they are
    } finally {
      fetching = false;
    }
  }

  store.onChange(() => showRows().catch(() => {}));
  showRows().catch(() => {});
})();
