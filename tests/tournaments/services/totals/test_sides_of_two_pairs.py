"""A hand counts at most once for a pair, and never for two pairs by accident."""

import pytest

from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW, Cast
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.standings import Aggregate, Contribution
from tournaments.services.events.entrants import add_entrant
from tournaments.services.verification.event import verify_event

pytestmark = pytest.mark.both_databases

POOLED = "partnership-hearts-pooled"
INDIVIDUAL = "partnership-hearts-individual"
NAMES = ("Anna", "Bob", "Cleo", "Dirk", "Elsa", "Finn", "Sid")


@pytest.fixture
def event(cast: Cast) -> Event:
    return league(cast.riverside, variant=POOLED, settings={"primary": "raw_total"})


@pytest.fixture
def people(cast: Cast, event: Event) -> dict[str, Player]:
    """Anna & Bob, Cleo & Dirk, Elsa & Finn are pairs; Sid is in none."""
    found = dict(zip(NAMES, players(cast.riverside, *NAMES), strict=True))
    for first, second in (("Anna", "Bob"), ("Cleo", "Dirk"), ("Elsa", "Finn")):
        seated = [found[first], found[second]]
        add_entrant(
            cast.operation("dirk"), event, kind="pair", players=seated, code=f"{first}+{second}"
        )
    return found


def played(event: Event, people: dict[str, Player], *names: str, variant: str = "") -> Game:
    """Two hands clockwise from North: North and South take 5 and 9, East and West 21 and 17."""
    game = table(event, [people[name] for name in names], variant=variant)
    hand(game, 1, [2, 6, 3, 2], queen=3)
    hand(game, 2, [5, 3, 4, 1], queen=1)
    return game


def rows(event: Event) -> dict[str, tuple[int, int]]:
    """Hands and points of everybody who has any, by entrant."""
    found = Aggregate.objects.filter(event=event, games__gt=0).values_list(
        "entrant__code", "hands", "points"
    )
    return {code: (hands, points // 360360) for code, hands, points in found}


def test_hand_of_two_pairs_on_a_side_is_in_neither(event: Event, people: dict[str, Player]) -> None:
    played(event, people, "Anna", "Elsa", "Cleo", "Finn")
    assert rows(event) == {"Elsa+Finn": (2, 38)}


def test_pair_on_both_sides_has_no_hand_there(event: Event, people: dict[str, Player]) -> None:
    game = played(event, people, "Anna", "Bob", "Cleo", "Dirk")
    assert rows(event) == {}
    assert not Contribution.objects.filter(game=game).exists()


@pytest.mark.parametrize("variant", [POOLED, INDIVIDUAL])
def test_pair_with_a_partner_from_outside_has_its_hands_once(
    event: Event, people: dict[str, Player], variant: str
) -> None:
    played(event, people, "Anna", "Elsa", "Sid", "Finn", variant=variant)
    assert rows(event) == {"Anna+Bob": (2, 14), "RL07": (2, 14), "Elsa+Finn": (2, 38)}


def test_counting_again_finds_the_same(event: Event, people: dict[str, Player]) -> None:
    played(event, people, "Anna", "Elsa", "Cleo", "Finn")
    before = rows(event)
    verification = verify_event(event, repair=True, now=NOW, report=lambda words: None)
    assert verification.found.differences == []
    assert rows(event) == before
