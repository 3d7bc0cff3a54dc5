"""The names of the rounds of a knock-out: first round, semi-final, final."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from django.db.models import Count
from django.utils.translation import gettext as _

from scoring.seating.brackets import USUAL_TABLE_SIZE, table_sizes
from tournaments.domain.stage_plan import goes_on_from
from tournaments.models.events import Event, Stage, StageKind, StageTakes
from tournaments.models.rounds import Round, SitOut, SitOutReason, Table
from tournaments.selectors.events.events import rounds_of
from tournaments.selectors.stages import way_to


def knockout_way(stage: Stage, stages: Sequence[Stage]) -> list[Stage]:
    """Return a stage of a knock-out and those from which its winners came, the first one last."""
    way = [stage]
    for source in way_to(stage, stages):
        if way[-1].takes != StageTakes.WINNERS or source.kind != StageKind.KNOCKOUT:
            break
        way.append(source)
    return way


def is_final(last: Round) -> bool:
    """Whether a round of a knock-out has a single table, and nobody advances with a bye."""
    byes = SitOut.objects.filter(round=last, reason=SitOutReason.BYE)
    return Table.objects.filter(round=last).count() == 1 and not byes.exists()


NAMED: Final = (StageKind.KNOCKOUT, StageKind.PLAYOFF)
"""Kinds of the stages whose rounds have names of their own."""


def name_of_round(event: Event, round_: Round) -> str:
    """Return the name of a round, loaded with its stage; "" for one that has a number alone."""
    if round_.stage.kind not in NAMED:
        return ""
    return names_of_rounds(event).get(round_.number, "")


def names_of_rounds(event: Event) -> Mapping[int, str]:
    """Return the names of the knock-out rounds and the play-offs of an event, by number.

    One query where it has neither, else three.
    """
    named = Stage.objects.filter(event=event, kind__in=NAMED)
    if not named.exists():
        return {}
    rows = rounds_of(event).select_related("stage").annotate(n_tables=Count("tables"))
    rounds = [(row, row.n_tables) for row in rows.order_by("number")]
    names = round_names(rounds)
    for row, _n_tables in rounds:
        if row.stage.kind == StageKind.PLAYOFF:
            names[row.number] = _("Play-off")
    return names


def round_names(rounds: Iterable[tuple[Round, int]]) -> dict[int, str]:
    """Return the names of the knock-out rounds among those of an event, by number; one query.

    With them that of the next round, where one knock-out is played.

    Args:
        rounds: each with the number of its tables, by number, play-offs among them.
    """
    every = list(rounds)
    rows = [row for row in every if row[0].stage.kind == StageKind.KNOCKOUT]
    if not rows:
        return {}
    stages = list(dict.fromkeys(round_.stage for round_, _tables in rows))
    sit_outs = SitOut.objects.filter(round__in=[round_.pk for round_, _tables in rows])
    byes = Counter(sit_outs.filter(reason=SitOutReason.BYE).values_list("round_id", flat=True))
    names: dict[int, str] = {}
    for at, (round_, tables) in enumerate(rows):
        way = knockout_way(round_.stage, stages)
        nth = sum(earlier.stage in way for earlier, _tables in rows[:at])
        going_on = _going_on(round_.stage, tables, byes[round_.pk])
        names[round_.number] = _name(nth, going_on)
    # The next round follows from the last one, at which the loop has ended.
    sizes = round_.stage.table_sizes or (4, 3)
    if len(way) == len(stages) and going_on > 1 and (following := table_sizes(going_on, sizes)):
        then = _going_on(round_.stage, len(following.tables), following.sit_outs)
        names[every[-1][0].number + 1] = _name(nth + 1, then)
    return names


def _going_on(stage: Stage, tables: int, byes: int) -> int:
    """Return how many go on from a round: 1 from a final, 0 from a round without tables."""
    rule = goes_on_from(stage)
    if tables < 2 and not byes:
        return tables
    return tables * rule.each_table + (rule.wild_cards if tables > 2 else 0) + byes


def _name(nth: int, going_on: int) -> str:
    if going_on == 1:
        return _("Final")
    if 1 < going_on <= USUAL_TABLE_SIZE:
        return _("Semi-final")
    first = (_("First round"), _("Second round"), _("Third round"), _("Fourth round"))
    if nth < len(first):
        return first[nth]
    return _("Knock-out round %(n)s") % {"n": nth + 1}
