"""A sheet that the event has already, in another spelling: one question, never counted twice."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Final

import pytest
from django.test import Client

from tests.support.builders import TESTS, league, players
from tests.support.cast import Cast
from tests.support.fixtures import cast_once as cast_once
from tests.support.imports.imports import AFTERWARDS
from tests.support.imports.uploads import send_file
from tests.support.pages.forms import as_shown
from tests.support.pages.text import text
from tournaments.domain.imports.imported_sheets import SentHand
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Hand
from tournaments.models.imports import ImportProblem
from tournaments.services.imports.paper_sheets import enter_paper_sheet
from tournaments.services.operations import Operation

NAMES: Final = ("Ann Tarn", "Béatrice Müller", "Cai Gale", "David Birk")
DAY: Final = date(2025, 11, 13)
HANDS: Final = ((13, 5, 8, 0), (0, 13, 13, 0), (1, 0, 13, 12), (2, 3, 6, 15), (26, 0, 26, 26))
ONE_SHEET: Final = "offer-0"
ANOTHER_GAME: Final = "offer-1"

Points = Sequence[Sequence[int]]


@pytest.fixture
def event(cast: Cast) -> Event:
    players(cast.riverside, *NAMES)
    return league(cast.riverside)


@pytest.fixture
def dirk(cast: Cast, event: Event) -> Client:
    return cast.client("dirk")


def people(names: Sequence[str] = NAMES) -> list[Player]:
    by_name = {player.name: player for player in Player.objects.filter(name__in=names)}
    return [by_name[name] for name in names]


def enter_on_paper(event: Event, hands: Points = HANDS, *, place: int = 1) -> None:
    """Enter a sheet as Enter from paper does."""
    event = Event.objects.select_related("club").get(pk=event.pk)
    sent = [
        SentHand(number, {"points": list(points)}) for number, points in enumerate(hands, start=1)
    ]
    enter_paper_sheet(
        Operation(TESTS, AFTERWARDS), event, day=DAY, place=place, players=people(), hands=sent
    )


def written(
    folder: Path,
    hands: Points = HANDS,
    *,
    day: str = "",
    table: str = "",
    names: Sequence[str] = NAMES,
    numbered: bool = True,
    name: str = "sheet.csv",
) -> Path:
    heads = [*names]
    lines = [list(map(str, points)) for points in hands]
    if numbered:
        heads.insert(0, "Hand")
        lines = [[str(number), *line] for number, line in enumerate(lines, start=1)]
    for head, cell in (("Table", table), ("Date", day)):
        if cell:
            heads.insert(0, head)
            lines = [[cell, *line] for line in lines]
    path = folder / name
    rows = [heads, *lines]
    path.write_text("".join(f"{','.join(row)}\n" for row in rows), encoding="utf-8")
    return path


def send(client: Client, path: Path, **changed: str) -> str:
    """Send a file on the page with all that is proposed; return the address of its import."""
    at = send_file(client, path)
    if at.endswith("/columns"):
        page = client.get(at)
        answer = client.post(at, {**as_shown(page.context["form"]), **changed})
        assert answer.status_code == 302, text(answer)
        at = at.removesuffix("/columns")
    client.post(f"{at}/confirm")
    return at


def stored() -> list[tuple[str, int]]:
    """Return the code of each table with hands, and how many it has."""
    codes = Hand.objects.filter(state="accepted").values_list("game__table__code", flat=True)
    return [(code, list(codes).count(code)) for code in sorted(set(codes))]


def questions() -> list[ImportProblem]:
    return list(ImportProblem.objects.filter(state="open"))


def answer(client: Client, at: str, button: str) -> None:
    (problem,) = questions()
    client.post(f"{at}/problems/{problem.position}", {"do": button})
    client.post(f"{at}/confirm")


def test_sheet_without_a_date_that_was_entered_from_paper_is_asked_about(
    dirk: Client, event: Event, tmp_path: Path
) -> None:
    enter_on_paper(event)
    at = send(dirk, written(tmp_path))
    assert stored() == [("r1t1", 5)]
    (problem,) = questions()
    assert (problem.code, problem.lines) == ("sheet_elsewhere", [2, 3, 4, 5, 6])
    page = text(dirk.get(f"{at}/problems/{problem.position}"))
    assert "table 1 of round 1 has the same people, and 5 of 5 hands are equal" in page
    assert "It is one sheet: add only what is new" in page
    assert "Another game: add it" in page


def test_one_sheet_adds_only_what_is_new(dirk: Client, event: Event, tmp_path: Path) -> None:
    enter_on_paper(event, HANDS[:3])
    at = send(dirk, written(tmp_path))
    answer(dirk, at, ONE_SHEET)
    assert stored() == [("r1t1", 5)]
    assert questions() == []


def test_another_game_is_added(dirk: Client, event: Event, tmp_path: Path) -> None:
    enter_on_paper(event)
    at = send(dirk, written(tmp_path))
    answer(dirk, at, ANOTHER_GAME)
    assert stored() == [("r1t1", 5), ("r2t1", 5)]
    assert questions() == []
