"""The likely cause of a problem, or the way out of it, in a few words."""

from collections.abc import Mapping
from typing import Final

from scoring.sentences.phrases import Facts, SentenceTemplate, counted, sentence_template


def _at_seat(text: str) -> SentenceTemplate:
    """A cause, with the seat where it can be told."""
    return lambda facts: text.format_map(facts) + _where(facts)


def _where(facts: Facts) -> str:
    return f" (seat {facts['seat']})" if "seat" in facts else ""


def _correction(facts: Facts) -> str:
    """What a correction changes, seat by seat."""
    return ", ".join(_change(one) for one in facts["changes"])


def _change(one: Facts) -> str:
    what = one["what"]
    if what == "card":
        card = f"the {one['name']}"
        if one["to"] is None:
            return f"{card} not with {_place(one['found_seat'])}"
        origin = "" if one["found"] is None else f" from {_place(one['found_seat'])}"
        return f"{card}{origin} to {_place(one['seat'])}"
    if what in ("hearts", "tricks"):
        return f"seat {one['seat']} {one['to']} {what} instead of {one['found']}"
    if what == "trick_points":
        return f"seat {one['seat']} {one['to']} trick points instead of {one['found']}"
    if what == "melds":
        melds = ", ".join(map(str, one["to"])).replace("_", " ")
        return f"melds of seat {one['seat']}: {melds or 'none'}"
    if what == "points":
        return f"seat {one['seat']} {one['to']} instead of {one['found']}"
    if what == "clean":
        return f"seat {one['seat']} took {'nothing' if one['to'] else 'something'}"
    return _mark(what, one)


def _mark(what: str, one: Facts) -> str:
    names = {
        "declared": "charged", "pledges": "pledges", "slam_choice": "settlement",
        "shooter": "shooter", "first_trick_by": "first trick", "passer": "passed",
        "last_trick": "last trick", "declared_out": "declared out",
    }  # fmt: skip
    to = one["to"]
    if to is None or to == []:
        return f"no mark for {names[what]}"
    if "seat" in one:
        return f"{names[what]}: seat {one['seat']}"
    said = ", ".join(map(str, to)) if isinstance(to, list) else str(to)
    return f"{names[what]}: {said}"


def _place(seat: object) -> str:
    return f"seat {seat}" if seat else "nobody"


SUGGESTIONS: Final[Mapping[str, SentenceTemplate]] = {
    "both_settlements": sentence_template("both settlements: seat {seat} off and the others up"),
    "shooter_as_well": sentence_template("the shooter is written with {points} as well"),
    "other_amount": sentence_template("{points} for a moon under these rules, not {found}"),
    "wrong_sign": sentence_template("seat {seat} {points} instead of {found}: the wrong sign"),
    "other_way": _at_seat("the {card} is worth {points} and was counted the other way"),
    "charged_not_marked": sentence_template("the {card} was charged, and is not marked as charged"),
    "charged_not_counted": sentence_template(
        "the {card} is marked as charged, and was counted as if not"
    ),
    "one_missing": _at_seat("one {card} missing"),
    "some_missing": lambda facts: (
        f"{counted(facts['number'], facts['card'])} missing{_where(facts)}"
    ),
    "one_too_many": _at_seat("one {card} too many"),
    "some_too_many": lambda facts: (
        f"{counted(facts['number'], facts['card'])} too many{_where(facts)}"
    ),
    "counted_twice": _at_seat("the {card} counted twice"),
    "with_nobody": _at_seat("the {card} counted for nobody"),
    "written_for": sentence_template("{found} written where {card} belongs"),
    "kitty_with_nobody": _at_seat("the kitty counted for nobody"),
    "last_trick_with_nobody": sentence_template("the cards of the last trick counted for nobody"),
    "not_doubled": _at_seat("points that count {times} times, counted once"),
    "doubled_twice": _at_seat("points that count {times} times, multiplied twice"),
    "written_twice": sentence_template("the same {points} written for two seats"),
    "no_cards_make": sentence_template("no cards make {points} for seat {seat}"),
    "fits_nowhere": sentence_template("nobody's points have room for the {card}"),
    "settle": sentence_template("{text}"),
    "correction": _correction,
    "seat_should_be": sentence_template("seat {seat} {points} instead of {found}"),
    "closest": sentence_template("did you mean {name}?"),
    "not_a_number": sentence_template("{guess} instead of {found}?"),
    "who_shot": sentence_template("seat {seat}"),
}
"""Code → the cause or the way out in a few words."""
