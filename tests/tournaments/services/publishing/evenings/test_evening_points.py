"""A league by evening points from its sheets on: the table, those as of a round, the season's."""

import json
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any, Final, TypeAlias

import pytest
import time_machine

from tests.support.answers import Json
from tests.support.builders import bring, by_tests, hand, league, penalize, players, table
from tests.support.cast import NOW, Cast
from tests.support.history import make_all
from tests.support.seasons import assign_event, autumn_season
from tournaments.domain.event_settings import (
    as_stored,
    preset_settings,
    read_settings,
    settings_of,
)
from tournaments.domain.figures import place_text
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, Event, Season
from tournaments.models.hands import Game
from tournaments.models.rounds import Meeting, Round
from tournaments.models.standings import Publication, StoredHistory
from tournaments.selectors.events.entrants import get_entrant, ledger_rows
from tournaments.selectors.standings.counted_values import list_counted_values
from tournaments.selectors.standings.history import get_trends
from tournaments.selectors.standings.rule_example import find_rule_example
from tournaments.selectors.standings.standings_view import standings_view
from tournaments.services.events.adjustments import penalties_add, sit_out
from tournaments.services.events.create_event import copy_event
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.publishing.evening_points import EveningRanker
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.season_table import publish_season, standings_under
from tournaments.services.verification.event import verify_publication
from tournaments.services.verification.games import PublicationState

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

FIRST = date(2025, 11, 6)
SECOND = FIRST + timedelta(weeks=1)
THIRD = FIRST + timedelta(weeks=2)
SCHEME: Mapping[str, object] = {
    "primary": "evening_points",
    "evening_ranking": "placement_points",
    "placement": {"4": [5, 3, 2, 1]},
    "tie_breaks": ("wins",),
}
LIST: Final = [10, 8, 6, 5, 4, 3, 2, 1]
IN_ORDER: Final = (0, 2, 4, 7)
WITH_TIE: Final = (1, 3, 3, 6)
Sheet: TypeAlias = tuple[int, int, date, str, Sequence[int]]
"""Round, table, evening, players, and the hearts of each; the last one takes the queen too."""
SHEETS: Final[Sequence[Sheet]] = (
    (1, 1, FIRST, "ABCD", IN_ORDER),
    (1, 2, FIRST, "EFGH", WITH_TIE),
    (2, 1, SECOND, "CDBA", IN_ORDER),
    (2, 2, SECOND, "FEGZ", IN_ORDER),
    (3, 1, THIRD, "EDCB", IN_ORDER),
    (3, 2, THIRD, "ZFHG", IN_ORDER),
)


@pytest.fixture
def people(cast: Cast) -> Mapping[str, Player]:
    return dict(zip("ABCDEFGHZ", players(cast.riverside, *"ABCDEFGHZ"), strict=True))


def evening_league(cast: Cast, **settings: object) -> Event:
    return league(cast.riverside, slug="nights", settings={**SCHEME, **settings})


def play(
    event: Event, people: Mapping[str, Player], sheets: Sequence[Sheet] = SHEETS
) -> dict[tuple[int, int], Game]:
    games = {}
    for number, at, day, seats, hearts in sheets:
        seated = [people[name] for name in seats]
        game = table(event, seated, round_number=number, table_number=at, on=day)
        hand(game, 1, hearts, queen=3)
        games[number, at] = game
    return games


def publish_now(event: Event) -> Publication:
    publication = publish(event.pk, now=NOW)
    assert publication is not None
    make_all(event.pk)
    return publication


def places(document: Json, key: str = "evening_points") -> list[tuple[int | None, str, object]]:
    rows = (*document["rows"], *document["provisional_rows"])
    return [(row["rank"], row["player"], row[key]) for row in rows]


def stored(event: Event, kind: str, key: str) -> Json:
    row = StoredHistory.objects.get(event=event, kind=kind, key=key)
    document: Json = json.loads(bytes(row.body))
    return document


def test_each_evening_gives_points_for_its_places(cast: Cast, people: Mapping[str, Player]) -> None:
    event = evening_league(cast)
    play(event, people)
    document = publish_now(event).document
    assert places(document) == [
        (1, "E", "41/2"),
        (2, "F", "35/2"),
        (3, "C", 14),
        (4, "D", "25/2"),
        (5, "B", 11),
        (6, "G", "19/2"),
        (7, "A", 9),
        (7, "Z", 9),
        (9, "H", 5),
    ]
    assert document["scheme"]["evenings"] == {
        "ranked_by": "placement_points",
        "points": [],
        "min_unit": "game",
        "period_evenings": 0,
        "best_periods": 0,
    }


def moves(event: Event, number: int, day: date) -> dict[str, tuple[object, object]]:
    """Return how each moved in the table as of a round: which way, and what the place was."""
    rows = stored(event, "as_of", str(number))["rows"]
    places = {row["player"]: place_text(row["rank"], is_tied=row["tied"]) for row in rows}
    by_code = {row["player_id"]: row["player"] for row in rows}
    trends = get_trends(
        event, number, day, {row["player_id"]: places[row["player"]] for row in rows}
    )
    return {
        by_code[code]: (trend["movement"]["way"], trend["movement"]["was"])
        for code, trend in trends.items()
        if trend["movement"] is not None
    }


def test_places_are_compared_with_those_after_the_evening_before(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    event = evening_league(cast)
    sheets = (
        (1, 1, FIRST, "ABCD", IN_ORDER),
        (2, 1, SECOND, "DCBA", IN_ORDER),
        (3, 1, SECOND, "DABC", IN_ORDER),
    )
    play(event, people, sheets)
    publish_now(event)
    # After round 2 all four had five points.
    assert moves(event, 3, SECOND) == {
        "D": ("up", "4"), "A": ("same", "1"), "B": ("dn", "2"), "C": ("dn", "3"),
    }  # fmt: skip
    assert moves(event, 1, FIRST) == {}
    # A publication of a further round before its table as of that round is made.
    dora = people["D"].player_id
    movement = get_trends(event, 4, SECOND, {dora: "4"})[dora]["movement"]
    assert movement == {"way": "same", "by": 0, "was": "4"}
    Event.objects.filter(pk=event.pk).update(settings={**event.settings, "primary": "wins"})
    mark_changed(event=event, now=NOW)
    publish_now(event)
    event.refresh_from_db()
    assert moves(event, 3, SECOND)["D"] == ("same", "1="), "since the round before"


def test_the_table_of_an_evening_is_by_its_own_value(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    event = evening_league(cast)
    play(event, people)
    publish_now(event)
    assert places(stored(event, "evening", FIRST.isoformat()), "placement_points") == [
        (1, "A", 5),
        (1, "E", 5),
        (3, "B", 3),
        (4, "F", "5/2"),
        (4, "G", "5/2"),
        (6, "C", 2),
        (7, "D", 1),
        (7, "H", 1),
    ]


def test_best_two_evenings_count_with_their_games(cast: Cast, people: Mapping[str, Player]) -> None:
    best = {"unit": "meeting", "min": 2, "per": 1}
    event = evening_league(cast, best_of=best, evening_points=LIST)
    play(event, people)
    document = publish_now(event).document
    assert places(document) == [
        (1, "E", 18),
        (2, "F", "29/2"),
        (3, "C", "25/2"),
        (4, "D", 11),
        (5, "A", "21/2"),
        (5, "Z", "21/2"),
        (7, "B", "19/2"),
        (8, "G", 8),
        (9, "H", 5),
    ]
    left_out = {row["player"]: row["dropped"] for row in document["rows"]}
    assert left_out == {"A": 0, "Z": 0, "H": 0, **dict.fromkeys("BCDEFG", 1)}


def test_a_penalty_of_the_season_is_in_evening_points(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    best = {"unit": "meeting", "min": 2, "per": 1}
    event = evening_league(cast, best_of=best, evening_points=LIST)
    play(event, people)
    penalize(event, people["H"].player_id, "1", "Left without a word.")
    assert places(publish_now(event).document)[-1] == (9, "H", 4)


def test_a_penalty_of_an_evening_changes_its_places(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    event = evening_league(cast)
    play(event, people)
    # Ada has 3 points of evening 1 as Bert has, and she won a table: 7 points for the second place,
    # and 8 for Edda, who is first alone.
    penalize(event, people["A"].player_id, "2", "Came late.", meeting=FIRST)
    document = publish_now(event).document
    values = {row["player"]: row["evening_points"] for row in document["rows"]}
    assert (values["A"], values["E"], values["B"]) == ("17/2", 21, 11)


@pytest.mark.parametrize(("ranking", "of_evening"), [("raw_total", 2), ("placement_points", -2)])
def test_a_penalty_of_an_evening_has_the_sign_of_its_value(
    cast: Cast, people: Mapping[str, Player], ranking: str, of_evening: int
) -> None:
    # Fewer card points are better in the evening, and more evening points in the season.
    event = evening_league(cast, evening_ranking=ranking)
    play(event, people)
    ada = people["A"].player_id
    penalize(event, ada, "2", "Came late.", meeting=FIRST)
    penalize(event, ada, "2", "Left without a word.")
    values = [row["value"] for row in ledger_rows(event, penalties_add=penalties_add(event))]
    assert values == [of_evening, -2]
    document = publish_now(event).document
    (row,) = (row for row in document["rows"] if row["player"] == "A")
    assert [line["amount"] for line in row["ledger"]] == [of_evening, -2]
    (row,) = (
        row for row in stored(event, "evening", FIRST.isoformat())["rows"] if row["player"] == "A"
    )
    assert [line["amount"] for line in row["ledger"]] == [of_evening]
    form = {"entrant": ada, "kind": "penalty", "amount": "2", "reason": "Again."}
    path = f"/clubs/riverside/events/{event.slug}/ledger/new"
    page = cast.client("dirk").post(path, {**form, "meeting": FIRST.isoformat()})
    sign = "+2" if of_evening > 0 else "−2"
    assert sign in page.content.decode()


def test_periods_count_their_best_evenings_and_the_best_of_them_count(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    event = evening_league(
        cast,
        best_of={"unit": "meeting", "min": 1, "per": 1},
        evening_points=LIST,
        period_evenings=2,
        best_periods=1,
    )
    play(event, people)
    publication = publish_now(event)
    document = publication.document
    shown = [column.key for column in standings_view(publication).columns if column.is_first]
    assert shown == ["evening_points", "period_1", "period_2", "evenings"]
    # The second period has one evening so far, and counts for Z and H, who were better in it.
    assert places(document) == [
        (1, "A", 9),
        (1, "C", 9),
        (1, "E", 9),
        (1, "F", 9),
        (1, "Z", 9),
        (6, "B", 6),
        (7, "D", "11/2"),
        (8, "G", "9/2"),
        (9, "H", "7/2"),
    ]
    by_player = {row["player"]: row for row in document["rows"]}
    assert by_player["E"]["periods"] == [
        {"number": 1, "value": 9, "counts": True},
        {"number": 2, "value": 9, "counts": False},
    ]
    assert by_player["Z"]["periods"][1] == {"number": 2, "value": 9, "counts": True}
    assert (by_player["A"]["period_1"], by_player["A"]["period_2"]) == (9, None)


def test_a_cancelled_evening_moves_the_next_one_into_its_period(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    event = evening_league(cast, period_evenings=2)
    play(event, people, [sheet for sheet in SHEETS if sheet[2] != SECOND])
    Meeting.objects.create(club=event.club, event=event, date=SECOND, state="cancelled")
    document = publish_now(event).document
    (edda,) = (row for row in document["rows"] if row["player"] == "E")
    assert edda["periods"] == [{"number": 1, "value": 15, "counts": True}]


def test_the_table_as_of_a_round_says_that_its_evening_went_on(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    event = evening_league(cast)
    later = (4, 1, THIRD, "EDCB", IN_ORDER)
    play(event, people, [*SHEETS, later])
    publish_now(event)
    assert "so_far" not in stored(event, "as_of", "2")["as_of"]
    assert stored(event, "as_of", "3")["as_of"]["so_far"] is True
    assert "so_far" not in stored(event, "as_of", "4")["as_of"]
    assert places(stored(event, "as_of", "2"))[0] == (1, "E", 13)


def test_the_page_of_the_standings_says_that_the_evening_goes_on(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    event = evening_league(cast)
    play(event, people, [sheet for sheet in SHEETS if sheet[2] == FIRST])
    publish_now(event)
    path = f"/clubs/riverside/events/{event.slug}/standings"
    said = "The evening goes on: its points are those so far."
    with time_machine.travel(NOW, tick=False):
        assert said in cast.client().get(path, follow=True).content.decode()
        Round.objects.filter(event=event).update(state="closed", closed_at=NOW)
        Meeting.objects.filter(event=event).update(ended_at=NOW)
        assert said not in cast.client().get(path, follow=True).content.decode()
        # Where games are ranked, the table of the moment is no part of an evening.
        Meeting.objects.filter(event=event).update(ended_at=None)
        Event.objects.filter(pk=event.pk).update(settings={**event.settings, "primary": "wins"})
        assert said not in cast.client().get(path, follow=True).content.decode()


def test_tables_as_of_rounds_end_with_the_published_one(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    best = {"unit": "meeting", "min": 2, "per": 1}
    event = evening_league(cast, best_of=best, tie_breaks=["evenings", "wins", "index"])
    play(event, people)
    publication = publish_now(event)
    document = publication.document
    del document["publication"]
    assert stored(event, "as_of", "3") == document


def test_a_value_from_before_is_one_evening_of_its_day(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    best = {"unit": "meeting", "min": 2, "per": 1}
    event = evening_league(cast, best_of=best, evening_points=LIST)
    bring(event, people["A"].player_id, "8", on=FIRST - timedelta(weeks=1))
    play(event, people)
    document = publish_now(event).document
    (ada,) = (row for row in document["rows"] if row["player"] == "A")
    # 8 from before and 9 of evening 1; the 1.5 of evening 2 are left out.
    assert (ada["evening_points"], ada["evenings"], ada["dropped"]) == (17, 3, 1)


def test_a_minimum_may_be_of_evenings(cast: Cast, people: Mapping[str, Player]) -> None:
    event = evening_league(cast, min_games=3, min_unit="meeting")
    play(event, people)
    publication = publish_now(event)
    document = publication.document
    assert [row["player"] for row in document["provisional_rows"]] == ["A", "Z", "H"]
    # Where the reason speaks of the minimum, it speaks of evenings: as published, and on pages.
    last = document["rows"][-1]
    assert last["ahead"] == "above RL01: RL01 has too few evenings for a rank"
    view = standings_view(publication)
    assert view.unranked == "Not ranked yet: fewer than 3 evenings"
    rows = (*view.rows, *view.provisional_rows)
    sentences = [sentence for row in rows for sentence in (row.why, row.ahead)]
    assert "no place yet: 2 of 3 evenings" in sentences
    assert not any("games for" in sentence or "of 3 games" in sentence for sentence in sentences)


def test_only_the_evening_that_changed_is_ranked_again(
    cast: Cast, people: Mapping[str, Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    event = evening_league(cast)
    games = play(event, people)
    before = publish_now(event).document
    ranked: list[str] = []
    placed = EveningRanker.placed

    def note(ranker: EveningRanker, day: str, *rest: Any) -> Any:
        ranked.append(day)
        return placed(ranker, day, *rest)

    monkeypatch.setattr(EveningRanker, "placed", note)
    void_hand(by_tests(), games[1, 1], number=1, based_on=1, reason="Another table.")
    publication = publish(event.pk, now=NOW)
    assert publication is not None
    assert ranked == [FIRST.isoformat()]
    after = {row["player"]: row["evening_points"] for row in publication.document["rows"]}
    # E, F, G and H alone share 4 + 2.5 + 2.5 + 1 of evening 1.
    assert after["H"] == "9/2"
    assert before["rows"][-1]["evening_points"] == 5


def test_places_that_are_kept_wrongly_are_found_and_mended(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    event = evening_league(cast)
    play(event, people)
    publish_now(event)
    row = StoredHistory.objects.get(event=event, kind="evening_places")
    kept = json.loads(bytes(row.body))
    kept[FIRST.isoformat()]["tiers"].reverse()
    StoredHistory.objects.filter(pk=row.pk).update(body=json.dumps(kept).encode())
    mark_changed(event=event, now=NOW)
    wrong = publish(event.pk, now=NOW)
    assert wrong is not None
    assert verify_publication(event, repair=True, now=NOW) == PublicationState.DIFFERS
    mended = publish(event.pk, now=NOW)
    assert mended is not None
    assert places(mended.document)[0] == (1, "E", "41/2")


def test_a_season_ranks_the_evenings_of_each_event_by_themselves(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    first = league(cast.riverside, slug="first", settings={"primary": "placement_points"})
    second = league(cast.riverside, slug="second", settings=SCHEME)
    play(first, people, [sheet for sheet in SHEETS if sheet[2] == FIRST])
    # Another league on the evening of the first one, and one of its own.
    same_day = [(1, 1, FIRST, "CDBA", IN_ORDER), (1, 2, FIRST, "FEGZ", IN_ORDER)]
    play(second, people, [*same_day, *(sheet for sheet in SHEETS if sheet[2] == THIRD)])
    autumn = autumn_season(cast.riverside, preset="evenings")
    assign_event(first, autumn)
    assign_event(second, autumn)
    values = as_stored(preset_settings("evenings"))
    values |= {"tie_breaks": ["wins"], "best_of": {"unit": "meeting", "min": 2, "per": 1}}
    Season.objects.filter(pk=autumn.pk).update(settings=values)
    for event in (first, second):
        publish(event.pk, now=NOW)
    publication = publish_season(autumn.pk, now=NOW)
    assert publication is not None
    # Each evening is one of eight players; Edda has 7.5, 5.5 and 7.5, two of them on one day.
    assert places(publication.document) == [
        (1, "E", 15),
        (2, "F", 13),
        (3, "C", 11),
        (4, "D", 11),
        (5, "B", "19/2"),
        (6, "A", 9),
        (6, "Z", 9),
        (8, "G", 8),
        (9, "H", 5),
    ]


def test_the_page_of_penalties_names_the_unit_of_an_evening(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    event = evening_league(cast)
    play(event, people)
    page = cast.client("dirk").get(f"/clubs/riverside/events/{event.slug}/ledger")
    text = " ".join(page.content.decode().split())
    assert "The amount is in evening points." in text
    assert "In an evening the amount is in place points and changes the places" in text


def test_the_page_of_a_player_lists_evenings_in_place_of_tables(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    best = {"unit": "meeting", "min": 2, "per": 1}
    event = evening_league(cast, best_of=best, evening_points=LIST)
    bring(event, people["A"].player_id, "8", on=FIRST - timedelta(weeks=1))
    play(event, people)
    publish_now(event)
    values = list_counted_values(event, get_entrant(event, people["A"].player_id))
    assert [(value.key, value.value, value.counts) for value in values] == [
        ("evening:2025-11-13", "1.5", False),
        ("evening:2025-11-06", "9.0", True),
        ("value:1", "8.0", True),
    ]


def test_a_copy_of_the_event_counts_evenings_as_it_does(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    event = evening_league(cast, evening_points=LIST, period_evenings=2, best_periods=1)
    copy = copy_event(by_tests(), event, name="Next year")
    assert settings_of(copy) == settings_of(event)


def test_the_preview_of_settings_ranks_by_evenings_as_the_publication_does(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    event = league(cast.riverside, slug="plain", settings={**SCHEME, "primary": "wins"})
    play(event, people)
    publish(event.pk, now=NOW)
    wanted = read_settings({**event.settings, **SCHEME, "evening_points": LIST})
    draft = standings_under(event, wanted)
    assert [str(row.value) for row in draft.placed][:3] == ["47/2", "19", "31/2"]
    Event.objects.filter(pk=event.pk).update(settings=as_stored(wanted))
    mark_changed(event=event, now=NOW)
    published = publish(event.pk, now=NOW)
    assert published is not None
    previewed = [(row.rank, row.sums.code) for row in draft.placed]
    assert [(row["rank"], row["player_id"]) for row in published.document["rows"]] == previewed


def test_a_bye_counts_in_its_evening_and_never_again(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    event = evening_league(cast, bye_award="scheme_mean", tie_breaks=[])
    games = play(event, people, [(1, 1, FIRST, "ABCD", IN_ORDER), (2, 1, FIRST, "EABC", IN_ORDER)])
    sit_out(by_tests(), games[1, 1].table.round, entrant=people["E"].player_id, reason="bye")
    sit_out(by_tests(), games[2, 1].table.round, entrant=people["D"].player_id, reason="bye")
    # Evening: A 5 + 3, E 2.75 + 5, B 3 + 2, D 1 + 2.75, C 2 + 1; without byes E and B tied.
    document = publish_now(event).document
    assert places(document) == [(1, "A", 5), (2, "E", 4), (3, "B", 3), (4, "D", 2), (5, "C", 1)]
    assert [row["byes"] for row in document["rows"]] == [0, 1, 0, 1, 0]


def test_a_guest_is_ranked_in_the_evening_and_takes_no_points(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    best = {"unit": "meeting", "min": 2, "per": 1}
    event = evening_league(cast, best_of=best, evening_points=LIST, guests="evening")
    play(event, people)
    Entrant.objects.filter(event=event, code=people["Z"].player_id).update(guest=True)
    document = publish_now(event).document
    assert places(document) == [
        (1, "E", 19),
        (2, "F", 16),
        (3, "C", "27/2"),
        (4, "D", "25/2"),
        (5, "A", 11),
        (6, "B", "19/2"),
        (7, "G", 8),
        (8, "H", 6),
        (None, "Z", 0),
    ]
    assert document["provisional_rows"][0]["evenings"] == 2
    third = stored(event, "evening", THIRD.isoformat())
    assert [(row["rank"], row["player"]) for row in third["rows"]][:2] == [(1, "E"), (1, "Z")]
    # Once Zoë is a member, all that she has played counts.
    Entrant.objects.filter(event=event, guest=True).update(guest=False)
    mark_changed(event=event, now=NOW)
    joined = publish(event.pk, now=NOW)
    assert joined is not None
    assert places(joined.document)[4:6] == [(5, "A", "21/2"), (5, "Z", "21/2")]


def test_the_sheet_of_rules_has_the_last_evening_with_its_points(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    event = evening_league(cast, evening_points=LIST)
    play(event, people)
    publish_now(event)
    example = find_rule_example(event)
    assert example is not None
    # Edda won her table of evening 3 and shared the first place with Zoë.
    assert (example.day, example.name, example.points) == (THIRD, "E", "9.0")
    assert [(table.value, table.counts) for table in example.tables] == [(5, True)]
    assert (example.value_name, example.season_value_name) == ("Place points", "Evening points")


def test_the_table_of_an_evening_says_what_its_places_give_in_the_season(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    event = evening_league(cast, evening_points=[10, 8, 6, 2], guests="evening")
    play(event, people)
    Entrant.objects.filter(event=event, code=people["Z"].player_id).update(guest=True)
    publish_now(event)
    third = stored(event, "evening", THIRD.isoformat())
    # Edda and the guest Zoë shared the first place; of the members Edda has it alone.
    assert [(row["rank"], row["player"], row["evening_points"]) for row in third["rows"]][:4] == [
        (1, "E", 10),
        (1, "Z", None),
        (3, "D", 7),
        (3, "F", 7),
    ]
    path = f"/clubs/riverside/events/{event.slug}/meetings/{THIRD}"
    page = cast.client().get(path).content.decode()
    assert "Evening points" in page
    csv = cast.client().get(f"/api/v1{path}/standings.csv").content.decode()
    assert csv.splitlines()[0].endswith(",evening_points,guest")
    # Where the points of the places change, so do the tables of the evenings.
    values = {**event.settings, "evening_points": [9, 7]}
    Event.objects.filter(pk=event.pk).update(settings=values)
    mark_changed(event=event, now=NOW)
    publish_now(event)
    again = stored(event, "evening", THIRD.isoformat())
    assert [row["evening_points"] for row in again["rows"]][:3] == [9, None, "7/2"]


def test_the_table_of_an_evening_has_no_such_points_where_games_are_ranked(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    event = league(cast.riverside, slug="plain", settings={**SCHEME, "primary": "placement_points"})
    play(event, people)
    publish_now(event)
    first = stored(event, "evening", FIRST.isoformat())
    assert all("evening_points" not in row for row in first["rows"])
