"""Why a row stands where it stands, as one sentence of numbers.

Pure. The sentences are English data of the publication, the same on page, CSV and REST. They hold
ids unless the caller gives `name`, because a name may have to be taken out of a publication later.
"""

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import zip_longest
from typing import Final, TypeAlias

from scoring.standings.knocked_out import beside, knocked_out_facts, sentence
from scoring.standings.metrics import METRICS
from scoring.standings.rank import STAGE, Standing
from scoring.standings.tie_breaks import CRITERIA, PlayedOff, Value

Naming: TypeAlias = Callable[[str], str]


def four_places(value: Fraction) -> str:
    """Return `value` rounded half to even to four places, as text with all four digits.

    See docs/algorithms/standings.md.

    >>> four_places(Fraction(277, 58)), four_places(Fraction(-1, 3)), four_places(Fraction(5))
    ('4.7759', '-0.3333', '5.0000')
    """
    scaled = round(value * 10_000)
    sign = "-" if scaled < 0 else ""
    return f"{sign}{abs(scaled) // 10_000}.{abs(scaled) % 10_000:04d}"


def reason(row: Standing, above: Standing | None, *, name: Naming = str) -> str:
    """Return what separates `row` from the row `above` it; empty for the first row.

    >>> reason.__name__
    'reason'
    """
    if above is None or (row.rank is None) != (above.rank is None):
        return ""
    if facts := knocked_out_facts(row, above):
        return sentence(facts, name)
    if above.value is None:
        return ""
    who = name(above.sums.code)
    if row.decided_by == STAGE:
        return f"{who} went on to {above.stage}"
    if row.value is None:
        return f"its {_called(row.primary)} is not known"
    if row.decided_by is None:
        return f"tied with {who}: {_sum(row)}"
    key = row.decided_by
    if key == "playoff":
        return (
            f"tied with {who}: {_sum(row)}; {_in_playoff(row.values[key], above.values[key], who)}"
        )
    if key != row.primary:
        own, other = map(_minus, _both(key, row.values[key], above.values[key]))
        return f"tied with {who}: {_sum(row)}; {_called(key)} {own} against {other}"
    gap = abs(row.value - above.value)
    words = four_places(gap) if METRICS[key].is_mean else _exact(gap)
    return f"{_sum(row)}, {words} behind {who}"


def ahead(row: Standing, below: Standing | None, *, name: Naming = str) -> str:
    """Return why `row` is above the row `below` it, or tied with it; empty for the last row.

    >>> ahead.__name__
    'ahead'
    """
    if below is None:
        return ""
    who = name(below.sums.code)
    if row.rank is not None and below.rank is None:
        why = "too few games for a rank" if below.value is not None else "no rank"
        return f"above {who}: {who} has {why}" + (
            "" if below.value is not None else _unknown(below)
        )
    if facts := knocked_out_facts(below, row):
        return beside(facts, row, below, who)
    if below.decided_by == STAGE:
        return f"above {who}: went on to {row.stage}"
    if row.value is None:
        return f"beside {who}: {_called(row.primary)} not known of either"
    if below.value is None:
        return f"above {who}: {who} has no {_called(row.primary)}"
    key = below.decided_by
    if key is None:
        compared = [_called(each) for each in row.values if each != row.primary]
        also = f", and tied on {_listed(compared)}" if compared else ""
        return f"tied with {who}: {_says(row, row.value)}{also}"
    if key == row.primary:
        return f"above {who}: {_says(row, row.value)} against {_number(row, below.value)}"
    words = PHRASES.get(key, _generic(key))
    if key == "playoff":
        phrase = _in_playoff(row.values[key], below.values[key], who)
    else:
        phrase = words(row.values[key], below.values[key], below.among)
    return f"above {who}: same {_SAME.get(row.primary, _called(row.primary))}, {phrase}"


def _called(key: str) -> str:
    """What a metric or a criterion is called within a sentence."""
    known = CRITERIA.get(key) or METRICS.get(key)
    return known.name.lower() if known else key


def _unknown(row: Standing) -> str:
    return f", its {_called(row.primary)} is not known"


def _listed(words: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), "".join(words[-1:])]))


_SAME: Final[Mapping[str, str]] = {
    "placement_points": "points",
    "wins": "wins",
    "match_points": "match points",
}

_UNITS: Final[Mapping[str, str]] = {
    "placement_points": "{} points",
    "beaten_mean": "{} of opponents beaten",
    "raw_per_hand": "{} points a hand",
    "raw_total": "{} points",
    "index_per_game": "index {} a game",
    "wins": "{} wins",
    "match_points": "{} match points",
    "matchpoints": "{} % of the matchpoints",
    "datum": "datum {} a board",
}


def _says(row: Standing, value: Fraction) -> str:
    number = _number(row, value)
    words = _UNITS.get(row.primary, _called(row.primary) + " {}").format(number)
    return words.removesuffix("s") if number == "1" and words.startswith("1 ") else words


def _number(row: Standing, value: Fraction) -> str:
    if row.primary in ("index_per_game", "datum"):
        return _signed(value)
    return _places(value) if METRICS[row.primary].is_mean else _plain(value)


def _plain(value: Value) -> str:
    """A number as one says it: `2`, `1.5`, `2.6667`."""
    number = Fraction(value)
    return _minus(str(number) if number.denominator == 1 else four_places(number).rstrip("0"))


def _minus(number: str) -> str:
    """A number with the minus sign U+2212, as pages print it; of a criterion's key nothing."""
    return number.replace("-", "\u2212") if _NUMBERS.fullmatch(number) else number


_NUMBERS: Final = re.compile(r"[-+]?[\d.]+")


def _places(value: Fraction) -> str:
    return _minus(four_places(value))


def _signed(value: Value) -> str:
    number = Fraction(value)
    return ("+" if number > 0 else "") + _places(number)


def _generic(key: str) -> Callable[[Value, Value, int], str]:
    return lambda own, other, among: (
        f"{_called(key)} {_minus(_exact(own))} against {_minus(_exact(other))}"
    )


def _head_to_head(own: Value, other: Value, among: int) -> str:
    won, met = str(own).split("/")
    if among > 2:
        lost, of = str(other).split("/")
        return f"ahead in {won} of {met} comparisons among the {among}, against {lost} of {of}"
    if won == met:
        tables = {"1": "the table", "2": "both tables"}.get(met, f"all {met} tables")
        return f"ahead at {tables} they shared"
    return f"ahead at {won} of the {met} tables they shared"


_PLACES: Final = ("first", "second", "third", "fourth")


def _countback(own: Value, other: Value, among: int) -> str:
    pairs = zip_longest(str(own).split("-"), str(other).split("-"), fillvalue="0")
    for place, (mine, theirs) in enumerate(pairs):
        if mine != theirs:
            called = _PLACES[place] if place < len(_PLACES) else f"{place + 1}th"
            return f"more {called} places, {mine} against {theirs}"
    return f"places {own} against {other}"


_COUNTS: Final = {1: "one", 2: "two", 3: "three"}


def _last_game(own: Value, other: Value, among: int) -> str:
    pairs = zip_longest(str(own).split(), str(other).split())
    for back, (mine, theirs) in enumerate(pairs):
        if mine != theirs:
            if mine is None or theirs is None:
                return "more games"
            which = "last game" if not back else f"last game but {_COUNTS.get(back, back)}"
            return f"better in the {which}, {_plain(mine)} against {_plain(theirs)}"
    return f"last games {own} against {other}"


def _lot(own: Value, other: Value, among: int) -> str:
    return f"drawn by lot ({str(own)[:12]} before {str(other)[:12]})"


def _in_playoff(own: Value, other: Value, who: str) -> str:
    """How one was separated from `who` by a play-off: by totals, a lot, or leaving."""
    mine, theirs = PlayedOff.read(str(own)), PlayedOff.read(str(other))
    has_won = mine.place < theirs.place
    verb = "won" if has_won else "lost"
    for a, b in zip(mine.totals, theirs.totals, strict=False):
        if "gone" in (a, b):
            break
        if a == b == "lot":
            return f"{verb} the play-off by lot"
        if a != b:
            return f"{verb} the play-off {_minus(a)} to {_minus(b)}"
    if "gone" in (theirs if has_won else mine).totals:
        return f"won the play-off, {who} gave up" if has_won else "gave up in the play-off"
    return f"place {mine.place} against {theirs.place} in the play-off"


def _compared(
    text: str, number: Callable[[Value], str] = _plain
) -> Callable[[Value, Value, int], str]:
    return lambda own, other, among: text.format(number(own), number(other))


PHRASES: Final[Mapping[str, Callable[[Value, Value, int], str]]] = {
    "h2h": _head_to_head,
    "wins": _compared("more wins, {} against {}"),
    "countback": _countback,
    "index": _compared("better index, {} against {}", _signed),
    "moons_shot": _compared("more moons shot, {} against {}"),
    "moons_against": _compared("fewer moons against, {} against {}"),
    "sos": _compared("stronger opponents, {} against {}", lambda value: _places(Fraction(value))),
    "last_game": _last_game,
    "difference": _compared("better difference, {} against {}"),
    "lot": _lot,
}
"""Criterion → what it says of two rows that it separated; one without a line says both values.

A play-off also names the other one (`_in_playoff`)."""


def _sum(row: Standing) -> str:
    """The primary value, with the sum that makes it where it is a quotient."""
    if row.value is None:
        return f"{_called(row.primary)} not known"
    counted = row.row.counting
    if row.decided_by == "raw_per_hand" and counted.hands and not row.row.ledger:
        return f"{_minus(str(counted.points))} ÷ {counted.hands} = {_places(row.value)}"
    if row.primary == "wins":
        return f"{_exact(row.value)} {'win' if row.value == 1 else 'wins'}"
    return _places(row.value) if METRICS[row.primary].is_mean else _says(row, row.value)


def _both(key: str, own: Value, other: Value) -> tuple[str, str]:
    """Two values that differ: of the last games the first two that do, of lots the beginning."""
    if key == "last_game":
        pairs = zip_longest(str(own).split(), str(other).split(), fillvalue="none")
        mine, theirs = next(pair for pair in pairs if pair[0] != pair[1])
        return mine, theirs
    if key == "lot":
        return str(own)[:12], str(other)[:12]
    return _exact(own), _exact(other)


def _exact(value: Value) -> str:
    """A whole number as it is, anything else to four places; text as it is."""
    if isinstance(value, str):
        return value
    return str(value) if value.denominator == 1 else four_places(value)
