"""The app's refusals besides the scorer's `Refused`: conflicts, missing rights, missing objects.

Codes are API and never renamed; their sentences are in `sentences/`, by subject.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Protocol, TypeVar

from scoring.errors import Problem, Refused

Row = TypeVar("Row")
Row_co = TypeVar("Row_co", covariant=True)


class Conflict(Exception):
    """Another change came first, or the object's state does not allow this (409, 412).

    `there` is the stored version and `yours` the sent one, for showing both.
    """

    def __init__(self, problem: Problem, there: object = None, yours: object = None) -> None:
        super().__init__(problem.code)
        self.problem = problem
        self.there = there
        self.yours = yours


class Forbidden(Exception):
    """The caller's role does not have this right (403)."""

    code = "forbidden"

    def __init__(self, right: str, **facts: str) -> None:
        super().__init__(right)
        self.problem = Problem(self.code, facts={"act": right, **facts})


class SecondFactorNeeded(Forbidden):
    """The caller's role needs a second factor, which the account lacks (403)."""

    code = "second_factor_needed"


class ClubIsReadOnly(Forbidden):
    """The club is about to be deleted: it can be read and exported, but not changed (403)."""

    code = "club_is_read_only"


class BeyondScope(Forbidden):
    """The caller's token does not give this right, even if its user's role has it (403)."""

    code = "beyond_scope"

    def __init__(self, right: str, scope: str) -> None:
        super().__init__(right, scope=scope)


class Missing(Exception):
    """The object is missing or hidden from the caller (404); never reveals whether it exists."""

    status = 404

    def __init__(self, kind: str, facts: Mapping[str, int | str] | None = None) -> None:
        super().__init__(kind)
        self.problem = Problem(f"unknown_{kind}", facts=facts or {})


class _Rows(Protocol[Row_co]):
    def first(self) -> Row_co | None: ...


def first_or_missing(rows: _Rows[Row], kind: str, **facts: int | str) -> Row:
    """Return the first of the rows of a query; `Missing` where it has none."""
    row = rows.first()
    if row is None:
        raise Missing(kind, facts)
    return row


OF_STATES: Final = frozenset({"challenge_state", "playoff_over", "playoff_state", "playoff_void"})
"""Problems of the scorer with a step that the state does not allow; each comes alone."""


def refuse_any(problems: Iterable[Problem]) -> None:
    """Raise `Refused` with all of the problems, or `Conflict` with one of a state."""
    if refusals := tuple(problems):
        if refusals[0].code in OF_STATES:
            raise Conflict(refusals[0])
        raise Refused(*refusals)


def problems_of(refusal: Refused | Conflict | Forbidden | Missing) -> Sequence[Problem]:
    return refusal.problems if isinstance(refusal, Refused) else (refusal.problem,)
