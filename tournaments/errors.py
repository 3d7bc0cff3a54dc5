"""What the app refuses besides the scorer's `Refused`: somebody was first, not your role, missing.

Codes are API and never renamed; their sentences are in `sentences/`, by subject.
"""

from collections.abc import Mapping

from scoring.errors import Problem


class Conflict(Exception):
    """Somebody was first, or the object is in a state that does not allow this (409, 412).

    `there` is what stands there now and `yours` what was sent, for showing both versions.
    """

    def __init__(self, problem: Problem, there: object = None, yours: object = None) -> None:
        super().__init__(problem.code)
        self.problem = problem
        self.there = there
        self.yours = yours


class Forbidden(Exception):
    """The caller's role does not allow this act (403)."""

    code = "forbidden"

    def __init__(self, act: str, **facts: str) -> None:
        super().__init__(act)
        self.problem = Problem(self.code, facts={"act": act, **facts})


class SecondFactorNeeded(Forbidden):
    """The caller's role waits until the account has a second factor (403)."""

    code = "second_factor_needed"


class ClubIsReadOnly(Forbidden):
    """The club waits for its deletion: it is read and exported, and nothing is changed (403)."""

    code = "club_is_read_only"


class BeyondScope(Forbidden):
    """The caller's token is not made for this act, whatever its user's role (403)."""

    code = "beyond_scope"

    def __init__(self, act: str, scope: str) -> None:
        super().__init__(act, scope=scope)


class Missing(Exception):
    """Nothing there that the caller may know of (404); never tells whether it exists."""

    def __init__(self, kind: str, facts: Mapping[str, int | str] | None = None) -> None:
        super().__init__(kind)
        self.problem = Problem(f"unknown_{kind}", facts=facts or {})
