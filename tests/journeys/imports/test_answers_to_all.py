"""Every answer that fits all findings of a kind: what the event has after one press."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from django.test import Client

from tests.journeys.imports.test_same_sheets import HANDS, send
from tests.journeys.imports.test_sums_beside import HANDS as OF_SUMS
from tests.journeys.imports.test_sums_beside import alternating, changed, totals
from tests.support.builders import by_tests, league, players, table
from tests.support.cast import Cast
from tests.support.fixtures import cast_once as cast_once
from tests.support.imports.imports import hand_scores, rows
from tests.support.imports.imports import written as written_by_seat
from tests.support.imports.uploads import stored_points
from tournaments.domain.imports import alike
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.imports import ImportProblem
from tournaments.services.rounds.meetings import change_meeting, plan_meeting

pytestmark = [pytest.mark.django_db]

NAMES: Final = ("Ann Tarn", "Béatrice Müller", "Cai Gale", "David Birk")
OTHERS: Final = ("Ester Dorn", "Füsun Öz", "Gus Hale", "Holly Brook")
CAST: Final = ("Alma D.", "Bruno K.", "Cleo S.", "Dario D.")
DAY: Final = date(2025, 11, 13)
A, B, C, D, E = HANDS
NEW: Final = (13, 1, 2, 10)
NEWER: Final = (1, 1, 11, 13)

Points = Sequence[Sequence[object]]
Stored = Sequence[tuple[str, tuple[object, ...]]]


def write(
    folder: Path,
    rounds: Mapping[int, Points],
    *,
    numbers: Sequence[int] = (1, 2, 3, 4, 5, 6, 7),
    heads: Sequence[str] = ("Round", "Table", "Hand"),
    day: str = "",
) -> Path:
    """Table 1 of each round, a row for each hand; `heads` are those before the names."""
    lines: list[list[object]] = [[*heads, *NAMES]]
    for round_, hands in rounds.items():
        for number, points in zip(numbers, hands, strict=False):
            places = {"Round": round_, "Table": 1, "Hand": number, "Date": day}
            lines.append([*(places[head] for head in heads), *points])
    path = folder / "file.csv"
    path.write_text("".join(f"{','.join(map(str, line))}\n" for line in lines), encoding="utf-8")
    return path


def two_tables(folder: Path, *, day: str = "", places: Sequence[str] = ("Table", "Hand")) -> Path:
    """Tables 1 and 2 of an evening without a round."""
    heads = [*(["Date"] if day else []), *places]
    lines: list[list[object]] = [[*heads, *NAMES, *OTHERS]]
    for number, hands in {1: (A, B), 2: (C, D)}.items():
        for hand, points in enumerate(hands, start=1):
            cells = {"Date": day, "Table": number, "Hand": hand, "Round": 1}
            empty = [""] * len(NAMES)
            of_players = [*points, *empty] if number == 1 else [*empty, *points]
            lines.append([*(cells[head] for head in heads), *of_players])
    path = folder / "file.csv"
    path.write_text("".join(f"{','.join(map(str, line))}\n" for line in lines), encoding="utf-8")
    return path


def of_rounds(*rounds: Points) -> Stored:
    return [
        (f"r{number}t1", tuple(points))
        for number, hands in enumerate(rounds, start=1)
        for points in hands
    ]


def stored() -> Stored:
    return [(code, tuple(points)) for code, points in stored_points()]


class Case(NamedTuple):
    """What the event has before, and the file that raises two findings of the code."""

    code: str
    answer: str
    before: Callable[[Client, Event, Path], object]
    file: Callable[[Path], Path]
    expected: Stored
    reason: str = ""


def nothing(client: Client, event: Event, folder: Path) -> None:
    """The event is new."""


def has(
    *rounds: Points, heads: Sequence[str] = ("Round", "Table", "Hand")
) -> Callable[..., object]:
    return lambda client, event, folder: send(
        client, write(folder, dict(enumerate(rounds, start=1)), heads=heads)
    )


def has_two_tables(client: Client, event: Event, folder: Path) -> None:
    send(client, two_tables(folder, places=("Round", "Table", "Hand")))


def has_two_rounds_of_a_day(client: Client, event: Event, folder: Path) -> None:
    by_name = {player.name: player for player in Player.objects.all()}
    for number in (1, 2):
        table(event, [by_name[name] for name in CAST], round_number=number, on=DAY)


def has_cancelled_evenings(client: Client, event: Event, folder: Path) -> None:
    for day in (DAY, date(2025, 11, 20)):
        meeting = plan_meeting(by_tests(), event, day=day)
        change_meeting(by_tests(), meeting, state="cancelled", reason="Snow.")


def on_two_days(folder: Path) -> Path:
    path = folder / "file.csv"
    heads = ",".join(("Date", "Round", "Table", "Hand", *NAMES))
    lines = [f"{DAY},1,1,1,{','.join(map(str, A))}", f"2025-11-20,2,1,1,{','.join(map(str, B))}"]
    path.write_text("\n".join((heads, *lines)) + "\n", encoding="utf-8")
    return path


CHANGED: Final = changed(OF_SUMS, (2, 0, 1), (2, 1, 12), (4, 0, 3), (4, 1, 2))
TABLES: Final = [("r1t1", A), ("r1t1", B), ("r1t2", C), ("r1t2", D)]
CASES: Final = [
    Case("hand_inserted", "is_right", has((A, B, C), (D, E, C)),
         lambda at: write(at, {1: (A, NEW, B, C), 2: (D, NEWER, E, C)}),
         of_rounds((A, B, C, NEW), (D, E, C, NEWER))),
    Case("hand_not_in_file", "is_right", has((A, B, C), (D, E, C)),
         lambda at: write(at, {1: (B, C), 2: (E, C)}),
         of_rounds((A, B, C), (D, E, C))),
    Case("hand_twice", "is_right", has((A, B, C, D, E), (E, D, C, B, A)),
         lambda at: write(at, {1: (A, NEW, C, NEWER, E, B), 2: (E, NEW, C, NEWER, A, D)}),
         of_rounds((A, B, C, D, E, B), (E, D, C, B, A, D))),
    Case("hand_unclear", "new_hand",
         has((A, B, C), (D, B, E), heads=("Round", "Table")),
         lambda at: write(at, {1: (A, NEW, (1, 12, 13, 0), C), 2: (D, NEWER, (1, 12, 13, 0), E)},
                          heads=("Round", "Table")),
         of_rounds((A, B, C, NEW), (D, B, E, NEWER))),
    Case("hands_repeated", "is_right", nothing,
         lambda at: write(at, {1: (A, A, A), 2: (B, B, B)}),
         of_rounds((A, A, A), (B, B, B))),
    Case("repeated_hand_number", "next_number", nothing,
         lambda at: write(at, {1: (A, B, C), 2: (D, E, C)}, numbers=(1, 2, 2)),
         of_rounds((A, B, C), (D, E, C))),
    Case("hand_exists", "use_file", has((A, B), (D, E)),
         lambda at: write(at, {1: (A, NEW), 2: (D, NEWER)}),
         of_rounds((A, NEW), (D, NEWER)), reason="As on paper."),
    Case("sheet_elsewhere", "one_sheet", has_two_tables, two_tables, TABLES),
    Case("sheet_elsewhere", "another_game", has_two_tables, two_tables,
         [*TABLES, ("r2t1", A), ("r2t1", B), ("r2t2", C), ("r2t2", D)]),
    Case("which_round", "round_2", has_two_rounds_of_a_day,
         lambda at: two_tables(at, day=str(DAY)),
         [("r2t2", A), ("r2t2", B), ("r2t3", C), ("r2t3", D)]),
    Case("which_round", "own_round", has_two_rounds_of_a_day,
         lambda at: two_tables(at, day=str(DAY)),
         [("r3t1", A), ("r3t1", B), ("r3t2", C), ("r3t2", D)]),
    Case("evening_cancelled", "is_right", has_cancelled_evenings, on_two_days,
         of_rounds((A,), (B,))),
    Case("sum_beside_disagrees", "take_points", nothing,
         lambda at: alternating(at, CHANGED, totals()), of_rounds(CHANGED)),
    Case("sum_beside_disagrees", "take_sums", nothing,
         lambda at: alternating(at, CHANGED, totals()), of_rounds(OF_SUMS)),
]  # fmt: skip


@pytest.fixture
def event(cast: Cast) -> Event:
    players(cast.riverside, *CAST, *NAMES, *OTHERS)
    return league(cast.riverside)


@pytest.fixture
def dirk(cast: Cast, event: Event) -> Client:
    return cast.client("dirk")


def n_open(code: str) -> int:
    return ImportProblem.objects.filter(code=code, state="open").count()


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.code}={case.answer}")
def test_answer_holds_for_all_findings_of_its_kind(
    dirk: Client, event: Event, tmp_path: Path, case: Case
) -> None:
    case.before(dirk, event, tmp_path)
    at = send(dirk, case.file(tmp_path))
    assert n_open(case.code) == 2
    sent = {"code": case.code, "answer": case.answer, "reason": case.reason}
    dirk.post(f"{at}/answers", sent)
    dirk.post(f"{at}/confirm")
    assert n_open(case.code) == 0
    assert stored() == case.expected


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.code}={case.answer}")
def test_all_of_a_kind_are_left_out_with_a_reason(
    dirk: Client, event: Event, tmp_path: Path, case: Case
) -> None:
    case.before(dirk, event, tmp_path)
    at = send(dirk, case.file(tmp_path))
    as_before = stored()
    dirk.post(f"{at}/answers", {"code": case.code, "answer": "leave_out", "reason": "Torn."})
    dirk.post(f"{at}/confirm")
    assert n_open(case.code) == 0
    assert stored() == as_before


@pytest.mark.parametrize(
    ("answer", "score"), [("settled_self", (0, -26, 0, 0)), ("settled_others", (26, 0, 26, 26))]
)
def test_all_moons_are_settled_alike(
    dirk: Client, event: Event, tmp_path: Path, answer: str, score: tuple[int, ...]
) -> None:
    hands = [rows(1, (13, 0, 0, 0), "N", round_=number) for number in (11, 12)]
    at = send(dirk, written_by_seat(tmp_path, *hands))
    assert n_open("choice_required") == 2
    dirk.post(f"{at}/answers", {"code": "choice_required", "answer": answer})
    dirk.post(f"{at}/confirm")
    scores = [int(line[-1]) for line in hand_scores()]  # of east, north, south and west
    assert scores == [*score, *score]


def test_no_answer_is_missing_here() -> None:
    """Whole numbers are tested on pages, REST and the command; partners need an event of pairs."""
    tested = {case.answer for case in CASES} | {"settled_self", "settled_others", "leave_out"}
    assert set(alike.ANSWERS) - tested == {alike.AS_WRITTEN, alike.WHOLE_NUMBER}
