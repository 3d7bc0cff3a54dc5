"""What an evening did to the season, and the tables of an evening with their results."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.support.builders import hand, ladder, league, penalize, players, table
from tests.support.cast import NOW, Cast
from tests.support.history import make_all
from tests.support.pages.text import text_of
from tests.support.scenarios.cups import cup, planned, play, post
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.standings import StoredHistory
from tournaments.selectors.events.meetings import meeting_on
from tournaments.selectors.standings import evening_moves as selector
from tournaments.selectors.standings.evening_moves import EveningMoves, evening_moves
from tournaments.services.publishing.publications import publish

pytestmark = pytest.mark.django_db

FIRST = date(2025, 11, 6)
SECOND = FIRST + timedelta(weeks=1)
ADDRESS = "/clubs/riverside/events/nights"
SETTINGS: Mapping[str, object] = {
    "primary": "placement_points",
    "placement": {"4": [5, 3, 2, 1]},
    "tie_breaks": ("wins",),
}


@pytest.fixture
def people(cast: Cast) -> Mapping[str, Player]:
    return dict(zip("ABCDEFGHZ", players(cast.riverside, *"ABCDEFGHZ"), strict=True))


@pytest.fixture
def nights(cast: Cast, people: Mapping[str, Player]) -> Event:
    """Two evenings: A and E share the first; E, F and C lead after the second."""
    event = league(cast.riverside, slug="nights", settings=SETTINGS)
    for number, at, day, seats, hearts, queen in (
        (1, 1, FIRST, "ABCD", [0, 2, 4, 7], 3),
        (1, 2, FIRST, "EFGH", [1, 3, 3, 6], 3),
        (2, 1, SECOND, "ABEF", [5, 4, 3, 1], 0),
        (2, 2, SECOND, "CDGZ", [1, 2, 3, 7], 3),
    ):
        seated = [people[name] for name in seats]
        hand(table(event, seated, round_number=number, table_number=at, on=day), 1, hearts, queen)
    publish_now(event)
    return event


def publish_now(event: Event) -> None:
    publish(event.pk, now=NOW)
    make_all(event.pk)


def moves_on(event: Event, day: date) -> EveningMoves:
    moves = evening_moves(event, meeting_on(event, day))
    assert moves is not None
    return moves


def in_short(moves: EveningMoves) -> Sequence[str]:
    return [f"{row.name} {row.before}>{row.after} {row.way}{row.by}" for row in moves.moves]


def test_moves_are_from_the_places_before_an_evening_to_those_after_it(nights: Event) -> None:
    moves = moves_on(nights, SECOND)
    assert in_short(moves) == [
        *("F 4=>2 up2", "C 6>3 up3", "A 1=>4 dn3", "B 3>5 dn2", "G 4=>6 dn2"),
        *("H 7=>8= dn1", "Z >8= new0"),
    ]
    assert (moves.n_more, moves.is_first) == (0, False)


def test_first_evening_has_no_places_before_it(nights: Event, client: Client) -> None:
    assert moves_on(nights, FIRST).is_first
    page = text_of(client.get(f"{ADDRESS}/meetings/2025-11-06"))
    assert "This is the first evening of the season" in page


def test_penalty_between_two_evenings_is_no_move_of_the_later_one(nights: Event) -> None:
    penalize(nights, "RL05", "4", "Came late.", now=NOW + timedelta(days=3))
    publish_now(nights)
    moves = in_short(moves_on(nights, SECOND))
    assert moves[0] == "F 3=>1 up2"
    assert not any(row.startswith("E") for row in moves), "E was sixth before the evening too"


def test_evening_on_which_nobody_moved_says_so_in_one_sentence(
    nights: Event, people: Mapping[str, Player], client: Client
) -> None:
    third = SECOND + timedelta(weeks=1)
    seated = [people[name] for name in "EFCA"]
    hand(table(nights, seated, round_number=3, on=third), 1, [0, 2, 4, 7], 3)
    publish_now(nights)
    assert moves_on(nights, third).moves == []
    page = text_of(client.get(f"{ADDRESS}/meetings/{third}"))
    assert "Nobody’s place in the season changed." in page


def test_evening_whose_round_has_a_later_number_than_the_next_is_compared_by_day(
    nights: Event, people: Mapping[str, Player]
) -> None:
    before = FIRST - timedelta(weeks=1)
    seated = [people[name] for name in "HGBD"]
    hand(table(nights, seated, round_number=3, on=before), 1, [0, 2, 4, 7], 3)
    publish_now(nights)
    assert moves_on(nights, before).is_first
    moves = moves_on(nights, FIRST)
    assert not moves.is_first
    assert in_short(moves)[:3] == ["A >3= new0", "E >3= new0", "B 3>5 dn2"]


@pytest.mark.parametrize(("most", "listed", "more"), [(6, 6, 1), (7, 7, 0), (8, 7, 0)])
def test_some_moves_are_listed_and_the_others_counted(
    nights: Event, monkeypatch: pytest.MonkeyPatch, most: int, listed: int, more: int
) -> None:
    monkeypatch.setattr(selector, "MOST_MOVED", most)
    moves = moves_on(nights, SECOND)
    assert (len(moves.moves), moves.n_more) == (listed, more)


def test_page_has_the_moves_below_its_tables_and_nothing_before_they_are_made(
    nights: Event, client: Client
) -> None:
    page = text_of(client.get(f"{ADDRESS}/meetings/2025-11-13"))
    table_at = page.index("Table 1 1 hand")
    assert page.index("First this evening so far") < page.index("Round 2", 200) < table_at
    assert "1 F 1 2 E 3 3 B 4 4 A 18" in page[table_at:]
    assert table_at < page.index("What it did to the season")
    assert "F 4= 2 2 up C 6 3 3 up A 1= 4 3 down" in page
    assert "Z – 8= new" in page
    StoredHistory.objects.filter(event=nights, kind="days").delete()
    assert "What it did" not in text_of(client.get(f"{ADDRESS}/meetings/2025-11-13"))


def test_page_costs_as_many_queries_with_three_rounds_more(
    nights: Event, people: Mapping[str, Player], client: Client
) -> None:
    address = f"{ADDRESS}/meetings/2025-11-13"
    client.get(address)
    with CaptureQueriesContext(connection) as few:
        client.get(address)
    for number in range(3, 6):
        for at, seats in ((1, "ABCD"), (2, "EFGH")):
            seated = [people[name] for name in seats]
            game = table(nights, seated, round_number=number, table_number=at, on=SECOND)
            hand(game, 1, [0, 2, 4, 7], 3)
    publish_now(nights)
    with CaptureQueriesContext(connection) as many:
        client.get(address)
    assert len(many) == len(few)


def test_evening_of_a_ladder_has_its_moves_of_the_day_alone(
    cast: Cast, people: Mapping[str, Player], client: Client
) -> None:
    event = ladder(cast.riverside, slug="rungs", name="Rungs")
    seated = [people[name] for name in "ABCD"]
    hand(table(event, seated, on=FIRST), 1, [0, 1, 5, 7], queen=3)
    publish_now(event)
    page = text_of(client.get("/clubs/riverside/events/rungs/meetings/2025-11-06"))
    assert "Moves of this evening" in page
    assert "What it did to the season" not in page


def test_evening_of_a_cup_says_who_is_through_and_not_who_moved(cast: Cast) -> None:
    dirk, event = cup(cast)
    play(post(dirk, planned(dirk)))
    make_all(event.pk)
    page = text_of(dirk.get("/clubs/riverside/events/league/meetings/2025-11-13"))
    assert "This evening decides who goes on" in page
    assert "What it did to the season" not in page
    assert (page.count(" through Why"), page.count(" out Why")) == (8, 8)
    assert "First this evening" not in page
