"""Who gets which mail, what it says, and what happens where the mail server is away."""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from html import unescape
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from django.core.mail import EmailMessage, EmailMultiAlternatives
from django.test import Client
from pytest_django import Settings

from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.mail_server import Behaviour, MailServer
from tests.support.mails import html_of, send_waiting
from tests.support.pages.text import text_of
from tests.support.scenarios import mails
from tests.support.scenarios.challenges import issue, run_clock
from tests.support.scenarios.ladders import ladder
from tournaments.domain.notices import (
    DEFAULTS,
    KIND_OF,
    PERSONAL_CONFIRMATION,
    PERSONAL_LINK,
    SIGN_IN,
    Channels,
    stored_notice,
)
from tournaments.models.clubs import Membership, Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.jobs import FIRST_TRY, Deadline, Outbox
from tournaments.models.notices import Notice
from tournaments.models.rounds import Round
from tournaments.selectors.notices.notice_text import KIND_LABELS, TEXTS
from tournaments.services.notices.notifications import save_notifications, stop_all_mails
from tournaments.services.notices.outbox import (
    BACK_OFF,
    UNFINISHED,
    claim_mail,
    enqueue_mail,
    enqueue_sign_in_mail,
    forget_old_mails,
)
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.rounds import move_round
from tournaments.views.notices import MAIL_LABELS

pytestmark = pytest.mark.django_db
Outgoing = list[EmailMultiAlternatives]
WITHOUT_CHOICE = {"invitation", "sign_in", PERSONAL_CONFIRMATION, PERSONAL_LINK}
RESET = "/accounts/password/reset/"
KINDS_OF_0_5_0 = {
    "challenge_answered",
    "challenge_deadline",
    "challenge_received",
    "correction",
    "digest",
    "dispute_decided",
    "evening_cancelled",
    "evening_changed",
    "evening_reminder",
    "fill_in",
    "next_table",
    "playoff_called",
    "result_to_confirm",
}
"""Its pages answer 500 to a notice of any other kind."""
KNOWN, UNKNOWN = "olga@riverside.example", "nobody@riverside.example"


def test_every_kind_has_a_text_a_label_and_a_choice() -> None:
    assert set(TEXTS) == set(KIND_OF) == set(MAIL_LABELS) - WITHOUT_CHOICE
    assert list(KIND_LABELS) == list(DEFAULTS)
    assert set(KIND_OF.values()) == set(DEFAULTS)


def test_notices_are_stored_under_kinds_that_the_release_before_knows() -> None:
    stored = {stored_notice(message, {})[0] for message in KIND_OF}
    assert stored == KINDS_OF_0_5_0


@pytest.mark.tier_all
def test_every_kind_reaches_whom_it_concerns_and_nobody_else(
    cast: Cast, mailoutbox: Outgoing, settings: Settings
) -> None:
    settings.SITE_URL = "https://club.example"
    mails.every_mail(cast)
    elsewhere = {
        *("next_table", "fill_in", "counted_anew", "note_answered", "place_free"),
        *("evenings_changed", "evenings_cancelled"),
        *(PERSONAL_CONFIRMATION, PERSONAL_LINK),
    }
    assert set(Outbox.objects.values_list("kind", flat=True)) == set(MAIL_LABELS) - elsewhere
    with time_machine.travel(NOW + timedelta(days=3)):
        assert send_waiting()
    # The challenge of H was answered and played before its mails were sent: what is over stays in.
    assert sorted((one.to[0].partition("@")[0], unprefixed(one)) for one in mailoutbox) == [
        ("b", "Answer the challenge of Member D"),
        ("b", "Member D challenges you"),
        ("e", "Is the result of Member H against Member E right?"),
        ("h", "Member E accepted the challenge of Member H"),
        ("hanna", "A play-off is called in Autumn cup"),
        ("olga", "Reset your password"),
        ("piet", "Autumn league: your results of Thursday 6 November 2025"),
        ("piet", "Hand 1 at your table was corrected"),
        ("piet", "The dispute of hand 1 was upheld"),
        (
            "piet",
            "The evening of Wednesday 26 November 2025 was moved to Thursday 27 November 2025",
        ),
        ("piet", "Will you come on Monday 10 November 2025?"),
        ("piet", "Winter league: the evening of Saturday 6 December 2025 is cancelled"),
        ("ruth", "Invitation to Riverside"),
    ]
    assert not Outbox.objects.filter(sent_at=None).exists()
    for message in mailoutbox:
        html = html_of(message)
        assert _first_words(html) in message.body, "both forms say the same"
        assert "club.example" in message.body
        is_chosen = message.to[0].partition("@")[0] not in ("olga", "ruth")
        assert ("List-Unsubscribe" in message.extra_headers) is is_chosen
        assert ("/unsubscribe/" in message.body) is is_chosen
        assert "<script" not in html
        assert "<img" not in html, "nobody learns who opened a mail"


def unprefixed(message: EmailMultiAlternatives) -> str:
    """The subject of a mail, without what those about signing in begin with."""
    return re.sub(r"^(\[testserver\]|Blacklady:) ", "", str(message.subject))


def _first_words(html: str) -> str:
    match = re.search(r"</h1>\s*<p[^>]*>([^<]+)|<dt[^>]*>([^<]+)", html)
    assert match is not None
    return unescape(match[1] or match[2])[:40]


def written(kind: str) -> list[tuple[str, str]]:
    mails_of = Outbox.objects.filter(kind=kind).values_list("user__username", flat=True)
    notices = Notice.objects.filter(kind=kind).values_list("user__username", flat=True)
    return sorted([("mail", name) for name in mails_of] + [("notice", name) for name in notices])


def test_who_corrects_a_hand_is_not_told_of_it(cast: Cast) -> None:
    mails.give_addresses()
    game = mails.evening(cast)
    assert written("next_table") == [("notice", "piet")]
    Membership.objects.filter(user=cast.users["piet"]).update(role="host")
    mails.correct(cast, game, "piet")
    assert written("correction") == []
    hand(game, 1, [4, 1, 2, 6], 3, actor=cast.actor("dirk"), based_on=2, reason="No.")
    assert written("correction") == [("mail", "piet")]


@pytest.mark.parametrize(
    "then", ["leaves", "stops", "held", "closed"], ids=lambda then: f"member_{then}"
)
def test_mail_that_waits_is_not_sent_to_whom_it_is_not_for_any_more(
    cast: Cast, mailoutbox: Outgoing, then: str
) -> None:
    mails.give_addresses()
    mails.correct(cast, mails.evening(cast))
    piet = cast.users["piet"]
    if then == "leaves":
        Membership.objects.filter(user=piet).delete()
    elif then == "stops":
        stop_all_mails(cast.operation("piet"))
    elif then == "held":
        Event.objects.update(visibility="held")
    else:
        User.objects.filter(pk=piet.pk).update(is_active=False)
    assert send_waiting()
    assert mailoutbox == []
    assert not Outbox.objects.exists()


def test_each_chooses_by_club_and_kind(cast: Cast) -> None:
    mails.give_addresses()
    wanted = {"correction": Channels(by_mail=False, as_notice=True)}
    save_notifications(cast.operation("piet"), club=cast.riverside, wanted=wanted)
    game = mails.evening(cast)
    mails.correct(cast, game)
    assert written("correction") == [("notice", "piet")]
    mails.dispute(cast, game)
    assert written("dispute_decided") == [("mail", "piet")], "other kinds stay as they were"


def test_account_without_an_address_gets_notices_alone(cast: Cast) -> None:
    mails.evening(cast)
    mails.playoff(cast)
    assert written("playoff_called") == [("notice", "hanna")]


def test_digest_waits_for_the_last_round_and_comes_once(cast: Cast) -> None:
    mails.give_addresses()
    game = mails.evening(cast)
    mails.end(cast, game)
    assert written("digest") == [("mail", "piet")]
    round_ = game.table.round
    round_.refresh_from_db()
    for to in ("playing", "closed"):
        Game.objects.update(state="complete")
        move_round(cast.operation("dirk"), round_, to=to, reason="Late sheet.")
        round_.refresh_from_db()
    publish(game.event_id, now=NOW)
    run_clock(game.event, NOW + timedelta(hours=2))
    assert written("digest") == [("mail", "piet")]


def test_old_evening_that_is_brought_in_later_writes_to_nobody(cast: Cast) -> None:
    mails.give_addresses()
    event = league(cast.riverside)
    people = players(cast.riverside, "Elsa D.", "Xenia S.", "Ruth K.", "Omar B.")
    mails.link(cast, "piet", people[0])
    game = table(event, people, on=date(2025, 1, 9))
    Game.objects.filter(pk=game.pk).update(state="complete")
    Round.objects.filter(event=event).update(state="playing")
    round_ = game.table.round
    move_round(cast.operation("dirk"), round_, to="closed")
    assert not Deadline.objects.filter(kind="digest").exists()
    assert written("next_table") == []


def test_name_corrected_meanwhile_is_written_as_it_is(cast: Cast, mailoutbox: Outgoing) -> None:
    event = ladder(cast, now=NOW)
    mails.give_addresses()
    issue(cast, event, "H", "E")
    Player.objects.filter(player_id="H").update(name="Héloïse <b>\r\nBcc: x@y.example</b>")
    assert send_waiting()
    (message,) = mailoutbox
    assert message.subject == "Héloïse <b> Bcc: x@y.example</b> challenges you"
    assert "<b>" not in html_of(message).partition("<h1")[2]
    assert message.recipients() == ["e@riverside.example"]


@pytest.fixture
def mail_server(request: pytest.FixtureRequest, settings: Settings) -> Iterator[MailServer]:
    made = MailServer(getattr(request, "param", None))
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", made.port
    settings.EMAIL_TIMEOUT = 1
    yield made
    made.end()


@pytest.fixture
def olga(db: None) -> User:
    return User.objects.create_user("olga", KNOWN, "Nine lives, one queen")


def ask(address: str) -> tuple[int, list[tuple[str, int]], str]:
    page = Client(raise_request_exception=False).post(RESET, {"email": address}, follow=True)
    return page.status_code, page.redirect_chain, text_of(page)


def write(*addresses: str) -> None:
    for address in addresses:
        enqueue_sign_in_mail(to=address, subject="Hello", text="Good evening.", now=NOW)


def row() -> tuple[int, bool, str]:
    """Tries of the only mail that has not left, whether it is parked, and what went wrong."""
    mail = Outbox.objects.get(sent_at__isnull=True)
    return mail.attempts, mail.parked, mail.error


SILENT, REFUSES = Behaviour(greeting=b""), Behaviour(greeting=b"554 no mail from you")


@pytest.mark.usefixtures("olga")
@pytest.mark.parametrize("mail_server", [REFUSES, SILENT], ids=["refuses", "silent"], indirect=True)
def test_known_and_unknown_address_are_answered_alike_without_the_mail_server(
    mail_server: MailServer, caplog: pytest.LogCaptureFixture
) -> None:
    known, unknown = ask(KNOWN), ask(UNKNOWN)
    assert known == unknown
    assert known[:2] == (200, [(f"{RESET}done/", 302)])
    assert mail_server.connections == 0
    assert Outbox.objects.count() == 2, "a mail is written for both"
    assert KNOWN not in str(list(Outbox.objects.values())), "and neither can be read"
    assert not send_waiting()
    assert Outbox.objects.filter(sent_at__isnull=True).exists()
    logged: list[Any] = [record.msg for record in caplog.records if record.name == "blacklady.mail"]
    assert [line["event"] for line in logged] == ["mail_not_sent"]
    is_refused = mail_server.behaviour is REFUSES
    assert ("554 no mail from you" in logged[0]["about"]) is is_refused
    assert KNOWN not in str(logged)


def test_refused_recipient_is_parked_and_the_others_get_their_mail(
    mail_server: MailServer, clock: object
) -> None:
    mail_server.behaviour.recipients = {"gone@a.example": b"550 5.1.1 no such mailbox"}
    write("gone@a.example", "ada@a.example", "bo@a.example")
    assert send_waiting()
    assert [mail["To"] for mail in mail_server.mails] == ["ada@a.example", "bo@a.example"]
    assert row() == (1, True, "550 5.1.1 no such mailbox")
    assert list(Outbox.objects.filter(sent_at=NOW).values_list("payload", flat=True)) == [{}, {}]


def test_mail_that_is_refused_for_now_comes_again_later_and_later_until_it_is_parked(
    mail_server: MailServer, clock: time_machine.Traveller
) -> None:
    mail_server.behaviour.data = b"451 4.7.1 greylisted"
    write(KNOWN)
    for tries, wait in enumerate(BACK_OFF, start=1):
        assert send_waiting()
        assert row() == (tries, False, "451 4.7.1 greylisted")
        clock.shift(wait - timedelta(seconds=1))
        assert claim_mail(now=datetime.now(UTC)) is None
        clock.shift(timedelta(seconds=1))
    assert send_waiting()
    assert row() == (len(BACK_OFF) + 1, True, "451 4.7.1 greylisted")
    mail_server.behaviour.data = b"250 ok"
    Outbox.objects.update(**FIRST_TRY)
    assert send_waiting()
    assert mail_server.mails[0]["To"] == KNOWN


def test_server_that_is_away_is_tried_with_one_mail_and_the_others_leave_when_it_is_back(
    mail_server: MailServer, settings: Settings, clock: time_machine.Traveller
) -> None:
    settings.EMAIL_PORT = 9  # nobody listens there
    write("ada@a.example", "bo@a.example", "cy@a.example")
    assert not send_waiting()
    assert sorted(Outbox.objects.values_list("attempts", flat=True)) == [0, 0, 1]
    settings.EMAIL_PORT = mail_server.port
    assert send_waiting()
    assert len(mail_server.mails) == 2
    clock.shift(BACK_OFF[0])
    assert send_waiting()
    assert {mail["To"] for mail in mail_server.mails} == {
        "ada@a.example", "bo@a.example", "cy@a.example",
    }  # fmt: skip
    assert mail_server.connections == 2, "one connection takes several mails"


def test_server_that_falls_silent_amid_a_mail_is_given_up_and_the_mail_comes_again(
    mail_server: MailServer, clock: time_machine.Traveller
) -> None:
    mail_server.behaviour.holds_data = True
    write(KNOWN)
    assert not send_waiting()
    assert row() == (1, False, "SMTPServerDisconnected: Connection unexpectedly closed: timed out")
    mail_server.behaviour.holds_data = False
    clock.shift(BACK_OFF[0])
    assert send_waiting()
    assert list(mail_server.counted().values()) == [2], "the same mail, by its Message-ID"


def test_mail_written_under_another_key_is_parked_and_says_why(settings: Settings) -> None:
    write(KNOWN)
    settings.SECRET_KEY = "another"
    assert send_waiting()
    assert row() == (1, True, "Written under another SECRET_KEY")


def test_line_ends_in_a_subject_make_no_header(mailoutbox: list[EmailMessage]) -> None:
    enqueue_sign_in_mail(to=KNOWN, subject="Hi\r\nBcc: all@a.example", text="x", now=NOW)
    assert send_waiting()
    (message,) = mailoutbox
    assert (message.subject, message.recipients()) == ("Hi Bcc: all@a.example", [KNOWN])


def test_mail_is_claimed_by_one_and_again_after_the_claim(clock: time_machine.Traveller) -> None:
    write(KNOWN)
    assert claim_mail(now=NOW) is not None
    assert claim_mail(now=NOW) is None
    assert claim_mail(now=NOW + timedelta(minutes=2)) is not None
    assert claim_mail(now=NOW - timedelta(days=2)) is not None, "the clock stepped back"


def test_mail_that_ends_its_worker_each_time_is_parked_and_others_still_leave(
    mail_server: MailServer, clock: time_machine.Traveller
) -> None:
    write(KNOWN)
    for tries in range(1, len(BACK_OFF) + 2):
        assert claim_mail(now=datetime.now(UTC)) is not None  # and the worker is killed
        assert row() == (tries, False, "")
        clock.shift(timedelta(minutes=2))
    write("bo@a.example")
    assert send_waiting()
    assert [mail["To"] for mail in mail_server.mails] == ["bo@a.example"]
    parked = Outbox.objects.get(parked=True)
    assert (parked.attempts, parked.error) == (len(BACK_OFF) + 1, UNFINISHED)


def test_sent_mails_are_forgotten_after_a_month(clock: time_machine.Traveller) -> None:
    enqueue_mail(club=None, kind=SIGN_IN, to="", now=NOW)
    Outbox.objects.update(sent_at=NOW)
    assert forget_old_mails(now=NOW + timedelta(days=30)) == 0
    assert forget_old_mails(now=NOW + timedelta(days=31)) == 1
