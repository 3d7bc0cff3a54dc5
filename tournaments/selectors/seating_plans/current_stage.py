"""The stage that is played now, with the scores and boards that a seating plan needs.

See docs/algorithms/duplicate.md, "Plans".
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import count
from math import lcm
from typing import Final

from django.db.models import F, Max, Q

from scoring.json_types import JsonDict
from scoring.seating.movements.moving_boards import LINES
from scoring.seating.movements.plan_movement import ROUND_BY_ROUND
from tournaments.domain.board_movement import moves, rounds_of
from tournaments.domain.event_settings import settings_of
from tournaments.domain.standings.criteria import weight_of_earlier
from tournaments.models.events import (
    Carry,
    Entrant,
    EntrantMember,
    Event,
    Seeding,
    Stage,
    StageKind,
    StagePlan,
)
from tournaments.models.jobs import Dirty, event_scope
from tournaments.models.playoffs import WalkOver
from tournaments.models.rounds import Round, RoundState, Sitting
from tournaments.models.seating_plans import KNOCKOUT, MOVING, PAIRS, SWISS, PlanState, SeatingPlan
from tournaments.models.standings import Publication
from tournaments.selectors.boards import boards_of
from tournaments.selectors.events.events import ordinary_rounds
from tournaments.selectors.stages import stages_of


@dataclass(frozen=True, slots=True)
class PublishedScore:
    """A score as a whole number in a unit of all players, more is better, as text, and exact."""

    value: int
    text: str
    exact: Fraction = Fraction()


def standing_of(event: Event, draft: Publication | None = None) -> Mapping[int, int]:
    """Return the place of each player, 1 the best, by row; two queries.

    `draft` are standings that are not published yet, to be read in the place of the newest ones.

    A ladder has its list, any other event its standings; members of a pair share their place.
    Players without a place, and everybody before the first publication, are left out.
    """
    is_ladder = event.is_ladder
    of_event = Q(ladder=event) if is_ladder else Q(event=event)
    document = _newest_document(of_event, None if is_ladder else draft)
    if document is None:
        return {}
    key = "place" if is_ladder else "rank"
    places = {row["player_id"]: row[key] for row in document["rows"] if row[key]}
    return {player: places[code] for player, code in _members(event, places)}


def _newest_document(publications: Q, draft: Publication | None) -> JsonDict | None:
    rows = Publication.objects.filter(publications).order_by("-number")
    body = draft.body if draft is not None else rows.values_list("body", flat=True).first()
    document: JsonDict | None = None if body is None else json.loads(bytes(body))
    return document


def _members(event: Event, codes: Iterable[str]) -> Iterable[tuple[int, str]]:
    members = EntrantMember.objects.filter(event=event, entrant__code__in=codes)
    return members.values_list("player_id", "entrant__code")


def open_round(event: Event, stage: Stage | None = None) -> int | None:
    """Return the number of the first round that is posted or played, of a stage or of all."""
    rounds = ordinary_rounds(event)
    if stage is not None:
        rounds = rounds.filter(stage=stage)
    is_open = rounds.filter(state__in=(RoundState.POSTED, RoundState.PLAYING))
    return is_open.order_by("number").values_list("number", flat=True).first()


def is_behind(event: Event) -> bool:
    """Return whether results wait to be published; False before a round was closed.

    Results are closed rounds without a publication, and changes after the newest one.
    """
    closed = Round.objects.filter(event=event, state=RoundState.CLOSED)
    if not closed.exists():
        return False
    waits = Dirty.objects.filter(scope=event_scope(event.pk), done__lt=F("version"))
    return waits.exists() or not Publication.objects.filter(event=event).exists()


def published_scores(event: Event, draft: Publication | None) -> Mapping[int, PublishedScore]:
    """Return the primary value of each player in the newest publication, by row; two queries.

    Members of a pair or a team share its value. Empty before the first publication.
    """
    document = _newest_document(Q(event=event), draft)
    if document is None:
        return {}
    primary = document["scheme"]["primary"]
    is_low = document["scheme"]["direction"] == "asc"
    values: dict[str, Fraction] = {}
    for row in (*document["rows"], *document.get("provisional_rows", ())):
        value = _fraction(row.get("values", {}).get(primary))
        if value is not None:
            values[row["player_id"]] = value
    unit = lcm(*(value.denominator for value in values.values()))
    unit *= -1 if is_low else 1
    scores = {
        code: PublishedScore(int(value * unit), score_text(value), value)
        for code, value in values.items()
    }
    return {player: scores[code] for player, code in _members(event, scores)}


def score_text(value: Fraction) -> str:
    """Return a value as text, with two decimals where it is not whole.

    >>> score_text(Fraction(12)), score_text(Fraction(277, 58))
    ('12', '4.78')
    """
    if value.denominator == 1:
        return str(value.numerator)
    return f"{float(value):.2f}"


def _fraction(value: object) -> Fraction | None:
    try:
        if value is None:
            return None
        return Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        return None


def seated_knockout(event: Event) -> bool:
    plan = _newest_plan(event, KNOCKOUT)
    if plan is None:
        return False
    rounds = Round.objects.filter(event=event, meeting=plan.meeting_id)
    return rounds.exclude(state=RoundState.DRAFT).exists()


def floated_down(event: Event) -> frozenset[int]:
    plan = _newest_plan(event, SWISS, PAIRS)
    rounds = plan.rounds if plan is not None and plan.is_swiss else ()
    floats = rounds[-1].get("floats", ()) if rounds else ()
    return frozenset(body["player"] for body in floats if body["direction"] == "down")


def _newest_plan(event: Event, *movements: str) -> SeatingPlan | None:
    plans = SeatingPlan.objects.filter(event=event, movement__in=movements, is_ready=True)
    plans = plans.exclude(state=PlanState.DRAFT).exclude(chosen_at=None)
    return plans.order_by("-chosen_at", "-pk").first()


def stage_to_plan(event: Event, number: int | None = None) -> Stage | None:
    """Return the stage that a plan is made for: the last that has begun, or the one of a number."""
    begun = stages_of(event).exclude(plan=StagePlan.PLANNED).order_by("-number")
    return (begun if number is None else begun.filter(number=number)).first()


def forfeits_in(round_: Round) -> frozenset[int]:
    entrants = WalkOver.objects.filter(round=round_).values("entrant")
    members = EntrantMember.objects.filter(entrant__in=entrants)
    return frozenset(members.values_list("player_id", flat=True))


@dataclass(frozen=True, slots=True)
class BoardsToPlan:
    """The boards of the next rounds of an event.

    `round` is the number of the event's next round, `rounds_left` how many rounds from it on have
    boards. Where boards move, `tables` is between how many, and `first_round` the round in which
    that began; both are 0 where every table plays the same boards.
    """

    round: int
    rounds_left: int
    tables: int = 0
    first_round: int = 0

    @property
    def players(self) -> int:
        """The number of players that the tables need where boards move, else 0."""
        return LINES * self.tables

    @property
    def movement_round(self) -> int:
        return self.round - self.first_round + 1


def boards_to_plan(event: Event) -> BoardsToPlan | None:
    """Return what boards the next rounds of an event have; None without any. Two queries."""
    if not settings_of(event).duplicate:
        return None
    boards = boards_of(event)
    seated = Round.objects.filter(event=event).exclude(state=RoundState.DRAFT)
    number = (seated.aggregate(last=Max("number"))["last"] or 0) + 1
    for board in boards:
        if moves(board) and number in rounds_of(board):
            rounds = rounds_of(board)
            return BoardsToPlan(number, rounds[-1] - number + 1, len(rounds), rounds[0])
    with_boards = {board.round for board in boards}
    n_rounds = next(n for n in count() if number + n not in with_boards)
    return BoardsToPlan(number, n_rounds) if n_rounds else None


class CurrentStage:
    """The last stage that has begun and is no play-off.

    `movement` is empty where nobody has chosen one; `rounds` are those that its director intends,
    None for no number, and `seated` those that were posted, played or closed. `is_first`: there
    are no earlier games. `next_name` is the stage that is planned after it, empty without one.
    `begun` are number and name of every stage that has begun, in order.
    """

    def __init__(self, stage: Stage, begun: Sequence[Stage], planned: Stage | None) -> None:
        self.pk, self.number, self.name = stage.pk, stage.number, stage.title
        self.movement = "" if stage.kind == StageKind.OPEN else stage.kind
        self.rounds, self.sizes = stage.planned_rounds, tuple(stage.table_sizes or ())
        self.carry, self.seeding = stage.carry, stage.seeding
        self.seated = Round.objects.filter(stage=stage).exclude(state=RoundState.DRAFT).count()
        self.is_first = stage is begun[0]
        self.next_name = planned.title if planned else ""
        self.begun = tuple((row.number, row.title) for row in begun)

    @property
    def rounds_left(self) -> int | None:
        """The number of rounds still to be seated; None where no number is intended."""
        if self.rounds is None:
            return None
        return max(0, self.rounds - self.seated)

    @property
    def is_seated(self) -> bool:
        return self.rounds_left == 0


def current_stage(event: Event, number: int | None = None) -> CurrentStage | None:
    """Return the stage of a number that has begun, else the last one that has; two queries."""
    stages = list(stages_of(event))
    begun = [stage for stage in stages if stage.plan != StagePlan.PLANNED]
    if not begun:
        return None
    stage = next((stage for stage in begun if stage.number == number), begun[-1])
    planned = next((stage for stage in stages if stage.plan == StagePlan.PLANNED), None)
    return CurrentStage(stage, begun, planned)


def scores_in_stage(
    event: Event, number: int | None, draft: Publication | None = None
) -> Mapping[int, PublishedScore]:
    """Return the scores of the newest publication for the next round of a stage; five queries.

    For somebody who has not played in the stage yet, the earlier games count there as they will
    once they play: half of them, or nothing. Without any score the round is a first one.
    """
    scores = published_scores(event, draft)
    stage = current_stage(event, number)
    if not scores or stage is None or stage.is_first or stage.carry == Carry.ALL:
        return scores
    sat = Sitting.objects.filter(round__stage=stage.pk, round__state=RoundState.CLOSED)
    played = frozenset(sat.values_list("player_id", flat=True))
    factor = weight_of_earlier(stage.carry, settings_of(event).primary)
    if not factor:
        return {player: score for player, score in scores.items() if player in played}
    return {
        player: replace(score, value=score.value * factor.denominator)
        if player in played
        else PublishedScore(score.value * factor.numerator, score_text(score.exact * factor))
        for player, score in scores.items()
    }


def seeds_in_stage(
    event: Event, number: int | None, draft: Publication | None
) -> Mapping[int, int]:
    """Return what orders a round in which no score counts, 1 the best; four queries at most.

    By lot it is empty. A stage in which earlier games count nothing is not seeded by them either.
    """
    stage = current_stage(event, number)
    if stage is None:
        return standing_of(event, draft)
    if stage.seeding == Seeding.LADDER:
        starts = Entrant.objects.filter(event=event, start_position__isnull=False)
        places = dict(starts.values_list("pk", "start_position"))
        members = EntrantMember.objects.filter(event=event, entrant__in=places)
        return {
            player: places[entrant] or 0
            for player, entrant in members.values_list("player_id", "entrant_id")
        }
    if stage.seeding == Seeding.LOT or (not stage.is_first and stage.carry == Carry.NONE):
        return {}
    return standing_of(event, draft)


INDIVIDUAL: Final = "individual"


def movement_to_plan(stage: CurrentStage | None, movement: str, boards: BoardsToPlan | None) -> str:
    """Return `movement`, where it is empty that of the boards, else of the stage."""
    moving = MOVING if boards is not None and boards.tables else ""
    return movement or moving or (stage.movement if stage else "") or INDIVIDUAL


def rounds_to_plan(
    stage: CurrentStage | None, movement: str, rounds: int, boards: BoardsToPlan | None = None
) -> int:
    """Return `rounds`; where it is 0 those with boards, else those left of the stage.

    A movement that needs results has one.
    """
    if movement in ROUND_BY_ROUND:
        return rounds or 1
    with_boards = boards.rounds_left if boards is not None else 0
    return rounds or with_boards or (stage.rounds_left if stage else None) or 0
