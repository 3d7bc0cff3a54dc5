"""What a ladder makes of a table: the challenges that it decides, or why it moves nobody."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from scoring.errors import Problem
from scoring.ladders.replay import table_problems
from tournaments.domain.event_settings import ladder_rules_of
from tournaments.domain.messages import sentence
from tournaments.domain.name_matching import listed_people
from tournaments.models.events import Event, EventKind
from tournaments.models.hands import Game
from tournaments.models.ladders import Challenge, LadderStep, StepKind
from tournaments.models.meetings import Round, Sitting
from tournaments.selectors.ladders.log import BARRED, listed_ladder

REASONS: Final = {
    "ladder_span": gettext_lazy("The members at the table are too far apart."),
    "ladder_table_size": gettext_lazy("There are too few or too many members at the table."),
}
"""Why a table moves nobody; the sentence of a step that was stored without numbers."""


@dataclass(frozen=True, slots=True)
class LadderTable:
    """A table of a ladder: the numbers of the `challenges` whose game it is, or the `problem` for
    which it moves nobody; None if it moves its members."""

    number: int
    challenges: tuple[int, ...]
    problem: Problem | None

    @property
    def reason(self) -> str:
        return reason_text(self.problem) if self.problem is not None else ""


def reason_text(problem: Problem) -> str:
    return sentence(problem) if problem.facts else str(REASONS[problem.code])


def ladder_table(event: Event, code: str) -> LadderTable | None:
    """Return what the ladder makes of a table; None on no ladder, or for a play-off's table."""
    games = Game.objects.filter(event=event, table__code=code)
    return _tables(event, games).get(code)


def tables_of_round(event: Event, round_: Round) -> Mapping[str, LadderTable]:
    """Return what the ladder makes of each table of a round, by code; five queries."""
    return _tables(event, Game.objects.filter(event=event, table__round=round_))


def _tables(event: Event, games: QuerySet[Game]) -> dict[str, LadderTable]:
    if event.kind != EventKind.LADDER:
        return {}
    rows = list(games.filter(counts=True).select_related("table").order_by("table__number"))
    numbers: dict[int, list[int]] = defaultdict(list)
    challenges = Challenge.objects.filter(game__in=rows).order_by("number")
    for game, number in challenges.values_list("game_id", "number"):
        numbers[game or 0].append(number)
    steps = dict(LadderStep.objects.filter(game__in=rows).values_list("game_id", "facts"))
    waiting = [row.pk for row in rows if row.pk not in steps and row.pk not in numbers]
    problems = _problems_of_seats(event, waiting) if waiting else {}
    problems |= {game or 0: stored_problem(facts) for game, facts in steps.items()}
    return {
        row.table.code: LadderTable(
            row.table.number,
            tuple(numbers[row.pk]),
            None if numbers[row.pk] else problems.get(row.pk),
        )
        for row in rows
    }


def stored_problem(facts: Mapping[str, Any]) -> Problem | None:
    """Return why the table of a step moves nobody, as it was decided when the game was over."""
    if BARRED not in facts:
        return None
    return Problem(facts[BARRED], facts={key: facts[key] for key in facts if key != BARRED})


def _problems_of_seats(event: Event, games: Iterable[int]) -> dict[int, Problem | None]:
    """Return what would keep games from moving anybody, by the list as last computed."""
    entrants: dict[int, set[str]] = defaultdict(set)
    sittings = Sitting.objects.filter(
        seat__table__game__in=games, to_hand=None, player__entries_in_events__event=event
    )
    for game, code in sittings.values_list(
        "seat__table__game__pk", "player__entries_in_events__entrant__code"
    ):
        entrants[game].add(code)
    ladder, rules = listed_ladder(event), ladder_rules_of(event)
    problems: dict[int, Problem | None] = {}
    for game, codes in entrants.items():
        found = table_problems(ladder, (tuple(sorted(codes)),), rules)
        problems[game] = next((problem for problem in found if problem.code in REASONS), None)
    return problems


def no_moves_text(event: Event, round_: Round) -> str:
    """Return which tables of a round move nobody on its ladder, in a sentence; "" for none."""
    tables = tables_of_round(event, round_).values()
    numbers = [str(table.number) for table in tables if table.problem is not None]
    text = ngettext(
        "Table %(tables)s moves nobody on the ladder. The page of the table says why.",
        "Tables %(tables)s move nobody on the ladder. The page of each table says why.",
        len(numbers),
    )
    return text % {"tables": listed_people(numbers, _("and"))} if numbers else ""


@dataclass(frozen=True, slots=True)
class TableWithoutMoves:
    """A table that moved nobody, its day and the reason."""

    code: str
    on: date
    reason: str


MOST: Final = 50
"""Tables without moves on one page."""


def tables_without_moves(
    event: Event, *, before: int | None, since: int | None
) -> list[TableWithoutMoves]:
    """Return the newest tables that moved nobody, of the steps `since` one and `before` another."""
    steps = LadderStep.objects.filter(event=event, kind=StepKind.TABLE, facts__has_key=BARRED)
    steps = steps.exclude(game__in=Challenge.objects.filter(event=event, game__isnull=False)
                          .values("game"))  # fmt: skip
    steps = steps.filter(number__lt=before) if before is not None else steps
    steps = steps.filter(number__gte=since) if since is not None else steps
    rows = steps.order_by("-number").values_list("game__table__code", "on", "facts")[:MOST]
    without = []
    for code, on, facts in rows:
        problem = stored_problem(facts)
        if code is not None and problem is not None:
            without.append(TableWithoutMoves(code, on, reason_text(problem)))
    return without
