"""A tie at the cut between two stages is played off while the event stays open: a director's pages,
and what a correction of an early round makes of it."""

import pytest

from tests.support.answers import post_json
from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.hand_entry import Host, typed
from tests.support.pages.manage import next_step
from tests.support.pages.text import summary, text_of
from tests.support.rest.requests import codes
from tests.support.scenarios.cuts import NAMES, asked, chosen
from tests.support.scenarios.playoffs import play, view
from tournaments.models.clubs import Player
from tournaments.models.events import Event, Stage
from tournaments.models.jobs import Dirty, playoffs_scope
from tournaments.models.playoffs import Playoff
from tournaments.models.rounds import Round, Sitting
from tournaments.services.hands.close_tables import close_tables
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.rounds import move_round
from tournaments.tasks import schedule_event_playoffs

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

ADDRESS = "/clubs/riverside/events/league"
FINAL = {
    "name": "Final",
    "movement": "individual",
    "rounds": "1",
    "takes": "winners",
    "advance": "best",
    "qualifiers": "4",
    "carry": "none",
}
TIED = [2, 5, 6, 0]
"""Round 1 at table 2: RL06 has 5, as RL03 at the other table, and they share place 4."""
BY_ITSELF = [2, 4, 6, 1]
"""Corrected: RL06 has 4 and goes on without a play-off."""


def work(event: Event) -> None:
    for _ in range(2):
        publish(event.pk, now=NOW)
        schedule_event_playoffs(event.pk)
    publish(event.pk, now=NOW)


class Director:
    def __init__(self, cast: Cast, rounds: str = "1", **settings: object) -> None:
        self.event: Event = league(cast.riverside, settings={"playoff": "extra_hands", **settings})
        self.people: list[Player] = players(cast.riverside, *NAMES)
        self.client = cast.client("dirk")
        stage = {"name": "Qualifying", "movement": "individual", "rounds": rounds}
        self.saves(1, stage)
        assert self.client.post(f"{ADDRESS}/stages/add", FINAL).status_code == 302

    def saves(self, number: int, fields: dict[str, str]) -> None:
        answer = self.client.post(f"{ADDRESS}/stages/{number}/plan", fields)
        assert answer.status_code == 302, summary(answer)
        work(self.event)

    def plays_round(self, number: int = 1) -> None:
        """Ruth and Lena share place 4 after it, with 5 points each."""
        tables = [
            table(self.event, self.people[:4], round_number=number),
            table(self.event, self.people[4:], round_number=number, table_number=2),
        ]
        hand(tables[0], 1, [1, 3, 5, 4], 3)
        hand(tables[1], 1, TIED, 3)
        round_ = Round.objects.get(event=self.event, number=number)
        close_tables(by_tests(), round_)
        move_round(by_tests(), round_, to="closed")
        work(self.event)

    def enters_hand_of_the_playoff(self, code: str, ruth: int, lena: int) -> None:
        """Ruth and Lena sit opposite each other; the neutral player next to Ruth has the rest."""
        sat = Sitting.objects.filter(seat__table__code=code).values_list(
            "player__name", "seat__number"
        )
        seats = dict(sat)
        hearts = [0, 0, 0, 0]
        hearts[seats["Ruth K."] - 1], hearts[seats["Lena M."] - 1] = ruth, lena
        other = next(seat for seat in range(1, 5) if seat not in seats.values())
        hearts[other - 1] = 13 - ruth - lena
        answer = Host(self.client, f"{ADDRESS}/tables/{code}/hands/new").send(typed(hearts, other))
        assert answer.status_code == 302, summary(answer)
        work(self.event)

    def corrects_round_1(self, hearts: list[int]) -> None:
        host = Host(self.client, f"{ADDRESS}/tables/r1t2/hands/1/edit")
        sent = {**typed(hearts, 4), "reason": "Read wrongly."}
        host.send(sent)  # a preview
        answer = host.send(sent)
        assert answer.status_code == 302, summary(answer)
        work(self.event)

    def begins_final(self) -> str:
        """Press "Begin stage"; what is refused, or the page that follows."""
        answer = self.client.post(f"{ADDRESS}/stages/2/plan", {"act": "begin"}, follow=True)
        return summary(answer) if answer.status_code == 422 else text_of(answer)


def state(event: Event) -> str:
    return str(Event.objects.values_list("state", flat=True).get(pk=event.pk))


def test_tie_is_played_off_and_the_final_begins_while_the_event_stays_open(cast: Cast) -> None:
    dirk = Director(cast)
    dirk.plays_round()
    assert "play-off 1 at round 2, table 1" in text_of(dirk.client.get(ADDRESS))
    step = next_step(dirk.client, f"{ADDRESS}/direct")
    assert step == ("Play play-off 1", "Seat neutral players")
    assert "Play-off 1 decides who goes on to Final." in dirk.begins_final()
    refused = dirk.client.post(f"{ADDRESS}/stages/2/plan", {"act": "begin"})
    assert f'href="{ADDRESS}/playoffs/1">Open play-off 1</a>' in refused.content.decode()
    page = text_of(dirk.client.get(f"{ADDRESS}/playoffs/1"))
    assert "Ruth K." in page
    assert "Lena M." in page
    dirk.enters_hand_of_the_playoff("r2t1", ruth=2, lena=6)
    assert (view(dirk.event).state, state(dirk.event)) == ("decided", "open")
    assert "The stage has begun." in dirk.begins_final()
    stage = Stage.objects.get(number=2)
    assert (chosen(stage), stage.cut) == (["RL01", "RL02", "RL03", "RL05"], 4)
    work(dirk.event)
    rows = dirk.client.get(f"/api/v1{ADDRESS}/standings").json()["rows"]
    assert [row["player_id"] for row in rows[:5]] == ["RL01", "RL05", "RL02", "RL03", "RL06"]
    assert [row.get("stage") for row in rows[3:5]] == ["Final", None]
    dirk.corrects_round_1(BY_ITSELF)
    problem = asked(stage)
    assert problem is not None
    assert (problem["come"], problem["go"]) == ("RL06", "RL03")
    assert view(dirk.event).state == "decided", "what was played stays"


def test_correction_of_an_early_round_ends_a_play_off_that_is_not_over(cast: Cast) -> None:
    dirk = Director(cast)
    dirk.plays_round()
    assert view(dirk.event).state == "scheduled"
    dirk.corrects_round_1(BY_ITSELF)
    assert view(dirk.event).state == "void"
    dirk.begins_final()
    assert chosen(Stage.objects.get(number=2)) == ["RL01", "RL02", "RL05", "RL06"]


def test_correction_after_the_play_off_asks_before_the_final_begins(cast: Cast) -> None:
    dirk = Director(cast)
    dirk.plays_round()
    dirk.enters_hand_of_the_playoff("r2t1", ruth=2, lena=6)
    dirk.corrects_round_1(BY_ITSELF)
    assert (view(dirk.event).state, view(dirk.event).is_asked) == ("decided", True)
    dirk.corrects_round_1(TIED)
    assert (view(dirk.event).state, view(dirk.event).is_asked) == ("decided", False)
    assert Playoff.objects.count() == 1, "the same play-off decides the same tie"
    dirk.begins_final()
    assert chosen(Stage.objects.get(number=2)) == ["RL01", "RL02", "RL03", "RL05"]


def test_stage_is_complete_after_its_number_of_rounds_which_can_change(cast: Cast) -> None:
    dirk = Director(cast, rounds="2")
    dirk.plays_round()
    assert not Playoff.objects.exists()
    assert "you can create a play-off of the tied entrants" in dirk.begins_final()
    assert "Number of rounds: Qualifying" in text_of(dirk.client.get(f"{ADDRESS}/stages"))
    form = dirk.client.get(f"{ADDRESS}/stages/1/plan")
    assert "so only its number of rounds can change" in text_of(form)
    assert b'name="movement"' not in form.content
    dirk.saves(1, {"rounds": "1"})
    assert view(dirk.event).state == "scheduled"
    dirk.client.post(f"{ADDRESS}/playoffs/1/direct", {"act": "by_lot"})
    work(dirk.event)
    dirk.begins_final()
    assert Stage.objects.get(number=2).entrants.count() == 4


def test_final_that_is_planned_after_the_last_round_is_looked_at_too(cast: Cast) -> None:
    dirk = Director(cast)
    assert dirk.client.post(f"{ADDRESS}/stages/2/plan", {"act": "remove"}).status_code == 302
    dirk.plays_round()
    assert not Playoff.objects.exists()
    dirk.client.post(f"{ADDRESS}/stages/add", FINAL)
    row = Dirty.objects.get(scope=playoffs_scope(dirk.event.pk))
    assert row.done < row.version
    work(dirk.event)
    assert view(dirk.event).cuts == (1,)


def test_play_off_of_a_cut_goes_on_when_the_event_is_closed(cast: Cast) -> None:
    dirk = Director(cast)
    dirk.plays_round()
    play(dirk.event, 1, {"Ruth K.": 4, "Lena M.": 4})
    work(dirk.event)
    round_ = Round.objects.get(number=2)
    assert (view(dirk.event).state, round_.state) == ("in_play", "playing")
    answer = dirk.client.post(f"{ADDRESS}/direct", {"to": "closed"}, follow=True)
    work(dirk.event)
    assert state(dirk.event) == "closed", text_of(answer)
    play(dirk.event, 2, {"Ruth K.": 4, "Lena M.": 2})
    work(dirk.event)
    assert (view(dirk.event).state, view(dirk.event).is_asked) == ("decided", False)


def test_director_asks_for_the_play_off_of_a_tie_that_the_settings_do_not_play(cast: Cast) -> None:
    dirk = Director(cast, playoff="criteria")
    dirk.plays_round()
    assert "you can create a play-off of the tied entrants" in dirk.begins_final()
    page = dirk.client.post(f"{ADDRESS}/stages/2/plan", {"act": "begin"})
    assert 'name="act" value="playoff">Create play-off</button>' in page.content.decode()
    page = dirk.client.post(f"{ADDRESS}/stages/2/plan", {"act": "playoff"}, follow=True)
    assert "The play-off is ready. You can also draw the lot on its page." in page.content.decode()
    assert {member.player for member in view(dirk.event).members} == {"Ruth K.", "Lena M."}
    twice = post_json(dirk.client, f"/api/v1{ADDRESS}/stages/2/playoff", {})
    assert (twice.status_code, codes(twice)) == (409, ["cut_playoff_open"])
    dirk.client.post(f"{ADDRESS}/playoffs/1/direct", {"act": "void", "reason": "By REST."})
    work(dirk.event)
    response = post_json(dirk.client, f"/api/v1{ADDRESS}/stages/2/playoff", {})
    assert (response.status_code, response.json()["number"], response.json()["state"]) == (
        201,
        2,
        "scheduled",
    )
    dirk.enters_hand_of_the_playoff("r3t1", ruth=2, lena=6)
    assert "The stage has begun." in dirk.begins_final()
    assert chosen(Stage.objects.get(number=2)) == ["RL01", "RL02", "RL03", "RL05"]
