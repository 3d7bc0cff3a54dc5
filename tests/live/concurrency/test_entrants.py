"""Who is in a pair is changed in the middle of other acts on the pair, its players and their event.

What comes of it is what one order of the two gives.
"""

from typing import ClassVar

import pytest

from tests.support.builders import TESTS, hand, league, players, table
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.lengths import only_long
from tests.support.live.at_once import NamedActs, Within, get_game
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Player
from tournaments.models.events import EntrantMember, Event
from tournaments.models.standings import Contribution
from tournaments.selectors.events.entrants import get_entrant
from tournaments.services.events.entrants import add_entrant, change_entrant
from tournaments.services.events.events import move_event
from tournaments.services.ladders.members import move_entrant
from tournaments.services.operations import Operation
from tournaments.services.people.erase_player import erase_player
from tournaments.services.people.merge_players import merge_players

pytestmark = pytest.mark.pg

ANN, BEN, CEM, DORA, ELSA = (f"RL0{at}" for at in range(1, 6))


class Pair(NamedActs):
    """Ann and Ben, who are pair-1; Cem and Dora compete nowhere, Elsa is not in the event."""

    ends: ClassVar = {"play": "tournaments.services.hands.record_entry.audit_hand"}

    def __init__(self, within: Within) -> None:
        super().__init__(within)
        with within():
            self.cast: Cast = enter_the_cast()
            self.people = players(self.cast.riverside, "Ann", "Ben", "Cem", "Dora", "Elsa", *"FGH")
            self.event = league(self.cast.riverside)
            add_entrant(Operation(TESTS, NOW), self.event, kind="pair", players=self.people[:2])

    def change(self, partner: int) -> None:
        members = [self.people[0], self.people[partner]]
        change_entrant(
            Operation(TESTS, NOW), get_entrant(self.event, "pair-1"), name="", players=members
        )

    def to_cem(self) -> None:
        self.change(2)

    def to_dora(self) -> None:
        self.change(3)

    def other_pair(self) -> None:
        add_entrant(Operation(TESTS, NOW), self.event, kind="pair", players=self.people[2:4])

    def withdraw(self) -> None:
        move_entrant(
            Operation(TESTS, NOW),
            get_entrant(self.event, "pair-1"),
            to="withdrawn",
            reason="Moved away.",
            check_out=True,
        )

    def merge(self) -> None:
        source, target = (Player.objects.get(player_id=one) for one in (CEM, ELSA))
        merge_players(Operation(TESTS, NOW), source, target=target)

    def erase(self) -> None:
        olga = Operation(self.cast.actor("olga"), NOW)
        erase_player(olga, Player.objects.get(player_id=CEM), confirmed=CEM, reason="Asked.")

    def close(self) -> None:
        found = Event.objects.select_related("club").get(pk=self.event.pk)
        move_event(Operation(TESTS, NOW), found, to="closed")

    def seat(self) -> None:
        """Ben, Cem and two others sit down; who is in no entrant competes alone."""
        table(self.event, [self.people[1], self.people[2], *self.people[5:7]])

    def play(self) -> None:
        hand(get_game(), 1, [5, 4, 3, 1], 0)

    def members(self) -> list[str]:
        there = EntrantMember.objects.filter(entrant__code="pair-1")
        return sorted(there.values_list("player__player_id", flat=True))


@pytest.fixture
def pair(within: Within) -> Pair:
    return Pair(within)


@pytest.mark.parametrize(
    ("first", "second", "said", "members"),
    [
        ("to_cem", "to_dora", ("", ""), [ANN, DORA]),
        only_long("to_cem", "to_cem", ("", ""), [ANN, CEM]),
        ("to_cem", "other_pair", ("", "competes_already"), [ANN, CEM]),
        only_long("other_pair", "to_cem", ("", "competes_already"), [ANN, BEN]),
        only_long("to_cem", "withdraw", ("", ""), [ANN, CEM]),
        ("withdraw", "to_cem", ("", ""), [ANN, CEM]),
        only_long("to_cem", "merge", ("", ""), [ANN, ELSA]),
        ("merge", "to_cem", ("", "player_is_merged"), [ANN, BEN]),
        only_long("to_cem", "erase", ("", ""), [ANN, CEM]),
        ("erase", "to_cem", ("", ""), [ANN, CEM]),
        only_long("to_cem", "close", ("", ""), [ANN, CEM]),
        ("close", "to_cem", ("", "event_is_over"), [ANN, BEN]),
        ("to_cem", "seat", ("", ""), [ANN, CEM]),
        only_long("seat", "to_cem", ("", ""), [ANN, CEM]),
    ],
)
def test_pair_is_what_one_order_of_two_acts_makes_of_it(
    pair: Pair, first: str, second: str, said: tuple[str, str], members: list[str]
) -> None:
    assert pair.both(first, second) == said
    with pair.within():
        assert pair.members() == members
        every = list(EntrantMember.objects.values_list("player", flat=True))
        assert len(every) == len(set(every))
        changes = [one for one in zip((first, second), said, strict=True) if one[0][:3] == "to_"]
        lines = AuditLine.objects.filter(act="change_entrant").order_by("number")
        assert lines.count() == sum(not code for _, code in changes)
        if lines.exists() and "merge" not in (first, second):
            assert sorted(lines.reverse()[0].facts["players"]) == members


@pytest.mark.parametrize(
    ("change", "is_first"),
    [
        ("to_cem", True),
        only_long("to_cem", False),
        only_long("to_dora", True),
        only_long("to_dora", False),
    ],
)
def test_result_of_who_leaves_a_pair_is_counted_for_whom_they_played(
    pair: Pair, change: str, *, is_first: bool
) -> None:
    """Ben sits at a table whose first hand is saved while somebody takes his place in the pair."""
    with pair.within():
        table(pair.event, [pair.people[1], *pair.people[5:8]])
    said = pair.both("play", change) if is_first else pair.both(change, "play")
    assert said == (("", "entrant_has_results") if is_first else ("", ""))
    with pair.within():
        codes = set(Contribution.objects.values_list("entrant__code", flat=True))
        assert ("pair-1" in codes) == (BEN in pair.members()) == is_first, codes
        assert (BEN in codes) != is_first
