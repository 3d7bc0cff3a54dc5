"""A messy night: imported with 24 mistakes named, and its 32 hands typed one by one alike."""

from collections.abc import Callable, Iterator, Mapping
from datetime import date
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from pytest_django import DjangoDbBlocker

from tests.support.answers import Answer, Json
from tests.support.builders import table
from tests.support.imports.imports import SHEETS, everything, imported, season
from tests.support.imports.paper import (
    Outcome,
    PaperHand,
    Place,
    hands_of,
    outcomes_of_import,
    stored,
)
from tournaments.errors import Conflict
from tournaments.models.clubs import Club, Membership, Player
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.models.imports import ImportBatch, ImportProblem
from tournaments.models.rounds import Round, Seat, Sitting
from tournaments.services.imports.uploads import Report

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

MESSY = SHEETS / "messy.csv"
EVENT = "clubs/riverside/events/league"
ROUND = 11
INSTEAD = {(3, "RL13"): "RL16", (4, "Nadiia D."): "RL40"}
"""Who is seated where a sheet has a player who sits elsewhere, or nobody's name."""

Input = Callable[[], Mapping[Place, Outcome]]
"""Takes the night hand by hand and says what became of each."""


def by_hosts_page() -> dict[Place, Outcome]:
    hands = hands_of(MESSY)
    seated(hands)
    client, found = host(), {}
    for place, paper in hands.items():
        fields = paper.fields()
        way = "points" if "points-1" in fields else "counts"
        answer = client.post(
            f"/{EVENT}/tables/r{ROUND}t{paper.table}/hands/new",
            {"number": paper.number, "way": way, "go": "save", **fields},
        )
        found[place] = became(paper) if answer.status_code == 302 else Outcome(refused(answer))
    return found


def refused(answer: Answer) -> tuple[str, ...]:
    """The codes of a page that did not save; it shows both versions of a hand that was there."""
    if answer.context["versions"]:
        assert answer.status_code == 409
        return ("hand_exists",)
    assert answer.status_code == 422
    return tuple(problem.code for problem in answer.context["form"]["problems"])


def by_rest_hand_by_hand() -> dict[Place, Outcome]:
    """Send the night hand by hand as a program does, to tables where nobody sits yet."""
    hands = hands_of(MESSY)
    everybody = list(Player.objects.order_by("player_id"))
    for number in sorted({paper.table for paper in hands.values()}):
        table(league(), everybody[4 * number - 4 : 4 * number], **on_the_night(number))
    Seat.objects.filter(table__round__number=ROUND).delete()
    client, found = host(), {}
    for place, paper in hands.items():
        body = {"number": paper.number, "entry": paper.entry(), "players": paper.players()}
        address = f"/api/v1/{EVENT}/tables/r{ROUND}t{paper.table}/hands"
        answer = client.post(address, body, content_type="application/json")
        codes = [error["code"] for error in answer.json().get("errors", ())]
        found[place] = became(paper) if answer.status_code == 201 else Outcome(tuple(codes))
    return found


def seated(hands: Mapping[Place, PaperHand]) -> None:
    """Seat each table by its first sheet, as a director can: ids, and nobody at two tables."""
    people = {player.player_id: player for player in Player.objects.all()}
    for number in sorted({paper.table for paper in hands.values()}):
        ids = hands[number, 1].players()
        if number == 3:
            with pytest.raises(Conflict, match="player_already_seated"):
                table(league(), [people[code] for code in ids], **on_the_night(number))
        ids = [INSTEAD.get((number, code), code) for code in ids]
        table(league(), [people[code] for code in ids], **on_the_night(number))


def on_the_night(number: int) -> Json:
    return {
        "round_number": ROUND,
        "table_number": number,
        "on": date(2025, 11, 13),
        "variant": "black-lady",
    }


def league() -> Event:
    return Event.objects.get(slug="league")


def became(paper: PaperHand) -> Outcome:
    hands = Hand.objects.filter(game__table__code=f"r{ROUND}t{paper.table}", number=paper.number)
    return stored(hands.select_related("entry").get())


def host() -> Client:
    user = User.objects.create_user("hanna")
    Membership.objects.create(club=Club.objects.get(), user=user, role="host")
    client = Client()
    client.force_login(user)
    return client


NO_NAMES = "the seats are the table's: no id and no name is typed"
SEATED_BEFORE = "the director is told when Mina D. is seated again (player_already_seated)"
TWO_FIELDS = "the mark others+26 is two fields, and each is refused"
ONE_AFTER_THE_OTHER = "hands come one by one: the first of a number stands, the second is refused"
NOBODY_SAT = "a table is seated by its first good hand, and table 2 has none"

OTHERWISE: Mapping[Callable[..., Any], Mapping[Place, tuple[str, str]]] = {
    by_hosts_page: {
        (1, 2): ("choice_forbidden wrong_shooter", TWO_FIELDS),
        (1, 4): ("", NO_NAMES),
        **{(3, hand): ("", SEATED_BEFORE) for hand in (1, 2, 3, 4)},
        **{(4, hand): ("", NO_NAMES) for hand in (1, 3, 4)},
        (4, 2): ("missing_cards", "each seat has its row; one left empty took nothing"),
        (6, 3): ("", ONE_AFTER_THE_OTHER),
        (6, 4): ("hand_exists", ONE_AFTER_THE_OTHER),
        **{(7, hand): ("", NO_NAMES) for hand in (2, 3, 4)},
    },
    by_rest_hand_by_hand: {
        (1, 2): ("choice_forbidden wrong_shooter", TWO_FIELDS),
        (1, 4): ("player_mismatch", "an id is sent, without the name that disagrees"),
        **{(3, hand): ("", NOBODY_SAT) for hand in (1, 2, 3, 4)},
        (4, 2): ("unknown_player", "who sits there is settled before what they took"),
        (6, 3): ("", ONE_AFTER_THE_OTHER),
        (6, 4): ("hand_exists", ONE_AFTER_THE_OTHER),
        **{(7, hand): ("player_mismatch", "RL25 sits there since hand 1") for hand in (2, 3, 4)},
    },
}
"""Hands of which an input reports something else than an import, or nothing, and the reason."""


def by_import() -> dict[Place, Outcome]:
    """What the import makes of each hand, with nothing of it kept."""
    with transaction.atomic():
        imported(MESSY)
        problems = ImportProblem.objects.filter(batch=ImportBatch.objects.latest("id"))
        outcomes = outcomes_of_import(hands_of(MESSY), problems, ROUND)
        transaction.set_rollback(True)
    return outcomes


@pytest.mark.parametrize("submit", [by_hosts_page, by_rest_hand_by_hand])
def test_same_32_hands_give_the_same_entries_and_the_same_problem_codes(submit: Input) -> None:
    season()
    expected_hands = by_import()
    assert not Hand.objects.filter(game__table__round__number=ROUND).exists()
    hands = submit()
    otherwise = OTHERWISE[submit]
    assert {place: one for place, one in hands.items() if place not in otherwise} == {
        place: one for place, one in expected_hands.items() if place not in otherwise
    }
    paper = hands_of(MESSY)
    for place, (codes, why) in otherwise.items():
        assert " ".join(sorted(hands[place].codes)) == codes, why
        assert hands[place].typed == (None if codes else paper[place].entry()), why
    assert len(hands) == len(paper) == 32


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
        "Mina D. (RL13) sits at tables 2 and 3 in round 11. Their sheets in the file are pending.",
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
