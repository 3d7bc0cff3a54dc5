"""An evening of 16 places and 19 answers: what each reads and is told, at each moment."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from tests.support.builders import by_tests, league, pairs, players
from tests.support.cast import enter_the_cast
from tests.support.live.at_once import Action, Within
from tests.support.mail_server import MailServer
from tests.support.mails import send_waiting
from tests.support.pages.text import text_of
from tournaments.models.access import PersonalLink
from tournaments.models.clubs import Player
from tournaments.models.rounds import Attendance, Meeting
from tournaments.selectors.access.personal_links import person_with_link, printable_token
from tournaments.selectors.attendance.attendance_list import attendance_of, head_count_in_words
from tournaments.selectors.attendance.places import free_places
from tournaments.selectors.events.meetings import meeting_on
from tournaments.services.attendance.own_attendance import state_own_attendance
from tournaments.services.clubs.personal_links import renew_personal_link, set_contact
from tournaments.services.events.entrants import add_entrant
from tournaments.services.operations import Operation
from tournaments.services.rounds.meetings import plan_meeting

pytestmark = pytest.mark.pg

FIRST = tuple(f"Member {number:02}" for number in range(1, 15))
PAIR = ("Pia P.", "Paul P.")
LAST = ("Ada A.", "Bo B.")
GUEST = "Gus G."
LATE = "Zoë Z."
EVERYBODY = (*FIRST, *PAIR, *LAST, GUEST, LATE)


@pytest.fixture
def mail_server(settings: Settings) -> Iterator[MailServer]:
    server = MailServer()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
    settings.EMAIL_TIMEOUT = 1
    yield server
    server.end()


def address_of(name: str) -> str:
    return f"p{EVERYBODY.index(name)}@river.example"


@dataclass
class FullEvening:
    """An evening of an event that puts members before guests; all have an address and a link."""

    meeting: Meeting
    links: dict[str, PersonalLink]
    now: datetime = field(default_factory=lambda: timezone.now() - timedelta(hours=1))

    def answer(self, name: str, state: str = "expected") -> Action:
        self.now += timedelta(seconds=1)
        op = Operation(person_with_link(self.links[name]), self.now)
        return partial(state_own_attendance, op, self.meeting, state=state)

    def states(self) -> dict[str, str]:
        rows = Attendance.objects.filter(meeting=self.meeting)
        return dict(rows.values_list("player__name", "state"))

    def page(self, name: str) -> str:
        return text_of(Client().get(f"/my/{printable_token(self.links[name])}"))

    def require(self, coming: set[str], waiting: tuple[str, ...], absent: set[str]) -> None:
        """Compare what everybody reads on their own page, and the director in the list."""
        for name in coming:
            page = self.page(name)
            has_moved_up = "A place became free: you come." in page
            assert has_moved_up or "Your answer: you come." in page, name
        for name in absent:
            assert "Your answer: you do not come." in self.page(name), name
        for name, number in zip(waiting, ("1st", "2nd", "3rd"), strict=False):
            assert f"You are {number} on the waiting list" in self.page(name), name
        meeting = meeting_on(self.meeting.event, self.meeting.date)
        listed = attendance_of(meeting)
        numbers = {row.name: row.waiting for row in listed.rows if row.waiting}
        assert numbers == {name: number for number, name in enumerate(waiting, start=1)}
        words = head_count_in_words(meeting.event, listed)
        assert words.startswith(f"16 places for pairs, {len(waiting)} waiting.")
        assert free_places(meeting) == 0


@pytest.fixture
def evening(within: Within) -> FullEvening:
    with within():
        club = enter_the_cast().riverside
        event = league(club, settings={"members_first": True})
        people = dict(zip(EVERYBODY, players(club, *EVERYBODY), strict=True))
        pairs(event, [people[name] for name in PAIR])
        add_entrant(by_tests(), event, kind="player", players=[people[GUEST]], guest=True)
        links = {}
        for name, player in people.items():
            set_contact(by_tests(), player, email=address_of(name), has_consent=True)
            links[name] = renew_personal_link(by_tests(), Player.objects.get(pk=player.pk))
        day = (timezone.now() + timedelta(days=7)).date()
        plan_meeting(by_tests(), event, day=day, capacity=16)
        return FullEvening(meeting_on(event, day), links)


def test_each_reads_the_truth_while_an_evening_fills_and_places_are_given_on(
    within: Within, evening: FullEvening, mail_server: MailServer
) -> None:
    with within():
        for name in (*FIRST, PAIR[0]):
            evening.answer(name)()
        last_place = [evening.answer(name) for name in LAST]
    assert within.at_once(*last_place) == []
    with within():
        states = evening.states()
        (first,) = (name for name in LAST if states[name] == "expected")
        (second,) = (name for name in LAST if states[name] == "waiting")
        evening.answer(GUEST)()
        evening.answer(LATE)()
        coming = {*FIRST, *PAIR, first}
        evening.require(coming, (second, LATE, GUEST), set())
        send_waiting()
        assert mail_server.mails == [], "nobody has moved up"

        steps = (
            (FIRST[0], {FIRST[0]}, second, (LATE, GUEST)),
            (PAIR[1], set(PAIR), LATE, (GUEST,)),
            (FIRST[1], {FIRST[1]}, GUEST, ()),
        )
        absent: set[str] = set()
        for n_mails, (name, gone, moved_up, waiting) in enumerate(steps, start=1):
            evening.answer(name, "absent")()
            absent |= gone
            coming = coming - gone | {moved_up}
            evening.require(coming, waiting, absent)
            assert send_waiting()
            assert len(mail_server.mails) == n_mails
            mail = mail_server.mails[-1]
            assert mail["To"] == address_of(moved_up)
            assert mail["Subject"].startswith("You have a place on ")
