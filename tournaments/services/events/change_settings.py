"""Changing the settings of an event: freely while no hand is entered, afterwards with a reason."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from scoring.errors import Problem, Refused
from tournaments.domain.event_settings import (
    Settings,
    as_stored,
    read_settings,
    setting_problems,
    settings_of,
    stored_settings,
    tag_of,
)
from tournaments.domain.reasons import reason_problems
from tournaments.errors import Conflict
from tournaments.models.deals import Deal
from tournaments.models.events import Event, EventState
from tournaments.models.hands import Hand
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.events.settings_checks import facts_of, game_problems, setting_refusals
from tournaments.selectors.rules.rule_sets import offered_in
from tournaments.services.audit.audit import note_change
from tournaments.services.db.locks import lock_event
from tournaments.services.db.transactions import atomic_act
from tournaments.services.events.adjustments import ledger_problems
from tournaments.services.events.deadlines import schedule_challenges
from tournaments.services.events.states import audit_event, schedule_finalization
from tournaments.services.jobs.enqueue import mark_changed, mark_recount
from tournaments.services.permissions import require

PLAYED: Final = ("length", "start_totals", "duplicate")
"""What tables are played by, so that it stays from the first hand on."""

COUNTED: Final = frozenset({"primary", "placement", "drop_worst", "best_of"})
"""What is kept of each game hangs on these: a change of one has the event counted again."""


def has_hands(event: Event) -> bool:
    """Whether a hand was entered in the event, so that a change needs a reason."""
    return Hand.objects.filter(game__event=event).exists()


@atomic_act
def change_settings(
    *,
    actor: Actor,
    event: Event,
    values: Mapping[str, object],
    now: datetime,
    reason: str = "",
    based_on: str = "",
) -> Settings:
    """Put `values` over the event's settings, and count again what hangs on them.

    Nothing happens where nothing differs. After the first hand the change log says what was
    changed, and why.
    """
    require(actor, event.club, "manage_event")
    event = lock_event(event)
    if event.state == EventState.FINAL:
        raise Conflict(Problem("event_is_final", ("state",)))
    before = settings_of(event)
    if based_on and based_on != tag_of(before):
        raise Conflict(Problem("settings_outdated"), there=as_stored(before))
    is_played = has_hands(event)
    settings, changed = requested_settings(event, values, is_played=is_played)
    if not changed:
        return before
    needs_reason = is_played or event.state == EventState.CLOSED
    if (needs_reason or reason.strip()) and (problems := tuple(reason_problems(reason))):
        raise Refused(*problems)
    Event.objects.filter(pk=event.pk).update(settings=as_stored(settings))
    event.settings = as_stored(settings)
    if "correction_window_h" in changed:
        schedule_finalization(event)
    if "ladder" in changed:
        schedule_challenges(event)
    version = mark_changed(event=event, now=now)
    if not COUNTED.isdisjoint(changed):
        mark_recount(event=event, now=now)
    facts = {key: list(pair) for key, pair in changed.items()}
    if needs_reason:
        note_change(
            event=event,
            version=version,
            kind="settings",
            by=get_role(actor, event.club_id),
            now=now,
            reason=reason,
            facts={"settings": facts},
        )
    noted = {"settings": facts, "reason": reason.strip()}
    audit_event(event, actor, "change_settings", noted, now)
    return settings


def requested_settings(
    event: Event, values: Mapping[str, object], *, is_played: bool
) -> tuple[Settings, Mapping[str, tuple[Any, Any]]]:
    """Return the settings that an event would have, and what differs: old and new value by key."""
    before = as_stored(settings_of(event))
    whole = {**before, **values}
    problems = [
        *setting_problems(whole),
        *game_problems(offered_in(event), event.variant, event.options, whole),
    ]
    if problems:
        raise Refused(*problems)
    settings = read_settings(stored_settings(whole))
    after = as_stored(settings)
    changed = {key: (before[key], after[key]) for key in after if before[key] != after[key]}
    if is_played:
        problems = [
            Problem("setting_is_played", ("settings", key), {"key": key})
            for key in PLAYED
            if key in changed
        ]
    if (
        "duplicate" in changed
        and not settings.duplicate
        and Deal.objects.filter(event=event).exists()
    ):
        problems.append(Problem("duplicate_has_deals", ("settings", "duplicate")))
    if "primary" in changed:
        problems.extend(ledger_problems(event, *changed["primary"]))
    if changed:
        facts = facts_of(event, min_games=settings.min_games)
        chain = before["tie_breaks"]
        problems.extend(
            setting_refusals(
                settings, facts, seed=event.seed, changed=changed, tie_breaks_before=chain
            )
        )
    if problems:
        raise Refused(*problems)
    return settings, changed
