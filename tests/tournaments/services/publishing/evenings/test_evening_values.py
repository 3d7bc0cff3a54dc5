"""Evenings that are ranked by boards, by matches of teams, or by lot, and the points they give."""

from collections.abc import Mapping
from datetime import date, timedelta

import pytest

from tests.support.builders import by_tests, counts, finished, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.history import make_all
from tournaments.domain.event_settings import settings_of
from tournaments.models.events import Entrant, Event
from tournaments.models.rounds import Match, MatchTable, Round
from tournaments.models.standings import Publication
from tournaments.services.boards import deal_boards
from tournaments.services.events.entrants import add_entrant
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.publishing.evening_points import EveningRanker
from tournaments.services.publishing.publications import publish

pytestmark = pytest.mark.django_db

FIRST = date(2025, 11, 6)
SEED = "2f1c5d0a9be34f7781c6d2e0a4b39f56"
EVENING: Mapping[str, object] = {"primary": "evening_points", "tie_breaks": ()}


def published(event: Event) -> Publication:
    publication = publish(event.pk, now=NOW)
    assert publication is not None
    make_all(event.pk)
    return publication


def points_of(publication: Publication) -> Mapping[str, object]:
    return {row["player"]: row["evening_points"] for row in publication.document["rows"]}


def test_an_evening_may_be_ranked_by_its_boards(cast: Cast) -> None:
    settings = {**EVENING, "evening_ranking": "matchpoints", "duplicate": True, "length": "open"}
    event = league(cast.riverside, settings=settings)
    people = players(cast.riverside, *"ABCDEFGH")
    deal_boards(by_tests(), event, count=2, seed=SEED, boards_per_round=1)
    for number in (1, 2):
        for at, hearts in enumerate(([4, 1, 2, 6], [5, 0, 3, 5]), start=1):
            # On the second evening the tables have the results of each other.
            seated = people[:4] if (at == 1) == (number == 1) else people[4:]
            game = table(
                event,
                seated,
                round_number=number,
                table_number=at,
                on=FIRST + timedelta(weeks=number - 1),
            )
            entry = counts(hearts, 3)
            record_entry(by_tests(), game, number=1, board=number, entry=entry, source="host")
        if number == 1:
            # Of each board the better of two: A, C, F and H have 100 %, and share 8 + 7 + 6 + 5.
            first = {"A": "13/2", "C": "13/2", "F": "13/2", "H": "13/2"}
            first |= dict.fromkeys("BDEG", "5/2")
            assert points_of(published(event)) == first
    # An evening is ranked by its own boards: over both all have 50 %, and none has 13 points.
    assert set(points_of(published(event)).values()) == {9}


def test_an_evening_may_be_ranked_by_matches_of_teams(cast: Cast) -> None:
    settings = {**EVENING, "evening_ranking": "match_points"}
    event = league(cast.riverside, variant="partnership-hearts", settings=settings)
    people = dict(zip("ABCDEFGH", players(cast.riverside, *"ABCDEFGH"), strict=True))
    for names in ("AC", "BD", "EG", "FH"):
        team = [people[name] for name in names]
        add_entrant(by_tests(), event, kind="team", players=team, name=f"Team {names}")
    teams = {entrant.name: entrant for entrant in Entrant.objects.filter(event=event)}
    game = finished(table(event, [people[name] for name in "ABCD"]))
    round_ = Round.objects.get(event=event)
    of_round = {"club": event.club, "event": event, "round": round_}
    played = Match.objects.create(
        **of_round, number=1, first=teams["Team AC"], second=teams["Team BD"]
    )
    MatchTable.objects.create(club=event.club, match=played, table=game.table)
    # A team that won without a table has its place too.
    Match.objects.create(
        **of_round,
        number=2,
        first=teams["Team EG"],
        second=teams["Team FH"],
        forfeited_by=teams["Team FH"],
    )
    assert points_of(published(event)) == {
        "Team AC": "7/2",
        "Team EG": "7/2",
        "Team BD": "3/2",
        "Team FH": "3/2",
    }


def test_the_lot_is_drawn_anew_for_each_evening(cast: Cast) -> None:
    settings = {**EVENING, "evening_ranking": "wins", "tie_breaks": ("lot",)}
    event = league(cast.riverside, settings=settings)
    people = players(cast.riverside, *"ABCD")
    n_evenings = 8
    for number in range(1, n_evenings + 1):
        on = FIRST + timedelta(weeks=number - 1)
        # Three tie for the first place, which is drawn.
        finished(table(event, people, round_number=number, on=on), (3, 3, 3, 4))
    winners = []
    publication = published(event)
    for row in publication.document["rows"]:
        winners += [row["player"]] * row["evenings_won"]
    assert len(winners) == n_evenings
    assert len(set(winners)) > 1
    assert published(event) == publication
    ranker = EveningRanker(event, settings_of(event))
    assert len({ranker.seed_of(str(FIRST + timedelta(days=n))) for n in range(3)}) == 3
