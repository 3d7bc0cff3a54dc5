"""A sheet that two people enter on pages."""

from tests.support.answers import Answer
from tests.support.pages.grid import Secretary
from tests.support.scenarios.evenings import Evenings
from tournaments.models.events import Event
from tournaments.models.hands import Entry, Game

EVENT = "/clubs/riverside/events/twice"
TABLE = f"{EVENT}/tables/r1t1"
SECOND = f"{TABLE}/grid/second"
BOTH = f"{TABLE}/grid/differences"
PILE = f"{EVENT}/rounds/1/pile"
PAPER = {1: "6 3q 4 0", 2: "0 0 13q- 0", 3: "1 2 3 7q"}


def require_double_entry(event: Event, *, on: bool = True) -> None:
    Event.objects.filter(pk=event.pk).update(settings={**event.settings, "double_entry": on})


def switch(event: Event, *, on: bool) -> None:
    require_double_entry(event, on=on)
    event.refresh_from_db()


def game(number: int = 1) -> Game:
    return Game.objects.select_related("event", "club", "snapshot", "table__round").get(
        table__code=f"r1t{number}", event__slug="twice"
    )


def again(evenings: Evenings, name: str = "dirk") -> Secretary:
    return Secretary(evenings, name, SECOND)


def typed(evenings: Evenings, **rows: str) -> Secretary:
    """Dirk types the paper again, with some rows otherwise (`h3="1 2 4 6q"`)."""
    dirk = again(evenings)
    dirk.send(PAPER | {int(name[1:]): cells for name, cells in rows.items()})
    return dirk


def decide(evenings: Evenings, stands: str, name: str = "olga", **more: str) -> Answer:
    """Press a button of the first difference that is shown."""
    client = evenings.client(name)
    page = client.get(BOTH).content.decode()
    fields = {}
    for field in ("hand", "second", "revision"):
        fields[field] = page.partition(f'name="{field}" value="')[2].partition('"')[0]
    return client.post(BOTH, {**fields, "stands": stands, **more})


def revisions(number: int) -> list[Entry]:
    return list(Entry.objects.filter(hand__game=game(), hand__number=number).order_by("revision"))
