"""Store a planned change of players: seats, hands, scores, second entries, change log.

A second typing is never changed. One whose seats are exchanged, or whose hand is deleted or comes
back, gets a further row, and what was decided for it goes along.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, TypeAlias

from scoring.errors import Problem
from scoring.json_types import JsonObject
from tournaments.domain.replay_game import TOTALS, HandRefused
from tournaments.domain.seating_runs import NotBySeat, SeatRun, holder, in_two_seats, joined
from tournaments.errors import Conflict
from tournaments.models.clubs import Player
from tournaments.models.events import EntrantMember, Event
from tournaments.models.hands import Entry, Game, Hand, Ruling, SecondTyping, Source
from tournaments.models.ladders import Challenge
from tournaments.models.rounds import Sitting
from tournaments.models.standings import Contribution
from tournaments.selectors.events.change_log import CHANGE_KIND
from tournaments.selectors.hands.game_for_update import game_now
from tournaments.services.audit.audit import note_change
from tournaments.services.events.events import entrant_for
from tournaments.services.hands.apply_game import apply_game
from tournaments.services.hands.board_of_hand import require_boards_once
from tournaments.services.hands.hand_rows import insert_revision
from tournaments.services.hands.plan_player_changes import (
    ChangedPlayers,
    ChangedTable,
    exchanged_entry,
)
from tournaments.services.operations import Operation
from tournaments.services.rounds.seating_checks import end_abandoned_sittings
from tournaments.services.totals.counted_games import lock_aggregates

Held: TypeAlias = tuple[Mapping[str, Any] | None, int, bool]
"""A second entry: its values, the compared revision, and whether both agreed."""

NEITHER: Final[Held] = (None, 0, True)
"""Neither entry has the hand: it was deleted with both."""


def ids_of_rows(tables: Iterable[ChangedTable]) -> dict[int, str]:
    runs = [run for table in tables for run in (*table.runs, *table.after)]
    rows = {run.player for run in runs} | {
        run.substitute_for for run in runs if run.substitute_for is not None
    }
    return dict(Player.objects.filter(pk__in=rows).values_list("pk", "player_id"))


def as_stored(runs: Iterable[SeatRun], ids: Mapping[int, str]) -> list[list[int | str | None]]:
    return [
        [
            run.seat,
            ids[run.player],
            run.first,
            run.last,
            ids[run.substitute_for] if run.substitute_for is not None else None,
        ]
        for run in runs
    ]


def stored_run(stored: Sequence[Any], rows: Mapping[str, int]) -> SeatRun:
    seat, player, first, last, instead = stored
    return SeatRun(seat, rows[player], first, last, rows[instead] if instead else None)


def ids_in_line(event: Event, facts: JsonObject) -> tuple[dict[str, int], dict[int, str]]:
    """Return the players that a line of the change log names: row by id, and id by row."""
    runs = [run for side in ("before", "after") for table in facts[side].values() for run in table]
    player_ids = {run[1] for run in runs} | {run[4] for run in runs if run[4]}
    players = Player.objects.filter(club_id=event.club_id, player_id__in=player_ids)
    rows = dict(players.values_list("player_id", "pk"))
    if set(rows) != player_ids:
        raise Conflict(Problem("seats_moved_on", facts={"table": next(iter(facts["after"]))}))
    sat = Player.objects.filter(sittings__seat__table__event=event)
    everybody = dict(sat.values_list("pk", "player_id"))
    return rows, {pk: code for code, pk in rows.items()} | everybody


def moves_at(table: ChangedTable, ids: Mapping[int, str]) -> list[dict[str, int | str | None]]:
    moves: list[dict[str, int | str | None]] = []
    for seat in table.seats:
        before, after = holder(table.runs, seat.number), holder(table.after, seat.number)
        if before is not None and after is not None and before != after:
            moves.append(
                {
                    "table": table.code,
                    "seat": seat.number,
                    "from": ids[before.player],
                    "to": ids[after.player],
                    "from_hand": after.first,
                }
            )
    return moves


def carry_second_entries(table: ChangedTable, before: Mapping[int, int], now: datetime) -> None:
    """Have the second entries of a table follow its change of players, which is stored by now."""
    rows = SecondTyping.objects.filter(game=table.game).order_by("pk")
    typings = list(rows.prefetch_related("rulings"))
    if not typings:
        return
    stored = Hand.objects.filter(game=table.game, state="accepted")
    after = dict(stored.values_list("number", "revision"))
    is_gone = _one_of_or_unmatched(table.gone, table)
    for row, is_newest in _newest_typings(typings, _one_of_or_unmatched(table.back, table)):
        was = before.get(row.number, 0)
        now_counts = after.get(row.number, 0)
        content: Held = (row.typed, now_counts if row.revision == was else row.revision, row.agreed)
        if row.number >= table.exchanged_from:
            content = _exchanged_content(table, content)
        if is_gone(row.number):
            content = NEITHER
        if content != _content_of(row) or not is_newest:
            _add_typing(row, content, was, now_counts, now)


def _one_of_or_unmatched(hands: Sequence[Hand], table: ChangedTable) -> Callable[[int], bool]:
    """Return whether a hand is one of `hands`, or later than them and not on the first sheet."""
    numbers = {hand.number for hand in hands}
    numbers_on_sheet = {hand.number for hand in table.hands}
    return lambda number: (
        number in numbers
        or (bool(numbers) and number not in numbers_on_sheet and number > min(numbers))
    )


def _newest_typings(
    rows: Sequence[SecondTyping], is_back: Callable[[int], bool]
) -> list[tuple[SecondTyping, bool]]:
    """Return each person's last entry of each hand, in the order of typing.

    For a restored hand that was not typed again, it is the earlier entry.
    """
    newest = {row.number: row for row in rows}
    newest_rows: dict[tuple[int, int | None], tuple[SecondTyping, bool]] = {}
    for row in rows:
        comes_back = is_back(row.number) and _content_of(newest[row.number]) == NEITHER
        if not comes_back:
            newest_rows[row.number, row.by_id] = row, True
        elif _content_of(row) != NEITHER:
            newest_rows[row.number, row.by_id] = row, False
    return sorted(newest_rows.values(), key=lambda pair: pair[0].pk)


def _content_of(row: SecondTyping) -> Held:
    return row.typed, row.revision, row.agreed


def _exchanged_content(table: ChangedTable, content: Held) -> Held:
    """Return an entry with the seats exchanged; `NEITHER` where a side cannot be divided."""
    old_entry, revision, agreed = content
    if not table.exchanged or old_entry is None:
        return content
    try:
        entry = exchanged_entry(table, old_entry)
    except NotBySeat:
        return NEITHER
    return entry, revision, agreed


def _add_typing(row: SecondTyping, content: Held, was: int, counts: int, now: datetime) -> None:
    entry, revision, agreed = content
    added = SecondTyping.objects.create(
        club_id=row.club_id,
        game_id=row.game_id,
        number=row.number,
        typed=entry,
        board=None if entry is None else row.board,
        revision=revision,
        agreed=agreed,
        by_id=row.by_id,
        by_as=row.by_as,
        at=now if content == NEITHER else row.at,
    )
    decision = max(row.rulings.all(), key=lambda ruling: ruling.pk, default=None)
    if content == NEITHER or decision is None or decision.revision != was:
        return
    Ruling.objects.create(
        club_id=decision.club_id,
        second=added,
        stands=decision.stands,
        revision=counts,
        reason=decision.reason,
        by_id=decision.by_id,
        by_as=decision.by_as,
        at=decision.at,
    )


def save_player_changes(
    op: Operation,
    role: str,
    event: Event,
    tables: Mapping[int, ChangedTable],
    facts: Mapping[str, object],
    reason: str,
) -> ChangedPlayers:
    in_order = [tables[pk] for pk in sorted(tables)]
    changed = [
        table for table in in_order if table.after != table.runs or table.revised or table.gone
    ] or in_order
    for table in in_order:
        _require_one_seat(table)
        _require_challengers(table)
    disputed = {
        table.code: [hand.number for hand in table.gone if hand.state == "disputed"]
        for table in in_order
    }
    back = ids_of_rows(in_order)
    players = Player.objects.filter(pk__in=back)
    entrants = {
        player.pk: entrant_for(event=event, player=player) for player in players.order_by("pk")
    }
    free = {run.player for table in in_order for run in table.after if run.last is None}
    end_abandoned_sittings([in_order[0].game.table.round_id], free)
    Sitting.objects.filter(seat__table__in=[table.game.table_id for table in in_order]).delete()
    for table in in_order:
        # What a second entry is compared with: of hands that come back, the one which counted.
        compared = {
            hand.number: hand.revision if hand.state == "accepted" or hand in table.back else 0
            for hand in table.hands
        }
        _store_runs(table)
        _store_hands(op, table, reason)
        carry_second_entries(table, compared, op.now)
    require_boards_once(event, [table.game.pk for table in in_order])
    _apply_games(event, in_order, {table.pk for table in entrants.values()})
    version = op.mark(event)
    line_facts = {
        **facts,
        "seats": [
            seat for changed_table in in_order for pair in changed_table.exchanged for seat in pair
        ]
        or None,
        "moves": [move for table in in_order for move in moves_at(table, back)],
        "before": {table.code: as_stored(table.runs, back) for table in in_order},
        "after": {table.code: as_stored(joined(table.after), back) for table in in_order},
        "gone": {
            table.code: [[hand.number, hand.revision] for hand in table.gone] for table in in_order
        },
        "disputed": disputed,
        "played": {
            table.code: [hand.number for hand in table.hands if hand.state == "accepted"]
            for table in in_order
        },
        "revised": {table.code: [hand.number for hand, _ in table.revised] for table in in_order},
        "back": {table.code: [hand.number for hand in table.back] for table in in_order},
    }
    lines = [
        note_change(
            event=event,
            version=version,
            kind=CHANGE_KIND,
            by=role,
            now=op.now,
            table=table.code,
            reason=reason,
            facts=line_facts,
        )
        for table in changed
    ]
    subject = f"{event.audit_subject}/table:{changed[0].code}"
    op.audit(event, {**line_facts, "reason": reason.strip()}, name=CHANGE_KIND, subject=subject)
    return ChangedPlayers(tuple(table.code for table in in_order), lines[0].pk, version)


def _require_one_seat(table: ChangedTable) -> None:
    conflict = in_two_seats(table.after)
    if conflict is not None:
        player, first, second = conflict
        name = Player.objects.values_list("name", flat=True).get(pk=player)
        facts = {"player": name, "table": table.game.table.number, "seats": f"{first}, {second}"}
        raise Conflict(Problem("player_in_two_seats", ("player",), facts))


def _require_challengers(table: ChangedTable) -> None:
    challenges = list(Challenge.objects.filter(game=table.game).order_by("number"))
    if not challenges:
        return
    members = EntrantMember.objects.filter(event=table.game.event)
    seated = set(
        members.filter(player__in=[run.player for run in table.after]).values_list(
            "entrant_id", flat=True
        )
    )
    for challenge in challenges:
        if not {challenge.challenger_id, challenge.challenged_id} <= seated:
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


def _store_hands(op: Operation, table: ChangedTable, reason: str) -> None:
    for hand, entry in table.revised:
        _revise(op, hand, entry, hand.state, reason)
    for hand in table.back:
        if hand.entry is not None and hand not in [revised for revised, _ in table.revised]:
            state = "disputed" if hand.number in table.disputed else "accepted"
            _revise(op, hand, hand.entry.typed, state, reason)
    if table.gone:
        Hand.objects.filter(pk__in=[hand.pk for hand in table.gone]).update(state="void")
        is_whole = any(hand.number == TOTALS for hand in table.gone)
        if is_whole and table.game.state in ("complete", "checked"):
            table.game.state = "playing"  # its totals had ended it
            Game.objects.filter(pk=table.game.pk).update(state="playing")


def _revise(
    op: Operation, hand: Hand, entry: Mapping[str, object], state: str, reason: str
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
        entered_by_id=op.actor.user_id,
        entered_as=op.actor.name,
        entered_at=op.now,
    )
    insert_revision(hand, row)


def _apply_games(event: Event, tables: Sequence[ChangedTable], entrants: set[int]) -> None:
    """Recompute the games; all sums are locked before any of them is written."""
    games = [changed_table.game.pk for changed_table in tables]
    stored_entrants = Contribution.objects.filter(game__in=games).values_list(
        "entrant_id", flat=True
    )
    lock_aggregates(event, sorted(entrants | set(stored_entrants)), make=True)
    for table in tables:
        try:
            apply_game(game=table.game, stored=game_now(table.game))
        except HandRefused as refused:
            facts = {
                "number": refused.number,
                "table": table.game.table.number,
                "why": refused.problems[0].message,
            }
            raise Conflict(Problem("hand_refuses_seats", ("hands",), facts)) from refused
