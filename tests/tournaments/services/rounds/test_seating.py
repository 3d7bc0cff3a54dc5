"""A table whose cards would not come out even is refused when it is seated."""

import pytest

from scoring.errors import Refused
from tests.support.builders import TESTS, players
from tests.support.cast import NOW, enter_the_cast
from tournaments.models.meetings import Table
from tournaments.services.events.events import create_event, move_event
from tournaments.services.rounds.seating import seat_table


@pytest.mark.django_db
def test_cards_that_do_not_come_out_even_seat_nobody() -> None:
    cast = enter_the_cast()
    event = create_event(
        actor=TESTS, club=cast.riverside, name="Threes", variant="hearts",
        options={"removed_cards": {"3": ["3C"]}}, now=NOW,
    )  # fmt: skip
    event = move_event(actor=TESTS, event=event, to="open", now=NOW)
    people = players(cast.riverside, "A A.", "B B.", "C C.", "D D.", "E E.")
    with pytest.raises(Refused) as refused:
        seat_table(actor=TESTS, event=event, round_number=1, players=people, now=NOW)
    (problem,) = refused.value.problems
    assert (problem.code, problem.at) == ("seat_count", ("players",))
    assert problem.message == "The 52 cards of these rules cannot be dealt evenly to 5 players."
    assert not Table.objects.exists()
    seat_table(actor=TESTS, event=event, round_number=1, players=people[:3], now=NOW)
    assert Table.objects.get().code == "r1t1"
