"""Two players of one name, merged and erased players: where a name leads to a person."""

from pathlib import Path

import pytest
from django.urls import reverse

from scoring.errors import Refused
from tests.support.builders import league, players
from tests.support.cast import NOW, Cast
from tests.support.imports.player_lists import listed, run
from tests.support.players import stored_player
from tournaments.documents.read.people_list import PastedPlayer
from tournaments.models.access import Contact
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant
from tournaments.policy import command
from tournaments.selectors.clubs.find_players import named_players
from tournaments.services.clubs.clubs import add_guest_once
from tournaments.services.clubs.player_paste import Roster, add_roster, plan_players
from tournaments.services.operations import Operation
from tournaments.services.people.erase_player import erase_player
from tournaments.services.people.merge_players import merge_players

pytestmark = pytest.mark.django_db

RUTH, OTHER = "ruth@mail.example", "other@mail.example"


def namesakes(cast: Cast) -> tuple[Player, Player]:
    first = stored_player(club=cast.riverside, player_id="RL01", name="Ruth Shore")
    second = stored_player(club=cast.riverside, player_id="RL02", name="Ruth Shore")
    return first, second


def merge(cast: Cast, source: Player, target: Player) -> None:
    merge_players(cast.operation("dirk"), source, target=target)


def erase(player: Player) -> None:
    erase_player(
        Operation(command("tests"), NOW), player, confirmed=player.player_id, reason="They asked."
    )


def plan(cast: Cast, *people: PastedPlayer) -> Roster:
    return plan_players(cast.riverside, people, has_consent=True)


def paste(cast: Cast, *people: PastedPlayer) -> dict[str, str]:
    """Paste a list with consent; return the stored addresses by the number of their player."""
    roster = plan(cast, *people)
    op = cast.operation("dirk")
    add_roster(op, cast.riverside, pasted=people, seen=roster.digest, has_consent=True)
    return addresses()


def addresses() -> dict[str, str]:
    return dict(Contact.objects.values_list("player__player_id", "email"))


def outcomes(roster: Roster) -> list[tuple[str, str]]:
    codes = [line.problem.code if line.problem else line.outcome for line in roster.lines]
    return [(code, line.like) for code, line in zip(codes, roster.lines, strict=True)]


def test_pasted_name_of_two_players_is_a_question_and_stores_no_address(cast: Cast) -> None:
    namesakes(cast)
    line = PastedPlayer(1, "Ruth Shore", email=RUTH)
    with pytest.raises(Refused) as refused:
        paste(cast, line)
    problem = refused.value.problems[0]
    assert (problem.code, problem.facts["ids"]) == ("name_of_several", "RL01, RL02")
    assert plan(cast, line).lines[0].candidates == (
        ("RL01", "Ruth Shore (RL01)"),
        ("RL02", "Ruth Shore (RL02)"),
    )
    assert (addresses(), Player.objects.count()) == ({}, 2)


def test_number_or_a_new_person_answers_the_question(cast: Cast) -> None:
    namesakes(cast)
    by_number = PastedPlayer(1, "Ruth Shore", "RL02", email=RUTH)
    assert paste(cast, by_number) == {"RL02": RUTH}
    another = PastedPlayer(1, "Ruth Shore", email=OTHER, is_namesake=True)
    assert paste(cast, another) == {"RL02": RUTH, "P0001": OTHER}


def test_pasted_name_of_one_player_needs_no_answer(cast: Cast) -> None:
    players(cast.riverside, "Ruth Shore")
    assert paste(cast, PastedPlayer(1, "Ruth Shore", email=RUTH)) == {"RL01": RUTH}


def test_second_line_of_a_name_stores_no_address_at_the_player_of_the_first(cast: Cast) -> None:
    players(cast.riverside, "Ruth Shore")
    lines = [PastedPlayer(1, "Ruth Shore", email=RUTH), PastedPlayer(2, "Ruth Shore", email=OTHER)]
    assert [line.outcome for line in plan(cast, *lines).lines] == ["there", "twice"]
    assert paste(cast, *lines) == {"RL01": RUTH}


def test_pasted_name_of_a_player_and_a_new_namesake_is_a_question(cast: Cast) -> None:
    players(cast.riverside, "Ruth Shore")
    new = PastedPlayer(1, "Ruth Shore", is_namesake=True)
    line = PastedPlayer(2, "Ruth Shore", email=OTHER)
    assert outcomes(plan(cast, new, line))[1][0] == "name_of_several"


def test_pasted_name_and_number_of_a_merged_player_lead_to_who_has_the_records(cast: Cast) -> None:
    first, second = namesakes(cast)
    merge(cast, first, second)
    by_name, by_number = PastedPlayer(1, "Ruth Shore"), PastedPlayer(1, "Ruth Shore", "RL01")
    assert outcomes(plan(cast, by_name)) == [("there", "Ruth Shore (RL02)")]
    assert outcomes(plan(cast, by_number)) == [("there", "Ruth Shore (RL02)")]
    assert paste(cast, PastedPlayer(1, "Ruth Shore", email=RUTH)) == {"RL02": RUTH}


def test_former_name_of_a_merged_player_leads_to_who_has_the_records(cast: Cast) -> None:
    people = players(cast.riverside, "Ruth Shaw", "Ruth Shore")
    merge(cast, people[0], people[1])
    assert paste(cast, PastedPlayer(1, "Ruth Shaw", email=RUTH)) == {"RL02": RUTH}


def test_pasted_name_and_number_of_an_erased_player_lead_to_nobody(cast: Cast) -> None:
    people = players(cast.riverside, "Ruth Shore")
    erase(people[0])
    shown = Player.objects.get().name
    assert outcomes(plan(cast, PastedPlayer(1, "Ruth Shore")))[0][0] == "new"
    assert outcomes(plan(cast, PastedPlayer(1, shown, "RL01")))[0][0] == "player_id_of_another"
    assert paste(cast, PastedPlayer(1, shown, email=RUTH)) == {"P0001": RUTH}


def test_page_asks_which_player_is_meant_and_stores_the_address_there(cast: Cast) -> None:
    namesakes(cast)
    client, at = cast.client("dirk"), reverse("tournaments:add-players", args=["riverside"])
    sent = {"names": f"Ruth Shore\t{RUTH}", "has_consent": "on"}
    page = client.post(at, sent).content.decode()
    assert 'value="member:1:RL02"' in page
    assert 'value="namesake:1"' in page
    assert 'name="add"' not in page
    page = client.post(at, sent | {"person": "member:1:RL02"}).content.decode()
    kept = 'name="member" value="RL02/1:Ruth Shore"'
    assert kept in page
    seen = plan(cast, PastedPlayer(1, "Ruth Shore", "RL02", email=RUTH)).digest
    added = client.post(at, sent | {"member": "RL02/1:Ruth Shore", "seen": seen, "add": "yes"})
    assert (added.status_code, addresses()) == (302, {"RL02": RUTH})


def test_list_of_rest_names_the_line_of_several_players(cast: Cast) -> None:
    namesakes(cast)
    body = {"lines": ["Ann", f"Ruth Shore\t{RUTH}"], "has_consent": True}
    answer = cast.client("dirk").post(
        "/api/v1/clubs/riverside/rosters", body, content_type="application/json"
    )
    errors = [(error["code"], error["pointer"]) for error in answer.json()["errors"]]
    assert (answer.status_code, errors) == (422, [("name_of_several", "/lines/1")])
    assert (addresses(), Player.objects.count()) == ({}, 2)


def imported(cast: Cast, tmp_path: Path, *rows: str, event: str = "") -> str:
    path = listed(tmp_path, "player_id,name,email", *rows)
    where = ("--event", event) if event else ()
    return run("--club", "riverside", *where, "--agreed", path)[1]


def test_imported_list_follows_merged_players(cast: Cast, tmp_path: Path) -> None:
    first, second = namesakes(cast)
    merge(cast, first, second)
    league(cast.riverside)
    assert "1 of them" in imported(cast, tmp_path, f"RL01,Ruth Shore,{RUTH}", event="league")
    assert addresses() == {"RL02": RUTH}
    assert [entrant.code for entrant in Entrant.objects.all()] == ["RL02"]
    assert "1 of them" in imported(cast, tmp_path, f",Ruth Shore,{RUTH}")


def test_imported_list_enters_no_erased_player(cast: Cast, tmp_path: Path) -> None:
    erase(players(cast.riverside, "Ruth Shore")[0])
    league(cast.riverside)
    assert "0 of them" in imported(cast, tmp_path, f"RL01,,{RUTH}", event="league")
    assert (addresses(), Entrant.objects.count()) == ({}, 0)


def test_imported_name_of_two_players_is_a_question(cast: Cast, tmp_path: Path) -> None:
    namesakes(cast)
    said = imported(cast, tmp_path, f",Ruth Shore,{RUTH}")
    assert "two players of the club are called Ruth Shore: RL01 and RL02" in said
    assert addresses() == {}


def test_guest_of_a_merged_players_name_is_who_has_the_records(cast: Cast) -> None:
    first, second = namesakes(cast)
    merge(cast, first, second)
    assert add_guest_once(cast.operation("hanna"), cast.riverside, name="Ruth Shore") == second
    assert Player.objects.count() == 2


def test_guest_of_an_erased_players_shown_name_is_a_new_player(cast: Cast) -> None:
    people = players(cast.riverside, "Ruth Shore")
    erase(people[0])
    name = Player.objects.get().name
    assert add_guest_once(cast.operation("hanna"), cast.riverside, name=name) != people[0]


def test_typed_name_of_an_active_and_an_inactive_player_is_a_question(cast: Cast) -> None:
    first, _second = namesakes(cast)
    Player.objects.filter(pk=first.pk).update(is_active=False)
    meant = named_players(cast.riverside).meant("Ruth Shore", ("seat", 1))
    assert getattr(meant, "code", "") == "name_of_several"


def test_first_address_of_two_lines_of_a_member_is_stored(cast: Cast) -> None:
    players(cast.riverside, "Ruth Shore")
    lines = [PastedPlayer(1, "Ruth Shore"), PastedPlayer(2, "ruth  shore", email=RUTH)]
    assert [line.outcome for line in plan(cast, *lines).lines] == ["there", "there"]
    assert paste(cast, *lines) == {"RL01": RUTH}
