"""What a ladder makes of a table: the challenges that it decides, or why it moves nobody."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from scoring.errors import Problem
from scoring.ladders.positions import table_problems
from tournaments.domain.event_settings import ladder_rules_of
from tournaments.domain.messages import sentence
from tournaments.models.events import Event, EventKind
from tournaments.models.hands import Game
from tournaments.models.ladders import LadderStep, StepKind
from tournaments.models.rounds import Sitting
from tournaments.selectors.ladders.log import BARRED, listed_ladder

REASONS: Final = frozenset({"ladder_span", "ladder_table_size"})
"""Why a table moves nobody."""


@dataclass(frozen=True, slots=True)
class LadderTable:
    """A table of a ladder: the numbers of the `challenges` whose game it is, or the `problem` for
    which it moves nobody; None if it moves its members."""

    number: int
    challenges: tuple[int, ...]
    problem: Problem | None

    @property
    def reason(self) -> str:
        return _reason(self.problem) if self.problem is not None else ""


def _reason(problem: Problem) -> str:
    """Return the sentence of a problem; empty for a step of 0.3.0, which has no numbers."""
    return sentence(problem) if problem.facts else ""


def tables_on_ladder(event: Event, **where: object) -> dict[str, LadderTable]:
    """Return what the ladder makes of some tables by code, but those of play-offs; four queries."""
    if event.kind != EventKind.LADDER:
        return {}
    rows = Game.objects.filter(event=event, counts=True, **where).order_by("table__number")
    rows = rows.select_related("table", "ladder_step").prefetch_related("challenges")
    steps = {row.pk: step.facts for row in rows if (step := getattr(row, "ladder_step", None))}
    problems = _problems_of_seats(event, {row.pk for row in rows} - steps.keys())
    problems |= {game: _stored_problem(facts) for game, facts in steps.items() if BARRED in facts}
    tables = {}
    for row in rows:
        numbers = tuple(sorted(challenge.number for challenge in row.challenges.all()))
        problem = None if numbers else problems.get(row.pk)
        tables[row.table.code] = LadderTable(row.table.number, numbers, problem)
    return tables


def _stored_problem(facts: Mapping[str, Any]) -> Problem:
    """Return why the table of a step moves nobody, as it was decided when the game was over."""
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
        of_table = table_problems(ladder, (tuple(sorted(codes)),), rules)
        problems[game] = next((problem for problem in of_table if problem.code in REASONS), None)
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
        {"code": code, "on": on, "reason": _reason(_stored_problem(facts))}
        for code, on, facts in rows
    ]
