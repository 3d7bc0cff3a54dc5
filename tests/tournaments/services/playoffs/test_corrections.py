"""Play-offs and corrections: of their own hands, of hands that made the tie, in final events."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext

from tests.support import builders
from tests.support.builders import by_tests
from tests.support.cast import NOW, Cast
from tests.support.scenarios.playoffs import (
    direct,
    finalised,
    look,
    mend,
    order,
    play,
    playing,
    standing,
    tied,
    view,
)
from tournaments.errors import Conflict, Forbidden
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.hands import Hand
from tournaments.models.jobs import Dirty, playoffs_scope
from tournaments.models.playoffs import Playoff
from tournaments.models.rounds import Round
from tournaments.selectors.playoffs.playoffs import playoffs_of
from tournaments.services.db.locks import lock_event
from tournaments.services.events.events import move_event
from tournaments.services.hands.disputes import file_disputed
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.jobs.queue import mark_due
from tournaments.services.operations import Operation
from tournaments.services.playoffs.director_actions import (
    answer_playoff,
    extend_playoff,
    move_playoff,
    retire_member,
    waive_playoff,
)
from tournaments.services.playoffs.playoffs import lock_playoff
from tournaments.services.publishing.schedule_playoffs import schedule_playoffs

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def test_lot_that_a_correction_made_unneeded_decides_nothing(cast: Cast) -> None:
    event = tied(cast.riverside)
    play(event, 1, {"A": 3, "B": 3, "C": 20})
    direct(event, move_playoff, to="by_lot")
    look(event)
    assert view(event).state == "by_lot"
    play(event, 1, {"A": 2, "B": 4, "C": 20}, based_on=1, reason="Misread.")
    found = view(event)
    assert (found.state, found.seed) == ("decided", None)
    assert [member.player for member in found.members] == ["A", "B", "C"]


def test_who_shares_by_a_directors_word_shares_after_a_correction_too(cast: Cast) -> None:
    event = tied(cast.riverside)
    play(event, 1, {"A": 3, "B": 3, "C": 20})
    direct(event, waive_playoff, reason="They agree.")
    play(event, 1, {"A": 2, "B": 4, "C": 20}, based_on=1, reason="Misread.")
    look(event)
    found = view(event)
    assert (found.state, found.is_waived) == ("in_play", True)
    assert {row["rank"] for name, row in standing(event).items() if name in "ABC"} == {1}


def test_correction_of_its_own_hand_opens_a_decided_playoff_again(cast: Cast) -> None:
    event = tied(cast.riverside)
    play(event, 1, {"A": 10, "B": 3, "C": 13})
    look(event)
    with pytest.raises(Forbidden):
        play(
            event, 1, {"A": 3, "B": 3, "C": 20},
            actor=cast.actor("hanna"), based_on=1, reason="wrong",
        )  # fmt: skip
    play(event, 1, {"A": 3, "B": 3, "C": 20}, based_on=1, reason="wrong")
    look(event)
    assert (view(event).state, [r for _, r, _ in order(event)]) == ("in_play", [1, 1, 1, 4])
    play(event, 2, {"A": 3, "B": 10, "C": 13})
    look(event)
    assert [name for name, _, _ in order(event)] == ["A", "B", "C", "D"]


def test_deleted_hand_does_not_count_in_a_playoff(cast: Cast) -> None:
    event = tied(cast.riverside)
    play(event, 1, {"A": 10, "B": 3, "C": 13})
    void_hand(
        cast.operation("dirk"), playing(event), number=1, based_on=1,
        reason="not dealt",
    )  # fmt: skip
    found = view(event)
    assert (found.state, found.steps[0]["scores"]) == ("in_play", None)
    assert [table["is_open"] for table in found.tables] == [True]
    play(event, 2, {"A": 3, "B": 10, "C": 13})
    assert view(event).members[0].player == "A"


def test_correction_that_removes_the_tie_voids_what_is_being_played(cast: Cast) -> None:
    event = tied(cast.riverside)
    play(event, 1, {"A": 3, "B": 3, "C": 20})
    mend(event, (3, 4, 5, 1))
    found = view(event)
    assert (found.state, found.open_tables) == ("void", ())
    with pytest.raises(Conflict, match="playoff_void"):
        play(event, 2, {"A": 10, "B": 3, "C": 13})
    assert Hand.objects.filter(game__counts=False).count() == 1


def test_correction_that_changes_the_group_detects_it_anew(cast: Cast) -> None:
    event = tied(cast.riverside)
    mend(event, (4, 4, 5, 0))
    first, second = playoffs_of(event)
    assert (first.state, second.state) == ("void", "scheduled")
    assert [member.player for member in second.members] == ["A", "B"]


def test_finished_playoff_is_asked_about_and_kept(cast: Cast) -> None:
    event = tied(cast.riverside)
    play(event, 1, {"A": 10, "B": 3, "C": 13})
    look(event)
    mend(event, (4, 4, 5, 0))
    found = view(event)
    assert (found.state, found.is_asked, len(playoffs_of(event))) == ("decided", True, 1)
    assert "RL01, RL02, RL03" in found.asked
    assert [name for name, _, _ in order(event)] == ["B", "A", "C", "D"]
    with pytest.raises(Conflict, match="playoffs_undecided"):
        move_event(by_tests(), event, to="final")
    direct(event, answer_playoff, answer="keep", reason="They agree.")
    look(event)
    assert not view(event).is_asked
    with pytest.raises(Conflict, match="playoff_not_asked"):
        direct(event, answer_playoff, answer="redo", reason="No.")
    mend(event, (4, 3, 5, 1))
    assert view(event).is_asked, "the tie has changed, so that it is asked again"


@pytest.mark.parametrize(("finished", "states"), [("keep", "decided"), ("redo", "void scheduled")])
def test_finished_playoff_by_the_events_own_rule(cast: Cast, finished: str, states: str) -> None:
    event = tied(cast.riverside, playoff_rules={"finished": finished})
    play(event, 1, {"A": 10, "B": 3, "C": 13})
    look(event)
    mend(event, (4, 4, 5, 0))
    assert " ".join(one.state for one in playoffs_of(event)) == states
    assert not any(one.is_asked for one in playoffs_of(event))


def test_looking_twice_makes_nothing_twice(cast: Cast) -> None:
    event = tied(cast.riverside)
    lines = AuditLine.objects.count()
    assert not schedule_playoffs(event.pk, now=NOW)
    assert (Playoff.objects.count(), Round.objects.count(), AuditLine.objects.count()) == (
        1, 2, lines,
    )  # fmt: skip


def test_look_overtaken_by_changes_is_void(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    from tournaments.services.publishing import schedule_playoffs as module

    event = tied(cast.riverside)
    read = module._read

    def slow(event_id: int) -> object:
        table = read(event_id)
        Playoff.objects.all().delete()
        builders.hand(
            Hand.objects.filter(game__counts=True)[0].game,
            1, (3, 4, 5, 1), 3, based_on=1, reason="wrong",
        )  # fmt: skip
        return table

    monkeypatch.setattr(module, "_read", slow)
    assert not schedule_playoffs(event.pk, now=NOW)
    assert not Playoff.objects.exists()


def test_playoff_decided_before_a_look_is_kept(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with a hand whose transaction ends between two statements of the look."""
    from tournaments.services.publishing import schedule_playoffs as module

    event = tied(cast.riverside)
    builders.hand(
        Hand.objects.filter(game__event=event)[0].game,
        1, (4, 4, 5, 0), 3, based_on=1, reason="wrong",
    )  # fmt: skip
    waited: list[int] = []

    def late(event: Event, number: int) -> Playoff:
        if not waited:
            waited.append(number)
            play(event, 1, {"A": 10, "B": 3, "C": 13})
        return lock_playoff(event, number)

    monkeypatch.setattr(module, "lock_playoff", late)
    assert not schedule_playoffs(event.pk, now=NOW)
    assert view(event).state == "decided"
    look(event)
    assert (view(event).state, view(event).is_asked) == ("decided", True)


def test_final_event_has_its_playoffs_only_answered(cast: Cast) -> None:
    event = finalised(cast)
    assert view(event).may == ()
    operations: list[tuple[Callable[..., Playoff], dict[str, Any]]] = [
        (move_playoff, {"to": "void", "reason": "wrong cards"}),
        (waive_playoff, {"reason": "They agree."}),
        (move_playoff, {"to": "by_lot"}),
        (extend_playoff, {"hands": 1}),
        (retire_member, {"player_id": "RL01", "why": "no_show"}),
    ]
    for operation, asked in operations:
        with pytest.raises(Conflict, match="event_is_final"):
            direct(event, operation, **asked)
    assert view(event).state == "decided"
    mend(event, (4, 4, 5, 0))
    assert view(event).may == ("answer",)
    direct(event, answer_playoff, answer="redo", reason="C is out.")
    assert Dirty.objects.filter(scope=playoffs_scope(event.pk), done__lt=F("version")).exists()
    look(event)
    assert [one.state for one in playoffs_of(event)] == ["void", "scheduled"]


def test_playoff_that_a_correction_opens_in_a_final_event_is_directed(cast: Cast) -> None:
    event = finalised(cast)
    play(event, 1, {"A": 3, "B": 3, "C": 20}, code="r2t1", based_on=1, reason="misread")
    look(event)
    event.refresh_from_db()
    assert (event.state, view(event).state) == ("final", "in_play")
    assert view(event).may == ("neutral", "gone", "extend", "by_lot", "waive", "void")
    direct(event, extend_playoff, hands=1)
    play(event, 2, {"A": 6, "B": 6, "C": 14})
    direct(event, move_playoff, to="by_lot", seed="4c1d")
    assert (view(event).state, view(event).may) == ("by_lot", ())
    with pytest.raises(Conflict, match="event_is_final"):
        direct(event, waive_playoff, reason="They agree.")


def test_void_playoff_of_a_final_event_is_detected_anew(cast: Cast) -> None:
    event = finalised(cast)
    play(event, 1, {"A": 3, "B": 3, "C": 20}, code="r2t1", based_on=1, reason="misread")
    look(event)
    direct(event, move_playoff, to="void", reason="Wrong cards.")
    assert Dirty.objects.filter(scope=playoffs_scope(event.pk), done__lt=F("version")).exists()
    look(event)
    assert [one.state for one in playoffs_of(event)] == ["void", "scheduled"]


def test_hand_of_a_void_playoff_stays_as_it_is(cast: Cast) -> None:
    event = tied(cast.riverside)
    play(event, 1, {"A": 3, "B": 3, "C": 20})
    game = playing(event, "r2t1")
    direct(event, move_playoff, to="void", reason="wrong cards")
    with pytest.raises(Conflict, match="playoff_void"):
        void_hand(
            cast.operation("dirk"),
            playing(event, game.table.code), number=1, based_on=1, reason="wrong cards",
        )  # fmt: skip
    assert [playoff.state for playoff in Playoff.objects.filter(event=event)] == ["void"]
    assert Hand.objects.get(game=game).state == "accepted"


def test_hand_is_filed_as_disputed_only_where_a_playoff_takes_hands(cast: Cast) -> None:
    event = tied(cast.riverside)
    dirk = cast.actor("dirk")

    def file(number: int) -> Hand:
        return file_disputed(
            Operation(dirk, NOW), playing(event), number=number, key=None, reason="Twelve.",
            entry={"hearts": [3, 3, 6], "taken": [[], [], ["QS"]]},
        )  # fmt: skip

    filed = file(1)
    direct(event, move_playoff, to="void", reason="Wrong.")
    with pytest.raises(Conflict, match="playoff_void"):
        file(2)
    void_hand(Operation(dirk, NOW), playing(event), number=1, based_on=1, reason="Not a hand.")
    filed.refresh_from_db()
    assert filed.state == "void"
    assert [playoff.state for playoff in Playoff.objects.filter(event=event)] == ["void"]


def test_play_it_again_takes_the_dirty_rows_as_a_publication_does(cast: Cast) -> None:
    event = finalised(cast)
    mend(event, (4, 4, 5, 0))
    with CaptureQueriesContext(connection) as queries:
        direct(event, answer_playoff, answer="redo", reason="C is out.")
    marks = [query["sql"] for query in queries if query["sql"].strip().upper().startswith("UPDATE")]
    scopes = [found for sql in marks for found in re.findall(r"'(event|playoffs):\d+'", sql)]
    assert scopes == ["event", "playoffs"]


def test_event_is_locked_before_anything_of_its_playoff() -> None:
    operations = (move_playoff, retire_member, extend_playoff, waive_playoff, answer_playoff)
    assert {operation.locks for operation in operations} == {lock_event}


def test_rehearsal_looks_in_the_workers_order(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    from tournaments import tasks
    from tournaments.services.previewing import snapshot
    from tournaments.services.publishing import reviews, schedule_playoffs

    event = tied(cast.riverside)
    order: list[str] = []
    for at, name in (
        (snapshot, "schedule_playoffs"), (snapshot, "review_cuts"),
        (schedule_playoffs, "schedule_playoffs"), (reviews, "review_cuts"),
    ):  # fmt: skip
        monkeypatch.setattr(at, name, lambda *_, name=name, **__: order.append(name))
    snapshot.ties_in_dry_run(event, now=NOW)
    rehearsed, order[:] = tuple(order), []
    mark_due(playoffs_scope(event.pk), now=NOW)
    tasks.schedule_event_playoffs(event.pk)
    assert rehearsed == tuple(order) == ("schedule_playoffs", "review_cuts")
