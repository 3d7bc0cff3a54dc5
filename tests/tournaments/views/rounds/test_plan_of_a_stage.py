"""The page "Plan seating" names the stage that it plans for, and another one can be chosen."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.support.answers import post_json
from tests.support.builders import TESTS, league, players
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.evenings import check_in, evening
from tests.support.pages.text import text
from tests.support.scenarios.cups import E, cup, planned, play, post
from tournaments.models.meetings import Meeting
from tournaments.models.seating_plans import SeatingPlan
from tournaments.services.events.entrants import add_entrant
from tournaments.services.events.events import enter_players
from tournaments.services.publishing.publications import publish
from tournaments.services.stages.plan_stages import begin_stage

pytestmark = pytest.mark.django_db

PAGE = "/clubs/riverside/events/league/meetings/2025-11-13/plans"


@pytest.fixture
def cast() -> Cast:
    return enter_the_cast()


def test_page_plans_for_the_stage_that_is_chosen(cast: Cast) -> None:
    dirk, event = cup(cast, 16, table_sizes=[4])
    assert "Plans for" not in text(dirk.get(PAGE))
    play(post(dirk, planned(dirk)))
    play(post(dirk, planned(dirk)))
    added = post_json(
        dirk,
        f"{E}/stages",
        {
            "movement": "individual", "name": "Consolation", "takes": "losers", "from_stage": 1,
            "from_round": 1, "table_sizes": [4], "rounds": 2,
        },
    )  # fmt: skip
    assert added.status_code == 201, added.content
    begin_stage(actor=TESTS, event=event, number=2, now=NOW)
    publish(event.pk, now=NOW)
    page = dirk.get(PAGE)
    assert "Plans for Consolation. Cup Consolation" in text(page)
    assert "8 are here" in text(page)
    assert page.context["form"].initial["movement"] == "individual"
    page = dirk.get(PAGE, {"stage": "1"})
    assert "Plans for Cup. Cup Consolation" in text(page)
    assert 'name="stage" value="1"' in page.content.decode()
    assert page.context["form"].initial["movement"] == "knockout"
    sent = {"make": "yes", "movement": "knockout", "sizes": ["4"], "stage": "1"}
    assert "Plans for Cup." in text(dirk.post(PAGE, sent, follow=True))
    plan = SeatingPlan.objects.get(state="draft")
    assert (plan.inputs["stage"], len(plan.inputs["present"]), plan.movement) == (1, 16, "knockout")
    sent = {"make": "yes", "movement": "individual", "rounds": "2", "sizes": ["4"], "stage": "2"}
    dirk.post(PAGE, sent, follow=True)
    plan = SeatingPlan.objects.get(state="draft")
    assert (len(plan.inputs["present"]), plan.round_count) == (8, 2)
    assert dirk.post(PAGE, sent | {"stage": "7"}).status_code == 422


def test_plan_over_rest_for_a_stage_that_is_not_the_last_has_its_people(cast: Cast) -> None:
    dirk, event = cup(cast, 16, table_sizes=[4])
    play(post(dirk, planned(dirk)))
    play(post(dirk, planned(dirk)))
    more = {
        "from_round": 1,
        "movement": "individual",
        "name": "Consolation",
        "takes": "losers",
        "from_stage": 1,
    }
    post_json(dirk, f"{E}/stages", more)
    begin_stage(actor=TESTS, event=event, number=2, now=NOW)
    wanted = {"movement": "individual", "rounds": 1}
    plans = f"{E}/meetings/2025-11-13/plans"
    last = post_json(dirk, plans, wanted).json()["plans"][0]
    first = post_json(dirk, plans, wanted | {"stage": 1}).json()["plans"][0]
    assert (len(last["players"]), len(first["players"])) == (8, 16)


def test_knockout_plan_page_asks_as_much_for_any_number_of_players(cast: Cast) -> None:
    dirk, event = cup(cast, 8, table_sizes=[4])
    meeting = Meeting.objects.get(event=event)
    found = []
    for head_count in (8, 16, 32):
        more = head_count - len(meeting.attendance.all())
        people = players(event.club, *(f"Guest {head_count} {at}" for at in range(more)))
        check_in(meeting, people)
        enter_players(event=event, players=people)
        planned(dirk)
        dirk.get(PAGE)
        with CaptureQueriesContext(connection) as queries:
            assert "knock-out" in text(dirk.get(PAGE))
        found.append(len(queries))
    assert len({*found}) == 1, found


def test_advice_to_meet_many_players_is_not_for_pairs(cast: Cast) -> None:
    event = league(cast.riverside, variant="partnership-hearts-pooled")
    _meeting, people = evening(event, 8)
    dirk = cast.client("dirk")
    advice = "“Meet many players” is recommended"
    assert advice in text(dirk.get(PAGE))
    for at in range(0, 8, 2):
        add_entrant(actor=TESTS, event=event, kind="pair", players=people[at : at + 2], now=NOW)
    assert advice not in text(dirk.get(PAGE))
