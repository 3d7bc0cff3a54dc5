"""The table of an evening: its games alone, ranked as the event ranks, made by the history job."""

import json
from collections.abc import Mapping, Sequence
from datetime import date, timedelta

import pytest

from tests.support.answers import Json
from tests.support.builders import by_tests, hand, league, penalize, players, table
from tests.support.cast import NOW, Cast
from tests.support.history import make_all
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.standings import Publication, StoredHistory
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.publishing.history import make_piece
from tournaments.services.publishing.publications import publish

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

FIRST = date(2025, 11, 6)
SECOND = FIRST + timedelta(weeks=1)
THIRD = FIRST + timedelta(weeks=2)
SCHEME: Mapping[str, object] = {
    "primary": "placement_points",
    "placement": {"4": [5, 3, 2, 1]},
    "tie_breaks": ("wins",),
}
SHEETS = (
    (1, 1, FIRST, "ABCD", [0, 2, 4, 7], 3),
    (1, 2, FIRST, "EFGH", [1, 3, 3, 6], 3),
    (2, 1, SECOND, "ABEF", [5, 4, 3, 1], 0),
    (2, 2, SECOND, "CDGZ", [1, 2, 3, 7], 3),
    (3, 1, THIRD, "BCDZ", [6, 5, 2, 0], 0),
    (3, 2, THIRD, "EFGH", [0, 1, 5, 7], 2),
)
"""Round, table, evening, players, hearts of each, and who has the queen."""


@pytest.fixture
def people(cast: Cast) -> Mapping[str, Player]:
    return dict(zip("ABCDEFGHZ", players(cast.riverside, *"ABCDEFGHZ"), strict=True))


@pytest.fixture
def night(cast: Cast) -> Event:
    return league(cast.riverside, slug="nights", settings=SCHEME)


def play(
    event: Event, people: Mapping[str, Player], sheets: Sequence[tuple[object, ...]]
) -> dict[tuple[int, int], Game]:
    games = {}
    for number, at, day, seats, hearts, queen in sheets:
        seated = [people[name] for name in seats]
        game = table(event, seated, round_number=number, table_number=at, on=day)
        hand(game, 1, hearts, queen=queen)
        games[number, at] = game
    return games


def publish_now(event: Event) -> Publication:
    publication = publish(event.pk, now=NOW)
    assert publication is not None
    make_all(event.pk)
    return publication


def evening(event: Event, day: date) -> Json:
    row = StoredHistory.objects.get(event=event, kind="evening", key=day.isoformat())
    document: Json = json.loads(bytes(row.body))
    return document


def ranked(document: Json) -> list[tuple[int, str, str]]:
    return [
        (row["rank"], row["player"], row["values"][document["scheme"]["primary"]])
        for row in document["rows"]
    ]


def state(event: Event) -> Json:
    row = StoredHistory.objects.get(event=event, kind="evenings")
    document: Json = json.loads(bytes(row.body))
    return document


def days_made_again(event: Event) -> list[str]:
    rows = StoredHistory.objects.filter(event=event, kind="evening", version__gt=0)
    return sorted(rows.values_list("key", flat=True))


def forget_versions(event: Event) -> None:
    StoredHistory.objects.filter(event=event, kind="evening").update(version=0)


def test_evening_of_two_tables_is_ranked_by_its_own_games(
    night: Event, people: Mapping[str, Player]
) -> None:
    play(night, people, SHEETS)
    publish_now(night)
    assert ranked(evening(night, FIRST)) == [
        *((1, "A", "5"), (1, "E", "5"), (3, "B", "3"), (4, "F", "5/2"), (4, "G", "5/2")),
        *((6, "C", "2"), (7, "D", "1"), (7, "H", "1")),
    ]
    assert evening(night, FIRST)["evening"] == {"date": "2025-11-06", "counts": "evening"}
    assert evening(night, FIRST)["as_of"] == {"meeting": "2025-11-06", "round": 1, "hands": 2}
    assert [row["player"] for row in evening(night, SECOND)["rows"]][:2] == ["C", "F"]
    assert state(night)["tables"]["2025-11-06"]["n_first"] == 2


def test_hand_makes_the_table_of_its_evening_and_no_other_of_thirty(
    night: Event, people: Mapping[str, Player]
) -> None:
    for week in range(30):
        day = FIRST + timedelta(weeks=week)
        play(night, people, [(week + 1, 1, day, "ABCD", [0, 2, 4, 7], 3)])
    publish_now(night)
    assert len(days_made_again(night)) == 30
    forget_versions(night)
    game = Game.objects.get(event=night, table__round__number=7)
    hand(game, 2, [1, 2, 3, 7], queen=0)
    publish_now(night)
    assert days_made_again(night) == [(FIRST + timedelta(weeks=6)).isoformat()]
