"""Operations: the changes that callers may make, each declared with its right, lock and refusals.

REST, a page, a command or a worker makes an `Operation` and passes it to the declared function:

    op = Operation(request.actor, timezone.now())
    constraint = add_constraint(op, event, kind="apart", player="RL01", other="RL02")

An operation that calls another one passes its own `op`. The inner one checks its right and takes
its lock in the same transaction. The role table is asked for services here alone (`require_role`).
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial, update_wrapper
from inspect import Parameter, signature
from types import MappingProxyType
from typing import Any, Concatenate, Final, Generic, ParamSpec, TypeVar

import structlog
from django.conf import settings
from django.db import transaction

from scoring.errors import Refused
from tournaments.domain.counters import count_refusal
from tournaments.errors import (
    BeyondScope,
    ClubIsReadOnly,
    Conflict,
    Forbidden,
    Missing,
    SecondFactorNeeded,
    problems_of,
)
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.policy import CLOSING, MAY, OWNER, PUBLIC, WITHHELD, Actor, command, may
from tournaments.selectors.clubs.clubs import creates_events, get_role
from tournaments.services.audit.audit import append_audit
from tournaments.services.db.transactions import (
    current_operations,
    is_dry_run,
    join_operations,
    repeat_once,
    write_last,
)
from tournaments.services.jobs.enqueue import mark_changed

log = structlog.get_logger(__name__)

P = ParamSpec("P")
R = TypeVar("R")
MARKS: Final = 0
"""The order of `write_last`: events are marked before the audit trail is written."""


@dataclass(frozen=True, slots=True)
class Operation:
    """Who acts, and when; what an operation writes at its end."""

    actor: Actor
    now: datetime
    versions: dict[int, int] = field(default_factory=dict)
    """The version of each event that has the change, by the event's id; after the end."""
    allowed: list[str] = field(default_factory=list)
    """The rights that were checked, in their order."""

    def as_site(self, name: str) -> "Operation":
        """Return an operation of the site itself at this moment, audited as the command `name`."""
        return replace(self, actor=command(name), allowed=[])

    def require(self, right: str, subject: Any) -> str:
        """Check a right in the club of `subject`; None = outside of any club.

        There a site administrator has the rights of an owner, the others those of the public.
        """
        if subject is None:
            require_role(self.actor, OWNER if self.actor.is_site_admin else PUBLIC, right)
        else:
            require(self.actor, club_of(subject), right)
        self.allowed.append(right)
        return right

    def allow(self, right: str, role: str) -> None:
        """Check a right of a role that the body has read, in an operation with `right_in_body`."""
        require_role(self.actor, role, right)
        self.allowed.append(right)

    def changed(
        self, event: Event, *, by: int = 1, then: Callable[[int], object] | None = None
    ) -> None:
        """Mark an event as changed when the outermost operation ends.

        `then` is called with the new version, to write what names it.
        """
        write_last(partial(self._mark, event, by, then), order=(MARKS, event.pk))

    def mark(self, event: Event, *, by: int = 1) -> int:
        """Mark an event as changed now, and return its new version, for a body that stores it.

        It locks the event's row of the queue: call it after all other locks.
        """
        self.versions[event.pk] = mark_changed(event=event, by=by, now=self.now)
        return self.versions[event.pk]

    def _mark(self, event: Event, by: int, then: Callable[[int], object] | None) -> None:
        version = self.mark(event, by=by)
        if then is not None:
            then(version)

    def audit(
        self,
        row: Any,
        facts: Mapping[str, object] = MappingProxyType({}),
        *,
        name: str = "",
        subject: str = "",
    ) -> AuditLine:
        """Append a line to the audit trail when the outermost operation ends, and return it.

        Args:
            facts: ids and numbers only, never names.
            name: empty = the name of the operation that runs.
            subject: empty = the `audit_subject` of the row.
        """
        return append_audit(
            club_of(row),
            self.actor,
            name or current_operations()[-1],
            subject or row.audit_subject,
            facts=facts,
            now=self.now,
        )


class DeclaredOperation(Generic[P, R]):
    """A function of a service with the facts that its callers need."""

    __name__: str

    def __init__(
        self,
        function: Callable[Concatenate[Operation, P], R],
        right: str,
        *,
        locks: Callable[[Any], Any] | None,
        requires: Callable[[Any], None] | None,
        check: Callable[..., Mapping[str, object] | None] | None,
        refuses: Iterable[str],
        name: str,
        right_in_body: bool,
        audits_refusals: Callable[..., object] | None,
    ) -> None:
        update_wrapper(self, function)
        self.function: Callable[..., R] = function
        self.name = name or function.__name__
        self.right = right
        self.refuses = frozenset(refuses)
        self.locks, self.requires, self.check = locks, requires, check
        self.right_in_body, self.audits_refusals = right_in_body, audits_refusals
        kinds = [parameter.kind for parameter in signature(function).parameters.values()]
        self.has_subject = len(kinds) > 1 and kinds[1] is Parameter.POSITIONAL_ONLY
        if (locks or requires) and not self.has_subject:
            raise TypeError(f"{self.name} has no positional-only subject to lock")

    def __call__(self, op: Operation, *args: P.args, **kwargs: P.kwargs) -> R:
        """Check the right and run the function in a transaction, once more after a deadlock."""
        is_outermost = not current_operations()
        try:
            if not self.right_in_body:
                op.require(self.right, args[0] if self.has_subject else None)
            arguments: dict[str, Any] = dict(kwargs)
            if self.check is not None:
                arguments |= self.check(*args, **kwargs) or {}
            return repeat_once(lambda: self._run(op, args, arguments), self.name)
        except (Refused, Conflict, Forbidden, Missing) as refusal:
            codes = tuple(problem.code for problem in problems_of(refusal))
            if is_outermost and not is_dry_run() and not isinstance(refusal, Missing):
                count_refusal(codes)
                log.info("act_refused", act=self.name, codes=codes)
            if not isinstance(refusal, Forbidden):
                note_refusal(self, codes)
            if self.audits_refusals is not None and isinstance(refusal, Conflict | Forbidden):
                with transaction.atomic():
                    self.audits_refusals(op, refusal, *args, **kwargs)
            raise

    def require_arguments(self, names: Collection[str], required: Collection[str]) -> None:
        """Raise TypeError unless it can be called with `names`, of which `required` always come."""
        parameters = [*signature(self.function).parameters.values()][1 + self.has_subject :]
        needed = {each.name for each in parameters if each.default is Parameter.empty}
        unknown = sorted({*names} - {each.name for each in parameters})
        if missing := sorted(needed - {*required}):
            raise TypeError(f"{self.name} needs {', '.join(missing)}")
        if unknown:
            raise TypeError(f"{self.name} takes no {', '.join(unknown)}")

    def _run(self, op: Operation, args: Sequence[Any], arguments: Mapping[str, Any]) -> R:
        with join_operations(self.name):
            if self.has_subject:
                if self.locks is None:
                    subject = args[0]
                else:
                    subject = self.locks(args[0])
                if self.requires is not None:
                    self.requires(subject)
                args = (subject, *args[1:])
            checks = len(op.allowed)
            result = self.function(op, *args, **arguments)
            if self.right_in_body and len(op.allowed) == checks:
                raise RuntimeError(f"{self.name} has checked no right")
            return result


def note_refusal(operation: DeclaredOperation[..., Any], codes: tuple[str, ...]) -> None:
    """Do nothing; tests replace this to refuse codes that an operation does not declare."""


OPERATIONS: Final[dict[str, DeclaredOperation[..., Any]]] = {}
"""Every declared operation by its name."""


def operation(
    right: str,
    *,
    locks: Callable[[Any], Any] | None = None,
    requires: Callable[[Any], None] | None = None,
    check: Callable[..., Mapping[str, object] | None] | None = None,
    refuses: Iterable[str] = (),
    name: str = "",
    right_in_body: bool = False,
    audits_refusals: Callable[..., object] | None = None,
) -> Callable[[Callable[Concatenate[Operation, P], R]], DeclaredOperation[P, R]]:
    """Declare a function as an operation on its positional-only argument, or on none.

    Args:
        right: of the role table, in the club of the subject.
        locks: takes the locks and returns the subject as it is then, as `lock_event` does.
        requires: refuses the locked subject in a state that does not allow this.
        check: called with the arguments before the transaction, for what is slow; the arguments
            that it returns are passed in the place of those sent.
        refuses: the codes it may refuse with, besides missing rights.
        name: in the audit trail and the log; empty = the name of the function.
        right_in_body: the body checks it, where right or lock depend on arguments or locked rows.
        audits_refusals: called with the operation, a conflict or a missing right and the arguments
            in a transaction of its own after the rollback, to audit who came too late.
    """
    if right not in MAY:
        raise ValueError(f"{right} is not in the role table")

    def declare(function: Callable[Concatenate[Operation, P], R]) -> DeclaredOperation[P, R]:
        declared = DeclaredOperation(
            function,
            right,
            locks=locks,
            requires=requires,
            check=check,
            refuses=refuses,
            name=name,
            right_in_body=right_in_body,
            audits_refusals=audits_refusals,
        )
        registered = OPERATIONS.setdefault(declared.name, declared).function
        if (registered.__module__, registered.__qualname__) != (
            function.__module__,
            function.__qualname__,
        ):
            raise ValueError(f"two operations are named {declared.name}")
        return declared

    return declare


def club_of(subject: Any) -> Club:
    club: Club = subject if isinstance(subject, Club) else subject.club
    return club


def require(actor: Actor, club: Club, right: str, *, table_id: int | None = None) -> None:
    """Let `actor` use `right` in `club`, or at one of its tables, or refuse.

    A club may leave `create_event` to its owners.
    """
    role = get_role(actor, club.pk, table_id=table_id)
    if actor.is_site_admin and club.delete_after is not None:
        role = CLOSING
    require_role(actor, role, right)
    if right == "create_event" and not creates_events(club, role):
        raise Forbidden(right)


def require_role(actor: Actor, role: str, right: str) -> None:
    """Let `actor` use `right` in a club where its role is `role`, or refuse."""
    if not actor.is_within_scope(right):
        raise BeyondScope(right, actor.scope)
    if may(role, right):
        return
    if role == CLOSING and may(OWNER, right):
        raise ClubIsReadOnly(right)
    if (role == WITHHELD or actor.lacks_factor) and may(OWNER, right):
        raise SecondFactorNeeded(right)
    raise Forbidden(right)


def may_make_club(actor: Actor) -> bool:
    """Whether `actor` may create a club: any account, where the site does not reserve it."""
    if not actor.is_within_scope("manage_club") or actor.club_id is not None:
        return False
    return actor.is_site_admin or (actor.kind == "user" and not settings.RESERVE_CLUBS)
