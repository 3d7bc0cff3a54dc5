"""Merge two records of one person, and undo that until something new depends on it."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

from django.db.models import Q

from scoring.errors import Problem, Refused
from tournaments.domain.figures import in_short
from tournaments.errors import Conflict, Missing
from tournaments.models.access import ClaimState, Invitation, PlayerClaim
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club, Player, PlayerMerge
from tournaments.models.events import EntrantKind, EntrantMember, Event, EventKind
from tournaments.models.hands import Game
from tournaments.models.ladders import OPEN_CHALLENGES, Challenge
from tournaments.models.meetings import Round, SitOut, Sitting
from tournaments.models.outbox import ladder_scope
from tournaments.models.playoffs import PlayoffMember, PlayoffState
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.people.merges import find_dependents_of_merge, find_pending_erasure
from tournaments.services.audit.audit import AFTER_AUDIT, append_audit, note_change
from tournaments.services.db.locks import lock_club, lock_games
from tournaments.services.db.transactions import atomic_act, write_last
from tournaments.services.jobs.queue import mark_due
from tournaments.services.people.merge_entrants import (
    MovedRows,
    count_again,
    events_of_player,
    games_with,
    locked_events,
    merge_in_event,
    move_attendance,
    move_constraints,
    move_plans,
    repeat_where_played_elsewhere,
    require_all_locked,
    reset_ladder,
    restore,
)
from tournaments.services.permissions import require_role

MOST: Final = 20
"""Rounds and events that a refusal names."""


def require_mergeable(source: Player, target: Player) -> None:
    for player in (source, target):
        facts: dict[str, int | str] = {"player": player.player_id}
        if player.merged_into is not None:
            facts["into"] = player.merged_into.player_id
            raise Conflict(Problem("player_is_merged", ("into",), facts))
        if player.erased_at is not None:
            raise Conflict(Problem("player_is_erased", ("into",), facts))
        if find_pending_erasure(player) is not None:
            raise Conflict(Problem("erasure_pending", ("into",), facts))
    if None not in (source.user_id, target.user_id):
        raise Conflict(Problem("merge_two_accounts", ("into",), _names(source, target)))


def _rounds(events: Sequence[Event], source: Player, target: Player) -> Iterator[Problem]:
    """Yield the events with rounds in which both sat at a table, or one sat, the other sat out."""
    both = _busy(events, source) & _busy(events, target)
    rounds = Round.objects.filter(pk__in=both).select_related("event")
    for event, in_event in groupby(rounds.order_by("event_id", "number"), attrgetter("event")):
        facts = {"event": event.name, "round": in_short(round_.number for round_ in in_event)}
        yield Problem("merge_same_round", ("into",), {**facts, **_names(source, target)})


def _busy(events: Sequence[Event], player: Player) -> set[int]:
    sat = Sitting.objects.filter(Q(player=player) | Q(substitute_for=player))
    out = SitOut.objects.filter(entrant__members__player=player, event__in=events)
    rounds = set(sat.filter(round__event__in=events).values_list("round_id", flat=True))
    return rounds | set(out.values_list("round_id", flat=True))


def _entrants(event: Event, source: Player, target: Player) -> Iterator[Problem]:
    members = EntrantMember.objects.filter(event=event).select_related("entrant")
    rows = [members.filter(player=player).first() for player in (source, target)]
    first, second = (row.entrant if row is not None else None for row in rows)
    if first is None or second is None:
        return
    facts: dict[str, int | str] = {"event": event.name, **_names(source, target)}
    if first == second:
        yield Problem("merge_same_entrant", ("into",), {**facts, "entrant": first.code})
    elif {first.kind, second.kind} != {EntrantKind.PLAYER}:
        codes = {"first": first.code, "second": second.code}
        yield Problem("merge_two_entrants", ("into",), {**facts, **codes})
    else:
        yield from _challenges(event, first.pk, second.pk, facts)
        playoffs = PlayoffMember.objects.filter(entrant=first).exclude(
            playoff__state=PlayoffState.VOID
        )
        shared = playoffs.filter(playoff__members__entrant=second)
        for number in shared.values_list("playoff__number", flat=True):
            yield Problem("merge_same_playoff", ("into",), {**facts, "playoff": number})


def _challenges(
    event: Event, first: int, second: int, facts: dict[str, int | str]
) -> Iterator[Problem]:
    """Yield challenges of the two against each other, and open ones of which only one may be."""
    rows = Challenge.objects.filter(event=event)
    against = Q(challenger=first, challenged=second) | Q(challenger=second, challenged=first)
    for number in rows.filter(against).order_by("number").values_list("number", flat=True):
        yield Problem("merge_each_other", ("into",), {**facts, "challenge": number})
    is_open = rows.filter(state__in=OPEN_CHALLENGES).exclude(against)
    for side in ("challenger", "challenged"):
        both = is_open.filter(**{f"{side}__in": (first, second)}).order_by("number")
        numbers = list(both.values_list("number", flat=True))
        if len(numbers) > 1:
            pair = {"first": numbers[0], "second": numbers[1]}
            yield Problem("merge_open_challenges", ("into",), {**facts, **pair})


def _names(source: Player, target: Player) -> dict[str, int | str]:
    return {"player": source.player_id, "into": target.player_id}


MERGE: Final = "merge_players"
UNDO: Final = "undo_merge"


def merge_players(
    *, actor: Actor, club: Club, source: Player, target: Player, now: datetime
) -> PlayerMerge:
    if source == target:
        raise Refused(Problem("merge_same_player", ("into",), {"player": source.player_id}))
    return _merge(actor=actor, club=club, source=source, target=target, now=now)


@repeat_where_played_elsewhere
@atomic_act
def _merge(
    *, actor: Actor, club: Club, source: Player, target: Player, now: datetime
) -> PlayerMerge:
    role = get_role(actor, club.pk)
    require_role(actor, role, MERGE)
    events = locked_events(events_of_player(source))
    lock_club(club)
    source, target, games = _lock_rows(club, source, target, events)
    require_all_locked(source, events)
    require_mergeable(source, target)
    collisions = [*_rounds(events, source, target)]
    for event in events:
        collisions.extend(_entrants(event, source, target))
    if collisions:
        raise Refused(*collisions[:MOST])
    moved = MovedRows()
    merges = {
        event.pk: merge_in_event(event, source, target, games[event.pk], moved) for event in events
    }
    move_attendance(source, target, moved)
    move_constraints(source, target, moved)
    move_plans(source, target, moved)
    _move_person(source, target, moved, now)
    player_merge = PlayerMerge.objects.create(
        club=club,
        source=source,
        target=target,
        moved={"steps": moved.steps, "events": {str(pk): merge for pk, merge in merges.items()}},
        merged_by_id=actor.user_id,
        merged_at=now,
    )
    player_merge.moved["after"] = find_dependents_of_merge(player_merge)
    for event in events:
        _mark(event, role, MERGE, merges[event.pk] or {}, now)
    line = _audit(actor, club, player_merge, MERGE, now)
    player_merge.save(update_fields=["moved"])
    write_last(partial(_note_line, player_merge, line), order=(AFTER_AUDIT,))
    return player_merge


def _audit(actor: Actor, club: Club, merge: PlayerMerge, act: str, now: datetime) -> AuditLine:
    facts = {"into": merge.target.player_id, "merge": str(merge.public_id)}
    subject = f"player:{merge.source.player_id}"
    return append_audit(club, actor, act, subject, facts=facts, now=now)


def _note_line(merge: PlayerMerge, line: AuditLine) -> None:
    merge.audit_number = line.number or 0  # a dry run writes no line
    merge.save(update_fields=["audit_number"])


@atomic_act
def undo_merge(*, actor: Actor, club: Club, source: Player, now: datetime) -> PlayerMerge:
    role = get_role(actor, club.pk)
    require_role(actor, role, MERGE)
    events = locked_events(set(_events_of(_merge_of(club, source))))
    lock_club(club)
    player_merge = _merge_of(club, source)  # it may have been undone meanwhile
    merges = _events_of(player_merge)
    *_players, games = _lock_rows(club, player_merge.source, player_merge.target, events)
    _require_unused(player_merge, events)
    restore(player_merge.moved["steps"])
    for event in events:
        _count_as_before(event, games[event.pk], player_merge, merges[event.pk])
    PlayerMerge.objects.filter(pk=player_merge.pk).update(undone_at=now, undone_by=actor.user_id)
    player_merge.undone_at = now
    for event in events:
        _mark(event, role, UNDO, merges[event.pk] or {}, now)
    _audit(actor, club, player_merge, UNDO, now)
    return player_merge


def _merge_of(club: Club, source: Player) -> PlayerMerge:
    rows = PlayerMerge.objects.select_related("source", "target")
    player_merge = rows.filter(club=club, source=source, undone_at=None).first()
    if player_merge is None:
        raise Missing("merge", {"player": source.player_id})
    return player_merge


def _events_of(merge: PlayerMerge) -> dict[int, Any]:
    return {int(pk): event_merge for pk, event_merge in merge.moved["events"].items()}


def _lock_rows(
    club: Club, source: Player, target: Player, events: Sequence[Event]
) -> tuple[Player, Player, Mapping[int, Sequence[int]]]:
    """Lock the games of both in these events, and then the two players.

    Returns:
        The players, and their games by event: all are counted again.
    """
    pair = [source.pk, target.pk]
    both = Game.objects.filter(games_with([event.pk for event in events], pair))
    lock_games(Game.objects.filter(pk__in=both.values("pk")))
    players = Player.objects.filter(club=club, pk__in=pair)
    list(players.select_for_update(no_key=True).order_by("pk").values_list("pk"))
    locked = {player.pk: player for player in players.select_related("merged_into", "club")}
    for player in (source, target):
        if player.pk not in locked:
            raise Missing("player", {"player": player.player_id})
    games = {}
    for event in events:
        rows = Game.objects.filter(games_with([event.pk], pair)).order_by("pk")
        games[event.pk] = list(rows.values_list("pk", flat=True).distinct())
    return locked[source.pk], locked[target.pk], games


def _move_person(source: Player, target: Player, moved: MovedRows, now: datetime) -> None:
    """Give the account, invitations and claims of the source to the target, and close its row."""
    user_id, is_active = source.user_id, source.is_active
    moved.change(source, user_id=None, merged_into_id=target.pk, is_active=False)
    if user_id is not None:
        moved.change(target, user_id=user_id)
    if is_active:
        moved.change(target, is_active=True)
    pending = Q(accepted_at=None, revoked_at=None)
    theirs = Invitation.objects.filter(pending, player=target)
    is_taken = target.user_id is not None or theirs.exists()
    for row in Invitation.objects.filter(player=source).order_by("pk"):
        is_pending = row.accepted_at is None and row.revoked_at is None
        revoked = now if is_taken and is_pending else row.revoked_at
        moved.change(row, player_id=target.pk, revoked_at=revoked)
    if target.user_id is not None:
        for row in theirs.order_by("pk"):
            moved.change(row, revoked_at=now)
    for claim in PlayerClaim.objects.filter(player=source, state=ClaimState.PENDING):
        moved.change(claim, player_id=target.pk)


def _require_unused(merge: PlayerMerge, events: Sequence[Event]) -> None:
    """Refuse to undo a merge if later changes depend on the moved rows."""
    facts = _names(merge.source, merge.target)
    if merge.moved.get("of_archive"):
        raise Conflict(Problem("merge_of_archive", facts=facts))
    before, now = merge.moved["after"], find_dependents_of_merge(merge)
    changed = sorted(key for key in {*before, *now} if before.get(key) != now.get(key))
    if changed:
        kind, _, event_id = changed[0].partition(":")
        names = {str(event.pk): event.name for event in events}
        facts |= {"what": kind, "event": names.get(event_id, "")}
        raise Conflict(Problem("merge_in_use", facts=facts))


def _count_as_before(
    event: Event, games: Sequence[int], player_merge: PlayerMerge, merge: Mapping[str, Any] | None
) -> None:
    players = (player_merge.source_id, player_merge.target_id)
    members = EntrantMember.objects.filter(event=event, player__in=players)
    count_again(event, games, sorted(members.values_list("entrant_id", flat=True)))
    if event.kind == EventKind.LADDER and merge is not None:
        reset_ladder(event, {merge["into"]: merge["code"]} if not merge["joined"] else {})


def _mark(event: Event, role: str, kind: str, facts: Mapping[str, object], now: datetime) -> None:
    note_change(event=event, kind=kind, by=role, now=now, facts=facts)
    if event.kind == EventKind.LADDER:
        mark_due(ladder_scope(event.pk), now=now)
