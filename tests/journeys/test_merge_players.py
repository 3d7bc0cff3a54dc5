"""A guest under two names becomes one player and two again; somebody is erased by an owner."""

import json
import re

import pytest
from django.core.management import call_command
from django.test import Client

from tests.support.builders import by_tests, finished, league, players, publish_all, season, table
from tests.support.cast import NOW, Cast
from tests.support.people import rows_with
from tests.support.scenarios.challenges import issue
from tests.support.scenarios.ladders import ladder
from tournaments.models.clubs import Membership, Player
from tournaments.models.events import Event
from tournaments.models.ladders import OPEN_CHALLENGES, Challenge
from tournaments.models.standings import Publication
from tournaments.services.events.entrants import add_entrant
from tournaments.services.people.compare_names import compare_names
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.season_table import publish_season
from tournaments.services.verification.event import verify_event

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def published(events: list[Event], season_id: int) -> dict[str, str]:
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


CANARY = "Zephyrine Canari"


def digests() -> dict[str, str]:
    rows = Publication.objects.order_by("pk")
    return {f"{row.pk} number {row.number}": row.digest for row in rows}


def test_name_is_nowhere_and_the_results_stay(cast: Cast) -> None:
    club = cast.riverside
    climbing = ladder(cast, "ABCD", now=NOW)
    c = Player.objects.get(player_id="C")
    Player.objects.filter(pk=c.pk).update(name=CANARY, public_name=CANARY)
    cast.users["C"].first_name, cast.users["C"].last_name = "Zephyrine", "C."
    cast.users["C"].save()
    issue(cast, climbing, "C", "A")
    others = players(club, "Bert", "Cora", "Dora")
    event, pairs = league(club), league(club, slug="pairs", name="Pairs")
    finished(table(event, [Player.objects.get(pk=c.pk), *others]))
    made = season(event)
    add_entrant(
        by_tests(),
        pairs,
        kind="pair",
        players=[Player.objects.get(pk=c.pk), others[0]],
        name=f"{CANARY} & Bert",
    )
    finished(table(pairs, [Player.objects.get(pk=c.pk), *others]))
    publish_all(climbing)
    publish(pairs.pk, now=NOW)
    before = digests()
    owner, own, public = cast.client("olga"), cast.client("C"), cast.client()
    name = "/clubs/riverside/players/C"
    assert CANARY in public.get(name).content.decode()

    data = json.loads(own.get("/clubs/riverside/player-data/C").content)
    assert (data["player"]["name"], len(data["results"])) == (CANARY, 2)
    assert owner.get("/api/v1/clubs/riverside/players/C/data").json() == data
    assert cast.client("piet").get("/clubs/riverside/player-data/C").status_code == 403
    assert CANARY in own.get("/account/data").content.decode()

    assert own.post("/clubs/riverside/erasure-request/C", {"to": "ask"}).status_code == 302
    assert "asks to be erased" in owner.get("/clubs/riverside/players").content.decode()
    path = "/clubs/riverside/erase-player/C"
    assert cast.client("dirk").get(path).status_code == 403
    assert "It cannot be undone" in own.get("/clubs/riverside/erasure-request/C").content.decode()
    wrong = owner.post(path, {"player_id": "B", "reason": f"{CANARY} asked."})
    assert (wrong.status_code, "Enter the player" in wrong.content.decode()) == (422, True)
    done = owner.post(path, {"player_id": "C", "reason": f"{CANARY} asked."})
    assert done.headers["Location"] == name

    after = digests()
    print("\n".join(f"publication {one}: {before[one]} -> {after[one]}" for one in before))
    assert list(after) == list(before)
    changed = Publication.objects.filter(is_redacted=True)
    assert [one for one in after if after[one] != before[one]] == [
        f"{one.pk} number {one.number}" for one in changed.order_by("pk")
    ]
    assert changed.count() == 4, "nobody plays in the table of the ladder's games yet"
    found = rows_with(CANARY, "Canari")
    print("rows with the name:", sum(found.values()), "of every table")
    assert found == {}
    for one in (name, "/clubs/riverside/events/league", "/clubs/riverside/events/ladder/ladder"):
        assert "Canari" not in owner.get(one).content.decode()
    assert "Player C" in public.get("/clubs/riverside/events/league").content.decode()
    assert not Challenge.objects.filter(state__in=OPEN_CHALLENGES).exists()
    assert Membership.objects.filter(user=cast.users["C"]).exists()

    publish_all(climbing)
    publish_season(made.pk, now=NOW)
    for each in Event.objects.select_related("club"):
        publish(each.pk, now=NOW)
        verified = verify_event(each, repair=False, now=NOW, report=lambda words: None)
        assert not verified.differs, verified.as_json()
    call_command("verify_audit", "--club", "riverside")
    assert rows_with(CANARY, "Canari") == {}
