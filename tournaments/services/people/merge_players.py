"""Merge two records of one person, and undo that until something new depends on it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final

from django.db.models import Q

from scoring.errors import Problem, Refused
from tournaments.domain.figures import in_short
from tournaments.errors import Conflict, Missing
from tournaments.models.access import ClaimState, Invitation, PlayerClaim
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club, Erasure, Player, PlayerMerge
from tournaments.models.events import EntrantKind, EntrantMember, Event, EventKind
from tournaments.models.hands import Game
from tournaments.models.ladders import OPEN_CHALLENGES, Challenge
from tournaments.models.meetings import Round, SitOut, Sitting
from tournaments.models.outbox import ladder_scope
from tournaments.models.playoffs import PlayoffMember, PlayoffState
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.people.merges import find_dependents_of_merge
from tournaments.services.audit.audit import AFTER_AUDIT, append_audit
from tournaments.services.audit.change_log import note_change
from tournaments.services.clubs.link_player import lock_club
from tournaments.services.db.locks import lock_games
from tournaments.services.db.transactions import atomic_act, write_last
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.jobs.queue import mark_due
from tournaments.services.people.merge_entrants import (
    EventMerge,
    MovedRows,
    count_again,
    events_of_player,
    games_with,
    locked_events,
    merge_in_event,
    repeat_where_played_elsewhere,
    require_all_locked,
    reset_ladder,
    restore,
)
from tournaments.services.people.merge_presence import move_attendance, move_constraints, move_plans
from tournaments.services.permissions import require_role

MOST: Final = 20
"""Rounds and events that a refusal names."""


def require_mergeable(source: Player, target: Player) -> None:
    """Refuse players whose records as such cannot become one."""
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


MERGE: Final = "merge_players"
UNDO: Final = "undo_merge"


@dataclass(frozen=True, slots=True)
class _Locked:
    """The rows of a merge, locked."""

    club: Club
    source: Player
    target: Player
    events: Sequence[Event]
    games: Mapping[int, Sequence[int]]
    """By event, the games in which the source sat."""


def merge_players(
    *, actor: Actor, club: Club, source: Player, target: Player, now: datetime
) -> PlayerMerge:
    """Give all that `source` has to `target`, who is the same person."""
    if source == target:
        facts: dict[str, int | str] = {"player": source.player_id}
        raise Refused(Problem("merge_same_player", ("into",), facts))
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
    held = _locked(club, source, target, events)
    require_all_locked(source, events)
    source, target = held.source, held.target
    require_mergeable(source, target)
    if problems := collisions(events, source, target):
        raise Refused(*problems)
    moved = MovedRows()
    merges = {
        event.pk: merge_in_event(event, source, target, held.games[event.pk], moved)
        for event in events
    }
    move_attendance(source, target, moved)
    move_constraints(source, target, moved)
    move_plans(source, target, moved)
    _move_person(source, target, moved, now)
    player_merge = PlayerMerge.objects.create(
        club=club,
        source=source,
        target=target,
        moved={
            "steps": moved.steps,
            "events": {str(pk): _stored(one) for pk, one in merges.items()},
        },
        merged_by_id=actor.user_id,
        merged_at=now,
    )
    player_merge.moved["after"] = find_dependents_of_merge(player_merge)
    for event in events:
        _mark(event, role, MERGE, _facts(merges[event.pk]), now)
    line = append_audit(
        club=club,
        actor=actor,
        act=MERGE,
        subject=f"player:{source.player_id}",
        facts={"into": target.player_id, "merge": str(player_merge.public_id)},
        now=now,
    )
    player_merge.save(update_fields=["moved"])
    write_last(partial(_note_line, player_merge, line), order=(AFTER_AUDIT,))
    return player_merge


def _note_line(made: PlayerMerge, line: AuditLine) -> None:
    made.audit_number = line.number or 0  # a dry run writes no line
    made.save(update_fields=["audit_number"])


@atomic_act
def undo_merge(*, actor: Actor, club: Club, source: Player, now: datetime) -> PlayerMerge:
    """Undo the merge of a player: everything is as it was before."""
    role = get_role(actor, club.pk)
    require_role(actor, role, MERGE)
    events = locked_events(set(_events_of(_merge_of(club, source))))
    lock_club(club)
    player_merge = _merge_of(club, source)  # it may have been undone meanwhile
    merges = _events_of(player_merge)
    held = _locked(club, player_merge.source, player_merge.target, events)
    _require_unused(player_merge, events)
    restore(player_merge.moved["steps"])
    for event in events:
        _count_as_before(event, held.games[event.pk], player_merge, merges[event.pk])
    PlayerMerge.objects.filter(pk=player_merge.pk).update(undone_at=now, undone_by=actor.user_id)
    player_merge.undone_at = now
    for event in events:
        _mark(event, role, UNDO, merges[event.pk] or {}, now)
    append_audit(
        club=club,
        actor=actor,
        act=UNDO,
        subject=f"player:{player_merge.source.player_id}",
        facts={"into": player_merge.target.player_id, "merge": str(player_merge.public_id)},
        now=now,
    )
    return player_merge


def _merge_of(club: Club, source: Player) -> PlayerMerge:
    rows = PlayerMerge.objects.select_related("source", "target")
    player_merge = rows.filter(club=club, source=source, undone_at=None).first()
    if player_merge is None:
        raise Missing("merge", {"player": source.player_id})
    return player_merge


def _events_of(made: PlayerMerge) -> dict[int, Any]:
    return {int(pk): one for pk, one in made.moved["events"].items()}


def _locked(club: Club, source: Player, target: Player, events: Sequence[Event]) -> _Locked:
    """Lock the games of both in these events, and then the two players."""
    both = Game.objects.filter(games_with([one.pk for one in events], [source.pk, target.pk]))
    lock_games(Game.objects.filter(pk__in=both.values("pk")))
    players = Player.objects.filter(club=club, pk__in=(source.pk, target.pk))
    list(players.select_for_update(no_key=True).order_by("pk").values_list("pk"))
    found = {one.pk: one for one in players.select_related("merged_into", "club")}
    for one in (source, target):
        if one.pk not in found:
            raise Missing("player", {"player": one.player_id})
    games = {
        event.pk: sorted(
            set(Game.objects.filter(games_with([event.pk], _sitters(source, target))).values_list(
                "pk", flat=True))
        )
        for event in events
    }  # fmt: skip
    return _Locked(club, found[source.pk], found[target.pk], events, games)


def _sitters(source: Player, target: Player) -> list[int]:
    """Return whose games are counted again: of both, for either may have what follows from them."""
    return [source.pk, target.pk]


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


def _stored(one: EventMerge | None) -> dict[str, Any] | None:
    return None if one is None else {"code": one.code, "into": one.into, "joined": one.is_joined}


def _facts(one: EventMerge | None) -> dict[str, Any]:
    return _stored(one) or {}


def _require_unused(made: PlayerMerge, events: Sequence[Event]) -> None:
    """Let a merge be undone while nothing that came after it depends on what it moved."""
    if made.moved.get("of_archive"):
        whose = {"player": made.source.player_id, "into": made.target.player_id}
        raise Conflict(Problem("merge_of_archive", facts=whose))
    before, now = made.moved["after"], find_dependents_of_merge(made)
    changed = sorted(key for key in {*before, *now} if before.get(key) != now.get(key))
    if not changed:
        return
    what, _, event_id = changed[0].partition(":")
    names = {str(event.pk): event.name for event in events}
    facts: dict[str, int | str] = {
        "player": made.source.player_id,
        "into": made.target.player_id,
        "what": what,
        "event": names.get(event_id, ""),
    }
    raise Conflict(Problem("merge_in_use", facts=facts))


def _count_as_before(
    event: Event, games: Sequence[int], made: PlayerMerge, merge: Mapping[str, Any] | None
) -> None:
    players = (made.source_id, made.target_id)
    members = EntrantMember.objects.filter(event=event, player__in=players)
    count_again(event, games, sorted(members.values_list("entrant_id", flat=True)))
    if event.kind == EventKind.LADDER and merge is not None:
        reset_ladder(event, {merge["into"]: merge["code"]} if not merge["joined"] else {})


def _mark(event: Event, role: str, kind: str, facts: Mapping[str, object], now: datetime) -> None:
    """Say in the event's change log what happened, and have it published again."""
    version = mark_changed(event=event, now=now)
    note_change(event=event, version=version, kind=kind, by=role, now=now, facts=facts)
    if event.kind == EventKind.LADDER:
        mark_due(ladder_scope(event.pk), now=now)
