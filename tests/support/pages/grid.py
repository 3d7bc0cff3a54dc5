"""A secretary who enters sheets in the grid."""

import re
from collections.abc import Mapping, Sequence
from html import unescape

from tests.support.answers import Answer
from tests.support.scenarios.evenings import ADDRESS, Evenings
from tournaments.models.hands import Entry, Game

TABLE = f"{ADDRESS}/tables/r1t2"
GRID = f"{TABLE}/grid"
"""Table 2 of round 1: Marit S., Jörg S., Cleo S., Carla K.; hand 1 is in: 3, 3q, 3, 4."""

GOOD = "6 3q 4 0"
SEATS = 4


class Secretary:
    """Somebody at one address of the grid, with what stands in its fields."""

    def __init__(self, evenings: Evenings, name: str = "hanna", address: str = GRID) -> None:
        self.client = evenings.client(name)
        self.address = address
        self.page: Answer = self.client.get(address)

    @property
    def fields(self) -> dict[str, str]:
        form = self.page.content.decode().partition('id="grid"')[2].partition("</form>")[0]
        found = {}
        for tag in re.findall(r"<input[^>]*>", form):
            name, value = (re.search(rf'\b{what}="([^"]*)"', tag) for what in ("name", "value"))
            if name and name[1] != "csrfmiddlewaretoken" and "checkbox" not in tag:
                found[name[1]] = unescape(value[1]) if value else ""
        return found

    def send(self, rows: Mapping[int, str], go: str = "save", **more: str) -> Answer:
        """Type rows, `6 3q 4 0` each, and press a button."""
        fields = {**self.fields, **more}
        for number, cells in rows.items():
            for row, text in enumerate(cells.split(" ") if cells else [""] * SEATS, start=1):
                fields[f"c-{number}-{row}"] = "" if text == "_" else text
        self.page = self.client.post(self.address, {**fields, "go": go})
        return self.page

    def row(self, number: int) -> str:
        cells = [self.fields[f"c-{number}-{row}"] for row in range(1, SEATS + 1)]
        return " ".join(text or "_" for text in cells)

    def why(self, number: int) -> str:
        page = self.page.content.decode()
        match = re.search(rf'id="why-{number}"( hidden)?>(.*?)</tr>', page, re.S)
        assert match is not None
        said = " ".join(unescape(re.sub(r"<[^>]*>", " ", match[2])).split())
        return "" if match[1] else said

    def buttons(self, number: int) -> dict[str, str]:
        """Words of each mending button under a row → its value."""
        match = re.search(rf'id="why-{number}"(.*?)</tr>', self.page.content.decode(), re.S)
        assert match is not None
        pairs = re.findall(r'name="go" value="([^"]*)"[^>]*>(.*?)</button>', match[1])
        return {unescape(words): unescape(value) for value, words in pairs}


def stored(number: int, code: str = "r1t2") -> list[Entry]:
    """The revisions of a hand of the league, the first one first."""
    game = Game.objects.get(table__code=code, table__event__slug="league")
    return list(Entry.objects.filter(hand__game=game, hand__number=number).order_by("revision"))


def hearts(number: int) -> Sequence[int]:
    return stored(number)[-1].typed["hearts"]  # type: ignore[no-any-return]  # of JSON
