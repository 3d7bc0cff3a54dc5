"""Webhooks over REST: created, changed, rotated, tested, repeated and removed, by owners alone."""

import re
from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from pytest_django import Settings

from tests.support.answers import Answer
from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.webhook_receiver import Behaviour, Receiver
from tests.support.webhooks import HOOK, send_waiting
from tournaments.models.webhooks import Webhook
from tournaments.services.publishing.publications import publish

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

C = "/api/v1/clubs/riverside/webhooks"
JSON = "application/json"
SECRET = re.compile(r"whsec_[A-Za-z0-9+/=]{32,}")


def post(client: Client, path: str = "", body: object = None, **headers: str) -> Answer:
    return client.post(f"{C}{path}", body or {}, content_type=JSON, headers=headers)


def created(client: Client, url: str = HOOK, **more: object) -> dict[str, str]:
    answer = post(client, "", {"url": url, "kinds": ["publication.created"], **more})
    assert answer.status_code == 201, answer.content
    found: dict[str, str] = answer.json()
    return found


def codes(answer: Answer) -> list[tuple[str, str]]:
    return [(error["code"], error["pointer"]) for error in answer.json()["errors"]]


def test_created_webhook_shows_its_secret_once(olga: Client) -> None:
    answer = post(olga, "", {"url": HOOK, "kinds": ["publication.created", "round.posted"]})
    body = answer.json()
    assert answer.status_code == 201
    assert answer["Cache-Control"] == "no-store"
    assert answer["Location"].endswith(C)
    assert SECRET.fullmatch(body["secret"])
    read = olga.get(f"{C}/{body['id']}")
    assert read.json() == {name: one for name, one in body.items() if name != "secret"}
    assert (body["url"], body["format"], body["state"]) == (HOOK, "standard", "active")
    assert body["kinds"] == ["publication.created", "round.posted"]
    assert body["secret"] not in olga.get(C).content.decode()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"url": "https://127.0.0.1/x", "kinds": ["round.posted"]}, "address_not_allowed"),
        ({"url": "https://169.254.169.254/", "kinds": ["round.posted"]}, "address_not_allowed"),
        ({"url": "http://203.0.114.7/", "kinds": ["round.posted"]}, "bad_webhook_url"),
        ({"url": HOOK, "kinds": ["hand.corrected"], "format": "discord"}, "kind_not_for_chat"),
    ],
)
def test_address_not_allowed_makes_no_webhook(olga: Client, body: object, expected: str) -> None:
    answer = post(olga, "", body)
    assert answer.status_code == 422
    assert [code for code, _ in codes(answer)] == [expected]
    assert not Webhook.objects.exists()


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_address_of_a_chat_is_shown_with_its_scheme_and_without_its_key(
    olga: Client, scheme: str, settings: Settings
) -> None:
    settings.WEBHOOK_ALLOW_PRIVATE = True
    url = f"{scheme}://127.0.0.1:8099/hooks/a-key-of-the-chat"
    response = post(
        olga, "", {"url": url, "kinds": ["publication.created"], "format": "mattermost"}
    )
    assert response.status_code == 201, response.content
    assert response.json()["url"] == f"{scheme}://127.0.0.1/…"


def test_unknown_member_or_kind_is_refused_by_its_pointer(olga: Client) -> None:
    answer = post(olga, "", {"url": HOOK, "kinds": ["round.posted"], "secret": "mine"})
    assert [pointer for _, pointer in codes(answer)] == ["/secret"]
    answer = post(olga, "", {"url": HOOK, "kinds": ["hand.entered"]})
    assert [pointer for _, pointer in codes(answer)] == ["/kinds"]
    assert not Webhook.objects.exists()


def test_rotation_shows_the_new_secret_and_until_when_the_old_one_signs(olga: Client) -> None:
    made = created(olga)
    with time_machine.travel(NOW, tick=False):
        answer = post(olga, f"/{made['id']}/rotate")
        rotated = answer.json()
        assert answer.status_code == 200
        assert answer["Cache-Control"] == "no-store"
        assert SECRET.fullmatch(rotated["secret"])
        assert rotated["secret"] != made["secret"]
        until = (NOW + timedelta(days=1)).isoformat().replace("+00:00", "Z")
        assert rotated["previous_secret_until"] == until


def test_test_message_is_listed_with_what_came_of_it(olga: Client, receiver: Receiver) -> None:
    made = created(olga, receiver.url)
    answer = post(olga, f"/{made['id']}/test")
    body = answer.json()
    assert answer.status_code == 201
    assert answer["Location"].endswith(f"{C}/{made['id']}/deliveries")
    assert (body["kind"], body["state"], body["attempts"]) == ("webhook.test", "waiting", 0)
    send_waiting()
    (listed,) = olga.get(answer["Location"]).json()["results"]
    assert listed["id"] == body["id"]
    assert (listed["state"], listed["status"], listed["answer"]) == ("delivered", 200, "ok")
    assert receiver.received[0].id == listed["message_id"]


def test_repeated_message_is_sent_with_its_id(cast: Cast, olga: Client, receiver: Receiver) -> None:
    made = created(olga, receiver.url)
    game = table(league(cast.riverside), players(cast.riverside, "Ann", "Ben", "Cem", "Dora"))
    hand(game, 1, [4, 1, 2, 6], 3)
    publish(game.event_id, now=NOW)
    send_waiting()
    at = f"/{made['id']}/deliveries"
    (sent,) = olga.get(C + at).json()["results"]
    again = post(olga, f"{at}/{sent['id']}/repeat")
    assert (again.status_code, again.json()["state"]) == (200, "waiting")
    send_waiting()
    first, second = receiver.received
    assert first.id == second.id
    assert first.verified(made["secret"]) == second.verified(made["secret"])


def test_message_of_a_disabled_webhook_is_not_repeated(olga: Client, receiver: Receiver) -> None:
    made = created(olga, receiver.url)
    receiver.behaviour = Behaviour(status=410)
    body = post(olga, f"/{made['id']}/test").json()
    send_waiting()
    read = olga.get(f"{C}/{made['id']}").json()
    assert (read["state"], read["disabled_by"]) == ("disabled", "receiver")
    assert post(olga, f"/{made['id']}/deliveries/{body['id']}/repeat").status_code == 409
    send_waiting()
    assert len(receiver.received) == 1


def test_removed_webhook_is_gone_and_sends_no_messages(olga: Client, receiver: Receiver) -> None:
    made = created(olga, receiver.url)
    post(olga, f"/{made['id']}/test")
    answer = olga.delete(f"{C}/{made['id']}")
    assert (answer.status_code, answer.json()) == (200, {"id": made["id"]})
    send_waiting()
    assert receiver.received == []
    assert olga.get(f"{C}/{made['id']}").status_code == 404
    assert olga.get(C).json()["results"] == []
    assert post(olga, f"/{made['id']}/rotate").status_code == 404
