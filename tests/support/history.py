"""What companions of a publication there are, made at once as workers make them in turn."""

from tournaments.publishing.history.build import make_piece


def make_all(event_id: int) -> None:
    """Make every companion that is left."""
    while make_piece(event_id):
        pass
