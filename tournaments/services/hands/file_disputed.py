"""Files a sheet with a wrong total as disputed: as entered, not counted until it is resolved."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from scoring.entry.typed_hand import form_of
from scoring.errors import Problem, Refused
from tournaments.domain.reasons import reason_problems
from tournaments.domain.replay_game import LAST_HAND, TOTALS
from tournaments.errors import Conflict
from tournaments.models.hands import Entry, Game, Hand
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import role_of
from tournaments.services.access.permissions import require_role
from tournaments.services.audit.audit import append_audit
from tournaments.services.db.event_lock import lock_game
from tournaments.services.db.transactions import atomic_act
from tournaments.services.hands.hand_rows import insert_hand
from tournaments.services.hands.plan_entry import hands_problems
from tournaments.services.hands.validate_entry import entry_problems
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.playoffs.playoffs import require_takes_hands
from tournaments.services.rounds.table_states import require_not_abandoned, require_open
from tournaments.states import HAND

DO_NOT_ADD_UP: Final = frozenset(
    {
        *("missing_cards", "too_many_copies", "unclaimed_not_allowed", "tricks_sum"),
        *("cards_without_trick", "wrong_shooter", "wrong_total", "impossible_points"),
        *("points_disagree", "impossible_totals"),
    }
)
"""What may be wrong with a sheet that is filed: it can be read, and cannot be true."""


@atomic_act
def file_disputed(
    *,
    actor: Actor,
    game: Game,
    number: int,
    entry: Mapping[str, object],
    key: str | None,
    reason: str,
    now: datetime,
    hands: int | None = None,
) -> Hand:
    """Keep a new hand as it was entered although its total is wrong.

    Its next revision settles it: an accepted one, or void.

    Args:
        key: idempotency key; a repeated one gets the hand that was filed under it.
        reason: what is to be settled.
        hands: how many hands the totals of a whole game (hand number 0) stand for, if known.

    Raises:
        Forbidden: file_disputed; correct_closed once the round is closed.
        Conflict: hand_exists, adds_up, event_not_open, round_is_draft, table_abandoned.
        Refused: reason_required, bad_text, bad_hand_number, bad_number_of_hands; what the scorer
            finds besides sums; playoff_void, playoff_over, playoff_waived.
    """
    game = lock_game(game)
    role = role_of(actor, game.club_id, table_id=game.table_id)
    require_role(actor, role, HAND["", "disputed"].act)
    there = Hand.objects.filter(game=game, number=number).first()
    if there is not None:
        if key and Entry.objects.filter(hand=there, key=key, revision=1).exists():
            return there
        raise Conflict(Problem("hand_exists", ("number",), {"number": number}), there=there)
    if not game.counts:
        require_takes_hands(game, is_new=True)
    require_open(actor, role, game)
    require_not_abandoned(actor, role, game, there)
    found = entry_problems(actor=actor, game=game, entry=entry, number=number, hands=hands)
    problems = list(reason_problems(reason))
    if not TOTALS <= number <= LAST_HAND:
        facts = {"found": number, "expected": f"1 to {LAST_HAND}"}
        problems.append(Problem("bad_hand_number", ("number",), facts))
    problems += hands_problems(hands)
    if problems or any(one.code not in DO_NOT_ADD_UP for one in found):
        raise Refused(*found, *problems)
    if not found:
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
        entered_at=now,
    )
    insert_hand(hand, row)
    mark_changed(event=game.event, now=now)
    append_audit(
        club=game.club,
        actor=actor,
        act="file_disputed",
        subject=f"event:{game.event.slug}/table:{game.table.code}/hand:{number}",
        facts={"revision": 1, "reason": reason.strip()},
        now=now,
    )
    return hand
