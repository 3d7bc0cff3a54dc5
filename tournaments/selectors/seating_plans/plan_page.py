"""The plans of an evening as the page of plans and REST give them."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.json_types import JsonDict
from scoring.seating.brackets import sizes_of_rules
from scoring.seating.movements.moving_boards import LINES
from scoring.seating.movements.plan_movement import MOVEMENTS, ROUND_BY_ROUND
from tournaments.domain.messages import sentence
from tournaments.domain.seating_preferences import preferred_sizes
from tournaments.domain.stage_plan import plays_opposite, swiss_rounds
from tournaments.models.events import Event
from tournaments.models.rounds import Meeting
from tournaments.models.seating_plans import (
    KNOCKOUT,
    MOVING,
    OPEN,
    PARTNERSHIPS,
    SWISS,
    TEAMS,
    WHIST,
    ConstraintKind,
    PlanState,
    SeatingPlan,
)
from tournaments.selectors.clubs.names import FULL_NAME
from tournaments.selectors.playoffs.bracket import list_changes_since_draw
from tournaments.selectors.rules.rule_sets import rules_of_event
from tournaments.selectors.seating_plans.current_stage import (
    CurrentStage,
    boards_to_plan,
    current_stage,
    movement_to_plan,
    rounds_to_plan,
)
from tournaments.selectors.seating_plans.people_here import (
    Partnerless,
    PlayingUnit,
    find_partnerless,
    planned_players,
    rounds_of_last_evening,
    units_here,
)
from tournaments.selectors.seating_plans.plan_cards import (
    PlanCard,
    PlanEnds,
    plan_cards,
    stored_problem,
)
from tournaments.selectors.seating_plans.plan_facts import (
    TITLES,
    boards_in_words,
    movement_line,
    odd_units_line,
    repeated_pairs,
    uneven_shares_of,
)
from tournaments.selectors.seating_plans.plans import (
    EveningNow,
    constraints_of,
    plans_of,
    players_named,
    stage_of_waiting,
)
from tournaments.selectors.seating_plans.swiss_facts import UnitNames, swiss_advice, swiss_documents
from tournaments.selectors.stages import CARRY_NAMES

COMPUTING, READY, FAILED = "computing", "ready", "failed"

PLAYERS_OF_UNIT: Final = {("teams", "one_table"): (2, 4), ("teams", "two_tables"): (4, 4)}
"""Movement and variation → the fewest and most players of a team; a pair has two."""


def plan_documents(
    event: Event, plans: Sequence[SeatingPlan], *, now: datetime
) -> tuple[JsonDict, ...]:
    """Return plans of one meeting with all that their page shows; a constant number of queries."""
    if not plans:
        return ()
    meeting = plans[0].meeting
    meeting.event = event
    players = planned_players(event, players_named(plans))
    ids = {pk: player.player_id for pk, player in players.items()}
    names = {pk: player.name for pk, player in players.items()}
    units = UnitNames(event, plans, names, FULL_NAME)
    evening = EveningNow(meeting, plans)
    ends = PlanEnds(event, meeting, now)
    return tuple(_document(event, plan, ids, units, evening, ends) for plan in plans)


def _document(
    event: Event,
    plan: SeatingPlan,
    ids: Mapping[int, str],
    names: UnitNames,
    evening: EveningNow,
    ends: PlanEnds,
) -> JsonDict:
    def ids_of(players: Iterable[int]) -> list[str]:
        return [ids.get(player, "") for player in players]

    changes = evening.changes(plan, names.players)
    n_rounds = 0 if plan.movement == OPEN else plan.round_count
    problem = stored_problem(event, plan.problem) if plan.problem else None
    first_round = int(plan.inputs.get("first_round", 1))
    return {
        "id": str(plan.public_id),
        "date": plan.meeting.date.isoformat(),
        "state": plan.state,
        "status": READY if plan.is_ready else FAILED if problem else COMPUTING,
        "movement": plan.movement,
        "variation": plan.inputs.get("variation", ""),
        "policy": plan.inputs["policy"],
        "sizes": plan.inputs["sizes"],
        "seed": plan.seed,
        "iterations": plan.iterations,
        "round_count": n_rounds,
        "first_round": plan.inputs["first_round"],
        "players": ids_of(plan.inputs["present"]),
        "rounds": [
            {
                "number": number,
                "tables": [
                    {"number": at, "seats": ids_of(table)}
                    for at, table in enumerate(body["tables"], 1)
                ],
                "sitting_out": ids_of(body["sitting_out"]),
                **swiss_documents(plan, body, ids, names),
            }
            for number, body in enumerate(plan.rounds, first_round)
        ],
        "cost": {"opponent_excess": None, "unmet": None, **plan.cost} if plan.cost else None,
        "repeated_pairs": repeated_pairs(plan),
        "uneven": [
            share | {"players": ids_of(share["players"])}
            for share in uneven_shares_of(plan, names.players)
        ],
        "minutes_a_round": ends.minutes,
        "ends_at": ends.at(n_rounds) if n_rounds else None,
        "progress": {"done": plan.moves_done, "of": plan.moves},
        "problem": problem
        and {"code": problem.code, "facts": dict(problem.facts), "message": sentence(problem)},
        "advice": odd_units_line(plan) if plan.movement in PARTNERSHIPS else "",
        "left": list(changes.left),
        "came": list(changes.came),
        "created_at": plan.created_at,
        "chosen_at": plan.chosen_at,
    }


class PlanPage:
    """The data for a director to plan an evening; a constant number of queries.

    `partners` are the possible movements with partners, none if the rules have no two sides;
    `figures` the results of each kind of plan for the players present; `advice` why to plan all
    rounds now, if a Swiss tournament would repeat pairs; `alone` those without
    a partner where pairs play.

    Args:
        number: of the stage to plan; None: that of the drafts, else the current one.
    """

    def __init__(self, event: Event, meeting: Meeting, now: datetime, number: int | None) -> None:
        meeting.event = event
        rules = rules_of_event(event)
        sizes = sizes_of_rules(rules)
        plans = tuple(plans_of(meeting).exclude(state=PlanState.SUPERSEDED))
        for plan in plans:
            plan.event = event
        evening = EveningNow(meeting, plans)
        self.cards = plan_cards(event, meeting, plans, evening, now=now)
        waiting = stage_of_waiting(plans, evening.seated)
        stage = current_stage(event, waiting if number is None else number)
        if stage is not None and number is not None and stage.number != waiting:
            evening = EveningNow(meeting, stage=stage.number)
        self.evening, self.stage = evening, stage
        here = len(evening.people)
        usual = rounds_of_last_evening(meeting) or 3
        boards = boards_to_plan(event)
        self.rounds = rounds_to_plan(stage, "", 0, boards) or max(1, usual - evening.seated)
        self.movement = movement_to_plan(stage, "", boards)
        self.sizes = tuple(sorted(sizes))
        of_stage = tuple(size for size in sizes if stage and size in stage.sizes)
        self.preferred = (LINES,) if boards else of_stage
        self.preferred = self.preferred or preferred_sizes(event.club.seating, sizes)
        self.constraints = _constraints_text(event)
        self.partners = [*{*MOVEMENTS} & {*PARTNERSHIPS}] if plays_opposite(rules) else []
        units, alone = units_here(event, evening.people) if self.partners else ([], [])
        self.figures = _figures(units, here) if self.partners else {}
        self.is_moving = boards is not None and boards.tables > 0
        if boards is not None and self.is_moving:
            text = _("Players needed: %(needed)s, here: %(here)s.")
            self.figures[MOVING] = text % {"needed": boards.players, "here": here}
        plays_in_pairs = bool(units) or (stage is not None and stage.movement in PARTNERSHIPS)
        is_of_pairs = bool(units) and self.movement != TEAMS
        self.alone = Partnerless()
        if is_of_pairs:
            rows = [(person.pk, person.player_id, person.name) for person in alone]
            self.alone = find_partnerless(event, rows)
        self.advice = ""
        if not boards and not plays_in_pairs:
            stage_rounds = stage.rounds if stage is not None else None
            rounds = _rounds_planned(plans) or stage_rounds or usual
            self.advice = swiss_advice(here, rounds)
        self.boards_text = boards_in_words(boards)
        self.late_texts = _late_texts(event, stage)
        self.stage_text = _stage_text(stage, here)

    @property
    def stages(self) -> tuple[tuple[int, str], ...]:
        """Number and name of the stages to choose from; none where only one has begun."""
        begun = self.stage.begun if self.stage is not None else ()
        return begun if len(begun) > 1 else ()

    @property
    def here(self) -> int:
        return len(self.evening.people) - self.late

    @property
    def late(self) -> int:
        """The number of people who are planned for a later round and not checked in yet."""
        return sum(person.is_late for person in self.evening.people)

    @property
    def waiting(self) -> tuple[PlanCard, ...]:
        return tuple(card for card in self.cards if card.is_waiting)

    @property
    def ready(self) -> tuple[PlanCard, ...]:
        """The plans to compare; one whose rounds are all closed is none of them."""
        return tuple(card for card in self.cards if not card.is_waiting and not card.is_over)

    @property
    def has_nothing_to_choose(self) -> bool:
        """Whether no plan waits or can be chosen, so that the form for new ones is open."""
        return not self.waiting and all(card.is_chosen for card in self.ready)


def _rounds_planned(plans: Sequence[SeatingPlan]) -> int:
    """Return the rounds of the evening with those of its plans; 0 without plans of all rounds."""
    one_round = (*ROUND_BY_ROUND, OPEN)
    whole = [plan for plan in plans if not plan.is_swiss and plan.movement not in one_round]
    lasts = (int(plan.inputs["first_round"]) - 1 + plan.round_count for plan in whole)
    return max(lasts, default=0)


def _late_texts(event: Event, stage: CurrentStage | None) -> tuple[str, ...]:
    if stage is None or stage.movement != KNOCKOUT or not stage.seated:
        return ()
    return tuple(late_change.text for late_change in list_changes_since_draw(event, stage.number))


def _figures(units: Sequence[PlayingUnit], here: int) -> dict[str, str]:
    figures = {}
    for movement, variation in TITLES:
        least, most = PLAYERS_OF_UNIT.get((movement, variation), (2, 2))
        fits = all(least <= len(unit.here) <= most for unit in units)
        count = len(units) if fits else 0
        kind = f"{movement}:{variation}".rstrip(":")
        figures[kind] = movement_line(kind, here if movement == WHIST else count)
    return figures


def _stage_text(stage: CurrentStage | None, players: int) -> str:
    """Return which stage is played, which of its rounds is next, and what points count there.

    A Swiss stage without a number of rounds has the usual one for so many players. Empty for a
    stage of which nobody has planned anything.
    """
    if stage is None or (stage.is_first and not stage.movement and not stage.rounds):
        return ""
    facts = {"name": stage.name, "n": stage.seated + 1, "of": stage.rounds}
    if stage.is_seated:
        text = ngettext(
            "The round of %(name)s is seated.",
            "All %(of)s rounds of %(name)s are seated.",
            stage.rounds or 0,
        )
        return text % facts
    text = (
        _("Next: %(name)s, round %(n)s of %(of)s.")
        if stage.rounds
        else _("Next: %(name)s, round %(n)s.")
    ) % facts
    if not stage.is_first:
        text = f"{text} {CARRY_NAMES[stage.carry]}."
    if stage.movement == SWISS and not stage.rounds and players:
        usual = {"n": swiss_rounds(players), "players": players}
        text = f"{text} {_('For %(players)s players %(n)s rounds are usual.') % usual}"
    return text


def _constraints_text(event: Event) -> str:
    kinds = list(constraints_of(event).values_list("kind", flat=True))
    apart, together = kinds.count(ConstraintKind.APART), kinds.count(ConstraintKind.TOGETHER)
    fixed = kinds.count(ConstraintKind.FIXED_TABLE)
    texts = (
        (apart, ngettext("1 pair apart", "%(n)s pairs apart", apart)),
        (together, ngettext("1 pair together", "%(n)s pairs together", together)),
        (fixed, ngettext("1 fixed table", "%(n)s fixed tables", fixed)),
    )
    return ", ".join(text % {"n": n} for n, text in texts if n) or _("none")
