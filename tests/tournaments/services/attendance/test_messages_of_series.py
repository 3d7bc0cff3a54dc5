"""Players who come to several evenings that change together get one message with all of them."""

from datetime import date, time, timedelta

import pytest
import time_machine
from django.core.mail import EmailMultiAlternatives

from tests.support.builders import league, players
from tests.support.cast import NOW, Cast
from tests.support.mails import send_waiting
from tests.support.scenarios.mails import give_addresses, link
from tournaments.models.events import Event
from tournaments.models.jobs import Outbox
from tournaments.models.notices import Notice
from tournaments.models.rounds import Attendance, Meeting
from tournaments.selectors.events.meetings import meeting_on
from tournaments.services.attendance.own_attendance import state_own_attendance
from tournaments.services.rounds.evening_series import (
    cancel_meetings,
    change_later_meetings,
    plan_series,
)
from tournaments.services.rounds.meetings import change_meeting

pytestmark = pytest.mark.django_db

FIRST = date(2025, 11, 13)
LAST = FIRST + timedelta(days=14)
Outgoing = list[EmailMultiAlternatives]


@pytest.fixture
def event(cast: Cast) -> Event:
    """Three Thursdays: Piet comes to all, Hanna to the last one, Olga to none."""
    give_addresses()
    event = league(cast.riverside)
    ada, bo = players(cast.riverside, "Ada A.", "Bo B.")
    link(cast, "piet", ada)
    link(cast, "hanna", bo)
    plan_series(cast.operation("dirk"), event, first=FIRST, number=3, at=time(19, 30))
    for meeting in Meeting.objects.filter(event=event).order_by("date"):
        state_own_attendance(cast.operation("piet"), meeting, state="expected")
        state = "expected" if meeting.date == LAST else "absent"
        state_own_attendance(cast.operation("hanna"), meeting, state=state)
    return event


def sent(mailoutbox: Outgoing, now: object = NOW) -> dict[str, EmailMultiAlternatives]:
    mailoutbox.clear()
    with time_machine.travel(now, tick=False):  # type: ignore[arg-type]  # a moment
        send_waiting()
    mails = {mail.to[0].partition("@")[0]: mail for mail in mailoutbox}
    assert len(mails) == len(mailoutbox)
    return mails


def move(cast: Cast, event: Event) -> None:
    later = meeting_on(event, FIRST)
    change_later_meetings(
        cast.operation("dirk"), later, weekday="friday", at=time(20), place="Boathouse"
    )


def test_one_mail_has_all_new_dates(cast: Cast, event: Event, mailoutbox: Outgoing) -> None:
    move(cast, event)
    mails = sent(mailoutbox)
    assert {name: str(mail.subject) for name, mail in mails.items()} == {
        "piet": "League: 3 evenings were changed",
        "hanna": "The evening of Thursday 27 November 2025 was moved to Friday 28 November 2025",
    }
    body = mails["piet"].body
    assert "Thursday 13 November 2025: Friday 14 November 2025, 20:00, Boathouse" in body
    assert "Friday 21 November 2025, 20:00, Boathouse" in body
    assert "Your answers: you come." in body
    coming = Attendance.objects.filter(state="expected", meeting__date=LAST + timedelta(days=1))
    assert coming.count() == 2, "answers stay with their evening"
    notices = Notice.objects.filter(user=cast.users["piet"])
    assert list(notices.values_list("kind", flat=True)) == ["evening_changed"]
    page = cast.client("piet").get("/notices").content.decode()
    assert "League: 3 evenings were changed" in page


def test_places_alone_are_no_message(cast: Cast, event: Event, mailoutbox: Outgoing) -> None:
    change_later_meetings(cast.operation("dirk"), meeting_on(event, FIRST), capacity=9)
    assert sent(mailoutbox) == {}


def test_evening_that_was_cancelled_since_is_left_out_of_the_mail(
    cast: Cast, event: Event, mailoutbox: Outgoing
) -> None:
    move(cast, event)
    first = meeting_on(event, FIRST + timedelta(days=1))
    change_meeting(cast.operation("dirk"), first, state="cancelled", reason="Snow.")
    Outbox.objects.filter(kind="evening_cancelled").delete()
    mail = sent(mailoutbox)["piet"]
    assert str(mail.subject) == "League: 2 evenings were changed"
    assert "14 November" not in mail.body


def test_one_mail_names_all_cancelled_evenings(
    cast: Cast, event: Event, mailoutbox: Outgoing
) -> None:
    cancel_meetings(
        cast.operation("dirk"), event, first=FIRST, last=LAST, reason="The hall floods."
    )
    change_meeting(cast.operation("dirk"), meeting_on(event, FIRST), state="planned")
    Outbox.objects.filter(kind="evening_changed").delete()
    mails = sent(mailoutbox)
    assert {name: str(mail.subject) for name, mail in mails.items()} == {
        "piet": "League: 2 evenings are cancelled",
        "hanna": "League: the evening of Thursday 27 November 2025 is cancelled",
    }
    assert "Thursday 20 November 2025" in mails["piet"].body
    assert "13 November" not in mails["piet"].body
    assert "Reason: The hall floods." in mails["piet"].body


def test_mail_is_not_sent_once_all_its_evenings_are_over(
    cast: Cast, event: Event, mailoutbox: Outgoing
) -> None:
    move(cast, event)
    late = NOW + timedelta(days=16)
    assert str(sent(mailoutbox, late)["piet"].subject) == "League: 1 evening was changed"
    move_back = cast.operation("dirk", late)
    assert change_later_meetings(move_back, meeting_on(event, date(2025, 11, 28)), at=time(21))
    assert sent(mailoutbox, late + timedelta(days=8)) == {}
