"""Take along what belongs to hands that go to another table: problems, second entries, photos."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tournaments.models.hands import Dispute, DisputeState, Game, Hand, Ruling, SecondTyping
from tournaments.models.rounds import SheetPhoto, Table
from tournaments.services.db.bulk import next_number
from tournaments.services.operations import Operation


@dataclass(frozen=True, slots=True)
class MovedHand:
    """A hand as it was before the move, and its place afterwards."""

    origin: Hand
    game: Game
    number: int


@dataclass(frozen=True, slots=True)
class PhotoMove:
    """A photo of a sheet, and the table to which it goes."""

    photo: SheetPhoto
    table: Table


def carry_disputes(moved: Sequence[MovedHand]) -> None:
    """Point the open disputes of moved hands to these hands at their new tables."""
    rows = Dispute.objects.filter(
        hand__in=[one.origin.pk for one in moved], state=DisputeState.OPEN
    )
    disputes: dict[int, list[int]] = {}
    for pk, hand in rows.values_list("pk", "hand"):
        disputes.setdefault(hand, []).append(pk)
    if not disputes:
        return
    stored = _stored_hands(moved)
    for one in moved:
        now = stored[one.game.pk, one.number]
        Dispute.objects.filter(pk__in=disputes.get(one.origin.pk, ())).update(
            hand=now, revision=now.revision
        )


def _stored_hands(moved: Sequence[MovedHand]) -> dict[tuple[int, int], Hand]:
    hands = Hand.objects.filter(game__in={one.game.pk for one in moved})
    return {(hand.game_id, hand.number): hand for hand in hands}


def carry_second_entries(
    op: Operation, moved: Sequence[MovedHand], touched: Mapping[int, Sequence[int]]
) -> None:
    """Have the second entries of moved hands follow them; they are stored by now.

    A number that nothing comes to has no second entry afterwards.

    Args:
        touched: by game, the numbers at which something else stands now.
    """
    rows = SecondTyping.objects.filter(game__in=touched).order_by("pk").prefetch_related("rulings")
    newest = {(row.game_id, row.number): row for row in rows}
    if not newest:
        return
    stored = _stored_hands(moved)
    came = {(one.game.pk, one.number): one.origin for one in moved}
    for game, numbers in touched.items():
        for number in numbers:
            origin = came.get((game, number))
            row = newest.get((origin.game_id, origin.number)) if origin is not None else None
            if row is not None and origin is not None:
                _carry(row, origin, stored[game, number])
            elif (game, number) in newest:
                _clear(op, newest[game, number])


def _carry(row: SecondTyping, origin: Hand, now: Hand) -> None:
    """Store a second entry at the hand's new place, with its decision if that still stands."""
    is_of_newest = row.revision == origin.revision
    carried = SecondTyping.objects.create(
        club_id=row.club_id,
        game_id=now.game_id,
        number=now.number,
        typed=row.typed,
        board=row.board,
        revision=now.revision if is_of_newest else 0,
        agreed=row.agreed,
        by_id=row.by_id,
        by_as=row.by_as,
        at=row.at,
    )
    decision = max(row.rulings.all(), key=lambda ruling: ruling.pk, default=None)
    if decision is None or decision.revision != origin.revision:
        return
    Ruling.objects.create(
        club_id=decision.club_id,
        second=carried,
        stands=decision.stands,
        revision=now.revision,
        reason=decision.reason,
        by_id=decision.by_id,
        by_as=decision.by_as,
        at=decision.at,
    )


def _clear(op: Operation, row: SecondTyping) -> None:
    """Store that neither sheet has this hand."""
    SecondTyping.objects.create(
        club_id=row.club_id,
        game_id=row.game_id,
        number=row.number,
        typed=None,
        revision=0,
        agreed=True,
        by_id=row.by_id,
        by_as=row.by_as,
        at=op.now,
    )


def photos_of_sheets(source: Table, target: Table, *, is_exchange: bool) -> list[PhotoMove]:
    """Return the photos that go with a whole sheet, and with its exchange those that come."""
    photos = SheetPhoto.objects.filter(removed_at=None).order_by("number").select_related("table")
    moves = [PhotoMove(photo, target) for photo in photos.filter(table=source)]
    if is_exchange:
        moves += [PhotoMove(photo, source) for photo in photos.filter(table=target)]
    return moves


def photos_to_return(
    tables: Mapping[str, Table], moved: Sequence[tuple[str, int, str, int]]
) -> list[PhotoMove]:
    """Return the way back of photos that `carry_photos` moved, as far as they are still there."""
    photos = SheetPhoto.objects.filter(removed_at=None, table__in=tables.values())
    at_now = {(photo.table.code, photo.number): photo for photo in photos.select_related("table")}
    return [
        PhotoMove(at_now[code, number], tables[from_code])
        for from_code, _, code, number in moved
        if (code, number) in at_now
    ]


def carry_photos(moves: Sequence[PhotoMove]) -> list[tuple[str, int, str, int]]:
    """Give photos to their new tables; return code and number of each there before, and now."""
    moved = []
    for move in moves:
        photo = move.photo
        before = (photo.table.code, photo.number)
        photo.number = next_number(SheetPhoto.objects.filter(table=move.table))
        photo.table = move.table
        photo.save(update_fields=["table", "number"])
        moved.append((*before, move.table.code, photo.number))
    return moved
