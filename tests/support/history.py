"""The history of an event, built at once instead of piece by piece as workers do."""

from tournaments.services.publishing.history import make_piece


def make_all(event_id: int) -> None:
    while make_piece(event_id):
        pass
