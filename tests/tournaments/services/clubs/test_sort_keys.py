"""Each way to write a name stores its sort key, and each door finds a name in any spelling."""

from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connection

from tests.support.builders import by_tests, league, players
from tests.support.cast import NOW, Cast
from tests.support.imports.imports import imported, rows, said, written
from tests.support.pages.text import text_of
from tournaments import migrations
from tournaments.documents.club_archive import archive_chunks
from tournaments.documents.read.people_list import PastedPlayer
from tournaments.domain.name_matching import sort_key
from tournaments.models.clubs import Player, SimilarPlayers
from tournaments.selectors.clubs.clubs import list_players_of
from tournaments.selectors.people.accounts import find_likely_players
from tournaments.services.clubs.clubs import change_player
from tournaments.services.clubs.names import complete_names
from tournaments.services.clubs.player_paste import add_roster, plan_players
from tournaments.services.people.compare_names import compare_names
from tournaments.services.people.erase_player import erase_player

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

OP = by_tests()
NAMES = ("Zoe K.", "Jörg Müller", "Pat O’Neill", "ärne B.", "Łukasz N.", "Anna-Lena", "Anna B.")
IN_ORDER = ["Anna B.", "Anna-Lena", "ärne B.", "Jörg Müller", "Łukasz N.", "Pat O’Neill", "Zoe K."]


def outdated() -> list[str]:
    return [row.name for row in Player.objects.all() if row.sort_key != sort_key(row.name)]


def test_each_way_to_store_a_name_stores_its_key(cast: Cast, tmp_path: Path) -> None:
    club = cast.riverside
    first, second, *_ = players(club, *NAMES)
    pasted = [PastedPlayer(1, "Élodie"), PastedPlayer(2, "Øyvind")]
    add_roster(OP, club, pasted=pasted, seen=plan_players(club, pasted).digest)
    league(club)
    unknown = rows(cast={seat: f"N{seat},Ünal {seat}." for seat in "NESW"})
    imported(written(tmp_path, unknown), create=True)
    (tmp_path / "list.csv").write_text("player_id,name\nX1,Čeněk B.\n", encoding="utf-8")
    call_command("import_players", str(tmp_path / "list.csv"), club="riverside")
    change_player(OP, first, name="Émile K.")
    erase_player(OP, second, confirmed=second.player_id, reason="asked for it")
    assert Player.objects.count() == len(NAMES) + 7
    assert outdated() == []
    path = tmp_path / "riverside.zip"
    path.write_bytes(b"".join(archive_chunks(club, now=NOW)))
    call_command("import_club", str(path), "--as", "lakeside")
    assert Player.objects.filter(club__slug="lakeside").count() == len(NAMES) + 7
    assert outdated() == []


def test_lists_have_one_order_on_both_databases(cast: Cast) -> None:
    players(cast.riverside, *NAMES)
    assert [player.name for player in list_players_of(cast.riverside)] == IN_ORDER
    assert sorted(NAMES, key=sort_key) == IN_ORDER


def test_migration_and_worker_fill_the_keys_of_players_without_one(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    players(cast.riverside, *NAMES)
    Player.objects.update(sort_key="", is_compared=True)
    fill = import_module(".0032_fill_sort_keys", migrations.__name__)
    monkeypatch.setattr(fill, "AT_ONCE", 2)
    fill.fill_sort_keys(apps, SimpleNamespace(connection=connection))
    assert outdated() == []
    again = Player.objects.filter(is_compared=False).values_list("name", flat=True)
    assert sorted(again) == sorted(["Jörg Müller", "Pat O’Neill", "ärne B.", "Łukasz N."])
    Player.objects.filter(name__startswith="Anna").update(sort_key="")  # as an older release does
    complete_names(everybody=False, now=NOW)
    assert outdated() == []


def test_pasted_and_imported_names_are_those_of_the_list(cast: Cast, tmp_path: Path) -> None:
    players(cast.riverside, "Jörg Müller", "Pat O’Neill", "Łukasz N.", "Ruth Shore")
    typed = ["Joerg MUELLER", "Pat O'Neill", "Lukasz N.", "Ruth  Shore"]
    lines = [PastedPlayer(line, name) for line, name in enumerate(typed, start=1)]
    outcomes = [line.outcome for line in plan_players(cast.riverside, lines).lines]
    assert outcomes == ["there"] * 4
    stranger = plan_players(cast.riverside, [PastedPlayer(1, "Jorg Miller")]).lines[0]
    assert stranger.outcome == "new"
    league(cast.riverside)
    seats = zip("NESW", ["Joerg MUELLER", "Pat O'Neill", "Lukasz N.", '"Shore, Ruth"'], strict=True)
    report = imported(written(tmp_path, rows(cast={seat: f",{name}" for seat, name in seats})))
    assert said(report) == [("name_order", "accept-note", [5])]
    assert (report.accepted, Player.objects.count()) == (1, 4)


def test_account_is_offered_its_player_and_search_and_duplicates_find_it(cast: Cast) -> None:
    club = cast.riverside
    players(club, "Joerg O’Neill", *(f"Anna {letter}." for letter in "ABCDEFGHIJ"), "Jörg ONeill")
    likely = find_likely_players([club], "Jörg O'Neill")[club.pk]
    assert {player.name for player in likely[:2]} == {"Joerg O’Neill", "Jörg ONeill"}
    text = text_of(cast.client("dirk").get("/clubs/riverside/search", {"q": "oneill, jör"}))
    assert "Joerg O’Neill" in text
    assert "Jörg ONeill" in text
    compare_names()
    assert SimilarPlayers.objects.get(player__name="Joerg O’Neill").likeness == 100
