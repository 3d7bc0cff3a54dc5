"""One answer to all findings of a kind: on the page, over REST, by the command."""

from pathlib import Path
from typing import ClassVar

import pytest
from django.test import Client

from tests.support.answers import Json, post_json
from tests.support.commands import run_command
from tests.support.fixtures import FOUR, cast_with
from tests.support.imports.imports import rows, written
from tests.support.imports.uploads import IMPORTS, import_on_page, send_file
from tests.support.pages.text import text
from tests.support.rest.requests import codes
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.hands import Entry, Hand
from tournaments.models.imports import ImportBatch, ImportProblem

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
cast_once, cast = cast_with(*FOUR)

STORED = {1: (4, 1, 2, 6), 2: (2, 3, 2, 6), 3: (1, 4, 2, 6)}
OTHER = {1: (3, 2, 2, 6), 3: (0, 5, 2, 6)}
OPTIONS = ("--club", "riverside", "--event", "league")


def letters(folder: Path) -> Path:
    """Three hands: a letter for a digit in the first and the last, and a good one between."""
    return written(
        folder,
        rows(1, ("1O", 1, 2, 0)),
        rows(2, (4, 1, 2, 6)),
        rows(3, (0, 1, 2, "1O")),
        name="letters.csv",
    )


def repeated(folder: Path) -> Path:
    hands = [rows(n, (4, 1, 2, 6), round_=number) for number in (11, 12) for n in (1, 2, 3)]
    return written(folder, *hands, name="repeated.csv")


def open_codes() -> list[str]:
    return list(ImportProblem.objects.filter(state="open").values_list("code", flat=True))


def stored() -> list[tuple[int, list[int]]]:
    hands = Hand.objects.filter(state="accepted").order_by("game__table__round__number", "number")
    return [
        (hand.number, hand.entry.typed["hearts"])
        for hand in hands.select_related("entry")
        if hand.entry is not None
    ]


def rest(number: int = 1) -> str:
    return f"/api/v1{IMPORTS}/{number}"


def alike(client: Client, number: int = 1) -> list[Json]:
    kinds: list[Json] = client.get(rest(number)).json()["alike"]
    return kinds


def test_numbers_are_taken_with_one_button(hanna: Client, event: Event, tmp_path: Path) -> None:
    at = send_file(hanna, letters(tmp_path))
    assert "2 numbers to read" in text(hanna.get(at))
    sent = {"code": open_codes()[0], "answer": "whole_number"}
    answer = hanna.post(f"{at}/answers", sent, follow=True)
    assert "2 findings are answered." in text(answer)
    assert open_codes() == []
    hanna.post(f"{at}/confirm")
    assert stored() == [(1, [10, 1, 2, 0]), (2, [4, 1, 2, 6]), (3, [0, 1, 2, 10])]
    line = AuditLine.objects.get(act="answer_alike")
    assert line.facts["problems"] == 2


def test_one_finding_has_its_own_buttons_only(hanna: Client, event: Event, tmp_path: Path) -> None:
    path = written(tmp_path, rows(1, ("1O", 1, 2, 0)), rows(2, (4, 1, 2, 6)))
    assert "Answer alike" not in text(hanna.get(send_file(hanna, path)))
    assert alike(hanna) == [
        {"code": open_codes()[0], "problems": 1, "answers": ["whole_number", "leave_out"]}
    ]


def test_sheets_that_are_right(hanna: Client, event: Event, tmp_path: Path) -> None:
    at = send_file(hanna, repeated(tmp_path))
    assert "2 sheets with repeated hands" in text(hanna.get(at))
    hanna.post(f"{at}/answers", {"code": "hands_repeated", "answer": "is_right"})
    hanna.post(f"{at}/confirm")
    assert len(stored()) == 6
    assert open_codes() == []


def test_rows_are_left_out_with_a_reason(hanna: Client, event: Event, tmp_path: Path) -> None:
    at = send_file(hanna, letters(tmp_path))
    code = open_codes()[0]
    refused = hanna.post(f"{at}/answers", {"code": code, "answer": "leave_out"}, follow=True)
    assert "reason" in text(refused)
    assert open_codes() == [code, code]
    hanna.post(f"{at}/answers", {"code": code, "answer": "leave_out", "reason": "Torn."})
    assert open_codes() == []
    hanna.post(f"{at}/confirm")
    assert [number for number, _ in stored()] == [2]


@pytest.fixture
def conflicts(hanna: Client, event: Event, tmp_path: Path) -> str:
    """An import whose hands 1 and 3 are otherwise than in the event."""
    import_on_page(
        hanna, written(tmp_path, *(rows(n, each) for n, each in STORED.items()), name="a.csv")
    )
    changed = [rows(n, each) for n, each in (STORED | OTHER).items()]
    return import_on_page(hanna, written(tmp_path, *changed, name="b.csv"))


class TestHandsOfTheFile:
    sent: ClassVar[Json] = {"code": "hand_exists", "answer": "use_file", "reason": "As on paper."}

    def test_replace_the_stored_ones(self, hanna: Client, conflicts: str) -> None:
        assert "Use the file's hands" in text(hanna.get(conflicts))
        hanna.post(f"{conflicts}/answers", self.sent)
        assert stored() == [(n, [*each]) for n, each in (STORED | OTHER).items()]
        assert open_codes() == []

    def test_one_that_somebody_corrected_meanwhile_keeps_all(
        self, hanna: Client, conflicts: str
    ) -> None:
        last = ImportBatch.objects.latest("number")
        assert last.ended_at is not None
        latest = Entry.objects.filter(hand__number=3).latest("revision")
        Entry.objects.filter(pk=latest.pk).update(
            entered_at=last.ended_at.replace(year=last.ended_at.year + 1)
        )
        answer = hanna.post(f"{conflicts}/answers", self.sent, follow=True)
        assert "has changed" in text(answer)
        assert stored() == [(n, [*each]) for n, each in STORED.items()]
        assert open_codes() == ["hand_exists"] * 2

    def test_before_the_import_there_is_nothing_to_replace_them_by(
        self, hanna: Client, event: Event, tmp_path: Path
    ) -> None:
        first = written(tmp_path, rows(1, STORED[1]), rows(3, STORED[3]), name="a.csv")
        import_on_page(hanna, first)
        send_file(hanna, written(tmp_path, rows(1, OTHER[1]), rows(3, OTHER[3]), name="b.csv"))
        assert alike(hanna, 2) == [{"code": "hand_exists", "problems": 2, "answers": ["leave_out"]}]


class TestRest:
    def test_answers(self, hanna: Client, event: Event, tmp_path: Path) -> None:
        send_file(hanna, letters(tmp_path))
        (kind,) = alike(hanna)
        assert (kind["problems"], kind["answers"]) == (2, ["whole_number", "leave_out"])
        body = {"code": kind["code"], "answer": "whole_number"}
        assert post_json(hanna, f"{rest()}/answers", body).status_code == 202

    def test_what_does_not_fit(self, hanna: Client, event: Event, tmp_path: Path) -> None:
        send_file(hanna, letters(tmp_path))
        code = open_codes()[0]
        no_such_code = post_json(
            hanna, f"{rest()}/answers", {"code": "which_round", "answer": "own_round"}
        )
        assert (no_such_code.status_code, codes(no_such_code)) == (422, ["nothing_to_answer"])
        other = post_json(hanna, f"{rest()}/answers", {"code": code, "answer": "own_round"})
        assert (other.status_code, codes(other)) == (422, ["bad_parameter"])
        assert open_codes() == [code, code]


class TestCommand:
    def test_numbers(self, event: Event, tmp_path: Path) -> None:
        path = letters(tmp_path)
        status, _, _ = run_command("import_sheets", *OPTIONS, path)
        code = open_codes()[0]
        assert status == 1
        answer = ("--answer", f"{code}=whole_number")
        status, out, err = run_command("import_sheets", *OPTIONS, *answer, path)
        assert (status, err) == (0, ""), out
        assert stored() == [(1, [10, 1, 2, 0]), (2, [4, 1, 2, 6]), (3, [0, 1, 2, 10])]
        assert open_codes() == []

    def test_sheets_that_are_right(self, event: Event, tmp_path: Path) -> None:
        answer = ("--answer", "hands_repeated=is_right")
        status, out, _ = run_command("import_sheets", *OPTIONS, *answer, repeated(tmp_path))
        assert status == 0, out
        assert len(stored()) == 6

    def test_what_does_not_fit_writes_nothing(self, event: Event, tmp_path: Path) -> None:
        answer = ("--answer", "hands_repeated=own_round")
        status, _, err = run_command("import_sheets", *OPTIONS, *answer, repeated(tmp_path))
        assert status == 2
        assert "Expected: is_right" in err
        assert stored() == []

    def test_questions_that_the_file_does_not_raise(self, event: Event, tmp_path: Path) -> None:
        path = written(tmp_path, rows(1, STORED[1]))
        answer = ("--answer", "hands_repeated=is_right")
        assert run_command("import_sheets", *OPTIONS, *answer, path)[0] == 0
