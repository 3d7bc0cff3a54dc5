"""Merge two records of one person, and undo that until something new depends on it."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import Final

from django.db.models import Q

from scoring.errors import Problem, Refused
from scoring.json_types import JsonObject
from tournaments.domain.figures import in_short
from tournaments.errors import Conflict, Missing
from tournaments.models.access import ClaimState, Contact, FillInRequest, Invitation, PlayerClaim
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Player, PlayerAlias, PlayerMerge
from tournaments.models.events import EntrantKind, EntrantMember, Event
from tournaments.models.hands import Game
from tournaments.models.jobs import ladder_scope
from tournaments.models.ladders import OPEN_CHALLENGES, Challenge
from tournaments.models.playoffs import PlayoffMember, PlayoffState
from tournaments.models.rounds import Round, SitOut, Sitting
from tournaments.selectors.access.personal_links import find_working_link
from tournaments.selectors.attendance.excuses import counts_excuses
from tournaments.selectors.attendance.places import list_evenings_ahead
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.people.merges import (
    find_dependents_of_merge,
    find_pending_erasure,
    get_merge,
)
from tournaments.services.audit.audit import AFTER_AUDIT, note_change
from tournaments.services.clubs.personal_links import forget_moved_contacts
from tournaments.services.db.locks import lock_club, lock_games
from tournaments.services.db.transactions import write_last
from tournaments.services.jobs.queue import mark_due
from tournaments.services.operations import Operation, operation
from tournaments.services.people.merge_entrants import (
    MovedRows,
    count_again,
    games_with,
    lock_of_player,
    locked_events,
    merge_in_event,
    move_attendance,
    move_constraints,
    move_plans,
    reset_ladder,
    restore,
)
from tournaments.services.waiting_list import move_up_at

MOST_COLLISIONS: Final = 20
"""Rounds and events that a refusal names."""


def _require_mergeable(source: Player, target: Player) -> None:
    for player in (source, target):
        facts = {"player": player.player_id}
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
    facts = {"event": event.name, **_names(source, target)}
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


@operation(
    "merge_players",
    refuses=(
        *("merge_same_player", "player_is_merged", "player_is_erased", "erasure_pending"),
        *("merge_two_accounts", "merge_same_round", "merge_same_entrant", "merge_two_entrants"),
        *("merge_each_other", "merge_open_challenges", "merge_same_playoff", "unknown_player"),
    ),
)
def merge_players(op: Operation, source: Player, /, *, target: Player) -> PlayerMerge:
    """Merge a player into another player (`into`) who is the same person."""
    if source == target:
        raise Refused(Problem("merge_same_player", ("into",), {"player": source.player_id}))
    role = get_role(op.actor, source.club_id)
    events, (source, target, games) = lock_of_player(
        source, partial(_lock_rows, source, target), now=op.now
    )
    _require_mergeable(source, target)
    collisions = [*_rounds(events, source, target)]
    for event in events:
        collisions.extend(_entrants(event, source, target))
    if collisions:
        raise Refused(*collisions[:MOST_COLLISIONS])
    moved = MovedRows()
    origins = _origins(source, target)
    merges = {
        event.pk: merge_in_event(event, source, target, games[event.pk], moved) for event in events
    }
    _mark_excuses(op, source, events)
    evenings = list(list_evenings_ahead([source], op.now))
    move_attendance(source, target, moved)
    move_constraints(source, target, moved)
    move_plans(source, target, moved)
    _move_contact(source, target, moved)
    _move_person(source, target, moved, op.now)
    merge = PlayerMerge.objects.create(
        club=source.club,
        source=source,
        target=target,
        moved={
            "steps": moved.steps,
            "events": {str(pk): codes for pk, codes in merges.items()},
            "origins": origins,
            "aliases": _move_aliases(source, target),
        },
        merged_by_id=op.actor.user_id,
        merged_at=op.now,
    )
    merge.moved["after"] = find_dependents_of_merge(merge)
    merge.save(update_fields=["moved"])
    for event in events:
        _mark(op, event, role, "merge_players", merges[event.pk])
    move_up_at(op, evenings)
    write_last(partial(_note_line, merge, _audit(op, merge)), order=(AFTER_AUDIT,))
    return merge


def _mark_excuses(op: Operation, player: Player, events: Sequence[Event]) -> None:
    """Mark the events, besides `events`, in which a player's answers may excuse somebody else."""
    answered = Event.objects.filter(meetings__attendance__player=player).distinct()
    others = answered.exclude(pk__in=[event.pk for event in events])
    for event in others.select_related("season"):
        if counts_excuses(event):
            op.changed(event)


def _audit(op: Operation, merge: PlayerMerge) -> AuditLine:
    return op.audit(merge, {"into": merge.target.player_id, "merge": str(merge.public_id)})


def _note_line(merge: PlayerMerge, line: AuditLine) -> None:
    merge.audit_number = line.number or 0  # a dry run writes no line
    merge.save(update_fields=["audit_number"])


@operation("merge_players", refuses=("merge_of_archive", "merge_in_use", "unknown_merge"))
def undo_merge(op: Operation, merge: PlayerMerge, /) -> PlayerMerge:
    """Undo the merge of a player; refused if something newer depends on the moved rows."""
    role = get_role(op.actor, merge.club_id)
    events = locked_events(map(int, merge.moved["events"]))
    lock_club(merge.club)
    merge = get_merge(merge.club, merge.source.player_id)  # it may have been undone meanwhile
    _source, _target, games = _lock_rows(merge.source, merge.target, events)
    _require_unused(merge, events)
    restore(merge.moved["steps"])
    _mark_excuses(op, merge.source, events)
    _restore_origins(merge)
    _restore_aliases(merge)
    forget_moved_contacts([merge])
    # Players who came meanwhile were not compared with the source.
    Player.objects.filter(pk=merge.source_id).update(is_compared=False)
    merges = {event: merge.moved["events"][str(event.pk)] for event in events}
    for event, codes in merges.items():
        _count_as_before(event, games[event.pk], merge, codes)
    merge.undone_at, merge.undone_by_id = op.now, op.actor.user_id
    merge.save(update_fields=["undone_at", "undone_by"])
    for event, codes in merges.items():
        _mark(op, event, role, "undo_merge", codes)
    _audit(op, merge)
    return merge


def _lock_rows(
    source: Player, target: Player, events: Sequence[Event]
) -> tuple[Player, Player, Mapping[int, Sequence[int]]]:
    """Lock the games of two players in these events, and then both players.

    Returns:
        The players, and their games by event: all are counted again.
    """
    pair = [source.pk, target.pk]
    both = Game.objects.filter(games_with([event.pk for event in events], pair))
    lock_games(Game.objects.filter(pk__in=both.values("pk")))
    players = Player.objects.filter(club=source.club_id, pk__in=pair)
    list(players.select_for_update(no_key=True).order_by("pk").values_list("pk"))
    locked = {player.pk: player for player in players.select_related("merged_into", "club")}
    for player in (source, target):
        if player.pk not in locked:
            raise Missing("player", {"player": player.player_id})
    games: dict[int, list[int]] = {event.pk: [] for event in events}
    for event_id, game in both.order_by("pk").values_list("event", "pk").distinct():
        games[event_id].append(game)
    return locked[source.pk], locked[target.pk], games


def _move_contact(source: Player, target: Player, moved: MovedRows) -> None:
    """Give the mail address, the personal link and the fill-ins of the source to the target.

    An address and a link that the target has stay; the other link still opens the target. An
    address that came by a link alone gives way to one that the club vouches for, and to a link of
    the target: whoever stored it had another one.
    """
    theirs, ours = (Contact.objects.filter(player=player).first() for player in (source, target))
    is_of_other_link = (
        theirs is not None and not theirs.is_vouched and find_working_link(target) is not None
    )
    if theirs is not None and theirs.email and not is_of_other_link and _is_better(theirs, ours):
        if ours is not None:
            _delete_contact(ours, moved)
        moved.change(theirs, player_id=target.pk)
    elif theirs is not None:
        _delete_contact(theirs, moved)
    link = find_working_link(source)
    if link is not None and find_working_link(target) is None:
        moved.change(link, player_id=target.pk)
    for request in FillInRequest.objects.filter(filled_by=source).order_by("pk"):
        moved.change(request, filled_by_id=target.pk)
    if source.fills_in:
        moved.change(target, fills_in=True)


def _delete_contact(contact: Contact, moved: MovedRows) -> None:
    """Delete a contact; its step has only columns that the release before knows, too."""
    moved.delete(contact)
    for name in ("origin", "origin_at"):
        del moved.steps[-1]["fields"][name]


def _is_better(theirs: Contact, ours: Contact | None) -> bool:
    if ours is None or not ours.email:
        return True
    return theirs.is_vouched and not ours.is_vouched


def _origins(source: Player, target: Player) -> dict[str, list[str | None]]:
    """Return the origins of the contacts of two players, by row, for the undoing of their merge.

    Beside the steps: the release before does not know these columns.
    """
    origins: dict[str, list[str | None]] = {}
    for contact in Contact.objects.filter(player__in=(source, target)):
        at = contact.origin_at
        origins[str(contact.pk)] = [contact.origin, at.isoformat() if at is not None else None]
    return origins


def _restore_origins(merge: PlayerMerge) -> None:
    """Give contacts the origins from before a merge: the person they were vouched for is gone."""
    for pk, (origin, at) in merge.moved.get("origins", {}).items():
        origin_at = datetime.fromisoformat(at) if at else None
        Contact.objects.filter(pk=int(pk)).update(origin=origin, origin_at=origin_at)


def _move_aliases(source: Player, target: Player) -> list[int]:
    """Give the other names of the source to the target; return their rows for the undoing.

    Beside the steps: the release before does not know this table.
    """
    aliases = PlayerAlias.objects.filter(player=source)
    rows = list(aliases.order_by("pk").values_list("pk", flat=True))
    aliases.update(player=target)
    return rows


def _restore_aliases(merge: PlayerMerge) -> None:
    """Give the source its other names back, but for those that somebody changed since."""
    rows = PlayerAlias.objects.filter(
        pk__in=merge.moved.get("aliases", ()), player=merge.target_id, made_at__lte=merge.merged_at
    )
    rows.update(player=merge.source_id)


def _move_person(source: Player, target: Player, moved: MovedRows, now: datetime) -> None:
    user_id, is_active = source.user_id, source.is_active
    moved.change(source, user_id=None, merged_into_id=target.pk, is_active=False)
    if user_id is not None:
        moved.change(target, user_id=user_id)
    if is_active:
        moved.change(target, is_active=True)
    theirs = Invitation.objects.filter(Q(accepted_at=None, revoked_at=None), player=target)
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
    facts = _names(merge.source, merge.target)
    if merge.moved.get("of_archive"):
        raise Conflict(Problem("merge_of_archive", facts=facts))
    before = merge.moved["after"]
    now = find_dependents_of_merge(merge)
    changed = sorted(key for key in {*before, *now} if before.get(key) != now.get(key))
    if changed:
        kind, _, event_id = changed[0].partition(":")
        names = {str(event.pk): event.name for event in events}
        facts |= {"what": kind, "event": names.get(event_id, "")}
        raise Conflict(Problem("merge_in_use", facts=facts))


def _count_as_before(
    event: Event, games: Sequence[int], merge: PlayerMerge, codes: JsonObject | None
) -> None:
    players = (merge.source_id, merge.target_id)
    members = EntrantMember.objects.filter(event=event, player__in=players)
    count_again(event, games, sorted(members.values_list("entrant_id", flat=True)))
    if event.is_ladder and codes is not None:
        reset_ladder(event, {codes["into"]: codes["code"]} if not codes["joined"] else {})


def _mark(
    op: Operation, event: Event, role: str, kind: str, codes: Mapping[str, object] | None
) -> None:
    note_change(event=event, kind=kind, by=role, now=op.now, facts=codes)
    if event.is_ladder:
        mark_due(ladder_scope(event.pk), now=op.now)
