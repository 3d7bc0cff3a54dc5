"""Ordering an event's entrants: the primary value, the tie-breaks, and ties that stay.

Pure: rows in, ordered rows out; the order of the input never matters.
See docs/algorithms/standings.md and docs/algorithms/tie-breaks.md.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import groupby
from math import ceil, lcm
from operator import attrgetter, itemgetter
from typing import Final, Literal, TypeAlias

from scoring.standings.counting import with_byes
from scoring.standings.metrics import PRIMARIES
from scoring.standings.rows import Evidence, GameResult, InMemory, MeetingEvidence, Row, Sums
from scoring.standings.tie_breaks import CRITERIA, Field, PlayedOff, TieBreak, Value

NO_EVIDENCE: Final = InMemory(())

STAGE: Final = "stage"
"""Value of `decided_by` if the entrants above went on to a later stage."""

Progress: TypeAlias = Literal["winner", "through", "final", "undecided", "out", "consolation"]
"""How far an entrant came where rounds or cuts decide who goes on: first once nothing follows, into
the round after the newest that was closed, into the final, tied for that, out, or out and in the
consolation."""

STILL_IN: Final = frozenset({"through", "final", "undecided"})
"""Progress of those who are still in, or may be."""


@dataclass(frozen=True, slots=True)
class KnockoutFinish:
    """The result of an entrant in a round of a knock-out.

    `place` at the `table` counts a play-off of a tie there; it is None without a game. `points` are
    of the round. `table` is 0 of a round that is of no knock-out. `against` went on from the table
    with the last place that did, `its_place`; it is empty if nobody did, as in a final. `out_by`
    is `playoff` or `lot` where that decided a tie with somebody who went on.
    """

    round: int
    table: int
    place: int | None = None
    points: Fraction = Fraction(0)
    is_final: bool = False
    gave_up: bool = False
    against: str = ""
    its_place: int | None = None
    out_by: str = ""

    def order(self, *, low_wins: bool, shares: bool) -> tuple[object, ...]:
        """Sort key among those who came as far, the best first.

        With `shares` all who went out in one round are equal, but for the final.
        """
        if shares and not self.is_final:
            return (-self.round,)
        points = self.points
        if not low_wins:
            points = -points
        return (-self.round, self.gave_up, self.place is None, self.place or 0, points)


@dataclass(frozen=True, slots=True)
class AdvancingStage:
    """A stage that only some play: their codes, and what it is called (`the final of 8`).

    `finishes`: each entrant's result of the round before it. `words` are empty where a tie for the
    stage is not decided. `progress`: what the stage makes of entrants by code, with a number: a
    larger one is newer.
    """

    codes: frozenset[str]
    words: str
    finishes: Mapping[str, KnockoutFinish] = field(default_factory=dict)
    progress: Mapping[str, tuple[int, Progress]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Standing:
    """One placed row. `rank` is None where it does not qualify; `decided_by` names what put
    the row below the one above it (None for the first row and within a real tie).

    `value` is the primary value with byes and the ledger, None where it is not known; `values` has
    it and what each criterion that was asked about this row has found, by key, in order. `among` is
    how many were still tied when `decided_by` was asked, `stage` what the last stage is called
    that the row has gone on to, empty for none. `finish` is how it came out of a knock-out, where
    that orders it. `progress` is how far it came, None where nothing decides that.
    """

    row: Row
    rank: int | None
    tied: bool
    value: Fraction | None
    decided_by: str | None
    values: Mapping[str, Value] = field(default_factory=dict)
    primary: str = ""
    among: int = 0
    stage: str = ""
    finish: KnockoutFinish | None = None
    progress: Progress | None = None

    @property
    def sums(self) -> Sums:
        """The entrant's sums over all games."""
        return self.row.sums


_Valued: TypeAlias = tuple[Fraction | None, Row]
"""A row with its primary value."""


@dataclass(slots=True)
class _Group:
    """Rows that are tied so far, by code; `decided_by` is what put them below the group above.

    `values` is code → criterion → what it has found. `by_finish`: they are ordered by how they came
    out of a knock-out.
    """

    rows: list[Row]
    values: dict[str, dict[str, Value]]
    decided_by: str
    among: int
    by_finish: bool
    stage: str

    def asks(self, criterion: TieBreak) -> bool:
        """Whether it is tied, and `criterion` may split it."""
        if len(self.rows) == 1:
            return False
        return not self.by_finish or criterion.key in ("playoff", "lot")


def standings(
    rows: Sequence[Row],
    *,
    primary: str,
    low_wins: bool = True,
    min_games: int = 0,
    min_third: bool = False,
    min_unit: str = "game",
    tie_breaks: Sequence[str] = (),
    evidence: Evidence = NO_EVIDENCE,
    seed: str = "",
    playoffs: Sequence[Mapping[str, PlayedOff]] = (),
    playoff_first: bool = False,
    bye_award: str = "none",
    scheme_mean: Fraction | None = None,
    stages: Sequence[AdvancingStage] = (),
    knocked_out: str = "standings",
) -> tuple[Standing, ...]:
    """Return `rows` in order: qualified ones ranked 1, 2, 2, 4, others and then guests unranked.

    Args:
        primary: a key of `PRIMARIES`.
        low_wins: False where the largest total wins; what is made of points turns.
        min_games: entrants with fewer games come last and have no rank, and so do those whose
            primary value is not known. `min_third`: see `required_games`. With the `min_unit`
            "meeting" evenings are counted instead.
        tie_breaks: keys of `TIE_BREAKS`, each asked of the groups that are tied after those
            before it. The primary value is none: who is asked about it is tied on it.
        evidence: the games; each criterion that needs them asks at most once, for the entrants
            still tied. If it is `MeetingEvidence`, groups that have not all met are not
            asked for by criteria that have no effect on them.
        seed: what lots are drawn from.
        playoffs: what each play-off has made of its members by code, asked after the tie-breaks and
            before a lot.
        playoff_first: whether play-offs are asked before the tie-break order, too.
        bye_award: a key of `BYE_AWARDS`, with `scheme_mean` where it is that.
        stages: who went on to each later stage, in order: those of a later one come first,
            regardless of their values.
        knocked_out: what orders those who came as far in a knock-out: `place` at the table and
            points of the round in which they went out; `share`: nothing, but in the final as by
            `place`; `standings`: the primary value and the tie-breaks. In the first two they are
            ranked without a game as well, and only play-offs and lots are asked about ties.

    Every row once; rows tied in everything share the rank and are listed by code.

    See docs/algorithms/standings.md; standard competition ranking.

    >>> sums = lambda code, pts: Sums(code, 1, 4, pts, (0,), 0, Fraction(0), Fraction(0), 0, 0)
    >>> rows = [Row(sums("b", 8)), Row(sums("c", 5)), Row(sums("a", 8))]
    >>> table = standings(rows, primary="raw_per_hand")
    >>> [(s.rank, s.sums.code, s.tied, str(s.value)) for s in table]
    [(1, 'c', False, '5/4'), (2, 'a', True, '2'), (2, 'b', True, '2')]
    """
    metric = PRIMARIES[primary]
    is_ascending = metric.is_ascending(low_wins=low_wins)
    finishes: dict[str, KnockoutFinish] = {}
    if knocked_out != "standings":
        finishes = _last_finishes(stages)
    progress = progress_of(stages)
    # Who went on with a bye, or by walk-overs, is ranked without a game.
    still_in: set[str] = set()
    if finishes:
        still_in = {code for code, state in progress.items() if state in STILL_IN}

    counts = (played_units(row.sums, min_unit) for row in rows if row.competes)
    least_games = required_games(counts, min_games, third=min_third)
    qualified: list[_Valued] = []
    unqualified: list[_Valued] = []
    guests: list[_Valued] = []
    for row in rows:
        value = metric.value(row.counting)
        if value is not None:
            value = with_byes(value, row.counting, metric, award=bye_award, scheme_mean=scheme_mean)
            if row.ledger and is_ascending:
                value += row.ledger
            elif row.ledger:
                value -= row.ledger
        has_result = row.code in finishes or row.code in still_in
        has_games = played_units(row.sums, min_unit) >= least_games and row.competes
        if row.is_guest:
            guests.append((value, row))
        elif has_result or (has_games and value is not None):
            qualified.append((value, row))
        else:
            unqualified.append((value, row))

    group_half = partial(
        _groups,
        primary=primary,
        is_ascending=is_ascending,
        stages=stages,
        finish_keys={
            code: finish.order(low_wins=low_wins, shares=knocked_out == "share")
            for code, finish in finishes.items()
        },
    )
    ranked = list(group_half(qualified))
    unranked = list(group_half(unqualified))
    of_guests = list(group_half(guests))
    games = _Games(evidence)
    scene = Field(
        primary=metric,
        low_wins=low_wins,
        played={row.code: row.played or row.sums for row in rows},
        games_of=games.of,
        seed=seed,
        playoffs=playoffs,
    )
    criteria = _criteria(
        [key for key in tie_breaks if key != primary],
        with_playoff=bool(playoffs),
        first=playoff_first,
    )
    for criterion in criteria:
        tied = [group for group in (*ranked, *unranked, *of_guests) if group.asks(criterion)]
        asked = games.turn_to(criterion, tied)
        ranked = list(_split(ranked, criterion, scene=scene, asked=asked))
        unranked = list(_split(unranked, criterion, scene=scene, asked=asked))
        of_guests = list(_split(of_guests, criterion, scene=scene, asked=asked))
    return (
        *_placed(ranked, primary, is_ranked=True, finishes=finishes, progress=progress),
        *_placed(unranked, primary, is_ranked=False, finishes=finishes, progress=progress),
        *_placed(of_guests, primary, is_ranked=False, finishes=finishes, progress=progress),
    )


def progress_of(stages: Iterable[AdvancingStage]) -> dict[str, Progress]:
    """Return the newest progress of each entrant by code.

    >>> semi = AdvancingStage(frozenset(), "", progress={"A": (3, "through"), "B": (3, "out")})
    >>> final = AdvancingStage(frozenset(), "", progress={"A": (4, "final")})
    >>> progress_of([final, semi])
    {'A': 'final', 'B': 'out'}
    """
    newest: dict[str, tuple[int, Progress]] = {}
    for stage in stages:
        for code, (number, state) in stage.progress.items():
            if code not in newest or number >= newest[code][0]:
                newest[code] = (number, state)
    return {code: state for code, (_number, state) in newest.items()}


def played_units(sums: Sums, unit: str) -> int:
    """The number of games, or of evenings, that an entrant has played."""
    if unit == "meeting":
        return int(sums.evenings)
    return sums.games


def required_games(counts: Iterable[int], min_games: int, *, third: bool) -> int:
    """The number of games for a rank; with `third` at least a third of the most, rounded up.

    Args:
        counts: the games of each entrant.

    >>> required_games([7, 3, 1], 0, third=True), required_games([7, 3, 1], 2, third=False)
    (3, 2)
    """
    if not third:
        return max(min_games, 0)
    most = max(counts, default=0)
    return max(min_games, ceil(Fraction(most, 3)))


def ranked_tiers(placed: Iterable[Standing]) -> list[list[str]]:
    """The codes that share each place, the best first; entrants without a rank are left out."""
    ranked = [row for row in placed if row.rank is not None]
    tiers = []
    for _rank, rows in groupby(ranked, key=attrgetter("rank")):
        tiers.append([row.sums.code for row in rows])
    return tiers


def _last_finishes(stages: Iterable[AdvancingStage]) -> dict[str, KnockoutFinish]:
    """The result of each entrant in their last round, by code, where that was of a knock-out."""
    last: dict[str, KnockoutFinish] = {}
    for stage in stages:
        for code, finish in stage.finishes.items():
            if code not in last or finish.round >= last[code].round:
                last[code] = finish
    return {code: finish for code, finish in last.items() if finish.table}


def _criteria(keys: Sequence[str], *, with_playoff: bool, first: bool) -> list[TieBreak]:
    """The criteria in order: a play-off that was held goes after all others but before a lot.

    Where ties at a title went straight to a play-off it goes before the others as well; a group
    that the tie-breaks have made smaller first is still asked after it.
    """
    order = list(keys)
    if with_playoff and "lot" in order:
        order.insert(order.index("lot"), "playoff")
    elif with_playoff:
        order.append("playoff")
    if with_playoff and first:
        order.insert(0, "playoff")
    return [CRITERIA[key] for key in order]


def _groups(
    valued: Sequence[_Valued],
    *,
    primary: str,
    is_ascending: bool,
    stages: Sequence[AdvancingStage],
    finish_keys: Mapping[str, tuple[object, ...]],
) -> Iterator[_Group]:
    """Yield rows in groups, the best first: by stage, and there by finish or by primary value.

    Args:
        finish_keys: sort keys of the finishes by code; they count in a stage where all have one.
    """
    for number, (stage, members) in enumerate(_by_stage(valued, stages)):
        values: dict[str, dict[str, Value]] = {}
        for value, row in members:
            values[row.code] = {}
            if value is not None:
                values[row.code][primary] = value

        keys: Mapping[str, tuple[object, ...]]
        by_finish = all(row.code in finish_keys for _value, row in members)
        if by_finish:
            keys = finish_keys
            decided_by = STAGE
            among = len(members)
        else:
            keys = _value_keys(members, ascending=is_ascending)
            decided_by = primary
            among = len(valued)

        for place, tied_rows in enumerate(_tied([row for _value, row in members], keys)):
            # The best of a stage are behind all who went on further.
            is_behind_stage = number > 0 and place == 0
            yield _Group(
                rows=tied_rows,
                values=values,
                decided_by=STAGE if is_behind_stage else decided_by,
                among=among,
                by_finish=by_finish,
                stage=stage,
            )


def _by_stage(
    valued: Sequence[_Valued], stages: Sequence[AdvancingStage]
) -> Iterator[tuple[str, Sequence[_Valued]]]:
    """Yield the rows by the last stage that they went on to, with its words, the last stage first.

    Those who went on to none come last; their words are empty.
    """
    rows_by_stage: dict[int, list[_Valued]] = defaultdict(list)
    for value, row in valued:
        last = 0
        for number, stage in enumerate(stages, start=1):
            if row.code in stage.codes:
                last = number
        rows_by_stage[last].append((value, row))
    for number in sorted(rows_by_stage, reverse=True):
        words = stages[number - 1].words if number > 0 else ""
        yield words, rows_by_stage[number]


def _value_keys(valued: Sequence[_Valued], *, ascending: bool) -> dict[str, tuple[object, ...]]:
    """Sort keys by the primary value, the best first; an unknown value is the last."""
    # Whole numbers over one denominator sort ten times faster than fractions, and as exactly.
    scale = lcm(*{value.denominator for value, _row in valued if value is not None})
    keys: dict[str, tuple[object, ...]] = {}
    for value, row in valued:
        if value is None:
            keys[row.code] = (True, 0)
            continue
        whole = value.numerator * (scale // value.denominator)
        if not ascending:
            whole = -whole
        keys[row.code] = (False, whole)
    return keys


def _tied(
    rows: Iterable[Row], keys: Mapping[str, object], *, reverse: bool = False
) -> list[list[Row]]:
    """Rows with equal keys together, listed by code; the smallest key first."""
    rows_by_key: dict[object, list[Row]] = defaultdict(list)
    for row in sorted(rows, key=attrgetter("code")):
        rows_by_key[keys[row.code]].append(row)
    in_order = sorted(rows_by_key.items(), key=itemgetter(0), reverse=reverse)
    return [tied_rows for _key, tied_rows in in_order]


def _split(
    groups: Iterable[_Group], criterion: TieBreak, *, scene: Field, asked: Collection[int]
) -> Iterator[_Group]:
    """Yield the groups in order, those that `criterion` splits in their parts.

    Args:
        asked: the identities of the groups that it is asked about (`_Games.turn_to`).
    """
    for group in groups:
        merits = None
        if id(group) in asked:
            merits = criterion.merits(group.rows, scene)
        if merits is None:
            yield group
            continue
        for code, merit in merits.items():
            group.values[code][criterion.key] = merit.value
        orders = {code: merit.order for code, merit in merits.items()}
        first, *others = _tied(group.rows, orders, reverse=True)
        yield replace(group, rows=first)
        for rows in others:
            yield replace(group, rows=rows, decided_by=criterion.key, among=len(group.rows))


class _Games:
    """The games of tied entrants, fetched for all groups of a criterion at its first use."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._asked_codes: list[str] = []
        self._games: dict[str, list[GameResult]] = {}

    def turn_to(self, criterion: TieBreak, tied: Sequence[_Group]) -> Collection[int]:
        """Return the identities of the groups that `criterion` is to be asked about."""
        asked = list(tied)
        if criterion.all_met and isinstance(self._evidence, MeetingEvidence):
            codes = [[row.code for row in group.rows] for group in tied]
            strangers = frozenset(self._evidence.strangers(codes))
            asked = [group for index, group in enumerate(tied) if index not in strangers]
        self._asked_codes = [row.code for group in asked for row in group.rows]
        return {id(group) for group in asked}

    def of(self, code: str) -> Sequence[GameResult]:
        """The games of an entrant of a group that the criterion is asked about."""
        if code not in self._games:
            new_games: dict[str, list[GameResult]] = {}
            for asked_code in self._asked_codes:
                if asked_code not in self._games:
                    new_games[asked_code] = []
            for game in self._evidence.games_of(tuple(new_games)):
                for player_code in new_games.keys() & game.chairs.keys():
                    new_games[player_code].append(game)
            self._games.update(new_games)
        return self._games[code]


def _placed(
    groups: Sequence[_Group],
    primary: str,
    *,
    is_ranked: bool,
    finishes: Mapping[str, KnockoutFinish],
    progress: Mapping[str, Progress],
) -> Iterator[Standing]:
    """Yield the rows of all groups in order; ranks are counted from 1, if they have any."""
    n_above = 0
    for group in groups:
        for number, row in enumerate(group.rows):
            decided_by = None
            among = 0
            if number == 0 and n_above > 0:
                decided_by = group.decided_by
                among = group.among
            value = group.values[row.code].get(primary)
            yield Standing(
                row=row,
                rank=n_above + 1 if is_ranked else None,
                tied=is_ranked and len(group.rows) > 1,
                value=value if isinstance(value, Fraction) else None,
                decided_by=decided_by,
                values=group.values[row.code],
                primary=primary,
                among=among,
                stage=group.stage,
                finish=finishes.get(row.code) if group.by_finish else None,
                progress=progress.get(row.code),
            )
        n_above += len(group.rows)
