"""The league that SQL makes large is one that could have been played."""

import pytest
from django.db.models import Sum

from benchmarks.leagues import add_publications, double
from tests.support.builders import NOW, Cast, hand, league, players, table
from tournaments.domain.replay_game import replay
from tournaments.models.events import Event
from tournaments.models.hands import Hand, SeatScore
from tournaments.models.rounds import Table
from tournaments.models.standings import Aggregate, Contribution, Publication
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.services.publishing.publications import publish

pytestmark = pytest.mark.both_databases


@pytest.fixture
def event(cast: Cast) -> Event:
    made = league(cast.riverside)
    game = table(made, players(cast.riverside, "Elsa D.", "Xenia S.", "Ruth K.", "Omar B."))
    hand(game, 1, [4, 1, 2, 6], 3)
    hand(game, 2, [0, 13, 0, 0], 0)
    double(made)
    double(made)
    return made


def test_every_evening_is_there_four_times(event: Event) -> None:
    codes = Table.objects.filter(event=event).order_by("round__number").values_list("code")
    assert [code for (code,) in codes] == ["r1t1", "r2t1", "r3t1", "r4t1"]
    assert Hand.objects.filter(game__event=event).count() == 8
    assert len(set(event.meetings.values_list("date", flat=True))) == 4


def test_sums_are_those_of_the_contributions(event: Event) -> None:
    added = Contribution.objects.filter(event=event).values("entrant").annotate(sum=Sum("points"))
    sums = Aggregate.objects.filter(event=event).values_list("entrant", "points")
    assert dict(sums) == {row["entrant"]: row["sum"] for row in added}


def test_copied_sheet_scores_as_the_engine_scores_it(event: Event) -> None:
    game = event.games.select_related("snapshot").get(table__code="r4t1")
    hands = Hand.objects.filter(game=game).select_related("entry").order_by("number")
    entries = [(hand.number, hand.entry.typed) for hand in hands if hand.entry is not None]
    played = replay(rules_of(game.snapshot), 4, entries, open_ended=True)
    scores = SeatScore.objects.filter(entry__hand__game=game).order_by(
        "entry__hand__number", "seat__number"
    )
    assert [row.score // 360360 for row in scores] == [
        score for hand in played.hands for score in hand.score.seat_scores
    ]


def test_publications_are_numbered_on(event: Event) -> None:
    publish(event.pk, now=NOW)
    add_publications(event.slug, 3)
    numbers = Publication.objects.filter(event=event).order_by("number")
    assert list(numbers.values_list("number", flat=True)) == [1, 2, 3, 4]
