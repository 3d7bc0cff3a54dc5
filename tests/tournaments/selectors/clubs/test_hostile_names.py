"""Long, many and unknown names cost a bounded number of comparisons, before the writers wait."""

import ast
from collections.abc import Iterator
from datetime import date
from unittest.mock import Mock

import pytest

from scoring.errors import Refused
from tests.support.answers import post_json
from tests.support.builders import league
from tests.support.cast import Cast
from tests.support.name_comparisons import Comparisons, comparisons
from tests.support.pages.text import text_of
from tests.support.sources import modules
from tournaments.documents.read.people import ClubPlayer, People
from tournaments.domain import name_matching
from tournaments.domain.name_matching import LETTERS_COMPARED, MOST_SUGGESTED, split_contact
from tournaments.domain.people.public_names import new_player
from tournaments.models.clubs import Player
from tournaments.models.rounds import Meeting
from tournaments.selectors.rounds.resolve_players import read_entrants
from tournaments.services.attendance.set_attendance import add_meeting_guest
from tournaments.services.clubs.invite_list import InviteLine, invite_list, plan_invites
from tournaments.views.clubs.members import read_people

pytestmark = pytest.mark.django_db

N_PLAYERS = 300
LETTERS = str.maketrans("01", "ab")
MEMBERS = [f"{n:0118b}".translate(LETTERS) for n in range(N_PLAYERS)]
UNKNOWN = [f"{n:018b}{'0' * 100}".translate(LETTERS) for n in range(1, 1_001)]
ENTRANTS = "/api/v1/clubs/riverside/events/league/rosters"


@pytest.fixture
def counted(cast: Cast) -> Iterator[Comparisons]:
    Player.objects.bulk_create(
        new_player(club=cast.riverside, player_id=f"M{n}", name=name)
        for n, name in enumerate(MEMBERS)
    )
    with comparisons() as counted:
        yield counted


def test_of_a_thousand_unknown_lines_twenty_are_compared(cast: Cast, counted: Comparisons) -> None:
    _lines, _problems, unknown = read_entrants(cast.riverside, UNKNOWN)
    assert len(unknown) == 1_000
    assert all(problem.suggestions for problem in unknown[:MOST_SUGGESTED])
    assert not any(problem.suggestions for problem in unknown[MOST_SUGGESTED:])
    assert counted.n_names == [N_PLAYERS] * MOST_SUGGESTED
    assert counted.longest == LETTERS_COMPARED


def test_line_of_a_pair_is_not_compared_as_a_whole(cast: Cast, counted: Comparisons) -> None:
    read_entrants(cast.riverside, [f"{UNKNOWN[0]} & {UNKNOWN[1]}"])
    assert len(counted.n_names) == 2


def test_page_says_that_further_lines_got_no_suggestions(cast: Cast, counted: Comparisons) -> None:
    league(cast.riverside)
    page = "/clubs/riverside/events/league/add-entrants"
    says = "Similar names are suggested for the first 20 unknown names only."
    few = cast.client("dirk").post(page, {"names": "\n".join(UNKNOWN[:MOST_SUGGESTED])})
    assert says not in text_of(few)
    more = cast.client("dirk").post(page, {"names": "\n".join(UNKNOWN[: MOST_SUGGESTED + 1])})
    assert says in text_of(more)
    assert len(counted.n_names) == 2 * MOST_SUGGESTED


def test_roster_over_rest_is_compared_outside_of_locks(cast: Cast, counted: Comparisons) -> None:
    league(cast.riverside)
    dirk, lines = cast.client("dirk"), UNKNOWN[:100]
    assert post_json(dirk, ENTRANTS, {"lines": lines}, Idempotency_Key="refused").status_code == 422
    sent = {"lines": lines, "new_players": True}
    added = post_json(dirk, ENTRANTS, sent, Idempotency_Key="added")
    assert (added.status_code, added.json()["added"]) == (201, len(lines))
    assert counted.depths == [0] * (2 * MOST_SUGGESTED)


def test_guest_is_compared_before_the_transaction(cast: Cast, counted: Comparisons) -> None:
    meeting = Meeting.objects.create(
        club=cast.riverside, event=league(cast.riverside), date=date(2025, 11, 6)
    )
    with pytest.raises(Refused, match="guest_may_be_known"):
        add_meeting_guest(cast.operation("hanna"), meeting, name=UNKNOWN[0])
    assert counted.depths == [0]


def test_invitations_are_compared_when_planned_only(cast: Cast, counted: Comparisons) -> None:
    asked = [InviteLine(n, name) for n, name in enumerate(UNKNOWN[:100], start=1)]
    plan = plan_invites(cast.riverside, asked, {})
    assert (plan.is_limited, len(counted.n_names)) == (True, MOST_SUGGESTED)
    choices = {line.key: "none" for line in asked}
    op = cast.operation("olga")
    assert len(invite_list(op, cast.riverside, role="player", asked=asked, choices=choices)) == 100
    assert len(counted.n_names) == MOST_SUGGESTED


def test_file_compares_so_many_names_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tournaments.documents.read.people.MOST_COMPARED", 20 * N_PLAYERS)
    people = People(ClubPlayer(n, f"M{n}", name) for n, name in enumerate(MEMBERS))
    with comparisons() as counted:
        unknown = [people.person("", name) for name in UNKNOWN]
    assert (people.n_unknown, len(unknown)) == (1_000, 1_000)
    assert counted.n_names == [N_PLAYERS] * 20
    assert [person.is_compared for person in unknown] == [True] * 20 + [False] * 980
    (note,) = people.notes()
    assert (note.code, note.found, note.expected) == ("few_names_suggested", "1000", "20")


def test_run_of_blanks_in_a_line_costs_its_length(cast: Cast) -> None:
    # Seconds grow with the square of the blanks where a pattern looks for the end of each run.
    line = "Ella" + " " * 200_000 + "Moss"
    _lines, _problems, unknown = read_entrants(cast.riverside, [line])
    assert [problem.facts["found"] for problem in unknown] == ["Ella Moss"]
    assert [person.name for person in read_people(line)] == [line]


def test_words_longer_than_an_address_are_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    searched = Mock(wraps=name_matching._MAIL)
    monkeypatch.setattr(name_matching, "_MAIL", searched)
    dots = "a@" + "." * 100_000 + "@"
    assert split_contact(f"Ella {dots} ella@example.org") == (f"Ella {dots}", ("ella@example.org",))
    words = [call.args[0] for call in searched.fullmatch.call_args_list]
    assert words == ["Ella", "ella@example.org"]


def test_names_are_compared_by_one_function() -> None:
    imported = {
        (path, alias.name)
        for path, tree in modules("tournaments", "api", "config")
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in (*node.names, ast.alias(getattr(node, "module", None) or ""))
        if alias.name.split(".")[0] in ("difflib", "rapidfuzz")
    }
    assert imported == {("tournaments/domain/name_matching.py", "rapidfuzz")}
