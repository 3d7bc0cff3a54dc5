"""Who sat there: known by id and name, suggested where nearly, never guessed."""

import pytest

from tournaments.documents.read.people import ClubPlayer, People

MEMBERS = [
    ClubPlayer(1, "RL01", "Alma D."),
    ClubPlayer(2, "RL13", "Mina D."),
    ClubPlayer(3, "RL23", "Wim K."),
    ClubPlayer(4, "RL40", "Nadia D."),
    ClubPlayer(5, "RL41", "Jörg S."),
    ClubPlayer(6, "RL42", "Jörg S."),
]


@pytest.mark.parametrize(
    ("code", "name", "player_id"),
    [
        ("RL01", "Alma D.", "RL01"),
        ("rl01", " alma  d. ", "RL01"),
        ("RL01", "", "RL01"),
        ("", "Alma D.", "RL01"),
        ("RL42", "Jo\u0308rg S.", "RL42"),
    ],
)
def test_member_is_found_by_id_and_name(code: str, name: str, player_id: str) -> None:
    person = People(MEMBERS).person(code, name)
    assert person.member is not None
    assert person.member.player_id == player_id
    assert person.code == ""


def test_new_member_gets_no_id_that_no_address_can_hold() -> None:
    people = People(MEMBERS, welcome=True)
    assert people.person("..", "Olga D.").code == "unknown_player"
    assert people.person("D..", "Olga D.").code == ""
    assert [member.player_id for member in people.new] == ["D.."]


@pytest.mark.parametrize(
    ("code", "name", "problem", "suggestion"),
    [
        ("", "Nadiia D.", "unknown_player", "Nadia D. (RL40)"),
        ("", "Guest (Wim's cousin)", "unknown_player", None),
        ("RL99", "Alma D.", "unknown_player", "Alma D. (RL01)"),
        ("RL01", "Mina D.", "id_name_disagree", "Mina D. is RL13"),
        ("RL01", "Alma", "id_name_disagree", None),
        ("", "Jörg S.", "ambiguous_name", None),
        ("", "", "no_player", None),
    ],
)
def test_what_leaves_it_open_is_asked(
    code: str, name: str, problem: str, suggestion: str | None
) -> None:
    person = People(MEMBERS).person(code, name)
    assert (person.member, person.code, person.suggestion) == (None, problem, suggestion)


def test_only_an_id_brings_a_new_member() -> None:
    people = People(MEMBERS, welcome=True)
    assert people.person("", "Newcomer").code == "unknown_player"
    assert people.person("RL50", "Newcomer").member == ClubPlayer(-1, "RL50", "Newcomer")
    assert people.person("RL50", "Other").code == "id_name_disagree"
    assert people.new == [ClubPlayer(-1, "RL50", "Newcomer")]


def test_overlong_name_is_cut_and_noted() -> None:
    people = People([], welcome=True)
    person = people.person("RL50", "x" * 300_000)
    assert person.member is not None
    assert len(person.member.name) == 120
    assert person.notes == ("name_cut",)
