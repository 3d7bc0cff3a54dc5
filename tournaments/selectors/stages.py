"""Stages of an event: the entrants of each, ties at a cut, and stages in words."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Final

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from scoring.json_types import JsonDict, JsonObject
from tournaments.domain.etags import mark_of_text
from tournaments.errors import Missing, first_or_missing
from tournaments.models.events import Event, Stage, StageKind, StagePlan, StageTakes
from tournaments.models.hands import Hand
from tournaments.models.playoffs import Playoff, PlayoffState, StageEntrant
from tournaments.models.rounds import Round, RoundState, Table
from tournaments.models.standings import Publication
from tournaments.selectors.events.entrants import names_in
from tournaments.selectors.events.events import ordinary_rounds, rounds_of


class StageRow:
    """A stage with its rounds; `cut` and `made_at` are None if it is for everybody.

    `went_on` has id and name of its entrants, ordered by code; `asked` the facts of a correction's
    open question about them (codes), or None. `may_undo`: it is the last that has begun and nothing
    was played in it. `is_planned`: not begun yet; `may_begin`: it is the next one. `may_change`: no
    round of it was posted; `may_change_rounds`: one was, so that its number of rounds alone can
    change. `advance` is the stored rule; `from_stage` and `from_name` are of the stage it takes
    people from, None for the first one; `also_from` and `also_name` are of the stage whose best
    `also_best` come back.
    """

    def __init__(
        self,
        stage: Stage,
        stages: Sequence[Stage],
        rounds: Sequence[tuple[int, str]],
        went_on: Sequence[JsonDict],
        *,
        is_played: bool,
    ) -> None:
        ordinary = [row for row in stages if row.kind != StageKind.PLAYOFF]
        begun = [row for row in ordinary if not is_planned(row)]
        waiting = [row for row in ordinary if is_planned(row)]
        source = source_of(stage, stages)
        also = next((other for other in ordinary if other.pk == stage.also_from_id), None)
        is_playoff = stage.kind == StageKind.PLAYOFF
        is_posted = any(state != RoundState.DRAFT for _, state in rounds)
        self.number, self.kind, self.own_name = stage.number, stage.kind, stage.name
        self.name, self.cut, self.made_at = stage.title, stage.cut, stage.cut_at
        self.rounds = tuple(sorted(number for number, _ in rounds))
        self.went_on = went_on
        self.asked: JsonObject | None = stage.asked["facts"] if stage.asked else None
        self.is_played = is_played
        self.may_undo = stage.cut_at is not None and stage is begun[-1] and not is_played
        self.is_planned = is_planned(stage)
        self.may_begin = bool(waiting) and stage is waiting[0]
        self.may_change = not is_playoff and not is_posted
        self.may_change_rounds = not is_playoff and is_posted
        self.planned_rounds, self.table_sizes = stage.planned_rounds, tuple(stage.table_sizes or ())
        self.from_stage = source.number if source else None
        self.from_name = source.title if source else ""
        self.also_from = also.number if also else None
        self.also_name = also.title if also else ""
        self.carry, self.takes, self.seeding = stage.carry, stage.takes, stage.seeding
        self.advance, self.each_round = stage.advance, stage.each_round
        self.from_round, self.also_best = stage.from_round, stage.also_best

    @property
    def state(self) -> str:
        return "planned" if self.is_planned else "begun"


@dataclass(frozen=True, slots=True)
class ComingCut:
    """The cut of the next planned stage, for which the best `above` of `source` go on.

    `is_complete`: `source` has its number of rounds, and all of them are closed.
    """

    source: Stage
    above: int
    is_complete: bool


SEEDING_NAMES: Final = {
    "standings": gettext_lazy("By the standings"),
    "ladder": gettext_lazy("By the start positions"),
    "lot": gettext_lazy("By lot"),
}


def stage_rows(event: Event) -> list[StageRow]:
    """Return the stages of an event by number, play-offs included; those planned come last."""
    stages = list(Stage.objects.filter(event=event).order_by("number"))
    stages.sort(key=lambda stage: (is_planned(stage), stage.number))
    rounds: dict[int, list[tuple[int, str]]] = defaultdict(list)
    numbers = rounds_of(event).values_list("stage_id", "number", "state")
    for pk, number, state in numbers:
        rounds[pk].append((number, state))
    hands = Hand.objects.filter(game__table__round__stage=OuterRef("pk"))
    with_hands = Stage.objects.filter(Exists(hands), event=event)
    played = frozenset(with_hands.values_list("pk", flat=True))
    members: dict[int, list[JsonDict]] = defaultdict(list)
    rows = StageEntrant.objects.filter(stage__event=event).order_by("entrant__code")
    names = names_in(event)
    for pk, code in rows.values_list("stage_id", "entrant__code"):
        members[pk].append({"entrant_id": code, "name": names.get(code, code)})
    return [
        StageRow(stage, stages, rounds[stage.pk], members[stage.pk], is_played=stage.pk in played)
        for stage in stages
    ]


def get_stage(event: Event, number: int) -> Stage:
    stage = first_or_missing(stages_of(event).filter(number=number), "stage", stage=number)
    stage.event, stage.club = event, event.club
    return stage


def stage_row(event: Event, number: int) -> StageRow:
    row = next((row for row in stage_rows(event) if row.number == number), None)
    if row is None:
        raise Missing("stage", {"stage": number})
    return row


def is_planned(stage: Stage) -> bool:
    return stage.plan == StagePlan.PLANNED


def source_of(stage: Stage, stages: Iterable[Stage]) -> Stage | None:
    """Return the stage from which a stage takes people: its own, else the last one before it."""
    if stage.kind == StageKind.PLAYOFF:
        return None
    every = {stage.pk: stage for stage in stages if stage.kind != StageKind.PLAYOFF}
    if stage.from_stage_id in every:
        return every[stage.from_stage_id]
    before = [row for row in every.values() if row.number < stage.number]
    return max(before, key=lambda row: row.number, default=None)


class StoredCut:
    """A stage made by a cut, with the codes of its entrants and the last round before it.

    `inside` has the entrants of the stage before, None for everybody. `is_consolation`: a stage for
    those eliminated elsewhere leads to it. `way`: the stages from which its people come, the last
    one first. `also` is the stage from which some came back, with its codes in `beside`;
    `last_round` is the last one of the stage before.
    """

    def __init__(
        self,
        stage: Stage,
        stages: Sequence[Stage],
        codes: Mapping[int, frozenset[str]],
        last_rounds: Mapping[int, int],
    ) -> None:
        self.stage, self.codes = stage, codes.get(stage.pk, frozenset())
        self.way = way = tuple(way_to(stage, stages))
        self.also = also = next((row for row in stages if row.pk == stage.also_from_id), None)
        sources = (*way, also) if also else way
        self.after_round = max((last_rounds[source.pk] for source in sources), default=0)
        self.last_round = last_rounds[way[0].pk] if also else self.after_round
        self.inside = codes.get(way[0].pk) if way else None
        self.beside = codes.get(also.pk, frozenset()) if also else frozenset()
        self.is_consolation = any(source.takes == StageTakes.LOSERS for source in way)


def stages_of(event: Event) -> QuerySet[Stage]:
    """Return the stages of an event by number, without those of play-offs."""
    return Stage.objects.filter(event=event).exclude(kind=StageKind.PLAYOFF).order_by("number")


def valid_playoffs(event: Event) -> QuerySet[Playoff]:
    """Return the play-offs of an event that are not void."""
    return Playoff.objects.filter(event=event).exclude(state=PlayoffState.VOID)


def posted_rounds(stage: Stage) -> QuerySet[Round]:
    return Round.objects.filter(stage=stage).exclude(state=RoundState.DRAFT).order_by("number")


def stored_cuts(event: Event, stages: Sequence[Stage] | None) -> list[StoredCut]:
    """Return the cuts of an event in order; one query where it has none, else three.

    Those to a consolation come first: their entrants rank behind the other qualifiers.
    """
    if stages is None:
        stages = list(stages_of(event))
    if not any(stage.cut for stage in stages):
        return []
    rows = StageEntrant.objects.filter(stage__in=stages).order_by("stage_id", "entrant__code")
    pairs = rows.values_list("stage_id", "entrant__code")
    codes = {pk: frozenset(code for _, code in part) for pk, part in groupby(pairs, itemgetter(0))}
    rounds = ordinary_rounds(event)
    numbers: dict[int, int] = defaultdict(int)
    for pk, number in rounds.values_list("stage_id", "number"):
        numbers[pk] = max(numbers[pk], number)
    cuts = [StoredCut(stage, stages, codes, numbers) for stage in stages if stage.cut]
    return sorted(cuts, key=lambda cut: (not cut.is_consolation, cut.stage.number))


def coming_cut(event: Event) -> ComingCut | None:
    """Return the cut before the next planned stage; None if it has another rule.

    At most two queries.
    """
    stages = list(stages_of(event))
    stage = next((row for row in stages if is_planned(row)), None)
    if stage is None or stage.takes != StageTakes.WINNERS or stage.also_from_id is not None:
        return None
    above = (stage.advance or {}).get("best")
    source = source_of(stage, stages)
    if above is None or source is None:
        return None
    return ComingCut(source, above, is_complete(source))


def is_complete(stage: Stage) -> bool:
    """Whether a stage has its number of rounds, all closed; a draft without tables is none."""
    if stage.planned_rounds is None:
        return False
    tables = Table.objects.filter(round=OuterRef("pk"))
    empty = ~Exists(tables) & Q(state=RoundState.DRAFT)
    states = list(stage.rounds.exclude(empty).values_list("state", flat=True))
    return len(states) >= stage.planned_rounds and {*states} == {RoundState.CLOSED}


def way_to(stage: Stage, stages: Sequence[Stage]) -> list[Stage]:
    """Return the stages from which people come into a stage, the last one first."""
    way: list[Stage] = []
    source = source_of(stage, stages)
    while source is not None and source not in way:
        way.append(source)
        source = source_of(source, stages)
    return way


def is_consolation(stage: Stage, stages: Sequence[Stage]) -> bool:
    """Whether a stage, or one on the way to it, is for those who are out elsewhere."""
    return any(each.takes == StageTakes.LOSERS for each in (stage, *way_to(stage, stages)))


def stages_asked(event: Event) -> tuple[int, ...]:
    """Return the numbers of the stages whose cut a correction has asked about; one query."""
    rows = Stage.objects.filter(event=event, asked__isnull=False).order_by("number")
    return tuple(number for number, question in rows.values_list("number", "asked") if question)


def published_tiers(publication: Publication) -> list[list[str]]:
    """Return the entrants that share each place of a publication, best first; no query.

    Entrants that withdrew or have too few games for a rank are left out.
    """
    rows: Sequence[JsonObject] = publication.document["rows"]
    ranked = [row for row in rows if not row["withdrawn"] and row["rank"] is not None]
    return [[row["player_id"] for row in part] for _, part in groupby(ranked, itemgetter("rank"))]


def stage_tag(row: StageRow) -> str:
    """Return a mark of what `change_stage` and `move_stage` can change, and of the state."""
    return mark_of_text(json.dumps(stage_plan(row), sort_keys=True))


def stage_plan(row: StageRow) -> JsonDict:
    """Return the plan of a stage, by the members of which it is changed."""
    return {
        "number": row.number,
        "state": row.state,
        "name": row.own_name,
        "movement": row.kind,
        "rounds": row.planned_rounds,
        "table_sizes": list(row.table_sizes),
        "carry": row.carry,
        "seeding": row.seeding,
        "from_stage": row.from_stage,
        "takes": row.takes,
        "advance": row.advance,
        "each_round": row.each_round,
        "from_round": row.from_round,
        "also_from": row.also_from,
        "also_best": row.also_best,
    }


MOVEMENT_NAMES: Final = {
    "open": gettext_lazy("Open seating"),
    "individual": gettext_lazy("Individual"),
    "whist": gettext_lazy("Individual with changing partners"),
    "pairs": gettext_lazy("Pairs"),
    "teams": gettext_lazy("Teams"),
    "swiss": gettext_lazy("Swiss"),
    "knockout": gettext_lazy("Knock-out"),
    "playoff": gettext_lazy("Play-off"),
}

CARRY_NAMES: Final = {
    "all": gettext_lazy("All earlier games count"),
    "half": gettext_lazy("Earlier games count half"),
    "none": gettext_lazy("Only games of this stage count"),
    "seeding": gettext_lazy("Earlier games only decide the seeding"),
}


def in_words(row: StageRow) -> JsonDict:
    """Return a stage with its words; `tag` is a mark of the plan, which its buttons send."""
    return {
        "row": row,
        "movement": str(MOVEMENT_NAMES[row.kind]),
        "carry": str(CARRY_NAMES[row.carry]),
        "entrants": _entrants_in_words(row),
        "sizes": ", ".join(map(str, row.table_sizes)),
        "tag": stage_tag(row),
    }


def _entrants_in_words(row: StageRow) -> str:
    if row.from_stage is None:
        return _("everybody")
    if row.takes == StageTakes.LOSERS:
        return _("those of %(stage)s who do not go on") % {"stage": row.from_name}
    first = _of_first(row)
    if row.also_from is None:
        return first
    back = {"first": first, "n": row.also_best, "stage": row.also_name}
    return _("%(first)s, and the best %(n)s of %(stage)s") % back


def _of_first(row: StageRow) -> str:
    if row.advance is None:
        return _("all of %(stage)s") % {"stage": row.from_name}
    if "best" in row.advance:
        best = {"n": row.advance["best"], "stage": row.from_name}
        return _("the best %(n)s of %(stage)s") % best
    return _of_tables(row.advance["each_table"], row.advance["wild_cards"], row.from_name)


def _of_tables(each: int, wild_cards: int, stage: str) -> str:
    of_tables = ngettext(
        "the best of each table of %(stage)s", "the best %(n)s of each table of %(stage)s", each
    ) % {"n": each, "stage": stage}
    if not wild_cards:
        return of_tables
    more = ngettext("%(n)s wild card", "%(n)s wild cards", wild_cards) % {"n": wild_cards}
    return f"{of_tables} + {more}"
