"""Adding imported hands to a table that the event has already."""

from collections.abc import Sequence

from scoring.typed import Typed
from tournaments.models.hands import Entry, Game, Hand, Source
from tournaments.models.meetings import Seat, Sitting
from tournaments.services.import_rows import Signature
from tournaments.services.rule_sets import rules_of
from tournaments.services.settling import settle_game
from tournaments.services.tables_there import TableThere, runs_of
from tournaments.services.typed_sheets import TypedHand, TypedSheet


def grow_table(
    *,
    there: TableThere,
    sheet: TypedSheet,
    taken: Sequence[tuple[TypedHand, Typed]],
    signature: Signature,
) -> None:
    """Add hands to a table that the event has already, the way single entries do."""
    game = (
        Game.objects.select_for_update(of=("self",)).select_related("event").get(pk=there.game.pk)
    )
    for hand, typed in taken:
        row = Hand.objects.create(club_id=game.club_id, game=game, number=hand.number, revision=1)
        row.entry = Entry.objects.create(
            club_id=game.club_id,
            hand=row,
            revision=1,
            form=typed.form,
            typed=hand.entry,
            source=Source.IMPORT,
            batch_id=signature.batch_id,
            entered_by_id=signature.user_id,
            entered_as=signature.name,
            entered_at=signature.now,
        )
        row.save(update_fields=["entry"])
    seats = list(Seat.objects.filter(table_id=game.table_id).order_by("number"))
    _reseat(there, sheet, seats)
    settle_game(game=game, rules=rules_of(there.game.snapshot), seats=seats)
    if game.state in {"seated", "playing"}:
        Game.objects.filter(pk=game.pk).update(state="complete")


def _reseat(there: TableThere, sheet: TypedSheet, seats: Sequence[Seat]) -> None:
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
