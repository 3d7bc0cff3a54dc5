"""Somebody does not come to a table of a knock-out: the others go on, and it can be undone."""

from collections.abc import Callable

import pytest

from scoring.errors import Refused
from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import Cast
from tests.support.scenarios.cuts import NAMES
from tournaments.errors import Conflict, Missing
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event, Stage
from tournaments.models.hands import Game
from tournaments.models.playoffs import WalkOver
from tournaments.models.rounds import Round, SitOut, Sitting, Table
from tournaments.models.standings import Change
from tournaments.selectors.playoffs.bracket import bracket_of
from tournaments.selectors.rounds.tables import decided_by_walk_over
from tournaments.selectors.stages import get_stage
from tournaments.services.stages.plan_stages import change_stage
from tournaments.services.stages.walk_overs import record_walk_over, undo_walk_over

pytestmark = pytest.mark.both_databases


@pytest.fixture
def event(cast: Cast) -> Event:
    """A knock-out of eight whose first round is posted."""
    people = players(cast.riverside, *NAMES)
    event = league(cast.riverside)
    fields = {"movement": "knockout", "name": "Cup"}
    change_stage(by_tests(), get_stage(event, 1), fields=fields)
    table(event, people[:4])
    table(event, people[4:], table_number=2)
    return event


def game(event: Event, code: str = "r1t1") -> Game:
    return Game.objects.select_related("table__round", "club").get(table__code=code)


def walk_over(event: Event, code: str, at: str = "r1t1") -> WalkOver:
    return record_walk_over(by_tests(), game(event, at), entrant=code, reason="Did not come.")


def seated(at: str = "r1t1") -> list[str]:
    rows = Sitting.objects.filter(seat__table__code=at, to_hand__isnull=True)
    return list(rows.order_by("seat__number").values_list("player__player_id", flat=True))


def test_three_who_are_left_play_at_the_table(event: Event) -> None:
    walk_over(event, "RL02")
    assert seated() == ["RL01", "RL03", "RL04"]
    assert game(event).state == "seated"
    assert not decided_by_walk_over(Round.objects.get())
    assert SitOut.objects.get().reason == "left"
    assert Change.objects.order_by("pk").last().kind == "walk_over"  # type: ignore[union-attr]
    line = AuditLine.objects.order_by("number").last()
    assert line is not None
    assert (line.act, line.facts["entrant"]) == ("walk_over", "RL02")
    hand(game(event), 1, [4, 5, 4], 1)
    (round_,) = bracket_of(event, 1)["rounds"]
    shown = [
        (entrant["entrant_id"], entrant["walk_over"]) for entrant in round_["tables"][0]["entrants"]
    ]
    assert shown[-1] == ("RL02", True)
    assert len(shown) == 4


def test_table_of_which_all_others_go_on_is_not_played(event: Event) -> None:
    walk_over(event, "RL02")
    walk_over(event, "RL03")
    assert (game(event).state, Round.objects.get().state) == ("abandoned", "playing")
    assert decided_by_walk_over(Round.objects.get()) == {"r1t1"}
    assert seated() == ["RL01", "RL03", "RL04"]
    with pytest.raises(Conflict, match="walk_over_recorded"):
        walk_over(event, "RL03")
    walk_over(event, "RL01")
    with pytest.raises(Conflict, match="nobody_goes_on"):
        walk_over(event, "RL04")


def test_table_with_hands_ends_with_them(event: Event) -> None:
    hand(game(event), 1, [1, 3, 5, 4], 3)
    walk_over(event, "RL01")
    assert game(event).state == "abandoned"
    assert seated() == ["RL01", "RL02", "RL03", "RL04"]
    with pytest.raises(Conflict, match="table_has_hands"):
        undo_walk_over(by_tests(), game(event), entrant="RL01", reason="No.")
    assert WalkOver.objects.count() == 1


def test_walk_over_is_undone(event: Event) -> None:
    walk_over(event, "RL02")
    walk_over(event, "RL03")
    for code in ("RL03", "RL02"):
        undo_walk_over(by_tests(), game(event), entrant=code, reason="Came.")
    assert sorted(seated()) == ["RL01", "RL02", "RL03", "RL04"]
    assert (game(event).state, SitOut.objects.count(), WalkOver.objects.count()) == ("seated", 0, 0)
    with pytest.raises(Refused, match="no_walk_over"):
        undo_walk_over(by_tests(), game(event), entrant="RL02", reason="Again.")


def test_first_of_two_walk_overs_is_undone_and_three_play(event: Event) -> None:
    walk_over(event, "RL02")
    walk_over(event, "RL03")
    undo_walk_over(by_tests(), game(event), entrant="RL02", reason="Came.")
    assert (game(event).state, sorted(seated())) == ("seated", ["RL01", "RL02", "RL04"])
    row = WalkOver.objects.select_related("entrant").get()
    assert (row.entrant.code, row.took_seat) == ("RL03", True)


@pytest.mark.parametrize(
    ("operation", "code"),
    [
        (lambda: Round.objects.all().delete(), "round"),
        (lambda: Event.objects.update(state="closed"), "event_is_over"),
        (lambda: Round.objects.update(state="draft"), "round_is_draft"),
        (lambda: Round.objects.update(state="closed"), "round_is_closed"),
        (lambda: Stage.objects.update(kind="swiss"), "not_in_a_knockout"),
    ],
)
def test_round_that_is_not_played_has_no_walk_overs(
    event: Event, operation: Callable[[], object], code: str
) -> None:
    at_table = game(event)
    operation()
    for change in (record_walk_over, undo_walk_over):
        with pytest.raises((Conflict, Missing), match=code):
            change(by_tests(), at_table, entrant="RL01", reason="Did not come.")
    assert not WalkOver.objects.exists()


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"primary": "placement_points", "placement": {}}, "size_without_list"),
        ({"primary": "raw_per_hand", "mixed_raw": False}, "sizes_not_mixed"),
    ],
)
def test_table_of_three_fits(event: Event, settings: dict[str, object], code: str) -> None:
    Table.objects.filter(code="r1t2").delete()
    usual = event.settings
    Event.objects.update(settings={**usual, **settings})
    with pytest.raises(Refused, match=code):
        walk_over(event, "RL02")
    Event.objects.update(settings=usual)
    walk_over(event, "RL02")
    Event.objects.update(settings={**usual, **settings})
    with pytest.raises(Refused, match=code):
        undo_walk_over(by_tests(), game(event), entrant="RL02", reason="Came.")


@pytest.mark.parametrize(("reason", "code"), [(" ", "reason_required"), ("x" * 501, "bad_text")])
def test_walk_over_needs_a_reason(event: Event, reason: str, code: str) -> None:
    for change in (record_walk_over, undo_walk_over):
        with pytest.raises(Refused, match=code):
            change(by_tests(), game(event), entrant="RL01", reason=reason)


def test_what_does_not_fit_is_refused_and_nothing_is_written(event: Event, cast: Cast) -> None:
    with pytest.raises(Refused, match="not_at_this_table"):
        walk_over(event, "RL05")
    assert not WalkOver.objects.exists()
    assert seated() == ["RL01", "RL02", "RL03", "RL04"]
