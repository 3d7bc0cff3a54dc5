"""At which tables a tie is played off, and what is entered there: heats, cancellation, fillers."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from tests.support.builders import table
from tests.support.cast import NOW, Cast
from tests.support.imports.imports import CAST, imported, rows, said, written
from tests.support.pages.hand_entry import hidden, typed
from tests.support.pages.text import text_of
from tests.support.scenarios.playoffs import direct, look, play, playing, tied, view
from tournaments.errors import Conflict
from tournaments.models.access import TableLink
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Hand
from tournaments.models.jobs import FINALISE_ROUND, Deadline
from tournaments.models.playoffs import PlayoffStep
from tournaments.models.rounds import Round, Table
from tournaments.selectors.access.table_links import (
    is_open_for_link,
    list_tables_of_host,
    secrets_of,
)
from tournaments.services.access.table_links import make_link
from tournaments.services.events.events import move_event
from tournaments.services.hands.close_tables import move_game
from tournaments.services.operations import Operation
from tournaments.services.playoffs.director_actions import (
    move_playoff,
    retire_member,
    waive_playoff,
)
from tournaments.services.rounds.rounds import move_round
from tournaments.tasks import run_deadline_job

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
HEATS = {"playoff_rules": {"many": "heats"}}


def six(cast: Cast, **settings: object) -> Event:
    """Seven at a cancellation table, six of them level: the last has both queens."""
    return tied(cast.riverside, (4, 4, 4, 4, 4, 4, 2), **settings)


def names(event: Event, code: str) -> list[str]:
    found = view(event)
    shown = {member.player_id: member.player for member in found.members}
    return [
        shown[member]
        for table in found.tables
        if table["code"] == code
        for member in table["members"]
    ]


def test_six_play_at_one_cancellation_table(cast: Cast) -> None:
    event = six(cast)
    found = view(event)
    assert (found.kind, len(found.tables), found.tables[0]["variant"]) == (
        "cancellation", 1, "Cancellation Hearts",
    )  # fmt: skip
    play(event, 1, {"A": 1, "B": 2, "C": 3, "D": 10, "E": 10, "F": 26})
    assert view(event).members[0].player == "A"
    assert view(event).state == "decided"


def test_best_of_two_heats_meet(cast: Cast) -> None:
    event = six(cast, **HEATS)
    found = view(event)
    assert (found.kind, [table["code"] for table in found.tables]) == ("heats", ["r2t1", "r2t2"])
    (a, b, c), (d, e, f) = names(event, "r2t1"), names(event, "r2t2")
    play(event, 1, {a: 3, b: 3, c: 20}, code="r2t1")
    play(event, 1, {d: 3, e: 10, f: 13}, code="r2t2")
    with pytest.raises(Conflict, match="playoff_over"):
        play(event, 2, {d: 3, e: 10, f: 13}, code="r2t2")
    assert view(event).state == "in_play"
    play(event, 2, {a: 10, b: 3, c: 13}, code="r2t1")
    found = view(event)
    assert [(table["code"], table["is_open"]) for table in found.tables] == [
        ("r2t1", False), ("r2t2", False), ("r3t1", True),
    ]  # fmt: skip
    assert sorted(names(event, "r3t1")) == sorted([b, d])
    assert found.kind == "fillers"
    play(event, 1, {b: 3, d: 10}, code="r3t1")
    found = view(event)
    assert (found.state, found.members[0].player, found.members[1].player) == ("decided", b, d)


def test_corrected_heat_lets_others_meet(cast: Cast) -> None:
    event = six(cast, **HEATS)
    (a, b, c), (d, e, f) = names(event, "r2t1"), names(event, "r2t2")
    play(event, 1, {a: 3, b: 10, c: 13}, code="r2t1")
    play(event, 1, {d: 3, e: 10, f: 13}, code="r2t2")
    assert sorted(names(event, "r3t1")) == sorted([a, d])
    play(event, 1, {a: 10, b: 3, c: 13}, code="r2t1", based_on=1, reason="swapped")
    assert sorted(names(event, "r4t1")) == sorted([b, d])
    assert [table["code"] for table in view(event).open_tables] == ["r4t1"]
    play(event, 1, {a: 3, b: 3, c: 20}, code="r2t1", based_on=2, reason="swapped")
    assert [table["code"] for table in view(event).open_tables] == ["r2t1", "r2t2"]
    assert not PlayoffStep.objects.filter(kind="heats").exists()


def test_corrected_heat_of_a_waived_playoff_opens_no_table(cast: Cast) -> None:
    event = six(cast, **HEATS)
    (a, b, c), (d, e, f) = names(event, "r2t1"), names(event, "r2t2")
    play(event, 1, {a: 3, b: 10, c: 13}, code="r2t1")
    play(event, 1, {d: 3, e: 10, f: 13}, code="r2t2")
    direct(event, waive_playoff, reason="All share.")
    play(event, 1, {a: 3, b: 3, c: 20}, code="r2t1", based_on=1, reason="swapped")
    assert view(event).open_tables == ()


def test_rounds_of_a_playoff_have_their_window_until_they_open_again(cast: Cast) -> None:
    event = tied(cast.riverside, correction_window_h=48)
    due = Deadline.objects.filter(event=event, kind=FINALISE_ROUND, key="2")
    play(event, 1, {"A": 10, "B": 3, "C": 13})
    assert due.get().due_at == NOW + timedelta(hours=48)
    play(event, 1, {"A": 3, "B": 3, "C": 20}, based_on=1, reason="misread")
    assert not due.exists()
    direct(event, move_playoff, to="void", reason="Wrong.")
    assert due.get().due_at == NOW + timedelta(hours=48)


def test_who_does_not_come_to_a_heat_is_last_of_all(cast: Cast) -> None:
    event = six(cast, **HEATS)
    (a, b, c), (d, e, f) = names(event, "r2t1"), names(event, "r2t2")
    codes = {member.player: member.player_id for member in view(event).members}
    for gone in (b, c):
        direct(event, retire_member, player_id=codes[gone], why="no_show")
    play(event, 1, {d: 3, e: 10, f: 13}, code="r2t2")
    assert sorted(names(event, "r3t1")) == sorted([a, d])
    play(event, 1, {a: 3, d: 10}, code="r3t1")
    assert [member.player for member in view(event).members][-2:] == [c, b]


def test_tables_of_a_playoff_are_its_own_to_close(cast: Cast) -> None:
    event = tied(cast.riverside, (2, 2, 4, 5))
    play(event, 1, {"A": 3, "B": 3})
    game = playing(event)
    with pytest.raises(Conflict, match="table_of_a_playoff"):
        move_game(cast.operation("dirk"), game, to="complete")
    with pytest.raises(Conflict, match="round_of_a_playoff"):
        move_round(cast.operation("dirk"), game.table.round, to="closed")


def test_ordinary_table_does_not_go_into_the_round_of_a_playoff(cast: Cast, tmp_path: Path) -> None:
    event = tied(cast.riverside)
    event = move_event(cast.operation("dirk"), event, to="open", reason="A late table.")
    people = list(Player.objects.filter(club=cast.riverside).order_by("pk"))
    with pytest.raises(Conflict, match="round_of_a_playoff"):
        table(event, people[:4], round_number=2, table_number=2)
    seats = {seat: f"{one.player_id},{one.name}" for seat, one in zip(CAST, people, strict=True)}
    report = imported(written(tmp_path, rows(round_=2, table=2, cast=seats, variant="hearts")))
    assert ("round_of_a_playoff", "ask", [2, 3, 4, 5]) in said(report)
    assert Table.objects.filter(event=event, round__number=2).count() == 1


def test_void_playoff_has_its_rounds_ended_whatever_is_imported(cast: Cast, tmp_path: Path) -> None:
    event = tied(cast.riverside, correction_window_h=1)
    play(event, 1, {"A": 3, "B": 3, "C": 20})
    dirk = cast.actor("dirk")
    direct(event, move_playoff, to="void", reason="Not played.")
    due = Deadline.objects.get(event=event, kind=FINALISE_ROUND, key="2")
    assert run_deadline_job(due.pk, now=NOW + timedelta(hours=2))
    event = move_event(Operation(dirk, NOW), event, to="open", reason="A late table.")
    people = Player.objects.filter(club=cast.riverside).order_by("pk")[:4]
    seats = {seat: f"{one.player_id},{one.name}" for seat, one in zip(CAST, people, strict=True)}
    report = imported(written(tmp_path, rows(round_=2, table=2, cast=seats, variant="hearts")))
    assert ("round_of_a_playoff", "ask", [2, 3, 4, 5]) in said(report)
    rounds = Round.objects.filter(event=event).order_by("number")
    assert list(rounds.values_list("number", "state", "tables__game__state")) == [
        (1, "closed", "complete"), (2, "closed", "final"), (3, "closed", "abandoned"),
    ]  # fmt: skip


def test_game_of_a_playoff_has_no_end_of_its_own(cast: Cast) -> None:
    event = tied(cast.riverside, length="hands:1")
    play(event, 1, {"A": 3, "B": 3, "C": 20})
    play(event, 2, {"A": 10, "B": 3, "C": 13})
    assert view(event).state == "decided"


def test_hand_at_a_table_with_fillers_is_typed_on_the_ordinary_page(cast: Cast) -> None:
    event = tied(cast.riverside, (2, 2, 4, 5))
    host = cast.client("hanna")
    at = "/clubs/riverside/events/league/tables/r2t1/hands/new"
    page = host.get(at)
    assert page.status_code == 200
    answer = host.post(at, hidden(page) | typed([3, 0, 10, 0], queen=2))
    assert answer.status_code in (302, 303), text_of(answer)
    assert view(event).state == "decided"
    assert Hand.objects.filter(game__counts=False).count() == 1
    for path in ("tables/r2t1", "tables/r2t1/hands/1", "rounds/2", "rounds/2/board", "playoffs"):
        found = host.get(f"/clubs/riverside/events/league/{path}", follow=True)
        assert found.status_code in (200, 404), path


def test_hand_comes_through_the_link_of_a_playoffs_table(cast: Cast) -> None:
    event = tied(cast.riverside, (2, 2, 4, 5))
    link = make_link(cast.operation("dirk", timezone.now()), playing(event).table)
    phone = Client()
    phone.get(f"/t/{secrets_of(link.seed).token}")
    phone.post("/t", {"name": "Kim"})
    assert is_open_for_link(TableLink.objects.select_related("table__round").get().table)
    at = "/clubs/riverside/events/league/tables/r2t1/hands/new"
    answer = phone.post(at, hidden(phone.get(at)) | typed([3, 0, 10, 0], queen=2))
    assert answer.status_code in (302, 303), text_of(answer)
    assert view(event).state == "decided"
    assert view(event).steps[0]["by"] == "link"


def test_host_is_led_to_a_playoffs_table_of_a_closed_event(cast: Cast) -> None:
    tied(cast.riverside, (2, 2, 4, 5))
    found = list_tables_of_host(cast.actor("hanna"), timezone.now())
    assert [one.code for one in found] == ["r2t1"]
    sheet = cast.client("hanna").get("/clubs/riverside/events/league/tables/r2t1")
    assert "r2t1/hands/new" in sheet.content.decode()


def test_hand_over_rest_is_answered_by_its_playoff(cast: Cast) -> None:
    tied(cast.riverside, (2, 2, 4, 5))
    at = "/api/v1/clubs/riverside/events/league/tables/r2t1/hands"
    body = {"number": 1, "entry": {"hearts": [3, 0, 10, 0], "taken": [[], ["QS"], [], []]}}
    first = cast.client("hanna").post(at, body, content_type="application/json")
    assert first.status_code == 201, first.content
    answer = cast.client("dirk").post(at, body | {"number": 2}, content_type="application/json")
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (409, "playoff_over")


def test_playoff_over_rest_from_the_list_to_lots(cast: Cast) -> None:
    event = tied(cast.riverside)
    base = "/api/v1/clubs/riverside/events/league/playoffs"
    listed = cast.client().get(base).json()["results"]
    assert [(one["number"], one["state"], one["may"]) for one in listed] == [(1, "scheduled", [])]
    lines = cast.client().get(f"{base}.csv").content.decode().splitlines()
    assert lines[1] == "1,scheduled,extra_hands,title 1,RL01,A,playing,0,,"
    director = cast.client("dirk")
    assert director.get(f"{base}/1").json()["may"] == ["gone", "by_lot", "waive", "void"]
    gone = director.post(
        f"{base}/1/gone", {"player_id": "RL02", "why": "no_show"}, content_type="application/json"
    )
    assert (gone.status_code, gone.json()["members"][-1]["status"]) == (200, "gone")
    twice = director.post(
        f"{base}/1/gone", {"player_id": "RL02", "why": "no_show"}, content_type="application/json"
    )
    assert (twice.status_code, twice.json()["errors"][0]["code"]) == (422, "playoff_placed")
    drawn = director.post(f"{base}/1/moves", {"to": "by_lot"}, content_type="application/json")
    assert (drawn.json()["state"], len(drawn.json()["seed"])) == ("by_lot", 16)
    for at, body, status, code in (
        ("extend", {"hands": "x"}, 422, "bad_number_of_hands"),
        ("waive", {"reason": "They agree."}, 409, "playoff_over"),
        ("answer", {"answer": "keep", "reason": "No."}, 409, "playoff_not_asked"),
        ("moves", {"to": "void"}, 422, "reason_required"),
        ("moves", {"to": "scheduled"}, 409, "playoff_state"),
    ):
        answer = director.post(f"{base}/1/{at}", body, content_type="application/json")
        assert (answer.status_code, answer.json()["errors"][0]["code"]) == (status, code)
    assert director.get(f"{base}/2").status_code == 404
    look(event)
