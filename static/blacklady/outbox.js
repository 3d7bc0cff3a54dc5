// The host's page without a signal: what is saved goes into the phone's outbox first, and from there
// to the form's own address. Shows what waits, what was sent and what needs somebody. Without this
// script, or where the browser has no place to keep things, the form posts as it always did.
"use strict";

(() => {
  const place = document.getElementById("outbox");
  const store = self.outbox;
  if (!place || !store || !window.isSecureContext || !navigator.locks) return;

  const PATIENCE_MS = 8000;
  const FIRST_PAUSE_MS = 5000;
  const LONGEST_PAUSE_MS = 60000;
  const TIDY_MS = 10 * 60 * 1000;
  const SHOWN_SENT = 3;
  const UNFOLDED = "queue-unfolded";
  const site = JSON.parse(place.dataset.outbox);
  const form = site.table ? document.querySelector(".desk-form") : null;
  const badge = document.getElementById("outbox-badge");
  const says = document.getElementById("outbox-says");
  const checks = self.handChecks;
  const sheet = JSON.parse(document.querySelector(".desk-form")?.dataset.checks ?? "null");
  const loaded = Date.now();
  const isHere = (hand) => hand.table === site.table && hand.number === Number(form?.elements.number.value);
  // What this very page asks about needs no line in the queue; it is not in either.
  const isOpen = (hand) => form && !site.fresh && isHere(hand) && store.ASKING.includes(hand.state);
  let busy = false;
  let sending = false;
  let changing = null;
  let contact = true;
  let timer = 0;

  const fill = (text, facts) => text.replace(/\{(\w+)\}/g, (_, name) => facts[name] ?? "");
  const say = (word, facts = {}) => fill(site.say[word], facts);
  const counted = (word, n) => say(n === 0 ? word : n === 1 ? `${word}_one` : `${word}_many`, { n });
  // On the page of this device attendance is counted apart from hands.
  function countedOf(word, kept) {
    const presses = site.table ? [] : kept.filter((one) => one.label);
    if (!presses.length) return counted(word, kept.length);
    const changes = counted("n_changes", presses.length);
    const hands = kept.length - presses.length;
    return say(`${word}_of`, { what: hands ? say("n_both", { hands: counted("n_hands", hands), changes }) : changes });
  }
  const clock = (when) =>
    new Intl.DateTimeFormat(document.documentElement.lang || "en", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(new Date(when));
  const isStopped = (hand) => hand.state === "stopped";
  const isAway = () => !navigator.onLine || !contact;
  const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

  function announce(text) {
    says.textContent = text;
  }

  // --- What is shown ---------------------------------------------------------------------------

  function element(name, css = "", text = "") {
    const made = document.createElement(name);
    if (css) made.className = css;
    if (text) made.textContent = text;
    return made;
  }

  function icon(name) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    made.setAttribute("class", "ic");
    made.setAttribute("aria-hidden", "true");
    const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
    use.setAttribute("href", `${site.icons}#${name}`);
    made.append(use);
    return made;
  }

  const ICONS = { waiting: "clock", stopped: "clock", sent: "check", there: "check", mended: "check",
    asked: "pen", question: "moon", refused: "warn", left: "flag" };

  function button(text, act, label = text, css = "btn sm") {
    const made = element("button", css, text);
    made.type = "button";
    if (label !== text) made.setAttribute("aria-label", label);
    made.addEventListener("click", act);
    return made;
  }

  function nameOf(hand) {
    if (hand.label) return site.table ? hand.label : `${hand.name}: ${hand.label}`;
    const what = hand.number ? say("hand", { hand: hand.number }) : say("totals");
    return site.table ? what : say("of_table", { table: hand.name, hand: hand.number });
  }

  function acts(hand) {
    const facts = { hand: hand.number };
    const apart = hand.label && !site.table ? "_change" : "";
    const found = [];
    if (store.ASKING.includes(hand.state)) {
      found.push(button(say(apart ? "open_change" : `open_${hand.state}`, facts), () => openAsPage(hand)));
      found.push(button(say(`leave${apart}`, facts), () => leave(hand)));
    } else if (hand.state === "left" && !hand.label) {
      found.push(button(say("open_left", facts), () => openAsPage(hand)));
    } else if (hand.to && hand.state === "stopped") {
      const link = element("a", "btn sm", hand.way);
      link.href = hand.to;
      found.push(link);
    }
    return found;
  }

  const mayChange = (hand) =>
    store.WAITING.includes(hand.state) && changing?.id !== hand.id &&
    form && site.fresh && hand.table === site.table && wayOf(hand) === form.elements.way.value;

  // What each row took; points and totals where they are the sum of the cards.
  function tookLine(hand, totals) {
    const made = element("p", "small took");
    hand.took.forEach(({ name, text }, at) => {
      const after = totals.get(hand.id)?.[at];
      const points = hand.points ? ` ${signed(hand.points[at])}` : "";
      const parts = [`${name} ${text}${points}`, ...(after === undefined ? [] : [fill(sheet.say.total, { n: minus(after) })])];
      made.append(element("span", "", parts.join(", ")), " ");
    });
    return made;
  }

  const minus = (number) => String(number).replace("-", "\u2212");
  const signed = (points) => (points > 0 ? `+${points}` : minus(points));

  // The totals after each hand that this page does not know of, as far as they are plain sums.
  function totalsAfter(hands) {
    const found = new Map();
    if (!sheet?.totals || !sheet.plain?.adds_up || !site.fresh) return found;
    let sums = sheet.totals;
    const later = hands.filter((hand) => hand.number >= site.number && [...store.WAITING, "sent", "there"].includes(hand.state));
    for (const hand of later.sort((one, other) => one.number - other.number)) {
      if (!hand.points || hand.doubt || sums.length !== hand.points.length) break;
      sums = sums.map((total, at) => total + hand.points[at]);
      found.set(hand.id, sums);
    }
    return found;
  }

  const stateOf = (hand) =>
    (hand.doubt && store.WAITING.includes(hand.state) ? `${hand.state}_${hand.doubt}` : hand.state);

  function line(hand, totals) {
    const made = element("li", `is-${hand.state}`);
    const top = element("div", "line");
    const name = element("span", "", nameOf(hand));
    if (mayChange(hand)) {
      const label = say("change", { hand: hand.number });
      name.append(" ", button(say("change_short"), () => takeBack(hand), label, "as-link"));
    }
    top.append(name);
    const state = element("span", "state");
    const at = hand.told && hand.state !== "stopped" ? hand.told : hand.typed;
    state.append(icon(hand.doubt && hand.state === "waiting" ? "warn" : ICONS[hand.state]), " ", say(stateOf(hand), { time: clock(at) }));
    top.append(state);
    made.append(top);
    if (hand.took && hand.state !== "mended") made.append(tookLine(hand, totals));
    const reason = hand.reason || (hand.state === "refused" ? say("unknown") : "");
    if (reason && (store.ASKING.includes(hand.state) || hand.state === "stopped")) made.append(element("p", "small", reason));
    const row = element("div", "row");
    row.append(...acts(hand));
    if (row.childNodes.length) made.append(row);
    return made;
  }

  function showNote(waiting, asking, done, hands) {
    const away = isAway();
    const is_open = waiting.length + asking.length > 0 || away;
    place.hidden = !is_open && Boolean(site.table);
    place.className = `note outbox ${is_open ? "warn" : "good"}`;
    if (waiting.some(isStopped)) place.open = true;
    const totals = totalsAfter(hands);
    const title = asking.length && !away ? countedOf("needs", asking)
      : away ? (asking.length && !waiting.length ? countedOf("away_needs", asking) : countedOf("no_signal", waiting))
      : waiting.length ? countedOf("waits", waiting)
      : say(done.length ? "log" : "nothing");
    const isOver = site.of && form && site.fresh && Number(form.elements.number.value) > site.of + site.deleted;
    const head = place.querySelector("h2");
    head.replaceChildren(icon(away ? "off" : asking.length ? "warn" : waiting.length ? "clock" : "on"), element("span", "", isOver ? `${title}. ${say("all_typed", { of: site.of })}` : title));
    const more = [];
    if (waiting.length) more.push(say(waiting.some(isStopped) ? "stopped_all" : "go_on"));
    else if (away) more.push(say("go_away"));
    if (asking.length) more.push(say("needs"));
    if (site.at && (away || waiting.length)) more.push(say("as_of", { time: clock(site.at) }));
    document.getElementById("outbox-more").textContent = more.join(" ");
    const newest = (one, other) => other.id - one.id;
    const focused = [...place.querySelectorAll("li button, li a")].indexOf(document.activeElement);
    const shown = [...asking.sort(newest), ...waiting.sort(newest), ...done.sort(newest).slice(0, site.table ? SHOWN_SENT : 100)];
    place.querySelector("ul").replaceChildren(...shown.map((hand) => line(hand, totals)));
    if (focused >= 0) place.querySelectorAll("li button, li a")[focused]?.focus({ preventScroll: true });
  }

  function showBadge(waiting, asking, done, isUnsaved) {
    const away = isAway();
    const [text, css, sign] = away ? [counted("offline", waiting.length), "warn", "off"]
      : asking.length ? [counted("asks", asking.length), "warn", "warn"]
      : waiting.some(isStopped) ? [countedOf("waits", waiting), "warn", "warn"]
      : waiting.length ? [say("sends"), "info", "clock"]
      : isUnsaved ? [say("unsaved"), "warn", "warn"]
      : [say("all_sent"), "good", "on"];
    badge.hidden = !isUnsaved && !away && !asking.length && !waiting.length && !done.length;
    badge.className = `badge ${css}`;
    if (badge.textContent && badge.textContent !== text) announce(text);
    badge.replaceChildren(icon(sign), element("span", "", text));
  }

  // The page with the totals of what was sent; a queue that is unfolded stays so.
  function comeAnew(address) {
    sessionStorage.setItem(UNFOLDED, place.open ? "yes" : "");
    location.replace(address);
  }

  async function render() {
    const here = (await store.all()).filter((hand) => !site.table || hand.table === site.table);
    const hands = here.filter((hand) => !isOpen(hand));
    const isUnsaved = here.length > hands.length || Boolean(document.querySelector(".desk-form > .note.bad"));
    const of = (states) => hands.filter((hand) => states.includes(hand.state));
    const waiting = of(store.WAITING);
    const asking = of(store.ASKING);
    const done = of(store.SETTLED);
    showBadge(waiting, asking, done, isUnsaved);
    const isNewer = of(["sent", "there"]).some((hand) => hand.told > loaded) && !busy && !sending && !isAway();
    // The sheet has no form: it comes anew when nothing waits any more.
    if (isNewer && site.at && !form && !waiting.length) comeAnew(location.pathname + location.search);
    if (form && site.fresh) {
      if (!changing) {
        moveTo(nextNumber(hands));
        offerBoard(hands);
      }
      showTotals(here);
      if (isNewer && !changing && isUntouched()) comeAnew(site.home);
    }
    if (!busy || isAway()) showNote(waiting, asking, done, hands); // nothing jumps while a hand is on its way
    showNext(here);
    // What the page said when it came is old once there are hands that it does not know of.
    if (waiting.length && (isAway() || waiting.some(isStopped))) document.querySelector(".desk > .note.stack[role=status]")?.remove();
    place.dataset.shown = String(hands.length);
  }

  // A button of another page of this table names the hand that its form is for; a table of which hands
  // are entered here has no totals of its own.
  function showNext(hands) {
    const entered = hands.filter((hand) => !["left", "mended"].includes(hand.state)).map((hand) => hand.number);
    for (const shown of document.querySelectorAll("[data-next-hand]")) {
      const first = Number(shown.dataset.nextHand);
      const after = entered.filter((number) => number >= first).map((number) => number + 1);
      shown.textContent = say("enter", { hand: Math.max(first, ...after) });
    }
    for (const shown of document.querySelectorAll("[data-no-hand]")) shown.hidden = entered.length > 0;
  }

  // --- The form of the next hand ---------------------------------------------------------------

  // One after the last that was typed here; a hand that was left out is asked for by its number or by the page.
  function nextNumber(hands) {
    const is_gap = site.number === 0 || location.search.includes("number=");
    const typed = hands.filter((hand) => [...store.WAITING, ...(is_gap ? [] : ["sent", "there"])].includes(hand.state));
    const numbers = typed.map((hand) => hand.number).filter((number) => number >= site.number);
    return (is_gap || site.missing) && !numbers.includes(site.number) ? site.number : Math.max(site.number, ...numbers.map((number) => number + 1));
  }

  function moveTo(number) {
    const facts = { hand: number, of: site.of };
    form.elements.number.value = String(number);
    document.title = fill(site.title, facts);
    document.querySelector(".desk-top h1 .hand").textContent = say(number <= site.of ? "head_of" : "head", facts);
    const ring = (names) => (names.length ? names[(number - 1) % names.length] : "");
    for (const [kind, names] of [["dealer", site.dealers], ["pass", site.passes]]) {
      const shown = document.querySelector(`[data-ring=${kind}]`);
      if (shown) shown.textContent = ring(names);
    }
    form.querySelector(".acts .pri").textContent = say(isAway() || changing ? "keep" : "save", facts);
  }

  // The first board of the round that was not played here, neither when the page came nor since.
  function offerBoard(hands) {
    const field = form.elements.board;
    if (!field?.dataset.boards || field.value !== field.defaultValue) return;
    const entered = hands.filter((hand) => hand.number >= site.number && !["left", "mended"].includes(hand.state));
    const played = entered.map((hand) => hand.fields?.find(([name]) => name === "board")?.[1]);
    field.defaultValue = field.dataset.boards.split(" ").find((number) => !played.includes(number)) ?? "";
    field.value = field.defaultValue;
  }

  const newKey = () => `phone-${crypto.randomUUID()}`;
  const boxes = () => [...form.elements].filter((field) => field.matches("input:not([type=hidden]), select, textarea"));
  const isUntouched = () =>
    boxes().every((field) => (field.type === "radio" || field.type === "checkbox" ? field.checked === field.defaultChecked
      : field.tagName === "SELECT" ? true : field.value === field.defaultValue));
  const wayOf = (hand) => hand.fields.find(([name]) => name === "way")?.[1];

  function empty() {
    const { number } = form.elements;
    const kept = number.value;
    form.reset();
    number.value = kept;
    form.elements.key.value = newKey();
    form.dispatchEvent(new Event("input", { bubbles: true }));
    scrollTo(0, 0); // the next hand begins at its first seat, its name included
    form.querySelector(".step input, .check input, .field input")?.focus({ preventScroll: true });
    store.dropDrafts(draftId()).catch(() => {});
    showRestored(0);
  }

  // A hand that waits may be changed before it goes: its boxes are filled in again.
  function fillIn(fields) {
    for (const [name, value] of fields) {
      for (const field of boxes().filter((box) => box.name === name)) {
        if (field.type === "radio" || field.type === "checkbox") {
          if (field.value === value && !field.checked) {
            field.checked = true;
            break;
          }
        } else field.value = value;
      }
    }
  }

  function takeBack(hand) {
    changing = null;
    empty();
    fillIn(hand.fields);
    changing = hand;
    moveTo(hand.number);
    place.open = false;
    form.dispatchEvent(new Event("input", { bubbles: true }));
    announce(say("changed", { hand: hand.number }));
    render();
  }

  function typedHand(go) {
    const skipped = ["csrfmiddlewaretoken", "go"];
    const fields = [...new FormData(form)].filter(([name, value]) => !skipped.includes(name) && typeof value === "string");
    fields.push(["go", go]);
    const of = (name) => fields.find(([found]) => found === name)?.[1] ?? "";
    return {
      key: of("key"), number: Number(of("number")), fields, action: form.getAttribute("action"),
      table: site.table, name: site.name, home: site.home, owner: site.owner,
    };
  }

  async function keep(hand) {
    const before = changing;
    changing = null;
    const { key, fields, action, took, points, doubt } = hand;
    const patch = { key, fields, action, took, points, doubt, typed: Date.now(), told: 0, state: "waiting", reason: "" };
    const states = [...store.WAITING, ...store.ASKING]; // it may have been sent and refused meanwhile
    if (before && (await store.change(before.id, { key: before.key, states }, patch))) return before.id;
    // A refused hand that is mended here is the same hand, not one more.
    const asked = (await store.all()).find(isOpen);
    if (asked && (await store.change(asked.id, { key: asked.key, states: store.ASKING }, patch))) return asked.id;
    return store.add(hand);
  }

  // --- What the phone itself knows of a hand ---------------------------------------------------

  const wayNow = () => form.elements.way.value;

  // Hands of this table before the one in the form that its page does not know of.
  const unknownIn = (hands) =>
    hands.filter(({ table, number, state }) => table === site.table && number >= site.number && number < Number(form.elements.number.value) && !["mended", "left"].includes(state))
      .sort((one, other) => one.number - other.number);

  // Totals of the table's units before the hand in the form; null where hands between are open.
  function totalsBefore(unknown) {
    const last = unknown.at(-1);
    return last ? (totalsAfter(unknown).get(last.id) ?? null) : (sheet?.totals ?? null);
  }

  const totalsNow = async () => totalsBefore(unknownIn(await store.all()));

  // Beside each seat: its total with what was entered here since, or that this is not in it.
  function showTotals(hands) {
    const unknown = unknownIn(hands);
    const totals = totalsBefore(unknown);
    const isUnsent = unknown.some((hand) => !["sent", "there"].includes(hand.state));
    form.querySelectorAll(".seatrow:not(.nobody) .tot").forEach((shown, at) => {
      shown.dataset.tot ??= shown.textContent.trim();
      const facts = { text: shown.dataset.tot, n: minus(totals?.[at]) };
      shown.textContent = !unknown.length ? facts.text : say(!totals ? "total_without" : isUnsent ? "total_unsent" : "total_so_far", facts);
    });
  }

  // What was taken, the points where they are known, and whether it adds up.
  function judged(fields, go, totals = null) {
    if (!sheet || !checks) return {};
    const choice = /^save:slam_choice=(\w+)$/.exec(go)?.[1];
    const all = choice ? [...fields, ["slam_choice", choice]] : fields;
    const hand = checks.handOf(sheet, wayNow(), all);
    const found = checks.verdict(sheet, hand, totals);
    const asks = checks.question(sheet, found);
    const told = asks ? [] : found.problems.length || checks.isEmpty(hand) ? checks.told(sheet, hand, found) : [];
    return { took: checks.taken(sheet, hand), points: found.points, doubt: asks ? "choice" : told.length ? "sum" : "", asks, told };
  }

  // Whether the hand before the form's is the same, for the same people: its number, else 0.
  function repeatOf(fields, go, hands) {
    if (!sheet || !checks || !site.fresh || !site.say.twice) return 0;
    const seated = fields.find(([name]) => name === "seated")?.[1];
    const known = hands.filter((hand) => hand.table === site.table && hand.id !== changing?.id && !["left", "mended"].includes(hand.state));
    const others = [...known, ...(site.last ? [site.last] : [])].filter((hand) => hand.number > 0);
    const before = others.filter((hand) => hand.number < Number(form.elements.number.value)).sort((one, other) => other.number - one.number)[0];
    if (!before || before.fields.find(([name]) => name === "seated")?.[1] !== seated) return 0;
    const isSame = checks.isRepeated(sheet, handOf(fields, go), handOf(before.fields));
    return isSame ? before.number : 0;
  }

  // The hand of fields as they were saved, with the way in which a moon was settled by the button.
  function handOf(fields, go = "") {
    const button = go || (fields.find(([name]) => name === "go")?.[1] ?? "");
    const choice = /^save:slam_choice=(\w+)$/.exec(button)?.[1];
    const way = fields.find(([name]) => name === "way")?.[1] ?? wayNow();
    return checks.handOf(sheet, way, choice ? [...fields, ["slam_choice", choice]] : fields);
  }

  // Whether more is asked about a hand: a moon without its settlement, or a sum that is off.
  const isDoubtful = (hand, go) => go === "save" && Boolean(judged(hand.fields, go).doubt);

  const panel = () => document.getElementById("keep-check");

  // While the panel asks, its own button saves, and the form's is not shown beside it.
  function openPanel(...content) {
    const shown = panel();
    shown.replaceChildren(...content);
    shown.hidden = false;
    showSave(false);
    shown.focus();
  }

  function closePanel() {
    const shown = panel();
    if (!shown || shown.hidden) return;
    shown.hidden = true;
    shown.replaceChildren();
    showSave(true);
  }

  function showSave(isShown) {
    const save = form.querySelector('.acts button[name="go"][value="save"]');
    if (save) save.hidden = !isShown;
  }

  // One way to settle a moon, with each total before and after it, as the server shows it.
  function settlement(hand, way, totals) {
    const go = `save:slam_choice=${way.choice}`;
    const { points } = judged(hand.fields, go, totals);
    const made = button("", () => confirm(go), "", "btn way");
    made.append(element("b", "", way.text));
    points?.forEach((number, at) => {
      const line = element("span", number ? "line now" : "line");
      const moves = totals ? `${minus(totals[at])} → ${minus(totals[at] + number)}` : signed(number);
      line.append(element("span", "", sheet.names[at]), " ", element("span", "num", moves));
      made.append(line);
    });
    return made;
  }

  // What is missing, or how a moon is settled: asked where the thumb is, before the hand is kept.
  function ask(hand, totals) {
    const text = hand.asks ? hand.asks.text : hand.told.join(" ");
    const row = element("div", hand.asks ? "row ways" : "row");
    for (const way of hand.asks?.ways ?? []) row.append(settlement(hand, way, totals));
    row.append(hand.asks ? button(say("no_moon"), closePanel) : button(say("keep_anyway"), () => confirm("save"), undefined, "btn"));
    const said = element("p");
    said.append(icon(hand.asks ? "moon" : "warn"), " ", element("span", "", text));
    openPanel(said, row);
  }

  // The same hand twice: saved as it is, or left out of the outbox and of the form.
  function askTwice(go, number, other) {
    const row = element("div", "row");
    row.append(
      button(say("keep", { hand: number }), () => confirm(go, true), undefined, "btn"),
      button(say("leave_twice"), () => (closePanel(), empty(), render()), undefined, "btn"),
    );
    const said = element("p");
    said.append(icon("warn"), " ", element("span", "", say("twice", { hand: number, other })));
    openPanel(said, row);
  }

  function confirm(go, mayRepeat = false) {
    if (busy) return;
    closePanel();
    start(go, true, mayRepeat);
  }

  // --- What is being entered -------------------------------------------------------------------

  const formFields = () => [...new FormData(form)].filter(([name, value]) => typeof value === "string" && !["csrfmiddlewaretoken", "go", "key", "number", "way", "based_on"].includes(name));
  const draftId = () => [site.owner, form.getAttribute("action"), form.elements.number.value, wayNow(), form.elements.based_on?.value ?? "", form.elements.seated?.value ?? ""].join(" ");
  let mayKeepDraft = false;

  function keepDraft() {
    closePanel();
    if (!mayKeepDraft || busy || changing) return;
    const work = isUntouched() ? store.dropDrafts(draftId()) : store.keepDraft(draftId(), formFields());
    work.catch(() => {});
  }

  // Numbers that were entered and not saved, on this form, by this person: they are there again.
  async function restoreDraft() {
    const draft = site.is_get ? await store.draft(draftId()) : null;
    if (draft && isUntouched()) {
      fillIn(draft.fields);
      form.dispatchEvent(new Event("input", { bubbles: true }));
      showRestored(draft.typed);
    }
    mayKeepDraft = Boolean(site.is_get);
  }

  function showRestored(typed) {
    const shown = document.getElementById("restored");
    if (!shown) return;
    shown.hidden = !typed;
    shown.replaceChildren();
    if (typed) shown.append(say("restored", { time: clock(typed) }), " ", button(say("discard"), empty));
  }

  // --- Sending ---------------------------------------------------------------------------------

  const token = () => form?.elements.csrfmiddlewaretoken?.value ?? "";

  async function flush(seen = null) {
    clearTimeout(timer);
    timer = 0;
    if (!navigator.onLine) return;
    sending = true;
    const done = await store.flush({ csrf: token(), seen }).finally(() => (sending = false));
    contact = done.contact;
    if (!contact) tryAgain(done.pause_s * 1000);
  }

  // Whatever happens to an attempt, another one follows while the page is open.
  function tryAgain(pause_ms) {
    clearTimeout(timer);
    timer = setTimeout(() => sendOn().catch(() => tryAgain(LONGEST_PAUSE_MS)), pause_ms);
  }

  async function sendOn() {
    const open = (await store.all()).some((hand) => store.WAITING.includes(hand.state));
    if (open) await flush();
    else contact = true;
    await render();
  }

  async function register() {
    const worker = await navigator.serviceWorker?.ready;
    await worker?.sync?.register("hands").catch(() => {});
  }

  // As a page the server says what is wrong or asks, and takes the answer: the form is sent as it
  // was typed. Whether there is a way at all is asked first, so nobody lands on an empty page.
  function asPage(hand, csrf) {
    const made = element("form");
    made.method = "post";
    made.action = hand.action;
    made.hidden = true;
    for (const [name, value] of [...hand.fields, ["csrfmiddlewaretoken", csrf]]) {
      const field = element("input");
      field.type = "hidden";
      field.name = name;
      field.value = value;
      made.append(field);
    }
    document.body.append(made);
    made.submit();
  }

  async function openAsPage(hand) {
    const way = await store.ready(hand.home);
    if (way?.state !== "ready") return announceAloud(way?.reason || say("needs_signal"));
    if (hand.state === "left") await store.change(hand.id, { key: hand.key, states: ["left"] }, { state: "refused" });
    asPage(hand, way.csrf);
  }

  const leave = (hand) => store.change(hand.id, { key: hand.key, states: store.ASKING }, { state: "left", told: Date.now() });

  function announceAloud(text) {
    announce(text);
    const shown = document.querySelector(".tally [role=status]") ?? document.getElementById("outbox-more");
    shown.textContent = text;
  }

  async function take(go, isAnswered, mayRepeat) {
    const hand = typedHand(go);
    const other = !mayRepeat && isAway() && panel() ? repeatOf(hand.fields, go, await store.all()) : 0;
    if (other && !isDoubtful(hand, go)) {
      busy = false;
      return askTwice(go, hand.number, other);
    }
    if (mayRepeat) hand.fields.push(["repeated", "1"]);
    const totals = await totalsNow();
    Object.assign(hand, judged(hand.fields, go, totals));
    const isAsked = !isAnswered && go === "save" && hand.doubt && panel();
    if (isAway() && isAsked) {
      busy = false;
      return ask(hand, totals);
    }
    const { asks: _question, told: _sentences, ...kept } = hand;
    const draft = draftId();
    const id = await keep(kept);
    store.dropDrafts(draft).catch(() => {});
    await Promise.race([flush(id), later(PATIENCE_MS)]);
    const now = await store.one(id);
    const asks = (await store.all()).some((one) => one.table === site.table && one.id !== id && store.ASKING.includes(one.state));
    if (now && ["sent", "there"].includes(now.state)) location.assign((!asks && now.to) || site.home);
    else if (now && store.ASKING.includes(now.state)) asPage(now, token());
    else {
      if (now?.state === "waiting") contact = false;
      register();
      if (now?.state === "waiting" && isAsked) {
        // The signal went meanwhile: the hand is safe, and what is missing is said now.
        changing = now;
        busy = false;
        moveTo(now.number);
        await render();
        return ask(hand, totals);
      }
      if (!site.fresh) return location.assign(site.home);
      empty();
      busy = false;
      await render();
      announce(`${say("kept", { hand: hand.number })} ${place.querySelector("h2").textContent}`);
      if (!timer && navigator.onLine) tryAgain(FIRST_PAUSE_MS);
    }
  }

  function onSubmit(event) {
    const pressed = event.submitter;
    const go = pressed?.name === "go" ? pressed.value : "save";
    const is_save = /^save(:|$)/.test(go) && !pressed?.hasAttribute("formaction");
    if (form.enctype === "multipart/form-data") return;
    if (!is_save) {
      if (navigator.onLine) return;
      event.preventDefault();
      return announceAloud(say("needs_signal"));
    }
    event.preventDefault();
    if (busy) return; // the second tap of two
    start(go);
  }

  function start(go, isAnswered = false, mayRepeat = false) {
    busy = true;
    take(go, isAnswered, mayRepeat).catch(() => unkept(go));
  }

  // Nowhere to keep it: it is sent as a page, but not into nothing, where it would be gone.
  async function unkept(go) {
    const way = navigator.onLine ? await store.ready(site.home) : null;
    if (way?.state === "ready") return asPage(typedHand(go), way.csrf);
    busy = false;
    announceAloud(way?.reason || say("cannot_keep"));
  }

  // --- The app ---------------------------------------------------------------------------------

  async function isKept() {
    await store.all(); // a page that could keep no hand is no help without a signal
    const pages = await caches.open("blacklady-pages");
    return Boolean(site.home && (await pages.match(site.home)));
  }

  // Who has opened the table's link needs no signal from here on.
  function showReady(is_kept) {
    const shown = document.getElementById("ready-offline");
    if (!shown) return;
    shown.hidden = !is_kept;
    shown.replaceChildren(icon("on"), say("ready"));
  }

  async function keepPage() {
    if (!navigator.serviceWorker) return;
    const container = navigator.serviceWorker;
    container.addEventListener("message", async () => {
      const is_kept = await isKept().catch(() => false);
      place.dataset.kept = is_kept ? "yes" : "no";
      showReady(is_kept);
      showTables();
    });
    await container.register(site.worker);
    const worker = (await container.ready).active;
    const is_kept = await isKept().catch(() => false);
    if (is_kept) place.dataset.kept = "yes";
    if (form || !navigator.onLine) showReady(is_kept);
    const last = Number(sessionStorage.getItem("tidied")) || 0;
    if (navigator.onLine && (site.prepare || Date.now() - last > TIDY_MS || (site.fresh && !is_kept))) {
      sessionStorage.setItem("tidied", String(Date.now()));
      const wanted = site.fresh || site.prepare ? [site.home, site.table] : [];
      worker.postMessage({ tidy: wanted.map((address) => new URL(address, location.href).href) });
    }
  }

  // The page that shows every table of this phone.
  async function showTables() {
    const list = document.getElementById("kept-tables");
    if (!list) return;
    const why = document.getElementById("outbox-why");
    if (location.pathname !== new URL(document.querySelector("#outbox-badge").href).pathname) why.textContent = why.dataset.away;
    const pages = await caches.open("blacklady-pages");
    const rows = [];
    for (const request of await pages.keys()) {
      const text = await (await pages.match(request)).text();
      const page = new DOMParser().parseFromString(text, "text/html");
      const given = JSON.parse(page.getElementById("outbox").dataset.outbox);
      if (!given.fresh) continue; // a sheet: the table's own page leads to it
      const link = element("a", "", given.name);
      link.href = request.url;
      const row = element("li");
      row.append(link);
      rows.push(row);
    }
    list.replaceChildren(...rows);
    document.getElementById("kept-none").hidden = rows.length > 0;
  }

  function onLeaving(event) {
    const link = event.target.closest(".ways a.btn");
    if (!link || !form) return;
    event.preventDefault();
    store.all()
      .then((hands) => Promise.all(hands.filter((hand) => isHere(hand) && store.ASKING.includes(hand.state)).map(leave)))
      .finally(() => location.assign(link.href));
  }

  // Leaving a form or a table discards what was being entered there.
  function onDiscard(event) {
    if (event.target.closest("[data-discard]")) store.dropDrafts(form ? draftId() : site.owner).catch(() => {});
  }

  // Without a signal the button of a table's link leads to the page that is kept.
  function onEnter(event) {
    if (navigator.onLine) return;
    event.preventDefault();
    location.assign(site.home);
  }

  document.addEventListener("click", onDiscard);
  document.querySelector("[data-to-table]")?.addEventListener("submit", onEnter);
  if (sessionStorage.getItem(UNFOLDED)) place.open = true;
  sessionStorage.removeItem(UNFOLDED);
  if (form) {
    form.elements.key.value = newKey();
    form.addEventListener("submit", onSubmit);
    for (const kind of ["input", "change", "entered"]) form.addEventListener(kind, keepDraft);
    document.addEventListener("click", onLeaving);
  }
  store.onChange(() => render());
  window.addEventListener("online", () => ((contact = true), sendOn()));
  window.addEventListener("offline", () => render());
  window.addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    if (form) form.elements.key.value = newKey(); // gone back to: what is saved from here is another entry
    busy = false;
    render();
  });
  document.addEventListener("visibilitychange", () => document.hidden || sendOn());
  keepPage().catch(() => {});
  showTables().catch(() => {});
  (site.undone?.length ? store.forget(site.undone).catch(() => {}) : Promise.resolve())
    .then(render)
    .then(() => (form ? restoreDraft() : null))
    .catch(() => {})
    .then(sendOn)
    .catch(() => {});
})();
