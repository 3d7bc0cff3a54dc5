"""A season started in the middle: opening values count as what they are."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from fractions import Fraction
from typing import Any

import pytest
from django.test import Client

from scoring.errors import Refused
from tests.support.answers import Json
from tests.support.builders import bring, by_tests, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.history import make_all
from tournaments.domain.event_settings import Settings
from tournaments.errors import Conflict
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.rounds import Round
from tournaments.models.standings import Change, Contribution, OpeningValue, Publication
from tournaments.selectors.standings.opening_values import (
    bye_warnings,
    byes_without_mean,
    get_opening_value,
    opening_lines,
)
from tournaments.services.events.adjustments import sit_out
from tournaments.services.events.change_event import change_settings
from tournaments.services.events.opening_values import (
    NewOpeningValue,
    add_opening_values,
    opening_value_problems,
    problems_of_value,
    withdraw_opening_value,
)
from tournaments.services.hands.record_entry import record_totals
from tournaments.services.publishing.publications import publish
from tournaments.services.verification.event import verify_event
from tournaments.services.verification.games import no_report

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

OP = by_tests()
FIRST_DAY = date(2026, 10, 6)
EVENINGS = (
    (18, 27, 40, 45), (22, 48, 30, 30), (20, 34, 35, 41), (43, 12, 37, 38), (31, 31, 32, 36),
    (15, 29, 34, 52),
)  # fmt: skip
BEST_3: dict[str, Any] = {"best_of": {"unit": "meeting", "min": 3, "per": 1}}


def day(number: int) -> date:
    return FIRST_DAY + timedelta(days=7 * (number - 1))


def season(cast: Cast, slug: str, settings: dict[str, Any], first: int = 1) -> Event:
    """A season of six evenings, entered from evening `first` on."""
    event = league(cast.riverside, slug=slug, settings=settings)
    people = list(Player.objects.filter(club=cast.riverside).order_by("player_id")[:4])
    people = people or players(cast.riverside, "Ann", "Ben", "Cai", "Dora")
    for number in range(first, 7):
        game = table(event, people, round_number=number - first + 1, on=day(number))
        points = {"points": list(EVENINGS[number - 1])}
        record_totals(OP, game, entry=points, source="host", hands=5)
    return event


def body_of(event: Event) -> Json:
    publication = publish(event.pk, now=NOW)
    assert publication is not None
    body: Json = json.loads(bytes(publication.body))
    return body


def brought(whole: Event, field: str, until: int) -> list[NewOpeningValue]:
    """What each entrant made on each evening of a season up to one, in the unit of its ranking."""
    rows = Contribution.objects.filter(event=whole, game__table__round__number__lte=until)
    return [
        NewOpeningValue(
            row.entrant.code,
            row.game.table.round.meeting.date,  # type: ignore[union-attr]  # each has one
            f"{getattr(row, field)}/360360",
            games=1,
            wins=int(row.place == 1),
            hands=row.hands,
        )
        for row in rows.select_related("entrant", "game__table__round__meeting").order_by("pk")
    ]


ALIKE = ("player_id", "rank", "tied", "tables", "hands", "wins", "dropped", "values")


@pytest.mark.parametrize(
    ("primary", "field", "rule"),
    [
        ("placement_points", "place_points", BEST_3), ("raw_total", "points", BEST_3),
        ("raw_per_hand", "points", {"drop_worst": 2}), ("wins", "win_share", {}),
    ],
)  # fmt: skip
def test_season_started_in_the_middle_equals_the_season_by_hands(
    cast: Cast, primary: str, field: str, rule: dict[str, Any]
) -> None:
    settings = {"primary": primary, **rule}
    whole = season(cast, "whole", settings)
    started = season(cast, "started", settings, first=4)
    add_opening_values(OP, started, values=brought(whole, field, 3), reason="The list on paper.")
    expected, standings = body_of(whole), body_of(started)
    for row, other in zip(standings["rows"], expected["rows"], strict=True):
        assert {key: row[key] for key in ALIKE} == {key: other[key] for key in ALIKE}
        assert [value["counts"] for value in row["opening_values"]].count(True) <= 3
    assert not verify_event(started, repair=False, now=NOW, report=no_report).differs


def test_rows_mark_what_is_from_before_and_what_does_not_count(cast: Cast) -> None:
    event = season(cast, "started", {"primary": "placement_points", **BEST_3}, first=4)
    for at, value in enumerate(("5", "1", "7/2"), start=1):
        bring(event, "RL01", value, on=day(at), hands=5, penalty="1/2" if at == 3 else "")
    (row,) = [row for row in body_of(event)["rows"] if row["player_id"] == "RL01"]
    # From evening 4 on the player made 1, 4 and 5 points; the best three are 5, 5 and 4.
    assert (row["from_before"], row["adjustment"], row["dropped"]) == (5, "-1/2", 3)
    assert (row["placement_points"], row["tables"], row["hands"]) == ("27/2", 6, 30)
    assert [(one["date"], one["value"], one["counts"]) for one in row["opening_values"]] == [
        ("2026-10-06", 5, True), ("2026-10-13", 1, False), ("2026-10-20", "7/2", False),
    ]  # fmt: skip
    # The card points of before are not known, so the average is over the hands played here.
    assert row["average_exact"] == str(Fraction(row["points"], 15))
    heads, first, *_ = bytes(Publication.objects.get(event=event).csv).decode().splitlines()
    assert dict(zip(heads.split(","), first.split(","), strict=True))["from_before"] == "5"


def test_many_values_are_added_once_and_withdrawn_in_one(cast: Cast) -> None:
    event = season(cast, "started", {"primary": "placement_points", **BEST_3}, first=4)
    newcomer = players(cast.riverside, "Eve")[0].player_id
    before = publish(event.pk, now=NOW)
    values = [
        NewOpeningValue(code, day(at), "3", games=1)
        for code in ("RL01", "RL02", newcomer)
        for at in (1, 2)
    ]
    added = add_opening_values(OP, event, values=values, reason="The list on paper.")
    again = add_opening_values(OP, event, values=values, reason="The list on paper.")
    assert (added["added"], added["first"], again["added"], again["unchanged"]) == (6, 1, 0, 6)
    rows = {row["player_id"]: row for row in body_of(event)["rows"]}
    assert (rows[newcomer]["placement_points"], rows[newcomer]["tables"]) == (6, 2)
    withdraw_opening_value(OP, get_opening_value(event, 4), reason="Wrong list.", together=True)
    assert not OpeningValue.objects.filter(withdrawn_at=None).exists()
    after = publish(event.pk, now=NOW)
    assert before is not None
    assert after is not None
    assert after.digest == before.digest
    assert not verify_event(event, repair=False, now=NOW, report=no_report).differs
    kinds = [change.kind for change in Change.objects.filter(event=event).order_by("pk")]
    assert kinds == ["opening_values", "withdrawn_opening_values"]
    with pytest.raises(Conflict, match="line_is_withdrawn"):
        withdraw_opening_value(OP, get_opening_value(event, 4), reason="Again.")


def refused(event: Event, *values: NewOpeningValue) -> list[tuple[str, object]]:
    with pytest.raises(Refused) as refusal:
        add_opening_values(OP, event, values=values, reason="The list on paper.")
    assert not OpeningValue.objects.exists()
    return [(problem.code, problem.at) for problem in refusal.value.problems]


def test_bad_rows_are_named_at_once_and_nothing_is_written(cast: Cast) -> None:
    event = season(cast, "started", {"primary": "placement_points", "drop_worst": 1}, first=6)
    good = NewOpeningValue("RL01", day(1), "3", games=1)
    found = refused(
        event,
        good,
        NewOpeningValue("RL99", day(1), "x", games=1, wins=2),
        NewOpeningValue("RL02", day(1), "0.33", games=2, penalty="-1"),
        NewOpeningValue("RL01", day(1), "4"),
    )
    assert found == [
        ("unknown_entrant", ("values", 1, "entrant")),
        ("bad_opening_value", ("values", 1, "value")),
        ("bad_opening_count", ("values", 1, "wins")),
        ("amount_not_exact", ("values", 2, "value")),
        ("bad_amount", ("values", 2, "penalty")),
        ("opening_value_of_several_games", ("values", 2, "games")),
    ]
    assert refused(event, good, replace(good, value="4")) == [
        ("opening_value_exists", ("values", 1, "date"))
    ]
    assert refused(event, *[good] * 2001) == [("opening_values_count", ("values",))]


@pytest.mark.parametrize(
    ("primary", "needs"),
    [
        ("raw_per_hand", "hands"), ("raw_total", "hands"), ("beaten_mean", "games"),
        ("index_per_game", "games"),
    ],
)  # fmt: skip
def test_means_need_what_they_are_divided_by(cast: Cast, primary: str, needs: str) -> None:
    event = season(cast, "started", {"primary": primary}, first=6)
    value = NewOpeningValue("RL01", day(1), "3")
    assert refused(event, value) == [("opening_value_needs", ("values", 0, needs))]
    add_opening_values(OP, event, values=[replace(value, **{needs: 2})], reason="On paper.")  # type: ignore[arg-type]  # a count
    (row,) = [row for row in body_of(event)["rows"] if row["player_id"] == "RL01"]
    assert row["from_before"] == 3


def test_primary_value_of_boards_says_which_others_take_values(cast: Cast) -> None:
    settings = {"primary": "matchpoints", "duplicate": True, "length": "hands:4"}
    event = league(cast.riverside, settings=settings)
    (anna,) = players(cast.riverside, "Anna")
    with pytest.raises(Refused) as refusal:
        add_opening_values(
            OP, event, values=[NewOpeningValue(anna.player_id, day(1), "3")], reason="On paper."
        )
    (problem,) = refusal.value.problems
    assert problem.code == "opening_value_not_possible"
    assert "Placement points" in str(problem.facts["known"])


def test_ranking_keeps_the_unit_of_its_values(cast: Cast) -> None:
    event = season(cast, "started", {"primary": "placement_points"}, first=6)
    value = NewOpeningValue("RL01", day(1), "9", games=3)
    add_opening_values(OP, event, values=[value], reason="On paper.")
    for wanted, code in (
        ({"primary": "wins"}, "opening_values_in_other_units"),
        ({"drop_worst": 1}, "opening_value_of_several_games"),
    ):
        with pytest.raises(Refused) as refusal:
            change_settings(OP, event, values=wanted, reason="So we want it.")
        assert [problem.code for problem in refusal.value.problems] == [code]


def test_table_as_of_a_day_has_the_values_up_to_that_day(cast: Cast) -> None:
    event = season(cast, "started", {"primary": "placement_points", **BEST_3}, first=5)
    values = [NewOpeningValue("RL01", day(at), "5", games=1) for at in (1, 2)]
    late = NewOpeningValue("RL01", day(5) + timedelta(days=3), "4", games=1)
    add_opening_values(OP, event, values=[*values, late], reason="On paper.")
    body_of(event)
    make_all(event.pk)
    totals = {}
    for on in (day(5), late.date, day(6)):
        answer = Client().get(f"/api/v1/clubs/riverside/events/started/standings?date={on}")
        rows = {row["player_id"]: row for row in answer.json()["rows"]}
        totals[on] = (rows["RL01"]["from_before"], rows["RL01"]["tables"])
    # The value of three days later is worth as much as the game of that evening, and is left out.
    assert totals == {day(5): (10, 3), late.date: (10, 4), day(6): (10, 5)}


def test_first_places_from_before_break_a_tie(cast: Cast) -> None:
    settings = {"primary": "placement_points", "tie_breaks": ["countback"], **BEST_3}
    event = season(cast, "started", settings, first=7)
    values = [
        NewOpeningValue(code, day(1), "8", games=2, wins=wins)
        for code, wins in (("RL01", 0), ("RL02", 1))
    ]
    add_opening_values(OP, event, values=values, reason="On paper.")
    rows = body_of(event)["rows"]
    assert [(row["rank"], row["player_id"]) for row in rows] == [(1, "RL02"), (2, "RL01")]


OWN_MEAN = {"primary": "placement_points", "bye_award": "own_mean"}


def bring_value(event: Event, who: Player, value: str, *, games: int | None) -> None:
    row = NewOpeningValue(who.player_id, date(2026, 9, 1), value, games=games)
    add_opening_values(OP, event, values=[row], reason="The list on paper.")


def with_a_bye(cast: Cast, *, games: int | None = None) -> tuple[Event, list[Player]]:
    """The first of five has 18 points from before, and a bye in round 1."""
    event = league(cast.riverside, settings=OWN_MEAN)
    people = players(cast.riverside, "Ann A.", "Ben B.", "Cai C.", "Dora D.", "Eve E.")
    bring_value(event, people[0], "18", games=games)
    finish(event, people[1:], 1)
    round_ = Round.objects.get(event=event, number=1)
    sit_out(cast.operation("dirk"), round_, entrant=people[0].player_id, reason="bye")
    return event, people


def finish(event: Event, people: Sequence[Player], number: int) -> None:
    """A table that ends in the order of these players."""
    game = table(event, people, round_number=number, on=day(number))
    record_totals(OP, game, entry={"points": [18, 27, 40, 45]}, source="host", hands=5)


def points_of(event: Event, who: Player) -> int | str:
    (row,) = [row for row in body_of(event)["rows"] if row["player_id"] == who.player_id]
    points: int | str = row["placement_points"]
    return points


def test_bye_is_the_mean_of_the_games_whose_number_is_known(cast: Cast) -> None:
    event, people = with_a_bye(cast)
    finish(event, [*people[1:4], people[0]], 2)
    assert points_of(event, people[0]) == 20, "18 from before, 1 for a game, 1 for the bye"


@pytest.mark.parametrize(("games", "expected"), [(4, "45/2"), (None, 18)])
def test_bye_before_any_game_takes_its_mean_from_the_value_or_waits(
    cast: Cast, games: int | None, expected: int | str
) -> None:
    event, people = with_a_bye(cast, games=games)
    assert points_of(event, people[0]) == expected


def test_value_of_who_had_a_bye_and_no_game_asks_for_its_number_of_games(cast: Cast) -> None:
    event, people = with_a_bye(cast)
    withdraw_opening_value(OP, get_opening_value(event, 1), reason="Typed wrong.")
    for number in (None, 0):
        with pytest.raises(Refused) as refused:
            bring_value(event, people[0], "18", games=number)
        (problem,) = refused.value.problems
        assert (problem.code, problem.at) == ("bye_needs_games", ("values", 0, "games"))
    assert not OpeningValue.objects.filter(event=event, withdrawn_at=None).exists()
    bring_value(event, people[0], "18", games=1)
    bring_value(event, people[1], "7", games=None)  # has no bye
    assert points_of(event, people[0]) == 36


def test_settings_name_who_waits_for_a_number_of_games(cast: Cast) -> None:
    event, people = with_a_bye(cast)
    address = "/clubs/riverside/events/league/settings"
    api = f"/api/v1{address}"
    words = "no number of games is known of Ann A."
    dirk = cast.client("dirk")
    assert words in dirk.get(address).content.decode()
    notes = dirk.get(api).json()["warnings"]
    assert [note["key"] for note in notes if note["code"] == "bye_needs_games"] == ["bye_award"]
    finish(event, [*people[1:4], people[0]], 2)
    assert words not in dirk.get(address).content.decode()
    assert "bye_needs_games" not in dirk.get(api).content.decode()


def test_page_of_settings_asks_for_byes_at_the_same_cost_in_a_large_event(
    cast: Cast, django_assert_max_num_queries: Any
) -> None:
    event, _people = with_a_bye(cast)
    with django_assert_max_num_queries(5):
        assert len(bye_warnings(event)) == 1


WINS_COUNT = Settings(primary="wins")


@pytest.mark.parametrize(
    ("figures", "wrong"),
    [
        ({"games": 100_000, "hands": 100_000, "wins": 100_000}, []),
        ({"games": 100_001}, ["games"]),
        ({"hands": 100_001}, ["hands"]),
        ({"wins": 100_001}, ["wins"]),
        ({"games": 3, "wins": 3}, []),
        ({"games": 3, "wins": 4}, ["wins"]),
        ({"games": 0, "wins": 0, "hands": 0}, []),
        ({"games": -1}, ["games"]),
        ({"hands": -1}, ["hands"]),
        ({"wins": -1}, ["wins"]),
    ],
)
def test_figures_of_a_value_have_bounds(figures: dict[str, Any], wrong: list[str]) -> None:
    row = replace(NewOpeningValue("RL01", day(1), "3"), **figures)
    problems = problems_of_value(WINS_COUNT, row)
    assert [(problem.code, problem.at) for problem in problems] == [
        ("bad_opening_count", (name,)) for name in wrong
    ]


@pytest.mark.parametrize(
    ("settings", "codes"),
    [
        ({"drop_worst": 1}, {1: [], 2: ["opening_value_of_several_games"]}),
        ({"best_of": {"unit": "game", "min": 3, "per": 1}},
         {1: [], 2: ["opening_value_of_several_games"]}),
        (BEST_3, {1: [], 2: []}),
        ({}, {1: [], 2: []}),
    ],
)  # fmt: skip
def test_value_of_several_games_is_refused_where_games_are_dropped(
    settings: dict[str, Any], codes: dict[int, list[str]]
) -> None:
    counted = Settings(primary="wins", **settings)
    for games, expected in codes.items():
        row = NewOpeningValue("RL01", day(1), "1", games=games)
        assert [problem.code for problem in problems_of_value(counted, row)] == expected


def test_two_thousand_values_at_once_are_not_too_many_and_none_are_too_few(cast: Cast) -> None:
    event = season(cast, "started", {"primary": "wins"}, first=6)
    good = NewOpeningValue("RL01", day(1), "3", games=3)
    assert {code for code, _at in refused(event, *[good] * 2000)} == {"opening_value_exists"}
    assert refused(event) == [("opening_values_count", ("values",))]


def test_value_hinders_another_ranking_until_it_is_withdrawn(cast: Cast) -> None:
    event = season(cast, "started", {"primary": "wins"}, first=6)
    value = NewOpeningValue("RL01", day(1), "1", games=2)
    add_opening_values(OP, event, values=[value], reason="The list on paper.")
    dropping = Settings(primary="wins", drop_worst=1)
    by_points = Settings(primary="placement_points")

    def codes(after: Settings) -> list[str]:
        return [problem.code for problem in opening_value_problems(event, after)]

    assert codes(dropping) == ["opening_value_of_several_games"]
    assert codes(by_points) == ["opening_values_in_other_units"]
    assert [problem.facts for problem in opening_value_problems(event, dropping)] == [{"found": 2}]
    withdraw_opening_value(OP, get_opening_value(event, 1), reason="Counted twice.")
    assert (codes(dropping), codes(by_points)) == ([], [])


def test_value_is_withdrawn_with_a_reason_in_its_own_event_alone(cast: Cast) -> None:
    events = [season(cast, slug, {"primary": "wins"}, first=6) for slug in ("one", "two")]
    value = NewOpeningValue("RL01", day(1), "1")
    for event in events:
        add_opening_values(OP, event, values=[value], reason="The list on paper.")
    first, second = (get_opening_value(event, 1) for event in events)
    assert (first.event_id, second.event_id) == (events[0].pk, events[1].pk)
    with pytest.raises(Refused, match="reason_required"):
        withdraw_opening_value(OP, first, reason=" ")
    assert withdraw_opening_value(OP, first, reason="Counted twice.").withdrawn_at == NOW
    assert get_opening_value(events[1], 1).withdrawn_at is None


def test_values_of_some_entrants_and_their_byes_are_theirs_alone(cast: Cast) -> None:
    event, people = with_a_bye(cast)
    bring_value(event, people[1], "20", games=2)
    entrants = {row.code: row.pk for row in event.entrants.all()}
    first, second = (entrants[person.player_id] for person in people[:2])
    assert opening_lines(event).keys() == {first, second}
    assert opening_lines(event, [second]).keys() == {second}


@pytest.mark.parametrize(
    ("primary", "waits"), [("placement_points", True), ("raw_per_hand", False)]
)
def test_bye_of_a_ranking_by_means_waits_for_no_number_of_games(
    cast: Cast, primary: str, *, waits: bool
) -> None:
    event, _people = with_a_bye(cast)
    settings = Settings(primary=primary, bye_award="own_mean")
    assert bool(byes_without_mean(event, settings)) is waits
