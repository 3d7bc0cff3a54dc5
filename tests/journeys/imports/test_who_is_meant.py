"""Names of a file that are short for those of members: asked, answered at once, and kept."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.support.builders import league, players
from tests.support.cast import Cast
from tests.support.pages.forms import as_shown
from tests.support.pages.text import text_of
from tournaments.models.clubs import Player, PlayerAlias
from tournaments.models.hands import Hand
from tournaments.models.imports import ImportBatch

ADDRESS = "/clubs/riverside/events/league/imports"
REST = "/api/v1/clubs/riverside/events/league/imports"
MEMBERS = ("Ann Tarn", "Béatrice Müller", "Cai Gale", "David Birk")
HANDS = "1;13;5;8;0\n2;0;13;13;0\n3;1;0;13;12\n"
FIRST_NAMES = f"Hand;Ann;Béatrice;Cai;David\n{HANDS}"
FAMILY_FIRST = f"Hand;Tarn Ann;Müller Béatrice;Gale Cai;Birk David\n{HANDS}"
NICKNAMES = f"Hand;Ann Tarn;Bea;Cai Gale;Dave\n{HANDS}"


def send(client: Client, text: str, day: str = "2025-11-12") -> int:
    """Upload a file, accept its columns as proposed, and return the number of its import."""
    file = SimpleUploadedFile("evening.csv", text.encode())
    answer = client.post(f"{ADDRESS}/new", {"file": file, "holds": "auto", "day": day})
    at = answer["Location"]
    if at.endswith("/columns"):
        page = client.get(at)
        answer = client.post(at, as_shown(page.context["form"]))
        assert answer.status_code == 302, text_of(answer)
        at = at.removesuffix("/columns")
    return int(at.rpartition("/")[2])


def page_of(client: Client, number: int) -> str:
    return text_of(client.get(f"{ADDRESS}/{number}"))


@pytest.mark.parametrize("text", [FIRST_NAMES, FAMILY_FIRST])
def test_short_names_are_asked_at_once_and_no_person_is_made(cast: Cast, text: str) -> None:
    players(league(cast.riverside).club, *MEMBERS)
    dirk = cast.client("dirk")
    number = send(dirk, text)
    page = page_of(dirk, number)
    assert "is Ann Tarn (RL01)" in page
    assert "Yes to all 4" in page
    assert "not in the club" not in page
    refused = dirk.post(f"{ADDRESS}/{number}/players", {"all": "yes"}, follow=True)
    assert "no one to add" in text_of(refused).lower() or Player.objects.count() == 4
    answered = dirk.post(f"{ADDRESS}/{number}/likely", {"all": "yes"}, follow=True)
    assert "4 names are known now." in text_of(answered)
    dirk.post(f"{ADDRESS}/{number}/confirm")
    assert (Hand.objects.count(), Player.objects.count()) == (3, 4)
    assert PlayerAlias.objects.filter(is_confirmed=True).count() == 4


def test_nicknames_are_read_without_a_question(cast: Cast) -> None:
    league(cast.riverside)
    people = players(cast.riverside, *MEMBERS)
    for player, nickname in zip(people, ("", "Bea", "", "Dave"), strict=True):
        Player.objects.filter(pk=player.pk).update(nickname=nickname)
    number = send(cast.client("dirk"), NICKNAMES)
    assert not ImportBatch.objects.get(number=number).problems.filter(state="open").exists()


def test_next_week_the_same_names_are_no_question_and_said_by_the_preview(cast: Cast) -> None:
    players(league(cast.riverside).club, *MEMBERS)
    dirk = cast.client("dirk")
    number = send(dirk, FIRST_NAMES)
    dirk.post(f"{ADDRESS}/{number}/likely", {"all": "yes"})
    number = send(dirk, FIRST_NAMES.replace("13;5;8;0", "5;13;8;0"), "2025-11-19")
    page = page_of(dirk, number)
    day = PlayerAlias.objects.get(name="Ann").made_at.strftime("%-d %b %Y")
    assert f"“Ann” is Ann Tarn (RL01), as on {day}." in page
    assert "Yes to all" not in page
    assert not ImportBatch.objects.get(number=number).problems.filter(state="open").exists()


def test_answer_of_a_host_counts_for_the_file_and_is_proposed(cast: Cast) -> None:
    players(league(cast.riverside).club, *MEMBERS)
    hanna = cast.client("hanna")
    number = send(hanna, FIRST_NAMES)
    hanna.post(f"{ADDRESS}/{number}/likely", {"all": "yes"})
    assert not ImportBatch.objects.get(number=number).problems.filter(state="open").exists()
    assert PlayerAlias.objects.filter(is_confirmed=False).count() == 4
    number = send(hanna, FIRST_NAMES.replace("13;5;8;0", "5;13;8;0"), "2025-11-19")
    assert "Yes to all 4" in page_of(hanna, number)


def test_new_member_of_the_name_makes_it_a_question_again(cast: Cast) -> None:
    players(league(cast.riverside).club, *MEMBERS)
    dirk = cast.client("dirk")
    number = send(dirk, FIRST_NAMES)
    dirk.post(f"{ADDRESS}/{number}/likely", {"all": "yes"})
    players(cast.riverside, "Ann Berg")
    number = send(dirk, FIRST_NAMES.replace("13;5;8;0", "5;13;8;0"), "2025-11-19")
    problem = ImportBatch.objects.get(number=number).problems.get(state="open")
    assert (problem.found, problem.suggestion) == ('"Ann"', "Ann Tarn (RL01) or Ann Berg (RL05)")


def test_likely_players_are_taken_over_rest(cast: Cast, dirk: Client) -> None:
    players(league(cast.riverside).club, *MEMBERS)
    number = send(dirk, FIRST_NAMES)
    body = {"names": ["Ann", "Cai"]}
    response = dirk.post(f"{REST}/{number}/likely", body, "application/json")
    assert response.status_code == 202
    assert set(PlayerAlias.objects.values_list("name", flat=True)) == {"Ann", "Cai"}
