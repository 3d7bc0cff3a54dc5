"""Stages in words: movements, who plays in a stage, what counts there."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from tournaments.models.events import StageTakes
from tournaments.selectors.events.cuts import StageRow
from tournaments.services.stages.plan_stages import stage_tag

MOVEMENT_NAMES: Final[Mapping[str, str | Promise]] = {
    "open": gettext_lazy("Open seating"),
    "individual": gettext_lazy("Individual"),
    "whist": gettext_lazy("Individual with changing partners"),
    "pairs": gettext_lazy("Pairs"),
    "teams": gettext_lazy("Teams"),
    "swiss": gettext_lazy("Swiss"),
    "knockout": gettext_lazy("Knock-out"),
    "playoff": gettext_lazy("Play-off"),
}

CARRY_NAMES: Final[Mapping[str, str | Promise]] = {
    "all": gettext_lazy("All earlier games count"),
    "half": gettext_lazy("Earlier games count half"),
    "none": gettext_lazy("Only games of this stage count"),
    "seeding": gettext_lazy("Earlier games only decide the seeding"),
}

SEEDING_NAMES: Final[Mapping[str, str | Promise]] = {
    "standings": gettext_lazy("By the standings"),
    "ladder": gettext_lazy("By the start positions"),
    "lot": gettext_lazy("By lot"),
}


@dataclass(frozen=True, slots=True)
class StageInWords:
    """A stage with its words for a list."""

    row: StageRow
    movement: str
    carry: str
    entrants: str
    sizes: str
    tag: str
    """A mark of the plan, which its buttons send."""


def in_words(row: StageRow) -> StageInWords:
    """Return a stage with its words."""
    return StageInWords(
        row,
        str(MOVEMENT_NAMES[row.kind]),
        str(CARRY_NAMES[row.carry]),
        entrants_in_words(row),
        ", ".join(map(str, row.table_sizes)),
        stage_tag(row),
    )


def entrants_in_words(row: StageRow) -> str:
    """Return who plays in a stage that is planned."""
    if row.from_stage is None:
        return _("all entrants")
    if row.takes == StageTakes.LOSERS:
        return _("those of %(stage)s who do not go on") % {"stage": row.from_name}
    first = _of_first(row)
    if row.also_from is None:
        return first
    back = {"first": first, "n": row.also_best, "stage": row.also_name}
    return _("%(first)s, and the best %(n)s of %(stage)s") % back


def _of_first(row: StageRow) -> str:
    if row.advance is None:
        return _("all of %(stage)s") % {"stage": row.from_name}
    if "best" in row.advance:
        best = {"n": row.advance["best"], "stage": row.from_name}
        return _("the best %(n)s of %(stage)s") % best
    return _of_tables(row.advance["each_table"], row.advance["wild_cards"], row.from_name)


def _of_tables(each: int, wild_cards: int, stage: str) -> str:
    of_tables = ngettext(
        "the best of each table of %(stage)s",
        "the best %(n)s of each table of %(stage)s",
        each,
    ) % {"n": each, "stage": stage}
    if not wild_cards:
        return of_tables
    more = ngettext("%(n)s wild card", "%(n)s wild cards", wild_cards) % {"n": wild_cards}
    return f"{of_tables} + {more}"
