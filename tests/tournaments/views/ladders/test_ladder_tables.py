"""Tables of a ladder on its pages: the game of two challenges, and a table that moves nobody."""

import re

import pytest
from django.utils import timezone

from tests.support.builders import finished, publish_all, table
from tests.support.cast import NOW, Cast
from tests.support.pages.ladders import EVENT, accepted
from tests.support.pages.text import text_of
from tests.support.scenarios.challenges import answer, issue
from tests.support.scenarios.ladders import ladder, seated
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.ladders import Challenge
from tournaments.models.meetings import Round

pytestmark = pytest.mark.usefixtures("clock")


def test_two_challenges_are_decided_by_one_table_from_list_to_ladder(
    cast: Cast, rungs: Event
) -> None:
    accepted(cast, rungs)
    issue(cast, rungs, "D", "B", timezone.now())
    answer(cast, rungs, "B", "accepted", timezone.now(), number=2)
    none = text_of(cast.client("E").get(f"{EVENT}/challenges/1/result"))
    assert "No finished table since the day of the challenge has both players." in none
    finished(seated(rungs, "EDCB", round_number=2), [1, 2, 4, 6])
    for number, who in ((1, "E"), (2, "D")):
        form = f"{EVENT}/challenges/{number}/result"
        page = cast.client(who).get(form)
        assert re.findall(r'<option value="(r\d+t\d+)"', page.content.decode()) == ["r2t1"]
        assert "other players there keep their places" in text_of(page)
        done = cast.client(who).post(form, {"table": "r2t1"}, follow=True)
        assert f"Played: Member {who} finished ahead." in text_of(done)
    sheet = cast.client().get(f"{EVENT}/tables/r2t1")
    said = "On the ladder this table counts only for: challenge 1 , challenge 2"
    assert said in text_of(sheet)
    over_rest = cast.client().get(f"/api/v1{EVENT}/tables/r2t1").json()
    assert (over_rest["challenges"], over_rest["moves_nobody"]) == ([1, 2], None)
    for number, who in ((2, "B"), (1, "C")):
        cast.client(who).post(f"{EVENT}/challenges/{number}/move", {"to": "confirmed"})
    publish_all(rungs, now=timezone.now())
    assert set(Challenge.objects.values_list("state", flat=True)) == {"confirmed"}
    rows = cast.client().get(f"/api/v1{EVENT}/ladder").json()["rows"]
    assert "".join(row["player_id"] for row in rows)[:6] == "ADBECF"


def test_table_too_far_apart_is_named_at_seating_on_its_page_in_moves_and_in_rest(
    cast: Cast,
) -> None:
    event = ladder(cast, now=NOW, max_span=3)
    publish_all(event)
    people = list(Player.objects.filter(player_id__in="ABCG").order_by("player_id"))
    game = table(event, people, round_number=1, table_number=1)
    Round.objects.update(state="draft")
    dirk = cast.client("dirk")
    reason = "The best and the last at the table are 6 places apart. At most 3 are allowed."
    said = f"This table moves nobody on the ladder. {reason}"
    for page in ("rounds/1", "rounds/1/direct"):
        text = text_of(dirk.get(f"{EVENT}/{page}"))
        assert "Table 1 moves nobody on the ladder. The page of the table says why." in text
    assert said in text_of(dirk.get(f"{EVENT}/tables/r1t1"))
    assert dirk.get(f"/api/v1{EVENT}/rounds/1").json()["moves_nobody"] == ["r1t1"]
    Round.objects.update(state="posted")
    finished(game)
    publish_all(event)
    Event.objects.update(settings={**event.settings, "ladder": {}})
    assert said in text_of(cast.client().get(f"{EVENT}/tables/r1t1")), "as it was decided then"
    moves = text_of(cast.client().get(f"{EVENT}/ladder/moves"))
    assert f"Tables that moved nobody 6 Nov Round 1, table 1 : {reason}" in moves
    over_rest = cast.client().get(f"/api/v1{EVENT}/tables/r1t1").json()
    assert over_rest["moves_nobody"] == "ladder_span"


def test_foot_and_rules_name_the_distance_of_the_top_group(cast: Cast) -> None:
    event = ladder(cast, now=NOW, reach_top=2, max_span=4)
    publish_all(event)
    foot = text_of(cast.client().get(f"{EVENT}/ladder"))
    assert "To challenge one of the first 10: at most 2." in foot
    assert "A table whose members are more than 4 places apart moves nobody." in foot
    rules = text_of(cast.client("dirk").get(f"{EVENT}/ladder/rules/change"))
    assert "1 to 1000. Default: the general distance. If empty: the general distance." in rules
    assert "2 to 1000. Default: no limit. If empty: no limit." in rules
