"""Neutral players of a play-off, and what a host of its table reads."""

import pytest

from tests.support.builders import players
from tests.support.cast import Cast
from tests.support.pages.text import text_of
from tests.support.rest.requests import codes
from tests.support.scenarios.playoffs import play, tied, view
from tournaments.models.audit import AuditLine
from tournaments.models.meetings import Sitting

pytestmark = [pytest.mark.django_db]


NEUTRAL = "/clubs/riverside/events/league"


def seats_of(code: str) -> dict[int, str]:
    """Seat → who sits there now, of a table of the event."""
    sat = Sitting.objects.filter(seat__table__code=code, to_hand=None)
    return dict(sat.values_list("seat__number", "player__name"))


def test_director_seats_two_neutral_players_of_a_duel(cast: Cast) -> None:
    """One competes in the event and is not in the duel, one is a guest who does not compete."""
    event = tied(cast.riverside, (2, 2, 4, 5))
    players(cast.riverside, "Kim Neutral")
    dirk = cast.client("dirk")
    page = text_of(dirk.get(f"{NEUTRAL}/playoffs/1"))
    assert page.count("Neutral player at round 2, table 1") == 2
    (made,) = view(event).tables
    sent = {"act": "neutral", "neutral-0": "Nobody", "neutral-1": "kim"}
    assert dirk.post(f"{NEUTRAL}/playoffs/1/direct", sent).status_code == 422
    assert sorted(seats_of(made.code).values()) == ["A", "B"]
    dirk.post(f"{NEUTRAL}/playoffs/1/direct", sent | {"neutral-0": "C (RL03)"})
    assert sorted(seats_of(made.code).values()) == ["A", "B", "C", "Kim Neutral"]
    assert "Kim Neutral" in text_of(cast.client("hanna").get(f"{NEUTRAL}/tables/{made.code}"))
    play(event, 1, {"A": 3, "B": 10, "C": 0}, actor=cast.actor("hanna"))
    assert view(event).state == "decided"
    assert [one.player for one in view(event).members] == ["A", "B"]


def test_neutral_players_are_named_over_rest_and_change_from_the_next_hand(cast: Cast) -> None:
    event = tied(cast.riverside, (2, 2, 4, 5))
    players(cast.riverside, "Kim Neutral", "Lou Neutral")
    at = f"/api/v1{NEUTRAL}/playoffs/1"
    dirk, code = cast.client("dirk"), view(event).tables[0].code
    assert cast.client("hanna").post(f"{at}/neutral", {"players": ["RL05"]}).status_code == 403
    body = {"players": ["RL05", "RL05"]}
    answer = dirk.post(f"{at}/neutral", body, content_type="application/json")
    assert codes(answer) == ["same_player_twice"]
    body = {"players": ["RL01", "RL06", "RL03"]}
    answer = dirk.post(f"{at}/neutral", body, content_type="application/json")
    assert codes(answer) == ["too_many_neutral_players"]
    body = {"players": ["A"]}
    answer = dirk.post(f"{at}/neutral", body, content_type="application/json")
    assert codes(answer) == ["player_already_seated"]
    body = {"players": ["RL05", "Lou"]}
    answer = dirk.post(f"{at}/neutral", body, content_type="application/json")
    assert [one["player"] for one in answer.json()["chairs"]] == ["Kim Neutral", "Lou Neutral"]
    play(event, 1, {"A": 3, "B": 3})
    answer = dirk.post(f"{at}/neutral", {"players": ["RL03"]}, content_type="application/json")
    assert [one["player"] for one in answer.json()["chairs"]] == ["C", "Lou Neutral"]
    hands = cast.client().get(f"/api/v1{NEUTRAL}/tables/{code}/hands/1").json()
    assert "Kim Neutral" in [seat["player"] for seat in hands["seats"]]
    play(event, 2, {"A": 3, "B": 10, "C": 0})
    assert view(event).state == "decided"
    assert AuditLine.objects.filter(act="seat_neutral_players").count() == 2


def test_member_who_is_out_and_stays_at_the_table_scores_nothing_on_either_sheet(
    cast: Cast,
) -> None:
    event = tied(cast.riverside, (2, 2, 2, 2, 5))
    play(event, 1, {"A": 2, "B": 2, "C": 2, "D": 20})
    play(event, 2, {"A": 3, "B": 3, "C": 5, "D": 15})
    page = text_of(cast.client().get(f"{NEUTRAL}/playoffs/1"))
    assert "Hand A B C D Round 2, table 1, hand 1 2 2 2 20 Round 2, table 1, hand 2 3 3 5 –" in page
    sheet = cast.client().get(f"/api/v1{NEUTRAL}/tables/r2t1").json()
    assert {seat["player"]: seat["total"] for seat in sheet["seats"]} == {
        "A": 3, "B": 3, "C": 5, "D": None,
    }  # fmt: skip


def test_host_of_a_playoff_reads_who_is_out_and_that_the_others_go_on_from_0(cast: Cast) -> None:
    event = tied(cast.riverside)
    host = cast.client("hanna")
    at = f"{NEUTRAL}/tables/{view(event).tables[0].code}/hands/new"
    assert "continue from 0" not in text_of(host.get(at))
    play(event, 1, {"A": 3, "B": 3, "C": 20})
    for path in (at, f"{NEUTRAL}/playoffs/1"):
        page = text_of(host.get(path))
        assert "C is eliminated." in page
        assert "A and B continue from 0." in page
    people = {one.name: one.total for one in host.get(at).context["screen"].people}
    assert (people["A"], people["B"], people["C"]) == ("0", "0", 20)
