"""What the hand form answers: its running totals, its buttons, and refusals at its fields.

The page's script shows running totals during typing, with the texts of `hand_form.texts_json`. A
refusal has its corrections as buttons; the scorer tried each before (`scoring.game.corrections`).
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.cards import card_sign, codes_in, read_card
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
    count_at,
    entry_of,
    fields_of,
    first,
    meld_field,
    number_in,
    posted_fields,
)

SAVE: Final = "save"
"""Value of the save button; a change may ask to be saved at once (`save:…`)."""

LONGEST_BUTTON: Final = 8_000
"""Letters of a button's value: a correction may change the piles of every seat."""

INLINE: Final = 3
"""Maximum number of cards named one by one; more are counted."""


@dataclass(frozen=True, slots=True)
class RunningTotal:
    """The running line: `ok`, `need` (something is open) or `no` (it cannot be), in words."""

    state: str
    text: str
    hearts: int = 0
    open_cards: tuple[str, ...] = ()


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

    A fix is the text of a button and its value (`changed`). `field` is empty if no
    single field is wrong: a sum does not show which pile is short.
    """

    code: str
    first: str
    rest: str
    field: str
    anchor: str
    mends: tuple[tuple[str, str], ...]


def changed(sheet: EntryFields, fields: Fields, button: str) -> tuple[Fields, bool]:
    """Return the fields after a button, and whether the hand is to be saved.

    `plus:hearts-2`, `plus:hearts-2:-1`, `set:points-3=7`, `give:card-QS:3` (one more copy to row
    3), `give:cards-3:QS`, `rest:2` (the hearts or trick points left), `left:2` (the cards left);
    `save:slam_choice=self` sets and saves. A button that the page does not have changes nothing.
    """
    action, _, value = button.partition(":")
    if action in ("", SAVE) and not value:
        return fields, True
    if action in ("set", SAVE):
        return _set(sheet, fields, value), action == SAVE
    if action == "plus":
        name, _, step = value.partition(":")
        number = count_at(fields, name) + (number_in(step or "1") or 0)
        lowest = number if name.startswith("points") else max(number, 0)
        return _set(sheet, fields, f"{name}={lowest}"), False
    if action == "give":
        name, _, card = value.partition(":")
        return _give(sheet, fields, name, card), False
    if action == "left" and number_in(value) is not None:
        for card, n_open in open_copies(sheet, fields).items():
            for _copy in range(n_open):
                fields = _give(sheet, fields, f"card-{card}", value)
        return fields, False
    if action == "rest" and number_in(value) is not None:
        missing = max(rest_of(sheet, fields), 0)
        return _set(sheet, fields, f"{counted_kind(sheet)}-{value}={missing}"), False
    return fields, False


def rest_of(sheet: EntryFields, fields: Mapping[str, Sequence[str]]) -> int:
    """Return how many hearts, or trick points, are not written yet; below 0 where too many are."""
    kind = counted_kind(sheet)
    return (sheet.trick_total or len(sheet.hearts)) - count_in(sheet, fields, kind)


def counted_kind(sheet: EntryFields) -> str:
    return "trick_points" if sheet.trick_total else "hearts"


def count_in(sheet: EntryFields, fields: Mapping[str, Sequence[str]], kind: str) -> int:
    names = (f"{kind}-{row}" for row in (UNCLAIMED, *sheet.rows))
    return sum(count_at(fields, name) for name in names)


def open_copies(sheet: EntryFields, fields: Mapping[str, Sequence[str]]) -> dict[str, int]:
    return {
        card: max(n_copies - len(fields.get(f"card-{card}", ())), 0)
        for card, n_copies in sheet.copies.items()
    }


def _give(sheet: EntryFields, fields: Fields, name: str, value: str) -> Fields:
    cards = list(fields.get(name, ()))
    if name.startswith("cards-"):
        return {**fields, **posted_fields(sheet, {name: [" ".join([*cards, value])]})}
    copies = sheet.copies.get(name.removeprefix("card-"), 1)
    return {**fields, **posted_fields(sheet, {name: [*cards[: copies - 1], value]})}


def _set(sheet: EntryFields, fields: Fields, pairs: str) -> Fields:
    """Set fields as `name=value&name=value` says; a name that is no field is passed over."""
    values: Fields = {}
    for pair in pairs[:LONGEST_BUTTON].split("&"):
        name, _, value = pair.partition("=")
        values.setdefault(name, []).append(value)
    return {**fields, **posted_fields(sheet, values)}


def running_total(
    sheet: EntryFields, way: str, fields: Fields, points_total: int | None
) -> RunningTotal:
    if way == "points":
        return _points_tally(sheet, fields, points_total)
    if way == "clean":
        return RunningTotal("need", _("Mark the players who took nothing"))
    if way == "cards" and sheet.melds:
        return RunningTotal("need", _("Enter the cards of each seat"))
    if sheet.trick_total and way == "counts":
        points = count_in(sheet, fields, "trick_points")
        total = sheet.trick_total
        is_stopped = bool(first(fields, "declared_out"))
        text = _("%(found)s of %(total)s trick points") % {"found": points, "total": total}
        if points == total or (is_stopped and points < total):
            return RunningTotal("ok", _adds_up(text))
        all_in = all(first(fields, f"trick_points-{row}") for row in sheet.rows)
        return RunningTotal("no" if points > total or all_in else "need", text)
    total_of_cards = _cards_tally if way == "cards" else _counts_tally
    running = total_of_cards(sheet, fields)
    open_tricks = _open_tricks(sheet, fields) if running.state == "ok" else ""
    if not open_tricks:
        return running
    return replace(running, state="need", text=open_tricks)


def _open_tricks(sheet: EntryFields, fields: Fields) -> str:
    """Return what is missing of tricks that the hand, or its moon, needs; empty if nothing is."""
    box = sheet.box("tricks")
    if box is None:
        return ""
    texts = [first(fields, f"tricks-{row}") for row in sheet.rows]
    if not any(texts):
        is_needed = box.is_required or any(_took_all(sheet, fields, row) for row in sheet.rows)
        return _("The tricks are missing.") if is_needed else ""
    n_tricks = sum(number_in(text) or 0 for text in texts)
    if n_tricks == (box.maximum or n_tricks):
        return ""
    return _("%(found)s of %(total)s tricks.") % {"found": n_tricks, "total": box.maximum}


def _took_all(sheet: EntryFields, fields: Fields, row: int) -> bool:
    hearts = count_at(fields, f"hearts-{row}")
    cards = (fields.get(f"card-{card}", ()) for card in sheet.copies)
    return hearts == len(sheet.hearts) and all(set(holders) == {str(row)} for holders in cards)


def _counts_tally(sheet: EntryFields, fields: Fields) -> RunningTotal:
    hearts = count_in(sheet, fields, "hearts")
    total = len(sheet.hearts)
    all_in = all(first(fields, f"hearts-{row}") for row in sheet.rows)
    parts = (
        [_("%(found)s of %(total)s hearts") % {"found": hearts, "total": total}] if total else []
    )
    if hearts > total:
        parts.append(_("%(n)s too many") % {"n": hearts - total})
    elif hearts < total and all_in:
        parts.append(_("%(n)s missing") % {"n": total - hearts})
    counter = Counter({card: len(fields.get(f"card-{card}", ())) for card in sheet.copies})
    words, open_cards, over = _cards(counter, sheet.copies)
    wrong = over or (bool(total) and (hearts > total or (hearts < total and all_in)))
    if hearts == total and not open_cards and not over:
        names = [_("%(n)s hearts") % {"n": total}] if total else []
        names += map(card_sign, sheet.copies) if total else [_("every card")]
        return RunningTotal("ok", _adds_up(", ".join(names)), hearts)
    return RunningTotal("no" if wrong else "need", ", ".join([*parts, *words]), hearts, open_cards)


def _adds_up(text: str) -> str:
    return _("Complete: %(what)s") % {"what": text}


def _cards_tally(sheet: EntryFields, fields: Fields) -> RunningTotal:
    """The line of a hand that is typed card by card; cards that do not count may stand there."""
    texts = (first(fields, f"cards-{row}") for row in (UNCLAIMED, *sheet.rows))
    codes = [code for text in texts for code in codes_in(text)]
    words, open_cards, over = _cards(Counter(codes), every_card(sheet))
    odd = next((code for code in codes if read_card(code) is None), "")
    if odd:
        words = [_("“%(text)s” is not a card") % {"text": odd}]
    elif not open_cards and not over:
        return RunningTotal("ok", _adds_up(_("every card")))
    return RunningTotal("no" if odd or over else "need", ", ".join(words), 0, open_cards)


def every_card(sheet: EntryFields) -> dict[str, int]:
    """Return each card that counts → its copies, hearts that are else only counted included."""
    return Counter(sheet.hearts) | Counter(sheet.copies)


def _cards(
    counts: Counter[str], copies: Mapping[str, int]
) -> tuple[list[str], tuple[str, ...], bool]:
    over = [card for card in copies if counts[card] > copies[card]]
    missing = tuple(card for card in copies if counts[card] < copies[card])
    words = [_("%(card)s too often") % {"card": card_sign(card)} for card in over]
    if len(missing) > INLINE:
        n_in = sum(min(counts[card], n) for card, n in copies.items())
        facts = {"found": n_in, "total": sum(copies.values())}
        return [_("%(found)s of %(total)s cards assigned") % facts, *words], missing, bool(over)
    for card in missing:
        text = _("%(found)s of %(total)s %(card)s") if counts[card] else _("%(card)s open")
        words.append(text % {"found": counts[card], "total": copies[card], "card": card_sign(card)})
    return words, missing, bool(over)


def _points_tally(sheet: EntryFields, fields: Fields, total: int | None) -> RunningTotal:
    texts = [first(fields, f"points-{row}") for row in sheet.rows]
    numbers = [number_in(text) for text in texts]
    points = sum(number or 0 for number in numbers)
    if total is None:
        return RunningTotal("need", _("Enter the points of each seat"))
    text = _("%(found)s of %(total)s points") % {"found": points, "total": total}
    if points == total:
        return RunningTotal("ok", _adds_up(text))
    if all(texts):
        text += ", " + _("unless a player shot the moon")
    return RunningTotal("need", text)


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
    known_codes = _ON_BUTTONS
    if problem.code == "choice_required":
        known_codes |= {"settle"}
    if problem.code in ("missing_cards", "too_many_copies", "tricks_sum"):
        known_codes |= _IN_SENTENCES
    causes = [hint.text for hint in problem.suggestions if hint.code not in known_codes]
    if not causes:
        return ""
    return " " + _("Likely: %(causes)s.") % {"causes": _(" or ").join(causes)}


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
        if len(at) > 1 and isinstance(at[1], int):
            return f"cards-{sheet.row_of(at[1] + 1)}"
        return ""
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
    if at[0] not in _FIELDS:
        return ""
    return f"{at[0]}-{sheet.row_of(place + 1)}"


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
            "name": names[sheet.row_of(change["place"] + 1)],
            "melds": melds,
        }
    if kind == "slam_choice":
        return str(_SETTLED.get(str(to), _("no moon mark")))
    if kind in _SEAT_MARKS and isinstance(to, int):
        return _SEAT_MARKS[kind] % {"name": names[sheet.row_of(to + 1)]}
    if kind == "declared":
        cards = ", ".join(map(card_sign, to or ()))
        return _("charged: %(cards)s") % {"cards": cards or _("none")}
    return _("no such mark")


def _changed_count(change: JsonObject, name: str) -> str:
    before = change["found"]
    to = change["to"]
    is_tricks = change["what"] == "tricks"
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
        return _("Remove %(card)s from %(found)s") % facts
    if before:
        return _("%(card)s from %(found)s to %(name)s") % facts
    return _("%(card)s to %(name)s") % facts


def _settled_scores(scores: Sequence[ScoreJson], names: Iterable[str]) -> str:
    pairs = zip(names, scores, strict=False)
    return ", ".join(f"{name} {score}" for name, score in pairs).replace("-", "\u2212")
