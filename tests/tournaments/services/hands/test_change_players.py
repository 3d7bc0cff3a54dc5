"""Changing who played: scores stay with the seats, follow the people, or do not count; and undo."""

from typing import Any

import pytest

from scoring.errors import Refused
from tests.support.builders import by_tests, counts, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.module_scope import made_once
from tournaments.errors import Conflict, Forbidden
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Entry, Game, Hand
from tournaments.models.rounds import SitOut, Sitting
from tournaments.models.standings import Aggregate, Change
from tournaments.selectors.rounds.tables import table_seating
from tournaments.services.events.adjustments import sit_out
from tournaments.services.events.events import enter_players
from tournaments.services.hands.change_players import change_players, undo_players
from tournaments.services.hands.close_tables import move_game
from tournaments.services.hands.disputes import file_disputed
from tournaments.services.hands.plan_player_changes import ChangedPlayers, PlayerChange
from tournaments.services.hands.record_entry import record_entry, record_totals
from tournaments.services.rounds.rounds import move_round
from tournaments.services.rounds.seating import seat_table
from tournaments.services.verification.event import verify_event

pytestmark = pytest.mark.both_databases

NAMES = ("Anna", "Bob", "Cleo", "Dirk", "Elsa", "Finn", "Gus", "Hedi", "Sid")


def make_event(cast: Cast) -> Event:
    return league(cast.riverside, settings={"primary": "raw_total"})


event_once, event = made_once("event", make_event)


def make_people(cast: Cast, event: Event) -> list[Player]:
    return players(cast.riverside, *NAMES)


people_once, people = made_once("people", make_people)


def make_game(event: Event, people: list[Player]) -> Game:
    """Anna, Bob, Cleo and Dirk have 2, 6, 3 and 15 in hand 1, and 5, 16, 4 and 1 in hand 2."""
    found = table(event, people[:4])
    hand(found, 1, [2, 6, 3, 2], queen=3)
    hand(found, 2, [5, 3, 4, 1], queen=1)
    return found


game_once, game = made_once("game", make_game)


def change(game: Game, act: str, seat: int, player_id: str, **more: Any) -> ChangedPlayers:
    tag = more.pop("tag", None)
    wanted = PlayerChange(act, seat, player_id, **more)
    return change_players(by_tests(), game, change=wanted, reason="Wrong seats.", tag=tag)


def points(event: Event) -> dict[str, tuple[int, int]]:
    """Hands and points of everybody who has any, by name."""
    rows = Aggregate.objects.filter(event=event, games__gt=0)
    found = rows.values_list("entrant__members__player__name", "hands", "points")
    return {name: (hands, total // 360360) for name, hands, total in found}


def seated(code: str) -> list[tuple[int, str, int, int | None]]:
    rows = Sitting.objects.filter(seat__table__code=code).order_by("seat__number", "from_hand")
    return list(rows.values_list("seat__number", "player__name", "from_hand", "to_hand"))


def same_when_counted_again(event: Event) -> bool:
    before = points(event)
    verification = verify_event(event, repair=True, now=NOW, report=lambda words: None)
    return verification.found.differences == [] and points(event) == before


def test_keep_gives_the_scores_to_who_sits_there_now(event: Event, game: Game) -> None:
    change(game, "swap", 1, "RL02")
    assert points(event) == {"Bob": (2, 7), "Anna": (2, 22), "Cleo": (2, 7), "Dirk": (2, 16)}
    assert [name for _, name, _, _ in seated("r1t1")] == ["Bob", "Anna", "Cleo", "Dirk"]
    assert Entry.objects.count() == 2
    assert same_when_counted_again(event)


def test_remap_takes_the_scores_along_to_the_other_seat(event: Event, game: Game) -> None:
    change(game, "swap", 1, "RL02", hands="remap")
    assert points(event) == {"Anna": (2, 7), "Bob": (2, 22), "Cleo": (2, 7), "Dirk": (2, 16)}
    assert [name for _, name, _, _ in seated("r1t1")] == ["Bob", "Anna", "Cleo", "Dirk"]
    first = Hand.objects.select_related("entry").get(number=1)
    assert first.entry is not None
    assert (first.revision, first.entry.typed) == (
        2, {"hearts": [6, 2, 3, 2], "taken": [[], [], [], ["QS"]]},
    )  # fmt: skip
    assert Entry.objects.get(hand=first, revision=1).typed["hearts"] == [2, 6, 3, 2]
    assert same_when_counted_again(event)


def test_void_deletes_the_hands_and_undo_restores_them(event: Event, game: Game) -> None:
    before = points(event), seated("r1t1")
    done = change(game, "replace", 1, "RL09", hands="void")
    assert points(event) == {}
    assert seated("r1t1")[0] == (1, "Sid", 1, None)
    undo_players(by_tests(), game, line=done.line, reason="A mistake.")
    assert (points(event), seated("r1t1")) == before
    assert same_when_counted_again(event)


@pytest.mark.parametrize("hands", ["remap", "void"])
def test_change_that_was_undone_is_not_undone_again_when_the_same_people_sit_there(
    event: Event, game: Game, hands: str
) -> None:
    def undo(line: int) -> int:
        return undo_players(by_tests(), game, line=line, reason="A mistake.").line

    before = points(event), seated("r1t1")
    first = change(game, "swap", 1, "RL02", hands=hands)
    undo(first.line)
    later = change(game, "swap", 1, "RL02")
    swapped = points(event), seated("r1t1")
    with pytest.raises(Conflict, match="change_undone"):
        undo(first.line)
    assert (points(event), seated("r1t1")) == swapped
    undo(undo(undo(later.line)))
    assert (points(event), seated("r1t1")) == before
    with pytest.raises(Conflict, match="change_undone"):
        undo(first.line)


def test_change_is_undone_after_those_that_came_later(event: Event, game: Game) -> None:
    before = points(event), seated("r1t1")
    first = change(game, "swap", 1, "RL02", hands="void")
    later = change(game, "replace", 3, "RL09")
    undo_players(by_tests(), game, line=later.line, reason="A mistake.")
    undo_players(by_tests(), game, line=first.line, reason="A mistake.")
    assert (points(event), seated("r1t1")) == before


def test_replacing_gives_the_hands_or_leaves_them_as_they_were(event: Event, game: Game) -> None:
    done = change(game, "replace", 2, "RL09")
    assert points(event)["Sid"] == (2, 22)
    assert "Bob" not in points(event)
    undo_players(by_tests(), game, line=done.line, reason="A mistake.")
    assert points(event)["Bob"] == (2, 22)
    change(game, "replace", 2, "RL09", hands="remap")
    assert seated("r1t1")[1:3] == [(2, "Bob", 1, 2), (2, "Sid", 3, None)]
    hand(game, 3, [0, 5, 4, 4], queen=0)
    assert (points(event)["Bob"], points(event)["Sid"]) == ((2, 22), (1, 5))
    assert same_when_counted_again(event)


def test_newcomer_without_a_hand_has_no_wrong_totals_where_games_are_dropped(cast: Cast) -> None:
    event = league(cast.riverside, slug="dropping", settings={"drop_worst": 1})
    people = players(cast.riverside, *NAMES)
    game = table(event, people[:4])
    hand(game, 1, [2, 6, 3, 2], queen=3)
    change(game, "substitute", 2, people[8].player_id, from_hand=2)
    assert same_when_counted_again(event)


def test_substitute_plays_from_a_hand_on(event: Event, game: Game) -> None:
    change(game, "substitute", 2, "RL09", from_hand=2)
    assert (points(event)["Bob"], points(event)["Sid"]) == ((1, 6), (1, 16))
    sitting = Sitting.objects.get(player__name="Sid")
    assert sitting.substitute_for is not None
    assert sitting.substitute_for.name == "Bob"
    assert same_when_counted_again(event)


def test_swap_with_a_substitute_leaves_earlier_hands_as_played(event: Event, game: Game) -> None:
    change(game, "substitute", 1, "RL09", from_hand=2)
    done = change(game, "swap", 1, "RL02")
    assert seated("r1t1")[:4] == [
        (1, "Anna", 1, 1), (1, "Bob", 2, None), (2, "Bob", 1, 1), (2, "Sid", 2, None),
    ]  # fmt: skip
    assert points(event) == {
        **{"Anna": (1, 2), "Bob": (2, 11), "Sid": (1, 16)},
        **{"Cleo": (2, 7), "Dirk": (2, 16)},
    }
    substitutes = Sitting.objects.filter(substitute_for__isnull=False)
    assert list(substitutes.values_list("player__name", "substitute_for__name")) == [
        ("Sid", "Anna")
    ]
    assert same_when_counted_again(event)
    undo_players(by_tests(), game, line=done.line, reason="A mistake.")
    assert seated("r1t1")[:3] == [(1, "Anna", 1, 1), (1, "Sid", 2, None), (2, "Bob", 1, None)]


@pytest.mark.parametrize("first", [1, 2])
@pytest.mark.parametrize("hands", ["keep", "void"])
def test_second_substitute_before_the_first_one_came_is_refused(
    event: Event, game: Game, first: int, hands: str
) -> None:
    change(game, "substitute", 2, "RL09", from_hand=3)
    before = points(event), seated("r1t1")
    with pytest.raises(Refused) as refused:
        change(game, "substitute", 2, "RL08", from_hand=first, hands=hands)
    (problem,) = refused.value.problems
    assert (problem.code, problem.at) == ("bad_from_hand", ("from_hand",))
    assert problem.facts == {"found": first, "expected": "3"}
    assert (points(event), seated("r1t1")) == before


def test_second_substitute_takes_over_at_the_hand_at_which_the_first_one_came(
    event: Event, game: Game
) -> None:
    change(game, "substitute", 2, "RL09", from_hand=2)
    change(game, "substitute", 2, "RL08", from_hand=2)
    assert seated("r1t1")[1:3] == [(2, "Bob", 1, 1), (2, "Hedi", 2, None)]
    change(game, "substitute", 2, "RL07", from_hand=3)
    assert seated("r1t1")[2:4] == [(2, "Hedi", 2, 2), (2, "Gus", 3, None)]


@pytest.mark.parametrize(("seat", "player_id"), [(1, "RL09"), (2, "RL01")])
def test_swap_from_a_hand_before_one_of_the_two_came_is_refused(
    event: Event, game: Game, seat: int, player_id: str
) -> None:
    change(game, "substitute", 2, "RL09", from_hand=3)
    before = seated("r1t1")
    with pytest.raises(Refused, match="bad_from_hand"):
        change(game, "swap", seat, player_id, from_hand=2)
    assert seated("r1t1") == before
    change(game, "swap", seat, player_id, from_hand=3)
    assert seated("r1t1")[:4] == [
        (1, "Anna", 1, 2), (1, "Sid", 3, None), (2, "Bob", 1, 2), (2, "Anna", 3, None),
    ]  # fmt: skip


def test_swap_with_a_table_from_a_hand_before_the_player_came_is_refused(
    event: Event, game: Game, people: list[Player]
) -> None:
    table(event, people[4:8], table_number=2)
    change(game, "substitute", 2, "RL09", from_hand=3)
    with pytest.raises(Refused, match="bad_from_hand"):
        change(game, "swap", 2, "RL05", from_hand=2)
    change(game, "swap", 2, "RL05", from_hand=3)
    assert (2, "Elsa", 3, None) in seated("r1t1")


@pytest.mark.parametrize(
    ("hands", "anna", "elsa"),
    [("keep", (1, 4), (2, 7)), ("remap", (2, 7), (1, 4)), ("void", None, None)],
)
def test_two_people_of_two_tables_swap(
    event: Event, game: Game, people: list[Player], hands: str, anna: object, elsa: object
) -> None:
    other = table(event, people[4:8], table_number=2)
    hand(other, 1, [4, 3, 3, 3], queen=2)
    before = points(event), seated("r1t1"), seated("r1t2")
    done = change(game, "swap", 1, "RL05", hands=hands)
    assert (points(event).get("Anna"), points(event).get("Elsa")) == (anna, elsa)
    assert seated("r1t1")[-4 if hands != "remap" else 1][1] == "Elsa"
    assert same_when_counted_again(event)
    assert Change.objects.filter(kind="change_players").count() == 2
    undo_players(by_tests(), other, line=done.line + 1, reason="A mistake.")
    assert (points(event), seated("r1t1"), seated("r1t2")) == before


def test_refusals_name_people_tables_steps(event: Event, game: Game, people: list[Player]) -> None:
    table(event, people[4:8], table_number=2)
    with pytest.raises(Conflict) as elsewhere:
        change(game, "replace", 1, "RL05")
    assert elsewhere.value.problem.code == "player_already_seated"
    assert elsewhere.value.problem.facts["player"] == "Elsa"
    assert elsewhere.value.problem.facts["table"] == 2
    with pytest.raises(Conflict) as here:
        change(game, "replace", 1, "RL02")
    assert (here.value.problem.code, here.value.problem.facts["seat"]) == ("player_sits_here", 2)
    with pytest.raises(Refused, match="nobody_to_swap"):
        change(game, "swap", 1, "RL09")
    with pytest.raises(Refused, match="same_person"):
        change(game, "swap", 1, "RL01")
    with pytest.raises(Conflict) as again:
        seat_table(by_tests(), event, round_number=1, players=[people[8], *people[1:4]])
    assert again.value.problem.facts["table"] == 1


def test_who_looked_before_somebody_else_changed_is_told(event: Event, game: Game) -> None:
    tag = table_seating(event, "r1t1")["tag"]
    change(game, "swap", 1, "RL02", tag=tag)
    with pytest.raises(Conflict, match="seating_outdated"):
        change(game, "swap", 3, "RL04", tag=tag)
    assert points(event)["Cleo"] == (2, 7)


def test_change_begins_at_a_hand_of_the_game_or_soon_after(game: Game) -> None:
    """Two hands are in; a substitute for a hand to come is fine, one for hand 999 a slip."""
    with pytest.raises(Refused) as refused:
        change(game, "substitute", 1, "RL09", from_hand=999)
    assert refused.value.problems[0].facts == {"found": 999, "expected": "1 to 43"}
    change(game, "substitute", 2, "RL08", from_hand=9)
    move_game(by_tests(), game, to="complete")
    with pytest.raises(Refused) as refused:
        change(game, "substitute", 1, "RL09", from_hand=4)
    assert refused.value.problems[0].facts["expected"] == "1 to 3"


def test_nobody_comes_to_a_finished_table_for_hands_never_played(event: Event, game: Game) -> None:
    """With remap the scores stay with who leaves; who comes would win a game without a hand."""
    change(game, "replace", 1, "RL09", hands="remap")
    move_game(by_tests(), game, to="complete")
    before = seated("r1t1")
    with pytest.raises(Refused, match="no_hands_to_come"):
        change(game, "replace", 2, "RL08", hands="remap")
    assert seated("r1t1") == before
    change(game, "replace", 2, "RL08")
    change(game, "swap", 3, "RL04", hands="remap")


def test_totals_are_not_divided(event: Event, people: list[Player]) -> None:
    game = table(event, people[:4])
    record_totals(
        by_tests(), game, entry={"points": [40, 50, 60, 110]}, source="host", hands=10,
    )  # fmt: skip
    for act, more in (("replace", {"hands": "remap"}), ("substitute", {"from_hand": 4})):
        with pytest.raises(Refused, match="totals_not_divided"):
            change(game, act, 1, "RL09", **more)
    change(game, "swap", 1, "RL04", hands="remap")
    assert points(event)["Anna"] == (10, 40)
    change(game, "swap", 1, "RL01")
    assert points(event)["Anna"] == (10, 110)
    assert same_when_counted_again(event)


def test_after_closing_only_who_may_correct_does_it(cast: Cast, event: Event, game: Game) -> None:
    move_game(by_tests(), game, to="complete")
    move_round(by_tests(), game.table.round, to="closed")
    with pytest.raises(Forbidden):
        change_players(
            cast.operation("hanna"), game, change=PlayerChange("swap", 1, "RL02"),
            reason="Wrong.",
        )  # fmt: skip
    change_players(
        cast.operation("dirk"), game, change=PlayerChange("swap", 1, "RL02"),
        reason="Wrong.",
    )  # fmt: skip
    line = Change.objects.get(kind="change_players")
    assert (line.table, line.by, line.reason) == ("r1t1", "director", "Wrong.")
    assert line.facts["moves"] == [
        {"table": "r1t1", "seat": 1, "from": "RL01", "to": "RL02", "from_hand": 1},
        {"table": "r1t1", "seat": 2, "from": "RL02", "to": "RL01", "from_hand": 1},
    ]


def test_abandoned_table_whose_hands_do_not_count_sets_its_people_free(
    event: Event, game: Game, people: list[Player]
) -> None:
    move_game(by_tests(), game, to="abandoned", reason="Fire.", hands_count=False)
    other = seat_table(by_tests(), event, round_number=1, players=[*people[:3], people[8]])
    hand(other, 1, [2, 6, 3, 2], queen=3)
    assert points(event)["Anna"] == (1, 2)
    with pytest.raises(Conflict, match="players_sit_elsewhere"):
        record_entry(
            by_tests(), game, number=1, entry={"hearts": [2, 6, 3, 2], "taken": []},
            source="host", based_on=1, reason="It counts.",
        )  # fmt: skip
    assert same_when_counted_again(event)


def test_player_who_sat_out_is_seated_and_sits_out_no_more(
    event: Event, game: Game, people: list[Player]
) -> None:
    enter_players(event=event, players=people[8:9])
    sit_out(by_tests(), game.table.round, entrant="RL09", reason="bye")
    change(game, "replace", 1, "RL09")
    assert seated("r1t1")[0] == (1, "Sid", 1, None)
    assert not SitOut.objects.exists()


def test_undo_seats_nobody_who_sits_out_by_now(event: Event, game: Game) -> None:
    done = change(game, "replace", 1, "RL09")
    sit_out(by_tests(), game.table.round, entrant="RL01", reason="late")
    with pytest.raises(Conflict, match="entrant_sits_out"):
        undo_players(by_tests(), game, line=done.line, reason="A mistake.")
    assert seated("r1t1")[0] == (1, "Sid", 1, None)


def test_undo_restores_a_hand_with_a_wrong_total_as_disputed(event: Event, game: Game) -> None:
    file_disputed(
        by_tests(), game, number=3, entry=counts([1, 1, 1, 1], 0), key=None,
        reason="Nine hearts are missing.",
    )  # fmt: skip
    before = points(event)
    done = change(game, "replace", 1, "RL09", hands="void")
    assert {hand.state for hand in Hand.objects.all()} == {"void"}
    again = undo_players(by_tests(), game, line=done.line, reason="A mistake.")
    states = Hand.objects.order_by("number").values_list("state", flat=True)
    assert (list(states), points(event)) == (["accepted", "accepted", "disputed"], before)
    assert same_when_counted_again(event)
    undo_players(by_tests(), game, line=again.line, reason="It was right.")
    assert {hand.state for hand in Hand.objects.all()} == {"void"}
