"""Which dates of an event are evenings to come to, and what a day of several parts shows."""

from collections.abc import Callable
from datetime import date, time, timedelta
from importlib import import_module
from pathlib import Path

import pytest
import time_machine
from django.apps import apps
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.evenings import check_in, evening, plans
from tests.support.history import make_all
from tests.support.imports.imports import imported, rows, written
from tests.support.pages.manage import next_step
from tests.support.pages.text import text_of
from tests.support.scenarios.challenges import LATER, played
from tests.support.scenarios.ladders import ladder
from tournaments import migrations
from tournaments.errors import Conflict
from tournaments.models.access import FillInRequest
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.imports import ImportBatch
from tournaments.models.jobs import Deadline
from tournaments.models.rounds import Attendance, Meeting, Round
from tournaments.models.standings import Publication
from tournaments.selectors.access.personal_links import personal_path
from tournaments.selectors.attendance.own_evenings import own_next_evenings
from tournaments.selectors.clubs.clubs import actor_of
from tournaments.selectors.events.meetings import (
    PAST,
    by_what_is_due,
    day_to_play,
    find_evening_past_midnight,
    meeting_on,
    meetings_of_events,
    next_meeting,
    rounds_tonight,
)
from tournaments.selectors.waiting import list_waiting
from tournaments.services.attendance.fill_ins import ask_fill_in
from tournaments.services.attendance.own_attendance import state_own_attendance
from tournaments.services.attendance.set_attendance import set_attendance
from tournaments.services.clubs.personal_links import renew_personal_link
from tournaments.services.events.entrants import add_entrant
from tournaments.services.imports.undo import request_undo, undo_steps
from tournaments.services.operations import Operation
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.evenings import end_evening
from tournaments.services.rounds.meetings import (
    change_meeting,
    meeting_for,
    plan_meeting,
    start_evening,
)
from tournaments.services.rounds.plan_rounds import make_round_of_plan
from tournaments.services.rounds.rounds import make_round, move_round
from tournaments.services.seating_plans.compute_plan import choose_plan

pytestmark = pytest.mark.django_db

TODAY = NOW.date()
THURSDAY = date(2025, 11, 13)
OP = by_tests()


def date_of_sheets(event: Event, day: date = TODAY) -> Meeting:
    """Make the date that a sheet or a challenge leaves behind, with a round of that day."""
    meeting = Meeting.objects.create(club=event.club, event=event, date=day, gathers=False)
    stage = event.stages.get()
    Round.objects.create(
        club=event.club, event=event, stage=stage, meeting=meeting, number=1, state="closed"
    )
    return meeting


def gathers(event: Event, day: date = TODAY) -> bool:
    return Meeting.objects.get(event=event, date=day).gathers


def shown(people: list[Player]) -> list[str]:
    evenings = own_next_evenings(Event.objects.all(), people, now=NOW)
    return [evening.event.slug for evening in evenings]


def test_result_of_a_challenge_does_not_hide_the_evening_of_the_league(cast: Cast) -> None:
    rungs = ladder(cast, now=NOW, slug="a-rungs")
    night = league(cast.riverside)
    plan_meeting(OP, night, day=TODAY, at=time(19))
    everybody = list(Player.objects.filter(club=cast.riverside).order_by("player_id"))
    for person in everybody:
        add_entrant(OP, night, kind="player", players=[person])
    played(cast, rungs)
    assert not gathers(rungs)
    for person in everybody:
        assert shown([person]) == ["league"]
    assert next_meeting(rungs, TODAY) is None
    assert [meeting.event_id for meeting in meetings_of_events([rungs, night], NOW)] == [night.pk]
    page = text_of(cast.client().get("/clubs/riverside/events/a-rungs/meetings"))
    assert "Thursday 6 November" in page, "it is among the evenings that were"


def test_imported_sheets_gather_nobody(cast: Cast, tmp_path: Path) -> None:
    event = league(cast.riverside)
    players(cast.riverside, "Alma D.", "Bruno K.", "Cleo S.", "Dario D.")
    imported(written(tmp_path, rows(day="2025-11-20")))
    day = date(2025, 11, 20)
    assert not gathers(event, day)
    assert day_to_play(event, NOW) == TODAY


@pytest.mark.parametrize("days", [-1, 0])
def test_table_gathers_from_the_day_on_which_it_is_seated(cast: Cast, days: int) -> None:
    event = league(cast.riverside)
    people = players(cast.riverside, *"ABCD")
    day = TODAY + timedelta(days=days)
    table(event, people, on=day)
    assert gathers(event, day) is (days == 0)
    make_round(OP, event, on=day + timedelta(days=7 * days))
    assert gathers(event, day + timedelta(days=7 * days)) is (days == 0)


def plan(event: Event) -> None:
    plan_meeting(OP, event, day=TODAY, at=time(20), place="Hall")


def start(event: Event) -> None:
    start_evening(OP, event)


def post(event: Event) -> None:
    round_ = make_round(OP, event, number=2, on=TODAY)
    assert not gathers(event), "a draft is no evening yet"
    table(event, players(event.club, *"ABCD"), round_number=2)
    Round.objects.filter(pk=round_.pk).update(state="draft")
    move_round(OP, Round.objects.get(pk=round_.pk), to="posted")


def answer(event: Event) -> None:
    person = players(event.club, "A")[0]
    set_attendance(OP, meeting_on(event, TODAY), player=person, state="here", stated_at=NOW)


def change(event: Event) -> None:
    change_meeting(OP, meeting_on(event, TODAY), at=time(20))


@pytest.mark.parametrize("act", [plan, start, post, answer, change])
def test_act_makes_a_date_of_sheets_an_evening(cast: Cast, act: object) -> None:
    event = league(cast.riverside)
    date_of_sheets(event)
    act(event)  # type: ignore[operator]
    assert gathers(event)
    assert Meeting.objects.filter(event=event).count() == 1


def test_request_for_one_more_gathers(cast: Cast) -> None:
    event = league(cast.riverside)
    meeting = date_of_sheets(event, THURSDAY)
    meeting.rounds.all().delete()
    ask_fill_in(OP, meeting_on(event, THURSDAY))
    assert gathers(event, THURSDAY)
    assert FillInRequest.objects.get().meeting_id == meeting.pk


def test_second_evening_of_a_day_is_refused_only_beside_one_that_gathers(cast: Cast) -> None:
    event = league(cast.riverside)
    date_of_sheets(event, THURSDAY).rounds.all().delete()
    planned = plan_meeting(OP, event, day=THURSDAY, at=time(19), place="Hall")
    assert (planned.time, planned.place) == (time(19), "Hall")
    assert Deadline.objects.filter(kind="evening_reminder", key=str(planned.pk)).exists()
    with pytest.raises(Conflict, match="meeting_exists"):
        plan_meeting(OP, event, day=THURSDAY)


def test_evening_that_is_moved_to_a_date_of_sheets_takes_its_rounds(cast: Cast) -> None:
    other = date_of_sheets(league(cast.riverside, slug="other"), THURSDAY)
    event = league(cast.riverside)
    old = date_of_sheets(event, THURSDAY)
    meeting = plan_meeting(OP, event, day=date(2025, 11, 20), place="Hall")
    change_meeting(OP, meeting, day=THURSDAY)
    moved = Meeting.objects.get(event=event)
    assert (moved.pk, moved.date, moved.place) == (meeting.pk, THURSDAY, "Hall")
    assert list(moved.rounds.values_list("number", flat=True)) == [1]
    assert old.pk != moved.pk
    assert other.rounds.count() == 1


def end(meeting: Meeting) -> None:
    Meeting.objects.filter(pk=meeting.pk).update(ended_at=NOW)


def draw(meeting: Meeting) -> None:
    result = Publication(club=meeting.club, meeting=meeting, number=1, version=1, published_at=NOW)
    Publication.objects.bulk_create([result])


@pytest.mark.parametrize("prepare", [end, draw])
def test_evening_is_not_moved_to_a_date_of_sheets_that_has_ended_or_has_a_result(
    cast: Cast, prepare: Callable[[Meeting], None]
) -> None:
    event = league(cast.riverside)
    old = date_of_sheets(event, THURSDAY)
    prepare(old)
    meeting = plan_meeting(OP, event, day=date(2025, 11, 20), place="Hall")
    n_results = old.results.count()
    with pytest.raises(Conflict, match="meeting_exists"):
        change_meeting(OP, meeting, day=THURSDAY)
    assert (old.rounds.count(), old.results.count()) == (1, n_results)
    # That date itself can be planned: it keeps what it has.
    assert plan_meeting(OP, event, day=THURSDAY, place="Hall").pk == old.pk
    assert (old.rounds.count(), old.results.count()) == (1, n_results)


def test_planned_evening_stays_when_the_import_of_its_date_is_undone(
    cast: Cast, tmp_path: Path
) -> None:
    event = league(cast.riverside)
    players(cast.riverside, "Alma D.", "Bruno K.", "Cleo S.", "Dario D.")
    imported(written(tmp_path, rows(day="2025-11-13")))
    plan_meeting(OP, event, day=THURSDAY, place="Hall")
    batch = ImportBatch.objects.get()
    request_undo(OP, batch)
    list(undo_steps(batch, now=NOW))
    assert list(event.meetings.values_list("date", "place")) == [(THURSDAY, "Hall")]


def test_upgrade_keeps_the_evenings_to_which_people_came(cast: Cast) -> None:
    event = league(cast.riverside)
    person = players(cast.riverside, "A")[0]
    days = [date(2025, 9, day) for day in range(1, 9)]
    for number, day in enumerate(days, 1):
        meeting = Meeting.objects.create(club=event.club, event=event, date=day)
        if number > 1:
            Round.objects.create(
                club=event.club, event=event, stage=event.stages.get(), meeting=meeting,
                number=number, state="closed", posted_at=NOW if number == 7 else None,
            )  # fmt: skip
    Meeting.objects.filter(date=days[2]).update(time=time(19))
    Meeting.objects.filter(date=days[3]).update(place="Hall")
    Meeting.objects.filter(date=days[4]).update(changed_at=NOW)
    check_in(Meeting.objects.get(date=days[5]), [person])
    migration = import_module(f"{migrations.__name__}.0045_evenings_that_gather")
    migration.mark_dates_of_sheets(apps, None)
    alone = sorted(Meeting.objects.filter(gathers=False).values_list("date", flat=True))
    assert alone == [days[1], days[7]], "rounds alone make no evening; nor does nothing unmake one"


def test_parts_of_a_day_come_with_my_table_first(cast: Cast) -> None:
    people = players(cast.riverside, *"ABCDE")
    cup = league(cast.riverside, slug="cup", name="Cup")
    night = league(cast.riverside)
    other = league(cast.riverside, slug="other", name="Other")
    for event, at in ((cup, time(19, 30)), (night, time(19)), (other, time(18))):
        plan_meeting(OP, event, day=TODAY, at=at)
    assert shown([people[0]]) == ["other", "league", "cup"], "all, where I compete in none"
    for event in (cup, night):
        add_entrant(OP, event, kind="player", players=[people[0]])
    assert shown([people[0]]) == ["league", "cup"]
    check_in(meeting_on(cup, TODAY), people[:1])
    assert shown([people[0]]) == ["cup", "league"]
    game = table(night, people[:4])
    assert shown([people[0]]) == ["league", "cup"]
    hand(game, 1, (4, 1, 2, 6), 3)
    type(game).objects.filter(pk=game.pk).update(state="complete")
    assert shown([people[0]]) == ["cup", "league"], "a finished table calls nobody"


def test_table_at_a_date_that_gathers_nobody_is_shown_and_asks_nothing(cast: Cast) -> None:
    event = league(cast.riverside)
    people = players(cast.riverside, *"ABCD")
    table(event, people)
    Meeting.objects.update(gathers=False)
    evening = own_next_evenings(Event.objects.all(), people[:1], now=NOW)[0]
    assert evening.is_today
    asked = (evening.may_answer, evening.may_check_in, evening.is_unanswered)
    assert asked == (False, False, False)


def test_number_of_queries_does_not_grow_with_the_parts(cast: Cast) -> None:
    person = players(cast.riverside, "A")
    counts = []
    for number in range(1, 5):
        event = league(cast.riverside, slug=f"e{number}", name=f"E {number}")
        plan_meeting(OP, event, day=TODAY)
        with CaptureQueriesContext(connection) as queries:
            assert len(shown(person)) == number
        counts.append(len(queries))
    assert set(counts) == {3}


@pytest.fixture
def two_parts(cast: Cast) -> Player:
    person = players(cast.riverside, "Ada Adams")[0]
    for slug, name, at in (("cup", "Cup", time(19, 30)), ("league", "League", time(19))):
        event = league(cast.riverside, slug=slug, name=name)
        plan_meeting(OP, event, day=TODAY, at=at)
        add_entrant(OP, event, kind="player", players=[person])
    elsewhere = league(cast.riverside, slug="open", name="Open")
    plan_meeting(OP, elsewhere, day=TODAY, at=time(18))
    return person


def here() -> list[str]:
    rows = Attendance.objects.filter(state="here").order_by("meeting__event__slug")
    return list(rows.values_list("meeting__event__slug", flat=True))


def test_one_tap_on_the_personal_page_is_for_all_my_parts(two_parts: Player) -> None:
    link = renew_personal_link(OP, two_parts)
    client = Client()
    path = personal_path(link)
    with time_machine.travel(NOW, tick=False):
        page = text_of(client.get(path))
        assert page.index("League, 19:00") < page.index("Cup, 19:30")
        assert page.count("I am here: check in") == 1
        client.post(path)
        assert here() == ["cup", "league"]
        assert text_of(client.get(path)).count("You are checked in.") == 3  # and the message


def test_check_in_of_an_account_is_for_all_its_parts(cast: Cast, two_parts: Player) -> None:
    Player.objects.filter(pk=two_parts.pk).update(user=cast.users["piet"])
    with time_machine.travel(NOW, tick=False):
        cast.client("piet").post(f"/clubs/riverside/events/league/meetings/{TODAY}/check-in")
    assert here() == ["cup", "league"]


@pytest.mark.usefixtures("two_parts")
def test_page_of_the_club_names_all_parts_by_time(cast: Cast) -> None:
    with time_machine.travel(NOW, tick=False):
        page = text_of(cast.client().get("/clubs/riverside"))
    assert page.index("18:00") < page.index("19:00") < page.index("19:30")


def test_round_of_each_part_is_linked_tonight(cast: Cast) -> None:
    for number, slug in enumerate(("cup", "league")):
        event = league(cast.riverside, slug=slug, name=slug.capitalize())
        names = [f"{slug} {letter}" for letter in "ABCD"]
        table(event, players(cast.riverside, *names), round_number=number + 2)
    with time_machine.travel(NOW, tick=False):
        page = text_of(cast.client().get("/clubs/riverside"))
    assert "Tonight: Cup, round 2, find your table" in page
    assert "Tonight: League, round 3, find your table" in page


def test_rest_says_whether_a_meeting_gathers(cast: Cast) -> None:
    event = league(cast.riverside)
    date_of_sheets(event)
    plan_meeting(OP, event, day=THURSDAY)
    answer = cast.client().get("/api/v1/clubs/riverside/events/league/meetings").json()
    assert [(row["date"], row["gathers"]) for row in answer["results"]] == [
        ("2025-11-13", True),
        ("2025-11-06", False),
    ]


def test_result_after_the_evening_of_a_challenge_is_no_answer(cast: Cast) -> None:
    rungs = ladder(cast, now=NOW)
    played(cast, rungs)
    with time_machine.travel(LATER, tick=False):
        page = text_of(cast.client().get("/clubs/riverside"))
    assert "No evening is planned." in page


def test_big_screen_shows_the_events_of_the_evening_in_turns(cast: Cast) -> None:
    for number, slug in enumerate(("cup", "league")):
        event = league(cast.riverside, slug=slug, name=slug.capitalize())
        people = players(cast.riverside, *(f"{slug} {letter}" for letter in "ABCD"))
        table(event, people, round_number=number + 2)
    screen = "/clubs/riverside/events/cup/screen"
    seen = []
    start = int(NOW.timestamp()) // 64 * 64
    for second in (0, 31, 32, 63):
        with time_machine.travel(start + second, tick=False):
            page = text_of(cast.client().get(f"{screen}?evening=all"))
            seen.append("league A" in page)
            assert "All events of the evening in turns" in text_of(cast.client().get(screen))
    assert seen == [False, False, True, True]


@pytest.mark.parametrize("declined", ["absent", "left"])
def test_one_tap_leaves_out_a_part_that_the_player_declined(
    two_parts: Player, declined: str
) -> None:
    cup = Meeting.objects.get(event__slug="cup")
    night = Meeting.objects.get(event__slug="league")
    set_attendance(OP, cup, player=two_parts, state=declined, stated_at=NOW)
    path = personal_path(renew_personal_link(OP, two_parts))
    client = Client()
    with time_machine.travel(NOW, tick=False):
        client.post(path)
        assert here() == ["league"]
        assert "I am here: check in" not in text_of(client.get(path))
        set_attendance(OP, night, player=two_parts, state=declined, stated_at=NOW)
        client.post(path)
    assert here() == ["cup", "league"], "all are declined: the player has come after all"


def test_tables_of_several_events_name_their_event(cast: Cast) -> None:
    people = players(cast.riverside, *"ABCD")
    cup = league(cast.riverside, slug="cup", name="Cup")
    night = league(cast.riverside)
    table(cup, people)
    path = personal_path(renew_personal_link(OP, people[0]))
    with time_machine.travel(NOW, tick=False):
        assert "Cup, Round 1" not in text_of(Client().get(path))
        table(night, people)
        page = text_of(Client().get(path))
    assert "Cup, Round 1" in page
    assert "League, Round 1" in page


def test_page_of_the_club_names_a_part_that_has_begun(cast: Cast, two_parts: Player) -> None:
    night = Event.objects.get(slug="league")
    people = [two_parts, *players(cast.riverside, "B", "C", "D")]
    game = table(night, people)
    hand(game, 1, (4, 1, 2, 6), 3)
    with time_machine.travel(NOW, tick=False):
        page = text_of(cast.client().get("/clubs/riverside"))
    assert page.index("18:00") < page.index("19:00") < page.index("19:30")


def test_sections_of_an_evening_have_names_of_their_own(cast: Cast, two_parts: Player) -> None:
    Player.objects.filter(pk=two_parts.pk).update(user=cast.users["piet"])
    for meeting in Meeting.objects.filter(event__slug__in=("cup", "league")):
        meeting.event = Event.objects.get(pk=meeting.event_id)
        check_in(meeting, [two_parts])
    with time_machine.travel(NOW, tick=False):
        page = cast.client("piet").get("/me").content.decode()
    for meeting in Meeting.objects.filter(event__slug__in=("cup", "league")):
        assert f'aria-labelledby="oe-{meeting.pk} oe-{meeting.pk}-e"' in page
        assert f'id="oe-{meeting.pk}-e"' in page


def test_tables_of_two_events_have_ids_of_their_own(cast: Cast, two_parts: Player) -> None:
    Player.objects.filter(pk=two_parts.pk).update(user=cast.users["piet"])
    people = [two_parts, *players(cast.riverside, "B", "C", "D")]
    tables = [table(Event.objects.get(slug=slug), people).table for slug in ("cup", "league")]
    with time_machine.travel(NOW, tick=False):
        page = cast.client("piet").get("/me").content.decode()
    for each in tables:
        assert page.count(f'id="t{each.pk}"') == 1
        assert f'aria-labelledby="t{each.pk} t{each.pk}-r"' in page


@pytest.mark.parametrize(
    ("hours", "state", "day"),
    [
        (0, "playing", TODAY),
        (3.5, "posted", TODAY),
        (3.5, "playing", TODAY),
        (3.5, "closed", TODAY),
        (8.99, "closed", TODAY),
        (9, "closed", TODAY + timedelta(days=1)),
        (11.9, "playing", TODAY),
        (12, "playing", TODAY + timedelta(days=1)),
        (22, "playing", TODAY + timedelta(days=1)),
    ],
)
def test_evening_whose_round_is_played_past_midnight_is_tonight(
    cast: Cast, dirk: Client, hours: float, state: str, day: date
) -> None:
    event = league(cast.riverside)
    plan(event)
    table(event, players(cast.riverside, *"ABCD"), on=TODAY)
    Round.objects.filter(event=event).update(state=state, posted_at=NOW)
    later = NOW + timedelta(hours=hours)
    with time_machine.travel(later, tick=False):
        page = dirk.get("/clubs/riverside/events/league/direct").content.decode()
        evenings = dirk.get("/clubs/riverside/events/league/meetings").content.decode()
    assert start_evening(by_tests(later), event).date == day
    assert ("Start tonight" in page) is (day > TODAY)
    assert ("Start tonight" in evenings) is (day > TODAY)
    assert day_to_play(event, later) == day


@pytest.mark.parametrize(("hours", "day"), [(11.9, TODAY), (12, TODAY + timedelta(days=1))])
def test_afternoon_that_ended_is_not_tonight_after_midnight(
    cast: Cast, hours: float, day: date
) -> None:
    event = league(cast.riverside)
    plan(event)
    table(event, players(cast.riverside, *"ABCD"), on=TODAY)
    later = NOW + timedelta(hours=5)
    posted_at = later - timedelta(hours=hours)
    Round.objects.filter(event=event).update(state="closed", posted_at=posted_at)
    assert start_evening(by_tests(later), event).date == day


@pytest.mark.parametrize(
    ("hours", "state", "days"),
    [
        (2.9, "playing", [TODAY]),
        (8.9, "closed", [TODAY]),
        (9, "closed", []),
        (11.9, "playing", [TODAY]),
        (12, "playing", []),
    ],
)
def test_personal_page_keeps_the_evening_past_midnight(
    cast: Cast, hours: float, state: str, days: list[date]
) -> None:
    event = league(cast.riverside)
    plan(event)
    people = players(cast.riverside, *"ABCD")
    table(event, people, on=TODAY)
    Round.objects.filter(event=event).update(state=state, posted_at=NOW)
    later = NOW + timedelta(hours=hours)
    evenings = own_next_evenings(Event.objects.all(), people[:1], now=later)
    assert [evening.day for evening in evenings] == days
    assert all(evening.is_today for evening in evenings)


def test_who_did_not_come_is_shown_the_next_evening_after_midnight(cast: Cast) -> None:
    event = league(cast.riverside)
    plan(event)
    plan_meeting(OP, event, day=TODAY + timedelta(days=7))
    people = players(cast.riverside, *"ABCDE")
    table(event, people[:4], on=TODAY)
    Round.objects.filter(event=event).update(state="playing", posted_at=NOW)
    later = NOW + timedelta(hours=4)
    readable = Event.objects.all()
    for person, day in ((people[0], TODAY), (people[4], TODAY + timedelta(days=7))):
        (evening,) = own_next_evenings(readable, [person], now=later)
        assert evening.day == day


@pytest.mark.parametrize(("hours", "is_refused"), [(8.9, False), (9, True)])
def test_who_comes_past_midnight_checks_in_at_the_evening_that_goes_on(
    cast: Cast, hours: float, is_refused: bool
) -> None:
    event = league(cast.riverside)
    plan(event)
    people = players(cast.riverside, *"ABCDE")
    Player.objects.filter(pk=people[4].pk).update(user=cast.users["piet"])
    table(event, people[:4], on=TODAY)
    Round.objects.filter(event=event).update(state="closed", posted_at=NOW)
    op = Operation(actor_of(cast.users["piet"]), NOW + timedelta(hours=hours))
    meeting = meeting_on(event, TODAY)
    if is_refused:
        with pytest.raises(Conflict) as conflict:
            state_own_attendance(op, meeting, state="here")
        assert conflict.value.problem.code == "meeting_is_another_day"
    else:
        assert state_own_attendance(op, meeting, state="here").state == "here"


@pytest.mark.parametrize(("hours", "n_rounds"), [(2.9, 1), (3, 1), (11.9, 1), (12, 0)])
def test_round_played_past_midnight_is_tonights(cast: Cast, hours: float, n_rounds: int) -> None:
    event = league(cast.riverside)
    plan(event)
    table(event, players(cast.riverside, *"ABCD"), on=TODAY)
    Round.objects.filter(event=event).update(state="playing", posted_at=NOW)
    later = NOW + timedelta(hours=hours)
    assert len(rounds_tonight([event], cast.riverside, later)) == n_rounds
    waiting = list_waiting([(cast.riverside, "director")], now=later, kinds=("round",))
    assert len(waiting) == 1 - n_rounds


@pytest.mark.parametrize("is_evening", [True, False])
def test_date_of_sheets_is_no_evening_past_midnight(cast: Cast, *, is_evening: bool) -> None:
    event = league(cast.riverside)
    meeting = date_of_sheets(event)
    Meeting.objects.filter(pk=meeting.pk).update(gathers=is_evening)
    Round.objects.filter(meeting=meeting).update(state="playing", posted_at=NOW)
    evening = find_evening_past_midnight(event, NOW + timedelta(hours=11))
    assert (evening == meeting) is is_evening


@pytest.mark.parametrize(("days", "is_evening"), [(-1, False), (0, True), (1, True)])
def test_meeting_that_is_made_for_a_day_gathers_from_today_on(
    cast: Cast, days: int, *, is_evening: bool
) -> None:
    meeting = meeting_for(league(cast.riverside), TODAY + timedelta(days=days), now=NOW)
    assert meeting is not None
    assert meeting.gathers is is_evening


@pytest.mark.parametrize(
    ("hours", "steps"),
    [(5, ("Seat round 2", "Next round")), (9, ("Create round 2", "New round"))],
)
def test_manage_goes_on_with_the_evening_past_midnight(
    cast: Cast, dirk: Client, hours: float, steps: tuple[str, str]
) -> None:
    event = league(cast.riverside)
    meeting, _people = evening(event, 4, on=TODAY)
    round_ = make_round_of_plan(by_tests(), choose_plan(by_tests(), plans(meeting, 2)[0]))
    Round.objects.filter(pk=round_.pk).update(state="closed", posted_at=NOW)
    with time_machine.travel(NOW + timedelta(hours=hours), tick=False):
        assert next_step(dirk, "/clubs/riverside/events/league/direct") == steps


@pytest.mark.parametrize(
    ("hours", "state", "words"),
    [
        (
            2,
            "playing",
            "Tonight: round 1, find your table Next evening No further evening is planned.",
        ),
        (2, "closed", "Tonight League: round 1 is the last one so far."),
        (8.9, "closed", "Tonight League: round 1 is the last one so far."),
        (9, "closed", "No evening is planned. The last one was on Thursday 6 November 2025."),
    ],
)
def test_page_of_the_club_says_that_the_evening_goes_on_between_two_rounds(
    cast: Cast, hours: float, state: str, words: str
) -> None:
    event = league(cast.riverside)
    plan(event)
    table(event, players(cast.riverside, *"ABCD"), on=TODAY)
    Round.objects.filter(event=event).update(state=state, posted_at=NOW)
    Game.objects.filter(event=event).update(state="playing")
    with time_machine.travel(NOW + timedelta(hours=hours), tick=False):
        page = text_of(cast.client().get("/clubs/riverside"))
    assert words in page
    assert ("The last one was" in page) is (hours == 9)


def test_page_of_the_club_says_who_won_once_the_evening_is_over(cast: Cast) -> None:
    event = league(cast.riverside)
    plan(event)
    game = table(event, players(cast.riverside, *"ABCD"), on=TODAY)
    hand(game, 1, [0, 1, 5, 7], queen=3)
    Game.objects.filter(event=event).update(state="complete")
    publish(event.pk, now=NOW)
    make_all(event.pk)
    Round.objects.filter(event=event).update(state="closed", closed_at=NOW, posted_at=NOW)
    with time_machine.travel(NOW, tick=False):
        before = text_of(cast.client().get("/clubs/riverside"))
        end_evening(OP, meeting_on(event, TODAY))
        after = text_of(cast.client().get("/clubs/riverside"))
    assert "Tonight League: round 1 is the last one so far." in before
    assert "Tonight League: the evening is over. Winner of the evening: A" in after


def test_rounds_of_tonight_are_in_the_order_of_the_times_of_their_evenings(cast: Cast) -> None:
    events = [league(cast.riverside, slug=slug) for slug in ("open", "late", "early")]
    for event, at in zip(events, (None, time(20), time(19)), strict=True):
        plan_meeting(OP, event, day=TODAY, at=at)
        table(event, players(cast.riverside, *(f"{event.slug} {name}" for name in "ABCD")))
    tonight = rounds_tonight(events, cast.riverside, NOW)
    assert [round_.event.slug for round_ in tonight] == ["early", "late", "open"]


def test_events_are_listed_by_what_waits_and_then_by_their_next_evening(cast: Cast) -> None:
    slugs = ("none", "thursday", "today", "waits")
    events = [league(cast.riverside, slug=slug) for slug in slugs]
    for event, day in zip(events[1:3], (THURSDAY, TODAY), strict=True):
        plan_meeting(OP, event, day=day)
    due = by_what_is_due(events, {events[3].pk}, TODAY)
    assert [event.slug for event in due] == ["waits", "today", "thursday", "none"]


def test_calendar_has_the_evenings_of_the_last_year(cast: Cast) -> None:
    event = league(cast.riverside)
    first = (NOW - PAST).date()
    for day in (first - timedelta(days=1), first):
        plan_meeting(OP, event, day=day)
    assert [meeting.date for meeting in meetings_of_events([event], NOW)] == [first]
