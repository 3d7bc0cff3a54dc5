"""Which sides of a table are no pair or team of an event, by the ids that a file of sheets has."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from scoring.rules.rules import Rules
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.services.rounds.sides import PlayingGroups, groups_of


@dataclass(frozen=True, slots=True)
class Partners:
    """The pairs and teams of an event. What was found out about a table is kept for its hands."""

    groups: PlayingGroups
    rows: dict[str, int]
    known: dict[tuple[str, ...], bool] = field(default_factory=dict)

    @property
    def has_any(self) -> bool:
        """Whether pairs or teams compete."""
        return bool(self.groups.of)

    def are_split(self, rules: Rules, seated: Sequence[str]) -> bool:
        """Whether an import would ask if people sit together who are no pair.

        Args:
            seated: the player id of each seat, clockwise; empty where nobody is known.
        """
        if not self.has_any:
            return False
        key = (rules.content_hash, *seated)
        if key not in self.known:
            seats = [self.rows.get(code) for code in seated]
            self.known[key] = any(True for _ in self.groups.split(rules, seats, str))
        return self.known[key]


def partners_of(event: Event) -> Partners:
    """Return the pairs and teams of an event; three queries, two where there are none."""
    groups = groups_of(event)
    players = Player.objects.filter(club=event.club_id) if groups.of else Player.objects.none()
    return Partners(groups, dict(players.values_list("player_id", "pk")))
