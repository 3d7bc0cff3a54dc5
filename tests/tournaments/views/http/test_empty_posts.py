"""A form that was sent without any field is refused as a sent one, not shown as a new one."""

import pytest

from tests.support.scenarios.evenings import ADDRESS, Evenings

pytestmark = pytest.mark.django_db

NIGHT = f"{ADDRESS}/meetings/2025-11-06"
REFUSED = 422
FORMS = (
    f"{NIGHT}/attendance",
    f"{ADDRESS}/new-meeting",
    "/new-club",
    "/clubs/riverside/new-season",
    f"{ADDRESS}/tables/r1t1/close",
    f"{ADDRESS}/tables/r1t1/hands/1/void",
    f"{ADDRESS}/tables/r1t1/dispute",
    f"{ADDRESS}/rounds/1/direct",
    f"{ADDRESS}/direct",
)


@pytest.mark.parametrize("path", FORMS)
def test_form_that_was_sent_empty_is_refused(evenings: Evenings, path: str) -> None:
    dirk = evenings.client("dirk")
    assert dirk.get(path).status_code == 200
    answer = dirk.post(path, {})
    assert answer.status_code == REFUSED
    assert "Not saved yet" in answer.content.decode()
