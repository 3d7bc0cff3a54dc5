"""What keeps two records of players from being those of one person."""

from collections.abc import Iterator, Sequence
from typing import Final

from django.db.models import Q

from scoring.errors import Problem
from tournaments.domain.number_ranges import in_short
from tournaments.errors import Conflict
from tournaments.models.clubs import Player
from tournaments.models.events import EntrantKind, EntrantMember, Event
from tournaments.models.ladders import OPEN_CHALLENGES, Challenge
from tournaments.models.meetings import Round, SitOut, Sitting
from tournaments.models.playoffs import PlayoffMember, PlayoffState
from tournaments.models.privacy import Erasure

MOST: Final = 20
"""Rounds and events that a refusal names."""


def require_mergeable(source: Player, target: Player) -> None:
    """Refuse players whose records as such cannot become one.

    Raises:
        Conflict: player_is_merged, player_is_erased, merge_two_accounts, erasure_pending.
    """
    for one in (source, target):
        facts: dict[str, int | str] = {"player": one.player_id}
        if one.merged_into is not None:
            facts["into"] = one.merged_into.player_id
            raise Conflict(Problem("player_is_merged", ("into",), facts))
        if one.erased_at is not None:
            raise Conflict(Problem("player_is_erased", ("into",), facts))
        pending = Erasure.objects.filter(player=one, erased_at=None, declined_at=None)
        if pending.exists():
            raise Conflict(Problem("erasure_pending", ("into",), facts))
    if None not in (source.user_id, target.user_id):
        facts = {"player": source.player_id, "into": target.player_id}
        raise Conflict(Problem("merge_two_accounts", ("into",), facts))


def collisions(events: Sequence[Event], source: Player, target: Player) -> list[Problem]:
    """Return everything in these events that one person cannot have done twice."""
    found = [*_rounds(events, source, target)]
    for event in events:
        found.extend(_entrants(event, source, target))
    return found[:MOST]


def _rounds(events: Sequence[Event], source: Player, target: Player) -> Iterator[Problem]:
    """Yield the events with rounds in which both sat at a table, or one sat, the other sat out."""
    in_rounds = [_busy(events, one) for one in (source, target)]
    both = Round.objects.filter(pk__in=in_rounds[0] & in_rounds[1]).select_related("event")
    found: dict[int, list[Round]] = {}
    for one in both.order_by("event_id", "number"):
        found.setdefault(one.event_id, []).append(one)
    for rounds in found.values():
        facts = {"event": rounds[0].event.name, "round": in_short(one.number for one in rounds)}
        yield Problem("merge_same_round", ("into",), {**facts, **_two(source, target)})


def _busy(events: Sequence[Event], player: Player) -> set[int]:
    sat = Sitting.objects.filter(Q(player=player) | Q(substitute_for=player))
    out = SitOut.objects.filter(entrant__members__player=player, event__in=events)
    rounds = set(sat.filter(round__event__in=events).values_list("round_id", flat=True))
    return rounds | set(out.values_list("round_id", flat=True))


def _entrants(event: Event, source: Player, target: Player) -> Iterator[Problem]:
    members = EntrantMember.objects.filter(event=event).select_related("entrant")
    own, there = members.filter(player=source).first(), members.filter(player=target).first()
    if own is None or there is None:
        return
    one, two = own.entrant, there.entrant
    facts: dict[str, int | str] = {"event": event.name, **_two(source, target)}
    if one == two:
        yield Problem("merge_same_entrant", ("into",), {**facts, "entrant": one.code})
    elif EntrantKind.PLAYER not in (one.kind, two.kind) or one.kind != two.kind:
        codes = {"first": one.code, "second": two.code}
        yield Problem("merge_two_entrants", ("into",), {**facts, **codes})
    else:
        yield from _challenges(event, one.pk, two.pk, facts)
        playoffs = PlayoffMember.objects.filter(entrant=one).exclude(
            playoff__state=PlayoffState.VOID
        )
        same = playoffs.filter(playoff__members__entrant=two).select_related("playoff")
        for row in same:
            number = {"playoff": row.playoff.number}
            yield Problem("merge_same_playoff", ("into",), {**facts, **number})


def _challenges(event: Event, one: int, two: int, facts: dict[str, int | str]) -> Iterator[Problem]:
    """Yield challenges of the two against each other, and open ones of which one may be open."""
    rows = Challenge.objects.filter(event=event)
    against = Q(challenger=one, challenged=two) | Q(challenger=two, challenged=one)
    for number in rows.filter(against).order_by("number").values_list("number", flat=True):
        yield Problem("merge_each_other", ("into",), {**facts, "challenge": number})
    is_open = rows.filter(state__in=OPEN_CHALLENGES).exclude(against)
    for side in ("challenger", "challenged"):
        both = is_open.filter(**{f"{side}__in": (one, two)}).order_by("number")
        numbers = list(both.values_list("number", flat=True))
        if len(numbers) > 1:
            pair = {"first": numbers[0], "second": numbers[1]}
            yield Problem("merge_open_challenges", ("into",), {**facts, **pair})


def _two(source: Player, target: Player) -> dict[str, int | str]:
    return {"player": source.player_id, "into": target.player_id}
