"""The running totals of the hand form, and the effects of its buttons on its fields.

The page's script shows the same during typing, with the texts of `texts_json`.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from django.utils.translation import gettext as _

from scoring.cards import card_sign, codes_in, read_card
from tournaments.views.hands.hand_form_fields import (
    UNCLAIMED,
    EntryFields,
    Fields,
    count_at,
    first,
    number_in,
    posted_fields,
)

SAVE: Final = "save"
"""Value of the save button; a change may ask to be saved at once (`save:…`)."""
LONGEST_BUTTON: Final = 8_000
"""Letters of a button's value: a correction may change the piles of every seat."""


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
        return _step(sheet, fields, name, number_in(step or "1") or 0), False
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


def _step(sheet: EntryFields, fields: Fields, name: str, step: int) -> Fields:
    now = count_at(fields, name)
    lowest = now + step if name.startswith("points") else max(now + step, 0)
    return _set(sheet, fields, f"{name}={lowest}")


INLINE: Final = 3
"""Maximum number of cards named one by one; more are counted."""


@dataclass(frozen=True, slots=True)
class RunningTotal:
    """The running line: `ok`, `need` (something is open) or `no` (it cannot be), in words."""

    state: str
    text: str
    hearts: int = 0
    open_cards: tuple[str, ...] = ()


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
        points, total = count_in(sheet, fields, "trick_points"), sheet.trick_total
        is_stopped = bool(first(fields, "declared_out"))
        text = _("%(found)s of %(total)s trick points") % {"found": points, "total": total}
        if points == total or (is_stopped and points < total):
            return RunningTotal("ok", _adds_up(text))
        all_in = all(first(fields, f"trick_points-{row}") for row in sheet.rows)
        return RunningTotal("no" if points > total or all_in else "need", text)
    total_of_cards = _cards_tally if way == "cards" else _counts_tally
    running = total_of_cards(sheet, fields)
    open_tricks = _open_tricks(sheet, fields) if running.state == "ok" else ""
    return replace(running, state="need", text=open_tricks) if open_tricks else running


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
    hearts, total = count_in(sheet, fields, "hearts"), len(sheet.hearts)
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


def texts_json(
    sheet: EntryFields, way: str, points_total: int | None, moon: frozenset[str]
) -> dict[str, object]:
    deck = every_card(sheet) if way == "cards" else {}
    return {
        "way": way,
        "deck": [
            {"code": card, "copies": copies, "sign": card_sign(card)}
            for card, copies in deck.items()
        ],
        "hearts": len(sheet.hearts),
        "trick_points": sheet.trick_total,
        "points": points_total,
        "inline": INLINE,
        "cards": [
            {"code": card, "copies": copies, "sign": card_sign(card),
             "key": card[0].replace("1", "t").lower(), "moon": card in moon}
            for card, copies in sheet.copies.items()
        ],
        "moon": bool(moon) and (not sheet.hearts or set(sheet.hearts) <= moon),
        "say": {
            "hearts": _("%(found)s of %(total)s hearts"),
            "over": _("%(n)s too many"),
            "missing": _("%(n)s missing"),
            "open": _("%(card)s open"),
            "some": _("%(found)s of %(total)s %(card)s"),
            "often": _("%(card)s too often"),
            "odd": _("“%(text)s” is not a card"),
            "given": _("%(found)s of %(total)s cards assigned"),
            "whole": _("Complete: %(what)s"),
            "n_hearts": _("%(n)s hearts"),
            "every": _("every card"),
            "points": _("%(found)s of %(total)s points"),
            "tricks": _("%(found)s of %(total)s trick points"),
            "unless": _("unless a player shot the moon"),
            "rest": _("the rest: %(n)s"),
        },
    }  # fmt: skip
