"""What becomes of the results of an evening: archives, erasure, merges, packs, deletion."""

import io
import json
from contextlib import suppress
from datetime import date, timedelta
from pathlib import Path

import pytest
from django.core.management import call_command
from django.utils import timezone

from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.evening_work import make_tables_of, work_on_evenings
from tournaments.documents.club_archive import publication_digests
from tournaments.domain.etags import digest_of
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.publication_packs import PublicationPack
from tournaments.models.rounds import Meeting, Round
from tournaments.models.standings import Publication, StoredHistory
from tournaments.selectors.events.meetings import LULL, meeting_on
from tournaments.selectors.standings.evening_results import result_numbered, results_of
from tournaments.selectors.standings.evenings import evening_table
from tournaments.services.clubs.deletion import remove_piece
from tournaments.services.hands.close_tables import close_tables
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.people.erase_player import erase_player
from tournaments.services.publishing.evening_results import delete_lost_results
from tournaments.services.publishing.packing import discard_publications, pack_piece
from tournaments.services.rounds.evenings import end_evening

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

TONIGHT = date(2025, 11, 6)
MUCH_LATER = NOW + timedelta(days=30)


@pytest.fixture
def event(cast: Cast) -> Event:
    """A league whose evening has two results: Elsa won, and Zoë after a correction."""
    event = league(cast.riverside, name="Autumn league")
    game = table(event, players(cast.riverside, "Elsa D.", "Zoë K.", "Leo K.", "Anton S."))
    hand(game, 1, [0, 8, 3, 2], queen=3)
    hand(game, 2, [3, 0, 5, 5], queen=2)
    close_tables(by_tests(), Round.objects.get(event=event))
    end_evening(by_tests(), the_meeting(event))
    work_on_evenings(event, NOW)
    void_hand(by_tests(), Game.objects.get(), number=1, based_on=1, reason="Wrong table.")
    make_tables_of(event, NOW)
    work_on_evenings(event, NOW + LULL)
    assert numbers(event) == [2, 1]
    return event


def the_meeting(event: Event) -> Meeting:
    return meeting_on(event, TONIGHT)


def numbers(event: Event) -> list[int]:
    return [result.number for result in results_of(the_meeting(event))]


def digests(event: Event) -> list[str]:
    return list(results_of(the_meeting(event)).values_list("digest", flat=True))


def removed(club: Club) -> None:
    Club.objects.filter(pk=club.pk).update(delete_after=NOW)
    while remove_piece(club.pk, now=timezone.now()):
        pass


def test_archive_gives_back_the_same_results_and_draws_none(event: Event, tmp_path: Path) -> None:
    path = tmp_path / "riverside.zip"
    call_command("export_club", "--club", "riverside", str(path), stdout=io.StringIO())
    before = publication_digests(event.club)
    assert before[f"evening:{event.slug}/2025-11-06"] == digests(event)[::-1]
    first = bytes(result_numbered(the_meeting(event), 1).body)
    removed(event.club)
    assert not Publication.objects.exists()

    call_command("import_club", str(path), stdout=io.StringIO())
    back = Event.objects.get(club__slug="riverside")
    assert publication_digests(back.club) == before
    assert bytes(result_numbered(the_meeting(back), 1).body) == first
    work_on_evenings(back, MUCH_LATER)
    assert publication_digests(back.club) == before


def test_archive_under_another_slug_has_results_like_its_table(
    event: Event, tmp_path: Path
) -> None:
    path = tmp_path / "riverside.zip"
    call_command("export_club", "--club", "riverside", str(path), stdout=io.StringIO())
    call_command("import_club", str(path), "--as", "seaside", stdout=io.StringIO())
    other = Event.objects.get(club__slug="seaside")
    work_on_evenings(other, MUCH_LATER)
    assert numbers(other) == [2, 1]
    assert digests(other)[0] == evening_table(other, the_meeting(other)).digest
    assert digests(other)[0] != digests(event)[0]


def test_erased_winner_is_gone_from_each_result_and_none_is_drawn(event: Event) -> None:
    for name in ("Elsa D.", "Zoë K."):
        player = Player.objects.get(name=name)
        erase_player(by_tests(), player, confirmed=player.player_id, reason="Asked for.")
    work_on_evenings(event, MUCH_LATER)
    assert numbers(event) == [2, 1]
    for number in (1, 2):
        result = result_numbered(the_meeting(event), number)
        text = bytes(result.body).decode() + bytes(result.csv).decode()
        assert result.is_redacted
        assert "Elsa" not in text
        assert "Zo" not in text
        assert result.document["publication"]["redacted"] is True
    assert digests(event)[0] == evening_table(event, the_meeting(event)).digest


def test_older_results_are_packed_and_none_is_discarded(event: Event) -> None:
    first = json.loads(bytes(result_numbered(the_meeting(event), 1).body))
    while pack_piece(now=MUCH_LATER):
        pass
    packs = dict(results_of(the_meeting(event)).values_list("number", "pack"))
    assert (packs[2], packs[1] is None) == (None, False)
    assert PublicationPack.objects.filter(pk__in=[packs[1] or 0], event=event).exists()
    assert result_numbered(the_meeting(event), 1).document == first
    discard_publications(by_tests(MUCH_LATER), event.club, before=MUCH_LATER)
    assert result_numbered(the_meeting(event), 1).document == first


def delete_evening_as_0_5_0(event: Event) -> None:
    """Delete it as that release does, which does not know results."""
    Round.objects.filter(event=event).update(meeting=None)
    Meeting.objects.filter(event=event)._raw_delete("default")


def test_lost_results_stop_neither_the_packing_of_others_nor_the_archive(
    event: Event, tmp_path: Path
) -> None:
    other = league(event.club, slug="other")
    people = list(Player.objects.filter(club=event.club).order_by("pk"))
    hand(table(other, people), 1, [0, 8, 3, 2], queen=3)
    close_tables(by_tests(), Round.objects.get(event=other))
    end_evening(by_tests(), the_meeting(other))
    work_on_evenings(other, NOW)
    game = Game.objects.get(event=other)
    hand(game, 1, [1, 7, 3, 2], queen=3, based_on=1, reason="The sheet says so.")
    work_on_evenings(other, NOW + LULL)
    assert numbers(other) == [2, 1]
    delete_evening_as_0_5_0(event)

    while pack_piece(now=MUCH_LATER):
        pass
    packed = Publication.objects.filter(pack__isnull=False, meeting__isnull=False)
    assert [(row.meeting, row.number) for row in packed] == [(the_meeting(other), 1)]

    path = tmp_path / "riverside.zip"
    call_command("export_club", "--club", "riverside", str(path), stdout=io.StringIO())
    before = publication_digests(event.club)
    assert [of for of in before if of.startswith("evening:")] == ["evening:other/2025-11-06"]
    call_command("import_club", str(path), "--as", "seaside", stdout=io.StringIO())
    assert numbers(Event.objects.get(club__slug="seaside", slug="other")) == [2, 1]


def test_results_go_with_their_evening(event: Event) -> None:
    assert delete_lost_results() == 0
    n_of_event = Publication.objects.filter(event=event).count()
    delete_evening_as_0_5_0(event)
    assert delete_lost_results() == 2
    assert Publication.objects.count() == n_of_event


def replayed(*options: str) -> list[str]:
    """What a replay finds, with its place."""
    out = io.StringIO()
    with suppress(SystemExit):
        call_command("replay", *options, "--json", stdout=out, stderr=io.StringIO())
    (found,) = json.loads(out.getvalue())
    return [f"{row['at']}: {row['what']}" for row in found["differences"]]


def test_check_names_a_table_and_a_result_that_differ_and_a_replay_makes_the_table(
    event: Event,
) -> None:
    assert replayed("--check") == []
    stored = StoredHistory.objects.filter(event=event, kind="evening")
    other = bytes(stored.get().body).replace(b"Leo K.", b"Lea K.")
    stored.update(body=other, digest=digest_of(other))
    at = "evening 2025-11-06"
    assert replayed("--check") == [f"{at}: table", f"{at}: result"]
    replayed()
    work_on_evenings(event, NOW + LULL)
    assert replayed("--check") == []
    assert numbers(event) == [2, 1]
    first = result_numbered(the_meeting(event), 1)
    Publication.objects.filter(pk=first.pk).update(
        body=bytes(first.body).replace(b"Leo K.", b"Lea K.")
    )
    assert replayed("--check") == [f"{at}: result"]
