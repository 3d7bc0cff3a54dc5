"""Receivers that are slow, gone, redirect, or lead elsewhere: nobody waits, no message is lost."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
import time_machine
from django.utils import timezone
from pytest_django import Settings
from standardwebhooks import Webhook as Signer

from scoring.errors import Refused
from tests.support.builders import by_tests, hand, ladder, league, players, table
from tests.support.cast import Cast
from tests.support.certificates import self_signed
from tests.support.evening_work import make_tables_of, work_on_evenings
from tests.support.scenarios.ladders import ladder as challenge_ladder
from tests.support.scenarios.ladders import seated
from tests.support.webhook_receiver import Behaviour, Receiver
from tests.support.webhooks import send_waiting
from tournaments.delivery.webhooks.sender import (
    LONGEST,
    CheckedConnection,
    WebhookSender,
    fitting,
    post,
)
from tournaments.models.clubs import Player
from tournaments.models.hands import Game
from tournaments.models.webhooks import Webhook, WebhookDelivery
from tournaments.selectors.events.meetings import meeting_on
from tournaments.services.events.change_event import change_event
from tournaments.services.events.entrants import add_entrant
from tournaments.services.hands.close_tables import close_tables
from tournaments.services.publishing.evening_results import publish_result
from tournaments.services.publishing.ladders import publish_ladder
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.evenings import end_evening
from tournaments.services.rounds.rounds import move_round
from tournaments.services.webhooks.delivery import (
    BACK_OFF,
    Answer,
    claim_delivery,
    claim_lasts,
    finish_delivery,
    forget_old_deliveries,
    record_round_posted,
)
from tournaments.services.webhooks.manage import (
    WebAddress,
    change_webhook,
    create_webhook,
    is_allowed,
    repeat_delivery,
    require_allowed,
    rotate_webhook_secret,
)
from tournaments.services.webhooks.manage import test_webhook as send_test

pytestmark = pytest.mark.django_db
PUBLISHED = ("publication.created",)


@pytest.fixture
def receiver(settings: Settings) -> Iterator[Receiver]:
    settings.WEBHOOK_ALLOW_PRIVATE, settings.WEBHOOK_TIMEOUT = True, 1
    made = Receiver()
    yield made
    made.end()


def hook(cast: Cast, url: str, kinds: tuple[str, ...] = PUBLISHED, **more: str) -> Webhook:
    return create_webhook(by_tests(timezone.now()), cast.riverside, url=url, kinds=kinds, **more)


def evening(cast: Cast) -> Game:
    people = players(cast.riverside, "Elsa D.", "Xenia S.", "Ruth K.", "Omar B.")
    return table(league(cast.riverside), people)


def published(cast: Cast) -> Game:
    game = evening(cast)
    hand(game, 1, [4, 1, 2, 6], 3)
    publish(game.event_id, now=timezone.now())
    return game


def states() -> list[tuple[str, int | None, int]]:
    return list(WebhookDelivery.objects.order_by("pk").values_list("state", "status", "attempts"))


def test_messages_have_ids_and_a_signature_libraries_take(cast: Cast, receiver: Receiver) -> None:
    made = hook(cast, receiver.url, ("publication.created", "hand.corrected"))
    game = published(cast)
    hand(game, 1, [4, 2, 1, 6], 3, based_on=1, reason="Swapped")
    publish(game.event_id, now=timezone.now())
    send_waiting()
    bodies = [one.verified(made.plain_secret) for one in receiver.received]
    assert [(body["type"], body["data"]["sequence"]) for body in bodies] == [
        ("publication.created", 1), ("hand.corrected", 2), ("publication.created", 3),
    ]  # fmt: skip
    assert bodies[1]["data"] == {
        "club": "riverside", "event": "league", "table": "r1t1", "hand": 1,
        "change": "correct_hand", "revision": 2, "event_version": 3, "sequence": 2,
    }  # fmt: skip
    assert "Elsa" not in str([one.body for one in receiver.received])
    assert states() == [("delivered", 200, 1)] * 3
    kept = str(list(Webhook.objects.values()))
    assert made.plain_secret not in kept
    assert receiver.url not in kept


def test_later_message_of_an_event_waits_and_is_parked_after_three_days(
    cast: Cast, receiver: Receiver, clock: time_machine.Traveller
) -> None:
    receiver.behaviour.status = 500
    hook(cast, receiver.url)
    game = published(cast)
    for tries, wait in enumerate(BACK_OFF, start=1):
        send_waiting()
        assert states() == [("waiting", 500, tries)]
        clock.shift(wait - timedelta(seconds=1))
        send_waiting()
        clock.shift(timedelta(seconds=1))
    hand(game, 2, [0, 13, 0, 0], 0)
    publish(game.event_id, now=timezone.now())
    send_waiting()
    assert states() == [("parked", 500, len(BACK_OFF) + 1), ("waiting", None, 0)]
    receiver.behaviour.status = 204
    clock.shift(timedelta(minutes=1))
    send_waiting()
    assert states()[1] == ("delivered", 204, 1)
    parked = WebhookDelivery.objects.select_related("webhook").earliest("pk")
    repeat_delivery(by_tests(timezone.now()), parked)
    send_waiting()
    assert states()[0] == ("delivered", 204, 1)
    clock.shift(timedelta(days=31))
    assert forget_old_deliveries(now=timezone.now()) == 2


def test_gone_receiver_disables_its_webhook_and_gets_what_waits_once_it_is_enabled(
    cast: Cast, receiver: Receiver, clock: time_machine.Traveller
) -> None:
    receiver.behaviour.status = 410
    made = hook(cast, receiver.url)
    published(cast)
    send_waiting()
    made.refresh_from_db()
    assert (made.state, made.disabled_by) == ("disabled", "receiver")
    clock.shift(timedelta(minutes=5))
    send_waiting()
    assert len(receiver.received) == 1
    receiver.behaviour.status = 200
    change_webhook(by_tests(timezone.now()), made, state="active")
    send_waiting()
    assert states() == [("delivered", 200, 2)]


@pytest.mark.parametrize(
    ("status", "says", "wait"),
    [
        (429, "60", timedelta(minutes=1)),
        (503, "Thu, 06 Nov 2025 20:30:00 GMT", timedelta(minutes=30)),
        (503, "999999", timedelta(hours=1)),
        (429, "1", timedelta(seconds=5)),
        (429, "soon", timedelta(seconds=5)),
        (429, "-60", timedelta(seconds=5)),
        (503, "99999999999999999999", timedelta(seconds=5)),
        (500, "60", timedelta(seconds=5)),
    ],
)
def test_receiver_that_asks_for_a_wait_gets_nothing_sooner(
    cast: Cast, receiver: Receiver, clock: time_machine.Traveller,
    status: int, says: str, wait: timedelta,
) -> None:  # fmt: skip
    clock.move_to(datetime(2025, 11, 6, 20, 0, tzinfo=UTC))
    receiver.behaviour = Behaviour(status=status, headers={"Retry-After": says})
    hook(cast, receiver.url)
    published(cast)
    other = table(league(cast.riverside, slug="cup"), list(Player.objects.all()))
    send_waiting()
    hand(other, 1, [4, 1, 2, 6], 3)
    publish(other.event_id, now=timezone.now())
    receiver.behaviour = Behaviour()
    clock.shift(wait - timedelta(seconds=1))
    send_waiting()
    assert len(receiver.received) == 1
    clock.shift(timedelta(seconds=1))
    send_waiting()
    assert len(receiver.received) == 3
    assert [state for state, _status, _n in states()] == ["delivered", "delivered"]


def test_redirect_is_not_followed(cast: Cast, receiver: Receiver) -> None:
    receiver.behaviour = Behaviour(status=307, headers={"Location": receiver.url + "/further"})
    hook(cast, receiver.url)
    published(cast)
    send_waiting()
    assert [one.path for one in receiver.received] == ["/hook"]
    assert states() == [("waiting", 307, 1)]


@pytest.mark.parametrize("behaviour", [Behaviour(holds=True), Behaviour(dribbles=True)])
def test_slow_receiver_is_given_up_and_another_one_has_its_message_meanwhile(
    cast: Cast, receiver: Receiver, behaviour: Behaviour
) -> None:
    quick = Receiver()
    try:
        receiver.behaviour = behaviour
        hook(cast, receiver.url)
        hook(cast, quick.url)
        published(cast)
        sender = WebhookSender()
        sender.send_due()
        assert quick.wait_for(len)
        assert receiver.wait_for(len)
        while sender.sending:
            sender.pause(60)
            sender.note_answers()
    finally:
        quick.end()
    rows = WebhookDelivery.objects.order_by("pk").values_list("state", "error")
    assert list(rows) == [("waiting", "No answer in time"), ("delivered", "")]


@pytest.mark.parametrize("raw", [b"\0\r\n\r\n", b"HTTP/\0 200 OK\r\n\r\n"])
def test_answer_that_is_no_text_is_noted(cast: Cast, receiver: Receiver, raw: bytes) -> None:
    receiver.behaviour = Behaviour(raw=raw)
    hook(cast, receiver.url)
    published(cast)
    send_waiting()
    assert states() == [("waiting", None, 1)]
    assert WebhookDelivery.objects.get().error.isprintable()


def test_time_that_is_up_before_a_connection_is_there_ends_it(receiver: Receiver) -> None:
    connection = CheckedConnection(WebAddress(receiver.url), ["127.0.0.1"], 60.0)
    connection.interrupt()
    with pytest.raises(TimeoutError):
        connection.request("POST", "/")
    connection.close()
    assert receiver.received == []


def test_answer_after_another_worker_took_over_is_void(cast: Cast, receiver: Receiver) -> None:
    hook(cast, receiver.url)
    published(cast)
    now = timezone.now()
    late, other = claim_delivery(now=now), claim_delivery(now=now + claim_lasts())
    assert late is not None
    assert other is not None
    finish_delivery(late, Answer(error="No answer in time"), now=now + claim_lasts())
    assert claim_delivery(now=now + claim_lasts()) is None, "the other one sends it"
    finish_delivery(other, Answer(status=200), now=now + claim_lasts())
    finish_delivery(late, Answer(error="No answer in time"), now=now + claim_lasts())
    assert states() == [("delivered", 200, 2)]


def test_self_signed_certificate_is_refused(cast: Cast, receiver: Receiver, tmp_path: Path) -> None:
    receiver.speak_tls(*self_signed(tmp_path))
    hook(cast, receiver.url)
    published(cast)
    send_waiting()
    assert receiver.received == []
    assert "Bad certificate" in WebhookDelivery.objects.get().error


def test_name_that_changes_to_a_private_address_leads_nowhere(
    receiver: Receiver, settings: Settings
) -> None:
    settings.WEBHOOK_ALLOW_PRIVATE = False
    url = f"https://hooks.example:{receiver.port}/hook"
    answers = iter([["203.0.114.7"], ["203.0.114.7", "127.0.0.1"]])

    def resolver(host: str, port: int) -> list[str]:
        return next(answers)

    require_allowed(url, resolver)
    assert post(url, b"{}", {}, resolver).error == "The host has an address that is not allowed"
    assert receiver.received == []


def test_message_goes_only_to_a_host_the_site_names(receiver: Receiver, settings: Settings) -> None:
    settings.WEBHOOK_HOSTS = {"hooks.example"}
    with pytest.raises(Refused) as refusal:
        require_allowed(f"http://other.example:{receiver.port}/hook", lambda *_: ["127.0.0.1"])
    assert [problem.code for problem in refusal.value.problems] == ["address_not_allowed"]
    named, other = (
        post(f"http://{host}:{receiver.port}/", b"{}", {}, lambda *_: ["127.0.0.1"])
        for host in ("hooks.example", "other.example")
    )
    assert (named.status, other.error) == (200, "The host has an address that is not allowed")
    assert len(receiver.received) == 1


def test_connection_goes_to_the_checked_address_under_the_hosts_name(receiver: Receiver) -> None:
    asked = []

    def resolver(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"]

    answer = post(f"http://hooks.example:{receiver.port}/a?b=c", b"{}", {}, resolver)
    assert (answer.status, answer.error, asked) == (200, "", ["hooks.example"])
    (found,) = receiver.received
    assert (found.path, found.headers["Host"]) == ("/a?b=c", f"hooks.example:{receiver.port}")


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "169.254.1.1",
        "0.0.0.0",  # noqa: S104  # not bound to
        "100.64.0.1", "100.100.100.200", "224.0.0.1", "255.255.255.255", "::1", "::",
        "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "ff02::1", "::ffff:127.0.0.1",
        "fec0::1", "168.63.129.16", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::",
        "2001:db8::1", "192.0.0.8", "192.0.0.192", "::ffff:192.0.0.8", "nonsense",
    ],
)  # fmt: skip
def test_private_address_in_any_form_is_refused(address: str) -> None:
    assert not is_allowed(address)


@pytest.mark.parametrize("address", ["203.0.114.7", "2606:4700::1", "::ffff:203.0.114.7"])
def test_public_address_is_allowed(address: str) -> None:
    assert is_allowed(address)


@pytest.mark.parametrize(
    "url",
    [
        "http://club.example/", "https://", "https://user@club.example/", "ftp://club.example/",
        "https://club.example/#x", "https://club.example/a b", "https://club.example:99999/",
        "https://club.example/\r\nX: y", "https://[::1", "club.example", "",
        "https://[fe80::1%25lo]/", "https://club%2eexample/", "https://./",
    ],
)  # fmt: skip
def test_what_is_no_address_of_a_webhook_is_refused(url: str) -> None:
    with pytest.raises(Refused, match=r"^bad_webhook_url$"):
        require_allowed(url)


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "[::1]",
        "2130706433",
        "0x7f.1",
        "localhost",
        "127.0.0.1.",
        "0x7f.1..",
        "192.0.0.8",
    ],
)
def test_address_of_this_machine_is_refused_in_any_form(host: str) -> None:
    with pytest.raises(Refused, match=r"^address_not_allowed$"):
        require_allowed(f"https://{host}/hook")


def test_both_secrets_sign_for_a_day_after_a_rotation(
    cast: Cast, receiver: Receiver, clock: time_machine.Traveller
) -> None:
    first = hook(cast, receiver.url)
    second = rotate_webhook_secret(by_tests(timezone.now()), first)
    send_test(by_tests(timezone.now()), first)
    send_waiting()
    for secret in (first.plain_secret, second.plain_secret):
        assert receiver.received[0].verified(secret)["type"] == "webhook.test"
    clock.shift(timedelta(days=1))
    send_test(by_tests(timezone.now()), first)
    send_waiting()
    receiver.received[1].verified(second.plain_secret)
    with pytest.raises(Exception, match="No matching signature"):
        Signer(first.plain_secret).verify(receiver.received[1].body, receiver.received[1].headers)


def test_one_webhook_is_claimed_by_one_worker_at_a_time(cast: Cast, receiver: Receiver) -> None:
    hook(cast, receiver.url)
    published(cast)
    game = table(league(cast.riverside, slug="cup"), list(Player.objects.all()))
    hand(game, 1, [4, 1, 2, 6], 3)
    publish(game.event_id, now=timezone.now())
    now = timezone.now()
    assert claim_delivery(now=now) is not None
    assert claim_delivery(now=now) is None
    assert claim_delivery(now=now + timedelta(hours=1)) is not None, "its worker was killed"


CHATS = {
    "discord": lambda body: body["content"],
    "slack": lambda body: body["text"],
    "mattermost": lambda body: body["text"],
    "telegram": lambda body: body["text"],
}


@pytest.mark.parametrize("format", CHATS)
def test_chat_gets_the_first_places_as_the_public_reads_them(
    cast: Cast, receiver: Receiver, format: str
) -> None:
    hook(cast, receiver.url + "?chat_id=-100", format=format)
    published(cast)
    send_waiting()
    body = json.loads(receiver.received[0].body)
    lines = CHATS[format](body).splitlines()
    assert lines[0] == "Riverside: League, standings after 6 Nov 2025"
    assert lines[1].endswith("Xenia S.  1.00")
    assert lines[-1].endswith("/clubs/riverside/events/league")
    assert len(lines) == 6
    assert "webhook-signature" not in receiver.received[0].headers
    assert body.get("chat_id") == ("-100" if format == "telegram" else None)


def test_chat_gets_the_seating_of_a_posted_round(cast: Cast, receiver: Receiver) -> None:
    hook(cast, receiver.url, format="slack", kinds=("round.posted",))
    event = league(cast.riverside)
    table(event, players(cast.riverside, "Elsa D.", "Xenia S.", "Ruth K.", "@channel"))
    record_round_posted(event.rounds.get(), now=timezone.now())
    send_waiting()
    lines = json.loads(receiver.received[0].body)["text"].splitlines()
    assert lines[1] == "Table 1: Elsa D., Xenia S., Ruth K., @\u200bchannel"
    event.rounds.update(state="draft")
    record_round_posted(event.rounds.get(), now=timezone.now() - timedelta(hours=1))
    send_waiting()
    assert len(receiver.received) == 1, "it is a draft again"


def test_long_text_of_a_chat_keeps_its_address() -> None:
    text = fitting("\n".join([*(["Table 1: Ana, Ben, Cleo, Dirk"] * 200), "https://club.example/"]))
    assert len(text) <= LONGEST
    assert text.endswith("Dirk\n…\nhttps://club.example/")


def test_chat_gets_nothing_that_the_public_may_not_read(cast: Cast, receiver: Receiver) -> None:
    hook(cast, receiver.url, format="discord")
    change_event(by_tests(), published(cast).event, visibility="members")
    send_waiting()
    assert receiver.received == []
    assert states() == [("skipped", None, 1)]


def test_chat_gets_no_standings_before_a_hand_was_played(cast: Cast, receiver: Receiver) -> None:
    hook(cast, receiver.url, format="slack")
    game = evening(cast)
    publish(game.event_id, now=timezone.now())
    send_waiting()
    assert states() == [("skipped", None, 1)]
    hand(game, 1, [4, 1, 2, 6], 3)
    publish(game.event_id, now=timezone.now())
    send_waiting()
    assert [state for state, _status, _n in states()] == ["skipped", "delivered"]


@pytest.mark.parametrize(
    ("kinds", "delivered"),
    [
        (("publication.created", "ladder.changed"), ["ladder.changed"]),
        (("publication.created",), ["publication.created"]),
    ],
)
def test_new_ladder_sends_one_notice(
    cast: Cast, receiver: Receiver, kinds: tuple[str, ...], delivered: list[str]
) -> None:
    hook(cast, receiver.url, kinds, format="slack")
    event = ladder(cast.riverside)
    add_entrant(by_tests(), event, kind="player", players=players(cast.riverside, "Elsa D."))
    publish_ladder(event.pk, now=timezone.now())
    publish(event.pk, now=timezone.now())
    send_waiting()
    rows = WebhookDelivery.objects.filter(state="delivered")
    assert list(rows.values_list("occurrence__kind", flat=True)) == delivered


def test_chat_gets_the_newest_standings_once_in_five_minutes(
    cast: Cast, receiver: Receiver, clock: time_machine.Traveller
) -> None:
    hook(cast, receiver.url, format="slack")
    game = published(cast)
    send_waiting()
    for number in (2, 3):
        hand(game, number, [0, 13, 0, 0], 0)
        publish(game.event_id, now=timezone.now())
        send_waiting()
    assert len(receiver.received) == 1
    clock.shift(timedelta(minutes=5))
    send_waiting()
    assert [state for state, _status, _n in states()] == ["delivered", "skipped", "delivered"]


def test_chat_gets_the_evening_at_its_end_and_what_a_correction_changes(
    cast: Cast, receiver: Receiver, clock: time_machine.Traveller
) -> None:
    hook(cast, receiver.url, ("evening.closed",), format="discord")
    game = evening(cast)
    hand(game, 1, [4, 1, 2, 6], 3)
    close_tables(by_tests(timezone.now()), game.table.round)
    move_round(by_tests(timezone.now()), game.table.round, to="closed")
    work_on_evenings(game.event, timezone.now())
    send_waiting()
    assert receiver.received == []
    clock.shift(timedelta(hours=1))
    work_on_evenings(game.event, timezone.now())
    send_waiting()
    assert contents(receiver)[0].splitlines()[:2] == [
        "Riverside: League, evening of 6 Nov 2025",
        "1. Xenia S.  1.00",
    ]
    hand(game, 1, [1, 4, 2, 6], 3, based_on=1, reason="Swapped.", now=timezone.now())
    work_on_evenings(game.event, timezone.now())
    clock.shift(timedelta(minutes=15))
    work_on_evenings(game.event, timezone.now())
    send_waiting()
    lines = contents(receiver)[1].replace("\n  ", " ").splitlines()
    assert lines[1] == "Corrected: Elsa D. won the evening; announced was Xenia S."
    assert lines[2] == "1. Elsa D.  1.00"


def test_chat_gets_what_a_correction_of_a_ladders_evening_changes(
    cast: Cast, receiver: Receiver, clock: time_machine.Traveller
) -> None:
    hook(cast, receiver.url, ("evening.closed",), format="discord")
    event = challenge_ladder(cast, "ABCDEF", now=timezone.now())
    game = seated(event, "ABCD", on=timezone.now().date())
    hand(game, 1, [7, 4, 2, 0], 0)
    close_tables(by_tests(timezone.now()), game.table.round)
    move_round(by_tests(timezone.now()), game.table.round, to="closed")
    clock.shift(timedelta(hours=1))
    work_on_evenings(event, timezone.now())
    send_waiting()
    hand(game, 1, [7, 4, 0, 2], 0, based_on=1, reason="Swapped.", now=timezone.now())
    work_on_evenings(event, timezone.now())
    clock.shift(timedelta(minutes=15))
    work_on_evenings(event, timezone.now())
    send_waiting()
    first, second = (text.replace("\n  ", " ").splitlines() for text in contents(receiver))
    assert first[1:3] == ["First: Member D", "Member D 4→1"]
    assert second[1:4] == [
        "Corrected: members moved otherwise than announced."
        " Announced was: Member D 4→1, Member C 3→2.",
        "First: Member C",
        "Member C 3→1",
    ]


def test_chat_gets_the_result_after_a_further_round_as_a_result(
    cast: Cast, receiver: Receiver, clock: time_machine.Traveller
) -> None:
    hook(cast, receiver.url, ("evening.closed",), format="discord")
    game = evening(cast)
    tonight = game.table.round.meeting
    assert tonight is not None
    hand(game, 1, [4, 1, 2, 6], 3)
    for number in (1, 2):
        if number == 2:
            people = list(Player.objects.all())
            further = table(game.event, people, round_number=2, on=tonight.date)
            hand(further, 1, [1, 9, 2, 1], 1)
        Game.objects.update(state="complete")
        end_evening(by_tests(timezone.now()), tonight)
        work_on_evenings(game.event, timezone.now())
        send_waiting()
        clock.shift(timedelta(minutes=5))
    first, second = (text.splitlines()[1] for text in contents(receiver))
    assert first.startswith("1. Xenia S.")
    assert second.startswith("1. Ruth K.")


def contents(receiver: Receiver) -> list[str]:
    return [json.loads(message.body)["content"] for message in receiver.received]


def test_two_evenings_that_end_at_once_are_two_notices(
    cast: Cast, receiver: Receiver, clock: time_machine.Traveller
) -> None:
    hook(cast, receiver.url, ("evening.closed",), format="discord")
    game = evening(cast)
    hand(game, 1, [4, 1, 2, 6], 3)
    day_before = timezone.now().date() - timedelta(days=1)
    earlier = table(game.event, list(Player.objects.all()), round_number=2, on=day_before)
    hand(earlier, 1, [4, 1, 2, 6], 3)
    make_tables_of(game.event, timezone.now())
    for day in (day_before, timezone.now().date()):
        publish_result(meeting_on(game.event, day), now=timezone.now())
    send_waiting()
    assert [state for state, _status, _n in states()] == ["delivered", "delivered"]


def test_numbers_of_an_event_have_no_gap(cast: Cast, receiver: Receiver) -> None:
    made = hook(cast, receiver.url)
    game = published(cast)
    for number in range(2, 6):
        hand(game, number, [0, 13, 0, 0], 0)
        publish(game.event_id, now=timezone.now())
    send_waiting()
    found = [one.verified(made.plain_secret)["data"]["sequence"] for one in receiver.received]
    assert all(later == earlier + 1 for earlier, later in pairwise(found))
    assert len(found) == 5
