"""Recording what a person typed for a hand: append-only, idempotent, optimistic.

One transaction from the lock to the mark: revision, seat scores, sums, the event's dirty row
and the audit line are all there or none is.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from scoring.errors import Problem, Refused
from scoring.typed import read_entry
from tournaments.errors import Conflict
from tournaments.models.hands import Entry, Game, Hand
from tournaments.models.meetings import Round, Seat, Sitting
from tournaments.models.outbox import Dirty, event_scope
from tournaments.policy import Actor
from tournaments.services.audit import append_audit
from tournaments.services.marks import mark_changed
from tournaments.services.permissions import require
from tournaments.services.replays import HandRefused
from tournaments.services.rule_sets import rules_of
from tournaments.services.settling import settle_game, teams_of

LAST_HAND = 999
"""Hand numbers beyond this are a slip of the finger, not an evening."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A hand as it stands after the entry; `replayed` when the key had been answered before.

    A published standing whose version is at least `event_version` contains the hand.
    """

    hand: Hand
    entry: Entry
    event_version: int
    replayed: bool


@transaction.atomic
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
) -> Recorded:
    """Append a revision to hand `number` of `game`, score it, and mark its event as changed.

    Args:
        entry: what was typed, in the form of variants.md section 1.
        based_on: the revision the host was looking at; None for a new hand.
        key: idempotency key, kept for ever; a repeated one gets the first answer.
        reason: required for every revision after the first.
        players: player ids in seat order; must agree with the seating.

    Raises:
        Forbidden: enter_hand; correct_closed once the round is closed.
        Conflict: hand_exists, entry_outdated, event_not_open, round_not_open.
        Refused: idempotency_key_reused, reason_required, player_mismatch, bad_hand_number, and
            everything the scorer finds, all at once.
    """
    game = _locked(game)
    require(actor, game.club, "enter_hand")
    hand = Hand.objects.select_related("entry").filter(game=game, number=number).first()
    fingerprint = _fingerprint(entry, players, note)
    if hand is not None and (earlier := _answered(hand, key, fingerprint)):
        return Recorded(hand, earlier, _version(game), replayed=True)
    _require_open(actor, game)
    _require_revision(hand, number, based_on, reason)
    seats = list(Seat.objects.filter(table_id=game.table_id).order_by("number"))
    _require_players(game, number, players)
    typed = _new_entry(game, seats, entry)
    if hand is None:
        hand = Hand.objects.create(club_id=game.club_id, game=game, number=number)
    row = Entry.objects.create(
        club_id=game.club_id,
        hand=hand,
        revision=hand.revision + 1,
        form=typed,
        typed=dict(entry),
        key=key,
        body_hash=fingerprint,
        reason=reason.strip(),
        note=note,
        source=source,
        entered_by_id=actor.user_id,
        entered_as=actor.name,
        entered_at=now,
    )
    _count(hand, row)
    _settle(game, seats, hand)
    return Recorded(hand, row, _mark(actor, game, hand, now), replayed=False)


def _locked(game: Game) -> Game:
    """Return the game with its row locked: entries of one table queue here."""
    found = Game.objects.select_related("event", "club", "snapshot", "table__round")
    return found.select_for_update(of=("self",)).get(pk=game.pk)


def _fingerprint(entry: Mapping[str, object], players: Sequence[str] | None, note: str) -> str:
    text = json.dumps([entry, players, note], sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _answered(hand: Hand, key: str | None, fingerprint: str) -> Entry | None:
    if key is None:
        return None
    earlier = Entry.objects.filter(hand=hand, key=key).first()
    if earlier is not None and earlier.body_hash != fingerprint:
        raise Refused(Problem("idempotency_key_reused", facts={"hand": hand.number}))
    return earlier


def _version(game: Game) -> int:
    found = Dirty.objects.filter(scope=event_scope(game.event_id)).values_list("version", flat=True)
    return found.first() or 0


def _require_open(actor: Actor, game: Game) -> None:
    round_ = game.table.round
    if game.event.state == "draft" or (game.event.state == "final" and round_.state != "closed"):
        raise Conflict(Problem("event_not_open", facts={"state": game.event.state}))
    if round_.state == "draft":
        facts = {"round": round_.number, "state": round_.state}
        raise Conflict(Problem("round_not_open", facts=facts))
    if round_.state == "closed" or game.event.state != "open":
        require(actor, game.club, "correct_closed")


def _require_revision(hand: Hand | None, number: int, based_on: int | None, reason: str) -> None:
    if hand is None:
        if not 1 <= number <= LAST_HAND:
            facts = {"found": number, "expected": f"1 to {LAST_HAND}"}
            raise Refused(Problem("bad_hand_number", ("number",), facts))
        if based_on:
            raise Conflict(Problem("entry_outdated", facts={"yours": based_on, "theirs": 0}))
        return
    if based_on is None:
        raise Conflict(Problem("hand_exists", ("number",), {"number": number}), there=hand)
    if based_on != hand.revision:
        facts = {"yours": based_on, "theirs": hand.revision}
        raise Conflict(Problem("entry_outdated", facts=facts), there=hand)
    if not reason.strip():
        raise Refused(Problem("reason_required", ("reason",)))


def _require_players(game: Game, number: int, players: Sequence[str] | None) -> None:
    if players is None:
        return
    sitting = Sitting.objects.filter(seat__table_id=game.table_id, from_hand__lte=number)
    seated = {
        row.seat.number: row.player.player_id
        for row in sitting.select_related("seat", "player").order_by("from_hand")
        if row.to_hand is None or number <= row.to_hand
    }
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
        facts = {"found": len(players), "expected": len(seated)}
        problems.append(Problem("seat_count", ("players",), facts))
    if problems:
        raise Refused(*problems)


def _new_entry(game: Game, seats: Sequence[Seat], entry: Mapping[str, object]) -> str:
    rules = rules_of(game.snapshot)
    return read_entry(entry, rules, len(seats), teams_of(seats, rules)).form


def _count(hand: Hand, entry: Entry) -> None:
    """Make `entry` the revision that counts."""
    hand.entry, hand.revision, hand.state = entry, entry.revision, "accepted"
    hand.save(update_fields=["entry", "revision", "state"])


def _settle(game: Game, seats: Sequence[Seat], hand: Hand) -> None:
    try:
        settle_game(game=game, rules=rules_of(game.snapshot), seats=seats)
    except HandRefused as refused:
        if refused.number == hand.number:
            raise Refused(*refused.problems) from refused
        raise
    if game.table.round.state == "posted":
        Round.objects.filter(pk=game.table.round_id, state="posted").update(state="playing")


def _mark(actor: Actor, game: Game, hand: Hand, now: datetime) -> int:
    version = mark_changed(event=game.event, now=now)
    append_audit(
        club=game.club,
        actor=actor,
        act="enter_hand" if hand.revision == 1 else "correct_hand",
        subject=f"event:{game.event.slug}/table:{game.table.code}/hand:{hand.number}",
        facts={"revision": hand.revision},
        now=now,
    )
    return version
