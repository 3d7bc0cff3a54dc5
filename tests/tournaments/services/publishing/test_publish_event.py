"""Publications: what they say, when a new one is made, and that they hold no trace of how."""

import hashlib
import json
from datetime import timedelta
from typing import Any

import pytest

from tests.support.answers import Json
from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW, Cast
from tournaments.models.clubs import Player
from tournaments.models.events import Event, Season
from tournaments.models.jobs import Dirty, event_scope, season_scope
from tournaments.models.standings import Publication
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.publishing import publications, rank_and_render

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def event(cast: Cast) -> Event:
    event = league(cast.riverside)
    game = table(event, players(cast.riverside, "Elsa D.", "Zoë K.", "=Leo K.", "Anton S."))
    hand(game, 1, [4, 1, 2, 6], queen=3)
    hand(game, 2, [3, 6, 2, 2], queen=0)
    return event


def published(event: Event, later: int = 0) -> Publication:
    publication = publications.publish(event.pk, now=NOW + timedelta(seconds=later))
    assert publication is not None
    return publication


def body(publication: Publication) -> Json:
    found: dict[str, Any] = json.loads(bytes(publication.body))
    return found


def test_standings_are_ordered_by_the_exact_average(event: Event) -> None:
    rows = body(published(event))["rows"]
    assert [
        (r["rank"], r["tied"], r["player_id"], r["points"], r["average_exact"]) for r in rows
    ] == [
        (1, False, "RL03", 4, "2"),
        (2, False, "RL02", 7, "7/2"),
        (3, False, "RL01", 20, "10"),
        (4, False, "RL04", 21, "21/2"),
    ]
    assert rows[0]["wins"] == 1
    assert rows[0]["reason"] == ""
    assert rows[1]["reason"] == "7 ÷ 2 = 3.5000, 1.5000 behind RL03"


def test_members_stand_in_the_order_of_the_contract(event: Event) -> None:
    found = body(published(event))
    assert list(found) == [
        "publication",
        "club",
        "event",
        "as_of",
        "scheme",
        "columns",
        "rows",
        "provisional_rows",
    ]
    assert found["as_of"] == {"meeting": "2025-11-06", "round": 1, "hands": 2}
    assert found["club"] == {"slug": "riverside", "name": "Riverside"}


def test_digest_is_that_of_the_bytes_without_the_publication(event: Event) -> None:
    publication = published(event)
    found = body(publication)
    head = found.pop("publication")
    rest = json.dumps(found, ensure_ascii=False, separators=(",", ":")).encode()
    digest = hashlib.sha256(rest).hexdigest()
    assert head == {
        "number": 1,
        "version": Dirty.objects.get(scope=event_scope(event.pk)).version,
        "published_at": "2025-11-06T21:00:00Z",
        "digest": f"sha256:{digest}",
    }
    assert publication.etag == f'"1-{digest[:12]}"'


def test_csv_has_the_columns_of_the_contract_and_no_formula(event: Event) -> None:
    lines = bytes(published(event).csv).decode().split("\r\n")
    assert lines[0] == (
        "rank,player_id,player,tables,hands,points,average_per_hand,wins,shared_wins,"
        "second,third,fourth,moons"
    )
    assert lines[1] == "1,RL03,'=Leo K.,1,2,4,2.0000,1,0,0,0,0,0"
    assert lines[2] == "2,RL02,Zoë K.,1,2,7,3.5000,0,0,1,0,0,0"


def test_mark_without_a_change_moves_done_but_makes_no_new_number(event: Event) -> None:
    first = published(event)
    version = mark_changed(event=event, now=NOW)
    assert published(event, later=60).pk == first.pk
    assert Dirty.objects.get(scope=event_scope(event.pk)).done == version


def test_change_makes_the_next_number_and_the_old_one_stays_as_it_was(event: Event) -> None:
    first = published(event)
    before = bytes(first.body)
    Player.objects.filter(player_id="RL03").update(public_name="Leonie K.")
    mark_changed(event=event, now=NOW)
    second = published(event, later=60)
    assert (first.number, second.number) == (1, 2)
    first.refresh_from_db()
    assert bytes(first.body) == before


def test_late_computation_never_replaces_a_newer_one(event: Event) -> None:
    published(event)
    mark_changed(event=event, now=NOW)
    dirty = Dirty.objects.get(scope=event_scope(event.pk))
    published(event)
    published(event)
    again = Dirty.objects.get(scope=event_scope(event.pk))
    assert (again.version, again.done) == (dirty.version, dirty.version)


def test_bytes_that_were_laid_out_late_are_thrown_away(event: Event) -> None:
    published(event)
    Player.objects.filter(player_id="RL03").update(public_name="Late L.")
    mark_changed(event=event, now=NOW)
    late = publications._read(event.pk, now=NOW)
    assert late is not None
    Player.objects.filter(player_id="RL03").update(public_name="Newer N.")
    mark_changed(event=event, now=NOW)
    newer = published(event)
    rendered = rank_and_render.render_draft(late.table)
    assert publications._store(late, rendered, NOW).pk == newer.pk
    assert Publication.objects.filter(event=event).count() == 2
    assert "Late L." not in bytes(newer.body).decode()


def test_season_with_a_table_of_its_own_is_marked_with_its_event(event: Event) -> None:
    season = Season.objects.create(
        club=event.club, slug="autumn", name="Autumn", starts_on=NOW.date(), ends_on=NOW.date()
    )
    Event.objects.filter(pk=event.pk).update(season=season)
    published(event)
    scope = season_scope(season.pk)
    assert not Dirty.objects.filter(scope=scope).exists()
    Season.objects.update(settings={"primary": "wins"})
    Player.objects.filter(player_id="RL03").update(public_name="Leonie K.")
    mark_changed(event=event, now=NOW)
    published(event)
    row = Dirty.objects.get(scope=scope)
    assert (row.version, row.done) == (1, 0)


def test_same_evening_entered_in_another_order_gives_the_same_bytes(cast: Cast) -> None:
    digests = []
    for slug, order in (("one", (1, 2, 3)), ("two", (3, 1, 2))):
        event = league(cast.riverside, slug=slug)
        seated = list(Player.objects.filter(club=cast.riverside).order_by("player_id")) or players(
            cast.riverside, "A", "B", "C", "D"
        )
        game = table(event, seated)
        for number in order:
            hand(game, number, [number, 13 - number, 0, 0], queen=number % 4)
        Event.objects.filter(pk=event.pk).update(slug="same")
        digests.append(published(event).digest)
        Event.objects.filter(pk=event.pk).update(slug=slug)
    assert digests[0] == digests[1]


def test_event_without_hands_publishes_an_empty_table(cast: Cast) -> None:
    found = body(published(league(cast.riverside)))
    assert found["rows"] == []
    assert found["as_of"] == {"meeting": None, "round": None, "hands": 0}
