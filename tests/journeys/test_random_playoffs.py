"""Whatever is dealt in a play-off: it ends with an order across the line, and moves nobody else."""

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from tests.support.answers import Json
from tests.support.builders import by_tests
from tests.support.cast import NOW, enter_the_cast
from tests.support.scenarios.playoffs import look, play, tied
from tournaments.models.events import Event
from tournaments.models.playoffs import Playoff
from tournaments.models.standings import Aggregate, Contribution, Publication
from tournaments.selectors.playoffs.playoffs import get_playoff
from tournaments.services.playoffs.director_actions import move_playoff, retire_member
from tournaments.services.publishing.schedule_playoffs import schedule_playoffs

HANDS = (
    (3, 3, 20), (3, 20, 3), (20, 3, 3), (13, 13, 0), (0, 13, 13), (6, 6, 14), (3, 10, 13),
)  # fmt: skip
"""Points of A, B and C; many of them leave some of the three level."""
OWN_PLACE = frozenset({"rank", "tied", "values", "decided_by", "reason", "ahead", "reason_facts"})


def rows(event: Event) -> list[Json]:
    body = Publication.objects.filter(event=event).order_by("-number")[0].body
    found: list[dict[str, Any]] = json.loads(bytes(body))["rows"]
    return found


class TestPlayoffs(TestCase):
    """Hypothesis runs each example in a transaction of its own."""

    @given(
        hands=st.lists(st.sampled_from(HANDS), max_size=4),
        line=st.sampled_from([{"title": 1}, {"promotion": 2}, {"title": 1, "prize": 2}]),
        leaves=st.sampled_from(["", "RL01", "RL03"]),
    )
    @settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    def test_any_hands_end_in_an_order_across_the_line_and_change_nothing_else(
        self, hands: list[tuple[int, int, int]], line: dict[str, int], leaves: str
    ) -> None:
        event = tied(
            enter_the_cast().riverside, boundaries=line, playoff_rules={"max_hands": 4}
        )  # fmt: skip
        before = rows(event)
        sums = list(Aggregate.objects.filter(event=event).order_by("entrant").values())
        for number, points in enumerate(hands, start=1):
            if get_playoff(event, 1).state not in ("scheduled", "in_play"):
                break
            play(event, number, dict(zip("ABC", points, strict=True)))
        playoff = get_playoff(event, 1)
        if playoff.is_live and leaves in {
            m.player_id for m in playoff.members if m.total is not None
        }:
            retire_member(by_tests(), event, number=1, player_id=leaves, why="withdrawn")
        if get_playoff(event, 1).is_live:
            move_playoff(by_tests(), event, number=1, to="by_lot", seed="7f3c")
        look(event)
        after = rows(event)
        order = [row["player"] for row in after]
        assert sorted(order[:3]) == ["A", "B", "C"]
        assert order[3:] == ["D"]
        for above in line.values():
            assert after[above - 1]["rank"] < after[above]["rank"]
        kept = {row["player"]: row for row in after}
        for row in before:
            for key in row.keys() - OWN_PLACE:
                assert row[key] == kept[row["player"]][key]
        assert kept["D"]["rank"] == 4
        assert sums == list(Aggregate.objects.filter(event=event).order_by("entrant").values())
        assert not Contribution.objects.filter(event=event, game__counts=False).exists()
        assert not schedule_playoffs(event.pk, now=NOW)
        assert Playoff.objects.filter(event=event).count() == 1
