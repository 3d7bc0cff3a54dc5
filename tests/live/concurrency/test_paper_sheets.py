"""Two people enter the sheets of one evening from paper at one moment."""

from datetime import date
from functools import partial

import pytest

from tests.support.builders import by_tests, league, players
from tests.support.cast import enter_the_cast
from tests.support.live.at_once import HEARTS, Within
from tournaments.domain.imports.imported_sheets import SentHand
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.models.rounds import Meeting, Round, Sitting
from tournaments.services.imports.paper_sheets import enter_paper_sheet

pytestmark = pytest.mark.pg

DAY = date(2025, 11, 6)
TABLES = 4
ENTRY = {"hearts": HEARTS, "taken": [[], [], [], ["QS"]]}


def enter(first: int, *sheets: tuple[int, int]) -> None:
    """Enter sheets, each named by its round in the evening and by its table on paper."""
    event = Event.objects.select_related("club").get(slug="league")
    people = list(event.club.players.order_by("pk"))
    for place, table in sheets:
        by_round = people[place - 1 :] + people[: place - 1]
        enter_paper_sheet(
            by_tests(),
            event,
            day=DAY,
            place=place,
            players=by_round[4 * table : 4 * table + 4],
            hands=[SentHand(number, ENTRY) for number in range(first, 4)],
        )


def test_sheet_with_a_disputed_hand_is_stored_once(within: Within) -> None:
    with within():
        event = league(enter_the_cast().riverside)
        players(event.club, *(f"Player {at}" for at in range(4)))
        people = list(event.club.players.order_by("pk"))[:4]
    wrong = {"hearts": [0, 0, 0, 0], "taken": [[], [], [], ["QS"]]}
    hands = [SentHand(1, ENTRY), SentHand(2, wrong, disputed="Smudged."), SentHand(3, ENTRY)]

    def send() -> object:
        the_event = Event.objects.select_related("club").get(slug="league")
        op = by_tests()
        return enter_paper_sheet(op, the_event, day=DAY, place=1, players=people, hands=hands)

    assert within.at_once(send, send) == []
    with within():
        stored = Hand.objects.order_by("number").values_list("number", "state", "revision")
        assert list(stored) == [(1, "accepted", 1), (2, "disputed", 1), (3, "accepted", 1)]
        assert Game.objects.get().hands_counted == 2


def test_one_evening_with_each_sheet_once(within: Within) -> None:
    with within():
        event = league(enter_the_cast().riverside)
        Event.objects.filter(pk=event.pk).update(state="draft")
        players(event.club, *(f"Player {at}" for at in range(4 * TABLES)))
    pile = [(place, table) for place in (1, 2) for table in range(TABLES)]
    common = pile[0]
    refused = within.at_once(partial(enter, 1, common, *pile[1::2]), partial(enter, 1, *pile[::2]))
    assert refused == []
    with within():
        assert Meeting.objects.filter(date=DAY).count() == 1
        assert list(Round.objects.order_by("number").values_list("number", "state")) == [
            (1, "closed"), (2, "closed"),
        ]  # fmt: skip
        tables = Game.objects.order_by("table__code").values_list("table__code", "hands_counted")
        assert list(tables) == [(f"r{round_}t{n}", 3) for round_ in (1, 2) for n in range(1, 5)]
        assert Sitting.objects.count() == 2 * 4 * TABLES
