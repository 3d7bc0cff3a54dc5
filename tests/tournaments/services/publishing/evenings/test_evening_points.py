"""A league by evening points from its sheets on: the table, those as of a round, the season's."""

import json
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Final, TypeAlias

import pytest

from tests.support.answers import Json
from tests.support.builders import hand, league, penalize, players, table
from tests.support.cast import NOW, Cast
from tests.support.history import make_all
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.standings import Publication, StoredHistory
from tournaments.services.publishing.publications import publish

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

FIRST = date(2025, 11, 6)
SECOND = FIRST + timedelta(weeks=1)
THIRD = FIRST + timedelta(weeks=2)
SCHEME: Mapping[str, object] = {
    "primary": "evening_points",
    "evening_ranking": "placement_points",
    "placement": {"4": [5, 3, 2, 1]},
    "tie_breaks": ("wins",),
}
LIST: Final = [10, 8, 6, 5, 4, 3, 2, 1]
IN_ORDER: Final = (0, 2, 4, 7)
WITH_TIE: Final = (1, 3, 3, 6)
Sheet: TypeAlias = tuple[int, int, date, str, Sequence[int]]
"""Round, table, evening, players, and the hearts of each; the last one takes the queen too."""
SHEETS: Final[Sequence[Sheet]] = (
    (1, 1, FIRST, "ABCD", IN_ORDER),
    (1, 2, FIRST, "EFGH", WITH_TIE),
    (2, 1, SECOND, "CDBA", IN_ORDER),
    (2, 2, SECOND, "FEGZ", IN_ORDER),
    (3, 1, THIRD, "EDCB", IN_ORDER),
    (3, 2, THIRD, "ZFHG", IN_ORDER),
)


@pytest.fixture
def people(cast: Cast) -> Mapping[str, Player]:
    return dict(zip("ABCDEFGHZ", players(cast.riverside, *"ABCDEFGHZ"), strict=True))


def evening_league(cast: Cast, **settings: object) -> Event:
    return league(cast.riverside, slug="nights", settings={**SCHEME, **settings})


def play(
    event: Event, people: Mapping[str, Player], sheets: Sequence[Sheet] = SHEETS
) -> dict[tuple[int, int], Game]:
    games = {}
    for number, at, day, seats, hearts in sheets:
        seated = [people[name] for name in seats]
        game = table(event, seated, round_number=number, table_number=at, on=day)
        hand(game, 1, hearts, queen=3)
        games[number, at] = game
    return games


def publish_now(event: Event) -> Publication:
    publication = publish(event.pk, now=NOW)
    assert publication is not None
    make_all(event.pk)
    return publication


def places(document: Json, key: str = "evening_points") -> list[tuple[int | None, str, object]]:
    rows = (*document["rows"], *document["provisional_rows"])
    return [(row["rank"], row["player"], row[key]) for row in rows]


def stored(event: Event, kind: str, key: str) -> Json:
    row = StoredHistory.objects.get(event=event, kind=kind, key=key)
    document: Json = json.loads(bytes(row.body))
    return document


def test_each_evening_gives_points_for_its_places(cast: Cast, people: Mapping[str, Player]) -> None:
    event = evening_league(cast)
    play(event, people)
    document = publish_now(event).document
    assert places(document) == [
        (1, "E", "41/2"),
        (2, "F", "35/2"),
        (3, "C", 14),
        (4, "D", "25/2"),
        (5, "B", 11),
        (6, "G", "19/2"),
        (7, "A", 9),
        (7, "Z", 9),
        (9, "H", 5),
    ]
    assert document["scheme"]["evenings"] == {
        "ranked_by": "placement_points",
        "points": [],
        "min_unit": "game",
        "period_evenings": 0,
        "best_periods": 0,
    }


def test_the_table_of_an_evening_is_by_its_own_value(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    event = evening_league(cast)
    play(event, people)
    publish_now(event)
    assert places(stored(event, "evening", FIRST.isoformat()), "placement_points") == [
        (1, "A", 5),
        (1, "E", 5),
        (3, "B", 3),
        (4, "F", "5/2"),
        (4, "G", "5/2"),
        (6, "C", 2),
        (7, "D", 1),
        (7, "H", 1),
    ]


def test_best_two_evenings_count_with_their_games(cast: Cast, people: Mapping[str, Player]) -> None:
    best = {"unit": "meeting", "min": 2, "per": 1}
    event = evening_league(cast, best_of=best, evening_points=LIST)
    play(event, people)
    document = publish_now(event).document
    assert places(document) == [
        (1, "E", 18),
        (2, "F", "29/2"),
        (3, "C", "25/2"),
        (4, "D", 11),
        (5, "A", "21/2"),
        (5, "Z", "21/2"),
        (7, "B", "19/2"),
        (8, "G", 8),
        (9, "H", 5),
    ]
    left_out = {row["player"]: row["dropped"] for row in document["rows"]}
    assert left_out == {"A": 0, "Z": 0, "H": 0, **dict.fromkeys("BCDEFG", 1)}


def test_a_penalty_of_the_season_is_in_evening_points(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    best = {"unit": "meeting", "min": 2, "per": 1}
    event = evening_league(cast, best_of=best, evening_points=LIST)
    play(event, people)
    penalize(event, people["H"].player_id, "1", "Left without a word.")
    assert places(publish_now(event).document)[-1] == (9, "H", 4)


def test_a_penalty_of_an_evening_changes_its_places(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    event = evening_league(cast)
    play(event, people)
    # Ada has 3 points of evening 1 as Bert has, and she won a table: 7 points for the second place,
    # and 8 for Edda, who is first alone.
    penalize(event, people["A"].player_id, "2", "Came late.", meeting=FIRST)
    document = publish_now(event).document
    values = {row["player"]: row["evening_points"] for row in document["rows"]}
    assert (values["A"], values["E"], values["B"]) == ("17/2", 21, 11)
