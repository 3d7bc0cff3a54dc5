"""Storing a planned change of who played: sittings, hands, scores, and what the log says."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from scoring.errors import Problem
from tournaments.domain.replay_game import TOTALS, HandRefused
from tournaments.domain.seating.seating_runs import in_two_seats, joined
from tournaments.errors import Conflict
from tournaments.models.clubs import Player
from tournaments.models.events import EntrantMember, Event
from tournaments.models.hands import Entry, Game, Hand, Source
from tournaments.models.ladders import Challenge
from tournaments.models.meetings import Sitting
from tournaments.models.standings import Contribution
from tournaments.policy import Actor
from tournaments.selectors.events.change_log import CHANGE_KIND
from tournaments.selectors.hands.game_for_update import game_now
from tournaments.services.audit.audit import append_audit
from tournaments.services.audit.change_log import note_change
from tournaments.services.events.events import entrant_for
from tournaments.services.hands.apply_game import apply_game
from tournaments.services.hands.board_of_hand import require_boards_once
from tournaments.services.hands.hand_rows import insert_revision
from tournaments.services.hands.player_changes.carry_second_entries import (
    carry_second_entries,
    compared_revisions,
)
from tournaments.services.hands.player_changes.changed_tables import ChangedPlayers, ChangedTable
from tournaments.services.hands.player_changes.player_change_log import (
    as_stored,
    ids_of_rows,
    moves_at,
)
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.rounds.abandoned_tables import end_abandoned_sittings
from tournaments.services.standings.counted_games import lock_aggregates


def save_player_changes(
    actor: Actor,
    role: str,
    event: Event,
    tables: Mapping[int, ChangedTable],
    facts: Mapping[str, object],
    reason: str,
    now: datetime,
) -> ChangedPlayers:
    """Store what was planned, count it, and say so."""
    in_order = [tables[pk] for pk in sorted(tables)]
    changed = [one for one in in_order if one.after != one.runs or one.revised or one.gone]
    for one in in_order:
        _require_one_seat(one)
        _require_challengers(one)
    disputed = {
        one.code: [hand.number for hand in one.gone if hand.state == "disputed"] for one in in_order
    }
    back = ids_of_rows(in_order)
    known = Player.objects.filter(pk__in=back)
    entrants = {one.pk: entrant_for(event=event, player=one) for one in known.order_by("pk")}
    free = {run.player for one in in_order for run in one.after if run.last is None}
    end_abandoned_sittings([in_order[0].game.table.round_id], free)
    Sitting.objects.filter(seat__table__in=[one.game.table_id for one in in_order]).delete()
    for one in in_order:
        compared = compared_revisions(one)
        _store_runs(one)
        _store_hands(one, actor, reason, now)
        carry_second_entries(one, compared, now)
    require_boards_once(event, [one.game.pk for one in in_order])
    _apply_games(event, in_order, {one.pk for one in entrants.values()})
    version = mark_changed(event=event, now=now)
    told = {
        **facts,
        "seats": [seat for table in in_order for pair in table.exchanged for seat in pair] or None,
        "moves": [move for one in in_order for move in moves_at(one, back)],
        "before": {one.code: as_stored(one.runs, back) for one in in_order},
        "after": {one.code: as_stored(joined(one.after), back) for one in in_order},
        "gone": {one.code: [[hand.number, hand.revision] for hand in one.gone] for one in in_order},
        "disputed": disputed,
        "played": {
            one.code: [hand.number for hand in one.hands if hand.state == "accepted"]
            for one in in_order
        },
        "revised": {one.code: [hand.number for hand, _ in one.revised] for one in in_order},
        "back": {one.code: [hand.number for hand in one.back] for one in in_order},
    }
    lines = [
        note_change(
            event=event,
            version=version,
            kind=CHANGE_KIND,
            by=role,
            now=now,
            table=one.code,
            reason=reason,
            facts=told,
        )
        for one in changed or in_order
    ]
    append_audit(
        club=event.club,
        actor=actor,
        act=CHANGE_KIND,
        subject=f"event:{event.slug}/table:{(changed or in_order)[0].code}",
        facts={**told, "reason": reason.strip()},
        now=now,
    )
    return ChangedPlayers(tuple(one.code for one in in_order), lines[0].pk, version)


def _require_one_seat(table: ChangedTable) -> None:
    found = in_two_seats(table.after)
    if found is not None:
        player, first, second = found
        name = Player.objects.values_list("name", flat=True).get(pk=player)
        facts = {"player": name, "table": table.game.table.number, "seats": f"{first}, {second}"}
        raise Conflict(Problem("player_in_two_seats", ("player",), facts))


def _require_challengers(table: ChangedTable) -> None:
    """Let the two of a challenge sit at the table of its game."""
    challenge = Challenge.objects.filter(game=table.game).first()
    if challenge is None:
        return
    both = (challenge.challenger_id, challenge.challenged_id)
    members = EntrantMember.objects.filter(entrant__in=both)
    there = set(members.filter(player__in=[run.player for run in table.after]).values_list(
        "entrant_id", flat=True))  # fmt: skip
    if there != set(both):
        facts = {"table": table.game.table.number, "number": challenge.number}
        raise Conflict(Problem("challenge_needs_players", ("player",), facts))


def _store_runs(table: ChangedTable) -> None:
    seats = {seat.number: seat.pk for seat in table.seats}
    table.after = joined(table.after)
    Sitting.objects.bulk_create(
        [
            Sitting(
                club_id=table.game.club_id,
                seat_id=seats[run.seat],
                round_id=table.game.table.round_id,
                player_id=run.player,
                substitute_for_id=run.substitute_for,
                from_hand=run.first,
                to_hand=run.last,
            )
            for run in table.after
        ]
    )


def _store_hands(table: ChangedTable, actor: Actor, reason: str, now: datetime) -> None:
    """Write the revisions of hands whose scores change seats, and delete or restore the others."""
    for hand, entry in table.revised:
        _revise(hand, entry, hand.state, actor, reason, now)
    for hand in table.back:
        if hand.entry is not None and hand not in [one for one, _ in table.revised]:
            state = "disputed" if hand.number in table.disputed else "accepted"
            _revise(hand, hand.entry.typed, state, actor, reason, now)
    if table.gone:
        Hand.objects.filter(pk__in=[hand.pk for hand in table.gone]).update(state="void")
        is_whole = any(hand.number == TOTALS for hand in table.gone)
        if is_whole and table.game.state in ("complete", "checked"):
            table.game.state = "playing"  # its totals had ended it
            Game.objects.filter(pk=table.game.pk).update(state="playing")


def _revise(
    hand: Hand, entry: Mapping[str, object], state: str, actor: Actor, reason: str, now: datetime
) -> None:
    before = hand.entry
    assert before is not None  # noqa: S101 - what has no entry is not revised
    hand.revision, hand.state = hand.revision + 1, state
    row = Entry(
        club_id=hand.club_id,
        revision=hand.revision,
        form=before.form,
        typed=dict(entry),
        verified=before.verified,
        reason=reason.strip(),
        source=Source.HOST,
        entered_by_id=actor.user_id,
        entered_as=actor.name,
        entered_at=now,
    )
    insert_revision(hand, row)


def _apply_games(event: Event, tables: Sequence[ChangedTable], entrants: set[int]) -> None:
    """Count the games anew; the sums of everybody are locked before one of them is written."""
    games = [one.game.pk for one in tables]
    there = Contribution.objects.filter(game__in=games).values_list("entrant_id", flat=True)
    lock_aggregates(event, sorted(entrants | set(there)), make=True)
    for one in tables:
        try:
            apply_game(game=one.game, stored=game_now(one.game))
        except HandRefused as refused:
            facts = {
                "number": refused.number,
                "table": one.game.table.number,
                "why": refused.problems[0].message,
            }
            raise Conflict(Problem("hand_refuses_seats", ("hands",), facts)) from refused
