"""`manage.py seat_plan`: a plan, a plan after a history, and the check of a file."""

import io
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.support.answers import Json

KEYS = [
    "rounds", "repeats", "max_meet", "neighbour_repeats", "seat_spread", "small_table_spread",
    "sit_out_spread", "lower_bound", "seed", "iterations",
]  # fmt: skip


def printed(*words: str) -> str:
    out = io.StringIO()
    call_command("seat_plan", *words, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def planned(*words: str) -> Json:
    plan: Json = json.loads(printed("--json", *words))
    return plan


def refusal(*words: str) -> str:
    with pytest.raises(CommandError) as refused:
        printed(*words)
    assert refused.value.returncode == 2
    return str(refused.value)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    plan = printed("--json", "--players", "17", "--rounds", "4", "--seed", "3")
    (tmp_path / "plan.json").write_text(plan, encoding="utf-8")
    return tmp_path / "plan.json"


def test_plan_has_everybody_in_each_round_and_the_same_bytes_again() -> None:
    words = ("--players", "17", "--rounds", "5", "--table-sizes", "4,3", "--seed", "8")
    plan = planned(*words)
    assert all(key in plan for key in KEYS)
    for round_ in plan["rounds"]:
        seated = [player for table in round_["tables"] for player in table["seats"]]
        assert sorted(seated + round_["sitting_out"]) == list(range(1, 18))
        assert sorted(len(table["seats"]) for table in round_["tables"]) == [3, 3, 3, 4, 4]
    assert (plan["repeats"] <= 2, plan["small_table_spread"], plan["seed"]) == (True, 1, 8)
    assert printed(*words, "--json") == printed(*words, "--json")


def test_command_says_that_it_is_deprecated_and_prints_the_plan_alone() -> None:
    out = io.StringIO()
    warnings = io.StringIO()
    call_command(
        "seat_plan", "--players", "5", "--rounds", "1", "--json", stdout=out, stderr=warnings
    )
    assert json.loads(out.getvalue())["rounds"]
    assert warnings.getvalue().startswith("seat_plan is deprecated and ends with release 1.0.")
    assert len(warnings.getvalue().splitlines()) == 1


def test_plan_is_printed_in_lines_with_who_sits_out() -> None:
    lines = printed("--players", "5", "--rounds", "1", "--table-sizes", "4").splitlines()
    assert lines[0] == "Round 1"
    assert lines[1].startswith("  Table 1: ")
    assert lines[2].startswith("  Sitting out: ")
    assert "sit_outs: 1" in lines


def test_plan_that_was_written_is_correct(file: Path) -> None:
    assert printed("--check", str(file)) == "The plan is correct.\n"


def test_check_names_a_figure_and_a_player_that_are_wrong(file: Path) -> None:
    plan = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(plan | {"repeats": 5}), encoding="utf-8")
    assert refusal("--check", str(file)) == "repeats is 5 in the plan; the rounds have 0."
    seats = plan["rounds"][1]["tables"][0]["seats"]
    gone, seats[0] = seats[0], seats[1]
    file.write_text(json.dumps(plan), encoding="utf-8")
    assert refusal("--check", str(file)).splitlines() == [
        f"Round 2: player {seats[0]} is there 2 times.",
        f"Round 2: player {gone} is missing.",
    ]


@pytest.mark.parametrize("text", ["{}", "[]", '{"rounds": [{"tables": [{"seats": ["a"]}]}]}'])
def test_file_of_another_form_is_refused_with_the_place(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")
    assert refusal("--check", str(file)).startswith(
        "bad_plan_file: The plan file is not valid at /"
    )


def test_history_is_read_and_its_strangers_are_named(file: Path) -> None:
    out, errors = io.StringIO(), io.StringIO()
    words = (
        "--players",
        "15",
        "--rounds",
        "1",
        "--history",
        str(file),
        "--json",
        "--iterations",
        "20000",
    )
    call_command("seat_plan", *words, stdout=out, stderr=errors)
    assert errors.getvalue().strip().endswith("ignored: 16, 17.")
    assert json.loads(out.getvalue())["known_pairs"] < 4


def test_constraints_hold_in_every_round_and_contradictions_are_named() -> None:
    words = ("--players", "16", "--rounds", "4", "--apart", "1,2", "--fixed-table", "3,2")
    for round_ in planned(*words, "--together", "5,6", "--iterations", "5000")["rounds"]:
        tables = [set(table["seats"]) for table in round_["tables"]]
        assert not any({1, 2} <= table for table in tables)
        assert any({5, 6} <= table for table in tables)
        assert 3 in tables[1]
    assert refusal(*words, "--together", "1,2").startswith("apart_and_together: Players 1 and 2 ")


def test_sizes_come_from_the_variant() -> None:
    plan = planned("--players", "11", "--rounds", "1", "--variant", "cancellation-hearts")
    assert [len(table["seats"]) for table in plan["rounds"][0]["tables"]] == [11]
    few = ("--players", "4", "--rounds", "1", "--variant", "cancellation-hearts")
    assert refusal(*few).startswith("too_few_to_seat: 4 players ")


def test_players_and_rounds_are_needed() -> None:
    assert refusal("--players", "8") == "A plan needs --players and --rounds."


def file_of(folder: Path, name: str, content: object) -> str:
    (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return str(folder / name)


def better_first(plan: Json) -> dict[str, int]:
    return {
        str(player): (5, 3, 2, 1)[place]
        for table in plan["rounds"][0]["tables"]
        for place, player in enumerate(sorted(table["seats"]))
    }


def test_next_swiss_round_takes_scores_and_history_and_is_checked(tmp_path: Path) -> None:
    first = planned("--players", "18", "--movement", "swiss")
    given = (
        "--history", file_of(tmp_path, "first.json", first),
        "--scores", file_of(tmp_path, "scores.json", better_first(first)),
    )  # fmt: skip
    second = planned("--players", "18", "--movement", "swiss", *given)
    assert (second["method"], second["known_pairs"], second["least_repeats"]) == ("swiss", 0, 0)
    checked = file_of(tmp_path, "second.json", second)
    assert printed("--check", checked, *given) == "The plan is correct.\n"
    one, other = second["reasons"][0]["players"]
    second["reasons"][0]["met"] = 2
    checked = file_of(tmp_path, "second.json", second)
    assert refusal("--check", checked, *given) == (
        f"The reason of players {one} and {other} is wrong: they met 0 times."
    )


@pytest.mark.parametrize("scores", [[], {"a": 1}, {"1": "x"}, {"1": "1/0"}, {"1": True}])
def test_scores_of_another_form_are_refused(tmp_path: Path, scores: object) -> None:
    file = file_of(tmp_path, "scores.json", scores)
    words = ("--players", "8", "--movement", "swiss", "--scores", file)
    assert refusal(*words).startswith("bad_scores_file: ")
