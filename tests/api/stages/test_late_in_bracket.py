"""Somebody enters or withdraws after the draw of a knock-out: the bracket says what can be done."""

from typing import Any

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.support.answers import Json, post_json
from tests.support.builders import by_tests, finished, hand, league, players
from tests.support.cast import NOW, Cast
from tests.support.evenings import check_in, evening
from tests.support.pages.text import text_of
from tournaments.models.events import Entrant, Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Meeting, Round, RoundState, Sitting
from tournaments.models.seating_plans import SeatingPlan
from tournaments.selectors.stages import get_stage
from tournaments.services.events.events import enter_players
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.plan_rounds import make_round_of_plan
from tournaments.services.rounds.rounds import move_round
from tournaments.services.stages.plan_stages import change_stage

EVENT = "/clubs/riverside/events/league"
BRACKET = f"{EVENT}/stages/1/bracket"
API = f"/api/v1{EVENT}"


def cup(cast: Cast, head_count: int, sizes: list[int]) -> tuple[Client, Event, Meeting]:
    """A cup whose first round is posted."""
    event = league(cast.riverside, settings={"primary": "placement_points"})
    meeting, people = evening(event, head_count)
    enter_players(event=event, players=people)
    fields: dict[str, Any] = {"movement": "knockout", "name": "Cup", "table_sizes": sizes}
    change_stage(by_tests(), get_stage(event, 1), fields=fields)
    dirk = cast.client("dirk")
    draw(dirk)
    return dirk, event, meeting


def plan(dirk: Client) -> Json:
    response = post_json(dirk, f"{API}/meetings/2025-11-13/plans", {"movement": "knockout"})
    assert response.status_code == 201, response.content
    found: Json = response.json()["plans"][0]
    return found


def draw(dirk: Client) -> None:
    code = plan(dirk)["id"]
    assert post_json(dirk, f"{API}/plans/{code}/choose", {}).status_code == 200
    chosen = SeatingPlan.objects.select_related("event__club", "meeting", "club").get(
        public_id=code
    )
    round_ = make_round_of_plan(by_tests(), chosen)
    move_round(by_tests(), round_, to="posted")


def enter(event: Event, meeting: Meeting, *names: str) -> None:
    people = players(event.club, *names)
    check_in(meeting, people)
    enter_players(event=event, players=people)


def late(client: Client) -> list[Json]:
    found: list[Json] = client.get(f"/api/v1{BRACKET}").json()["late"]
    return found


def test_who_enters_after_the_draw_gets_a_bye_and_plays_the_next_round(cast: Cast) -> None:
    dirk, event, meeting = cup(cast, 16, [3, 4])
    assert late(dirk) == []
    enter(event, meeting, "Kim L.")
    (row,) = late(dirk)
    assert (row["kind"], row["round"], row["tables"]) == ("entered", 1, [])
    assert row["text"] == (
        "Kim L. is not in the draw of Cup. No table without hands has a free place. Kim L. can "
        "get a bye in round 1 and go on to the next round."
    )
    assert row["text"] in text_of(dirk.get(BRACKET))
    assert late(cast.client()) == []
    assert "Kim L." not in text_of(cast.client().get(BRACKET))

    seated = Sitting.objects.count()
    form = {"entrant": row["player_id"], "reason": "bye"}
    assert dirk.post(f"{EVENT}/rounds/1/sit-outs", form).status_code == 302
    assert (late(dirk), Sitting.objects.count()) == ([], seated)
    for game in Game.objects.all():
        finished(game, (4, 1, 2, 6))
    Round.objects.update(state=RoundState.CLOSED)
    publish(event.pk, now=NOW)
    (round_,) = plan(dirk)["rounds"]
    playing = {seat for table in round_["tables"] for seat in table["seats"]}
    assert row["player_id"] in playing | set(round_["sitting_out"])


def test_no_bye_is_proposed_after_which_the_next_rounds_cannot_be_seated(cast: Cast) -> None:
    dirk, event, meeting = cup(cast, 16, [4])
    enter(event, meeting, "Kim L.")
    (row,) = late(dirk)
    assert (row["tables"], row["may_bye"]) == ([], False)
    assert row["text"].endswith(
        "the next rounds do not fit the table sizes of the stage. Kim L. can take the place of "
        "somebody who leaves before the first hand of a table."
    )
    page = dirk.get(BRACKET).content.decode()
    assert f'{EVENT}/rounds/1"' in page
    assert "Bye for Kim L." not in page


def test_who_enters_can_take_a_free_place_at_a_table_without_hands(cast: Cast) -> None:
    dirk, event, meeting = cup(cast, 10, [3, 4])
    enter(event, meeting, "Kim L.")
    (row,) = late(dirk)
    assert len(row["tables"]) == 2
    first, other = row["tables"]
    assert (
        f"can take a free place at table {first[3:]}, {other[3:]}. Kim L. can get a bye"
        in row["text"]
    )
    hand(Game.objects.get(table__code=first), 1, [4, 5, 4], 1)
    assert late(dirk)[0]["tables"] == [other]
    page = dirk.get(BRACKET).content.decode()
    assert f'href="{EVENT}/tables/{other}/seating"' in page
    assert f'href="{EVENT}/tables/{first}/seating"' not in page


def test_who_withdraws_after_the_draw_is_at_a_table_until_a_walk_over(cast: Cast) -> None:
    dirk, event, _meeting = cup(cast, 8, [4])
    Entrant.objects.filter(event=event, code="RL03").update(state="withdrawn")
    (row,) = late(dirk)
    (table,) = row["tables"]
    assert (row["kind"], row["player_id"]) == ("withdrew", "RL03")
    assert f"Record a walk-over at table {table[3:]}, and the others go on or play" in row["text"]
    assert f"Walk-over at table {table[3:]}" in text_of(dirk.get(BRACKET))
    response = post_json(
        dirk, f"{API}/tables/{table}/walk-overs", {"player_id": "RL03", "reason": "Ill."}
    )
    assert response.status_code in (200, 201), response.content
    assert late(dirk) == []


def test_bracket_costs_the_same_queries_for_more_players(cast: Cast) -> None:
    dirk, event, meeting = cup(cast, 8, [3, 4])
    found = []
    for names in (("Kim L.",), tuple(f"Guest {at}" for at in range(12))):
        enter(event, meeting, *names)
        dirk.get(BRACKET)
        with CaptureQueriesContext(connection) as queries:
            dirk.get(BRACKET)
        found.append(len(queries))
    assert len({*found}) == 1, found


def test_who_enters_after_the_first_round_is_named(cast: Cast) -> None:
    dirk, event, meeting = cup(cast, 16, [4])
    for game in Game.objects.all():
        finished(game, (4, 1, 2, 6))
    Round.objects.update(state=RoundState.CLOSED)
    publish(event.pk, now=NOW)
    assert late(dirk) == []
    enter(event, meeting, "Kim L.")
    (row,) = late(dirk)
    assert (row["kind"], row["tables"], row["may_bye"]) == ("too_late", [], False)
    assert row["text"] == (
        "Kim L. entered after round 1 of Cup and is not in its draw. Nobody can join a knock-out "
        "after its first round. Kim L. can play in a consolation, or as a substitute."
    )
    assert row["text"] in text_of(dirk.get(BRACKET))
    assert "Kim L." not in text_of(cast.client().get(BRACKET))
    page = f"{EVENT}/meetings/2025-11-13/plans"
    assert row["text"] in text_of(dirk.get(page))
