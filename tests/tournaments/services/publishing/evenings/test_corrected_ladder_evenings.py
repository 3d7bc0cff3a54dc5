"""A correction of a ladder's evening: announced again where its games moved members otherwise."""

from datetime import date, datetime, timedelta

import pytest
import time_machine
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from tests.support.builders import by_tests, hand
from tests.support.cast import NOW, Cast
from tests.support.evening_work import work_on_evenings
from tests.support.pages.text import text_of
from tests.support.scenarios.ladders import ladder, seated
from tests.support.webhooks import HOOK
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.jobs import Deadline, Outbox
from tournaments.models.rounds import Meeting
from tournaments.models.webhooks import WebhookEvent
from tournaments.selectors.chat_text import result_text
from tournaments.selectors.events.events import event_url
from tournaments.selectors.events.meetings import meeting_on
from tournaments.selectors.ladders.announced_moves import announcements_of, find_corrected
from tournaments.selectors.notices.notice_text import notice_text
from tournaments.services.clubs.clubs import add_player, change_player
from tournaments.services.events.events import entrant_for
from tournaments.services.hands.close_tables import close_tables
from tournaments.services.people.erase_player import erase_player
from tournaments.services.rounds.rounds import move_round
from tournaments.services.webhooks.manage import create_webhook

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

TONIGHT = date(2025, 11, 6)
OVER = NOW + timedelta(minutes=61)
CORRECTED = NOW + timedelta(hours=2)
LULL = timedelta(minutes=15)
D_WINS = [7, 4, 2, 0]
C_WINS = [7, 4, 0, 2]


@pytest.fixture
def night(cast: Cast, clock: time_machine.Traveller) -> Event:
    """A to D play at a table of a ladder of six; D comes from place 4 to 1. The evening is over."""
    clock.move_to(NOW)
    create_webhook(by_tests(), cast.riverside, url=HOOK, kinds=["evening.closed"])
    event = ladder(cast, "ABCDEF", now=NOW)
    for user in User.objects.filter(username__in="abcdef"):
        user.email = f"{user.username}@river.example"
        user.save()
    play(event, "ABCD", D_WINS)
    at(OVER, event, clock)
    return event


def play(event: Event, codes: str, hearts: list[int], *, number: int = 1) -> None:
    game = seated(event, codes, on=TONIGHT, round_number=number)
    hand(game, 1, hearts, queen=0)
    close_tables(by_tests(), game.table.round)
    move_round(by_tests(), game.table.round, to="closed")


def at(moment: datetime, event: Event, clock: time_machine.Traveller) -> None:
    clock.move_to(moment)
    work_on_evenings(event, moment)


def correct(
    event: Event, hearts: list[int], clock: time_machine.Traveller, *, now: datetime = CORRECTED
) -> None:
    clock.move_to(now)
    game = Game.objects.get(event=event, table__code="r1t1")
    revision = game.hands.get().revision
    why = "The sheet says so."
    hand(game, 1, hearts, queen=0, based_on=revision, reason=why, now=now)
    work_on_evenings(event, now)


def webhooks() -> list[object]:
    rows = WebhookEvent.objects.filter(kind="evening.closed").order_by("number")
    assert {row.data["number"] for row in rows} <= {None}
    return [row.data["corrects"] for row in rows]


def mails() -> dict[str, str]:
    """The readers of each message, by the end of its key."""
    readers: dict[str, str] = {}
    for row in Outbox.objects.filter(kind="digest").order_by("user__username"):
        end = row.key.partition(":")[2]
        readers[end] = readers.get(end, "") + (row.user.username if row.user else "?")
    return readers


def the_meeting(event: Event) -> Meeting:
    return meeting_on(event, TONIGHT)


def is_pending(event: Event) -> bool:
    return Deadline.objects.filter(event=event, kind="evening_result", done_at=None).exists()


def test_correction_is_announced_again_once_after_its_lull(
    night: Event, clock: time_machine.Traveller
) -> None:
    assert (webhooks(), mails()) == ([None], {"": "abcd"})
    correct(night, C_WINS, clock)
    at(CORRECTED + LULL - timedelta(minutes=1), night, clock)
    assert (webhooks(), mails()) == ([None], {"": "abcd"})
    for minutes in (0, 5, 60):
        at(CORRECTED + LULL + timedelta(minutes=minutes), night, clock)
        assert (webhooks(), mails()) == ([None, 1], {"": "abcd", "2": "abcd"})
    assert not is_pending(night)


def test_correction_that_is_undone_before_the_lull_is_announced_to_nobody(
    night: Event, clock: time_machine.Traveller
) -> None:
    correct(night, C_WINS, clock)
    assert is_pending(night)
    correct(night, D_WINS, clock, now=CORRECTED + timedelta(minutes=14))
    at(CORRECTED + timedelta(hours=1), night, clock)
    assert (webhooks(), mails()) == ([None], {"": "abcd"})
    assert not is_pending(night)


def test_correction_that_is_undone_after_it_was_announced_is_announced(
    night: Event, clock: time_machine.Traveller
) -> None:
    correct(night, C_WINS, clock)
    at(CORRECTED + LULL, night, clock)
    correct(night, D_WINS, clock, now=CORRECTED + timedelta(hours=1))
    at(CORRECTED + timedelta(hours=1) + LULL, night, clock)
    assert webhooks() == [None, 1, 2]


def test_other_points_with_the_same_moves_are_announced_to_nobody(
    night: Event, clock: time_machine.Traveller
) -> None:
    correct(night, [6, 4, 3, 0], clock)
    assert not is_pending(night)
    at(CORRECTED + timedelta(hours=1), night, clock)
    assert (webhooks(), mails()) == ([None], {"": "abcd"})


def test_new_name_and_new_member_are_announced_to_nobody(
    night: Event, clock: time_machine.Traveller
) -> None:
    clock.move_to(CORRECTED)
    renamed = Player.objects.get(club=night.club, player_id="D")
    change_player(by_tests(CORRECTED), renamed, name="Dora D.")
    late = add_player(by_tests(CORRECTED), night.club, name="Late L.", player_id="L")
    entrant_for(event=night, player=late)
    at(CORRECTED, night, clock)
    assert not is_pending(night)
    at(CORRECTED + LULL, night, clock)
    assert (webhooks(), mails()) == ([None], {"": "abcd"})


@pytest.mark.parametrize(("days", "announced"), [(3, [None, 1]), (4, [None])])
def test_correction_is_announced_until_the_third_day(
    night: Event, clock: time_machine.Traveller, days: int, announced: list[int | None]
) -> None:
    correct(night, C_WINS, clock, now=NOW + timedelta(days=days))
    at(NOW + timedelta(days=days, minutes=15), night, clock)
    assert webhooks() == announced


def test_further_round_is_told_like_the_first_time(
    night: Event, clock: time_machine.Traveller
) -> None:
    later = NOW + timedelta(hours=2)
    clock.move_to(later)
    play(night, "CDEF", D_WINS, number=2)
    at(later + timedelta(hours=3), night, clock)
    assert webhooks() == [None, 1]
    meeting = the_meeting(night)
    first, _second = announcements_of(meeting)
    assert find_corrected(night, meeting, first) is None


def test_mail_says_what_changed_what_was_announced_and_why(
    night: Event, clock: time_machine.Traveller, cast: Cast
) -> None:
    Outbox.objects.filter(kind="digest").update(sent_at=OVER)
    correct(night, C_WINS, clock)
    now = CORRECTED + LULL
    at(now, night, clock)
    facts = {"meeting": the_meeting(night).pk, "number": 2}
    text = notice_text("digest", facts, cast.users["D"], now=now)
    assert text is not None
    assert text.title == "Ladder: the result of Thursday 6 November 2025 was corrected"
    assert text.headline == (
        "Corrected: members moved otherwise than announced."
        " Announced was: Member D 4→1, Member C 3→2."
    )
    assert text.paragraphs[:4] == (
        "You moved from place 4 to place 2 of the ladder.",
        "Announced was a move from place 4 to place 1.",
        "Reason for the correction: “The sheet says so.”",
        "First: Member C",
    )
    text = notice_text("digest", facts, cast.users["A"], now=now)
    assert text is not None
    assert text.paragraphs[1] == "Your move is the one that was announced."
    outdated = {"meeting": the_meeting(night).pk, "number": 1}
    assert notice_text("digest", outdated, cast.users["D"], now=now) is None


def test_who_got_no_earlier_mail_reads_the_moves_like_the_first_time(
    night: Event, clock: time_machine.Traveller, cast: Cast
) -> None:
    correct(night, C_WINS, clock)
    at(CORRECTED + LULL, night, clock)
    facts = {"meeting": the_meeting(night).pk, "number": 2}
    text = notice_text("digest", facts, cast.users["D"], now=CORRECTED + LULL)
    assert text is not None
    assert text.headline == "You moved from place 4 to place 2 of the ladder."


def test_page_and_text_say_during_the_lull_that_moves_are_being_corrected(
    night: Event, clock: time_machine.Traveller
) -> None:
    correct(night, C_WINS, clock)
    says = "The moves are being corrected: they are announced again at 23:15."
    page = event_url("evening", night, TONIGHT.isoformat())
    assert says in text_of(Client().get(page))
    assert says in result_text(night, the_meeting(night), now=CORRECTED).replace("\n  ", " ")
    at(CORRECTED + LULL, night, clock)
    assert "being corrected" not in text_of(Client().get(page))
    assert "being corrected" not in result_text(night, the_meeting(night), now=CORRECTED)


def test_feed_is_updated_by_a_correction(night: Event, clock: time_machine.Traveller) -> None:
    address = reverse("tournaments:evenings-feed", args=[night.club.slug, night.slug])
    before = Client().get(address).content.decode()
    correct(night, C_WINS, clock)
    at(CORRECTED + LULL, night, clock)
    after = Client().get(address).content.decode()
    moment = f"<updated>{(CORRECTED + LULL):%Y-%m-%dT%H:%M:%S}"
    assert moment not in before
    assert after.count(moment) == 2  # the feed and its entry


def test_erasure_is_announced_to_nobody_and_later_corrections_still_are(
    night: Event, clock: time_machine.Traveller, cast: Cast
) -> None:
    clock.move_to(CORRECTED)
    erased = Player.objects.get(club=night.club, player_id="B")
    erase_player(by_tests(CORRECTED), erased, confirmed="B", reason="Asked for it.")
    at(CORRECTED + LULL, night, clock)
    assert webhooks() == [None]
    correct(night, C_WINS, clock, now=CORRECTED + timedelta(hours=1))
    at(CORRECTED + timedelta(hours=1) + LULL, night, clock)
    assert webhooks() == [None, 1]


def test_evening_that_an_older_release_announced_is_not_announced_again(
    night: Event, clock: time_machine.Traveller
) -> None:
    """0.6.0 kept no moves: what it announced cannot be compared."""
    night.stored_history.filter(kind="ladder_evening").delete()
    correct(night, C_WINS, clock)
    at(CORRECTED + LULL, night, clock)
    assert (webhooks(), mails()) == ([None], {"": "abcd"})
