"""How a rule set is written as JSON or TOML: every key, and what it may hold.

Pure. Each reader takes a value and its path and returns the typed part or raises `_Bad`; a part
collects the faults of all its keys.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import TypeAlias, TypeVar

from scoring.cards import BASES, is_selector, read_card
from scoring.errors import Path, Problem, shown
from scoring.json_types import is_list
from scoring.numbers import Score, as_complex, is_whole, read_score
from scoring.rules.types import (
    DeckRule,
    Finish,
    HandBonus,
    Lives,
    Meld,
    Modifier,
    Pay,
    Play,
    Reset,
    Result,
    Rounding,
    Running,
    SameCard,
    SelfFrom,
    Settle,
    Slam,
    Teams,
    Value,
    When,
)

MOON_MODES = (
    "choose", "self", "others", "others_unless_shooter_loses", "others_unless_other_wins",
    "others_then_continue", "face", "self_plus", "void", "reset_self", "punish", "win_match",
    "span",
)  # fmt: skip
WAYS = (
    "left",
    "right",
    "across",
    "hold",
    "second left",
    "second right",
    "scatter",
    "split",
    "mix",
    "mix with the kitty",
    "dealer's call",
    "2 left, 2 right",
)
"""The ways of passing that an option takes; a file may have words of its own."""
LONGEST_CYCLE = 12
MOST_PACKS = 6
"""With six packs no count on a paper sheet needs a third digit."""
MOST_NOT_PASSED = 8
LARGEST_CHOICE = 10**6
LONGEST_SELECTOR = 2_000

_T = TypeVar("_T")
_SEATS = re.compile(r"\*|[0-9]{1,2}")


class _Bad(Exception):
    def __init__(self, at: Path, why: str) -> None:
        super().__init__(why)
        self.at, self.why = at, why


@dataclass
class Reading:
    """One reading of one rule set: what was found wrong so far, and the kind of its numbers."""

    pairs: bool = False
    stored: bool = False
    problems: list[Problem] = field(default_factory=list)

    def fault(self, at: Path, why: str) -> None:
        """Note a fault and go on."""
        key = ".".join(map(str, at)) or "file"
        self.problems.append(Problem("bad_rules", at, {"key": key, "why": why}))

    def attempt(self, reader: "Reader[_T]", value: object, at: Path) -> _T | None:
        """The value as the reader reads it, or `None` with the fault noted."""
        try:
            return reader(self, value, at)
        except _Bad as bad:
            self.fault(bad.at, bad.why)
            return None


Reader: TypeAlias = Callable[[Reading, object, Path], _T]


def one_of(*choices: str) -> Reader[str]:
    """Reads one of these words."""

    def read(reading: Reading, value: object, at: Path) -> str:
        if not isinstance(value, str) or value not in choices:
            raise _Bad(at, f"{shown(value)} is none of {', '.join(choices)}.")
        return value

    return read


def whole(least: int = 0, most: int = 10**6) -> Reader[int]:
    """Reads a whole number between two bounds."""
    end = "up" if most == 10**6 else f"to {most}"

    def read(reading: Reading, value: object, at: Path) -> int:
        if not is_whole(value) or not least <= value <= most:
            raise _Bad(at, f"{shown(value)} is not a whole number from {least} {end}.")
        return value

    return read


def flag(reading: Reading, value: object, at: Path) -> bool:
    """Reads true or false."""
    if not isinstance(value, bool):
        raise _Bad(at, f"{shown(value)} is neither true nor false.")
    return value


def score(reading: Reading, value: object, at: Path) -> Score:
    """Reads a number of points; under complex rules a pair."""
    number = _number(reading, value, at, pairs=reading.pairs)
    if not reading.pairs:
        return number
    return as_complex(number)


def plain_score(reading: Reading, value: object, at: Path) -> Score:
    """Reads a number of points that is no pair, under complex rules too."""
    return _number(reading, value, at, pairs=False)


def _number(reading: Reading, value: object, at: Path, *, pairs: bool) -> Score:
    number = read_score(value, pairs=pairs, stored=reading.stored)
    if number is None:
        raise _Bad(at, f"{shown(value)} is not a number of points.")
    return number


def amount(reading: Reading, value: object, at: Path) -> Score | str:
    """Reads a number of points, or `slam` for the value of the cards that a slam needs."""
    if value == "slam":
        return "slam"
    return score(reading, value, at)


def selector(reading: Reading, value: object, at: Path) -> str:
    """Reads a selector of cards."""
    if isinstance(value, str) and len(value) > LONGEST_SELECTOR:
        raise _Bad(at, f"{shown(value)} names more cards than any pack has.")
    if not isinstance(value, str) or not is_selector(value):
        raise _Bad(at, f"{shown(value)} selects no cards (write QS, *H, Q*, 5-10H or *).")
    return value


def jokers(reading: Reading, value: object, at: Path) -> str:
    """Reads a selector of jokers."""
    cards = selector(reading, value, at)
    if any(term[-1] != "X" for term in cards.split(",")):
        raise _Bad(at, f"{shown(value)} selects other cards than jokers (write *X).")
    return cards


def sum_or_selector(reading: Reading, value: object, at: Path) -> str:
    """Reads a selector of cards, or `sum`."""
    if value == "sum":
        return "sum"
    return selector(reading, value, at)


def card(reading: Reading, value: object, at: Path) -> str:
    """Reads a card code."""
    code = read_card(value)
    if code is None:
        raise _Bad(at, f"{shown(value)} is not a card.")
    return code


def text(reading: Reading, value: object, at: Path) -> str:
    """Reads a text of a sensible length."""
    if not isinstance(value, str) or not value or len(value) > 500:
        raise _Bad(at, f"{shown(value)} is not a text of 1 to 500 characters.")
    return value


def anything(reading: Reading, value: object, at: Path) -> object:
    """Accepts any value; it is checked elsewhere."""
    return value


def list_of(reader: Reader[_T]) -> Reader[tuple[_T | None, ...]]:
    """Reads a list whose items the reader reads; each fault is noted at its place."""

    def read(reading: Reading, value: object, at: Path) -> tuple[_T | None, ...]:
        if not is_list(value):
            raise _Bad(at, f"{shown(value)} is not a list.")
        return tuple(reading.attempt(reader, item, (*at, n)) for n, item in enumerate(value))

    return read


def by_seats(reader: Reader[_T]) -> Reader[dict[str, _T | None]]:
    """A map from a number of seats, or `*`, to what the reader reads; one plain value means `*`."""

    def read(reading: Reading, value: object, at: Path) -> dict[str, _T | None]:
        if not isinstance(value, Mapping):
            raise _Bad(at, f"{shown(value)} is not a table by number of seats.")
        for seats in value:
            if not isinstance(seats, str) or not _SEATS.fullmatch(seats):
                raise _Bad(at, f"{shown(seats)} is neither a number of seats nor *.")
        return {seats: reading.attempt(reader, v, (*at, seats)) for seats, v in value.items()}

    return read


def cycle(reading: Reading, value: object, at: Path) -> tuple[str | None, ...]:
    """Reads the passing of each hand until the cycle repeats."""
    ways = list_of(one_of(*WAYS))(reading, value, at)
    if not 1 <= len(ways) <= LONGEST_CYCLE:
        raise _Bad(at, f"A cycle has 1 to {LONGEST_CYCLE} hands, for example left, right, hold.")
    return ways


def not_passed(reading: Reading, value: object, at: Path) -> tuple[str | None, ...]:
    """Reads the cards that may not be passed, each once."""
    cards = list_of(card)(reading, value, at)
    if not 1 <= len(cards) <= MOST_NOT_PASSED or len(set(cards)) < len(cards):
        raise _Bad(at, f"Name 1 to {MOST_NOT_PASSED} cards, each once.")
    return cards


def packs(reading: Reading, value: object, at: Path) -> dict[str, int | None]:
    """Reads a number of packs, for all tables or by number of seats."""
    table = value if isinstance(value, Mapping) else {"*": value}
    return by_seats(whole(1, MOST_PACKS))(reading, table, at)


def kitty(reading: Reading, value: object, at: Path) -> int | str:
    """Reads a number of cards, or `rest` for what does not divide."""
    if value == "rest":
        return "rest"
    return whole(0, 60)(reading, value, at)


def all_tricks(reading: Reading, value: object, at: Path) -> str:
    """Reads whether a slam needs all tricks, none in particular, or all but the first."""
    word = {True: "all", False: "no", "except_first": "except_first"}.get(
        value if isinstance(value, bool | str) else ""
    )
    if word is None:
        raise _Bad(at, f"{shown(value)} is none of true, false, except_first.")
    return word


def outside(reading: Reading, value: object, at: Path) -> bool:
    """Reads whether cards beside a slam score."""
    return one_of("score", "drop")(reading, value, at) == "score"


def seat_range(reading: Reading, value: object, at: Path) -> tuple[int, int]:
    """Reads the least and the most number of players."""
    match list_of(whole(2, 13))(reading, value, at):
        case (int(least), int(most)) if least <= most:
            return (least, most)
    raise _Bad(at, f"{shown(value)} is not a least and most number of players from 2 to 13.")


WRITTEN_AS = {"self": "self_amount", "others": "others_amount"}
"""Keys of rules whose typed part has another name."""


def part(cls: type[_T], /, **readers: Reader[object]) -> Reader[_T]:
    """A table of these keys, each read into the attribute of `cls` with its name."""
    names = {key: WRITTEN_AS.get(key, key) for key in readers}
    needed = {
        item.name
        for item in fields(cls)  # type: ignore[arg-type]  # every one of them is a dataclass
        if item.default is MISSING and item.default_factory is MISSING
    }

    def read(reading: Reading, value: object, at: Path) -> _T:
        if not isinstance(value, Mapping):
            raise _Bad(at, f"{shown(value)} is not a table.")
        for key in value:
            if key not in readers:
                why = f"there is no such key; known are {', '.join(readers)}."
                reading.fault((*at, shown(key)), why)
        parts = {
            names[key]: reading.attempt(readers[key], item, (*at, key))
            for key, item in value.items()
            if key in readers
        }
        missing = needed - parts.keys()
        if missing:
            keys = [key for key, name in names.items() if name in missing]
            raise _Bad(at, f"{', '.join(keys)} is missing.")
        return cls(**parts)

    return read


when = part(
    When,
    declared=card,
    has=card,
    has_all=selector,
    only=selector,
    not_only=selector,
    slam=flag,
    tricks=whole(),
)
teams = part(
    Teams, mode=one_of("none", "pooled", "individual"), shape=list_of(list_of(whole(0, 12)))
)
deck = part(
    DeckRule,
    base=one_of(*BASES),
    packs=packs,
    remove=by_seats(list_of(card)),
    add=by_seats(list_of(card)),
    kitty=kitty,
    kitty_to=one_of("first_trick", "first_penalty", "one_each_first_two"),
    kitty_mode=one_of("add", "exchange"),
)
self_from = part(SelfFrom, score=plain_score, who=one_of("self", "any"))
pay = part(
    Pay,
    mode=one_of(*MOON_MODES),
    passer=amount,
    factor=whole(1, 100),
    outside=outside,
    modifiers=flag,
    self_from=self_from,
    spare_partner=flag,
    set_self=score,
    set_others=score,
    self=amount,
    others=amount,
)
slam = part(Slam, id=text, needs=selector, all_tricks=all_tricks, span=whole(1, 100), pay=pay)
value_rule = part(Value, cards=selector, value=score, name=text)
modifier = part(
    Modifier, when=when, on=sum_or_selector, op=one_of("mul", "set", "add", "floor"), by=score
)
hand_bonus = part(
    HandBonus, when=when, add=score, pledge=text, none_of=selector, kept=score, broken=score
)
reset = part(Reset, at=score, set=score, add=score)
running = part(Running, floor=score, resets=list_of(reset))
settle = part(
    Settle,
    stake=one_of("none", "ante", "deal_points"),
    ante=whole(1, 10**6),
    clean=selector,
    winners=one_of("lowest", "lowest_nonpositive", "lowest_positive", "clean"),
    pays=one_of("pot", "difference"),
    remainder=one_of("exact", "stay"),
    all_to_one=one_of("split", "carry"),
)
lives = part(Lives, start=whole(1, 100), lose_at=plain_score)
finish = part(
    Finish,
    kind=one_of("score", "abs", "deals", "slam_win", "chips_all", "chips_out"),
    op=one_of(">=", ">", "<=", "<", "=="),
    value=plain_score,
    step=whole(),
    declare=flag,
)
result = part(
    Result,
    order=one_of("low", "high", "abs_low"),
    decide=one_of("best_wins", "crosser_loses", "crosser_team_loses", "others_lose"),
    measure=one_of("unit", "team_sum"),
    tie=one_of("continue", "shared", "playoff"),
)
same_card = part(
    SameCard,
    rule=one_of("later", "earlier", "cancel"),
    stalled=one_of("next_winner"),
    void_on=one_of("all_led_cancelled", "two_pairs"),
    stalled_lead=one_of("same"),
    last_stalled=one_of("previous_winner", "uncounted", "leader"),
)
meld = part(Meld, id=text, name=text, cards=text, points=whole(1, 10**6), most=whole(1, 100))
rounding = part(Rounding, to=whole(2, 1000), up_from=whole(1, 1000))


def play(reading: Reading, value: object, at: Path) -> Play:
    """Reads how a hand is played; only faults in the passing are refused."""
    if not isinstance(value, Mapping):
        raise _Bad(at, f"{shown(value)} is not a table.")
    passing = list_of(text)(reading, value.get("passing", []), (*at, "passing"))
    cycles = by_seats(list_of(text))(reading, value.get("passing_with", {}), (*at, "passing_with"))
    kinds = {
        bool: (
            "second_pass",
            "optional_pass",
            "queen_breaks",
            "queen_waits",
            "first_trick_points",
            "queen_first",
            "queen_under",
        ),
        str: ("lead", "hearts", "vacated_seat", "notes"),
        int: ("pass_count",),
    }
    stated = {
        key: value[key]
        for kind, keys in kinds.items()
        for key in keys
        if type(value.get(key)) is kind and value[key] != ""
    }
    if "not_passed" in value:
        cards = reading.attempt(not_passed, value["not_passed"], (*at, "not_passed"))
        stated["not_passed"] = tuple(filter(None, cards or ()))
    return Play(
        tuple(way for way in passing if way is not None),
        {seats: tuple(filter(None, ways or ())) for seats, ways in cycles.items()},
        **stated,
    )
