"""Older publications are packed, and every number answers with the same bytes as before."""

from collections.abc import Sequence
from datetime import timedelta
from io import StringIO
from random import Random
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from tests.support.builders import by_tests, hand, ladder, league, players, table
from tests.support.builders import season as in_season
from tests.support.cast import NOW, Cast
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Player
from tournaments.models.events import Event, EventKind, Season
from tournaments.models.publication_packs import DISCARDED, Discarded, PublicationPack, pack, unpack
from tournaments.models.standings import FileForm, Publication, PublicationFile
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.people.erase_player import erase_player
from tournaments.services.publishing import packing
from tournaments.services.publishing.ladders import publish_ladder
from tournaments.services.publishing.packing import (
    discard_publications,
    is_packing_allowed,
    pack_piece,
    undo_packs,
)
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.season_table import publish_season

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
LATER = NOW + timedelta(days=30)
MICROSECOND = timedelta(microseconds=1)
LEAGUE = "/api/v1/clubs/riverside/events/league/publications"


@pytest.fixture
def event(cast: Cast) -> Event:
    return play(league(cast.riverside), 8)


def play(event: Event, hands: int, *, seed: int = 1) -> Event:
    """Publish after each hand; two evenings, the second a day later."""
    chance = Random(seed)  # noqa: S311 - the same hands in every run
    game = table(event, players(event.club, "Elsa D.", "Zoë K.", "=Leo K.", "Anton S."))
    for number in range(1, hands + 1):
        cuts = sorted(chance.sample(range(1, 13), 3))
        hearts = [b - a for a, b in zip([0, *cuts], [*cuts, 13], strict=True)]
        hand(game, number, hearts, queen=chance.randrange(4))
        day = timedelta(days=number > hands // 2)
        at = NOW + day + timedelta(minutes=number)
        publish(event.pk, now=at)
        if event.kind == EventKind.LADDER:
            publish_ladder(event.pk, now=at)
        for season in Season.objects.all():
            publish_season(season.pk, now=at)
    return event


def stored() -> dict[int, tuple[bytes, bytes, str, str]]:
    return {
        row.pk: (bytes(row.body), bytes(row.csv), row.etag, row.digest)
        for row in Publication.objects.order_by("pk")
    }


def pack_all() -> int:
    n = 0
    while packed := pack_piece(now=LATER):
        n += packed
    return n


@pytest.mark.parametrize("seed", range(4))
def test_packed_publications_have_the_same_bytes(
    cast: Cast, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packing, "MOST_IN_A_PACK", 1 + 2 * seed)
    event = league(cast.riverside) if seed else ladder(cast.riverside)
    if seed:
        in_season(event)
    play(event, 5 + seed, seed=seed)
    before = stored()
    owners = Publication.objects.values("event", "season", "ladder").distinct().count()
    assert owners == 2
    assert pack_all() == len(before) - owners
    assert stored() == before
    assert undo_packs() == len(before) - owners
    assert stored() == before
    assert not PublicationPack.objects.exists()


def test_newest_publication_and_those_of_the_last_week_stay_as_they_are(event: Event) -> None:
    assert pack_piece(now=NOW + timedelta(days=7)) == 0
    assert pack_all() == 7
    plain = Publication.objects.filter(pack=None)
    assert [row.number for row in plain] == [8]


def test_packed_number_answers_with_its_bytes_and_etag(event: Event, client: Client) -> None:
    addresses = [f"{LEAGUE}/{number}{ending}" for number in (1, 5) for ending in ("", ".csv")]
    before = [client.get(address) for address in addresses]
    pack_all()
    for address, then in zip(addresses, before, strict=True):
        now = client.get(address)
        assert (now.status_code, now.content, now["ETag"]) == (200, then.content, then["ETag"])
        unchanged = client.get(address, headers={"If-None-Match": then["ETag"]})
        assert (unchanged.status_code, unchanged.content) == (304, b"")
    assert client.get("/clubs/riverside/events/league/publications/5").status_code == 200


def test_erasure_rewrites_packs(event: Event) -> None:
    pack_all()
    player = Player.objects.get(club=event.club, name="Zoë K.")
    operation = by_tests(LATER)
    erased = erase_player(operation, player, confirmed=player.player_id, reason="asked for it")
    assert erased[1] == 8
    assert Publication.objects.filter(pack__gt=DISCARDED).count() == 7
    everything = [bytes(row.content) for row in PublicationPack.objects.all()]
    texts = b"".join(part for pack in everything for pair in unpack(pack).values() for part in pair)
    assert "Zoë".encode() not in texts
    assert all(row.digest in bytes(row.body).decode() for row in Publication.objects.all())


def test_publication_that_an_erasure_rewrote_while_it_was_packed_is_left(
    event: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    def erase_first(documents: Any) -> bytes:
        Publication.objects.filter(number=2).update(etag="changed")
        return pack(documents)

    monkeypatch.setattr(packing, "pack", erase_first)
    assert pack_piece(now=LATER) == 0
    assert not PublicationPack.objects.exists()


def test_row_that_was_read_before_its_pack_was_rewritten_is_read_again(event: Event) -> None:
    pack_all()
    read = Publication.objects.get(number=3)
    packing.rewrite_pack(read.pack or 0, {read.pk: (b"{}", b"new")})
    assert (bytes(read.csv), read.pack) == (b"new", PublicationPack.objects.get().pk)


def discard(*more: str) -> str:
    out = StringIO()
    call_command("discard_publications", "--club", "riverside", "--days", "0", *more, stdout=out)
    return out.getvalue()


def numbers(*, pack: int) -> Sequence[int]:
    rows = Publication.objects.filter(pack=pack).order_by("number")
    return list(rows.values_list("number", flat=True))


@pytest.mark.parametrize("packed", [False, True])
def test_discarding_keeps_the_last_of_each_evening(event: Event, *, packed: bool) -> None:
    if packed:
        pack_all()
    before = stored()
    assert discard("--dry-run").startswith("To discard: 6 publications, ")
    assert stored() == before
    assert discard().endswith("Left: 2 publications.\n")
    publications = Publication.objects.exclude(pack=DISCARDED).exclude(body=b"", pack=None)
    assert [row.number for row in publications.order_by("number")] == [4, 8]
    assert {row.pk: bytes(row.body) for row in publications} == {
        row.pk: before[row.pk][0] for row in publications
    }
    packs = PublicationPack.objects.all()
    assert sum(len(unpack(bytes(row.content))) for row in packs) == packed
    assert discard("--dry-run").startswith("To discard: 0 publications, 0 bytes.")


def stored_bytes() -> int:
    """What the bytes of publications and packs take in the database."""
    size = "pg_column_size" if connection.vendor == "postgresql" else "length"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT SUM({size}(body) + {size}(csv)) FROM tournaments_publication")  # noqa: S608  # names of our own
        [plain] = cursor.fetchone()
        cursor.execute("SELECT COALESCE(SUM(length(content)), 0) FROM tournaments_publicationpack")
        [packed] = cursor.fetchone()
    return int(plain) + int(packed)


@pytest.mark.parametrize("most_in_a_pack", [0, 1, 100])
def test_discarding_says_what_it_frees_before_and_after(
    event: Event, monkeypatch: pytest.MonkeyPatch, most_in_a_pack: int
) -> None:
    if most_in_a_pack:
        monkeypatch.setattr(packing, "MOST_IN_A_PACK", most_in_a_pack)
        pack_all()
    before = stored_bytes()
    foretold = discard("--dry-run")
    done = discard()
    n_bytes = int(done.split(", ")[1].split()[0])
    assert foretold == done.replace("Discarded", "To discard")
    # Two empty values of each row still have a length on PostgreSQL, one byte each.
    assert 0 <= n_bytes - (before - stored_bytes()) <= 2 * 6
    assert 0 < n_bytes < before


def test_discarded_number_is_gone_with_its_digest(event: Event, client: Client) -> None:
    etag = client.get(f"{LEAGUE}/2")["ETag"]
    row = Publication.objects.get(number=2)
    discard()
    for ending in ("", ".csv", ".xlsx"):
        answer = client.get(f"{LEAGUE}/2{ending}", headers={"If-None-Match": etag})
        assert answer.status_code == 410
        assert answer["Content-Type"] == "application/problem+json"
        assert answer.json()["errors"][0]["facts"] == {
            "publication": 2,
            "digest": row.digest,
            "next": 4,
        }
    page = client.get("/clubs/riverside/events/league/publications/2")
    assert page.status_code == 410
    assert row.digest in page.content.decode()
    with pytest.raises(Discarded):
        _ = Publication.objects.get(number=2).body


def test_cited_publications_are_not_discarded(event: Event) -> None:
    version = Publication.objects.get(number=3).version
    event.changes.create(club=event.club, version=version, at=NOW, kind="corrected")
    discard_publications(by_tests(LATER), event.club, before=LATER)
    assert numbers(pack=DISCARDED) == [1, 5, 6, 7]
    mark_changed(event=event, now=LATER)
    assert publish(event.pk, now=LATER) is not None


MIDNIGHT = NOW.replace(hour=0, minute=0, second=0, microsecond=0)


def test_publication_of_midnight_is_packed_a_day_later_than_the_one_before(event: Event) -> None:
    rows = list(Publication.objects.order_by("number"))
    Publication.objects.filter(pk=rows[0].pk).update(published_at=MIDNIGHT - MICROSECOND)
    Publication.objects.exclude(pk=rows[0].pk).update(published_at=MIDNIGHT)
    assert pack_piece(now=MIDNIGHT + timedelta(days=7)) == 1
    assert pack_piece(now=MIDNIGHT + timedelta(days=8) - MICROSECOND) == 0
    assert pack_piece(now=MIDNIGHT + timedelta(days=8)) == 6


@pytest.mark.parametrize(("most", "packed"), [(6, 6), (7, 7), (8, 7)])
def test_pack_has_at_most_so_many_publications(
    event: Event, monkeypatch: pytest.MonkeyPatch, most: int, packed: int
) -> None:
    monkeypatch.setattr(packing, "MOST_IN_A_PACK", most)
    assert pack_piece(now=LATER) == packed


@pytest.mark.parametrize(("less", "packed"), [(0, 3), (1, 2)])
def test_pack_is_closed_by_the_publication_that_takes_it_beyond_its_size(
    event: Event, monkeypatch: pytest.MonkeyPatch, less: int, packed: int
) -> None:
    two = list(Publication.objects.order_by("number")[:2])
    size = sum(len(row.body) + len(row.csv) for row in two)
    monkeypatch.setattr(packing, "PACK_BYTES", size - less)
    assert pack_piece(now=LATER) == packed


def test_publication_is_the_last_of_its_evening_six_hours_before_the_next(event: Event) -> None:
    pause = packing.PAUSE_AFTER_EVENING
    first, second, third = Publication.objects.order_by("number")[:3]
    Publication.objects.filter(number__gt=3).delete()
    for row, at in ((first, NOW), (second, NOW + pause), (third, NOW + 2 * pause - MICROSECOND)):
        Publication.objects.filter(pk=row.pk).update(published_at=at)
    discard_publications(by_tests(LATER), event.club, before=LATER)
    assert numbers(pack=DISCARDED) == [2]


def test_publication_of_the_moment_itself_is_not_discarded(event: Event) -> None:
    third = Publication.objects.get(number=3)
    discard_publications(by_tests(LATER), event.club, before=third.published_at)
    assert numbers(pack=DISCARDED) == [1, 2]


def test_packing_begins_a_week_after_the_upgrade(cast: Cast) -> None:
    migrations = MigrationRecorder.Migration.objects.filter(app="tournaments")
    migrations.filter(name=packing.MIGRATION).update(applied=NOW)
    week = timedelta(days=7)
    assert not is_packing_allowed(NOW + week - MICROSECOND)
    assert is_packing_allowed(NOW + week)


def test_publication_that_the_audit_trail_names_or_that_has_a_file_is_not_discarded(
    event: Event,
) -> None:
    by_tests(LATER).audit(event, {"publication": 2}, name="begin_stage")
    PublicationFile.objects.create(
        club=event.club,
        publication=Publication.objects.get(number=3),
        form=FileForm.PDF,
        claim=uuid4(),
        claimed_until=LATER,
    )
    discard_publications(by_tests(LATER), event.club, before=LATER)
    assert numbers(pack=DISCARDED) == [1, 5, 6, 7]


def test_discarding_nothing_is_no_act_of_the_audit_trail(event: Event) -> None:
    discard_publications(by_tests(LATER), event.club, before=NOW)
    assert not AuditLine.objects.filter(act="discard_publications").exists()
    discard_publications(by_tests(LATER), event.club, before=LATER)
    assert AuditLine.objects.get(act="discard_publications").facts["publications"] == 6
