"""Two add one season so far or read one file again; publications are packed while others write."""

from datetime import timedelta
from functools import partial

import pytest
from django.contrib.auth.models import User

from tests.journeys.imports.test_files_of_clubs import TOTALS
from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.live.at_once import Within
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.imports import BatchState, Holds, ImportBatch
from tournaments.models.publication_packs import DISCARDED
from tournaments.models.standings import OpeningValue, Publication
from tournaments.selectors.clubs.clubs import actor_of
from tournaments.services.imports import uploads
from tournaments.services.imports.process_upload import process_upload
from tournaments.services.imports.season import add_season, season_of
from tournaments.services.operations import Operation
from tournaments.services.people.erase_player import erase_player
from tournaments.services.publishing.packing import discard_publications, pack_piece
from tournaments.services.publishing.publications import publish

pytestmark = pytest.mark.pg

SEASON = "Name;6.10.2025;13.10.2025\nNew Person;4;5\nOther Person;3;2\n"
LATER = NOW + timedelta(days=30)


@pytest.fixture
def event(within: Within) -> Event:
    with within():
        return league(enter_the_cast().riverside, settings={"primary": "placement_points"})


def test_two_add_one_season_with_unknown_people_at_one_moment(within: Within, event: Event) -> None:
    def add() -> None:
        season, _text = season_of(event, SEASON.encode(), now=NOW, until=None)
        add_season(by_tests(), event, season=season, add_missing=True, reason="List.")

    assert within.at_once(add, add) == []
    with within():
        names = Player.objects.filter(name__endswith=" Person").order_by("name")
        assert list(names.values_list("name", flat=True)) == ["New Person", "Other Person"]
        assert OpeningValue.objects.count() == 4


def test_two_read_a_file_as_something_else_and_one_is_told(within: Within, event: Event) -> None:
    with within():
        dirk = User.objects.get(username="dirk")
        batch = uploads.store_upload(
            Operation(actor_of(dirk), NOW),
            event,
            name="file.csv",
            content=TOTALS.encode(),
            holds="auto",
        )
        process_upload(batch.pk, now=NOW)
        assert ImportBatch.objects.get().state == BatchState.MAPPING

    def change(holds: Holds) -> None:
        batch = ImportBatch.objects.select_related("event__club", "club").get()
        uploads.change_kind(by_tests(), batch, holds=holds)

    refused = within.at_once(partial(change, Holds.HANDS), partial(change, Holds.TOTALS))
    assert refused == ["import_moved_on"]
    with within():
        assert ImportBatch.objects.get().state == BatchState.READING


def test_publications_are_packed_discarded_and_erased_at_once(within: Within, event: Event) -> None:
    with within():
        people = players(event.club, "Ann", "Bo", "Cy", "Di")
        game = table(event, people)
        for number in range(1, 9):
            hand(game, number, [4, 1, 2, 6], 3)
            publish(event.pk, now=NOW + timedelta(minutes=number))

    def pack() -> None:
        pack_piece(now=LATER)

    def discard() -> None:
        discard_publications(by_tests(LATER), event.club, before=LATER)

    def erase() -> None:
        player = people[0]
        erase_player(by_tests(LATER), player, confirmed=player.player_id, reason="asked for it")

    assert within.at_once(pack, discard, erase, pack) == []
    with within():
        publications = Publication.objects.exclude(pack=DISCARDED).order_by("number")
        assert [row.number for row in publications] == [8]
        assert all(b"Ann" not in bytes(row.body) for row in publications)
        assert all(row.digest in bytes(row.body).decode() for row in publications)
