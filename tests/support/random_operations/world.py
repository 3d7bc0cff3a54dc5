"""What random operations are done to: a club, its events, and what became of each operation."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count

from django.db.models import QuerySet

from tests.support.builders import by_tests, counts, ladder, league
from tests.support.cast import NOW, enter_the_cast
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Entrant
from tournaments.models.hands import Game
from tournaments.models.rounds import Round
from tournaments.services.clubs.clubs import add_player
from tournaments.services.events.events import entrant_for
from tournaments.services.hands.close_tables import close_tables
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.publishing.ladders import publish_ladder
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds import rounds, seating

LATER = NOW + timedelta(days=2)
"""When the window of what is closed at NOW is over."""
PEOPLE = 24
MEMBERS = 20

Games = QuerySet[Game]


@dataclass
class World:
    """A club, its events by what they are for, and what became of each operation."""

    club: Club
    people: list[Player]
    leagues: list[int]
    cutting: int
    ladder: int
    tied: list[int] = field(default_factory=list)
    accepted: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    slowest: Counter[str] = field(default_factory=Counter)
    moments: Iterator[int] = field(default_factory=count)

    @property
    def events(self) -> list[int]:
        """All but the ladder."""
        return [*self.leagues, self.cutting, *self.tied]

    def table_of_operations(self) -> str:
        names = sorted({*self.accepted, *self.refused})
        rows = [f"{'act':<20}{'accepted':>9}{'refused':>9}{'slowest ms':>11}"]
        rows += [
            f"{name:<20}{self.accepted[name]:>9}{self.refused[name]:>9}{self.slowest[name]:>11}"
            for name in names
        ]
        return "\n".join([*rows, f"refused for: {dict(self.codes.most_common())}"])


def make_world() -> World:
    club = enter_the_cast().riverside
    people = [
        add_player(by_tests(), club, name=f"Player {at}", player_id=f"P{at:02d}")
        for at in range(1, PEOPLE + 1)
    ]
    scheme = {"primary": "placement_points", "drop_worst": 1, "correction_window_h": 1}
    leagues = [
        league(club, slug="plain", settings={"correction_window_h": 1}),
        league(club, slug="dropping", settings=scheme),
    ]
    cutting = league(club, slug="cutting")
    for at in range(0, 8, 4):
        game = seating.seat_table(by_tests(), cutting, round_number=1, players=people[at : at + 4])
        record_entry(
            by_tests(), game, number=1, entry=counts([4 + at, 5 - at, 4, 0], 2),
            source="host",
        )  # fmt: skip
    first = Round.objects.get(event=cutting)
    close_tables(by_tests(), first)
    rounds.move_round(by_tests(), first, to="closed")
    climbed = ladder(club, slug="climbed", rules={"rematch_days": 0})
    for place, player in enumerate(people[:MEMBERS], start=1):
        entrant = entrant_for(event=climbed, player=player)
        Entrant.objects.filter(pk=entrant.pk).update(start_position=place)
    publish(climbed.pk, now=NOW)
    publish_ladder(climbed.pk, now=NOW)
    return World(club, people, [one.pk for one in leagues], cutting.pk, climbed.pk)
