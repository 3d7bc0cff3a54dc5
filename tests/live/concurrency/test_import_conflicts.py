"""A hand of a file takes the place of a stored one while others are at the same hand."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from tests.live.conftest import Inside
from tests.support.builders import TESTS, league, players
from tests.support.cast import NOW, enter_the_cast
from tests.support.comparisons.scores import verify_scores
from tests.support.imports.imports import imported
from tests.support.live.bulk_acts import at_once, project, tables
from tests.support.live.project import LiveProject
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Entry, Game, Hand
from tournaments.models.imports import ImportBatch, ImportProblem, Replacement
from tournaments.models.meetings import Round
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.imports.resolve_problem import use_file_hand
from tournaments.services.imports.undo import request_undo, undo_steps

pytestmark = pytest.mark.pg
__all__ = ["project"]

OTHER = [3, 2, 2, 6]
TABLES = 4


@pytest.fixture
def night(inside: Inside, project: LiveProject, tmp_path: Path) -> Event:
    """Tables of one round with a hand each, and a file that has each of these otherwise."""
    with inside(project):
        event = league(enter_the_cast().riverside)
        people = players(event.club, *(f"Player {at}" for at in range(1, 4 * TABLES + 1)))
        tables(event, people, 1)
        path = tmp_path / "changed.csv"
        path.write_text(_sheets(people))
        imported(path, now=NOW)
        assert ImportProblem.objects.filter(code="hand_exists", state="open").count() == TABLES
    return event


def _sheets(people: Sequence[Player]) -> str:
    rows = ["round,table,hand,seat,player_id,hearts,queen_spades"]
    for at, one in enumerate(people):
        seat = at % 4
        rows.append(
            f"1,{1 + at // 4},1,{'NESW'[seat]},{one.player_id},{OTHER[seat]},{int(seat == 3)}"
        )
    return "\n".join(rows)


def use(table: int) -> None:
    """What a button of the import's page does, as it looked before anybody began."""
    found = ImportProblem.objects.select_related("batch__event__club", "batch__club")
    problem = found.get(code="hand_exists", table=table)
    use_file_hand(actor=TESTS, problem=problem, based_on=1, reason="as on paper", now=NOW)


def correct(table: int, based_on: int = 1) -> None:
    """A host corrects the stored hand."""
    games = Game.objects.select_related("event", "club", "snapshot", "table__round")
    entry = {"hearts": [2, 3, 2, 6], "taken": [[], [], [], ["QS"]]}
    record_entry(
        actor=TESTS, game=games.get(table__code=f"r1t{table}"), number=1, entry=entry,
        based_on=based_on, reason="misread", source="host", now=NOW,
    )  # fmt: skip


def hearts() -> list[list[int]]:
    hands = Hand.objects.order_by("game__table__number").select_related("entry")
    return [hand.entry.typed["hearts"] for hand in hands if hand.entry is not None]


def test_somebody_uses_the_files_hand_while_a_host_corrects_the_stored_one(
    inside: Inside, project: LiveProject, night: Event
) -> None:
    numbers = range(1, TABLES + 1)
    acts = [partial(act, number) for number in numbers for act in (use, correct)]
    refused = at_once(inside, project, acts)
    assert sorted(set(refused)) == ["entry_outdated"]
    assert len(refused) == TABLES
    with inside(project):
        assert all(found in (OTHER, [2, 3, 2, 6]) for found in hearts())
        assert Entry.objects.filter(revision=2).count() == TABLES
        assert not Entry.objects.filter(revision__gt=2).exists()
        n_open = ImportProblem.objects.filter(code="hand_exists", state="open").count()
        assert Replacement.objects.count() == TABLES - n_open == hearts().count(OTHER)
        assert verify_scores(night).differing == 0


def test_two_people_answer_the_same_problem_and_one_is_told(
    inside: Inside, project: LiveProject, night: Event
) -> None:
    acts = [partial(use, number) for number in range(1, TABLES + 1) for _ in range(2)]
    refused = at_once(inside, project, acts)
    assert refused == ["import_moved_on"] * TABLES
    with inside(project):
        assert hearts() == [OTHER] * TABLES
        assert Entry.objects.filter(revision=2).count() == TABLES
        assert Replacement.objects.count() == TABLES
        assert ImportBatch.objects.get().accepted == TABLES


def test_an_import_is_undone_while_hosts_correct_what_it_replaced(
    inside: Inside, project: LiveProject, night: Event
) -> None:
    with inside(project):
        for number in range(1, TABLES + 1):
            use(number)
        Round.objects.update(state="playing", closed_at=None)

    def undo() -> None:
        batch = ImportBatch.objects.select_related("event__club", "club").get()
        request_undo(actor=TESTS, batch=batch, now=NOW)
        for _ in undo_steps(batch, now=NOW):
            pass

    hosts = [partial(correct, number, 2) for number in range(1, TABLES + 1)]
    refused = at_once(inside, project, [undo, *hosts])
    assert set(refused) <= {"entry_outdated"}
    with inside(project):
        assert ImportBatch.objects.get().state == "undone"
        found = hearts()
        assert found.count([4, 1, 2, 6]) == len(refused)
        assert found.count([2, 3, 2, 6]) == TABLES - len(refused)
        assert {one.revision for one in Hand.objects.all()} == {3}
        assert verify_scores(night).differing == 0
