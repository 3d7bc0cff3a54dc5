"""Adding imported hands to a table that the event has already."""

from collections.abc import Mapping, Sequence

from scoring.entry.typed_hand import form_of
from tournaments.domain.imports.imported_sheet import TypedHand, TypedSheet
from tournaments.models.hands import Entry, Game, Hand, Source
from tournaments.models.meetings import Seat, Sitting
from tournaments.selectors.hands.game_for_update import game_now
from tournaments.services.hands.apply_game import apply_game
from tournaments.services.imports.existing_tables import ExistingTable, runs_of
from tournaments.services.imports.rows.bulk_rows import Signature
from tournaments.services.imports.table_states import note_game

AGAIN = "Imported again after an undone import."


def extend_table(
    *,
    there: ExistingTable,
    sheet: TypedSheet,
    taken: Sequence[TypedHand],
    snapshot_id: int,
    signature: Signature,
    boards: Mapping[int, int],
) -> None:
    """Add hands to a table that the event has already, the way single entries do.

    A hand that went when an earlier import was undone comes back as its next revision. The caller
    holds the game, and the sums of everybody at the table.

    Args:
        boards: number of a board → its row.
    """
    game = Game.objects.select_related("event", "table__round").get(pk=there.game.pk)
    note_game(signature.batch_id, game)
    if not there.hands and game.snapshot_id != snapshot_id:
        game.snapshot_id = snapshot_id  # an emptied table may come back under other rules
        game.save(update_fields=["snapshot"])
    for hand in taken:
        row = _row(game, there, hand.number)
        row.hands = hand.hands
        row.board_id = boards.get(hand.board or 0)
        row.entry = Entry.objects.create(
            club_id=game.club_id,
            hand=row,
            revision=row.revision,
            form=form_of(hand.entry),
            typed=hand.entry,
            key=result_key(hand.key, row.revision),
            source=Source.IMPORT,
            reason=AGAIN if row.revision > 1 else "",
            batch_id=signature.batch_id,
            entered_by_id=signature.user_id,
            entered_as=signature.name,
            entered_at=signature.now,
        )
        row.state = "accepted"
        row.save(update_fields=["entry", "revision", "state", "hands", "board"])
    seats = list(Seat.objects.filter(table_id=game.table_id).order_by("number"))
    _reseat(there, sheet, seats)
    apply_game(game=game, stored=game_now(game))
    if game.state in {"seated", "playing", "abandoned"}:
        Game.objects.filter(pk=game.pk).update(state="complete")


def result_key(key: str | None, revision: int) -> str | None:
    """Return the key of an entry that comes again as a later revision: each has its own.

    >>> result_key("result:G087", 1), result_key("result:G087", 3)
    ('result:G087', 'result:G087~3')
    """
    return key if key is None or revision == 1 else f"{key}~{revision}"


def _row(game: Game, there: ExistingTable, number: int) -> Hand:
    """Return the row of a hand with the number of the revision that it is about to have."""
    if number not in there.undone:
        return Hand.objects.create(club_id=game.club_id, game=game, number=number, revision=1)
    row = Hand.objects.get(pk=there.undone[number])
    row.revision += 1
    return row


def _reseat(there: ExistingTable, sheet: TypedSheet, seats: Sequence[Seat]) -> None:
    """Bring the sittings in line with who sat in the hands of the event and of the sheet."""
    sat = {**sheet.sat, **there.sat()}
    runs = runs_of(sat, len(seats))
    if sorted(runs, key=str) == sorted(there.runs, key=str):
        return
    Sitting.objects.filter(seat__in=seats).delete()
    Sitting.objects.bulk_create(
        [
            Sitting(
                club_id=seats[0].club_id,
                seat=seats[seat],
                round_id=there.game.table.round_id,
                player_id=player,
                from_hand=first,
                to_hand=last,
            )
            for seat, player, first, last in runs
        ]
    )
