"""What looking for likely causes may cost: of a typed hand, and of a whole file."""

from pathlib import Path

import pytest

from scoring.diagnosis import diagnose
from scoring.diagnosis.shooter_hypotheses import Trial
from scoring.errors import Refused, Suggestion
from scoring.game import check_written_points
from tests.support.builders import by_tests, counts, league, players, table
from tests.support.cast import enter_the_cast
from tests.support.imports.imports import imported, rows, said, written
from tournaments.domain import replay_game
from tournaments.models.hands import Entry, Game
from tournaments.services.hands.record_entry import record_entry

pytestmark = pytest.mark.django_db

MOON = [0, 26, 26, 26]
"""Points that are searched each time; what ordinary ones are worth is remembered."""


@pytest.fixture
def looked_for(monkeypatch: pytest.MonkeyPatch) -> list[Trial]:
    """Every hand whose likely causes were looked for."""
    found: list[Trial] = []
    causes = diagnose.causes

    def counted(trial: Trial) -> tuple[Suggestion, ...]:
        found.append(trial)
        return causes(trial)

    monkeypatch.setattr(check_written_points, "causes", counted)
    return found


def short(game: Game) -> None:
    entry = {"points": [4, 1, 2, 18]}
    record_entry(by_tests(), game, number=1, entry=entry, source="api")


def test_causes_are_looked_for_in_the_first_bad_hands_of_a_file_only(
    tmp_path: Path, looked_for: list[Trial]
) -> None:
    bad = replay_game.HINTS_OF_A_FILE + 10
    hands = [rows(table=number + 1, points=[4, 1, 2, 18]) for number in range(bad)]
    report = imported(written(tmp_path, *hands), create=True, dry_run=True)
    assert len([code for code, _, _ in said(report) if code == "wrong_total"]) == bad
    assert len(looked_for) == replay_game.HINTS_OF_A_FILE


def test_hand_that_takes_too_long_to_search_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay_game, "A_HAND", 300)
    club = enter_the_cast().riverside
    game = table(league(club), players(club, "Elsa D.", "Ilse K.", "Leo K.", "Anton S."))
    with pytest.raises(Refused, match=r"^too_much_work$"):
        short(game)


def test_hand_is_told_its_causes_each_time(looked_for: list[Trial]) -> None:
    club = enter_the_cast().riverside
    game = table(league(club), players(club, "Elsa D.", "Ilse K.", "Leo K.", "Anton S."))
    for _ in range(replay_game.HINTS_OF_A_FILE + 5):
        with pytest.raises(Refused) as refused:
            short(game)
        assert refused.value.problems[0].suggestions


def test_hand_accepted_once_is_not_refused_for_its_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    club = enter_the_cast().riverside
    game = table(league(club), players(club, "Elsa D.", "Ilse K.", "Leo K.", "Anton S."))
    points = {"points": MOON}
    record_entry(by_tests(), game, number=1, entry=points, source="api")
    monkeypatch.setattr(replay_game, "A_HAND", 50)
    with pytest.raises(Refused, match=r"^too_much_work$"):
        record_entry(by_tests(), game, number=2, entry=points, source="api")
    cards = counts([4, 1, 2, 6], queen=3)
    record_entry(by_tests(), game, number=2, entry=cards, source="api")
    swapped = counts([4, 2, 1, 6], queen=3)
    record_entry(
        by_tests(), game, number=2, entry=swapped, source="api", based_on=1,
        reason="misread",
    )  # fmt: skip
    assert Entry.objects.filter(hand__game=game).count() == 3


def test_row_that_takes_too_long_to_look_through_is_named_and_stops_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = imported(written(tmp_path, rows(points=MOON)), create=True)
    assert [severity for _, severity, _ in said(before)] == ["accept-note"]
    monkeypatch.setattr(replay_game, "A_HAND", 50)
    dear = rows(3, points=MOON)
    report = imported(written(tmp_path, rows(points=MOON), rows(2), dear))
    (found,) = [problem for problem in report.problems if problem.severity != "accept-note"]
    assert (found.code, found.severity) == ("too_much_work", "reject")
    assert found.spot.lines == (10, 11, 12, 13)
    assert "enter what each seat took" in found.message
    assert sorted(Entry.objects.values_list("hand__number", flat=True)) == [1, 2]
