"""Every refusal of the scorer: its code, its place, its facts, its English sentence.

Codes are API and are never renamed. The order of `SENTENCES` is the order in which the problems of
one hand are reported (docs/rules-engine.md, "Refusals").
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from scoring.numbers import Complex as Complex
from scoring.numbers import Score as Score
from scoring.numbers import score_json as score_json

Facts: TypeAlias = Mapping[str, Any]
Path: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A likely cause, or a way out, of a problem.

    `code` says which; `at` names the place where it can be told; for `code == "settle"` the facts
    hold `choice`, `by` (seat indices), `scores` (what each unit would be booked) and, where the
    settlement is open, `totals` (what each unit would then stand at).
    """

    code: str
    at: Path = ()
    facts: Facts = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The suggestion in a few plain words.

        >>> Suggestion("one_missing", facts={"card": "heart"}).text
        'one heart missing'
        """
        return SUGGESTIONS[self.code](self.facts)

    def as_json(self) -> dict[str, object]:
        """The suggestion as the API and the command line write it."""
        return {
            "code": self.code,
            "at": list(self.at),
            "facts": dict(self.facts),
            "text": self.text,
        }


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing a person must mend. `code` is API: never renamed; `at` is a path into the entry."""

    code: str
    at: Path = ()
    facts: Facts = field(default_factory=dict)
    suggestions: tuple[Suggestion, ...] = ()

    def hinting(self, *suggestions: Suggestion) -> "Problem":
        """The same problem with these suggestions before its own."""
        return Problem(self.code, self.at, self.facts, (*suggestions, *self.suggestions))

    @property
    def message(self) -> str:
        """What was found, what was expected, what to do: one or two plain sentences."""
        return SENTENCES[self.code](self.facts)

    def as_json(self) -> dict[str, object]:
        """The problem as the API and the command line write it."""
        return {
            "code": self.code,
            "at": list(self.at),
            "facts": dict(self.facts),
            "message": self.message,
            "suggestions": [suggestion.as_json() for suggestion in self.suggestions],
        }


class Refused(Exception):
    """What was typed cannot stand. Carries every problem found, in the order of `SENTENCES`."""

    def __init__(self, *problems: Problem) -> None:
        self.problems = in_order(problems)
        super().__init__("; ".join(problem.code for problem in self.problems))


def in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The problems as they are reported: by the rank of their code, then as they were found."""
    return tuple(sorted(problems, key=lambda problem: _RANK.get(problem.code, len(_RANK))))


NUMBER_WORDS = ("no", "one", "two", "three", "four", "five", "six")


def counted(number: int, noun: str) -> str:
    """A number of things in words.

    >>> counted(1, "heart"), counted(12, "heart")
    ('one heart', '12 hearts')
    """
    word = NUMBER_WORDS[number] if 0 <= number < len(NUMBER_WORDS) else str(number)
    return f"{word} {noun}" if number == 1 else f"{word} {noun}s"


def listed(items: Iterable[object]) -> str:
    """Things in a row, as one says them.

    >>> listed([7, 4, 1, 0])
    '7, 4, 1 and 0'
    """
    words = [str(item) for item in items]
    return " and ".join(filter(None, [", ".join(words[:-1]), "".join(words[-1:])]))


def shown(value: object, longest: int = 40) -> str:
    """What somebody typed, short enough for a sentence; a list or an object is not spelled out.

    >>> shown("Q" * 50, 5), shown([1, [2]]), shown(True), shown(None)
    ('QQQQ…', 'a list', 'True', 'null')
    """
    if value is None:
        return "null"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, int) and abs(value) > 10**longest:
        return "a very long number"
    text = value[: longest + 1] if isinstance(value, str) else repr(value)
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _seat(facts: Facts) -> str:
    return f"Seat {facts['seat']}" if "seat" in facts else "A seat"


def _seat_count(facts: Facts) -> str:
    if "least" in facts:
        span = f"{facts['least']} to {facts['most']}"
        if facts["least"] == facts["most"]:
            span = str(facts["least"])
        return f"There are {facts['found']} seats. These rules are played by {span}."
    if "cards" in facts:
        seats = f"{facts['found']} players"
        return f"The {facts['cards']} cards of these rules cannot be dealt evenly to {seats}."
    found, expected = facts["found"], facts["expected"]
    return f"There are {found} entries under {facts['field']}, for {expected} seats."


def _missing_cards(facts: Facts) -> str:
    if facts["what"] == "clean":
        return "Everybody is written as having taken nothing. Somebody took the cards."
    if facts["what"] != "hearts":
        return f"The {facts['what']} is with nobody. Who took it?"
    expected, found = facts["expected"], facts["found"]
    verb = "is" if expected - found == 1 else "are"
    short = counted(expected - found, "heart").capitalize()
    typed = f"You typed {listed(facts['typed'])}: that" if "typed" in facts else "What is listed"
    cards = f" ({listed(facts['cards'])})" if "cards" in facts else ""
    return f"{short} {verb} missing{cards}. {typed} is {found}, there are {expected} in play."


def _too_many_copies(facts: Facts) -> str:
    if facts["what"] == "hearts":
        over = counted(facts["found"] - facts["expected"], "heart")
        verb = "is" if over.startswith("one ") else "are"
        typed = listed(facts["typed"])
        return (
            f"There {verb} {over} too many. You typed {typed}: that is {facts['found']}, "
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
    return f"The tricks add up to {facts['found']}. There are {most}{facts['expected']} in a hand."


def _choice_required(facts: Facts) -> str:
    if facts.get("unknown"):
        return "Somebody shot, but the points do not tell who. Mark the seat that took everything."
    forms = {
        "self": f"Take {facts.get('self')} off {facts['seat']}",
        "others": f"give {facts.get('others')} to each other",
    }
    ways = " or ".join(forms[form] for form in facts.get("choices", ()) if form in forms)
    ways = ways[:1].upper() + ways[1:] + "?" if ways else "The points must say how it was settled."
    return f"Seat {facts['seat']} took everything. How is it settled? {ways}"


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
        return "These rules ask who won the first trick. Write that seat."
    return "These rules look at the tricks. Write how many tricks each seat took."


def _short_form(facts: Facts) -> str:
    reasons = {
        "values": "Here the hearts differ from each other, so a number of hearts is not enough. "
        "Write the cards.",
        "mixed": "Hearts stand here both as a number and as cards. Write them in one way.",
        "clean": "These rules look at more than who took nothing. Write the cards.",
    }
    return reasons[facts["why"]]


def _bad_count(facts: Facts) -> str:
    limit = f" from 0 to {facts['most']}" if "most" in facts else ""
    if facts["field"] == "points":
        written = f"{_seat(facts)}: the points are written as {facts['found']}."
        return f"{written} They must be a whole number, or a fraction like 26/3."
    if facts["field"] == "clean":
        return f"{_seat(facts)}: {facts['found']} does not say whether the seat took nothing."
    what = f"a whole number{limit or ' from 0 up'}"
    verb = "are" if facts["field"] in ("hearts", "tricks") else "is"
    written = f"{_seat(facts)}: {facts['field']} {verb} written as {facts['found']}."
    return f"{written} It must be {what}."


def _wrong_shooter(facts: Facts) -> str:
    who = f"seat {facts['seat']} did" if facts.get("seat") else "nobody did"
    return f"Seat {facts['found']} is marked as having taken everything, but {who}."


def _wrong_total(facts: Facts) -> str:
    moons = f" A settled moon makes {listed(facts['moons'])}." if facts.get("moons") else ""
    return f"The points add up to {facts['found']}. A hand makes {facts['expected']}.{moons}"


def _points_disagree(facts: Facts) -> str:
    cards, points = listed(facts["expected"]), listed(facts["found"])
    return f"The cards make {cards}, the points say {points}."


def _unknown_variant(facts: Facts) -> str:
    if facts["found"] in ("", "null"):
        return "No variant is named."
    return f"There is no variant called {facts['found']}."


def _unknown_option(facts: Facts) -> str:
    known = f" Known are {facts['known']}." if "known" in facts else ""
    return f"There is no option called {facts['found']}.{known}"


def _unknown_seat(facts: Facts) -> str:
    other = " other than the shooter's" if facts["field"] == "passer" else ""
    return f"{facts['field']} must name a seat of this table{other}."


def _cut_would_change(facts: Facts) -> str:
    by_this = "there would be a tie at the cut"
    if not facts["tie"]:
        by_this = f"{facts['come']} would come in and {facts['go']} go out"
    return (
        f"The best {facts['above']} have gone on already. By this {by_this}. "
        "Decide whether the cut stands."
    )


def _says(text: str) -> Callable[[Facts], str]:
    return lambda facts: text.format_map(facts)


SENTENCES: Mapping[str, Callable[[Facts], str]] = {
    "bad_case": _says("A case is an object with a variant, seats and hands. {why}"),
    "unknown_variant": _unknown_variant,
    "unknown_option": _unknown_option,
    "bad_option": _says("The option {option} cannot be {found} here. {why}"),
    "bad_rules": _says("{key}: {why}"),
    "match_over": _says("The game is over. This hand comes after its end."),
    "points_needed": _says("A sheet with totals only holds points, one number for each seat."),
    "seat_count": _seat_count,
    "bad_teams": _says("The sides do not split the seats as these rules do: {expected}."),
    "bad_entry": _says("A hand is an object with what each seat took. {why}"),
    "unknown_field": _says("There is no field called {found} in a hand."),
    "unknown_card": _says("{found} is no card of this pack."),
    "too_many_copies": _too_many_copies,
    "unclaimed_not_allowed": _says(
        "Cards stand as nobody's. Under these rules somebody takes them."
    ),
    "missing_cards": _missing_cards,
    "tricks_sum": _tricks_sum,
    "cards_without_trick": _says("Seat {seat} has cards but no trick."),
    "not_chargeable": _says("{found} cannot be charged here, or is charged twice."),
    "unknown_pledge": _says("Seat {seat} is written with a pledge that these rules do not know."),
    "unknown_seat": _unknown_seat,
    "choice_required": _choice_required,
    "choice_forbidden": _choice_forbidden,
    "tricks_needed": _tricks_needed,
    "short_form_not_allowed": _short_form,
    "bad_count": _bad_count,
    "wrong_shooter": _wrong_shooter,
    "wrong_total": _wrong_total,
    "impossible_points": _says(
        "The points add up, but no way to share out the cards gives {points}. "
        "Look at each seat again."
    ),
    "points_disagree": _points_disagree,
    "unknown_playoff_rule": _says("A play-off has no rule called {found}. Known are {known}."),
    "bad_playoff_rule": _says("The rule {rule} of a play-off cannot be {found}. It is {expected}."),
    "playoff_void": _says("A correction has ended this play-off. Its hands do not count."),
    "playoff_over": _says("This play-off is decided already."),
    "playoff_state": _says("The play-off is {found}. It cannot become {wanted}."),
    "playoff_stranger": _says("{member} does not belong to this play-off."),
    "playoff_hand_incomplete": _says(
        "{member} is missing in the hand. Everybody who is still level plays it."
    ),
    "playoff_placed": _says("{member} does not play any more: placed already, or not in it."),
    "playoff_hands_over": _says(
        "The {most} hands of this play-off are over. Allow more, or draw lots."
    ),
    "playoff_would_change": _says(
        "{members} have finished a play-off, and this changes who was level. "
        "Decide whether it stands or is played again."
    ),
    "cut_would_change": _cut_would_change,
    "unknown_ladder_rule": _says("A ladder has no rule called {found}. Known are {known}."),
    "bad_ladder_rule": _says("The rule {rule} of a ladder cannot be {found}. It is {expected}."),
    "ladder_begun": _says(
        "The ladder has begun, with {members} on it. Opening positions come before everything."
    ),
    "ladder_member_twice": _says("{member} is named twice. Everybody has one place."),
    "already_on_ladder": _says("{member} is on the ladder already, at place {place}."),
    "not_on_ladder": _says("{member} is not on the ladder. Let them join first."),
    "ladder_table_size": _says(
        "There are {found} members at the table. A table challenge is for {least} to {most}."
    ),
    "ladder_span": _says(
        "The best and the last at the table are {found} places apart. At most {most} are allowed."
    ),
    "rated_sides": _says(
        "There are {found} at the table. A rated game has {least} to {most} players, or as many "
        "sides of equal size."
    ),
    "rated_places": _says("There are {found} places for {expected} at the table."),
    "challenge_self": _says("Nobody can challenge themselves. Choose somebody above you."),
    "challenge_absent": _says("{member} is away. Wait until they are back."),
    "challenge_inactive": _says("{member} is not active in the club any more."),
    "challenge_downwards": _says(
        "{member} is at place {place}, below {own}. One challenges upwards only."
    ),
    "challenge_beyond_reach": _says(
        "{member} is {found} places up, at place {place}. At most {most} up may be challenged."
    ),
    "challenge_out_open": _says(
        "{member} has an open challenge already, to {other}. Finish or withdraw it first."
    ),
    "challenge_in_open": _says(
        "{member} has been challenged already, by {other}. Wait until that is over."
    ),
    "challenge_rematch": _says(
        "The two met less than {days} days ago. They may meet again after {until}."
    ),
    "challenge_state": _says("The challenge is {found}. It cannot become {wanted}."),
    "challenge_too_late": _says("The deadline was {over}. What comes after it does not count."),
    "challenge_stranger": _says("{member} does not belong to this challenge."),
    "challenge_player_missing": _says("{member} is not in the result. Both must have played."),
    "challenge_not_the_loser": _says(
        "{member} cannot confirm this result. {loser}, who lost, or a host can."
    ),
    "challenge_postponed": _says("{member} has put this game off once already."),
    "absence_backwards": _says("The absence ends before it begins. Turn the two days round."),
    "absence_too_long": _says(
        "That is {found} days away, and {left} of the season's {most} are left. "
        "Who is away longer is taken off, and comes in again at the bottom."
    ),
    "unknown_criterion": _says("There is no criterion called {found} here. Known are {known}."),
    "criterion_twice": _says("{found} stands in the chain twice. Take one of them out."),
    "scores_have_no_order": _says(
        "{what} adds up real scores, and some tables here score in complex numbers. "
        "Choose something made of places."
    ),
    "hands_not_known": _says(
        "{what} divides by the hands played, and of some games nobody knows how many there were. "
        "Write their number of hands, or choose something made of places."
    ),
    "hands_differ": _says(
        "{what} compares totals, which asks for as many hands from everybody, and here they "
        "differ. Choose raw_per_hand."
    ),
    "raw_over_games": _says(
        "{what} compares card points, which asks for one game, and the tables play {found}. "
        "Choose beaten_mean or index_per_game, or allow it with mixed_raw."
    ),
    "raw_over_sizes": _says(
        "{what} compares card points, which asks for one size of table, and there are tables of "
        "{found}. Choose beaten_mean or index_per_game, or allow it with mixed_raw."
    ),
    "no_placement_list": _says(
        "There is no list of points for places at a table of {size}. Write one under placement, "
        "or choose beaten_mean."
    ),
    "bad_placement_list": _says(
        "The list of points for a table of {size} has {found} places. Write exactly {size}."
    ),
    "moons_not_known": _says(
        "{what} asks who shot, and sheets with totals only do not tell. Leave it out."
    ),
    "no_sides": _says(
        "{what} compares sides, and here everybody plays alone. Leave it out, or choose rules "
        "with partners."
    ),
    "no_seed": _says("{what} is drawn from the event's seed, and it has none. Give it a seed."),
    "bye_award_not_possible": _says(
        "A bye cannot be worth {found} where {primary} orders. Choose none or own_mean; "
        "scheme_mean goes with placement_points."
    ),
    "bad_drop": _says("{found} games cannot be dropped. Write a whole number from 0 up."),
    "dropped_twice": _says(
        "drop_worst already drops {found}. Set it to 0, or leave best_of out: one of the two."
    ),
    "bad_best_of": _says(
        "best_of is written as {found}. It must have a unit (meeting or game), a min and a per, "
        "both whole numbers from 1 up."
    ),
    "ties_stay": _says(
        "Entrants who are level on everything share their place. Only {always} always separates."
    ),
    "never_asked": _says("{found} will never be asked: nobody is level after a lot."),
    "lot_waits_for_playoff": _says(
        "At a boundary with a play-off no lot is drawn until it is played; elsewhere it is."
    ),
}
"""Code → sentence, in the order in which the problems of one hand are reported; then those of
play-offs and ladders; then those of an event's scheme of standings, the last three of which only
warn."""

_RANK: Mapping[str, int] = {code: rank for rank, code in enumerate(SENTENCES)}


def _at_seat(text: str) -> Callable[[Facts], str]:
    """A cause, with the seat where it can be told."""
    return lambda facts: text.format_map(facts) + _where(facts)


def _where(facts: Facts) -> str:
    return f" (seat {facts['seat']})" if "seat" in facts else ""


SUGGESTIONS: Mapping[str, Callable[[Facts], str]] = {
    "both_settlements": _says("both settlements: seat {seat} off and the others up"),
    "shooter_as_well": _says("the shooter is written with {points} as well"),
    "other_amount": _says("{points} for a moon under these rules, not {found}"),
    "wrong_sign": _says("seat {seat} {points} instead of {found}: the wrong sign"),
    "other_way": _at_seat("the {card} is worth {points} and was counted the other way"),
    "charged_not_marked": _says("the {card} was charged, and is not marked as charged"),
    "charged_not_counted": _says("the {card} is marked as charged, and was counted as if not"),
    "one_missing": _at_seat("one {card} missing"),
    "some_missing": lambda facts: (
        f"{counted(facts['number'], facts['card'])} missing{_where(facts)}"
    ),
    "one_too_many": _at_seat("one {card} too many"),
    "some_too_many": lambda facts: (
        f"{counted(facts['number'], facts['card'])} too many{_where(facts)}"
    ),
    "counted_twice": _at_seat("the {card} counted twice"),
    "with_nobody": _at_seat("the {card} with nobody"),
    "written_for": _says("{found} written where {card} belongs"),
    "kitty_with_nobody": _at_seat("the kitty with nobody"),
    "last_trick_with_nobody": _says("the cards of the last trick with nobody"),
    "not_doubled": _at_seat("points that count {times} times, counted once"),
    "doubled_twice": _at_seat("points that count {times} times, multiplied twice"),
    "written_twice": _says("the same {points} written for two seats"),
    "no_cards_make": _says("no cards make {points} for seat {seat}"),
    "fits_nowhere": _says("nobody's points have room for the {card}"),
    "settle": _says("{text}"),
    "seat_should_be": _says("seat {seat} {points} instead of {found}"),
    "closest": _says("did you mean {name}?"),
    "not_a_number": _says("{guess} instead of {found}?"),
    "who_shot": _says("seat {seat}"),
}
"""Code → the cause or the way out in a few words."""
