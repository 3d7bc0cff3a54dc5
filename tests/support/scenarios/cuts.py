"""An event of eight before a cut, cuts of it, and corrections of what was before them."""

import json
from datetime import timedelta

from tests.support.answers import Json
from tests.support.builders import by_tests, hand, league, table
from tests.support.cast import NOW
from tournaments.models.clubs import Player
from tournaments.models.events import Event, Stage
from tournaments.models.playoffs import StageEntrant
from tournaments.models.rounds import Round, Table
from tournaments.selectors.events.entrants import get_entrant
from tournaments.services.hands.close_tables import close_tables
from tournaments.services.ladders.members import move_entrant
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.rounds import move_round
from tournaments.services.stages.cuts import make_cut
from tournaments.tasks import schedule_event_playoffs

LATER = NOW + timedelta(hours=2)
NAMES = ("Elsa D.", "Xenia S.", "Ruth K.", "Omar B.", "Ivo T.", "Lena M.", "Paul R.", "Gwen A.")


CHANGED = [2, 5, 5, 1]
"""Round 1 at table 2, read anew: RL06 has 5, so RL03 is tied with RL06 behind RL02."""
OTHERS = [2, 6, 4, 1]
"""Likewise: RL07 has 4 and RL06 6, so RL07 would go on in the place of RL06."""


def before_a_cut(people: list[Player]) -> Event:
    """After round 1: RL01 1, RL05 2, RL02 3, RL06 4, RL03 5, RL07 6, RL08 14, RL04 17."""
    event = league(people[0].club)
    one = table(event, people[:4])
    two = table(event, people[4:], table_number=2)
    hand(one, 1, [1, 3, 5, 4], 3)
    hand(two, 1, [2, 4, 6, 1], 3)
    close(event, 1)
    return event


def close(event: Event, number: int) -> None:
    round_ = Round.objects.get(event=event, number=number)
    close_tables(by_tests(), round_)
    move_round(by_tests(), round_, to="closed")
    publish(event.pk, now=NOW)


def cut(event: Event, number: object = 4, name: str = "") -> Stage:
    return make_cut(by_tests(LATER), event, cut=number, name=name)


def withdraw(event: Event, code: str) -> None:
    move_entrant(by_tests(), get_entrant(event, code), to="withdrawn", reason="Moved away.")


def chosen(stage: Stage) -> list[str]:
    return sorted(StageEntrant.objects.filter(stage=stage).values_list("entrant__code", flat=True))


def published(event: Event) -> list[Json]:
    publication = publish(event.pk, now=LATER)
    assert publication is not None
    return list(json.loads(bytes(publication.body))["rows"])


def correct(event: Event, code: str, hearts: list[int], queen: int = 3) -> None:
    game = Table.objects.get(event=event, code=code).game
    revision = game.hands.get(number=1).revision
    hand(game, 1, hearts, queen, based_on=revision, reason="Read wrongly.", now=LATER)
    publish(event.pk, now=LATER)
    schedule_event_playoffs(event.pk)


def asked(stage: Stage) -> Json | None:
    stage.refresh_from_db()
    return stage.asked and stage.asked["facts"]
