"""The next season's event from this one: its game, its settings, and who competes."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import QuerySet

from tournaments.domain.event_settings import as_stored, settings_of
from tournaments.errors import Missing
from tournaments.models.events import (
    Entrant,
    EntrantMember,
    EntrantState,
    Event,
    EventKind,
    Stage,
    StageKind,
    StagePlan,
)
from tournaments.policy import Actor
from tournaments.selectors.clubs.find_players import require_not_merged
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.services.audit.audit import append_audit
from tournaments.services.db.locks import lock_event
from tournaments.services.db.transactions import atomic_act
from tournaments.services.events.events import (
    address_for,
    create_event,
    default_snapshot,
)
from tournaments.services.events.settings_validation import fitting_settings, rules_facts
from tournaments.services.permissions import require_event_creator

COPIED: Final = (
    *("name", "kind", "planned_rounds", "table_sizes", "carry", "takes", "advance", "seeding"),
    *("each_round", "from_round", "also_best"),
)
"""Columns of a stage that its director chooses."""


@dataclass(frozen=True, slots=True)
class EventCopy:
    """The event that was made, and how many compete in it from the beginning."""

    event: Event
    n_entrants: int


@atomic_act
def make_next_event(
    *,
    actor: Actor,
    event: Event,
    name: str,
    now: datetime,
    slug: str = "",
    with_players: bool = True,
) -> EventCopy:
    """Make a draft event like `event`: its game with the options, settings, stages and readers.

    No stage has begun but the first one. No result goes over, no penalty and no season; lots are
    drawn from a seed of its own.

    Args:
        slug: without one the first free one that the name or the kind proposes is taken.
        with_players: let those compete who competed here and did not withdraw, pairs as pairs.

    Raises:
        Missing: unknown_event, of a ladder, whose places and challenges make it what it is.
        Forbidden: create_event.
        Refused: what `create_event` refuses; unknown_variant where its rules are gone.
        Conflict: slug_taken.
    """
    if event.kind == EventKind.LADDER:
        raise Missing("event")
    rules = rules_of(default_snapshot(event))
    settings = fitting_settings(settings_of(event), rules_facts([rules]), seed=event.seed)
    if with_players:
        require_event_creator(actor, event.club)
        lock_entrants(event)
    made = create_event(
        actor=actor,
        club=event.club,
        name=name,
        slug=slug or address_for(event.club, name, event.kind),
        variant=event.variant,
        options=event.options,
        kind=event.kind,
        visibility=event.visibility,
        settings=as_stored(settings),
        now=now,
    )
    copy_stages(made, event)
    n_entrants = copy_entrants(made, event) if with_players else 0
    append_audit(
        club=event.club,
        actor=actor,
        act="make_next_event",
        subject=f"event:{made.slug}",
        facts={"after": event.slug, "entrants": n_entrants},
        now=now,
    )
    return EventCopy(made, n_entrants)


def copy_stages(made: Event, before: Event) -> None:
    """Plan in `made` the stages of `before`, play-offs left out; the first one needs no beginning.

    What was chosen is copied, what happened is not.
    """
    copies: dict[int, Stage] = {}
    own = Stage.objects.filter(event=before).exclude(kind=StageKind.PLAYOFF).order_by("number")
    for number, one in enumerate(own, 1):
        copies[one.pk], _made = Stage.objects.update_or_create(
            club_id=made.club_id,
            event=made,
            number=number,
            defaults={
                **{column: getattr(one, column) for column in COPIED},
                "plan": StagePlan.PLANNED if number > 1 else StagePlan.UNPLANNED,
                "from_stage": copies.get(one.from_stage_id or 0),
                "also_from": copies.get(one.also_from_id or 0),
            },
        )


def lock_entrants(before: Event) -> None:
    """Lock an event and the players of its entrants; comes before the event they are copied to.

    Raises:
        Missing, Conflict: as `require_not_merged`.
    """
    lock_event(before)
    require_not_merged(list(_members(before).values_list("player_id", flat=True)))


def copy_entrants(made: Event, before: Event) -> int:
    """Let the entrants of `before` that did not withdraw compete in `made`; returns how many.

    The caller has locked them (`lock_entrants`).
    """
    there = Entrant.objects.filter(event=before, state=EntrantState.ACTIVE).order_by("code")
    fresh = Entrant.objects.bulk_create(
        [
            Entrant(club_id=made.club_id, event=made, code=one.code, name=one.name, kind=one.kind)
            for one in there
        ]
    )
    of_code = {one.code: one for one in fresh}
    EntrantMember.objects.bulk_create(
        [
            EntrantMember(
                club_id=made.club_id, event=made, entrant=of_code[code], player_id=player_id
            )
            for code, player_id in _members(before).values_list("entrant__code", "player_id")
        ]
    )
    return len(fresh)


def _members(event: Event) -> QuerySet[EntrantMember]:
    members = EntrantMember.objects.filter(event=event, entrant__state=EntrantState.ACTIVE)
    return members.order_by("pk")
