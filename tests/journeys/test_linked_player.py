"""Only players who are linked to an account act for themselves; the pages say so to the others.

Cleo is linked by a director on the player's page.
"""

import re

import pytest
import time_machine
from django.test import Client

from tests.support.answers import Answer, Json, post_json
from tests.support.builders import hand, ladder, league, players, publish_all, table
from tests.support.cast import NOW, Cast
from tests.support.pages.text import text_of
from tournaments.models.clubs import Membership, Player
from tournaments.models.events import Entrant
from tournaments.services.events.events import entrant_for
from tournaments.services.ladders.log import sync_log

CLUB = "/clubs/riverside"
LADDER, LEAGUE = f"{CLUB}/events/ladder", f"{CLUB}/events/league"


class Night:
    """The club with a league and a ladder, and Cleo, who is linked by hand."""

    def __init__(self, cast: Cast) -> None:
        self.cast = cast
        people = players(cast.riverside, "Bruno K.", "Anna D.", "Cleo S.", "Dora M.")
        event = league(cast.riverside)
        hand(table(event, people), 1, [4, 1, 2, 6], 3)
        others = players(cast.riverside, "Emil", "Frieda", "Gero", "Hilde")
        hand(table(event, others, table_number=2), 1, [4, 1, 2, 6], 3)
        rungs = ladder(cast.riverside)
        for place, player in enumerate(people, start=1):
            entrant = entrant_for(event=rungs, player=player)
            Entrant.objects.filter(pk=entrant.pk).update(start_position=place)
        sync_log(rungs, NOW)
        publish_all(rungs)
        self.cleo = self._linked_by_hand("piet", "RL03")

    def _linked_by_hand(self, name: str, player_id: str) -> Client:
        member = Membership.objects.get(club=self.cast.riverside, user=self.cast.users[name])
        form = f"{CLUB}/link-player/{player_id}"
        linked = self.cast.client("dirk").post(form, {"member": str(member.public_id)})
        assert linked.status_code == 302
        return self.cast.client(name)


@pytest.fixture
def night(clock: time_machine.Traveller, cast: Cast) -> Night:
    return Night(cast)


def rest(client: Client, address: str, body: Json) -> Answer:
    return post_json(client, f"/api/v1{address}", body)


def test_everybody_else_is_told_who_may_and_what_to_do_first(night: Night) -> None:
    rest(night.cleo, f"{LADDER}/challenges", {"challenged": "RL01"})
    member = Membership.objects.create(
        club=night.cast.riverside, user=night.cast.users["nora"], role="player"
    )
    nora, one = night.cast.client("nora"), f"{LADDER}/challenges/1"
    pages = {
        one: "Only Bruno K., a host or a director can answer this challenge.",
        f"{LADDER}/challenges": "Members of this ladder send challenges, hosts for anybody.",
        f"{LADDER}/ladder": "Members of this ladder send challenges, hosts for anybody.",
        f"{LADDER}/absences": "Members of this ladder report their absences, hosts for anybody.",
        f"{LEAGUE}/tables/r1t1": "Only the players of this table, hosts and directors can report",
        f"{LEAGUE}/tables/r1t1/hands/1": "Only the players of this table, hosts and directors can",
    }
    for address, says in pages.items():
        for client, hint in (
            (Client(), "Sign in if you are one of them. Sign in"),
            (nora, "Your account is not linked to a player. Ask a director to link it. This is me"),
        ):
            page = text_of(client.get(address))
            assert says in page, address
            assert hint in page, address
        assert "Your account is not linked" not in text_of(night.cleo.get(address))
        assert "Sign in if" not in text_of(night.cast.client("hanna").get(address))
    form = text_of(nora.get(f"{LADDER}/challenges/new"))
    assert "Your account is not linked to a player." in form
    for address, sent in (
        (f"{LADDER}/challenges/new", {"challenged": "RL01"}),
        (f"{one}/move", {"to": "accepted"}),
        (f"{LADDER}/absences/new", {"since": "2025-11-10"}),
        (f"{LEAGUE}/tables/r1t1/dispute", {"hand": "1", "words": "No."}),
    ):
        refused = nora.post(address, sent)
        assert refused.status_code == 403, address
        assert "Ask a director to link it." in text_of(refused), address
    other = night.cleo.post(f"{LEAGUE}/tables/r1t2/dispute", {"hand": "1", "words": "No."})
    assert "Only the players concerned, hosts and directors can do this." in text_of(other, 403)
    member.delete()
    stranger = nora.post(f"{one}/move", {"to": "accepted"})
    assert "Your account is not a member of Riverside." in text_of(stranger, 403)
    assert rest(nora, f"{one}/moves", {"to": "accepted"}).status_code == 403


def test_unlinked_member_may_no_longer(night: Night) -> None:
    night.cast.client("dirk").post(f"{CLUB}/link-player/RL03", {"unlink": "yes"})
    assert Player.objects.get(player_id="RL03").user is None
    assert rest(night.cleo, f"{LADDER}/challenges", {"challenged": "RL01"}).status_code == 403
    assert not re.search(r'name="challenged"', night.cleo.get(f"{LADDER}/ladder").content.decode())
