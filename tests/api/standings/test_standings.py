"""Standings are the publication's stored bytes, at the price of one look at an index."""

import json
from collections.abc import Callable

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from tests.api.conftest import Evening
from tests.support.builders import hand, league
from tests.support.cast import NOW, Cast
from tests.support.rest.crowd import crowd
from tournaments.models.standings import Publication
from tournaments.services.publishing.publications import publish

pytestmark = pytest.mark.both_databases


def correct(evening: Evening) -> Publication:
    """Change hand 2 and publish again."""
    hand(evening.game, 2, [0, 12, 1, 0], 0, based_on=1, reason="Misread.")
    publication = publish(evening.event.pk, now=NOW)
    assert publication is not None
    return publication


def test_standings_are_the_stored_bytes(client: Client, evening: Evening) -> None:
    response = client.get(f"{evening.at}/standings")
    assert response.content == bytes(evening.publication.body)
    assert response.headers["Content-Type"] == "application/json"
    assert response.headers["Cache-Control"] == "no-cache"
    assert response.headers["ETag"] == evening.publication.etag
    assert [(row["rank"], row["player_id"], row["points"]) for row in response.json()["rows"]] == [
        (1, "RL03", 2),
        (2, "RL02", 14),
        (3, "RL01", 17),
        (4, "RL04", 19),
    ]


def test_etag_is_number_and_first_twelve_of_the_digest(client: Client, evening: Evening) -> None:
    response = client.get(f"{evening.at}/standings")
    digest = response.json()["publication"]["digest"].removeprefix("sha256:")
    assert response.headers["ETag"] == f'"1-{digest[:12]}"'


def test_csv_is_stored_too_and_has_crlf(client: Client, evening: Evening) -> None:
    response = client.get(f"{evening.at}/standings.csv")
    assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert response.content == bytes(evening.publication.csv)
    assert response.content.split(b"\r\n")[1] == b"1,RL03,Ruth K.,1,2,2,1.0000,1,0,0,0,0,0"


@pytest.mark.parametrize("path", ["standings", "standings.csv", "publications/1"])
@pytest.mark.parametrize("sent", ["{etag}", "W/{etag}", '"0-none", {etag}', "*"])
def test_caller_who_has_the_bytes_gets_304_and_no_body(
    client: Client, evening: Evening, path: str, sent: str
) -> None:
    etag = evening.publication.etag
    response = client.get(f"{evening.at}/{path}", headers={"if-none-match": sent.format(etag=etag)})
    assert (response.status_code, response.content) == (304, b"")
    assert "Content-Type" not in response.headers
    assert response.headers["ETag"] == etag
    assert "Cache-Control" in response.headers


def test_correction_shows_at_once_and_the_old_etag_is_no_longer_current(
    client: Client, evening: Evening
) -> None:
    client.get(f"{evening.at}/standings")
    second = correct(evening)
    old = {"if-none-match": evening.publication.etag}
    response = client.get(f"{evening.at}/standings", headers=old)
    assert response.status_code == 200
    assert response.content == bytes(second.body)
    assert response.headers["ETag"] == second.etag
    assert response.json()["publication"]["number"] == 2


def test_old_publication_stays_as_it_was(client: Client, evening: Evening) -> None:
    correct(evening)
    response = client.get(f"{evening.at}/publications/1")
    assert response.content == bytes(evening.publication.body)
    assert response.headers["Cache-Control"] == "no-cache"
    assert client.get(f"{evening.at}/publications/1.csv").content == bytes(evening.publication.csv)
    listed = client.get(f"{evening.at}/publications").json()["results"]
    assert [each["number"] for each in listed] == [2, 1]
    assert listed[1] == {
        "number": 1,
        "version": json.loads(bytes(evening.publication.body))["publication"]["version"],
        "published_at": "2025-11-06T21:00:00Z",
        "digest": evening.publication.digest,
    }


@pytest.mark.parametrize("path", ["standings", "standings.csv"])
def test_each_read_of_public_standings_is_one_query(
    client: Client, evening: Evening, django_assert_num_queries: DjangoAssertNumQueries, path: str
) -> None:
    address = f"{evening.at}/{path}"
    for headers in ({}, {}, {"if-none-match": evening.publication.etag}):
        with django_assert_num_queries(1):
            client.get(address, headers=headers)
    correct(evening)
    with django_assert_num_queries(1):
        client.get(address)


def test_bytes_that_the_reader_or_this_process_has_stay_in_the_database(
    client: Client, evening: Evening, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    address = f"{evening.at}/standings"
    client.get(address)
    Publication.objects.update(body=b"not read again")
    assert client.get(address).content == bytes(evening.publication.body)
    assert client.head(address).status_code == 200


def test_eleven_hundred_rows_cost_what_four_do(
    client: Client, cast: Cast, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    event = league(cast.riverside, slug="crowd")
    crowd(cast.riverside, event.pk, 1100)
    publish(event.pk, now=NOW)
    with django_assert_num_queries(1):
        response = client.get("/api/v1/clubs/riverside/events/crowd/standings")
    assert len(response.json()["rows"]) == 1100


def test_head_has_the_headers_and_no_body(client: Client, evening: Evening) -> None:
    response = client.head(f"{evening.at}/standings")
    assert (response.status_code, response.content) == (200, b"")
    assert response.headers["ETag"] == evening.publication.etag
    assert response.headers["Content-Length"] == str(len(bytes(evening.publication.body)))


def test_anonymous_read_is_the_same_for_every_cache_and_open_to_other_origins(
    client: Client, evening: Evening
) -> None:
    response = client.get(f"{evening.at}/standings", headers={"origin": "https://club.example"})
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert "ETag" in response.headers["Access-Control-Expose-Headers"]
    assert "Cookie" not in response.headers.get("Vary", "")
    assert "Set-Cookie" not in response.headers


def test_read_with_a_session_is_not_opened_to_other_origins(
    evening: Evening, signed_in: Callable[[str], Client]
) -> None:
    response = signed_in("piet").get(f"{evening.at}/standings")
    assert response.status_code == 200
    assert "Access-Control-Allow-Origin" not in response.headers


def test_event_without_a_publication_says_so(client: Client, cast: Cast) -> None:
    league(cast.riverside, slug="new")
    response = client.get("/api/v1/clubs/riverside/events/new/standings")
    assert response.status_code == 404
    assert response.json()["errors"][0]["code"] == "not_published"


def test_publication_that_is_not_there_is_404(client: Client, evening: Evening) -> None:
    response = client.get(f"{evening.at}/publications/2")
    assert response.status_code == 404
    assert response.json()["errors"][0]["code"] == "unknown_publication"


def test_standings_for_members_are_private_to_them(
    client: Client, play: Callable[..., Evening], signed_in: Callable[[str], Client]
) -> None:
    inside = play("inside", "members")
    response = signed_in("piet").get(f"{inside.at}/standings")
    assert response.content == bytes(inside.publication.body)
    assert response.headers["Cache-Control"] == "private, no-cache"
    numbered = signed_in("piet").get(f"{inside.at}/publications/1")
    assert numbered.headers["Cache-Control"] == "private, no-cache"
    assert client.get(f"{inside.at}/standings").status_code == 404
    etag = {"if-none-match": inside.publication.etag}
    assert client.get(f"{inside.at}/standings", headers=etag).status_code == 404


def test_numbered_publication_leads_to_the_newest_and_says_when_it_is_superseded(
    client: Client, evening: Evening
) -> None:
    newest = f'<{evening.at}/standings>; rel="latest-version"'
    assert client.get(f"{evening.at}/publications/1").headers["Link"] == newest
    before = client.get(f"{evening.at}/publications/1").content
    correct(evening)
    after = client.get(f"{evening.at}/publications/1")
    assert after.content == before
    assert after.headers["Link"] == (
        f'{newest}, <{evening.at}/publications/2>; rel="successor-version"'
    )
    table = client.get(f"{evening.at}/publications/1.csv").headers["Link"]
    assert f'<{evening.at}/publications/2.csv>; rel="successor-version"' in table
    assert "successor" not in client.get(f"{evening.at}/publications/2").headers["Link"]
