"""What merging two players would do, computed by doing it and rolling it back (decision 0021)."""

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime, timedelta

from django.db.models import Count, Model, Q

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


def preview_merge(
    *, actor: Actor, club: Club, source: Player, target: Player, now: datetime
) -> dict[str, object]:
    """Return all that merging `source` into `target` would move; nothing is stored.

    `attendance` counts evenings. `plans` are seating plans of evenings to come with the source:
    they do not move, and are made again.
    """
    evenings = _count_evenings(source, now)
    with dry_run():
        merge = merge_players(actor=actor, club=club, source=source, target=target, now=now)
        merges: Mapping[str, Mapping[str, str]] = merge.moved["events"]
        after = {pk: _get_places(int(pk)) for pk in merges}
        counts = _count_moved_rows(merge)
        has_account = merge.source.user_id is None and source.user_id is not None
    before = {pk: _get_places(int(pk)) for pk in merges}
    events = Event.objects.in_bulk([int(pk) for pk in merges])
    # The order of the keys is part of the digest.
    return {
        "source": source.player_id,
        "target": target.player_id,
        **counts,
        **evenings,
        "account": has_account,
        "events": [
            _event(events[int(pk)], codes or {}, before[pk], after[pk])
            for pk, codes in sorted(merges.items(), key=lambda item: events[int(item[0])].slug)
        ],
    }


def merge_digest(preview: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(preview).encode()).hexdigest()[:32]


class MergeOutdated(Conflict):
    """The previewed merge is not what would happen now; `preview` is."""

    def __init__(self, preview: Mapping[str, object]) -> None:
        super().__init__(Problem("preview_outdated"), there=preview)
        self.preview = preview


def merge_as_previewed(
    *, actor: Actor, club: Club, source: Player, target: Player, digest: str, now: datetime
) -> PlayerMerge:
    """Merge two players, if that does what was previewed under `digest`."""
    preview = preview_merge(actor=actor, club=club, source=source, target=target, now=now)
    if merge_digest(preview) != digest:
        raise MergeOutdated(preview)
    return merge_players(actor=actor, club=club, source=source, target=target, now=now)


def _get_places(event_id: int) -> dict[str, dict[str, object]]:
    event = Event.objects.select_related("club", "season").get(pk=event_id)
    return {
        entrant.sums.code: {
            "code": entrant.sums.code,
            "rank": entrant.rank,
            "games": entrant.sums.games,
        }
        for entrant in draft_standings(event).placed
    }


def _event(
    event: Event,
    merge: Mapping[str, str],
    before: Mapping[str, Mapping[str, object]],
    after: Mapping[str, Mapping[str, object]],
) -> dict[str, object]:
    """Return the places of the two entrants, and how many others have another place then."""
    pair = tuple(dict.fromkeys((merge.get("code", ""), merge.get("into", ""))))
    others = (set(before) | set(after)) - set(pair)
    return {
        "slug": event.slug,
        "name": event.name,
        "state": event.state,
        "is_joined": bool(merge.get("joined")),
        "before": [before[code] for code in pair if code in before],
        "after": [after[code] for code in pair if code in after],
        "n_moved": sum(before.get(code) != after.get(code) for code in others),
    }


def _count_evenings(source: Player, now: datetime) -> dict[str, int]:
    constraints = SeatingConstraint.objects.filter(Q(player=source) | Q(other=source))
    open_plans = SeatingPlan.objects.filter(
        club=source.club_id, meeting__date__gte=now.date() - timedelta(days=1)
    ).exclude(state=PlanState.SUPERSEDED)
    return {
        "attendance": Attendance.objects.filter(player=source).count(),
        "constraints": constraints.count(),
        "plans": sum(source.pk in people_of_plan(plan) for plan in open_plans.iterator()),
    }


def _count_moved_rows(merge: PlayerMerge) -> dict[str, int]:
    moved = {(step["model"], step["pk"]) for step in merge.moved["steps"]}
    seats = {pk for model, pk in moved if model == Sitting._meta.label_lower}
    hands = Hand.objects.filter(game__table__seats__sittings__in=seats).distinct()
    tables = Sitting.objects.filter(pk__in=seats).aggregate(n=Count("seat__table", distinct=True))

    def n_of(model: type[Model]) -> int:
        return sum(label == model._meta.label_lower for label, _ in moved)

    return {
        "tables": tables["n"],
        "hands": hands.count(),
        "challenges": n_of(Challenge),
        "absences": n_of(LadderAbsence),
        "adjustments": n_of(LedgerLine),
        "disputes": Dispute.objects.filter(hand__in=hands).count(),
        "invitations": n_of(Invitation),
    }
