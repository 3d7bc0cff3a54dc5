"""Standings as of a round, and the table of each stage."""

import hashlib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from functools import cached_property
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.db.models import Case, F, Sum, Value, When

from scoring.rules.rules import Rules
from scoring.standings.counting import CarryRule
from scoring.standings.rows import GameResult, Row, Sums
from scoring.standings.tie_breaks import PlayedOff
from tournaments.domain.event_settings import counts_matches
from tournaments.domain.standings.standings_documents import compact
from tournaments.models.events import Event, Snapshot, Stage, StageKind
from tournaments.models.hands import Game
from tournaments.models.meetings import Round, SitOut, SitOutReason
from tournaments.models.standings import PLACES, Aggregate, Contribution, LedgerLine, StoredHistory
from tournaments.selectors.events.settings_checks import default_snapshot
from tournaments.selectors.events.stages import ordinary_stages
from tournaments.selectors.hands.games import extra_hands, first_rounds_without_moons
from tournaments.selectors.playoffs.results import playoff_results
from tournaments.selectors.rules.rule_sets import low_wins, rules_of
from tournaments.services.publishing.entrant_rows import EntrantInputs, rows_from, sums_from
from tournaments.services.publishing.stages_reached import AsOf, StagesReached
from tournaments.services.publishing.standings import (
    DraftStandings,
    draft_standings,
    rank_rows,
    render_draft,
)
from tournaments.services.publishing.team_scores import BoardMeans, MatchPoints
from tournaments.services.publishing.tie_break_evidence import StoredGames, every_game, games_in

ADDED: Final = (
    "games", "hands", "points", "shared_wins", "win_share", "beaten_halves", "moons",
    "moons_against", "difference", "uncounted", "place_points",
)  # fmt: skip
_OWN: Final = (*ADDED, "place", "shared", "index_num", "index_den")
_PLACES: Final = tuple(f"place_{place}" for place in range(1, PLACES + 1))


@dataclass(frozen=True, slots=True)
class PlayedRound:
    """A round with hands that count; `day` is that of its meeting, `snapshots` rows of rules."""

    number: int
    day: date | None
    hands: int
    snapshots: frozenset[int]


def played_rounds(event: Event) -> list[PlayedRound]:
    """Return the rounds of an event that count, by number; two queries."""
    games = Game.objects.filter(event=event, counts=True, hands_counted__gt=0)
    grouped = games.values_list(
        "table__round__number", "table__round__meeting__date", "snapshot_id"
    ).annotate(n_hands=Sum("hands_counted"))
    found: dict[int, PlayedRound] = {}
    extra = extra_hands(event)
    for number, day, snapshot, hands in grouped.order_by("table__round__number", "snapshot_id"):
        before = found.get(number, PlayedRound(number, day, extra.get(number, 0), frozenset()))
        found[number] = PlayedRound(
            number, day, before.hands + hands, before.snapshots | {snapshot}
        )
    return list(found.values())


class GamesUntilRound:
    """The games of an event up to a round, for criteria that look at them."""

    def __init__(self, games: StoredGames, number: int) -> None:
        self._games, self._number = games, number

    def games_of(self, codes: Collection[str]) -> Sequence[GameResult]:
        """Return every game up to the round in which any of `codes` played."""
        return [game for game in self._games.games_of(codes) if game.key[0] <= self._number]

    def strangers(self, groups: Sequence[Sequence[str]]) -> Collection[int]:
        """Return the positions of groups with two who never met: nor had they by then."""
        return self._games.strangers(groups)

    def index_of(self, codes: Collection[str]) -> Mapping[str, Fraction | None]:
        """Return the index of each entrant over its games up to the round."""
        return self._games.index_of(codes, until_round=self._number)


class RunningTables:
    """The tables of an event as of its rounds, made from the one `start` on, one after the other.

    `to(position)` goes on to a round; `mark` is the fingerprint of what its table is made of on
    top of that of the round before, `table` makes it.
    """

    def __init__(self, event: Event, rounds: Sequence[PlayedRound], start: int) -> None:
        self._event, self._rounds = event, rounds
        self._now: DraftStandings = draft_standings(event)
        self._settings = self._now.settings
        self._games = StoredGames(event)
        self._rules = {
            snapshot.pk: rules_of(snapshot) for snapshot in Snapshot.objects.filter(event=event)
        }
        self._default: Rules = rules_of(default_snapshot(event))
        self._at = start - 1
        self._sums: dict[str, list[int]] = {}
        self._made: dict[str, Sums] = {}
        if start and not self._settings.keeps and not self._now.beside.carry:
            self._sums = self._before(rounds[start].number)

    def __len__(self) -> int:
        return len(self._sums) or len(self._now.placed)

    def to(self, position: int, before: str) -> str:
        """Go on to the round at `position`, the next one; return its fingerprint.

        Args:
            before: the fingerprint of the round before, empty for the first.
        """
        self._at = position
        number = self._rounds[position].number
        rows = self._rows_of(number)
        for code, *own in rows:
            self._add(code, own)
        names = {code: self._now.beside.names[code] for code in {row[0] for row in rows}}
        beside = self._beside()
        parts = (
            before or self._head,
            self._progress(), self._variants(),
            rows, sorted(names.items()),
            sorted(beside.ledger.items()), sorted(beside.byes.items()),
            sorted(beside.unknown_moons),
            self._reached.by(number),
            *self._playoffs(), *map(_as_text, beside.carry),
            *self._compared_until(number),
        )  # fmt: skip
        return hashlib.sha256(repr(parts).encode()).hexdigest()

    def table(self) -> bytes:
        """Return the table as of the round that `to` went to, as JSON."""
        number, beside = self._rounds[self._at].number, self._beside()
        evidence = GamesUntilRound(self._games, number)
        placed = rank_rows(
            self._event,
            self._with_compared(self._standing(beside), number),
            evidence,
            settings=self._settings,
            stages=self._reached.by(number),
            playoffs=self._playoffs(),
        )
        as_it_was = replace(
            self._now,
            placed=placed,
            beside=beside,
            as_of=self._progress(),
            variants=self._variants(),
            is_complex=any(rules.keys.number == "complex" for rules in self._played()),
        )
        return render_draft(as_it_was).body

    def _compared_until(self, number: int) -> Sequence[object]:
        """What boards or matches of teams gave everybody by then; nothing elsewhere."""
        found = self._compared.means(number) if self._compared else {}
        return [sorted((code, repr(one)) for code, one in found.items())] if found else []

    def _with_compared(self, rows: Sequence[Row], number: int) -> Sequence[Row]:
        return self._compared.with_means(rows, number) if self._compared else rows

    @cached_property
    def _compared(self) -> BoardMeans | MatchPoints | None:
        if self._settings.duplicate:
            return BoardMeans(self._event)
        return MatchPoints(self._event) if counts_matches(self._settings) else None

    @cached_property
    def _reached(self) -> StagesReached:
        return StagesReached(self._event)

    @cached_property
    def _head(self) -> str:
        """What every table of the event is made of: all but the rows of the one that is now."""
        return compact(
            render_draft(
                replace(self._now, placed=(), as_of=AsOf(None, None, 0), variants=())
            ).body.decode()
        ).decode() + repr(self._settings)

    @cached_property
    def _every_game(self) -> list[GameResult]:
        return every_game(self._event)

    def _playoffs(self) -> Sequence[Mapping[str, PlayedOff]]:
        """What play-offs decided: in the last table only, for they are held after all rounds."""
        return self._played_off if self._at == len(self._rounds) - 1 else ()

    @cached_property
    def _played_off(self) -> Sequence[Mapping[str, PlayedOff]]:
        return playoff_results(self._event)

    def _standing(self, beside: EntrantInputs) -> list[Row]:
        if self._settings.keeps or beside.carry:
            number = self._rounds[self._at].number
            games = [game for game in self._every_game if game.key[0] <= number]
            rows = rows_from(games, self._settings, beside, low_wins=low_wins(self._default))
            # Where games are dropped the index over all of them is not kept, but asked for where
            # rows are tied: so it is here.
            return [
                replace(row, sums=replace(row.sums, index=None)) if self._settings.drops else row
                for row in rows
            ]
        return [
            beside.row(self._sums_of(code, beside.byes.get(code, 0))) for code in sorted(self._sums)
        ]

    def _sums_of(self, code: str, byes: int) -> Sums:
        """The entrant's sums so far; made once for as long as they stay."""
        sums = self._made.get(code)
        if sums is None:
            stored = dict(zip((*ADDED, *_PLACES), self._sums[code], strict=True))
            sums = sums_from(code, stored, tuple(stored[name] for name in _PLACES))
            self._made[code] = sums
        return sums if sums.byes == byes else replace(sums, byes=byes)

    def _before(self, number: int) -> dict[str, list[int]]:
        """Everybody's sums over the rounds before `number`; one query.

        They are the event's sums less what the rounds from there on added, so that late rounds of
        a long season cost little; in one statement, so that both are of one moment.
        """
        now = Aggregate.objects.filter(event=self._event)
        since = Contribution.objects.filter(
            event=self._event, game__table__round__number__gte=number
        )
        less = {f"less_{name}": -F(name) for name in ADDED}
        places = {
            f"less_{name}": Case(When(place=place, then=Value(-1)), default=Value(0))
            for place, name in enumerate(_PLACES, 1)
        }
        added = since.annotate(**less, **places).values_list("entrant__code", *less, *places)
        rows = now.values_list("entrant__code", *ADDED, *_PLACES).union(added, all=True)
        found: dict[str, list[int]] = {}
        for code, *own in rows:
            sums = found.setdefault(code, [0] * len(own))
            for at, value in enumerate(own):
                sums[at] += value
        return {code: sums for code, sums in found.items() if sums[0]}

    def _rows_of(self, number: int) -> list[tuple[Any, ...]]:
        rows = Contribution.objects.filter(event=self._event, game__table__round__number=number)
        found = rows.values_list("entrant__code", *_OWN, "game__table__number")
        return list(found.order_by("game__table__number", "entrant__code"))

    def _add(self, code: str, own: Sequence[int]) -> None:
        sums = self._sums.setdefault(code, [0] * (len(ADDED) + PLACES))
        for at, value in enumerate(own[: len(ADDED)]):
            sums[at] += value
        sums[len(ADDED) + own[len(ADDED)] - 1] += 1
        self._made.pop(code, None)

    def _beside(self) -> EntrantInputs:
        number, until = self._rounds[self._at].number, self._next_day()
        given = {
            code: [line for line in lines if until is None or self._given[line.number] < until]
            for code, lines in self._now.beside.ledger.items()
        }
        return EntrantInputs(
            names=self._now.beside.names,
            ledger={code: lines for code, lines in given.items() if lines},
            byes=Counter(code for round_, code in self._byes if round_ <= number),
            unknown_moons=frozenset(
                code for code, first in self._unknown.items() if first <= number
            ),
            carry=self._now.beside.carry,
            bye_rounds={
                code: [round_ for round_ in own if round_ <= number]
                for code, own in self._now.beside.bye_rounds.items()
            },
        )

    @cached_property
    def _unknown(self) -> dict[str, int]:
        return first_rounds_without_moons(self._event)

    def _next_day(self) -> date | None:
        """The day of the next round that has one."""
        later = (round_.day for round_ in self._rounds[self._at + 1 :] if round_.day is not None)
        return next(later, None)

    @cached_property
    def _given(self) -> dict[int, date]:
        """The local day on which each ledger line was given, by its number."""
        zone = ZoneInfo(self._event.club.time_zone)
        lines = LedgerLine.objects.filter(event=self._event, withdrawn_at=None)
        return {
            number: at.astimezone(zone).date() for number, at in lines.values_list("number", "at")
        }

    @cached_property
    def _byes(self) -> list[tuple[int, str]]:
        sat_out = SitOut.objects.filter(event=self._event, reason=SitOutReason.BYE)
        # Byes count in the table that is now whether or not their round has a hand yet.
        last = self._rounds[-1].number
        return [
            (min(number, last), code)
            for number, code in sat_out.values_list("round__number", "entrant__code")
        ]

    def _progress(self) -> AsOf:
        so_far = self._rounds[: self._at + 1]
        days = [one.day for one in so_far if one.day]
        return AsOf(
            meeting=max(days).isoformat() if days else None,
            round=so_far[-1].number,
            hands=sum(one.hands for one in so_far),
        )

    def _played(self) -> list[Rules]:
        so_far = self._rounds[: self._at + 1]
        return [self._rules[pk] for pk in sorted({pk for one in so_far for pk in one.snapshots})]

    def _variants(self) -> tuple[str, ...]:
        return tuple(sorted({rules.id for rules in self._played()}))


def _as_text(rule: CarryRule) -> str:
    """What a fingerprint has of a rule: the order of a set is another one in each process."""
    return f"{sorted(rule.rounds)} {rule.factor} {rule.codes and sorted(rule.codes)}"


STAGE: Final = "stage"
"""Kind of the stored table of a stage; its key is the number of the stage."""


class GamesOfRounds:
    """The games of some rounds of an event, for criteria that look at them."""

    def __init__(self, games: StoredGames, rounds: Collection[int]) -> None:
        self._games, self._rounds = games, frozenset(rounds)

    def games_of(self, codes: Collection[str]) -> Sequence[GameResult]:
        """Return every game of the rounds in which any of `codes` played."""
        return [game for game in self._games.games_of(codes) if game.key[0] in self._rounds]

    def strangers(self, groups: Sequence[Sequence[str]]) -> Collection[int]:
        """Return the positions of groups with two who never met: nor did they in these rounds."""
        return self._games.strangers(groups)

    def index_of(self, codes: Collection[str]) -> Mapping[str, Fraction | None]:
        """Return the index of each entrant over its games of the rounds."""
        return self._games.index_of(codes, rounds=self._rounds)


def stage_tables(event: Event) -> dict[tuple[str, str], bytes]:
    """Return the tables of an event's stages by kind and key; none where it has a single stage.

    A stage in which no hand counts has none.
    """
    stages = ordinary_stages(event)
    if len(stages) < 2:
        return {}
    of_stage = dict(Round.objects.filter(event=event).values_list("number", "stage_id"))
    played = played_rounds(event)
    now, games, reached = draft_standings(event), StoredGames(event), StagesReached(event)
    found = {}
    for stage in stages:
        rounds = [one for one in played if of_stage.get(one.number) == stage.pk]
        if rounds:
            body = _table(now, stage, rounds, games, reached)
            found[STAGE, str(stage.number)] = body
    return found


def stale_stage_tables(
    event: Event, made: Collection[tuple[str, str]]
) -> Sequence[tuple[str, str]]:
    """Return kind and key of stored tables of stages that are not among those that were made."""
    stored = StoredHistory.objects.filter(event=event, kind=STAGE).values_list("key", flat=True)
    return [(STAGE, key) for key in stored if (STAGE, key) not in made]


def _table(
    now: DraftStandings,
    stage: Stage,
    rounds: Sequence[PlayedRound],
    games: StoredGames,
    reached: StagesReached,
) -> bytes:
    event, numbers = now.event, frozenset(round_.number for round_ in rounds)
    beside = _beside(now.beside, stage)
    game_results = games_in(
        event, Contribution.objects.filter(event=event, game__table__round__stage=stage)
    )
    snapshots = {pk for round_ in rounds for pk in round_.snapshots}
    played = [rules_of(snapshot) for snapshot in event.snapshots.filter(pk__in=snapshots)]
    rows = rows_from(
        game_results, now.settings, beside, low_wins=low_wins(rules_of(default_snapshot(event)))
    )
    if now.settings.duplicate:
        rows = BoardMeans(event).with_means(rows, rounds=numbers)
    elif counts_matches(now.settings):
        rows = MatchPoints(event).with_means(rows, rounds=numbers)
    # What a final's play-off decides is its result, where a knock-out is ranked by places.
    is_placed = stage.kind == StageKind.KNOCKOUT and now.settings.knocked_out != "standings"
    placed = rank_rows(
        event,
        rows,
        GamesOfRounds(games, numbers),
        settings=now.settings,
        stages=reached.within(stage.pk),
        playoffs=None if is_placed else (),
    )
    days = [round_.day for round_ in rounds if round_.day]
    whole = replace(
        now,
        placed=placed,
        beside=beside,
        as_of=AsOf(
            meeting=max(days).isoformat() if days else None,
            round=rounds[-1].number,
            hands=sum(round_.hands for round_ in rounds),
        ),
        variants=tuple(sorted({one.id for one in played})),
        is_complex=any(one.keys.number == "complex" for one in played),
    )
    return render_draft(whole).body


def _beside(now: EntrantInputs, stage: Stage) -> EntrantInputs:
    """Return names, and the byes of the stage; nothing is carried over, and no line counts."""
    sat_out = SitOut.objects.filter(round__stage=stage, reason=SitOutReason.BYE)
    byes = Counter(sat_out.values_list("entrant__code", flat=True))
    return replace(now, ledger={}, byes=byes, carry=(), bye_rounds={})
