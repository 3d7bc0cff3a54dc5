// The host's page while somebody types: the running line, steppers without a round trip, Enter goes
// on and fills in the rest, one key for a card. Without it every button asks the server the same.
"use strict";

(() => {
  const form = document.querySelector("form[data-words]");
  const line = document.querySelector(".tally [role=status]");
  if (!form || !line) return;
  const words = JSON.parse(form.dataset.words);
  const sheet = JSON.parse(form.dataset.checks);
  const checks = self.handChecks;
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
  // What a hand has so many of: hearts, or the points of tricks.
  const counted = words.trick_points ? "trick_points" : "hearts";
  const whole_hand = words.trick_points || words.hearts;
  const numbers = () => ["hearts", "trick_points", "cards", "points"].flatMap(seatFields);
  const isCounting = words.way === "counts";

  // What is said of single cards: `found` tells how many copies of a code are written.
  function ofCards(cards, found) {
    const over = cards.filter((card) => found(card.code) > card.copies);
    const open = cards.filter((card) => found(card.code) < card.copies);
    const parts = over.map((card) => say(words.say.often, { card: card.sign }));
    if (open.length > words.inline) {
      const there = cards.reduce((total, card) => total + Math.min(found(card.code), card.copies), 0);
      const total = cards.reduce((sum, card) => sum + card.copies, 0);
      parts.unshift(say(words.say.given, { found: there, total }));
    } else {
      for (const card of open) {
        const facts = { card: card.sign, found: found(card.code), total: card.copies };
        parts.push(say(facts.found ? words.say.some : words.say.open, facts));
      }
    }
    return { parts, over: over.length > 0, open: open.length > 0 };
  }

  const isCard = /^(?:(?:0|1[0-2]|[2-9JQKA])[CDHS]|[12]X|(?:1[0-4]|[1-9])[RYGB])$/;
  const { codesIn } = checks;

  function piles() {
    if (words.trick_points) return null;
    const codes = fields("cards").flatMap((field) => codesIn(field.value));
    const of = ofCards(words.deck, (code) => codes.filter((one) => one === code).length);
    const odd = codes.find((code) => !isCard.test(code));
    if (odd) return ["no", say(words.say.odd, { text: odd })];
    if (!of.open && !of.over) return ["ok", say(words.say.whole, { what: words.say.every })];
    return [of.over ? "no" : "need", of.parts.join(", ")];
  }

  function tricks() {
    const found = sum("trick_points");
    const isStopped = Boolean(form.elements[sheet.seats.declared_out]?.value);
    const text = say(words.say.tricks, { found, total: words.trick_points });
    if (found === words.trick_points || (isStopped && found < words.trick_points)) return ["ok", say(words.say.whole, { what: text })];
    return [found > words.trick_points || seatFields("trick_points").every(isFilled) ? "no" : "need", text];
  }

  function counts() {
    if (words.trick_points) return tricks();
    const found = sum("hearts");
    const all = seatFields("hearts").every(isFilled);
    const of = ofCards(words.cards, held);
    const parts = [];
    if (words.hearts) parts.push(say(words.say.hearts, { found, total: words.hearts }));
    if (found > words.hearts) parts.push(say(words.say.over, { n: found - words.hearts }));
    else if (found < words.hearts && all) parts.push(say(words.say.missing, { n: words.hearts - found }));
    parts.push(...of.parts);
    if (found === words.hearts && !of.open && !of.over) {
      const what = words.hearts
        ? [say(words.say.n_hearts, { n: words.hearts }), ...words.cards.map((card) => card.sign)].join(", ")
        : words.say.every;
      return ["ok", say(words.say.whole, { what })];
    }
    const wrong = of.over || words.hearts && (found > words.hearts || (found < words.hearts && all));
    return [wrong ? "no" : "need", parts.join(", ")];
  }

  function points() {
    if (words.points === null) return null;
    const found = sum("points");
    const text = say(words.say.points, { found, total: words.points });
    if (found === words.points) return ["ok", say(words.say.whole, { what: text })];
    return ["need", seatFields("points").every(isFilled) ? `${text}, ${words.say.unless}` : text];
  }

  // What is all there may still be wrong: its tricks, or points that cannot be dealt.
  function judged([state, text]) {
    if (state !== "ok") return [state, text];
    const hand = checks.handOf(sheet, words.way, [...new FormData(form)]);
    const problems = checks.verdict(sheet, hand).problems.filter((one) => one.code !== "choice_required");
    const isOpen = problems.every((one) => one.code === "tricks_needed" || one.found < one.expected);
    return problems.length ? [isOpen ? "need" : "no", checks.told(sheet, hand, { problems }).join(" ")] : [state, text];
  }

  // A card that lies elsewhere looks so; what is left goes to one seat by one button.
  function showCards() {
    const left = words.cards.reduce((total, card) => total + Math.max(card.copies - held(card.code), 0), 0);
    const begun = form.querySelector(".mark input[name^='card-']:checked");
    for (const row of form.querySelectorAll(".seatrow")) {
      for (const card of words.cards) {
        const marks = [...row.querySelectorAll(`input[name="card-${card.code}"]`)];
        const isGone = held(card.code) >= card.copies && !marks.some((mark) => mark.checked);
        for (const mark of marks) mark.parentElement.classList.toggle("gone", isGone);
      }
      const rest = row.querySelector(".rest");
      if (!rest || whole_hand) continue;
      rest.hidden = !(begun && left > 0);
      row.querySelector(".tot").hidden = !rest.hidden;
      rest.textContent = say(words.say.rest, { n: left });
    }
  }

  function showRest() {
    const missing = whole_hand - sum(counted);
    const begun = seatFields(counted).some(isFilled);
    for (const field of seatFields(counted)) {
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
    const progress = form.querySelector(".desk-foot progress");
    if (progress) progress.value = found;
  }

  function update() {
    const told = { points, counts, cards: piles }[words.way]?.();
    if (told) {
      const [state, text] = judged(told);
      line.parentElement.dataset.state = state;
      if (line.textContent !== text) line.textContent = text;
    }
    if (isCounting) showCards();
    if (whole_hand && isCounting) showRest();
    if (words.hearts && isCounting) showPips();
    form.dispatchEvent(new Event("entered")); // what is in the form is kept on the phone, see outbox.js
  }

  const fill = (field) => {
    field.value = String(Math.max(whole_hand - sum(counted) + whole(field), 0));
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

  function giveWhatIsLeft(row) {
    for (const card of words.cards) {
      const marks = [...row.querySelectorAll(`input[name="card-${card.code}"]:not(:checked)`)];
      for (const mark of marks.slice(0, Math.max(card.copies - held(card.code), 0))) mark.checked = true;
    }
  }

  function goOn(field) {
    const row = numbers();
    const at = row.indexOf(field);
    const open = seatFields(counted).filter((one) => !isFilled(one));
    if (isCounting && whole_hand && open.length === 1 && open[0] === field) fill(field);
    const steps = [...form.querySelectorAll(".step input")];
    const next = at < 0 ? steps[steps.indexOf(field) + 1] : row[at + 1];
    const card = words.cards.find((one) => isCounting && held(one.code) < one.copies);
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
    if (!field.matches(".step input, .side input, .typed-cards")) return;
    const key = event.key.toLowerCase();
    let done = true;
    if (event.key === "Enter") goOn(field);
    else if (!isCounting || !field.name.startsWith("hearts-")) done = false;
    else if (key === "m") done = giveEverything(field);
    else done = /^[a-z]$/.test(key) && give(key, rowOf(field));
    if (done) event.preventDefault();
    update();
  });

  form.addEventListener("click", (event) => {
    const button = event.target.closest(".step button, .rest");
    if (!button) return;
    event.preventDefault();
    const holder = button.closest(".step") ?? rowOf(button);
    const field = holder.querySelector(`.step input[name^="${counted}-"], .step input`) ?? holder.querySelector("input");
    if (button.value.startsWith("left:")) {
      giveWhatIsLeft(rowOf(button));
      return update();
    }
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
