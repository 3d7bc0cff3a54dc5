"""`python -m scoring`: what it reads, writes and says, and its exit status."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scoring.cases import answer
from scoring.rules.catalogue import catalogue
from tests.support.scoring.play import VARIANTS

ROOT = Path(__file__).resolve().parent.parent.parent
GOOD: dict[str, Any] = {
    "id": "good", "kind": "match", "variant": "hearts", "seats": 4,
    "hands": [{"entry": {"hearts": [3, 7, 0, 3], "taken": [[], ["QS"], [], []]}}],
}  # fmt: skip
BAD = GOOD | {"id": "bad", "hands": [{"entry": {"points": [10, 17, 0, 0]}}]}


def run(*arguments: str, given: str | bytes = b"") -> subprocess.CompletedProcess[str]:
    text = given if isinstance(given, bytes) else given.encode()
    done = subprocess.run(
        [sys.executable, "-m", "scoring", *arguments],
        input=text, capture_output=True, cwd=ROOT, check=False, timeout=300,
    )  # fmt: skip
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def test_one_case_is_answered_by_an_array_of_one() -> None:
    done = run("score", given=json.dumps(GOOD, indent=1))
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == [
        {
            "id": "good",
            "hands": [{"hand_scores": [3, 20, 0, 3], "verified": "cards"}],
            "totals": [3, 20, 0, 3],
            "outcome": {"finished": False, "winners": [], "losers": []},
        }
    ]


def test_refused_case_does_not_stop_the_others() -> None:
    done = run("score", given=json.dumps([BAD, GOOD]))
    assert done.returncode == 2
    refused, scored = json.loads(done.stdout)
    assert [error["code"] for error in refused["errors"]] == ["wrong_total"]
    assert scored["totals"] == [3, 20, 0, 3]
    assert done.stderr == (
        "bad: wrong_total at /hands/0/entry/points: The points total 27. The total of a hand is "
        "26. A settled moon makes -26 and 78.\n"
    )


def test_json_lines_are_answered_in_json_lines() -> None:
    done = run("score", given="\n".join([json.dumps(GOOD), "", "not JSON", json.dumps(BAD), ""]))
    assert done.returncode == 2
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer.get("id") for answer in said] == ["good", None, "bad"]
    assert said[1]["errors"][0]["code"] == "bad_case"
    assert len(done.stderr.splitlines()) == 2


def test_broken_first_line_of_json_lines_does_not_stop_the_others() -> None:
    done = run("score", given="\n".join(["{broken", json.dumps(GOOD), json.dumps(BAD)]))
    assert done.returncode == 2
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer.get("id") for answer in said] == [None, "good", "bad"]
    assert said[0]["errors"][0]["code"] == "bad_case"


@pytest.mark.parametrize(
    "given",
    [b"", b"hello", b"[1, 2", b"\xff\xfe\x00", b"[" * 100_000, b"1" * 5000, b'{"a": 1}x'],
    ids=lambda given: repr(given[:9]),
)
def test_input_that_is_not_json_is_refused_with_nothing_written(given: bytes) -> None:
    done = run("score", given=given)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("The input is not JSON")
    assert len(done.stderr) < 400


def test_hostile_numbers_are_refused_as_they_were_written() -> None:
    done = run("score", given=json.dumps(GOOD).replace("[3, 7, 0, 3]", '[1e309, NaN, 3.0, "13 "]'))
    (said,) = json.loads(done.stdout)
    assert [error["facts"]["found"] for error in said["errors"]] == ["1e309", "nan", "3.0", "13 "]
    assert {error["code"] for error in said["errors"]} == {"bad_count"}


MEASURED = """\
import sys
from scoring.__main__ import main
status = main(["score"])
with open("/proc/self/status") as said:
    print(*[line.split()[1] for line in said if line.startswith("VmHWM")], file=sys.stderr)
sys.exit(status)
"""


def memory_of(number: int, tmp_path: Path) -> int:
    """The most memory, in KiB, that so many lines of a good kilobyte each took.

    Linux says it for the process alone; `getrusage` counts the process that began it as well.
    """
    with (tmp_path / "said").open("w+b") as said:
        child = subprocess.Popen(
            [sys.executable, "-c", MEASURED],
            stdin=subprocess.PIPE, stdout=said, stderr=subprocess.PIPE, cwd=ROOT,
        )  # fmt: skip
        assert child.stdin is not None
        for n in range(number):
            line = json.dumps(GOOD | {"id": n, "why": "x" * 1000})
            child.stdin.write(line.encode() + b"\n")
        _, complaints = child.communicate()
        said.seek(0)
        assert sum(json.loads(line)["totals"] == [3, 20, 0, 3] for line in said) == number
    assert child.returncode == 0
    return int(complaints)


def test_json_lines_are_streamed_in_constant_memory(tmp_path: Path) -> None:
    few, many = memory_of(500, tmp_path), memory_of(50_000, tmp_path)
    assert many - few < 6 * 1024, "49,500 more lines hold 55 MB"


def test_empty_array_is_answered_by_an_empty_array() -> None:
    done = run("score", given="[]")
    assert (done.returncode, json.loads(done.stdout)) == (0, [])


def test_catalogue_is_listed_id_first() -> None:
    files = (ROOT / "scoring" / "data" / "variants").glob("*.toml")
    ids = sorted(file.stem for file in files)
    assert run("variants", "--ids").stdout.split() == ids
    listed = run("variants").stdout.splitlines()
    assert [line.split("  ")[0] for line in listed] == ids
    assert "omnibus-hearts  Omnibus Hearts. Hearts with the jack of diamonds at −10" in "\n".join(
        listed
    )
    assert "test-chips" in run("variants", "--ids", "--variants", str(VARIANTS)).stdout.split()


def test_show_prints_resolved_rules_and_the_deal_total() -> None:
    shown = json.loads(run("show", "omnibus-JD").stdout)
    assert (shown["id"], shown["deal_total"]["4"]) == ("omnibus-hearts", 16)
    assert shown["finish"] == [{"kind": "score", "op": ">=", "value": 100}]
    done = run("show", "omnibuss-hearts")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("unknown_variant: ")


def test_check_names_the_line_of_each_problem(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        'id = "mine"\nname = "Mine"\nextends = "hearts"\nsources = ["us"]\ntricks = 5\n'
    )
    done = run("check", str(file))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"{file}:5: bad_rules: tricks: 5 is none of equal, variable.")
    file.write_text('id = "mine"\nname = "Mine"\nextends = "hearts"\nsources = ["us"]\n')
    assert json.loads(run("check", str(file)).stdout)["deal_total"]["4"] == 26
    assert run("check", str(tmp_path / "none.toml")).returncode == 2


def test_tricks_are_answered_with_captures() -> None:
    case = {
        "id": "t", "kind": "tricks", "variant": "test-two-packs", "seats": 6,
        "tricks": [{"lead": 0, "plays": ["JC", "TC", "9C", "8C", "4C", "JC"]}],
    }  # fmt: skip
    (said,) = json.loads(run("score", "--variants", str(VARIANTS), given=json.dumps(case)).stdout)
    assert said["taken"][1] == ["JC", "10C", "9C", "8C", "4C", "JC"]
    assert (said["trick_counts"], said["unclaimed"]) == ([0, 1, 0, 0, 0, 0], [])


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"tricks": [{"lead": 0, "plays": ["JC"]}]}, "seat_count"),
        ({"tricks": [{"lead": 9, "plays": ["JC", "TC", "9C", "8C"]}]}, "unknown_seat"),
        ({"tricks": [{"lead": 0, "plays": ["JC", "JC", "9C", "8C"]}]}, "too_many_copies"),
        ({"tricks": [{"lead": 0, "plays": ["JC", "JZ", "9C", "8C"]}]}, "unknown_card"),
        ({"tricks": "x"}, "bad_case"),
        ({"kind": "puzzle"}, "bad_case"),
        ({"seats": 9}, "seat_count"),
        ({"variant": "whist"}, "unknown_variant"),
        ({"options": []}, "bad_option"),
    ],
)
def test_unreadable_case_is_refused_with_its_code(change: dict[str, object], code: str) -> None:
    case = {"id": "t", "kind": "tricks", "variant": "hearts", "seats": 4, "tricks": []} | change
    assert [error["code"] for error in answer(catalogue(), case)["errors"]] == [code]
