"""What a ladder makes of a table: the challenges that it decides, or why it moves nobody."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy

from scoring.errors import Problem
from scoring.ladders.replay import table_problems
from tournaments.domain.event_settings import ladder_rules_of
from tournaments.domain.messages import sentence
from tournaments.models.events import Event, EventKind
from tournaments.models.hands import Game
from tournaments.models.ladders import LadderStep, StepKind
from tournaments.models.meetings import Round, Sitting
from tournaments.selectors.ladders.log import BARRED, listed_ladder

REASONS: Final = {
    "ladder_span": gettext_lazy("The members at the table are too far apart."),
    "ladder_table_size": gettext_lazy("There are too few or too many members at the table."),
}
"""Why a table moves nobody; the sentences of steps that were stored without numbers."""


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
    return _tables(event, Game.objects.filter(event=event, table__code=code)).get(code)


def tables_of_round(event: Event, round_: Round) -> Mapping[str, LadderTable]:
    """Return what the ladder makes of each table of a round, by code; four queries."""
    return _tables(event, Game.objects.filter(event=event, table__round=round_))


def _tables(event: Event, games: QuerySet[Game]) -> dict[str, LadderTable]:
    if event.kind != EventKind.LADDER:
        return {}
    rows = games.filter(counts=True).select_related("table", "ladder_step")
    rows = rows.prefetch_related("challenges").order_by("table__number")
    steps = {row.pk: step.facts for row in rows if (step := getattr(row, "ladder_step", None))}
    problems = _problems_of_seats(event, {row.pk for row in rows} - steps.keys())
    problems |= {game: stored_problem(facts) for game, facts in steps.items()}
    tables = {}
    for row in rows:
        numbers = tuple(sorted(challenge.number for challenge in row.challenges.all()))
        problem = None if numbers else problems.get(row.pk)
        tables[row.table.code] = LadderTable(row.table.number, numbers, problem)
    return tables


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


MOST: Final = 50
"""Tables without moves on one page."""


def tables_without_moves(
    event: Event, *, before: int | None, since: int | None
) -> list[dict[str, object]]:
    """Return the newest tables that moved nobody, of the steps `since` one and `before` another:
    `code`, `on` and `reason`."""
    steps = LadderStep.objects.filter(event=event, kind=StepKind.TABLE, facts__has_key=BARRED)
    steps = steps.filter(game__challenges=None, number__gte=since or 0)
    steps = steps.filter(number__lt=before) if before is not None else steps
    rows = steps.order_by("-number").values_list("game__table__code", "on", "facts")[:MOST]
    return [
        {"code": code, "on": on, "reason": reason_text(problem)}
        for code, on, facts in rows
        if (problem := stored_problem(facts)) is not None
    ]
