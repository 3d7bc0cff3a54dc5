"""Two challenges at one moment on PostgreSQL: one is there, the other is refused as later it is."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from scoring.errors import Refused
from tests.live.conftest import Inside
from tests.support.cast import NOW, enter_the_cast
from tests.support.live.project import LiveProject
from tests.support.scenarios.ladders import ladder, member
from tournaments.models.events import Event
from tournaments.models.ladders import Challenge
from tournaments.services.ladders.challenges import answer_challenge, issue_challenge

pytestmark = pytest.mark.pg


def test_two_posts_at_one_moment_make_one_challenge_and_one_refusal(
    live_project: Callable[..., LiveProject], inside: Inside, migrated_pg_url: str
) -> None:
    project = live_project(DATABASE_URL=migrated_pg_url)
    with inside(project):
        cast = enter_the_cast()
        event = ladder(cast, "ABCDEF", now=NOW)

    def together(*acts: Callable[[Event], object]) -> list[list[str]]:
        line = threading.Barrier(len(acts))

        def act(one: Callable[[Event], object]) -> list[str]:
            with inside(project):
                mine = Event.objects.select_related("club").get(pk=event.pk)
                line.wait()
                try:
                    one(mine)
                except Refused as refused:
                    return [problem.code for problem in refused.problems]
                return []

        with ThreadPoolExecutor(len(acts)) as pool:
            return sorted(one.result() for one in [pool.submit(act, one) for one in acts])

    def sends(low: str, high: str) -> Callable[[Event], object]:
        actor = member(cast, low)
        return lambda mine: issue_challenge(actor=actor, event=mine, challenged=high, now=NOW)

    def answers(to: str) -> Callable[[Event], object]:
        actor = member(cast, "C")
        return lambda mine: answer_challenge(actor=actor, event=mine, number=1, to=to, now=NOW)

    assert together(sends("D", "C"), sends("E", "C")) == [[], ["challenge_in_open"]]
    assert together(answers("accepted"), answers("declined")) == [[], ["challenge_state"]]
    assert together(sends("B", "A"), sends("B", "A")) == [
        [],
        ["challenge_out_open", "challenge_in_open"],
    ]
    with inside(project):
        assert sorted(Challenge.objects.values_list("number", flat=True)) == [1, 2]
