"""The final of a cup decides the final: places there, play-offs of it, and who went out before."""

import pytest

from tests.support.answers import Json, post_json
from tests.support.builders import TESTS, hand, league, players, table
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.pages.text import text_of
from tests.support.scenarios.cuts import close
from tests.support.scenarios.playoffs import look, play, standing, view
from tests.support.scenarios.raw_cup import raw_ranks
from tournaments.models.events import Event, Stage
from tournaments.models.hands import Game
from tournaments.services.events.events import move_event

pytestmark = pytest.mark.django_db

E = "/clubs/riverside/events/league"
NAMES = ("Dora", "Eli", "Gus", "Hal", "Fay", "Mia", "Ida", "Jan")
FINAL = (([5, 3, 3, 2], 2), ([5, 3, 3, 2], 2), ([5, 2, 4, 2], 1), ([4, 3, 5, 1], 3))
"""Dora, Eli, Fay and Mia: 19, 24, 41 and 20 in four hands."""
TIED = (([5, 3, 3, 2], 2), ([5, 3, 3, 2], 2), ([5, 2, 4, 2], 3), ([4, 3, 5, 1], 1))
"""Eli and Mia have 24 and 20 the other way round."""


@pytest.fixture
def cast() -> Cast:
    return enter_the_cast()


def cup(cast: Cast, *hands: tuple[list[int], int], **settings: object) -> Event:
    """Play a cup of eight: round 1 leaves Mia behind Eli and Fay in points of places."""
    event = league(cast.riverside, settings={"primary": "placement_points", **settings})
    people = dict(zip(NAMES, players(cast.riverside, *NAMES), strict=True))
    one = table(event, [people[name] for name in NAMES[:4]])
    two = table(event, [people[name] for name in NAMES[4:]], table_number=2)
    Stage.objects.update(kind="knockout", name="Cup")
    hand(one, 1, [1, 3, 5, 4], 3)
    hand(two, 1, [2, 4, 6, 1], 3)
    close(event, 1)
    final = table(event, [people[n] for n in ("Dora", "Eli", "Fay", "Mia")], round_number=2)
    for number, (hearts, queen) in enumerate(hands, 1):
        hand(final, number, hearts, queen)
    close(event, 2)
    look(event)
    return event


def ranks(event: Event) -> dict[str, int]:
    return {name: int(str(row["rank"])) for name, row in standing(event).items()}


def test_places_of_the_final_are_the_places_of_the_standings(cast: Cast) -> None:
    event = cup(cast, *FINAL)
    assert list(ranks(event))[:4] == ["Dora", "Mia", "Eli", "Fay"]
    assert ranks(event) == raw_ranks(event)
    page = " ".join(text_of(cast.client().get(E)).split())
    assert "place 2 in round 2, Dora place 1" in page
    assert "Eli went on from table 1 with place 2 against place 3" in page
