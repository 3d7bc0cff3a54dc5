"""The progress of an event and of its entrants: rounds, later stages, rounds of a knock-out."""

from collections import ChainMap, defaultdict
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise, zip_longest
from typing import TypeAlias

from django.db.models import Exists, OuterRef, Sum

from scoring.playoffs.boundaries import split_at
from scoring.playoffs.progress import PLAYED
from scoring.rules.rules import Rules
from scoring.standings.rank import (
    AdvancingStage,
    KnockoutFinish,
    Progress,
    Standing,
    ranked_tiers,
)
from scoring.standings.rows import Row, Sums
from scoring.standings.tie_breaks import PlayedOff
from tournaments.domain.event_settings import Settings
from tournaments.domain.standings.standings_documents import ProgressDocument
from tournaments.models.columns import UNIT
from tournaments.models.events import (
    Entrant,
    EntrantState,
    Event,
    EventState,
    Snapshot,
    Stage,
    StageKind,
    StageTakes,
)
from tournaments.models.hands import Game
from tournaments.models.playoffs import WalkOver
from tournaments.models.rounds import (
    Meeting,
    Round,
    RoundState,
    SitOut,
    SitOutReason,
    Sitting,
    Table,
)
from tournaments.models.standings import PLACES, Contribution
from tournaments.selectors.hands.games import extra_hands
from tournaments.selectors.playoffs.bracket import places_at_tables
from tournaments.selectors.playoffs.playoffs import list_decided_ties
from tournaments.selectors.rounds.round_names import is_final
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.selectors.stages import (
    StoredCut,
    coming_cut,
    is_complete,
    is_consolation,
    is_planned,
    posted_rounds,
    source_of,
    stages_of,
    stored_cuts,
)
from tournaments.services.events.table_ties import RoundOutcome, list_byes, round_outcome


@dataclass(frozen=True, slots=True)
class AsOf:
    """How far a table is: an ISO date, a round, and how many hands it counts.

    `is_so_far`: the evening goes on after this round, and its points are those so far.
    """

    meeting: str | None
    round: int | None
    hands: int
    is_so_far: bool = False

    def document(self) -> ProgressDocument:
        document: ProgressDocument = {
            "meeting": self.meeting,
            "round": self.round,
            "hands": self.hands,
        }
        if self.is_so_far:
            document["so_far"] = True
        return document


Tables: TypeAlias = Mapping[int, Mapping[str, int]]
"""Number of the table of each entrant, by code, by the row of the round; a round may be empty."""

PlayedOffPlaces: TypeAlias = Mapping[str, PlayedOff]
"""What a finished play-off has made of its members, by code."""


@dataclass(frozen=True, slots=True)
class _Reached:
    """The entrants that reached a stage or a round once round `after_round` was over."""

    stage: int
    after_round: int
    order: tuple[bool, int, int]
    advancing: AdvancingStage


def as_of(event: Event) -> AsOf:
    """Return how far an event is. Totals count as the hands that they replace."""
    played = Game.objects.filter(event=event, counts=True, hands_counted__gt=0)
    rounds = Round.objects.filter(event=event)
    last = rounds.filter(Exists(played.filter(table__round=OuterRef("pk")))).order_by("-number")
    on_a_day = played.filter(table__round__meeting=OuterRef("pk"))
    meetings = Meeting.objects.filter(Exists(on_a_day), event=event).order_by("-date")
    date = meetings.values_list("date", flat=True).first()
    return AsOf(
        meeting=date.isoformat() if date else None,
        round=last.values_list("number", flat=True).first(),
        hands=(played.aggregate(hands=Sum("hands_counted"))["hands"] or 0)
        + sum(extra_hands(event).values()),
    )


def played_rules(event: Event) -> tuple[Rules, ...]:
    played = Game.objects.filter(
        event=event, snapshot=OuterRef("pk"), counts=True, hands_counted__gt=0
    )
    snapshots = Snapshot.objects.filter(Exists(played), event=event).order_by("content_hash")
    return tuple(rules_of(snapshot) for snapshot in snapshots)


class StagesReached:
    """The cuts of an event and the rounds of its knock-outs, read once."""

    def __init__(self, event: Event) -> None:
        stages = list(stages_of(event))
        self._event, self._stages = event, stages
        self._has_planned = any(is_planned(stage) for stage in stages)
        self.cuts = stored_cuts(event, stages)
        self.byes: frozenset[str] = frozenset()
        reached = [
            _Reached(
                cut.stage.pk,
                cut.after_round,
                (not cut.is_consolation, cut.stage.number, 0),
                AdvancingStage(cut.codes, cut.stage.title, progress=_progress_of_cut(event, cut)),
            )
            for cut in self.cuts
        ]
        has_knockout = any(stage.kind == StageKind.KNOCKOUT for stage in stages)
        for stage in stages if has_knockout else ():
            rounds = list(posted_rounds(stage))
            tables = tables_in(event, rounds)
            if stage.kind != StageKind.KNOCKOUT:
                # A knock-out no longer orders those that play on in another stage.
                is_second = is_consolation(stage, stages)
                for round_ in rounds:
                    finishes = dict.fromkeys(tables[round_.pk], KnockoutFinish(round_.number, 0))
                    progress = _seated(round_, tables, "consolation") if is_second else {}
                    advancing = AdvancingStage(frozenset(), "", finishes, progress)
                    reached.append(_Reached(stage.pk, round_.number, (False, 0, 0), advancing))
            elif rounds:
                self.byes |= list_byes(rounds[-1])
                cuts = [cut for cut in self.cuts if cut.way[:1] == (stage,)]
                winners = [cut.codes for cut in cuts if cut.stage.takes == StageTakes.WINNERS]
                gone_on = frozenset().union(*winners)
                reached += _knockout_rounds(stage, stages, rounds, tables, gone_on)
        self._reached = sorted(reached, key=lambda reached: reached.order)

    def by(self, number: int | None = None) -> tuple[AdvancingStage, ...]:
        """Return what was reached when the round after round `number` began; None: until now."""
        return tuple(
            reached.advancing
            for reached in self._reached
            if number is None or reached.after_round <= number
        )

    def with_coming_cut(self, placed: Sequence[Standing], *, shares: bool) -> tuple[Standing, ...]:
        """Return the rows with what the cut before the next stage makes of them, once it is due.

        Args:
            shares: whether all who share the last place go on.
        """
        cut = coming_cut(self._event) if self._has_planned else None
        if cut is None or not cut.is_complete or self._event.state == EventState.FINAL:
            return tuple(placed)
        chosen = frozenset(cut.source.entrants.values_list("entrant__code", flat=True))
        inside = [row for row in placed if not chosen or row.sums.code in chosen]
        through, undecided = split_at(
            ranked_tiers(row for row in inside if not row.row.withdrawn), cut.above
        )
        if shares:
            through |= undecided
            undecided = set()
        states: dict[str, Progress] = {row.sums.code: "out" for row in inside}
        states |= {code: "through" for code in through}
        states |= {code: "undecided" for code in undecided}
        return tuple(
            replace(row, progress=states.get(row.sums.code, row.progress)) for row in placed
        )

    def without_ended(self, placed: Sequence[Standing]) -> tuple[Standing, ...]:
        """Return the rows without the progress of those who went on to what is over now."""
        going_on = {row.sums.code for row in placed if row.progress == "through"}
        if not going_on:
            return tuple(placed)
        members = {cut.stage.pk: cut.codes for cut in self.cuts}
        ended: set[str] = set()
        for stage in reversed(self._stages):
            in_stage = going_on & members.get(stage.pk, going_on)
            if in_stage and not is_planned(stage):
                going_on -= in_stage
                if self._has_ended(stage):
                    ended |= in_stage
        return tuple(
            replace(row, progress=None if row.sums.code in ended else row.progress)
            for row in placed
        )

    def at_end(
        self, placed: Sequence[Standing], settings: Settings, playoffs: Sequence[PlayedOffPlaces]
    ) -> tuple[Standing, ...]:
        """Return the rows of the newest table with what is known of the end: who wins the event,
        who is no longer on the way to a further stage, and what a coming cut makes of them."""
        ended = self.without_ended(placed)
        decided = self._with_winners(ended, settings, playoffs)
        return self.with_coming_cut(decided, shares=settings.playoff == "share")

    def _with_winners(
        self, placed: Sequence[Standing], settings: Settings, playoffs: Sequence[PlayedOffPlaces]
    ) -> tuple[Standing, ...]:
        """Return the rows with those who share the first place of a decided event as winners.

        Nobody wins while a play-off for the title is to come.
        """
        if not self.is_staged or not self.is_decided:
            return tuple(placed)
        first = {row.sums.code for row in placed if row.rank == 1}
        is_played_off = any(first <= places.keys() for places in playoffs)
        has_playoff = settings.playoff in PLAYED and "title" in settings.boundaries
        if len(first) > 1 and has_playoff and not is_played_off:
            return tuple(placed)
        return tuple(
            replace(row, progress="winner") if row.sums.code in first else row for row in placed
        )

    @property
    def is_staged(self) -> bool:
        """Whether a knock-out, or a later stage, decides who wins the event."""
        has_knockout = any(stage.kind == StageKind.KNOCKOUT for stage in self._stages)
        return has_knockout or len(self._stages) > 1

    @cached_property
    def is_decided(self) -> bool:
        """Whether the last stage of an event of several rounds or stages has been played."""
        main = [stage for stage in self._stages if not is_consolation(stage, self._stages)]
        if not main or is_planned(main[-1]):
            return False
        last_stage = main[-1]
        rounds = list(posted_rounds(last_stage))
        if not rounds or any(round_.state != RoundState.CLOSED for round_ in rounds):
            return False
        if last_stage.kind == StageKind.KNOCKOUT:
            return is_final(rounds[-1])
        return self._event.is_over or is_complete(last_stage)

    @cached_property
    def consolation_rounds(self) -> frozenset[int]:
        """The numbers of the rounds that decide nothing among those who are not out."""
        stages = [stage for stage in self._stages if is_consolation(stage, self._stages)]
        if not stages:
            return frozenset()
        rounds = Round.objects.filter(stage__in=stages)
        return frozenset(rounds.values_list("number", flat=True))

    @cached_property
    def end_mark(self) -> str:
        """A text that changes with what `at_end` makes of the rows."""
        ended = [stage.pk for stage in self._stages if self._has_ended(stage)]
        return repr((self.is_decided, ended, coming_cut(self._event)))

    def _has_ended(self, stage: Stage) -> bool:
        """Whether nothing follows for those of a begun stage who are not out of it.

        A stage without a number of rounds that is no knock-out may end with each of its rounds.
        """
        if self._event.state == EventState.FINAL:
            return True
        for later in self._stages:
            takes_from_it = (
                stage == source_of(later, self._stages) or stage.pk == later.also_from_id
            )
            if is_planned(later) and takes_from_it:
                return False
        if self._event.is_over or is_complete(stage):
            return True
        if stage.kind == StageKind.KNOCKOUT or stage.planned_rounds is not None:
            return False
        return stage.rounds.filter(state=RoundState.CLOSED).exists()

    def within(self, stage: int) -> tuple[AdvancingStage, ...]:
        """Return what was reached in the rounds of a stage, by row; empty but for a knock-out."""
        return tuple(
            reached.advancing
            for reached in self._reached
            if reached.stage == stage and reached.order[-1] > 0
        )

    def before(self, cut: StoredCut) -> tuple[AdvancingStage, ...]:
        """Return what was reached on the way to a stage."""
        way = {stage.pk for stage in (*cut.way, cut.also) if stage is not None}
        return tuple(reached.advancing for reached in self._reached if reached.stage in way)


def _knockout_rounds(
    stage: Stage,
    stages: Sequence[Stage],
    rounds: Sequence[Round],
    tables: Tables,
    gone_on: frozenset[str],
) -> list[_Reached]:
    is_main = not is_consolation(stage, stages)
    title = stage.title
    part_of = _list_part_of(rounds, tables)
    final = rounds[-1]
    outcome = None if gone_on else round_outcome(stage.event, final, stages, tables[final.pk])
    on_from_last = outcome.through if outcome is not None else gone_on
    undecided = outcome.undecided if outcome is not None else frozenset()
    finishes = _get_finishes(stage.event, rounds, tables, part_of, on_from_last, undecided)
    reached = [
        _Reached(
            stage.pk,
            before.number,
            (is_main, stage.number, round_.number),
            AdvancingStage(
                part_of[round_.pk],
                f"round {round_.number} of {title}",
                finishes.get(before.number, {}),
                {
                    **_out_in(before, tables, part_of[round_.pk]),
                    **_seated(round_, part_of, _state_in(round_, is_main=is_main)),
                },
            ),
        )
        for before, round_ in pairwise(rounds)
    ]
    if not is_main:
        seated = AdvancingStage(
            frozenset(), "", progress=_seated(rounds[0], part_of, "consolation")
        )
        reached.append(_Reached(stage.pk, rounds[0].number, (False, 0, 0), seated))
    last = finishes.get(final.number, {})
    if outcome is not None:
        return reached + _decided(stage, final, tables, outcome, last, is_main=is_main)
    winner = _find_winner(final, {*tables[final.pk]})
    if winner or last:
        order = (is_main, stage.number, final.number + 1)
        won = AdvancingStage(frozenset({winner} if winner else ()), f"first place of {title}", last)
        reached.append(_Reached(stage.pk, final.number, order, won))
    return reached


def _decided(
    stage: Stage,
    last: Round,
    tables: Tables,
    outcome: RoundOutcome,
    finishes: Mapping[str, KnockoutFinish],
    *,
    is_main: bool,
) -> list[_Reached]:
    """Return what a closed round has decided while the next one is not posted."""
    words = f"the final of {stage.title}"
    state: Progress = "final"
    if not outcome.is_before_final:
        words = f"the next round of {stage.title}"
        state = "through"
    if not is_main:
        state = "consolation"
    through, tied = outcome.through, outcome.undecided
    number = _after(last)
    progress = {
        **_out_in(last, tables, through | tied),
        **dict.fromkeys(through, (number, state)),
        **dict.fromkeys(tied, (number, "undecided")),
    }
    stages = [AdvancingStage(through | tied, "", finishes, progress)]
    if through:
        stages.append(AdvancingStage(through, words))
    return [
        _Reached(stage.pk, last.number, (is_main, stage.number, last.number + at), advancing)
        for at, advancing in enumerate(stages, 1)
    ]


def _after(round_: Round) -> int:
    """Return the number of what a closed round decides; it is newer than sitting in it."""
    return 2 * round_.number + 1


def _list_part_of(rounds: Sequence[Round], tables: Tables) -> dict[int, frozenset[str]]:
    """Return who plays in each round or has a bye there, by its row."""
    part_of = {round_.pk: {*tables[round_.pk]} for round_ in rounds}
    byes = SitOut.objects.filter(round__in=rounds, reason=SitOutReason.BYE)
    for pk, code in byes.values_list("round_id", "entrant__code"):
        part_of[pk].add(code)
    return {pk: frozenset(codes) for pk, codes in part_of.items()}


def _seated(
    round_: Round, codes: Mapping[int, Collection[str]], state: Progress
) -> dict[str, tuple[int, Progress]]:
    return dict.fromkeys(codes[round_.pk], (2 * round_.number, state))


def _out_in(round_: Round, tables: Tables, on: Collection[str]) -> dict[str, tuple[int, Progress]]:
    out: Progress = "out"
    return {code: (_after(round_), out) for code in tables[round_.pk] if code not in on}


def _state_in(round_: Round, *, is_main: bool) -> Progress:
    if not is_main:
        return "consolation"
    return "final" if is_final(round_) else "through"


def _progress_of_cut(event: Event, cut: StoredCut) -> dict[str, tuple[int, Progress]]:
    """Return who went on at a cut, and that all others of the stage before are out."""
    everybody = cut.inside
    if everybody is None:
        everybody = frozenset(Entrant.objects.filter(event=event).values_list("code", flat=True))
    number = 2 * cut.after_round + 1
    through: Progress = "consolation" if cut.is_consolation else "through"
    out: Progress = "out"
    return {
        **dict.fromkeys(everybody | cut.beside, (number, out)),
        **dict.fromkeys(cut.codes, (number, through)),
    }


def _get_finishes(
    event: Event,
    rounds: Sequence[Round],
    tables: Tables,
    part_of: Mapping[int, frozenset[str]],
    gone_on: frozenset[str],
    undecided: frozenset[str],
) -> dict[int, dict[str, KnockoutFinish]]:
    """Return the finishes of those eliminated in each round of a knock-out, by its number.

    Except in the final, nobody is out of a round until an entrant has advanced from it. `gone_on`
    went on from the last round; `undecided` are tied there. A final orders its people from its
    first hand on, so that closing its round changes no place.
    """
    closed = [round_ for round_ in rounds if round_.state == RoundState.CLOSED]
    if _is_final_on(rounds[-1]):
        closed.append(rounds[-1])
    places = places_at_tables(event, closed)
    scored = Contribution.objects.filter(game__table__round__in=closed)
    rows = scored.values_list("game__table__round__number", "entrant__code", "points")
    points = {(number, code): Fraction(units, UNIT) for number, code, units in rows}
    decided = list_decided_ties(event, {})
    walk_overs = WalkOver.objects.filter(round__in=closed)
    gone = {*walk_overs.values_list("round__number", "entrant__code")}
    finishes: dict[int, dict[str, KnockoutFinish]] = {}
    for round_, later in zip_longest(rounds, rounds[1:]):
        number = round_.number
        on = part_of[later.pk] if later is not None else gone_on
        is_last = not on and is_final(round_)
        if round_ not in closed or not (on or is_last):
            continue
        at_tables = places.get(number, {}).values()
        placed = {code: place for table in at_tables for code, place in table.items()}
        last_on = _last_on(on, tables[round_.pk], placed)
        out_by = ChainMap(*(tie.out_by(on) for tie in decided if tie.round == number))
        finishes[number] = {
            code: KnockoutFinish(
                number,
                table,
                placed.get(code),
                points.get((number, code), Fraction(0)),
                is_last,
                (number, code) in gone,
                *last_on.get(table, ("", None)),
                out_by.get(code, ""),
            )
            for code, table in tables[round_.pk].items()
            if code not in on and not (later is None and code in undecided)
        }
    return finishes


def _is_final_on(last: Round) -> bool:
    """Whether a round is a final that is not closed and has a hand that counts."""
    if last.state == RoundState.CLOSED or not is_final(last):
        return False
    return Contribution.objects.filter(game__table__round=last, games__gt=0).exists()


def _last_on(
    on: AbstractSet[str], tables: Mapping[str, int], placed: Mapping[str, int]
) -> dict[int, tuple[str, int | None]]:
    """Return the last who went on from each table, with the place; None without a game."""
    last: dict[int, tuple[int, str]] = {}
    for code in on & tables.keys():
        table = tables[code]
        last[table] = max(last.get(table, (0, "")), (placed.get(code, 0), code))
    return {table: (code, place or None) for table, (place, code) in last.items()}


def tables_in(event: Event, rounds: Sequence[Round]) -> Tables:
    """Return the table of each entrant in each round, given up or not."""
    tables: dict[int, dict[str, int]] = defaultdict(dict)
    sat = Sitting.objects.filter(round__in=rounds, player__entries_in_events__event=event)
    walk_overs = WalkOver.objects.filter(round__in=rounds)
    for pk, code, table in (
        *sat.values_list(
            "round", "player__entries_in_events__entrant__code", "seat__table__number"
        ),
        *walk_overs.values_list("round", "entrant__code", "table__number"),
    ):
        tables[pk][code] = table
    return tables


def _find_winner(final: Round, codes: set[str]) -> str | None:
    if final.state != RoundState.CLOSED or Table.objects.filter(round=final).count() != 1:
        return None
    gone = set(WalkOver.objects.filter(round=final).values_list("entrant__code", flat=True))
    best = Contribution.objects.filter(game__table__round=final, place=1)
    first = set(best.values_list("entrant__code", flat=True)) & codes
    winners = first - gone or codes - gone
    if len(winners) != 1:
        return None
    return winners.pop()


def _in_knockout(stage: AdvancingStage) -> Collection[str]:
    """Return who is still in a knock-out by this stage, also with a bye."""
    if not stage.finishes:
        return ()
    return stage.codes & stage.progress.keys()


def without_games(
    event: Event,
    rows: Sequence[Row],
    stages: Sequence[AdvancingStage],
    byes: AbstractSet[str] = frozenset(),
) -> list[Row]:
    """Return the rows of those who passed through a knock-out, or left it, without a game.

    Args:
        byes: who has a bye in its last round; they are listed once somebody has a row.
    """
    came_or_went = {code for stage in stages for code in (*stage.finishes, *_in_knockout(stage))}
    if rows:
        came_or_went |= byes
    missing = came_or_went - {row.code for row in rows}
    if not missing:
        return []
    gone = Entrant.objects.filter(event=event, code__in=missing, state=EntrantState.WITHDRAWN)
    withdrawn = {*gone.values_list("code", flat=True)}
    none = Fraction(0)
    return [
        Row(Sums(code, 0, 0, none, (0,) * PLACES, 0, none, none, 0, 0), withdrawn=code in withdrawn)
        for code in sorted(missing)
    ]
