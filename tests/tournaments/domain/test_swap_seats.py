"""Two seats of an entry exchanged: the example of docs/algorithms/seating.md."""

from tests.support.sources import ROOT
from tournaments.domain.seating_runs import exchange_entry_seats


def test_hand_of_the_seating_page_follows_its_people() -> None:
    page = (ROOT / "docs" / "algorithms" / "seating.md").read_text(encoding="utf-8")
    assert "seats 1 and 2 of one table swapped after hand 2 (3, 10, 0, 13)" in page
    assert "the hand becomes 10, 3, 0, 13" in page
    entry = {"points": [3, 10, 0, 13], "shooter": None}
    assert exchange_entry_seats(entry, [(0, 1)], seats=4, sides=())["points"] == [10, 3, 0, 13]
