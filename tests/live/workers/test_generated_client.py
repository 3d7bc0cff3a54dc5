"""A generated client makes a club and enters a night of its league, against a real installation.

Nothing but the typed operations of the client is used, as a programmer would who knows only the
OpenAPI document.
"""

import datetime
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from tests.live.conftest import Inside
from tests.support.live.project import LiveProject, wait_until
from tests.support.rest.generated_client import GeneratedClient, folder_of, generate

pytestmark = pytest.mark.worker

DAY = datetime.date(2025, 11, 13)
PLAYERS = (
    *("Alma D.", "Bruno K.", "Cleo S.", "Dario D."),
    *("Edda K.", "Farid S.", "Greta D.", "Hugo K."),
)
GOOD = {"hearts": [4, 1, 2, 6], "taken": [[], [], [], ["QS"]]}
REFUSED = {"hearts": [4, 1, 2, 5], "taken": [[], [], [], ["QS"]]}
MENDED = {"hearts": [4, 1, 3, 5], "taken": [[], [], [], ["QS"]]}


class Programmer:
    """Somebody with a token who calls operations by name, and expects an answer of a status."""

    def __init__(self, package: GeneratedClient, url: str, token: str) -> None:
        self._package = package
        types = package.module("client")
        self._client = types.AuthenticatedClient(base_url=url, token=token, timeout=180)

    def close(self) -> None:
        self._client.get_httpx_client().close()

    def ask(self, operation: str, *where: object, status: int = 200, **more: Any) -> Any:
        """Call an operation; a body is given as the member names of its model."""
        answer = self.answer(operation, *where, **more)
        assert answer.status_code == HTTPStatus(status), answer.content
        return answer

    def answer(self, operation: str, *where: object, **more: Any) -> Any:
        module = self._package.operation(operation)
        return module.sync_detailed(*where, client=self._client, **more)

    def call(self, operation: str, *where: object, status: int = 200, **more: Any) -> Any:
        return self.ask(operation, *where, status=status, **more).parsed

    def model(self, kind: str, /, **members: object) -> Any:
        return self._package.model(kind).from_dict(members)


@pytest.fixture
def running(installation: LiveProject) -> LiveProject:
    installation.serve()
    return installation


@pytest.fixture
def olga(
    running: LiveProject,
    inside: Inside,
    tmp_path_factory: pytest.TempPathFactory,
    project_root: Path,
) -> Iterator[Programmer]:
    """An account of the site that owns no club yet, with a token that may do everything."""
    package = generate(folder_of(tmp_path_factory), project_root)
    with inside(running):
        User.objects.create_user("olga")
    token = running.manage("make_token", "--user", "olga", "--scope", "manage")
    assert token.returncode == 0, token.stderr
    programmer = Programmer(package, running.url, token.stdout.strip())
    yield programmer
    programmer.close()


class Night:
    """One evening of a league, step by step."""

    def __init__(self, by: Programmer) -> None:
        self.by = by
        self.at: tuple[str, str] = ("lakeside", "autumn-league")

    def make_the_club(self) -> None:
        by = self.by
        club = by.call("create_club", status=201, body=by.model("NewClub", name="Lakeside"))
        assert club.slug == "lakeside"
        invited = by.call(
            "create_invitation",
            "lakeside",
            status=201,
            body=by.model("NewInvitation", role="host", email="ida@lakeside.example"),
        )
        assert "/invitations/" in invited.url
        assert len(by.call("list_invitations", "lakeside").results) == 1
        for name in PLAYERS:
            by.call("add_player", "lakeside", status=201, body=by.model("NewPlayer", name=name))

    def make_the_event(self) -> None:
        by = self.by
        made = by.call(
            "create_event",
            "lakeside",
            status=201,
            body=by.model(
                "NewEvent",
                name="Autumn league",
                variant="hearts",
                preset="places",
                settings={"length": "hands:2"},
                meetings=[DAY.isoformat()],
            ),
        )
        assert (made.slug, made.state.value) == ("autumn-league", "draft")
        by.call("move_event", *self.at, body=by.model("EventMove", to="open"))

    def seat_two_rounds(self) -> None:
        by = self.by
        for result in by.call("list_players", "lakeside").results:
            by.call(
                "set_attendance",
                *self.at,
                DAY,
                result.player_id,
                body=by.model("AttendanceStatement", state="here"),
            )
        made = by.call(
            "make_plans", *self.at, DAY, status=201, body=by.model("NewPlans", rounds=2, seed=5)
        )
        plan = made.plans[0]
        assert by.call("choose_plan", *self.at, str(plan.id)).state.value == "chosen"

    def play_a_round(self, number: int) -> None:
        by = self.by
        body = by.model("NewRound", date=DAY.isoformat())
        assert by.call("make_round", *self.at, status=201, body=body).number == number
        by.call("move_round", *self.at, number, body=by.model("RoundMove", to="posted"))
        codes = [table.code for table in by.call("read_round", *self.at, number).tables]
        assert len(codes) == 2
        for code in codes:
            for hand in (1, 2):
                self.enter(code, hand)
        by.call("move_round", *self.at, number, body=by.model("RoundMove", to="closed"))

    def enter(self, code: str, number: int) -> None:
        """Enter a hand; that of table 2 in round 1 is refused first, and mended."""
        by = self.by
        if (code, number) == ("r1t2", 1):
            body = by.model("NewHand", number=number, entry=REFUSED)
            refused = by.call("enter_hand", *self.at, code, status=422, body=body)
            assert [error.code for error in refused.errors] == ["missing_cards"]
        body = by.model("NewHand", number=number, entry=GOOD)
        made = by.call("enter_hand", *self.at, code, status=201, body=body)
        assert [seat.score for seat in made.seats] == [4, 1, 2, 19]
        self.version = made.event_version

    def correct_a_hand(self) -> None:
        """Look at what a correction changes, and make exactly that one."""
        by = self.by
        read = by.ask("read_hand", *self.at, "r1t1", 1)
        tag = read.headers["ETag"]
        wanted = {"entry": MENDED, "reason": "A heart was South's."}

        # What was entered just now may not be published yet, and changes what is seen.
        wait_until(self.is_published, what="the night in the standings")
        preview = by.call(
            "preview_hand", *self.at, "r1t1", 1, if_match=tag, body=by.model("HandChange", **wanted)
        )
        assert preview.hand.after.scores == [4, 1, 3, 18]
        told = {row.player_id: row.after.points for row in preview.rows.results}
        saved = by.call(
            "revise_hand",
            *self.at,
            "r1t1",
            1,
            if_match=tag,
            body=by.model("RevisedHand", **wanted, previewed=preview.digest),
        )
        assert saved.revision == 2
        self.version = saved.event_version
        wait_until(self.is_published, what="the correction in the standings")
        rows = {row.player_id: row.points for row in self.standings().rows}
        assert {code: rows[code] for code in told} == told

    def standings(self) -> Any:
        return self.by.call("read_standings", *self.at)

    def is_published(self) -> bool:
        answer = self.by.answer("read_standings", *self.at)
        if answer.status_code != HTTPStatus.OK:
            return False
        return bool(answer.parsed.publication.version >= self.version)

    def close(self) -> None:
        by = self.by
        closed = by.call("move_event", *self.at, body=by.model("EventMove", to="closed"))
        assert closed.state.value == "closed"

    def read_every_form(self) -> None:
        """The same rows in every form of the standings; each numbered publication stays."""
        by = self.by
        wait_until(lambda: self.standings().event.state == "closed", what="the closed event")
        table = self.standings()
        assert table.rows[0].rank == 1
        assert sorted(row.player for row in table.rows) == sorted(PLAYERS)
        assert {row.tables for row in table.rows} == {2}
        number = table.publication.number
        assert by.call("read_publication", *self.at, number).to_dict() == table.to_dict()
        lines = by.ask("read_standings_csv", *self.at).content.decode().splitlines()
        assert [line.split(",")[1] for line in lines[1:]] == [row.player_id for row in table.rows]
        marks = {"xlsx": b"PK", "pdf": b"%PDF", "png": b"\x89PNG"}
        for form, mark in marks.items():
            assert by.ask(f"read_standings_{form}", *self.at).content.startswith(mark)
        assert by.call("list_publications", *self.at).results[0].number == number
        wait_until(self.has_history, what="the history")
        rounds = by.call("read_standings", *self.at, round_=1).rows
        assert {row.tables for row in rounds} == {1}
        assert [round_.round_ for round_ in by.call("read_history", *self.at).rounds] == [1, 2]
        met = by.call("list_head_to_head", *self.at).results
        assert {one.player for one in met} == set(PLAYERS)

    def has_history(self) -> bool:
        first = self.by.answer("read_standings", *self.at, round_=1)
        is_there = first.status_code == HTTPStatus.OK
        return is_there and len(self.by.call("read_history", *self.at).rounds) == 2


def test_programmer_enters_a_night_with_the_generated_client(olga: Programmer) -> None:
    night = Night(olga)
    night.make_the_club()
    night.make_the_event()
    night.seat_two_rounds()
    night.play_a_round(1)
    night.play_a_round(2)
    night.correct_a_hand()
    night.close()
    night.read_every_form()
