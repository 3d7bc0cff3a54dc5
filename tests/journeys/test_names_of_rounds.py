"""The names of the rounds of a cup wherever a person reads which round it is."""

from collections.abc import Mapping
from datetime import date
from typing import Final

import pytest

from tests.support.builders import by_tests, counts, hand, league, link, players, table
from tests.support.cast import NOW, Cast
from tests.support.evening_work import make_tables_of
from tests.support.pages.queries import count_queries
from tests.support.pages.text import text_of
from tests.support.pdf_text import joined, page_texts
from tournaments.models.clubs import Player
from tournaments.models.events import Event, Stage
from tournaments.models.hands import Game
from tournaments.models.rounds import Round
from tournaments.selectors.chat_text import seating_text
from tournaments.selectors.notices.notice_text import notice_text
from tournaments.selectors.waiting import list_waiting
from tournaments.services.hands.close_tables import close_tables
from tournaments.services.hands.disputes import file_disputed
from tournaments.services.rounds.rounds import move_round

pytestmark = pytest.mark.django_db

PAGE: Final = "/clubs/riverside/events/league"
TONIGHT: Final = date(2025, 11, 6)
NAMES: Final = ("Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gus", "Hal")
SETTINGS: Final[Mapping[str, object]] = {
    "primary": "placement_points",
    "placement": {"4": [5, 3, 2, 1]},
}
"""The places of a table give points, and the best two of each go on."""


@pytest.fixture
def cup(cast: Cast) -> Event:
    """Two semi-finals that are closed, and a final of which one hand is entered."""
    event = league(cast.riverside, settings=SETTINGS, name="Cup")
    Event.objects.filter(pk=event.pk).update(kind="tournament")
    people = players(cast.riverside, *NAMES)
    for number in (1, 2):
        game = table(event, people[4 * number - 4 : 4 * number], table_number=number, on=TONIGHT)
        hand(game, 1, [0, 2, 4, 7], queen=3)
    Stage.objects.filter(event=event).update(kind="knockout", name="Cup")
    semi_finals = Round.objects.get(event=event, number=1)
    close_tables(by_tests(), semi_finals)
    move_round(by_tests(), semi_finals, to="closed")
    final = [people[at] for at in (0, 1, 4, 5)]
    hand(table(event, final, round_number=2, on=TONIGHT), 1, [5, 2, 0, 6], queen=0)
    make_tables_of(event, NOW)
    return event


IN_SENTENCES: Final = "ound 2 (Final)"
AS_TITLE: Final = "Final · Round 2"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/rounds/2", AS_TITLE),
        ("/rounds/1", AS_TITLE),
        ("/tables/r2t1", f"Table 1, r{IN_SENTENCES}"),
        ("/tables/r2t1", AS_TITLE),
        ("/tables/r2t1/hands/1", f"Hand 1 of table 1, r{IN_SENTENCES}"),
        ("/tables/r2t1/grid", f"Sheets of r{IN_SENTENCES}"),
        ("/tables/r2t1/link", f"Link to table 1, r{IN_SENTENCES}"),
        ("/tables/r2t1/change-players", f"Table 1, r{IN_SENTENCES}"),
        ("/rounds/2/links", f"Table links of r{IN_SENTENCES}"),
        ("/rounds/2/sit-outs", f"Sitting out in r{IN_SENTENCES}"),
        ("/meetings", AS_TITLE),
        ("/meetings/2025-11-06", AS_TITLE),
        ("/direct", "Final"),
        ("/changes", "Round closed: round 1 (Semi-final)"),
        ("/stages/1/bracket", "Final"),
    ],
)
def test_pages_name_the_final(cup: Event, cast: Cast, path: str, expected: str) -> None:
    answer = cast.client("dirk").get(f"{PAGE}{path}")
    assert answer.status_code == 200
    assert expected in " ".join(text_of(answer).split())


def test_printed_documents_name_the_final(cup: Event, cast: Cast) -> None:
    dirk = cast.client("dirk")
    for name in ("seating-list", "score-sheets", "table-cards"):
        answer = dirk.get(f"/api/v1{PAGE}/rounds/2/{name}.pdf")
        assert answer.status_code == 200, name
        texts = "".join(joined(page) for page in page_texts(answer.content))
        assert "Final·Round2" in texts, name


def test_messages_name_the_final(cup: Event, cast: Cast) -> None:
    round_ = Round.objects.get(event=cup, number=2)
    assert f"r{IN_SENTENCES}" in seating_text(cup, round_)
    ada = Player.objects.get(name="Ada")
    link(ada, cast.users["piet"])
    place = {"table": Game.objects.get(table__code="r2t1").table_id}
    text = notice_text("next_table", place, cast.users["piet"])
    assert text is not None
    assert text.paragraphs == (f"Cup, r{IN_SENTENCES}, table 1",)


def test_waiting_tasks_name_the_final(cup: Event, cast: Cast) -> None:
    game = Game.objects.get(table__code="r2t1")
    entry = counts([5, 2, 0, 5], 0)
    file_disputed(by_tests(), game, number=2, entry=entry, key="a", reason="Sheet says so.")
    titles = [task.title for task in list_waiting([(cup.club, "director")], now=NOW)]
    assert f"Hand 2 has a wrong total: r{IN_SENTENCES}, table 1" in titles


def test_round_over_rest_has_its_name(cup: Event, cast: Cast) -> None:
    rounds = [cast.client().get(f"/api/v1{PAGE}/rounds/{number}").json() for number in (1, 2)]
    assert [row["name"] for row in rounds] == ["Semi-final", "Final"]


def test_two_finals_are_told_apart_on_manage(cup: Event, cast: Cast) -> None:
    """The final of a consolation has the name of that of the cup."""
    first = Stage.objects.get(event=cup)
    fields = {"kind": "knockout", "takes": "losers", "name": "Plate"}
    Stage.objects.create(club=cup.club, event=cup, number=2, from_stage=first, **fields)
    others = Player.objects.filter(name__in=("Cleo", "Dan", "Gus", "Hal")).order_by("name")
    table(cup, list(others), round_number=3, on=TONIGHT)
    Round.objects.filter(number=3).update(stage=Stage.objects.get(number=2))
    page = " ".join(text_of(cast.client("dirk").get(f"{PAGE}/direct")).split())
    assert "round 3 (Plate: Final)" in page
    assert "round 2 (Final)" in page


def test_tables_of_a_host_name_their_rounds_and_a_league_costs_no_query(
    cast: Cast, cup: Event
) -> None:
    hanna = cast.client("hanna")
    assert f"Cup, r{IN_SENTENCES}" in text_of(hanna.get("/my-tables"))
    other_league = league(cast.riverside, slug="other", name="Other")
    table(other_league, list(cast.riverside.players.order_by("pk")[:4]))
    assert "Other, round 1 " in text_of(hanna.get("/my-tables"))
    with_two_events = count_queries(hanna, "/my-tables")
    third_league = league(cast.riverside, slug="third", name="Third")
    table(third_league, list(cast.riverside.players.order_by("pk")[4:]))
    assert "Third, round 1 " in text_of(hanna.get("/my-tables"))
    assert count_queries(hanna, "/my-tables") == with_two_events
