"""How many finish at a table, which is the size that a list of place points belongs to."""

from scoring.errors import Problem
from scoring.rules.rules import Rules
from tournaments.domain.event_settings import Settings


def size_of(rules: Rules, seats: int) -> int:
    """Return how many finish at a table of so many seats: with partners, the sides."""
    return len(rules.keys.teams.shape) if rules.keys.teams.mode != "none" else seats


def placement_problems(settings: Settings, rules: Rules, seats: int) -> list[Problem]:
    """Return why the event's place points do not reach a table of so many seats; 0 = unknown."""
    if settings.primary != "placement_points" or not seats:
        return []
    size = size_of(rules, seats)
    if str(size) in settings.placement:
        return []
    sizes = ", ".join(sorted(settings.placement, key=int))
    return [Problem("size_without_list", ("players",), {"found": size, "expected": sizes})]
