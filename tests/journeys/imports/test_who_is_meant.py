"""Names of a file that are short for those of members: asked, answered at once, and kept."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client

from tests.support.answers import Json
from tests.support.builders import league, players
from tests.support.cast import NOW, Cast
from tests.support.pages.forms import as_shown
from tests.support.pages.text import text_of
from tournaments.models.clubs import Player, PlayerAlias
from tournaments.models.hands import Hand
from tournaments.models.imports import ImportBatch
from tournaments.models.standings import OpeningValue
from tournaments.services.imports.process_upload import process_upload

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


def test_parts_of_nicknames_are_asked_and_nobody_is_added_for_them(cast: Cast) -> None:
    league(cast.riverside)
    people = players(cast.riverside, *MEMBERS)
    for player, nickname in zip(people, ("", "Bela", "", "Mopsi"), strict=True):
        Player.objects.filter(pk=player.pk).update(nickname=nickname)
    dirk = cast.client("dirk")
    number = send(dirk, NICKNAMES.replace("Bea", "Bela Müller").replace("Dave", "Mops"))
    page = page_of(dirk, number)
    assert "Bela Müller is Béatrice Müller (RL02)" in page
    assert "Mops is David Birk (RL04)" in page
    assert "not in the club" not in page
    dirk.post(f"{ADDRESS}/{number}/players", {"all": "yes"})
    assert Player.objects.count() == len(MEMBERS)


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


def test_whom_two_names_may_mean_is_asked_one_by_one(cast: Cast) -> None:
    players(league(cast.riverside).club, *MEMBERS)
    dirk = cast.client("dirk")
    number = send(dirk, FIRST_NAMES.replace("Cai;", "Tarn;"))
    page = page_of(dirk, number)
    assert "Yes to all 2" in page
    assert "Ann is Ann Tarn" not in page
    added = dirk.post(f"{ADDRESS}/{number}/players", {"all": "yes"}, follow=True)
    assert "Nobody" in text_of(added) or Player.objects.count() == 4
    assert Player.objects.count() == 4


def test_who_sits_beside_a_short_name_is_not_meant_by_it(cast: Cast) -> None:
    players(league(cast.riverside).club, *MEMBERS)
    number = send(cast.client("dirk"), FIRST_NAMES.replace("Cai", "Ann Tarn"))
    problem = ImportBatch.objects.get(number=number).problems.get(found='"Ann"')
    assert not any("player" in offer for offer in problem.offers)


def test_only_who_is_like_no_member_is_added_at_once(cast: Cast) -> None:
    players(league(cast.riverside).club, *MEMBERS)
    dirk = cast.client("dirk")
    number = send(dirk, FIRST_NAMES.replace("Cai;David", "Zoe Lund;Kim Roth"))
    page = page_of(dirk, number)
    assert "Yes to all 2" in page
    assert "Add all 2" in page
    dirk.post(f"{ADDRESS}/{number}/players", {"all": "yes"})
    names = set(Player.objects.values_list("name", flat=True))
    assert names == {*MEMBERS, "Zoe Lund", "Kim Roth"}


def test_member_who_came_since_the_check_is_not_added_again(cast: Cast) -> None:
    players(league(cast.riverside).club, *MEMBERS)
    dirk = cast.client("dirk")
    number = send(dirk, FIRST_NAMES.replace("Cai;David", "Zoe;Kim Roth"))
    players(cast.riverside, "Zoe Lund")
    dirk.post(f"{ADDRESS}/{number}/players", {"all": "yes"})
    assert set(Player.objects.values_list("name", flat=True)) == {*MEMBERS, "Zoe Lund", "Kim Roth"}


def test_answer_to_one_problem_is_kept_unless_it_is_for_this_file_only(cast: Cast) -> None:
    players(league(cast.riverside).club, *MEMBERS)
    dirk = cast.client("dirk")
    number = send(dirk, FIRST_NAMES.replace("Cai;David", "Kay;Davie"))
    for found, once in (('"Kay"', ""), ('"Davie"', "on")):
        problem = ImportBatch.objects.get(number=number).problems.get(found=found, state="open")
        player = "RL03" if found == '"Kay"' else "RL04"
        sent = {"do": "player", "player": player, "once": once}
        dirk.post(f"{ADDRESS}/{number}/problems/{problem.position}", sent)
    assert set(PlayerAlias.objects.values_list("name", flat=True)) == {"Kay"}


def test_answer_over_rest_keeps_a_name_where_it_says_so(cast: Cast, dirk: Client) -> None:
    players(league(cast.riverside).club, *MEMBERS)
    number = send(dirk, FIRST_NAMES.replace("Cai;David", "Kay;Davie"))
    for found, body in (
        ('"Kay"', {"player_id": "RL03", "keeps_name": True}),
        ('"Davie"', {"player_id": "RL04"}),
    ):
        problem = ImportBatch.objects.get(number=number).problems.get(found=found, state="open")
        at = f"{REST}/{number}/problems/{problem.position}/correct"
        assert dirk.post(at, body, "application/json").status_code == 202
        process_upload(ImportBatch.objects.get(number=number).pk, now=NOW)
    assert set(PlayerAlias.objects.values_list("name", flat=True)) == {"Kay"}


def test_column_of_a_stored_mapping_is_asked_when_a_member_of_its_name_came(cast: Cast) -> None:
    players(league(cast.riverside).club, *MEMBERS)
    dirk = cast.client("dirk")
    number = send(dirk, FIRST_NAMES)
    dirk.post(f"{ADDRESS}/{number}/likely", {"all": "yes"})
    dirk.post(f"{ADDRESS}/{number}/keep-mapping", {"name": "Evening"})
    players(cast.riverside, "Ann")
    number = send(dirk, FIRST_NAMES.replace("13;5;8;0", "5;13;8;0"), "2025-11-19")
    problem = ImportBatch.objects.get(number=number).problems.get(state="open")
    assert {offer["player"] for offer in problem.offers if "player" in offer} == {"RL01", "RL05"}


PASTE = "/clubs/riverside/add-players"


def test_pasted_list_adds_no_likely_player_until_somebody_says_who_it_is(cast: Cast) -> None:
    players(cast.riverside, *MEMBERS)
    dirk = cast.client("dirk")
    pasted = {"names": "Ann\nTarn Ann\nZoe Lund\nbeatrice mueller"}
    page = dirk.post(PASTE, pasted)
    assert "Not added: is it a player of the club?" in text_of(page)
    assert [line.outcome for line in page.context["plan"].lines] == [
        "likely", "likely", "new", "there",
    ]  # fmt: skip
    dirk.post(PASTE, {**pasted, "add": "yes", "seen": page.context["plan"].digest})
    assert set(Player.objects.values_list("name", flat=True)) == {*MEMBERS, "Zoe Lund"}


def test_answers_about_a_pasted_list_are_kept_and_somebody_else_is_added(cast: Cast) -> None:
    players(cast.riverside, *MEMBERS)
    dirk = cast.client("dirk")
    pasted: Json = {"names": "Ann\nCai"}
    page = dirk.post(PASTE, {**pasted, "person": "member:1:RL01"})
    pasted["member"] = list(page.context["members"])
    page = dirk.post(PASTE, {**pasted, "person": "namesake:2"})
    pasted["namesake"] = list(page.context["namesakes"])
    assert [line.outcome for line in page.context["plan"].lines] == ["there", "new"]
    dirk.post(PASTE, {**pasted, "add": "yes", "seen": page.context["plan"].digest})
    assert set(Player.objects.values_list("name", flat=True)) == {*MEMBERS, "Cai"}
    assert PlayerAlias.objects.get().name == "Ann"
    again = dirk.post(PASTE, {"names": "Ann"})
    assert again.context["plan"].lines[0].outcome == "there"
    assert "as on" in text_of(again)


def test_list_over_rest_leaves_likely_players_out(cast: Cast, dirk: Client) -> None:
    players(cast.riverside, *MEMBERS)
    body = {"players": [{"name": "Ann"}, {"name": "Cai", "is_namesake": True}]}
    answer = dirk.post("/api/v1/clubs/riverside/rosters", body, "application/json").json()
    outcomes = [(row["outcome"], row["like"]) for row in answer["players"]]
    assert outcomes == [("likely", "Ann Tarn (RL01)"), ("new", "")]
    assert Player.objects.count() == 5


def test_command_for_lists_asks_who_is_meant(cast: Cast, tmp_path: Path) -> None:
    players(cast.riverside, *MEMBERS)
    path = tmp_path / "players.csv"
    path.write_text("name\nAnn\nZoe Lund\nGale Cai\n")
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("import_players", "--club", "riverside", str(path), stdout=out)
    assert "“Ann” may be Ann Tarn (RL01)." in out.getvalue()
    assert set(Player.objects.values_list("name", flat=True)) == {*MEMBERS, "Zoe Lund"}


SEASON = "/clubs/riverside/events/league/opening-values/list"


def test_season_takes_likely_players_by_a_tick_and_adds_none_of_them(cast: Cast) -> None:
    league(cast.riverside, settings={"primary": "placement_points"})
    players(cast.riverside, *MEMBERS)
    dirk = cast.client("dirk")
    sent = {"text": "Name;2025-10-01\nAnn;5\nGale Cai;7\nZoe Lund;3\n", "reason": "List."}
    assert "Is it Ann Tarn (RL01)?" in text_of(dirk.post(SEASON, sent))
    refused = dirk.post(SEASON, {**sent, "add": "yes", "add_missing": "on"})
    assert "“Ann” may be Ann Tarn (RL01)." in text_of(refused)
    assert Player.objects.count() == 4
    dirk.post(SEASON, {**sent, "add": "yes", "add_missing": "on", "take_likely": "on"})
    values = OpeningValue.objects.values_list("entrant__code", flat=True)
    assert sorted(values) == ["P0001", "RL01", "RL03"]
    assert set(PlayerAlias.objects.values_list("name", flat=True)) == {"Ann", "Gale Cai"}
