"""A refusal at the fields of a form, with its corrections as buttons.

A button puts into the fields what a correction changes, and the hand is looked at again. Every
correction was tried by the scorer before (`scoring.game.corrections`).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.cards import card_sign, read_card
from scoring.entry.codec import NUMBERS, OF_A_UNIT
from scoring.entry.sheet import points_text, seat_names
from scoring.errors import Problem, Suggestion
from scoring.json_types import JsonObject
from scoring.numbers import ScoreJson
from tournaments.domain.messages import sentence
from tournaments.views.hands.hand_form_fields import (
    UNCLAIMED,
    EntryFields,
    Fields,
    entry_of,
    fields_of,
    meld_field,
)

_FIELDS: Final = (*NUMBERS, "clean")
_ON_BUTTONS: Final = frozenset(
    {"who_shot", "not_a_number", "seat_should_be", "wrong_sign", "closest", "correction"}
)
_IN_SENTENCES: Final = frozenset(
    {"one_missing", "some_missing", "one_too_many", "some_too_many", "with_nobody", "counted_twice"}
)
_SETTLED: Final = {
    "self": gettext_lazy("moon taken off"),
    "others": gettext_lazy("moon to the others"),
}
_SEAT_MARKS: Final = {
    "shooter": gettext_lazy("%(name)s shot"),
    "first_trick_by": gettext_lazy("first trick: %(name)s"),
    "passer": gettext_lazy("passed: %(name)s"),
    "last_trick": gettext_lazy("last trick: %(name)s"),
    "declared_out": gettext_lazy("declared out: %(name)s"),
}
_MARKS: Final = ("slam_choice", *_SEAT_MARKS)


@dataclass(frozen=True, slots=True)
class FieldProblems:
    """A problem: its first sentence, the others, its field, and its suggested fixes.

    A fix is the text of a button and its value (`running_totals.changed`). `field` is empty if no
    single field is wrong: a sum does not show which pile is short.
    """

    code: str
    first: str
    rest: str
    field: str
    anchor: str
    mends: tuple[tuple[str, str], ...]


def field_problems_of(
    problem: Problem, sheet: EntryFields, way: str, names: Mapping[int, str], fields: Fields
) -> FieldProblems:
    """Return a problem as the page shows it; `names` are those of the rows."""
    # Cut before the names go in: "Carla K." is no end of a sentence.
    head, stop, rest = f"{sentence(problem)}{_likely(problem)}".partition(". ")
    field = _field(problem, sheet, way)
    return FieldProblems(
        code=problem.code,
        first=_with_names(head + stop.rstrip(), sheet, names),
        rest=_with_names(rest, sheet, names),
        field=field,
        anchor=f"{field}-{sheet.rows[0]}-0" if field.startswith("card-") else field,
        mends=tuple(_buttons(problem, sheet, way, names, fields)),
    )


def _likely(problem: Problem) -> str:
    buttons = _ON_BUTTONS | ({"settle"} if problem.code == "choice_required" else set())
    known_codes = buttons | (
        _IN_SENTENCES
        if problem.code in ("missing_cards", "too_many_copies", "tricks_sum")
        else frozenset()
    )
    causes = [hint.text for hint in problem.suggestions if hint.code not in known_codes]
    return " " + _("Likely: %(causes)s.") % {"causes": _(" or ").join(causes)} if causes else ""


def _with_names(text: str, sheet: EntryFields, names: Mapping[int, str]) -> str:
    for number, label in enumerate(seat_names(sheet.seats), start=1):
        name = names[sheet.row_of(number)]
        text = name.join(re.split(rf"\b[Ss]eat {label}\b", text))
    return text


def _field(problem: Problem, sheet: EntryFields, way: str) -> str:
    at, facts = problem.at, problem.facts
    if not at:
        return ""
    if at[0] in _MARKS:
        return str(at[0])
    if way == "cards" and at[0] in ("taken", "unclaimed"):
        if at[0] == "unclaimed":
            return f"cards-{UNCLAIMED}"
        return f"cards-{sheet.row_of(at[1] + 1)}" if len(at) > 1 and isinstance(at[1], int) else ""
    card = facts.get("card") or next(iter(facts.get("cards", ())), None)
    if at[0] == "taken" and card:
        return f"card-{card}"
    if len(at) < 2 or not isinstance(at[1], int):
        return ""
    place = at[1]
    if at[0] == "melds" and "meld" in facts:
        return meld_field(place + 1, str(facts["meld"]))
    if at[0] in OF_A_UNIT:
        return f"{at[0]}-{sheet.rows[place]}"
    return f"{at[0]}-{sheet.row_of(place + 1)}" if at[0] in _FIELDS else ""


def _buttons(
    problem: Problem, sheet: EntryFields, way: str, names: Mapping[int, str], fields: Fields
) -> Iterator[tuple[str, str]]:
    now = fields_of(sheet, entry_of(sheet, way, fields), way)
    for hint in problem.suggestions:
        entry = hint.facts.get("entry")
        if isinstance(entry, Mapping):
            text = _button_text(hint, sheet, names)
            then = fields_of(sheet, entry, way)
            pairs = [
                (name, value)
                for name in dict.fromkeys((*now, *then))
                if now.get(name, []) != then.get(name, [])
                for value in then.get(name) or [""]
            ]
            put = "&".join(f"{name}={value}" for name, value in pairs)
            # An answer to a question is saved at once; a guess is looked at again.
            action = "save" if hint.code in {"settle", "who_shot"} else "set"
            yield text.replace("-", "\u2212"), f"{action}:{put}"


def _button_text(hint: Suggestion, sheet: EntryFields, names: Mapping[int, str]) -> str:
    facts = hint.facts
    if hint.code == "not_a_number":
        return _("%(guess)s instead of %(found)s") % dict(facts)
    if hint.code in ("seat_should_be", "wrong_sign"):
        row = sheet.rows[int(hint.at[1])]
        return _points_instead(names[row], facts["found"], facts["points"])
    if hint.code == "settle":
        return _settled_scores(facts["scores"], names.values())
    if hint.code == "who_shot":
        row = sheet.row_of(int(facts["by"][0]) + 1)
        return _("%(name)s shot") % {"name": names[row]}
    changes = facts["changes"]
    points = [change for change in changes if change["what"] == "points"]
    if len(points) > 1:
        return _settled_scores(
            [points_text(value) for value in facts["entry"]["points"]], names.values()
        )
    words = [_changed(change, sheet, names) for change in changes]
    return ", ".join(dict.fromkeys(words)) or _("No change")


def _points_instead(name: str, old_points: object, points: object) -> str:
    facts = {"name": name, "points": points_text(points), "found": points_text(old_points)}
    return _("%(name)s: %(points)s instead of %(found)s") % facts


def _changed(change: JsonObject, sheet: EntryFields, names: Mapping[int, str]) -> str:
    kind, to = change["what"], change["to"]
    if kind == "card":
        return _moved_card(change, sheet, names)
    if kind in ("hearts", "tricks"):
        return _changed_count(change, names[sheet.row_of(change["place"] + 1)])
    if kind in OF_A_UNIT:
        name = names[sheet.rows[change["place"]]]
        if kind == "points":
            return _points_instead(name, change["found"], to)
        text = _("%(name)s took nothing") if to else _("%(name)s took something")
        return text % {"name": name}
    if kind == "trick_points":
        return _points_instead(names[sheet.row_of(change["place"] + 1)], change["found"], to)
    if kind == "melds":
        melds = ", ".join(map(str, to)).replace("_", " ") or _("none")
        return _("melds of %(name)s: %(melds)s") % {
            "name": names[sheet.row_of(change["place"] + 1)], "melds": melds
        }  # fmt: skip
    if kind == "slam_choice":
        return str(_SETTLED.get(str(to), _("no moon mark")))
    if kind in _SEAT_MARKS and isinstance(to, int):
        return _SEAT_MARKS[kind] % {"name": names[sheet.row_of(to + 1)]}
    if kind == "declared":
        cards = ", ".join(map(card_sign, to or ()))
        return _("charged: %(cards)s") % {"cards": cards or _("none")}
    return _("no such mark")


def _changed_count(change: JsonObject, name: str) -> str:
    before, to, is_tricks = change["found"], change["to"], change["what"] == "tricks"
    if type(before) is not int:
        facts = {"name": name, "points": to, "found": before}
        return _("%(name)s: %(points)s instead of %(found)s") % facts
    facts = {"by": f"{to - before:+}", "name": name}
    if is_tricks:
        return _("tricks: %(by)s for %(name)s") % facts
    return (_("%(by)s to %(name)s") if to > before else _("%(by)s from %(name)s")) % facts


def _moved_card(change: JsonObject, sheet: EntryFields, names: Mapping[int, str]) -> str:
    card = change["card"]
    places = {None: "", -1: _("nobody")}
    before, to = (
        places[at] if at in places else names[sheet.row_of(at + 1)]
        for at in (change["found"], change["to"])
    )
    facts = {"card": card_sign(card) if read_card(card) else card, "name": to, "found": before}
    if not to:
        return _("%(card)s not with %(found)s") % facts
    if before:
        return _("%(card)s from %(found)s to %(name)s") % facts
    return _("%(card)s to %(name)s") % facts


def _settled_scores(scores: Sequence[ScoreJson], names: Iterable[str]) -> str:
    pairs = zip(names, scores, strict=False)
    return ", ".join(f"{name} {score}" for name, score in pairs).replace("-", "\u2212")
