"""A director runs evenings of pairs and of whist by pages: entered, planned, seated, played."""

import json
from typing import Any

import pytest
from django.test import Client

from tests.support.builders import by_tests, hand, league, players
from tests.support.cast import NOW, Cast
from tests.support.evenings import check_in, evening
from tests.support.pages.seating import press
from tests.support.pages.text import summary, text_of
from tournaments.models.clubs import Player
from tournaments.models.events import EntrantMember, Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Round, SitOut, Sitting
from tournaments.models.seating_plans import SeatingPlan
from tournaments.selectors.clubs.names import FULL_NAME
from tournaments.selectors.events.entrants import names_in
from tournaments.services.hands.close_tables import close_tables
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.rounds import move_round

EVENT = "/clubs/riverside/events/league"
EVENING = f"{EVENT}/meetings/2025-11-13"
POOLED, INDIVIDUAL = "partnership-hearts-pooled", "partnership-hearts-individual"
SETTINGS = {"primary": "wins", "tie_breaks": ["difference"]}
OF_TEAMS = {"primary": "match_points", "tie_breaks": ["difference"]}


class Director:
    def __init__(self, cast: Cast) -> None:
        self.client: Client = cast.client("dirk")

    def enters_pairs(self, people: list[Player]) -> None:
        for one, other in zip(people[::2], people[1::2], strict=True):
            sent = {"kind": "pair", "seat-1": one.player_id, "seat-2": other.player_id}
            answer = self.client.post(f"{EVENT}/new-entrant", sent)
            assert answer.status_code == 302, summary(answer)

    def names_pair(self, code: str, people: list[Player], name: str) -> None:
        seats = {f"seat-{n}": one.player_id for n, one in enumerate(people, 1)}
        answer = self.client.post(f"{EVENT}/entrants/{code}/direct", {**seats, "name": name})
        assert answer.status_code == 302, summary(answer)

    def enters_teams(self, people: list[Player], size: int) -> None:
        for at in range(0, len(people), size):
            seats = {f"seat-{n}": one.player_id for n, one in enumerate(people[at : at + size], 1)}
            answer = self.client.post(f"{EVENT}/new-entrant", {"kind": "team", **seats})
            assert answer.status_code == 302, summary(answer)

    def plans(self, movement: str, rounds: int) -> Any:
        sent = {"make": "yes", "movement": movement, "rounds": rounds, "seed": 7}
        return self.client.post(f"{EVENING}/plans", sent, follow=True)

    def chooses(self) -> Any:
        plan = SeatingPlan.objects.get(state="draft")
        return self.client.post(f"{EVENING}/plans", {"choose": str(plan.public_id)}, follow=True)

    def presses(self, button: str, **chosen: Any) -> Any:
        """Press a button of the seating page, on which seats may be chosen."""
        return press(self.client, f"{EVENING}/seating", button, **chosen)

    def seats(self, number: int) -> None:
        """Seat and post a round; the choice of a plan seats the first one."""
        if number > 1:
            self.presses("Next round")
        self.presses(f"Post round {number}")


def seated(number: int) -> list[list[Player]]:
    rows = Sitting.objects.filter(round__number=number).select_related("player")
    found: dict[int, list[Player]] = {}
    for row in rows.order_by("seat__table__number", "seat__number"):
        found.setdefault(row.seat.table_id, []).append(row.player)
    return list(found.values())


def play(number: int) -> dict[str, int]:
    """Play one hand at each table; returns the points of each player's side."""
    points: dict[str, int] = {}
    for game in Game.objects.filter(table__round__number=number).order_by("table__number"):
        hand(game, 1, [4, 1, 2, 6], 3)
        by_seat = dict(game.table.seats.values_list("number", "sittings__player__player_id"))
        points |= {by_seat[1]: 6, by_seat[3]: 6, by_seat[2]: 20, by_seat[4]: 20}
    round_ = Round.objects.get(number=number)
    close_tables(by_tests(), round_)
    round_.refresh_from_db()
    move_round(by_tests(), round_, to="closed")
    return points


def standings(event: Event) -> dict[str, dict[str, Any]]:
    publication = publish(event.pk, now=NOW)
    assert publication is not None
    return {row["player_id"]: row for row in json.loads(bytes(publication.body))["rows"]}


@pytest.mark.parametrize("variant", [POOLED, INDIVIDUAL])
def test_eight_pairs_play_three_rounds(cast: Cast, variant: str) -> None:
    event = league(cast.riverside, variant=variant, settings=SETTINGS)
    _meeting, people = evening(event, 16)
    dirk = Director(cast)
    dirk.enters_pairs(people)
    words = text_of(dirk.plans("pairs:all_play_all", 3))
    assert "Plan A: pairs, all play all" in words
    assert "Full set 7 rounds" in words
    assert "No two pairs play each other twice." in words
    assert "Plan chosen." in text_of(dirk.chooses())
    pair_of = dict(EntrantMember.objects.values_list("player_id", "entrant__code"))
    met: list[frozenset[str]] = []
    points: dict[str, int] = {}
    for number in (1, 2, 3):
        if number > 1:
            assert f"Round {number} is seated." in text_of(dirk.presses("Next round"))
        dirk.presses(f"Post round {number}")
        for north, east, south, west in seated(number):
            assert pair_of[north.pk] == pair_of[south.pk]
            assert pair_of[east.pk] == pair_of[west.pk]
            met.append(frozenset((pair_of[north.pk], pair_of[east.pk])))
        for player_id, more in play(number).items():
            code = pair_of[Player.objects.get(player_id=player_id).pk]
            points[code] = points.get(code, 0) + more
    assert len(met) == len(set(met)) == 12
    rows = standings(event)
    assert len(rows) == 8
    for code, row in rows.items():
        assert (row["tables"], row["hands"]) == (3, 3), "a side counts once"
        assert 2 * row["points"] == points[code], "the side's points, not those of two seats"


def test_nine_play_whist_and_eight_go_on_when_one_leaves(cast: Cast) -> None:
    event = league(cast.riverside, variant=INDIVIDUAL, settings=SETTINGS)
    meeting, people = evening(event, 9)
    dirk = Director(cast)
    words = text_of(dirk.plans("whist", 3))
    assert "Plan A: whist" in words
    assert "Full set 9 rounds" in words
    assert "With 3 more players nobody would sit out." in words
    dirk.chooses()
    partners: list[frozenset[int]] = []
    for number in (1, 2):
        dirk.seats(number)
        partners += [frozenset((one.pk, two.pk)) for t in seated(number) for one, two in _sides(t)]
        play(number)
    out = set(SitOut.objects.values_list("entrant__code", flat=True))
    assert len(out) == 2, "nobody sits out twice"
    leaver = next(person for person in people if person.player_id not in out)
    check_in(meeting, [leaver], state="left")
    text = text_of(dirk.client.get(f"{EVENING}/seating", follow=True))
    assert f"Not there: {leaver.name}" in " ".join(text.split())
    needs = "Each table of this plan needs its partners. The next round is planned anew"
    assert needs in " ".join(text.split())
    refused = dirk.client.post(f"{EVENING}/seating", {"do": "seat_round", "adjust": "yes"})
    assert "Create new plans for those who stay" in text_of(refused)
    assert Round.objects.count() == 2, "nothing was seated"
    words = text_of(dirk.plans("whist", 1))
    assert "Nobody sits out." in words
    dirk.chooses()
    dirk.presses("Next round")
    partners += [frozenset((one.pk, two.pk)) for t in seated(3) for one, two in _sides(t)]
    assert len(partners) == len(set(partners)) == 12, "no partner comes again after the change"
    dirk.presses("Post round 3")
    play(3)
    rows = standings(event)
    assert rows[leaver.player_id]["tables"] == 2
    assert sum(row["tables"] for row in rows.values()) == 24
    assert {row["tables"] for row in rows.values()} == {2, 3}


def _sides(table: list[Player]) -> list[tuple[Player, Player]]:
    return [(table[0], table[2]), (table[1], table[3])]


def test_what_hinders_an_evening_of_pairs_is_said_with_a_proposal(cast: Cast) -> None:
    meeting, people = evening(league(cast.riverside, variant=POOLED, settings=SETTINGS), 5)
    dirk = Director(cast)
    dirk.enters_pairs(people[:4])
    assert "Not in a pair: Edda K. Enter them as pairs" in _refused(
        dirk.plans("pairs:all_play_all", 1)
    )
    check_in(meeting, people[4:], state="left")
    check_in(meeting, people[3:4], state="left")
    said = _refused(dirk.plans("pairs:all_play_all", 1))
    assert "Dario D. is not here. Check in Dario D., let a substitute play" in said
    assert "Withdraw them, or plan an evening of pairs." in _refused(dirk.plans("whist", 1))
    assert not SeatingPlan.objects.exists()


def _refused(answer: Any) -> str:
    return " ".join(text_of(answer).split())


def test_swiss_round_of_pairs_names_the_pairs_who_meet_and_who_float(cast: Cast) -> None:
    event = league(cast.riverside, variant=POOLED, settings=SETTINGS)
    _meeting, people = evening(event, 12)
    dirk = Director(cast)
    dirk.enters_pairs(people)
    dirk.names_pair("pair-1", people[:2], "The Aces")
    dirk.plans("pairs:swiss", 1)
    dirk.chooses()
    dirk.seats(1)
    play(1)
    assert [row["wins"] > 0 for row in standings(event).values()].count(True) == 3
    words = _refused(dirk.plans("pairs:swiss", 1))
    plans = dirk.client.get(f"/api/v1{EVENING}/plans").json()["results"]
    ((round_,),) = [plan["rounds"] for plan in plans if plan["state"] == "draft"]
    called = names_in(event, FULL_NAME)
    assert called["pair-1"] == "The Aces"
    assert round_["floats"] == [], "three won and three lost: the other score is the next one"
    assert "Every pair meets a pair with the same score or the next one." in words
    assert len(round_["explanations"]) == 3, "one for each two pairs"
    for explanation in round_["explanations"]:
        both = [called[code] for code in explanation["entrants"]]
        assert (explanation["names"], len(explanation["players"])) == (both, 4)
        assert explanation["text"].startswith(f"{both[0]} meets {both[1]}: ")
        assert explanation["text"] in words
    dirk.chooses()
    dirk.seats(2)
    of_aces = next(
        explanation for explanation in round_["explanations"] if "pair-1" in explanation["entrants"]
    )
    page = f"{EVENT}/tables/r2t{of_aces['table']}"
    assert of_aces["text"] in text_of(Client().get(page))
    people[0].user = cast.users["piet"]
    people[0].save(update_fields=["user"])
    other = next(name for name in of_aces["names"] if name != "The Aces")
    theirs = text_of(cast.client("piet").get(page))
    assert f"You meet {other}: " in theirs
    assert theirs.count("not met before") == 1


def test_substitute_plays_for_who_is_missing(cast: Cast) -> None:
    event = league(cast.riverside, variant=POOLED, settings=SETTINGS)
    meeting, people = evening(event, 5)
    dirk = Director(cast)
    dirk.enters_pairs(people[:4])
    check_in(meeting, people[3:4], state="left")
    sent = {
        "add": "yes",
        "kind": "together",
        "player": people[2].player_id,
        "other": people[4].player_id,
    }
    dirk.client.post(f"{EVENT}/constraints", sent)
    dirk.plans("pairs:all_play_all", 1)
    dirk.chooses()
    dirk.seats(1)
    (table,) = seated(1)
    assert {frozenset((one.pk, two.pk)) for one, two in _sides(table)} == {
        frozenset((people[0].pk, people[1].pk)),
        frozenset((people[2].pk, people[4].pk)),
    }
    play(1)
    rows = standings(event)
    hands = {code: row["hands"] for code, row in rows.items()}
    assert hands == {"pair-1": 1, "pair-2": 1}, "the substitute is no pair"


def test_pair_that_is_changed_outdates_the_plan(cast: Cast) -> None:
    _meeting, people = evening(league(cast.riverside, variant=POOLED, settings=SETTINGS), 4)
    (spare,) = players(cast.riverside, "Zoe Z.")
    dirk = Director(cast)
    dirk.enters_pairs(people)
    dirk.plans("pairs:all_play_all", 1)
    sent = {"seat-1": people[2].player_id, "seat-2": spare.player_id, "name": ""}
    assert dirk.client.post(f"{EVENT}/entrants/pair-2/direct", sent).status_code == 302
    said = _refused(dirk.chooses())
    assert (
        "Pairs or teams were changed after this plan was made: Dario D. Create new plans." in said
    )
    assert SeatingPlan.objects.get().state == "draft"


@pytest.mark.parametrize(
    ("variation", "points", "result"),
    [("one_table", "4 : 0", {2, 0}), ("two_tables", "4 : 4", {1})],
)
def test_match_of_two_teams_has_its_result_on_the_page_of_the_round(
    cast: Cast, variation: str, points: str, result: set[int]
) -> None:
    _meeting, people = evening(league(cast.riverside, variant=POOLED, settings=SETTINGS), 8)
    dirk = Director(cast)
    dirk.enters_teams(people, 4)
    assert "team matches" in text_of(dirk.plans(f"teams:{variation}", 1))
    dirk.chooses()
    dirk.seats(1)
    rest = f"/api/v1{EVENT}/rounds/1"
    (before,) = dirk.client.get(rest).json()["matches"]
    assert [team["match_points"] for team in before["teams"]] == [None, None]
    play(1)
    (match,) = dirk.client.get(rest).json()["matches"]
    assert len(match["tables"]) == (2 if variation == "two_tables" else 1)
    assert {team["match_points"] for team in match["teams"]} == result
    shown = {"4 : 0", "0 : 4"} if points == "4 : 0" else {points}
    words = " ".join(text_of(Client().get(f"{EVENT}/rounds/1")).split())
    assert any(one in words for one in shown), words


def test_team_that_is_short_in_a_round_forfeits_its_match(cast: Cast) -> None:
    event = league(cast.riverside, variant=POOLED, settings=OF_TEAMS)
    meeting, people = evening(event, 8)
    check_in(meeting, people[:1], last=1)
    dirk = Director(cast)
    dirk.enters_teams(people, 2)
    dirk.plans("teams:one_table", 2)
    dirk.chooses()
    for number in (1, 2):
        dirk.seats(number)
        play(number)
    matches = dirk.client.get(f"/api/v1{EVENT}/rounds/2").json()["matches"]
    (forfeit,) = [match for match in matches if match["forfeited_by"]]
    assert (forfeit["forfeited_by"], forfeit["tables"]) == ("team-1", [])
    of = {team["player_id"]: team["match_points"] for team in forfeit["teams"]}
    assert of.pop("team-1") == 0
    assert list(of.values()) == [2]
    _require_match_points(event, [1, 2])


def _require_match_points(event: Event, rounds: list[int]) -> None:
    """Compare the standings with the matches of some rounds, added up; page, REST and CSV agree."""
    reader = Client()
    points: dict[str, int] = {}
    for number in rounds:
        for match in reader.get(f"/api/v1{EVENT}/rounds/{number}").json()["matches"]:
            for team in match["teams"]:
                code = team["player_id"]
                points[code] = points.get(code, 0) + team["match_points"]
    rows = standings(event)
    assert {code: row["match_points"] for code, row in rows.items()} == points
    order = sorted(rows.values(), key=lambda row: (-row["match_points"], row["difference"]))
    assert [row["player_id"] for row in rows.values()] == [row["player_id"] for row in order]
    published = reader.get(f"/api/v1{EVENT}/standings").json()
    assert published["scheme"]["primary"] == "match_points"
    assert {row["player_id"]: row["match_points"] for row in published["rows"]} == points
    lines = reader.get(f"/api/v1{EVENT}/standings.csv").content.decode().split("\r\n")
    head = lines[0].split(",")
    listed = [dict(zip(head, line.split(","), strict=True)) for line in lines[1:] if line]
    assert {row["player_id"]: int(row["match_points"]) for row in listed} == points
    assert {row["player_id"]: row["difference"] for row in listed} == {
        code: str(row["difference"]) for code, row in rows.items()
    }
    assert "Ranked by Match points: highest wins." in " ".join(text_of(reader.get(EVENT)).split())


def test_team_whose_opponents_never_come_has_its_match_points(cast: Cast) -> None:
    event = league(cast.riverside, variant=POOLED, settings=OF_TEAMS)
    meeting, people = evening(event, 8)
    check_in(meeting, people[:1], first=2)
    dirk = Director(cast)
    dirk.enters_teams(people, 2)
    dirk.plans("teams:one_table", 2)
    dirk.chooses()
    dirk.seats(1)
    play(1)
    rows = standings(event)
    assert sorted(row["match_points"] for row in rows.values()) == [0, 0, 2, 2]
    (idle,) = [row for row in rows.values() if row["match_points"] and not row["tables"]]
    assert (idle["hands"], idle["points"], rows["team-1"]["tables"]) == (0, 0, 0)
    _require_match_points(event, [1])


def test_team_of_which_some_players_rest_has_no_bye(cast: Cast) -> None:
    settings = OF_TEAMS | {"bye_award": "own_mean"}
    event = league(cast.riverside, variant=POOLED, settings=settings)
    _meeting, people = evening(event, 15)
    dirk = Director(cast)
    dirk.enters_teams(people, 4)
    assert "7 players sit out" in text_of(dirk.plans("teams:one_table", 3))
    dirk.chooses()
    assert set(SitOut.objects.values_list("reason", flat=True)) == {"rest"}
    dirk.presses("Post round 1")
    assert "Sitting out" not in text_of(cast.client().get(f"{EVENT}/rounds/1"))
    page = " ".join(text_of(dirk.client.get(f"{EVENING}/seating", follow=True)).split())
    assert page.count("sitting out") == 7, "only players without a seat wait"
    north, _east, south, _west = seated(1)[0]
    button = f"Swap {north.name} and {south.name}"
    swapped = dirk.presses(button, seat=[north.player_id, south.player_id])
    assert "Seats of round 1 changed." in text_of(swapped)
    assert seated(1)[0][::2] == [south, north]
    play(1)
    assert [row.get("byes", 0) for row in standings(event).values()] == [0, 0, 0, 0]
