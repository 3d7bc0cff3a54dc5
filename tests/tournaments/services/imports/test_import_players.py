"""`manage.py import_players`: people of a club, places on a ladder, fixed pairs of an event."""

import json
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.support.answers import Json
from tests.support.builders import league, players
from tests.support.cast import enter_the_cast
from tests.support.imports.imports import SHEETS, everything
from tests.support.imports.player_lists import listed, run
from tests.support.imports.spreadsheets import book, ods, sheet_xml, xlsx
from tournaments.models.access import Contact
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Entrant, Event
from tournaments.policy import command
from tournaments.services.events.events import move_event
from tournaments.services.operations import Operation

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
CLUB = ("--club", "riverside")
IN_EVENT = (*CLUB, "--event", "league")
NOBODY_SAID = {"round": None, "table": None, "hand": None}


def report(*arguments: object) -> Json:
    _, out, _ = run(*arguments, "--json")
    found: dict[str, Any] = json.loads(out)
    return found


def said(*arguments: object) -> list[tuple[str, str, list[int]]]:
    return [
        (problem["code"], problem["class"], problem["lines"])
        for problem in report(*arguments)["problems"]
    ]


def people(club: Club) -> list[tuple[str, str, date | None]]:
    rows = Player.objects.filter(club=club).order_by("player_id")
    return list(rows.values_list("player_id", "name", "joined"))


def entrants(event: Event) -> list[tuple[str, str, int | None, Sequence[str]]]:
    return [
        (entrant.code, entrant.kind, entrant.start_position,
         sorted(member.player.player_id for member in entrant.members.all()))
        for entrant in Entrant.objects.filter(event=event).order_by("code")
    ]  # fmt: skip


@pytest.fixture
def club() -> Club:
    return enter_the_cast().riverside


@pytest.fixture
def event(club: Club) -> Event:
    return league(club)


def test_list_becomes_players_of_the_club(club: Club, tmp_path: Path) -> None:
    path = listed(tmp_path, "player_id,name,joined", "RL01,Alma D.,2019-10-08", "RL02,Ångström B.,")
    assert run(*CLUB, path) == (
        0,
        "list.csv: 2 rows, 2 of them are in the club. 2 players and 0 entrants are new.\n",
        "",
    )
    assert people(club) == [("RL01", "Alma D.", date(2019, 10, 8)), ("RL02", "Ångström B.", None)]


def test_family_and_first_name_are_joined_without_contacts(club: Club, tmp_path: Path) -> None:
    heads = "Nachname,Vorname,Mail"
    path = listed(tmp_path, heads, "Shore,Ruth,ruth@example.org", "Moss 0170 1234567,Ella,")
    assert said(*CLUB, path) == [
        ("addresses_left_out", "accept-note", [1]),
        ("contact_left_out", "accept-note", [3]),
    ]
    assert [name for _, name, _ in people(club)] == ["Ruth Shore", "Ella Moss"]


def test_list_of_members_and_a_chat_without_heads_are_read_as_if_pasted(club: Club) -> None:
    notes = report(*CLUB, SHEETS / "people" / "member_list.tsv")["problems"]
    assert [note["code"] for note in notes] == ["addresses_left_out", "contact_left_out"]
    assert notes[1]["found"] == '"Phone" (telephone numbers)'
    chat = SHEETS / "people" / "chat_list.txt"
    assert said(*CLUB, chat) == [
        ("line_left_out", "skip", [1]),
        *(("contact_left_out", "accept-note", [line]) for line in (2, 3, 4, 5)),
    ]
    assert report(*CLUB, chat)["problems"][-1]["found"] == "mark ☎ · telephone number 0170 1234567"
    assert [name for _, name, _ in people(club)] == [
        "Ruth Shore", "Yann Chen", "Christa Green", "Ella Moss",
    ]  # fmt: skip


def test_row_without_an_id_gets_the_next_free_number_and_the_same_list_again_changes_nothing(
    club: Club, tmp_path: Path
) -> None:
    run(*CLUB, listed(tmp_path, "player_id,name", "P0001,Alma D."))
    path = listed(tmp_path, "name", "Alma D.", "Bo", "Cleo S.")
    assert run(*CLUB, path)[0] == 0
    assert [code for code, _, _ in people(club)] == ["P0001", "P0002", "P0003"]
    before = everything()
    again = report(*CLUB, path)
    assert (again["accepted"], again["added"], again["problems"]) == (3, 0, [])
    assert everything() == before


def test_dry_run_says_the_same_and_writes_nothing(club: Club, tmp_path: Path) -> None:
    path = listed(tmp_path, "player_id,name,joined", "RL01,Alma D.,2019-10-08", "RL02,,")
    before = everything()
    dry = report(*CLUB, path, "--dry-run")
    assert everything() == before
    assert {**report(*CLUB, path), "dry_run": True} == dry
    assert (dry["accepted"], dry["added"]) == (1, 1)


def test_missing_day_of_joining_is_filled_another_is_asked(club: Club, tmp_path: Path) -> None:
    players(club, "Alma D.")
    path = listed(tmp_path, "player_id,name,joined", "RL01,Alma D.,08.10.2019")
    assert said(*CLUB, path) == [("date_format", "accept-note", [2])]
    assert people(club) == [("RL01", "Alma D.", date(2019, 10, 8))]
    other = listed(tmp_path, "player_id,name,joined", "RL01,Alma D.,2020-01-01")
    assert said(*CLUB, other) == [("joined_disagrees", "ask", [2])]
    assert people(club) == [("RL01", "Alma D.", date(2019, 10, 8))]


def test_every_problem_is_said_with_its_line_and_others_go_in(club: Club, tmp_path: Path) -> None:
    players(club, "Alma D.", "Bo", "Bo")
    path = listed(
        tmp_path,
        "player_id,name,joined,shoe size",
        "RL01,Alba D.,",  # another name under a known id
        "RL09,,",  # a new id without a name
        ",Bo,",  # two members of that name
        "",
        "RL10,Cleo S.,2019-02-30",
        "RL11,Dario D.,",
        "rl11,Dario D.,",  # the same once more
        "RL11,Dora D.,",  # the same id with another name
        f"{'X' * 41},Emil,",
        ",Fay,",
        ",Fay,",  # two people, or one twice?
        "RL12, Gus ,",
    )
    status, out, err = run(*CLUB, path, "--json")
    assert (status, err) == (1, "list.csv: 7 problems wait for a person.\n")
    assert [
        (problem["code"], problem["class"], problem["lines"])
        for problem in json.loads(out)["problems"]
    ] == [
        ("unknown_column", "accept-note", [1]),
        ("id_name_disagree", "ask", [2]),
        ("no_name", "reject", [3]),
        ("ambiguous_name", "ask", [4]),
        ("bad_date", "reject", [6]),
        ("duplicate_row", "skip", [8]),
        ("repeated_player", "ask", [9]),
        ("bad_player_id", "reject", [10]),
        ("repeated_player", "ask", [12]),
        ("trimmed", "accept-note", [13]),
    ]
    assert json.loads(out)["problems"][1] == {
        **NOBODY_SAID,
        "lines": [2],
        "code": "id_name_disagree",
        "class": "ask",
        "found": "Alba D.",
        "expected": "Alma D. (RL01)",
        "message": "Line 2: Alma D. (RL01) is not called Alba D..",
        "suggestion": None,
        "places": [],
    }
    assert [code for code, _, _ in people(club)] == [
        "P0001",
        "RL01",
        "RL02",
        "RL03",
        "RL11",
        "RL12",
    ]


def test_places_to_start_from_make_entrants(event: Event, tmp_path: Path) -> None:
    path = listed(tmp_path, "player_id,name,start_position", "L01,Abel,1", "L02,Bette,2")
    assert report(*IN_EVENT, path)["entered"] == 2
    assert entrants(event) == [("L01", "player", 1, ["L01"]), ("L02", "player", 2, ["L02"])]
    before = everything()
    assert report(*IN_EVENT, path)["entered"] == 0
    assert everything() == before


def test_list_marks_guests_of_a_league(event: Event, tmp_path: Path) -> None:
    rows = ("L01,Abel,x", "L02,Bette,", "L03,Ciro,perhaps")
    path = listed(tmp_path, "player_id,name,guest", *rows)
    assert said(*IN_EVENT, path) == [("bad_guest_mark", "reject", [4])]
    guests = Entrant.objects.filter(event=event).order_by("code")
    assert list(guests.values_list("code", "guest")) == [("L01", True), ("L02", False)]


def test_list_of_a_tournament_makes_no_guests(event: Event, tmp_path: Path) -> None:
    Event.objects.filter(pk=event.pk).update(kind="tournament")
    path = listed(tmp_path, "player_id,name,guest", "L01,Abel,x")
    assert said(*IN_EVENT, path) == [("guest_without_league", "accept-note", [2])]
    assert not Entrant.objects.get(event=event).guest


def test_places_that_are_taken_or_cannot_be_wait(event: Event, tmp_path: Path) -> None:
    run(*IN_EVENT, listed(tmp_path, "player_id,name,start_position", "L01,Abel,1"))
    path = listed(
        tmp_path,
        "player_id,name,start_position",
        "L01,Abel,2",
        "L02,Bette,1",
        "L03,Ciro,first",
        "L04,Dagny,0",
        "L05,Enno,5",
        "L06,Fenna,5",
        "L07,Gino,",
    )
    assert said(*IN_EVENT, path) == [
        ("position_disagrees", "ask", [2]),
        ("position_taken", "ask", [3]),
        ("bad_position", "reject", [4]),
        ("bad_position", "reject", [5]),
        ("position_taken", "ask", [7]),
    ]
    assert [(code, place) for code, _, place, _ in entrants(event)] == [
        ("L01", 1), ("L05", 5), ("L07", None),
    ]  # fmt: skip


def test_places_without_an_event_are_noted_and_ignored(club: Club, tmp_path: Path) -> None:
    path = listed(tmp_path, "player_id,name,start_position", "L01,Abel,1")
    assert said(*CLUB, path) == [("position_without_event", "accept-note", [1])]
    assert run(*CLUB, path)[0] == 0


def test_pairs_become_entrants_with_members(club: Club, event: Event, shared: Path) -> None:
    path = shared / "data" / "partnership_night" / "pairs.csv"
    found = report(*IN_EVENT, path)
    assert (found["rows"], found["accepted"], found["added"], found["entered"]) == (8, 8, 16, 8)
    assert entrants(event)[0] == ("T1", "pair", None, ["P01", "P02"])
    assert people(club)[0] == ("P01", "Aino", None)
    before = everything()
    assert run(*IN_EVENT, path)[0] == 0
    assert everything() == before


PAIR_HEADS = "pair_id,player_1_id,player_1,player_2_id,player_2"


def test_pairs_that_cannot_be_wait(event: Event, tmp_path: Path) -> None:
    run(*IN_EVENT, listed(tmp_path, PAIR_HEADS, "T1,P01,Aino,P02,Bodil"))
    run(*IN_EVENT, listed(tmp_path, "player_id,name", "P09,Ida"))
    path = listed(
        tmp_path,
        PAIR_HEADS,
        "T1,P01,Aino,P03,Cem",
        "T2,P02,Bodil,P03,Cem",
        "T3,P04,Dorte,P04,Dorte",
        ",P04,Dorte,P05,Emil",
        "T4,P04,,P05,Emil",
        "T5,P06,Fadi,,",
        "T6,P09,Ida,P10,Joris",
        "T7,P11,Klara,P12,Luis",
        "T7,P11,Klara,P12,Luis",
    )
    assert said(*IN_EVENT, path) == [
        ("pair_exists", "ask", [2]),
        ("already_entered", "ask", [3]),
        ("same_player_twice", "ask", [4]),
        ("bad_player_id", "reject", [5]),
        ("no_name", "reject", [6]),
        ("no_name", "reject", [7]),
        ("already_entered", "ask", [8]),
        ("duplicate_row", "skip", [10]),
    ]
    assert [(code, kind) for code, kind, _, _ in entrants(event)] == [
        ("P09", "player"), ("T1", "pair"), ("T7", "pair"),
    ]  # fmt: skip
    alone = listed(tmp_path, "player_id,name", "P01,Aino")
    assert said(*IN_EVENT, alone) == [("already_entered", "ask", [2])]


@pytest.mark.parametrize("dots", [".", ".."])
def test_id_that_no_address_can_hold_is_refused(event: Event, tmp_path: Path, dots: str) -> None:
    path = listed(tmp_path, "player_id,name", f"{dots},Aino", "D.,Dora")
    assert said(*CLUB, path) == [("bad_player_id", "reject", [2])]
    assert [player.name for player in Player.objects.filter(name__in=("Aino", "Dora"))] == ["Dora"]


REFUSED: list[tuple[str, list[str], list[str], str]] = [
    ("unknown club", ["--club", "nowhere"], ["player_id,name", "L01,Abel"],
     "There is no club with that name here. (nowhere)"),
    ("unknown event", [*CLUB, "--event", "cup"], ["player_id,name", "L01,Abel"],
     "There is no event with that name here. (cup)"),
    ("no column", [*CLUB], ["wins,losses", "1,2"],
     "No column for Player name or player id. The heads are: wins, losses."),
    ("no rows", [*CLUB], ["player_id,name"], "but no rows."),
    ("two columns", [*CLUB], ["name,player", "Abel,Abel"], 'Two columns mean the same: "name"'),
    ("pairs alone", [*CLUB], [PAIR_HEADS, "T1,P01,Aino,P02,Bodil"], "Give the event with --event."),
    ("half a pair", [*CLUB, "--event", "league"], ["pair_id,player_1", "T1,Aino"],
     "No column for Second player of the pair."),
]  # fmt: skip


@pytest.mark.parametrize(("flags", "lines", "reason"), [case[1:] for case in REFUSED],
                         ids=[case[0] for case in REFUSED])  # fmt: skip
def test_what_cannot_be_done_ends_with_2_and_writes_nothing(
    event: Event, tmp_path: Path, flags: list[str], lines: list[str], reason: str
) -> None:
    before = everything()
    status, out, err = run(*flags, listed(tmp_path, *lines), "--json")
    assert (status, everything()) == (2, before)
    assert json.loads(out)["file"] == "list.csv"
    assert reason in json.loads(out)["error"]
    assert err == f"list.csv: {json.loads(out)['error']} Nothing was written.\n"


def test_missing_file_ends_with_2(club: Club, tmp_path: Path) -> None:
    assert run(*CLUB, tmp_path / "none.csv")[::2] == (
        2,
        "none.csv: There is no such file. Nothing was written.\n",
    )


def test_closed_event_takes_nobody(event: Event, tmp_path: Path) -> None:
    move_event(Operation(command("tests"), event.created_at), event, to="closed")
    before = everything()
    status, _, err = run(*IN_EVENT, listed(tmp_path, "player_id,name", "L01,Abel"))
    assert (status, everything()) == (2, before)
    assert "The event is not open: closed." in err


def test_import_writes_one_audit_line_of_ids_only(club: Club, tmp_path: Path) -> None:
    before = AuditLine.objects.filter(club=club).count()
    run(*CLUB, listed(tmp_path, "player_id,name", "L01,Abel", "L02,Bette"))
    lines = AuditLine.objects.filter(club=club).order_by("number")[before:]
    assert [(line.act, line.subject, line.facts) for line in lines] == [
        ("add_players", "club:riverside", {"players": 2, "entrants": 0})
    ]


def test_addresses_are_stored_with_consent_and_none_before(club: Club, tmp_path: Path) -> None:
    (alma,) = players(club, "Alma D.")
    path = listed(
        tmp_path, "name,mail", "Alma D.,alma@mail.example", "Zoë,zoe@mail.example", "Tom,"
    )
    assert said(*CLUB, path) == [("addresses_left_out", "accept-note", [1])]
    assert not Contact.objects.exists()
    assert said(*CLUB, path, "--agreed") == []
    stored = Contact.objects.order_by("email").values_list("player__name", "email", "consent_as")
    by = "import_players"
    assert list(stored) == [
        ("Alma D.", "alma@mail.example", by), ("Zoë", "zoe@mail.example", by),
    ]  # fmt: skip
    other = listed(tmp_path, "name,mail", "Alma D.,other@mail.example", "Kay <kay@at>,kay at home")
    assert said(*CLUB, other, "--agreed") == [
        ("address_kept", "accept-note", [2]),
        ("bad_address", "reject", [3]),
    ]
    assert Contact.objects.get(player=alma).email == "alma@mail.example"
    facts = [line.facts for line in AuditLine.objects.filter(act="add_players")]
    assert "mail.example" not in json.dumps(facts)


def test_addresses_take_as_many_statements_for_any_number(club: Club, tmp_path: Path) -> None:
    def counted(*names: str) -> int:
        path = listed(tmp_path, "name,mail", *(f"{name},{name}@mail.example" for name in names))
        with CaptureQueriesContext(connection) as statements:
            run(*CLUB, path, "--agreed")
        return len(statements)

    assert counted("a1") == counted(*(f"b{n}" for n in range(40)))


MEMBERS = (
    ("Nachname", "Vorname", "Eintritt"),
    ("Shore", "Ruth", "2019-10-08"),
    ("Öz", "Füsun", ""),
)


@pytest.mark.parametrize("save", [xlsx, ods])
def test_list_in_a_spreadsheet_is_read_like_one_in_text(
    club: Club, tmp_path: Path, save: Callable[..., Path]
) -> None:
    assert said(*CLUB, save(tmp_path / "members", [["Our members"], *MEMBERS])) == []
    assert [(name, joined) for _, name, joined in people(club)] == [
        ("Ruth Shore", date(2019, 10, 8)), ("Füsun Öz", None),
    ]  # fmt: skip


def test_names_in_a_spreadsheet_without_heads_are_as_pasted(club: Club, tmp_path: Path) -> None:
    run(*CLUB, xlsx(tmp_path / "names.xlsx", [["Ruth Shore"], ["Moss, Ella"], ["3) Yann Chen 👍"]]))
    assert [name for _, name, _ in people(club)] == ["Ruth Shore", "Yann Chen"]


def test_other_sheets_and_formulas_of_a_list_are_named(club: Club, tmp_path: Path) -> None:
    listed_sheet = sheet_xml([["Name"], ["Ruth Shore"], ["=A"]])
    formula = listed_sheet.replace(
        '<c r="A3" t="inlineStr"><is><t xml:space="preserve">=A</t></is></c>',
        '<c r="A3"><f>A2</f></c>',
    )
    path = book(tmp_path / "book.xlsx", [formula, sheet_xml([["Remarks", "of", "ours"]])])
    assert said(*CLUB, path) == [
        ("sheets_not_read", "accept-note", [1]), ("formula_without_value", "reject", [3]),
    ]  # fmt: skip
    assert [name for _, name, _ in people(club)] == ["Ruth Shore"]


def test_line_of_another_encoding_in_a_list_is_read(club: Club, tmp_path: Path) -> None:
    path = tmp_path / "mixed.txt"
    path.write_bytes("Béatrice Müller\nŁukasz Żak\n".encode() + "Füsun Öz\n".encode("cp1252"))
    assert said(*CLUB, path) == [("lines_in_other_encoding", "accept-note", [3])]
    names = [name for _, name, _ in people(club)]
    assert names == ["Béatrice Müller", "Łukasz Żak", "Füsun Öz"]
