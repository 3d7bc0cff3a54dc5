"""Several evenings on pages: their dates are shown first, and only what was shown is saved."""

import pytest
import time_machine
from django.test import Client

from tests.support.builders import league
from tests.support.cast import NOW, Cast
from tests.support.pages.text import text_of
from tournaments.models.events import Event

pytestmark = pytest.mark.django_db

EVENT = "/clubs/riverside/events/league"
YEAR = {
    "first": "2026-01-08",
    "last": "2026-05-28",
    "interval": "week",
    "time": "19:30",
    "break_1_first": "2026-04-02",
    "break_1_last": "2026-04-09",
    "break_1_reason": "Easter",
}


@pytest.fixture
def event(cast: Cast) -> Event:
    return league(cast.riverside)


@pytest.fixture
def dirk(cast: Cast) -> Client:
    return cast.client("dirk")


def press(client: Client, page: str, sent: dict[str, str], **more: object):  # type: ignore
    with time_machine.travel(NOW):
        shown = client.post(f"{EVENT}/{page}", {**sent, "preview": "yes"})
        assert shown.status_code == 200, shown.content.decode()
        digest = shown.context["shown"].digest
        return shown, client.post(
            f"{EVENT}/{page}", {**sent, **more, "previewed": digest, "save": "yes"}, follow=True
        )


def test_year(event: Event, dirk: Client) -> None:
    shown, saved = press(dirk, "new-meetings", YEAR, left_out=["2026-01-15"])
    text = text_of(shown)
    assert "19 evenings will be planned. 2 dates stay as they are." in text
    assert "no evening: Easter" in text
    print(text_of(saved))
    assert "18 evenings planned." in text_of(saved)
    assert "No evening on Thursday 2 April and Thursday 9 April: Easter." in text_of(saved)
    shown, saved = press(dirk, "meetings/2026-03-05/change-later", {"weekday": "friday"})
    print(text_of(shown))
    shown, saved = press(dirk, "new-break", {"first": "2026-05-01", "reason": "May."})
    print(text_of(shown), text_of(saved))
