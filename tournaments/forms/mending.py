"""A refusal as the host's page tells it: what happened, at which field, and the mending as buttons.

Nothing is mended by itself: a button changes one field, and the hand is looked at again.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _

from scoring.cards import card_sign
from scoring.errors import Problem
from scoring.sheet import seat_names
from tournaments.forms.entry import UNCLAIMED, Fields, Sheet, first, number_in
from tournaments.messages import sentence

_FIELDS: Final = {"hearts": "hearts", "tricks": "tricks", "points": "points", "clean": "clean"}
_ON_BUTTONS: Final = frozenset(
    {"who_shot", "not_a_number", "seat_should_be", "wrong_sign", "closest"}
)
_IN_SENTENCES: Final = frozenset(
    {"one_missing", "some_missing", "one_too_many", "some_too_many", "with_nobody", "counted_twice"}
)
_SAYS_ITSELF: Final = ("missing_cards", "too_many_copies", "tricks_sum")
_RIGHT_POINTS: Final = ("seat_should_be", "wrong_sign")
_MARKS: Final = ("slam_choice", "shooter", "first_trick_by", "passer")


@dataclass(frozen=True, slots=True)
class Mend:
    """A button: its words and its value (`forms.changes`)."""

    text: str
    button: str


@dataclass(frozen=True, slots=True)
class Told:
    """One problem: its first sentence, the others, the field it stands at, the ways to mend it.

    `field` is empty where no single field is wrong: a sum does not tell which pile is short.
    """

    code: str
    first: str
    rest: str
    field: str
    anchor: str
    mends: tuple[Mend, ...]


def told(
    problem: Problem, sheet: Sheet, way: str, names: Mapping[int, str], fields: Fields
) -> Told:
    """Return a problem as the page tells it; `names` are those of the rows."""
    # Cut before the names go in: "Carla K." is no end of a sentence.
    head, stop, rest = f"{sentence(problem)}{_likely(problem)}".partition(". ")
    field = _field(problem, sheet, way)
    return Told(
        code=problem.code,
        first=_with_names(head + stop.rstrip(), sheet, names),
        rest=_with_names(rest, sheet, names),
        field=field,
        anchor=f"{field}-{sheet.rows[0]}-0" if field.startswith("card-") else field,
        mends=tuple(_mends(problem, sheet, way, names, fields)),
    )


def _likely(problem: Problem) -> str:
    """What probably happened, as a sentence; what a button or the problem says is not repeated."""
    buttons = _ON_BUTTONS | ({"settle"} if problem.code == "choice_required" else set())
    said = buttons | (_IN_SENTENCES if problem.code in _SAYS_ITSELF else frozenset())
    causes = [hint.text for hint in problem.suggestions if hint.code not in said]
    return " " + _("Likely: %(causes)s.") % {"causes": _(" or ").join(causes)} if causes else ""


def _with_names(text: str, sheet: Sheet, names: Mapping[int, str]) -> str:
    """The scorer knows seats only; on a page they have names."""
    for number, label in enumerate(seat_names(sheet.seats), start=1):
        name = names[sheet.row_of(number)]
        text = name.join(re.split(rf"\b[Ss]eat {label}\b", text))
    return text


def _field(problem: Problem, sheet: Sheet, way: str) -> str:
    """The name of the field that a problem stands at; empty where it stands at none."""
    at, facts = problem.at, problem.facts
    if not at:
        return ""
    if at[0] in _MARKS:
        return str(at[0])
    if way == "cards" and at[0] in ("taken", "unclaimed"):
        return _pile_field(at, sheet)
    card = facts.get("card") or next(iter(facts.get("cards", ())), None)
    if at[0] == "taken" and card:
        return f"card-{card}"
    if len(at) < 2 or not isinstance(at[1], int):
        return ""
    place = at[1]
    if at[0] in ("points", "clean"):
        return f"{at[0]}-{sheet.rows[place]}"
    return f"{_FIELDS[str(at[0])]}-{sheet.row_of(place + 1)}" if at[0] in _FIELDS else ""


def _pile_field(at: tuple[str | int, ...], sheet: Sheet) -> str:
    """The field of the pile that a problem lies in; a card that is with nobody is in none."""
    if at[0] == "unclaimed":
        return f"cards-{UNCLAIMED}"
    return f"cards-{sheet.row_of(at[1] + 1)}" if len(at) > 1 and isinstance(at[1], int) else ""


def _mends(
    problem: Problem, sheet: Sheet, way: str, names: Mapping[int, str], fields: Fields
) -> Iterator[Mend]:
    facts = problem.facts
    if problem.code == "choice_required":
        yield from _settlements(problem, sheet, names)
        return
    yield from _suggested(problem, sheet, way, names)
    if problem.code in ("missing_cards", "too_many_copies") and problem.at[:1] == ("hearts",):
        yield from _steps("hearts", facts["expected"] - facts["found"], sheet, names, fields)
    elif problem.code == "missing_cards" and len(facts.get("cards", ())) == 1:
        yield from _holders(str(facts["cards"][0]), sheet, way, names)
    elif problem.code == "tricks_sum" and "first" not in facts:
        yield from _steps("tricks", facts["expected"] - facts["found"], sheet, names, fields)
    elif problem.code == "wrong_total" and _are_whole(facts["found"], facts["expected"]):
        yield from _steps("points", facts["expected"] - facts["found"], sheet, names, fields)
    elif problem.code in ("choice_forbidden", "wrong_shooter"):
        yield Mend(_("Take that mark off"), f"set:{problem.at[0]}=")


def _are_whole(*values: object) -> bool:
    return all(type(value) is int for value in values)


def _steps(
    kind: str, by: int, sheet: Sheet, names: Mapping[int, str], fields: Fields
) -> Iterator[Mend]:
    """One button a row that makes the sum right; no pile is taken below nothing."""
    for row in sheet.rows:
        now = number_in(first(fields, f"{kind}-{row}")) or 0
        if kind == "points" or now + by >= 0:
            facts = {"by": f"{by:+}".replace("-", "\u2212"), "name": names[row]}
            text = _("%(by)s to %(name)s") if by > 0 else _("%(by)s from %(name)s")
            yield Mend(text % facts, f"plus:{kind}-{row}:{by}")


def _holders(card: str, sheet: Sheet, way: str, names: Mapping[int, str]) -> Iterator[Mend]:
    if way == "cards" or any(box.card == card for box in sheet.cards):
        for row in sheet.rows:
            facts = {"card": card_sign(card), "name": names[row]}
            button = f"give:cards-{row}:{card}" if way == "cards" else f"give:card-{card}:{row}"
            yield Mend(_("%(card)s to %(name)s") % facts, button)


def _suggested(
    problem: Problem, sheet: Sheet, way: str, names: Mapping[int, str]
) -> Iterator[Mend]:
    for hint in problem.suggestions:
        if hint.code == "not_a_number":
            text = _("%(guess)s instead of %(found)s") % dict(hint.facts)
            yield Mend(text, f"set:{_field(problem, sheet, way)}={hint.facts['guess']}")
        elif hint.code in _RIGHT_POINTS and type(hint.facts["points"]) is int:
            row = sheet.rows[int(hint.at[1])]
            facts = {**hint.facts, "name": names[row]}
            text = _("%(name)s: %(points)s instead of %(found)s") % facts
            yield Mend(text.replace("-", "\u2212"), f"set:points-{row}={hint.facts['points']}")
        elif hint.code == "settle":
            scores = hint.facts["scores"]
            yield Mend(_settled(scores, names.values()), f"save:{_points(sheet, scores)}")


def _settlements(problem: Problem, sheet: Sheet, names: Mapping[int, str]) -> Iterator[Mend]:
    """Answers to a question: who shot, how it is settled, or what the settled points are."""
    for hint in problem.suggestions:
        if hint.code == "who_shot":
            seat = int(hint.facts["by"][0]) + 1
            text = _("%(name)s shot") % {"name": names[sheet.row_of(seat)]}
            yield Mend(text, f"save:shooter={seat}")
        elif hint.code == "settle" and problem.at[:1] == ("points",):
            scores = hint.facts["scores"]
            yield Mend(_settled(scores, names.values()), f"save:{_points(sheet, scores)}")
        elif hint.code == "settle" and hint.facts.get("choice"):
            settled = _settled(hint.facts["scores"], names.values())
            yield Mend(settled, f"save:slam_choice={hint.facts['choice']}")


def _settled(scores: Sequence[Any], names: Any) -> str:
    pairs = zip(names, scores, strict=False)
    return ", ".join(f"{name} {score}" for name, score in pairs).replace("-", "\u2212")


def _points(sheet: Sheet, scores: Sequence[Any]) -> str:
    pairs = zip(sheet.rows, scores, strict=True)
    return "&".join(f"points-{row}={score}" for row, score in pairs)
