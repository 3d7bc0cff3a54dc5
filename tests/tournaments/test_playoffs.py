"""Play-offs from the tie to the table: detected, prepared, played, decided, folded back."""

import json
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext

from scoring.errors import Refused
from tests import builders
from tests.builders import TESTS
from tests.cast import NOW, Cast, enter_the_cast
from tests.playing_off import close, look, play, playing, tied
from tournaments.errors import Conflict, Forbidden
from tournaments.models.audit import AuditLine
from tournaments.models.changes import Change
from tournaments.models.events import Entrant, Event
from tournaments.models.hands import Hand
from tournaments.models.meetings import Round
from tournaments.models.outbox import Dirty, playoffs_scope
from tournaments.models.playoffs import Playoff, PlayoffStep
from tournaments.models.standings import Aggregate, Contribution, Publication
from tournaments.publishing.companions import make_all
from tournaments.publishing.playoffs import look_for_playoffs
from tournaments.selectors.companions import table_then
from tournaments.selectors.playoffs import PlayoffView, playoff_at, playoffs_of
from tournaments.services.dirty import mark_due
from tournaments.services.entrants import move_entrant
from tournaments.services.events import move_event
from tournaments.services.playoff_acts import (
    answer_playoff,
    extend_playoff,
    member_gone,
    move_playoff,
    waive_playoff,
)
from tournaments.services.playoffs import locked_playoff
from tournaments.services.rebuilding import look_at_games, look_at_sums
from tournaments.services.rescoring import Rescored, rescore
from tournaments.services.voiding import void_hand

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast() -> Cast:
    return enter_the_cast()


def view(event: Event, number: int = 1) -> PlayoffView:
    return playoff_at(event, number, may_direct=True)


def standing(event: Event) -> Mapping[str, Mapping[str, object]]:
    body = Publication.objects.filter(event=event, ladder=None).order_by("-number")[0].body
    return {row["player"]: row for row in json.loads(bytes(body))["rows"]}


def order(event: Event) -> list[tuple[str, object, object]]:
    return [(name, row["rank"], row["decided_by"]) for name, row in standing(event).items()]


def statuses(event: Event, number: int = 1) -> str:
    return ", ".join(f"{one.player} {one.status}" for one in view(event, number).members)


def test_three_level_at_the_top_play_until_one_is_first(cast: Cast) -> None:
    event = tied(cast.riverside)
    found = view(event)
    assert (found.state, found.kind, found.cuts, found.ahead) == ("scheduled", "table", (1,), 0)
    assert [table.code for table in found.open_tables] == ["r2t1"]
    play(event, 1, {"A": 3, "B": 3, "C": 20})
    assert view(event).state == "in_play"
    assert statuses(event) == "A playing, B playing, C below"
    play(event, 2, {"A": 6, "B": 6, "C": 14})
    assert statuses(event) == "A playing, B playing, C below"
    play(event, 3, {"A": 10, "B": 3, "C": 13})
    found = view(event)
    assert (found.state, found.open_tables) == ("decided", ())
    assert [(one.player, one.place) for one in found.members] == [("B", 1), ("A", 2), ("C", 3)]
    look(event)
    assert order(event) == [
        ("B", 1, None), ("A", 2, "playoff"), ("C", 3, "playoff"), ("D", 4, "raw_per_hand"),
    ]  # fmt: skip
    rows = standing(event)
    assert rows["B"]["ahead"] == "above RL01: same points a hand, won the play-off 3 to 10"
    assert rows["A"]["reason"] == "level with RL02: 4.0000; lost the play-off 10 to 3"
    assert rows["A"]["values"] == {"raw_per_hand": "4", "playoff": "2 (3, 6, 10)"}
    assert [change.facts for change in Change.objects.filter(event=event, kind="playoff")] == [
        {"playoff": 1, "old": "in_play", "new": "decided"}
    ]


def test_hands_of_a_playoff_change_no_sum_and_nobody_outside_the_group(cast: Cast) -> None:
    event = tied(cast.riverside)
    before = standing(event)
    as_of = json.loads(bytes(Publication.objects.filter(event=event).order_by("-number")[0].body))
    sums = list(Aggregate.objects.filter(event=event).order_by("entrant").values())
    worth = list(Contribution.objects.filter(event=event).order_by("pk").values())
    play(event, 1, {"A": 20, "B": 3, "C": 3})
    play(event, 2, {"A": 13, "B": 4, "C": 9})
    look(event)
    after = standing(event)
    ranked = ("rank", "tied", "values", "decided_by", "reason", "ahead")
    for name, row in before.items():
        assert {k: v for k, v in row.items() if k not in ranked} == {
            k: v for k, v in after[name].items() if k not in ranked
        }
    assert [row["rank"] for row in after.values()] == [1, 2, 3, 4]
    body = json.loads(bytes(Publication.objects.filter(event=event).order_by("-number")[0].body))
    for part in ("as_of", "event", "scheme", "columns"):
        assert body[part] == as_of[part]
    assert sums == list(Aggregate.objects.filter(event=event).order_by("entrant").values())
    assert worth == list(Contribution.objects.filter(event=event).order_by("pk").values())


def test_everything_made_once_more_is_what_is_stored(cast: Cast) -> None:
    event = tied(cast.riverside)
    play(event, 1, {"A": 20, "B": 3, "C": 3})
    told = Rescored()
    list(look_at_games(event, told, mend=False))
    look_at_sums(event, told, mend=False)
    assert (told.differing, told.games, told.hands) == (0, 2, 2)
    assert rescore(event=event).differing == 0


def test_table_as_of_the_last_round_is_the_publications_own(cast: Cast) -> None:
    event = tied(cast.riverside)
    make_all(event.pk)
    assert [row["rank"] for row in _then(event)] == [1, 1, 1, 4]
    play(event, 1, {"A": 10, "B": 3, "C": 13})
    look(event)
    make_all(event.pk)
    assert [(row["player"], row["rank"]) for row in _then(event)] == [
        ("B", 1), ("A", 2), ("C", 3), ("D", 4),
    ]  # fmt: skip


def _then(event: Event) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = json.loads(table_then(event, number=9).body)["rows"]
    return rows


def test_two_seats_are_filled_one_after_the_other(cast: Cast) -> None:
    event = tied(cast.riverside, boundaries={"promotion": 2})
    play(event, 1, {"A": 0, "B": 13, "C": 13})
    assert statuses(event) == "A above, B playing, C playing"
    play(event, 2, {"A": 13, "B": 9, "C": 4})
    look(event)
    assert [(name, rank) for name, rank, _ in order(event)] == [
        ("A", 1), ("C", 2), ("B", 3), ("D", 4),
    ]  # fmt: skip


def test_two_play_with_two_fillers_whose_points_count_for_nobody(cast: Cast) -> None:
    event = tied(cast.riverside, (2, 2, 4, 5))
    found = view(event)
    assert (found.kind, found.tables[0].fillers) == ("fillers", 2)
    assert sorted(found.tables[0].members) == ["RL01", "RL02"]
    play(event, 1, {"A": 10, "B": 3})
    assert view(event).state == "decided"
    look(event)
    assert [name for name, _, _ in order(event)] == ["B", "A", "C", "D"]
    assert Entrant.objects.filter(event=event).count() == 4


def test_hosts_and_nobody_below_them_enter_hands_of_a_closed_event(cast: Cast) -> None:
    event = tied(cast.riverside)
    with pytest.raises(Forbidden):
        play(event, 1, {"A": 3, "B": 3, "C": 20}, actor=cast.actor("piet"))
    play(event, 1, {"A": 3, "B": 3, "C": 20}, actor=cast.actor("hanna"))
    assert view(event).state == "in_play"


def test_walk_over_decides_what_is_only_scheduled(cast: Cast) -> None:
    event = tied(cast.riverside, (2, 2, 4, 5))
    member_gone(
        actor=cast.actor("dirk"), event=event, number=1, player_id="RL01", why="no_show", now=NOW
    )
    assert statuses(event) == "B above, A gone"
    look(event)
    assert standing(event)["B"]["ahead"] == (
        "above RL01: same points a hand, won the play-off, the other gave up"
    )
    with pytest.raises(Refused, match="playoff_over"):
        play(event, 1, {"A": 10, "B": 3})


def test_member_who_withdraws_from_the_event_is_placed_last(cast: Cast) -> None:
    event = tied(cast.riverside)
    entrant = Entrant.objects.get(event=event, code="RL03")
    move_entrant(actor=TESTS, event=event, code=entrant.code, to="withdrawn", reason="ill", now=NOW)
    look(event)
    assert [one.state for one in playoffs_of(event)] == ["scheduled"]
    assert statuses(event) == "A playing, B playing, C gone"


def test_lots_are_drawn_with_a_seed_that_is_kept(cast: Cast) -> None:
    event = tied(cast.riverside, playoff_rules={"max_hands": 1})
    play(event, 1, {"A": 3, "B": 3, "C": 20})
    assert view(event).is_exhausted
    with pytest.raises(Refused, match="playoff_hands_over"):
        play(event, 2, {"A": 10, "B": 3, "C": 13})
    move_playoff(actor=cast.actor("dirk"), event=event, number=1, to="by_lot", now=NOW, seed="7f3c")
    found = view(event)
    assert (found.state, found.seed) == ("by_lot", "7f3c")
    assert AuditLine.objects.get(act="draw_lots").facts["seed"] == "7f3c"
    look(event)
    assert [rank for _, rank, _ in order(event)] == [1, 2, 3, 4]
    first, second = (row for name, row in standing(event).items() if name in "AB")
    assert str(first["ahead"]).endswith("won the play-off by lot")
    assert second["decided_by"] == "playoff"


def test_nobody_can_work_out_a_lot_before_it_is_drawn(cast: Cast) -> None:
    event = tied(cast.riverside)
    Playoff.objects.update(seed=event.seed)
    move_playoff(actor=cast.actor("dirk"), event=event, number=1, to="by_lot", now=NOW)
    seed = view(event).seed
    assert seed == PlayoffStep.objects.get(kind="lots").facts["seed"]
    assert seed is not None
    assert event.seed not in seed


def test_lot_that_a_correction_made_unneeded_decides_nothing(cast: Cast) -> None:
    event = tied(cast.riverside)
    play(event, 1, {"A": 3, "B": 3, "C": 20})
    move_playoff(actor=TESTS, event=event, number=1, to="by_lot", now=NOW)
    look(event)
    assert view(event).state == "by_lot"
    play(event, 1, {"A": 2, "B": 4, "C": 20}, based_on=1, reason="Misread.")
    found = view(event)
    assert (found.state, found.seed) == ("decided", None)
    assert [one.player for one in found.members] == ["A", "B", "C"]


def test_who_shares_by_a_directors_word_shares_after_a_correction_too(cast: Cast) -> None:
    event = tied(cast.riverside)
    play(event, 1, {"A": 3, "B": 3, "C": 20})
    waive_playoff(actor=TESTS, event=event, number=1, reason="They agree.", now=NOW)
    play(event, 1, {"A": 2, "B": 4, "C": 20}, based_on=1, reason="Misread.")
    look(event)
    found = view(event)
    assert (found.state, found.is_waived) == ("in_play", True)
    assert {row["rank"] for name, row in standing(event).items() if name in "ABC"} == {1}


def test_more_hands_are_allowed_by_a_director(cast: Cast) -> None:
    event = tied(cast.riverside, playoff_rules={"max_hands": 1})
    play(event, 1, {"A": 3, "B": 3, "C": 20})
    with pytest.raises(Forbidden):
        extend_playoff(actor=cast.actor("hanna"), event=event, number=1, hands=1, now=NOW)
    extend_playoff(actor=cast.actor("dirk"), event=event, number=1, hands=1, now=NOW)
    assert view(event).hands_left == 1
    play(event, 2, {"A": 10, "B": 3, "C": 13})
    assert view(event).state == "decided"


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


def test_hand_made_void_counts_for_nothing_in_a_playoff(cast: Cast) -> None:
    event = tied(cast.riverside)
    play(event, 1, {"A": 10, "B": 3, "C": 13})
    void_hand(
        actor=cast.actor("dirk"), game=playing(event), number=1, based_on=1, reason="not dealt",
        now=NOW,
    )  # fmt: skip
    found = view(event)
    assert (found.state, found.steps[0].scores) == ("in_play", None)
    assert [table.is_open for table in found.tables] == [True]
    play(event, 2, {"A": 3, "B": 10, "C": 13})
    assert view(event).members[0].player == "A"


def mend(event: Event, hearts: tuple[int, ...]) -> None:
    """Correct the event's own hand, so that others are level."""
    game = Hand.objects.filter(game__event=event, game__counts=True)[0].game
    builders.hand(
        game, 1, hearts, len(hearts) - 1, reason="wrong", based_on=_revision(game.pk)
    )  # fmt: skip
    look(event)


def _revision(game: int) -> int:
    return Hand.objects.get(game=game, number=1).revision


def test_correction_that_removes_the_tie_voids_what_is_being_played(cast: Cast) -> None:
    event = tied(cast.riverside)
    play(event, 1, {"A": 3, "B": 3, "C": 20})
    mend(event, (3, 4, 5, 1))
    found = view(event)
    assert (found.state, found.open_tables) == ("void", ())
    with pytest.raises(Refused, match="playoff_void"):
        play(event, 2, {"A": 10, "B": 3, "C": 13})
    assert Hand.objects.filter(game__counts=False).count() == 1


def test_correction_that_changes_the_group_detects_it_anew(cast: Cast) -> None:
    event = tied(cast.riverside)
    mend(event, (4, 4, 5, 0))
    first, second = playoffs_of(event)
    assert (first.state, second.state) == ("void", "scheduled")
    assert [one.player for one in second.members] == ["A", "B"]


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
        move_event(actor=TESTS, event=event, to="final", now=NOW)
    answer_playoff(
        actor=cast.actor("dirk"), event=event, number=1, answer="keep", reason="They agree.",
        now=NOW,
    )  # fmt: skip
    look(event)
    assert not view(event).is_asked
    with pytest.raises(Conflict, match="playoff_not_asked"):
        answer_playoff(
            actor=TESTS, event=event, number=1, answer="redo", reason="No.", now=NOW
        )  # fmt: skip
    mend(event, (4, 3, 5, 1))
    assert view(event).is_asked, "others are level now, so that it is asked again"


def test_finished_playoff_is_redone_where_somebody_says_so(cast: Cast) -> None:
    event = tied(cast.riverside)
    play(event, 1, {"A": 10, "B": 3, "C": 13})
    look(event)
    mend(event, (4, 4, 5, 0))
    answer_playoff(
        actor=cast.actor("dirk"), event=event, number=1, answer="redo", reason="C is out.", now=NOW
    )
    look(event)
    assert [one.state for one in playoffs_of(event)] == ["void", "scheduled"]
    assert [rank for _, rank, _ in order(event)] == [1, 1, 3, 4]


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
    assert not look_for_playoffs(event.pk, now=NOW)
    assert (Playoff.objects.count(), Round.objects.count(), AuditLine.objects.count()) == (
        1, 2, lines,
    )  # fmt: skip


def test_look_that_was_overtaken_by_a_change_does_nothing(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tournaments.publishing import playoffs as module

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
    assert not look_for_playoffs(event.pk, now=NOW)
    assert not Playoff.objects.exists()


def test_playoff_that_is_decided_before_a_look_holds_it_is_not_made_void(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with a hand whose transaction ends between two statements of the look."""
    from tournaments.publishing import playoffs as module

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
        return locked_playoff(event, number)

    monkeypatch.setattr(module, "locked_playoff", late)
    assert not look_for_playoffs(event.pk, now=NOW)
    assert view(event).state == "decided"
    look(event)
    assert (view(event).state, view(event).is_asked) == ("decided", True)


def finalised(cast: Cast, hearts: tuple[int, ...] = (4, 4, 4, 1)) -> Event:
    """A final event whose play-off B has won."""
    event = tied(cast.riverside, hearts)
    play(event, 1, {"A": 10, "B": 3, "C": 13})
    look(event)
    return move_event(actor=TESTS, event=event, to="final", now=NOW)


def test_final_event_has_its_playoffs_only_answered(cast: Cast) -> None:
    event = finalised(cast)
    assert view(event).may == ()
    about: dict[str, Any] = {
        "actor": cast.actor("dirk"), "event": event, "number": 1, "now": NOW,
    }  # fmt: skip
    with pytest.raises(Conflict, match="event_is_final"):
        move_playoff(**about, to="void", reason="wrong cards")
    with pytest.raises(Conflict, match="event_is_final"):
        waive_playoff(**about, reason="They agree.")
    with pytest.raises(Conflict, match="event_is_final"):
        move_playoff(**about, to="by_lot")
    with pytest.raises(Conflict, match="event_is_final"):
        extend_playoff(**about, hands=1)
    with pytest.raises(Conflict, match="event_is_final"):
        member_gone(**about, player_id="RL01", why="no_show")
    assert view(event).state == "decided"
    mend(event, (4, 4, 5, 0))
    assert view(event).may == ("answer",)
    answer_playoff(**about, answer="redo", reason="C is out.")
    assert Dirty.objects.filter(scope=playoffs_scope(event.pk), done__lt=F("version")).exists()
    look(event)
    assert [one.state for one in playoffs_of(event)] == ["void", "scheduled"]


def test_playoff_that_a_correction_opens_in_a_final_event_is_directed(cast: Cast) -> None:
    event = finalised(cast)
    play(event, 1, {"A": 3, "B": 3, "C": 20}, code="r2t1", based_on=1, reason="misread")
    look(event)
    event.refresh_from_db()
    assert (event.state, view(event).state) == ("final", "in_play")
    assert view(event).may == ("gone", "extend", "by_lot", "waive", "void")
    about: dict[str, Any] = {
        "actor": cast.actor("dirk"), "event": event, "number": 1, "now": NOW,
    }  # fmt: skip
    extend_playoff(**about, hands=1)
    play(event, 2, {"A": 6, "B": 6, "C": 14})
    move_playoff(**about, to="by_lot", seed="4c1d")
    assert (view(event).state, view(event).may) == ("by_lot", ())
    with pytest.raises(Conflict, match="event_is_final"):
        waive_playoff(**about, reason="They agree.")


def test_hand_of_a_void_playoff_stays_as_it_is(cast: Cast) -> None:
    event = tied(cast.riverside)
    play(event, 1, {"A": 3, "B": 3, "C": 20})
    game = playing(event)
    about: dict[str, Any] = {"actor": cast.actor("dirk"), "now": NOW, "reason": "wrong cards"}
    move_playoff(event=event, number=1, to="void", **about)
    with pytest.raises(Refused, match="playoff_void"):
        void_hand(game=playing(event, game.table.code), number=1, based_on=1, **about)
    assert [one.state for one in Playoff.objects.filter(event=event)] == ["void"]
    assert Hand.objects.get(game=game).state == "accepted"


def test_play_it_again_takes_the_dirty_rows_as_a_publication_does(cast: Cast) -> None:
    event = finalised(cast)
    mend(event, (4, 4, 5, 0))
    with CaptureQueriesContext(connection) as queries:
        answer_playoff(
            actor=cast.actor("dirk"), event=event, number=1, answer="redo", reason="C is out.",
            now=NOW,
        )  # fmt: skip
    marks = [one["sql"] for one in queries if one["sql"].strip().upper().startswith("UPDATE")]
    scopes = [found for sql in marks for found in re.findall(r"'(event|playoffs):\d+'", sql)]
    assert scopes == ["event", "playoffs"]


def test_event_is_locked_before_anything_of_its_playoff(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tournaments.services import playoff_acts as module

    event = tied(cast.riverside)
    order: list[str] = []
    for name in ("lock_event", "locked_playoff"):
        real = getattr(module, name)

        def noted(*args: Any, name: str = name, real: Any = real) -> Any:
            order.append(name)
            return real(*args)

        monkeypatch.setattr(module, name, noted)
    move_playoff(actor=cast.actor("dirk"), event=event, number=1, to="by_lot", now=NOW)
    assert order == ["lock_event", "locked_playoff"]


def test_rehearsal_looks_at_playoffs_and_cuts_in_the_workers_order(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tournaments import tasks
    from tournaments.previewing import ties
    from tournaments.publishing import cuts, playoffs

    event = tied(cast.riverside)
    order: list[str] = []
    for at, name in (
        (ties, "look_for_playoffs"), (ties, "review_cuts"),
        (playoffs, "look_for_playoffs"), (cuts, "review_cuts"),
    ):  # fmt: skip
        monkeypatch.setattr(at, name, lambda *_, name=name, **__: order.append(name))
    ties.ties_in_rehearsal(event, now=NOW)
    rehearsed, order[:] = tuple(order), []
    mark_due(playoffs_scope(event.pk), now=NOW)
    tasks.look_for_playoffs(event.pk)
    assert rehearsed == tuple(order) == ("look_for_playoffs", "review_cuts")


def test_ties_are_not_looked_for_while_the_event_is_open(cast: Cast) -> None:
    event = tied(cast.riverside)
    move_event(actor=TESTS, event=event, to="open", now=NOW, reason="One more evening.")
    look(event)
    assert [one.state for one in playoffs_of(event)] == ["scheduled"]
    close(event)
    assert [one.state for one in playoffs_of(event)] == ["scheduled"]


def test_policy_that_plays_nothing_leaves_ties_shared(cast: Cast) -> None:
    event = tied(cast.riverside, playoff="share")
    assert not Playoff.objects.exists()
    assert not Dirty.objects.filter(scope=playoffs_scope(event.pk)).exists()


def test_event_waits_with_becoming_final_for_its_playoffs(cast: Cast) -> None:
    event = tied(cast.riverside)
    with pytest.raises(Conflict, match="playoffs_undecided"):
        move_event(actor=TESTS, event=event, to="final", now=NOW)
    waive_playoff(
        actor=cast.actor("dirk"), event=event, number=1, reason="All three share.", now=NOW
    )
    said = Change.objects.get(event=event, kind="playoff")
    assert said.facts == {"playoff": 1, "old": "scheduled", "new": "waived"}
    assert said.reason == "All three share."
    with pytest.raises(Refused, match="playoff_waived"):
        play(event, 1, {"A": 10, "B": 3, "C": 13})
    with pytest.raises(Conflict, match="playoffs_looked_for"):
        move_event(actor=TESTS, event=event, to="final", now=NOW)
    look(event)
    assert move_event(actor=TESTS, event=event, to="final", now=NOW).state == "final"


def test_title_goes_straight_to_play_before_any_criterion(cast: Cast) -> None:
    event = tied(
        cast.riverside, (4, 4, 4, 1), playoff_before_criteria=True, tie_breaks=["moons_shot", "lot"]
    )
    assert [one.player for one in view(event).members] == ["A", "B", "C"]
    play(event, 1, {"A": 10, "B": 3, "C": 13})
    look(event)
    assert [(name, by) for name, _, by in order(event)][:3] == [
        ("B", None), ("A", "playoff"), ("C", "playoff"),
    ]  # fmt: skip


def test_sheet_with_totals_only_decides_no_playoff(cast: Cast) -> None:
    from tournaments.services.entries import Totals, record_entry

    event = tied(cast.riverside)
    with pytest.raises(Refused, match="playoff_by_hands"):
        record_entry(
            actor=TESTS, game=playing(event), number=0, entry={"points": [3, 3, 20]}, now=NOW,
            source="host", totals=Totals(1),
        )  # fmt: skip


def test_points_of_a_playoff_are_exact(cast: Cast) -> None:
    event = tied(cast.riverside)
    play(event, 1, {"A": 3, "B": 3, "C": 20})
    scores = view(event).steps[0].scores or {}
    assert {code: Fraction(points) for code, points in scores.items()} == {
        "RL01": 3, "RL02": 3, "RL03": 20,
    }  # fmt: skip
