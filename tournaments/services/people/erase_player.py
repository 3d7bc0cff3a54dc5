"""Ask for an erasure, confirm or decline it; the number replaces the name everywhere."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F

from scoring.errors import Problem, Refused
from tournaments.domain.name_matching import folded
from tournaments.domain.people.name_eraser import NameEraser
from tournaments.domain.people.public_names import erased_name
from tournaments.domain.reasons import reason_problems
from tournaments.errors import Conflict, Forbidden, Missing
from tournaments.models.access import ClaimState, Invitation, PlayerClaim
from tournaments.models.clubs import Club, Erasure, Player
from tournaments.models.events import Entrant, EntrantKind, Event, EventKind
from tournaments.models.ladders import LadderAbsence
from tournaments.models.outbox import Outbox, history_scope, season_scope
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import get_role
from tournaments.services.audit.audit import append_audit, note_change
from tournaments.services.clubs.members import require_whole
from tournaments.services.db.locks import lock_club
from tournaments.services.db.transactions import atomic_act, unless_taken
from tournaments.services.jobs.queue import mark_due
from tournaments.services.ladders.deadlines import close_open_challenges
from tournaments.services.ladders.transaction import LadderTransaction, transaction_on
from tournaments.services.people.erase_texts import (
    codes_of,
    drop_histories,
    erase_log_entries,
    erase_publications,
    erase_signatures,
    erase_texts,
    remove_traces,
)
from tournaments.services.people.merge_entrants import (
    delete_presence,
    events_of_player,
    locked_events,
    repeat_where_played_elsewhere,
    require_all_locked,
)
from tournaments.services.permissions import require, require_role


@atomic_act
def ask_erasure(*, actor: Actor, club: Club, player: Player, now: datetime) -> Erasure:
    require(actor, club, "edit_own_player")
    locked = Player.objects.select_for_update(no_key=True).filter(pk=player.pk).first()
    if locked is None or actor.user_id is None or locked.user_id != actor.user_id:
        raise Forbidden("edit_own_player")
    facts = {"player": locked.player_id}
    if locked.erased_at is not None:
        raise Conflict(Problem("player_is_erased", facts=facts))
    with unless_taken(Conflict(Problem("erasure_asked", facts=facts))):
        erasure = Erasure.objects.create(
            club=club, player=locked, asked_by_id=actor.user_id, asked_at=now
        )
    _audit(actor, club, erasure, "ask_erasure", now)
    return erasure


@atomic_act
def withdraw_erasure(*, actor: Actor, club: Club, player: Player, now: datetime) -> Erasure:
    require(actor, club, "edit_own_player")
    if actor.user_id is None or player.user_id != actor.user_id:
        raise Forbidden("edit_own_player")
    return _decline(actor, club, player, "withdraw_erasure", now)


@atomic_act
def decline_erasure(*, actor: Actor, club: Club, player: Player, now: datetime) -> Erasure:
    require(actor, club, "erase_player")
    return _decline(actor, club, player, "decline_erasure", now)


def _decline(actor: Actor, club: Club, player: Player, act: str, now: datetime) -> Erasure:
    pending = Erasure.objects.select_for_update(no_key=True, of=("self",)).filter(
        club=club, player=player, erased_at=None, declined_at=None
    )
    erasure = pending.select_related("player").first()
    if erasure is None:
        raise Missing("erasure", {"player": player.player_id})
    erasure.declined_at, erasure.decided_by_id = now, actor.user_id
    erasure.save(update_fields=["declined_at", "decided_by"])
    _audit(actor, club, erasure, act, now)
    return erasure


def _audit(actor: Actor, club: Club, erasure: Erasure, act: str, now: datetime) -> None:
    facts = {"erasure": str(erasure.public_id)}
    append_audit(club, actor, act, f"player:{erasure.player.player_id}", facts=facts, now=now)


ERASE = "erase_player"
CLOSED = "player erased"
"""What the change log says of challenges that end by an erasure."""


@repeat_where_played_elsewhere
@atomic_act
def erase_player(
    *, actor: Actor, club: Club, player: Player, confirmed: str, reason: str, now: datetime
) -> tuple[Player, int, int]:
    """Replace a person's name everywhere in a club by their number, for good.

    Args:
        confirmed: the player's number, as the owner typed it.

    Returns:
        The player, and how many publications and other texts have changed.
    """
    role = get_role(actor, club.pk)
    require_role(actor, role, ERASE)
    problems = list(reason_problems(reason))
    if confirmed.strip() != player.player_id:
        facts = {"found": confirmed[:40], "expected": player.player_id}
        problems.insert(0, Problem("erasure_not_confirmed", ("player_id",), facts))
    if problems:
        raise Refused(*problems)
    events = locked_events(events_of_player(player))
    lock_club(club)
    ladders = [
        transaction_on(event, actor=actor, by=role, now=now)
        for event in events
        if event.kind == EventKind.LADDER
    ]
    player = _locked(club, player)
    require_all_locked(player, events)
    for ladder in ladders:
        _leave_ladder(ladder, player)
    rows = [player, *_lock_merged_into(player)]
    eraser = _eraser(club, player, rows)
    user_id = player.user_id
    _forget_person(actor, player, now)
    delete_presence(rows)
    for row in rows:
        _rename(row, now)
    _mark(events, ladders, role, now)
    n_publications, n_texts = _erase_documents(club, rows, events, eraser, now)
    if user_id is not None:
        erase_signatures(club, user_id, player.name)
    for row in rows:
        erase_log_entries(row)
    erasure = _store_erasure(actor, player, now)
    audited = {
        "erasure": str(erasure.public_id),
        "publications": n_publications,
        "reason": eraser.text(reason.strip()),
    }
    append_audit(club, actor, ERASE, f"player:{player.player_id}", facts=audited, now=now)
    transaction.on_commit(partial(remove_traces, eraser), robust=True)
    return player, n_publications, n_texts


def _locked(club: Club, player: Player) -> Player:
    rows = Player.objects.filter(club=club, pk=player.pk)
    list(rows.select_for_update(no_key=True).values_list("pk"))
    locked = rows.select_related("merged_into", "club").first()
    if locked is None:
        raise Missing("player", {"player": player.player_id})
    require_whole(locked)
    return locked


def _leave_ladder(ladder: LadderTransaction, player: Player) -> None:
    entrants = Entrant.objects.filter(event=ladder.event, members__player=player)
    for entrant in entrants.filter(kind=EntrantKind.PLAYER):
        close_open_challenges(ladder, entrant, CLOSED)
        LadderAbsence.objects.filter(entrant=entrant).delete()
        ladder.is_moved = True


def _lock_merged_into(player: Player) -> list[Player]:
    """Return the records that were merged into a player's; they hold a name too."""
    merged, level = [], [player]
    while level:
        rows = Player.objects.select_for_update(of=("self",), no_key=True)
        level = list(rows.filter(merged_into__in=level).order_by("pk"))
        merged.extend(level)
    return merged


def _eraser(club: Club, player: Player, rows: Sequence[Player]) -> NameEraser:
    """Return the eraser of a person's names, but for those that somebody else has too."""
    names = {player.nickname, *(row.name for row in rows)}
    if player.user_id is not None:
        names.add(User.objects.get(pk=player.user_id).get_full_name())
    for invitation in Invitation.objects.filter(player=player):
        names |= {invitation.name, invitation.email}
    others = Player.objects.filter(club=club).exclude(pk__in=[row.pk for row in rows])
    other_names = list(others.values_list("name", flat=True))
    names = _not_among(names, other_names) - {player.player_id}
    return NameEraser(names, erased_name(player.player_id), others=other_names)


def _not_among(names: Iterable[str], others: Iterable[str]) -> set[str]:
    folds = set(map(folded, others))
    return {name for name in names if folded(name) not in folds}


def _forget_person(actor: Actor, player: Player, now: datetime) -> None:
    invitations = Invitation.objects.filter(player=player)
    mails = [invitation.audit_subject for invitation in invitations]
    Outbox.objects.filter(club=player.club_id, about__in=mails).delete()
    invitations.filter(accepted_at=None, revoked_at=None).update(revoked_at=now)
    invitations.update(email="", name="")
    claims = PlayerClaim.objects.filter(player=player, state=ClaimState.PENDING)
    claims.update(state=ClaimState.REJECTED, decided_by=actor.user_id, decided_at=now)


def _rename(player: Player, now: datetime) -> None:
    player.name = player.public_name = erased_name(player.player_id)
    player.nickname, player.shown_as, player.user = "", "", None
    player.joined, player.is_active, player.erased_at = None, False, now
    player.save()


def _mark(
    events: Sequence[Event], ladders: Sequence[LadderTransaction], role: str, now: datetime
) -> None:
    """Have everything that shows the name published again, and hold what is being published."""
    for event in events:
        note_change(event=event, kind="names", by=role, now=now)
    for ladder in ladders:
        ladder.finish()
    for season in sorted({event.season_id for event in events if event.season_id is not None}):
        mark_due(season_scope(season), now=now)
    if events:
        Club.objects.filter(pk=events[0].club_id).update(names_version=F("names_version") + 1)


def _erase_documents(
    club: Club, rows: Sequence[Player], events: Sequence[Event], eraser: NameEraser, now: datetime
) -> tuple[int, int]:
    player = rows[0]
    codes = codes_of(player) | {row.player_id for row in rows}
    n_publications, names = erase_publications(player, codes, player.name, eraser)
    others = {*Player.objects.filter(club=club, erased_at=None).values_list("name", flat=True)}
    wider = NameEraser(eraser.names | _not_among(names, others), player.name, others=others)
    for event_id in drop_histories(events):
        mark_due(history_scope(event_id), now=now)
    return n_publications, erase_texts(club, wider)


def _store_erasure(actor: Actor, player: Player, now: datetime) -> Erasure:
    pending = Erasure.objects.filter(player=player, erased_at=None, declined_at=None).first()
    row = pending or Erasure(
        club_id=player.club_id, player=player, asked_by_id=actor.user_id, asked_at=now
    )
    row.decided_by_id, row.erased_at = actor.user_id, now
    row.save()
    return row
