"""The tables of docs/contracts.md are the tables of the code."""

import re
from collections.abc import Mapping
from typing import get_args

import pytest

from scoring.entry.typed_hand import EntryDocument
from scoring.standings.rank import Progress
from tests.support.sources import ROOT
from tournaments import policy, states
from tournaments.models.access import Scope
from tournaments.models.clubs import Role
from tournaments.models.events import EntrantKind, EventKind, Visibility
from tournaments.models.hands import EntryForm, Source
from tournaments.models.imports import BatchState, ProblemClass
from tournaments.models.rounds import SitOutReason
from tournaments.models.seating_plans import ConstraintKind
from tournaments.models.standings import LedgerKind
from tournaments.services.publishing.standings_columns import FIXED
from tournaments.states import Move

PAGE = (ROOT / "docs" / "contracts.md").read_text(encoding="utf-8")
ROLES = ("public", "link", "player", "host", "director", "owner")
KINDS = {
    "role of a member": Role,
    "kind of an event": EventKind,
    "visibility of an event": Visibility,
    "kind of an entrant": EntrantKind,
    "reason of a sit-out": SitOutReason,
    "form of an entry": EntryForm,
    "source of an entry": Source,
    "line of the ledger": LedgerKind,
    "constraint of seating": ConstraintKind,
    "scope of a token": Scope,
}


def rows(heading: str) -> list[list[str]]:
    """The cells of the first table under a heading, without its two head lines."""
    section = re.split(r"^#+ ", PAGE.split(f"# {heading}\n", 1)[1], maxsplit=1, flags=re.M)[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip(" `") for cell in line.strip("|").split(" | ")] for line in lines[2:]]


@pytest.mark.parametrize(
    "name",
    [
        "EVENT",
        "ROUND",
        "GAME",
        "HAND",
        "ENTRANT",
        "MEETING",
        "OWN_ATTENDANCE",
        "DISPUTE",
        "SEATING_PLAN",
        "CHALLENGE",
        "PLAYOFF",
    ],
)
def test_each_change_of_state_is_listed(name: str) -> None:
    table: Mapping[tuple[str, str], Move] = getattr(states, name)
    assert rows(name.replace("_", " ").capitalize()) == [
        [begin or "–", end, move.right, "required" if move.needs_reason else ""]
        for (begin, end), move in table.items()
    ]


def test_each_permission_is_listed() -> None:
    assert rows("Roles") == [
        [right, *("yes" if role in roles else "" for role in ROLES)]
        for right, roles in policy.MAY.items()
    ]


def test_each_kind_is_listed() -> None:
    listed = {name: re.findall(r"\w+", values) for name, values in rows("Kinds")}
    assert listed.pop("progress of a row of standings") == list(get_args(Progress))
    assert listed == {name: list(kind.values) for name, kind in KINDS.items()}


def test_states_and_problems_of_an_import_are_listed() -> None:
    assert [row[0] for row in rows("Import")] == list(BatchState.values)
    classes = re.findall(r"^\| `([a-z-]+)` \| (?:is imported|waits|is refused|–)", PAGE, re.M)
    assert classes == list(ProblemClass.values)


def test_each_member_of_an_entry_is_listed() -> None:
    named = [name for row in rows("Entry") for name in re.findall(r"\w+", row[0])]
    assert sorted(named) == sorted(EntryDocument.__optional_keys__)


def test_columns_of_the_standings_are_listed() -> None:
    assert f"`{', '.join(FIXED)}`" in PAGE
