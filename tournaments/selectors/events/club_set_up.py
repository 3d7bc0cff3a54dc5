"""What a new club still needs: players, an event, people with accounts, when and where it meets, a
first evening."""

from dataclasses import dataclass

from django.db.models import Count, Exists, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from tournaments.models.access import Invitation
from tournaments.models.clubs import Club, ClubFront, Membership, Player, Role
from tournaments.models.events import Event, EventKind
from tournaments.models.hands import Hand


@dataclass(frozen=True, slots=True)
class ClubSetUp:
    """How far a club is set up; `event` is the address of its first event, empty without one.

    `has_place` is whether its page says when and where it meets; the list goes away without it.
    """

    n_players: int
    event: str
    is_ladder: bool
    n_invited: int
    has_owner: bool
    has_place: bool
    has_evening: bool

    @property
    def n_done(self) -> int:
        """How many of the five steps are done."""
        steps = (self.n_players, self.event, self.n_invited, self.has_place, self.has_evening)
        return sum(map(bool, steps))

    @property
    def next_step(self) -> str:
        """The first step that is not done; empty where all are that an evening needs."""
        steps = {
            "owner": self.has_owner,
            "players": self.n_players,
            "event": self.event,
            "people": self.n_invited,
            "evening": self.has_evening,
        }
        return next((step for step, is_done in steps.items() if not is_done), "")


def club_set_up(club: Club) -> ClubSetUp:
    """Return how far a club is set up; one query."""
    events = Event.objects.filter(club=OuterRef("pk"), archived_at=None).order_by("created_at")
    members = Membership.objects.filter(club=OuterRef("pk"))
    row = (
        Club.objects.filter(pk=club.pk)
        .annotate(
            n_players=_count(Player.objects.filter(club=OuterRef("pk"))),
            event=Subquery(events.values("slug")[:1]),
            kind=Subquery(events.values("kind")[:1]),
            n_members=_count(members),
            n_asked=_count(
                Invitation.objects.filter(club=OuterRef("pk"), accepted_at=None, revoked_at=None)
            ),
            has_owner=Exists(members.filter(role=Role.OWNER, user__is_active=True)),
            has_place=Exists(ClubFront.objects.filter(club=OuterRef("pk")).exclude(when_where="")),
            has_evening=Exists(Hand.objects.filter(game__club=OuterRef("pk"))),
        )
        .values()
        .get()
    )
    # Whoever created the club is a member who was not invited.
    return ClubSetUp(
        n_players=row["n_players"],
        event=row["event"] or "",
        is_ladder=row["kind"] == EventKind.LADDER,
        n_invited=max(row["n_members"] - 1, 0) + row["n_asked"],
        has_owner=row["has_owner"],
        has_place=row["has_place"],
        has_evening=row["has_evening"],
    )


def _count(rows: QuerySet[Player] | QuerySet[Membership] | QuerySet[Invitation]) -> Coalesce:
    counted = rows.order_by().values("club").annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted), 0, output_field=IntegerField())
