"""Who may do what with a challenge: the two, hosts, holders of a link, tokens."""

from dataclasses import replace
from typing import Any

import pytest
from django.db import transaction

from tests.support.cast import NOW, Cast
from tests.support.scenarios.challenges import LATER, answer, codes, issue, played, result
from tests.support.scenarios.ladders import ladder, member
from tournaments.errors import Forbidden
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.ladders import Challenge
from tournaments.models.outbox import Dirty, ladder_scope
from tournaments.models.standings import Change
from tournaments.policy import Actor, OpenedTable
from tournaments.selectors.ladders.challenges import challenge_at, challenge_line
from tournaments.services.ladders import challenges
from tournaments.services.ladders import transaction as transaction_service
from tournaments.services.ladders.challenges import issue_challenge
from tournaments.services.ladders.transaction import LadderTransaction

pytestmark = pytest.mark.django_db


@pytest.fixture
def event(cast: Cast) -> Event:
    return ladder(cast, now=NOW)


def test_token_that_only_reads_is_told_of_nothing_that_it_may_do(cast: Cast, event: Event) -> None:
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    own = member(cast, "E")
    assert "postpone" in challenge_line(event, challenge_at(event, 1), actor=own, now=LATER).may
    reads = replace(own, scope="read")
    assert challenge_line(event, challenge_at(event, 1), actor=reads, now=LATER).may == ()


def test_only_who_lost_or_a_host_confirms(cast: Cast, event: Event) -> None:
    played(cast, event)
    assert codes(lambda: answer(cast, event, "H", "confirmed")) == ["challenge_not_the_loser"]
    assert codes(lambda: answer(cast, event, "I", "confirmed")) == ["challenge_stranger"]
    assert codes(lambda: answer(cast, event, cast.actor("piet"), "confirmed")) == ["forbidden"]
    answer(cast, event, cast.actor("hanna"), "confirmed")
    assert Challenge.objects.get().confirmed_as == "host"
    assert codes(lambda: answer(cast, event, "E", "confirmed")) == ["challenge_state"]
    assert Dirty.objects.filter(scope=ladder_scope(event.pk), version__gte=1).exists()
    assert list(Change.objects.filter(kind="challenge").values_list("by")) == [("host",)]


MOVES = [
    ("issued", "accepted", "challenged"),
    ("issued", "declined", "challenged"),
    ("issued", "withdrawn", "challenger"),
    ("accepted", "forfeited_c", "challenger"),
    ("accepted", "forfeited_d", "challenged"),
]
PEOPLE = {
    "challenger": "H", "challenged": "E", "stranger": "F",
    "piet": "piet", "hanna": "hanna", "dirk": "dirk", "olga": "olga", "nora": "nora",
}  # fmt: skip


@pytest.mark.parametrize(("begin", "to", "side"), MOVES)
def test_each_of_the_two_moves_their_own_part_and_hosts_everything(
    cast: Cast, event: Event, begin: str, to: str, side: str
) -> None:
    issue(cast, event, "H", "E")
    if begin == "accepted":
        answer(cast, event, "E", "accepted")
    other = "challenged" if side == "challenger" else "challenger"
    expected = {
        side: [], other: ["challenge_not_yours"], "stranger": ["challenge_stranger"],
        "piet": ["forbidden"], "nora": ["forbidden"], "hanna": [], "dirk": [], "olga": [],
    }  # fmt: skip
    for name, refused in expected.items():
        who = PEOPLE[name]
        actor = member(cast, who) if len(who) == 1 else cast.actor(who)
        assert tried(cast, event, actor, to) == refused, name
    assert tried(cast, event, Actor("public"), to) == ["forbidden"]


def tried(cast: Cast, event: Event, actor: Actor, to: str) -> list[str]:
    """What is refused of a transition, which is rolled back where it is not."""
    with transaction.atomic():
        point = transaction.savepoint()
        found = codes(lambda: answer(cast, event, actor, to))
        transaction.savepoint_rollback(point)
    return found


def test_players_challenge_for_themselves_and_hosts_for_anybody(cast: Cast, event: Event) -> None:

    def send(actor: Actor, low: str = "") -> Challenge:
        return issue_challenge(actor=actor, event=event, challenger=low, challenged="E", now=NOW)

    assert codes(lambda: send(member(cast, "H"), "G")) == ["forbidden"]
    assert codes(lambda: send(cast.actor("piet"))) == ["forbidden"]
    assert codes(lambda: send(cast.actor("nora"), "H")) == ["forbidden"]
    assert codes(lambda: send(Actor("public"), "H")) == ["forbidden"]
    assert codes(lambda: send(cast.actor("hanna"))) == ["challenger_needed"]
    assert send(cast.actor("hanna"), "H").challenger.code == "H"


def test_holder_of_the_tables_link_confirms_its_result_and_does_nothing_else(
    cast: Cast, event: Event
) -> None:
    played(cast, event)
    game = Game.objects.select_related("table").get(event=event)
    here, elsewhere = (
        Actor("link", at=OpenedTable(1, event.pk, table_id, "r1t1"))
        for table_id in (game.table_id, game.table_id + 1)
    )
    assert codes(lambda: answer(cast, event, elsewhere, "confirmed")) == ["forbidden"]
    assert codes(lambda: answer(cast, event, here, "accepted")) == ["forbidden"]
    answer(cast, event, here, "confirmed")
    assert Challenge.objects.get().confirmed_as == "link"


def test_holder_of_a_link_confirms_nothing_whose_table_changed_meanwhile(
    cast: Cast, event: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The result is withdrawn and given anew between the first look and the lock."""
    played(cast, event)
    before = Game.objects.select_related("table").get(event=event)
    here = Actor("link", at=OpenedTable(1, event.pk, before.table_id, "r1t1"))
    begin = transaction_service.begin_transaction

    def meanwhile(**asked: Any) -> LadderTransaction:
        monkeypatch.setattr(challenges, "begin_transaction", begin)
        answer(cast, event, "E", "accepted")
        assert result(cast, event, "H", "EIH").game_id != before.pk
        return begin(**asked)

    monkeypatch.setattr(challenges, "begin_transaction", meanwhile)
    with pytest.raises(Forbidden):
        answer(cast, event, here, "confirmed")
    assert Challenge.objects.get().state == "played"


def test_who_confirmed_a_result_is_kept_when_the_challenge_is_void_later(
    cast: Cast, event: Event
) -> None:
    """Members read the name, everybody else the role."""
    played(cast, event)
    answer(cast, event, cast.actor("hanna"), "confirmed")
    row = Challenge.objects.get()
    assert (row.confirmed_as, row.confirmed_name) == ("host", "Hanna")
    challenges.answer_challenge(
        actor=cast.actor("dirk"),
        event=event,
        number=1,
        to="void",
        reason="Another table was meant.",
        now=LATER,
    )
    row = Challenge.objects.get()
    assert (row.state, row.confirmed_as, row.confirmed_by) == (
        *("void", "host"),
        cast.users["hanna"],
    )
    at = "/clubs/riverside/events/ladder/challenges/1"
    for who, name in (("piet", "Hanna"), ("", "a host")):
        page = cast.client(who).get(at).content.decode()
        assert "It was confirmed on" in page
        assert f"by {name}" in page
        told = cast.client(who).get(f"/api/v1{at}").json()
        assert (told["confirmed_as"], told["confirmed_by"]) == ("host", name)
