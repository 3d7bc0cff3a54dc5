"""The evening on the big screen once its last sheet is in."""

from datetime import date, timedelta

import pytest
import time_machine
from django.test import Client

from tests.support.builders import by_tests, finished, hand, ladder, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.evening_work import work_on_evenings
from tests.support.history import make_all
from tests.support.pages.text import text_of
from tests.support.scenarios.cups import cup, planned, play, post
from tests.support.scenarios.evenings import ADDRESS
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.jobs import EVENING_RESULT, Deadline
from tournaments.models.rounds import Round
from tournaments.models.standings import StoredHistory
from tournaments.selectors.events.meetings import meeting_on
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.evenings import end_evening
from tournaments.views.rounds import big_screens

pytestmark = pytest.mark.django_db

LAST_WEEK = date(2025, 10, 30)
TONIGHT = date(2025, 11, 6)
SCREENS = (f"{ADDRESS}/projector", f"{ADDRESS}/screen")
SO_FAR = "Evening of Thursday 6 November 2025 so far"
RESULT = "Result of the evening of Thursday 6 November 2025"


@pytest.fixture
def season(clock: time_machine.Traveller, cast: Cast) -> Event:
    """Elsa won last week by far and leads the season; Anton wins tonight, where Elsa is last."""
    event = league(cast.riverside, settings={"primary": "raw_per_hand"}, name="Autumn league")
    people = players(cast.riverside, "Elsa D.", "Zoë K.", "Leo K.", "Anton S.")
    old = table(event, people, on=LAST_WEEK)
    for number in range(1, 5):
        hand(old, number, [0, 1, 5, 7], queen=3)
    Game.objects.update(state="complete")
    Round.objects.update(state="closed")
    hand(table(event, people, round_number=2, on=TONIGHT), 1, [6, 4, 3, 0], queen=2)
    publish_now(event)
    return event


def publish_now(event: Event) -> None:
    publish(event.pk, now=NOW)
    make_all(event.pk)


def read(client: Client, path: str) -> str:
    return text_of(client.get(path))


def complete() -> None:
    Game.objects.update(state="complete")


@pytest.mark.parametrize("path", SCREENS)
def test_screen_turns_to_the_evening_with_its_last_sheet(
    season: Event, client: Client, path: str
) -> None:
    before = read(client, path)
    assert "so far" not in before
    complete()
    page = read(client, path)
    assert SO_FAR in page
    first = page.index("1 Anton S.")
    assert first < page.index("2 Zoë K.") < page.index("3 Elsa D.") < page.index("Player")
    assert page.index("4 Leo K.") > page.index("Player")
    end_evening(by_tests(), meeting_on(season, TONIGHT))
    page = read(client, path)
    assert RESULT in page
    assert "so far" not in page


ENDS = "The evening ends at 22:00 unless another round is posted."
STORED_SOON = "The result is being stored."


@pytest.mark.parametrize("path", SCREENS)
def test_screen_says_when_the_evening_ends_and_that_its_result_is_stored(
    season: Event, client: Client, clock: time_machine.Traveller, path: str
) -> None:
    complete()
    assert "The evening ends" not in read(client, path), "its round is open"
    Round.objects.update(state="closed", posted_at=NOW, closed_at=NOW)
    page = read(client, path)
    assert SO_FAR in page
    assert ENDS in page
    clock.move_to(NOW + timedelta(minutes=59))
    assert ENDS in read(client, path)
    clock.move_to(NOW + timedelta(hours=1))
    assert "The evening ends" not in read(client, path), "a worker ends it now"
    end_evening(by_tests(), meeting_on(season, TONIGHT))
    page = read(client, path)
    assert RESULT in page
    assert STORED_SOON in page
    work_on_evenings(season, NOW + timedelta(hours=1))
    page = read(client, path)
    assert RESULT in page
    assert STORED_SOON not in page


def test_page_of_the_evening_says_when_it_ends(season: Event, client: Client) -> None:
    address = f"{ADDRESS}/meetings/2025-11-06"
    complete()
    assert "The evening ends" not in read(client, address)
    Round.objects.update(state="closed", posted_at=NOW, closed_at=NOW)
    ends = "The evening ends 6 Nov 2025, 22:00 unless another round is posted."
    assert ends in " ".join(read(client, address).split())
    people = list(season.club.players.order_by("pk"))
    table(season, people, round_number=3, on=TONIGHT)
    assert "The evening ends" not in read(client, address)


@pytest.mark.parametrize("path", SCREENS)
def test_further_round_takes_the_screen_back(season: Event, client: Client, path: str) -> None:
    complete()
    people = list(season.club.players.order_by("pk"))
    table(season, people, round_number=3, on=TONIGHT)
    assert SO_FAR not in read(client, path)
    Round.objects.filter(number=3).update(state="draft")
    assert SO_FAR in read(client, path)


@pytest.mark.parametrize("path", SCREENS)
def test_result_stays_on_the_screen_over_midnight_until_six(
    season: Event, client: Client, clock: time_machine.Traveller, path: str
) -> None:
    complete()
    Round.objects.update(state="closed", posted_at=NOW, closed_at=NOW)
    end_evening(by_tests(), meeting_on(season, TONIGHT))
    clock.move_to(NOW + timedelta(hours=8, minutes=59))
    assert RESULT in read(client, path)
    clock.move_to(NOW + timedelta(hours=9))
    assert RESULT not in read(client, path)


def test_events_whose_rounds_are_closed_keep_their_turn_of_a_shared_screen(
    season: Event, client: Client, clock: time_machine.Traveller
) -> None:
    complete()
    other = league(season.club, slug="other", name="Other league")
    people = list(season.club.players.order_by("pk"))
    finished(table(other, people, on=TONIGHT))
    publish_now(other)
    Round.objects.update(state="closed", posted_at=NOW, closed_at=NOW)
    seen = []
    for turn in range(2):
        clock.move_to(NOW + timedelta(seconds=turn * big_screens.A_PART_S))
        seen.append("Other league" in read(client, f"{ADDRESS}/screen?evening=all"))
    assert sorted(seen) == [False, True]


@pytest.mark.parametrize("path", SCREENS)
def test_evening_leaves_the_screen_when_its_night_ends(
    season: Event, client: Client, clock: time_machine.Traveller, path: str
) -> None:
    complete()
    Round.objects.update(state="closed", posted_at=NOW, closed_at=NOW)
    clock.move_to(NOW + timedelta(hours=8, minutes=59))
    late = client.get(path)
    assert SO_FAR in text_of(late)
    clock.move_to(NOW + timedelta(hours=9))
    headers = {"HX-Request": "true", "If-None-Match": late["ETag"]}
    morning = client.get(path, headers=headers)
    assert morning.status_code == 200
    assert "so far" not in morning.content.decode()
    assert "Anton S." in morning.content.decode()


def test_standings_of_the_round_screen_are_those_of_the_season(
    season: Event, client: Client
) -> None:
    """The link is outside the part that is asked anew, so it is the same before the last sheet."""
    for _ in range(2):
        content = client.get(SCREENS[1]).content.decode()
        assert f'href="{SCREENS[0]}?table=season">Standings</a>' in content
        complete()


def test_season_is_one_link_away_and_pages_keep_it(
    season: Event, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    complete()
    monkeypatch.setattr(big_screens, "ROWS", 2)
    monkeypatch.setattr(big_screens, "ROWS_OF_EVENING", 2)
    page = client.get(SCREENS[0]).content.decode()
    assert 'href="?table=season"' in page
    assert 'href="?page=2"' in page
    of_season = client.get(f"{SCREENS[0]}?table=season")
    assert SO_FAR not in text_of(of_season)
    assert text_of(of_season).index("Elsa D.") < text_of(of_season).index("Zoë K.")
    assert 'href="?table=season&amp;page=2"' in of_season.content.decode()


@pytest.mark.parametrize("path", SCREENS)
def test_screen_that_knows_the_evening_hears_of_a_corrected_table(
    season: Event, client: Client, path: str
) -> None:
    complete()
    live = {"HX-Request": "true"}
    tag = client.get(f"{path}?page=1", headers=live)["ETag"]
    known = {**live, "If-None-Match": tag}
    assert client.get(f"{path}?page=1", headers=known).status_code == 304
    game = Game.objects.get(table__round__number=2)
    hand(game, 1, [0, 4, 3, 6], queen=2, based_on=1, reason="Swapped.")
    publish_now(season)
    complete()
    news = client.get(f"{path}?page=1", headers=known)
    assert news.status_code == 200
    page = news.content.decode()
    assert page.index("Elsa D.") < page.index("Zoë K.") < page.index("Anton S.")


@pytest.mark.parametrize("path", SCREENS)
def test_screen_and_json_say_while_a_result_is_being_corrected(
    season: Event, client: Client, clock: time_machine.Traveller, path: str
) -> None:
    """Also a screen that has the page asks and hears of the next result once it is drawn."""
    complete()
    end_evening(by_tests(), meeting_on(season, TONIGHT))
    work_on_evenings(season, NOW)
    says = "Result 1 is being corrected: another may follow at 21:16."
    standings = f"/api/v1{ADDRESS}/meetings/2025-11-06/standings"
    assert says not in read(client, path)
    assert "next_result_at" not in client.get(standings).json()["evening"]

    corrected_at = NOW + timedelta(minutes=1)
    clock.move_to(corrected_at)
    game = Game.objects.get(event=season, table__code="r2t1")
    why = "The sheet says so."
    hand(game, 1, [0, 4, 3, 6], queen=2, based_on=1, reason=why, now=corrected_at)
    work_on_evenings(season, corrected_at)
    response = client.get(path, headers={"HX-Request": "true"})
    assert says in " ".join(response.content.decode().split())
    answer = client.get(standings)
    assert answer.json()["evening"]["next_result_at"] == "2025-11-06T21:16:00Z"

    drawn_at = corrected_at + timedelta(minutes=15)
    clock.move_to(drawn_at)
    work_on_evenings(season, drawn_at)
    tags = {"HX-Request": "true", "If-None-Match": response["ETag"]}
    later = client.get(path, headers=tags)
    assert later.status_code == 200
    assert "Result of the evening" in " ".join(later.content.decode().split())
    assert "being corrected" not in later.content.decode()
    now_there = client.get(standings, headers={"If-None-Match": answer["ETag"]})
    assert now_there.status_code == 200
    assert "next_result_at" not in now_there.json()["evening"]


@pytest.mark.parametrize("path", SCREENS)
def test_screen_hears_of_each_result_of_several_that_are_due(
    season: Event, client: Client, path: str
) -> None:
    """The first of two is put off; it is drawn; the last one stays due at the same time."""
    due = [
        Deadline.objects.create(
            event=season, club=season.club, kind=EVENING_RESULT, key=key, due_at=NOW + wait
        )
        for key, wait in (("1", timedelta(minutes=5)), ("2", timedelta(minutes=15)))
    ]
    tag = client.get(path)["ETag"]
    assert client.get(path, headers={"If-None-Match": tag}).status_code == 304

    due[0].due_at = NOW + timedelta(minutes=6)
    due[0].save()
    put_off = client.get(path, headers={"If-None-Match": tag})
    assert put_off.status_code == 200

    due[0].done_at = NOW
    due[0].save()
    drawn = client.get(path, headers={"If-None-Match": put_off["ETag"]})
    assert drawn.status_code == 200


def test_pages_of_a_long_table_each_begin_with_the_first_places(
    season: Event, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    complete()
    monkeypatch.setattr(big_screens, "ROWS_OF_EVENING", 3)
    content = client.get(SCREENS[1]).content.decode()
    assert content.count('class="podium"') == 2
    assert content.count("Page 2") == 1
    assert "Page 3" not in content


@pytest.mark.parametrize("path", SCREENS)
def test_directors_close_the_evening_on_the_wall_and_nobody_else_reads_of_it(
    season: Event, cast: Cast, path: str
) -> None:
    complete()
    dirk = cast.client("dirk")
    button = "Close the evening</button>"
    assert button in dirk.get(path).content.decode()
    for name in ("", "piet", "hanna"):
        content = cast.client(name).get(path).content.decode()
        assert "wall-end" not in content
    back = "big-screen" if path.endswith("projector") else "round-screen"
    assert f'name="back" value="{back}"' in dirk.get(path).content.decode()
    done = dirk.post(f"{ADDRESS}/meetings/2025-11-06/end", {"back": back})
    assert done["Location"] == path
    assert button not in dirk.get(path).content.decode()


def test_evening_of_an_old_pile_stays_off_the_screen(season: Event, client: Client) -> None:
    complete()
    people = list(season.club.players.order_by("pk"))
    old = table(season, people, round_number=3, on=LAST_WEEK)
    hand(old, 1, [6, 4, 3, 0], queen=2)
    complete()
    publish_now(season)
    page = read(client, SCREENS[0])
    assert SO_FAR in page
    assert "30 October" not in page


def test_cup_and_ladder_keep_their_own_tables_on_the_screen(
    clock: time_machine.Traveller, cast: Cast
) -> None:
    dirk, event = cup(cast)
    play(post(dirk, planned(dirk)))
    make_all(event.pk)
    clock.move_to(NOW + timedelta(weeks=1))
    for path in SCREENS:
        page = text_of(dirk.get(path))
        assert "so far" not in page
        assert "The event after the evening of Thursday 13 November 2025" in page
        assert "Nobody has won yet." in page
        assert 'class="podium"' not in dirk.get(path).content.decode()
    rungs = ladder(cast.riverside, slug="rungs", name="Rungs")
    people = players(cast.riverside, "Elsa D.", "Zoë K.", "Leo K.", "Anton S.")
    hand(table(rungs, people, on=date(2025, 11, 13)), 1, [0, 1, 5, 7], queen=3)
    complete()
    publish_now(rungs)
    for name in ("projector", "screen"):
        assert "so far" not in read(cast.client(), f"/clubs/riverside/events/rungs/{name}")


@pytest.mark.parametrize("path", SCREENS)
def test_screen_names_the_table_that_keeps_the_evening_on(
    season: Event, cast: Cast, path: str
) -> None:
    people = list(season.club.players.order_by("pk"))
    hand(table(season, people, round_number=3, on=TONIGHT), 1, [6, 4, 3, 0], queen=2)
    Game.objects.filter(table__round__number=3).update(state="complete")
    page = text_of(cast.client("dirk").get(path))
    assert "These tables are not complete: table 1 of round 2" in page
    assert "Close the evening" not in page
    assert "not complete" not in text_of(cast.client("hanna").get(path))


def test_all_who_share_a_place_stand_there_and_from_the_fourth_on_they_are_counted(
    clock: time_machine.Traveller, cast: Cast, client: Client
) -> None:
    event = league(cast.riverside, settings={"primary": "raw_per_hand"})
    people = players(cast.riverside, *"ABCDEFGHIJKLMNOP")
    for at in range(4):
        game = table(event, people[4 * at : 4 * at + 4], table_number=at + 1, on=TONIGHT)
        hand(game, 1, [0, 1, 5, 7], queen=3)
    complete()
    publish_now(event)
    page = read(client, SCREENS[0])
    assert "1= A · E · I and 1 more" in page
    podium = page[: page.index("Player")]
    assert "5=" not in podium


@pytest.mark.parametrize("path", SCREENS)
def test_screen_hears_of_a_table_that_is_made_a_moment_after_the_last_sheet(
    season: Event, client: Client, path: str
) -> None:
    complete()
    StoredHistory.objects.filter(event=season).delete()
    live = {"HX-Request": "true"}
    before = client.get(f"{path}?page=1", headers=live)
    assert "podium" not in before.content.decode()
    make_all(season.pk)
    news = client.get(f"{path}?page=1", headers={**live, "If-None-Match": before["ETag"]})
    assert news.status_code == 200
    assert "podium" in news.content.decode()
