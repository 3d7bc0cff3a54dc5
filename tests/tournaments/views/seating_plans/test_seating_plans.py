"""The pages "Plan seating" and "Who may sit together", and the seating of an open night."""

import re
from datetime import UTC, datetime

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.support.answers import post_json
from tests.support.builders import by_tests, league, pairs, players
from tests.support.cast import NOW, Cast
from tests.support.evenings import check_in, evening
from tests.support.pages.queries import count_queries
from tests.support.pages.text import text as page_text
from tests.support.pages.text import text_of
from tests.support.scenarios.cups import E, cup, planned, play
from tests.support.scenarios.cups import post as post_form
from tests.support.scenarios.open_nights import OpenNightEvening
from tournaments.models.events import Event
from tournaments.models.rounds import Attendance, Meeting, Round, Table
from tournaments.models.seating_plans import SeatingConstraint, SeatingPlan
from tournaments.selectors.stages import get_stage
from tournaments.services.events.events import enter_players
from tournaments.services.publishing.publications import publish
from tournaments.services.stages.plan_stages import begin_stage
from tournaments.tasks import plan_seating

pytestmark = pytest.mark.django_db

PAGE = "/clubs/riverside/events/league/meetings/2025-11-13/plans"
CONSTRAINTS = "/clubs/riverside/events/league/constraints"


def text(content: bytes) -> str:
    plain = re.sub(r"<[^>]+>", " ", content.decode())
    return re.sub(r"\s+", " ", plain)


def page(client: Client, address: str = PAGE) -> str:
    return text(client.get(address).content)


def post(client: Client, address: str = PAGE, **sent: object) -> str:
    return text(client.post(address, sent, follow=True).content)


def started(cast: Cast, head_count: int) -> tuple[Event, Meeting, Client]:
    event = league(cast.riverside, settings={"bye_award": "own_mean", "round_minutes": 25})
    meeting, _people = evening(event, head_count)
    return event, meeting, cast.client("dirk")


def test_director_compares_plans_for_the_people_here_and_chooses_one(cast: Cast) -> None:
    _event, _meeting, dirk = started(cast, 17)
    assert "17 are here" in page(dirk)
    response = post(dirk, make="yes", rounds="5", sizes=["3", "4", "5"])
    assert "3 plans created." in response
    assert "Plan A: tables of four and three" in response
    assert "5 tables a round (3 with three players). Nobody sits out." in response
    assert "Plan B: tables of four and five" in response
    assert "Plan C: tables of four only" in response
    assert "4 tables a round. 1 player sits out." in response
    assert "A bye counts as the average of their own games." in response
    assert "25 minutes a round" in response
    assert "Takes about 2 h 05 min" in response
    plan = SeatingPlan.objects.order_by("pk")[2]
    assert "Plan chosen. Round 1 is seated." in post(dirk, choose=str(plan.public_id))
    assert SeatingPlan.objects.get(state="chosen") == plan
    assert list(Round.objects.values_list("number", "state", "plan")) == [(1, "draft", plan.pk)]
    other = SeatingPlan.objects.filter(state="draft")[0]
    assert "Plan chosen. Round 1 is seated." not in post(dirk, choose=str(other.public_id))
    assert (Round.objects.count(), Table.objects.count()) == (1, 4)


def test_attendance_leads_to_plans_which_are_made_where_none_is_current(cast: Cast) -> None:
    event, meeting, dirk = started(cast, 9)

    def seeds() -> set[int]:
        assert dirk.post(PAGE, {"plan": "yes"})["Location"] == PAGE
        return set(SeatingPlan.objects.values_list("seed", flat=True))

    first = seeds()
    assert seeds() == first
    assert "Choose plan A" in page(dirk)
    check_in(meeting, players(event.club, "Zoe Z."))
    assert not seeds() & first
    Attendance.objects.all().delete()
    few = dirk.post(PAGE, {"plan": "yes"})
    assert (few.status_code, "cannot be seated" in text(few.content)) == (422, True)


def test_plan_that_cannot_be_seated_is_chosen_and_the_page_says_why(cast: Cast) -> None:
    event, meeting, dirk = started(cast, 9)
    post(dirk, make="yes", rounds="2", sizes=["3", "4"])
    check_in(meeting, players(event.club, "Zoe Z."))
    chosen = post(dirk, anyway=str(SeatingPlan.objects.order_by("pk")[0].public_id))
    assert "Plan chosen." in chosen
    assert "Zoe Z." in chosen
    assert (SeatingPlan.objects.filter(state="chosen").count(), Round.objects.count()) == (1, 0)


def test_chosen_plan_keeps_its_letter_and_the_same_plan_is_no_second_card(cast: Cast) -> None:
    _event, _meeting, dirk = started(cast, 17)
    post(dirk, make="yes", rounds="5", sizes=["3", "4", "5"], seed="7")
    post(dirk, choose=str(SeatingPlan.objects.order_by("pk")[1].public_id))
    assert "Plan B: tables of four and five Chosen" in page(dirk)
    again = post(dirk, make="yes", rounds="5", sizes=["3", "4", "5"], seed="7")
    titles = re.findall(r"Plan ([A-Z]): (tables of [a-z ]+?)(?: only)? (?:Chosen|Fewest)?", again)
    assert again.count("tables of four and five") == 1, "once more with the same seed"
    assert "Plan B: tables of four and five Chosen" in again
    assert {letter for letter, _title in titles} == {"A", "B", "D"}


def test_heads_of_plans_of_pairs_tell_them_apart_and_count_no_partners(cast: Cast) -> None:
    event = league(cast.riverside, variant="partnership-hearts-pooled")
    _meeting, people = evening(event, 9)
    pairs(event, people[:8])
    dirk = cast.client("dirk")
    sent = {"make": "yes", "movement": "pairs:all_play_all", "seed": "7"}
    assert "players_without" not in post(dirk, **sent, rounds="3")
    Attendance.objects.filter(player=people[8]).update(state="left")
    assert "Plan A: pairs, all play all" in post(dirk, **sent, rounds="3")
    post(dirk, choose=str(SeatingPlan.objects.get().public_id))
    both = post(dirk, **sent, rounds="2")
    assert "Plan A: pairs, all play all: rounds 1 to 3 Chosen" in both
    assert "Plan B: pairs, all play all: rounds 1 to 2" in both
    assert "repeated pair" not in both
    assert both.count("Repeated pairs 0 No two pairs play each other twice.") == 2
    plans = dirk.get(f"/api/v1{PAGE}").json()["results"]
    assert [plan["repeated_pairs"] for plan in plans] == [0, 0]
    assert all(plan["cost"]["repeats"] for plan in plans), "partners share each table"


def test_heads_of_equal_plans_have_no_number_but_their_letter(cast: Cast) -> None:
    _event, _meeting, dirk = started(cast, 8)
    post(dirk, make="yes", rounds="1", sizes=["4"], seed="7")
    post(dirk, choose=str(SeatingPlan.objects.get().public_id))
    both = post(dirk, make="yes", rounds="1", sizes=["4"], seed="8")
    assert "Plan A: tables of four only Chosen" in both
    assert "Plan B: tables of four only" in both
    assert "(2)" not in both


def test_fewest_repeats_are_those_of_plans_for_the_same_rounds(cast: Cast) -> None:
    _event, _meeting, dirk = started(cast, 15)
    assert "Fewest repeats" in post(dirk, make="yes", rounds="5", sizes=["3", "4", "5"], seed="7")
    post(dirk, choose=str(SeatingPlan.objects.order_by("pk")[0].public_id))
    shorter = post(dirk, make="yes", rounds="1", sizes=["4"])
    assert "Choose plan" in shorter
    assert "Fewest repeats" not in shorter


def test_plan_with_the_fewest_repeats_is_no_better_where_more_people_sit_out(cast: Cast) -> None:
    _event, _meeting, dirk = started(cast, 11)
    plans = post(dirk, make="yes", rounds="3", sizes=["3", "4"], seed="7")
    assert "Nobody sits out" in plans
    assert "sit out" in plans
    assert "Fewest repeats" not in plans


def test_end_is_told_from_the_time_of_the_evening(cast: Cast) -> None:
    _event, meeting, dirk = started(cast, 8)
    Meeting.objects.filter(pk=meeting.pk).update(time="19:30")
    assert "Ends about 20:45" in post(dirk, make="yes", rounds="3", sizes=["4"])
    with time_machine.travel(datetime(2025, 11, 13, 20, 0, tzinfo=UTC), tick=False):
        assert "Ends about 21:15" in page(dirk)


def test_late_player_is_not_counted_as_here_and_the_first_round_is_named(cast: Cast) -> None:
    _event, meeting, dirk = started(cast, 9)
    late = Attendance.objects.filter(meeting=meeting)[:1].get()
    Attendance.objects.filter(pk=late.pk).update(state="late", from_round=2)
    assert "8 are here, 1 comes late" in page(dirk)
    response = post(dirk, make="yes", rounds="2", sizes=["4"])
    assert "First round: 2 tables a round. Nobody sits out. Other rounds differ." in response


def test_larger_evening_shows_its_progress_and_the_best_plan_so_far_is_taken(cast: Cast) -> None:
    _event, _meeting, dirk = started(cast, 22)
    response = post(dirk, make="yes", rounds="6", sizes=["4", "5"], seed="4")
    assert "2 plans are being computed" in response
    assert "Update progress" in response
    assert "No background worker is running" in response
    part = dirk.get(PAGE, headers={"HX-Request": "true"})
    assert "Take the best plan so far" in text(part.content)
    assert "HX-Refresh" not in part
    for plan in SeatingPlan.objects.all():
        assert "The best plan so far is taken." in post(dirk, take=str(plan.public_id))
        plan_seating(plan.pk)
    assert dirk.get(PAGE, headers={"HX-Request": "true"})["HX-Refresh"] == "true"
    assert "Choose plan A" in page(dirk)
    assert SeatingPlan.objects.filter(is_ready=True).count() == 2


def test_change_since_the_plans_were_made_is_said_with_names(cast: Cast) -> None:
    event, meeting, dirk = started(cast, 9)
    post(dirk, make="yes", rounds="2", sizes=["3", "4"])
    plan = SeatingPlan.objects.order_by("pk")[0]
    check_in(meeting, players(event.club, "Zoe Z."))
    assert "Here and not in this plan: Zoe Z.." not in page(dirk)
    assert "Here and not in this plan: Zoe Z." in page(dirk)
    refused = dirk.post(PAGE, {"choose": str(plan.public_id)})
    assert refused.status_code == 422
    assert "Zoe Z. came after this plan was made." in text(refused.content)
    assert "Plan chosen." in post(dirk, anyway=str(plan.public_id))


def test_refusals_are_said_beside_the_form_and_nothing_is_made(cast: Cast) -> None:
    _event, _meeting, dirk = started(cast, 2)
    refused = dirk.post(PAGE, {"make": "yes", "rounds": "0", "sizes": ["4"], "seed": "x"})
    assert refused.status_code == 422
    few = dirk.post(PAGE, {"make": "yes", "rounds": "3", "sizes": ["3", "4"]})
    assert "2 players cannot be seated in round 1." in text(few.content)
    gone = dirk.post(PAGE, {"choose": "7f0e5a35-5f0a-4a4f-8a3e-d0a1c9b8f7aa"})
    assert "This plan is not there any more." in text(gone.content)
    assert not SeatingPlan.objects.exists()


def test_constraint_is_added_read_with_its_reason_and_removed(cast: Cast) -> None:
    _event, _meeting, dirk = started(cast, 8)
    added = post(
        dirk, CONSTRAINTS, add="yes", kind="apart", player="RL01", other="RL02", reason="A quarrel"
    )
    assert "Constraint added." in added
    assert "Alma D., Bruno K. Never at one table A quarrel" in added
    again = dirk.post(
        CONSTRAINTS, {"add": "yes", "kind": "together", "player": "RL01", "other": "RL02"}
    )
    assert "Players Alma D. and Bruno K. must be apart" in text(again.content)
    assert "1 pair apart" in page(dirk)
    constraint = SeatingConstraint.objects.get()
    assert "Constraint removed." in post(dirk, CONSTRAINTS, remove=str(constraint.public_id))
    assert "removed already" in post(dirk, CONSTRAINTS, remove=str(constraint.public_id))


def test_number_of_queries_does_not_grow_with_people_and_plans(cast: Cast) -> None:
    def queries(client: Client) -> int:
        client.get(PAGE)
        return count_queries(client, PAGE)

    event, meeting, dirk = started(cast, 8)
    post(dirk, make="yes", rounds="1", sizes=["4"])
    few = queries(dirk)
    check_in(meeting, players(event.club, *(f"Guest {number}" for number in range(9))))
    post(dirk, make="yes", rounds="4", sizes=["3", "4", "5"])
    assert queries(dirk) <= few


def test_card_and_rest_name_who_cannot_share_sit_outs_evenly_and_why(cast: Cast) -> None:
    event, meeting, dirk = started(cast, 9)
    people = [row.player for row in Attendance.objects.filter(meeting=meeting).order_by("pk")]
    for one, other in zip(people[:8:2], people[1:8:2], strict=True):
        SeatingConstraint.objects.create(
            club=event.club, event=event, kind="together", player=one, other=other, created_at=NOW
        )
    response = post(dirk, make="yes", rounds="3", sizes=["4"])
    name = people[8].name
    why = "because players who are always at one table move together."
    assert f"{name}: sit-outs differ by more than one from those of others, {why}" in response
    (plan,) = dirk.get(f"/api/v1{PAGE}").json()["results"]
    (uneven,) = plan["uneven"]
    assert (uneven["size"], uneven["reason"]) == (0, "together")
    assert uneven["players"] == [people[8].player_id]
    assert uneven["text"].startswith(f"{name}: sit-outs differ")


def test_page_plans_for_the_stage_that_is_chosen(cast: Cast) -> None:
    dirk, event = cup(cast, 16, table_sizes=[4])
    assert "Plans for" not in page_text(dirk.get(PAGE))
    play(post_form(dirk, planned(dirk)))
    play(post_form(dirk, planned(dirk)))
    added = post_json(
        dirk,
        f"{E}/stages",
        {
            "movement": "individual", "name": "Consolation", "takes": "losers", "from_stage": 1,
            "from_round": 1, "table_sizes": [4], "rounds": 2,
        },
    )  # fmt: skip
    assert added.status_code == 201, added.content
    begin_stage(by_tests(), get_stage(event, 2))
    publish(event.pk, now=NOW)
    page = dirk.get(PAGE)
    assert "Plans for Consolation. Cup Consolation" in page_text(page)
    assert "8 are here" in page_text(page)
    assert page.context["form"].initial["movement"] == "individual"
    page = dirk.get(PAGE, {"stage": "1"})
    assert "Plans for Cup. Cup Consolation" in page_text(page)
    assert 'name="stage" value="1"' in page.content.decode()
    assert page.context["form"].initial["movement"] == "knockout"
    sent = {"make": "yes", "movement": "knockout", "sizes": ["4"], "stage": "1"}
    assert "Plans for Cup." in page_text(dirk.post(PAGE, sent, follow=True))
    plan = SeatingPlan.objects.get(state="draft")
    assert (plan.inputs["stage"], len(plan.inputs["present"]), plan.movement) == (1, 16, "knockout")
    sent = {"make": "yes", "movement": "individual", "rounds": "2", "sizes": ["4"], "stage": "2"}
    dirk.post(PAGE, sent, follow=True)
    plan = SeatingPlan.objects.get(state="draft")
    assert (len(plan.inputs["present"]), plan.round_count) == (8, 2)
    assert dirk.post(PAGE, sent | {"stage": "7"}).status_code == 422


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
            assert "knock-out" in page_text(dirk.get(PAGE))
        found.append(len(queries))
    assert len({*found}) == 1, found


PLANS = "/clubs/riverside/events/league/meetings/2025-11-13/plans"
SEATING = "/clubs/riverside/events/league/meetings/2025-11-13/seating"


def test_open_night_is_made_chosen_and_seated_in_four_presses(cast: Cast, dirk: Client) -> None:
    evening(league(cast.riverside), 9)
    assert "Nothing is planned ahead." in text_of(dirk.get(PLANS))
    sent = {"make": "yes", "movement": "open", "rounds": "", "sizes": ["4"]}
    made = text_of(dirk.post(PLANS, sent, follow=True))
    assert "1 plan created." in made
    assert "Plan A: open night" in made
    assert "Tables of four form during the evening" in made
    assert "Tables of all" not in made
    plan = SeatingPlan.objects.get().public_id
    page = text_of(dirk.post(PLANS, {"choose": str(plan)}, follow=True))
    assert "2 tables from the players who are free" in page
    assert "1 player waits" in page
    formed = text_of(dirk.post(SEATING, {"do": "form", "which": "all"}, follow=True))
    assert "Tables 1 and 2 formed." in formed
    assert "2 tables play" in formed
    assert "Wait for players Players who are free: 1. A table needs 4." in formed
    again = dirk.post(SEATING, {"do": "form", "which": "all"})
    assert (again.status_code, Table.objects.count()) == (422, 2)
    assert "Free players: 1, too few for a table of 4." in text_of(again)


def test_page_asks_no_more_queries_for_more_people(cast: Cast, dirk: Client) -> None:
    night = OpenNightEvening(league(cast.riverside), 8)
    night.form(single=True)
    counts = []
    for _ in range(2):
        counts.append(count_queries(dirk, SEATING))
        night.come(*(f"Late {len(night.people) + n}" for n in range(8)))
        night.form()
        night.come("Rea R.", "Sia S.")
    assert counts[1] <= counts[0] + 1
