// Attendance: the name field filters while one writes, and Enter presses the only match.
"use strict";

(() => {
  const field = document.getElementById("q");
  const listed = document.getElementById("listed");

  function filter() {
    const words = searchWords(field.value);
    let n = 0;
    for (const row of document.querySelectorAll(".attend > li")) {
      const parts = [...searchWords(row.querySelector(".nm").textContent).flat(), row.id.slice(2).toLowerCase()];
      row.hidden = !words.every((ways) => ways.some((way) => parts.some((part) => part.startsWith(way))));
      if (!row.hidden && !row.classList.contains("rest")) n += 1;
    }
    // Spoken while one writes, and silent otherwise: the list has its own messages.
    const text = field.value ? listed.dataset.text.replace("{n}", n) : "";
    if (listed.textContent !== text) listed.textContent = text;
  }

  field.addEventListener("input", filter);
  document.addEventListener("attendance:rows", filter);
  field.form.addEventListener("submit", (event) => {
    const matches = document.querySelectorAll(".attend > li:not([hidden])");
    if (!field.value || matches.length !== 1) return;
    event.preventDefault();
    const press = matches[0].querySelector(".who[name=here]");
    field.value = "";
    filter();
    press?.click();
  });

  // A plan waits for presses that are on their way or in the phone's queue: it is made of what is stored.
  const SENDING = ".attend .htmx-request, #all.htmx-request, .kept-note";
  let plans = false;
  const planButton = () => document.querySelector("#foot button[name=plan]");

  function planOnceSent() {
    const button = planButton();
    if (!plans || !button) return;
    button.disabled = document.querySelector(SENDING) !== null;
    if (button.disabled) return;
    plans = false;
    button.form.requestSubmit(button);
  }

  document.addEventListener("submit", (event) => {
    if (event.submitter !== planButton() || !document.querySelector(SENDING)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    plans = event.submitter.disabled = true;
  }, true);
  // A press that was refused or not sent is for the director to see first.
  for (const name of ["htmx:responseError", "htmx:sendError"])
    document.addEventListener(name, () => {
      plans = false;
      if (planButton()) planButton().disabled = false;
    });
  document.addEventListener("htmx:afterSettle", planOnceSent);
  document.addEventListener("attendance:rows", planOnceSent);

  // The button that was pressed may go with its row or form: the focus stays where it was.
  let row;
  document.addEventListener("htmx:beforeRequest", (event) => { row = event.detail.elt.closest("li")?.id; });
  document.addEventListener("htmx:afterSettle", () => {
    if (document.activeElement !== document.body) return;
    const place = row ? document.getElementById(row)?.querySelector(".menu") : document.querySelector("#all a");
    place?.focus({ preventScroll: true });
  });
})();

// Attendance without a signal: a press goes into the phone's queue (outbox_store.js) with the time of
// the device, and from there to the page's own address. Without this script, or where the browser has
// no place to keep things, the form posts as it always did.

(() => {
  const place = document.getElementById("outbox");
  const store = self.outbox;
  if (!place || !store || !window.isSecureContext || !navigator.locks) return;

  const site = JSON.parse(place.dataset.outbox);
  const PARTS = ["all", "plan"];
  const PRESSES = ["here", "undo", "late", "left", "absent", "expected", "times"];
  const RENEW_MS = 20_000;
  const loaded = Date.now();
  let seen = loaded;
  let fetching = false;

  const isOurs = (form) => form?.matches?.(".attend form");
  const isPress = (button) => PRESSES.includes(button?.name);

  function statement(form, button) {
    const fields = [...new FormData(form, button)].filter(([name]) => name !== "csrfmiddlewaretoken");
    const name = form.closest("li").querySelector(".nm").textContent.trim();
    const act = button.dataset.act ?? button.firstChild.textContent.trim();
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
    const isAll = event.target.id === "all";
    if (navigator.onLine || !(isAll || (isOurs(event.target) && isPress(event.submitter)))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const presses = isAll ? document.querySelectorAll(".awaited .who") : [event.submitter];
    for (const press of presses) keep(press.form, press);
  }, true);

  // The browser took itself to be online, and nothing arrived.
  document.addEventListener("htmx:sendError", (event) => {
    const { elt, requestConfig } = event.detail;
    const button = requestConfig?.triggeringEvent?.submitter;
    if (elt.id === "all") for (const press of document.querySelectorAll(".awaited .who")) keep(press.form, press);
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
    form.after(note);
  }

  async function showRows() {
    const own = (await store.all()).filter((one) => one.table === site.table);
    const waiting = new Map(own.filter((one) => store.WAITING.includes(one.state)).map((one) => [one.number, one]));
    for (const press of document.querySelectorAll(".attend .who")) {
      const row = press.closest("li");
      row.querySelector(".kept-note")?.remove();
      press.disabled = waiting.has(press.value);
      if (press.disabled) mark(press.form, waiting.get(press.value));
    }
    const isNew = own.some((one) => ["sent", "there"].includes(one.state) && one.told > seen);
    if (isNew && !waiting.size) await renew();
  }

  // The rows that others changed meanwhile, or the queue; an open menu stays.
  async function renew() {
    if (fetching || !navigator.onLine) return;
    fetching = true;
    try {
      const response = await fetch(location.href, { cache: "no-store" });
      if (!response.ok || response.redirected) return;
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const rows = document.getElementById("rows");
      const fresh = page.getElementById("rows");
      const ids = (list) => [...list.children].map((row) => row.id).join();
      const changed = ids(rows) === ids(fresh)
        ? [...fresh.children].filter((row) => document.getElementById(row.id).dataset.at !== row.dataset.at)
        : [fresh];
      const focused = document.activeElement.id;
      for (const part of [...changed, ...PARTS.map((id) => page.getElementById(id))]) {
        if (!part) continue;
        document.getElementById(part.id).replaceWith(part);
        self.htmx?.process(part);
      }
      if (focused && document.activeElement === document.body)
        document.getElementById(focused)?.focus({ preventScroll: true });
      const count = document.getElementById("head-count");
      const text = page.getElementById("head-count").textContent;
      if (count.textContent !== text) count.textContent = text;
      document.dispatchEvent(new Event("attendance:rows"));
      seen = Date.now();
    } catch {
      // no signal again: the lists stay as they are
    } finally {
      fetching = false;
    }
    await showRows();
  }

  setInterval(() => document.hidden || renew(), RENEW_MS);
  store.onChange(() => showRows().catch(() => {}));
  showRows().catch(() => {});
})();
