"""The boxes of a sheet, and what cannot be: refused with its code, place and facts in one pass."""

import json
import re
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from scoring.cases import answer
from scoring.entry.sheet import Box, boxes, seat_names
from scoring.rules.catalogue import SHIPPED, catalogue, folded
from tests.support.scoring.hostile_entries import HOSTILE, NONE, PLAIN, case
from tests.support.scoring.play import HEARTS, MOON, rules

ROOT = Path(__file__).resolve().parents[3]
MEMORY = 600 << 20
SECONDS = 20


def errors(given: object) -> list[tuple[str, str]]:
    """Code and place of each error, in their order."""
    said = json.loads(json.dumps(answer(catalogue(), given)))
    return [
        (error["code"], "/".join(map(str, error["at"])).removeprefix("hands/0/entry/"))
        for error in said.get("errors", [])
    ]


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (case(variant="heart"), [("unknown_variant", "variant")]),
        (case(options={"targt": 5, "mon": "void"}),
         [("unknown_option", "options/targt"), ("unknown_option", "options/mon")]),
        (case(options={"target": "many", "tie": "toss", "nope": 1}),
         [("unknown_option", "options/nope"), ("bad_option", "options/target"),
          ("bad_option", "options/tie")]),
        (case(options={"moon": "none", "moon_amount": 20, "moon_outside": "drop"}),
         [("bad_option", "options/moon_amount"), ("bad_option", "options/moon_outside")]),
        (case(options={"bonus_value": -11}), [("bad_option", "options/bonus_value")]),
        (case(options={"deals": 5, "target": 50}), [("bad_option", "options/target")]),
        (case(seats=9), [("seat_count", "seats")]),
        (case(seats="4"), [("seat_count", "seats")]),
        (case(variant="extreme-hearts"), [("seat_count", "seats")]),
        (case({"taken": [[], []]}), [("seat_count", "taken")]),
        (case(variant="likha", teams=[[0, 1], [2, 3]]), [("bad_teams", "teams")]),
        (case({"taken": [[*HEARTS, "ZZ"], ["QS"], [], []]}), [("unknown_card", "taken/0/13")]),
        (case({"taken": [[*HEARTS, "QS"], ["QS"], [], []]}), [("too_many_copies", "taken/1")]),
        (case({"taken": [[*HEARTS, "QS"], *[[]] * 4, ["QS"], ["QS"]]}, "cancellation-hearts",
              seats=7),
         [("too_many_copies", "taken/6"), ("missing_cards", "taken")]),
        (case({"hearts": [-1, 7, 4, 3], "taken": [["QS"], [], [], []]}),
         [("bad_count", "hearts/0")]),
        (case({"hearts": [1.5, 7, "4", 99], "taken": [["QS"], [], [], []]}),
         [("bad_count", "hearts/0"), ("bad_count", "hearts/2"), ("bad_count", "hearts/3")]),
        (case({"hearts": [3, 7, 0, 3], "taken": [["QS"], *NONE[1:]]}, "spot-hearts"),
         [("short_form_not_allowed", "hearts")]),
        (case({"taken": [[*HEARTS, "QS", "JD", "10C"], *NONE[1:]], "declared": ["KS", "QS", "QS"],
               "slam_choice": "self"}, "turbo-hearts"),
         [("not_chargeable", "declared/0"), ("not_chargeable", "declared/2")]),
        (case(PLAIN | {"pledges": ["none", None, None, None]}, options={"pledge": True}),
         [("unknown_pledge", "pledges/0")]),
        (case(PLAIN | {"shooter": 2, "slam_choice": "self"}),
         [("choice_forbidden", "slam_choice"), ("wrong_shooter", "shooter")]),
        (case(MOON), [("choice_required", "slam_choice")]),
        (case(MOON | {"slam_choice": "self"}, "hearts-online"),
         [("choice_forbidden", "slam_choice")]),
        (case(PLAIN | {"unclaimed": ["2H"]}),
         [("too_many_copies", "hearts"), ("unclaimed_not_allowed", "unclaimed")]),
        (case(PLAIN | {"tricks": [5, 5, 5, 0]}),
         [("tricks_sum", "tricks"), ("cards_without_trick", "tricks/3")]),
        (case({"points": [12, 12, 2, 0]}), [("impossible_points", "points")]),
        (case({"points": [10, 17, 0, 0]}), [("wrong_total", "points")]),
        (case({"points": [10, "16", 0, 0.5]}),
         [("bad_count", "points/1"), ("bad_count", "points/3")]),
        (case({"clean": [True, True, True, True]}, "hearts-chip-pool"),
         [("missing_cards", "clean")]),
        (case(start_totals=[101, 0, 5, 9]), [("match_over", "hands/0/entry")]),
        (case({"tkaen": NONE} | PLAIN), [("unknown_field", "tkaen")]),
        (case(7), [("bad_entry", "hands/0/entry")]),
        (7, [("bad_case", "")]),
    ],
)  # fmt: skip
def test_every_flaw_is_named_with_its_place(given: object, found: list[tuple[str, str]]) -> None:
    assert errors(given) == found


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def scoring(*arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "scoring", *arguments],
        input=given, capture_output=True, cwd=ROOT, check=False, preexec_fn=limited, timeout=300,
    )  # fmt: skip


def test_absurd_cases_are_refused_within_little_memory_and_time() -> None:
    done = scoring("score", given="\n".join(map(json.dumps, HOSTILE)).encode())
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 2
    assert len(said) == len(HOSTILE)
    assert all(one["errors"] for one in said)
    assert len(done.stdout) < 200_000  # an attack is not answered by a flood


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * 50_000,
        "a = " + "9" * 150_000,
        'id = "x"\nname = "X"\nextends = "hearts"\nplayers = [2, 1000000000]',
        'id = "x"\nname = "X"\nextends = "hearts"\n[deck]\nbase = "std52"\npacks = 1000000000',
        'id = "x"\nname = "X"\nextends = "hearts"\ncounting = "' + "*H," * 60_000 + 'QS"',
        'id = "x"\nname = "X"\nextends = "hearts"\n'
        + '[[values]]\ncards = "QS"\nvalue = 1\n' * 5_000,
        "x" * 10**7,
    ],
    ids=["nested", "digits", "seats", "packs", "selector", "values", "size"],
)
def test_hostile_variant_file_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_text(text)
    done = scoring("check", str(file))
    assert (done.returncode, done.stdout, b"Traceback" in done.stderr) == (2, b"", False)
    assert done.stderr.startswith(str(file).encode() + b":")


MUTATIONS = [
    ("hearts", 'op = ">="', 'op = "=>"', "none of >=, >, <=, <, =="),
    ("hearts", 'kind = "score"', 'kind = "points"', "none of score, abs, deals"),
    ("hearts", 'tie = "continue"', 'tie = "toss"', "none of continue, shared, playoff"),
    ("hearts", 'mode = "choose"', 'mode = "pick"', "none of choose, self, others"),
    ("hearts", "players = [3, 6]", "players = [3, 60]", "from 2 to 13"),
    ("hearts", 'base = "std52"', 'base = "std53"', "none of std52, low32"),
    ("hearts", 'counting = "*H,QS"', 'counting = "*H,QQ"', "write QS, *H"),
    ("hearts", 'tricks = "equal"', 'tricks = "even"', "none of equal, variable"),
    (
        "spot-hearts",
        'extends = "hearts"',
        'extends = "haerts"',
        "not a variant that can be extended",
    ),
    ("danger-hearts", "lose_at = 15", 'lose_at = "15 "', "not a number of points"),
    ("danger-hearts", "start = 3", "start = 0", "not a whole number from 1"),
    ("hearts-chip-pool", 'winners = "clean"', 'winners = "tidy"', "none of lowest"),
    ("hearts-chip-pool", "ante = 1", "ante = -1", "not a whole number from 1"),
    ("turbo-hearts", 'op = "mul"', 'op = "times"', "none of mul, set, add, floor"),
    ("turbo-hearts", 'declared = "AH"', 'declared = "HA"', "not a card"),
    ("likha", 'mode = "individual"', 'mode = "single"', "none of none, pooled, individual"),
    ("complex-hearts", 'number = "complex"', 'number = "odd"', "none of real, complex"),
    ("cancellation-hearts", 'rule = "cancel"', 'rule = "both"', "none of later, earlier, cancel"),
    ("kitty-hearts", 'kitty = "rest"', 'kitty = "all"', "not a whole number"),
    ("rickety-kate", "slams = []", "slams = [", "not TOML"),
]


@pytest.mark.parametrize(("variant", "right", "wrong", "allowed"), MUTATIONS)
def test_file_with_one_wrong_word_names_the_line_and_what_is_allowed(
    variant: str, right: str, wrong: str, allowed: str, tmp_path: Path
) -> None:
    text = re.sub(r"(?m)^aliases = .*$", "", (SHIPPED / f"{variant}.toml").read_text())
    text = re.sub(r"(?m)^id = .*$", 'id = "mutant"', text, count=1)
    text = re.sub(r"(?m)^name = .*$", 'name = "Mutant"', text, count=1)
    assert right in text, text
    file = tmp_path / "mutant.toml"
    file.write_text(text.replace(right, wrong, 1))
    done = scoring("check", str(file))
    said = done.stderr.decode()
    assert (done.returncode, done.stdout) == (2, b"")
    assert allowed in said
    line = next(n for n, one in enumerate(file.read_text().splitlines(), 1) if wrong in one)
    assert f"{file}:{line}:" in said or "not TOML" in said, said


def box_named(boxes: Sequence[Box], head: str) -> Box | None:
    key = folded(head)
    for box in boxes:
        if key and any(folded(column) == key for column in box.columns):
            return box
    return None


def keys(variant: str, seats: int = 4, **options: object) -> list[str]:
    return [box.key for box in boxes(rules(variant, **options), seats)]


def test_plain_sheet_asks_for_hearts_and_the_queen() -> None:
    assert keys("hearts") == ["hearts", "queen_spades", "cards", "moon", "points"]
    assert keys("omnibus-hearts") == [
        "hearts", "queen_spades", "jack_diamonds", "cards", "moon", "points",
    ]  # fmt: skip


def test_sheet_without_the_short_form_asks_for_each_heart() -> None:
    found = keys("spot-hearts")
    assert found[:3] == ["two_hearts", "three_hearts", "four_hearts"]
    assert found[12:] == ["ace_hearts", "queen_spades", "cards", "moon", "points"]


def test_sheet_asks_for_what_the_options_need() -> None:
    found = boxes(rules("hearts", sun="double", pledge=True, ten_of_clubs="double"), 4)
    assert [box.key for box in found] == [
        "hearts", "queen_spades", "ten_clubs", "cards", "tricks", "pledge", "moon", "points",
    ]  # fmt: skip
    assert box_named(found, "pledge") == Box(
        "pledge", "pledge", None, "Pledge", None, ("pledge", "pledges"), ("no-hearts",)
    )


def test_who_won_the_first_trick_and_who_passed_are_asked_where_a_slam_looks_at_it() -> None:
    asked = {
        sun: [key for key in keys("hearts", sun=sun) if key in ("first_trick", "passer")]
        for sun in ("double", "double-except-first", "slate", "punish")
    }
    assert asked == {
        "double": [], "double-except-first": ["first_trick"], "slate": [], "punish": ["passer"],
    }  # fmt: skip


def test_moon_box_offers_only_what_is_open() -> None:
    choices = {
        mode: next((box.choices for box in boxes(rules(moon=mode), 4) if box.key == "moon"), None)
        for mode in ("choose", "others", "none")
    }
    assert choices == {"choose": ("self", "others"), "others": (), "none": None}


def test_charged_cards_and_nobodys_cards_are_asked_for_once_a_hand() -> None:
    charged = box_named(boxes(rules("test-charged"), 4), "exposed")
    assert charged is not None
    assert (charged.per, charged.choices) == ("hand", ("AH", "QS", "JD", "10C"))
    assert "unclaimed" in keys("test-two-packs", 6, last_stalled="uncounted")
    assert "unclaimed" not in keys("test-two-packs", 6)


def test_two_packs_have_twice_as_much_of_each() -> None:
    found = {box.key: box.maximum for box in boxes(rules("test-two-packs"), 6)}
    assert (found["hearts"], found["queen_spades"]) == (26, 2)


@pytest.mark.parametrize(
    ("head", "key"),
    [
        ("queen_spades", "queen_spades"), ("Queen of Spades", "queen_spades"),
        ("QS", "queen_spades"), ("Q♠", "queen_spades"), ("SQ", "queen_spades"),
        (" lady ", "queen_spades"), ("Black Lady", "queen_spades"), ("♠Q", "queen_spades"),
        ("jack diamonds", "jack_diamonds"), ("J♦", "jack_diamonds"), ("JD", "jack_diamonds"),
        ("HEARTS", "hearts"), ("♥", "hearts"), ("Score", "points"), ("cards", "cards"),
        ("colour", None), ("", None), ("♦♦", None),
    ],
)  # fmt: skip
def test_column_is_read_under_its_usual_names(head: str, key: str | None) -> None:
    box = box_named(boxes(rules("omnibus-hearts"), 4), head)
    assert (box and box.key) == key


def test_columns_of_a_sheet_mean_one_box_each() -> None:
    for variant in ("hearts", "omnibus-hearts", "omnibus-hearts-10d", "spot-hearts"):
        heads = [folded(head) for box in boxes(rules(variant), 4) for head in set(
            map(folded, box.columns))]  # fmt: skip
        assert len(heads) == len(set(heads)), variant


def test_seats_are_named_after_the_winds_up_to_four() -> None:
    assert seat_names(3) == ("N", "E", "S")
    assert seat_names(6) == ("1", "2", "3", "4", "5", "6")


def test_sheet_for_too_many_players_is_our_own_mistake() -> None:
    with pytest.raises(ValueError, match="7 seats"):
        boxes(rules("hearts"), 7)
