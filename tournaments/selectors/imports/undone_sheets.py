"""The hands that went when an import was undone, as sheets: as typed last, and who sat there."""

from collections.abc import Iterator

from tournaments.models.clubs import Player
from tournaments.models.events import Snapshot
from tournaments.models.imports import ImportBatch, UndoneHand
from tournaments.selectors.hands.played_hands import EnteredHand, Under, choice_of, shooter_of
from tournaments.selectors.hands.totals_only import TOTALS
from tournaments.selectors.imports.imports import undone_hands


def undone_under(batch: ImportBatch) -> Under:
    """Return the rules that the undone hands of an import were played by."""
    used: dict[int, set[int]] = {}
    rows = UndoneHand.objects.filter(batch=batch).values_list("snapshot", "players")
    for snapshot, players in rows:
        used.setdefault(snapshot, set()).add(len(players))
    found = Snapshot.objects.filter(pk__in=used).order_by("pk")
    return {one.pk: (one, frozenset(used[one.pk])) for one in found}


def undone_totals(batch: ImportBatch) -> bool:
    """Whether a sheet of totals only went when an import was undone."""
    return undone_hands(batch).exclude(state="void").filter(number=TOTALS).exists()


def undone_played(batch: ImportBatch) -> Iterator[EnteredHand]:
    """Yield the hands that were undone, as they were entered last, in the order of their sheets.

    Hands that had been deleted before are left out.
    """
    names = dict(Player.objects.filter(club=batch.club_id).values_list("player_id", "name"))
    for hand in undone_hands(batch).exclude(state="void"):
        last = hand.revisions[-1]
        yield EnteredHand(
            hand.day, hand.round, hand.table, hand.number, hand.snapshot_id, len(hand.players),
            last["entry"], shooter_of(last.get("moon")), choice_of(last.get("moon")),
            tuple((code, names.get(code, "")) for code in hand.players), hand.hands,
            last.get("board"),
        )  # fmt: skip
