"""Who has a hand: the rule in Python, and the query of a player's hands beside it."""

import random
from functools import partial

import pytest

from scoring.errors import Refused
from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import Cast
from tournaments.domain.seating_runs import has_hand
from tournaments.models.hands import Game, Hand
from tournaments.models.rounds import Seat, Sitting
from tournaments.models.standings import Contribution
from tournaments.selectors.events.events import get_event
from tournaments.selectors.hands.event_hands import event_hands
from tournaments.services.hands.change_players import change_players
from tournaments.services.hands.plan_player_changes import PlayerChange
from tournaments.services.hands.record_entry import record_totals
from tournaments.services.hands.void_hand import void_hand

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def sit_at_random(game: Game, people: list[str], chance: random.Random) -> None:
    """Seat people in turns at random hands; some of the last ones have left."""
    ids = {player.player_id: player.pk for player in game.club.players.all()}
    Sitting.objects.filter(seat__table=game.table_id).delete()
    turns = iter(people)
    for seat in Seat.objects.filter(table=game.table_id).order_by("number"):
        first = 1
        for last in [*sorted(chance.sample(range(1, 6), chance.randrange(3))), None]:
            gone = last is None and chance.random() < 0.3
            Sitting.objects.create(
                club_id=game.club_id, seat=seat, round_id=game.table.round_id,
                player_id=ids[next(turns)], from_hand=first, to_hand=6 if gone else last,
            )  # fmt: skip
            first = (last or 0) + 1


@pytest.mark.parametrize("seed", range(6))
def test_query_of_a_players_hands_agrees_with_the_rule(cast: Cast, seed: int) -> None:
    event = league(cast.riverside)
    people = players(cast.riverside, *(f"P{number}" for number in range(12)))
    game = table(event, people[:4])
    for number in range(1, 6):
        hand(game, number, [4, 1, 2, 6], queen=3)
    other = table(event, people[4:8], round_number=2)
    record_totals(by_tests(), other, entry={"points": [13, 5, 8, 0]}, source="host")
    for one_game in (game, other):
        sit_at_random(one_game, [p.player_id for p in people], random.Random(seed))  # noqa: S311 - chooses who sits where
    reader = get_event(cast.actor("dirk"), "riverside", event.slug)
    for player in people:
        by_query = {
            (row["table"], row["number"]) for row in event_hands(reader, player=player.player_id)
        }
        by_rule = {
            (stored.game.table.code, stored.number)
            for stored in Hand.objects.filter(game__event=event)
            for sitting in Sitting.objects.filter(
                seat__table=stored.game.table_id, player__player_id=player.player_id
            )
            if has_hand(stored.number, sitting.from_hand, sitting.to_hand)
        }
        assert by_query == by_rule


def test_totals_after_deleted_hands_belong_to_the_substitute_who_sits_there(cast: Cast) -> None:
    event = league(cast.riverside)
    people = players(cast.riverside, "A", "C", "D", "E", "B")
    game = table(event, people[:4])
    for number in (1, 2):
        hand(game, number, [4, 1, 2, 6], queen=3)
    change = PlayerChange("substitute", 1, people[4].player_id, from_hand=2)
    change_players(by_tests(), game, change=change, reason="Ill.")
    for number in (1, 2):
        void_hand(by_tests(), game, number=number, based_on=1, reason="Lost.")
    enter = partial(
        record_totals, by_tests(), game, entry={"points": [61, 43, 70, 86]},
        source="host",
    )  # fmt: skip
    rest = [person.player_id for person in people[1:4]]
    with pytest.raises(Refused, match="player_mismatch"):
        enter(players=[people[0].player_id, *rest])
    enter(players=[people[4].player_id, *rest])
    played = Contribution.objects.filter(game=game).values_list("entrant__code", flat=True)
    assert {*played} == {people[4].player_id, *rest}
