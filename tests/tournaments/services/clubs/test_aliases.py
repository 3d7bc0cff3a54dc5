"""Names that files have for a player: kept by directors, proposed by hosts, never public."""

from pathlib import Path
from uuid import UUID

import pytest
from django.core.management import call_command
from django.test import Client

from tests.support.builders import by_tests, league, players
from tests.support.cast import Cast
from tests.support.pages.text import text_of
from tournaments.errors import Missing
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club, Player, PlayerAlias
from tournaments.selectors.clubs.find_players import aliases_of
from tournaments.selectors.people.accounts import get_personal_data
from tournaments.selectors.people.aliases import get_alias
from tournaments.services.clubs.aliases import confirm_alias, keep_names, remove_alias
from tournaments.services.clubs.names import lock_names
from tournaments.services.people.erase_player import erase_player
from tournaments.services.people.merge_players import merge_players, undo_merge

pytestmark = [pytest.mark.django_db]

REST = "/api/v1/clubs/riverside/players/RL01/aliases"


def keep(cast: Cast, name: str, player: Player, who: str = "dirk") -> int:
    op = cast.operation(who)
    return keep_names(op, lock_names(cast.riverside), {name: player})


def kept(club: Club) -> dict[str, tuple[str, bool]]:
    rows = PlayerAlias.objects.filter(club=club).select_related("player")
    return {row.name: (row.player.player_id, row.is_confirmed) for row in rows}


def test_answer_of_a_director_is_kept_and_that_of_a_host_is_a_proposal(cast: Cast) -> None:
    ann, david = players(cast.riverside, "Ann Tarn", "David Birk")
    assert keep(cast, "Davie", david) == 1
    assert keep(cast, "Annie", ann, "hanna") == 1
    assert kept(cast.riverside) == {"Davie": ("RL02", True), "Annie": ("RL01", False)}


@pytest.mark.parametrize(
    "name", ["ann  TARN", "Tarnish", "RL01", "0170 1234567", "a@club.example", ""]
)
def test_name_that_is_a_members_or_none_is_not_kept(cast: Cast, name: str) -> None:
    ann, david = players(cast.riverside, "Ann Tarn", "David Birk")
    Player.objects.filter(pk=ann.pk).update(nickname="Tarnish")
    assert keep(cast, name, david) == 0
    assert kept(cast.riverside) == {}


def test_name_of_120_letters_is_kept_and_a_longer_one_is_not(cast: Cast) -> None:
    (ann,) = players(cast.riverside, "Ann Tarn")
    assert keep(cast, "x" * 120, ann) == 1
    assert keep(cast, "y" * 121, ann) == 0


def test_name_is_kept_for_one_player_the_last_who_was_named(cast: Cast) -> None:
    ann, david = players(cast.riverside, "Ann Tarn", "David Birk")
    keep(cast, "Davie", ann)
    keep(cast, "davie", david)
    assert kept(cast.riverside) == {"davie": ("RL02", True)}
    assert keep(cast, "DAVIE", david, "hanna") == 0
    assert keep(cast, "Davie", ann, "hanna") == 1
    keep(cast, "Davie", david)
    assert kept(cast.riverside) == {"Davie": ("RL02", True)}


def test_answer_with_the_member_of_that_name_ends_what_was_kept(cast: Cast) -> None:
    (david,) = players(cast.riverside, "David Birk")
    keep(cast, "Davie", david)
    (davie,) = players(cast.riverside, "Davie")
    keep(cast, "Davie", davie, "hanna")
    assert kept(cast.riverside) == {"Davie": ("RL01", True)}
    keep(cast, "Davie", davie)
    assert kept(cast.riverside) == {}


def test_proposal_counts_once_it_is_confirmed(cast: Cast) -> None:
    ann, david = players(cast.riverside, "Ann Tarn", "David Birk")
    keep(cast, "Davie", ann)
    keep(cast, "Davie", david, "hanna")
    proposal = PlayerAlias.objects.get(is_confirmed=False)
    confirm_alias(cast.operation("dirk"), proposal)
    assert kept(cast.riverside) == {"Davie": ("RL02", True)}
    assert PlayerAlias.objects.get().made_as == "director"
    remove_alias(cast.operation("dirk"), proposal)
    assert kept(cast.riverside) == {}
    with pytest.raises(Missing):
        remove_alias(cast.operation("dirk"), proposal)


def test_audit_has_no_name(cast: Cast) -> None:
    (ann,) = players(cast.riverside, "Ann Tarn")
    keep(cast, "Annie", ann)
    remove_alias(cast.operation("dirk"), PlayerAlias.objects.get())
    lines = AuditLine.objects.filter(subject="player:RL01").order_by("number")
    assert [line.act for line in lines][-2:] == ["keep_alias", "remove_alias"]
    assert "Annie" not in "".join(str(line.facts) for line in lines)


def test_merge_moves_the_names_and_its_undoing_brings_them_back(cast: Cast) -> None:
    ann, double = players(cast.riverside, "Ann Tarn", "Anne Tarn")
    keep(cast, "Annie", double)
    merge = merge_players(by_tests(), double, target=ann)
    keep(cast, "Tarni", ann)
    assert kept(cast.riverside) == {"Annie": ("RL01", True), "Tarni": ("RL01", True)}
    undo_merge(by_tests(), merge)
    assert kept(cast.riverside) == {"Annie": ("RL02", True), "Tarni": ("RL01", True)}


def test_erasure_deletes_the_names_those_of_a_merged_record_too(cast: Cast) -> None:
    ann, double, david = players(cast.riverside, "Ann Tarn", "Anne Tarn", "David Birk")
    for name, player in (("Annie", ann), ("Anni", double), ("Davie", david)):
        keep(cast, name, player)
    merge_players(by_tests(), double, target=ann)
    erase_player(by_tests(), ann, confirmed="RL01", reason="Asked for it.")
    assert kept(cast.riverside) == {"Davie": ("RL03", True)}


def test_names_are_in_the_data_of_their_person(cast: Cast) -> None:
    (ann,) = players(cast.riverside, "Ann Tarn")
    keep(cast, "Annie", ann)
    data = get_personal_data(cast.actor("olga"), cast.riverside, ann)
    assert [row["name"] for row in data["aliases"]] == ["Annie"]


def test_archive_has_the_names_and_they_count_in_the_new_club(cast: Cast, tmp_path: Path) -> None:
    _, david = players(cast.riverside, "Ann Tarn", "David Birk")
    keep(cast, "Davie", david)
    path = tmp_path / "club.zip"
    call_command("export_club", "--club", "riverside", str(path))
    call_command("import_club", str(path), "--as", "copy")
    copy = Club.objects.get(slug="copy")
    assert kept(copy) == {"Davie": ("RL02", True)}
    (alias,) = aliases_of(copy)
    newest = Player.objects.filter(club=copy).order_by("-pk")[0]
    assert alias.newest == newest.pk


def test_anonymous_archive_has_no_name(cast: Cast, tmp_path: Path) -> None:
    (david,) = players(cast.riverside, "David Birk")
    keep(cast, "Davie", david)
    path = tmp_path / "club.zip"
    call_command("export_club", "--club", "riverside", "--anonymous", str(path))
    assert b"Davie" not in path.read_bytes()


def test_directors_list_confirm_and_remove_names_over_rest(cast: Cast, dirk: Client) -> None:
    (ann,) = players(cast.riverside, "Ann Tarn")
    keep(cast, "Annie", ann, "hanna")
    (row,) = dirk.get(REST).json()["results"]
    assert (row["name"], row["is_confirmed"], row["made_by"]) == ("Annie", False, "host")
    confirmed = dirk.post(f"{REST}/{row['id']}/confirm", {}, "application/json")
    assert confirmed.json()["is_confirmed"] is True
    assert dirk.delete(f"{REST}/{row['id']}").status_code == 200
    assert dirk.get(REST).json()["results"] == []
    assert dirk.delete(f"{REST}/{row['id']}").status_code == 404


@pytest.mark.parametrize("who", ["hanna", "piet", "nora"])
def test_nobody_else_reads_or_removes_names(cast: Cast, who: str) -> None:
    league(cast.riverside)
    (ann,) = players(cast.riverside, "Ann Tarn")
    keep(cast, "Annie", ann)
    alias = PlayerAlias.objects.get()
    client = cast.client(who)
    assert client.get(REST).status_code == 404
    assert client.delete(f"{REST}/{alias.public_id}").status_code == 403
    page = client.get("/clubs/riverside/players/RL01")
    assert "Annie" not in page.content.decode()
    at = f"/clubs/riverside/player-aliases/{alias.public_id}/RL01"
    assert client.post(at, {"to": "remove"}).status_code == 403
    assert kept(cast.riverside) == {"Annie": ("RL01", True)}
    search = client.get("/clubs/riverside/search?q=Annie")
    assert "Ann Tarn" not in search.content.decode()


def test_name_of_another_club_is_not_found(cast: Cast) -> None:
    (ann,) = players(cast.riverside, "Ann Tarn")
    (other,) = players(cast.hilltop, "Bo Lind")
    keep(cast, "Annie", ann)
    with pytest.raises(Missing):
        get_alias(other, UUID(str(PlayerAlias.objects.get().public_id)))
    assert aliases_of(cast.hilltop) == []


def test_page_of_a_player_lists_names_with_what_can_be_done(cast: Cast) -> None:
    (ann,) = players(cast.riverside, "Ann Tarn")
    keep(cast, "Annie", ann, "hanna")
    dirk = cast.client("dirk")
    page = text_of(dirk.get("/clubs/riverside/players/RL01"))
    assert "Names in files" in page
    assert "Annie" in page
    assert "Proposed by a host Confirm Annie Remove Annie" in page
    at = f"/clubs/riverside/player-aliases/{PlayerAlias.objects.get().public_id}/RL01"
    confirmed = text_of(dirk.post(at, {"to": "confirm"}, follow=True))
    assert "“Annie” in files is Ann Tarn from now on." in confirmed
    removed = text_of(dirk.post(at, {"to": "remove"}, follow=True))
    assert "“Annie” in files is asked about again." in removed
    assert "Names in files" not in removed
