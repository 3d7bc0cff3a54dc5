"""Seating plans and constraints over REST: made, read, chosen, refused."""

import csv
import io
from collections.abc import Sequence

import pytest
from django.test import Client

from tests.support.answers import Answer, Json, post_json
from tests.support.builders import counts, finished, hand, league, table
from tests.support.cast import NOW, Cast
from tests.support.evenings import check_in, evening
from tests.support.pages.text import text_of
from tests.support.rest.requests import codes, problem, refusal
from tests.support.scenarios.cups import cup, draw, planned, play, post
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, Event, Stage
from tournaments.models.hands import Game
from tournaments.models.jobs import Dirty
from tournaments.models.rounds import Meeting, Round, RoundState, SitOut
from tournaments.models.seating_plans import SeatingPlan
from tournaments.selectors.rounds.round_seating import round_seating
from tournaments.selectors.seating_plans.current_stage import published_scores
from tournaments.services.publishing.publications import publish
from tournaments.tasks import plan_seating

pytestmark = pytest.mark.django_db

E = "/api/v1/clubs/riverside/events/league"
PLANS = f"{E}/meetings/2025-11-13/plans"


def started(cast: Cast, head_count: int) -> tuple[Client, Meeting]:
    meeting, _people = evening(league(cast.riverside), head_count)
    return cast.client("dirk"), meeting


def test_small_evening_is_planned_at_once_and_chosen(cast: Cast) -> None:
    dirk, _meeting = started(cast, 9)
    response = post_json(dirk, PLANS, {"rounds": 2, "seed": 5}, Idempotency_Key="one")
    assert response.status_code == 201
    assert response["Location"] == PLANS
    first = response.json()["plans"][0]
    assert (first["policy"], first["status"], first["state"]) == ("threes", "ready", "draft")
    seated = [seat for table in first["rounds"][0]["tables"] for seat in table["seats"]]
    assert sorted(seated) == [f"RL0{number}" for number in range(1, 10)]
    again = post_json(dirk, PLANS, {"rounds": 2, "seed": 5}, Idempotency_Key="one")
    assert again.content == response.content
    assert dirk.get(PLANS).json()["results"] == response.json()["plans"]
    chosen = post_json(dirk, f"{E}/plans/{first['id']}/choose", {})
    assert (chosen.status_code, chosen.json()["state"]) == (200, "chosen")
    assert dirk.get(f"{E}/plans/{first['id']}").json() == chosen.json()


def test_csv_of_plans_has_a_line_for_each_seat_and_each_sit_out(cast: Cast) -> None:
    dirk, _meeting = started(cast, 9)
    made = post_json(dirk, PLANS, {"rounds": 2, "sizes": [4], "seed": 5}).json()["plans"]
    rows = list(csv.DictReader(io.StringIO(dirk.get(f"{PLANS}.csv").content.decode())))
    assert len(rows) == 9 * 2 * len(made)
    for plan in made:
        for round_ in plan["rounds"]:
            of_round = {"id": plan["id"], "round": str(round_["number"])}
            own = [row for row in rows if of_round.items() <= row.items()]
            seats = [
                (str(table["number"]), str(seat), player)
                for table in round_["tables"]
                for seat, player in enumerate(table["seats"], 1)
            ]
            outside = [("", "", player) for player in round_["sitting_out"]]
            assert len(outside) == 1
            told = [(row["table"], row["seat"], row["player_id"]) for row in own]
            assert told == [*seats, *outside]


def test_larger_evening_is_a_job_with_progress(cast: Cast) -> None:
    dirk, _meeting = started(cast, 22)
    response = post_json(dirk, PLANS, {"rounds": 6, "sizes": [4, 5], "seed": 1})
    assert response.status_code == 202
    plan = response.json()["plans"][0]
    assert plan["status"] == "computing"
    assert post_json(dirk, f"{E}/plans/{plan['id']}/take", {}).status_code == 200
    plan_seating(SeatingPlan.objects.get(public_id=plan["id"]).pk)
    ready = dirk.get(f"{E}/plans/{plan['id']}").json()
    assert (ready["status"], ready["iterations"] < ready["progress"]["of"]) == ("ready", True)


def test_ladder_night_needs_a_list_and_seats_by_it(cast: Cast) -> None:
    event = league(cast.riverside, settings={"primary": "beaten_mean"})
    meeting, people = evening(event, 8)
    dirk = cast.client("dirk")
    sent = {"rounds": 1, "movement": "ladder", "sizes": [4]}
    assert codes(post_json(dirk, PLANS, sent)) == ["no_ladder_order"]
    hand(table(event, [people[7], people[6], people[5], people[4]]), 1, [0, 2, 5, 6], 3)
    publish(event.pk, now=NOW)
    (plan,) = post_json(dirk, PLANS, sent).json()["plans"]
    assert plan["movement"] == "ladder"
    assert sorted(plan["rounds"][0]["tables"][0]["seats"]) == ["RL05", "RL06", "RL07", "RL08"]
    check_in(meeting, people[:1], state="left")
    (plan,) = post_json(dirk, PLANS, sent).json()["plans"]
    outside = plan["rounds"][0]["sitting_out"]
    assert outside == ["RL05", "RL06", "RL07"], "the last places; newcomers play"


def test_open_night_forms_tables_from_who_is_free(cast: Cast) -> None:
    dirk, _meeting = started(cast, 9)
    tables = f"{E}/meetings/2025-11-13/tables"
    (plan,) = post_json(dirk, PLANS, {"movement": "open", "sizes": [4]}).json()["plans"]
    assert (plan["round_count"], plan["rounds"], plan["status"]) == (0, [], "ready")
    assert post_json(dirk, f"{E}/plans/{plan['id']}/choose", {}).status_code == 200
    response = post_json(dirk, tables, {"players": ["RL01", "RL05", "RL07", "RL09"]})
    assert response.status_code == 201
    (first,) = response.json()["tables"]
    assert (first["code"], first["round"], first["number"]) == ("r1t1", 1, 1)
    assert sorted(first["seats"]) == ["RL01", "RL05", "RL07", "RL09"]
    assert sorted(response.json()["waiting"]) == ["RL02", "RL03", "RL04", "RL06", "RL08"]
    for sent in ({"players": "RL02"}, {"players": [2]}, {"single": "yes"}, {"all": True}):
        assert post_json(dirk, tables, sent).status_code == 422


def test_what_cannot_be_planned_is_refused(cast: Cast) -> None:
    dirk, meeting = started(cast, 2)
    assert codes(post_json(dirk, PLANS, {"rounds": 2})) == ["too_few_to_seat"]
    swiss = post_json(dirk, PLANS, {"rounds": 2, "movement": "swiss"})
    assert (swiss.status_code, codes(swiss)) == (422, ["too_few_to_seat"])
    for sent in ({"rounds": "two"}, {}, {"rounds": 2, "sizes": "4"}, {"rounds": 2, "seed": 1.5}):
        assert post_json(dirk, PLANS, sent).status_code == 422
    check_in(meeting, list(Player.objects.all()), state="left")
    assert codes(post_json(dirk, PLANS, {"rounds": 2})) == ["too_few_to_seat"]
    assert post_json(dirk, f"{E}/meetings/2025-11-14/plans", {"rounds": 2}).status_code == 404
    assert dirk.get(f"{E}/plans/nothing").status_code == 404
    assert not SeatingPlan.objects.exists()


PAGES = "/clubs/riverside/events/league"
OTHERS_WIN = [1, 4, 2, 6]


def drafted(
    cast: Cast,
    movement: str = "swiss",
    head_count: int = 16,
    sizes: Sequence[int] = (4, 3),
    **settings: object,
) -> tuple[Client, Event]:
    """An evening with a closed round of tables of four, and the next round as a draft."""
    event = league(cast.riverside, settings={"primary": "placement_points", **settings})
    _meeting, people = evening(event, head_count)
    dirk = cast.client("dirk")
    for at in range(0, head_count - 3, 4):
        finished(table(event, people[at : at + 4], table_number=1 + at // 4))
    Round.objects.filter(event=event).update(state=RoundState.CLOSED)
    publish(event.pk, now=NOW)
    draw(dirk, planned(dirk, movement=movement, sizes=list(sizes), rounds=1))
    publish(event.pk, now=NOW)
    return dirk, event


def post_round(client: Client, number: int = 2, **more: object) -> Answer:
    return post_json(client, f"{E}/rounds/{number}/state", {"to": "posted", **more})


def facts_of(answer: Answer) -> Json:
    assert refusal(answer) == (409, ["draft_out_of_date"])
    facts: Json = problem(answer)["errors"][0]["facts"]
    return facts


def correct_first_table(event: Event, *, is_published: bool = True) -> None:
    game = Game.objects.get(event=event, table__code="r1t1")
    hand(game, 1, OTHERS_WIN, 3, based_on=1, reason="Read wrongly.")
    if is_published:
        publish(event.pk, now=NOW)


def tables_of(event: Event, number: int = 2) -> set[frozenset[int]]:
    seating = round_seating(Round.objects.get(event=event, number=number))
    return {frozenset(table.players) for table in seating.tables}


@pytest.mark.parametrize("is_published", [True, False])
def test_corrected_draft_is_refused_with_reason_and_redrawn(cast: Cast, is_published: bool) -> None:
    dirk, event = drafted(cast)
    before = tables_of(event)
    correct_first_table(event, is_published=is_published)
    facts = facts_of(post_round(dirk))
    assert facts == {"round": 2, "drawn_from": "scores, places", "names": "Alma D., Bruno K."}
    publish(event.pk, now=NOW)
    again = post_json(dirk, f"{E}/rounds/2/redraw", {"scope": "again"})
    assert again.status_code == 200, again.content
    assert (again.json()["number"], again.json()["meeting"]) == (2, "2025-11-13")
    assert tables_of(event) != before
    assert post_round(dirk).status_code == 200


def test_corrected_draft_is_posted_anyway(cast: Cast) -> None:
    dirk, event = drafted(cast)
    before = tables_of(event)
    correct_first_table(event)
    assert post_round(dirk, anyway=True).status_code == 200
    assert tables_of(event) == before


def test_bye_counts_once_its_round_is_posted_and_never_outdates_it(cast: Cast) -> None:
    dirk, event = drafted(cast, head_count=17, sizes=[4], bye_award="scheme_mean")
    before = published_scores(event, None)
    assert SitOut.objects.get().reason == "bye"
    Dirty.objects.update(done=0)
    publish(event.pk, now=NOW)
    assert published_scores(event, None) == before
    assert post_round(dirk).status_code == 200


@pytest.mark.parametrize(
    ("change", "drawn_from"),
    [
        ("penalty", "scores"),
        ("withdrawal", "players"),
        ("constraint", "constraints"),
        ("sizes", "settings"),
    ],
)
def test_each_kind_of_input_is_compared(cast: Cast, change: str, drawn_from: str) -> None:
    dirk, event = drafted(cast)
    if change == "penalty":
        line = {"entrant": "RL02", "kind": "penalty", "amount": "3", "reason": "Late."}
        assert post_json(dirk, f"{E}/ledger", line).status_code == 201
        publish(event.pk, now=NOW)
    elif change == "withdrawal":
        Entrant.objects.filter(event=event, code="RL02").update(state="withdrawn")
    elif change == "constraint":
        body = {"kind": "apart", "player": "RL01", "other": "RL02"}
        assert post_json(dirk, f"{E}/constraints", body).status_code == 201
    else:
        Stage.objects.filter(event=event).update(table_sizes=[3])
    assert drawn_from in facts_of(post_round(dirk))["drawn_from"].split(", ")


def test_draft_names_a_few_of_the_players_whose_scores_changed(cast: Cast) -> None:
    """And nobody who only has another place for that."""
    dirk, event = drafted(cast)
    line = {"entrant": "RL01", "kind": "penalty", "amount": "1/2", "reason": "Late."}
    assert post_json(dirk, f"{E}/ledger", line).status_code == 201
    facts = facts_of(post_round(dirk))
    assert (facts["drawn_from"], facts["names"]) == ("scores, places", "Alma D.")
    for game in Game.objects.filter(event=event, table__round__number=1):
        hand(game, 1, OTHERS_WIN, 3, based_on=1, reason="Read wrongly.")
    facts = facts_of(post_round(dirk))
    assert facts["names"] == "Alma D., Bruno K., Edda K. and 5 more"


def test_ladder_night_is_compared_by_places(cast: Cast) -> None:
    dirk, event = drafted(cast, "ladder")
    correct_first_table(event)
    assert facts_of(post_round(dirk))["drawn_from"] == "places"
    assert post_json(dirk, f"{E}/rounds/2/redraw", {"scope": "again"}).status_code == 200
    assert post_round(dirk).status_code == 200


def test_cup_round_is_compared_by_who_goes_on(cast: Cast) -> None:
    dirk, event = cup(cast, 16, seeding="ladder")
    play(post(dirk, planned(dirk)))
    draw(dirk, planned(dirk))
    before = tables_of(event)
    correct_first_table(event)
    assert "results" in facts_of(post_round(dirk))["drawn_from"]
    assert post_json(dirk, f"{E}/rounds/2/redraw", {"scope": "again"}).status_code == 200
    assert tables_of(event) != before
    assert post_round(dirk).status_code == 200


def test_wild_card_of_a_draft_is_compared(cast: Cast) -> None:
    dirk, event = cup(
        cast, 12, table_sizes=[4], each_round={"each_table": 1, "wild_cards": 1}, seeding="ladder"
    )
    Event.objects.update(settings={**event.settings, "table_ties": "standings"})
    play(post(dirk, planned(dirk)))
    draw(dirk, planned(dirk))
    game = Game.objects.get(event=event, table__code="r1t3")
    hand(game, 1, [3, 2, 2, 6], 3, based_on=1, reason="Read wrongly.")
    publish(event.pk, now=NOW)
    facts_of(post_round(dirk))


def test_open_question_about_a_cut_is_named_before_its_draft_is_posted(cast: Cast) -> None:
    dirk, event = drafted(cast)
    Stage.objects.filter(event=event).update(asked={"facts": {"above": 4}, "would": []})
    assert facts_of(post_round(dirk))["drawn_from"] == "cut"


def test_only_a_drawn_draft_is_drawn_again(cast: Cast) -> None:
    dirk, _event = drafted(cast)
    assert post_round(dirk).status_code == 200
    refused = post_json(dirk, f"{E}/rounds/2/redraw", {"scope": "again"})
    assert refusal(refused) == (409, ["draft_not_drawn"])


def test_preview_of_a_correction_names_the_draft(cast: Cast) -> None:
    dirk, _event = drafted(cast)
    entry = counts(OTHERS_WIN, 3)
    body = {"entry": entry, "reason": "Read wrongly."}
    answer = post_json(dirk, f"{E}/tables/r1t1/hands/1/preview", body, If_Match='"1"')
    assert answer.status_code == 200, answer.content
    (draft,) = answer.json()["drafts"]
    assert (draft["round"], draft["names"]) == (2, "Alma D., Bruno K.")


def test_pages_offer_both_ways(cast: Cast) -> None:
    dirk, event = drafted(cast)
    correct_first_table(event)
    for page in ("direct", "rounds/2", "rounds/2/direct"):
        text = text_of(dirk.get(f"{PAGES}/{page}"))
        assert "Round 2 is out of date." in text, page
        assert "Draw again" in text, page
        assert "Post anyway" in text, page
        assert "Post round 2" not in text, page
    refused = dirk.post(f"{PAGES}/rounds/2/direct", {"to": "posted"})
    assert "Post anyway" in text_of(refused)
    assert text_of(refused).count("Round 2 is out of date.") == 1
    assert Round.objects.get(number=2).state == RoundState.DRAFT
    dirk.post(f"{PAGES}/rounds/2/direct", {"draw_again": "yes"})
    dirk.post(f"{PAGES}/rounds/2/direct", {"to": "posted"})
    assert Round.objects.get(number=2).state == RoundState.POSTED
