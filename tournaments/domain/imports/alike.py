"""Answers that can be given to all findings of one kind of an import at once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from tournaments.domain.imports.import_report import HAND_EXISTS, OF_ONE_NAME, Finding, Offer
from tournaments.models.imports import BatchState, ImportProblem, ProblemState

ALIKE: Final = "alike"
"""Member of an offer: the key of its answer, which is the same in findings about other rows."""

LEAVE_OUT: Final = "leave_out"
"""The answer that fits each kind: the rows are not imported. It needs a reason."""

USE_FILE: Final = "use_file"
"""The hands of the file replace those of the event, as corrections. It needs a reason."""

WITH_REASON: Final = (LEAVE_OUT, USE_FILE)

ONE_SHEET: Final = "one_sheet"
ANOTHER_GAME: Final = "another_game"
IS_RIGHT: Final = "is_right"
NEW_HAND: Final = "new_hand"
NEXT_NUMBER: Final = "next_number"
OWN_ROUND: Final = "own_round"
AS_WRITTEN: Final = "as_written"
WHOLE_NUMBER: Final = "whole_number"
TAKE_POINTS: Final = "take_points"
TAKE_SUMS: Final = "take_sums"
SETTLED: Final = "settled_"
"""Beginning of the answer that names how a moon was settled, before the key of the choice."""

ANSWERS: Final[Mapping[str, str | Promise]] = {
    ONE_SHEET: _("Each is one sheet: add only what is new"),
    ANOTHER_GAME: _("Each is another game: add them"),
    IS_RIGHT: _("All are right: store the sheets"),
    NEW_HAND: _("Each is another hand: add them"),
    NEXT_NUMBER: _("Number the later hands on"),
    OWN_ROUND: _("Each has a round of its own"),
    AS_WRITTEN: _("Seat all as written"),
    WHOLE_NUMBER: _("Take all as whole numbers"),
    TAKE_POINTS: _("The points are right in all"),
    TAKE_SUMS: _("The totals are right in all"),
    f"{SETTLED}self": _("All are taken off the shooter"),
    f"{SETTLED}others": _("All are added to the others"),
    USE_FILE: _("Use the file's hands"),
    LEAVE_OUT: _("Leave all out"),
}
"""Key of an answer → its button."""

KINDS: Final = {
    "bad_count": ngettext_lazy("%(n)d number to read", "%(n)d numbers to read", "n"),
    "bad_number": ngettext_lazy("%(n)d number to read", "%(n)d numbers to read", "n"),
    "choice_required": ngettext_lazy(
        "%(n)d moon without its settlement", "%(n)d moons without their settlement", "n"
    ),
    "evening_cancelled": ngettext_lazy(
        "%(n)d sheet of a cancelled evening", "%(n)d sheets of cancelled evenings", "n"
    ),
    "hand_exists": ngettext_lazy(
        "%(n)d hand differs from the event", "%(n)d hands differ from the event", "n"
    ),
    "hand_inserted": ngettext_lazy(
        "%(n)d sheet with inserted hands", "%(n)d sheets with inserted hands", "n"
    ),
    "hand_not_in_file": ngettext_lazy(
        "%(n)d sheet without hands of the event", "%(n)d sheets without hands of the event", "n"
    ),
    "hand_twice": ngettext_lazy(
        "%(n)d hand may be in the event already", "%(n)d hands may be in the event already", "n"
    ),
    "hand_unclear": ngettext_lazy(
        "%(n)d hand may be new or changed", "%(n)d hands may be new or changed", "n"
    ),
    "hands_repeated": ngettext_lazy(
        "%(n)d sheet with repeated hands", "%(n)d sheets with repeated hands", "n"
    ),
    "repeated_hand_number": ngettext_lazy(
        "%(n)d number of two hands", "%(n)d numbers of two hands each", "n"
    ),
    "sheet_elsewhere": ngettext_lazy(
        "%(n)d sheet may be in the event already", "%(n)d sheets may be in the event already", "n"
    ),
    "sum_beside_disagrees": ngettext_lazy(
        "%(n)d hand where points and sum disagree", "%(n)d hands where points and sum disagree", "n"
    ),
    "which_round": ngettext_lazy(
        "%(n)d sheet whose round is open", "%(n)d sheets whose round is open", "n"
    ),
}
"""Code → what its findings are, with their number."""

OTHER_KIND: Final = ngettext_lazy(
    "%(n)d finding: %(first)s", "%(n)d findings, the first: %(first)s", "n"
)

LEAST: Final = 2
"""Fewer findings are answered one by one."""


@dataclass(frozen=True, slots=True)
class AlikeFindings:
    """The open findings of one code, and the keys of the answers that fit all of them."""

    code: str
    n: int
    answers: Sequence[str]
    first: str

    @property
    def title(self) -> str:
        """What they are, with their number."""
        text = KINDS.get(self.code, OTHER_KIND)
        return str(text % {"n": self.n, "first": self.first})

    @property
    def buttons(self) -> Sequence[tuple[str, str | Promise]]:
        """(key, label) of each answer that needs no reason."""
        return [(key, label_of(key)) for key in self.answers if key not in WITH_REASON]

    @property
    def buttons_with_reason(self) -> Sequence[tuple[str, str | Promise]]:
        return [(key, label_of(key)) for key in self.answers if key in WITH_REASON]


def label_of(answer: str) -> str | Promise:
    """Return the button of an answer; that of a round is its number."""
    number = answer.removeprefix("round_")
    if number != answer:
        return gettext("Round %(n)s") % {"n": number}
    return ANSWERS[answer]


def alike_findings(
    problems: Iterable[ImportProblem | Finding], *, least: int = LEAST
) -> list[AlikeFindings]:
    """Return the kinds of open findings with at least so many of them.

    Names are not among them: `likely_people` and `unknown_people` answer these alike.
    """
    by_code: dict[str, list[ImportProblem | Finding]] = {}
    for problem in problems:
        if is_open(problem) and problem.code not in OF_ONE_NAME:
            by_code.setdefault(problem.code, []).append(problem)
    return [
        AlikeFindings(code, len(of_code), answers_of(of_code), of_code[0].message)
        for code, of_code in by_code.items()
        if len(of_code) >= least
    ]


def is_open(problem: ImportProblem | Finding) -> bool:
    if isinstance(problem, Finding):
        return problem.waits
    return problem.state == ProblemState.OPEN


def answers_of(problems: Sequence[ImportProblem | Finding]) -> list[str]:
    """Return the answers that fit each of some findings of one code, in the order of the first.

    An answer that a finding offers twice does not say which of the two is meant.
    """
    first, *others = [
        [str(offer[ALIKE]) for offer in problem.offers if ALIKE in offer] for problem in problems
    ]
    answers = [
        answer for answer in first if all(each.count(answer) == 1 for each in (first, *others))
    ]
    if all(map(_has_file_hand, problems)):
        answers.append(USE_FILE)
    return [*answers, LEAVE_OUT]


def _has_file_hand(problem: ImportProblem | Finding) -> bool:
    """Whether the hand of a conflict can replace the stored one: its file is imported."""
    is_imported = isinstance(problem, ImportProblem) and problem.batch.state == BatchState.DONE
    has_hand = any("entry" in offer for offer in problem.offers)
    return problem.code == HAND_EXISTS and is_imported and has_hand


def offer_of(problem: ImportProblem | Finding, answer: str) -> Offer:
    """Return the offer of a finding that an answer takes; empty without one."""
    return next((offer for offer in problem.offers if offer.get(ALIKE) == answer), {})
