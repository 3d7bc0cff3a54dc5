"""What a phone says of a hand without a signal, against what the scorer says of the same fields."""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Any

import pytest

from scoring.errors import Refused
from scoring.game.fast_path import score_entry
from scoring.game.game import new_game
from scoring.numbers import score_json
from scoring.offline_checks import offline_checks
from scoring.rules.catalogue import catalogue
from scoring.rules.compiled_rules import prepare
from scoring.rules.rules import Rules
from tests.support.answers import Json
from tests.support.browser import launched
from tests.support.lengths import short_or_long
from tests.support.scoring.random_hands import dealt_at, option_sets
from tournaments.views.hands.hand_form_fields import (
    EntryFields,
    Fields,
    entry_of,
    fields_of,
    sheet_of,
)

pytestmark = pytest.mark.browser

SCRIPT = Path("static/blacklady/checks.js")
HANDS = short_or_long(1, 12)
"""Hands of each variant and number of players, each of them with every fault."""
FAULTS = ("none", "one missing", "one too many", "a card twice", "nothing", "nobody chose")


class Table:
    """A table of some rules before its first hand, and what a page is told of its sheet."""

    def __init__(self, name: str, rules: Rules, seats: int) -> None:
        self.name, self.rules, self.seats = name, rules, seats
        self.state = new_game(rules, seats)
        teams = [list(side) for side in self.state.teams] or None
        self.sheet = sheet_of(rules, seats, teams)
        self.checks = offline_checks(rules, seats, teams)


class Case:
    def __init__(self, name: str, table: Table, way: str, fields: Fields) -> None:
        self.name, self.table, self.way, self.fields = f"{table.name}: {name}", table, way, fields
        self.codes: list[str] = []
        self.scores: list[Any] = []
        try:
            entry = entry_of(table.sheet, way, fields)
            scored = score_entry(table.rules, entry, table.state)
            self.scores = [score_json(score) for score in scored.scores]
        except Refused as refused:
            self.codes = sorted({problem.code for problem in refused.problems})

    @property
    def for_page(self) -> dict[str, object]:
        pairs = [[name, value] for name, values in self.fields.items() for value in values]
        return {"way": self.way, "fields": pairs}


def test_phone_and_scorer_agree_on_every_variant(chromium: str, project_root: Path) -> None:
    """No verdict is the phone's own: each of its codes is one that the scorer gives as well."""
    cases = list(every_case())
    said = on_the_phone(chromium, project_root / SCRIPT, cases)
    differ = [
        (case.name, case.way, case.fields, case.codes, found["codes"])
        for case, found in zip(cases, said, strict=True)
        if case.codes != found["codes"]
    ]
    points = [
        (case.name, case.way, case.fields, case.scores, found["points"])
        for case, found in zip(cases, said, strict=True)
        if not case.codes and found["points"] is not None and case.scores != found["points"]
    ]
    assert differ == []
    assert points == []
    codes = {code for found in said for code in found["codes"]}
    assert {"missing_cards", "too_many_copies", "choice_required"} <= codes
    assert sum(found["points"] is not None for found in said) > len(said) // 10
    nothing = [found for case, found in zip(cases, said, strict=True) if not case.fields]
    assert nothing
    assert all(found["is_empty"] for found in nothing)


def test_points_that_no_hand_makes_are_refused_alone(chromium: str, project_root: Path) -> None:
    """What the phone refuses the scorer refuses too; what it is sure of the scorer takes."""
    cases = list(cases_of_points())
    said = on_the_phone(chromium, project_root / SCRIPT, cases)
    wrong = [
        (case.name, case.fields, case.codes, found["codes"])
        for case, found in zip(cases, said, strict=True)
        if (found["codes"] and not case.codes) or (found["is_sure"] and case.codes)
    ]
    assert wrong == []
    assert sum(bool(found["codes"]) for found in said) > len(said) // 5
    assert sum(found["is_sure"] and not found["codes"] for found in said) > len(said) // 10
    assert {"wrong_total", "impossible_points", "choice_required"} <= {
        code for found in said for code in found["codes"]
    }


def on_the_phone(chromium: str, script: Path, cases: list[Case]) -> list[Json]:
    """What the page's script says of each hand; a sheet is told once for all hands on it."""
    ask = """([sheet, cases]) => cases.map(({ way, fields }) => {
        const hand = handChecks.handOf(sheet, way, fields);
        const found = handChecks.verdict(sheet, hand, sheet.units.map(() => 0));
        const codes = [...new Set(found.problems.map((one) => one.code))].sort();
        const { points, isSure: is_sure } = found;
        return { codes, points, is_sure, is_empty: handChecks.isEmpty(hand) };
    })"""
    found: list[dict[str, Any]] = []
    with launched(chromium) as browser:
        page = browser.new_context().new_page()
        page.add_script_tag(path=script)
        for table, of_table in groupby(cases, key=lambda case: case.table):
            found += page.evaluate(ask, [table.checks, [case.for_page for case in of_table]])
    return found


def tables() -> Iterator[Table]:
    """Every variant with the fewest and the most players, and one of its options by itself."""
    chance = Random(15)  # noqa: S311 - deals cards, keeps no secret
    for variant in catalogue().ids:
        for options in ({}, chance.choice(option_sets(variant))):
            rules = catalogue().rules(variant, options)
            for seats in sorted(set(rules.keys.players)):
                yield Table(f"{variant} {options} {seats}", rules, seats)


def every_case() -> Iterator[Case]:
    for table in tables():
        chance = Random(table.name)  # noqa: S311 - deals cards, keeps no secret
        for _hand in range(HANDS):
            for way in ("counts", "cards"):
                for fault in FAULTS:
                    fields = faulty(fault, table.rules, table.sheet, way, chance)
                    if fields is not None:
                        yield Case(fault, table, way, fields)


def faulty(fault: str, rules: Rules, sheet: EntryFields, way: str, chance: Random) -> Fields | None:
    """The fields of a hand with this fault; None where the sheet has no place for it."""
    if fault == "nothing":
        return {}
    dealt = dealt_at(chance, rules, sheet.seats)
    beside = {key: value for key, value in dealt.beside.items() if key != "passer"}
    piles = dealt.piles
    if fault == "nobody chose" and prepare(rules, sheet.seats).slams:
        piles = [[*dealt.cards] if seat == 0 else [] for seat in range(sheet.seats)]
        beside = {key: value for key, value in beside.items() if key == "tricks"}
    fields = fields_of(sheet, {"taken": piles, **beside}, way)
    is_sound = fault in ("none", "nobody chose")
    return fields if is_sound else spoilt(fault, sheet, way, fields, chance)


def spoilt(
    fault: str, sheet: EntryFields, way: str, fields: Fields, chance: Random
) -> Fields | None:
    """The fields with one card less, one more, or one of them in two places."""
    step = -1 if fault == "one missing" else 1
    row = chance.choice(sheet.rows)
    if way == "cards":
        filled = [name for name, values in fields.items() if name.startswith("cards-") and values]
        name = chance.choice(filled)
        codes = fields[name][0].split()
        if step < 0:
            return {**fields, name: [" ".join(codes[1:])]}
        return {**fields, f"cards-{row}": [" ".join([*fields.get(f"cards-{row}", []), codes[0]])]}
    if sheet.hearts and (fault != "a card twice" or not sheet.copies) and chance.random() < 0.7:
        name = f"hearts-{row}"
        count = int((fields.get(name) or ["0"])[0])
        return {**fields, name: [str(count + step)]}
    named = [name for name, values in fields.items() if name.startswith("card-") and values]
    if not named:
        return None
    name = chance.choice(named)
    return {**fields, name: fields[name][1:] if step < 0 else [*fields[name], str(row)]}


def cases_of_points() -> Iterator[Case]:
    """Points as the scorer gives them for real hands, and with one of them changed."""
    for table in tables():
        chance = Random(table.name)  # noqa: S311 - deals cards, keeps no secret
        for _hand in range(HANDS):
            dealt = dealt_at(chance, table.rules, table.seats)
            try:
                scores = score_entry(table.rules, dealt.entry, table.state).scores
            except Refused:
                continue
            numbers = [score for score in scores if isinstance(score, int)]
            rows = table.sheet.rows
            if len(numbers) < len(rows):
                continue
            total = sum(numbers)
            for changed in (
                *([numbers[0] + by, *numbers[1:]] for by in (0, 1, -26)),
                [numbers[0] + 1, numbers[1] - 1, *numbers[2:]],
                [total // 2, total - total // 2, *(0 for _row in rows[2:])],
                [total, *(0 for _row in rows[1:])],
            ):
                told = {f"points-{row}": [str(n)] for row, n in zip(rows, changed, strict=True)}
                yield Case(f"points {changed}", table, "points", told)
