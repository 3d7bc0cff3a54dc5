"""Filters of lists: what they leave, what they refuse, and that a cursor keeps them."""

from collections.abc import Callable

import pytest
from django.test import Client

from tests.api.conftest import Evening
from tests.support.builders import league
from tests.support.cast import NOW, Cast
from tournaments.models.events import Event
from tournaments.services.publishing.publications import publish

pytestmark = pytest.mark.both_databases

EVENTS = "/api/v1/clubs/riverside/events"


def found(client: Client, address: str, name: str) -> list[object]:
    """One member of each row."""
    answer = client.get(address)
    assert answer.status_code == 200, answer.content[:300]
    return [row[name] for row in answer.json()["results"]]


def test_events_are_limited_by_state_kind_and_season(client: Client, cast: Cast) -> None:
    for slug, state in (("spring", "final"), ("summer", "open"), ("winter", "open")):
        league(cast.riverside, slug=slug)
        Event.objects.filter(slug=slug).update(state=state)
    assert found(client, f"{EVENTS}?state=final", "slug") == ["spring"]
    assert found(client, f"{EVENTS}?state=open&kind=ladder", "slug") == []
    assert found(client, f"{EVENTS}?season=autumn", "slug") == []
    assert client.get(f"{EVENTS}.csv?state=final&fields=slug").content == b"slug\r\nspring\r\n"
    first = client.get(f"{EVENTS}?state=open&limit=1").json()
    rest = client.get(first["next"]).json()
    slugs = [row["slug"] for page in (first, rest) for row in page["results"]]
    assert sorted(slugs) == ["summer", "winter"]
    assert rest["next"] is None


def test_rounds_are_limited_by_state_and_meeting(client: Client, evening: Evening) -> None:
    rounds = f"{evening.at}/rounds"
    assert found(client, f"{rounds}?state=playing&meeting=2025-11-06", "number") == [1]
    assert found(client, f"{rounds}?state=closed", "number") == []
    assert found(client, f"{rounds}?meeting=2025-11-07", "number") == []


def test_entrants_disputes_and_changes_are_limited(
    evening: Evening, signed_in: Callable[[str], Client]
) -> None:
    olga = signed_in("olga")
    everybody = found(olga, f"{evening.at}/entrants", "player_id")
    assert found(olga, f"{evening.at}/entrants?kind=player", "player_id") == everybody
    assert found(olga, f"{evening.at}/entrants?kind=team", "player_id") == []
    sent = {"hand": 1, "table": "r1t1", "words": "Ruth had the queen."}
    made = olga.post(f"{evening.at}/disputes", sent, content_type="application/json")
    assert made.status_code == 201, made.content[:300]
    assert found(olga, f"{evening.at}/disputes?state=open&table=r1t1", "hand") == [1]
    assert found(olga, f"{evening.at}/disputes?table=r1t2", "hand") == []
    body = {"reason": "Entered twice."}
    at = f"{evening.at}/tables/r1t1/hands/2/void"
    assert olga.post(at, body, content_type="application/json").status_code == 200
    assert found(olga, f"{evening.at}/changes?kind=void_hand&table=r1t1", "number") == [2]
    assert found(olga, f"{evening.at}/changes?kind=void_hand&table=r1t2", "number") == []
    assert found(olga, f"{evening.at}/changes?kind=correct_hand", "number") == []


def test_since_a_version_has_later_publications_and_deleted_hands(
    evening: Evening, signed_in: Callable[[str], Client]
) -> None:
    olga, at = signed_in("olga"), evening.at
    first = evening.publication.version
    for address in (f"{at}/publications", f"{at}/changes"):
        assert found(olga, f"{address}?since={first}", "version") == []
    assert found(Client(), f"{at}/publications?since={first - 1}", "version") == [first]
    body = {"reason": "Entered twice."}
    olga.post(f"{at}/tables/r1t1/hands/2/void", body, content_type="application/json")
    assert found(olga, f"{at}/changes?since={first}", "kind") == ["void_hand"]
    assert found(olga, f"{at}/publications?since={first}", "version") == []
    later = publish(evening.event.pk, now=NOW)
    assert later is not None
    assert found(Client(), f"{at}/publications?since={first}", "version") == [later.version]
    csv = Client().get(f"{at}/publications.csv?since={later.version}&fields=version")
    assert csv.content == b"version\r\n"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("rounds?state=open", "one of draft, posted, playing, closed"),
        ("rounds?state=", "one of draft, posted, playing, closed"),
        ("rounds?meeting=20251106", "a day as in 2025-11-06"),
        ("rounds?meeting=2025-02-30", "a day as in 2025-11-06"),
    ],
)
def test_filter_that_means_nothing_is_refused(
    client: Client, evening: Evening, query: str, expected: str
) -> None:
    refused = client.get(f"{evening.at}/{query}")
    assert refused.status_code == 400
    error = refused.json()["errors"][0]
    assert (error["code"], error["facts"]["expected"]) == ("bad_parameter", expected)
