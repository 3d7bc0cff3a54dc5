"""Leagues of evenings everywhere: each setting in archive, copy, REST, preview and season."""

import io
from collections.abc import Mapping
from datetime import date, time, timedelta
from pathlib import Path

import pytest
from django.core.management import call_command

from scoring.json_types import JsonDict
from tests.support.answers import send_json
from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.history import make_all
from tests.support.seasons import assign_event, autumn_season
from tests.support.verification import require_clean
from tournaments.documents.club_archive import archive_chunks, publication_digests
from tournaments.domain.event_settings import read_settings, settings_of
from tournaments.models.clubs import Club
from tournaments.models.events import Entrant, Event, Season
from tournaments.models.rounds import Attendance, Meeting
from tournaments.models.standings import Publication, StoredHistory
from tournaments.selectors.events.entrants import entrant_rows
from tournaments.selectors.standings.evening_places import (
    RankedEvening,
    get_stored_evenings,
    list_excused_of,
)
from tournaments.services.attendance.set_attendance import set_attendance
from tournaments.services.clubs.deletion import remove_piece
from tournaments.services.events.create_event import copy_event
from tournaments.services.events.entrants import add_entrant
from tournaments.services.hands.change_players import change_players
from tournaments.services.hands.plan_player_changes import PlayerChange
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.season_table import publish_season, standings_under
from tournaments.services.verification.event import recount_now

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

PERIODS = {
    "primary": "evening_points",
    "evening_ranking": "placement_points",
    "evening_points": [10, 8, 6, 5],
    "excused": "fixed",
    "excused_points": 3,
    "best_of": {"unit": "meeting", "min": 1, "per": 99},
    "period_evenings": 2,
    "best_periods": 1,
    "min_games": 2,
    "min_unit": "meeting",
    "substitutes": "by_hands",
    "tie_breaks": ["evenings", "wins"],
    "guests": "evening",
}
"""Every setting of an evening league, none with its default."""
EVENINGS = {
    "primary": "placement_points",
    "best_of": {"unit": "meeting", "min": 2, "per": 99},
    "substitutes": "regular",
    "tie_breaks": ["evenings", "h2h"],
    "guests": "evening",
}
"""A league of place points whose ties are broken by evenings won."""


def play(cast: Cast, settings: Mapping[str, object]) -> Event:
    """Four evenings: Gale visits three, Edda says that she misses the second, and Finn plays on
    for Bert on the first."""
    event = league(cast.riverside, slug="nights", settings=settings)
    ada, bert, cleo, dora, edda, finn, gale = players(
        cast.riverside, "Ada", "Bert", "Cleo", "Dora", "Edda", "Finn", "Gale"
    )
    add_entrant(by_tests(), event, kind="player", players=[gale], guest=True)
    seated = (
        (ada, bert, cleo, edda),
        (ada, bert, dora, gale),
        (cleo, dora, edda, gale),
        (gale, edda, bert, ada),
    )
    for number, people in enumerate(seated, 1):
        on = NOW.date() + timedelta(weeks=number - 1)
        game = table(event, people, round_number=number, on=on)
        hand(game, 1, [4, 1, 2, 6], queen=number % 4)
        hand(game, 2, [1, 3, 3, 6], queen=0)
        if number == 1:
            change = PlayerChange("substitute", 2, finn.player_id, from_hand=2, split_sides=True)
            change_players(by_tests(), game, change=change, reason="Bert had to leave.")
    # They begin after all that happens here.
    Meeting.objects.filter(event=event).update(time=time(23))
    second = Meeting.objects.get(event=event, date=NOW.date() + timedelta(weeks=1))
    set_attendance(by_tests(), second, player=edda, state="absent")
    publish(event.pk, now=NOW)
    make_all(event.pk)
    return event


def stored_tables(event: Event) -> Mapping[tuple[str, str], str]:
    """Return the digests of the tables of evenings, and of those as of rounds."""
    kinds = ("evening", "as_of")
    rows = StoredHistory.objects.filter(event=event, kind__in=kinds)
    return {(kind, key): digest for kind, key, digest in rows.values_list("kind", "key", "digest")}


def places(event: Event) -> list[RankedEvening]:
    return [stored.evening for stored in get_stored_evenings(event).values()]


def excused_of(event: Event) -> Mapping[date, list[tuple[str, object]]]:
    return {
        meeting.date: [(row.name, row.points) for row in list_excused_of(event, meeting)]
        for meeting in Meeting.objects.filter(event=event)
    }


def visits(event: Event) -> list[tuple[str, int | None]]:
    return [(row.name, row.visits) for row in entrant_rows(event) if row.guest]


@pytest.mark.parametrize("settings", [PERIODS, EVENINGS], ids=["periods", "evenings"])
def test_a_league_of_evenings_comes_back_with_equal_tables_and_settings(
    cast: Cast, tmp_path: Path, settings: Mapping[str, object]
) -> None:
    event = play(cast, settings)
    club = cast.riverside
    digests, tables = publication_digests(club), stored_tables(event)
    kept, ranked = event.settings, places(event)
    excused, guests = excused_of(event), visits(event)
    assert settings.items() <= kept.items()
    assert guests == [("Gale", 3)]
    path = tmp_path / "club.zip"
    path.write_bytes(b"".join(archive_chunks(club, now=NOW)))
    Club.objects.filter(pk=club.pk).update(delete_after=NOW)
    while remove_piece(club.pk, now=NOW):
        pass
    assert not Event.objects.exists()

    call_command("import_club", str(path), stdout=io.StringIO(), stderr=io.StringIO())
    there = Event.objects.get(slug="nights")
    assert there.settings == kept
    assert publication_digests(there.club) == digests
    StoredHistory.objects.filter(event=there).delete()
    mark_changed(event=there, now=NOW)
    publish(there.pk, now=NOW)
    make_all(there.pk)
    assert publication_digests(there.club) == digests
    assert stored_tables(there) == tables
    assert places(there) == ranked
    assert excused_of(there) == excused
    assert visits(there) == guests
    require_clean(there)


@pytest.mark.parametrize("settings", [PERIODS, EVENINGS], ids=["periods", "evenings"])
def test_a_copy_of_a_league_of_evenings_has_its_settings_and_no_visit_or_answer(
    cast: Cast, settings: Mapping[str, object]
) -> None:
    event = play(cast, settings)
    copy = copy_event(by_tests(), event, name="Next year")
    assert settings_of(copy) == settings_of(event)
    assert not Entrant.objects.filter(event=copy, guest=True).exists()
    assert not Attendance.objects.filter(meeting__event=copy).exists()


def ranks(document: JsonDict) -> list[tuple[int | None, str, str]]:
    primary = document["scheme"]["primary"]
    rows = [*document["rows"], *document["provisional_rows"]]
    return [(row["rank"], row["player_id"], row["values"][primary]) for row in rows]


@pytest.mark.parametrize("settings", [PERIODS, EVENINGS], ids=["periods", "evenings"])
def test_rest_and_the_preview_know_each_setting_of_a_league_of_evenings(
    cast: Cast, settings: Mapping[str, object]
) -> None:
    event = play(cast, {"guests": "evening"})
    draft = standings_under(event, read_settings({**event.settings, **settings}))
    previewed = [(row.rank, row.sums.code, str(row.value)) for row in draft.placed]
    body = {"settings": settings, "reason": "As the rule sheet says."}
    path = "/api/v1/clubs/riverside/events/nights/settings"
    dirk = cast.client("dirk")
    answer = send_json(dirk, "PATCH", path, body, If_Match=dirk.get(path)["ETag"])
    assert answer.status_code == 200
    assert settings.items() <= dirk.get(path).json()["settings"].items()
    recount_now(event.pk, now=NOW)
    published = publish(event.pk, now=NOW)
    assert published is not None
    assert ranks(published.document) == previewed


@pytest.mark.parametrize("settings", [PERIODS, EVENINGS], ids=["periods", "evenings"])
def test_a_season_of_one_league_of_evenings_ranks_as_the_league_does(
    cast: Cast, settings: Mapping[str, object]
) -> None:
    event = play(cast, settings)
    autumn = autumn_season(cast.riverside)
    assign_event(event, autumn)
    event.refresh_from_db()
    Season.objects.filter(pk=autumn.pk).update(settings=event.settings)
    publish(event.pk, now=NOW)
    of_event = Publication.objects.filter(event=event).latest("number")
    of_season = publish_season(autumn.pk, now=NOW)
    assert of_season is not None
    assert ranks(of_season.document) == ranks(of_event.document)
