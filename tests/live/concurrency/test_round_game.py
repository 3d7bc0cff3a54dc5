"""The game of a round is changed at one moment with first hands and new tables of it."""

import pytest

from tests.live.conftest import Inside
from tests.support.builders import TESTS, players, table
from tests.support.cast import NOW
from tests.support.lengths import short_or_long
from tests.support.live.bulk_acts import Act, as_conflict, project
from tests.support.live.player_changes import Night
from tests.support.live.project import LiveProject
from tournaments.models.hands import Game
from tournaments.services.rounds.rounds import change_round_game
from tournaments.services.rounds.seating import seat_table
from tournaments.services.verification.event import verify_event

__all__ = ["project"]

pytestmark = pytest.mark.pg
TIMES = short_or_long(3, 20)


def test_hands_are_scored_and_tables_seated_by_one_game(
    inside: Inside, project: LiveProject
) -> None:
    night = Night(inside, project)
    with inside(project):
        more = players(night.event.club, "Mo", "Nell", "Ole", "Pia")

    def play(variant: str, **options: object) -> Act:
        return lambda: change_round_game(
            actor=TESTS, round_=night.round(), variant=variant, options=options, now=NOW
        )

    def seat() -> None:
        seat_table(actor=TESTS, event=night.event, round_number=night.number, players=more, now=NOW)

    for night.number in range(1, TIMES + 1):
        with inside(project):
            for at in (1, 2):
                people = night.people[4 * at - 4 : 4 * at]
                table(night.event, people, round_number=night.number, table_number=at)
        changes = [play("hearts", jack_of_diamonds=-10), play("hearts", pass_count=4), play("")]
        hands = [night.enter(1), night.enter(1, at=2)]
        refused = night.at_once(*map(as_conflict, [*hands, *changes, seat]))
        assert set(refused) <= {"table_has_hands", "missing_cards"}, refused
        with inside(project):
            games = Game.objects.filter(event=night.event, table__round__number=night.number)
            assert len(set(games.values_list("snapshot", flat=True))) == 1
            verified = verify_event(night.event, repair=False, now=NOW, report=lambda words: None)
            assert verified.found.differences == []
