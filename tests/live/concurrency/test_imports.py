"""Sheets of a file or a request are entered while others are at the same hands: nothing twice."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from threading import Barrier

import pytest

from tests.support.answers import Json
from tests.support.builders import TESTS, by_tests, hand, league, players
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.comparisons.scores import verify_scores
from tests.support.imports.imports import imported
from tests.support.lengths import only_long
from tests.support.live.at_once import Within, get_game, host, sheets, tables
from tests.support.live.project import PATIENCE_S
from tournaments.documents.read.apply_plan import PlanRequest
from tournaments.documents.read.column_plan import plan_from
from tournaments.domain.imports.imported_sheets import SentHand, SentSheet
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.hands import Entry, Game, Hand
from tournaments.models.imports import ImportBatch, ImportProblem, Replacement, Upload
from tournaments.models.rounds import Meeting, Round, Table
from tournaments.services.imports.answer_alike import answer_alike
from tournaments.services.imports.enter_sheets import enter_sheets
from tournaments.services.imports.import_file import import_file
from tournaments.services.imports.import_sheets import ImportRequest, start_import
from tournaments.services.imports.process_upload import process_upload
from tournaments.services.imports.resolve_problem import use_file_hand
from tournaments.services.imports.run import SheetImport
from tournaments.services.imports.targets import find_target
from tournaments.services.imports.undo import request_undo, undo_steps
from tournaments.services.imports.uploads import discard_upload, store_upload

pytestmark = pytest.mark.pg

OTHER = [3, 2, 2, 6]
TABLES = 4


@pytest.fixture
def night(within: Within) -> Event:
    with within():
        event = league(enter_the_cast().riverside)
        tables(event, players(event.club, *(f"Player {at}" for at in range(1, 4 * TABLES + 1))), 1)
    return event


@pytest.fixture
def conflicts(within: Within, night: Event, tmp_path: Path) -> Event:
    """The same, and a file that has each of the hands otherwise."""
    with within():
        people = list(night.club.players.order_by("pk"))
        path = tmp_path / "changed.csv"
        path.write_text(sheets(people, {1: [1]}, OTHER))
        imported(path, now=NOW)
        assert ImportProblem.objects.filter(code="hand_exists", state="open").count() == TABLES
    return night


def use(table: int) -> None:
    """What a button of the import's page does, as it looked before anybody began."""
    found = ImportProblem.objects.select_related("batch__event__club", "batch__club")
    problem = found.get(code="hand_exists", table=table)
    use_file_hand(by_tests(), problem, based_on=1, reason="as on paper")


def correct(table: int, based_on: int = 1) -> None:
    hand(
        get_game(table__code=f"r1t{table}"), 1, [2, 3, 2, 6], 3, based_on=based_on,
        reason="misread", now=NOW,
    )  # fmt: skip


def hearts() -> list[list[int]]:
    hands = Hand.objects.order_by("game__table__number").select_related("entry")
    return [hand.entry.typed["hearts"] for hand in hands if hand.entry is not None]


def test_files_hand_is_used_while_the_stored_one_changes(within: Within, conflicts: Event) -> None:
    numbers = range(1, TABLES + 1)
    actions = [partial(action, number) for number in numbers for action in (use, correct)]
    refused = within.at_once(*actions)
    assert sorted(set(refused)) == ["entry_outdated"]
    assert len(refused) == TABLES
    with within():
        assert all(heart in (OTHER, [2, 3, 2, 6]) for heart in hearts())
        assert Entry.objects.filter(revision=2).count() == TABLES
        assert not Entry.objects.filter(revision__gt=2).exists()
        n_open = ImportProblem.objects.filter(code="hand_exists", state="open").count()
        assert Replacement.objects.count() == TABLES - n_open == hearts().count(OTHER)
        assert verify_scores(conflicts).differing == 0


def test_two_people_answer_one_problem_and_one_is_told(within: Within, conflicts: Event) -> None:
    actions = [partial(use, number) for number in range(1, TABLES + 1) for _ in range(2)]
    assert within.at_once(*actions) == ["import_moved_on"] * TABLES
    with within():
        assert hearts() == [OTHER] * TABLES
        assert Entry.objects.filter(revision=2).count() == TABLES
        assert Replacement.objects.count() == TABLES
        assert ImportBatch.objects.get().accepted == TABLES


@pytest.mark.parametrize("second", ["use_file", "leave_out"])
def test_two_people_answer_all_of_a_kind_and_one_is_told(
    within: Within, conflicts: Event, second: str
) -> None:
    def press(answer: str) -> None:
        batch = ImportBatch.objects.select_related("event__club", "club").get()
        answer_alike(by_tests(), batch, code="hand_exists", answer=answer, reason="as on paper")

    assert within.at_once(partial(press, "use_file"), partial(press, second)) == [
        "nothing_to_answer"
    ]
    with within():
        assert not ImportProblem.objects.filter(code="hand_exists", state="open").exists()
        used = Replacement.objects.count()
        assert used == hearts().count(OTHER) == Entry.objects.filter(revision=2).count()
        assert used == TABLES or (used, second) == (0, "leave_out")
        assert AuditLine.objects.filter(act="answer_alike").count() == 1
        assert verify_scores(conflicts).differing == 0


def test_an_import_is_undone_while_hosts_correct_it(within: Within, conflicts: Event) -> None:
    with within():
        for number in range(1, TABLES + 1):
            use(number)
        Round.objects.update(state="playing", closed_at=None)

    def undo() -> None:
        batch = ImportBatch.objects.select_related("event__club", "club").get()
        request_undo(by_tests(), batch)
        for _ in undo_steps(batch, now=NOW):
            pass

    hosts = [partial(correct, number, 2) for number in range(1, TABLES + 1)]
    refused = within.at_once(undo, *hosts)
    assert set(refused) <= {"entry_outdated"}
    with within():
        assert ImportBatch.objects.get().state == "undone"
        found = hearts()
        assert found.count([4, 1, 2, 6]) == len(refused)
        assert found.count([2, 3, 2, 6]) == TABLES - len(refused)
        assert {one.revision for one in Hand.objects.all()} == {3}
        assert verify_scores(conflicts).differing == 0


def test_files_at_one_moment_get_numbers_that_no_import_had(within: Within, night: Event) -> None:
    def send(name: str) -> None:
        store_upload(by_tests(), night, name=name, content=b"date,hand\r\n")

    with within():
        send("discarded.csv")
        discard_upload(by_tests(), ImportBatch.objects.select_related("event__club").get())
    assert within.at_once(*(partial(send, f"{at}.csv") for at in range(TABLES))) == []
    with within():
        numbers = ImportBatch.objects.order_by("number").values_list("number", flat=True)
        assert list(numbers) == [2, 3, 4, 5]


SAME = {"hearts": [4, 1, 2, 6], "taken": [[], [], [], ["QS"]]}


def sent_sheets(event: Event, round_: int, numbers: Sequence[int]) -> list[SentSheet]:
    ids = list(event.club.players.order_by("pk").values_list("player_id", flat=True))
    hands = tuple(SentHand(number, dict(SAME)) for number in numbers)
    return [
        SentSheet(round_, at + 1, NOW.date(), "", ids[4 * at : 4 * at + 4], hands)
        for at in range(TABLES)
    ]


def enter(event: Event, round_: int, numbers: Sequence[int], digest: str, mode: str) -> None:
    """What one request does."""
    target = find_target(actor=TESTS, club="riverside", event=event.slug)
    enter_sheets(
        by_tests(),
        event,
        target=target,
        sheets=sent_sheets(event, round_, numbers),
        digest=digest,
        is_all=mode == "all",
    )


@pytest.mark.parametrize("mode", [only_long("all"), "each"])
def test_same_sheets_at_once_are_entered_once(within: Within, night: Event, mode: str) -> None:
    actions = [partial(enter, night, 2, range(1, 11), digest, mode) for digest in ("a", "b", "b")]
    assert within.at_once(*actions) == []
    with within():
        assert Hand.objects.filter(game__table__round__number=2).count() == 10 * TABLES
        assert Entry.objects.filter(hand__game__table__round__number=2).count() == 10 * TABLES
        assert Table.objects.filter(round__number=2).count() == TABLES
        assert (Round.objects.filter(number=2).count(), Meeting.objects.count()) == (1, 1)
        assert [batch.added for batch in ImportBatch.objects.all()] == [10 * TABLES]
        assert verify_scores(night).differing == 0


def test_sheets_and_hosts_at_the_same_tables_double_nothing(within: Within, night: Event) -> None:
    with within():
        hosts = [host(game.pk, [2]) for game in Game.objects.order_by("pk")]
    batches = [partial(enter, night, 1, (1, 2, 3), "night", "each") for _ in range(2)]
    assert set(within.at_once(hosts[0], *batches, *hosts[1:])) <= {"hand_exists"}
    with within():
        assert Hand.objects.count() == 3 * TABLES
        assert Entry.objects.count() == 3 * TABLES
        assert Round.objects.get(number=1).state in ("closed", "playing")
        assert verify_scores(night).differing == 0


PLAN: Json = {
    "rows": "hands",
    "columns": {
        "Date": "date",
        "Hand": "hand",
        **{f"Player {at}": "player" for at in range(1, 5)},
    },
    "cells": "points",
    "players": {},
    "given": {"round": "dates", "table": "1"},
}
EVENING = "Date,Hand,Player 1,Player 2,Player 3,Player 4\n" + "".join(
    f"{NOW.date()},{number},{points}\n" for number, points in ((1, "13,5,8,0"), (2, "0,13,13,0"))
)


def import_as_command(path: Path) -> None:
    """What `import_sheets --round 5` does."""
    target = find_target(actor=TESTS, club="riverside", event="league")
    wanted = PlanRequest(plan_from(PLAN), values={"round": "5", "table": "1"})
    import_file(by_tests(), target, ImportRequest(path, path.name, wanted=wanted))


def import_as_page(cast: Cast) -> None:
    """What the page of imports does with round 1."""
    event = Event.objects.select_related("club").get(slug="league")
    content = f"{EVENING}\n".encode()
    batch = store_upload(
        cast.operation("dirk"),
        event,
        name="page.csv",
        content=content,
        values={"round": "1", "table": "1"},
        is_confirmed=True,
    )
    Upload.objects.filter(batch=batch).update(plan=PLAN)
    process_upload(batch.pk, now=NOW)


def test_of_two_imports_of_one_evening_at_one_moment_one_is_asked(
    within: Within, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with within():
        cast = enter_the_cast()
        league(cast.riverside)
        players(cast.riverside, *(f"Player {at}" for at in range(1, 5)))
    path = tmp_path / "command.csv"
    path.write_text(EVENING)
    have_read = Barrier(2)

    def start_once_both_have_read(*args: object) -> SheetImport:
        have_read.wait(PATIENCE_S)
        return start_import(*args)  # type: ignore[arg-type]  # as it was called

    module = "tournaments.services.imports.import_sheets"
    monkeypatch.setattr(f"{module}.start_import", start_once_both_have_read)
    refused = within.at_once(partial(import_as_command, path), partial(import_as_page, cast))
    assert refused == []
    with within():
        assert Hand.objects.count() == 2
        assert Round.objects.count() == 1
        asked = ImportProblem.objects.filter(state="open").values_list("code", flat=True)
        assert list(asked) == ["sheet_elsewhere"]
