"""The next step of an event on the page Manage: each row of the order, by what people did."""

from datetime import date, timedelta
from pathlib import Path

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from tests.support.builders import (
    by_tests,
    finished,
    hand,
    league,
    players,
    publish_all,
    table,
    worker_runs,
)
from tests.support.cast import NOW, Cast
from tests.support.imports.imports import imported, rows, written
from tests.support.pages.manage import attention, next_step
from tests.support.pages.text import text_of
from tests.support.scenarios.challenges import played
from tests.support.scenarios.ladders import ladder
from tests.support.scenarios.playoffs import tied
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Meeting, Round
from tournaments.models.seating_plans import SeatingPlan
from tournaments.selectors.events.meetings import meeting_on
from tournaments.selectors.hands.disputes import get_dispute
from tournaments.services.attendance.set_attendance import set_attendance
from tournaments.services.clubs.members import claim_player
from tournaments.services.events.change_event import change_event
from tournaments.services.events.events import create_event, move_event
from tournaments.services.hands.close_tables import move_game
from tournaments.services.hands.disputes import file_disputed, open_dispute, rule_on_dispute
from tournaments.services.rounds.evenings import end_evening
from tournaments.services.rounds.rounds import make_round, move_round, remove_round

pytestmark = pytest.mark.usefixtures("clock")

EVENT = "/clubs/riverside/events/league"
MANAGE = f"{EVENT}/direct"
TONIGHT = date(2025, 11, 6)
LINKS = ("Hand out the links of round 1", "Links and QR cards")
WRONG = {"hearts": [4, 1, 2, 5], "taken": [[], [], [], ["QS"]]}


@pytest.fixture
def people(cast: Cast) -> list[Player]:
    return players(cast.riverside, *(f"Player {letter}." for letter in "ABCDEFGH"))


def step(cast: Cast, page: str = MANAGE, who: str = "dirk") -> tuple[str, str]:
    return next_step(cast.client(who), page)


def close(game: Game, *, now: object = NOW) -> None:
    finished(game)
    move_round(by_tests(), game.table.round, to="closed")


def test_course_of_an_evening_names_each_act_in_turn(cast: Cast, people: list[Player]) -> None:
    event = create_event(
        by_tests(), cast.riverside, name="League", variant="hearts",
        settings={"length": "open", "primary": "raw_per_hand", "tie_breaks": ()},
    )  # fmt: skip
    dirk = cast.client("dirk")
    assert step(cast) == ("Open the event", "Open event")
    dirk.post(MANAGE, {"to": "open"})
    assert step(cast) == ("Create round 1", "New round")
    round_ = make_round(by_tests(), event, on=TONIGHT)
    assert step(cast) == ("Seat the tables of round 1", "Seat a table")
    table(event, people[:4])
    assert step(cast) == ("Post round 1", "Post round 1")
    assert dirk.post(f"{EVENT}/rounds/1/direct?back=manage", {"to": "posted"})["Location"] == MANAGE
    assert step(cast) == LINKS
    game = Game.objects.get()
    hand(game, 1, [4, 1, 2, 6], 3)
    assert step(cast) == ("Enter the sheets of round 1", "Enter sheets")
    move_game(by_tests(), game, to="complete")
    assert step(cast) == ("Close round 1", "Close round 1")
    dirk.post(f"{EVENT}/rounds/1/direct?back=manage", {"to": "closed"})
    assert step(cast) == ("Create round 2", "New round")
    dirk.post(MANAGE, {"to": "closed"})
    assert step(cast) == ("Make the results final", "Make final")
    dirk.post(MANAGE, {"to": "final"})
    assert step(cast) == ("Create the next season", "Create next season")
    round_.refresh_from_db()
    assert round_.state == "closed"


def test_evening_that_was_closed_leads_to_its_result_until_a_round_continues_it(
    cast: Cast, event: Event, people: list[Player]
) -> None:
    close(table(event, people[:4], on=TONIGHT))
    Meeting.objects.update(gathers=True)
    assert step(cast) != ("Read the result of the evening", "Result of the evening")
    end_evening(by_tests(), meeting_on(event, TONIGHT))
    assert step(cast) == ("Read the result of the evening", "Result of the evening")
    page = cast.client("dirk").get(MANAGE).content.decode()
    assert f'href="{EVENT}/meetings/2025-11-06"' in page
    assert ">Next round</button>" in page
    Event.objects.filter(pk=event.pk).update(state="final")
    assert step(cast) == ("Create the next season", "Create next season")
    Event.objects.filter(pk=event.pk).update(state="open")
    table(event, people[4:], round_number=2, on=TONIGHT)
    assert step(cast) == ("Hand out the links of round 2", "Links and QR cards")


def test_table_that_cannot_go_on_comes_before_a_dispute_and_that_before_the_round(
    cast: Cast, event: Event, people: list[Player], dirk: Client
) -> None:
    done = table(event, people[:4])
    stuck = table(event, people[4:], table_number=2)
    finished(done)
    assert step(cast) == ("Enter the sheets of round 1", "Enter sheets")
    open_dispute(cast.operation("dirk"), done, number=1, words="I had 4.")
    assert step(cast) == ("Decide the dispute at table 1", "Decide dispute")
    file_disputed(
        cast.operation("dirk"), stuck, number=1, entry=WRONG, key=None,
        reason="They have gone home.",
    )  # fmt: skip
    assert step(cast) == ("Resolve hand 1 at table 2", "Resolve hand 1")
    assert attention(dirk, MANAGE) == [
        ("Table 2, hand 1 is disputed: wrong total", "Resolve hand 1 of table 2"),
        ("Table 1, hand 1 is disputed", "Decide dispute 1"),
    ]


def test_disputed_totals_have_their_page(cast: Cast, event: Event, people: list[Player]) -> None:
    file_disputed(
        cast.operation("dirk"), table(event, people[:4]), number=0, hands=9,
        entry={"points": [61, 43, 70, 86]}, key=None, reason="A line is missing.",
    )  # fmt: skip
    dirk, sheet = cast.client("dirk"), f"{EVENT}/tables/r1t1"
    assert step(cast) == ("Resolve totals at table 1", "Resolve totals")
    assert "hand 0" not in text_of(dirk.get(MANAGE)).lower()
    assert attention(dirk, MANAGE) == [
        ("The totals of table 1 are disputed", "Resolve totals of table 1")
    ]
    board = text_of(dirk.get(f"{EVENT}/rounds/1/board"))
    assert "Totals need a director" in board
    assert "totals disputed" in board
    assert "No hands make these totals. They do not count until they are resolved." in text_of(
        dirk.get(sheet)
    )


def test_upheld_dispute_is_corrected_next(cast: Cast, event: Event, people: list[Player]) -> None:
    game = finished(table(event, people[:4]))
    open_dispute(cast.operation("dirk"), game, number=1, words="I had 4.")
    rule_on_dispute(cast.operation("dirk"), get_dispute(event, 1), to="upheld", ruling="Read it.")
    assert step(cast) == ("Correct the hand of dispute 1", "Correct hand 1")
    hand(game, 1, [1, 4, 2, 6], 3, based_on=1, reason="Read again.")
    assert step(cast) == ("Close round 1", "Close round 1")


def test_imported_sheet_with_a_mistake_stops_its_table(
    cast: Cast, event: Event, tmp_path: Path, dirk: Client
) -> None:
    players(cast.riverside, "Alma D.", "Bruno K.", "Cleo S.", "Dario D.")
    wrong = rows(2, hearts=(4, 1, 2, 5), round_=1, variant="hearts")
    imported(written(tmp_path, rows(round_=1, variant="hearts"), wrong), actor=cast.actor("dirk"))
    assert step(cast) == ("Resolve the import at table 1", "Resolve problem")
    assert "do not count before a problem is resolved: " in text_of(dirk.get(MANAGE))
    assert ("1 problem in night.csv", "Resolve problems of import 1") in attention(dirk, MANAGE)


def test_evening_planned_for_today_asks_for_its_round_and_a_later_one_for_nothing(
    cast: Cast, event: Event, clock: time_machine.Traveller
) -> None:
    round_ = make_round(by_tests(), event, on=TONIGHT)
    remove_round(by_tests(), round_)
    assert step(cast) == ("Take attendance", "Take attendance")
    ada, meeting = players(event.club, "Ada")[0], Meeting.objects.get(event=event)
    set_attendance(by_tests(), meeting, player=ada, state="expected", stated_at=NOW)
    assert step(cast) == ("Take attendance", "Take attendance")
    assert "Attendance 0 here, 1 expected" in text_of(cast.client("dirk").get(MANAGE))
    set_attendance(by_tests(), meeting, player=ada, state="here", stated_at=NOW)
    assert step(cast) == ("Plan the seating", "Plan seating")
    SeatingPlan.objects.create(
        club=event.club, event=event, meeting=meeting, state="chosen", seed=1, round_count=1,
        inputs={"present": [], "sizes": [4]}, created_at=NOW,
    )  # fmt: skip
    assert step(cast) == ("Seat round 1", "Seating")
    empty = make_round(by_tests(), event, on=TONIGHT)
    assert step(cast) == ("Seat the tables of round 1", "Seating")
    SeatingPlan.objects.all().delete()
    assert step(cast) == ("Seat the tables of round 1", "Plan seating")
    remove_round(by_tests(), empty)
    clock.shift(timedelta(days=-3))
    assert step(cast) == ("", "")
    page = text_of(cast.client("dirk").get(MANAGE))
    assert "Nothing to do until Thursday 6 November 2025." in page


def test_empty_round_is_seated_by_the_chosen_plan_while_another_is_played(
    cast: Cast, event: Event, people: list[Player]
) -> None:
    round_ = table(event, people[:4]).table.round
    assert round_.meeting is not None
    SeatingPlan.objects.create(
        club=event.club, event=event, meeting=round_.meeting, state="chosen", seed=1,
        round_count=2, inputs={"present": [], "sizes": [4]}, created_at=NOW,
    )  # fmt: skip
    make_round(by_tests(), event, on=TONIGHT)
    assert step(cast) == ("Seat the tables of round 2", "Seating")


def test_past_evening_without_a_round_is_the_next_step_although_the_next_one_is_planned(
    cast: Cast, event: Event, clock: time_machine.Traveller, dirk: Client
) -> None:
    for day in (TONIGHT, TONIGHT + timedelta(days=7)):
        round_ = make_round(by_tests(), event, on=day)
        remove_round(by_tests(), round_)
    clock.shift(timedelta(days=2))
    assert step(cast) == ("Enter the evening of 6 November", "Enter from paper")
    assert (
        'value="2025-11-06"' in dirk.get(f"{EVENT}/paper-sheets?date=2025-11-06").content.decode()
    )
    form = dirk.get(f"{EVENT}/new-round", {"on": "2025-11-06"}).content.decode()
    assert 'value="2025-11-06"' in form
    assert dirk.post(f"{EVENT}/new-round", {"number": 1, "on": "2025-11-06"}).status_code == 302
    assert step(cast)[0] == "Seat the tables of round 1"


def test_page_does_not_say_that_there_is_nothing_to_do_above_an_attention_list(
    cast: Cast, event: Event, clock: time_machine.Traveller, dirk: Client
) -> None:
    round_ = make_round(by_tests(), event, on=TONIGHT)
    remove_round(by_tests(), round_)
    clock.shift(timedelta(days=-3))
    assert "Nothing to do" in text_of(dirk.get(MANAGE))
    player = players(cast.riverside, "Player A.")[0]
    claim_player(cast.operation("piet", timezone.now()), player)
    assert attention(dirk, MANAGE) == [
        ("piet wants to be linked to Player A.", "Decide claim piet")
    ]
    assert step(cast) == ("", "")
    assert "Nothing to do" not in text_of(dirk.get(MANAGE))


def test_play_off_is_called_before_release_and_final_results(cast: Cast, dirk: Client) -> None:
    event = tied(cast.riverside, playoff="table")
    change_event(by_tests(), event, visibility="held")
    name, action = step(cast)
    assert (name, action) in (
        ("Prepare play-off 1", "Prepare play-off"), ("Play play-off 1", "Open play-off"),
    )  # fmt: skip
    assert dirk.post(f"{EVENT}/playoffs/1/direct", {"act": "by_lot"}).status_code == 302
    assert step(cast) == ("Release the results", "Release results")
    dirk.post(f"{EVENT}/visibility", {"visibility": "public"})
    assert step(cast)[0] in ("Make the results final", "")


def test_tournament_is_closed_the_day_after_and_a_league_after_a_long_pause(
    cast: Cast, people: list[Player], clock: time_machine.Traveller
) -> None:
    cup = create_event(
        by_tests(), cast.riverside, name="Cup", kind="tournament", variant="hearts",
        settings={"length": "open", "primary": "raw_per_hand", "tie_breaks": ()},
    )  # fmt: skip
    move_event(by_tests(), cup, to="open")
    for one in (cup, league(cast.riverside)):
        close(table(one, people[:4]))
    its_page = MANAGE.replace("league", "cup")
    assert step(cast, its_page) == step(cast) == ("Create round 2", "New round")
    clock.shift(timedelta(days=1))
    assert step(cast, its_page) == ("Close the event", "Close event")
    assert step(cast) == ("Create round 2", "New round")
    clock.shift(timedelta(weeks=7))
    assert step(cast) == ("Close the event", "Close event")
    Round.objects.update(meeting=None)  # no date: the days on which rounds were closed decide
    Meeting.objects.all().delete()
    assert step(cast) == ("Close the event", "Close event")


def test_closed_event_waits_for_its_window(
    cast: Cast, people: list[Player], clock: time_machine.Traveller
) -> None:
    event = league(cast.riverside, settings={"correction_window_h": 48})
    close(table(event, people[:4]))
    move_event(by_tests(), event, to="closed")
    assert step(cast) == ("", "")
    assert "Nothing to do until 8 Nov 2025, 21:00." in text_of(cast.client("dirk").get(MANAGE))
    clock.shift(timedelta(hours=49))
    assert step(cast) == ("Make the results final", "Make final")


def test_ladder_asks_for_entrants_then_for_results_to_confirm(cast: Cast) -> None:
    page = "/clubs/riverside/events/ladder/direct"
    ladder(cast, "A", now=NOW, slug="empty")
    assert step(cast, page.replace("ladder", "empty")) == ("Add players", "Add players")
    event = ladder(cast, "BCDEFGHI", now=NOW)
    assert step(cast, page) == ("", "")
    assert "The members challenge each other." in text_of(cast.client("dirk").get(page))
    played(cast, event, "HEI")
    assert step(cast, page) == ("Confirm the result of challenge 1", "Check result")
    publish_all(event)


def test_late_tables_are_named_while_others_go_on(
    event: Event, people: list[Player], clock: time_machine.Traveller, dirk: Client
) -> None:
    one = table(event, people[:4])
    table(event, people[4:], table_number=2)
    hand(one, 1, [4, 1, 2, 6], 3, now=timezone.now())
    assert attention(dirk, MANAGE) == []
    clock.shift(timedelta(minutes=34))
    worker_runs()
    hand(one, 2, [4, 1, 2, 6], 3, now=timezone.now())
    assert attention(dirk, MANAGE) == [("Table 2 is late", "Show table link of table 2")]
    clock.shift(timedelta(days=1))
    worker_runs()
    assert attention(dirk, MANAGE) == []


def test_each_role_is_offered_what_it_may(cast: Cast, event: Event, people: list[Player]) -> None:
    table(event, people[:4])
    director, owner = (text_of(cast.client(who).get(MANAGE)) for who in ("dirk", "olga"))
    for text in ("Members and roles", "Archive event"):
        assert (text in director, text in owner) == (False, True)
    assert "Visibility Public" in director
    assert step(cast) == step(cast, who="olga") == LINKS
