"""Undoing a hand: by its author, while it is the last one, for ten minutes."""

from datetime import timedelta

import pytest
from django.db import transaction

from scoring.errors import Refused
from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, Cast
from tournaments.errors import Conflict, Forbidden
from tournaments.models.audit import AuditLine
from tournaments.models.hands import Entry, Game, Hand
from tournaments.models.rounds import Round
from tournaments.models.standings import Aggregate, Change
from tournaments.policy import Actor
from tournaments.selectors.access.table_links import link_holder
from tournaments.selectors.hands.undo import UNDO_TIME
from tournaments.services.access.table_links import make_link
from tournaments.services.hands.close_tables import move_game
from tournaments.services.hands.void_hand import undo_hand, void_hand
from tournaments.services.operations import Operation

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

HEARTS = [4, 1, 2, 6]


@pytest.fixture
def game(cast: Cast) -> Game:
    event = league(cast.riverside)
    return table(event, players(cast.riverside, "Elsa D.", "Ilse K.", "Leo K.", "Anton S."))


@pytest.fixture
def hanna(cast: Cast) -> Actor:
    return cast.actor("hanna")


def sums() -> list[tuple[int, int]]:
    return sorted(Aggregate.objects.values_list("hands", "points"))


def stored() -> list[tuple[int, str, int, bool]]:
    rows = Hand.objects.order_by("number")
    return list(rows.values_list("number", "state", "revision", "undone"))


def test_hand_is_undone_and_its_number_entered_again_unreasoned(game: Game, hanna: Actor) -> None:
    hand(game, 1, HEARTS, 3, actor=hanna)
    before = sums()
    hand(game, 2, [13, 0, 0, 0], 1, actor=hanna, key="phone-2")
    undo_hand(Operation(hanna, NOW + UNDO_TIME), game, number=2)
    assert (sums(), stored()[1]) == (before, (2, "void", 1, True))
    recorded = hand(game, 2, [0, 13, 0, 0], 0, actor=hanna)
    assert (recorded.entry.revision, recorded.entry.reason) == (2, "")
    assert stored()[1][:3] == (2, "accepted", 2)
    operations = AuditLine.objects.filter(subject__endswith="/hand:2").order_by("number")
    assert list(operations.values_list("act", flat=True)) == [
        "enter_hand",
        "void_hand",
        "enter_hand",
    ]
    changes = Change.objects.order_by("pk").values_list("kind", "by")
    assert list(changes) == [("void_hand", "host"), ("restore_hand", "host")]
    undo_hand(Operation(hanna, NOW), game, number=2)
    assert (sums(), stored()[1]) == (before, (2, "void", 2, True))


def test_tables_link_undoes_the_hand_that_came_by_it(cast: Cast, game: Game) -> None:
    link = make_link(cast.operation("dirk"), game.table)
    phone, other = link_holder(link, "Hanne"), cast.actor("hanna")
    hand(game, 1, HEARTS, 3, actor=phone)
    with pytest.raises(Conflict, match="undo_over"), transaction.atomic():
        undo_hand(Operation(other, NOW), game, number=1)
    assert undo_hand(Operation(phone, NOW), game, number=1).is_undone


def test_undone_hand_is_not_stored_again_under_its_key(game: Game, hanna: Actor) -> None:
    hand(game, 1, HEARTS, 3, actor=hanna, key="phone-1")
    undo_hand(Operation(hanna, NOW), game, number=1)
    again = hand(game, 1, HEARTS, 3, actor=hanna, key="phone-1")
    assert (again.replayed, again.hand.is_undone, Entry.objects.count()) == (True, True, 1)


def test_hand_undone_twice_is_undone_once(game: Game, hanna: Actor) -> None:
    hand(game, 1, HEARTS, 3, actor=hanna)
    undo_hand(Operation(hanna, NOW), game, number=1)
    undo_hand(Operation(hanna, NOW), game, number=1)
    assert AuditLine.objects.filter(act="void_hand").count() == 1


def test_last_hand_of_a_game_to_a_hundred_is_undone_it_goes_on(cast: Cast, hanna: Actor) -> None:
    people = players(cast.riverside, "Ada", "Ben", "Cem", "Dora")
    game = table(league(cast.riverside, length="hands:1"), people)
    hand(game, 1, HEARTS, 3, actor=hanna)
    assert game.state == "complete"
    undo_hand(Operation(hanna, NOW), game, number=1)
    game.refresh_from_db()
    assert (game.state, game.hands_counted) == ("playing", 0)


def later_hand(game: Game, hanna: Actor) -> None:
    hand(game, 2, HEARTS, 3, actor=hanna)


def corrected(game: Game, hanna: Actor) -> None:
    hand(game, 1, HEARTS, 2, actor=hanna, based_on=1, reason="South had her.")


def closed_table(game: Game, hanna: Actor) -> None:
    move_game(Operation(hanna, NOW), game, to="complete")


def closed_round(game: Game, hanna: Actor) -> None:
    Round.objects.update(state="closed")


def nothing(game: Game, hanna: Actor) -> None:
    pass


@pytest.mark.parametrize(
    ("meanwhile", "passed"),
    [
        (nothing, UNDO_TIME + timedelta(seconds=1)),
        (later_hand, timedelta()),
        (corrected, timedelta()),
        (closed_table, timedelta()),
        (closed_round, timedelta()),
    ],
)
def test_hand_that_is_no_longer_just_entered_stays(
    game: Game, hanna: Actor, meanwhile: object, passed: timedelta
) -> None:
    hand(game, 1, HEARTS, 3, actor=hanna)
    assert callable(meanwhile)
    meanwhile(game, hanna)
    before = stored(), AuditLine.objects.count()
    with pytest.raises(Conflict, match="undo_over"), transaction.atomic():
        undo_hand(Operation(hanna, NOW + passed), game, number=1)
    assert (stored(), AuditLine.objects.count()) == before


def test_hand_that_was_filled_in_last_is_the_one_to_undo(game: Game, hanna: Actor) -> None:
    hand(game, 2, HEARTS, 3, actor=hanna)
    hand(game, 1, HEARTS, 3, actor=hanna)
    with pytest.raises(Conflict, match="undo_over"), transaction.atomic():
        undo_hand(Operation(hanna, NOW), game, number=2)
    assert undo_hand(Operation(hanna, NOW), game, number=1).is_undone


def test_hand_of_somebody_else_is_not_undone(cast: Cast, game: Game, hanna: Actor) -> None:
    hand(game, 1, HEARTS, 3, actor=cast.actor("dirk"))
    with pytest.raises(Conflict, match="undo_over"), transaction.atomic():
        undo_hand(Operation(hanna, NOW), game, number=1)
    with pytest.raises(Forbidden), transaction.atomic():
        undo_hand(cast.operation("piet"), game, number=1)


def test_undone_hand_is_restored_by_a_director_only(cast: Cast, game: Game, hanna: Actor) -> None:
    hand(game, 1, HEARTS, 3, actor=hanna)
    undo_hand(Operation(hanna, NOW), game, number=1)
    with pytest.raises(Conflict, match="hand_undone"), transaction.atomic():
        hand(game, 1, HEARTS, 2, actor=cast.actor("dirk"), based_on=1, reason="South had her.")
    with pytest.raises(Forbidden), transaction.atomic():
        hand(game, 1, HEARTS, 3, actor=hanna, based_on=1, reason="It was right.")
    hand(game, 1, HEARTS, 3, actor=cast.actor("dirk"), based_on=1, reason="It was right.")
    assert stored()[0][:3] == (1, "accepted", 2)


def test_hand_a_director_deleted_is_not_entered_by_a_host(game: Game, hanna: Actor) -> None:
    hand(game, 1, HEARTS, 3, actor=hanna)
    undo_hand(Operation(hanna, NOW), game, number=1)
    hand(game, 1, HEARTS, 3, actor=hanna)
    void_hand(by_tests(), game, number=1, based_on=2, reason="Misdeal.")
    with pytest.raises((Conflict, Refused, Forbidden)), transaction.atomic():
        hand(game, 1, HEARTS, 2, actor=hanna)
    assert stored() == [(1, "void", 2, False)]
