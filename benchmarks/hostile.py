"""Names, lists and crowds of hostile sizes: processor time of each request, as in `ATTACKS`.

A row is what is sent, its size, and the call; the club is made for all of them.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Final

from django.contrib.auth.models import User
from django.test import Client

from benchmarks import crowds
from benchmarks.measure import Figure, Goal, say
from benchmarks.sizes import Sizes
from tests.support.builders import league
from tournaments.domain.people.public_names import new_player
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event
from tournaments.policy import command
from tournaments.services.clubs.clubs import create_club
from tournaments.services.clubs.members import give_role
from tournaments.services.operations import Operation
from tournaments.services.people.compare_names import compare_names

NOW: Final = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
GOAL_S: Final = 2.0
N_PLAYERS: Final = 3_000
LETTERS: Final = 118
MOST_LINES: Final = 500
"""Number of lines with the longest names that fit into the body of a request."""


@dataclass(frozen=True, slots=True)
class Attacked:
    """A club of players with long names of two letters, its event, and an owner's browser."""

    club: Club
    event: Event
    client: Client
    chance: Random

    def name(self) -> str:
        return "".join(self.chance.choice("ab") for _ in range(LETTERS))

    def names(self, n: int) -> list[str]:
        return [self.name() for _ in range(n)]

    def page(self, path: str, **fields: object) -> None:
        address = f"/clubs/{self.club.slug}/{path}"
        answer = self.client.post(address, fields) if fields else self.client.get(address)
        _require_answered(address, answer.status_code)

    def enter(self, lines: list[str]) -> None:
        address = f"/api/v1/clubs/{self.club.slug}/events/{self.event.slug}/rosters"
        answer = self.client.post(address, {"lines": lines}, content_type="application/json")
        _require_answered(address, answer.status_code)


def _require_answered(address: str, status: int) -> None:
    if status not in (200, 201, 422):
        raise AssertionError(f"{address}: {status}")


ATTACKS: Final[tuple[tuple[str, str, Callable[[Attacked], object]], ...]] = (
    ("page of the players", f"{N_PLAYERS:,} names", lambda at: at.page("players")),
    ("piece of comparing names", f"{N_PLAYERS:,} names", lambda _at: compare_names()),
    ("entrants over REST", "3 unknown names", lambda at: at.enter(at.names(3))),
    (
        "entrants over REST",
        f"{MOST_LINES:,} unknown names",
        lambda at: at.enter(at.names(MOST_LINES)),
    ),
    (
        "entrants over REST",
        f"{MOST_LINES // 2:,} unknown pairs",
        lambda at: at.enter([f"{at.name()} & {at.name()}" for _ in range(MOST_LINES // 2)]),
    ),
    (
        "entrants on a page",
        "1,000 unknown names",
        lambda at: at.page(
            f"events/{at.event.slug}/add-entrants", names="\n".join(at.names(1_000))
        ),
    ),
    (
        "pasted players",
        "1,000 names",
        lambda at: at.page("add-players", names="\n".join(at.names(1_000))),
    ),
    (
        "names to invite",
        "200 unknown names",
        lambda at: at.page("members/invite", names="\n".join(at.names(200)), check="yes"),
    ),
)
"""Words for the content, its size, and the call."""


def figures(sizes: Sizes, _folder: Path) -> Iterator[Figure]:
    attacked = _attacked()
    attacked.page("players")  # the first request reads the addresses
    for what, size, call in ATTACKS:
        say(f"{what}, {size}")
        taken = []
        for _ in range(sizes.repeats):
            begun = time.process_time()
            call(attacked)
            taken.append(time.process_time() - begun)
        median = sorted(taken)[len(taken) // 2]
        yield Figure("hostile sizes", f"{what}, {size}", median, "s", goal=Goal(GOAL_S))
    yield from crowds.figures(sizes)


def _attacked() -> Attacked:
    chance, op = Random(1), Operation(command("bench"), NOW)
    club = create_club(op, name="Hostile", slug="hostile")
    owner = User.objects.create_user("hostile-owner")
    give_role(op, club, user_id=owner.pk, role="owner")
    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(owner)
    attacked = Attacked(club, league(club), client, chance)
    Player.objects.bulk_create(
        new_player(club=club, player_id=f"M{n:04d}", name=attacked.name()) for n in range(N_PLAYERS)
    )
    return attacked
