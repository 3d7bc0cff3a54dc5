"""The final of a cup decides the final: places there, play-offs of it, and who went out before."""

import pytest
from django.test import Client

from tests.support.answers import Json, post_json
from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.hand_entry import Host, typed
from tests.support.pages.text import text_of
from tests.support.rest.requests import codes
from tests.support.scenarios.cuts import close
from tests.support.scenarios.playoffs import look, play, standing, view
from tests.support.scenarios.raw_cup import raw_ranks
from tournaments.models.events import Event, Stage
from tournaments.models.hands import Entry, Game
from tournaments.models.playoffs import Playoff
from tournaments.models.rounds import Round, Sitting
from tournaments.selectors.playoffs.bracket import bracket_of
from tournaments.services.events.events import move_event
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.rank_and_render import draft_standings
from tournaments.services.stages.walk_overs import record_walk_over
from tournaments.tasks import schedule_event_playoffs

pytestmark = pytest.mark.django_db

E = "/clubs/riverside/events/league"
NAMES = ("Dora", "Eli", "Gus", "Hal", "Fay", "Mia", "Ida", "Jan")
FINAL = (([5, 3, 3, 2], 2), ([5, 3, 3, 2], 2), ([5, 2, 4, 2], 1), ([4, 3, 5, 1], 3))
"""Dora, Eli, Fay and Mia: 19, 24, 41 and 20 in four hands."""


def cup(cast: Cast, *hands: tuple[list[int], int], **settings: object) -> Event:
    """Play a cup of eight: round 1 leaves Mia behind Eli and Fay in points of places."""
    event = league(cast.riverside, settings={"primary": "placement_points", **settings})
    people = dict(zip(NAMES, players(cast.riverside, *NAMES), strict=True))
    one = table(event, [people[name] for name in NAMES[:4]])
    two = table(event, [people[name] for name in NAMES[4:]], table_number=2)
    Stage.objects.update(kind="knockout", name="Cup")
    hand(one, 1, [1, 3, 5, 4], 3)
    hand(two, 1, [2, 4, 6, 1], 3)
    close(event, 1)
    final = table(event, [people[n] for n in ("Dora", "Eli", "Fay", "Mia")], round_number=2)
    for number, (hearts, queen) in enumerate(hands, 1):
        hand(final, number, hearts, queen)
    close(event, 2)
    look(event)
    return event


def ranks(event: Event) -> dict[str, int]:
    return {name: int(str(row["rank"])) for name, row in standing(event).items()}


def test_places_of_the_final_are_the_places_of_the_standings(cast: Cast) -> None:
    event = cup(cast, *FINAL)
    assert list(ranks(event))[:4] == ["Dora", "Mia", "Eli", "Fay"]
    assert ranks(event) == raw_ranks(event)
    reasons = {row["player"]: row["reason"] for row in rows(cast)}
    assert reasons["Mia"] == "place 2 in round 2, RL01 place 1"
    assert reasons["Gus"] == "RL02 went on from table 1 with place 2 against place 3"
    read = " ".join(text_of(cast.client().get(E)).split())
    assert "above Mia: place 1 against 2 in round 2" in read
    assert "Knock-out: ranked by the round reached." in read
    assert "Ranked by" not in read
    assert "highest wins" not in read
    assert "Leads:" not in read


def rows(cast: Cast) -> list[Json]:
    found: list[Json] = cast.client().get(f"/api/v1{E}/standings").json()["rows"]
    return found


def test_tie_for_second_in_the_final_is_shared_or_played_off(cast: Cast) -> None:
    tied = (([5, 2, 4, 2], 2), ([5, 2, 4, 2], 2), ([5, 2, 4, 2], 1), ([4, 3, 3, 3], 3))
    lines = {"title": 1, "prize": 2}
    event = cup(cast, *tied, playoff="extra_hands", boundaries=lines, tie_breaks=("index",))
    assert [ranks(event)[name] for name in ("Dora", "Mia", "Eli", "Fay")] == [1, 2, 2, 4]
    assert ranks(event) == raw_ranks(event)
    assert not Playoff.objects.exists(), "nobody goes on from a final"
    said = "Closing brings a play-off: Eli and Mia are tied for place 2."
    manage = text_of(cast.client("dirk").get(f"{E}/direct"))
    assert f"Close the event when no more rounds are played. {said}" in manage
    move_event(by_tests(), event, to="closed")
    assert said not in text_of(cast.client("dirk").get(f"{E}/direct"))
    look(event)
    assert {member.player for member in view(event).members} == {"Eli", "Mia"}
    play(event, 1, {"Eli": 2, "Mia": 6})
    look(event)
    assert [ranks(event)[name] for name in ("Dora", "Eli", "Mia", "Fay")] == [1, 2, 3, 4]
    reasons = {row["player"]: row["reason"] for row in rows(cast)}
    assert "lost the play-off 6 to 2" in reasons["Mia"]


TITLE = ({"Dora": 4, "Mia": 4}, {"Dora": 9, "Mia": 3})
"""What the two who are tied for the title take in the hands of their play-off."""


def titled(event: Event) -> dict[str, int]:
    """Return the ranks by the sheets of the cup, and of the title where two are tied for it."""
    found = raw_ranks(event)
    playing = [name for name, rank in found.items() if rank == 1]
    sheets = Entry.objects.filter(hand__game__event=event, hand__game__counts=False)
    for entry in sheets.order_by("hand__number"):
        sat = Sitting.objects.filter(seat__table__game=entry.hand.game_id)
        made = {
            name: entry.typed["hearts"][seat - 1] + 13 * len(entry.typed["taken"][seat - 1])
            for name, seat in sat.values_list("player__name", "seat__number")
        }
        out = [name for name in playing if made[name] > min(made[one] for one in playing)]
        found |= dict.fromkeys(out, 1 + len(playing) - len(out))
        playing = [name for name in playing if name not in out]
    return found


def test_tie_for_first_in_the_final_is_played_off_for_the_title(cast: Cast) -> None:
    event = cup(cast, ([2, 5, 4, 2], 2), playoff="extra_hands", boundaries={"title": 1})
    assert {name for name, rank in ranks(event).items() if rank == 1} == {"Dora", "Mia"}
    assert ranks(event) == titled(event)
    dirk, at = cast.client("dirk"), f"/api/v1{E}"
    assert post_json(dirk, f"{at}/state", {"to": "closed"}).status_code == 200
    look(event)
    post_json(dirk, f"{at}/playoffs/1/neutral", {"players": ["Eli", "Fay"]})
    seats = [seat["player"] for seat in dirk.get(f"{at}/tables/r3t1").json()["seats"]]
    for number, points in enumerate(TITLE, 1):
        shares = points | {"Eli": 13 - sum(points.values()), "Fay": 0}
        taken = [["QS"] if name == "Fay" else [] for name in seats]
        entry = {"hearts": [shares[name] for name in seats], "taken": taken}
        response = post_json(dirk, f"{at}/tables/r3t1/hands", {"number": number, "entry": entry})
        assert response.status_code == 201, response.content
        look(event)
        assert [rows(cast)[place]["rank"] for place in (0, 1)] == [1, number]
    assert list(ranks(event))[:4] == ["Mia", "Dora", "Eli", "Fay"]
    assert ranks(event) == titled(event), "Eli and Fay keep the places of the final"
    won, lost, *_ = rows(cast)
    assert won["ahead"] == "above RL01: same place in round 2, won the play-off 3 to 9"
    assert "tied with RL06: place 1 in round 2 with 2 points; lost the" in str(lost["reason"])
    (final,) = bracket_of(event, 1)["rounds"][-1]["tables"]
    assert [entrant["name"] for entrant in final["entrants"] if entrant["won"]] == ["Mia"]


def test_those_out_in_one_round_share_the_place_where_the_event_says_so(cast: Cast) -> None:
    found = ranks(cup(cast, *FINAL, knocked_out="share"))
    assert list(found)[:4] == ["Dora", "Mia", "Eli", "Fay"]
    assert {found[name] for name in ("Gus", "Hal", "Ida", "Jan")} == {5}


def test_events_of_before_stay_ranked_by_all_their_games(cast: Cast) -> None:
    event = cup(cast, *FINAL)
    stored = dict(event.settings)
    Event.objects.filter(pk=event.pk).update(
        settings={key: stored[key] for key in stored if key not in ("table_ties", "knocked_out")}
    )
    changed = Event.objects.get(pk=event.pk)
    order = [one.sums.code for one in draft_standings(changed).placed]
    assert order[:4] == ["RL01", "RL05", "RL06", "RL02"], "Dora, Fay, Mia, Eli"


def test_who_won_by_walk_overs_alone_is_in_the_table(cast: Cast) -> None:
    event = league(cast.riverside, settings={"primary": "placement_points"})
    people = players(cast.riverside, *NAMES)
    one = table(event, people[:4])
    two = table(event, people[4:], table_number=2)
    Stage.objects.update(kind="knockout", name="Cup", each_round={"each_table": 2})
    Round.objects.update(state="posted")
    for game, code in ((two, "RL07"), (two, "RL08")):
        record_walk_over(by_tests(), game, entrant=code, reason="Away.")
    hand(one, 1, [1, 3, 5, 4], 3)
    close(event, 1)
    final = table(event, [people[at] for at in (0, 1, 4, 5)], round_number=2)
    for code in ("RL05", "RL06"):
        record_walk_over(by_tests(), final, entrant=code, reason="Ill.")
    Game.objects.filter(table=final.table).update(state="abandoned")
    Round.objects.filter(number=2).update(state="playing")
    close(event, 2)
    found = standing(event)
    assert (found["Ida"]["rank"], found["Jan"]["rank"]) == (7, 7)
    assert found["Ida"]["reason"] == "gave up table 2 of round 1"
    assert ranks(event) == raw_ranks(event), "Fay and Mia reached the final without a hand"
    entrants = [
        entrant
        for table in bracket_of(event, 1)["rounds"][0]["tables"]
        for entrant in table["entrants"]
    ]
    went_on = {entrant["entrant_id"] for entrant in entrants if entrant["went_on"]}
    assert went_on == {"RL01", "RL02", "RL05", "RL06"}, "also those without a seat in the final"


def test_late_correction_of_the_semifinal_asks_the_director(cast: Cast, dirk: Client) -> None:
    event = cup(cast, *FINAL)
    game = Game.objects.get(table__code="r1t2")
    preview = text_of(Host(dirk, f"{E}/tables/r1t2/hands/1/edit").send(typed([7, 4, 1, 1], 4)))
    question = "Round 2 (Final) was drawn already. After the correction, Ida would play in it and"
    assert f"Cup: {question} Fay would not." in preview
    hand(game, 1, [7, 4, 1, 1], 3, based_on=1, reason="Read wrongly.")
    for _ in range(2):
        publish(event.pk, now=NOW)
        schedule_event_playoffs(event.pk)
    assert question in text_of(dirk.get(f"{E}/stages"))
    assert list(ranks(event))[:4] == ["Dora", "Mia", "Eli", "Fay"], "the final stays as played"
    edit = Host(dirk, f"{E}/tables/r1t2/hands/1/edit")
    assert question in text_of(edit.send(typed([8, 3, 1, 1], 4))), "it is still to be answered"
    preview = text_of(edit.send(typed([2, 4, 6, 1], 4)))
    assert "Cup: no decision about the cut is needed any more." in preview
    decision = text_of(dirk.get(f"{E}/stages/1/direct"))
    assert "A correction affects who goes on" in decision
    assert "Keep qualifiers" in decision
    assert "If the round is drawn again Hands have been entered in round 2" in decision
    assert "cut" not in decision.lower()
    assert "posting" not in decision
    answered = post_json(dirk, f"/api/v1{E}/stages/1/answer", {"answer": "redo", "reason": "Late."})
    assert codes(answered) == ["round_was_played"], answered.content
    sent = {"act": "keep", "reason": "The final was played."}
    assert dirk.post(f"{E}/stages/1/direct", sent).status_code == 302
    for _ in range(2):
        publish(event.pk, now=NOW)
        schedule_event_playoffs(event.pk)
    assert "Round 2 (Final) was drawn already." not in text_of(dirk.get(f"{E}/stages"))
    hand(game, 1, [4, 2, 4, 3], 3, based_on=2, reason="Read wrongly again.")
    for _ in range(2):
        publish(event.pk, now=NOW)
        schedule_event_playoffs(event.pk)
    assert "Round 2 (Final) was drawn already." in text_of(dirk.get(f"{E}/stages"))
    assert not Playoff.objects.exists(), "others have gone on: nothing is played off"
