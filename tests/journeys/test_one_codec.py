"""One meaning of a sheet: every interface makes the same entry of what it is told."""

import json
from collections.abc import Iterator
from random import Random

import pytest

from scoring.budget import Budget
from scoring.cases import answer
from scoring.entry.codec import KEYS, same_entry
from scoring.errors import Refused
from scoring.rules.catalogue import catalogue
from tests.support.answers import Json
from tests.support.scoring.interfaces import INTERFACES, Sheet
from tests.support.scoring.random_hands import Dealt, dealt_at, option_sets
from tests.support.scoring.worked_cases import ALL
from tournaments.views.hands.hand_form_fields import EntryFields

BESIDE_POINTS = ("declared", "pledges", "unclaimed", "passer")
NO_BOX = {
    "counts-not-for-pip", "bad-trick-count", "own-kitty-4-twelve-tricks", "own-pinochle-hearts"
}  # fmt: skip
"""Cases whose mistake stands in a box that their sheet does not have."""
NOT_WRITTEN = {
    "form": NO_BOX | {"own-pinochle-no-such-meld"},
    "grid": NO_BOX
    | {
        "own-pinochle-no-such-meld",
        "own-pinochle-no-last-trick",
        "own-pinochle-single-deal-declared",
    }
    | {"counts-minus", "own-removed-cards-gone"},
    "columns": NO_BOX
    | {"own-pinochle-single-deal-declared", "own-moon-none", "own-new-moon-from-self"}
    | {"own-hearts-online-no-choice"},
}
"""Interface → cases that cannot be written there: a grid has no piles, a file marks a shooter."""


def dealt_hands(variant: str) -> Iterator[tuple[Dealt, Sheet]]:
    """A hand for each different sheet that the options of a variant make, at every size."""
    seen: list[EntryFields] = []
    for options in option_sets(variant):
        rules = catalogue().rules(variant, options)
        for seats in sorted(set(rules.keys.players)):
            sheet = Sheet(rules, seats)
            if sheet.fields not in seen:
                seen.append(sheet.fields)
                chance = Random(f"{variant} {seats}")  # noqa: S311 - deals cards, keeps no secret
                yield dealt_at(chance, rules, seats), sheet


def entries_of(dealt: Dealt, sheet: Sheet) -> Iterator[Json]:
    """The hand in cards, in counts, in points and as who took nothing; some with a moon."""
    moon = {"shooter": dealt.sides[0][0], "slam_choice": "self"} if sheet.fields.box("moon") else {}
    asked = {KEYS.get(box.kind, "") for box in sheet.fields.boxes}
    said = {key: value for key, value in dealt.beside.items() if key in asked}
    beside = {
        key: said[key] for key in ("declared", "pledges", "unclaimed", "passer") & said.keys()
    }
    yield {"taken": dealt.piles} | said | moon
    if dealt.ready.short_form:
        yield {key: dealt.counts[key] for key in ("hearts", "taken")} | said
    yield {"points": [26 * unit for unit in range(len(dealt.sides))], **beside, **moon}
    yield {"points": ["26/3", [-26, 10], *(0 for _ in dealt.sides[2:])], **beside}
    if dealt.ready.clean_form:
        yield {"clean": [unit == 1 for unit in range(len(dealt.sides))]}
    if dealt.ready.keys.melds:
        declared = {"declared_out": 1} if "declared_out" in asked else {}
        yield {"melds": said["melds"], "trick_points": [130, 120], **declared}


@pytest.mark.parametrize("variant", catalogue().ids)
def test_texts_of_an_entry_are_read_as_that_entry_to_the_byte(variant: str) -> None:
    for dealt, sheet in dealt_hands(variant):
        for entry in entries_of(dealt, sheet):
            for way in sheet.fields.ways:
                once = sheet.form(entry, way)
                assert json.dumps(sheet.form(once, way)) == json.dumps(once), (way, entry)
            for interface, through in INTERFACES.items():
                once = through(sheet, entry)
                assert json.dumps(through(sheet, once)) == json.dumps(once), (interface, entry)


@pytest.mark.parametrize("variant", catalogue().ids)
def test_grid_and_columns_make_the_entry_of_the_form(variant: str) -> None:
    for dealt, sheet in dealt_hands(variant):
        for entry in entries_of(dealt, sheet):
            form = sheet.form(entry)
            assert same_entry(form, sheet.columns(form)), entry
            in_cells = sheet.form(form, "counts") if "taken" in form else form
            assert same_entry(in_cells, sheet.grid(form)), entry


@pytest.mark.parametrize("interface", INTERFACES)
def test_every_worked_case_is_answered_alike_through_every_interface(interface: str) -> None:
    differ = {case["id"] for case in ALL if not is_alike(case, interface)}
    assert differ == NOT_WRITTEN[interface]


def is_alike(case: Json, interface: str) -> bool:
    """Whether scores, totals and refusals of a case are those of its entries as JSON."""
    hands = case.get("hands") or []
    try:
        rules = catalogue().rules(case["variant"], case.get("options") or {})
    except Refused:
        return True
    least, most = rules.keys.players
    if not least <= case["seats"] <= most or not all("entry" in hand for hand in hands or [{}]):
        return True
    sheet, found = Sheet(rules, case["seats"], case.get("teams")), answer_of(case)
    written = []
    for number, hand in enumerate(hands):
        entry = dict(hand["entry"])
        if "slam_choice" in entry and "errors" not in found:  # a file marks it at the shooter
            entry.setdefault("shooter", found["hands"][number]["moon"]["by"][0])
        written.append({**hand, "entry": INTERFACES[interface](sheet, entry)})
    return digest(found) == digest(answer_of({**case, "hands": written}))


def answer_of(case: Json) -> Json:
    return answer(catalogue(), case, Budget(hints=0))


def digest(said: Json) -> object:
    if errors := said.get("errors"):
        return [error["code"] for error in errors]
    return [hand["hand_scores"] for hand in said["hands"]], said["totals"], said["outcome"]
