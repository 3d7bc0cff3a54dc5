"""A night typed with 24 mistakes on purpose: each is named, and only clean hands go in."""

from collections.abc import Iterator

import pytest
from django.db import transaction
from pytest_django import DjangoDbBlocker

from tests.support.imports.imports import SHEETS, everything, imported, season
from tournaments.models.hands import Game
from tournaments.models.imports import ImportProblem
from tournaments.models.meetings import Round, Sitting
from tournaments.services.imports.uploads import Report

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

MESSY = SHEETS / "messy.csv"

KINDS = [
    (1, "byte_order_mark", "accept-note", [1], (None, None, None)),
    (2, "delimiter", "accept-note", [1], (None, None, None)),
    (19, "trimmed", "accept-note", [2], (11, 1, 1)),
    (21, "wrong_shooter", "reject", [6, 7, 8, 9], (11, 1, 2)),
    (4, "missing_cards", "reject", [10, 11, 12, 13], (11, 1, 3)),
    (9, "id_name_disagree", "ask", [15], (11, 1, 4)),
    (5, "too_many_copies", "reject", [18, 19, 20, 21], (11, 2, 1)),
    (22, "bad_count", "reject", [22], (11, 2, 2)),
    (6, "missing_cards", "reject", [26, 27, 28, 29], (11, 2, 3)),
    (24, "bad_count", "reject", [30, 31, 32, 33], (11, 2, 4)),
    (7, "player_at_two_tables", "ask", [34, 38, 44, 48], (11, None, None)),
    (16, "blank_row", "accept-note", [42, 43, 148], (None, None, None)),
    (8, "unknown_player", "ask", [54, 57, 61, 65], (11, 4, None)),
    (10, "seat_count", "reject", [56, 57, 58], (11, 4, 2)),
    (18, "date_format", "accept-note", [*range(67, 83)], (11, 5, None)),
    (17, "repeated_hand_number", "ask", [*range(91, 99)], (11, 6, 3)),
    (23, "not_a_hand_row", "skip", [99], (None, 6, None)),
    (3, "decimal_comma", "accept-note", [100, 101, 102, 103], (11, 7, 1)),
    (20, "unknown_player", "ask", [105, 109, 113], (11, 7, None)),
    (12, "choice_required", "ask", [116, 117, 118, 119], (11, 8, 1)),
    (13, "moon_mark_missing", "accept-note", [120, 121, 122, 123], (11, 8, 2)),
    (14, "moon_mark_missing", "accept-note", [124, 125, 126, 127], (11, 8, 3)),
    (15, "wrong_total", "reject", [128, 129, 130, 131], (11, 8, 4)),
    (11, "duplicate_sheet", "skip", [*range(132, 148)], (11, 5, None)),
]
"""Number in messy_expected.md, code, class, lines, and (round, table, hand); in reported order."""

SENTENCES = {
    4: ("12 hearts", "13 hearts", "Table 1, hand 3: the hearts total 12, expected 13."),
    7: (
        "Mina D. (RL13)",
        "2 and 3",
        "Mina D. (RL13) sits at tables 2 and 3 in round 11. Both sheets are pending.",
    ),
    8: (
        '"Nadiia D."',
        "a member",
        'Lines 54, 57, 61 and 65: "Nadiia D." is not a player of the club.',
    ),
    9: ('"Quinn K."', "Farid S. (RL06)", 'Line 15: Farid S. (RL06) is not called "Quinn K.".'),
    10: ("3 players", "4 players", "Table 4, hand 2: there are 3 players, expected 4 players."),
    23: ("Total 6 104", "", "Line 99 is not a row of a hand (Total 6 104)."),
}

SUGGESTIONS = {
    4: "one heart missing",
    8: "Nadia D. (RL40)",
    9: "Quinn K. is RL17",
    17: "hand 4?",
    20: None,
    22: "0 instead of O?",
}


@pytest.fixture(scope="module")
def report(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Report]:
    """The report of a dry run after the season, made once for all tests that only read it."""
    with django_db_blocker.unblock(), transaction.atomic():
        season()
        yield imported(MESSY, dry_run=True)
        transaction.set_rollback(True)


@pytest.mark.parametrize("place", range(24), ids=[f"kind {kind[0]}" for kind in KINDS])
def test_mistake_is_reported_once_with_its_lines(report: Report, place: int) -> None:
    found = report.problems[place]
    spot = found.spot
    assert (
        found.code,
        found.severity,
        list(spot.lines),
        (spot.round, spot.table, spot.hand),
    ) == KINDS[place][1:]


def test_report_counts_144_rows_32_hands_and_10_accepted(report: Report) -> None:
    assert (report.rows, report.hands, report.accepted) == (144, 32, 10)
    assert len(report.problems) == len(KINDS) == 24


@pytest.mark.parametrize("kind", SENTENCES)
def test_sentence_says_what_was_found_and_expected(report: Report, kind: int) -> None:
    found = report.problems[[row[0] for row in KINDS].index(kind)]
    assert (found.found, found.expected, found.message) == SENTENCES[kind]


@pytest.mark.parametrize("kind", SUGGESTIONS)
def test_likely_cause_is_suggested_and_never_taken(report: Report, kind: int) -> None:
    found = report.problems[[row[0] for row in KINDS].index(kind)]
    assert found.suggestion == SUGGESTIONS[kind]


def test_only_clean_hands_go_in_and_nothing_more_the_second_time() -> None:
    season()
    dry = imported(MESSY, dry_run=True)
    first = imported(MESSY)
    assert first.problems == dry.problems
    assert (first.accepted, first.added) == (dry.accepted, 10)
    assert Round.objects.get(number=11).state == "playing"
    assert set(Game.objects.values_list("state", flat=True)) == {"complete"}
    assert ImportProblem.objects.filter(state="open").count() == 14
    typed = ImportProblem.objects.get(code="bad_count", lines=[22]).rows[0]
    assert typed[0] == 22
    assert typed[1][5:9] == ["N", "RL08", "Hugo K.", "O"]
    guest = Sitting.objects.get(seat__table__code="r11t7", seat__number=2, player__player_id="RL25")
    assert (guest.from_hand, guest.to_hand) == (1, 1)
    before = everything()
    again = imported(MESSY)
    assert again.problems == first.problems
    assert (again.accepted, again.added) == (10, 0)
    assert everything() == before
