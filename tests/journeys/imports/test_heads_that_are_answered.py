"""Names in a file that somebody answers for are kept for the club, and no question next week."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest
from django.test import Client

from tests.support.builders import league, players
from tests.support.cast import NOW, Cast
from tests.support.fixtures import cast_once as cast_once
from tests.support.imports.page_defaults import press_defaults
from tests.support.imports.uploads import IMPORTS, send_file, stored_points
from tests.support.pages.forms import as_shown
from tests.support.pages.text import text_of
from tournaments.models.clubs import Player, PlayerAlias
from tournaments.models.imports import ImportBatch, ImportProblem
from tournaments.services.imports.process_upload import process_upload

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

MEMBERS: Final = ("Ann Tarn", "Béatrice Müller", "Cai Gale", "David Birk")
HEADS: Final = ("Ann Tarn", "Béatrice Müller", "Mops", "Didi")
REST: Final = f"/api/v1{IMPORTS}"

WEEK_1: Final = ((13, 5, 8, 0), (0, 13, 13, 0))
WEEK_2: Final = ((1, 0, 13, 12), (2, 3, 6, 15))


@pytest.fixture
def club(cast: Cast) -> Cast:
    players(cast.riverside, *MEMBERS)
    league(cast.riverside)
    return cast


def file_of(folder: Path, *weeks: Sequence[Sequence[int]], heads: Sequence[str] = HEADS) -> Path:
    """One list that grows by an evening each week."""
    lines = [";".join(("Datum", "Spiel", *heads))]
    for day, hands in zip(("06.11.2025", "13.11.2025"), weeks, strict=False):
        lines += [";".join(map(str, (day, n, *hand))) for n, hand in enumerate(hands, start=1)]
    path = folder / "abend.csv"
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return path


def answer_heads(
    client: Client, path: Path, answers: dict[str, str], *, once: str = ""
) -> tuple[str, str]:
    """Send a file, say who the heads of its columns are; return its address and the page."""
    address = send_file(client, path)
    assert address.endswith("/columns"), address
    page = client.get(address)
    form = page.context["form"]
    sent = as_shown(form)
    for index, label in enumerate(form.labels):
        if label in answers:
            sent |= {f"column-{index}": "player", f"player-{index}": answers[label]}
    answer = client.post(address, {**sent, "once": once})
    assert answer.status_code == 302, text_of(answer)
    return address.removesuffix("/columns"), text_of(page)


def kept() -> dict[str, str]:
    return dict(PlayerAlias.objects.values_list("name", "player__player_id"))


WHO: Final = {"Mops": "RL03", "Didi": "RL04"}


def test_who_a_head_is_needs_no_answer_next_week(club: Cast, tmp_path: Path) -> None:
    dirk = club.client("dirk")
    address, page = answer_heads(dirk, file_of(tmp_path, WEEK_1), WHO)
    assert "Only in this file" in page
    dirk.post(f"{address}/confirm")
    walk = press_defaults(dirk, f"{IMPORTS}/new", file_of(tmp_path, WEEK_1, WEEK_2))
    assert "Who is “Didi”?" not in " ".join(walk.texts)
    assert "“Didi” is David Birk (RL04), as on" in " ".join(walk.texts)
    assert [points for _, points in stored_points()] == list(map(list, (*WEEK_1, *WEEK_2)))
    assert Player.objects.count() == len(MEMBERS)
    assert not ImportProblem.objects.filter(state="open").exists()
    assert "Didi" in text_of(dirk.get("/clubs/riverside/players/RL04"))


def test_answer_about_a_head_for_this_file_only_is_not_kept(club: Cast, tmp_path: Path) -> None:
    answer_heads(club.client("dirk"), file_of(tmp_path, WEEK_1), WHO, once="on")
    assert kept() == {}


def test_answer_of_a_host_about_a_head_is_proposed(club: Cast, tmp_path: Path) -> None:
    hanna = club.client("hanna")
    address, _page = answer_heads(hanna, file_of(tmp_path, WEEK_1), WHO)
    assert kept() == {"Mops": "RL03", "Didi": "RL04"}
    assert not PlayerAlias.objects.filter(is_confirmed=True).exists()
    hanna.post(f"{address}/confirm")
    assert len(stored_points()) == len(WEEK_1)


@pytest.mark.parametrize("heads", [("N", "O", "S", "W"), ("Spieler 1", "Spieler 2", "Gast", "4")])
def test_seats_and_usual_heads_are_no_names_to_keep(
    club: Cast, tmp_path: Path, heads: Sequence[str]
) -> None:
    answers = dict(zip(heads, ("RL01", "RL02", "RL03", "RL04"), strict=True))
    dirk = club.client("dirk")
    path = file_of(tmp_path, WEEK_1, heads=heads)
    address, page = answer_heads(dirk, path, answers)
    assert "Only in this file" not in page
    dirk.post(f"{address}/confirm")
    assert len(stored_points()) == len(WEEK_1)
    assert kept() == {}


def test_answer_about_a_head_does_not_change_what_is_kept_already(
    club: Cast, tmp_path: Path
) -> None:
    dirk = club.client("dirk")
    answer_heads(dirk, file_of(tmp_path, WEEK_1), WHO)
    before = list(PlayerAlias.objects.order_by("pk").values("name", "newest", "made_at"))
    Player.objects.create(club=club.riverside, player_id="RL09", name="Zoe Lund")
    answer_heads(dirk, file_of(tmp_path, WEEK_1, heads=(*HEADS[:3], "Bobby")), {"Bobby": "RL04"})
    unchanged = PlayerAlias.objects.exclude(name="Bobby").order_by("pk")
    assert list(unchanged.values("name", "newest", "made_at")) == before


def test_program_keeps_heads_where_it_says_so(club: Cast, tmp_path: Path) -> None:
    dirk = club.client("dirk")
    number = send_file(dirk, file_of(tmp_path, WEEK_1)).split("/")[-2]
    at = f"{REST}/{number}/columns"
    columns = dirk.get(at).json()["columns"]
    for column in columns:
        column.pop("sample")
        column["player_id"] = column["player_id"] or WHO.get(column["label"], "")
        column["means"] = "player" if column["player_id"] else column["means"]
    body = {"rows": "hands", "columns": columns, "by_dates": True, "round": "1", "table": "1"}
    for more, names in (({}, {}), ({"keeps_names": True}, {"Mops": "RL03", "Didi": "RL04"})):
        answer = dirk.post(at, {**body, **more}, "application/json")
        assert answer.status_code == 202, answer.json()
        process_upload(ImportBatch.objects.get(number=number).pk, now=NOW)
        assert kept() == names


def test_name_of_a_file_is_kept_for_somebody_who_is_added_with_a_fuller_one(
    club: Cast, tmp_path: Path
) -> None:
    heads = (*MEMBERS[:3], "Didi")
    dirk = club.client("dirk")
    press_defaults(dirk, f"{IMPORTS}/new", file_of(tmp_path, WEEK_1, heads=heads))
    problem = ImportProblem.objects.get(found='"Didi"', state="open")
    at = f"{IMPORTS}/{problem.batch.number}/problems/{problem.position}"
    page = text_of(dirk.get(at))
    assert "Otherwise the answer is kept" in page
    dirk.post(at, {"do": "newcomer", "name": "Dieter Dill", "player_id": "RL09"})
    assert kept() == {"Didi": "RL09"}
    dirk.post(f"{IMPORTS}/{problem.batch.number}/confirm")
    walk = press_defaults(dirk, f"{IMPORTS}/new", file_of(tmp_path, WEEK_1, WEEK_2, heads=heads))
    assert not walk.is_stuck
    assert len(stored_points()) == len((*WEEK_1, *WEEK_2))


def test_name_of_who_is_added_is_not_kept_for_this_file_only(club: Cast, tmp_path: Path) -> None:
    dirk = club.client("dirk")
    path = file_of(tmp_path, WEEK_1, heads=(*MEMBERS[:3], "Didi"))
    press_defaults(dirk, f"{IMPORTS}/new", path)
    problem = ImportProblem.objects.get(found='"Didi"', state="open")
    at = f"{IMPORTS}/{problem.batch.number}/problems/{problem.position}"
    sent = {"do": "newcomer", "name": "Dieter Dill", "player_id": "RL09", "once_added": "on"}
    dirk.post(at, sent)
    assert Player.objects.filter(player_id="RL09").exists()
    assert kept() == {}
