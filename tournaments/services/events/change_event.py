"""Changing an event: name, address, readers, rules, settings; archive, delete, retry its jobs."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Any, Final

from django.db import transaction

from scoring.errors import Problem, Refused
from tournaments.domain.etags import mark_of_text
from tournaments.domain.event_settings import (
    Settings,
    as_stored,
    read_settings,
    setting_problems,
    settings_of,
    stored_settings,
    tag_of,
)
from tournaments.domain.name_matching import name_problems, one_line
from tournaments.domain.reasons import require_reason
from tournaments.errors import Conflict
from tournaments.models.deals import Deal
from tournaments.models.events import Event, EventState, Season, Visibility
from tournaments.models.hands import Game, Hand
from tournaments.models.imports import ImportBatch
from tournaments.models.meetings import Meeting, Round, SitOut, Table
from tournaments.models.outbox import (
    FIRST_TRY,
    PREFIXES_OF_EVENTS,
    Dirty,
    event_scope,
    import_scope,
    season_scope,
)
from tournaments.models.variants import HouseVersion
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.events.settings_checks import (
    facts_of,
    game_problems,
    require_comparable,
    setting_refusals,
)
from tournaments.selectors.jobs.queue import list_pending_deadlines, list_pending_scopes
from tournaments.selectors.rules.rule_sets import offered_in, store_snapshot
from tournaments.services.audit.audit import AFTER_AUDIT, mark_names_changed, note_change
from tournaments.services.clubs.clubs import slug_problems
from tournaments.services.clubs.names import change_event_slug, require_free_event_slug
from tournaments.services.db.locks import lock_event, lock_games
from tournaments.services.db.transactions import atomic_act, write_last
from tournaments.services.events.adjustments import ledger_problems
from tournaments.services.events.deadlines import schedule_challenges
from tournaments.services.events.seasons import require_season_fits
from tournaments.services.events.states import audit_event, require_running, schedule_finalization
from tournaments.services.jobs.enqueue import mark_changed, mark_recount
from tournaments.services.jobs.queue import mark_due
from tournaments.services.operations import Operation, operation
from tournaments.services.permissions import require

_EXPECTED: Final = ", ".join(Visibility.values)


def event_tag(event: Event) -> str:
    """Return a mark of what `change_event` can change, and of whether the event is archived."""
    return mark_of_text(f"{event.slug} {event.visibility} {event.archived_at} {event.name}")


@atomic_act
def change_event(
    *,
    actor: Actor,
    event: Event,
    now: datetime,
    name: str | None = None,
    slug: str | None = None,
    visibility: str | None = None,
    based_on: str = "",
) -> Event:
    """Change an event's name, address or visibility; None leaves a value unchanged.

    Another name or address has the event published again, with the same ranks. The former address
    leads on to the new one. With other readers every publication of the event is readable by them
    from the next request on, and by nobody else; the table of its season follows.
    """
    _require_rights(
        actor, event, renames=(name, slug) != (None, None), publishes=visibility is not None
    )
    event = lock_event(event)
    if based_on and based_on != event_tag(event):
        state = {"name": event.name, "slug": event.slug, "visibility": event.visibility}
        raise Conflict(Problem("event_outdated"), there=state)
    new_name = event.name if name is None else one_line(name)
    address = event.slug if slug is None else slug.strip()
    readers = event.visibility if visibility is None else visibility
    if problems := _problems(new_name, None if slug is None else address, readers):
        raise Refused(*problems)
    is_renamed, before = new_name != event.name, event.visibility
    is_moved = address != event.slug
    if is_moved:
        require_free_event_slug(event, address)
    _write(event, new_name, readers)
    if is_renamed or is_moved:
        mark_names_changed([event], by=get_role(actor, event.club_id), now=now)
    if readers != before or is_moved:
        _mark_season(event, now)
    if is_renamed:
        audit_event(event, actor, "rename_event", {}, now)
    if readers != before:
        audit_event(event, actor, "change_visibility", {"from": before, "to": readers}, now)
    if is_moved:
        addresses = {"from": event.slug, "to": address}
        audit_event(event, actor, "change_event_address", addresses, now)
        write_last(partial(change_event_slug, event, address, now=now), order=(AFTER_AUDIT,))
    return event


def _require_rights(actor: Actor, event: Event, *, renames: bool, publishes: bool) -> None:
    if renames or not publishes:
        require(actor, event.club, "manage_event")
    if publishes:
        require(actor, event.club, "publish")


def _write(event: Event, name: str, readers: str) -> None:
    """Store name and readers; a row that stays as it is is not written, for the lock's sake."""
    if (name, readers) != (event.name, event.visibility):
        Event.objects.filter(pk=event.pk).update(name=name, visibility=readers)
    event.name, event.visibility = name, readers


def _problems(name: str, slug: str | None, readers: str) -> list[Problem]:
    problems = [*name_problems(name), *(slug_problems(slug) if slug is not None else ())]
    if readers not in Visibility.values:
        facts = {"key": "visibility", "found": readers, "expected": _EXPECTED}
        problems.append(Problem("bad_setting", ("visibility",), facts))
    return problems


def _mark_season(event: Event, now: datetime) -> None:
    season = Season.objects.select_related("club").filter(events=event).first()
    if season is None or not season.settings:
        return
    require_season_fits(season)
    mark_due(season_scope(season.pk), now=now)


@transaction.atomic
def use_version(*, actor: Actor, event: Event, version: HouseVersion, now: datetime) -> Event:
    """Set an event's version of house rules; existing tables keep their rules."""
    require(actor, event.club, "manage_event")
    event = lock_event(event)
    require_running(event)
    snapshot = store_snapshot(event=event, variant=version.code, options=event.options)
    if event.variant == snapshot.variant:
        return event
    require_comparable(event=event, rules=snapshot)
    facts = {"from": event.variant, "to": snapshot.variant, "rules": snapshot.content_hash}
    event.variant = snapshot.variant
    event.save(update_fields=["variant"])
    audit_event(event, actor, "use_version", facts, now)
    return event


@atomic_act
def archive_event(
    *, actor: Actor, event: Event, reason: str, now: datetime, archived: bool = True
) -> Event:
    """Hide an event from lists, or show it there again; one that is so already stays as it is."""
    require(actor, event.club, "archive_event")
    require_reason(reason)
    event = lock_event(event)
    if (event.archived_at is not None) == archived:
        return event
    event.archived_at = now if archived else None
    Event.objects.filter(pk=event.pk).update(archived_at=event.archived_at)
    act = "archive_event" if archived else "unarchive_event"
    audit_event(event, actor, act, {"reason": reason.strip()}, now)
    return event


@atomic_act
def delete_event(*, actor: Actor, event: Event, now: datetime) -> None:
    """Delete a draft; the audit trail keeps that it was there."""
    require(actor, event.club, "manage_event")
    event = lock_event(event)
    if event.state != EventState.DRAFT:
        raise Conflict(Problem("event_not_draft", ("state",)))
    lock_games(Game.objects.filter(event=event))  # a first hand is in, or finds no event
    if Hand.objects.filter(game__event=event).exists():
        raise Conflict(Problem("event_holds_hands", ("state",)))
    batches = ImportBatch.objects.filter(event=event)
    scopes = [f"{prefix}{event.pk}" for prefix in PREFIXES_OF_EVENTS]
    scopes += [import_scope(pk) for pk in batches.values_list("pk", flat=True)]
    batches.delete()
    # What points at something protected goes first.
    for model in (Table, SitOut, Round, Meeting):
        model.objects.filter(event=event).delete()
    event.delete()
    Dirty.objects.filter(scope__in=scopes).delete()
    audit_event(event, actor, "delete_event", {}, now)


@operation("publish", locks=lock_event)  # as the jobs of the clock take it, before their deadlines
def retry_jobs(op: Operation, event: Event, /) -> int:
    """Retry the jobs of an event that stopped after an error."""
    scopes = [f"{kind}{event.pk}" for kind in PREFIXES_OF_EVENTS]
    parked = list_pending_scopes().filter(scope__in=scopes, parked=True)
    # The event's own row before the others, in the order of publishing.
    for scope in sorted(scopes, key=lambda scope: (scope != event_scope(event.pk), scope)):
        list(parked.select_for_update(no_key=True).filter(scope=scope).values_list("pk"))
    n_scopes = parked.update(due_at=None, marked_at=op.now, **FIRST_TRY)
    deadlines = list_pending_deadlines().filter(event=event, parked=True)
    n_deadlines = deadlines.update(due_at=op.now, **FIRST_TRY)
    if n_scopes or n_deadlines:
        op.audit(event, {"scopes": n_scopes, "deadlines": n_deadlines}, name="try_again")
    return n_scopes + n_deadlines


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
    """Update the event's settings with `values`, and recompute dependent data.

    Nothing is written if nothing differs. After the first hand the change log records the changes
    and their reason.
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
    if needs_reason or reason.strip():
        require_reason(reason)
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
