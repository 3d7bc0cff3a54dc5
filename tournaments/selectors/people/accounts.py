"""What an account signs in with, its clubs, roles and players, and all that is stored about a
person."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User
from django.db.models import F, Q, TextField
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce
from fido2.cose import PS256, RS256

from scoring.json_types import JsonDict
from tournaments.domain.name_matching import words_of
from tournaments.errors import Forbidden
from tournaments.models.access import (
    CalendarLink,
    ClaimState,
    Contact,
    FillInRequest,
    Invitation,
    PersonalLink,
    PlayerClaim,
)
from tournaments.models.audit import AuditLine, RefusedAct
from tournaments.models.clubs import (
    Club,
    Erasure,
    Membership,
    Player,
    PlayerAlias,
    PlayerMerge,
    Role,
)
from tournaments.models.columns import as_json
from tournaments.models.events import EntrantMember
from tournaments.models.hands import Dispute, Entry
from tournaments.models.ladders import Challenge, LadderAbsence
from tournaments.models.notices import Notice, NotificationChoice
from tournaments.models.rounds import Attendance, Sitting
from tournaments.models.seating_plans import SeatingConstraint
from tournaments.models.standings import Contribution, LedgerLine, OpeningValue, ResultNote
from tournaments.policy import Actor, may
from tournaments.selectors.clubs.clubs import (
    POSTED,
    actor_of,
    get_role,
    has_second_factor,
    roles_that_need_a_factor,
)
from tournaments.selectors.clubs.members import claim_rows
from tournaments.selectors.notices.notifications import SECOND_FACTOR, is_hint_new
from tournaments.selectors.people.addresses import find_address_change, get_own_address
from tournaments.selectors.people.merges import records_of

RSA: Final = frozenset({PS256.ALGORITHM, RS256.ALGORITHM})
"""Algorithms that no new passkey has: keys of devices have 2,048 bits, as strong as 112
(docs/decisions/0045-no-new-rsa-passkeys.md)."""
FEW_CODES = 3
"""With this many recovery codes or fewer, the page warns."""


@dataclass(frozen=True, slots=True)
class AccountSecurity:
    """How an account signs in, and whether the site or clubs, by name, require a second factor.

    `new_email` is an address that replaces `email` once it is confirmed.
    """

    email: str
    new_email: str
    is_confirmed: bool
    has_password: bool
    passkeys: Sequence[Authenticator]
    app_since: datetime | None
    codes_left: int
    codes_total: int
    is_required_by_site: bool
    requiring_clubs: Sequence[str]

    @property
    def requires_second_factor(self) -> bool:
        """Whether a second factor is required, whether the account has one or not."""
        return self.is_required_by_site or bool(self.requiring_clubs)

    @property
    def has_second_factor(self) -> bool:
        return self.app_since is not None or bool(self.passkeys)

    @property
    def has_few_codes(self) -> bool:
        """Whether recovery codes are running low, where there are any to have."""
        return self.has_second_factor and self.codes_left <= FEW_CODES


Rows = list[dict[str, Any]]

PersonalData = dict[str, Any]
"""Everything that a club stores about a person; lists are in order of time."""


def manages_as_owner(user: User) -> bool:
    """Whether an account owns a club or administers the site."""
    is_admin = user.is_superuser or user.is_staff
    return is_admin or Membership.objects.filter(user=user, role=Role.OWNER).exists()


def should_offer_factor(user: User) -> bool:
    """Whether an owner has no second factor and was never offered one."""
    is_new = is_hint_new(actor_of(user), SECOND_FACTOR)
    return is_new and manages_as_owner(user) and not has_second_factor(user)


def get_account_security(user: User) -> AccountSecurity:
    factors: dict[str, list[Authenticator]] = {}
    for factor in Authenticator.objects.filter(user=user).order_by("created_at"):
        factors.setdefault(factor.type, []).append(factor)
    apps = factors.get(Authenticator.Type.TOTP, [])
    codes = [row.wrap() for row in factors.get(Authenticator.Type.RECOVERY_CODES, [])]
    address = get_own_address(user)
    change = find_address_change(user)
    roles = roles_that_need_a_factor()
    managed = Membership.objects.filter(user=user, role__in=(Role.DIRECTOR, Role.OWNER))
    clubs = managed.filter(club__requires_second_factor=True).order_by("club__name")
    is_admin = user.is_superuser or user.is_staff
    return AccountSecurity(
        email=user.email,
        new_email=change.email if change is not None else "",
        is_confirmed=address is not None and address.verified,
        has_password=user.has_usable_password(),
        passkeys=factors.get(Authenticator.Type.WEBAUTHN, []),
        app_since=apps[0].created_at if apps else None,
        codes_left=len(codes[0].get_unused_codes()) if codes else 0,
        codes_total=len(codes[0].generate_codes()) if codes else 0,
        is_required_by_site=bool(roles) and (is_admin or managed.filter(role__in=roles).exists()),
        requiring_clubs=list(clubs.values_list("club__name", flat=True)),
    )


def list_player_labels(user: User) -> Sequence[str]:
    players = Player.objects.filter(user=user).select_related("club").order_by("club__name")
    return [f"{player.name}, {player.player_id} ({player.club.name})" for player in players]


def list_own_clubs(actor: Actor) -> Sequence[Membership]:
    """Return the actor's memberships by name of the club; three queries at most.

    Each has its club, and the account's player and claim there. A token for one club has that one
    only.
    """
    if actor.user_id is None:
        return ()
    members = Membership.objects.filter(user=actor.user_id).select_related("club")
    if actor.club_id is not None:
        members = members.filter(club=actor.club_id)
    memberships = list(members.order_by("club__name", "club__slug"))
    players = {player.club_id: player for player in Player.objects.filter(user=actor.user_id)}
    claims = PlayerClaim.objects.filter(
        club__in=[member.club_id for member in memberships], state=ClaimState.PENDING
    )
    own_claims = claims.filter(user=actor.user_id).select_related("player", "user")
    claim_of = {claim.club_id: claim_rows([claim], is_member=True)[0] for claim in own_claims}
    for member in memberships:
        member.player, member.claim = players.get(member.club_id), claim_of.get(member.club_id)
    return memberships


def find_likely_players(clubs: Iterable[Club], name: str) -> Mapping[int, Sequence[Player]]:
    """Return the players that may belong to an account of this name, by club; one query.

    Players without an account; those whose name has words at the start of the account's name come
    first.
    """
    free = Player.objects.filter(
        club__in=list(clubs), user=None, erased_at=None, merged_into=None, is_active=True
    )
    words = _words(name)
    by_club: dict[int, list[Player]] = {}
    for player in free.order_by("sort_key", "player_id"):
        by_club.setdefault(player.club_id, []).append(player)
    return {
        club: sorted(players, key=lambda player: -_alike(words, player.name))[:8]
        for club, players in by_club.items()
    }


def _alike(words: Sequence[tuple[str, ...]], name: str) -> int:
    """Return how many words of an account's name are words of a player's, or begin like one.

    >>> _alike(_words("cleo.s7@example.org"), "Cleo S."), _alike(_words("Cleo Smith"), "Cleo S.")
    (2, 2)
    >>> _alike(_words("joerg"), "Jörg S."), _alike(_words("O’Neill"), "Cleo O'Neill")
    (1, 1)
    """
    parts = [way for word in _words(name) for way in word]
    return sum(
        any(a.startswith(b) or b.startswith(a) for a in word for b in parts) for word in words
    )


def _words(name: str) -> list[tuple[str, ...]]:
    """Return the words of a name or of a login: `cleo.s7@riverside.example` is cleo and s."""
    return words_of(re.sub(r"[\d_.,+-]+", " ", name.partition("@")[0]))


def get_personal_data(actor: Actor, club: Club, player: Player) -> PersonalData:
    is_own = actor.user_id is not None and actor.user_id == player.user_id
    if not (is_own or may(get_role(actor, club.pk), "export_player")):
        raise Forbidden("export_player")
    if not actor.is_within_scope("export_player"):
        raise Forbidden("export_player")
    user_id = player.user_id
    members = EntrantMember.objects.filter(player=player)
    entrants = members.values("entrant")
    challenges = Q(challenger__in=entrants) | Q(challenged__in=entrants)
    contacts = _rows(
        Contact.objects.filter(player=player),
        "email new_email consent_at consent_as origin stopped refusals",
    )
    return {
        "club": {"slug": club.slug, "name": club.name},
        "player": _player(player),
        "contact": contacts[0] if contacts else None,
        "aliases": _rows(PlayerAlias.objects.filter(player__in=records_of(player)), "name made_at"),
        "personal_links": _rows(
            PersonalLink.objects.filter(player__in=records_of(player)), "made_at used_at revoked_at"
        ),
        "filled_in": _rows(
            FillInRequest.objects.filter(filled_by=player),
            "event=meeting__event__slug date=meeting__date filled_at",
        ),
        "account": _account(club, user_id) if user_id is not None else None,
        "entries": _rows(
            members.order_by("event_id"),
            "event=event__slug entrant=entrant__code name=entrant__name kind=entrant__kind "
            "state=entrant__state",
        ),
        "results": _results(entrants),
        "seats": _rows(
            Sitting.objects.filter(
                Q(player=player) | Q(substitute_for=player), round__state__in=POSTED
            ),
            "event=round__event__slug table=seat__table__code seat=seat__number from_hand "
            "to_hand substitute_for=substitute_for__player_id",
        ),
        "penalties": _rows(
            LedgerLine.objects.filter(entrant__in=entrants),
            "event=event__slug number kind reason at withdrawn_at",
        ),
        "opening_values": _rows(
            OpeningValue.objects.filter(entrant__in=entrants),
            "event=event__slug number date games wins hands reason at withdrawn_at",
        ),
        "result_notes": _rows(
            ResultNote.objects.filter(player=player),
            "event=event__slug number about words state at answer answered_at",
        ),
        "challenges": _rows(
            Challenge.objects.filter(challenges),
            "event=event__slug number challenger=challenger__code challenged=challenged__code "
            "state issued_at closed_at",
        ),
        "absences": _rows(
            LadderAbsence.objects.filter(entrant__in=entrants).order_by("since"),
            "event=event__slug since until",
        ),
        "attendance": _rows(
            Attendance.objects.filter(player=player).order_by("meeting__date", "pk"),
            "event=meeting__event__slug date=meeting__date state answer from_round "
            "leaves_after_round arrived_at stated_at guest answered_at excused",
        ),
        "seating_constraints": _rows(
            SeatingConstraint.objects.filter(Q(player=player) | Q(other=player)),
            "event=event__slug kind table=table_number created_at",
        ),
        "invitations": _rows(
            Invitation.objects.filter(player=player),
            "id=public_id role name email created_at accepted_at revoked_at",
        ),
        "claims": _rows(PlayerClaim.objects.filter(player=player), "id=public_id state created_at"),
        "merges": _rows(
            PlayerMerge.objects.filter(Q(source=player) | Q(target=player)),
            "id=public_id source=source__player_id target=target__player_id merged_at undone_at",
        ),
        "erasures": _rows(
            Erasure.objects.filter(player=player), "id=public_id asked_at erased_at declined_at"
        ),
        **_of_account(club, player, user_id),
    }


def get_all_personal_data(actor: Actor) -> Sequence[PersonalData]:
    if actor.user_id is None:
        return []
    players = Player.objects.filter(user=actor.user_id).select_related("club")
    return [
        get_personal_data(actor, player.club, player) for player in players.order_by("club__slug")
    ]


def get_account_data(actor: Actor) -> JsonDict:
    user = User.objects.get(pk=actor.user_id or 0)  # 0 is nobody's row
    change = find_address_change(user)
    return {
        "username": user.username,
        "name": user.get_full_name(),
        "email": user.email,
        "new_email": change.email if change is not None else "",
        "joined_at": _plain(user.date_joined),
        "last_sign_in": _plain(user.last_login),
        "memberships": _rows(
            Membership.objects.filter(user=user).order_by("club__slug"),
            "club=club__slug role joined_at",
        ),
        "calendar_links": _rows(CalendarLink.objects.filter(user=user), "made_at"),
    }


def _player(player: Player) -> JsonDict:
    return {
        "player_id": player.player_id,
        "name": player.name,
        "nickname": player.nickname,
        "public_name": player.public_name,
        "shown_as": player.shown_as,
        "joined": _plain(player.joined),
        "active": player.is_active,
        "fills_in": player.fills_in,
    }


def _account(club: Club, user_id: int) -> JsonDict:
    user = User.objects.get(pk=user_id)
    member = Membership.objects.filter(club=club, user=user).first()
    return {
        "username": user.username,
        "name": user.get_full_name(),
        "email": user.email,
        "role": member.role if member is not None else None,
        "last_sign_in": _plain(user.last_login),
    }


def _results(entrants: Any) -> Rows:
    rows = Contribution.objects.filter(entrant__in=entrants).select_related(
        "event", "game__table__round__meeting", "game__snapshot"
    )
    return [
        {
            "event": row.event.slug,
            "table": row.game.table.code,
            "date": _plain(row.game.table.round.meeting and row.game.table.round.meeting.date),
            "hands": row.hands,
            "points": as_json(row.points) if row.game.snapshot.has_points else None,
            "place": row.place,
        }
        for row in rows.order_by("event_id", "game__table__round__number")
    ]


def _of_account(club: Club, player: Player, user_id: int | None) -> JsonDict:
    about = Q(subject=f"player:{player.player_id}")
    if user_id is not None:
        about |= Q(user=user_id)
    lines = AuditLine.objects.filter(about, club=club).order_by("number")
    choices = NotificationChoice.objects.filter(club=club, user=user_id)
    notices = Notice.objects.filter(club=club, user=user_id)
    message = Coalesce(KT("facts__message"), F("kind"), output_field=TextField())
    return {
        "disputes": _rows(
            Dispute.objects.filter(club=club, opened_by=user_id, opened_by__isnull=False),
            "event=event__slug number state words opened_at ruling",
        ),
        "entered_hands": _rows(
            Entry.objects.filter(club=club, entered_by=user_id, entered_by__isnull=False),
            "event=hand__game__event__slug table=hand__game__table__code hand=hand__number "
            "revision at=entered_at",
        ),
        "notices": _rows(
            notices.annotate(message=message),
            "kind=message created_at read_at",
        ),
        "notification_choices": _rows(choices.order_by("kind"), "kind by_mail as_notice"),
        "audit": _rows(lines, "number at act subject"),
        "refused_acts": _rows(
            RefusedAct.objects.filter(club=club, user=user_id, user__isnull=False), "act hour times"
        ),
    }


def _rows(rows: Any, members: str) -> Rows:
    """Return rows as JSON objects, in the order of their ids where none is given.

    Args:
        members: their names, each with `=` and its column where that has another name.
    """
    rows = rows if rows.query.order_by else rows.order_by("pk")
    pairs = [member.partition("=") for member in members.split()]
    values: Iterable[Sequence[object]] = rows.values_list(
        *(column or name for name, _equals, column in pairs)
    )
    names = [name for name, _equals, _column in pairs]
    return [dict(zip(names, map(_plain, row), strict=True)) for row in values]


def _plain(value: object) -> Any:
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if value is None or isinstance(value, str | int | bool):
        return value
    return str(value)
