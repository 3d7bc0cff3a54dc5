"""The rows of the page on variant files."""

import re
import tomllib
from collections.abc import Iterator
from typing import Any, NamedTuple

from scoring.rules.catalogue import catalogue, rules_with
from scoring.rules.rules import Rules
from tests.support.answers import Json
from tests.support.sources import ROOT

PAGE = (ROOT / "docs" / "variant-files.md").read_text(encoding="utf-8")


class Row(NamedTuple):
    key: str
    example: dict[str, Any]
    hand: str
    gives: str


def rows() -> Iterator[Row]:
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| `") and len(cells) == 4:
            key, example, hand, gives = cells
            toml = "\n".join(re.findall(r"`([^`]*)`", example))
            yield Row(key, tomllib.loads(toml), hand.strip("| `"), gives.strip("| `"))


def rules_of(example: Json) -> Rules:
    parent = catalogue().resolved(example.get("extends", "hearts"))
    own = {key: value for key, value in example.items() if key not in ("extends", "options")}
    return rules_with({**parent, **own}, example.get("options", {}))
