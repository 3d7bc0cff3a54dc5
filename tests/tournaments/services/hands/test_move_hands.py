"""Hands at the wrong table: given to the right one, or two sheets exchanged; and undone."""

import pytest

from scoring.errors import Refused
from tests.support.builders import by_tests, counts, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.module_scope import made_once
from tests.support.webhooks import HOOK
from tournaments.errors import Conflict, Forbidden
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Player
from tournaments.models.events import Event, Stage, StageKind
from tournaments.models.hands import Dispute, Entry, Game, Hand, SecondTyping
from tournaments.models.rounds import Round, SheetPhoto, Sitting
from tournaments.models.standings import Aggregate, Change
from tournaments.models.webhooks import WebhookEvent
from tournaments.selectors.hands.double_entry import double_entry_of_table
from tournaments.selectors.rounds.moved_hands import find_newest_move
from tournaments.services.audit.audit import note_change
from tournaments.services.boards import deal_boards
from tournaments.services.events.change_event import change_settings
from tournaments.services.hands.close_tables import move_game
from tournaments.services.hands.disputes import file_disputed, open_dispute
from tournaments.services.hands.double_entry import SecondEntry, enter_again
from tournaments.services.hands.move_hands import (
    MovedHands,
    move_hands,
    undo_move,
    undo_problem,
)
from tournaments.services.hands.record_entry import record_entry, record_totals
from tournaments.services.hands.void_hand import undo_hand, void_hand
from tournaments.services.operations import Operation
from tournaments.services.verification.event import verify_event
from tournaments.services.webhooks.manage import create_webhook

pytestmark = pytest.mark.both_databases

NAMES = ("Anna", "Bob", "Cleo", "Dirk", "Elsa", "Finn", "Gus", "Hedi", "Sid")


def make_event(cast: Cast) -> Event:
    return league(cast.riverside, settings={"primary": "raw_total"})


event_once, event = made_once("event", make_event)


def make_people(cast: Cast, event: Event) -> list[Player]:
    return players(cast.riverside, *NAMES)


people_once, people = made_once("people", make_people)


def make_first(event: Event, people: list[Player]) -> Game:
    return table(event, people[:4])


first_once, first = made_once("first", make_first)


def make_second(event: Event, people: list[Player], first: Game) -> Game:
    """Elsa, Finn, Gus and Hedi have 2, 6, 3 and 15 in hand 1, and 5, 16, 4 and 1 in hand 2."""
    game = table(event, people[4:8], table_number=2)
    hand(game, 1, [2, 6, 3, 2], queen=3)
    hand(game, 2, [5, 3, 4, 1], queen=1)
    return game


second_once, second = made_once("second", make_second)


def points(event: Event) -> dict[str, tuple[int, int]]:
    """Hands and points of everybody who has any, by name."""
    rows = Aggregate.objects.filter(event=event, hands__gt=0)
    found = rows.values_list("entrant__members__player__name", "hands", "points")
    return {name: (hands, total // 360360) for name, hands, total in found}


def standing(game: Game) -> list[int]:
    rows = Hand.objects.filter(game=game).exclude(state="void").order_by("number")
    return list(rows.values_list("number", flat=True))


def holds(event: Event) -> bool:
    before = points(event)
    verification = verify_event(event, repair=True, now=NOW, report=lambda words: None)
    return verification.found.differences == [] and points(event) == before


def move(game: Game, to: Game, **more: object) -> MovedHands:
    return move_hands(by_tests(), game, to=to, reason="They sat at table 1.", **more)  # type: ignore[arg-type]  # as it is called


def undo(game: Game, line: int) -> MovedHands:
    return undo_move(by_tests(), game, line=line, reason="A mistake.")


def test_whole_sheet_goes_to_the_other_table(event: Event, first: Game, second: Game) -> None:
    moved = move(second, first)
    assert points(event) == {"Anna": (2, 7), "Bob": (2, 22), "Cleo": (2, 7), "Dirk": (2, 16)}
    assert (standing(first), standing(second)) == ([1, 2], [])
    assert moved.codes == ("r1t2", "r1t1")
    lines = Change.objects.filter(event=event, kind="move_hands")
    assert [(line.pk, line.table, line.reason) for line in lines] == [
        (moved.line, "r1t2", "They sat at table 1.")
    ]
    assert AuditLine.objects.filter(act="move_hands").count() == 1
    assert Entry.objects.filter(hand__game=second).count() == 2
    assert holds(event)


def test_hands_from_one_on_come_after_those_of_the_other_table(
    event: Event, first: Game, second: Game
) -> None:
    hand(first, 1, [13, 0, 0, 0], queen=1)
    hand(first, 2, [0, 13, 0, 0], queen=0)
    move(second, first, from_hand=2)
    assert (standing(first), standing(second)) == ([1, 2, 3], [1])
    entry = Hand.objects.get(game=first, number=3).entry
    assert entry is not None
    assert entry.typed["hearts"] == [5, 3, 4, 1]
    assert holds(event)


def test_numbers_that_were_given_away_are_free_and_deleted_ones_are_not(
    event: Event, first: Game, second: Game
) -> None:
    hand(first, 1, [13, 0, 0, 0], queen=1)
    void_hand(by_tests(), first, number=1, based_on=1, reason="Never dealt.")
    moved = move(second, first)
    assert standing(first) == [2, 3]
    hand(second, 1, [1, 0, 12, 0], queen=1)
    undone = Hand.objects.get(game=second, number=2)
    assert undone.is_undone
    with pytest.raises(Conflict, match="hands_moved_on"):
        undo(second, moved.line)
    move(first, second, from_hand=1)
    assert (standing(first), standing(second)) == ([], [1, 2, 3])
    assert holds(event)


def test_sheets_are_exchanged_number_by_number(event: Event, first: Game, second: Game) -> None:
    hand(first, 1, [13, 0, 0, 0], queen=1)
    before = points(event)
    moved = move(second, first, act="exchange")
    assert (standing(first), standing(second)) == ([1, 2], [1])
    assert points(event)["Anna"] == (2, 7)
    assert points(event)["Finn"] == (1, 13)
    assert holds(event)
    undo(first, moved.line)
    assert points(event) == before
    assert (standing(first), standing(second)) == ([1], [1, 2])
    assert holds(event)


def test_move_is_undone_as_one_and_the_undo_too(event: Event, first: Game, second: Game) -> None:
    before = points(event)
    moved = move(second, first)
    after = points(event)
    back = undo(first, moved.line)
    assert points(event) == before
    with pytest.raises(Conflict, match="hands_moved_on"):
        undo(first, moved.line)
    undo(second, back.line)
    assert points(event) == after
    assert holds(event)
    assert Change.objects.filter(event=event, kind="move_hands").count() == 3


def test_undo_is_refused_after_a_later_hand_or_correction(
    event: Event, first: Game, second: Game
) -> None:
    moved = move(second, first)
    after = points(event)
    row = Change.objects.get(pk=moved.line)
    assert undo_problem(by_tests().actor, event, row) is None
    hand(first, 3, [1, 0, 12, 0], queen=1)
    with pytest.raises(Conflict, match="hands_moved_on"):
        undo(first, moved.line)
    problem = undo_problem(by_tests().actor, event, row)
    assert problem is not None
    assert problem.code == "hands_moved_on"
    assert points(event).keys() == after.keys()
    assert standing(first) == [1, 2, 3]


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"from_hand": 3}, "no_hands_to_move"),
        ({"from_hand": 0}, "bad_move_of_hands"),
        ({"from_hand": 999}, "no_hands_to_move"),
        ({"from_hand": 1000}, "bad_move_of_hands"),
        ({"act": "swap"}, "bad_move_of_hands"),
        ({"act": "exchange", "from_hand": 2}, "bad_move_of_hands"),
    ],
)
def test_bad_requests_change_nothing(
    event: Event, first: Game, second: Game, more: dict[str, object], code: str
) -> None:
    before = points(event)
    with pytest.raises(Refused, match=code):
        move(second, first, **more)
    assert points(event) == before


def test_hands_stay_where_they_are_at_their_own_table(second: Game) -> None:
    with pytest.raises(Refused, match="same_table"):
        move(second, second)


def test_last_hand_is_moved(first: Game, second: Game) -> None:
    move(second, first, from_hand=2)
    assert (standing(first), standing(second)) == ([1], [1])


def test_tables_of_other_rules_or_sizes_are_refused(
    event: Event, people: list[Player], second: Game
) -> None:
    other = table(event, people[:4], round_number=2, variant="omnibus")
    with pytest.raises(Refused, match="other_rules_there"):
        move(second, other)
    assert standing(second) == [1, 2]


def test_table_of_another_size_is_refused(event: Event, people: list[Player], second: Game) -> None:
    other = table(event, people[:3], round_number=2)
    with pytest.raises(Refused, match="other_rules_there"):
        move(second, other)


def test_abandoned_table_gives_and_takes_nothing(first: Game, second: Game) -> None:
    hand(first, 1, [4, 3, 3, 3], queen=2)
    move_game(by_tests(), first, to="abandoned", reason="They left.")
    with pytest.raises(Conflict, match="table_abandoned"):
        move(second, first)
    with pytest.raises(Conflict, match="table_abandoned"):
        move(first, second)


def test_totals_are_moved_as_a_whole_to_an_empty_table(
    event: Event, people: list[Player], first: Game, second: Game
) -> None:
    record_totals(by_tests(), first, entry={"points": [20, 3, 2, 1]}, hands=1, source="host")
    with pytest.raises(Refused, match="totals_alone"):
        move(first, second)
    with pytest.raises(Refused, match="totals_alone"):
        move(second, first)
    third = table(event, people[4:8], round_number=2)
    with pytest.raises(Refused, match="totals_not_divided"):
        move(first, third, from_hand=2)
    move(first, third)
    first.refresh_from_db()
    assert (first.state, standing(third)) == ("playing", [0])
    assert holds(event)


def test_more_hands_than_a_game_has_are_refused(cast: Cast, people: list[Player]) -> None:
    short = league(cast.riverside, slug="short", settings={"length": "hands:3"})
    first, second = table(short, people[:4]), table(short, people[4:8], table_number=2)
    hand(first, 1, [4, 3, 3, 3], queen=1)
    hand(second, 1, [2, 6, 3, 2], queen=3)
    hand(second, 2, [5, 3, 4, 1], queen=1)
    hand(second, 3, [5, 3, 1, 4], queen=1)
    with pytest.raises(Refused, match="match_over"):
        move(second, first)
    assert (standing(first), standing(second)) == ([1], [1, 2, 3])
    move(second, first, from_hand=2)
    assert (standing(first), standing(second)) == ([1, 2, 3], [1])


def test_sheets_that_had_more_hands_than_the_length_are_still_exchanged(
    event: Event, people: list[Player]
) -> None:
    tables = [
        table(event, people[at : at + 4], round_number=2, table_number=at // 4 + 1) for at in (0, 4)
    ]
    for game in tables:
        for number in (1, 2, 3):
            hand(game, number, [4, 3, 3, 3], queen=number)
    Event.objects.filter(pk=event.pk).update(settings={**event.settings, "length": "hands:2"})
    one, other = (Game.objects.get(pk=game.pk) for game in tables)
    move(one, other, act="exchange")
    assert (standing(one), standing(other)) == ([1, 2, 3], [1, 2, 3])


def test_reason_and_right_are_needed(cast: Cast, first: Game, second: Game) -> None:
    with pytest.raises(Refused, match="reason_required"):
        move_hands(by_tests(), second, to=first, reason=" ")
    with pytest.raises(Forbidden):
        move_hands(Operation(cast.actor("hanna"), NOW), second, to=first, reason="Wrong table.")
    assert standing(second) == [1, 2]


def test_open_problem_goes_along_and_comes_back(cast: Cast, first: Game, second: Game) -> None:
    problem = open_dispute(cast.operation("hanna"), second, number=2, words="Wrong table.")
    moved = move(second, first)
    problem = Dispute.objects.select_related("hand").get(pk=problem.pk)
    assert (problem.hand.game_id, problem.hand.number, problem.revision) == (first.pk, 2, 1)
    undo(first, moved.line)
    problem = Dispute.objects.select_related("hand").get(pk=problem.pk)
    assert (problem.hand.game_id, problem.revision) == (second.pk, 2)


def test_hand_with_a_wrong_total_stays_disputed(event: Event, first: Game, second: Game) -> None:
    entry = {"hearts": [5, 3, 4, 0], "taken": [["QS"], [], [], []]}
    file_disputed(by_tests(), second, number=3, entry=entry, key=None, reason="Read again.")
    move(second, first)
    assert Hand.objects.get(game=first, number=3).state == "disputed"
    assert points(event)["Anna"] == (2, 7)
    assert holds(event)


def test_second_entries_follow_their_hands(
    cast: Cast, event: Event, first: Game, second: Game
) -> None:
    change_settings(by_tests(), event, values={"double_entry": True}, reason="Two people.")
    rows = [
        SecondEntry(1, {"hearts": [2, 6, 3, 2], "taken": [[], [], [], ["QS"]]}, None),
        SecondEntry(2, {"hearts": [5, 3, 1, 4], "taken": [[], ["QS"], [], []]}, None),
    ]
    enter_again(cast.operation("dirk"), second, rows=rows, is_whole=True)
    before = double_entry_of_table(event, "r1t2").numbers
    moved = move(second, first)
    assert double_entry_of_table(event, "r1t1").numbers == before
    assert double_entry_of_table(event, "r1t2").numbers == {}
    undo(first, moved.line)
    assert double_entry_of_table(event, "r1t2").numbers == before
    assert double_entry_of_table(event, "r1t1").numbers == {}
    assert SecondTyping.objects.filter(game=second).count() > 2


def test_photos_go_with_a_whole_sheet_only(event: Event, first: Game, second: Game) -> None:
    for game in (first, second):
        SheetPhoto.objects.create(
            club=event.club, table=game.table, number=1, digest=str(game.pk), width=1, height=1,
            size=1, added_at=NOW,
        )  # fmt: skip
    move(second, first, from_hand=2)
    assert sorted(SheetPhoto.objects.values_list("table__code", "number")) == [
        ("r1t1", 1), ("r1t2", 1),
    ]  # fmt: skip
    moved = move(second, first)
    assert sorted(SheetPhoto.objects.values_list("table__code", "number")) == [
        ("r1t1", 1), ("r1t1", 2),
    ]  # fmt: skip
    undo(first, moved.line)
    assert sorted(SheetPhoto.objects.values_list("table__code", "number")) == [
        ("r1t1", 1), ("r1t2", 1),
    ]  # fmt: skip


def test_phone_that_sends_a_moved_hand_again_stores_it_nowhere(
    cast: Cast, first: Game, second: Game
) -> None:
    hand(second, 3, [1, 0, 12, 0], queen=1, key="phone-3")
    move(second, first)
    again = hand(second, 3, [1, 0, 12, 0], queen=1, key="phone-3")
    assert again.replayed
    assert (standing(first), standing(second)) == ([1, 2, 3], [])


def test_undone_hand_of_its_author_is_not_moved(first: Game, second: Game, cast: Cast) -> None:
    hanna = cast.actor("hanna")
    hand(second, 3, [1, 0, 12, 0], queen=1, actor=hanna)
    undo_hand(Operation(hanna, NOW), second, number=3)
    move(second, first)
    assert standing(first) == [1, 2]


def test_boards_go_along_unless_the_table_has_played_them(cast: Cast, people: list[Player]) -> None:
    night = league(
        cast.riverside, slug="boards", settings={"duplicate": True, "primary": "matchpoints"}
    )
    deal_boards(by_tests(), night, count=2, seed="2f1c5d0a9be34f7781c6d2e0a4b39f56")
    first, second = table(night, people[:4]), table(night, people[4:8], table_number=2)
    for number, hearts in ((1, [2, 6, 3, 2]), (2, [5, 3, 4, 1])):
        play_board(second, number, hearts)
    moved = move(second, first, from_hand=2)
    boards = Hand.objects.exclude(state="void").order_by("game", "number")
    assert list(boards.values_list("game__table__code", "number", "board__number")) == [
        ("r1t1", 1, 2), ("r1t2", 1, 1),
    ]  # fmt: skip
    undo(second, moved.line)
    play_board(first, 1, [4, 3, 3, 3])
    with pytest.raises(Refused, match="board_played_at_table"):
        move(second, first)
    assert (standing(first), standing(second)) == ([1], [1, 2])
    move(second, first, act="exchange")
    assert (standing(first), standing(second)) == ([1, 2], [1])
    assert holds(night)


def play_board(game: Game, number: int, hearts: list[int]) -> None:
    record_entry(
        by_tests(), game, number=number, board=number, entry=counts(hearts, 3), source="host"
    )


def test_table_of_a_playoff_gives_and_takes_nothing(
    event: Event, people: list[Player], second: Game
) -> None:
    third = table(event, people[:4], round_number=2)
    stage = Stage.objects.create(club=event.club, event=event, number=2, kind=StageKind.PLAYOFF)
    Round.objects.filter(pk=third.table.round_id).update(stage=stage)
    with pytest.raises(Conflict, match="table_of_a_playoff"):
        move(second, third)
    with pytest.raises(Conflict, match="table_of_a_playoff"):
        move(third, second)
    assert standing(second) == [1, 2]


def test_table_of_a_draft_gives_and_takes_nothing(
    event: Event, people: list[Player], second: Game
) -> None:
    third = table(event, people[:4], round_number=2)
    rounds = Round.objects.filter(pk=third.table.round_id)
    rounds.update(state="draft")
    with pytest.raises(Conflict, match="round_is_draft"):
        move(second, third)
    with pytest.raises(Conflict, match="round_is_draft"):
        move(third, second, act="exchange")
    assert standing(second) == [1, 2]
    rounds.update(state="posted")
    move(second, third)
    assert (standing(second), standing(third)) == ([], [1, 2])


def test_seat_that_is_empty_from_a_hand_on_takes_only_the_hands_before(
    event: Event, first: Game, second: Game
) -> None:
    Sitting.objects.filter(seat__table=first.table, seat__number=4).update(to_hand=1)
    with pytest.raises(Refused, match="nobody_to_move_to") as refused:
        move(second, first)
    assert refused.value.problems[0].facts["number"] == 2
    assert (standing(first), standing(second)) == ([], [1, 2])
    move(second, first, from_hand=2)
    assert (standing(first), standing(second)) == ([1], [1])


def enter(game: Game, number: int, known_moves: int | None, **more: object) -> None:
    arguments = {"number": number, "entry": counts([1, 0, 12, 0], 1), "source": "host"}
    record_entry(by_tests(), game, known_moves=known_moves, **arguments | more)  # type: ignore[arg-type]  # as it is called


def test_hand_of_a_page_that_knows_no_newer_move_is_asked_about(first: Game, second: Game) -> None:
    move(second, first)
    for game, other in ((second, 1), (first, 2)):
        with pytest.raises(Conflict, match="hands_moved") as refused:
            enter(game, 3, 0)
        facts = refused.value.problem.facts
        assert (facts["table"], facts["other"], facts["round"]) == (3 - other, other, 1)
        assert (facts["moves"], facts["code"]) == (1, f"r1t{other}")
    assert (standing(first), standing(second)) == ([1, 2], [])
    enter(second, 3, 1)
    enter(first, 3, None)
    assert (standing(first), standing(second)) == ([1, 2, 3], [3])


def test_hand_is_asked_about_after_an_undo_and_an_exchange_too(first: Game, second: Game) -> None:
    moved = move(second, first)
    undo(second, moved.line)
    with pytest.raises(Conflict, match="hands_moved"):
        enter(second, 3, 1)
    move(first, second, act="exchange")
    with pytest.raises(Conflict, match="hands_moved"):
        enter(second, 3, 2)
    enter(second, 3, 3)
    assert standing(second) == [3]


def test_hand_of_a_third_table_is_not_asked_about(
    event: Event, people: list[Player], first: Game, second: Game
) -> None:
    third = table(event, people[4:8], table_number=1, round_number=2)
    move(second, first)
    enter(third, 1, 0)
    assert standing(third) == [1]


def test_revision_of_a_hand_that_went_away_is_asked_about(first: Game, second: Game) -> None:
    move(second, first)
    entry = counts([2, 6, 3, 2], 3)
    with pytest.raises(Conflict, match="hands_moved"):
        enter(second, 1, 0, entry=entry, based_on=1, reason="The queen.")
    assert standing(second) == []


def test_hand_that_counts_at_the_other_table_is_not_restored(first: Game, second: Game) -> None:
    entry = dict(Entry.objects.get(hand__game=second, hand__number=1).typed)
    moved = move(second, first)
    with pytest.raises(Conflict, match="hand_undone"):
        enter(second, 1, 1, entry=entry, based_on=1, reason="It was ours.")
    assert (standing(first), standing(second)) == ([1, 2], [])
    undo(first, moved.line)
    assert (standing(first), standing(second)) == ([], [1, 2])


def test_hand_that_arrived_before_the_move_is_answered_and_not_asked_about(
    first: Game, second: Game
) -> None:
    hand(second, 3, [1, 0, 12, 0], queen=1, key="phone-3")
    move(second, first)
    enter(second, 3, 0, key="phone-3")
    assert (standing(first), standing(second)) == ([1, 2, 3], [])


def test_disputed_hand_and_second_entry_are_asked_about(
    cast: Cast, event: Event, first: Game, second: Game
) -> None:
    change_settings(by_tests(), event, values={"double_entry": True}, reason="Two people.")
    move(second, first)
    wrong = {"hearts": [5, 3, 4, 0], "taken": [["QS"], [], [], []]}
    with pytest.raises(Conflict, match="hands_moved"):
        file_disputed(
            by_tests(), second, number=3, entry=wrong, key=None, reason="So.", known_moves=0
        )
    rows = [SecondEntry(1, counts([2, 6, 3, 2], 3), None)]
    by_dirk = cast.operation("dirk")
    with pytest.raises(Conflict, match="hands_moved"):
        enter_again(by_dirk, first, rows=rows, is_whole=False, known_moves=0)
    enter_again(by_dirk, first, rows=rows, is_whole=False, known_moves=1)
    assert SecondTyping.objects.filter(game=first).count() == 1
    file_disputed(by_tests(), second, number=3, entry=wrong, key=None, reason="So.", known_moves=1)
    assert standing(second) == [3]


@pytest.mark.parametrize("state", ["complete", "checked"])
def test_table_that_gave_all_its_hands_is_played_again(
    first: Game, second: Game, state: str
) -> None:
    Game.objects.filter(pk=second.pk).update(state=state)
    move(second, first, from_hand=2)
    assert Game.objects.get(pk=second.pk).state == state
    move(second, first)
    assert Game.objects.get(pk=second.pk).state == "playing"


def test_table_of_a_closed_round_that_gave_all_its_hands_goes_on_no_more(
    first: Game, second: Game
) -> None:
    Round.objects.filter(pk=first.table.round_id).update(state="closed")
    Game.objects.filter(pk=second.pk).update(state="complete")
    move(second, first)
    assert Game.objects.get(pk=second.pk).state == "complete"


def test_webhooks_are_told_of_hands_that_went_away_came_back_or_changed(
    event: Event, first: Game, second: Game
) -> None:
    create_webhook(by_tests(), event.club, url=HOOK, kinds=("hand.corrected",))

    def told() -> list[tuple[str, int, str]]:
        rows = WebhookEvent.objects.filter(kind="hand.corrected").order_by("pk")
        facts = [row.data for row in rows]
        rows.delete()
        return [(each["table"], each["hand"], each["change"]) for each in facts]

    moved = move(second, first)
    assert told() == [("r1t2", 1, "void_hand"), ("r1t2", 2, "void_hand")]
    undo(first, moved.line)
    assert told() == [
        ("r1t1", 1, "void_hand"),
        ("r1t1", 2, "void_hand"),
        ("r1t2", 1, "restore_hand"),
        ("r1t2", 2, "restore_hand"),
    ]
    hand(first, 1, [4, 3, 3, 3], queen=2)
    told()
    move(second, first, act="exchange")
    assert told() == [
        ("r1t1", 1, "correct_hand"),
        ("r1t1", 2, "restore_hand"),
        ("r1t2", 1, "correct_hand"),
        ("r1t2", 2, "void_hand"),
    ]


def test_other_changes_that_name_the_table_are_no_moves(event: Event, first: Game) -> None:
    facts = {"from": "r1t1", "to": "r1t2"}
    note_change(event=event, kind="another", by="director", now=NOW, facts=facts)
    assert find_newest_move(event, "r1t1") is None
