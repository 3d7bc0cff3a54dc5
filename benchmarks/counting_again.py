"""Counting a league from the beginning: as `manage.py replay` does, and as a bare GROUP BY."""

from django.db import connection
from django.utils import timezone

from tournaments.models.events import Event
from tournaments.models.standings import Aggregate
from tournaments.services.verification.event import EventVerification, verify_event

GROUP_BY = """
    SELECT m.entrant_id, COUNT(*), SUM(s.score)
    FROM tournaments_entrantmember m
    JOIN tournaments_sitting t ON t.player_id = m.player_id
    JOIN tournaments_round r ON r.id = t.round_id AND r.event_id = m.event_id
    JOIN tournaments_seatscore s ON s.seat_id = t.seat_id
    WHERE m.event_id = %s GROUP BY m.entrant_id
"""
"""Nobody changes seats in these leagues, and only hands that count have scores."""


def count_again(event: Event) -> EventVerification:
    """Rebuild all that follows from the entries, where nothing may differ."""
    found = verify_event(event, repair=True, now=timezone.now(), report=_nobody_listens)
    if found.differs:
        raise AssertionError("\n".join(found.lines()))
    return found


def group_by(event: Event) -> dict[int, tuple[int, int]]:
    with connection.cursor() as cursor:
        cursor.execute(GROUP_BY, [event.pk])
        return {entrant: (hands, int(points)) for entrant, hands, points in cursor.fetchall()}


def require_same_sums(event: Event) -> None:
    """Let the bare GROUP BY say what the stored sums say, so that it is the same work."""
    stored = Aggregate.objects.filter(event=event, hands__gt=0)
    sums = {entrant: (hands, points) for entrant, hands, points in stored.values_list(
        "entrant_id", "hands", "points"
    )}  # fmt: skip
    if group_by(event) != sums:
        raise AssertionError("the bare GROUP BY sums up something else than what is stored")


def _nobody_listens(words: str) -> None:
    """Where progress goes."""
