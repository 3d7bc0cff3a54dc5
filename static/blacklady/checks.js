// What a page can know of a hand without the server: sums, cards twice or missing, one seat that took
// all of a set. It reads the description that the server makes from the rules (scoring/offline_checks.py)
// and has no rule of its own. Its problems have the scorer's codes; what else is wrong, the server says.
"use strict";

self.handChecks = (() => {
  const RANK = "(?:1[0-4]|[0-9TJQKA])";
  const SUIT = "[CDHSXRYGB]";
  const DRAWN = { "♠": "S", "♤": "S", "♥": "H", "♡": "H", "♦": "D", "♢": "D", "♣": "C", "♧": "C", "\uFE0F": "" };
  const rankFirst = new RegExp(`^(?:${RANK}${SUIT})+$`);
  const suitFirst = new RegExp(`^(?:${SUIT}${RANK})+$`);
  const asCode = (card) => card.replace(/^T/, "10");

  // Typed cards, as the server reads them: any case, drawn suits, the suit before or after the rank.
  function codesIn(text) {
    const plain = [...text].map((sign) => DRAWN[sign] ?? sign).join("").toUpperCase();
    return plain.split(/[\s,;.|/]+/).filter(Boolean).flatMap((word) => {
      if (rankFirst.test(word)) return word.match(new RegExp(RANK + SUIT, "g")).map(asCode);
      if (!suitFirst.test(word)) return [word];
      return word.match(new RegExp(SUIT + RANK, "g")).map((card) => asCode(card.slice(1) + card[0]));
    });
  }

  // A whole number of a field; null for an empty field or anything else.
  function whole(text) {
    const plain = text.trim().replace("\u2212", "-");
    return /^-?(0|[1-9]\d{0,8})$/.test(plain) && plain !== "-0" ? Number(plain) : null;
  }

  const MOST_STEPS = 20000;
  const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
  const countOf = (codes, code) => codes.filter((one) => one === code).length;

  // The hand in a form's fields, [name, value] pairs: one row a unit, row 0 is what nobody gets. Which kinds of
  // boxes a way of writing fills, and the fields that name a seat, are the codec's (scoring/entry/codec.py).
  function handOf(sheet, way, fields) {
    const all = (name) => fields.filter(([found]) => found === name).map(([, value]) => value.trim()).filter(Boolean);
    const first = (name) => all(name)[0] ?? "";
    const rows = sheet.units.map((seats) => seats[0] + 1);
    const has = (kind) => sheet.ways[way].includes(kind);
    const each = (kind) => (has(kind) ? rows.map((row) => first(`${kind}-${row}`)) : null);
    const seat = (kind) => whole(first(sheet.seats[kind]));
    const tapped = (row) => Object.keys(sheet.cards).flatMap((card) => all(`card-${card}`).filter((holder) => holder === String(row)).map(() => card));
    const piles = each("cards")?.map(codesIn) ?? rows.map(tapped);
    const tricks = each("tricks");
    const left = Math.min(Math.max(whole(first("hearts-0")) ?? 0, 0), sheet.hearts.length);
    const firstTrick = seat("first_trick");
    return {
      way, piles,
      hearts: each("hearts"),
      unclaimed: has("cards") ? codesIn(first("cards-0")) : [...sheet.hearts.slice(0, left), ...tapped(0)],
      tricks: tricks?.some(Boolean) ? tricks : null,
      firstTrick: firstTrick ? sheet.units.findIndex((seats) => seats.includes(firstTrick - 1)) : null,
      clean: each("clean")?.map(Boolean),
      points: each("points"),
      choice: first("slam_choice"),
      melds: has("melds") ? rows.map((row) => Object.keys(sheet.melds.points).map((meld) => [meld, first(`melds-${row}-${meld}`)])) : null,
      trickPoints: each("trick_points"),
      lastTrick: seat("last_trick"),
      isStopped: Boolean(first(sheet.seats.declared_out)),
      beside: [all("charged").sort(), rows.map((row) => first(`pledge-${row}`)), first(sheet.seats.passer), first(sheet.seats.declared_out)],
    };
  }

  const isEmpty = (hand) => {
    if (hand.way === "points") return !hand.points.some(Boolean);
    if (hand.way === "clean") return !hand.clean.some(Boolean);
    if (hand.melds && hand.way === "counts") return !hand.trickPoints.some(Boolean) && !hand.melds.flat().some(([, text]) => text);
    return !hand.piles.flat().length && !(hand.hearts ?? []).some((text) => whole(text) !== 0 && text) && !hand.unclaimed.length;
  };

  // What a hand counts, as it reads: blanks are 0, and the order of cards does not matter.
  const COUNTED = {
    hearts: (hand) => hand.hearts?.map((text) => whole(text) ?? (text ? text : 0)),
    cards: (hand) => hand.piles.map((pile) => [...pile].sort()),
    trick_points: (hand) => hand.trickPoints?.map((text) => whole(text) ?? (text ? text : 0)),
    melds: (hand) => hand.melds?.map((row) => row.filter(([, text]) => whole(text) !== 0 && text)),
    points: (hand) => hand.points?.map((text) => whole(text) ?? (text ? text : 0)),
  };
  const tells = (sheet, hand) => sheet.telling.some((kind) => (COUNTED[kind](hand) ?? []).some((value) => (Array.isArray(value) ? value.length : value)));

  // Whether a hand looks like another that is entered again; hands in which nothing is counted do not.
  function isRepeated(sheet, hand, other) {
    const plain = (one) => JSON.stringify([one.way, [...one.unclaimed].sort(), one.tricks, one.firstTrick, one.clean,
      one.choice, one.lastTrick, one.beside, sheet.telling.map((kind) => COUNTED[kind](one) ?? null)]);
    return tells(sheet, hand) && plain(hand) === plain(other);
  }

  // --- The cards: each of them once ------------------------------------------------------------

  function heartProblems(sheet, hand) {
    const counts = hand.hearts.map((text) => (text ? whole(text) : 0));
    const total = sheet.hearts.length;
    const odd = counts.findIndex((count) => count === null || count < 0 || count > total);
    if (odd >= 0) return { problems: [{ code: "bad_count", text: hand.hearts[odd] }], counts: null };
    const expected = total - hand.unclaimed.filter((code) => sheet.hearts.includes(code)).length;
    const found = sum(counts);
    const facts = { what: "hearts", found, expected };
    if (found < expected) return { problems: [{ code: "missing_cards", ...facts }], counts };
    return { problems: found > expected ? [{ code: "too_many_copies", ...facts }] : [], counts };
  }

  function cardProblems(sheet, hand) {
    const codes = [...hand.piles.flat(), ...hand.unclaimed];
    const counted = hand.hearts ? new Set(sheet.hearts) : new Set();
    const problems = [];
    for (const code of new Set(codes)) {
      const expected = sheet.deck[code] ?? 0;
      const found = countOf(codes, code);
      if (!expected) problems.push({ code: "unknown_card", text: code });
      else if (found > expected && !counted.has(code)) problems.push({ code: "too_many_copies", what: code, found, expected });
    }
    if (hand.unclaimed.length && !sheet.unclaimed) problems.push({ code: "unclaimed_not_allowed" });
    for (const [code, expected] of Object.entries(sheet.cards)) {
      const found = countOf(codes, code);
      if (found < expected && !counted.has(code)) problems.push({ code: "missing_cards", what: code, found, expected });
    }
    return problems;
  }

  // The piles without what is no card of the pack, and without copies that it does not have.
  function placed(sheet, piles) {
    const left = { ...sheet.deck };
    return piles.map((pile) => pile.filter((code) => (left[code] > 0 ? ((left[code] -= 1), true) : false)));
  }

  function trickProblems(sheet, hand, counts) {
    const rules = sheet.tricks;
    if (!hand.tricks) return { problems: rules.always ? [{ code: "tricks_needed" }] : [], tricks: null };
    const tricks = hand.tricks.map((text) => (text ? whole(text) : 0));
    const odd = tricks.findIndex((count) => count === null || count < 0 || count > 1e6);
    if (odd >= 0) return { problems: [{ code: "bad_count", text: hand.tricks[odd] }], tricks: null };
    const found = sum(tricks);
    const problems = [];
    const piles = placed(sheet, hand.piles);
    const is_off = rules.total !== null && (rules.at_most ? found > rules.total : found !== rules.total);
    if (is_off) problems.push({ code: "tricks_sum", found, expected: rules.total });
    if (hand.firstTrick !== null && tricks[hand.firstTrick] === 0) problems.push({ code: "tricks_sum", found: 0, expected: 1 });
    tricks.forEach((count, unit) => {
      const has = piles[unit].length || (counts?.[unit] ?? 0);
      if (rules.behind_cards && count === 0 && has) problems.push({ code: "cards_without_trick", unit });
    });
    return { problems, tricks };
  }

  // --- One unit took all of a set --------------------------------------------------------------

  function tricksFit(slam, hand, tricks, unit) {
    if (slam.tricks === "no") return true;
    if (!tricks) return null;
    const lost = sum(tricks) - tricks[unit];
    if (slam.tricks === "all" || lost !== 1) return lost === 0;
    return hand.firstTrick === null ? null : hand.firstTrick !== unit;
  }

  function slamIn(sheet, hand, counts, tricks) {
    const hearts = new Set(hand.hearts ? sheet.hearts : []);
    const number = sheet.hearts.length;
    for (const [at, slam] of sheet.slams.entries()) {
      for (const unit of hand.piles.keys()) {
        const holds = ([code, copies]) => (hearts.has(code) ? counts[unit] === number : countOf(hand.piles[unit], code) >= copies);
        if (!Object.entries(slam.needs).every(holds)) continue;
        const fits = tricksFit(slam, hand, tricks, unit);
        if (fits === null) return { needsTricks: true };
        if (fits) return { at, slam, unit };
      }
    }
    return null;
  }

  // Whether the shooter may choose, by the totals before the hand; null where nobody here knows.
  function mayChoose(slam, unit, totals) {
    if (!slam.choices.length) return false;
    if (!slam.from) return true;
    if (!totals) return null;
    const asked = slam.from.who === "self" ? [totals[unit]] : totals;
    return asked.some((total) => total >= slam.from.score);
  }

  // --- What a hand comes to, where it is the sum of its cards ----------------------------------

  function pointsOf(sheet, hand, counts, slam) {
    const { plain } = sheet;
    if (!plain) return null;
    const worth = (codes) => sum(codes.map((code) => plain.worth[code] ?? 0));
    const heart = sheet.hearts.length ? plain.worth[sheet.hearts[0]] : 0;
    const faces = hand.piles.map((pile, unit) => worth(pile) + (hand.hearts ? counts[unit] * heart : 0));
    if (!slam) return faces;
    const pays = plain.slams[slam.at];
    const way = hand.choice || pays?.default;
    if (!pays || !way) return null;
    if (way === "face") return faces;
    const needed = (pile) => {
      const left = { ...slam.slam.needs };
      return pile.filter((code) => (left[code] > 0 ? ((left[code] -= 1), true) : false));
    };
    const outside = (unit) => faces[unit] - worth(needed(hand.piles[unit])) - (hand.hearts && sheet.hearts.every((code) => code in slam.slam.needs) ? counts[unit] * heart : 0);
    const { shooter, each } = pays.ways[way];
    return faces.map((_, unit) => (unit === slam.unit ? shooter : each) + (pays.outside ? outside(unit) : 0));
  }

  // --- The verdict -----------------------------------------------------------------------------

  // Cards of the same worth in the same sets, the dearest first.
  function kindsOf(sheet, cards) {
    const kinds = {};
    for (const [code, copies] of Object.entries(cards)) {
      const worth = sheet.plain.worth[code] ?? 0;
      const sets = sheet.slams.map((slam) => code in slam.needs);
      kinds[[worth, sets]] ??= { worth, sets, n: 0 };
      kinds[[worth, sets]].n += copies;
    }
    return Object.values(kinds).sort((one, other) => Math.abs(other.worth) - Math.abs(one.worth));
  }

  // Shares out cards so that each unit has these points, until `accepts` takes what each unit holds of each kind.
  // Whether it did; null where the search takes too long.
  function share(kinds, points, accepts) {
    const left = [...points];
    const held = kinds.map(() => points.map(() => 0));
    const isOver = (unit) => left[unit] < 0 && kinds.every(({ worth }) => worth >= 0);
    let steps = 0;
    function give(at, unit, rest) {
      steps += 1;
      if (at === kinds.length) return !left.some(Boolean) && accepts(held);
      const { worth } = kinds[at];
      const isLast = unit === points.length - 1;
      const only = isLast ? rest : worth && at === kinds.length - 1 ? left[unit] / worth : null;
      for (let n = only ?? rest; n >= (only ?? 0) && steps < MOST_STEPS; n -= 1) {
        if (n < 0 || n > rest || !Number.isInteger(n)) continue;
        left[unit] -= n * worth;
        held[at][unit] = n;
        const isDone = !isOver(unit) && (isLast ? give(at + 1, 0, kinds[at + 1]?.n) : give(at, unit + 1, rest - n));
        left[unit] += n * worth;
        if (isDone) return true;
      }
      return false;
    }
    return give(0, 0, kinds[0]?.n) || (steps < MOST_STEPS ? false : null);
  }

  // The unit that has all of a set which is settled, so that its cards are not simply added up; -1 where none has.
  const settledIn = (sheet, kinds, held, units) =>
    units.findIndex((_, unit) => sheet.slams.some((slam, at) =>
      slam.tricks === "no" && sheet.plain.slams[at]?.default !== "face" &&
      kinds.every((kind, of) => !kind.sets[at] || held[of][unit] === kind.n)));

  // The moon that books these points: `at`, `unit`; undefined where none does, null where only the server can tell.
  function bookedIn(sheet, points) {
    for (const [at, slam] of sheet.slams.entries()) {
      const pays = sheet.plain.slams[at];
      if (!pays || slam.from || !sheet.plain.adds_up) return null;
      const outside = Object.entries(sheet.cards).map(([code, copies]) => [code, copies - (slam.needs[code] ?? 0)]);
      const kinds = pays.outside ? kindsOf(sheet, Object.fromEntries(outside)) : [];
      for (const way of pays.default ? [pays.default] : slam.choices) {
        for (const unit of way in pays.ways ? points.keys() : []) {
          const { shooter, each } = pays.ways[way];
          const rest = points.map((number, of) => number - (of === unit ? shooter : each));
          const isBooked = share(kinds, rest, () => true);
          if (isBooked !== false) return isBooked && { at, unit };
        }
      }
    }
    return undefined;
  }

  // Points: a deal of the cards makes them, or a moon that is settled.
  function ofPoints(sheet, hand) {
    const points = hand.points.map((text) => (text ? whole(text) : 0));
    const verdict = { problems: [], moon: null, points, isSure: false };
    if (points.includes(null)) return { ...verdict, points: null };
    if (!sheet.points) return verdict;
    const found = sum(points);
    const expected = sheet.points.total;
    if (!sheet.points.sums.includes(found)) return { ...verdict, problems: [{ code: "wrong_total", found, expected }] };
    if (!sheet.plain || hand.choice) return verdict;
    const kinds = kindsOf(sheet, sheet.cards);
    let settled = -1;
    const isOrdinary = (held) => ((settled = settledIn(sheet, kinds, held, points)) < 0);
    const isDealt = found === expected && share(kinds, points, isOrdinary);
    if (isDealt) return { ...verdict, isSure: true };
    const moon = bookedIn(sheet, points);
    if (moon) return { ...verdict, moon, isSure: true };
    if (isDealt === null || moon === null) return verdict;
    if (settled >= 0) return { ...verdict, problems: [{ code: "choice_required" }], moon: { unit: settled } };
    return { ...verdict, problems: [{ code: "impossible_points" }] };
  }

  function ofCards(sheet, hand, totals) {
    const { problems: ofHearts, counts } = hand.hearts ? heartProblems(sheet, hand) : { problems: [], counts: null };
    const { problems: ofTricks, tricks } = trickProblems(sheet, hand, counts);
    const problems = [...ofHearts, ...cardProblems(sheet, hand), ...ofTricks];
    if (problems.length) return { problems, moon: null, points: null };
    const slam = slamIn(sheet, hand, counts, tricks);
    if (slam?.needsTricks) return { problems: [{ code: "tricks_needed" }], moon: null, points: null };
    if (!slam && hand.choice) return { problems: [{ code: "choice_forbidden" }], moon: null, points: null };
    const asks = slam && !hand.choice ? mayChoose(slam.slam, slam.unit, totals) : false;
    const moon = slam ? { id: slam.slam.id, unit: slam.unit, asks, slam: slam.slam } : null;
    return { problems: asks ? [{ code: "choice_required" }] : [], moon, points: pointsOf(sheet, hand, counts, slam), isSure: asks !== null };
  }

  // Melds that the pack allows, trick points that total those of a hand; both make the points.
  function tooManyMelds(sheet, shown) {
    return Object.entries(sheet.melds.most).flatMap(([meld, expected]) => {
      const found = sum(shown.flat().filter(([name]) => name === meld).map(([, times]) => times ?? 0));
      return found > expected ? [{ code: "too_many_copies", meld, found, expected }] : [];
    });
  }

  // The cards of the tricks instead of their points: each once, and who won the last trick.
  function ofMeldCards(sheet, hand) {
    const shown = hand.melds.map((row) => row.map(([meld, text]) => [meld, whole(text)]));
    const melds = tooManyMelds(sheet, shown);
    const cards = cardProblems(sheet, hand);
    const over = cards.filter((one) => one.code !== "missing_cards");
    if (over.length || hand.isStopped) return { problems: [...melds, ...over], moon: null, points: null };
    const last = hand.lastTrick === null ? [{ code: "last_trick_needed" }] : [];
    return { problems: [...melds, ...cards, ...last], moon: null, points: null };
  }

  function ofMelds(sheet, hand) {
    const rules = sheet.melds;
    const shown = hand.melds.map((row) => row.map(([meld, text]) => [meld, text ? whole(text) : 0, text]));
    const tricks = hand.trickPoints.map((text) => (text ? whole(text) : 0));
    const odd = [...shown.flat().filter(([, times]) => times === null || times < 0).map(([, , text]) => text),
      ...hand.trickPoints.filter((_, unit) => tricks[unit] === null || tricks[unit] < 0)];
    if (odd.length) return { problems: [{ code: "bad_count", text: odd[0] }], moon: null, points: null };
    const problems = tooManyMelds(sheet, shown);
    const found = sum(tricks);
    if (found > rules.tricks || (found < rules.tricks && !hand.isStopped)) problems.push({ code: "wrong_total", found, expected: rules.tricks });
    if (problems.length) return { problems, moon: null, points: null };
    const rounded = (points) => points - (points % rules.to) + (points % rules.to >= rules.up_from ? rules.to : 0);
    const points = shown.map((row, unit) => sum(row.map(([meld, times]) => rules.points[meld] * times)) + (rules.to > 1 ? rounded(tricks[unit]) : tricks[unit]));
    return { problems: [], moon: null, points };
  }

  // All that is wrong for certain, who shot, the points of each unit where they are known, and whether the server
  // takes the hand for sure where nothing is wrong.
  function verdict(sheet, hand, totals = null) {
    if (hand.way === "points") return ofPoints(sheet, hand);
    if (hand.melds) return { isSure: true, ...(hand.way === "counts" ? ofMelds(sheet, hand) : ofMeldCards(sheet, hand)) };
    if (hand.way !== "clean") return ofCards(sheet, hand, totals);
    const all = hand.clean.length > 0 && hand.clean.every(Boolean);
    return { problems: all ? [{ code: "missing_cards", what: "clean" }] : [], moon: null, points: null };
  }

  // --- In words --------------------------------------------------------------------------------

  const fill = (text, facts) => text.replace(/\{(\w+)\}/g, (_, name) => facts[name] ?? "");

  function ofOne(sheet, problem) {
    const { say } = sheet;
    const { code, what, found, expected, text } = problem;
    const facts = { found, total: expected, n: Math.abs(expected - found), card: sheet.signs[what], text };
    if (problem.meld) return fill(say.meld_over, { ...facts, meld: sheet.melds.names[problem.meld] });
    if (sheet.melds && code === "wrong_total") return fill(say.trick_points, facts);
    if (what === "clean") return say.all_clean;
    if (what === "hearts") return fill(found < expected ? say.hearts_short : say.hearts_over, facts);
    if (code === "missing_cards") return fill(expected > 1 ? say.copies_short : say.card_short, facts);
    if (code === "too_many_copies") return fill(say.card_over, facts);
    if (code === "cards_without_trick") return fill(say.trickless, { name: sheet.names[problem.unit] });
    const other = { unknown_card: "unknown", bad_count: "bad_count", tricks_sum: "tricks", tricks_needed: "tricks_needed",
      wrong_total: "points", impossible_points: "impossible", choice_required: "settle", last_trick_needed: "last_trick", unclaimed_not_allowed: "unclaimed", choice_forbidden: "nobody_shot" };
    return fill(say[other[code]] ?? "", facts);
  }

  // What is wrong, a sentence each; many missing cards in one, nothing at all in one.
  function told(sheet, hand, { problems }) {
    if (isEmpty(hand)) return [sheet.say.empty];
    const isCard = (one) => one.code === "missing_cards" && sheet.signs[one.what];
    const missing = problems.filter(isCard);
    if (missing.length <= sheet.inline) return problems.map((one) => ofOne(sheet, one));
    const named = Object.entries(sheet.cards).filter(([card]) => !hand.hearts || !sheet.hearts.includes(card));
    const total = sum(named.map(([, copies]) => copies));
    const short = sum(missing.map((one) => one.expected - one.found));
    const rest = problems.filter((one) => !isCard(one)).map((one) => ofOne(sheet, one));
    return [...rest, fill(sheet.say.cards_short, { found: total - short, total })];
  }

  // A moon that asks: who, the question, and the ways to settle it.
  function question(sheet, { moon }) {
    if (!moon?.asks) return null;
    const name = sheet.names[moon.unit];
    const facts = { name, slam: moon.id, self: moon.slam.self, others: moon.slam.others };
    const ways = moon.slam.choices.map((choice) => ({ choice, text: fill(sheet.say[choice], facts) }));
    return { text: fill(moon.id === "moon" ? sheet.say.moon : sheet.say.slam, facts), ways };
  }

  // What each row took, as it is shown in a queue.
  function taken(sheet, hand) {
    const signs = (codes) => codes.map((code) => sheet.signs[code] ?? code);
    const heartsOf = (unit) => (hand.hearts && (whole(hand.hearts[unit]) ?? 0) !== 0 ? [`${hand.hearts[unit]}♥`] : []);
    return sheet.names.map((name, unit) => {
      if (hand.way === "points") {
        const n = hand.points[unit] || "0";
        return { name, text: fill(n === "1" ? sheet.say.one_point : sheet.say.n_points, { n }) };
      }
      if (hand.way === "clean") return { name, text: hand.clean[unit] ? sheet.say.nothing : "…" };
      if (hand.melds && hand.way === "counts") {
        const shown = hand.melds[unit].filter(([, text]) => whole(text)).map(([meld, text]) => `${text > 1 ? `${text}× ` : ""}${sheet.melds.names[meld]}`);
        const n = hand.trickPoints[unit] || "0";
        const points = fill(n === "1" ? sheet.say.one_trick_point : sheet.say.n_tricks, { n });
        return { name, text: [...shown, points].join(", ") };
      }
      const parts = [...heartsOf(unit), ...signs(hand.piles[unit])];
      return { name, text: parts.join(" ") || sheet.say.nothing };
    });
  }

  return { codesIn, handOf, isEmpty, isRepeated, question, taken, told, verdict, whole };
})();
