"""Ask for an erasure, confirm or decline it; the number replaces the name everywhere."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Final

from django.db import transaction
from django.db.models import F

from scoring.errors import Problem
from tournaments.domain.name_matching import sort_key
from tournaments.domain.people.name_eraser import NameEraser
from tournaments.domain.people.public_names import erased_name
from tournaments.domain.reasons import reason_problems
from tournaments.errors import Conflict, Forbidden, first_or_missing, refuse_any
from tournaments.models.access import ClaimState, Invitation, PlayerClaim
from tournaments.models.clubs import Club, Erasure, Player
from tournaments.models.events import Entrant, EntrantKind, EntrantState, Event
from tournaments.models.jobs import Outbox, history_scope, season_scope
from tournaments.models.ladders import LadderAbsence
from tournaments.selectors.attendance.places import list_evenings_ahead
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.people.merges import (
    eraser_of,
    find_names_left,
    find_pending_erasure,
    not_among,
    records_of,
)
from tournaments.services.audit.audit import note_change
from tournaments.services.clubs.clubs import proposed_slug
from tournaments.services.clubs.members import require_whole
from tournaments.services.clubs.personal_links import forget_contacts
from tournaments.services.db.transactions import unless_taken
from tournaments.services.jobs.queue import mark_due
from tournaments.services.ladders.run_deadlines import close_open_challenges
from tournaments.services.ladders.transaction import LadderTransaction, transaction_on
from tournaments.services.operations import DeclaredOperation, Operation, operation
from tournaments.services.people.compare_names import remove_pairs
from tournaments.services.people.erase_texts import (
    codes_of,
    drop_histories,
    erase_log_entries,
    erase_publications,
    erase_signatures,
    erase_texts,
    remove_traces,
)
from tournaments.services.people.merge_entrants import delete_presence, lock_of_player
from tournaments.services.waiting_list import move_up_at

CLOSED: Final = "player erased"
"""Text of the change log for challenges that end by an erasure."""


@operation("edit_own_player", refuses=("player_is_erased", "erasure_asked"))
def ask_erasure(op: Operation, player: Player, /) -> Erasure:
    locked = Player.objects.select_for_update(no_key=True).filter(pk=player.pk).first()
    _require_own(op, locked)
    facts = {"player": player.player_id}
    if locked is not None and locked.erased_at is not None:
        raise Conflict(Problem("player_is_erased", facts=facts))
    with unless_taken(Conflict(Problem("erasure_asked", facts=facts))):
        erasure = Erasure.objects.create(
            club=player.club, player=player, asked_by_id=op.actor.user_id, asked_at=op.now
        )
    op.audit(erasure, {"erasure": str(erasure.public_id)})
    return erasure


@operation("edit_own_player", refuses=("unknown_erasure",))
def withdraw_erasure(op: Operation, player: Player, /) -> Erasure:
    _require_own(op, player)
    return _decline(op, player)


@operation("erase_player", refuses=("unknown_erasure",))
def decline_erasure(op: Operation, player: Player, /) -> Erasure:
    return _decline(op, player)


REQUESTS: Final[Mapping[str, DeclaredOperation[[Player], Erasure]]] = {
    "ask": ask_erasure,
    "withdraw": withdraw_erasure,
    "decline": decline_erasure,
}
"""Action of an erasure request → its operation."""


def _require_own(op: Operation, player: Player | None) -> None:
    person = op.actor.person
    if player is not None and person is not None and person.player_id == player.pk:
        return
    if player is None or op.actor.user_id is None or player.user_id != op.actor.user_id:
        raise Forbidden("edit_own_player")


def _decline(op: Operation, player: Player) -> Erasure:
    pending = Erasure.objects.select_for_update(no_key=True, of=("self",)).filter(
        player=player, erased_at=None, declined_at=None
    )
    rows = pending.select_related("player", "club")
    erasure = first_or_missing(rows, "erasure", player=player.player_id)
    erasure.declined_at, erasure.decided_by_id = op.now, op.actor.user_id
    erasure.save(update_fields=["declined_at", "decided_by"])
    op.audit(erasure, {"erasure": str(erasure.public_id)})
    return erasure


def user_name_of_name(player: Player) -> str:
    """Return the user name of a player's account if it is made of the player's name, else ""."""
    user = player.user
    slug = proposed_slug(player.name)
    return user.username if user and slug and proposed_slug(user.username).startswith(slug) else ""


@operation(
    "erase_player",
    refuses=(
        *("erasure_not_confirmed", "reason_required", "bad_text"),
        *("player_is_erased", "player_is_merged", "unknown_player"),
    ),
)
def erase_player(
    op: Operation, player: Player, /, *, confirmed: str, reason: str
) -> tuple[Player, int, int, Sequence[tuple[str, str]]]:
    """Erase a person: the player's number replaces the name everywhere, and results stay.

    This cannot be undone.
    """
    problems = list(reason_problems(reason))
    if confirmed.strip() != player.player_id:
        facts = {"found": confirmed[:40], "expected": player.player_id}
        problems.insert(0, Problem("erasure_not_confirmed", ("player_id",), facts))
    refuse_any(problems)
    club, role = player.club, get_role(op.actor, player.club_id)

    def lock(events: Sequence[Event]) -> tuple[list[LadderTransaction], Player]:
        ladders = [transaction_on(op, event, by=role) for event in events if event.is_ladder]
        return ladders, _lock_player(player)

    events, (ladders, player) = lock_of_player(player, lock, now=op.now)
    for ladder in ladders:
        _leave_ladder(ladder, player)
    locked = Player.objects.select_for_update(of=("self",), no_key=True)
    rows = records_of(player, locked)
    eraser = eraser_of(player)
    user_id = player.user_id
    _forget_person(op, player)
    mails = forget_contacts(rows)
    evenings = list(list_evenings_ahead(rows, op.now))
    delete_presence(rows)
    move_up_at(op, evenings)
    for row in rows:
        _rename(row, op.now)
    _mark(op, events, ladders, role)
    n_publications, n_texts, names_left = _erase_documents(rows, events, eraser, op.now)
    if user_id is not None:
        erase_signatures(club, user_id, player.name)
    for row in rows:
        erase_log_entries(row)
    erasure = find_pending_erasure(player) or Erasure(
        club=player.club, player=player, asked_by_id=op.actor.user_id, asked_at=op.now
    )
    erasure.decided_by_id, erasure.erased_at = op.actor.user_id, op.now
    erasure.save()
    audited = {
        "erasure": str(erasure.public_id),
        "publications": n_publications,
        "reason": eraser.text(reason.strip()),
    }
    op.audit(erasure, audited)
    transaction.on_commit(partial(remove_traces, eraser, mails), robust=True)
    # The last ones still contain the name; each has the address of its page.
    return player, n_publications, n_texts, names_left


def _lock_player(player: Player) -> Player:
    rows = Player.objects.filter(pk=player.pk)
    list(rows.select_for_update(no_key=True).values_list("pk"))
    locked = first_or_missing(
        rows.select_related("merged_into", "club"), "player", player=player.player_id
    )
    require_whole(locked)
    return locked


def _leave_ladder(ladder: LadderTransaction, player: Player) -> None:
    entrants = Entrant.objects.filter(event=ladder.event, members__player=player)
    for entrant in entrants.filter(kind=EntrantKind.PLAYER):
        close_open_challenges(ladder, entrant, CLOSED)
        LadderAbsence.objects.filter(entrant=entrant).delete()
        ladder.is_moved = True
        # Results of an event that is over stay as they are, with its list.
        if not ladder.event.is_over:
            Entrant.objects.filter(pk=entrant.pk).update(state=EntrantState.WITHDRAWN)


def _forget_person(op: Operation, player: Player) -> None:
    invitations = Invitation.objects.filter(player=player)
    mails = [invitation.audit_subject for invitation in invitations]
    Outbox.objects.filter(club=player.club_id, about__in=mails).delete()
    invitations.filter(accepted_at=None, revoked_at=None).update(revoked_at=op.now)
    invitations.update(email="", name="")
    claims = PlayerClaim.objects.filter(player=player, state=ClaimState.PENDING)
    claims.update(state=ClaimState.REJECTED, decided_by=op.actor.user_id, decided_at=op.now)


def _rename(player: Player, now: datetime) -> None:
    player.name = player.public_name = erased_name(player.player_id)
    player.sort_key = sort_key(player.name)
    player.nickname = ""
    player.shown_as = ""
    player.user = None
    player.joined = None
    player.is_active = False
    player.erased_at = now
    player.fills_in = False
    player.save()
    remove_pairs([player.pk])


def _mark(
    op: Operation, events: Sequence[Event], ladders: Sequence[LadderTransaction], role: str
) -> None:
    for event in events:
        note_change(event=event, kind="names", by=role, now=op.now)
    for ladder in ladders:
        ladder.finish()
    for season in sorted({event.season_id for event in events if event.season_id is not None}):
        mark_due(season_scope(season), now=op.now)
    if events:
        Club.objects.filter(pk=events[0].club_id).update(names_version=F("names_version") + 1)


def _erase_documents(
    rows: Sequence[Player], events: Sequence[Event], eraser: NameEraser, now: datetime
) -> tuple[int, int, Sequence[tuple[str, str]]]:
    player = rows[0]
    club = rows[0].club
    codes = codes_of(player) | {row.player_id for row in rows}
    n_publications, names = erase_publications(player, codes, player.name, eraser)
    others = {*Player.objects.filter(club=club, erased_at=None).values_list("name", flat=True)}
    wider = NameEraser(eraser.names | not_among(names, others), player.name, others=others)
    for event_id in drop_histories(events):
        mark_due(history_scope(event_id), now=now)
    return n_publications, erase_texts(club, wider), find_names_left(club, wider)
