"""Names of the rounds of a knock-out, whatever play-offs are between them."""

from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _

from scoring.seating.brackets import USUAL, table_sizes
from tournaments.domain.stage_plan import goes_on_from
from tournaments.models.events import Stage, StageKind, StageTakes
from tournaments.models.meetings import Round
from tournaments.selectors.events.stages import way_to


def knockout_way(stage: Stage, stages: Sequence[Stage]) -> list[Stage]:
    """Return a stage of a knock-out and those from which its winners came, the first one last."""
    way = [stage]
    for source in way_to(stage, stages):
        if way[-1].takes != StageTakes.WINNERS or source.kind != StageKind.KNOCKOUT:
            break
        way.append(source)
    return way


def round_names(rounds: Iterable[tuple[Round, int]]) -> dict[int, str]:
    """Return the names of the knock-out rounds among those of an event, by number.

    With them that of the next round, where one knock-out is played.

    Args:
        rounds: each with the number of its tables, by number, play-offs among them.
    """
    every = list(rounds)
    rows = [row for row in every if row[0].stage.kind == StageKind.KNOCKOUT]
    stages = list(dict.fromkeys(round_.stage for round_, _tables in rows))
    names: dict[int, str] = {}
    for at, (round_, tables) in enumerate(rows):
        way = knockout_way(round_.stage, stages)
        nth = sum(earlier.stage in way for earlier, _tables in rows[:at])
        names[round_.number] = _name(round_.stage, nth, tables)
        if round_ is rows[-1][0] and len(way) == len(stages) and tables > 1:
            drawn = table_sizes(_going_on(round_.stage, tables), round_.stage.table_sizes or (4, 3))
            n_next = len(drawn.tables) if drawn else 0
            names[every[-1][0].number + 1] = _name(round_.stage, nth + 1, n_next)
    return names


def _going_on(stage: Stage, tables: int) -> int:
    rule = goes_on_from(stage)
    return tables * rule.each_table + (rule.wild_cards if tables > 2 else 0)


def _name(stage: Stage, nth: int, tables: int) -> str:
    if tables == 1:
        return _("Final")
    if 0 < _going_on(stage, tables) <= USUAL:
        return _("Semi-final")
    first = (_("First round"), _("Second round"), _("Third round"), _("Fourth round"))
    return first[nth] if nth < len(first) else _("Knock-out round %(n)s") % {"n": nth + 1}
