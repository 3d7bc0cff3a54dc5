"""Mistakes beyond the 24 kinds: what is odd goes in with a note, what is open waits."""

from datetime import date
from pathlib import Path

import pytest

from tests.support.builders import league, players
from tests.support.cast import Cast
from tests.support.imports.imports import (
    CAST,
    HEADS,
    everything,
    hand_scores,
    imported,
    rows,
    said,
    written,
)
from tests.support.players import stored_player
from tournaments.errors import Forbidden
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Entry
from tournaments.models.rounds import Meeting, Round, Sitting


@pytest.fixture(autouse=True)
def event(cast: Cast) -> Event:
    names = (
        "Alma D.",
        "Bruno K.",
        "Cleo S.",
        "Dario D.",
        "Edda K.",
        "Farid S.",
        "Greta D.",
        "Hugo K.",
    )
    players(cast.riverside, *names)
    return league(cast.riverside)


OTHERS = {"N": "RL05,Edda K.", "E": "RL06,Farid S.", "S": "RL07,Greta D.", "W": "RL08,Hugo K."}
MORE = (1, 4, 6, 2)
"""Hearts of a hand that is not the same as the one before."""

GONE = {**CAST, "E": "RL05,Edda K."}

ODD: list[tuple[str, list[list[str]], list[tuple[str, str, list[int]]], int]] = [
    ("jump in round numbers", [rows(round_=3), rows(round_=5, day="2025-11-14")],
     [("round_jump", "accept-note", [6])], 2),
    ("jump in hand numbers", [rows(1), rows(3, MORE)],
     [("hand_jump", "accept-note", [6, 7, 8, 9])], 2),
    ("date in the future", [rows(day="2025-11-27")],
     [("date_in_future", "accept-note", [2, 3, 4, 5])], 1),
    ("card that the variant does not count", [rows(jack={"S": "1"})],
     [("card_not_counted", "accept-note", [4])], 1),
    ("empty cell among counts", [rows(1, (4, "", 3, 6))],
     [("blank_as_zero", "accept-note", [3])], 1),
    ("player changes within the sheet", [rows(1), rows(2, cast=GONE)],
     [("player_changes", "accept-note", [6, 7, 8, 9])], 2),
    ("row repeated word for word", [rows(1), [rows(1)[3]]], [("duplicate_row", "skip", [6])], 1),
    ("hand repeated word for word", [rows(1), rows(2, MORE), rows(1)],
     [("duplicate_hand", "skip", [10, 11, 12, 13])], 2),
    ("seat twice", [[*rows(1)[:3], rows(1)[2].replace(",2,", ",3,")]],
     [("duplicate_seat", "reject", [2, 3, 4, 5])], 0),
    ("seat unknown", [[*rows(1)[:3], rows(1)[3].replace(",W,", ",X,")], rows(2)],
     [("unknown_seat", "reject", [5])], 1),
    ("variant unknown", [rows(variant="black-lad")], [("unknown_variant", "ask", [2, 3, 4, 5])], 0),
    ("two variants on one sheet", [rows(1), rows(2, variant="omnibus-JD", jack={"N": "1"})],
     [("variants_disagree", "ask", [*range(2, 10)])], 0),
    ("two dates on one sheet", [rows(1), rows(2, day="2025-11-12")],
     [("dates_disagree", "ask", [6, 7, 8, 9])], 0),
    ("two dates in one round", [rows(1), rows(1, table=2, day="2025-11-12", cast=OTHERS)],
     [("dates_disagree", "ask", [2, 3, 4, 5]), ("dates_disagree", "ask", [6, 7, 8, 9])], 0),
    ("no such date", [rows(day="2025-02-30")], [("bad_date", "reject", [2, 3, 4, 5])], 0),
    ("date that may be two", [rows(day="05/11/2025")],
     [("ambiguous_date", "ask", [2, 3, 4, 5])], 0),
    ("hand number that is none", [rows(1), [rows(2)[0].replace(",2,N", ",two,N"), *rows(2)[1:]]],
     [("bad_number", "reject", [6])], 1),
    ("hand zero", [rows(0)], [("bad_number", "reject", [n]) for n in (2, 3, 4, 5)], 0),
    ("round number that is none", [rows(1), [row.replace(",11,1,", ",x,1,") for row in rows(2)]],
     [("bad_number", "reject", [n]) for n in (6, 7, 8, 9)], 1),
    ("comma in a number without quotes", [rows(1, points=(0, 0, 10, "16,0")), rows(2)],
     [("too_many_cells", "reject", [5])], 1),
    ("nobody written for a seat", [rows(cast={**CAST, "S": ","})], [("no_player", "ask", [4])], 0),
    ("player twice in a hand", [rows(cast={**CAST, "S": CAST["N"]})],
     [("same_player_twice", "ask", [2, 3, 4, 5])], 0),
    ("player twice in the second hand", [rows(1), rows(2, cast={**CAST, "S": CAST["N"]})],
     [("same_player_twice", "ask", [6, 7, 8, 9])], 1),
    ("nothing counted", [rows(points=("", "", "", ""))],
     [("no_counts", "reject", [2, 3, 4, 5])], 0),
    ("mark of another amount", [rows(1, (13, 0, 0, 0), "N", moon={"N": "others+20"})],
     [("moon_amount", "reject", [2, 3, 4, 5])], 0),
    ("mark that says nothing", [rows(1, (13, 0, 0, 0), "N", moon={"N": "maybe"})],
     [("bad_moon_mark", "reject", [2, 3, 4, 5])], 0),
    ("mark without settlement", [rows(1, (13, 0, 0, 0), "N", moon={"N": "x"})],
     [("choice_required", "ask", [2, 3, 4, 5])], 0),
    ("two marks", [rows(1, (13, 0, 0, 0), "N", moon={"N": "others", "E": "self"})],
     [("bad_moon_mark", "reject", [2, 3, 4, 5])], 0),
    ("points that no cards give", [rows(points=(12, 12, 2, 0))],
     [("impossible_points", "reject", [2, 3, 4, 5])], 0),
    ("one seat too many",
     [rows(1), [*rows(2), rows(2)[0].replace(",2,N,RL01,Alma D.", ",2,5,RL05,Edda K.")],
      rows(3, MORE)],
     [("seat_count", "reject", [6, 7, 8, 9, 10])], 2),
    ("NUL in a cell of a refused hand",
     [[row.replace("Alma", "Al\0ma") for row in rows(1, (4, 1, 2, 5))]],
     [("nul_byte", "accept-note", [2]), ("missing_cards", "reject", [2, 3, 4, 5])], 0),
    ("row that is no hand, with odd numbers", [rows(1), ["Total,-11,99999999999,,,,,,,,,,7"]],
     [("not_a_hand_row", "skip", [6])], 1),
    ("count that is no number", [rows(1, (4, "1.0", 2, 6))], [("bad_count", "reject", [3])], 0),
    ("card count that is no number", [[row.replace(",6,1,", ",6,x,") for row in rows(1)]],
     [("bad_count", "reject", [5])], 0),
]  # fmt: skip


@pytest.mark.parametrize(
    ("hands", "expected", "accepted"), [row[1:] for row in ODD], ids=[row[0] for row in ODD]
)
def test_oddity_is_said_with_its_lines(
    tmp_path: Path,
    hands: list[list[str]],
    expected: list[tuple[str, str, list[int]]],
    accepted: int,
) -> None:
    report = imported(written(tmp_path, *hands))
    assert said(report) == expected
    assert report.accepted == report.added == accepted
    assert len({row[1:4] for row in hand_scores()}) == accepted


SENTENCES = [
    ("card", [row.replace(",6,1,", ",6,x,") for row in rows(1)],
     ("x", "a whole number from 0 to 1"),
     "Table 1, hand 1: seat W: Q♠ is written as x. It must be a whole number from 0 to 1."),
    ("points", rows(points=("7.5", "18.5", 0, 0)),
     ("7.5", "a whole number, or a fraction like 26/3"),
     "Table 1, hand 1: seat N: the points are written as 7.5. "
     "They must be a whole number, or a fraction like 26/3."),
    ("disagree", [f"{row}{score}" for row, score in zip(rows(1), (14, 1, 2, 9), strict=True)],
     ("14, 1, 2 and 9", "4, 1, 2 and 19"),
     "Table 1, hand 1: the cards make 4, 1, 2 and 19, the points say 14, 1, 2 and 9."),
    ("seats", rows(1)[:2], ("2 seats", "3 to 6 seats"),
     "Table 1: 2 is not a number of seats. These rules are played by 3 to 6."),
    ("blanks", [row.replace(",11,1,", ", 11,1,").replace(",4,", ", 4,") for row in rows(1)],
     ('"11"', ""), 'Lines 2 to 5: spaces around "11" are removed.'),
]  # fmt: skip


@pytest.mark.parametrize(
    ("hand", "facts", "message"), [row[1:] for row in SENTENCES], ids=[row[0] for row in SENTENCES]
)
def test_sentence_says_what_was_found_and_what_was_expected(
    tmp_path: Path, hand: list[str], facts: tuple[str, str], message: str
) -> None:
    first = imported(written(tmp_path, hand), variant="black-lady").problems[0]
    assert (first.found, first.expected, first.message) == (*facts, message)


def test_cards_and_points_that_disagree_are_asked_about(tmp_path: Path) -> None:
    both = [
        row.removesuffix(",") + f",{points}"
        for row, points in zip(rows(), (4, 1, 2, 18), strict=True)
    ]
    assert said(imported(written(tmp_path, both))) == [("points_disagree", "ask", [2, 3, 4, 5])]
    right = [
        row.removesuffix(",") + f",{points}"
        for row, points in zip(rows(), (4, 1, 2, 19), strict=True)
    ]
    assert imported(written(tmp_path, right)).accepted == 1


def test_two_members_of_one_name_are_asked_about(event: Event, tmp_path: Path) -> None:
    stored_player(club=event.club, player_id="RL90", name="alma d.")
    report = imported(written(tmp_path, rows(cast={**CAST, "N": ",Alma D."})))
    assert said(report) == [("ambiguous_name", "ask", [2])]
    assert report.problems[0].expected == "RL01 and RL90"


def test_other_content_under_the_number_of_a_hand_is_never_overwritten(tmp_path: Path) -> None:
    imported(written(tmp_path, rows(1), rows(2)))
    before = hand_scores()
    report = imported(written(tmp_path, rows(1), rows(2, (5, 1, 1, 6)), rows(3, MORE)))
    assert said(report) == [("hand_exists", "ask", [6, 7, 8, 9])]
    assert (report.hands, report.accepted, report.added) == (3, 2, 1)
    assert [row for row in hand_scores() if row[3] != "3"] == before


def test_other_players_under_the_number_of_a_hand_are_asked_about(tmp_path: Path) -> None:
    imported(written(tmp_path, rows(1)))
    report = imported(written(tmp_path, rows(1, cast=GONE)))
    assert said(report) == [("players_disagree", "ask", [2, 3, 4, 5])]
    assert report.problems[0].expected == "E Bruno K. (RL02)"


def test_later_file_with_more_hands_of_a_table_completes_it(tmp_path: Path) -> None:
    imported(written(tmp_path, rows(1), rows(2)))
    imported(written(tmp_path, rows(1), rows(2), rows(3, cast=GONE)))
    whole = hand_scores()
    assert [row[3] for row in whole] == ["1"] * 4 + ["2"] * 4 + ["3"] * 4
    east = Sitting.objects.filter(seat__number=2).order_by("from_hand")
    assert list(east.values_list("player__player_id", "from_hand", "to_hand")) == [
        ("RL02", 1, 2),
        ("RL05", 3, None),
    ]


def test_other_player_than_in_an_earlier_file_is_noted(tmp_path: Path) -> None:
    imported(written(tmp_path, rows(1), rows(2)))
    report = imported(written(tmp_path, rows(3, cast=GONE)))
    assert said(report) == [("player_changes", "accept-note", [2, 3, 4, 5])]
    assert (report.problems[0].found, report.problems[0].expected) == (
        "Edda K. (RL05)",
        "Bruno K. (RL02)",
    )
    assert said(imported(written(tmp_path, rows(3, cast=GONE)))) == []


def test_round_without_a_date_takes_that_of_a_later_file(tmp_path: Path) -> None:
    imported(written(tmp_path, rows(1, day="")))
    imported(written(tmp_path, rows(1), rows(2)))
    assert Round.objects.get().meeting == Meeting.objects.get(date=date(2025, 11, 13))


def test_player_at_another_table_of_an_earlier_file_is_asked_about(tmp_path: Path) -> None:
    imported(written(tmp_path, rows(1)))
    report = imported(written(tmp_path, rows(1, table=2, cast={**OTHERS, "S": CAST["N"]})))
    assert said(report) == [("player_at_two_tables", "ask", [4])]
    assert report.accepted == 0


def test_sheet_of_other_rules_than_its_table_has_is_asked_about(tmp_path: Path) -> None:
    imported(written(tmp_path, rows(1)))
    report = imported(written(tmp_path, rows(2, variant="omnibus-JD", jack={"N": "1"})))
    assert said(report)[-1] == ("sheet_does_not_fit", "ask", [2, 3, 4, 5])
    assert report.accepted == 0


def test_round_on_another_day_than_the_event_has_it_is_asked_about(tmp_path: Path) -> None:
    imported(written(tmp_path, rows(1)))
    report = imported(written(tmp_path, rows(1, table=2, day="2025-11-12", cast=OTHERS)))
    assert said(report) == [("dates_disagree", "ask", [2, 3, 4, 5])]


def test_problem_is_resolved_when_its_hand_is_accepted(tmp_path: Path) -> None:
    assert imported(written(tmp_path, rows(1), rows(2, (4, 1, 2, 5)))).waiting == 1
    mended = imported(written(tmp_path, rows(1), rows(2)))
    assert (mended.waiting, mended.added) == (0, 1)
    event = Event.objects.get()
    assert not event.batches.filter(problems__state="open").exists()
    assert event.rounds.get().state == "closed"


def test_sheets_scattered_over_the_file_are_put_together(tmp_path: Path) -> None:
    hearts = {1: (4, 1, 2, 6), 2: MORE, 3: (4, 1, 2, 6)}
    hands = [rows(n, counts) for n, counts in hearts.items()]
    hands += [rows(n, counts, table=2, cast=OTHERS) for n, counts in hearts.items()]
    by_seat = [[hand[seat] for hand in reversed(hands)] for seat in range(4)]
    report = imported(written(tmp_path, *by_seat))
    assert (report.accepted, report.problems) == (6, ())


@pytest.mark.parametrize(
    ("letters", "clockwise"),
    [("NOSW", "0123"), ("NOZW", "0123"), ("NESO", "0123"), ("NSOW", "0213")],
)
def test_o_is_east_or_west_by_other_letters(tmp_path: Path, letters: str, clockwise: str) -> None:
    cast = dict(zip(letters, CAST.values(), strict=True))
    assert imported(written(tmp_path, rows(1, queen=letters[3], cast=cast))).added == 1
    players = Sitting.objects.order_by("seat__number").values_list("player__player_id", flat=True)
    ids = [label.partition(",")[0] for label in CAST.values()]
    assert list(players) == [ids[int(at)] for at in clockwise]


def test_o_beside_east_and_west_is_no_seat(tmp_path: Path) -> None:
    both = rows(1), rows(2, cast=dict(zip("NOSW", CAST.values(), strict=True)))
    codes = [code for code, _, _ in said(imported(written(tmp_path, *both)))]
    assert "unknown_seat" in codes


def test_file_in_another_order_language_and_dialect_gives_the_same_rows(tmp_path: Path) -> None:
    imported(written(tmp_path, rows(1), rows(2, (13, 0, 0, 0), "N", moon={"N": "others"})))
    before, whole = hand_scores(), everything()
    heads = "Herz;Pik Dame;Mond;Spieler;ID;Sitz;Hand;Tisch;Runde;Datum"
    lines = [heads]
    for row in [*rows(1), *rows(2, (13, 0, 0, 0), "N", moon={"N": "others+26"})]:
        day, round_, table, _, hand, seat, code, name, hearts, queen, _, moon, _ = row.split(",")
        year, month, number = day.split("-")
        lines.append(
            f"{hearts},0;{queen};{moon};{name};{code};{seat.lower()};{hand};{table};{round_};"
            f"{number}.{month}.{year}"
        )
    path = tmp_path / "anders.csv"
    path.write_bytes("\r".join(lines).encode("utf-16"))
    report = imported(path)
    assert (report.accepted, report.added) == (2, 0)
    assert {code for code, *_ in said(report)} == {
        "byte_order_mark", "delimiter", "decimal_comma", "date_format",
    }  # fmt: skip
    assert hand_scores() == before
    assert everything()["Hand"] == whole["Hand"]


def test_text_of_an_old_spreadsheet_is_read_with_a_note(tmp_path: Path) -> None:
    path = written(tmp_path, rows(1, cast={**CAST, "N": "RL01,Zoë K."}))
    Player.objects.filter(player_id="RL01").update(name="Zoë K.", public_name="Zoë K.")
    path.write_bytes(path.read_text().encode("cp1252"))
    report = imported(path)
    assert said(report) == [("encoding", "accept-note", [1])]
    assert report.accepted == 1


def test_file_without_date_and_variant_takes_the_callers(event: Event, tmp_path: Path) -> None:
    heads = HEADS.replace("date,", "").replace("variant,", "")
    short = [row.replace("2025-11-13,", "").replace("black-lady,", "") for row in rows()]
    path = written(tmp_path, short, heads=heads)
    assert imported(path, variant="hearts", day=date(2025, 11, 13)).accepted == 1
    assert hand_scores()[0][0] == "2025-11-13"


def test_sheet_of_another_league_is_one_problem_and_not_one_a_hand(tmp_path: Path) -> None:
    imported(written(tmp_path, rows(1), rows(2)))
    other = [rows(hand, day="2025-11-14", cast=OTHERS) for hand in (1, 2)]
    report = imported(written(tmp_path, *other))
    assert said(report) == [("dates_disagree", "ask", [*range(2, 10)])]
    assert (report.hands, report.accepted) == (2, 0)


def test_club_never_sees_players_of_another_club(cast: Cast, tmp_path: Path) -> None:
    people = players(cast.hilltop, "Ottilie V.", "Quentin W.", "Ulrike P.", "Yannick Z.")
    names = {seat: f",{player.name}" for seat, player in zip("NESW", people, strict=True)}
    report = imported(written(tmp_path, rows(1, cast=names)))
    assert said(report) == [("unknown_player", "ask", [line]) for line in (2, 3, 4, 5)]
    assert {problem.suggestion for problem in report.problems} == {None}


def test_host_may_import_and_player_may_not(cast: Cast, event: Event, tmp_path: Path) -> None:
    path = written(tmp_path, rows(1))
    before = everything()
    for name in ("piet", "nora"):
        with pytest.raises(Forbidden):
            imported(path, actor=cast.actor(name))
    assert everything() == before
    assert imported(path, actor=cast.actor("hanna")).added == 1
    entry = Entry.objects.get()
    assert (entry.source, entry.entered_as, entry.entered_by_id) == (
        "import",
        "Hanna",
        cast.users["hanna"].pk,
    )


def test_cards_one_by_one_are_read_where_every_card_counts_for_itself(tmp_path: Path) -> None:
    heads = "date,round,table,variant,hand,seat,player_id,player,cards"
    cards = ("2H 3♥, 4h", "Q♠\ufe0f 5H 6H 7H 8H 9H TH", "JH QH KH", "AH")
    hand = [
        f'2025-11-13,11,1,spot-hearts,1,{seat},{CAST[seat]},"{taken}"'
        for seat, taken in zip("NESW", cards, strict=True)
    ]
    assert imported(written(tmp_path, hand, heads=heads)).problems == ()
    assert [(row[4], row[6]) for row in hand_scores()] == [
        ("E", "70"),
        ("N", "9"),
        ("S", "36"),
        ("W", "14"),
    ]
    assert Entry.objects.get().form == "cards"


def test_number_of_hearts_is_refused_where_hearts_differ(tmp_path: Path) -> None:
    report = imported(written(tmp_path, rows(variant="spot-hearts")))
    assert said(report)[0] == ("short_form_not_allowed", "reject", [2, 3, 4, 5])
    assert report.accepted == 0


MARKS = "round,table,hand,seat,player_id,hearts,queen_spades,tricks,passer,clean"


@pytest.mark.parametrize(
    ("marks", "found"), [(("x", "1", "", ""), "x 1"), (("", "who knows", "", ""), "who knows")]
)
def test_mark_of_a_seat_that_names_nobody_or_two_is_refused(
    event: Event, tmp_path: Path, marks: tuple[str, ...], found: str
) -> None:
    Event.objects.filter(pk=event.pk).update(options={"sun": "punish"})
    lines = [
        f"1,1,1,{seat},RL0{n},{13 * (n == 4)},{int(n == 4)},{13 * (n == 4)},{mark},"
        for n, (seat, mark) in enumerate(zip("NESW", marks, strict=True), start=1)
    ]
    report = imported(written(tmp_path, lines, heads=MARKS))
    assert said(report) == [("unknown_seat", "reject", [2, 3, 4, 5])]
    assert report.problems[0].found == found
    assert not Entry.objects.exists()


def test_file_of_who_is_clean_is_read_for_chips(event: Event, tmp_path: Path) -> None:
    Event.objects.filter(pk=event.pk).update(variant="hearts-chip-pool")
    lines = [f"1,1,1,{seat},RL0{n},,,,,{'x' * (n == 2)}" for n, seat in enumerate("NESW", start=1)]
    assert said(imported(written(tmp_path, lines, heads=MARKS))) == []
    entry = Entry.objects.get()
    assert (entry.form, entry.typed) == ("clean", {"clean": [False, True, False, False]})
