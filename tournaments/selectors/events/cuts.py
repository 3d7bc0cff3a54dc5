"""Stages of an event: who went on to each, and what a publication says of who is level."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from django.db.models import Exists, OuterRef

from tournaments.models.events import Event, Stage, StageKind
from tournaments.models.hands import Hand
from tournaments.models.meetings import Round
from tournaments.models.playoffs import StageEntrant
from tournaments.models.standings import Publication
from tournaments.selectors.events.entrants import names_in


@dataclass(frozen=True, slots=True)
class StageMember:
    """Who went on."""

    entrant_id: str
    name: str


@dataclass(frozen=True, slots=True)
class StageRow:
    """A stage with its rounds; `cut` and `made_at` are None where it is for everybody.

    `went_on` has who plays in it, ordered by code; `asked` the facts of what a correction has
    asked about them (codes), None while nothing is to be answered. `may_undo`: it is the last cut
    and nothing was played after it.
    """

    number: int
    name: str
    kind: str
    cut: int | None
    made_at: datetime | None
    rounds: tuple[int, ...]
    went_on: tuple[StageMember, ...] = ()
    asked: Mapping[str, Any] | None = None
    is_played: bool = False
    may_undo: bool = False


def stage_rows(event: Event) -> list[StageRow]:
    """Return the stages of an event by number, play-offs included."""
    stages = list(Stage.objects.filter(event=event).order_by("number"))
    rounds: dict[int, list[int]] = defaultdict(list)
    for stage, number in Round.objects.filter(event=event).values_list("stage_id", "number"):
        rounds[stage].append(number)
    hands = Hand.objects.filter(game__table__round__stage=OuterRef("pk"))
    own = Stage.objects.filter(Exists(hands), event=event)
    played = frozenset(own.values_list("pk", flat=True))
    chosen: dict[int, list[StageMember]] = defaultdict(list)
    rows = StageEntrant.objects.filter(stage__event=event).order_by("entrant__code")
    names = names_in(event)
    for stage, code in rows.values_list("stage_id", "entrant__code"):
        chosen[stage].append(StageMember(code, names.get(code, code)))
    last = max((one.number for one in stages if one.kind != StageKind.PLAYOFF), default=0)
    return [
        StageRow(
            number=one.number,
            name=stage_title(one),
            kind=one.kind,
            cut=one.cut,
            made_at=one.cut_at,
            rounds=tuple(sorted(rounds[one.pk])),
            went_on=tuple(chosen[one.pk]),
            asked=one.asked and one.asked["facts"],
            is_played=one.pk in played,
            may_undo=one.cut is not None and one.number == last and one.pk not in played,
        )
        for one in stages
    ]


@dataclass(frozen=True, slots=True)
class StoredCut:
    """A stage that a cut made, with the codes of who went on and the last round before it."""

    stage: Stage
    codes: frozenset[str]
    after_round: int


def stored_cuts(event: Event) -> list[StoredCut]:
    """Return the cuts of an event in order; one query where it has none, else three."""
    found = list(Stage.objects.filter(event=event, cut__isnull=False).order_by("number"))
    if not found:
        return []
    rows = StageEntrant.objects.filter(stage__in=found).order_by("stage__number", "entrant__code")
    pairs = rows.values_list("stage_id", "entrant__code")
    codes = {pk: frozenset(code for _, code in part) for pk, part in groupby(pairs, _first)}
    played = Round.objects.filter(event=event).exclude(stage__kind=StageKind.PLAYOFF)
    rounds = list(played.values_list("stage__number", "number"))
    return [
        StoredCut(
            stage,
            codes.get(stage.pk, frozenset()),
            max((number for own, number in rounds if own < stage.number), default=0),
        )
        for stage in found
    ]


def has_cut_question(event: Event) -> bool:
    """Whether a correction has asked about a cut, and nobody has answered."""
    return any(Stage.objects.filter(event=event, cut__isnull=False).values_list("asked", flat=True))


def published_tiers(publication: Publication) -> list[list[str]]:
    """Return who shares each place of a publication, best first; no query.

    Who withdrew, or has too few games for a rank, has none.
    """
    rows: Sequence[Mapping[str, Any]] = json.loads(bytes(publication.body))["rows"]
    here = [row for row in rows if not row["withdrawn"] and row["rank"] is not None]
    return [[row["player_id"] for row in part] for _, part in groupby(here, _rank)]


def stage_title(stage: Stage) -> str:
    """Return what people call a stage: its name, or what it is.

    >>> stage_title(Stage(number=2, cut=8)), stage_title(Stage(number=2, cut=8, name="Final"))
    ('the final of 8', 'Final')
    """
    if stage.name or not stage.cut:
        return str(stage)
    return f"the final of {stage.cut}"


def _rank(row: Mapping[str, object]) -> object:
    return row["rank"]


def _first(pair: tuple[int, str]) -> int:
    return pair[0]
