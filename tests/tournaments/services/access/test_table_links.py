"""Who holds a table's link, asked by the services themselves: their table, and no other act."""

import pytest
from django.utils import timezone

from tests.support.builders import counts
from tests.support.cast import enter_the_cast
from tests.support.scenarios.table_links import Linked, linked
from tournaments.errors import Forbidden
from tournaments.models.hands import Entry, Game
from tournaments.policy import Actor
from tournaments.selectors.access.table_links import find_link_by_token, holder_of
from tournaments.services.hands.plan_entry import entry_problems
from tournaments.services.hands.record_entry import record_entry


@pytest.fixture
def night(db: None) -> Linked:
    return linked(enter_the_cast(), visibility="held")


@pytest.fixture
def holder(night: Linked) -> Actor:
    link = find_link_by_token(night.secrets.token, timezone.now())
    assert link is not None
    return holder_of(link, "Hanne")


def enter(actor: Actor, game: Game) -> Entry:
    entry = counts([3, 3, 3, 4], 1)
    now = timezone.now()
    return record_entry(actor=actor, game=game, number=2, entry=entry, now=now, source="host").entry


def test_holder_enters_at_their_table_and_at_no_other(night: Linked, holder: Actor) -> None:
    assert (enter(holder, night.game).source, holder.label) == ("link", f"link:{night.link.pk}")
    with pytest.raises(Forbidden, match="enter_hand"):
        enter(holder, night.other)
    with pytest.raises(Forbidden, match="enter_hand"):
        entry_problems(actor=holder, game=night.other, entry={})
    assert Entry.objects.count() == 3
