"""An event before its cut, with its people; made once a module where its tests allow it."""

from tests.support.builders import Cast, players
from tests.support.module_scope import made_once
from tests.support.scenarios.cuts import NAMES, before_a_cut
from tournaments.models.clubs import Player


def make_people(cast: Cast) -> list[Player]:
    return players(cast.riverside, *NAMES)


people_once, people = made_once("people", make_people)
event_once, event = made_once("event", before_a_cut)
