"""A Swiss night of eleven: one comes for round 2, one leaves after round 3; by pages and by REST.

Scores, meetings, small tables and floats are counted here from the hands as they were dealt, and
compared with the words of each plan and with the final standings.
"""

import html
import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import pytest
import time_machine
from django.test import Client

from tests.support.answers import Answer, Json, send_json
from tests.support.cast import NOW, Cast
from tests.support.pages.hand_entry import Host, typed
from tests.support.pages.text import text_of
from tests.support.scenarios.playoffs import look
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.meetings import Sitting

pytestmark = pytest.mark.django_db

CLUB = "/clubs/riverside"
EVENT = f"{CLUB}/events/swiss-night"
DAY = NOW.date().isoformat()
NAMES = (
    *("Abel N.", "Britta O.", "Cyril P.", "Delia Q.", "Enzo R.", "Frieda T."),
    *("Gideon U.", "Hedda V.", "Igor W.", "Judith Y."),
)
LATE = "Kasimir Z."
LEAVER = "Cyril P."
POINTS: Mapping[int, Sequence[int]] = {3: (5, 3, 1), 4: (5, 3, 2, 1)}

Hand = tuple[list[int], int]
"""Hearts of each seat, and the seat that took the queen."""


@dataclass(frozen=True)
class Facts:
    """What a plan says of a round: pairs who met, the fewest possible, small tables, floats."""

    again: int
    least: int
    small: str
    floats: frozenset[tuple[str, str]]


class Pages:
    """Dirk with a browser: every act is a form of a page."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.words = ""
        self.plan: Json = {}

    def press(self, address: str, button: str, **fields: object) -> Answer:
        """Press the button with that text on a page, with the hidden fields of its form."""
        page = self.client.get(address)
        for form in re.findall(r'<form[^>]*method="post".*?</form>', page.content.decode(), re.S):
            for attributes, text in re.findall(r"<button([^>]*)>(.*?)</button>", form, re.S):
                words = " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split())
                if words.startswith(button):
                    sent = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form))
                    sent |= dict(re.findall(r'name="(\w+)" value="([^"]*)"', attributes))
                    target = re.search(r'<form[^>]*action="([^"?]+)', form)
                    to = target[1] if target else address
                    return self.client.post(to, {**sent, **fields}, follow=True)
        raise AssertionError(f"no button {button}: {text_of(page)}")

    def creates_event(self) -> None:
        self.adds_players(NAMES)
        form = {"name": "Swiss night", "variant": "hearts", "preset": "places"}
        form |= {"length": "hands", "hands": "2"}
        self.client.post(f"{CLUB}/new-event", form)
        self.client.post(f"{EVENT}/direct", {"to": "open"})
        self.client.post(f"{EVENT}/new-meeting", {"date": DAY})

    def adds_players(self, names: Iterable[str]) -> None:
        address, listed = f"{CLUB}/add-players", {"names": "\n".join(names)}
        seen = re.search(
            r'name="seen" value="([^"]*)"',
            self.client.post(address, listed).content.decode(),
        )
        assert seen is not None
        self.client.post(address, {**listed, "seen": seen[1], "add": "yes"})

    def states(self, state: str, names: Iterable[str]) -> None:
        for name in names:
            sent = {state: Player.objects.get(name=name).player_id}
            answer = self.client.post(f"{EVENT}/meetings/{DAY}/attendance", sent, follow=True)
            assert answer.status_code == 200

    def plans(self, number: int) -> None:
        address = f"{EVENT}/meetings/{DAY}/plans"
        sent = {"make": "yes", "movement": "swiss", "sizes": ["4", "3"], "seed": str(number)}
        self.words = text_of(self.client.post(address, sent, follow=True))
        assert f"Seat round {number}" in text_of(self.press(address, "Choose plan"))
        for button in (f"Seat round {number}", f"Post round {number}"):
            self.press(f"{EVENT}/meetings/{DAY}/seating", button)

    def facts(self) -> "Facts":
        """What the card of the plan that can be chosen says."""
        letter = re.findall(r"Choose plan ([A-Z])", self.words)[0]
        card = re.split(r"Plan [A-Z]:", self.words.partition(f"Plan {letter}:")[2])[0]
        again, known = re.search(r"Meet again (\d+) (.*?) Small tables", card).groups()  # type: ignore[union-attr]
        small = re.search(r"Small tables ([\d–]+) ", card)
        n, floats = re.search(r"Floats (\d+) (.*?)\. Sit out", card).groups()  # type: ignore[union-attr]
        least = re.search(r"Fewest possible: (\d+)", known)
        named = floats.split(", ") if n != "0" else []
        assert (len(named), small is None) == (int(n), False)
        return Facts(
            again=int(again),
            least=int(least[1]) if least else int(again),
            small=small[1] if small else "",
            floats=frozenset((one.rpartition(" ")[0], one.rpartition(" ")[2]) for one in named),
        )

    def enters(self, number: int, table: int, hands: Sequence[Hand]) -> None:
        for hearts, queen in hands:
            host = Host(self.client, f"{EVENT}/tables/r{number}t{table}/hands/new")
            assert host.send(typed(hearts, queen + 1)).status_code == 302, text_of(host.page)

    def closes(self, number: int) -> None:
        self.press(f"{EVENT}/rounds/{number}/direct", "Close round")

    def standings(self) -> list[tuple[str, Fraction]]:
        """Names and place points from the top, as everybody reads them."""
        rows = re.findall(r"<tr[^>]*>(.*?)</tr>", Client().get(EVENT).content.decode(), re.S)
        words = [" ".join(html.unescape(re.sub(r"<[^>]*>", " ", row)).split()) for row in rows]
        found = [re.match(r"\d+ (.+?) why .* tables? of \1 ([\d.]+) ", row) for row in words]
        return [(one[1], Fraction(one[2])) for one in found if one]


class Rest(Pages):
    """Dirk with a program: every act is a call."""

    def done(self, method: str, path: str, body: object) -> Json:
        answer = send_json(self.client, method, f"/api/v1{path}", body)
        assert answer.status_code in (200, 201), answer.content
        found: Json = answer.json()
        return found

    def creates_event(self) -> None:
        self.adds_players(NAMES)
        body: Json = {"name": "Swiss night", "variant": "hearts", "preset": "places"}
        body |= {"settings": {"length": "hands:2"}, "meetings": [DAY]}
        self.done("POST", f"{CLUB}/events", body)
        self.done("POST", f"{EVENT}/state", {"to": "open"})

    def adds_players(self, names: Iterable[str]) -> None:
        for name in names:
            self.done("POST", f"{CLUB}/players", {"name": name})

    def states(self, state: str, names: Iterable[str]) -> None:
        for name in names:
            code = Player.objects.get(name=name).player_id
            self.done("PUT", f"{EVENT}/meetings/{DAY}/attendance/{code}", {"state": state})

    def plans(self, number: int) -> None:
        body = {"movement": "swiss", "sizes": [4, 3], "seed": number}
        self.plan = self.done("POST", f"{EVENT}/meetings/{DAY}/plans", body)["plans"][0]
        self.done("POST", f"{EVENT}/plans/{self.plan['id']}/choose", {})
        self.done("POST", f"{EVENT}/rounds", {"plan": self.plan["id"]})
        self.done("POST", f"{EVENT}/rounds/{number}/state", {"to": "posted"})

    def facts(self) -> Facts:
        (planned,) = self.plan["rounds"]
        times = [one["times"] for one in planned["small_seats"]]
        assert planned["is_exact"]
        assert planned["forced"] == []
        return Facts(
            again=self.plan["cost"]["known_pairs"],
            least=planned["least_repeats"],
            small=f"{min(times)}–{max(times)}",
            floats=frozenset((one["name"], one["direction"]) for one in planned["floats"]),
        )

    def standings(self) -> list[tuple[str, Fraction]]:
        rows = Client().get(f"/api/v1{EVENT}/standings").json()["rows"]
        return [(one["player"], Fraction(one["values"]["placement_points"])) for one in rows]

    def enters(self, number: int, table: int, hands: Sequence[Hand]) -> None:
        for at, (hearts, queen) in enumerate(hands, 1):
            taken = [["QS"] if seat == queen else [] for seat in range(len(hearts))]
            entry = {"hearts": hearts, "taken": taken}
            address = f"{EVENT}/tables/r{number}t{table}/hands"
            self.done("POST", address, {"number": at, "entry": entry})

    def closes(self, number: int) -> None:
        self.done("POST", f"{EVENT}/rounds/{number}/state", {"to": "closed"})


def seated(number: int) -> list[list[str]]:
    """The names at each table of a round, clockwise, as they are stored."""
    rows = Sitting.objects.filter(round__number=number).select_related("player", "seat")
    found: dict[int, list[str]] = {}
    for row in rows.order_by("seat__table__number", "seat__number"):
        found.setdefault(row.seat.table_id, []).append(row.player.name)
    return list(found.values())


def dealt(chance: random.Random, seats: int) -> Hand:
    """A hand without a moon."""
    cuts = sorted(chance.randint(0, 12) for _ in range(seats - 1))
    hearts = [high - low for low, high in zip([0, *cuts], [*cuts, 13], strict=True)]
    return hearts, chance.randrange(seats)


def place_points(hands: Sequence[Hand]) -> list[Fraction]:
    """The points of each seat: fewest card points first, equal totals share their places."""
    seats = range(len(hands[0][0]))
    totals = [sum(hearts[at] + 13 * (queen == at) for hearts, queen in hands) for at in seats]
    found = []
    for own in totals:
        better, same = sum(one < own for one in totals), totals.count(own)
        shared = POINTS[len(totals)][better : better + same]
        found.append(Fraction(sum(shared), same))
    return found


def floaters(tables: Sequence[Sequence[str]], scores: Mapping[str, Fraction]) -> set[str]:
    """Who shares a table with nobody of the same score; nobody before there are scores."""
    return {
        name
        for table in tables if scores
        for name in table
        if all(scores.get(one) != scores.get(name) for one in table if one != name)
    }  # fmt: skip


@pytest.mark.parametrize("door", [Pages, Rest])
def test_eleven_people_play_four_rounds(
    clock: time_machine.Traveller, cast: Cast, door: type[Pages]
) -> None:
    chance = random.Random(11)  # noqa: S311 - hands of a test
    dirk = door(cast.client("dirk"))
    dirk.creates_event()
    event = Event.objects.get(slug="swiss-night")
    dirk.states("here", NAMES)
    scores: dict[str, Fraction] = {}
    met: Counter[frozenset[str]] = Counter()
    small = dict.fromkeys(NAMES, 0)
    for number in (1, 2, 3, 4):
        if number == 2:
            dirk.adds_players([LATE])
            dirk.states("here", [LATE])
            small[LATE] = 1  # six of ten people had a small table in round 1
        if number == 4:
            dirk.states("left", [LEAVER])
            del small[LEAVER]
        look(event)
        dirk.plans(number)
        tables = seated(number)
        assert sorted(name for table in tables for name in table) == sorted(small)
        pairs = [frozenset(pair) for table in tables for pair in combinations(table, 2)]
        facts = dirk.facts()
        assert facts.again == sum(met[pair] > 0 for pair in pairs) >= facts.least
        met.update(pairs)
        assert max(met.values()) <= 2, "nobody meets three times"
        for table in tables:
            for name in table if len(table) == 3 else ():
                small[name] += 1
        assert facts.small == f"{min(small.values())}–{max(small.values())}"
        assert max(small.values()) - min(small.values()) == 1
        assert {name for name, _direction in facts.floats} == floaters(tables, scores)
        for at, table in enumerate(tables, 1):
            hands = [dealt(chance, len(table)) for _ in range(2)]
            dirk.enters(number, at, hands)
            for name, points in zip(table, place_points(hands), strict=True):
                scores[name] = scores.get(name, Fraction(0)) + points
        dirk.closes(number)
        clock.shift(1800)
    look(event)
    rows = dirk.standings()
    assert dict(rows) == scores
    assert [points for _name, points in rows] == sorted(scores.values(), reverse=True)
