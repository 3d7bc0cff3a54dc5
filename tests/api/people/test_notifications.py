"""Notifications and mails over REST: one's own choices, and the owner's mails."""

import pytest
from django.test import Client

from tests.support.answers import post_json
from tests.support.cast import NOW, Cast
from tests.support.rest.requests import codes, refusal, token
from tests.support.scenarios import mails
from tournaments.models.jobs import Outbox

MINE = "/api/v1/me/notifications"
ONE = f"{MINE}/riverside/correction"
MAIL = "/api/v1/clubs/riverside/mail"


def test_choice_is_read_and_changed(cast: Cast) -> None:
    piet = cast.client("piet")
    listed = piet.get(MINE).json()["results"]
    assert len(listed) == 12
    read = piet.get(ONE).json()
    assert read == {"club": "riverside", "kind": "correction", "by_mail": True, "as_notice": False}
    assert read in listed
    sent = {"as_notice": True}
    changed = piet.patch(ONE, sent, "application/json", headers={"if-match": "*"})
    assert changed.json() == {**read, **sent}


@pytest.mark.parametrize("path", ["hilltop/correction", "riverside/sign_in", "nowhere/digest"])
def test_what_is_not_ones_own_is_not_there(cast: Cast, path: str) -> None:
    piet = cast.client("piet")
    assert codes(piet.get(f"{MINE}/{path}")) == ["unknown_notification"]
    answer = piet.patch(
        f"{MINE}/{path}", {"by_mail": False}, "application/json", headers={"if-match": "*"}
    )
    assert codes(answer) == ["unknown_notification"]


def test_token_reads_choices_of_its_club_and_changes_none_by_reading(cast: Cast) -> None:
    bearer = {"authorization": f"Bearer {token('piet', 'read', '--club', 'riverside')}"}
    assert Client().get(MINE, headers=bearer).status_code == 200
    refused = Client().patch(
        ONE, {"by_mail": False}, "application/json", headers={**bearer, "if-match": "*"}
    )
    assert refused.status_code == 403
    assert Client().get(MINE).status_code == 401


def test_owner_lists_mails_and_sends_one_again(cast: Cast) -> None:
    mails.give_addresses()
    mails.correct(cast, mails.evening(cast))
    Outbox.objects.update(parked=True, attempts=1, error="550 no such mailbox", due_at=NOW)
    mail = Outbox.objects.get()
    olga = cast.client("olga")
    (listed,) = olga.get(MAIL).json()["results"]
    assert (listed["state"], listed["error"]) == ("parked", "550 no such mailbox")
    assert post_json(olga, f"{MAIL}/{mail.pk}/send", {}).status_code == 200
    assert olga.get(MAIL).json()["results"][0]["state"] == "waiting"
    Outbox.objects.update(sent_at=NOW)
    assert refusal(post_json(olga, f"{MAIL}/{mail.pk}/send", {})) == (409, ["mail_is_sent"])
    assert codes(post_json(olga, f"{MAIL}/999999/send", {})) == ["unknown_mail"]
