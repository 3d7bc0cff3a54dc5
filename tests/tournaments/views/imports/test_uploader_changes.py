"""A file goes on in the name of who works at it, whatever became of the person who sent it."""

from pathlib import Path

import pytest

from tests.support.cast import Cast
from tests.support.fixtures import FOUR, cast_with
from tests.support.imports.imports import CAST, HEADS, rows, written
from tests.support.pages.text import text_of
from tournaments import tasks
from tournaments.models.clubs import Membership
from tournaments.models.hands import Entry, Hand
from tournaments.models.imports import ImportBatch, ImportProblem
from tournaments.models.outbox import Dirty, import_scope

pytestmark = pytest.mark.django_db
IMPORTS = "/clubs/riverside/events/league/imports"
IMPORT = f"{IMPORTS}/1"
MISSPELT = {**CAST, "N": ",Alma X."}
FOREIGN = HEADS.replace("hearts,queen_spades", "a,b")


cast_once, cast = cast_with(*FOUR, with_league=True)


def send(cast: Cast, path: Path) -> None:
    """Hanna sends a file."""
    with path.open("rb") as file:
        assert cast.client("hanna").post(f"{IMPORTS}/new", {"file": file}).status_code == 302


def hanna_leaves(cast: Cast) -> None:
    Membership.objects.filter(user=cast.users["hanna"]).delete()


def settle(cast: Cast) -> str:
    """Dirk says who sat there."""
    one = ImportProblem.objects.get(state="open")
    said = {"do": "player", "player": "RL01"}
    return text_of(cast.client("dirk").post(f"{IMPORT}/problems/{one.position}", said, follow=True))


@pytest.mark.parametrize("is_confirmed", [True, False])
def test_problem_of_somebody_who_left_is_resolved_in_the_name_of_who_resolves_it(
    cast: Cast, tmp_path: Path, *, is_confirmed: bool
) -> None:
    send(cast, written(tmp_path, rows(1), rows(1, round_=12, cast=MISSPELT)))
    if is_confirmed:
        cast.client("hanna").post(f"{IMPORT}/confirm")
        assert Hand.objects.count() == 1
    hanna_leaves(cast)
    page = settle(cast)
    assert "may no longer import" not in page
    assert "Import 1 by dirk" in page
    if not is_confirmed:
        assert "Import 2 hands" in page
        return
    who = dict(Entry.objects.values_list("hand__game__table__round__number", "entered_as"))
    assert who == {11: "hanna", 12: "dirk"}


def test_file_that_the_workers_gave_up_is_tried_again_by_somebody_else(
    cast: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(cast, written(tmp_path, rows(1)))
    with monkeypatch.context() as patch:
        patch.setattr("tournaments.views.imports.imports.ROWS", 0)
        cast.client("hanna").post(f"{IMPORT}/confirm")
    batch = ImportBatch.objects.get()
    Dirty.objects.filter(scope=import_scope(batch.pk)).update(parked=True, error="OSError")
    hanna_leaves(cast)
    dirk = cast.client("dirk")
    assert "Try again" in text_of(dirk.get(IMPORT))
    dirk.post(f"{IMPORT}/again")
    tasks.work_on_import(batch.pk)
    assert "Import 1 by dirk" in text_of(dirk.get(IMPORT))
    assert Entry.objects.get().entered_as == "dirk"


def test_columns_of_a_file_of_somebody_who_left_are_said_by_somebody_else(
    cast: Cast, tmp_path: Path
) -> None:
    send(cast, written(tmp_path, rows(1), heads=FOREIGN))
    hanna_leaves(cast)
    dirk = cast.client("dirk")
    means = (
        *("date", "round", "table", "variant", "hand", "seat", "player_id", "player"),
        *("hearts", "queen_spades", "ignore", "ignore", "ignore"),
    )
    typed = {f"column-{index}": one for index, one in enumerate(means)}
    page = dirk.post(f"{IMPORT}/columns", {**typed, "rows": "seats"}, follow=True)
    assert "Import 1 hand" in text_of(page)
    assert "Import 1 by dirk" in text_of(page)
