"""The page of an evening, its line among the evenings, and its table by REST."""

import re
from datetime import date, datetime, timedelta

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.support.builders import (
    by_tests,
    finished,
    hand,
    ladder,
    league,
    players,
    publish_all,
    table,
)
from tests.support.cast import NOW, Cast
from tests.support.history import make_all
from tests.support.pages.text import text_of
from tests.support.rest.requests import codes
from tests.support.scenarios.evenings import ADDRESS
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.ladders import LadderMove
from tournaments.models.rounds import Meeting, Round
from tournaments.models.standings import StoredHistory
from tournaments.policy import Actor
from tournaments.selectors.events.events import listed_events
from tournaments.selectors.events.meetings import meeting_on
from tournaments.selectors.standings.evenings import list_last_evenings
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.evenings import end_evening
from tournaments.services.rounds.rounds import make_round, move_round

pytestmark = pytest.mark.django_db

FIRST = date(2025, 11, 6)
SCHEME = {"primary": "placement_points", "tie_breaks": ("wins",)}


@pytest.fixture
def season(cast: Cast) -> Event:
    """Two evenings: Elsa wins the first, Anton the second; Elsa leads the season."""
    event = league(cast.riverside, settings=SCHEME, name="Autumn league")
    people = players(cast.riverside, "Elsa D.", "Zoë K.", "Leo K.", "Anton S.")
    for at, (hearts, queen) in enumerate(
        (([0, 1, 5, 7], 3), ([1, 0, 5, 7], 3), ([2, 5, 6, 0], 2)), start=1
    ):
        day = FIRST if at < 3 else FIRST + timedelta(weeks=1)
        hand(table(event, people, round_number=at, on=day), 1, hearts, queen=queen)
    publish(event.pk, now=NOW)
    make_all(event.pk)
    return event


def read(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, path
    return text_of(answer)


def test_page_of_an_evening_names_its_first_and_not_the_leader_of_the_season(
    season: Event, client: Client
) -> None:
    page = read(client, f"{ADDRESS}/meetings/2025-11-13")
    assert "Evening of Thursday 13 November 2025" in page
    first = page.index("First this evening so far")
    assert page.index("Anton S.", first) < page.index("Elsa D.", first)
    assert "Only the games of this evening count here" in page
    assert "Tables of Anton S. this evening" in page
    assert "publication" not in page.lower()


def test_evening_whose_rounds_are_closed_is_no_longer_so_far(season: Event, client: Client) -> None:
    assert "so far" in read(client, f"{ADDRESS}/meetings/2025-11-06")
    Round.objects.filter(event=season).update(state="closed")
    page = read(client, f"{ADDRESS}/meetings/2025-11-06")
    assert "First this evening" in page
    assert "so far" not in page


def test_evenings_name_the_first_of_each_and_lead_to_its_page(
    season: Event, client: Client
) -> None:
    Round.objects.filter(event=season, number__lt=3).update(state="closed")
    for path in (f"{ADDRESS}/meetings", "/clubs/riverside/evenings"):
        answer = client.get(path)
        page = text_of(answer)
        assert "First of the evening so far: Anton S." in page
        assert "Elsa D. and Zoë K. share the first place of the evening" in page
        assert f'href="{ADDRESS}/meetings/2025-11-13"' in answer.content.decode()


@pytest.mark.parametrize("day", [NOW, NOW + timedelta(days=1)])
def test_evening_of_today_is_so_far_in_lists_until_it_is_over(
    season: Event, client: Client, clock: time_machine.Traveller, day: datetime
) -> None:
    Round.objects.update(state="closed", closed_at=NOW)
    clock.move_to(day)
    is_today = day == NOW
    for path in (f"{ADDRESS}/meetings", "/clubs/riverside/evenings"):
        page = read(client, path)
        so_far = "Elsa D. and Zoë K. share the first place of the evening so far"
        assert (so_far in page) == is_today
    Meeting.objects.update(ended_at=NOW)
    for path in (f"{ADDRESS}/meetings", "/clubs/riverside/evenings"):
        page = read(client, path)
        assert "Elsa D. and Zoë K. share the first place of the evening" in page


@pytest.mark.parametrize("path", [f"{ADDRESS}/meetings", "/clubs/riverside/evenings"])
def test_evening_is_in_progress_from_its_first_round_to_its_end(
    cast: Cast, client: Client, clock: time_machine.Traveller, path: str
) -> None:
    event = league(cast.riverside)
    people = players(cast.riverside, *"ABCD")
    tomorrow = FIRST + timedelta(days=1)
    meeting = Meeting.objects.create(club=event.club, event=event, date=FIRST)
    round_ = make_round(by_tests(), event, number=1, on=FIRST)
    assert "planned" in read(client, path)
    game = table(event, people, round_number=1)
    Round.objects.filter(pk=round_.pk).update(state="posted", posted_at=NOW)
    page = read(client, path)
    assert "in progress" in page
    assert "planned" not in page
    Meeting.objects.filter(pk=meeting.pk).update(date=tomorrow)  # it is posted the day before
    assert "planned" in read(client, path)
    Meeting.objects.filter(pk=meeting.pk).update(date=FIRST)

    finished(game)
    move_round(by_tests(), Round.objects.get(), to="closed")
    page = read(client, path)
    assert "in progress" in page  # another round may follow
    assert "held" not in page
    clock.move_to(NOW + timedelta(hours=8, minutes=59))
    assert "in progress" in read(client, path)
    clock.move_to(NOW + timedelta(hours=9))
    assert "held" in read(client, path)
    clock.move_to(NOW)
    end_evening(by_tests(), meeting_on(event, FIRST))
    page = read(client, path)
    assert "held" in page
    assert "in progress" not in page


def test_page_of_the_club_names_the_winners_of_the_last_evening(
    season: Event, cast: Cast, client: Client
) -> None:
    address = "/clubs/riverside"
    page = read(client, address)
    assert "Evening of Thursday 13 November 2025" in page
    assert "Autumn league First of the evening so far: Anton S." in page
    assert "Elsa D. and Zoë K." not in page
    Round.objects.update(state="closed", closed_at=NOW)
    Meeting.objects.update(ended_at=NOW)
    assert "Autumn league Winner of the evening: Anton S." in read(client, address)
    Game.objects.filter(table__round__number=3).update(counts=False)
    page = read(client, address)
    assert "Evening of Thursday 6 November 2025" in page
    assert "Elsa D. and Zoë K. share the first place of the evening" in page


@pytest.mark.parametrize("path", ["/clubs/riverside", "/clubs/riverside/evenings"])
def test_winner_of_an_evening_of_a_held_event_is_on_no_page_of_the_club(
    season: Event, cast: Cast, path: str
) -> None:
    assert "of the evening" in read(cast.client("dirk"), path)
    Event.objects.update(visibility="members")
    assert "of the evening" in read(cast.client("piet"), path)
    assert "of the evening" not in read(cast.client(), path)
    Event.objects.update(visibility="held")
    assert "of the evening" not in read(cast.client("dirk"), path)


def test_page_of_the_club_costs_as_many_queries_with_three_evenings_of_a_day_as_with_one(
    season: Event, client: Client
) -> None:
    def n_queries() -> int:
        with CaptureQueriesContext(connection) as queries:
            list_last_evenings(list(listed_events(Actor("public"), season.club)), NOW)
        return len(queries)

    few = n_queries()
    people = list(season.club.players.all())
    for slug in ("cup", "plate"):
        event = league(season.club, settings=SCHEME, slug=slug, name=slug.title())
        for number, day in ((1, FIRST), (2, FIRST + timedelta(weeks=1))):
            hand(table(event, people, round_number=number, on=day), 1, [0, 1, 5, 7], queen=3)
        publish(event.pk, now=NOW)
        make_all(event.pk)
    assert read(client, "/clubs/riverside").count("First of the evening so far:") == 3
    assert n_queries() == few == 7


def test_table_that_is_not_made_yet_is_being_computed_and_never_that_of_the_season(
    season: Event, client: Client
) -> None:
    StoredHistory.objects.filter(event=season, kind="evening").delete()
    page = read(client, f"{ADDRESS}/meetings/2025-11-13")
    assert "The table of this evening is being computed." in page
    assert "First this evening" not in page
    at = "/api/v1/clubs/riverside/events/league/meetings/2025-11-13/standings"
    for address in (at, f"{at}.csv"):
        answer = client.get(address)
        assert (answer.status_code, codes(answer)) == (404, ["evening_without_standings"])


def test_planned_evening_says_that_no_hand_counts_yet(season: Event, client: Client) -> None:
    Meeting.objects.create(club=season.club, event=season, date=date(2025, 11, 20))
    page = read(client, f"{ADDRESS}/meetings/2025-11-20")
    assert "No hand of this evening counts yet." in page
    assert client.get(f"{ADDRESS}/meetings/2025-11-21").status_code == 404
    assert client.get(f"{ADDRESS}/meetings/soon").status_code == 404


def test_table_by_rest_is_that_of_the_page_with_its_etag_and_as_csv(
    season: Event, client: Client
) -> None:
    at = "/api/v1/clubs/riverside/events/league/meetings/2025-11-13/standings"
    answer = client.get(at)
    table_ = answer.json()
    assert [row["player"] for row in table_["rows"]] == ["Anton S.", "Elsa D.", "Zoë K.", "Leo K."]
    assert table_["evening"] == {"date": "2025-11-13", "counts": "evening"}
    assert "publication" not in table_
    assert re.fullmatch(r'"evening-2025-11-13-[0-9a-f]+"', answer["ETag"])
    assert client.get(at, headers={"If-None-Match": answer["ETag"]}).status_code == 304
    lines = client.get(f"{at}.csv").content.decode().splitlines()
    assert lines[1].startswith("1,")
    assert "Anton S." in lines[1]


def test_held_event_shows_its_evenings_to_nobody_else(season: Event, cast: Cast) -> None:
    Event.objects.filter(pk=season.pk).update(visibility="held")
    for path in (
        f"{ADDRESS}/meetings/2025-11-13",
        "/api/v1/clubs/riverside/events/league/meetings/2025-11-13/standings",
    ):
        assert cast.client().get(path).status_code == 404
        assert cast.client("dirk").get(path).status_code == 200
    assert "Anton S." not in text_of(cast.client().get("/clubs/riverside/evenings"))


def test_evening_of_a_ladder_says_whether_nobody_moved_or_it_is_computed(
    cast: Cast, client: Client
) -> None:
    event = ladder(cast.riverside, slug="rungs", name="Rungs")
    people = players(cast.riverside, "Elsa D.", "Zoë K.", "Leo K.", "Anton S.")
    game = table(event, people, on=FIRST)
    publish_all(event)
    LadderMove.objects.all().delete()
    path = "/clubs/riverside/events/rungs/meetings/2025-11-06"
    assert "Nobody moved on this evening." in read(client, path)
    hand(game, 1, [0, 1, 5, 7], queen=3)
    page = read(client, path)
    assert "The moves of this evening are being computed." in page
    assert "Nobody moved" not in page


def test_evening_of_a_ladder_has_moves_and_no_table(cast: Cast, client: Client) -> None:
    event = ladder(cast.riverside, slug="rungs", name="Rungs")
    people = players(cast.riverside, "Elsa D.", "Zoë K.", "Leo K.", "Anton S.")
    hand(table(event, people, on=FIRST), 1, [0, 1, 5, 7], queen=3)
    publish(event.pk, now=NOW)
    make_all(event.pk)
    page = read(client, "/clubs/riverside/events/rungs/meetings/2025-11-06")
    assert "Moves of this evening" in page
    assert "First this evening" not in page
    answer = client.get("/api/v1/clubs/riverside/events/rungs/meetings/2025-11-06/standings")
    assert (answer.status_code, codes(answer)) == (404, ["evening_of_ladder"])


def test_lists_of_evenings_cost_as_many_queries_with_twelve_as_with_two(
    season: Event, client: Client
) -> None:
    with CaptureQueriesContext(connection) as few:
        client.get("/clubs/riverside/evenings")
    state = StoredHistory.objects.get(event=season, kind="evenings")
    assert len(bytes(state.body)) < 1000
    people = list(season.club.players.all())
    for week in range(2, 12):
        game = table(season, people, round_number=week + 2, on=FIRST + timedelta(weeks=week))
        hand(game, 1, [0, 1, 5, 7], queen=3)
    publish(season.pk, now=NOW)
    make_all(season.pk)
    with CaptureQueriesContext(connection) as many:
        client.get("/clubs/riverside/evenings")
    assert len(many) == len(few)


def test_director_closes_an_evening_on_its_page_once_its_tables_are_complete(
    season: Event, cast: Cast
) -> None:
    dirk, path = cast.client("dirk"), f"{ADDRESS}/meetings/2025-11-13"
    assert "These tables are not complete: table 1 of round 3" in read(dirk, path)
    assert "not complete" not in read(cast.client(), path)
    refused = text_of(dirk.post(f"{path}/end", follow=True))
    assert "These tables are not complete: r3t1." in refused
    Game.objects.filter(event=season).update(state="complete")
    assert "Close the evening" in read(dirk, path)
    assert "Close the evening" not in read(cast.client(), path)
    done = text_of(dirk.post(f"{path}/end", follow=True))
    assert "The evening is closed." in done
    assert "This evening ended" in done
    assert "First this evening" in done
    assert "so far" not in done
    assert cast.client().post(f"{path}/end").status_code in (302, 403)


def test_program_ends_an_evening_and_reads_that_it_is_over(season: Event, cast: Cast) -> None:
    at = "/api/v1/clubs/riverside/events/league/meetings/2025-11-13"
    before = cast.client().get(at).json()
    assert (before["is_over"], before["ended_at"], before["ended_by"]) == (False, None, "")
    Game.objects.filter(event=season).update(state="complete")
    ended = cast.client("dirk").post(f"{at}/end", {}, content_type="application/json")
    assert (ended.status_code, ended.json()["is_over"]) == (200, True)
    assert cast.client().get(at).json()["ended_by"] == "person"
