"""Names at one moment on PostgreSQL: nobody keeps a public name of a policy that is out of date."""

from functools import partial

import pytest

from tests.live.conftest import Inside
from tests.support.builders import TESTS, hand, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.lengths import short_or_long
from tests.support.live.bulk_acts import at_once, project
from tests.support.live.project import LiveProject
from tournaments.domain.people.public_names import public_name_of
from tournaments.models.clubs import Club, Player
from tournaments.models.standings import Publication
from tournaments.services.clubs.clubs import add_guest, add_player, edit_player
from tournaments.services.clubs.names import set_names_policy
from tournaments.services.publishing.publications import publish

__all__ = ["project"]

pytestmark = pytest.mark.pg
TIMES = short_or_long(3, 6)


def test_policy_changes_while_people_come_are_renamed_and_play(
    inside: Inside, project: LiveProject
) -> None:
    with inside(project):
        cast = enter_the_cast()
        club, event = cast.riverside, league(cast.riverside)
        people = players(club, "Xenia Smit", "Zoë Klein", "Leo Kamp", "Anton Staal")
        game = table(event, people)
    for at in range(TIMES):
        policy = ("number", "initial")[at % 2]
        refused = at_once(
            inside,
            project,
            [
                partial(set_names_policy, actor=TESTS, club=club, policy=policy, now=NOW),
                partial(add_player, actor=TESTS, club=club, name=f"New One{at}", now=NOW),
                partial(add_guest, actor=TESTS, club=club, name=f"Some Guest{at}", now=NOW),
                partial(
                    edit_player, actor=TESTS, club=club, player=people[0],
                    changes={"name": f"Xenia Smit{at}"}, now=NOW,
                ),
                partial(hand, game, at + 1, [4, 1, 2, 6], 3),
                partial(publish, event.pk, now=NOW),
            ],
        )  # fmt: skip
        with inside(project):
            now = Club.objects.get(pk=club.pk)
            stale = [
                (one.player_id, one.public_name)
                for one in Player.objects.filter(club=club)
                if one.public_name != public_name_of(one, now)
            ]
            publish(event.pk, now=NOW)
            newest = Publication.objects.filter(event=event).latest("number")
            assert (stale, newest.names_version) == ([], now.names_version)
        assert refused == []
