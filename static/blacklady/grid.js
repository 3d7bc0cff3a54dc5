// What the secretary's grid does while somebody types: moving on, the rest, the moon, meanings and
// sums, and a sentence under a row as soon as it cannot be. The server judges what is saved, by the
// grammar of tournaments/views/hands/grid_cells.py; this knows no rules but the letters and numbers that it is
// given, and what checks.js knows of a hand.
"use strict";

(() => {
  const form = document.getElementById("grid");
  if (!form) return;
  const words = JSON.parse(form.dataset.words);
  const sheet = JSON.parse(form.dataset.checks);
  const checks = self.handChecks;
  const fill = (text, facts) => text.replace(/%\((\w+)\)s/g, (_, name) => facts[name]);
  const minus = (number) => String(number).replace("-", "\u2212");

  const rows = [...form.querySelectorAll("tr[data-hand]")];
  const seatsOf = (row) => [...row.querySelectorAll("input[data-row]")];
  const rowOf = (field) => field.closest("tr[data-hand]");
  const noteOf = (row) => row.nextElementSibling;
  const says = document.getElementById("says");
  const pointsButton = form.querySelector('button[value="way:points"]');
  let splits = []; // numbers whose last digit went to the next seat
  let isFresh = false; // somebody typed in the field since it has the focus
  let afterMoon = null; // the row that the moon key filled

  // Reading cells
  const byKey = new Map(words.cards.filter((card) => card.key).map((card) => [card.key, card]));
  const byCode = new Map(words.cards.map((card) => [card.code, card]));

  function lettered(text) {
    const found = /^(\d{0,3})([a-z]*)$/.exec(text.toLowerCase().replace(/\s/g, ""));
    if (!found || ![...found[2]].every((key) => byKey.has(key))) return null;
    return { hearts: Number(found[1]), cards: [...found[2]].map((key) => byKey.get(key)) };
  }

  function listed(text) {
    const found = { hearts: 0, cards: [] };
    for (const [place, token] of text.toUpperCase().split(/[\s,]+/).filter(Boolean).entries()) {
      if (!place && /^\d+$/.test(token)) {
        found.hearts = Number(token);
        continue;
      }
      const run = /^(10|\d|[TJQKA])-(10|\d{1,2}|[TJQKA])([A-Z])$/.exec(token);
      const ends = run ? [run[1] + run[3], run[2] + run[3]] : [token, token];
      const [low, high] = ends.map((code) => words.order.indexOf(code.replace(/^T(?=.$)/, "10")));
      if (low < 0 || high < low) return null;
      for (const code of words.order.slice(low, high + 1)) {
        if (code.at(-1) === words.order[low].at(-1)) found.cards.push(byCode.get(code));
      }
    }
    return found.hearts && !words.hearts ? null : found;
  }

  // Trick points, then a code for each meld, which may have a number before it: `133 rm 2m`.
  const hasMelds = Object.keys(words.melds).length > 0;
  function shown(text) {
    const found = { hearts: 0, cards: [], tricks: 0, melds: {} };
    for (const [place, token] of text.toLowerCase().split(/[\s,]+/).filter(Boolean).entries()) {
      const part = /^(\d{0,2})([a-z][a-z_]*)$/.exec(token);
      if (!place && /^\d{1,4}$/.test(token)) found.tricks = Number(token);
      else if (part && Object.hasOwn(words.melds, part[2])) {
        const label = words.melds[part[2]];
        found.melds[label] = (found.melds[label] ?? 0) + Number(part[1] || 1);
      } else return null;
    }
    return found;
  }

  const pile = (text) => (hasMelds ? shown(text) : words.lettered ? lettered(text) : listed(text));

  // A field's text → what it means, or null; an empty one means nothing yet.
  function read(field) {
    const [, body, sign] = /^(.*?)\s*([+-]?)\s*\*?\s*$/s.exec(field.value.replace("\u2212", "-").trim());
    const way = rowOf(field).dataset.way;
    if (way === "points") return { points: /^-?\d+$/.test(body) ? Number(body) : null, body, sign };
    if (way === "clean") return /^[cx0]?$/i.test(body) ? { isClean: /c/i.test(body), sign } : null;
    const found = pile(body);
    return found && { ...found, sign };
  }

  const worth = (found) =>
    found.hearts * words.heart + found.cards.reduce((sum, card) => sum + card.worth, 0);

  function meaning(field) {
    if (!field.value.trim()) return "";
    const found = read(field);
    if (!found) return "?";
    const way = rowOf(field).dataset.way;
    if (way === "clean") return found.isClean ? words.say.clean : words.say.not_clean;
    let said = way === "points" ? minus(found.body) : pileSaid(found);
    if (found.sign) said += `, ${found.sign === "-" ? words.say.off : words.say.others}`;
    return said;
  }

  function pileSaid(found) {
    if (hasMelds) return [found.tricks, ...Object.entries(found.melds).map(([label, n]) => (n > 1 ? `${n}× ${label}` : label))].join(", ");
    const parts = found.hearts ? [`${found.hearts} ♥`] : [];
    if (words.lettered) parts.push(...found.cards.map((card) => card.sign));
    if (!words.known && !words.lettered) {
      const n = found.cards.length;
      return fill(n === 1 ? words.say.one_card : words.say.cards, { n });
    }
    if (!words.known) return parts.join(" + ") || "0";
    const isPlain = !parts.length || (parts.length === 1 && found.hearts && words.heart === 1);
    return (isPlain ? "" : `${parts.join(" + ")} = `) + minus(worth(found));
  }

  // Judging a row: its state, its sum, and a sentence where it cannot be. A row is `ok` where it would be saved.
  function judged(row) {
    const fields = seatsOf(row);
    if (!fields.some((field) => field.value.trim())) return { state: "" };
    const found = fields.map(read);
    const { hand: number, way } = row.dataset;
    const bad = fields.find((field, place) => !found[place]);
    if (bad) {
      const why = fill(words.say.unread, { text: bad.value, right: words.say.right });
      return { state: "no", sum: "", first: why, wrong: [bad] };
    }
    const isWhole = fields.every((field) => field.value.trim());
    const hand = handIn(row, found);
    const { problems, moon, points, isSure } = checks.verdict(sheet, hand);
    const total = found.reduce((sum, one) => sum + (way === "points" ? one.points || 0 : way === "counts" && !hasMelds ? worth(one) : 0), 0);
    const told = { sum: words.known && way !== "clean" ? minus(total) : "", seats: words.adds ? points : null, shooter: moon ? moon.unit : -1 };
    const isOk = !problems.length && isSure && hand.isClear && (isWhole || way === "counts");
    if (isOk) return { ...told, state: "ok" };
    const wrong = problems.filter((one) => !["choice_required", "tricks_needed"].includes(one.code) || way === "points");
    const isCertain = wrong.some((one) => one.code !== "cards_without_trick" && !(one.found < one.expected));
    if (!wrong.length || !(isWhole || (isCertain && way !== "points"))) return { ...told, state: "need" };
    const why = checks.told(sheet, hand, { problems: wrong }).join(" ");
    return { ...told, state: "no", shooter: -1, first: fill(words.say.wrong, { hand: number, why }), rest: words.say.paper };
  }

  // A row as checks.js has a hand. `isClear` says that what stands beside the seats is known to be right.
  function handIn(row, found) {
    const beside = (kind) => row.querySelector(`input[data-kind=${kind}]`)?.value.trim() ?? "";
    const board = row.querySelector(".board input");
    const nobody = (hasMelds ? null : pile(beside("unclaimed"))) ?? { hearts: 0, cards: [] };
    const tricks = beside("tricks").split(/[\s,]+/).filter(Boolean);
    const charged = beside("charged").toUpperCase().split(/[\s,]+/).filter(Boolean);
    const codes = (one) => (one.cards ?? []).map((card) => card.code);
    const first = Number(beside("first_trick"));
    return {
      way: row.dataset.way,
      piles: found.map(codes),
      hearts: sheet.hearts.length ? found.map((one) => String(one.hearts ?? 0)) : null,
      unclaimed: [...sheet.hearts.slice(0, nobody.hearts), ...codes(nobody)],
      tricks: tricks.length === found.length ? tricks : null,
      firstTrick: first ? sheet.units.findIndex((seats) => seats.includes(first - 1)) : null,
      clean: found.map((one) => one.isClean),
      points: found.map((one) => String(one.points ?? "")),
      choice: { "-": "self", "+": "others" }[found.map((one) => one.sign).find(Boolean)] ?? "",
      melds: sheet.melds && found.map((one) => Object.keys(sheet.melds.points).map((meld) => [meld, String(one.melds?.[words.melds[meld]] ?? "")])),
      trickPoints: sheet.melds && found.map((one) => String(one.tricks ?? "")),
      isStopped: Boolean(beside("declared_out")),
      isClear: !beside("pledge") && !beside("passer") && (!board || Boolean(board.value.trim())) && [0, found.length].includes(tricks.length) && charged.every((code) => words.charged.includes(code)),
    };
  }

  // Showing it
  const isAsStored = (row) =>
    [...row.querySelectorAll("input[id]")].every((field) => field.value === field.defaultValue);
  const isStored = (row) => "stored" in row.dataset && !("unsaved" in row.dataset) && isAsStored(row);
  const isUnsaved = (row) => (isAsStored(row) ? "unsaved" in row.dataset : "stored" in row.dataset || Boolean(row.told.state));

  function show(row) {
    const told = judged(row);
    for (const field of seatsOf(row)) {
      field.nextElementSibling.textContent = splitSaid(field, told) || meaning(field);
    }
    if (told.state === "need" && isStored(row)) told.state = "ok"; // the server took it
    row.querySelector(".sum-ok").toggleAttribute("hidden", told.state !== "ok");
    row.querySelector(".sum-no").toggleAttribute("hidden", told.state !== "no");
    const sum = row.querySelector(".sum-n");
    sum.classList.toggle("muted", told.state === "need");
    sum.textContent = (told.sum ?? "") + (told.state === "need" ? " …" : "");
    const moon = row.querySelector(".sum-moon");
    const says = told.state === "need" ? words.say.moon_open : words.say.moon_by;
    moon.textContent = told.shooter >= 0 ? fill(says, { name: sheet.names[told.shooter] }) : "";
    moon.hidden = !moon.textContent;
    if (!(row.hasAttribute("data-said") && isAsStored(row))) tell(row, told);
    row.told = told;
    row.querySelector(".stored").hidden = isUnsaved(row);
    row.querySelector(".unsaved").hidden = !isUnsaved(row);
    showRest(row, told);
  }

  // The sentence under a row; the server's own stands there until the row is changed.
  function tell(row, told) {
    const isWrong = told.state === "no";
    const note = noteOf(row);
    row.classList.toggle("err", isWrong);
    note.hidden = !isWrong && !note.querySelector("input[type=checkbox]");
    if (note.querySelector("input[type=checkbox]")) return;
    note.lastElementChild.replaceChildren();
    for (const field of seatsOf(row)) {
      field.toggleAttribute("aria-invalid", false);
      field.removeAttribute("aria-describedby");
    }
    if (!isWrong) return;
    const line = document.createElement("p");
    line.className = "small full";
    const head = document.createElement("b");
    head.textContent = told.first;
    line.append(head, ` ${told.rest ?? ""}`);
    note.lastElementChild.append(line);
    for (const field of told.wrong ?? seatsOf(row)) {
      field.setAttribute("aria-invalid", "true");
      field.setAttribute("aria-describedby", note.id);
    }
  }

  function showRest(row, told) {
    const open = seatsOf(row).filter((field) => !field.value.trim());
    const rest = open.length === 1 && told.state === "need" ? restOf(row, open[0]) : "";
    for (const field of seatsOf(row)) field.placeholder = field === open[0] ? rest : "";
  }

  const numbers = (text) => (text ? text.split(" ").map(Number) : []);

  // What a row adds to what is stored: nothing where it says that, null where it cannot be told yet.
  function adds(row) {
    if ("said" in row.dataset && isAsStored(row)) return null;
    if (isStored(row) || !row.told.state) return [];
    if (row.told.state !== "ok" || !row.told.seats) return null;
    const old = numbers(row.dataset.scores);
    if (row.dataset.state === "accepted" && !old.length) return null;
    return row.told.seats.map((seat, place) => seat - (old[place] ?? 0));
  }

  // The totals of the sheet, as its own page has them, and what is not saved yet beside them.
  function showFoot() {
    const of = form.querySelector(".foot-of");
    if (!of) return;
    const cells = [...form.querySelectorAll(".foot-sum")];
    const base = numbers(of.dataset.base);
    const isWhole = base.length === cells.length;
    const by = rows.map(adds);
    if (isWhole) {
      const sums = base.map((one, place) => by.reduce((sum, row) => sum + (row?.[place] ?? 0), one));
      cells.forEach((cell, place) => (cell.textContent = minus(sums[place])));
      of.dataset.total = sums.reduce((sum, one) => sum + one, 0);
    }
    const left = rows.filter((_, place) => !by[place] || (!isWhole && by[place].length));
    const facts = { total: minus(of.dataset.total ?? ""), hands: left.map((row) => row.dataset.hand).join(", ") };
    const said = isWhole ? (left.length ? words.say.without : words.say.of) : left.length ? words.say.left : "";
    of.textContent = fill(said, facts);
  }

  // What the head says of the sheet: hands that are not stored are missing.
  function showUnsaved() {
    const shown = document.getElementById("not-saved");
    if (!shown) return; // a second entry has no such head
    const n = rows.filter(isUnsaved).length;
    shown.hidden = !n;
    shown.querySelector("span").textContent = fill(n === 1 ? words.say.one_unsaved : words.say.unsaved, { n });
    document.getElementById("all-in")?.toggleAttribute("hidden", n > 0);
  }

  // A number that no seat can have as hearts, but as points.
  const isAsPoints = (text) =>
    /^\d+$/.test(text) && words.hearts > 0 && words.known && Number(text) > words.hearts && Number(text) <= words.total;

  // A number that went to two seats though it could be one: points, or more hearts than are left.
  const isOneNumber = ({ text }) => isAsPoints(text) || (words.hearts > 0 && Number(text) <= words.hearts);
  const splitSaid = (field, told) => {
    const split = splits.find((one) => one.field === field && isOneNumber(one));
    const isStill = split && told.state !== "ok" && split.text.startsWith(field.value);
    return isStill ? fill(words.say.not_one, { number: split.text }) : "";
  };

  // The total of a row if its numbers are the points of a hand, not its hearts.
  function pointsOf(row) {
    const texts = seatsOf(row).map((field) => field.value.trim());
    const sum = texts.reduce((total, text) => total + Number(text), 0);
    return texts.every((text) => /^\d+$/.test(text)) && isAsPoints(String(sum)) && sum === words.total ? sum : 0;
  }

  const isInDoubt = (row) => row.dataset.way === "counts" && !("stored" in row.dataset) && row.told.state !== "ok";

  // The question beside the button that switches to points.
  function askPoints() {
    const ask = document.getElementById("ask-points") ?? says;
    const doubtful = rows.filter(isInDoubt);
    const typed = doubtful.flatMap(seatsOf).map((field) => field.value.trim());
    const split = splits.filter(isOneNumber).map(({ text }) => text);
    const asPoints = pointsButton ? split.find(isAsPoints) : undefined;
    const number = pointsButton ? typed.find(isAsPoints) ?? doubtful.map(pointsOf).find(Boolean) : undefined;
    let said = "";
    if (asPoints) said = fill(words.say.ask_split, { number: asPoints });
    else if (number) said = fill(words.say.ask_points, { number });
    else if (split.length) said = fill(words.say.split, { number: split[0] });
    else if (ask === says) return;
    if (ask.textContent !== said) ask.textContent = said;
  }

  // Puts together what went to the next seat: 1 and 5 are 15 points, and what came after moves up.
  function join({ field, text }) {
    const rest = rows.slice(rows.indexOf(rowOf(field)));
    const end = rest.findIndex((row) => !isInDoubt(row));
    const fields = (end < 0 ? rest : rest.slice(0, end)).flatMap(seatsOf);
    const at = fields.indexOf(field);
    const joined = field.value + (fields[at + 1]?.value ?? "");
    // Somebody may have changed it since; and more than a hand has are two hearts, side by side.
    if (at < 0 || !joined.startsWith(text) || Number(joined) > words.total) return;
    field.value = joined;
    for (let n = at + 1; n < fields.length; n++) fields[n].value = fields[n + 1]?.value ?? "";
  }

  pointsButton?.addEventListener("click", () => splits.reverse().forEach(join));

  function update(row) {
    show(row);
    if (!row.told.state || row.told.state === "ok") splits = splits.filter(({ field }) => rowOf(field) !== row);
    showFoot();
    showUnsaved();
    askPoints();
    const reason = document.querySelector("#reason")?.closest(".asked");
    if (reason) {
      // What came back refused is changed as well, though its fields are as the page brought them.
      const isRefused = (row) => "unsaved" in row.dataset && "said" in row.dataset;
      const isChanged = rows.some((one) => "stored" in one.dataset && (isRefused(one) || !isAsStored(one)));
      reason.hidden = !isChanged && !reason.querySelector("input").value;
    }
  }

  // What nobody has yet, written as a cell: hearts, then each card's letter or code
  function restOf(row, field) {
    if (row.dataset.way !== "counts") return "";
    if (hasMelds) {
      const others = seatsOf(row).filter((one) => one !== field).map(read);
      return others.includes(null) ? "" : String(Math.max(words.tricks - others.reduce((sum, one) => sum + one.tricks, 0), 0));
    }
    const nobody = row.querySelector("input[data-kind=unclaimed]")?.value.trim() ?? "";
    const others = [...seatsOf(row).filter((one) => one !== field).map(read), nobody ? pile(nobody) : { hearts: 0, cards: [] }];
    if (others.includes(null)) return "";
    const hearts = words.hearts - others.reduce((sum, one) => sum + one.hearts, 0);
    const count = (card) => others.reduce((n, one) => n + one.cards.filter((c) => c === card).length, 0);
    const cards = words.cards.flatMap((card) => Array(Math.max(card.copies - count(card), 0)).fill(card));
    if (hearts < 0) return "";
    if (words.lettered) return `${words.hearts ? hearts : ""}${cards.map((card) => card.key).join("")}` || "0";
    return [...(hearts ? [hearts] : []), ...cards.map((card) => card.code)].join(" ") || "0";
  }

  function giveRest(field) {
    const row = rowOf(field);
    const rest = restOf(row, field);
    if (!rest) return;
    put(field, rest);
    if (isFresh && field === document.activeElement) field.setSelectionRange(rest.length, rest.length);
  }

  // Behind what was just typed for a seat, r is the first character of the next one.
  function restGoesTo(field) {
    const next = beside(field, 1);
    if (!isFresh || !field.value || !next || next.value || rowOf(next) !== rowOf(field)) return field;
    next.focus();
    isFresh = true;
    return next;
  }

  function giveMoon(field) {
    const row = rowOf(field);
    for (const other of seatsOf(row)) put(other, other === field ? words.moon : "0");
    afterMoon = row;
    isFresh = true;
  }

  function put(field, text) {
    field.value = text;
    form.toggleAttribute("data-dirty", true);
    update(rowOf(field));
  }

  // Moving
  function beside(field, by) {
    const all = rows.flatMap(seatsOf);
    return all[all.indexOf(field) + by];
  }

  function below(field, by) {
    const row = rows[rows.indexOf(rowOf(field)) + by];
    const name = field.dataset.row ? `[data-row="${field.dataset.row}"]` : `[data-kind="${field.dataset.kind}"]`;
    return row && row.querySelector(`input${name}`);
  }

  function goOn(field) {
    const row = rowOf(field);
    const open = seatsOf(row).filter((one) => !one.value.trim());
    if (open.length === 1 && open[0] === field && seatsOf(row).length > 1) giveRest(field);
    const fields = [...row.querySelectorAll("input[data-row], input[data-kind]")].filter(
      (one) => one === field || one.dataset.row || ["tricks", "unclaimed"].includes(one.dataset.kind),
    );
    const last = seatsOf(row).at(-1);
    const from = afterMoon === row && field.dataset.row ? last : field;
    // Enter goes through what is counted beside the seats too: tricks, and what nobody took.
    const next = fields[fields.indexOf(from) + 1] ?? beside(last, 1);
    if (next) next.focus();
    else form.querySelector(".btn.pri").focus();
    if (!next || rowOf(next) !== row) announce(row);
  }

  // What a row came to is said once it is left.
  function announce(row) {
    const told = row.told;
    says.textContent = told.state === "no" ? `${told.first} ${told.rest ?? ""}` : "";
  }

  // Whether a text can stand in this field: letters that there are, no more hearts than are left.
  function canStand(field, text) {
    const body = text.replace(/[+-]?\*?$/, "");
    const found = lettered(body);
    if (!found || (found.hearts && !words.hearts) || /^0\d/.test(body)) return false;
    const left = seatsOf(rowOf(field))
      .filter((one) => one !== field && rows.indexOf(rowOf(one)) >= 0 && isBefore(one, field))
      .reduce((sum, one) => sum - ((read(one) || {}).hearts || 0), words.hearts);
    if (/^\d\d/.test(body) && found.hearts > left) return false;
    return words.cards.every((card) => found.cards.filter((one) => one === card).length <= card.copies);
  }

  const isBefore = (one, other) => Boolean(one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING);

  // A character that cannot belong to this seat any more is the first of the next one.
  form.addEventListener("beforeinput", (event) => {
    const field = event.target;
    const typed = event.data;
    if (!field.matches?.("input[data-row]") || !typed || typed.length !== 1) return;
    if (event.inputType !== "insertText" || rowOf(field).dataset.way !== "counts") return;
    const isAll = field.selectionStart === 0 && field.selectionEnd === field.value.length;
    const key = typed.toLowerCase();
    if ((key === "r" || key === "m") && (words.lettered || isAll)) {
      event.preventDefault();
      if (key === "r") giveRest(restGoesTo(field));
      else if (words.moon) giveMoon(field);
      return;
    }
    if (!words.lettered) return;
    if (typed === " ") {
      event.preventDefault();
      goOn(field);
      return;
    }
    const isAtEnd = field.selectionStart === field.value.length;
    if (isAll || !isAtEnd || !isFresh || !/[0-9a-z]/.test(key)) return;
    if (canStand(field, field.value + typed) || !canStand(field, typed)) return;
    const row = rowOf(field);
    const next = afterMoon === row ? beside(seatsOf(row).at(-1), 1) : beside(field, 1);
    if (!next) return;
    event.preventDefault();
    if (/^\d+$/.test(field.value + typed)) splits.push({ field, text: field.value + typed });
    next.focus();
    if (rowOf(next) !== row) announce(row);
    put(next, typed);
    next.setSelectionRange(1, 1); // what stood there may have been the same, and is selected
    isFresh = true;
  });

  form.addEventListener("keydown", (event) => {
    const field = event.target;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      form.requestSubmit(form.querySelector(".btn.pri"));
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (!field.matches("input[data-row], input[data-kind]")) return;
    const [start, end, length] = [field.selectionStart, field.selectionEnd, field.value.length];
    // Somebody who types goes on by arrows; one who went into the text moves in it.
    const isOnItsWay = (start === 0 && end === length) || (isFresh && words.lettered);
    let to = null;
    if (event.key === "Enter") {
      event.preventDefault();
      goOn(field);
      return;
    }
    if (event.key === "ArrowDown") to = below(field, 1);
    else if (event.key === "ArrowUp") to = below(field, -1);
    else if (event.key === "ArrowRight" && (isOnItsWay || start === length)) to = beside(field, 1);
    else if (event.key === "ArrowLeft" && (isOnItsWay || end === 0)) to = beside(field, -1);
    else if (event.key === "Escape" && field.value !== field.defaultValue) {
      put(field, field.defaultValue);
      field.select();
    }
    if (to) {
      event.preventDefault();
      to.focus();
    }
  });

  // A sheet with names above: Enter goes on through them, and they are those of the columns.
  const names = [...form.querySelectorAll('input[name^="seat-"]')];
  const heads = [...form.querySelectorAll("thead b")];
  const nameOf = (seat) => names[seat].value.replace(/ \(.*/, "") || names[seat].labels[0].textContent;
  function nameColumns() {
    sheet.names = sheet.units.map((seats) => seats.map(nameOf).join(" & "));
    sheet.names.forEach((name, place) => (heads[place].textContent = name));
  }
  if (names.length) form.addEventListener("input", (event) => names.includes(event.target) && nameColumns());
  form.addEventListener("keydown", (event) => {
    const fields = [...form.querySelectorAll("select, input:not([type=hidden])")];
    const isBefore = !rowOf(event.target) && fields.includes(event.target);
    if (!names.length || event.key !== "Enter" || event.ctrlKey || event.metaKey || !isBefore) return;
    event.preventDefault();
    fields[fields.indexOf(event.target) + 1].focus();
  });

  // What is typed replaces what stood there; a block of cells goes to the server, which reads it.
  form.addEventListener("focusin", (event) => {
    if (!event.target.matches("input[data-row], input[data-kind]")) return;
    event.target.select();
    isFresh = false;
    if (afterMoon !== rowOf(event.target)) afterMoon = null;
  });
  form.addEventListener("paste", (event) => {
    const field = event.target;
    if (!form.elements.paste) return;
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!field.matches("input[data-row]") || !/[\t\n]/.test(text.trim())) return;
    event.preventDefault();
    form.elements.paste.value = text;
    form.elements.paste_at.value = rowOf(field).dataset.hand;
    form.requestSubmit(form.querySelector('button[value="paste"]'));
  });
  form.addEventListener("input", (event) => {
    form.toggleAttribute("data-dirty", true);
    isFresh = true;
    const row = rowOf(event.target);
    if (row) update(row);
  });
  form.addEventListener("submit", () => form.removeAttribute("data-dirty"));
  window.addEventListener("beforeunload", (event) => {
    if (form.hasAttribute("data-dirty")) event.preventDefault();
  });

  rows.forEach(show);
  if (rows.length) update(rows[0]);
  const begin = document.querySelector(".note[autofocus]") ?? form.querySelector("[autofocus]") ?? document.querySelector(".note.bad[tabindex]");
  begin?.focus();
  if (begin?.matches("input")) begin.select();
})();
