"""What the page of an evening's plans is made from, read once. For directors only."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.seating.movements.plan_movement import BUILT
from scoring.seating.table_sizes import sizes_of_rules
from tournaments.domain.preset_stages import plays_opposite
from tournaments.domain.seating_preferences import read_preferences
from tournaments.models.events import Event, StageKind
from tournaments.models.meetings import Meeting
from tournaments.models.seating_plans import (
    PARTNERSHIPS,
    WHIST,
    ConstraintKind,
    PlanState,
    SeatingPlan,
)
from tournaments.presenters.rounds.partnership_facts import TITLES, movement_line
from tournaments.presenters.rounds.plan_cards import PlanCard, plan_cards
from tournaments.presenters.rounds.swiss_facts import swiss_advice
from tournaments.selectors.seating_plans.constraints import constraints_of
from tournaments.selectors.seating_plans.outdated import EveningNow, evening_now
from tournaments.selectors.seating_plans.people_here import rounds_of_last_evening, stage_now
from tournaments.selectors.seating_plans.plans import plans_of
from tournaments.selectors.seating_plans.units import units_here
from tournaments.services.rules.rule_sets import offered_in

USUAL_ROUNDS: Final = 3
"""Rounds that are proposed where the event had no evening before."""


@dataclass(frozen=True, slots=True)
class PlanPage:
    """An evening before it is seated: who is here, what is proposed, and the plans."""

    evening: EveningNow
    rounds: int
    sizes: tuple[int, ...]
    preferred: tuple[int, ...]
    cards: tuple[PlanCard, ...]
    constraints: str
    partners: tuple[str, ...] = ()
    """The movements with partners that can be planned; none where the rules have no two sides."""
    figures: Mapping[str, str] = field(default_factory=dict)
    """Kind of plan with partners → what its movement gives for those who are here."""
    movement: str = ""
    """The movement of the stage that is played; "" where the stage seats whoever comes."""
    advice: str = ""
    """Why all rounds should be planned now, where a Swiss tournament would repeat pairs."""

    @property
    def here(self) -> int:
        """How many people are checked in and can be seated."""
        return len(self.evening.people) - self.late

    @property
    def late(self) -> int:
        """How many people are planned for a later round and not checked in yet."""
        return sum(one.is_late for one in self.evening.people)

    @property
    def waiting(self) -> tuple[PlanCard, ...]:
        """The plans that are being computed."""
        return tuple(card for card in self.cards if card.is_waiting)

    @property
    def ready(self) -> tuple[PlanCard, ...]:
        """The plans to compare, and those that were not found."""
        return tuple(card for card in self.cards if not card.is_waiting)

    @property
    def chosen(self) -> PlanCard | None:
        """The plan that the evening is played by."""
        return next((card for card in self.cards if card.is_chosen), None)

    @property
    def has_drafts(self) -> bool:
        """Whether plans were made that nobody chose."""
        return any(not card.is_chosen for card in self.cards)


def plan_page(event: Event, meeting: Meeting, *, now: datetime) -> PlanPage:
    """Read what a director needs to plan an evening; a constant number of queries."""
    meeting.event = event
    rules = offered_in(event).rules(event.variant, event.options)
    sizes = sizes_of_rules(rules)
    kept = plans_of(meeting).exclude(state=PlanState.SUPERSEDED)
    plans: Sequence[SeatingPlan] = tuple(kept)
    for plan in plans:
        plan.event = event
    evening = evening_now(meeting, plans)
    last = rounds_of_last_evening(meeting)
    stage = stage_now(event)
    intended = stage.planned_rounds if stage is not None else None
    return PlanPage(
        evening=evening,
        rounds=max(1, (intended or last or USUAL_ROUNDS) - evening.seated),
        figures=_figures(event, evening) if plays_opposite(rules) else {},
        movement=stage.kind if stage is not None and stage.kind != StageKind.OPEN else "",
        sizes=tuple(sorted(sizes)),
        preferred=read_preferences(event.club.seating).allowed(sizes),
        cards=plan_cards(event, meeting, plans, evening, now=now),
        constraints=constraints_in_words(event),
        partners=tuple(set(BUILT).intersection(PARTNERSHIPS)) if plays_opposite(rules) else (),
        advice=swiss_advice(len(evening.people), last or USUAL_ROUNDS),
    )


def _figures(event: Event, evening: EveningNow) -> Mapping[str, str]:
    """Return what each movement with partners gives for those who are here; four queries."""
    units = len(units_here(event, evening.people).units)
    counts = {
        f"{movement}:{variation}".rstrip(":"): len(evening.people) if movement == WHIST else units
        for movement, variation in TITLES
    }
    return {kind: movement_line(kind, count) for kind, count in counts.items()}


def constraints_in_words(event: Event) -> str:
    """Return how many constraints an event has, by kind; one query."""
    kinds = list(constraints_of(event).values_list("kind", flat=True))
    apart, together = kinds.count(ConstraintKind.APART), kinds.count(ConstraintKind.TOGETHER)
    fixed = kinds.count(ConstraintKind.FIXED_TABLE)
    said = []
    if apart:
        said.append(ngettext("1 pair apart", "%(n)s pairs apart", apart) % {"n": apart})
    if together:
        said.append(ngettext("1 pair together", "%(n)s pairs together", together) % {"n": together})
    if fixed:
        said.append(ngettext("1 fixed table", "%(n)s fixed tables", fixed) % {"n": fixed})
    return ", ".join(said) or _("none")
