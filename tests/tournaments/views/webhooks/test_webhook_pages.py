"""The pages of webhooks: create one, try it, repeat a message, rotate its secret, remove it."""

import re
from typing import Any

import pytest
from django.test import Client

from tests.support.cast import Cast, enter_the_cast
from tests.support.pages.text import text_of
from tests.support.webhook_receiver import Receiver
from tests.support.webhooks import send_waiting
from tournaments.models.webhooks import Webhook

pytestmark = pytest.mark.django_db
PAGE = "/clubs/riverside/webhooks"
SECRET = re.compile(r'id="secret" value="(whsec_[^"]+)"')


@pytest.fixture
def owner() -> Client:
    cast: Cast = enter_the_cast()
    return cast.client("olga")


def create(client: Client, url: str, format: str = "standard") -> Any:
    return client.post(PAGE, {"format": format, "url": url, "kinds": ["publication.created"]})


def test_webhook_is_created_tried_and_repeated_and_its_new_secret_signs(
    owner: Client, receiver: Receiver
) -> None:
    made = create(owner, receiver.url)
    (secret,) = SECRET.findall(made.content.decode())
    assert 'data-copy="secret"' in made.content.decode()
    assert secret not in owner.get(PAGE).content.decode()
    page = f"{PAGE}/{Webhook.objects.get().public_id}"
    assert f'href="{page}">Open webhook</a>' in made.content.decode()
    assert "sent in a moment" in text_of(owner.post(page, {"test": "yes"}, follow=True))
    send_waiting()
    assert "Delivered" in text_of(owner.get(page))
    matches = re.findall(r'name="repeat" value="([^"]+)"', owner.get(page).content.decode())
    owner.post(page, {"repeat": matches[0]})
    send_waiting()
    assert len(receiver.received) == 2
    (new,) = SECRET.findall(owner.post(page, {"rotate": "yes"}).content.decode())
    owner.post(page, {"test": "yes"})
    send_waiting()
    for one in (secret, new):
        assert receiver.received[-1].verified(one)["type"] == "webhook.test"
    owner.post(page, {"remove": "yes"})
    assert "No webhooks" in text_of(owner.get(PAGE))


def test_list_names_receivers_as_the_form_does(owner: Client, receiver: Receiver) -> None:
    create(owner, receiver.url)
    create(owner, "https://203.0.114.7/api/webhooks/1/key", "discord")
    page = owner.get(PAGE).content.decode()
    listed = re.findall(r"</th><td>([^<]+)</td>", page)
    assert sorted(listed) == ["Discord", "Program"]
    offered = re.findall(r'<option value="[a-z]+"[^>]*>([^<]+)<', page)
    assert set(listed) <= set(offered)
    assert "/key" not in page


def test_new_webhook_proposes_the_result_of_an_evening(owner: Client) -> None:
    page = owner.get(PAGE).content.decode()
    boxes = re.findall(r'<input type="checkbox" name="kinds" value="([a-z.]+)"([^>]*)>', page)
    assert [kind for kind, more in boxes if "checked" in more] == ["evening.closed"]
    assert (boxes[1][0], boxes[0][0]) == ("publication.created", "evening.closed")


def test_chat_that_exists_keeps_its_kinds(owner: Client) -> None:
    create(owner, "https://203.0.114.7/api/webhooks/1/key", "discord")
    webhook = Webhook.objects.get()
    page = owner.get(f"{PAGE}/{webhook.public_id}").content.decode()
    boxes = re.findall(r'<input type="checkbox" name="kinds" value="([a-z.]+)"([^>]*)>', page)
    assert [kind for kind, more in boxes if "checked" in more] == ["publication.created"]
