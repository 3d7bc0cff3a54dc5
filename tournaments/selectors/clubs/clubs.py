"""Clubs as an actor may see them: their page, logo, required second factor and archives."""

from collections.abc import Iterator
from typing import Final

import structlog
from allauth.account.internal.flows.login import get_authentication_records
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import (
    Case,
    CharField,
    Count,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
    When,
)
from django.db.models.functions import Coalesce
from django.http import HttpRequest

from tournaments.domain.replay_game import TOTALS
from tournaments.errors import Missing
from tournaments.models.clubs import (
    Club,
    ClubFront,
    ClubLogo,
    EventCreators,
    Membership,
    Player,
    Role,
)
from tournaments.models.events import Event
from tournaments.models.hands import Hand
from tournaments.models.imports import ClubImport, ClubImportPiece, ClubImportState
from tournaments.models.jobs import Dirty, club_import_scope
from tournaments.models.rounds import RoundState, SheetPhoto
from tournaments.models.standings import Publication
from tournaments.policy import (
    ANYBODY,
    CLOSING,
    LINK,
    OWNER,
    PUBLIC,
    WITHHELD,
    Actor,
    may,
)
from tournaments.selectors.db.statements import RowMapper, one_row

_WITHOUT_FACTOR: Final = " without factor"
_WITHOUT_REQUIRED_FACTOR: Final = " without required factor"
_WITH_REQUIRED_FACTOR: Final = " with required factor"
_WHILE_CLOSING: Final = " while closing"
"""Marks that `role_column` puts behind a role, and `role_in` reads."""

_ROLES_OF_SITE: Final = {
    "nobody": frozenset(),
    "owners": frozenset({str(Role.OWNER)}),
    "directors": frozenset({str(Role.DIRECTOR), str(Role.OWNER)}),
}
"""Value of the setting `REQUIRE_SECOND_FACTOR` → the roles that need one."""

_COLUMNS: Final = RowMapper(Club, "c")

WORKED_ON: Final = (ClubImportState.CHECKING, ClubImportState.RUNNING)
"""States in which a worker is at an archive."""

POSTED: Final = (RoundState.POSTED, RoundState.PLAYING, RoundState.CLOSED)
"""States of rounds that everybody reads who reads the event."""


def roles_that_need_a_factor() -> frozenset[str]:
    """Return the roles of which the whole site requires a second factor."""
    return _ROLES_OF_SITE[settings.REQUIRE_SECOND_FACTOR]


def role_column(club: str, requires: str, closing: str = "FALSE") -> str:
    """Return the SQL of the role that a user (`%s`) has in a club, as `role_in` reads it.

    Args:
        club: the SQL of the club's id.
        requires: the SQL of whether the club requires a second factor of its directors and owners.
        closing: the SQL of whether the club waits for its deletion, where the role decides about a
            change. Pages are read with the owner's own role until then.
    """
    return f"""(SELECT m.role || CASE
            WHEN m.role NOT IN ('director', 'owner') THEN ''
            WHEN EXISTS (SELECT 1 FROM mfa_authenticator f
                WHERE f.user_id = m.user_id AND f.type <> 'recovery_codes')
            THEN CASE WHEN {requires} THEN '{_WITH_REQUIRED_FACTOR}' ELSE '' END
            WHEN {requires} THEN '{_WITHOUT_REQUIRED_FACTOR}' ELSE '{_WITHOUT_FACTOR}' END
            || CASE WHEN {closing} THEN '{_WHILE_CLOSING}' ELSE '' END
        FROM tournaments_membership m WHERE m.club_id = {club} AND m.user_id = %s)"""  # noqa: S608 - names of our own columns


_ROLE_COLUMN: Final = role_column(
    "c.id", "c.requires_second_factor", closing="c.delete_after IS NOT NULL"
)

_ROLE: Final = f"SELECT {_ROLE_COLUMN} FROM tournaments_club c WHERE c.id = %s"  # noqa: S608 - names of our own columns

_CLUB: Final = f"""
    SELECT {role_column("c.id", "c.requires_second_factor")},
        {_COLUMNS}
    FROM tournaments_club c WHERE c.slug = %s
"""  # noqa: S608 - names of our own columns


def role_in(stored_role: str, *, without_factor: bool = False) -> str:
    """Return the role in what `role_column` found: withheld where a required factor is missing.

    In a club that waits for its deletion its owners have one, and nobody else.

    Args:
        without_factor: whether the actor showed no second factor, though the account may have one.

    >>> role_in("host"), role_in("owner without required factor"), role_in("owner while closing")
    ('host', 'withheld', 'closing')
    >>> role_in("owner with required factor"), role_in("owner with required factor",
    ...     without_factor=True), role_in("owner", without_factor=True)
    ('owner', 'withheld', 'owner')
    """
    if stored_role.endswith(_WHILE_CLOSING):
        role = role_in(stored_role.removesuffix(_WHILE_CLOSING), without_factor=without_factor)
        if role == OWNER:
            return CLOSING
        return PUBLIC

    role = stored_role.partition(" ")[0]
    mark = stored_role.removeprefix(role)
    is_required = (
        mark in (_WITHOUT_REQUIRED_FACTOR, _WITH_REQUIRED_FACTOR)
        or role in roles_that_need_a_factor()
    )
    is_missing = mark in (_WITHOUT_REQUIRED_FACTOR, _WITHOUT_FACTOR) or without_factor
    if is_required and is_missing:
        return WITHHELD
    return role


def role_expression(*, without_factor: bool) -> Case:
    """Return the role of a membership as `role_in` gives it, for a query of memberships."""
    of_club = Q(role__in=(Role.DIRECTOR, Role.OWNER), club__requires_second_factor=True)
    of_site = Q(role__in=sorted(roles_that_need_a_factor()))
    if without_factor:
        withheld = When(of_club | of_site, then=Value(WITHHELD))
    else:
        # Recovery codes stand in for a factor; alone they are none.
        factors = Authenticator.objects.filter(user=OuterRef("user"))
        has_factor = Exists(factors.exclude(type=Authenticator.Type.RECOVERY_CODES))
        withheld = When((of_club | of_site) & ~has_factor, then=Value(WITHHELD))
    return Case(withheld, default=F("role"), output_field=CharField())


def has_second_factor(user: AbstractBaseUser | AnonymousUser) -> bool:
    factors = Authenticator.objects.filter(user=user.pk)
    return bool(factors.exclude(type=Authenticator.Type.RECOVERY_CODES).exists())


def lacks_factor_of_site(
    user: AbstractBaseUser | AnonymousUser, *, without_factor: bool = False
) -> bool:
    """Whether an administrator of the site has no second factor, and the site requires one.

    Makes no query if the site does not require one or the user is no administrator.

    Args:
        without_factor: whether this session showed none, though the account may have one.
    """
    is_administrator = getattr(user, "is_superuser", False) or getattr(user, "is_staff", False)
    if not is_administrator or not roles_that_need_a_factor():
        return False
    return without_factor or not has_second_factor(user)


def lacks_own_factor(request: HttpRequest) -> bool:
    """Whether the account of a session has a second factor that the session did not show."""
    return not has_shown_factor(request) and has_second_factor(request.user)


def has_shown_factor(request: HttpRequest) -> bool:
    """Whether a second factor was shown in the session of a request; no query.

    It was at sign-in, when the account's first one was added, or when a page asked for it again.
    """
    records = get_authentication_records(request, request.user)
    return any(record.get("method") == "mfa" for record in records)


def actor_of_session(request: HttpRequest) -> Actor:
    """Return the actor of a signed-in session, whose role counts by how it signed in."""
    if isinstance(request.user, AnonymousUser):
        return ANYBODY
    return actor_of(request.user, without_factor=not has_shown_factor(request))


def actor_of(user: AbstractBaseUser | AnonymousUser, *, without_factor: bool = False) -> Actor:
    """Return the actor of an account, for what is done in its name; `actor_of_session` for pages.

    `name` is shown beside entries: the full name if there is one, else the login.
    """
    if isinstance(user, AnonymousUser) or not user.is_active:
        return ANYBODY
    full_name = getattr(user, "get_full_name", str)()
    is_superuser = bool(getattr(user, "is_superuser", False))
    lacks_factor = is_superuser and lacks_factor_of_site(user, without_factor=without_factor)
    return Actor(
        "user",
        user_id=user.pk,
        name=full_name or user.get_username(),
        is_site_admin=is_superuser and not lacks_factor,
        lacks_factor=lacks_factor,
        without_factor=without_factor,
    )


def with_role(actor: Actor, club: str) -> Subquery | Coalesce | Value:
    """Return a database expression for the actor's role in the club in the column `club`.

    A site administrator has the owner's role in every club.
    """
    if actor.is_site_admin:
        return Value(str(Role.OWNER), output_field=CharField())
    if actor.user_id is None:
        return Value(PUBLIC, output_field=CharField())
    memberships = Membership.objects.filter(club=OuterRef(club), user_id=actor.user_id)
    if actor.club_id is not None:
        memberships = memberships.filter(club_id=actor.club_id)
    role = role_expression(without_factor=actor.without_factor)
    roles = memberships.annotate(held=role).values("held")[:1]
    return Coalesce(Subquery(roles), Value(PUBLIC))


def role_from(
    actor: Actor, club_id: int, stored_role: str | None, *, table_id: int | None = None
) -> str:
    """Return the actor's role in a club; no query.

    A site administrator acts as an owner, a token made for another club is nobody's here. The
    holder of a link has a role at the table `table_id` only where it is the link's, that of a
    personal link in the club of its player.

    Args:
        stored_role: what `role_column` found for the actor in the club.
    """
    if actor.is_site_admin:
        return str(Role.OWNER)
    if actor.at is not None and actor.at.table_id == table_id:
        return LINK
    if actor.person is not None and actor.club_id == club_id:
        return actor.person.role
    if actor.user_id is None or actor.club_id not in (None, club_id):
        return PUBLIC
    if not stored_role:
        return PUBLIC
    return role_in(stored_role, without_factor=actor.without_factor)


def get_role(actor: Actor, club_id: int, *, table_id: int | None = None) -> str:
    """Return the actor's role in a club, or at one of its tables, for a change; one query at most.

    An owner of a club that waits for its deletion has the role `closing`.
    """
    stored_role = None
    if actor.user_id is not None and not actor.is_site_admin:
        row = one_row(_ROLE, (actor.user_id, club_id))
        if row is not None:
            stored_role = row[0]
    return role_from(actor, club_id, stored_role, table_id=table_id)


def list_clubs_for(actor: Actor) -> QuerySet[Club]:
    """Return the clubs that `actor` may know of, by name, each with its `role` there."""
    clubs = Club.objects.annotate(role=with_role(actor, "pk")).order_by("name", "slug")
    if actor.is_site_admin:
        return clubs
    visible = Q(delete_after__isnull=True) & (Q(is_public=True) | ~Q(role=PUBLIC))
    return clubs.filter(visible | Q(role=Role.OWNER))


def list_clubs_of_account(actor: Actor) -> QuerySet[Club]:
    memberships = Membership.objects.filter(user_id=actor.user_id or 0)
    return Club.objects.filter(pk__in=memberships.values("club")).order_by("name", "slug")


def get_club(actor: Actor, slug: str) -> Club:
    """Return a club with the actor's `role` in it; it is missing for whom it is not visible."""
    row = one_row(_CLUB, (actor.user_id, slug))
    if row is None:
        raise Missing("club", {"club": slug})
    stored_role, *columns = row
    club = _COLUMNS.instance(columns)
    role = role_from(actor, club.pk, stored_role)
    if not is_known(club, role):
        raise Missing("club", {"club": slug})
    note_club(club.pk)
    club.role = role  # type: ignore[attr-defined]  # as `list_clubs_for` annotates it
    return club


def note_club(club_id: int) -> None:
    """Have the log lines of this request name the club by its id, never by its name."""
    structlog.contextvars.bind_contextvars(club=club_id)


def note_actor(actor: Actor) -> Actor:
    """Have the log lines of this request name its actor by id, never by name; returns them."""
    if actor.kind != "public":
        structlog.contextvars.bind_contextvars(actor=actor.label)
    return actor


def is_known(club: Club, role: str) -> bool:
    """Whether a club is visible to a role in it; one to be deleted only to its owners."""
    if club.delete_after is not None:
        return role == Role.OWNER
    return club.is_public or role != PUBLIC


def is_withheld(actor: Actor, slug: str) -> bool:
    """Whether the actor's role in a club is withheld, because a required factor is missing."""
    if actor.lacks_factor:
        return True
    if actor.user_id is None:
        return False
    try:
        club = get_club(actor, slug)
    except Missing:
        return False
    return getattr(club, "role", PUBLIC) == WITHHELD


def may_do(row: Club | Event, right: str) -> bool:
    """Whether the actor for whom a club or an event was read has a right there."""
    return may(str(getattr(row, "role", PUBLIC)), right)


def readable_rounds(row: Club | Event, to_round: str = "") -> Q:
    """Return the condition of rounds that the reader of a club or an event knows of.

    A draft does not exist for a reader who may not seat; rows that were read for no actor, as
    services read them, hide nothing. `to_round` is the lookup of the round, with its `__`.
    """
    role = getattr(row, "role", None)
    if role is None or may(role, "read_draft"):
        return Q()
    return Q(**{f"{to_round}state__in": POSTED})


def creates_events(club: Club, role: str) -> bool:
    if club.event_creators == EventCreators.OWNERS:
        return role == Role.OWNER
    return may(role, "create_event")


def may_create_events(row: Club | Event) -> bool:
    club = row.club if isinstance(row, Event) else row
    return creates_events(club, str(getattr(row, "role", PUBLIC)))


def list_players_of(club: Club) -> QuerySet[Player]:
    return Player.objects.filter(club=club).order_by("sort_key", "player_id")


def get_front(club: Club) -> ClubFront:
    """Return the texts of a club and its chosen event; empty ones, not stored, without a row."""
    club_front = ClubFront.objects.select_related("front_event").filter(club=club).first()
    return club_front or ClubFront(club=club)


def get_logo(club: Club, digest: str) -> bytes:
    if digest != club.logo_digest:
        raise Missing("logo")
    club_logo = ClubLogo.objects.filter(club=club).first()
    if club_logo is None:
        raise Missing("logo")
    return bytes(club_logo.png)


def list_own_club_imports(actor: Actor) -> list[ClubImport]:
    if actor.user_id is None:
        return []
    club_imports = ClubImport.objects.filter(made_by_id=actor.user_id).select_related("club")
    return list(club_imports.order_by("-number"))


def get_club_import(actor: Actor, number: int) -> ClubImport:
    if actor.user_id is None:
        raise Missing("club_import", {"number": number})
    club_imports = ClubImport.objects.filter(made_by_id=actor.user_id, number=number)
    club_import = club_imports.select_related("club").first()
    if club_import is None:
        raise Missing("club_import", {"number": number})
    return club_import


def get_club_import_progress(record: ClubImport) -> tuple[int, int, str]:
    """Return how many rows of an archive are imported, of how many, and the fault of a parked job.

    The fault is "" if there is none.
    """
    job = Dirty.objects.filter(scope=club_import_scope(record.pk)).first()
    if job is None:
        return 0, 0, ""
    progress = job.progress or {}
    fault = ""
    if job.parked and job.done < job.version:
        fault = job.error
    return progress.get("done", 0), progress.get("of", 0), fault


def find_club_import_to_process(pk: int) -> ClubImport | None:
    """Return the import that a worker was given; None if it is deleted or waits for a person.

    A finished one is returned too, because its follow-up may have been interrupted.
    """
    rows = ClubImport.objects.select_related("made_by", "club")
    return rows.filter(pk=pk, state__in=(*WORKED_ON, ClubImportState.DONE)).first()


def pieces_of(club_import: ClubImport) -> Iterator[bytes]:
    pieces = ClubImportPiece.objects.filter(club_import=club_import).order_by("position")
    for position in pieces.values_list("position", flat=True):
        yield bytes(pieces.get(position=position).content)


def count_export_contents(club: Club) -> dict[str, int]:
    """Return how many rows of each kind the export of a club has, and the bytes of its photos.

    Five queries.
    """
    photos = SheetPhoto.objects.filter(club=club, removed_at__isnull=True)
    return {
        "events": Event.objects.filter(club=club).count(),
        "players": Player.objects.filter(club=club).count(),
        "hands": Hand.objects.filter(club=club, number__gt=TOTALS).count(),
        "publications": Publication.objects.filter(club=club).count(),
        **photos.aggregate(photos=Count("pk"), photo_bytes=Coalesce(Sum("size"), 0)),
    }
