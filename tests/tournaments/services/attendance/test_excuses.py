"""Who is excused of an evening: the time of an answer, a director's word, what people read."""

from datetime import UTC, datetime, time, timedelta

import pytest
import time_machine

from scoring.errors import Refused
from tests.support.builders import by_tests, hand, league, link, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.text import text_of
from tournaments.errors import Conflict, Forbidden, Missing
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.jobs import event_scope
from tournaments.models.rounds import Attendance, Meeting
from tournaments.models.standings import Change
from tournaments.policy import Actor
from tournaments.selectors.attendance.attendance_list import attendance_of
from tournaments.selectors.attendance.excuses import Excuse, find_excuses
from tournaments.selectors.jobs.queue import get_version
from tournaments.services.attendance.excuses import excuse_player
from tournaments.services.attendance.own_attendance import state_own_attendance
from tournaments.services.attendance.set_attendance import set_attendance, undo_check_in
from tournaments.services.operations import Operation
from tournaments.services.people.merge_players import merge_players, undo_merge

pytestmark = pytest.mark.django_db

START = datetime(2025, 11, 6, 19, 30, tzinfo=UTC)
SECOND = timedelta(seconds=1)
COUNTING = {"primary": "evening_points", "excused": "lowest", "tie_breaks": ("wins",)}


@pytest.fixture
def event(cast: Cast) -> Event:
    return league(cast.riverside, settings=COUNTING)


@pytest.fixture
def meeting(event: Event) -> Meeting:
    return Meeting.objects.create(
        club=event.club, event=event, date=START.date(), time=time(19, 30)
    )


@pytest.fixture
def ada(cast: Cast) -> Player:
    return players(cast.riverside, "Ada A.")[0]


def say(
    actor: Actor, meeting: Meeting, player: Player, state: str, at: datetime, now: datetime = NOW
) -> Attendance:
    operation = Operation(actor, now)
    return set_attendance(operation, meeting, player=player, state=state, stated_at=at)


def excuse(meeting: Meeting, player: Player) -> Excuse:
    row = Attendance.objects.get(meeting=meeting, player=player)
    return find_excuses([row], [meeting])[row.pk]


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        (START - SECOND, Excuse(is_excused=True)),
        (START, Excuse(is_late=True)),
        (START + SECOND, Excuse(is_late=True)),
    ],
)
def test_an_answer_excuses_before_the_evening_begins(
    cast: Cast, meeting: Meeting, ada: Player, at: datetime, expected: Excuse
) -> None:
    say(cast.actor("hanna"), meeting, ada, "absent", at)
    assert excuse(meeting, ada) == expected


def test_an_answer_that_is_said_again_keeps_its_time(
    cast: Cast, meeting: Meeting, ada: Player
) -> None:
    host = cast.actor("hanna")
    say(host, meeting, ada, "absent", START - SECOND)
    say(host, meeting, ada, "absent", START + SECOND)
    row = Attendance.objects.get(player=ada)
    assert (row.answered_at, row.stated_at) == (START - SECOND, START + SECOND)
    assert excuse(meeting, ada).is_excused


def test_another_answer_in_between_moves_the_time(
    cast: Cast, meeting: Meeting, ada: Player
) -> None:
    host = cast.actor("hanna")
    say(host, meeting, ada, "absent", START - 2 * SECOND)
    say(host, meeting, ada, "expected", START - SECOND)
    assert excuse(meeting, ada) == Excuse()
    say(host, meeting, ada, "absent", START + SECOND)
    assert excuse(meeting, ada) == Excuse(is_late=True)


def test_a_check_in_by_mistake_that_is_undone_excuses_again(
    cast: Cast, meeting: Meeting, ada: Player
) -> None:
    host = cast.actor("hanna")
    say(host, meeting, ada, "absent", START - SECOND)
    say(host, meeting, ada, "here", START + SECOND)
    assert excuse(meeting, ada) == Excuse()
    later = START + 2 * SECOND
    undo_check_in(Operation(host, NOW), meeting, player=ada, stated_at=later)
    assert excuse(meeting, ada) == Excuse(is_excused=True)


def test_players_do_not_choose_the_time_of_their_own_answer(
    cast: Cast, meeting: Meeting, ada: Player
) -> None:
    link(ada, cast.users["piet"])
    # The evening is on: an hour ago is what the device says.
    say(cast.actor("piet"), meeting, ada, "absent", START - SECOND, now=START + SECOND)
    assert excuse(meeting, ada) == Excuse(is_late=True)


def test_a_director_says_otherwise_with_a_reason(cast: Cast, meeting: Meeting, ada: Player) -> None:
    director = Operation(cast.actor("dirk"), NOW)
    say(cast.actor("hanna"), meeting, ada, "absent", START)
    row = excuse_player(director, meeting, player=ada, excused=True, reason=" Called at noon. ")
    assert (row.state, row.excused) == ("absent", True)
    assert excuse(meeting, ada) == Excuse(is_excused=True, is_late=True, by_director=True)
    change = Change.objects.get(kind="excuse")
    assert (change.reason, change.by) == ("Called at noon.", "director")
    assert change.facts == {"player": ada.player_id, "date": "2025-11-06", "excused": True}
    line = AuditLine.objects.get(act="excuse_player")
    assert line.subject == f"player:{ada.player_id}"

    excuse_player(director, meeting, player=ada, excused=None, reason="By mistake.")
    assert excuse(meeting, ada) == Excuse(is_late=True)
    excuse_player(director, meeting, player=ada, excused=False, reason="Never calls.")
    assert excuse(meeting, ada) == Excuse(is_late=True, by_director=True)


def test_the_same_word_again_changes_nothing(cast: Cast, meeting: Meeting, ada: Player) -> None:
    director = Operation(cast.actor("dirk"), NOW)
    for _ in range(2):
        excuse_player(director, meeting, player=ada, excused=True, reason="Called.")
    assert Change.objects.filter(kind="excuse").count() == 1


def test_a_player_whom_nobody_asked_is_absent_then(
    cast: Cast, meeting: Meeting, ada: Player
) -> None:
    director = Operation(cast.actor("dirk"), NOW)
    with pytest.raises(Missing):
        excuse_player(director, meeting, player=ada, excused=None, reason="As answered.")
    assert not Attendance.objects.exists()
    row = excuse_player(director, meeting, player=ada, excused=True, reason="Called.")
    assert (row.state, row.answer, row.stated_at) == ("absent", "absent", NOW)


@pytest.mark.parametrize(
    ("reason", "code"),
    [("", "reason_required"), ("  ", "reason_required"), ("x" * 200, ""), ("x" * 201, "bad_text")],
)
def test_a_reason_has_from_1_to_200_characters(
    cast: Cast, meeting: Meeting, ada: Player, reason: str, code: str
) -> None:
    director = Operation(cast.actor("dirk"), NOW)
    if not code:
        assert excuse_player(director, meeting, player=ada, excused=True, reason=reason).excused
        return
    with pytest.raises(Refused) as refused:
        excuse_player(director, meeting, player=ada, excused=True, reason=reason)
    assert [problem.code for problem in refused.value.problems] == [code]
    assert not Attendance.objects.exists()


def test_hosts_and_players_excuse_nobody(cast: Cast, meeting: Meeting, ada: Player) -> None:
    link(ada, cast.users["piet"])
    for name in ("hanna", "piet"):
        operation = Operation(cast.actor(name), NOW)
        with pytest.raises(Forbidden):
            excuse_player(operation, meeting, player=ada, excused=True, reason="Called.")
    assert not Attendance.objects.exists()


def test_an_event_that_counts_no_excuses_refuses_a_word(
    cast: Cast, event: Event, meeting: Meeting, ada: Player
) -> None:
    Event.objects.filter(pk=event.pk).update(settings={**event.settings, "excused": "nothing"})
    meeting = Meeting.objects.get(pk=meeting.pk)
    with pytest.raises(Conflict) as refused:
        excuse_player(by_tests(), meeting, player=ada, excused=True, reason="Called.")
    assert refused.value.problem.code == "excuses_not_counted"


def test_a_cancelled_evening_excuses_nobody(cast: Cast, meeting: Meeting, ada: Player) -> None:
    Meeting.objects.filter(pk=meeting.pk).update(state="cancelled")
    with pytest.raises(Conflict) as refused:
        excuse_player(by_tests(), meeting, player=ada, excused=True, reason="Called.")
    assert refused.value.problem.code == "meeting_is_cancelled"


def test_a_merge_keeps_the_answer_and_the_word_and_gives_them_back(
    cast: Cast, meeting: Meeting, ada: Player
) -> None:
    (other,) = players(cast.riverside, "Ada Adams")
    say(cast.actor("hanna"), meeting, ada, "absent", START - SECOND)
    say(cast.actor("hanna"), meeting, other, "absent", START + SECOND)
    excuse_player(by_tests(), meeting, player=ada, excused=False, reason="Never calls.")
    merge = merge_players(by_tests(), ada, target=other)
    row = Attendance.objects.get()
    # The newer statement counts, and the only word that a director said.
    assert (row.player_id, row.answered_at, row.excused) == (other.pk, START + SECOND, False)
    undo_merge(by_tests(), merge)
    rows = {row.player_id: row for row in Attendance.objects.all()}
    assert (rows[ada.pk].answered_at, rows[ada.pk].excused) == (START - SECOND, False)
    assert (rows[other.pk].answered_at, rows[other.pk].excused) == (START + SECOND, None)


def test_the_attendance_list_says_who_is_excused_and_has_the_form_for_directors(
    cast: Cast, meeting: Meeting, ada: Player
) -> None:
    say(cast.actor("hanna"), meeting, ada, "absent", START)
    path = f"/clubs/riverside/events/{meeting.event.slug}/meetings/2025-11-06/attendance"
    assert "answered after the evening began: not excused" in text_of(
        cast.client("hanna").get(path)
    )
    assert 'name="excuse"' not in cast.client("hanna").get(path).content.decode()
    client = cast.client("dirk")
    assert 'name="excuse"' in client.get(path).content.decode()
    refused = client.post(path, {"excuse": ada.player_id, "reason": ""})
    assert refused.status_code == 422
    assert Attendance.objects.get().excused is None
    client.post(path, {"excuse": ada.player_id, "reason": "Called at noon."})
    assert "(excused by a director)" in text_of(client.get(path))
    client.post(path, {"as_answered": ada.player_id, "reason": "By mistake."})
    assert Attendance.objects.get().excused is None
    log = text_of(client.get(f"/clubs/riverside/events/{meeting.event.slug}/changes"))
    assert "Ada A. is excused for Thursday 6 November 2025" in log


def test_change_log_names_who_is_excused_without_any_attendance(
    cast: Cast, meeting: Meeting, ada: Player
) -> None:
    excuse_player(by_tests(), meeting, player=ada, excused=True, reason="On holiday.")
    Change.objects.filter(event=meeting.event, kind="attendance").delete()
    log = text_of(cast.client("dirk").get(f"/clubs/riverside/events/{meeting.event.slug}/changes"))
    assert "Ada A. is excused for Thursday 6 November 2025" in log


def test_where_nothing_counts_nobody_reads_of_excuses(
    cast: Cast, event: Event, meeting: Meeting, ada: Player
) -> None:
    Event.objects.filter(pk=event.pk).update(settings={**event.settings, "excused": "nothing"})
    say(cast.actor("hanna"), meeting, ada, "absent", START - SECOND)
    path = f"/clubs/riverside/events/{event.slug}/meetings/2025-11-06/attendance"
    assert "excuse" not in cast.client("dirk").get(path).content.decode().lower()


@pytest.mark.parametrize(
    ("now", "sentence"),
    [
        (START - SECOND, "You are excused."),
        (START, "You answered after the evening began, so you are not excused."),
    ],
)
def test_players_read_whether_they_are_excused(
    cast: Cast, event: Event, meeting: Meeting, ada: Player, now: datetime, sentence: str
) -> None:
    link(ada, cast.users["piet"])
    path = f"/clubs/riverside/events/{event.slug}/meetings/2025-11-06/coming"
    with time_machine.travel(now, tick=False):
        client = cast.client("piet")
        state_own_attendance(Operation(cast.actor("piet"), now), meeting, state="absent")
        assert sentence in text_of(client.get(path))
        (evening,) = client.get("/api/v1/me").json()["evenings"]
    assert (evening["excused"], evening["answered_late"]) == (now < START, now >= START)


def test_rest_has_the_answer_and_the_word(cast: Cast, meeting: Meeting, ada: Player) -> None:
    say(cast.actor("hanna"), meeting, ada, "absent", START)
    (row,) = attendance_of(meeting).rows
    assert row.excuse == Excuse(is_late=True)
    path = f"/api/v1/clubs/riverside/events/{meeting.event.slug}/meetings/2025-11-06/attendance"
    client = cast.client("dirk")
    (listed,) = client.get(path).json()["results"]
    keys = ("state", "answered_at", "excused", "excused_by_director", "answered_late")
    assert [listed[key] for key in keys] == ["absent", "2025-11-06T19:30:00Z", False, False, True]
    body = {"excused": True, "reason": "Called."}
    answer = client.post(
        f"{path}/{ada.player_id}/excuse",
        body,
        content_type="application/json",
        headers={"Idempotency-Key": "one"},
    )
    assert answer.status_code == 200
    assert [answer.json()[key] for key in keys[2:]] == [True, True, True]


def test_an_answer_and_a_word_mark_the_event(cast: Cast, event: Event, meeting: Meeting) -> None:
    people = players(cast.riverside, *"ABCDE")
    hand(table(event, people[:4], on=START.date()), 1, [1, 2, 3, 7], 0)
    before = get_version(event_scope(event.pk))
    say(cast.actor("hanna"), meeting, people[4], "absent", START - SECOND)
    answered = get_version(event_scope(event.pk))
    assert answered > before
    excuse_player(by_tests(), meeting, player=people[4], excused=False, reason="No.")
    assert get_version(event_scope(event.pk)) > answered
