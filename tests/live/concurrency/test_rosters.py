"""Lists of players are added and undone over REST in the middle of actions on the same people.

What comes of it is what one order of the two gives.
"""

import json
from typing import ClassVar

import pytest
from django.test import Client

from tests.support.answers import Answer
from tests.support.builders import by_tests, league, players, table
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.lengths import only_long
from tests.support.live.at_once import NamedActions, Within
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Player, SimilarPlayers
from tournaments.models.events import EntrantMember
from tournaments.models.rounds import Attendance, Sitting
from tournaments.selectors.events.entrants import EntrantLine
from tournaments.services.attendance.set_attendance import set_attendance
from tournaments.services.clubs.clubs import change_player
from tournaments.services.clubs.invitations import invite
from tournaments.services.clubs.members import link_player
from tournaments.services.events.entrants import add_entrant, add_entrants
from tournaments.services.operations import Operation
from tournaments.services.people.compare_names import compare_names
from tournaments.services.people.erase_player import erase_player
from tournaments.services.people.merge_players import merge_players
from tournaments.services.rounds.meetings import plan_meeting

pytestmark = pytest.mark.pg

ROSTERS = "/api/v1/clubs/riverside/rosters"
PEOPLE = ("Ann Smit", "Anne Smit", "Cem", "Dora")
CODES = ["P0001", "P0002", "P0003", "P0004"]


class Lists(NamedActions):
    """A club with one player and a league; Dirk, who sends lists; what others do."""

    ends: ClassVar = {"compare": "tournaments.services.people.compare_names.remove_pairs"}

    def __init__(self, within: Within) -> None:
        super().__init__(within)
        with within():
            self.cast: Cast = enter_the_cast()
            self.club = self.cast.riverside
            (self.elsa,) = players(self.club, "Elsa")
            self.event = league(self.club)
            day = NOW.date()
            self.meeting = plan_meeting(by_tests(), self.event, day=day)

    def send(self, path: str, body: object) -> Answer:
        client = Client()
        client.force_login(self.cast.users["dirk"])
        answer: Answer = client.post(
            f"{ROSTERS}{path}", json.dumps(body), content_type="application/json"
        )
        return answer

    def list_of(self, *people: object) -> str:
        bodies = [person if isinstance(person, dict) else {"name": person} for person in people]
        return outcome(self.send("", {"players": bodies}))

    def add(self) -> str:
        return self.list_of(*PEOPLE)

    def others(self) -> str:
        return self.list_of("Fred", "Gwen")

    def by_number(self) -> str:
        return self.list_of({"name": "Hugo", "player_id": "H1"})

    def undo(self) -> str:
        answer = self.send(f"/{self.number}/undo", {})
        if answer.status_code != 200:
            return outcome(answer)
        return f"{len(answer.json()['removed'])} off, {len(answer.json()['kept'])} stay"

    def seat(self) -> None:
        table(self.event, self.people)

    def enter(self) -> None:
        lines = [EntrantLine(0, (person,)) for person in self.people[:2]]
        add_entrants(by_tests(), self.event, lines=lines)

    def pair(self) -> None:
        add_entrant(by_tests(), self.event, kind="pair", players=self.people[:2])

    def check_in(self) -> None:
        set_attendance(by_tests(), self.meeting, player=self.people[0], state="here", stated_at=NOW)

    def compare(self) -> None:
        compare_names()

    def edit(self) -> None:
        change_player(by_tests(), self.people[0], name="Anna")

    def link(self) -> None:
        piet = self.cast.users["piet"]
        link_player(by_tests(), self.people[0], user=piet)

    def invite(self) -> None:
        olga = self.cast.actor("olga")
        invite(Operation(olga, NOW), self.club, role="player", player_id="P0001")

    def merge(self) -> None:
        source, target = self.people[0], self.elsa
        merge_players(by_tests(), source, target=target)

    def erase(self) -> None:
        olga = self.cast.operation("olga")
        erase_player(olga, self.people[0], confirmed="P0001", reason="Asked.")

    def added(self) -> None:
        with self.within():
            assert self.add() == ""
            self.number = AuditLine.objects.get(act="paste_players").number
            people = Player.objects.filter(player_id__in=CODES).select_related("club")
            self.people = list(people.order_by("player_id"))

    def actions(self, *of: str) -> list[str]:
        lines = AuditLine.objects.filter(club=self.club, act__in=of).order_by("number")
        return list(lines.values_list("act", flat=True))


def outcome(answer: Answer) -> str:
    return "" if answer.status_code < 300 else str(answer.json()["errors"][0]["code"])


@pytest.fixture
def lists(within: Within) -> Lists:
    return Lists(within)


@pytest.mark.parametrize(
    ("first", "second", "said", "there"),
    [
        ("add", "add", ("", "list_changed"), CODES),
        only_long("add", "others", ("", "list_changed"), CODES),
        ("add", "by_number", ("", ""), ["H1", *CODES]),
        only_long("by_number", "by_number", ("", "list_changed"), ["H1"]),
    ],
)
def test_no_two_players_have_one_number(
    lists: Lists, first: str, second: str, said: tuple[str, str], there: list[str]
) -> None:
    assert lists.both(first, second) == said
    with lists.within():
        codes = Player.objects.exclude(pk=lists.elsa.pk).order_by("player_id")
        assert list(codes.values_list("player_id", flat=True)) == there
        assert len(lists.actions("paste_players")) == said.count("")


OFF, SOME, STAY = "4 off, 0 stay", "2 off, 2 stay", "0 off, 4 stay"
LATE = "unknown_player"


@pytest.mark.parametrize(
    ("other", "before", "after"),
    [
        ("undo", (OFF, "already_undone"), (OFF, "already_undone")),
        ("by_number", ("", OFF), (OFF, "")),
        ("seat", ("", STAY), (OFF, LATE)),
        ("enter", ("", SOME), (OFF, LATE)),
        ("pair", ("", SOME), (OFF, LATE)),
        ("check_in", ("", OFF), (OFF, LATE)),
        ("compare", ("", OFF), (OFF, "")),
        ("edit", ("", OFF), (OFF, LATE)),
        ("link", ("", OFF), (OFF, LATE)),
        ("invite", ("", OFF), (OFF, LATE)),
        ("merge", ("", OFF), (OFF, LATE)),
        ("erase", ("", OFF), (OFF, LATE)),
    ],
)
@pytest.mark.parametrize("is_first", [True, only_long(False)])
def test_list_is_undone_beside_what_is_done_with_its_people(
    lists: Lists, other: str, before: tuple[str, str], after: tuple[str, str], *, is_first: bool
) -> None:
    lists.added()
    said = lists.both(other, "undo") if is_first else lists.both("undo", other)
    assert said == (before if is_first else after)
    with lists.within():
        left = Player.objects.filter(player_id__in=CODES).count()
        assert left == (4 if STAY in said else 2 if SOME in said else 0)
        assert EntrantMember.objects.count() == left
        assert Sitting.objects.count() == (4 if STAY in said else 0)
        assert not Attendance.objects.exists()
        assert not SimilarPlayers.objects.exists()
        assert lists.actions("undo_paste_players") == ["undo_paste_players"]
