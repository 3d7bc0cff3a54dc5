"""Recording what a person typed for a hand: append-only, idempotent, optimistic.

One transaction from the lock to the mark: revision, seat scores, sums, the event's dirty row
and the audit line are all there or none is.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter, itemgetter

from django.db import connection
from django.db.models import Q

from scoring.entry.entry import StoredEntry, form_of
from scoring.errors import Problem, Refused
from tournaments.domain.replay_game import HandRefused, PlayedHand, Replay
from tournaments.errors import Conflict
from tournaments.models.hands import Entry, Game, Hand
from tournaments.models.meetings import Round, Seat, Sitting
from tournaments.models.outbox import Dirty, event_scope
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import role_from
from tournaments.selectors.hands.game_for_update import LockedGame, SeatStretch, game_now
from tournaments.services.access.permissions import require_role
from tournaments.services.audit.audit import append_audit
from tournaments.services.audit.change_log import note_change
from tournaments.services.db.event_lock import lock_for_hand
from tournaments.services.db.transactions import atomic_act
from tournaments.services.hands.apply_game import chairs_of, moon_json, play_through, store_replay
from tournaments.services.hands.conflict_audit import audits_who_was_second
from tournaments.services.hands.hand_rows import insert_hand, insert_revision
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.playoffs.playoffs import AuditContext, follow_hand, require_takes_hands
from tournaments.services.rounds.seat_from_sheet import seat_by_sheet
from tournaments.services.rounds.table_states import require_not_abandoned, require_open
from tournaments.services.rules.rule_sets import rules_of
from tournaments.services.standings.contributions import values_of
from tournaments.states import HAND

LAST_HAND = 999
"""Hand numbers beyond this are a slip of the finger, not an evening."""


@dataclass(frozen=True, slots=True)
class TotalsEntry:
    """What totals say beside their points: how many hands they stand for, if that is known."""

    hands: int | None


@dataclass(frozen=True, slots=True)
class RecordedHand:
    """A hand as it stands after the entry; `replayed` when the key had been answered before.

    A published standing whose version is at least `event_version` contains the hand. `played` is
    what the engine made of it, `seats` and `sat` the table; they are empty where nothing was done.
    """

    hand: Hand
    entry: Entry
    event_version: int
    replayed: bool
    played: PlayedHand | None = None
    seats: Sequence[Seat] = ()
    sat: Sequence[SeatStretch] = ()


@audits_who_was_second
@atomic_act
def record_entry(
    *,
    actor: Actor,
    game: Game,
    number: int,
    entry: Mapping[str, object],
    now: datetime,
    source: str,
    based_on: int | None = None,
    key: str | None = None,
    reason: str = "",
    note: str = "",
    players: Sequence[str] | None = None,
    totals: TotalsEntry | None = None,
) -> RecordedHand:
    """Append a revision to hand `number` of `game`, score it, and mark its event as changed.

    Args:
        entry: what was typed, in the form of docs/api.md.
        based_on: the revision the host was looking at; None for a new hand.
        key: idempotency key, kept for ever; a repeated one gets the first answer.
        reason: required for every revision after the first.
        players: player ids in seat order; must agree with the seating, and seat the table where
            nobody sits yet (open stage).
        totals: given where `entry` is a sheet with totals only; its number is 0.

    Raises:
        Forbidden: enter_hand; correct_closed once the round is closed, or the hand is void;
            seat_open_table where the entry would seat the table.
        Conflict: hand_exists, entry_outdated, event_not_open, round_is_draft, table_abandoned,
            player_already_seated, table_is_left, players_sit_elsewhere.
        Refused: idempotency_key_reused alone; where it is a play-off's, what that says of it
            (services.playoffs.playoffs); reason_required, bad_hand_number, player_mismatch,
            players_needed, unknown_player and everything the scorer finds, all at once.
    """
    _lock(game, players, number if based_on is not None else None)
    there = game_now(game, user_id=actor.user_id, key=key)
    role = role_from(actor, game.club_id, there.role, table_id=game.table_id)
    require_role(actor, role, "enter_hand")
    fingerprint = _fingerprint(entry if totals is None else (entry, totals.hands), players, note)
    if there.under_key is not None:
        earlier = _answered(there.under_key, number, fingerprint)
        return RecordedHand(earlier.hand, earlier, _version(game), replayed=True)
    hand = there.hands.get(number)
    if not game.counts:
        require_takes_hands(game, is_new=hand is None)
        require_hands(totals)
    require_open(actor, role, game)
    require_not_abandoned(actor, role, game, hand)
    if hand is not None and hand.state == "void":
        require_role(actor, role, HAND["void", "accepted"].act)
        _require_not_elsewhere(game, there.sat, number)
    if hand is None and there.sat:
        _require_somebody(game, there.sat, number)
    _require_based_on(hand, number, based_on)
    problems = [*_own_problems(hand, number, reason, totals)]
    if there.sat or there.hands:
        problems += _mismatches(there.sat, number, players)
    else:
        require_role(actor, role, "seat_open_table")
        problems += seat_by_sheet(game=game, players=players)
        there = game_now(game)
    played = _judge(game, there.seats, there.hands.values(), (number, entry), problems)
    found = next(one for one in played.hands if one.number == number)
    row = Entry(
        club_id=game.club_id,
        revision=hand.revision + 1 if hand is not None else 1,
        form=form_of(entry),
        typed=dict(entry),
        verified=found.score.verified,
        moon=moon_json(found),
        key=key,
        body_hash=fingerprint,
        reason=reason.strip(),
        note=note,
        source=source if actor.at is None else "link",
        link_id=actor.at.link_id if actor.at is not None else None,
        entered_by_id=actor.user_id,
        entered_as=actor.name,
        entered_at=now,
    )
    is_new, was = hand is None, hand.state if hand is not None else ""
    hand = hand or Hand(club_id=game.club_id, game=game, number=number)
    hand.state, hand.revision = "accepted", row.revision
    if totals is not None:
        hand.hands = totals.hands
    (insert_hand if is_new else insert_revision)(hand, row)
    if totals is not None and not is_new:
        Hand.objects.filter(pk=hand.pk).update(hands=totals.hands)
    _store(game, there, {**there.hands, number: hand}, played, new=hand if is_new else None)
    version = mark_changed(event=game.event, now=now)
    if not is_new:
        note_change(
            event=game.event,
            version=version,
            kind="restore_hand" if was == "void" else "correct_hand",
            by=role,
            now=now,
            table=game.table.code,
            number=number,
            reason=row.reason,
            facts={"revision": row.revision},
        )
    if not game.counts:
        follow_hand(game, hand, by=AuditContext(actor, role, row.reason), version=version, now=now)
    _audit(actor, game, hand, now)
    return RecordedHand(
        hand, row, version, replayed=False, played=found, seats=there.seats, sat=there.sat
    )


def _lock(game: Game, players: Sequence[str] | None, revised: int | None) -> None:
    """Lock the game, and the event before it where nobody sits at its table yet.

    A void hand that is `revised` comes back for who sat there: so long nobody is seated elsewhere.

    What is read comes after it, in a statement of its own: a round that closed while this one
    waited for the lock is seen as closed.
    """
    is_open = players is not None and connection.features.has_select_for_update
    seats = is_open and not Sitting.objects.filter(seat__table=game.table_id).exists()
    if revised is not None and connection.features.has_select_for_update:
        seats = seats or Hand.objects.filter(game=game, number=revised, state="void").exists()
    lock_for_hand(game, seats=seats)


def _fingerprint(entry: object, players: Sequence[str] | None, note: str) -> str:
    text = json.dumps([entry, players, note], sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _answered(under_key: int, number: int, fingerprint: str) -> Entry:
    """Return the entry of this table that came under the same key, however long ago."""
    earlier = Entry.objects.select_related("hand__entry").get(pk=under_key)
    if (earlier.hand.number, earlier.body_hash) != (number, fingerprint):
        raise Refused(Problem("idempotency_key_reused", facts={"hand": earlier.hand.number}))
    return earlier


def _version(game: Game) -> int:
    found = Dirty.objects.filter(scope=event_scope(game.event_id)).values_list("version", flat=True)
    return found.first() or 0


def require_hands(totals: TotalsEntry | None) -> None:
    """Refuse a sheet with totals only for a play-off, which is looked at hand by hand.

    Raises:
        Refused: playoff_by_hands.
    """
    if totals is not None:
        raise Refused(Problem("playoff_by_hands"))


def _require_based_on(hand: Hand | None, number: int, based_on: int | None) -> None:
    """Let a new hand be new, and a revision follow the one that its author looked at."""
    theirs = hand.revision if hand is not None else 0
    if hand is not None and based_on is None:
        raise Conflict(Problem("hand_exists", ("number",), {"number": number}), there=hand)
    if (based_on or 0) != theirs:
        facts = {"yours": based_on or 0, "theirs": theirs}
        raise Conflict(Problem("entry_outdated", facts=facts), there=hand)


def _own_problems(
    hand: Hand | None, number: int, reason: str, totals: TotalsEntry | None
) -> Iterator[Problem]:
    if hand is None and totals is None and not 1 <= number <= LAST_HAND:
        facts = {"found": number, "expected": f"1 to {LAST_HAND}"}
        yield Problem("bad_hand_number", ("number",), facts)
    if totals is not None and totals.hands is not None and not 1 <= totals.hands <= LAST_HAND:
        facts = {"found": totals.hands, "expected": f"1 to {LAST_HAND}"}
        yield Problem("bad_number_of_hands", ("hands",), facts)
    if hand is not None and not reason.strip():
        yield Problem("reason_required", ("reason",))


def _require_somebody(game: Game, sat: Sequence[SeatStretch], number: int) -> None:
    """Refuse a new hand at a table that everybody has left: nobody would get it.

    Raises:
        Conflict: table_is_left.
    """
    if not any(one.has(max(number, 1)) for one in sat):
        facts = {"table": game.table.code, "number": number}
        raise Conflict(Problem("table_is_left", facts=facts))


def _require_not_elsewhere(game: Game, sat: Sequence[SeatStretch], number: int) -> None:
    """Refuse to restore a hand whose players sit at another table of the round by now.

    Tables that were abandoned with no hand that counts keep nobody.

    Raises:
        Conflict: players_sit_elsewhere.
    """
    codes = [one.player_id for one in sat if one.has(max(number, 1))]
    rows = Sitting.objects.filter(round=game.table.round_id, player__player_id__in=codes)
    rows = rows.exclude(seat__table=game.table_id)
    left = Q(seat__table__game__state="abandoned", seat__table__game__hands_counted=0)
    found = rows.exclude(left).order_by("player__player_id", "pk")
    there = found.select_related("player", "seat__table").first()
    if there is not None:
        facts: dict[str, int | str] = {
            "number": number,
            "player": there.player.name,
            "player_id": there.player.player_id,
            "table": there.seat.table.code,
            "table_number": there.seat.table.number,
        }
        raise Conflict(Problem("players_sit_elsewhere", facts=facts))


def _mismatches(
    sat: Sequence[SeatStretch], number: int, players: Sequence[str] | None
) -> Sequence[Problem]:
    """Say where `players` are not those who sit there."""
    if players is None:
        return ()
    # Totals belong to whoever sat there from the first hand on.
    seated = {one.seat: one.player_id for one in sat if one.has(max(number, 1))}
    problems = [
        Problem(
            "player_mismatch",
            ("players", index),
            {"seat": index + 1, "found": found, "expected": seated.get(index + 1, "nobody")},
        )
        for index, found in enumerate(players)
        if seated.get(index + 1) != found
    ]
    if len(players) != len(seated) and not problems:
        facts = {"field": "players", "found": len(players), "expected": len(seated)}
        problems.append(Problem("seat_count", ("players",), facts))
    return problems


def _judge(
    game: Game,
    seats: Sequence[Seat],
    hands: Collection[Hand],
    new: tuple[int, Mapping[str, object]],
    problems: Sequence[Problem],
) -> Replay:
    """Play the game with the new entry, before anything is written.

    Raises:
        Refused: `problems` and all that the scorer finds.
        HandRefused: another hand of the game cannot stand beside the new entry.
    """
    if not seats:
        raise Refused(*problems)
    number, entry = new
    # A number that cannot be is judged as the last hand of all, and refused in the end.
    is_number = all(problem.code != "bad_hand_number" for problem in problems)
    place = number if is_number else LAST_HAND + 1
    others = [
        (hand.number, StoredEntry(hand.entry.typed)) for hand in _counting(hands) if hand.entry
    ]
    typed = sorted(
        [*(other for other in others if other[0] != place), (place, entry)], key=itemgetter(0)
    )
    try:
        rules = rules_of(game.snapshot)
        played = play_through(game=game, rules=rules, seats=seats, typed=typed, new=place)
    except HandRefused as refused:
        if refused.number == place:
            raise Refused(*problems, *refused.problems) from refused
        raise
    if problems:
        raise Refused(*problems)
    return played


def _counting(hands: Iterable[Hand]) -> list[Hand]:
    counting = [hand for hand in hands if hand.state == "accepted" and hand.entry is not None]
    return sorted(counting, key=attrgetter("number"))


def _store(
    game: Game, there: LockedGame, hands: Mapping[int, Hand], played: Replay, new: Hand | None
) -> None:
    if game.table.round.state == "posted":  # its row comes before the sums
        Round.objects.filter(pk=game.table.round_id, state="posted").update(state="playing")
    store_replay(
        game=game,
        rules=rules_of(game.snapshot),
        seats=there.seats,
        hands=_counting(hands.values()),
        played=played,
        new=new,
        chairs=chairs_of(there.sat),
        before=values_of(there.added),
    )


def _audit(actor: Actor, game: Game, hand: Hand, now: datetime) -> None:
    append_audit(
        club=game.club,
        actor=actor,
        act="enter_hand" if hand.revision == 1 else "correct_hand",
        subject=f"event:{game.event.slug}/table:{game.table.code}/hand:{hand.number}",
        facts={"revision": hand.revision},
        now=now,
    )
