"""A guest who was written under two names becomes one player on the pages, and two again."""

import re

import pytest
from django.test import Client

from tests.support.builders import finished, league, players, publish_all, season, table
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.scenarios.ladders import ladder
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.services.people.compare_names import compare_names
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.season_table import publish_season
from tournaments.services.verification.event import verify_event

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def cast() -> Cast:
    return enter_the_cast()


def published(events: list[Event], season_id: int) -> dict[str, str]:
    """Publish everything, and return the digests that readers get."""
    found = {}
    for event in events:
        if event.kind == "ladder":
            found["ladder"] = publish_all(event).digest
        made = publish(event.pk, now=NOW)
        assert made is not None
        found[event.slug] = made.digest
        fresh = Event.objects.select_related("club").get(pk=event.pk)
        verified = verify_event(fresh, repair=False, now=NOW, report=lambda words: None)
        assert not verified.differs, verified.as_json()
    of_season = publish_season(season_id, now=NOW)
    assert of_season is not None
    return {**found, "season": of_season.digest}


def button(client: Client, path: str) -> dict[str, str]:
    """Return the hidden fields of a page's form."""
    page = client.get(path).content.decode()
    return dict(re.findall(r'<input type="hidden" name="(into|previewed)" value="([^"]*)"', page))


def test_two_names_of_one_guest_become_one_player_and_two_again(cast: Cast) -> None:
    club = cast.riverside
    climbing = ladder(cast, "ABCDEFGH", now=NOW)
    Player.objects.update(user=None)
    event = league(club)
    anna, bert, cora, dora, ann = players(club, "Anna K.", "Bert", "Cora", "Dora", "Anna Kraus")
    for number, seated in enumerate(([anna, bert, cora, dora], [ann, bert, cora, dora]), start=1):
        finished(table(event, seated, round_number=number))
    a, b, c, d, e, f, g, h = Player.objects.filter(entries_in_events__event=climbing).order_by(
        "player_id"
    )
    finished(table(climbing, [a, b, c, d]))
    finished(table(climbing, [e, f, g, h], round_number=2))
    made = season(event)
    events = [event, climbing]
    before = published(events, made.pk)

    dirk, public = cast.client("dirk"), cast.client()
    compare_names()
    page = dirk.get("/clubs/riverside/players").content.decode()
    assert f"/clubs/riverside/merge-player/{ann.player_id}?into={anna.player_id}" in page
    path = f"/clubs/riverside/merge-player/{ann.player_id}"
    sent = button(dirk, f"{path}?into={anna.player_id}")
    assert dirk.post(path, sent).headers["Location"] == f"/clubs/riverside/players/{anna.player_id}"
    assert (
        dirk.post("/api/v1/clubs/riverside/players/H/merge", {"into": "A"},
                  content_type="application/json").status_code == 200
    )  # fmt: skip
    merged = published(events, made.pk)
    assert all(merged[one] != before[one] for one in before), "each table says something else"

    old = public.get(f"/clubs/riverside/players/{ann.player_id}")
    assert old.headers["Location"] == f"/clubs/riverside/players/{anna.player_id}"
    rest = public.get(f"/api/v1/clubs/riverside/players/{ann.player_id}", follow=True)
    assert rest.json()["player_id"] == anna.player_id
    standings = public.get("/api/v1/clubs/riverside/events/league/standings").json()["rows"]
    assert [row["tables"] for row in standings if row["player_id"] == anna.player_id] == [2]

    refused = dirk.get(f"/clubs/riverside/merge-player/B?into={bert.player_id}").content.decode()
    assert "These cannot be merged" not in refused, "the two met nowhere"
    refused = dirk.get("/clubs/riverside/merge-player/C?into=B").content.decode()
    assert "both take part in round 1 of Ladder" in refused

    undo = dirk.post(f"/clubs/riverside/unmerge-player/{ann.player_id}")
    assert undo.headers["Location"] == f"/clubs/riverside/players/{ann.player_id}"
    done = dirk.post("/api/v1/clubs/riverside/players/H/unmerge", {}, "application/json")
    assert done.status_code == 200, done.content
    after = published(events, made.pk)
    print("\n".join(f"{one}: {before[one]} -> {merged[one]} -> {after[one]}" for one in before))
    assert after == before
    assert public.get(f"/clubs/riverside/players/{ann.player_id}").status_code == 200
