"""Why a row of a knock-out is behind another one: the table at which it went out, in facts.

Pure. KnockoutFacts hold ids, and `sentence` makes words of them. See docs/algorithms/stages.md.
See docs/algorithms/standings.md.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import zip_longest
from typing import Final, NotRequired, TypeAlias, TypedDict, TypeGuard

from scoring.standings.metrics import METRICS, Metric
from scoring.standings.rank import STAGE, Standing
from scoring.standings.tie_breaks import CRITERIA, PlayedOff, Reads, Value

KnockoutFacts: TypeAlias = Mapping[str, str | int]

_SENTENCES: Final[Mapping[str, str]] = {
    "went_on": "{player} went on from table {table} with place {theirs} against place {place}",
    "went_on_without": "{player} went on from table {table} of round {round}",
    "gave_up": "gave up table {table} of round {round}",
    "place": "place {place} in round {round}, {player} place {theirs}",
    "no_place": "no place in round {round}, {player} place {theirs}",
    "points": "place {place} in round {round} with {points} points, {player} with {their_points}",
    "tied_place": "tied with {player}: place {place} in round {round} with {points} points",
    "tied_round": "tied with {player}: out in round {round}",
}

_OUT_BY: Final[Mapping[object, str]] = {"lot": "out by lot", "playoff": "out by play-off"}

Naming: TypeAlias = Callable[[str], str]


class ReasonFacts(TypedDict):
    """The difference between a row and the one above it, whose values come first.

    `by` is the primary value, a criterion, `stage`, `rank` where only the row above has one, or
    None for a tie. `values` are the primary values, None where not known, `found` those of the
    criterion, asked of `among` entrants that were still tied; `reads` says whether it looked at
    the counted games or at all, where the two differ. `equal` are the criteria on which they tie.
    `stage` is the one that only the row above has reached, `knocked_out` the facts of the table at
    which the row went out, or at which a play-off or a lot separated the two. `points` and `hands`
    make the primary value of the row below where it is their quotient. `min_unit` is `meeting`
    where a rank needs evenings, and left out where it needs games.
    """

    above: str
    below: str
    by: str | None
    primary: str
    values: Sequence[str | None]
    found: NotRequired[Sequence[str]]
    among: NotRequired[int]
    reads: NotRequired[Reads]
    equal: NotRequired[Sequence[str]]
    stage: NotRequired[str]
    knocked_out: NotRequired[Mapping[str, str | int]]
    points: NotRequired[str]
    hands: NotRequired[str]
    min_unit: NotRequired[str]


RANK: Final = "rank"
"""Value of `by` if the row above has a rank and the row has none."""

_NUMBERS: Final = re.compile(r"[-+]?[\d.]+")
_COUNTS: Final = {1: "one", 2: "two", 3: "three"}
_FRACTION: Final = re.compile(r"-?\d+/\d+")


def knocked_out_facts(row: Standing, above: Standing) -> KnockoutFacts | None:
    """The facts that separate a row from the one above it, or that they are tied.

    `player` is the one who went on from the table where the row went out, else the row above;
    `reason` is a key of the sentence. None where a knock-out does not order the row.
    """
    finish = row.finish
    better = above.finish
    is_split = row.decided_by in ("playoff", "lot")
    if finish is None or not (is_split or row.decided_by in (STAGE, None)):
        return None
    if is_split and not (better and better.round == finish.round):
        return None  # their primary values were tied
    facts: dict[str, str | int] = {
        "player": above.sums.code,
        "round": finish.round,
        "table": finish.table,
        "place": finish.place or 0,
        "points": _finish_points(finish.points),
    }
    facts |= {"out_by": finish.out_by} if finish.out_by else {}
    if row.decided_by != STAGE:
        is_alike = better and (finish.place, finish.points) == (better.place, better.points)
        return facts | {"reason": "tied_place" if is_alike and finish.place else "tied_round"}
    if finish.gave_up and not (better and better.gave_up):
        return facts | {"reason": "gave_up"}
    is_same_round = better and better.round == finish.round and row.stage == above.stage
    if better and (is_same_round or finish.is_final):
        if finish.place is None or better.place is None:
            return facts | {"reason": "no_place", "theirs": better.place or 0}
        if finish.place != better.place:
            return facts | {"reason": "place", "theirs": better.place}
        return facts | {"reason": "points", "their_points": _finish_points(better.points)}
    if finish.against:
        facts["player"] = finish.against
        if finish.its_place and finish.place:
            return facts | {"reason": "went_on", "theirs": finish.its_place}
        return facts | {"reason": "went_on_without"}
    return None


def knocked_out_sentence(facts: KnockoutFacts, name: Callable[[str], str] = str) -> str:
    """Return facts as a sentence.

    >>> facts = {"reason": "went_on", "player": "RL01", "table": 2, "place": 3, "theirs": 2}
    >>> knocked_out_sentence(facts, {"RL01": "Ada"}.__getitem__)
    'Ada went on from table 2 with place 2 against place 3'
    """
    words = {**facts, "player": name(str(facts["player"]))}
    text = _SENTENCES[str(facts["reason"])].format(**words)
    if "out_by" not in facts:
        return text
    return f"{text}; {_OUT_BY[facts['out_by']]}"


def knocked_out_beside(facts: KnockoutFacts, who: str, stage: str, phrase: str = "") -> str:
    """The reason for a row above `who`, whose facts these are; it alone has reached `stage`.

    `phrase`: how a play-off or a lot separated the two.
    """
    text = _beside(facts, who, stage, phrase)
    if "out_by" not in facts:
        return text
    return f"{text}; {who} {_OUT_BY[facts['out_by']]}"


def _beside(facts: KnockoutFacts, who: str, stage: str, phrase: str) -> str:
    round_ = facts["round"]
    if phrase:
        came = f"same place in round {round_}" if facts["reason"] == "tied_place" else "same round"
        return f"above {who}: {came}, {phrase}"
    if str(facts["reason"]).startswith("tied"):
        return f"tied with {who}: out in round {round_}"
    if facts["reason"] == "points":
        points = f"{facts['their_points']} points against {facts['points']}"
        return f"above {who}: same place in round {round_}, {points}"
    if facts["reason"] in ("place", "no_place"):
        place = facts["place"] or "none"
        return f"above {who}: place {facts['theirs']} against {place} in round {round_}"
    if stage:
        return f"above {who}: went on to {stage}"
    return f"above {who}: {who} was out in round {round_}"


def _finish_points(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value)
    return f"{float(value):.2f}"


def four_places(value: Fraction) -> str:
    """Return `value` rounded half to even to four places, as text with all four digits.

    >>> four_places(Fraction(277, 58)), four_places(Fraction(-1, 3)), four_places(Fraction(5))
    ('4.7759', '-0.3333', '5.0000')
    """
    scaled = round(value * 10_000)
    sign = "-" if scaled < 0 else ""
    return f"{sign}{abs(scaled) // 10_000}.{abs(scaled) % 10_000:04d}"


def reason_facts(
    row: Standing, above: Standing | None, *, min_unit: str = "game"
) -> ReasonFacts | None:
    """The facts that separate `row` from the row `above` it; None for the first row.

    Args:
        min_unit: what a rank needs, `game` or `meeting`.
    """
    if above is None:
        return None
    is_first_of_part = (row.rank is None) != (above.rank is None)
    if row.row.is_guest != above.row.is_guest:
        is_first_of_part = True
    by = RANK if is_first_of_part else row.decided_by
    facts: ReasonFacts = {
        "above": above.sums.code,
        "below": row.sums.code,
        "by": by,
        "primary": row.primary,
        "values": [None if place.value is None else str(place.value) for place in (above, row)],
    }
    if by is None:
        facts["equal"] = [key for key in above.values if key != row.primary]
    elif by == STAGE:
        facts["stage"] = above.stage if above.stage != row.stage else ""
    elif by not in (row.primary, RANK, "lot"):
        facts["found"] = [str(above.values[by]), str(row.values[by])]
        facts["among"] = row.among
        reads = CRITERIA[by].reads if by in CRITERIA else None
        if reads and any(place.row.shown.games != place.sums.games for place in (above, row)):
            facts["reads"] = reads
    if by != RANK and (knocked_out := knocked_out_facts(row, above)):
        facts["knocked_out"] = knocked_out
    if by == RANK and min_unit != "game":
        facts["min_unit"] = min_unit
    counted = row.row.counting
    if by == "raw_per_hand" and counted.hands and not row.row.ledger:
        facts["points"], facts["hands"] = str(counted.points), str(counted.hands)
    return facts


@dataclass(frozen=True, slots=True)
class Wording:
    """How sentences call primary values: `units` by key with a number in them, `same` where two
    rows tie on the value; `is_short` leaves out the zeros at the end of a difference of totals."""

    units: Mapping[str, str]
    same: Mapping[str, str]
    is_short: bool = False


PUBLISHED: Final = Wording(
    units={
        "placement_points": "{} points",
        "beaten_mean": "{} of opponents beaten",
        "raw_per_hand": "{} points a hand",
        "raw_total": "{} points",
        "index_per_game": "index {} a game",
        "wins": "{} wins",
        "match_points": "{} match points",
        "evening_points": "{} evening points",
        "matchpoints": "{} % of the matchpoints",
        "datum": "datum {} a board",
    },
    same={
        "placement_points": "points",
        "wins": "wins",
        "match_points": "match points",
        "evening_points": "evening points",
    },
)
"""The words of published sentences. They are in the bytes of publications, so they stay."""

OF_PAGES: Final = Wording(
    units={**PUBLISHED.units, "placement_points": "{} place points"},
    same={**PUBLISHED.same, "placement_points": "place points"},
    is_short=True,
)
"""The words of pages, which tell place points from the points of hands."""


def reason(facts: ReasonFacts | None, *, name: Naming = str, wording: Wording = PUBLISHED) -> str:
    """The reason for a row behind the one above it; empty if there is none.

    >>> facts = {"above": "A", "below": "B", "by": "wins", "primary": "wins", "values": ["3", "1"]}
    >>> reason(facts), ahead(facts)
    ('1 win, 2 behind A', 'above B: 3 wins against 1')
    """
    if facts is None or facts["by"] == RANK:
        return ""
    if "knocked_out" in facts:
        sentence = knocked_out_sentence(facts["knocked_out"], name)
        return "; ".join(filter(None, (sentence, _naming(facts, name, of_above=False))))
    if facts["values"][0] is None:
        return ""
    who, key, primary, (above, value) = name(facts["above"]), *_decided(facts)
    if key == STAGE:
        return f"{who} {_reached(facts)}"
    if value is None:
        return f"its {_called(primary)} is not known"
    if key == primary:
        gap = abs(Fraction(value) - Fraction(above or 0))
        if METRICS[key].is_mean:
            words = four_places(gap)
        else:
            words = _exact(key, str(gap), wording)
        return f"{_sum(facts, value, wording)}, {words} behind {who}"
    tied = f"tied with {who}: {_sum(facts, value, wording)}"
    if key is None:
        return tied
    if phrase := _naming(facts, name, of_above=False):
        return f"{tied}; {phrase}"
    better, worse = facts["found"]
    if (fewer := _n_missing(key, better, worse)) > 0:
        return f"{tied}; {_games(fewer, 'fewer')} than {who}{_which(facts)}"
    mine, theirs = map(_minus, _both(key, worse, better, wording))
    return f"{tied}; {_called(key)} {mine} against {theirs}{_which(facts)}"


def ahead(facts: ReasonFacts | None, *, name: Naming = str, wording: Wording = PUBLISHED) -> str:
    """The reason for a row above the one below it, or tied with it, by the facts of the latter."""
    if facts is None:
        return ""
    who, key, primary, (value, below) = name(facts["below"]), *_decided(facts)
    if key == RANK:
        few = "too few games for a rank"
        if facts.get("min_unit") == "meeting":
            few = "too few evenings for a rank"
        unknown = f"no rank, its {_called(primary)} is not known"
        return f"above {who}: {who} has {unknown if below is None else few}"
    if "knocked_out" in facts:
        phrase = _naming(facts, name, of_above=True)
        return knocked_out_beside(facts["knocked_out"], who, facts.get("stage", ""), phrase)
    if key == STAGE:
        return f"above {who}: {_reached(facts)}"
    if value is None:
        return f"beside {who}: {_called(primary)} not known of either"
    if below is None:
        return f"above {who}: {who} has no {_called(primary)}"
    if key is None:
        *rest, last = ["", *map(_called, facts["equal"])]
        also = " and ".join(filter(None, [", ".join(rest[1:]), last]))
        also = f", and tied on {also}" if also else ""
        return f"tied with {who}: {_says(primary, value, wording)}{also}"
    if key == primary:
        said = _says(primary, value, wording)
        return f"above {who}: {said} against {_number(primary, below)}"
    phrase = _naming(facts, name, of_above=True)
    if not phrase:
        better, worse = facts["found"]
        phrase = PHRASES.get(key, _generic(key))(better, worse, facts["among"]) + _which(facts)
    return f"above {who}: same {wording.same.get(primary, _called(primary))}, {phrase}"


def short_reason(facts: ReasonFacts | None, me: str, *, name: Naming = str) -> str:
    """`reason` as people say it, without a figure of a criterion.

    `me` is what the row below is called: its name, or "you" for its own reader.

    >>> facts = {"above": "A", "below": "B", "by": "h2h", "primary": "wins", "values": ["3", "3"]}
    >>> short_reason(facts, "you")
    'as many tables won as A, who did better than you in the games against each other'
    """
    if not _is_by_value(facts):
        return reason(facts, name=name)
    who = name(facts["above"])
    key, primary, (above, value) = _decided(facts)
    metric = METRICS[primary]
    if key is None:
        return f"tied with {who}"
    if key != primary:
        return f"{metric.alike.format(other=who)}, who {_better(facts).format(other=me)}"
    if metric.better:
        return f"behind {who}, who {metric.better.format(other=me)}"
    return f"{_distance(metric, above, value)} behind {who}"


def short_ahead(facts: ReasonFacts | None, me: str, *, name: Naming = str) -> str:
    """`ahead` as people say it, by the facts of the row below; `me` is the row above.

    >>> facts = {"above": "A", "below": "B", "by": "wins", "primary": "wins", "values": ["3", "2"]}
    >>> short_ahead(facts, "you"), short_ahead({**facts, "by": "sos"}, "A")
    ('1 table won ahead of B', 'as many tables won as B, but A met stronger opponents than B')
    """
    if not _is_by_value(facts):
        return ahead(facts, name=name)
    who = name(facts["below"])
    key, primary, (value, below) = _decided(facts)
    metric = METRICS[primary]
    if key is None:
        return f"tied with {who}"
    if key != primary:
        better = _better(facts).format(other=who)
        return f"{metric.alike.format(other=who)}, but {me} {better}"
    if metric.better:
        return f"ahead of {who}: {me} {metric.better.format(other=who)}"
    return f"{_distance(metric, value, below)} ahead of {who}"


def tie_break_reason(facts: ReasonFacts | None, *, name: Naming = str) -> str:
    """The short reason where a tie-break, a play-off or a lot decided; else empty.

    >>> facts = {"above": "A", "below": "B", "by": "h2h", "primary": "wins", "values": ["3", "3"]}
    >>> tie_break_reason(facts)
    'as many tables won as A, who did better than B in the games against each other'
    >>> tie_break_reason({**facts, "by": "wins", "values": ["3", "1"]}), tie_break_reason(None)
    ('', '')
    """
    if not _is_by_value(facts) or facts["by"] in (None, facts["primary"]):
        return ""
    return short_reason(facts, name(facts["below"]), name=name)


def _is_by_value(facts: ReasonFacts | None) -> TypeGuard[ReasonFacts]:
    """Whether values that are known decided between two, and no knock-out."""
    if facts is None or facts["by"] in (RANK, STAGE) or "knocked_out" in facts:
        return False
    return None not in facts["values"]


def _distance(metric: Metric, value: str | None, other: str | None) -> str:
    distance = abs(Fraction(value or 0) - Fraction(other or 0))
    is_whole = distance.denominator == 1
    if is_whole:
        number = str(distance)
    else:
        number = f"{float(distance):.2f}".rstrip("0")
    one, several = metric.unit
    return f"{number} {one if distance == 1 else several}"


def _better(facts: ReasonFacts) -> str:
    key = str(facts["by"])
    if "found" in facts and _n_missing(key, *facts["found"]) > 0:
        return "played more games than {other}"
    if key not in CRITERIA:
        return "came before {other}"
    return CRITERIA[key].better


READS: Final[Mapping[Reads, str]] = {"counted": " (games that count)", "all": " (all games)"}


def _reached(facts: ReasonFacts) -> str:
    if not facts["stage"]:
        return "can still go on"
    return f"went on to {facts['stage']}"


def _which(facts: ReasonFacts) -> str:
    if "reads" not in facts:
        return ""
    return READS[facts["reads"]]


def _decided(facts: ReasonFacts) -> tuple[str | None, str, Sequence[str | None]]:
    return facts["by"], facts["primary"], facts["values"]


def _called(key: str) -> str:
    criterion = CRITERIA.get(key) or METRICS.get(key)
    return criterion.name.lower() if criterion else key


def _says(primary: str, value: str, wording: Wording) -> str:
    number = _number(primary, value)
    words = wording.units.get(primary, _called(primary) + " {}").format(number)
    if number == "1" and words.startswith("1 "):
        return words.removesuffix("s")
    return words


def _number(primary: str, value: str) -> str:
    if primary in ("index_per_game", "datum"):
        return _signed(value)
    if METRICS[primary].is_mean:
        return _places(Fraction(value))
    return _plain(value)


def _plain(value: Value) -> str:
    number = Fraction(value)
    return _minus(str(number) if number.denominator == 1 else four_places(number).rstrip("0"))


def _minus(number: str) -> str:
    """A number with the minus sign U+2212, as pages print it; of a criterion's key nothing."""
    if not _NUMBERS.fullmatch(number):
        return number
    return number.replace("-", "\u2212")


def _places(value: Fraction) -> str:
    return _minus(four_places(value))


def _signed(value: Value) -> str:
    number = Fraction(value)
    return ("+" if number > 0 else "") + _places(number)


def _generic(key: str) -> Callable[[str, str, int], str]:
    return lambda value, other, among: (
        f"{_called(key)} {_minus(_exact(key, value))} against {_minus(_exact(key, other))}"
    )


def _head_to_head(value: str, other: str, among: int) -> str:
    won, met = value.split("/")
    if among > 2:
        lost, of = other.split("/")
        return f"ahead in {won} of {met} comparisons among the {among}, against {lost} of {of}"
    if won == met:
        tables = {"1": "the table", "2": "both tables"}.get(met, f"all {met} tables")
        return f"ahead at {tables} they shared"
    return f"ahead at {won} of the {met} tables they shared"


_PLACES: Final = ("first", "second", "third", "fourth")


def _countback(value: str, other: str, among: int) -> str:
    pairs = zip_longest(value.split("-"), other.split("-"), fillvalue="0")
    for place, (mine, theirs) in enumerate(pairs):
        if mine != theirs:
            if place < len(_PLACES):
                called = _PLACES[place]
            else:
                called = f"{place + 1}th"
            return f"more {called} places, {mine} against {theirs}"
    return f"places {value} against {other}"


def _evenings(value: str, other: str, among: int) -> str:
    won, second = value.split("-")
    their_won, their_second = other.split("-")
    if won != their_won:
        return f"more evenings won, {won} against {their_won}"
    return f"more second places in evenings, {second} against {their_second}"


def _n_missing(key: str, value: str, other: str) -> int:
    """How many games the last games of one go on after those of the other, which they begin as."""
    mine = value.split()
    theirs = other.split()
    is_start = key == "last_game" and mine[: len(theirs)] == theirs
    if not is_start:
        return 0
    return len(mine) - len(theirs)


def _games(number: int, than: str) -> str:
    if number == 1:
        return f"one game {than}"
    return f"{number} games {than}"


def _last_game(value: str, other: str, among: int) -> str:
    if (more := _n_missing("last_game", value, other)) > 0:
        return _games(more, "more")
    pairs = zip(value.split(), other.split(), strict=False)
    for back, (mine, theirs) in enumerate(pairs):
        if mine != theirs:
            which = "last game" if not back else f"last game but {_COUNTS.get(back, back)}"
            return f"better in the {which}, {_plain(mine)} against {_plain(theirs)}"
    return f"last games {value} against {other}"


def _naming(facts: ReasonFacts, name: Naming, *, of_above: bool) -> str:
    above, below = name(facts["above"]), name(facts["below"])
    if facts["by"] == "lot":
        return f"drawn by lot: {above} before {below}"
    if facts["by"] == "playoff":
        better, worse = facts["found"]
        return _in_playoff(*((better, worse, below) if of_above else (worse, better, above)))
    return ""


def _in_playoff(value: str, other: str, who: str) -> str:
    """How a play-off separated two entrants: by totals, a lot, or leaving."""
    mine, theirs = PlayedOff.read(value), PlayedOff.read(other)
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
        if not has_won:
            return "gave up in the play-off"
        return f"won the play-off, {who} gave up"
    return f"place {mine.place} against {theirs.place} in the play-off"


def _compared(text: str, number: Callable[[Value], str] = _plain) -> Callable[[str, str, int], str]:
    return lambda value, other, among: text.format(number(value), number(other))


PHRASES: Final[Mapping[str, Callable[[str, str, int], str]]] = {
    "h2h": _head_to_head,
    "wins": _compared("more wins, {} against {}"),
    "countback": _countback,
    "evenings": _evenings,
    "index": _compared("better index, {} against {}", _signed),
    "moons_shot": _compared("more moons shot, {} against {}"),
    "moons_against": _compared("fewer moons against, {} against {}"),
    "sos": _compared("stronger opponents, {} against {}", lambda value: _places(Fraction(value))),
    "last_game": _last_game,
    "difference": _compared("better difference, {} against {}"),
}
"""Criterion → what it says of two rows that it separated; one without a line says both values."""


def _sum(facts: ReasonFacts, value: str, wording: Wording) -> str:
    primary = facts["primary"]
    if "hands" in facts:
        return f"{_minus(facts['points'])} ÷ {facts['hands']} = {_places(Fraction(value))}"
    if primary == "wins":
        return f"{_exact(primary, value, wording)} {'win' if value == '1' else 'wins'}"
    if METRICS[primary].is_mean:
        return _places(Fraction(value))
    return _says(primary, value, wording)


def _both(key: str, value: str, other: str, wording: Wording) -> tuple[str, str]:
    if key == "last_game":
        pairs = zip(value.split(), other.split(), strict=False)
        mine, theirs = next(pair for pair in pairs if pair[0] != pair[1])
        return mine, theirs
    return _exact(key, value, wording), _exact(key, other, wording)


def _exact(key: str, value: str, wording: Wording = PUBLISHED) -> str:
    if key == "h2h" or not _FRACTION.fullmatch(value):
        return value
    text = four_places(Fraction(value))
    return text.rstrip("0") if wording.is_short else text
