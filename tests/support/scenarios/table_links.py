"""A league with a table that is played now, its link, and who holds it."""

from dataclasses import dataclass, field

from django.test import Client
from django.utils import timezone

from tests.support.builders import hand, league, players, table
from tests.support.cast import Cast
from tournaments.models.access import TableLink
from tournaments.models.hands import Game
from tournaments.models.rounds import Round
from tournaments.policy import Actor
from tournaments.selectors.access.table_links import COOKIE, LinkSecrets, secrets_of
from tournaments.services.access.table_links import make_link

EVENT = "/clubs/riverside/events/league"


@dataclass
class Linked:
    """Two tables of a round that is played, the first with a hand and a link."""

    cast: Cast
    game: Game
    other: Game
    link: TableLink
    secrets: LinkSecrets = field(init=False)

    def __post_init__(self) -> None:
        self.secrets = secrets_of(self.link.seed)

    @property
    def table(self) -> str:
        return f"{self.event}/tables/{self.game.table.code}"

    @property
    def event(self) -> str:
        return f"/clubs/riverside/events/{self.game.event.slug}"

    @property
    def dirk(self) -> Actor:
        return self.cast.actor("dirk")

    def holder(self, *, name: str = "", checks: bool = False) -> Client:
        """A phone that has opened the link; `checks` has it look at CSRF tokens."""
        phone = Client(enforce_csrf_checks=checks)
        answer = phone.get(f"/t/{self.secrets.token}")
        assert (answer.status_code, answer.headers.get("Location")) == (302, "/t")
        assert phone.cookies[COOKIE].value
        if name:
            phone.get("/t")
            phone.post("/t", {"name": name, "csrfmiddlewaretoken": csrf_of(phone)})
        return phone

    def close_round(self) -> None:
        Round.objects.filter(pk=self.game.table.round_id).update(state="closed")


def csrf_of(client: Client) -> str:
    return client.cookies["csrftoken"].value


def linked(cast: Cast, *, visibility: str = "public", slug: str = "league") -> Linked:
    """Seat two tables of four, enter a hand at each, and make the first one's link."""
    event = league(cast.riverside, slug=slug, visibility=visibility)
    people = players(cast.riverside, *(f"{name} {slug[0].upper()}." for name in NAMES))
    game = table(event, people[:4])
    other = table(event, people[4:], table_number=2)
    Round.objects.filter(event=event).update(state="playing")
    for each in (game, other):
        each.refresh_from_db()
        hand(each, 1, [4, 1, 2, 6], queen=3)
    return Linked(cast, game, other, make_link(cast.operation("dirk", timezone.now()), game.table))


NAMES = ("Elsa", "Zoë", "Ruth", "Anton", "Marit", "Jörg", "Cleo", "Carla")
