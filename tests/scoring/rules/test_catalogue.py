"""The catalogue: finding, extending, options, and what a bad file is told."""

from pathlib import Path

import pytest

from scoring.errors import Refused
from scoring.rules.catalogue import SHIPPED, catalogue, check_file
from scoring.rules.options import option_table, scoring_options
from scoring.rules.rules import Rules
from tests.support.answers import Json
from tests.support.scoring.play import VARIANTS, rules


def test_unknown_variant_names_the_closest() -> None:
    with pytest.raises(Refused) as refusal:
        catalogue().find("omnibus-harts")
    (problem,) = refusal.value.problems
    assert problem.code == "unknown_variant"
    assert "omnibus-hearts" in [hint.facts["name"] for hint in problem.suggestions]


@pytest.mark.parametrize("name", ["", None])
def test_variant_that_is_not_named_is_said_to_be_missing(name: str | None) -> None:
    with pytest.raises(Refused) as refusal:
        catalogue().find(name)  # type: ignore[arg-type]
    assert [problem.message for problem in refusal.value.problems] == ["No variant is named."]


def test_snapshot_gives_the_same_rules_and_the_same_hash() -> None:
    found = rules("spot-hearts", sun="double", tie="playoff")
    again = Rules.from_json(found.as_json())
    assert again is found
    assert again.content_hash == found.content_hash
    assert found.options == {"sun": "double", "tie": "playoff"}
    assert rules("spot-hearts").content_hash != found.content_hash


@pytest.mark.parametrize(
    ("variant", "options", "code"),
    [
        ("hearts", {"moon": "both"}, "bad_option"),
        ("hearts", {"moon": None}, "bad_option"),
        ("hearts", {"target": "100"}, "bad_option"),
        ("hearts", {"target": 1.5}, "bad_option"),
        ("hearts", {"target": True}, "bad_option"),
        ("hearts", {"target_op": "=>"}, "bad_option"),
        ("hearts", {"deals": 0}, "bad_option"),
        ("hearts", {"pledge": "true"}, None),
        ("hearts", {"big_moon": 260}, None),
        ("hearts", {"moon_needs": "H"}, "bad_option"),
        ("hearts", {"new_moon_from": {"score": 50}}, "bad_option"),
        ("hearts", {"new_moon_from": {"score": 50, "who": "all"}}, "bad_option"),
        ("hearts", {"custom_values": [["JC", 3], ["*D"]]}, "bad_option"),
        ("hearts", {"custom_values": [["JC", "3"]]}, "bad_option"),
        ("hearts", {"removed_cards": {"four": ["2C"]}}, "bad_option"),
        ("hearts", {"deck_base": "tarot"}, "bad_option"),
        ("test-complex", {"bonus_floor": "hand"}, "bad_option"),
    ],
)
def test_option_is_taken_or_refused(variant: str, options: Json, code: str | None) -> None:
    if code is None:
        assert rules(variant, **options).options == options
        return
    with pytest.raises(Refused) as refusal:
        rules(variant, **options)
    assert [problem.code for problem in refusal.value.problems] == [code]


def test_options_apply_in_the_order_of_their_table_with_suns_in_front() -> None:
    found = rules(big_moon="100", sun="double", moon="others")
    assert [slam.id for slam in found.keys.slams] == ["big-moon", "sun", "moon"]
    assert list(scoring_options(dict.fromkeys(option_table())))[-2:] == ["sun", "big_moon"]


def test_moon_option_gives_a_moon_to_rules_without_one() -> None:
    found = rules("test-high-wins", moon="others")
    assert [(slam.needs, slam.pay.mode) for slam in found.keys.slams] == [("*H,QS", "others")]


def test_options_leave_the_variant_as_it_is() -> None:
    before = rules().as_json()
    rules(moon="none", custom_values=[["JC", 3]], no_trick_bonus=-5)
    assert rules().as_json() == before


@pytest.mark.parametrize("file", sorted([*SHIPPED.glob("*.toml"), *VARIANTS.glob("*.toml")]))
def test_variant_file_stands_a_strict_look(file: Path) -> None:
    assert check_file(file).id == file.stem


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id = ", "this is not TOML"),
        ('id = "x-1"', "a variant has an id and a name"),
        ('id = "x-1"\nname = "X"\nextends = "nothing"', "not a variant that can be extended"),
        ('id = "x-1"\nname = "X"\nextends = "hearts"\ncolour = 1', "colour: there is no such key"),
        ('id = "x-1"\nname = "X"\nextends = "hearts"\nplayers = [4, 2]', "least and most"),
        ('id = "x-1"\nname = "X"\nextends = "hearts"\nplayers = [4, 7]', "cannot be dealt evenly"),
        ('id = "x-1"\nname = "X"\nextends = "hearts"\ncounting = "*H"',
         "QS has a value but is not in counting"),
        ('id = "x-1"\nname = "Hearts"\nextends = "hearts"', "already means"),
        ('id = "other"\nname = "X"\nextends = "hearts"', "the file must be called"),
        ('id = "x-1"\nname = "X"\nextends = "hearts"', "say where the rule comes from"),
        ('id = "x-1"\nname = "X"\naliases = "a"', "is not a list of texts"),
        ('id = "x-1"\nname = "X"\nextends = "hearts"\nslams = [{ id = "m", needs = "*H" }]',
         "pay is missing"),
        ('id = "x-1"\nname = "X"\nextends = "hearts"\nfinish = [{ kind = "deals", value = 0 }]',
         "a number of hands is whole"),
    ],
)  # fmt: skip
def test_bad_variant_file_is_told_what_is_wrong(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "x-1.toml"
    file.write_text(text)
    with pytest.raises(Refused) as refusal:
        check_file(file)
    assert any(message in problem.message for problem in refusal.value.problems)


def test_all_faults_of_a_file_are_told_at_once(tmp_path: Path) -> None:
    file = tmp_path / "x-1.toml"
    file.write_text('id = "x-1"\nname = "X"\nextends = "hearts"\ntricks = "some"\nlives = 3\n')
    with pytest.raises(Refused) as refusal:
        check_file(file)
    assert [problem.at for problem in refusal.value.problems] == [("lives",), ("tricks",)]
