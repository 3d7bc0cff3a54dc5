"""A process that dies between its work and its kept answer: sent again, the work is done once."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
import yaml
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from tests.support.answers import Answer
from tests.support.builders import TESTS, hand, league, players, table
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.imports.imports import everything
from tests.support.rest.requests import codes
from tests.support.scenarios.challenges import answer, issue
from tests.support.scenarios.ladders import ladder
from tests.support.scenarios.playoffs import tied
from tournaments.errors import Conflict
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.ledger import LedgerLine
from tournaments.models.replies import Reply
from tournaments.publishing.publish_event import publish
from tournaments.services.audit import idempotency
from tournaments.services.events.adjustments import add_line
from tournaments.services.hands.disputes import open_dispute
from tournaments.services.rounds.close_tables import close_tables
from tournaments.services.rounds.rounds import move_round
from tournaments.services.rounds.seating import clear_table
from tournaments.services.rules.house_rules import chosen_rules, make_house_rules
from tournaments.services.stages.cuts import make_cut

CLUB = "/api/v1/clubs/riverside"
BY_ITS_HAND = {"enter_hand", "revise_hand"}
"""The key stays with the revision, in one row (live/concurrency/test_double_submission.py)."""
NEEDS_A_CORRECTION = {"answer_cut", "answer_playoff", "extend_playoff", "resolve_import_problem"}
"""They answer what a correction or a file asked, or prolong a play-off; declared as the others."""


class Killed(BaseException):
    """The end of a process, which nothing in it can catch."""


@dataclass(frozen=True, slots=True)
class Act:
    """One request, made by somebody of the cast after `prepare`."""

    path: str
    body: Mapping[str, Any] = field(default_factory=dict)
    who: str = "dirk"
    prepare: Callable[[Cast], object] = lambda cast: None
    method: str = "POST"
    headers: Mapping[str, str] = field(default_factory=dict)
    status: int = 200
    lines: int = 1
    """So many lines of the audit it leaves."""

    def send(self, client: Client, key: str = "key-1") -> Answer:
        headers = {"Idempotency-Key": key, **self.headers}
        if self.method == "PATCH" or self.path.endswith("/seats"):
            headers["If-Match"] = Client().get(CLUB + self.path)["ETag"]
        if "file" in self.body:
            file = SimpleUploadedFile("night.csv", self.body["file"])
            return client.post(CLUB + self.path, {"file": file}, headers=headers)
        return client.generic(
            self.method,
            CLUB + self.path,
            json.dumps(dict(self.body)),
            content_type="application/json",
            headers=headers,
        )


def evening(cast: Cast) -> Game:
    """A published league with one table of two hands."""
    event = league(cast.riverside)
    people = players(cast.riverside, "Elsa D.", "Xenia S.", "Ruth K.", "Omar B.")
    game = table(event, people)
    hand(game, 1, [4, 1, 2, 6], 3)
    hand(game, 2, [0, 13, 0, 0], 0)
    publish(event.pk, now=NOW)
    return game


def with_removed_table(cast: Cast) -> None:
    game = evening(cast)
    people = list(Player.objects.filter(club=cast.riverside))
    clear_table(actor=TESTS, game=table(game.event, people, round_number=2), now=NOW)


def with_line(cast: Cast) -> None:
    event = evening(cast).event
    add_line(
        actor=TESTS, event=event, entrant="RL01", kind="penalty", amount="2", reason="x", now=NOW
    )


def with_dispute(cast: Cast) -> None:
    open_dispute(
        actor=cast.actor("hanna"), game=evening(cast), number=1, words="East had 2.", now=NOW
    )


def over(cast: Cast) -> Event:
    game = evening(cast)
    close_tables(actor=TESTS, round_=game.table.round, now=NOW)
    game.table.round.refresh_from_db()
    move_round(actor=TESTS, round_=game.table.round, to="closed", now=NOW)
    publish(game.event.pk, now=NOW)
    return game.event


def with_cut(cast: Cast) -> None:
    make_cut(actor=TESTS, event=over(cast), cut="2", now=NOW)


def on_ladder(cast: Cast) -> Event:
    return ladder(cast, now=NOW)


def challenged(cast: Cast) -> Event:
    event = on_ladder(cast)
    issue(cast, event, "H", "E")
    return event


def accepted(cast: Cast) -> None:
    answer(cast, challenged(cast), "E", "accepted", now=NOW)


def away(cast: Cast) -> None:
    on_ladder(cast)
    path = "/events/ladder/absences"
    told = Act(path, {"since": "2025-11-06"}, who="A").send(cast.client("A"), key="before")
    assert told.status_code == 201


def house(cast: Cast) -> None:
    make_house_rules(
        actor=TESTS,
        club=cast.riverside,
        name="Thursday rules",
        chosen=chosen_rules("hearts", {"target": 61}, "To 61."),
        now=NOW,
    )


def played_off(cast: Cast) -> None:
    tied(cast.riverside)


def duel(cast: Cast) -> None:
    tied(cast.riverside, (2, 2, 4, 5))


NIGHT = (
    b"date,round,table,hand,seat,player_id,hearts,queen_spades\r\n"
    b"2025-11-05,2,1,1,N,RL01,4,0\r\n"
    b"2025-11-05,2,1,1,E,RL02,1,0\r\n"
    b"2025-11-05,2,1,1,S,RL03,2,0\r\n"
    b"2025-11-05,2,1,1,W,RL04,6,1\r\n"
    b"2025-11-05,2,1,2,N,RL01,4,0\r\n"
)
LINE = {"entrant": "RL02", "kind": "penalty", "amount": "2", "reason": "Late."}
TOTALS = {"points": {"H": 10, "I": 20, "E": 30}}
E, L = "/events/league", "/events/ladder"

ACTS: Mapping[str, Act] = {
    "add_ledger_line": Act(f"{E}/ledger", LINE, prepare=evening, status=201),
    "withdraw_ledger_line": Act(f"{E}/ledger/1/withdraw", {"reason": "No."}, prepare=with_line),
    "open_dispute": Act(
        f"{E}/disputes", {"table": "r1t1", "hand": 1, "words": "No."}, "hanna", evening, status=201
    ),
    "rule_on_dispute": Act(
        f"{E}/disputes/1/rule", {"to": "rejected", "reason": "Right."}, prepare=with_dispute
    ),
    "withdraw_dispute": Act(f"{E}/disputes/1/withdraw", {}, "hanna", with_dispute),
    "make_cut": Act(f"{E}/stages", {"cut": 2}, prepare=over, status=201),
    "undo_cut": Act(f"{E}/stages/2/undo", {"reason": "Too early."}, prepare=with_cut),
    "issue_challenge": Act(f"{L}/challenges", {"challenged": "E"}, "H", on_ladder, status=201),
    "move_challenge": Act(f"{L}/challenges/1/moves", {"to": "accepted"}, "E", challenged),
    "postpone_challenge": Act(f"{L}/challenges/1/postpone", {}, "H", accepted),
    "give_result": Act(f"{L}/challenges/1/result", TOTALS, "H", accepted, lines=3),
    "tell_absence": Act(f"{L}/absences", {"since": "2025-11-10"}, "A", on_ladder, status=201),
    "end_absence": Act(f"{L}/absences/end", {}, "A", away),
    "move_playoff": Act(f"{E}/playoffs/1/moves", {"to": "by_lot"}, prepare=played_off),
    "seat_neutrals": Act(f"{E}/playoffs/1/neutral", {"players": ["RL03"]}, prepare=duel),
    "playoff_gone": Act(
        f"{E}/playoffs/1/gone", {"player_id": "RL02", "why": "no_show"}, prepare=played_off
    ),
    "waive_playoff": Act(f"{E}/playoffs/1/waive", {"reason": "They agree."}, prepare=played_off),
    "make_house_rules": Act(
        "/variants", {"name": "Ours", "base": "hearts", "options": {"target": 61}}, status=201
    ),
    "add_house_version": Act(
        "/variants/thursday-rules/versions",
        {"options": {"target": 71}},
        prepare=house,
        headers={"If-Match": '"1"'},
        status=201,
    ),
    "delete_house_version": Act(
        "/variants/thursday-rules/versions/1", prepare=house, method="DELETE"
    ),
    "change_settings": Act(
        f"{E}/settings",
        {"settings": {"drop_worst": 1}, "reason": "Agreed."},
        prepare=evening,
        method="PATCH",
    ),
    "change_seats": Act(
        f"{E}/tables/r1t1/seats",
        {"act": "swap", "seat": 1, "player_id": "RL02", "reason": "Wrong seats."},
        prepare=evening,
    ),
    "restore_table": Act(f"{E}/tables/r2t1/restore", {}, prepare=with_removed_table),
    "import_sheets": Act(f"{E}/imports", {"file": NIGHT}, prepare=evening),
}


@pytest.fixture
def cast(clock: time_machine.Traveller, cast: Cast) -> Cast:
    """The cast, while time stands still."""
    return cast


def kill_between(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Let the process die where the answer is about to be kept; it tidies up nothing after that."""

    def die(*args: object, **more: object) -> None:
        raise Killed

    monkeypatch.setattr(idempotency, "store_answer", die)
    monkeypatch.setattr(idempotency, "release_key", lambda reply: None)
    return monkeypatch


def two_minutes_later() -> None:
    Reply.objects.update(started_at=timezone.now() - idempotency.PATIENCE - timedelta(seconds=1))


def keyed() -> dict[str, str]:
    """The operations that take a key, by id, with their method."""
    text = (Path(__file__).resolve().parents[3] / "openapi.yaml").read_text(encoding="utf-8")
    return {
        one["operationId"]: method
        for path in yaml.safe_load(text)["paths"].values()
        for method, one in path.items()
        if any(each.get("name") == "Idempotency-Key" for each in one.get("parameters", ()))
    }


def test_each_address_that_takes_a_key_is_killed_here_or_named() -> None:
    assert set(keyed()) == {*ACTS, *BY_ITS_HAND, *NEEDS_A_CORRECTION}


@pytest.mark.parametrize("name", sorted(ACTS))
def test_act_whose_process_died_before_its_answer_was_kept_is_done_once(
    cast: Cast, name: str, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    act = ACTS[name]
    act.prepare(cast)
    client, before = cast.client(act.who), everything()
    with pytest.MonkeyPatch.context() as patched, django_capture_on_commit_callbacks() as hints:
        kill_between(patched)
        with pytest.raises(Killed):
            act.send(client)
    if name == "import_sheets":  # it commits as it goes, and goes on where it was left
        assert everything()["Hand"] == before["Hand"] + 1
    else:
        assert everything() == {**before, "Reply": before["Reply"] + 1}
        assert hints == []
    at_once = act.send(client)
    assert (at_once.status_code, codes(at_once)) == (409, ["request_in_progress"])
    two_minutes_later()
    done = act.send(client)
    assert done.status_code == act.status, done.content
    assert "Idempotent-Replayed" not in done
    after = everything()
    assert after["AuditLine"] == before["AuditLine"] + act.lines
    again = act.send(client)
    assert (again.status_code, again.content) == (done.status_code, done.content)
    assert (again["Idempotent-Replayed"], again.get("ETag")) == ("true", done.get("ETag"))
    assert everything() == after


def test_import_that_died_brings_one_batch_with_what_waits(cast: Cast) -> None:
    act = ACTS["import_sheets"]
    evening(cast)
    hanna = cast.client("hanna")
    with pytest.MonkeyPatch.context() as patched:
        kill_between(patched)
        with pytest.raises(Killed):
            act.send(hanna)
    two_minutes_later()
    report = act.send(hanna).json()
    assert (report["hands"], report["accepted"]) == (2, 1)
    assert [one["code"] for one in report["problems"]] == ["seat_count"]
    listed = hanna.get(f"{CLUB}{E}/imports").json()["results"]
    assert [(one["number"], one["state"], one["added"]) for one in listed] == [(1, "done", 1)]


def test_hints_of_a_keyed_act_are_sent_after_its_answer_is_kept(
    cast: Cast, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    evening(cast)
    kept: list[int | None] = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(
            "tournaments.services.jobs.enqueue.hint",
            lambda event_id: kept.append(Reply.objects.get().status),
        )
        with django_capture_on_commit_callbacks(execute=True):
            ACTS["add_ledger_line"].send(cast.client("dirk"))
    assert kept == [201]


def test_request_that_was_overtaken_does_nothing(cast: Cast) -> None:
    """It took so long that another one under its key began: that one does the work."""
    event = evening(cast).event
    slow = idempotency.claim_key(caller="dirk", key="k", fingerprint="f", now=NOW)
    later = NOW + idempotency.PATIENCE + timedelta(seconds=1)
    second = idempotency.claim_key(caller="dirk", key="k", fingerprint="f", now=later)

    def work() -> None:
        add_line(
            actor=TESTS,
            event=event,
            entrant="RL01",
            kind="penalty",
            amount="2",
            reason="x",
            now=NOW,
        )

    def kept(done: None) -> idempotency.StoredAnswer:
        return idempotency.StoredAnswer(201, {}, b"")

    with pytest.raises(Conflict, match="request_in_progress"):
        idempotency.store_answer_of(slow, work, kept)
    idempotency.release_key(slow)
    assert not LedgerLine.objects.exists()
    idempotency.store_answer_of(second, work, kept)
    assert (LedgerLine.objects.count(), Reply.objects.get().status) == (1, 201)


def test_refused_act_leaves_its_key_free(cast: Cast) -> None:
    evening(cast)
    dirk = cast.client("dirk")
    wrong = Act(f"{E}/ledger", {**LINE, "amount": "none"})
    assert wrong.send(dirk).status_code == 422
    assert not Reply.objects.exists()
    assert ACTS["add_ledger_line"].send(dirk).status_code == 201


class Deadlock(Exception):
    """What the driver says of a transaction that was ended so that another one could go on."""

    sqlstate = "40P01"


@pytest.mark.django_db(transaction=True)
def test_keyed_act_that_a_deadlock_ended_is_done_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    cast = enter_the_cast()
    evening(cast)
    finish, tries = idempotency.store_answer, []

    def deadlocked(*args: Any) -> None:
        tries.append(LedgerLine.objects.count())
        if len(tries) == 1:
            raise OperationalError("deadlock detected") from Deadlock()
        finish(*args)

    monkeypatch.setattr(idempotency, "store_answer", deadlocked)
    answer = ACTS["add_ledger_line"].send(cast.client("dirk"))
    assert (answer.status_code, tries, LedgerLine.objects.count()) == (201, [1, 1], 1)
