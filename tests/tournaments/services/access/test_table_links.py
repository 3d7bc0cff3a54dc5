"""Who holds a table's link, asked by the services themselves: their table, and no other act."""

from datetime import timedelta

import pytest
from django.utils import timezone

from scoring.errors import Refused
from tests.support.builders import counts
from tests.support.cast import enter_the_cast
from tests.support.scenarios.table_links import Linked, linked
from tournaments.errors import Forbidden, Missing
from tournaments.models.access import TableLink
from tournaments.models.hands import Entry, Game
from tournaments.policy import Actor
from tournaments.selectors.access.table_links import find_link_by_token, holder_of
from tournaments.selectors.rounds.tables import game_at_address
from tournaments.services.access.table_links import make_link, revoke_links
from tournaments.services.hands.close_tables import move_game
from tournaments.services.hands.plan_entry import entry_problems
from tournaments.services.hands.record_entry import record_entry, void_hand


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


def test_holder_finds_their_table_and_no_other(night: Linked, holder: Actor) -> None:
    at = ("riverside", "league")
    assert game_at_address(holder, *at, "r1t1").pk == night.game.pk
    with pytest.raises(Missing):
        game_at_address(holder, *at, "r1t2")


def test_holder_does_nothing_else_at_their_table(night: Linked, holder: Actor) -> None:
    now = timezone.now()
    with pytest.raises(Forbidden, match="close_table"):
        move_game(actor=holder, game=night.game, to="complete", now=now)
    with pytest.raises(Forbidden, match="void_hand"):
        void_hand(actor=holder, game=night.game, number=1, based_on=1, reason="No.", now=now)
    with pytest.raises(Forbidden, match="manage_links"):
        make_link(actor=holder, table=night.game.table, now=now)
    with pytest.raises(Forbidden, match="manage_links"):
        revoke_links(actor=holder, event=night.game.event, now=now)


@pytest.mark.parametrize("lasts", [timedelta(0), timedelta(days=-1), timedelta(days=32)])
def test_link_works_for_a_while_only(night: Linked, lasts: timedelta) -> None:
    with pytest.raises(Refused, match="bad_link_time"):
        make_link(actor=night.dirk, table=night.other.table, now=timezone.now(), lasts=lasts)
    assert TableLink.objects.count() == 1
