"""The usual lists of place points, by how many finish at a table."""

from tournaments.domain.event_settings import PLACEMENT

DEFAULT_SCHEMES = {int(size): tuple(points) for size, points in PLACEMENT.items()}
