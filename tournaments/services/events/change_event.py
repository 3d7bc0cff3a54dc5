"""Changing an event: name, address, readers, rules, settings; archive, delete, retry its jobs."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import Any, Final

from scoring.errors import Problem
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
from tournaments.domain.reasons import BAD_REASON, require_reason
from tournaments.errors import Conflict, refuse_any
from tournaments.models.boards import Deal
from tournaments.models.events import Event, EventState, Season, Visibility
from tournaments.models.hands import Game, Hand
from tournaments.models.imports import ImportBatch
from tournaments.models.jobs import (
    FIRST_TRY,
    PREFIXES_OF_EVENTS,
    Dirty,
    event_scope,
    import_scope,
    season_scope,
)
from tournaments.models.rounds import AttendanceState, Meeting, Round, SitOut, Table
from tournaments.models.rules import HouseVersion
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.events.meetings import club_day
from tournaments.selectors.events.settings_checks import (
    game_problems,
    new_refusals,
    require_comparable,
)
from tournaments.selectors.jobs.queue import list_pending_deadlines, list_pending_scopes
from tournaments.selectors.rules.house_rules import find_newer_house_version
from tournaments.selectors.rules.rule_sets import offered_in, store_snapshot
from tournaments.services.audit.audit import AFTER_AUDIT, mark_names_changed, note_change
from tournaments.services.clubs.clubs import slug_problems
from tournaments.services.clubs.names import change_slug, require_free_event_slug
from tournaments.services.db.locks import lock_event, lock_games
from tournaments.services.db.transactions import write_last
from tournaments.services.events.adjustments import ledger_problems
from tournaments.services.events.events import BAD_NAME, BAD_RULES, BAD_SETTINGS
from tournaments.services.events.opening_values import opening_value_problems
from tournaments.services.events.seasons import UNFIT, require_season_fits
from tournaments.services.events.states import require_running, schedule_finalization
from tournaments.services.jobs.enqueue import mark_changed, mark_recount
from tournaments.services.jobs.queue import mark_due
from tournaments.services.jobs.schedule import schedule_challenges
from tournaments.services.operations import Operation, operation
from tournaments.services.waiting_list import move_up

PLAYED: Final = ("length", "start_totals", "duplicate")
"""Settings that tables are played by; they stay from the first hand on."""

COUNTED: Final = frozenset(
    {"primary", "evening_ranking", "placement", "drop_worst", "best_of", "substitutes"}
)
"""Settings that stored values of games depend on; a change counts the event again."""


def event_tag(event: Event) -> str:
    """Return a mark of what `change_event` can change, and of whether the event is archived."""
    return mark_of_text(f"{event.slug} {event.visibility} {event.archived_at} {event.name}")


@operation(
    "manage_event", locks=lock_event, refuses=(*BAD_NAME, *UNFIT, "bad_setting", "event_outdated")
)
def change_event(
    op: Operation,
    event: Event,
    /,
    *,
    name: str | None = None,
    slug: str | None = None,
    visibility: str | None = None,
    based_on: str | None = None,
) -> Event:
    """Change the name, slug or visibility of an event, at any time, even if it is final.

    `If-Match` names the event that you read, or is `*`. Without it the answer is 428; if somebody
    changed the event meanwhile it is 412, with the current values (`there`). For everybody who may
    no longer read it, the event with all older publications answers 404 at once.
    """
    if visibility is not None:
        op.require("publish", event)
    _require_current(event, based_on)
    before = event.visibility
    address = event.slug if slug is None else slug.strip()
    new_name = event.name if name is None else one_line(name)
    readers = before if visibility is None else visibility
    refuse_any(
        [
            *name_problems(new_name),
            *(slug_problems(address) if slug is not None else ()),
            *_visibility_problems(readers),
        ]
    )
    is_renamed, is_moved = new_name != event.name, address != event.slug
    if is_moved:
        require_free_event_slug(event, address)
    if is_renamed or readers != before:  # otherwise the row is not written, for the lock's sake
        Event.objects.filter(pk=event.pk).update(name=new_name, visibility=readers)
    event.name, event.visibility = new_name, readers
    if is_renamed or is_moved:
        mark_names_changed([event], by=get_role(op.actor, event.club_id), now=op.now)
    if readers != before or is_moved:
        _mark_season(event, op.now)
    if is_renamed:
        op.audit(event, name="rename_event")
    if readers != before:
        op.audit(event, {"from": before, "to": readers}, name="change_visibility")
    if is_moved:
        op.audit(event, {"from": event.slug, "to": address}, name="change_event_address")
        write_last(partial(change_slug, event, address, now=op.now), order=(AFTER_AUDIT,))
    return event


def _visibility_problems(visibility: str) -> Iterator[Problem]:
    if visibility not in Visibility.values:
        facts = {"key": "visibility", "found": visibility}
        facts["expected"] = ", ".join(Visibility.values)
        yield Problem("bad_setting", ("visibility",), facts)


def _require_current(event: Event, based_on: str | None) -> None:
    if based_on and based_on != event_tag(event):
        state = {"name": event.name, "slug": event.slug, "visibility": event.visibility}
        raise Conflict(Problem("event_outdated"), there=state)


def _mark_season(event: Event, now: datetime) -> None:
    season = Season.objects.select_related("club").filter(events=event).first()
    if season is None or not season.settings:
        return
    require_season_fits(season)
    mark_due(season_scope(season.pk), now=now)


@operation(
    "manage_event",
    locks=lock_event,
    refuses=("event_is_over", *BAD_RULES, "games_not_mixed"),
    name="use_version",
)
def use_house_version(
    op: Operation, event: Event, /, *, version: HouseVersion | None = None
) -> Event:
    """Use the newest version of the house rules in an event from now on.

    Existing tables keep their rules. An event that plays the newest version already, or no house
    rules, stays as it is.
    """
    version = version or find_newer_house_version(event)
    if version is None:
        return event
    require_running(event)
    snapshot = store_snapshot(event=event, variant=version.code, options=event.options)
    if event.variant == snapshot.variant:
        return event
    require_comparable(event=event, rules=snapshot)
    facts = {"from": event.variant, "to": snapshot.variant, "rules": snapshot.content_hash}
    event.variant = snapshot.variant
    event.save(update_fields=["variant"])
    op.audit(event, facts)
    return event


@operation("archive_event", locks=lock_event, refuses=BAD_REASON)
def archive_event(op: Operation, event: Event, /, *, reason: str) -> Event:
    """Take an event out of the club's lists. Its addresses stay; `unarchive` puts it back."""
    return _set_archived(op, event, op.now, reason)


@operation("archive_event", locks=lock_event, refuses=BAD_REASON)
def unarchive_event(op: Operation, event: Event, /, *, reason: str) -> Event:
    """Put an archived event back into the club's lists."""
    return _set_archived(op, event, None, reason)


def _set_archived(op: Operation, event: Event, at: datetime | None, reason: str) -> Event:
    require_reason(reason)
    if (event.archived_at is None) != (at is None):
        event.archived_at = at
        Event.objects.filter(pk=event.pk).update(archived_at=at)
        op.audit(event, {"reason": reason.strip()})
    return event


@operation("manage_event", locks=lock_event, refuses=("event_not_draft", "event_holds_hands"))
def delete_event(op: Operation, event: Event, /) -> Event:
    """Delete a draft in which no hand was entered; any other event is archived instead."""
    if event.state != EventState.DRAFT:
        raise Conflict(Problem("event_not_draft", ("state",)))
    lock_games(Game.objects.filter(event=event))  # a first hand is in, or finds no event
    if has_hands(event):
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
    op.audit(event)
    return event


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


def has_hands(event: Event) -> bool:
    """Whether a hand was entered in the event, so that a change needs a reason."""
    return Hand.objects.filter(game__event=event).exists()


def _require_not_final(event: Event) -> None:
    if event.state == EventState.FINAL:
        raise Conflict(Problem("event_is_final", ("state",)))


@operation(
    "manage_event",
    locks=lock_event,
    requires=_require_not_final,
    refuses=(
        *(*BAD_SETTINGS, *BAD_REASON, "event_is_final", "settings_outdated", "setting_is_played"),
        *("duplicate_has_deals", "ledger_in_other_units", "hands_not_known", "hands_differ"),
        *("opening_values_in_other_units", "opening_value_of_several_games"),
        *("raw_over_games", "raw_over_sizes", "no_placement_list", "moons_not_known", "no_seed"),
    ),
)
def change_settings(
    op: Operation,
    event: Event,
    /,
    *,
    values: Mapping[str, object],
    reason: str = "",
    based_on: str | None = None,
) -> Settings:
    """Change settings of an event; a setting for which the sheets have no data is refused.

    `If-Match` names the settings that you read. Without it the answer is 428; if somebody changed
    them meanwhile it is 412, with the current settings (`there`). After the first hand a reason is
    required, and the change log of the event lists the change.
    """
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
    event.settings = as_stored(settings)
    Event.objects.filter(pk=event.pk).update(settings=event.settings)
    if "correction_window_h" in changed:
        schedule_finalization(event)
    if "ladder" in changed:
        schedule_challenges(event)
    if "capacity" in changed:
        _move_up_at_evenings(op, event)
    facts = {"settings": {key: list(pair) for key, pair in changed.items()}}
    if needs_reason:
        by = get_role(op.actor, event.club_id)
        now = op.now
        note_change(event=event, kind="settings", by=by, reason=reason, now=now, facts=facts)
    else:
        mark_changed(event=event, now=op.now)
    if not COUNTED.isdisjoint(changed):
        mark_recount(event=event, now=op.now)
    op.audit(event, {**facts, "reason": reason.strip()})
    return settings


def _move_up_at_evenings(op: Operation, event: Event) -> None:
    """Give places to who waits at the evenings to come, if there are more than before."""
    ahead = Meeting.objects.filter(event=event, date__gte=club_day(event.club, op.now))
    with_waiting = ahead.filter(attendance__state=AttendanceState.WAITING).distinct()
    for meeting in with_waiting.order_by("date"):
        meeting.event = event
        move_up(op, meeting)


def requested_settings(
    event: Event, values: Mapping[str, object], *, is_played: bool
) -> tuple[Settings, Mapping[str, tuple[Any, Any]]]:
    """Return the settings that an event would have, and what differs: old and new value by key."""
    stored = settings_of(event)
    before = as_stored(stored)
    whole = {**before, **values}
    problems = [
        *setting_problems(whole),
        *game_problems(offered_in(event), event.variant, event.options, whole),
    ]
    refuse_any(problems)
    settings = read_settings(stored_settings(whole))
    after = as_stored(settings)
    changed = {key: (before[key], after[key]) for key in after if before[key] != after[key]}
    if not changed:
        return settings, changed
    if is_played:
        problems = [
            Problem("setting_is_played", ("settings", key), {"key": key})
            for key in PLAYED
            if key in changed
        ]
    has_deals = Deal.objects.filter(event=event).exists
    if "duplicate" in changed and not settings.duplicate and has_deals():
        problems.append(Problem("duplicate_has_deals", ("settings", "duplicate")))
    if "primary" in changed:
        problems += ledger_problems(event, *changed["primary"])
    elif settings.counts_evenings and "evening_ranking" in changed:
        problems += ledger_problems(event, *changed["evening_ranking"], setting="evening_ranking")
    problems += opening_value_problems(event, settings)
    problems += new_refusals(event, stored, settings, changed)
    refuse_any(problems)
    return settings, changed
