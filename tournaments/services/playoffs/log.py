"""The log of a play-off, in stored order: writing steps, and reading the standing from them.

A step records an event; scores are read from the rows of hands, so that a correction needs no step.
A caller that adds one holds the games of the play-off's stage and its row
(`services.playoffs.playoffs`). See docs/algorithms/playoffs.md.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Final, TypeAlias

from scoring.playoffs.progress import (
    HandPlayed,
    HeatsPlayed,
    LotsDrawn,
    MemberLeft,
    PlayoffEvent,
    PlayoffExtended,
    PlayoffRules,
    Progress,
    Tier,
    explain_playoff,
    progress,
)
from tournaments.models.columns import exact
from tournaments.models.events import Entrant
from tournaments.models.hands import Game, Hand, SeatScore
from tournaments.models.playoffs import Playoff, PlayoffStep, PlayoffStepKind, plays_at
from tournaments.models.rounds import Sitting
from tournaments.selectors.rules.rule_sets import low_wins, rules_of
from tournaments.services.db.bulk import next_number

HEATS: Final = "heats"
Scores = Mapping[str, Fraction | int]


Board: TypeAlias = tuple[Game, tuple[str, ...]]
"""A table of a play-off: its game, read with table and round, and who plays for a place there."""
SeatsByTable: TypeAlias = Mapping[int, list[tuple[int, int, int | None, str]]]
"""The stretches of sitting by the row of the table: row of the seat, first and last hand, code."""


@dataclass(frozen=True, slots=True)
class Heat:
    """One of the tables whose best players meet, and its own standing."""

    game: Game
    now: Progress

    @property
    def through(self) -> tuple[str, ...]:
        """Return who advances once it is decided: those above its line who have not left."""
        line = self.now.cuts[0]
        return tuple(
            member
            for member in [code for level in self.now.order for code in level][:line]
            if member not in self.now.gone
        )


@dataclass(frozen=True, slots=True)
class PlayoffLog:
    """The state of a play-off by its steps.

    `ends` is the standing of its heats, until their best were paired (`has_met`), empty without
    heats; `made` is `scoring.playoffs.progress`; `scores` what each hand that counts gave, by its
    row, `by_step` by the number of its step; `totals` what those undecided had after it since they
    last began from 0, by table and number of the hand.
    """

    now: Progress
    rules: PlayoffRules
    members: tuple[str, ...]
    boards: tuple[Board, ...]
    ends: tuple[Heat, ...]
    has_met: bool
    made: Mapping[str, tuple[str, ...]]
    scores: Mapping[int, Scores]
    by_step: Mapping[int, Scores]
    totals: Mapping[str, Mapping[str, Mapping[str, str]]]

    @property
    def heats(self) -> tuple[Heat, ...]:
        return () if self.has_met or self.now.is_decided else self.ends

    @property
    def is_exhausted(self) -> bool:
        """Whether an undecided member has no hand left: more are allowed, or lots are drawn."""
        every = [heat.now for heat in self.heats] or [self.now]
        return not self.now.is_decided and any(
            standing.is_exhausted(self.rules) for standing in every
        )


def add_step(
    playoff: Playoff,
    kind: str,
    *,
    now: datetime,
    by: str,
    hand: Hand | None = None,
    entrant: Entrant | None = None,
    facts: Mapping[str, object] | None = None,
) -> PlayoffStep:
    return PlayoffStep.objects.create(
        club_id=playoff.club_id,
        playoff=playoff,
        number=next_number(PlayoffStep.objects.filter(playoff=playoff)),
        kind=kind,
        hand=hand,
        entrant=entrant,
        facts=dict(facts or {}),
        at=now,
        by=by,
    )


def read_log(playoff: Playoff, *, but: Hand | None = None) -> PlayoffLog:
    """Return the standing of a play-off by its steps, without the hand `but`; six queries."""
    rules = PlayoffRules(**playoff.rules)
    codes = playoff.members.order_by("entrant__code").values_list("entrant__code", flat=True)
    members = tuple(codes)
    games = _games(playoff)
    steps = list(playoff.steps.select_related("hand", "entrant").order_by("number"))
    left_out = but.pk if but is not None else None
    hands = [
        step.hand
        for step in steps
        if step.hand is not None and step.hand.state == "accepted" and step.hand.pk != left_out
    ]
    low = all(low_wins(rules_of(game.snapshot)) for game in games)
    seats = _list_seats(playoff, members)
    boards = tuple(
        (game, tuple(dict.fromkeys(code for *_, code in seats[game.table_id]))) for game in games
    )
    scores = _scores(games, hands, seats)
    events: list[tuple[PlayoffEvent, Hand | None]] = []
    for step in steps:
        event = _event(step, scores)
        if event is not None:
            events.append((event, step.hand))
    every = [event for event, _ in events]
    now, told_of, totals = explain_playoff(members, playoff.cuts, every, rules, low_wins=low)
    return PlayoffLog(
        now,
        rules,
        members,
        boards,
        _heats(playoff, boards, events, rules, low=low),
        any(isinstance(event, HeatsPlayed) for event in every),
        told_of,
        scores,
        {step.number: scores[step.hand_id] for step in steps if step.hand_id in scores},
        _by_table(games, events, totals),
    )


def _by_table(
    games: Iterable[Game],
    events: Sequence[tuple[PlayoffEvent, Hand | None]],
    totals: Sequence[Mapping[str, str]],
) -> dict[str, dict[str, Mapping[str, str]]]:
    by_table: dict[str, dict[str, Mapping[str, str]]] = defaultdict(dict)
    codes = {game.pk: game.table.code for game in games}
    for (_, hand), after in zip(events, totals, strict=True):
        if hand is not None and after:
            by_table[codes[hand.game_id]][str(hand.number)] = after
    return by_table


def _games(playoff: Playoff) -> list[Game]:
    if playoff.stage_id is None:
        return []
    games = Game.objects.filter(table__round__stage=playoff.stage_id)
    related = games.select_related("snapshot", "table__round")
    return list(related.order_by("table__round__number", "table__number"))


def _list_seats(playoff: Playoff, members: Sequence[str]) -> SeatsByTable:
    """Return who played for a place at the play-off's tables; all others there are neutral."""
    sittings = Sitting.objects.filter(
        seat__table__round__stage=playoff.stage_id,
        player__entries_in_events__event=playoff.event_id,
        player__entries_in_events__entrant__code__in=members,
    ).order_by("seat__table_id", "seat__number", "from_hand")
    rows = sittings.values_list(
        "seat__table_id",
        "seat__table__code",
        "seat_id",
        "from_hand",
        "to_hand",
        "player__entries_in_events__entrant__code",
    )
    seats: SeatsByTable = defaultdict(list)
    for table_id, table, seat, first, last, code in rows:
        if plays_at(playoff, table, code):
            seats[table_id].append((seat, first, last, code))
    return seats


def _scores(games: Iterable[Game], hands: Iterable[Hand], seats: SeatsByTable) -> dict[int, Scores]:
    """Return the scores of each hand for the members who played for a place, by the hand's row.

    If partners score separately, an entrant has the sum of its side; a pooled side's score is
    repeated on each of its seats, and counts once.
    """
    hands_by_entry = {hand.entry_id: hand for hand in hands if hand.entry_id is not None}
    games_by_row = {
        game.pk: (game.table_id, rules_of(game.snapshot).keys.teams.mode) for game in games
    }
    scores: dict[int, dict[int, tuple[str, int]]] = defaultdict(dict)
    rows = SeatScore.objects.filter(entry_id__in=list(hands_by_entry)).order_by(
        "entry_id", "seat__number"
    )
    for entry, seat, side, score in rows.values_list("entry_id", "seat_id", "seat__side", "score"):
        scores[entry][seat] = (side, score)
    scores_by_hand: dict[int, Scores] = {}
    for entry, hand in hands_by_entry.items():
        table, mode = games_by_row[hand.game_id]
        at_table = [
            (seat, code)
            for seat, first, last, code in seats[table]
            if first <= hand.number and (last is None or hand.number <= last)
        ]
        scores_by_hand[hand.pk] = _by_code(scores[entry], at_table, mode)
    return scores_by_hand


def _by_code(
    scores: Mapping[int, tuple[str, int]], at_table: Iterable[tuple[int, str]], mode: str
) -> dict[str, Fraction | int]:
    points_by_code: dict[str, Fraction | int] = {}
    for seat, code in at_table:
        if seat not in scores or code in points_by_code:
            continue
        side, score = scores[seat]
        if mode not in ("none", "pooled"):
            score = sum(points for of, points in scores.values() if of == side)
        points_by_code[code] = exact(score)
    return points_by_code


def _event(step: PlayoffStep, scores: Mapping[int, Scores]) -> PlayoffEvent | None:
    if step.kind == PlayoffStepKind.HAND:
        points = scores.get(step.hand_id or 0)
        return HandPlayed(points) if points is not None else None
    if step.kind == PlayoffStepKind.GONE:
        code = step.entrant.code if step.entrant is not None else ""
        return MemberLeft(code, str(step.facts.get("why", "no_show")))
    if step.kind == PlayoffStepKind.HEATS:
        return HeatsPlayed(tuple(step.facts["through"]))
    if step.kind == PlayoffStepKind.EXTENDED:
        return PlayoffExtended(int(step.facts["hands"]))
    return LotsDrawn(str(step.facts["seed"]))


def _heats(
    playoff: Playoff,
    boards: Sequence[Board],
    events: Sequence[tuple[PlayoffEvent, Hand | None]],
    rules: PlayoffRules,
    *,
    low: bool,
) -> tuple[Heat, ...]:
    """Return the tables whose best meet, by their own hands and leavers until these met.

    An extension is one of the play-off, and so of all of them.
    """
    leg = next((leg_row for leg_row in playoff.legs if leg_row["kind"] == HEATS), None)
    if leg is None:
        return ()
    met = next(
        (at for at, (played, _) in enumerate(events) if isinstance(played, HeatsPlayed)), None
    )
    heats = []
    for game, members in boards:
        if game.table.round.number != leg["round"]:
            continue
        events_at_table = [
            event
            for event, hand in events[:met]
            if (hand is not None and hand.game_id == game.pk)
            or (isinstance(event, MemberLeft) and event.member in members)
            or isinstance(event, PlayoffExtended)
        ]
        line = (int(leg["through"]),)
        heats.append(Heat(game, progress(members, line, events_at_table, rules, low_wins=low)))
    return tuple(heats)


def standing_json(log: PlayoffLog) -> dict[str, object]:
    """Return the standing of a play-off in the stored form for pages and other programs.

    Tiers best first, each with its members, their totals since they last began from 0 and whether
    they still play; who gave up, last first; the scores of each hand, by its step; the totals after
    each, by table; the players of each table; heats as tiers; whether hands are used up. Points are
    strings, as `values` in standings.
    """
    undecided = {tier.members for tier in log.now.undecided}
    return {
        "tiers": [_tier(tier, open_=tier.members in undecided) for tier in log.now.tiers],
        "gone": list(log.now.gone),
        "made": {code: list(totals) for code, totals in log.made.items()},
        "hands": {
            str(number): {code: str(points) for code, points in sorted(scores.items())}
            for number, scores in log.by_step.items()
        },
        "totals": {table: dict(hands) for table, hands in log.totals.items()},
        "boards": {game.table.code: list(members) for game, members in log.boards},
        "most_hands": log.rules.max_hands + log.now.extended,
        "is_exhausted": log.is_exhausted,
        "heats": [
            {
                "table": heat.game.table.code,
                "is_decided": heat.now.is_decided,
                "through": list(heat.through) if heat.now.is_decided else [],
                "tiers": [_tier(tier, open_=tier in heat.now.undecided) for tier in heat.now.tiers],
            }
            for heat in log.heats
        ],
    }


def _tier(tier: Tier, *, open_: bool) -> dict[str, object]:
    return {
        "members": list(tier.members),
        "totals": {code: str(points) for code, points in sorted(tier.totals.items())},
        "hands": tier.played,
        "is_open": open_,
    }
