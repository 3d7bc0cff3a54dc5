"""Names of the rounds of a knock-out, whatever play-offs are between them."""

from collections import Counter
from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _

from scoring.seating.brackets import USUAL, table_sizes
from tournaments.domain.stage_plan import goes_on_from
from tournaments.models.events import Stage, StageKind, StageTakes
from tournaments.models.rounds import Round, SitOut, SitOutReason
from tournaments.selectors.stages import way_to


def knockout_way(stage: Stage, stages: Sequence[Stage]) -> list[Stage]:
    """Return a stage of a knock-out and those from which its winners came, the first one last."""
    way = [stage]
    for source in way_to(stage, stages):
        if way[-1].takes != StageTakes.WINNERS or source.kind != StageKind.KNOCKOUT:
            break
        way.append(source)
    return way


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
    if 1 < going_on <= USUAL:
        return _("Semi-final")
    first = (_("First round"), _("Second round"), _("Third round"), _("Fourth round"))
    return first[nth] if nth < len(first) else _("Knock-out round %(n)s") % {"n": nth + 1}
