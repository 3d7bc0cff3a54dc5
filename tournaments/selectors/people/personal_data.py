"""All that is stored about a person, as one JSON document for that person."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Q

from tournaments.errors import Forbidden
from tournaments.models.access import CalendarLink, Invitation, PlayerClaim
from tournaments.models.audit import AuditLine, RefusedAct
from tournaments.models.clubs import Club, Erasure, Membership, Player, PlayerMerge
from tournaments.models.events import EntrantMember
from tournaments.models.hands import Dispute, Entry
from tournaments.models.ladders import Challenge, LadderAbsence
from tournaments.models.meetings import Attendance, Sitting
from tournaments.models.notices import Notice, NotificationChoice
from tournaments.models.numbers import as_json
from tournaments.models.seating_plans import SeatingConstraint
from tournaments.models.standings import Contribution, LedgerLine
from tournaments.policy import Actor, may
from tournaments.selectors.clubs.clubs import get_role

Rows = list[dict[str, Any]]


PersonalData = dict[str, Any]
"""What a club stores about a person; lists are in the order in which things happened."""


def get_personal_data(actor: Actor, club: Club, player: Player) -> PersonalData:
    is_own = actor.user_id is not None and actor.user_id == player.user_id
    if not (is_own or may(get_role(actor, club.pk), "export_player")):
        raise Forbidden("export_player")
    if not actor.is_within_scope("export_player"):
        raise Forbidden("export_player")
    user_id = player.user_id
    entrants = EntrantMember.objects.filter(player=player).values("entrant")
    return {
        "club": {"slug": club.slug, "name": club.name},
        "player": _player(player),
        "account": _account(club, user_id) if user_id is not None else None,
        "entries": _rows(
            EntrantMember.objects.filter(player=player).order_by("event_id"),
            "event=event__slug entrant=entrant__code name=entrant__name kind=entrant__kind "
            "state=entrant__state",
        ),
        "results": _results(entrants),
        "seats": _rows(
            Sitting.objects.filter(Q(player=player) | Q(substitute_for=player)).order_by("pk"),
            "event=round__event__slug table=seat__table__code seat=seat__number from_hand "
            "to_hand substitute_for=substitute_for__player_id",
        ),
        "penalties": _rows(
            LedgerLine.objects.filter(entrant__in=entrants).order_by("pk"),
            "event=event__slug number kind reason at withdrawn_at",
        ),
        "challenges": _rows(
            Challenge.objects.filter(
                Q(challenger__in=entrants) | Q(challenged__in=entrants)
            ).order_by("pk"),
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
            "leaves_after_round arrived_at stated_at guest",
        ),
        "seating_constraints": _rows(
            SeatingConstraint.objects.filter(Q(player=player) | Q(other=player)).order_by("pk"),
            "event=event__slug kind table=table_number created_at",
        ),
        "invitations": _rows(
            Invitation.objects.filter(player=player).order_by("pk"),
            "id=public_id role name email created_at accepted_at revoked_at",
        ),
        "claims": _rows(
            PlayerClaim.objects.filter(player=player).order_by("pk"),
            "id=public_id state created_at",
        ),
        "merges": _rows(
            PlayerMerge.objects.filter(Q(source=player) | Q(target=player)).order_by("pk"),
            "id=public_id source=source__player_id target=target__player_id merged_at undone_at",
        ),
        "erasures": _rows(
            Erasure.objects.filter(player=player).order_by("pk"),
            "id=public_id asked_at erased_at declined_at",
        ),
        **_of_account(club, player, user_id),
    }


def get_all_personal_data(actor: Actor) -> Sequence[PersonalData]:
    """Return what all clubs store about the account that asks, a club after the other."""
    players = (
        Player.objects.filter(user=actor.user_id).select_related("club").order_by("club__slug")
    )
    return [
        get_personal_data(actor, player.club, player)
        for player in players
        if actor.user_id is not None
    ]


def get_account_data(actor: Actor) -> dict[str, Any]:
    """Return what the site stores about the account that asks."""
    user = User.objects.get(pk=actor.user_id or 0)
    return {
        "username": user.username,
        "name": user.get_full_name(),
        "email": user.email,
        "joined_at": _plain(user.date_joined),
        "last_sign_in": _plain(user.last_login),
        "memberships": _rows(
            Membership.objects.filter(user=user).order_by("club__slug"),
            "club=club__slug role joined_at",
        ),
        "calendar_links": _rows(CalendarLink.objects.filter(user=user), "made_at"),
    }


def _player(player: Player) -> dict[str, Any]:
    return {
        "player_id": player.player_id,
        "name": player.name,
        "nickname": player.nickname,
        "public_name": player.public_name,
        "shown_as": player.shown_as,
        "joined": _plain(player.joined),
        "active": player.is_active,
    }


def _account(club: Club, user_id: int) -> dict[str, Any]:
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


def _of_account(club: Club, player: Player, user_id: int | None) -> dict[str, Any]:
    """Return what the account of a person did and chose in a club, and what is noted of both."""
    about = Q(subject=f"player:{player.player_id}")
    if user_id is not None:
        about |= Q(user=user_id)
    lines = AuditLine.objects.filter(about, club=club).order_by("number")
    choices = NotificationChoice.objects.filter(club=club, user=user_id)
    return {
        "disputes": _rows(
            Dispute.objects.filter(club=club, opened_by=user_id, opened_by__isnull=False).order_by(
                "pk"
            ),
            "event=event__slug number state words opened_at ruling",
        ),
        "entered_hands": _rows(
            Entry.objects.filter(club=club, entered_by=user_id, entered_by__isnull=False).order_by(
                "pk"
            ),
            "event=hand__game__event__slug table=hand__game__table__code hand=hand__number "
            "revision at=entered_at",
        ),
        "notices": _rows(
            Notice.objects.filter(club=club, user=user_id).order_by("pk"), "kind created_at read_at"
        ),
        "notification_choices": _rows(choices.order_by("kind"), "kind by_mail as_notice"),
        "audit": _rows(lines, "number at act subject"),
        "refused_acts": _rows(
            RefusedAct.objects.filter(club=club, user=user_id, user__isnull=False).order_by("pk"),
            "act hour times",
        ),
    }


def _rows(rows: Any, members: str) -> Rows:
    """Return rows as JSON objects.

    Args:
        members: their names, each with `=` and its column where that has another name.
    """
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
    return value if value is None or isinstance(value, str | int | bool) else str(value)
