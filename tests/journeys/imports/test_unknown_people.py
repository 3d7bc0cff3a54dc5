"""A season whose players the club does not have: they are added at once, or those chosen."""

import re
from io import StringIO
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client

from tests.support.builders import league, players
from tests.support.cast import Cast
from tests.support.pages.text import text_of
from tournaments.models.clubs import Player, PlayerAlias
from tournaments.models.imports import ImportBatch

ADDRESS = "/clubs/riverside/events/league/imports"
REST = "/api/v1/clubs/riverside/events/league/imports"
FILE = (
    "round,table,player,points\r\n"
    "1,1,Ada Lund,10\r\n1,1,Ben Mohr,6\r\n1,1,Cy Nagel,10\r\n1,1,Nadiia D.,0\r\n"
    '1,2,Ada Lund,10\r\n1,2,Ben Mohr,6\r\n1,2,"Nagel, Cy",10\r\n1,2,Nadia D.,0\r\n'
).replace("1,2,Ada Lund", "2,1,Ada Lund").replace("1,2,", "2,1,")  # fmt: skip


def upload(cast: Cast) -> None:
    players(league(cast.riverside).club, "Nadia D.")
    file = SimpleUploadedFile("season.csv", FILE.encode())
    cast.client("dirk").post(f"{ADDRESS}/new", {"file": file, "holds": "totals"})


def names() -> list[str]:
    return list(Player.objects.order_by("player_id").values_list("name", flat=True))


def test_all_unknown_people_are_one_finding_and_are_added_by_one_button(cast: Cast) -> None:
    upload(cast)
    dirk = cast.client("dirk")
    page = text_of(dirk.get(f"{ADDRESS}/1"))
    assert "3 people of this file are not in the club Add all 3 Choose" in page
    assert '"Ada Lund" is not a player of the club' not in page
    assert '"Nadiia D." is not a player of the club' in page
    assert "Add all" not in text_of(cast.client("hanna").get(f"{ADDRESS}/1"))
    assert cast.client("hanna").post(f"{ADDRESS}/1/players", {"all": "yes"}).status_code == 403
    added = text_of(dirk.post(f"{ADDRESS}/1/players", {"all": "yes"}, follow=True))
    assert "3 players added." in added
    assert "1 ready, 1 pending" in added
    assert names() == ["Ada Lund", "Ben Mohr", "Cy Nagel", "Nadia D."]


def test_button_adds_as_many_as_it_says_where_one_person_has_two_spellings(
    cast: Cast, dirk: Client
) -> None:
    league(cast.riverside)
    spelled = (
        "round,table,player,points\r\n"
        "1,1,Jörg Muller,10\r\n1,1,Ben Mohr,6\r\n1,1,Anne-Marie Holm,10\r\n1,1,Zoe New,0\r\n"
        "2,1,Joerg Müller,10\r\n2,1,Ben Mohr,6\r\n2,1,Annemarie Holm,10\r\n2,1,Zoe New,0\r\n"
    )
    file = SimpleUploadedFile("season.csv", spelled.encode())
    dirk.post(f"{ADDRESS}/new", {"file": file, "holds": "totals"})
    page = text_of(dirk.get(f"{ADDRESS}/1"))
    assert "Add all 4" in page
    assert '"Annemarie Holm" is not a player of the club' in page
    assert "4 players added." in text_of(
        dirk.post(f"{ADDRESS}/1/players", {"all": "yes"}, follow=True)
    )
    assert sorted(names()) == ["Anne-Marie Holm", "Ben Mohr", "Jörg Muller", "Zoe New"]


def test_chosen_people_are_added_over_rest_and_the_others_wait(cast: Cast, dirk: Client) -> None:
    upload(cast)
    response = dirk.post(f"{REST}/1/players", {"names": ["Ada Lund"]}, "application/json")
    assert response.status_code == 202
    assert names() == ["Ada Lund", "Nadia D."]
    assert ImportBatch.objects.get().state == "reading"
    nobody = dirk.post(f"{REST}/1/players", {"names": ["Zoë"]}, "application/json")
    assert [error["code"] for error in nobody.json()["errors"]] == ["nobody_to_add"]


def test_command_adds_the_players_that_lack_and_imports_results(cast: Cast, tmp_path: Path) -> None:
    players(league(cast.riverside).club, "Nadia D.")
    path = tmp_path / "season.csv"
    path.write_text("entry_id,player,points\n1,Ada,5\n1,Bo (guest),3\n1,Cy,2\n1,Nadia D.,16\n")
    where = ("--club", "riverside", "--event", "league", str(path))
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("import_results", *where, stdout=out)
    assert names() == ["Nadia D."]
    call_command("import_results", *where, "--new-players", stdout=out)
    assert sorted(names()) == ["Ada", "Bo (guest)", "Cy", "Nadia D."]
    assert "1 is in the event, 1 of them new." in out.getvalue()


def test_command_takes_likely_players_only_where_it_is_told(cast: Cast, tmp_path: Path) -> None:
    players(league(cast.riverside).club, "Ann Tarn", "Bo Gale", "Bo Linde", "Cy Nagel")
    path = tmp_path / "season.csv"
    path.write_text("entry_id,player,points\n1,Ann,5\n1,Bo,3\n1,Cy Nagel,2\n1,New One,16\n")
    where = ("--club", "riverside", "--event", "league", str(path))
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("import_results", *where, "--new-players", stdout=out)
    assert not PlayerAlias.objects.exists()
    assert len(names()) == 5  # nobody is added for "Ann", who is asked about, nor for "Bo"
    with pytest.raises(SystemExit):
        call_command("import_results", *where, "--likely-players", "--dry-run", stdout=out)
    assert not PlayerAlias.objects.exists()
    with pytest.raises(SystemExit):
        call_command("import_results", *where, "--likely-players", stdout=out)
    kept = PlayerAlias.objects.get()
    assert (kept.name, kept.player.name, kept.is_confirmed) == ("Ann", "Ann Tarn", True)
    assert '"Bo"' in out.getvalue()  # two members are called so: asked
    path.write_text(path.read_text().replace("Bo,", "Bo Gale,"))
    call_command("import_results", *where, stdout=(out := StringIO()))
    assert "“Ann” is Ann Tarn (RL01)" in out.getvalue()


def test_names_to_choose_lead_to_their_problems(cast: Cast) -> None:
    upload(cast)
    page = cast.client("dirk").get(f"{ADDRESS}/1").content.decode()
    links = re.findall(r'href="([^"]+/problems/\d+)">\s*Resolve<span class="vh"> Ada Lund', page)
    assert "Ada Lund" in text_of(cast.client("dirk").get(links[0]))
