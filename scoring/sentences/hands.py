"""Sentences about rules, games and hands, and the suggestions that come with them."""

from collections.abc import Mapping
from typing import Final

from scoring.option_labels import choice_label, option_label
from scoring.sentences.phrases import Facts, SentenceTemplate, counted, filled, listed


def _seat(facts: Facts) -> str:
    if "seat" not in facts:
        return "A seat"
    return f"Seat {facts['seat']}"


def _seat_count(facts: Facts) -> str:
    if "least" in facts:
        span = f"{facts['least']} to {facts['most']}"
        if facts["least"] == facts["most"]:
            span = str(facts["least"])
        if facts["found"] == 1:
            return f"There is 1 seat. These rules are played by {span}."
        if not isinstance(facts["found"], int):
            return f"{facts['found']} is not a number of seats. These rules are played by {span}."
        return f"There are {facts['found']} seats. These rules are played by {span}."
    if "cards" in facts:
        seats = "1 player" if facts["found"] == 1 else f"{facts['found']} players"
        return f"The {facts['cards']} cards of these rules cannot be dealt evenly to {seats}."
    count, expected = facts["found"], facts["expected"]
    if not isinstance(count, int):
        return f"{count} is not a list for {facts['field']}: it has one entry for each seat."
    if count == 1:
        return f"There is 1 entry under {facts['field']}, for {expected} seats."
    return f"There are {count} entries under {facts['field']}, for {expected} seats."


def _missing_cards(facts: Facts) -> str:
    if facts["what"] == "clean":
        return "Everybody is written as having taken nothing. Somebody took the cards."
    if facts["what"] != "hearts":
        copies, written_count = facts["expected"], facts["found"]
        if copies == 1:
            return f"The {facts['what']} is not assigned to a player. Who took it?"
        if not written_count:
            return f"No {facts['what']} is written. There are {copies} in play. Who took them?"
        rest = (
            "the other one"
            if copies - written_count == 1
            else f"the other {copies - written_count}"
        )
        times = "once" if written_count == 1 else f"{written_count} times"
        sentence = f"The {facts['what']} is written {times}. There are {copies} in play."
        return f"{sentence} Who took {rest}?"
    expected, count = facts["expected"], facts["found"]
    verb = "is" if expected - count == 1 else "are"
    short = counted(expected - count, "heart").capitalize()
    subject = "What is listed"
    if "typed" in facts:
        subject = f"You entered {listed(facts['typed'])}: that"
    cards = f" ({listed(facts['cards'])})" if "cards" in facts else ""
    return f"{short} {verb} missing{cards}. {subject} is {count}, there are {expected} in play."


def _too_many_copies(facts: Facts) -> str:
    if "meld" in facts:
        count, most = counted(facts["found"], "time"), counted(facts["expected"], "time")
        where = listed(facts["seats"])
        return (
            f"{facts['what']} is written {count}, with {where}. "
            f"The pack allows it {most} in a hand."
        )
    if facts["what"] == "hearts":
        over = counted(facts["found"] - facts["expected"], "heart")
        verb = "is" if over.startswith("one ") else "are"
        entered = listed(facts["typed"])
        return (
            f"There {verb} {over} too many. You entered {entered}: that is {facts['found']}, "
            f"there are {facts['expected']} in play."
        )
    where = f", with {listed(facts['seats'])}" if facts.get("seats") else ""
    copies = counted(facts["expected"], "copy").replace("copys", "copies")
    verb = "is" if facts["expected"] == 1 else "are"
    times = {2: "twice"}.get(facts["found"], f"{facts['found']} times")
    return f"The {facts['what']} is written {times}{where}. There {verb} {copies} in play."


def _tricks_sum(facts: Facts) -> str:
    if "first" in facts:
        return f"Seat {facts['first']} won the first trick but is written with no trick."
    most = "at most " if facts.get("at_most") else ""
    return f"The tricks total {facts['found']}. There are {most}{facts['expected']} in a hand."


def _choice_required(facts: Facts) -> str:
    if facts.get("unknown"):
        return (
            "A player shot the moon, but the points do not show which. Mark the seat that "
            "took everything."
        )
    forms = {
        "self": f"Take {facts.get('self')} off seat {facts['seat']}",
        "others": f"give {facts.get('others')} to each other",
    }
    ways = " or ".join(forms[form] for form in facts.get("choices", ()) if form in forms)
    hint = "The points must say how it was settled."
    if ways:
        hint = f"{ways[0].upper()}{ways[1:]}?"
    return f"Seat {facts['seat']} took everything. How is it settled? {hint}"


def _choice_forbidden(facts: Facts) -> str:
    why = {
        "nobody": "nobody took everything",
        "not_open": "these rules do not leave that way open here",
        "points": "the points say otherwise",
        "unknown": "it is either self or others",
    }
    return f"A settlement is written ({facts['found']}), but {why[facts['why']]}."


def _tricks_needed(facts: Facts) -> str:
    if facts.get("first"):
        why = "One trick is with another seat, and a slam may leave only the first trick to others."
        return f"{why} Write who won the first trick."
    write = "Write how many tricks each seat took."
    if facts.get("why") == "slam":
        slam = f" for {facts['slam']}" if facts.get("slam") else ""
        return (
            f"One seat has every card that counts{slam}, which needs every trick as well. {write}"
        )
    if facts.get("why") == "score":
        number = facts["tricks"]
        tricks = "no trick" if number == 0 else counted(number, "trick")
        return f"Under these rules a seat with {tricks} scores differently. {write}"
    return f"These rules look at the tricks. {write}"


def _short_form(facts: Facts) -> str:
    reasons = {
        "values": _hearts_differ(facts),
        "none": "Hearts do not count under these rules, so a number of hearts says nothing. "
        "Write the cards that count.",
        "mixed": "Hearts are entered both as a number and as cards. Enter them in one way.",
        "clean": "These rules look at more than who took nothing. Write the cards.",
    }
    return reasons[facts["why"]]


def _hearts_differ(facts: Facts) -> str:
    low, high = facts.get("low"), facts.get("high")
    worth = f" (the {low[0]} {low[1]}, the {high[0]} {high[1]})" if low and high else ""
    return (
        f"A number of hearts is not enough: under these rules hearts differ in what they "
        f"count{worth}. Write which cards each seat took."
    )


def _bad_count(facts: Facts) -> str:
    if facts["field"] == "points":
        sentence = f"{_seat(facts)}: the points are written as {facts['found']}."
        return f"{sentence} They must be a whole number, or a fraction like 26/3."
    if facts["field"] == "clean":
        return f"{_seat(facts)}: {facts['found']} does not say whether the seat took nothing."
    limit = f"0 to {facts['most']}" if "most" in facts else "0 up"
    verb = "are" if facts["field"] in ("hearts", "tricks", "trick_points") else "is"
    field = str(facts["field"]).replace("trick_points", "the trick points")
    sentence = f"{_seat(facts)}: {field} {verb} written as {facts['found']}."
    return f"{sentence} It must be a whole number from {limit}."


def _wrong_total(facts: Facts) -> str:
    if facts.get("field") == "trick_points":
        most = "at most " if facts.get("at_most") else ""
        why = ", as the hand was stopped" if facts.get("at_most") else ""
        return (
            f"The trick points total {facts['found']}. "
            f"All tricks of a hand have {most}{facts['expected']}{why}."
        )
    if facts.get("at_least"):
        least = f"The tricks of a hand alone have {facts['expected']}"
        return f"The points total {facts['found']}. {least}, and melds add to them."
    moons = f" A settled moon makes {listed(facts['moons'])}." if facts.get("moons") else ""
    jokers = ", less the jokers taken without a heart" if facts.get("jokers") else ""
    whole = f"The total of a hand is {facts['expected']}{jokers}."
    return f"The points total {facts['found']}. {whole}{moons}"


def _impossible_totals(facts: Facts) -> str:
    hands = facts["hands"]
    number = "no number of hands" if hands is None else f"no {counted(hands, 'hand')}"
    if facts["why"] == "sum":
        moons = ", moons aside" if facts["moons"] else ""
        if facts.get("jokers"):
            moons = f", jokers without a heart left out{moons}"
        why = f"All totals together are {facts['found']}, and {number} can make that: "
        return f"{why}the points of a hand total {facts['of_one']}{moons}."
    if facts["why"] == "fraction":
        return f"Seat {facts['seat']} has {facts['found']}. These rules give whole points only."
    limits = "" if hands is None else f" Expected: {facts['least']} to {facts['most']}."
    return f"Seat {facts['seat']} has {facts['found']}, and {number} can make that.{limits}"


def _impossible_points(facts: Facts) -> str:
    points = facts["points"]
    if facts.get("field") == "trick_points":
        return f"No cards give the trick points {points}. Look at each seat again."
    if facts.get("field") == "points":
        return f"No melds and no tricks give {points}. Look at each seat again."
    return (
        f"The total is right, but no way to share out the cards gives {points}. "
        "Look at each seat again."
    )


def _bad_option(facts: Facts) -> str:
    option = str(facts["option"])
    value = facts["found"]
    value = choice_label(option, value) or value
    return f'"{option_label(option)}" cannot be "{value}" here. {facts["why"]}'


LAST_STALLED: Final[Mapping[str, str]] = {
    "previous_winner": "A last trick that nobody wins goes to the winner of the trick before.",
    "leader": "A last trick that nobody wins goes to the player who led to it.",
    "uncounted": "The cards of a last trick that nobody wins do not count.",
}
"""The rule for a last trick whose cards cancel each other, on rules cards and in refusals."""


def _unclaimed_not_allowed(facts: Facts) -> str:
    if facts.get("jokers"):
        return (
            "Cards are written as unclaimed. Under these rules only a joker of a trick without a "
            "heart is nobody's. Give each other card to a seat."
        )
    rule = LAST_STALLED.get(
        facts.get("last_stalled", ""), "Under these rules each trick has a winner."
    )
    return f"Cards are written as unclaimed. {rule} Give each card that counts to a seat."


SENTENCES: Final[Mapping[str, SentenceTemplate]] = {
    "bad_case": "A case is an object with a variant, seats and hands. {why}",
    "unknown_variant": lambda facts: (
        "No variant is named."
        if facts["found"] in ("", "null")
        else f"There is no variant called {facts['found']}."
    ),
    "unknown_option": lambda facts: (
        f"There is no option called {facts['found']}."
        + (f" Known are {facts['known']}." if "known" in facts else "")
    ),
    "bad_option": _bad_option,
    "bad_rules": "{key}: {why}",
    "match_over": "The game is over. This hand comes after its end.",
    "points_needed": "A sheet with totals only holds points, one number for each seat.",
    "seat_count": _seat_count,
    "bad_teams": "The sides do not split the seats as these rules do: {expected}.",
    "bad_entry": "A hand is an object with what each seat took. {why}",
    "unknown_field": "There is no field called {found} in a hand.",
    "unknown_card": "{found} is not a card of this pack.",
    "unknown_meld": "{found} is not a meld of these rules.",
    "too_many_copies": _too_many_copies,
    "unclaimed_not_allowed": _unclaimed_not_allowed,
    "missing_cards": _missing_cards,
    "last_trick_needed": "The winner of the last trick is not written. The last trick counts "
    "{points}.",
    "declaration_forbidden": "Somebody is written as having declared out. Under these rules a hand "
    "is played to its end.",
    "tricks_sum": _tricks_sum,
    "joker_without_heart": "Seat {seat} has a joker but no heart. A joker counts only in a trick "
    "with a heart: give it to the seat that took it with one, or write it as unclaimed.",
    "cards_without_trick": "Seat {seat} has cards but no trick. Cards come with a trick: check "
    "both.",
    "not_chargeable": "{found} cannot be charged here, or is charged twice.",
    "unknown_pledge": "Seat {seat} is written with a pledge that these rules do not know.",
    "unknown_seat": lambda facts: (
        f"{facts['field']} must name a seat of this table"
        + (" other than the shooter's." if facts["field"] == "passer" else ".")
    ),
    "choice_required": _choice_required,
    "choice_forbidden": _choice_forbidden,
    "tricks_needed": _tricks_needed,
    "short_form_not_allowed": _short_form,
    "bad_count": _bad_count,
    "wrong_shooter": lambda facts: (
        f"Seat {facts['found']} is marked as having taken everything, but "
        f"{_place(facts.get('seat'))} did."
    ),
    "wrong_total": _wrong_total,
    "impossible_points": _impossible_points,
    "impossible_totals": _impossible_totals,
    "points_disagree": lambda facts: (
        f"The cards make {listed(facts['expected'])}, the points say {listed(facts['found'])}."
    ),
    "too_much_work": "Checking this takes too long. Send fewer hands at once, or enter what each "
    "seat took instead of points only.",
}
"""Code → sentence, in the order in which the problems of one hand are reported."""


def _at_seat(text: str) -> SentenceTemplate:
    """A cause, with its seat if known."""
    return lambda facts: text.format_map(facts) + _where(facts)


def _where(facts: Facts) -> str:
    if "seat" not in facts:
        return ""
    return f" (seat {facts['seat']})"


def _place(seat: object) -> str:
    return f"seat {seat}" if seat else "nobody"


def _card(change: Facts) -> str:
    card = f"the {change['name']}"
    holder = _place(change["found_seat"])
    if change["to"] is None:
        return f"{card} not with {holder}"
    origin = "" if change["found"] is None else f" from {holder}"
    return f"{card}{origin} to {_place(change['seat'])}"


_CHANGES: Final[Mapping[str, SentenceTemplate]] = {
    "hearts": "seat {seat} {to} hearts instead of {found}",
    "tricks": "seat {seat} {to} tricks instead of {found}",
    "trick_points": "seat {seat} {to} trick points instead of {found}",
    "points": "seat {seat} {to} instead of {found}",
    "clean": lambda change: (
        f"seat {change['seat']} took {'nothing' if change['to'] else 'something'}"
    ),
    "melds": lambda change: (
        f"melds of seat {change['seat']}: "
        f"{', '.join(map(str, change['to'])).replace('_', ' ') or 'none'}"
    ),
    "card": _card,
}
"""Field → how it changes; any other field is a mark."""
_MARKS: Final = {
    "declared": "charged", "pledges": "pledges", "slam_choice": "settlement",
    "shooter": "shooter", "first_trick_by": "first trick", "passer": "passed",
    "last_trick": "last trick", "declared_out": "declared out",
}  # fmt: skip


def _mark(change: Facts) -> str:
    name = _MARKS[change["what"]]
    to = change["to"]
    if to is None or to == []:
        return f"no mark for {name}"
    if "seat" in change:
        return f"{name}: seat {change['seat']}"
    return f"{name}: {', '.join(map(str, to)) if isinstance(to, list) else to}"


SUGGESTIONS: Final[Mapping[str, SentenceTemplate]] = {
    "both_settlements": "both settlements: seat {seat} off and the others up",
    "shooter_as_well": "the shooter is written with {points} as well",
    "other_amount": "{points} for a moon under these rules, not {found}",
    "wrong_sign": "seat {seat} {points} instead of {found}: the wrong sign",
    "other_way": _at_seat("the {card} is worth {points} and was counted the other way"),
    "charged_not_marked": "the {card} was charged, and is not marked as charged",
    "charged_not_counted": "the {card} is marked as charged, and was counted as if not",
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
    "joker_with_nobody": "the {card} taken in a trick without a heart: write it as unclaimed",
    "written_for": "{found} written where {card} belongs",
    "kitty_with_nobody": _at_seat("the kitty counted for nobody"),
    "last_trick_with_nobody": "the cards of the last trick counted for nobody",
    "not_doubled": _at_seat("points that count {times} times, counted once"),
    "doubled_twice": _at_seat("points that count {times} times, multiplied twice"),
    "written_twice": "the same {points} written for two seats",
    "no_cards_make": "no cards make {points} for seat {seat}",
    "fits_nowhere": "nobody has enough points for the {card}",
    "settle": "{text}",
    "correction": lambda facts: ", ".join(
        filled(_CHANGES.get(change["what"], _mark), change) for change in facts["changes"]
    ),
    "seat_should_be": "seat {seat} {points} instead of {found}",
    "closest": "did you mean {name}?",
    "not_a_number": "{guess} instead of {found}?",
    "who_shot": "seat {seat}",
}
"""Code → the cause or the way out in a few words."""
