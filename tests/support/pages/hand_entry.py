"""What the tests of the host's page share: somebody at one address of it, and what it says."""

import re
from collections.abc import Mapping, Sequence
from html import unescape

from django.test import Client

from tests.support.answers import Answer
from tests.support.builders import league, players, table
from tests.support.scenarios.evenings import ADDRESS, Evenings
from tournaments.models.hands import Entry, Game

TABLE = f"{ADDRESS}/tables/r1t2"
NEW = f"{TABLE}/hands/new"
"""Table 2 of round 1: Marit S., Jörg S., Cleo S., Carla K.; hand 1 is in."""


def hidden(response: Answer) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for tag in re.findall(r'<input type="hidden"[^>]*>', response.content.decode()):
        name, value = (re.search(rf'{what}="([^"]*)"', tag) for what in ("name", "value"))
        if name and value and name[1] != "csrfmiddlewaretoken":
            found.setdefault(name[1], []).append(unescape(value[1]))
    return found


def values(response: Answer, kind: str = "hearts") -> list[str]:
    return re.findall(rf'name="{kind}-[1-9][0-9]*" value="([^"]*)"', response.content.decode())


def buttons(response: Answer) -> dict[str, str]:
    """Words of each mending or choosing button → its value."""
    return {
        " ".join(unescape(re.sub(r"<[^>]*>", " ", words)).split()): unescape(value)
        for value, words in re.findall(
            r'<button class="btn[^"]*" name="go" value="([^"]*)">(.*?)</button>',
            response.content.decode(),
            re.DOTALL,
        )
    }


def typed(hearts: Sequence[object], queen: int | None = None) -> dict[str, object]:
    fields: dict[str, object] = {
        f"hearts-{seat}": text for seat, text in enumerate(hearts, start=1)
    }
    return fields if queen is None else {**fields, "card-QS": queen}


def points(*numbers: object) -> dict[str, object]:
    return {f"points-{seat}": number for seat, number in enumerate(numbers, start=1)}


class Host:
    """Somebody at one address of the host's page."""

    def __init__(self, client: Client, address: str = NEW) -> None:
        self.client, self.address = client, address
        self.page: Answer = client.get(address)

    def send(self, fields: Mapping[str, object], go: str = "save", **more: object) -> Answer:
        kept = {name: value for name, value in hidden(self.page).items() if name not in fields}
        self.page = self.client.post(self.address, {**kept, **fields, "go": go, **more})
        return self.page


def stored(number: int = 2) -> list[Entry]:
    game = Game.objects.get(table__code="r1t2", table__event__slug="league")
    return list(Entry.objects.filter(hand__game=game, hand__number=number).order_by("revision"))


def edit(client: Client, number: int = 1) -> Host:
    return Host(client, f"{TABLE}/hands/{number}/edit")


def at_another_table(evenings: Evenings, variant: str, seats: int = 4, **options: object) -> Host:
    event = league(evenings.cast.riverside, slug="other", name="Other", variant=variant)
    names = ("Ada", "Ben", "Cem", "Dora", "Emil", "Fay", "Gus")
    table(event, players(evenings.cast.riverside, *names[:seats]), variant=variant, options=options)
    return Host(evenings.client("hanna"), "/clubs/riverside/events/other/tables/r1t1/hands/new")


def newest_entry() -> dict[str, object]:
    entry: dict[str, object] = Entry.objects.latest("pk").typed
    return entry
