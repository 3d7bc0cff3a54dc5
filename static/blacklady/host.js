// The host's page while somebody types: the running line, steppers without a round trip, Enter goes
// on and fills in the rest, one key for a card. Without it every button asks the server the same.
"use strict";

(() => {
  const form = document.querySelector("form[data-words]");
  const line = document.querySelector(".tally [role=status]");
  if (!form || !line) return;
  const words = JSON.parse(form.dataset.words);
  const say = (text, facts) => text.replace(/%\((\w+)\)s/g, (_, name) => facts[name]);

  const fields = (kind) => [...form.querySelectorAll(`input[name^="${kind}-"]:not([type=hidden])`)];
  const seatFields = (kind) => fields(kind).filter((field) => !field.name.endsWith("-0"));
  const whole = (field) => {
    const text = field.value.trim().replace("\u2212", "-");
    return /^-?(0|[1-9]\d{0,8})$/.test(text) ? Number(text) : 0;
  };
  const sum = (kind) => fields(kind).reduce((total, field) => total + whole(field), 0);
  const isFilled = (field) => field.value.trim() !== "";
  const held = (code) => form.querySelectorAll(`input[name="card-${code}"]:checked`).length;
  const numbers = () => seatFields("hearts").concat(seatFields("points"));

  function counts() {
    const found = sum("hearts");
    const all = seatFields("hearts").every(isFilled);
    const open = words.cards.filter((card) => held(card.code) < card.copies);
    const parts = [];
    if (words.hearts) parts.push(say(words.say.hearts, { found, total: words.hearts }));
    if (found > words.hearts) parts.push(say(words.say.over, { n: found - words.hearts }));
    else if (found < words.hearts && all) parts.push(say(words.say.missing, { n: words.hearts - found }));
    if (open.length > words.inline) {
      parts.push(say(words.say.given, { found: words.cards.length - open.length, total: words.cards.length }));
    } else {
      open.forEach((card) => parts.push(say(words.say.open, { card: card.sign })));
    }
    if (found === words.hearts && !open.length) {
      const what = words.hearts
        ? [say(words.say.n_hearts, { n: words.hearts }), ...words.cards.map((card) => card.sign)].join(", ")
        : words.say.every;
      return ["ok", say(words.say.whole, { what })];
    }
    const wrong = words.hearts && (found > words.hearts || (found < words.hearts && all));
    return [wrong ? "no" : "need", parts.join(", ")];
  }

  function points() {
    if (words.points === null) return null;
    const found = sum("points");
    const text = say(words.say.points, { found, total: words.points });
    if (found === words.points) return ["ok", say(words.say.whole, { what: text })];
    return ["need", seatFields("points").every(isFilled) ? `${text}, ${words.say.unless}` : text];
  }

  function showRest() {
    const missing = words.hearts - sum("hearts");
    const begun = seatFields("hearts").some(isFilled);
    for (const field of seatFields("hearts")) {
      const who = field.closest(".seatrow").querySelector(".who");
      const isOpen = begun && missing > 0 && !isFilled(field);
      who.querySelector(".rest").hidden = !isOpen;
      who.querySelector(".tot").hidden = isOpen;
      if (isOpen) who.querySelector(".rest").textContent = say(words.say.rest, { n: missing });
    }
  }

  function showPips() {
    const found = sum("hearts");
    form.querySelectorAll(".pips13 .pip:not(.card)").forEach((pip, place) => {
      pip.classList.toggle("o", place >= found);
    });
    form.querySelectorAll(".pips13 .pip.card").forEach((pip) => {
      const card = words.cards.find((one) => one.code === pip.dataset.card);
      pip.classList.toggle("o", held(card.code) < card.copies);
    });
    const progress = form.querySelector(".bar progress");
    if (progress) progress.value = found;
  }

  function update() {
    const told = words.way === "points" ? points() : words.way === "counts" ? counts() : null;
    if (told) {
      line.parentElement.dataset.state = told[0];
      if (line.textContent !== told[1]) line.textContent = told[1];
    }
    if (words.hearts && words.way === "counts") {
      showRest();
      showPips();
    }
  }

  const fill = (field) => {
    field.value = String(Math.max(words.hearts - sum("hearts") + whole(field), 0));
  };
  const rowOf = (field) => field.closest(".seatrow");

  function give(key, row) {
    const card = words.cards.find((one) => one.key === key);
    const marks = card ? [...row.querySelectorAll(`input[name="card-${card.code}"]`)] : [];
    const mark = marks.find((one) => !one.checked) ?? marks[0];
    if (mark) mark.checked = true;
    return Boolean(mark);
  }

  function giveEverything(field) {
    if (!words.moon) return false;
    for (const other of seatFields("hearts")) other.value = other === field ? String(words.hearts) : "0";
    for (const card of words.cards.filter((one) => one.moon)) {
      const marks = form.querySelectorAll(`input[name="card-${card.code}"]`);
      for (const mark of marks) mark.checked = rowOf(mark) === rowOf(field);
    }
    return true;
  }

  function goOn(field) {
    const row = numbers();
    const at = row.indexOf(field);
    const open = seatFields("hearts").filter((one) => !isFilled(one));
    if (words.way === "counts" && words.hearts && open.length === 1 && open[0] === field) fill(field);
    const next = row[at + 1];
    const card = words.cards.find((one) => words.way === "counts" && held(one.code) < one.copies);
    if (next) next.focus(); // and what stands there is selected, see below
    else if (card) form.querySelector(`input[name="card-${card.code}"]`)?.focus();
    else form.querySelector(".acts .pri").focus();
  }

  form.addEventListener("keydown", (event) => {
    const field = event.target;
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.key === "Enter" && field.matches(".mark input")) {
      event.preventDefault();
      form.querySelector(".acts .pri").focus();
      return;
    }
    if (!field.matches('.step input, .side input')) return;
    const key = event.key.toLowerCase();
    let done = true;
    if (event.key === "Enter") goOn(field);
    else if (words.way !== "counts" || !field.name.startsWith("hearts-")) done = false;
    else if (key === "m") done = giveEverything(field);
    else done = /^[a-z]$/.test(key) && give(key, rowOf(field));
    if (done) event.preventDefault();
    update();
  });

  form.addEventListener("click", (event) => {
    const button = event.target.closest(".step button, .rest");
    if (!button) return;
    event.preventDefault();
    const field = rowOf(button).querySelector(".step input");
    if (button.matches(".rest")) fill(field);
    else field.value = String(Math.max(whole(field) + (button.value.endsWith(":-1") ? -1 : 1), 0));
    if (button.matches(".rest")) field.focus();
    update();
  });

  // A digit replaces what stands in the field; nobody means 34 who types a 3 over a 4.
  form.addEventListener("focusin", (event) => {
    if (event.target.matches(".step input")) event.target.select();
  });
  form.addEventListener("input", update);
  form.addEventListener("change", update);
  update();
})();
