"""Every act that changes an event, done to whatever is there: `Acts(world, seed).one()`.

An act looks for something it may be done to, so that it is done often, and does it through its
service. Others do theirs meanwhile, so that it may be refused all the same.
"""

from tests.support.cast import NOW
from tests.support.random_acts.evening_acts import EveningActs
from tests.support.random_acts.event_acts import EventActs
from tests.support.random_acts.hand_acts import HandActs
from tests.support.random_acts.import_acts import ImportActs
from tests.support.random_acts.ladder_acts import LadderActs
from tests.support.random_acts.playoff_acts import PlayoffActs
from tests.support.random_acts.table_acts import TableActs
from tournaments.services.publishing.history import make_piece
from tournaments.services.publishing.ladders import publish_ladder
from tournaments.services.publishing.publications import publish


class Acts(EveningActs, HandActs, TableActs, EventActs, ImportActs, PlayoffActs, LadderActs):
    """All acts, and those of workers."""

    def do_publish(self) -> None:
        publish(self.chance.choice([*self.world.events, self.world.ladder]), now=NOW)

    def do_publish_ladder(self) -> None:
        publish(self.world.ladder, now=NOW)
        publish_ladder(self.world.ladder, now=NOW)

    def do_companions(self) -> None:
        make_piece(self.chance.choice(self.world.leagues))
