"""Members in many spellings, and strangers: no filled button makes somebody a second time."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from tests.support.builders import league, players
from tests.support.cast import Cast
from tests.support.fixtures import cast_once as cast_once
from tests.support.imports.page_defaults import press_defaults
from tests.support.imports.season_checks import nickname_members
from tests.support.imports.seasons_of_files import MEMBERS
from tests.support.imports.spelled_names import Spelled, in_fours, spelled
from tests.support.lengths import short_or_long
from tournaments.models.clubs import Player

SEED: Final = 78
NUMBER: Final = 200
REASON: Final = {"reason": "The list on paper."}


@pytest.fixture
def names(cast: Cast) -> list[Spelled]:
    players(cast.riverside, *MEMBERS)
    nickname_members(cast.riverside)
    return spelled(SEED, NUMBER)


def doubles(names: list[Spelled]) -> dict[str, str]:
    """Return who was added though a member was meant: the name → how it was spelled."""
    meant = {" ".join(name.text.split()): name for name in names if name.member}
    added = Player.objects.exclude(name__in=MEMBERS).values_list("name", flat=True)
    found = {" ".join(name.split()) for name in added}
    return {name: f"{meant[name].how}: {meant[name].member}" for name in found & {*meant}}


def added() -> set[str]:
    return {*Player.objects.exclude(name__in=MEMBERS).values_list("name", flat=True)}


def test_names_of_files_of_hands_make_no_double(
    cast: Cast, names: list[Spelled], tmp_path: Path
) -> None:
    event = league(cast.riverside)
    client = cast.client("dirk")
    tables = in_fours(names)
    for number, table in enumerate(tables[:: short_or_long(6, 1)], start=1):
        heads = ",".join(f'"{name.text}"' for name in table)
        path = tmp_path / "hands.csv"
        path.write_text(f"Hand,{heads}\n1,13,5,8,0\n2,0,13,13,0\n", encoding="utf-8")
        day = f"2025-09-{number % 30 + 1:02}"
        address = f"/clubs/riverside/events/{event.slug}/imports/new"
        walk = press_defaults(client, address, path, {"day": day}, REASON)
        assert doubles(names) == {}, walk.pressed


@pytest.mark.parametrize("kind", ["paste", "one a table"])
def test_pasted_players_make_no_double(cast: Cast, names: list[Spelled], kind: str) -> None:
    client = cast.client("dirk")
    size = {"paste": 200, "one a table": 8}[kind]
    chunks = [names[at : at + size] for at in range(0, len(names), size)]
    for chunk in chunks[:: short_or_long(5, 1)]:
        text = "\n".join(name.text for name in chunk)
        walk = press_defaults(client, "/clubs/riverside/add-players", None, {"names": text})
        assert doubles(names) == {}, walk.pressed


@pytest.mark.parametrize("kind", ["members", "totals", "season"])
def test_names_of_other_files_make_no_double(
    cast: Cast, names: list[Spelled], tmp_path: Path, kind: str
) -> None:
    event = league(cast.riverside)
    client = cast.client("dirk")
    for at, table in enumerate(in_fours(names)[:: short_or_long(12, 1)]):
        path = tmp_path / f"{kind}.csv"
        path.write_text(text_of(kind, table), encoding="utf-8")
        address = f"/clubs/riverside/events/{event.slug}/imports/new"
        day = f"2025-09-{at % 30 + 1:02}"
        walk = press_defaults(client, address, path, {"day": day}, REASON)
        assert doubles(names) == {}, walk.pressed


def text_of(kind: str, table: Sequence[Spelled]) -> str:
    heads = {
        "members": "Name,Email",
        "totals": "Table,Player,Points,Hands",
        "season": "Rank,Name,Games,Points",
    }
    lines = []
    for number, name in enumerate(table, start=1):
        cells = {
            "members": f'"{name.text}",',
            "totals": f'1,"{name.text}",{(20, 30, 26, 28)[number - 1]},4',
            "season": f'{number},"{name.text}",3,{40 + number}',
        }
        lines.append(cells[kind])
    return "\n".join([heads[kind], *lines, ""])


def test_strangers_among_members_are_added_by_the_filled_button(
    cast: Cast, tmp_path: Path, names: list[Spelled]
) -> None:
    """Else a button that adds nobody would pass."""
    strangers = [name.text for name in names if name.member is None][:4]
    event = league(cast.riverside)
    path = tmp_path / "hands.csv"
    path.write_text(f"Hand,{','.join(strangers)}\n1,13,5,8,0\n", encoding="utf-8")
    address = f"/clubs/riverside/events/{event.slug}/imports/new"
    press_defaults(cast.client("dirk"), address, path, {"day": "2025-09-01"}, REASON)
    assert added() == {*strangers}
