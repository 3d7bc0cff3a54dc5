"""Changing an event's name, address and readers; at any time, of final events too."""

from datetime import datetime
from functools import partial
from typing import Final

from scoring.errors import Problem, Refused
from tournaments.domain.etags import mark_of_text
from tournaments.domain.name_matching import one_line
from tournaments.errors import Conflict
from tournaments.models.events import Event, Season, Visibility
from tournaments.models.outbox import season_scope
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import role_of
from tournaments.services.audit.audit import AFTER_AUDIT, append_audit
from tournaments.services.audit.change_log import mark_names_changed
from tournaments.services.clubs.clubs import name_problems, slug_problems
from tournaments.services.clubs.slugs import change_event_slug, require_free_event_slug
from tournaments.services.db.locks import lock_event
from tournaments.services.db.transactions import atomic_act, write_last
from tournaments.services.events.seasons import require_season_fits
from tournaments.services.jobs.queue import mark_due
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
    """Give an event another name, address or other readers; what is None or the same stays.

    Another name or address has the event published again, with the same ranks. The former address
    leads on to the new one. With other readers every publication of the event is readable by them
    from the next request on, and by nobody else; the table of its season follows.

    Args:
        based_on: the `event_tag` that the caller looked at; empty = whatever there is.

    Raises:
        Forbidden: manage_event for name and address, publish for the readers.
        Conflict: event_outdated, slug_taken.
        Refused: no_name, name_too_long, no_slug, bad_slug, bad_setting, season_goes_both_ways and
            what the table of its season cannot count.
    """
    _require_rights(
        actor,
        event,
        names_it=name is not None or slug is not None,
        has_readers=visibility is not None,
    )
    event = lock_event(event)
    if based_on and based_on != event_tag(event):
        there = {"name": event.name, "slug": event.slug, "visibility": event.visibility}
        raise Conflict(Problem("event_outdated"), there=there)
    wanted = event.name if name is None else one_line(name)
    address = event.slug if slug is None else slug.strip()
    readers = event.visibility if visibility is None else visibility
    if problems := _problems(wanted, None if slug is None else address, readers):
        raise Refused(*problems)
    is_renamed, before = wanted != event.name, event.visibility
    is_moved = address != event.slug
    if is_moved:
        require_free_event_slug(event, address)
    _write(event, wanted, readers)
    if is_renamed or is_moved:
        mark_names_changed([event], by=role_of(actor, event.club_id), now=now)
    if readers != before or is_moved:
        _mark_season(event, now)
    if is_renamed:
        _note(event, actor, "rename_event", {}, now)
    if readers != before:
        _note(event, actor, "change_visibility", {"from": before, "to": readers}, now)
    if is_moved:
        _note(event, actor, "change_event_address", {"from": event.slug, "to": address}, now)
        write_last(partial(change_event_slug, event, address, now=now), order=(AFTER_AUDIT,))
    return event


def _require_rights(actor: Actor, event: Event, *, names_it: bool, has_readers: bool) -> None:
    if names_it or not has_readers:
        require(actor, event.club, "manage_event")
    if has_readers:
        require(actor, event.club, "publish")


def _write(event: Event, name: str, readers: str) -> None:
    """Store name and readers; a row that stays as it is is not written, for the lock's sake."""
    if (name, readers) != (event.name, event.visibility):
        Event.objects.filter(pk=event.pk).update(name=name, visibility=readers)
    event.name, event.visibility = name, readers


def _problems(name: str, slug: str | None, readers: str) -> list[Problem]:
    """Return what is wrong with a name, a new address and readers."""
    problems = [*name_problems(name), *(slug_problems(slug) if slug is not None else ())]
    if readers not in Visibility.values:
        facts = {"key": "visibility", "found": readers, "expected": _EXPECTED}
        problems.append(Problem("bad_setting", ("visibility",), facts))
    return problems


def _mark_season(event: Event, now: datetime) -> None:
    """Have the table of the event's season made again: it names and counts public events only."""
    season = Season.objects.select_related("club").filter(events=event).first()
    if season is None or not season.settings:
        return
    require_season_fits(season)
    mark_due(season_scope(season.pk), now=now)


def _note(event: Event, actor: Actor, act: str, facts: dict[str, object], now: datetime) -> None:
    append_audit(
        club=event.club,
        actor=actor,
        act=act,
        subject=f"event:{event.slug}",
        facts=facts,
        now=now,
    )
