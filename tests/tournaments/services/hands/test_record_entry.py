"""Recording and correcting a hand: what is stored, touched and refused."""

from collections.abc import Sequence
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from scoring.errors import Problem, Refused
from tests.support.answers import Json
from tests.support.builders import by_tests, counts, hand, league, players, table
from tests.support.cast import NOW, Cast, enter_the_cast
from tournaments.domain.messages import sentence
from tournaments.errors import Conflict, Forbidden
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club, Player
from tournaments.models.columns import UNIT
from tournaments.models.hands import Entry, Game, Hand, SeatScore
from tournaments.models.jobs import Dirty
from tournaments.models.rounds import Round
from tournaments.models.standings import Aggregate, Contribution
from tournaments.services.events.events import move_event
from tournaments.services.hands.record_entry import RecordedHand, record_entry

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def game(cast: Cast) -> Game:
    event = league(cast.riverside)
    return table(event, players(cast.riverside, "Elsa D.", "Ilse K.", "Leo K.", "Anton S."))


def scores(game: Game) -> list[tuple[int, int, int]]:
    rows = SeatScore.objects.filter(entry__hand__game=game)
    return [
        (row.entry.hand.number, row.score // UNIT, row.total // UNIT)
        for row in rows.order_by("entry__hand__number", "seat__number")
    ]


def sums(game: Game) -> dict[str, tuple[int, int, int, int]]:
    return {
        row.entrant.code: (row.games, row.hands, row.points // UNIT, row.place_1)
        for row in Aggregate.objects.filter(event=game.event).select_related("entrant")
    }


def counts_of_everything() -> list[int]:
    models = (Hand, Entry, SeatScore, Contribution, Aggregate, AuditLine)
    return [model._default_manager.count() for model in models] + [
        sum(Dirty.objects.values_list("version", flat=True))
    ]


def test_hand_by_counts_scores_each_seat_and_raises_the_sums(cast: Cast, game: Game) -> None:
    recorded = hand(game, 1, [4, 1, 2, 6], queen=3, actor=cast.actor("hanna"))
    assert scores(game) == [(1, 4, 4), (1, 1, 1), (1, 2, 2), (1, 19, 19)]
    assert sums(game) == {
        "RL01": (1, 1, 4, 0),
        "RL02": (1, 1, 1, 1),
        "RL03": (1, 1, 2, 0),
        "RL04": (1, 1, 19, 0),
    }
    assert (recorded.entry.revision, recorded.entry.entered_as) == (1, "Hanna")
    assert recorded.event_version == Dirty.objects.get().version


def test_moon_is_booked_as_chosen_and_counted_for_the_shooter(game: Game) -> None:
    recorded = hand(game, 1, [0, 13, 0, 0], queen=1, slam_choice="others")
    assert [score for _, score, _ in scores(game)] == [26, 0, 26, 26]
    recorded.entry.refresh_from_db()
    assert recorded.entry.moon == {"id": "moon", "by": [2], "choice": "others"}
    moons = Aggregate.objects.values_list("entrant__code", "moons", "moons_against")
    assert sorted(moons) == [("RL01", 0, 1), ("RL02", 1, 0), ("RL03", 0, 1), ("RL04", 0, 1)]


@pytest.mark.parametrize(
    ("hearts", "queen", "code"),
    [([0, 13, 0, 0], 1, "choice_required"), ([4, 1, 2, 5], 3, "missing_cards")],
)
def test_refused_hand_writes_nothing(game: Game, hearts: list[int], queen: int, code: str) -> None:
    before = counts_of_everything()
    with pytest.raises(Refused, match=code), transaction.atomic():
        hand(game, 1, hearts, queen)
    assert counts_of_everything() == before


def test_correction_is_a_new_revision_and_moves_the_sums_by_the_difference(game: Game) -> None:
    hand(game, 1, [4, 1, 2, 6], queen=3)
    hand(game, 2, [1, 1, 1, 10], queen=0)
    recorded = hand(game, 1, [4, 1, 2, 6], queen=0, based_on=1, reason="The queen was North's.")
    assert recorded.entry.revision == 2
    assert scores(game)[:4] == [(1, 17, 17), (1, 1, 1), (1, 2, 2), (1, 6, 6)]
    assert scores(game)[4:] == [(2, 14, 31), (2, 1, 2), (2, 1, 3), (2, 10, 16)]
    assert sums(game)["RL01"] == (1, 2, 31, 0)
    assert list(Entry.objects.values_list("revision", "reason").order_by("revision", "pk")) == [
        (1, ""),
        (1, ""),
        (2, "The queen was North's."),
    ]


def test_correction_and_its_undoing_restore_the_sums(game: Game) -> None:
    hand(game, 1, [4, 1, 2, 6], queen=3)
    before = sums(game), scores(game)
    hand(game, 1, [0, 5, 2, 6], queen=3, based_on=1, reason="misread")
    hand(game, 1, [4, 1, 2, 6], queen=3, based_on=2, reason="read right at first")
    assert (sums(game), scores(game)) == before


def test_correction_without_a_reason_is_refused(game: Game) -> None:
    hand(game, 1, [4, 1, 2, 6], queen=3)
    with pytest.raises(Refused, match="reason_required"):
        hand(game, 1, [4, 1, 2, 6], queen=0, based_on=1)


def revise(game: Game, entry: Json, **more: Any) -> RecordedHand:
    return record_entry(by_tests(), game, number=1, entry=entry, source="host", **more)


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ({"points": [19, 1, 2, 4]}, {"points": [19, 1, 2, 4]}),
        (
            {"hearts": [13, 0, 0, 0], "taken": [["QS"], [], [], []], "slam_choice": "self"},
            {
                "hearts": [13, 0, 0, 0],
                "taken": [["QS"], [], [], []],
                "slam_choice": "self",
                "shooter": 0,
            },
        ),
    ],
)
def test_correction_that_changes_nothing_is_refused_and_stores_nothing(
    game: Game, first: Json, again: Json
) -> None:
    revise(game, first)
    before = counts_of_everything()
    with pytest.raises(Refused, match="nothing_changed"), transaction.atomic():
        revise(game, again, based_on=1, reason="typing error")
    assert counts_of_everything() == before


def test_other_cards_with_equal_points_are_a_change(game: Game) -> None:
    revise(game, {"points": [4, 1, 2, 19]})
    recorded = revise(game, counts([4, 1, 2, 6], 3), based_on=1, reason="The cards were found.")
    assert (recorded.replayed, recorded.entry.revision) == (False, 2)


def test_new_note_is_a_change_and_a_note_left_out_is_none(game: Game) -> None:
    revise(game, counts([4, 1, 2, 6], 3))
    noted = revise(game, counts([4, 1, 2, 6], 3), based_on=1, note="Rain.", reason="A word on it.")
    assert noted.entry.revision == 2
    with pytest.raises(Refused, match="nothing_changed"), transaction.atomic():
        revise(game, counts([4, 1, 2, 6], 3), based_on=2, reason="Once more.")


def test_revision_sent_again_by_its_author_is_answered_and_by_another_person_refused(
    cast: Cast, game: Game
) -> None:
    hand(game, 1, [4, 1, 2, 6], queen=3)
    sent: dict[str, Any] = {"based_on": 1, "reason": "The queen was North's."}
    first = hand(game, 1, [4, 1, 2, 6], queen=0, actor=cast.actor("hanna"), **sent)
    before = counts_of_everything()
    again = hand(game, 1, [4, 1, 2, 6], queen=0, actor=cast.actor("hanna"), **sent)
    assert (again.replayed, again.entry.pk) == (True, first.entry.pk)
    assert counts_of_everything() == before
    with pytest.raises(Conflict, match="entry_outdated"), transaction.atomic():
        hand(game, 1, [4, 1, 2, 6], queen=0, actor=cast.actor("dirk"), **sent)


def test_same_key_again_gets_the_first_answer_and_adds_nothing(game: Game) -> None:
    first = hand(game, 1, [4, 1, 2, 6], queen=3, key="phone-1")
    before = counts_of_everything()
    again = hand(game, 1, [4, 1, 2, 6], queen=3, key="phone-1")
    assert (again.replayed, again.entry.pk) == (True, first.entry.pk)
    assert counts_of_everything() == before


def test_host_may_not_correct_a_closed_round_but_a_director_may(cast: Cast, game: Game) -> None:
    hand(game, 1, [4, 1, 2, 6], queen=3)
    Round.objects.update(state="closed")
    why: dict[str, Any] = {"based_on": 1, "reason": "found a week later"}
    with pytest.raises(Forbidden), transaction.atomic():
        hand(game, 1, [4, 1, 2, 6], queen=2, actor=cast.actor("hanna"), **why)
    assert hand(game, 1, [4, 1, 2, 6], queen=2, actor=cast.actor("dirk"), **why).hand.revision == 2


def test_draft_event_takes_no_hands(cast: Cast, game: Game) -> None:
    move_event(cast.operation("dirk"), game.event, to="draft")
    with pytest.raises(Conflict, match="event_not_open"):
        hand(game, 1, [4, 1, 2, 6], queen=3)


def refused_for(game: Game, *players: str) -> Problem:
    """Enter a hand of these players; return the first problem."""
    with pytest.raises(Refused) as refused:
        record_entry(
            by_tests(), game, number=1, entry=counts([4, 1, 2, 6], 3), source="api",
            players=players,
        )  # fmt: skip
    return refused.value.problems[0]


def test_players_that_disagree_with_the_seating_are_named(game: Game) -> None:
    problem = refused_for(game, "RL01", "RL02", "RL04", "RL04")
    assert (problem.code, problem.at) == ("player_mismatch", ("players", 2))
    assert problem.facts["expected"] == "RL03"
    names = dict(Player.objects.values_list("player_id", "name"))
    assert sentence(problem) == (
        f"The entry has {names['RL04']} in seat 3, where {names['RL03']} sits. Nothing was saved."
    )


def test_entry_that_names_an_outsider_is_refused_unnamed(cast: Cast, game: Game) -> None:
    (other,) = players(cast.riverside, "Somebody Else")
    problem = refused_for(game, "RL01", "RL02", other.player_id, "RL04")
    assert sentence(problem).startswith(f"The entry has {other.player_id} in seat 3, where ")
    assert "Somebody" not in str(dict(problem.facts))


def test_game_to_a_hundred_ends_and_takes_no_further_hand(cast: Cast) -> None:
    event = league(cast.riverside, length="variant")
    game = table(event, players(cast.riverside, "A", "B", "C", "D"))
    for number in range(1, 5):
        hand(game, number, [0, 13, 0, 0], queen=1, slam_choice="others")
    game.refresh_from_db()
    assert game.state == "complete"
    with pytest.raises(Refused, match="match_over"):
        hand(game, 5, [4, 1, 2, 6], queen=3)


def test_revision_numbers_are_unique_in_the_schema(game: Game) -> None:
    recorded = hand(game, 1, [4, 1, 2, 6], queen=3)
    with pytest.raises(IntegrityError), transaction.atomic():
        Entry.objects.filter(pk=recorded.entry.pk).create(
            club=game.club,
            hand=recorded.hand,
            revision=1,
            form="counts",
            typed={},
            source="host",
            entered_at=NOW,
        )


def evening(club: Club, tables: int) -> Sequence[Game]:
    event = league(club, slug=f"league-{tables}")
    seated = players(club, *(f"Player {n}" for n in range(4 * tables)))
    games = [table(event, seated[4 * n : 4 * n + 4], table_number=n + 1) for n in range(tables)]
    for game in games:
        hand(game, 1, [4, 1, 2, 6], queen=3)
    return games


def queries_of_a_correction(game: Game) -> int:
    with CaptureQueriesContext(connection) as seen:
        hand(game, 1, [4, 1, 2, 6], queen=0, based_on=1, reason="the queen was North's")
    return len(seen.captured_queries)


def test_correction_takes_as_many_queries_with_8_players_as_with_200() -> None:
    club = enter_the_cast().riverside
    few, many = evening(club, 2), evening(club, 50)
    assert queries_of_a_correction(few[0]) == queries_of_a_correction(many[0])


def test_correction_leaves_the_sums_of_other_tables_alone() -> None:
    games = evening(enter_the_cast().riverside, 2)

    def sums() -> dict[str, int]:
        return dict(Aggregate.objects.values_list("entrant__code", "points"))

    before = sums()
    queries_of_a_correction(games[0])
    assert {code for code, points in sums().items() if points != before[code]} == {"RL01", "RL04"}


@pytest.mark.parametrize("name", ["piet", "nora"])
def test_who_is_no_host_of_the_club_may_not_enter(cast: Cast, game: Game, name: str) -> None:
    before = counts_of_everything()
    with pytest.raises(Forbidden), transaction.atomic():
        hand(game, 1, [4, 1, 2, 6], queen=3, actor=cast.actor(name))
    assert counts_of_everything() == before
