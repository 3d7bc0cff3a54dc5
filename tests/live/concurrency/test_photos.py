"""Photos of a table are sent and deleted over REST in the middle of other actions at their table.

What comes of it is what one order of the two gives.
"""

from itertools import count
from pathlib import Path
from typing import ClassVar

import pytest
from django.test import Client

from tests.support.builders import by_tests, finished, league, link, players, table
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.fixtures import FOUR
from tests.support.imports.imports import imported, rows, written
from tests.support.lengths import only_long
from tests.support.live.at_once import NamedActions, Within, get_game
from tests.support.pages.photos import picture, upload
from tournaments.domain.people.public_names import erased_name
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Player
from tournaments.models.imports import ImportBatch
from tournaments.models.rounds import Picture, Round, SheetPhoto, Table
from tournaments.services.imports.undo import request_undo, undo_steps
from tournaments.services.people.erase_player import erase_player
from tournaments.services.rounds import photos
from tournaments.services.rounds.rounds import move_round
from tournaments.services.rounds.seating import clear_table

pytestmark = pytest.mark.pg

AT = "/api/v1/clubs/riverside/events/league/tables"
TABLES = {"clear": "r1t1", "close": "r2t1", "undo": "r11t1"}
"""Which table an action concerns, for others r1t1."""
SHADES = count(1)


class Sheets(NamedActions):
    """Three tables with a photo each: nothing played, played to the end, and brought by a file."""

    code = "r1t1"
    ends: ClassVar = {"undo": "tournaments.services.imports.undo.mark_changed"}

    def __init__(self, within: Within, folder: Path) -> None:
        super().__init__(within)
        with within():
            self.cast: Cast = enter_the_cast()
            people = players(self.cast.riverside, *FOUR)
            event = league(self.cast.riverside)
            table(event, people)
            finished(table(event, people, round_number=2))
            imported(written(folder, rows(1)), now=NOW)
            for self.code in ("r1t1", "r2t1", "r11t1"):
                assert self.send("hanna" if self.code != "r11t1" else "dirk", 0) == ""
            link(people[0], self.cast.users["hanna"])
            self.event = event

    def send(self, who: str, shade: int) -> str:
        client = Client()
        client.force_login(self.cast.users[who])
        answer = client.post(f"{AT}/{self.code}/photos", {"photo": upload(picture(shade))})
        return "" if answer.status_code in (200, 201) else answer.json()["errors"][0]["code"]

    def add(self) -> str:
        return self.send("dirk" if self.code == "r11t1" else "hanna", next(SHADES))

    def same(self) -> str:
        return self.send("dirk", 200)

    def remove(self) -> str:
        client = Client()
        client.force_login(self.cast.users["dirk"])
        at, body = f"{AT}/{self.code}/photos/1", '{"reason": "Not this sheet."}'
        answer = client.delete(at, body, content_type="application/json")
        return "" if answer.status_code == 200 else answer.json()["errors"][0]["code"]

    def clear(self) -> None:
        clear_table(by_tests(), get_game(table__code="r1t1"))

    def close(self) -> None:
        round_ = Round.objects.select_related("event__club", "club").get(number=2)
        move_round(by_tests(), round_, to="closed")

    def undo(self) -> None:
        batch = ImportBatch.objects.select_related("event__club", "club").get()
        request_undo(by_tests(), batch)
        for _ in undo_steps(batch, now=NOW):
            pass

    def erase(self) -> None:
        player = Player.objects.get(player_id="RL01")
        erase_player(self.cast.operation("olga"), player, confirmed="RL01", reason="Asked.")

    def both(self, first: str, second: str) -> tuple[str, str]:
        self.code = TABLES.get(first) or TABLES.get(second) or "r1t1"
        return super().both(first, second)

    def numbers(self) -> list[tuple[int, bool]]:
        kept = SheetPhoto.objects.filter(table__code=self.code).order_by("number")
        pictures = set(Picture.objects.values_list("photo", flat=True))
        return [(one.number, one.pk in pictures) for one in kept]

    def record(self) -> list[str]:
        """What the audit trail says of the photos here, but for the first ones."""
        lines = AuditLine.objects.filter(subject__contains=f"/table:{self.code}/photo:")
        said = lines.order_by("number").values_list("act", "subject")
        return [f"{action} {subject.rpartition(':')[2]}" for action, subject in said][1:]


@pytest.fixture
def sheets(within: Within, tmp_path: Path) -> Sheets:
    return Sheets(within, tmp_path)


THERE, GONE = True, False
FIRST, ADDED = (1, THERE), (2, THERE)


@pytest.mark.parametrize(
    ("first", "second", "said", "left"),
    [
        ("add", "add", ("", ""), [FIRST, ADDED, (3, THERE)]),
        ("same", "same", ("", ""), [FIRST, ADDED]),
        only_long("add", "remove", ("", ""), [(1, GONE), ADDED]),
        ("remove", "add", ("", ""), [(1, GONE), ADDED]),
        ("remove", "remove", ("", "photo_is_gone"), [(1, GONE)]),
        only_long("add", "clear", ("", ""), []),
        ("clear", "add", ("", "unknown_table"), []),
        only_long("remove", "clear", ("", ""), []),
        ("clear", "remove", ("", "unknown_table"), []),
        only_long("add", "close", ("", ""), [FIRST, ADDED]),
        ("close", "add", ("", "forbidden"), [FIRST]),
        ("remove", "close", ("", ""), [(1, GONE)]),
        only_long("close", "remove", ("", ""), [(1, GONE)]),
        ("add", "undo", ("", ""), [FIRST, ADDED]),
        only_long("undo", "add", ("", ""), [FIRST, ADDED]),
        ("remove", "undo", ("", ""), [(1, GONE)]),
        only_long("add", "erase", ("", ""), [FIRST, ADDED]),
        ("erase", "add", ("", ""), [FIRST, ADDED]),
        ("remove", "erase", ("", ""), [(1, GONE)]),
        only_long("erase", "remove", ("", ""), [(1, GONE)]),
    ],
)
def test_photo_is_before_the_other_act_or_finds_it_done(
    sheets: Sheets, first: str, second: str, said: tuple[str, str], left: list[tuple[int, bool]]
) -> None:
    assert sheets.both(first, second) == said
    with sheets.within():
        assert sheets.numbers() == left
        done = [
            name for name, code in zip((first, second), said, strict=True)
            if not code and name in ("add", "same", "remove")
        ]  # fmt: skip
        added = [one for one in done if one != "remove"][: 1 if first == "same" else None]
        wanted = [f"add_photo {2 + at}" for at in range(len(added))]
        wanted += ["remove_photo 1"] * done.count("remove")
        assert sorted(sheets.record()) == sorted(wanted)
        if "erase" in (first, second):
            signed = SheetPhoto.objects.get(table__code="r1t1", number=1).added_as
            assert signed == erased_name("RL01")


@pytest.mark.parametrize("is_first", [only_long(True), False])
def test_photo_keeps_the_table_of_an_import_that_is_undone_or_finds_no_table(
    sheets: Sheets, *, is_first: bool
) -> None:
    """The table has no photo before."""
    with sheets.within():
        SheetPhoto.objects.filter(table__code="r11t1").delete()
        sheets.code = "r11t1"
    said = sheets.both("add", "undo") if is_first else sheets.both("undo", "add")
    assert said == (("", "") if is_first else ("", "unknown_table"))
    with sheets.within():
        assert sheets.numbers() == ([(1, THERE)] if is_first else [])
        assert Table.objects.filter(code="r11t1").exists() == is_first


def test_no_table_has_more_photos_than_the_limit(
    sheets: Sheets, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(photos, "MOST_PHOTOS", 2)
    assert sheets.both("add", "add") == ("", "too_many_photos")
    with sheets.within():
        assert sheets.numbers() == [FIRST, ADDED]
    assert sheets.both("remove", "add") == ("", "")
    with sheets.within():
        assert sheets.numbers() == [(1, GONE), ADDED, (3, THERE)]
