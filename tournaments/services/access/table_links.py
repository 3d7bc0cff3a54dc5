"""Create, rotate and revoke the links that open one table; the set-up link of a new site."""

import secrets
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Final

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from scoring.errors import Problem, Refused
from tournaments.errors import Missing
from tournaments.models.access import SetupLink, TableLink, token_digest
from tournaments.models.clubs import Club, Membership, Role
from tournaments.models.events import Event
from tournaments.models.rounds import Round, Table
from tournaments.selectors.access.table_links import code_digest, list_working_links, secrets_of
from tournaments.selectors.access.tokens import has_accounts, list_working_setup_links
from tournaments.selectors.clubs.clubs import actor_of
from tournaments.services.operations import Operation, operation

HOURS: Final = 24
"""Default duration of a link."""
LONGEST_HOURS: Final = 31 * 24
SEED_BYTES: Final = 32


def _check_hours(_of: Table | Round, /, *, hours: int = HOURS) -> None:
    if not 0 < hours <= LONGEST_HOURS:
        facts = {"found": hours, "expected": LONGEST_HOURS}
        raise Refused(Problem("bad_link_time", ("hours",), facts))


def _locked(tables: QuerySet[Table]) -> list[Table]:
    """Lock tables: of two directors at once the second one finds the links of the first one."""
    rows = tables.select_for_update(of=("self",), no_key=True).order_by("pk")
    return list(rows.select_related("round", "event", "club"))


def _lock_table(table: Table) -> Table:
    for locked in _locked(Table.objects.filter(pk=table.pk)):
        return locked
    raise Missing("table", {"table": table.code})


@operation(
    "manage_links",
    locks=_lock_table,
    check=_check_hours,
    refuses=("bad_link_time", "unknown_table"),
)
def make_link(op: Operation, table: Table, /, *, hours: int = HOURS) -> TableLink:
    """Create the link of a table. Only this answer shows its address and its short code.

    An earlier link of the table stops working.
    """
    return _make(op, table, hours)


@operation("manage_links", check=_check_hours, refuses=("bad_link_time",))
def make_links(op: Operation, round_: Round, /, *, hours: int = HOURS) -> Sequence[TableLink]:
    """Create a link for each table of a round that has none.

    Only this answer shows the addresses and short codes of the new links.
    """
    tables = _locked(Table.objects.filter(round=round_))
    links = list_working_links(op.now).filter(table__round=round_)
    linked = set(links.values_list("table_id", flat=True))
    return [_make(op, table, hours) for table in tables if table.pk not in linked]


@operation("manage_links")
def revoke_links(op: Operation, place: Event | Round | Table, /) -> int:
    """Revoke the links of an event, a round or a table that still work; return how many."""
    path = {Event: "table__event", Round: "table__round", Table: "table"}[type(place)]
    links = list_working_links(op.now).filter(**{path: place})
    revoked = sorted(links.values_list("pk", flat=True))
    if revoked:
        TableLink.objects.filter(pk__in=revoked).update(revoked_at=op.now)
        op.audit(place, {"links": revoked})
    return len(revoked)


@operation("read_public")
def use_link(op: Operation, link: TableLink, /) -> None:
    """Store that a link is used for the first time, by its holder."""
    first = TableLink.objects.filter(pk=link.pk, used_at__isnull=True)
    if link.used_at is None and first.update(used_at=op.now):
        op.audit(link.table, {"link": link.pk})


def _make(op: Operation, table: Table, hours: int) -> TableLink:
    """Create the link of a table whose row is locked; the one before it is revoked."""
    before = list(TableLink.objects.filter(table=table, revoked_at__isnull=True))
    TableLink.objects.filter(pk__in=[link.pk for link in before]).update(revoked_at=op.now)
    seed = secrets.token_urlsafe(SEED_BYTES)
    opens = secrets_of(seed)
    link = TableLink.objects.create(
        club_id=table.club_id,
        table=table,
        seed=seed,
        token_digest=token_digest(opens.token),
        code_digest=code_digest(opens.code),
        made_by_id=op.actor.user_id,
        made_at=op.now,
        expires_at=op.now + timedelta(hours=hours),
    )
    facts = {"link": link.pk, "hours": hours}
    if before:
        facts["instead_of"] = before[0].pk
    op.audit(table, facts, name="rotate_link" if before else "make_link")
    return link


RANDOM_BYTES: Final = 32
SETUP_LASTS: Final = timedelta(hours=24)


@transaction.atomic
def make_setup_link(*, now: datetime) -> str:
    _lock_links()
    if has_accounts():
        raise Refused(Problem("accounts_exist"))
    SetupLink.objects.filter(used_at__isnull=True).delete()
    token = secrets.token_urlsafe(RANDOM_BYTES)
    expires_at = now + SETUP_LASTS
    SetupLink.objects.create(
        token_digest=token_digest(token), created_at=now, expires_at=expires_at
    )
    return token


@transaction.atomic
def use_setup_link(*, link: SetupLink, make_account: Callable[[], User], now: datetime) -> User:
    """Create the first account, a site administrator.

    If two requests come at once, one account is created. It becomes the owner of the clubs that
    were imported before anybody had an account.
    """
    _lock_links()
    if not list_working_setup_links(now).filter(pk=link.pk).exists():
        raise Missing("setup_link")
    user = make_account()
    User.objects.filter(pk=user.pk).update(is_staff=True, is_superuser=True)
    user.is_staff = user.is_superuser = True
    SetupLink.objects.filter(pk=link.pk).update(used_at=now)
    op = Operation(actor_of(user), now)
    for club in Club.objects.filter(delete_after=None).order_by("pk"):
        Membership.objects.create(club=club, user=user, role=Role.OWNER, joined_at=now)
        op.audit(club, {"role": Role.OWNER.value}, name="give_role", subject=f"user:{user.pk}")
    return user


def _lock_links() -> None:
    """Lock every link: of two that were made at one moment only one may make an account."""
    list(SetupLink.objects.select_for_update(no_key=True).order_by("pk").values_list("pk"))
