"""Excused players who are not entered: where a director reads of them, and enters them."""

from datetime import date, time, timedelta

import pytest
import time_machine

from tests.support.builders import league, players
from tests.support.cast import NOW, Cast
from tests.support.pages.text import text_of
from tournaments.models.clubs import Player
from tournaments.models.events import EntrantMember, Event
from tournaments.models.rounds import Attendance, Meeting
from tournaments.selectors.attendance.not_entered import list_not_entered
from tournaments.selectors.waiting import NOT_ENTERED_FOR, list_waiting
from tournaments.services.events.entrants import add_entrant

pytestmark = pytest.mark.django_db

DAY = date(2025, 11, 6)
BEFORE = NOW - timedelta(hours=4)
COUNTING = {"primary": "evening_points", "excused": "lowest", "tie_breaks": ("wins",)}
LEAGUE = "/clubs/riverside/events/league"
ENTER = f"{LEAGUE}/add-entrants?excused=2025-11-06"


@pytest.fixture
def event(cast: Cast) -> Event:
    return league(cast.riverside, settings=COUNTING)


@pytest.fixture
def meeting(event: Event) -> Meeting:
    return Meeting.objects.create(club=event.club, event=event, date=DAY, time=time(19, 30))


@pytest.fixture
def people(cast: Cast) -> list[Player]:
    return players(cast.riverside, "Ada Alder", "Ben Birch", "Cleo Cedar")


def absent(meeting: Meeting, player: Player, **fields: object) -> Attendance:
    return Attendance.objects.create(
        **{
            "club": meeting.club,
            "meeting": meeting,
            "player": player,
            "state": "absent",
            "answer": "absent",
            "stated_at": BEFORE,
            "answered_at": BEFORE,
            **fields,
        }
    )


def names(meeting: Meeting) -> list[str]:
    return [player.name for player in list_not_entered(meeting)]


def test_those_who_are_excused_and_not_entered_are_found(
    cast: Cast, event: Event, meeting: Meeting, people: list[Player]
) -> None:
    ada, ben, cleo = people
    add_entrant(cast.operation("dirk"), event, kind="player", players=[cleo])
    for player in people:
        absent(meeting, player)
    assert names(meeting) == ["Ada Alder", "Ben Birch"]
    Attendance.objects.filter(player=ada).update(answered_at=NOW)
    assert names(meeting) == ["Ben Birch"], "Ada answered after the evening began"
    Attendance.objects.filter(player=ada).update(excused=True)
    Attendance.objects.filter(player=ben).update(excused=False)
    assert names(meeting) == ["Ada Alder"]
    Attendance.objects.filter(player=ada).update(guest=True)
    assert names(meeting) == []


def test_a_player_of_a_pair_is_entered(
    cast: Cast, event: Event, meeting: Meeting, people: list[Player]
) -> None:
    add_entrant(cast.operation("dirk"), event, kind="pair", players=people[:2])
    for player in people:
        absent(meeting, player)
    assert names(meeting) == ["Cleo Cedar"]


def test_nobody_is_found_where_an_excuse_gives_nothing(
    cast: Cast, event: Event, meeting: Meeting, people: list[Player]
) -> None:
    absent(meeting, people[0])
    Event.objects.update(state="closed")
    assert names(meeting) == [], "nobody can be entered"
    Event.objects.update(state="open")
    assert names(meeting) == ["Ada Alder"]
    Meeting.objects.filter(pk=meeting.pk).update(state="cancelled")
    assert names(meeting) == []
    Meeting.objects.filter(pk=meeting.pk).update(state="planned")
    Event.objects.update(settings={**event.settings, "excused": "nothing"})
    assert names(meeting) == []


@time_machine.travel(NOW, tick=False)
def test_directors_read_of_them_and_enter_them_in_one_form(
    cast: Cast, event: Event, meeting: Meeting, people: list[Player]
) -> None:
    for player in people[:2]:
        absent(meeting, player)
    dirk = cast.client("dirk")
    pages = (f"{LEAGUE}/meetings/2025-11-06/attendance", f"{LEAGUE}/meetings/2025-11-06")
    text = (
        "2 excused players are not entered in League, and get no points for this evening: "
        "Ada Alder and Ben Birch. Add players"
    )
    for page in pages:
        answer = dirk.get(page)
        assert text in text_of(answer)
        assert ENTER in answer.content.decode()
    assert text not in text_of(cast.client("hanna").get(pages[0]))
    line = "2 players excused for 6 Nov 2025 are not entered, and get no points for it"
    for page in (f"{LEAGUE}/direct", "/clubs/riverside/manage"):
        answer = dirk.get(page)
        assert line in text_of(answer)
        assert ENTER in answer.content.decode()

    form = dirk.get(ENTER).context["form"]
    chosen = [box.data["value"] for box in form["players"] if box.data["selected"]]
    assert chosen == [player.player_id for player in people[:2]]
    dirk.post(f"{LEAGUE}/add-entrants", {"players": chosen})
    entered = EntrantMember.objects.filter(event=event).values_list("player__name", flat=True)
    assert sorted(entered) == ["Ada Alder", "Ben Birch"]
    for page in pages:
        assert "not entered" not in text_of(dirk.get(page))


def test_an_evening_waits_for_two_weeks(
    cast: Cast, event: Event, meeting: Meeting, people: list[Player]
) -> None:
    absent(meeting, people[0])
    later = NOW + NOT_ENTERED_FOR
    roles = [(cast.riverside, "director")]
    (line,) = list_waiting(roles, now=later, kinds=("not_entered",))
    assert line.title == "1 player excused for 6 Nov 2025 is not entered, and gets no points for it"
    assert list_waiting(roles, now=later + timedelta(days=1), kinds=("not_entered",)) == []


def test_rest_says_who_is_entered(
    cast: Cast, event: Event, meeting: Meeting, people: list[Player]
) -> None:
    add_entrant(cast.operation("dirk"), event, kind="pair", players=people[:2])
    path = "/api/v1/clubs/riverside/events/league/meetings/2025-11-06/attendance"
    rows = cast.client("hanna").get(path).json()["results"]
    entered = {row["name"]: row["entered"] for row in rows}
    assert entered == {"Ada Alder": True, "Ben Birch": True, "Cleo Cedar": False}
