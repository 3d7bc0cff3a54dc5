"""robots.txt and sitemap.xml: public clubs and events, and nothing else."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.support.builders import ladder, league
from tests.support.cast import Cast
from tests.support.scenarios.evenings import ADDRESS, Evenings

pytestmark = pytest.mark.django_db
SITE = "http://testserver"


def listed(cast: Cast, name: str = "") -> set[str]:
    answer = cast.client(name).get("/sitemap.xml")
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/xml"
    return set(re.findall(r"<loc>(.*?)</loc>", answer.content.decode()))


def test_sitemap_lists_public_clubs_and_events(cast: Cast) -> None:
    league(cast.riverside)
    ladder(cast.riverside)
    league(cast.riverside, slug="inside", visibility="members")
    league(cast.riverside, slug="secret", visibility="held")
    expected = {
        f"{SITE}/",
        f"{SITE}/clubs/hilltop",
        f"{SITE}/clubs/riverside",
        f"{SITE}/clubs/riverside/events/league",
        f"{SITE}/clubs/riverside/events/ladder/ladder",
    }
    assert listed(cast) == listed(cast, "olga") == expected


def test_private_club_is_in_no_sitemap(cast: Cast) -> None:
    league(cast.riverside)
    cast.riverside.is_public = False
    cast.riverside.save()
    assert listed(cast, "olga") == {f"{SITE}/", f"{SITE}/clubs/hilltop"}


def test_sitemap_says_when_standings_were_published_and_takes_two_queries(
    evenings: Evenings,
) -> None:
    with CaptureQueriesContext(connection) as queries:
        text = evenings.client().get("/sitemap.xml").content.decode()
    assert len(queries) == 2
    assert f"<loc>{SITE}{ADDRESS}</loc><lastmod>2025-11-06T21:00:00+00:00</lastmod>" in text


def test_robots_names_the_sitemap_and_closes_what_is_private(cast: Cast) -> None:
    text = cast.client().get("/robots.txt").content.decode()
    assert f"Sitemap: {SITE}/sitemap.xml" in text
    for path in ("/account", "/calendar/", "/t/", "/invitations/"):
        assert f"Disallow: {path}\n" in text
    assert "Disallow: /clubs" not in text


def test_robots_closes_a_site_without_public_clubs(cast: Cast) -> None:
    for club in (cast.riverside, cast.hilltop):
        club.is_public = False
        club.save()
    assert cast.client().get("/robots.txt").content.decode() == "User-agent: *\nDisallow: /\n"
