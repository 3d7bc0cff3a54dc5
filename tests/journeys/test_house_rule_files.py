"""House rules as files: what the download gives, the scorer on its own takes, and says the same."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scoring.errors import Refused
from scoring.rules.catalogue import catalogue, check_text
from scoring.rules.options import options_of
from tests.support.answers import Json
from tests.support.builders import by_tests
from tests.support.cast import Cast
from tests.support.scoring.catalogue_facts import VARIANTS
from tests.support.scoring.option_choices import choices_for
from tests.support.sources import ROOT
from tournaments.documents.rule_files import rule_file
from tournaments.models.rules import HouseVersion
from tournaments.selectors.rules.rule_sets import variants
from tournaments.services.rules.house_rules import (
    HouseRulesDraft,
    add_version,
    chosen_for,
    chosen_in,
    chosen_rules,
    make_house_rules,
    read_house_file,
)

FILE = """id = "thursday-rules"
name = "Thursday rules"
extends = "omnibus-hearts"
sources = ["The club's book"]

[options]
target = 61
"""


def check(file: Path, text: str) -> subprocess.CompletedProcess[str]:
    file.write_text(text, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-m", "scoring", "check", str(file)],
        capture_output=True, text=True, check=False, cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip


def plain(rules: Json) -> Json:
    return {key: value for key, value in rules.items() if key not in ("id", "name")}


def test_command_takes_the_download_and_resolves_the_same_rules(cast: Cast, tmp_path: Path) -> None:
    options = {"target": 61, "bonus_card": "10D", "custom_values": [["KS", 10]], "moon": "self"}
    chosen = chosen_rules("omnibus", options, "To 61.")
    made = make_house_rules(by_tests(), cast.riverside, name="Thursday rules", chosen=chosen)
    said = check(tmp_path / "thursday-rules.toml", rule_file(made, variants()))
    assert (said.returncode, said.stderr) == (0, "")
    shown = json.loads(said.stdout)
    assert plain(shown).items() >= plain(made.rules).items()
    assert shown["deal_total"] == dict.fromkeys("3456", 13 + 13 - 10 + 10)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (FILE.replace("target = 61", "target = 61\nmoon = 'selff'"),
         "8: bad_option: \"Shooting the moon\" cannot be \"selff\" here. Choices: choose (the "
         "shooter chooses), self ("),
        (FILE.replace("target", "tarrget"),
         "7: unknown_option: There is no option called tarrget. Closest: target"),
        (FILE.replace("target", "zzz"), "7: unknown_option: There is no option called zzz. Known "
         "are target, target_op, moon,"),
        (FILE.replace("target = 61", "all_to_one = 'carry'"),
         "7: bad_option: \"One player takes every penalty card\" cannot be \"the pool stays for "
         "the next hand\" here. These rules have nothing that it "
         "could change. It is for rules where players without penalty cards share a pool."),
        (FILE.replace("target = 61", "target = 61\ndeals = 8"),
         "7: bad_option: \"Points limit\" cannot be \"61\" here. It cannot be combined with "
         "\"Number of hands\""),
        (FILE.replace("target = 61", "removed_cards = {'4' = ['2C']}"),
         "7: bad_option: \"Cards taken out\" cannot be \"an object\" here. 51 cards cannot be "
         "dealt evenly to 4 players."),
        (FILE.replace("target = 61", "target ="), "7: bad_rules: file: this is not TOML: "),
        (FILE.replace("target = 61", "target = 2026-01-01"),
         "7: bad_rules: options.target: 2026-01-01 is a date or a time; rules hold texts,"),
        (FILE.replace("omnibus-hearts", "omnibus"),
         "3: bad_rules: extends: omnibus is not a variant that can be extended here. Closest: "
         "omnibus-hearts."),
        (FILE.replace("Thursday rules", "Black Lady"),
         "1: bad_rules: id: Black Lady already means hearts."),
    ],
)  # fmt: skip
def test_command_names_line_of_a_mistake_and_choices(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "thursday-rules.toml"
    said = check(file, text)
    assert (said.returncode, said.stdout) == (2, "")
    assert said.stderr.startswith(f"{file}:{says}"), said.stderr


def test_every_variant_with_every_option_comes_back_from_its_file(cast: Cast) -> None:
    """All options that stand together on a variant, one after the other, as one version each."""
    tried = 0
    for variant in VARIANTS:
        options: dict[str, Any] = {}
        for option in options_of(catalogue().resolved(variant)):
            more = {**options, option.name: choices_for(variant, option.name)[0]}
            try:
                catalogue().rules(variant, more)
            except Refused:
                continue
            options = more
        version = _made(cast, f"Ours of {variant}", chosen_rules(variant, options))
        found = check_text(rule_file(version, variants()).encode(), "ours.toml")
        assert plain(found.rules.as_json()) == plain(version.rules), variant
        assert (found.base, found.options) == (variant, options)
        tried += len(options)
    assert tried > 500


def _made(cast: Cast, name: str, chosen: HouseRulesDraft) -> HouseVersion:
    return make_house_rules(by_tests(), cast.riverside, name=name, chosen=chosen)


def test_file_with_rules_of_its_own_comes_back_and_its_options_are_changed(cast: Cast) -> None:
    own = FILE.replace("[options]", 'players = [4, 4]\ncounting = "*H,QS,JD,2C"\n\n[options]')
    read = read_house_file(own.encode(), "x.toml")
    first = _made(cast, read.variant.name, chosen_in(read))
    changed = chosen_rules(first, {"target": 71})
    second = add_version(by_tests(), first.variant, chosen=changed)
    assert second.rules["players"] == [4, 4]
    assert second.rules["counting"] == "*H,QS,JD,2C"
    text = rule_file(second, variants())
    assert 'extends = "omnibus-hearts"' in text
    assert "deck" not in text
    assert plain(check_text(text.encode(), "x.toml").rules.as_json()) == plain(second.rules)
    with pytest.raises(Refused) as refused:
        chosen_for(first.variant, check_text(text.replace("thursday", "friday").encode(), "x"))
    assert refused.value.problems[0].code == "rules_of_another"


def test_file_says_everything_where_the_variant_below_is_not_what_it_was(cast: Cast) -> None:
    """After an upgrade that changes a variant, a version and its file mean what they always did."""
    made = _made(cast, "Thursday rules", chosen_rules("omnibus", {"target": 61}))
    made.foundation["result"] = {**made.foundation["result"], "tie": "shared"}
    made.foundation.pop("sheet")
    text = rule_file(made, variants())
    assert "extends" not in text
    assert 'tie = "shared"' in text
    assert check_text(text.encode(), "x.toml").rules.keys.sheet == ()
