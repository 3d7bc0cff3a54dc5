"""Play-offs from the tie to the table: detected, prepared, played, decided, folded back."""

import json

import pytest

from scoring.errors import Refused
from tests.support.builders import by_tests
from tests.support.cast import Cast
from tests.support.comparisons.scores import verify_scores
from tests.support.history import make_all
from tests.support.scenarios.playoffs import (
    close,
    direct,
    look,
    order,
    play,
    playing,
    standing,
    statuses,
    tied,
    view,
)
from tournaments.errors import Conflict, Forbidden
from tournaments.models.audit import AuditLine
from tournaments.models.events import Entrant, Event
from tournaments.models.jobs import Dirty, playoffs_scope
from tournaments.models.playoffs import Playoff, PlayoffStep
from tournaments.models.standings import Aggregate, Change, Contribution, Publication
from tournaments.selectors.events.entrants import get_entrant
from tournaments.selectors.playoffs.playoffs import playoffs_of
from tournaments.selectors.standings.history import table_as_of
from tournaments.services.events.events import move_event
from tournaments.services.ladders.members import move_entrant
from tournaments.services.playoffs.director_actions import (
    extend_playoff,
    move_playoff,
    retire_member,
    waive_playoff,
)
from tournaments.services.verification.event import verify_totals
from tournaments.services.verification.games import Verification, verify_games

pytestmark = pytest.mark.django_db


def test_three_tied_at_the_top_play_until_one_is_first(cast: Cast) -> None:
    event = tied(cast.riverside)
    found = view(event)
    assert (found.state, found.kind, found.cuts, found.ahead) == ("scheduled", "table", (1,), 0)
    assert [table["code"] for table in found.open_tables] == ["r2t1"]
    play(event, 1, {"A": 3, "B": 3, "C": 20})
    assert view(event).state == "in_play"
    assert statuses(event) == "A playing, B playing, C below"
    play(event, 2, {"A": 6, "B": 6, "C": 14})
    assert statuses(event) == "A playing, B playing, C below"
    play(event, 3, {"A": 10, "B": 3, "C": 13})
    found = view(event)
    assert (found.state, found.open_tables) == ("decided", ())
    assert [(member.player, member.place) for member in found.members] == [
        ("B", 1),
        ("A", 2),
        ("C", 3),
    ]
    look(event)
    assert order(event) == [
        ("B", 1, None), ("A", 2, "playoff"), ("C", 3, "playoff"), ("D", 4, "raw_per_hand"),
    ]  # fmt: skip
    rows = standing(event)
    assert rows["B"]["ahead"] == "above RL01: same points a hand, won the play-off 3 to 10"
    assert rows["A"]["reason"] == "tied with RL02: 4.0000; lost the play-off 10 to 3"
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
    ranked = ("rank", "tied", "values", "decided_by", "reason", "ahead", "reason_facts")
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
    told = Verification()
    list(verify_games(event, told, repair=False))
    verify_totals(event, told, repair=False)
    assert (told.differing, told.games, told.hands) == (0, 3, 2)
    assert verify_scores(event).differing == 0


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
    _, table = table_as_of(event, number=9)
    rows: list[dict[str, object]] = json.loads(table.body)["rows"]
    return rows


def test_two_play_with_two_fillers_whose_points_do_not_count(cast: Cast) -> None:
    event = tied(cast.riverside, (2, 2, 4, 5))
    found = view(event)
    assert (found.kind, found.tables[0]["fillers"]) == ("fillers", 2)
    assert sorted(found.tables[0]["members"]) == ["RL01", "RL02"]
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
    direct(event, retire_member, player_id="RL01", why="no_show")
    assert statuses(event) == "B above, A gone"
    look(event)
    assert standing(event)["B"]["ahead"] == (
        "above RL01: same points a hand, won the play-off, RL01 gave up"
    )
    with pytest.raises(Conflict, match="playoff_over"):
        play(event, 1, {"A": 10, "B": 3})


def test_member_who_withdraws_from_the_event_is_placed_last(cast: Cast) -> None:
    event = tied(cast.riverside)
    entrant = Entrant.objects.get(event=event, code="RL03")
    move_entrant(by_tests(), get_entrant(event, entrant.code), to="withdrawn", reason="ill")
    look(event)
    assert [one.state for one in playoffs_of(event)] == ["scheduled"]
    assert statuses(event) == "A playing, B playing, C gone"


def test_lots_are_drawn_with_a_seed_that_is_kept(cast: Cast) -> None:
    event = tied(cast.riverside, playoff_rules={"max_hands": 1})
    play(event, 1, {"A": 3, "B": 3, "C": 20})
    assert view(event).is_exhausted
    with pytest.raises(Refused, match="playoff_hands_over"):
        play(event, 2, {"A": 10, "B": 3, "C": 13})
    direct(event, move_playoff, to="by_lot", seed="7f3c")
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
    direct(event, move_playoff, to="by_lot")
    seed = view(event).seed
    assert seed == PlayoffStep.objects.get(kind="lots").facts["seed"]
    assert seed is not None
    assert event.seed not in seed


def test_more_hands_are_allowed_by_a_director(cast: Cast) -> None:
    event = tied(cast.riverside, playoff_rules={"max_hands": 1})
    play(event, 1, {"A": 3, "B": 3, "C": 20})
    direct(event, extend_playoff, hands=1)
    assert view(event).hands_left == 1
    play(event, 2, {"A": 10, "B": 3, "C": 13})
    assert view(event).state == "decided"


def test_ties_are_not_looked_for_while_the_event_is_open(cast: Cast) -> None:
    event = tied(cast.riverside)
    move_event(by_tests(), event, to="open", reason="One more evening.")
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
        move_event(by_tests(), event, to="final")
    direct(event, waive_playoff, reason="All three share.")
    change = Change.objects.get(event=event, kind="playoff")
    assert change.facts == {"playoff": 1, "old": "scheduled", "new": "waived"}
    assert change.reason == "All three share."
    with pytest.raises(Conflict, match="playoff_waived"):
        play(event, 1, {"A": 10, "B": 3, "C": 13})
    with pytest.raises(Conflict, match="playoffs_looked_for"):
        move_event(by_tests(), event, to="final")
    look(event)
    assert move_event(by_tests(), event, to="final").state == "final"


def test_title_goes_straight_to_play_before_any_criterion(cast: Cast) -> None:
    event = tied(
        cast.riverside, (4, 4, 4, 1), playoff_before_criteria=True, tie_breaks=["moons_shot", "lot"]
    )
    assert [member.player for member in view(event).members] == ["A", "B", "C"]
    play(event, 1, {"A": 10, "B": 3, "C": 13})
    look(event)
    assert [(name, by) for name, _, by in order(event)][:3] == [
        ("B", None), ("A", "playoff"), ("C", "playoff"),
    ]  # fmt: skip


def test_sheet_with_totals_only_decides_no_playoff(cast: Cast) -> None:
    from tournaments.services.hands.record_entry import record_totals

    event = tied(cast.riverside)
    with pytest.raises(Refused, match="playoff_by_hands"):
        record_totals(
            by_tests(), playing(event), entry={"points": [3, 3, 20]}, source="host",
            hands=1,
        )  # fmt: skip
