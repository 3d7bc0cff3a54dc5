"""What merging two players would do, computed by doing it and rolling it back (decision 0021)."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Q

from scoring.errors import Problem
from tournaments.errors import Conflict
from tournaments.models.access import Invitation
from tournaments.models.clubs import Club, Player, PlayerMerge
from tournaments.models.events import Event
from tournaments.models.hands import Dispute, Hand
from tournaments.models.ladders import Challenge, LadderAbsence
from tournaments.models.meetings import Attendance, Sitting
from tournaments.models.seating_plans import PlanState, SeatingConstraint, SeatingPlan
from tournaments.models.standings import LedgerLine
from tournaments.policy import Actor
from tournaments.selectors.seating_plans.plans import people_of_plan
from tournaments.services.db.transactions import dry_run
from tournaments.services.people.merge_players import merge_players
from tournaments.services.publishing.standings import draft_standings


@dataclass(frozen=True, slots=True)
class MergedPlace:
    """A row of an event's standings: the entrant's code, its place, how many games it has."""

    code: str
    rank: int | None
    games: int


@dataclass(frozen=True, slots=True)
class MergedEvent:
    """What becomes of the two in one event, and how many others have another place then."""

    slug: str
    name: str
    state: str
    is_joined: bool
    before: tuple[MergedPlace, ...]
    after: tuple[MergedPlace, ...]
    n_moved: int


@dataclass(frozen=True, slots=True)
class MergePreview:
    """All that a merge would move from one player to another. `digest` names it.

    `attendance` counts evenings. `plans` are seating plans of evenings to come with the source:
    they do not move, and are made again.
    """

    source: str
    target: str
    tables: int
    hands: int
    challenges: int
    absences: int
    adjustments: int
    disputes: int
    invitations: int
    attendance: int
    constraints: int
    plans: int
    account: bool
    events: tuple[MergedEvent, ...]

    @property
    def digest(self) -> str:
        """What names this preview: the same preview has the same digest."""
        return hashlib.sha256(json.dumps(asdict(self)).encode()).hexdigest()[:32]


def preview_merge(
    *, actor: Actor, club: Club, source: Player, target: Player, now: datetime
) -> MergePreview:
    """Return what merging `source` into `target` would do; nothing is kept of it.

    Raises:
        What `merge_players` raises.
    """
    evenings = _evenings(source, now)
    with dry_run():
        made = merge_players(actor=actor, club=club, source=source, target=target, now=now)
        merges: Mapping[str, Mapping[str, str]] = made.moved["events"]
        after = {pk: _places(int(pk)) for pk in merges}
        found = _counts(made)
        has_account = made.source.user_id is None and source.user_id is not None
    before = {pk: _places(int(pk)) for pk in merges}
    events = Event.objects.in_bulk([int(pk) for pk in merges])
    return MergePreview(
        source=source.player_id,
        target=target.player_id,
        account=has_account,
        events=tuple(
            _event(events[int(pk)], merge or {}, before[pk], after[pk])
            for pk, merge in sorted(merges.items(), key=lambda one: events[int(one[0])].slug)
        ),
        **found,
        **evenings,
    )


class MergeOutdated(Conflict):
    """What was looked at is not what would happen now; `preview` is."""

    def __init__(self, preview: MergePreview) -> None:
        super().__init__(Problem("preview_outdated"), there=asdict(preview))
        self.preview = preview


def merge_as_previewed(
    *, actor: Actor, club: Club, source: Player, target: Player, digest: str, now: datetime
) -> PlayerMerge:
    """Merge two players, if that does what was previewed under `digest`.

    Raises:
        MergeOutdated: it would do something else now; nothing is saved.
        What `merge_players` raises.
    """
    merge_preview = preview_merge(actor=actor, club=club, source=source, target=target, now=now)
    if merge_preview.digest != digest:
        raise MergeOutdated(merge_preview)
    return merge_players(actor=actor, club=club, source=source, target=target, now=now)


def _places(event_id: int) -> dict[str, MergedPlace]:
    event = Event.objects.select_related("club", "season").get(pk=event_id)
    placed = draft_standings(event).placed
    return {one.sums.code: MergedPlace(one.sums.code, one.rank, one.sums.games) for one in placed}


def _event(
    event: Event,
    merge: Mapping[str, str],
    before: Mapping[str, MergedPlace],
    after: Mapping[str, MergedPlace],
) -> MergedEvent:
    two = tuple(dict.fromkeys((merge.get("code", ""), merge.get("into", ""))))
    others = (set(before) | set(after)) - set(two)
    moved = [other for other in others if before.get(other) != after.get(other)]
    return MergedEvent(
        slug=event.slug,
        name=event.name,
        state=event.state,
        is_joined=bool(merge.get("joined")),
        before=tuple(before[code] for code in two if code in before),
        after=tuple(after[code] for code in two if code in after),
        n_moved=len(moved),
    )


def _evenings(source: Player, now: datetime) -> dict[str, int]:
    """Return how much of a player's attendance, seating constraints and plans a merge is about."""
    about = Q(player=source) | Q(other=source)
    open_ones = SeatingPlan.objects.filter(
        club=source.club_id, meeting__date__gte=now.date() - timedelta(days=1)
    ).exclude(state=PlanState.SUPERSEDED)
    return {
        "attendance": Attendance.objects.filter(player=source).count(),
        "constraints": SeatingConstraint.objects.filter(about).count(),
        "plans": sum(source.pk in people_of_plan(plan) for plan in open_ones.iterator()),
    }


def _counts(merge: PlayerMerge) -> dict[str, int]:
    """Return how many rows of each kind a merge moved."""
    moved = [(one["model"], one["pk"]) for one in merge.moved["steps"]]
    seats = {pk for model, pk in moved if model == Sitting._meta.label_lower}
    hands = Hand.objects.filter(game__table__seats__sittings__in=seats).distinct()
    tables = Sitting.objects.filter(pk__in=seats).aggregate(n=Count("seat__table", distinct=True))
    kinds = {
        "challenges": Challenge,
        "absences": LadderAbsence,
        "adjustments": LedgerLine,
        "invitations": Invitation,
    }
    return {
        "tables": tables["n"],
        "hands": hands.count(),
        "disputes": Dispute.objects.filter(hand__in=hands).count(),
        **{
            key: len({pk for of, pk in moved if of == model._meta.label_lower})
            for key, model in kinds.items()
        },
    }
