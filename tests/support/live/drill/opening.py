"""How the night of a drill begins: its events, everybody who comes, and their tokens."""

from random import Random
from typing import Final

from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from tests.support.builders import by_tests, league, players
from tests.support.cast import enter_the_cast
from tests.support.imports import make_league
from tests.support.live.drill.account import Account
from tests.support.live.drill.cast import Director, Host, PageHost
from tests.support.live.drill.faults import Scene
from tests.support.live.drill.machines import Machines
from tests.support.live.drill.people import Evening, Night, Person, Stranger
from tests.support.live.drill.readers import Program, Visitor
from tests.support.live.page_client import give_password
from tournaments.models.clubs import Club, Membership
from tournaments.services.access.tokens import make_token

TABLES: Final = 4
"""Tables of each event, so many hosts too."""
SPARE: Final = 3
"""Players of each event who have no seat in a round."""
VISITORS: Final = 4
SHEETS: Final = 400
"""Hands of the file that is imported."""


class Opening:
    """The night before anybody is seated: everybody has an account and a token."""

    def __init__(self, machines: Machines, account: Account, seed: int) -> None:
        cast = enter_the_cast()
        self._club, self._account = cast.riverside, account
        self._night = Night(machines.all, account, machines.ending, seed)
        self.evenings: list[Evening] = []
        self.events: dict[str, int] = {}
        """Slug → id."""
        self.people: list[Person] = []
        for slug in ("first", "second"):
            self._open_event(slug)
        self.people += [
            Visitor(self._night, f"visitor-{number}", self.evenings) for number in range(VISITORS)
        ]
        reader = self._new_token("reader", "player", "read")
        self.program = Program(self._night, "program", reader, self.evenings)
        self.people.append(self.program)
        sheets = machines.place / "sheets.csv"
        make_league.main(["--players", "40", "--hands", str(SHEETS), "--out", str(sheets)])
        callers = {
            "host": self._new_token("bad-host", "host", "enter"),
            "director": self._new_token("bad-director", "director", "manage"),
            "owner": self._new_token("bad-owner", "owner", "manage"),
            "foreigner": self._new_token("foreigner", "owner", "manage", cast.hilltop),
            "stranger": "",
        }
        self.scene = Scene(
            machines,
            account,
            Random(seed),  # noqa: S311  # the same faults for the same seed
            self.events,
            str(sheets),
            **{name: Stranger(self._night, name, token) for name, token in callers.items()},
        )
        connection.close()

    def _open_event(self, slug: str) -> None:
        event = league(self._club, slug=slug, name=slug.capitalize())
        names = [f"{slug.capitalize()} {seat}" for seat in range(1, 4 * TABLES + SPARE + 1)]
        evening = Evening(slug, [player.player_id for player in players(self._club, *names)])
        self.evenings.append(evening)
        self.events[slug] = event.pk
        director = f"director-{slug}"
        token = self._new_token(director, "director", "manage")
        self.people.append(Director(self._night, director, token, evening, TABLES))
        for place in range(TABLES):
            host = f"host-{slug}-{place}"
            token = self._new_token(host, "host", "enter")
            give_password(host)
            kind = Host if place else PageHost
            self.people.append(kind(self._night, host, token, evening, place))

    def _new_token(self, name: str, role: str, scope: str, club: Club | None = None) -> str:
        user, club = User.objects.create_user(name), club or self._club
        Membership.objects.create(club=club, user=user, role=role)
        token = make_token(by_tests(timezone.now()), club, user=user, scope=scope)
        self._account.secrets.add(token)
        return token
