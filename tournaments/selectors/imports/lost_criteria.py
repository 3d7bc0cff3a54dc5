"""Tie-breaks that have no effect any more once a file of totals is in its event."""

from dataclasses import replace

from django.utils.translation import ngettext

from scoring.errors import listed
from scoring.json_types import JsonObject
from tournaments.domain.event_settings import settings_of
from tournaments.domain.standings.criteria import tie_break_named
from tournaments.models.events import Event
from tournaments.selectors.events.settings_checks import current_facts, unusable_criteria


def lost_criteria(event: Event, outline: JsonObject) -> tuple[str, ...]:
    """Return the keys of the event's tie-breaks that an import makes useless, in order.

    Tie-breaks that have no effect already are left out.
    """
    settings = settings_of(event)
    if not outline["has_totals"] or not settings.tie_breaks:
        return ()
    before = current_facts(event)
    after = replace(
        before,
        has_points_only=True,
        has_unknown_hands=before.has_unknown_hands or outline["has_unknown_hands"],
    )
    idle = unusable_criteria(settings, before, seed=event.seed)
    lost = unusable_criteria(settings, after, seed=event.seed)
    return tuple(key for key in settings.tie_breaks if key in lost and key not in idle)


def lost_criteria_text(event: Event, outline: JsonObject) -> str:
    """Return the lost tie-breaks as a warning; empty if there are none."""
    names = [tie_break_named(key).name for key in lost_criteria(event, outline)]
    if not names:
        return ""
    return ngettext(
        "After this import the tie-break %(names)s has no effect: the file has totals, no hands.",
        "After this import the tie-breaks %(names)s have no effect: the file has totals, no hands.",
        len(names),
    ) % {"names": listed(names)}
