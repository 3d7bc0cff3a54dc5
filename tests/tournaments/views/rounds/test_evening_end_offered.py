"""Where pages offer to close an evening, and to whom."""

from datetime import date

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.support.builders import by_tests, finished, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.text import text_of
from tests.support.scenarios.evenings import ADDRESS
from tests.support.scenarios.planned_evenings import planned_evening
from tournaments.models.clubs import Membership
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Round
from tournaments.selectors.events.events import get_event
from tournaments.selectors.events.meetings import is_over, meeting_on
from tournaments.selectors.rounds.evening_end import (
    MOST_DIRECTORS,
    find_due_evening_end,
    list_unplayed_rounds,
)
from tournaments.services.rounds.evenings import end_evening
from tournaments.services.rounds.rounds import make_round

pytestmark = pytest.mark.django_db

TONIGHT = date(2025, 11, 6)
BUTTON = "Close the evening"
PAGES = (
    f"{ADDRESS}/direct",
    f"{ADDRESS}/tables/r2t1",
    f"{ADDRESS}/rounds/2",
    f"{ADDRESS}/rounds/2/board",
    f"{ADDRESS}/meetings/2025-11-06",
)


@pytest.fixture
def night(cast: Cast) -> Event:
    """Two rounds of one evening, of one table each; nothing is complete."""
    event = league(cast.riverside)
    people = players(cast.riverside, *"ABCD")
    for number in (1, 2):
        hand(table(event, people, round_number=number, on=TONIGHT), 1, [4, 1, 2, 6], queen=3)
    return event


def complete(*rounds: int) -> None:
    Game.objects.filter(table__round__number__in=rounds).update(state="complete")


def offers(client: Client, path: str) -> bool:
    answer = client.get(path)
    assert answer.status_code == 200, path
    return f">{BUTTON}</button>" in answer.content.decode()


@pytest.mark.parametrize("path", PAGES)
def test_directors_close_the_evening_wherever_they_are_once_its_last_round_is_complete(
    night: Event, cast: Cast, path: str
) -> None:
    complete(1)
    dirk = cast.client("dirk")
    assert not offers(dirk, path)
    complete(2)
    assert offers(dirk, path)
    for name in ("", "piet", "hanna"):
        assert BUTTON + "</button>" not in cast.client(name).get(path).content.decode()
    end_evening(by_tests(), meeting_on(night, TONIGHT))
    assert not offers(dirk, path)


@pytest.mark.parametrize("path", PAGES)
def test_table_of_an_earlier_round_that_is_open_is_named_instead(
    night: Event, cast: Cast, path: str
) -> None:
    complete(2)
    page = text_of(cast.client("dirk").get(path))
    assert "cannot be closed yet. These tables are not complete: table 1 of round 1" in page
    assert not offers(cast.client("dirk"), path)


def test_manage_says_of_a_single_table_that_it_is_open_without_counting_it(
    night: Event, cast: Cast
) -> None:
    complete(1)
    Round.objects.filter(number=1).update(state="closed", closed_at=NOW)
    page = text_of(cast.client("dirk").get(f"{ADDRESS}/direct"))
    assert (
        "Its only table is still open. Enter and confirm its sheet, then close the round." in page
    )
    people = players(cast.riverside, *"EFGH")
    hand(table(night, people, round_number=2, table_number=2, on=TONIGHT), 1, [4, 1, 2, 6], queen=3)
    Game.objects.filter(table__code="r2t2").update(state="complete")
    page = text_of(cast.client("dirk").get(f"{ADDRESS}/direct"))
    assert "1 of 2 tables is still open." in page


def test_draft_round_is_not_the_last_one(night: Event, cast: Cast) -> None:
    complete(1, 2)
    make_round(by_tests(), night, number=3, on=TONIGHT)
    assert offers(cast.client("dirk"), f"{ADDRESS}/direct")
    Round.objects.filter(number=3).update(state="posted")
    assert not offers(cast.client("dirk"), f"{ADDRESS}/direct")


UNPLAYED = "planned for this evening and"


@pytest.mark.parametrize(
    "path", [*PAGES, f"{ADDRESS}/screen", f"{ADDRESS}/projector", f"{ADDRESS}/rounds/2/pile"]
)
def test_planned_round_that_was_not_played_is_named_beside_the_button(
    night: Event, cast: Cast, path: str
) -> None:
    complete(1, 2)
    dirk = cast.client("dirk")
    assert UNPLAYED not in text_of(dirk.get(path))
    make_round(by_tests(), night, number=3, on=TONIGHT)
    make_round(by_tests(), night, number=4, on=date(2025, 11, 13))
    page = text_of(dirk.get(path))
    assert (
        "Round 3 is planned for this evening and was not played. It stays planned. Close the "
        "evening" in page.replace("Closing the evening closes its rounds too. ", "")
    )
    assert page.count(UNPLAYED) == 1
    end_evening(by_tests(), meeting_on(night, TONIGHT))
    assert is_over(meeting_on(night, TONIGHT))
    assert Round.objects.get(number=3).state == "draft"


def test_host_reads_the_planned_rounds_too(night: Event, cast: Cast) -> None:
    complete(1, 2)
    make_round(by_tests(), night, number=3, on=TONIGHT)
    hanna = cast.client("hanna")
    assert UNPLAYED in text_of(hanna.get(f"{ADDRESS}/tables/r2t1"))
    assert UNPLAYED not in text_of(cast.client("piet").get(f"{ADDRESS}/tables/r2t1"))


def test_rounds_of_the_chosen_plan_that_nobody_made_are_named_by_the_numbers_that_they_will_have(
    cast: Cast,
) -> None:
    tables: list[list[int]] = [[1, 2, 3, 4]]
    evening = planned_evening(cast, [(tables, [])] * 3)
    evening.here(1, 2, 3, 4)

    def unplayed() -> list[int]:
        return list(list_unplayed_rounds(evening.event, evening.meeting))

    first = evening.seat()
    assert unplayed() == [1, 2, 3]  # the first one is a draft
    evening.play(first)
    assert unplayed() == [2, 3]
    page = text_of(cast.client("dirk").get(f"{ADDRESS}/direct"))
    assert "Rounds 2 and 3 are planned for this evening and were not played." in page
    evening.play(evening.seat())
    evening.play(evening.seat())
    assert unplayed() == []


def test_host_reads_who_can_close_it_after_the_last_sheet(night: Event, cast: Cast) -> None:
    complete(1, 2)
    hanna = cast.client("hanna")
    for path in (f"{ADDRESS}/tables/r2t1", f"{ADDRESS}/rounds/2/pile"):
        assert "Only directors close the evening: dirk and olga" in text_of(hanna.get(path))
        assert not offers(hanna, path)
    for name in ("piet", ""):
        page = text_of(cast.client(name).get(f"{ADDRESS}/tables/r2t1"))
        assert "Only directors" not in page


def test_closed_round_leaves_the_evening_to_be_closed(night: Event, cast: Cast) -> None:
    complete(1, 2)
    Round.objects.update(state="closed")
    assert offers(cast.client("dirk"), f"{ADDRESS}/direct")
    Event.objects.update(state="closed")
    assert not offers(cast.client("dirk"), f"{ADDRESS}/direct")


@pytest.mark.parametrize(
    ("back", "to"),
    [
        ("manage-event", f"{ADDRESS}/direct"),
        ("round-screen", f"{ADDRESS}/screen"),
        ("big-screen", f"{ADDRESS}/projector"),
        ("", f"{ADDRESS}/meetings/2025-11-06"),
        ("https://elsewhere.example", f"{ADDRESS}/meetings/2025-11-06"),
    ],
)
def test_end_leads_back_to_where_it_was_pressed(
    night: Event, cast: Cast, back: str, to: str
) -> None:
    complete(1, 2)
    pressed = cast.client("dirk").post(f"{ADDRESS}/meetings/2025-11-06/end", {"back": back})
    assert (pressed.status_code, pressed["Location"]) == (302, to)
    assert is_over(meeting_on(night, TONIGHT))


def n_queries(event: Event) -> int:
    with CaptureQueriesContext(connection) as queries:
        find_due_evening_end(event, now=NOW)
    return len(queries)


def test_host_pays_one_query_while_a_round_is_played_and_as_many_for_seven_tables_as_for_one(
    night: Event, cast: Cast
) -> None:
    assert n_queries(get_event(cast.actor("piet"), "riverside", "league")) == 0
    of_host = get_event(cast.actor("hanna"), "riverside", "league")
    assert n_queries(of_host) == 1
    complete(2)
    before = n_queries(of_host)
    people = players(night.club, *(f"Player {number:02d}" for number in range(1, 25)))
    for number in range(2, 8):
        seated = people[4 * number - 8 : 4 * number - 4]
        table(night, seated, round_number=1, table_number=number, on=TONIGHT)
    assert n_queries(of_host) == before


@pytest.mark.parametrize("on", [date(2025, 10, 30), date(2025, 11, 7), None])
def test_round_of_another_day_or_of_none_hides_no_evening_that_can_end(
    night: Event, cast: Cast, on: date | None
) -> None:
    complete(1, 2)
    people = players(cast.riverside, *"EFGH")
    finished(table(night, people, round_number=3, on=on or TONIGHT))
    if on is None:  # as those of a play-off
        Round.objects.filter(number=3).update(meeting=None)
    end = find_due_evening_end(get_event(cast.actor("dirk"), "riverside", "league"), now=NOW)
    assert end is not None
    assert end.meeting.date == TONIGHT


@pytest.mark.parametrize("n", [MOST_DIRECTORS - 1, MOST_DIRECTORS, MOST_DIRECTORS + 1])
def test_some_directors_are_named(night: Event, cast: Cast, n: int) -> None:
    complete(1, 2)
    for number in range(n - 2):
        user = User.objects.create(username=f"director{number}")
        Membership.objects.create(club=cast.riverside, user=user, role="director")
    end = find_due_evening_end(get_event(cast.actor("hanna"), "riverside", "league"), now=NOW)
    assert end is not None
    assert len(end.directors) == min(n, MOST_DIRECTORS)
    assert "hanna" not in end.directors
