"""Disputes: reporting a problem with a hand, filing a sheet with a wrong total, and rulings.

A dispute changes no score: the hand counts as entered, and is marked until a ruling or withdrawal.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from scoring.entry.typed_hand import form_of
from scoring.errors import Problem, Refused
from tournaments.domain.reasons import BAD_REASON, reason_problems, require_reason
from tournaments.domain.replay_game import TOTALS
from tournaments.errors import Conflict, Forbidden, first_or_missing
from tournaments.models.events import Event
from tournaments.models.hands import Dispute, DisputeState, Entry, Game, Hand
from tournaments.policy import PLAYER, shown_role
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.hands.disputes import (
    get_dispute,
    has_sat_at,
    labels_of_person,
    list_open_of_opener,
)
from tournaments.services.audit.audit import note_change
from tournaments.services.db.bulk import next_number
from tournaments.services.db.locks import lock_event, lock_game
from tournaments.services.hands.check_entry import (
    OF_AN_ENTRY,
    entry_problems,
    hands_problems,
    number_problems,
    require_known_moves,
)
from tournaments.services.hands.hand_rows import audit_hand, insert_hand, notify_of_rulings
from tournaments.services.operations import Operation, operation
from tournaments.services.playoffs.playoffs import require_takes_hands
from tournaments.services.rounds.seating_checks import require_not_abandoned, require_open
from tournaments.states import DISPUTE, HAND, find_move

MOST_OPEN: Final = 10
"""Open disputes of one person in an event, by account and personal links together."""
DO_NOT_ADD_UP: Final = frozenset(
    {
        *("missing_cards", "too_many_copies", "unclaimed_not_allowed", "tricks_sum"),
        *("cards_without_trick", "wrong_shooter", "wrong_total", "impossible_points"),
        *("points_disagree", "impossible_totals", "joker_without_heart"),
    }
)
"""Error codes of a sheet that can be saved as disputed: readable, but impossible."""


def may_be_disputed(problems: Iterable[Problem]) -> bool:
    """Whether an entry is refused only because it cannot be true, so that it may be filed."""
    codes = {problem.code for problem in problems} - {"reason_required"}
    return bool(codes) and codes <= DO_NOT_ADD_UP


@operation(
    "file_disputed",
    locks=lock_game,
    refuses=("hand_exists", "hands_moved", "adds_up", "bad_text", *OF_AN_ENTRY),
    right_in_body=True,
)
def file_disputed(
    op: Operation,
    game: Game,
    /,
    *,
    number: int,
    entry: Mapping[str, object],
    key: str | None,
    reason: str,
    hands: int | None = None,
    known_moves: int | None = None,
) -> Hand:
    """Keep a new hand as it was entered although its total is wrong.

    Its next revision settles it: an accepted one, or void. A repeated `key` gets the hand that was
    filed under it; `hands` is how many hands totals stand for, if known; `known_moves` is that of
    `record_entry`.
    """
    actor = op.actor
    role = get_role(actor, game.club_id, table_id=game.table_id)
    op.allow(HAND["", "disputed"].right, role)
    stored = Hand.objects.filter(game=game, number=number).first()
    if stored is not None and key:
        is_this_one = Entry.objects.filter(hand=stored, key=key, revision=1).exists()
        if is_this_one:
            return stored
    require_known_moves(game, known_moves)
    if stored is not None:
        raise Conflict(Problem("hand_exists", ("number",), {"number": number}), there=stored)
    if not game.counts:
        require_takes_hands(game, is_new=True)
    require_open(actor, role, game)
    require_not_abandoned(actor, role, game, stored)
    entry_refusals = entry_problems(actor=actor, game=game, entry=entry, number=number, hands=hands)
    problems = [
        *reason_problems(reason),
        *number_problems(number, least=TOTALS),
        *hands_problems(hands),
    ]
    if problems or any(problem.code not in DO_NOT_ADD_UP for problem in entry_refusals):
        raise Refused(*entry_refusals, *problems)
    if not entry_refusals:
        raise Conflict(Problem("adds_up", facts={"number": number}))
    hand = Hand(club_id=game.club_id, game=game, number=number, state="disputed", revision=1)
    if number == TOTALS:
        hand.hands = hands
    row = Entry(
        club_id=game.club_id,
        revision=1,
        form=form_of(entry),
        typed=dict(entry),
        verified="",
        key=key,
        reason=reason.strip(),
        source="host",
        entered_by_id=actor.user_id,
        entered_as=actor.name,
        entered_at=op.now,
    )
    insert_hand(hand, row)
    op.mark(game.event)
    facts = {"revision": 1, "reason": reason.strip()}
    audit_hand(op, game, number, "file_disputed", facts)
    return hand


@operation(
    "open_dispute",
    refuses=(
        *("event_is_final", "unknown_hand", "dispute_exists", "too_many_disputes"),
        *BAD_REASON,
    ),
    right_in_body=True,
)
def open_dispute(op: Operation, game: Game, /, *, number: int, words: str) -> Dispute:
    """Report a problem with a hand; players may where they sat.

    A person has at most 10 open problems in an event.
    """
    actor = op.actor
    role = get_role(actor, game.club_id, table_id=game.table_id)
    op.allow("open_dispute", role)
    if shown_role(role) == PLAYER and not has_sat_at(actor, game.table_id):
        raise Forbidden("open_dispute")
    event = lock_event(game.event)
    if event.state == "final":
        raise Conflict(Problem("event_is_final"))
    hands = Hand.objects.filter(game=game, number=number)
    hand = first_or_missing(hands, "hand", hand=number, table=game.table.code)
    dispute = add_dispute(op, event, hand, words=words, role=role)
    audit_dispute(op, event, dispute)
    return dispute


def add_dispute(op: Operation, event: Event, hand: Hand, *, words: str, role: str) -> Dispute:
    """Store a dispute of a hand; the caller has asked for the right, and holds the event's row."""
    actor = op.actor
    labels = labels_of_person(event.club_id, actor.label)
    disputes = Dispute.objects.filter(hand=hand, revision=hand.revision, opened_label__in=labels)
    if earlier := disputes.exclude(state=DisputeState.WITHDRAWN).first():
        facts = {"number": earlier.number, "hand": hand.number}
        raise Conflict(Problem("dispute_exists", facts=facts), there=earlier)
    open_disputes = Dispute.objects.filter(event=event, state=DisputeState.OPEN)
    if open_disputes.filter(opened_label__in=labels).count() >= MOST_OPEN:
        raise Conflict(Problem("too_many_disputes", (), {"expected": MOST_OPEN}))
    require_reason(words, "words")
    return Dispute.objects.create(
        club_id=event.club_id,
        event=event,
        hand=hand,
        number=next_number(Dispute.objects.filter(event=event)),
        revision=hand.revision,
        words=words.strip(),
        opened_by_id=actor.user_id,
        opened_as=shown_role(role),
        opened_label=actor.label,
        opened_at=op.now,
    )


@operation(
    "rule_on_disputes",
    refuses=("unknown_dispute", "bad_ruling", "state_not_allowed", *BAD_REASON),
    right_in_body=True,
)
def rule_on_dispute(
    op: Operation, dispute: Dispute, /, *, to: str, ruling: str, all_of_person: bool = False
) -> Dispute:
    """Uphold or reject a dispute, with a reason. What was upheld is mended as a correction.

    With `all_of_person` the ruling is that of all open disputes which the same person opened in the
    event. Each reader is told of one of them.
    """
    role = get_role(op.actor, dispute.club_id)
    op.allow("rule_on_disputes", role)
    event, dispute = _lock(dispute)
    if to not in (DisputeState.UPHELD, DisputeState.REJECTED):
        raise Refused(Problem("bad_ruling", ("to",), {"found": to[:40]}))
    find_move(DISPUTE, dispute.state, to)
    require_reason(ruling)
    ruled = [dispute]
    if all_of_person:
        others = list_open_of_opener(event, dispute.opened_label).exclude(pk=dispute.pk)
        ruled += others
    version = op.mark(event)
    for row in ruled:
        row.event = event
        _close(op, row, to, role, ruling)
        note_change(
            event=event,
            version=version,
            kind="ruling",
            by=role,
            now=op.now,
            table=row.hand.game.table.code,
            number=row.hand.number,
            reason=ruling,
            facts={"dispute": row.number, "to": to, "revision": row.revision},
        )
        audit_dispute(op, event, row)
    notify_of_rulings(op, ruled)
    return dispute


@operation(
    "open_dispute",
    refuses=("unknown_dispute", "state_not_allowed", *BAD_REASON),
    right_in_body=True,
)
def withdraw_dispute(op: Operation, dispute: Dispute, /, *, reason: str = "") -> Dispute:
    """Withdraw a dispute: the person who opened it may, and directors."""
    event, dispute = _lock(dispute)
    role = get_role(op.actor, event.club_id, table_id=dispute.hand.game.table_id)
    is_own = dispute.opened_label == op.actor.label
    op.allow(DISPUTE["open", "withdrawn"].right if is_own else "rule_on_disputes", role)
    find_move(DISPUTE, dispute.state, DisputeState.WITHDRAWN)
    if reason.strip():
        require_reason(reason)
    _close(op, dispute, DisputeState.WITHDRAWN, role, reason)
    audit_dispute(op, event, dispute)
    return dispute


def _lock(dispute: Dispute) -> tuple[Event, Dispute]:
    event = lock_event(dispute.event)
    return event, get_dispute(event, dispute.number)


def _close(op: Operation, dispute: Dispute, to: str, role: str, ruling: str) -> None:
    dispute.state, dispute.ruling = to, ruling.strip()
    dispute.ruled_by_id, dispute.ruled_as, dispute.ruled_at = op.actor.user_id, role, op.now
    dispute.save(update_fields=["state", "ruling", "ruled_by", "ruled_as", "ruled_at"])


def audit_dispute(op: Operation, event: Event, dispute: Dispute) -> None:
    hand = dispute.hand
    facts = {
        "table": hand.game.table.code,
        "hand": hand.number,
        "revision": dispute.revision,
        "state": dispute.state,
    }
    op.audit(event, facts, subject=f"{event.audit_subject}/dispute:{dispute.number}")
