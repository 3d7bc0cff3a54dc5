"""The last evening on the pages of a person: their place and who won, and then the season."""

from datetime import date, timedelta

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.support.builders import by_tests, hand, league, link, penalize, players, table
from tests.support.cast import NOW, Cast
from tests.support.evening_work import work_on_evenings
from tests.support.history import make_all
from tests.support.pages.text import text_of
from tests.support.scenarios.challenges import played
from tests.support.scenarios.ladders import ladder as challenge_ladder
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Attendance, Meeting
from tournaments.models.standings import StoredHistory
from tournaments.selectors.access.personal_links import printable_token
from tournaments.selectors.chat_text import result_text
from tournaments.selectors.events.meetings import LULL, meeting_on
from tournaments.selectors.stages import get_stage
from tournaments.services.clubs.personal_links import renew_personal_link
from tournaments.services.events.entrants import add_entrant
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.evenings import end_evening
from tournaments.services.stages.plan_stages import change_stage

pytestmark = pytest.mark.django_db

LAST_WEEK = date(2025, 10, 30)
TONIGHT = date(2025, 11, 6)


@pytest.fixture
def people(clock: time_machine.Traveller, cast: Cast) -> list[Player]:
    return players(cast.riverside, "Elsa D.", "Zoë K.", "Leo K.", "Anton S.")


@pytest.fixture
def season(cast: Cast, people: list[Player]) -> Event:
    """Elsa leads the season; tonight Anton wins, and she is third."""
    event = league(cast.riverside, settings={"primary": "raw_per_hand"}, name="Autumn league")
    old = table(event, people, on=LAST_WEEK)
    for number in range(1, 5):
        hand(old, number, [0, 1, 5, 7], queen=3)
    hand(table(event, people, round_number=2, on=TONIGHT), 1, [6, 4, 3, 0], queen=2)
    Game.objects.update(state="complete")
    publish_now(event)
    return event


def publish_now(event: Event) -> None:
    publish(event.pk, now=NOW)
    make_all(event.pk)


def own_page(player: Player) -> str:
    token = printable_token(renew_personal_link(by_tests(), player))
    return text_of(Client().get(f"/my/{token}"))


def test_personal_page_has_the_evening_first_and_then_the_season(
    season: Event, people: list[Player]
) -> None:
    page = own_page(people[0])
    evening = page.index("This evening")
    assert (
        "Place 3 of 4 so far on the evening of Thursday 6 November 2025 in Autumn league. "
        "First so far: Anton S." in page
    )
    assert evening < page.index("My place in the season Place 1 of 4 in Autumn league")
    end_evening(by_tests(), meeting_on(season, TONIGHT))
    page = own_page(people[0])
    assert (
        "Place 3 of 4 on the evening of Thursday 6 November 2025 in Autumn league. "
        "Won by Anton S. Why: behind Zoë K., who had a better average than you." in page
    )


def test_page_of_an_account_and_the_page_of_its_evening_say_the_same(
    season: Event, cast: Cast, people: list[Player]
) -> None:
    link(people[0], cast.users["piet"])
    piet = cast.client("piet")
    sentence = "Place 3 of 4 so far on the evening of Thursday 6 November 2025 in Autumn league."
    page = text_of(piet.get("/me"))
    assert page.index(sentence) < page.index("Place 1 of 4 in Autumn league")
    end_evening(by_tests(), meeting_on(season, TONIGHT))
    why = "Why: behind Zoë K., who had a better average than you."
    assert why in text_of(piet.get("/me"))
    sentence = sentence.replace("so far ", "")
    own = f"/clubs/riverside/events/league/meetings/{TONIGHT}/players/{people[0].player_id}"
    page = text_of(piet.get(own))
    assert page.index(sentence) < page.index("Place 1 of 4 in the season.")


def test_club_night_has_the_league_first_the_cup_below_and_no_evening_of_a_challenge(
    clock: time_machine.Traveller, cast: Cast
) -> None:
    rungs = challenge_ladder(cast, slug="rungs", now=NOW)
    played(cast, rungs)
    people = [Player.objects.get(player_id=code) for code in "HEIA"]
    names = (("cup", "Autumn cup", "knockout"), ("league", "Autumn league", ""))
    for slug, name, movement in names:
        event = league(cast.riverside, slug=slug, name=name, settings={"primary": "wins"})
        if movement:
            change_stage(by_tests(), get_stage(event, 1), fields={"movement": movement})
        hand(table(event, people, on=TONIGHT), 1, [1, 2, 4, 6], queen=3)
    for event in Event.objects.all():
        publish_now(event)
    path = f"/my/{printable_token(renew_personal_link(by_tests(), people[0]))}"
    page = text_of(Client().get(path))
    evening = page[page.index("This evening") : page.index("My place in the season")]
    assert "Place 1 of 4 so far on the evening of Thursday 6 November 2025 in Autumn league" in page
    assert evening.index("Autumn league") < evening.index("Autumn cup so far on the evening of")
    assert "Ladder" not in evening
    calendar = Client().get(f"{path}/calendar.ics").content.decode()
    assert calendar.count("BEGIN:VEVENT") == calendar.count("VALUE=DATE:20251106") == 2


def test_who_has_no_result_tonight_reads_so_until_the_end(
    season: Event, people: list[Player]
) -> None:
    others = players(season.club, "Ida", "Udo", "Mia", "Eva")
    game = table(season, others, round_number=3, on=TONIGHT)
    publish_now(season)
    evening = own_page(others[0]).partition("This evening")[2]
    assert "No result of yours yet on the evening of Thursday 6 November 2025" in evening
    assert "First so far: Anton S." in evening
    hand(game, 1, [6, 4, 3, 0], queen=2)
    publish_now(season)
    assert "No result of yours yet" not in own_page(others[0])


def test_who_stayed_at_home_reads_of_their_own_last_evening(
    season: Event, people: list[Player]
) -> None:
    others = players(season.club, "Ida", "Udo", "Mia")
    game = table(season, [people[1], *others], round_number=3, on=TONIGHT - timedelta(days=1))
    hand(game, 1, [0, 4, 3, 6], queen=2)
    publish_now(season)
    assert "Thursday 6 November" in own_page(people[1])
    assert "evening of Wednesday 5 November 2025 in Autumn league" in own_page(others[0])


def test_penalty_of_the_evening_is_beside_the_place_and_one_of_the_season_is_not(
    season: Event, cast: Cast, people: list[Player]
) -> None:
    penalize(season, "RL04", "3", "Came late.", meeting=TONIGHT)
    penalize(season, "RL04", "2", "Of the season.")
    publish_now(season)
    said = "Penalty of this evening, +3: “Came late.”"
    page = own_page(people[3])
    evening = page[page.index("This evening") : page.index("My place in the season")]
    assert said in evening
    assert "Of the season." not in evening
    link(people[3], cast.users["piet"])
    piet = cast.client("piet")
    assert said in text_of(piet.get("/me"))
    own = f"/clubs/riverside/events/league/meetings/{TONIGHT}/players/{people[3].player_id}"
    page = text_of(piet.get(own))
    assert said in page
    assert "Of the season." not in page
    assert "Came late." not in own_page(people[0])


def test_evening_that_is_being_corrected_says_when_its_next_result_is_stored(
    season: Event, people: list[Player], clock: time_machine.Traveller
) -> None:
    end_evening(by_tests(), meeting_on(season, TONIGHT))
    work_on_evenings(season, NOW)
    changed = "Something was changed since the result of this evening."
    assert changed not in own_page(people[0])
    game = Game.objects.get(event=season, table__round__number=2)
    hand(game, 1, [0, 4, 3, 6], queen=2, based_on=1, reason="Swapped.")
    work_on_evenings(season, NOW)
    page = own_page(people[0])
    assert changed in page
    assert "Won by Elsa D." in page
    own = f"/clubs/riverside/events/league/meetings/{TONIGHT}/players/{people[0].player_id}"
    assert changed in text_of(Client().get(own))
    work_on_evenings(season, NOW + LULL)
    assert changed not in own_page(people[0])


@pytest.mark.parametrize(("days", "is_shown"), [(7, True), (8, False)])
def test_evening_is_shown_for_a_week(
    season: Event,
    people: list[Player],
    clock: time_machine.Traveller,
    days: int,
    is_shown: bool,
) -> None:
    clock.move_to(NOW + timedelta(days=days))
    page = own_page(people[0])
    assert ("My last evening" in page) == is_shown
    assert "This evening" not in page


def test_evening_that_is_being_computed_is_left_out(season: Event, people: list[Player]) -> None:
    StoredHistory.objects.filter(event=season, kind="evening").delete()
    page = own_page(people[0])
    assert "This evening" not in page
    assert "My place in the season" in page


def test_all_who_won_are_named_up_to_three(cast: Cast, people: list[Player]) -> None:
    event = league(cast.riverside, settings={"primary": "raw_per_hand"}, slug="level")
    more = players(cast.riverside, *"ABCDEFGHIJKL")
    everybody = [*people, *more]
    for at in range(4):
        game = table(event, everybody[4 * at : 4 * at + 4], table_number=at + 1, on=TONIGHT)
        hand(game, 1, [0, 1, 5, 7], queen=3)
    publish_now(event)
    page = own_page(people[0])
    assert "Place 1= of 16 so far" in page
    assert "First so far: Elsa D. · A · E and 1 more" in page


def test_statements_do_not_grow_with_the_evenings_of_a_season(
    season: Event, people: list[Player]
) -> None:
    path = f"/my/{printable_token(renew_personal_link(by_tests(), people[0]))}"
    Client().get(path)
    with CaptureQueriesContext(connection) as few:
        Client().get(path)
    for number in range(3, 7):
        game = table(season, people, round_number=number, on=TONIGHT - timedelta(days=number))
        hand(game, 1, [0, 1, 5, 7], queen=3)
    publish_now(season)
    with CaptureQueriesContext(connection) as many:
        Client().get(path)
    assert len(many) == len(few)


def test_evening_of_a_cup_is_so_far_until_it_is_over(cast: Cast, people: list[Player]) -> None:
    event = league(cast.riverside, slug="cup", name="Autumn cup", settings={"primary": "wins"})
    change_stage(by_tests(), get_stage(event, 1), fields={"movement": "knockout"})
    hand(table(event, people, on=TONIGHT), 1, [1, 2, 4, 6], queen=3)
    Game.objects.update(state="complete")
    publish_now(event)
    assert "Autumn cup so far on the evening of" in own_page(people[0])
    assert "evening of 6 Nov 2025, so far" in result_text(
        event, meeting_on(event, TONIGHT), now=NOW
    )
    end_evening(by_tests(), meeting_on(event, TONIGHT))
    assert "Autumn cup after the evening of" in own_page(people[0])
    assert "after the evening of 6 Nov 2025" in result_text(
        event, meeting_on(event, TONIGHT), now=NOW
    )


def test_who_has_played_is_asked_nothing_and_who_has_not_is_until_the_end(
    season: Event, cast: Cast, people: list[Player]
) -> None:
    (late,) = players(season.club, "Ida")
    for name, player in (("piet", people[0]), ("hanna", late)):
        link(player, cast.users[name])
    Meeting.objects.filter(event=season).update(gathers=True)
    question = "You have not answered yet"
    for name, is_asked in (("piet", False), ("hanna", True)):
        page = text_of(cast.client(name).get("/me"))
        assert (question in page, "Check in" in page) == (is_asked, is_asked), name
    assert question not in own_page(people[0])
    assert question in own_page(late)
    end_evening(by_tests(), meeting_on(season, TONIGHT))
    page = text_of(cast.client("hanna").get("/me"))
    assert (question in page, "Check in" in page) == (False, False)
    assert question not in own_page(late)
    assert "The evening is over." in own_page(late)


def test_seated_player_without_a_hand_may_still_answer_and_check_in(
    season: Event, people: list[Player]
) -> None:
    Meeting.objects.filter(event=season).update(gathers=True)
    others = players(season.club, "Ida", "Udo", "Mia", "Eva")
    table(season, others, round_number=3, on=TONIGHT)
    page = own_page(others[0])
    assert "I am here: check in" in page
    hand(Game.objects.get(table__round__number=3), 1, [1, 2, 4, 6], queen=3)
    assert "I am here: check in" not in own_page(others[0])


@pytest.mark.parametrize("state", ["waiting", "here", "absent"])
def test_who_sat_at_no_table_reads_who_won_once_it_is_over(
    season: Event, people: list[Player], cast: Cast, state: str
) -> None:
    [olga] = players(cast.riverside, "Olga Z.")
    add_entrant(by_tests(), season, kind="player", players=[olga])
    meeting = meeting_on(season, TONIGHT)
    Attendance.objects.create(
        club=season.club, meeting=meeting, player=olga, state=state, stated_at=NOW, answered_at=NOW
    )
    assert "evening of Thursday 6 November 2025" not in own_page(olga)
    end_evening(by_tests(), meeting)
    page = own_page(olga)
    words = "No place on the evening of Thursday 6 November 2025 in Autumn league. Won by Anton S."
    assert (words in page) == (state != "absent")
