"""The same entry from many hands at once is one entry."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.live.conftest import Inside
from tests.support.live.project import LiveProject
from tests.support.live.rest_client import EVENT, open_rest_client, stored

pytestmark = [pytest.mark.pg, pytest.mark.worker]

AT_ONCE = 50


def test_same_key_fifty_times_at_once_is_one_hand_and_one_answer(
    live_project: Callable[..., LiveProject], inside: Inside, migrated_pg_url: str
) -> None:
    project = live_project(DATABASE_URL=migrated_pg_url)
    project.serve()
    with inside(project):
        rest, event = open_rest_client(project)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            answers = list(pool.map(lambda _: rest.enter("r1t1", 1, key="phone-1"), range(AT_ONCE)))
        print(f"{AT_ONCE} at once: {Counter(answer.status for answer in answers)}")
        assert {answer.status for answer in answers} == {201}, project.log
        assert len({answer.body for answer in answers}) == 1
        firsts = [a for a in answers if "idempotent-replayed" not in a.headers]
        assert len(firsts) == 1
        other_body = rest.enter("r1t1", 1, key="phone-1", queen=0)
        assert (other_body.status, other_body.codes) == (422, ["idempotency_key_reused"])
        other_key = rest.enter("r1t1", 1, key="phone-2")
        assert (other_key.status, other_key.codes) == (409, ["hand_exists"])
        there = rest.ask("GET", f"{EVENT}/tables/r1t1/hands/1").json
        assert other_key.json["there"] == there
        assert stored(event) == {("r1t1", 1): 1}
