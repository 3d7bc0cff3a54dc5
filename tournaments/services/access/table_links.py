"""Create, rotate and revoke the links that open one table; the set-up link of a new site."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from django.contrib.auth.models import User
from django.db import transaction

from scoring.errors import Problem, Refused
from tournaments.errors import Missing
from tournaments.models.access import SetupLink, TableLink
from tournaments.models.clubs import Club, Membership, Role
from tournaments.models.events import Event
from tournaments.models.meetings import Round, Table
from tournaments.policy import Actor
from tournaments.selectors.access.table_links import (
    code_digest,
    holder_of,
    list_working_links,
    secrets_of,
)
from tournaments.selectors.access.tokens import digest_of, has_accounts, list_working_setup_links
from tournaments.selectors.clubs.clubs import actor_of
from tournaments.services.audit.audit import append_audit
from tournaments.services.db.transactions import atomic_act
from tournaments.services.permissions import require

LASTS: Final = timedelta(hours=24)
"""How long a link works where its director does not say."""


LONGEST: Final = timedelta(days=31)
SEED_BYTES: Final = 32


@atomic_act
def make_link(*, actor: Actor, table: Table, now: datetime, lasts: timedelta = LASTS) -> TableLink:
    """Create the link of `table`; an earlier link stops working."""
    require(actor, table.club, "manage_links")
    _require_time(lasts)
    # Two directors at once: the second one waits here, and replaces the first one's.
    locked = Table.objects.select_for_update(no_key=True).filter(pk=table.pk).first()
    if locked is None:
        raise Missing("table", {"table": table.code})
    return _make(actor, locked, now, lasts)


@atomic_act
def make_links(
    *, actor: Actor, round_: Round, now: datetime, lasts: timedelta = LASTS
) -> Sequence[TableLink]:
    """Make a link for each table of a round that has none that works; returns those links."""
    require(actor, round_.club, "manage_links")
    _require_time(lasts)
    locked = Table.objects.select_for_update(no_key=True).filter(round=round_).order_by("pk")
    # Two directors at once: the second one waits here, and finds the links of the first one.
    tables = list(locked)
    links = list_working_links(now).filter(table__round=round_)
    linked = set(links.values_list("table_id", flat=True))
    return [_make(actor, table, now, lasts) for table in tables if table.pk not in linked]


@atomic_act
def revoke_links(
    *,
    actor: Actor,
    event: Event,
    now: datetime,
    round_: Round | None = None,
    table: Table | None = None,
) -> int:
    """Revoke the links of an event that still work, of a round or of a table; return how many."""
    require(actor, event.club, "manage_links")
    links = list_working_links(now).filter(table__event=event)
    if round_ is not None:
        links = links.filter(table__round=round_)
    if table is not None:
        links = links.filter(table=table)
    revoked = sorted(links.values_list("pk", flat=True))
    if revoked:
        TableLink.objects.filter(pk__in=revoked).update(revoked_at=now)
        below = f"/round:{round_.number}" if round_ is not None else ""
        below = f"/table:{table.code}" if table is not None else below
        _audit(actor, event, below, "revoke_links", {"links": revoked}, now)
    return len(revoked)


@atomic_act
def note_first_use(*, link: TableLink, now: datetime) -> None:
    first = TableLink.objects.filter(pk=link.pk, used_at__isnull=True)
    if link.used_at is None and first.update(used_at=now):
        event = link.table.event
        below = f"/table:{link.table.code}"
        _audit(holder_of(link, ""), event, below, "use_link", {"link": link.pk}, now)


def _make(actor: Actor, table: Table, now: datetime, lasts: timedelta) -> TableLink:
    """Make the link of a table whose row is locked; the one before it gives way."""
    before = list(TableLink.objects.filter(table=table, revoked_at__isnull=True))
    TableLink.objects.filter(pk__in=[link.pk for link in before]).update(revoked_at=now)
    seed = secrets.token_urlsafe(SEED_BYTES)
    opens = secrets_of(seed)
    link = TableLink.objects.create(
        club_id=table.club_id,
        table=table,
        seed=seed,
        token_digest=digest_of(opens.token),
        code_digest=code_digest(opens.code),
        made_by_id=actor.user_id,
        made_at=now,
        expires_at=now + lasts,
    )
    facts: dict[str, object] = {"link": link.pk, "hours": int(lasts.total_seconds() // 3600)}
    if before:
        facts["instead_of"] = before[0].pk
    act = "rotate_link" if before else "make_link"
    _audit(actor, table.event, f"/table:{table.code}", act, facts, now)
    return link


def _require_time(lasts: timedelta) -> None:
    if not timedelta(0) < lasts <= LONGEST:
        facts = {"found": int(lasts.total_seconds() // 3600), "expected": LONGEST.days * 24}
        raise Refused(Problem("bad_link_time", ("hours",), facts))


def _audit(
    actor: Actor, event: Event, below: str, act: str, facts: Mapping[str, object], now: datetime
) -> None:
    append_audit(event.club, actor, act, f"event:{event.slug}{below}", facts=facts, now=now)


RANDOM_BYTES: Final = 32


@transaction.atomic
def make_setup_link(*, now: datetime) -> str:
    _lock_links()
    if has_accounts():
        raise Refused(Problem("accounts_exist"))
    SetupLink.objects.filter(used_at__isnull=True).delete()
    token = secrets.token_urlsafe(RANDOM_BYTES)
    SetupLink.objects.create(token_digest=digest_of(token), created_at=now, expires_at=now + LASTS)
    return token


@transaction.atomic
def use_setup_link(*, link: SetupLink, make_account: Callable[[], User], now: datetime) -> User:
    """Make the first account, a site administrator's; of two at one moment one is made.

    It becomes the owner of the clubs that were imported before anybody had an account.
    """
    _lock_links()
    if not list_working_setup_links(now).filter(pk=link.pk).exists():
        raise Missing("setup_link")
    user = make_account()
    User.objects.filter(pk=user.pk).update(is_staff=True, is_superuser=True)
    user.is_staff = user.is_superuser = True
    SetupLink.objects.filter(pk=link.pk).update(used_at=now)
    actor = actor_of(user)
    for club in Club.objects.filter(delete_after=None).order_by("pk"):
        Membership.objects.create(club=club, user=user, role=Role.OWNER, joined_at=now)
        subject, facts = f"user:{user.pk}", {"role": Role.OWNER.value}
        append_audit(club, actor, "give_role", subject, facts=facts, now=now)
    return user


def _lock_links() -> None:
    """Lock every link: of two that were made at one moment only one may make an account."""
    list(SetupLink.objects.select_for_update(no_key=True).order_by("pk").values_list("pk"))
