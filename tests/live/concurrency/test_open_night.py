"""Two directors on an open night form tables at one moment: nobody is seated twice."""

from collections import Counter
from functools import partial

import pytest

from tests.live.conftest import Inside
from tests.support.builders import TESTS, league, players
from tests.support.cast import NOW, enter_the_cast
from tests.support.evenings import check_in
from tests.support.lengths import short_or_long
from tests.support.live.bulk_acts import at_once, project
from tests.support.live.project import LiveProject
from tests.support.scenarios.open_nights import OpenNightEvening
from tournaments.models.hands import Game
from tournaments.models.meetings import Round, Sitting
from tournaments.services.seating_plans.form_tables import form_tables

__all__ = ["project"]

pytestmark = [pytest.mark.pg]


def seated() -> Counter[int]:
    """How many tables that play each player sits at."""
    rows = Sitting.objects.filter(to_hand=None, seat__table__game__state__in=("seated", "playing"))
    return Counter(rows.values_list("player_id", flat=True))


def test_tables_formed_twice_at_once_seat_nobody_twice(
    inside: Inside, project: LiveProject
) -> None:
    with inside(project):
        event = league(enter_the_cast().riverside)
        night = OpenNightEvening(event, 9)
        meeting = night.meeting
    form = partial(form_tables, actor=TESTS, meeting=meeting, now=NOW)
    picked = ["RL01", "RL02", "RL03"]
    both = (
        [form, form],
        [form, partial(form, is_single=True)],
        [partial(form, players=picked), partial(form, players=["RL03", "RL04", "RL05"])],
        [form, partial(form, players=picked)],
    )
    for turn in range(short_or_long(4, 24)):
        refused = at_once(inside, project, both[turn % len(both)])
        assert set(refused) <= {"too_few_free", "player_not_free"}
        assert len(refused) <= 1
        with inside(project):
            times = seated()
            assert times
            assert set(times.values()) == {1}
            Game.objects.filter(event=event).update(state="complete")


def test_two_rounds_are_not_made_for_two_directors(inside: Inside, project: LiveProject) -> None:
    with inside(project):
        event = league(enter_the_cast().riverside)
        night = OpenNightEvening(event, 4)
        night.form()
        night.end("r1t1")
        check_in(night.meeting, players(event.club, "Wim W.", "Xaver W.", "Yann W.", "Zita W."))
        meeting = night.meeting
    picked = ["RL05", "RL06", "RL01"], ["RL07", "RL08", "RL02"]
    acts = [
        partial(form_tables, actor=TESTS, meeting=meeting, players=one, now=NOW) for one in picked
    ]
    assert at_once(inside, project, acts) == []
    with inside(project):
        assert list(Round.objects.order_by("number").values_list("number", flat=True)) == [1, 2]
        assert Round.objects.get(number=2).tables.count() == 2
