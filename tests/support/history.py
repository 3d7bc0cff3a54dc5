"""The history of an event, built at once instead of piece by piece as workers do."""

from datetime import datetime

from tests.support.cast import NOW
from tournaments.services.publishing.history import make_piece


def make_all(event_id: int, *, now: datetime = NOW) -> None:
    while make_piece(event_id, clock=lambda: now):
        pass
