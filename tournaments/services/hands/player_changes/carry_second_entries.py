"""Second entries of a table whose players change: they follow the scores, or end with the hands.

A second typing is never changed. One whose seats are exchanged, or whose hand is deleted or comes
back, gets a further row, and what was decided for it goes along.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, TypeAlias

from tournaments.domain.seating.swap_seats import NotBySeat
from tournaments.models.hands import Hand
from tournaments.models.second_typings import Ruling, SecondTyping
from tournaments.services.hands.player_changes.changed_tables import ChangedTable
from tournaments.services.hands.player_changes.plan_player_changes import exchanged_entry

Held: TypeAlias = tuple[Mapping[str, Any] | None, int, bool]
"""What a second typing holds: the entry, the revision it was compared with, whether both agreed."""
NEITHER: Final[Held] = (None, 0, True)
"""Neither entry has the hand: it was deleted with both."""


def compared_revisions(table: ChangedTable) -> dict[int, int]:
    """Return number → revision that a second entry is compared with, before a change is stored.

    That is the one which counts, 0 for none; of hands that come back, the one which counted.
    """
    return {
        one.number: one.revision if one.state == "accepted" or one in table.back else 0
        for one in table.hands
    }


def carry_second_entries(table: ChangedTable, before: Mapping[int, int], now: datetime) -> None:
    """Have the second entries of a table follow its change of players, which is stored by now.

    Args:
        before: of `compared_revisions`.
    """
    rows = SecondTyping.objects.filter(game=table.game).order_by("pk")
    found = list(rows.prefetch_related("rulings"))
    if not found:
        return
    stored = Hand.objects.filter(game=table.game, state="accepted")
    after = dict(stored.values_list("number", "revision"))
    is_gone = _with_unmatched(table.gone, table)
    for row, is_newest in _newest(found, _with_unmatched(table.back, table)):
        was, now_counts = before.get(row.number, 0), after.get(row.number, 0)
        held: Held = (row.typed, now_counts if row.revision == was else row.revision, row.agreed)
        if row.number >= table.exchanged_from:
            held = _exchanged(table, held)
        if is_gone(row.number):
            held = NEITHER
        if held != _held(row) or not is_newest:
            _add(row, held, was, now_counts, now)


def _with_unmatched(chosen: Sequence[Hand], table: ChangedTable) -> Callable[[int], bool]:
    """Return whether a hand is one of `chosen`, or later than them and not on the first sheet."""
    numbers = {hand.number for hand in chosen}
    there = {hand.number for hand in table.hands}
    return lambda number: (
        number in numbers or (bool(numbers) and number not in there and number > min(numbers))
    )


def _newest(
    rows: Sequence[SecondTyping], is_back: Callable[[int], bool]
) -> list[tuple[SecondTyping, bool]]:
    """Return of each hand what each person typed last, in the order of typing.

    Of a hand that comes back and was not typed again meanwhile, it is what was typed before the
    hand was deleted; that is not the newest row of its hand any more.
    """
    newest = {row.number: row for row in rows}
    found: dict[tuple[int, int | None], tuple[SecondTyping, bool]] = {}
    for row in rows:
        comes_back = is_back(row.number) and _held(newest[row.number]) == NEITHER
        if not comes_back:
            found[row.number, row.by_id] = row, True
        elif _held(row) != NEITHER:
            found[row.number, row.by_id] = row, False
    return sorted(found.values(), key=lambda one: one[0].pk)


def _held(row: SecondTyping) -> Held:
    return row.typed, row.revision, row.agreed


def _exchanged(table: ChangedTable, held: Held) -> Held:
    """Return an entry with the seats exchanged, if people took their scores along.

    One that cannot be divided between the seats of a side is to be typed again.
    """
    typed, revision, agreed = held
    if not table.exchanged or typed is None:
        return held
    try:
        entry = exchanged_entry(table, typed)
    except NotBySeat:
        return NEITHER
    return entry, revision, agreed


def _add(row: SecondTyping, held: Held, was: int, counts: int, now: datetime) -> None:
    """Add what a second typing holds now, and the decision that was made for it."""
    typed, revision, agreed = held
    added = SecondTyping.objects.create(
        club_id=row.club_id,
        game_id=row.game_id,
        number=row.number,
        typed=typed,
        board=None if typed is None else row.board,
        revision=revision,
        agreed=agreed,
        by_id=row.by_id,
        by_as=row.by_as,
        at=now if held == NEITHER else row.at,
    )
    made = max(row.rulings.all(), key=lambda one: one.pk, default=None)
    if held == NEITHER or made is None or made.revision != was:
        return
    Ruling.objects.create(
        club_id=made.club_id,
        second=added,
        stands=made.stands,
        revision=counts,
        reason=made.reason,
        by_id=made.by_id,
        by_as=made.by_as,
        at=made.at,
    )
