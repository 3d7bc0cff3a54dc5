"""The worked league of docs/algorithms/standings.md: page, REST and CSV say the same."""

import csv
import io
import json
import re
from collections.abc import Iterable
from datetime import date, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.support.answers import Json
from tests.support.builders import by_tests, league, penalize, table
from tests.support.cast import NOW, Cast
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.jobs import Dirty, history_scope
from tournaments.models.rounds import Round
from tournaments.models.standings import Publication
from tournaments.selectors.events.entrants import get_entrant, get_line
from tournaments.services.clubs.clubs import add_player
from tournaments.services.events.adjustments import sit_out, withdraw_line
from tournaments.services.hands.record_entry import record_totals
from tournaments.services.ladders.members import move_entrant
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.rank_and_render import draft_standings
from tournaments.services.publishing.tie_break_evidence import StoredGames

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

WORKED = (
    "A18 B27 C40 D45 / E22 F30 G30 H48",
    "E20 F34 A35 B41 / C12 G37 D38 H43",
    "A31 C31 G32 E36 / B15 D29 H34 F52",
)
PAGE = "/clubs/riverside/events/league"
REST = f"/api/v1{PAGE}"


def worked(cast: Cast, rounds: tuple[str, ...] = WORKED, **settings: object) -> Event:
    """Enter the league's sheets: five hands a table, of which the totals are known."""
    for code in "ABCDEFGH":
        if not Player.objects.filter(club=cast.riverside, player_id=code).exists():
            add_player(by_tests(), cast.riverside, name=f"Player {code}", player_id=code)
    event = league(cast.riverside, settings=settings)
    for number, tables in enumerate(rounds, start=1):
        play(event, number, tables)
    return event


def play(event: Event, number: int, tables: str) -> None:
    for at, text in enumerate(tables.split(" / "), start=1):
        codes, totals = zip(*((one[0], int(one[1:])) for one in text.split()), strict=True)
        seated = [Player.objects.get(club=event.club, player_id=code) for code in codes]
        game = table(
            event, seated, round_number=number, table_number=at,
            on=date(2025, 11, 6) + timedelta(days=7 * number),
        )  # fmt: skip
        record_totals(
            by_tests(), game, entry={"points": list(totals)}, source="host", hands=5,
        )  # fmt: skip


def body_of(event: Event) -> Json:
    publication = publish(event.pk, now=NOW)
    assert publication is not None
    found: dict[str, Any] = json.loads(bytes(publication.body))
    return found


def order(body: Json) -> str:
    """The places: `1 A, 2= C, 2= E`, and `- H` without one."""
    return ", ".join(
        f"{row['rank'] or '-'}{'=' * row['tied']} {row['player_id']}"
        for row in (*body["rows"], *body["provisional_rows"])
    )


def row_of(body: Json, code: str) -> Json:
    rows = (*body["rows"], *body["provisional_rows"])
    found: dict[str, Any]
    (found,) = [row for row in rows if row["player_id"] == code]
    return found


@pytest.mark.parametrize(
    ("primary", "tie_breaks", "places"),
    [
        ("placement_points", [], "1= A, 1= C, 1= E, 4 B, 5 G, 6 F, 7 D, 8 H"),
        ("placement_points", ["h2h"], "1 A, 2 C, 3 E, 4 B, 5 G, 6 F, 7 D, 8 H"),
        ("placement_points", ["wins", "h2h"], "1 E, 2 A, 3 C, 4 B, 5 G, 6 F, 7 D, 8 H"),
        ("placement_points", ["index"], "1 E, 2 C, 3 A, 4 B, 5 G, 6 F, 7 D, 8 H"),
        ("placement_points", ["sos"], "1 A, 2 E, 3 C, 4 B, 5 G, 6 F, 7 D, 8 H"),
        ("beaten_mean", [], "1= A, 1= C, 3 E, 4 B, 5 G, 6 F, 7 D, 8 H"),
        ("raw_per_hand", [], "1 E, 2= B, 2= C, 4 A, 5 G, 6 D, 7 F, 8 H"),
        ("raw_total", ["h2h"], "1 E, 2 B, 3 C, 4 A, 5 G, 6 D, 7 F, 8 H"),
        ("index_per_game", [], "1 E, 2= B, 2= C, 4 A, 5 G, 6 D, 7 F, 8 H"),
        ("wins", [], "1 E, 2= A, 2= C, 4 B, 5= D, 5= F, 5= G, 5= H"),
    ],
)  # fmt: skip
def test_each_primary_value_and_tie_break_order_gives_the_worked_order(
    cast: Cast, primary: str, tie_breaks: list[str], places: str
) -> None:
    body = body_of(worked(cast, primary=primary, tie_breaks=tie_breaks))
    assert order(body) == places
    assert (body["scheme"]["primary"], body["scheme"]["tie_breaks"]) == (primary, tie_breaks)


def test_rows_argue_both_ways_with_the_sum_that_decides(cast: Cast) -> None:
    body = body_of(worked(cast, primary="placement_points", tie_breaks=["h2h"]))
    first, second, third, fourth = (row_of(body, code) for code in "ACEB")
    assert (first["reason"], first["values"]) == ("", {"placement_points": "11", "h2h": "2.5/4"})
    assert first["ahead"] == (
        "above C: same points, ahead in 2.5 of 4 comparisons among the 3, against 1.5 of 3"
    )
    assert second["decided_by"] == "h2h"
    assert second["reason"].startswith("tied with A: 11 points; head to head 1.5/3 against 2.5/4")
    assert third["ahead"] == "above B: 11 points against 9"
    assert fourth["reason"] == "9 points, 2 behind E"


def test_page_rest_and_csv_carry_the_same_rows(cast: Cast) -> None:
    body = body_of(worked(cast, primary="placement_points", tie_breaks=["wins", "h2h"]))
    assert cast.client().get(f"{REST}/standings").json() == body
    text = cast.client().get(f"{REST}/standings.csv").content.decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert list(rows[0])[:13] == [
        "rank", "player_id", "player", "tables", "hands", "points", "average_per_hand", "wins",
        "shared_wins", "second", "third", "fourth", "moons",
    ]  # fmt: skip
    assert list(rows[0])[13:] == ["placement_points", "win_share"]
    assert [(row["player_id"], row["placement_points"], row["win_share"]) for row in rows[:5]] == [
        ("E", "11", "2"), ("A", "11", "3/2"), ("C", "11", "3/2"), ("B", "9", "1"),
        ("G", "15/2", "0"),
    ]  # fmt: skip
    page = cast.client().get(PAGE).content.decode()
    assert '<tr id="E"><td class="pl">1</td>' in page
    assert re.search(r'players/G">\s*7[.]50?\s*</a>', page)
    assert 'aria-sort="descending"><a href="?sort=placement_points">Place points</a>' in page


def test_lot_is_drawn_from_the_published_seed(cast: Cast) -> None:
    event = worked(cast, primary="placement_points", tie_breaks=["lot"])
    Event.objects.filter(pk=event.pk).update(seed="7f3c")
    body = body_of(event)
    assert body["scheme"]["seed"] == "7f3c"
    assert all(not row["tied"] for row in body["rows"])
    lots = {code: row_of(body, code)["values"]["lot"] for code in "ACE"}
    assert [row["player_id"] for row in body["rows"][:3]] == sorted(lots, key=lots.__getitem__)
    assert "from the seed 7f3c" in cast.client().get(PAGE).content.decode()


def test_seed_is_kept_where_no_lot_is_in_the_chain(cast: Cast) -> None:
    assert body_of(worked(cast))["scheme"]["seed"] is None


def test_worst_game_is_dropped_and_said(cast: Cast) -> None:
    body = body_of(worked(cast, primary="placement_points", drop_worst=1))
    assert order(body).startswith("1 E, 2= A, 2= C, 4 B")
    assert body["scheme"]["drop_worst"] == 1
    row = row_of(body, "E")
    assert (row["placement_points"], row["tables"], row["dropped"]) == (10, 3, 1)
    assert "1 table does not count" in cast.client().get(PAGE).content.decode()


def test_best_of_drops_evenings(cast: Cast) -> None:
    rule = {"unit": "meeting", "min": 1, "per": 2}
    body = body_of(worked(cast, primary="placement_points", best_of=rule))
    assert body["scheme"]["best_of"] == rule
    assert [(row["player_id"], row["placement_points"]) for row in body["rows"][:4]] == [
        ("E", 10), ("A", 9), ("C", 9), ("B", 8),
    ]  # fmt: skip


def test_penalty_moves_the_row_and_is_told_and_withdrawn_again(cast: Cast) -> None:
    event = worked(cast, primary="placement_points")
    before = body_of(event)
    line = penalize(event, "E", "2,5", "Left before the last hand.")
    body = body_of(event)
    assert order(body).startswith("1= A, 1= C, 3 B, 4 E")
    row = row_of(body, "E")
    assert (row["placement_points"], row["adjustment"], row["values"]) == (
        "17/2", "-5/2", {"placement_points": "17/2"},
    )  # fmt: skip
    assert row["ledger"] == [
        {"number": 1, "kind": "penalty", "amount": "-5/2", "reason": "Left before the last hand."}
    ]
    page = cast.client().get(PAGE).content.decode()
    assert re.search(r'players/E">\s*8[.]50?\s*</a>', page)
    assert "Penalty \N{MINUS SIGN}2.5: Left before the last hand." in page
    withdraw_line(by_tests(), get_line(event, line.number), reason="It was not so.")
    after = body_of(event)
    assert after["publication"]["number"] == 3
    assert {**after, "publication": 0} == {**before, "publication": 0}


@pytest.mark.parametrize(
    ("award", "value", "words"),
    [
        ("scheme_mean", "27/4", "A bye counts as the average of a table&#x27;s points."),
        ("own_mean", "6", "A bye counts as the average of their own games."),
    ],
)
def test_bye_is_worth_what_the_event_says(cast: Cast, award: str, value: str, words: str) -> None:
    event = worked(cast, WORKED[:2], primary="placement_points", bye_award=award)
    play(event, 3, "A31 C31 G32 E36")
    round_ = Round.objects.get(event=event, number=3)
    for code in "BD":
        sit_out(by_tests(), round_, entrant=code, reason="bye")
    sit_out(by_tests(), round_, entrant="H", reason="rest")
    body = body_of(event)
    row = row_of(body, "B")
    # Second, and fourth, of 5-3-2-1; a bye is 11/4, or 2.
    assert (row["values"], row["byes"]) == ({"placement_points": value}, 1)
    assert (row["tables"], row_of(body, "H")["byes"]) == (2, 0)
    page = cast.client().get(PAGE).content.decode()
    assert "1 round without a table (bye)" in page
    assert words in page


def test_withdrawn_player_stays_and_is_passed_over_at_the_line(cast: Cast) -> None:
    event = worked(cast, primary="placement_points", tie_breaks=["h2h"], boundaries={"cut": 3})
    body_of(event)
    page = cast.client().get(PAGE).content.decode()
    third = page.index('<tr id="E">')
    assert third < page.index("Qualification: first 3 places") < page.index('<tr id="B">')
    move_entrant(by_tests(), get_entrant(event, "C"), to="withdrawn", reason="Moved away.")
    body = body_of(event)
    assert row_of(body, "C")["withdrawn"] is True
    assert order(body).startswith("1 A, 2 C, 3 E, 4 B")
    page = cast.client().get(PAGE).content.decode()
    assert "(withdrawn)" in page
    assert (
        page.index('<tr id="B">')
        < page.index("Qualification: first 3 places")
        < page.index('<tr id="G">')
    )


def test_tie_over_a_line_is_said(cast: Cast) -> None:
    body_of(worked(cast, primary="placement_points", boundaries={"title": 1}))
    page = cast.client().get(PAGE).content.decode()
    assert page.index('<tr id="E">') < page.index("A tie at place 1 is not resolved")


def test_closed_event_is_provisional_until_its_window_ends(cast: Cast) -> None:
    event = worked(cast, correction_window_h=48)
    assert body_of(event)["event"]["provisional_until"] is None
    Event.objects.filter(pk=event.pk).update(state="closed", closed_at=NOW)
    Dirty.objects.update(done=0)
    assert body_of(event)["event"]["provisional_until"] == "2025-11-08T21:00:00Z"
    assert "Provisional until 8 Nov 2025, 21:00" in cast.client().get(PAGE).content.decode()
    Event.objects.filter(pk=event.pk).update(state="final")
    Dirty.objects.update(done=0)
    assert body_of(event)["event"]["provisional_until"] is None


def test_complex_scores_show_no_points_that_lie(cast: Cast) -> None:
    event = league(cast.riverside, variant="complex-hearts", settings={"primary": "beaten_mean"})
    people = [add_player(by_tests(), cast.riverside, name=code, player_id=code) for code in "ABCD"]
    game = table(event, people)
    record_totals(
        by_tests(), game, entry={"points": [[13, 0], [0, 5], [3, 4], [-10, 0]]},
        source="host", hands=3,
    )  # fmt: skip
    body = body_of(event)
    row = body["rows"][0]
    assert (row["points"], row["average_per_hand"], row["average_exact"]) == (None, None, None)
    keys = [column["key"] for column in body["columns"]]
    assert ("points" in keys, "average_per_hand" in keys, "beaten_mean" in keys) == (
        False, False, True,
    )  # fmt: skip
    assert order(body) == "1= B, 1= C, 3 D, 4 A"
    assert cast.client().get(PAGE).status_code == 200


def test_bye_is_worth_the_mean_of_the_only_list_that_there_is(cast: Cast) -> None:
    event = worked(
        cast, ("A18 B27 C85",), primary="placement_points", placement={"3": [5, 3, 1]},
        bye_award="scheme_mean",
    )  # fmt: skip
    play(event, 2, "B20 C30 D80")
    round_ = Round.objects.get(event=event, number=2)
    sit_out(by_tests(), round_, entrant="A", reason="bye")
    body = body_of(event)
    assert [(row["player_id"], row["values"]["placement_points"]) for row in body["rows"]] == [
        ("A", "8"), ("B", "8"), ("C", "4"), ("D", "1"),
    ]  # fmt: skip


def test_column_of_a_tie_break_is_there_where_it_is_known_of_everybody(cast: Cast) -> None:
    """The index is computed for tied rows only: others would have a dash."""
    body = body_of(worked(cast, primary="placement_points", tie_breaks=["index", "wins"]))
    assert [column["key"] for column in body["columns"]][-2:] == ["placement_points", "win_share"]
    assert row_of(body, "E")["values"]["index"] == "15"


def strangers_play(event: Event, tables: Iterable[int]) -> None:
    for at in tables:
        people = [
            add_player(by_tests(), event.club, name="N", player_id=f"P{at}-{n}") for n in range(4)
        ]
        game = table(event, people, round_number=4, table_number=at + 1)
        record_totals(
            by_tests(), game, entry={"points": [20, 30, 35, 45]}, source="host", hands=5,
        )  # fmt: skip


def test_publishing_asks_as_often_for_24_players_as_for_64(cast: Cast) -> None:
    event = worked(cast, primary="placement_points", tie_breaks=["h2h", "index", "sos", "lot"])
    body_of(event)
    asked = []
    for first, last in ((0, 4), (4, 14)):
        strangers_play(event, range(first, last))
        with CaptureQueriesContext(connection) as queries:
            body = body_of(event)
        asked.append((len(body["rows"]), len(queries)))
    assert [players for players, _ in asked] == [24, 64]
    assert asked[0][1] == asked[1][1]


def test_large_groups_of_strangers_have_no_game_read(cast: Cast) -> None:
    event = worked(cast, primary="placement_points", tie_breaks=["h2h"])
    strangers_play(event, range(3))
    games: list[int] = []
    evidence = StoredGames(event)
    read = evidence.games_of
    evidence.games_of = lambda codes: games.append(len(codes)) or read(codes)  # type: ignore[func-returns-value,method-assign]
    placed = draft_standings(event, evidence=evidence).placed
    assert games == [3]  # A, C and E alone have all met
    assert [(one.sums.code, one.decided_by) for one in placed[:3]] == [
        ("A", None), ("C", "h2h"), ("E", "h2h"),
    ]  # fmt: skip


def test_new_publication_marks_what_follows_from_it(cast: Cast) -> None:
    event = worked(cast)
    body_of(event)
    row = Dirty.objects.get(scope=history_scope(event.pk))
    assert (row.version, row.done) == (1, 0)
    Dirty.objects.exclude(pk=row.pk).update(done=0)
    body_of(event)  # the same digest: nothing follows
    row.refresh_from_db()
    assert row.version == 1


def test_publication_knows_how_far_the_audit_chain_was(cast: Cast) -> None:
    event = worked(cast)
    body_of(event)
    last = event.club.audit_lines.order_by("-number").values_list("number", flat=True)[0]
    assert Publication.objects.get(event=event).audit_number == last
