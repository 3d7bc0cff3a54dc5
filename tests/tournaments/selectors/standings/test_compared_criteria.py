"""What was asked before the tie-break that separated two rows, in sentences."""

from typing import cast

from tournaments.domain.standings.criteria import compared_criteria
from tournaments.domain.standings.standings_documents import StandingsDocumentRow


def _row(**members: object) -> StandingsDocumentRow:
    values = {"placement_points": "1"}
    return cast("StandingsDocumentRow", {"values": values, "decided_by": None, **members})


def test_knock_out_asks_no_tie_breaks_of_two_who_are_out() -> None:
    chain, primary = ["wins", "index"], "placement_points"
    assert compared_criteria(_row(), _row(), chain, primary)
    out = _row(reason_facts={"knocked_out": {"reason": "tied_place"}})
    assert compared_criteria(_row(), out, chain, primary) == ()


def test_criterion_that_ranks_already_is_named() -> None:
    row = _row(values={"wins": "2", "countback": "2-0-0-0"})
    assert compared_criteria(row, row, ["wins", "countback"], "wins") == (
        "Equal: countback.",
        "No effect: tables won (it ranks already).",
    )


def test_criteria_in_which_those_of_a_play_off_differ_are_not_said_to_be_equal() -> None:
    """A play-off for the title comes before every criterion."""
    first = _row(values={"placement_points": "1", "wins": "2", "index": "3"}, decided_by="playoff")
    second = _row(values={"placement_points": "1", "wins": "1", "index": "3"}, decided_by="playoff")
    assert compared_criteria(first, second, ["wins", "index"], "placement_points") == (
        "Equal: index.",
    )
