"""Who gets which mail, and what it says: plain text and HTML say the same."""

import re
from datetime import date, timedelta
from html import unescape

import pytest
import time_machine
from django.contrib.auth.models import User
from django.core.mail import EmailMultiAlternatives
from pytest_django import Settings

from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.mails import html_of, send_waiting
from tests.support.scenarios import mails
from tests.support.scenarios.challenges import issue, run_clock
from tests.support.scenarios.ladders import ladder
from tournaments.domain.people.notification_kinds import DEFAULTS, KIND_OF, Channels
from tournaments.models.clubs import Membership, Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.meetings import Round
from tournaments.models.notices import Notice
from tournaments.models.outbox import Deadline, Outbox
from tournaments.selectors.people.notice_text import KIND_LABELS, TEXTS
from tournaments.services.notices.notifications import save_notifications, stop_all_mails
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.rounds import move_round
from tournaments.views.clubs.audit import MAIL_LABELS

Outgoing = list[EmailMultiAlternatives]


def test_every_kind_has_a_text_a_label_and_a_choice() -> None:
    assert set(TEXTS) == set(KIND_OF) == set(MAIL_LABELS) - {"invitation", "sign_in"}
    assert list(KIND_LABELS) == list(DEFAULTS)
    assert set(KIND_OF.values()) == set(DEFAULTS)


@pytest.mark.django_db
@pytest.mark.tier_all
def test_every_kind_reaches_whom_it_concerns_and_nobody_else(
    cast: Cast, mailoutbox: Outgoing, settings: Settings
) -> None:
    settings.SITE_URL = "https://club.example"
    mails.every_mail(cast)
    assert set(Outbox.objects.values_list("kind", flat=True)) == set(MAIL_LABELS) - {"next_table"}
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
    """The beginning of what the HTML form says under its headline."""
    found = re.search(r"</h1>\s*<p[^>]*>([^<]+)|<dt[^>]*>([^<]+)", html)
    assert found is not None
    return unescape(found[1] or found[2])[:40]


def written(kind: str) -> list[tuple[str, str]]:
    """Who is told something of a kind, by mail or as a notice."""
    mails_of = Outbox.objects.filter(kind=kind).values_list("user__username", flat=True)
    notices = Notice.objects.filter(kind=kind).values_list("user__username", flat=True)
    return sorted([("mail", name) for name in mails_of] + [("notice", name) for name in notices])


@pytest.mark.django_db
def test_who_corrects_a_hand_is_not_told_of_it(cast: Cast) -> None:
    mails.give_addresses()
    game = mails.evening(cast)
    assert written("next_table") == [("notice", "piet")]
    Membership.objects.filter(user=cast.users["piet"]).update(role="host")
    mails.correct(cast, game, "piet")
    assert written("correction") == []
    hand(game, 1, [4, 1, 2, 6], 3, actor=cast.actor("dirk"), based_on=2, reason="No.")
    assert written("correction") == [("mail", "piet")]


@pytest.mark.django_db
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
        stop_all_mails(actor=cast.actor("piet"))
    elif then == "held":
        Event.objects.update(visibility="held")
    else:
        User.objects.filter(pk=piet.pk).update(is_active=False)
    assert send_waiting()
    assert mailoutbox == []
    assert not Outbox.objects.exists()


@pytest.mark.django_db
def test_each_chooses_by_club_and_kind(cast: Cast) -> None:
    mails.give_addresses()
    wanted = {"correction": Channels(by_mail=False, as_notice=True)}
    save_notifications(actor=cast.actor("piet"), club=cast.riverside, wanted=wanted)
    game = mails.evening(cast)
    mails.correct(cast, game)
    assert written("correction") == [("notice", "piet")]
    mails.dispute(cast, game)
    assert written("dispute_decided") == [("mail", "piet")], "other kinds stay as they were"


@pytest.mark.django_db
def test_account_without_an_address_gets_notices_alone(cast: Cast) -> None:
    mails.evening(cast)
    mails.playoff(cast)
    assert written("playoff_called") == [("notice", "hanna")]


@pytest.mark.django_db
def test_digest_waits_for_the_last_round_and_comes_once(cast: Cast) -> None:
    mails.give_addresses()
    game = mails.evening(cast)
    mails.end(cast, game)
    assert written("digest") == [("mail", "piet")]
    round_ = game.table.round
    round_.refresh_from_db()
    for to in ("playing", "closed"):
        Game.objects.update(state="complete")
        move_round(actor=cast.actor("dirk"), round_=round_, to=to, now=NOW, reason="Late sheet.")
        round_.refresh_from_db()
    publish(game.event_id, now=NOW)
    run_clock(game.event, NOW + timedelta(hours=2))
    assert written("digest") == [("mail", "piet")]


@pytest.mark.django_db
def test_old_evening_that_is_brought_in_later_writes_to_nobody(cast: Cast) -> None:
    mails.give_addresses()
    event = league(cast.riverside)
    people = players(cast.riverside, "Elsa D.", "Xenia S.", "Ruth K.", "Omar B.")
    mails.link(cast, "piet", people[0])
    game = table(event, people, on=date(2025, 1, 9))
    Game.objects.filter(pk=game.pk).update(state="complete")
    Round.objects.filter(event=event).update(state="playing")
    round_ = game.table.round
    move_round(actor=cast.actor("dirk"), round_=round_, to="closed", now=NOW)
    assert not Deadline.objects.filter(kind="digest").exists()
    assert written("next_table") == []


@pytest.mark.django_db
def test_name_that_was_mended_meanwhile_is_written_as_it_is_now(
    cast: Cast, mailoutbox: Outgoing
) -> None:
    event = ladder(cast, now=NOW)
    mails.give_addresses()
    issue(cast, event, "H", "E")
    Player.objects.filter(player_id="H").update(name="Héloïse <b>\r\nBcc: x@y.example</b>")
    assert send_waiting()
    (message,) = mailoutbox
    assert message.subject == "Héloïse <b> Bcc: x@y.example</b> challenges you"
    assert "<b>" not in html_of(message).partition("<h1")[2]
    assert message.recipients() == ["e@riverside.example"]
