"""Locking an event's row: what is numbered through the event, or moves its entrants, queues there.

Taken before games are locked. Hands go on being entered meanwhile: they only point at the row,
which `no_key` lets them. Without it a hand that holds the event's dirty row, or the end of the
club's record, would wait at its end for who waits for these.
"""

from tournaments.models.events import Event


def lock_event(event: Event) -> Event:
    """Return the event with its row locked, and its club, as it stands now."""
    events = Event.objects.select_for_update(of=("self",), no_key=True)
    return events.select_related("club").get(pk=event.pk)
