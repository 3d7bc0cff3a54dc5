"""Lists of people as they are pasted: names, ids, addresses, and what is left out."""

from datetime import date
from pathlib import Path

import pytest

from tournaments.documents.read.people_list import has_heads, read_people

FILES = Path(__file__).resolve().parents[3] / "sheets" / "people"
CHRISTA, RUTH = "christa@example.org", "ruth@example.org"


def names(text: str) -> list[str]:
    return [person.name for person in read_people(text) if person.is_name]


def test_list_of_members_has_names_of_two_columns_and_numbers_that_are_left_out() -> None:
    text = (FILES / "member_list.tsv").read_text("utf-8")
    assert [(person.name, person.player_id, person.email) for person in read_people(text)] == [
        ("Ruth Shore", "", RUTH), ("Yann Chen", "", "yann@example.org"), ("Christa Green", "", ""),
    ]  # fmt: skip
    assert read_people(text)[0].left_out == (("phone", "0170 1234567"),)


def test_chat_has_names_without_marks_and_a_question_that_is_no_name() -> None:
    question, *rest = read_people((FILES / "chat_list.txt").read_text("utf-8"))
    assert (question.name, question.is_name) == ("Tuesday?", False)
    assert [(person.name, person.email, person.left_out) for person in rest] == [
        ("Ruth Shore", "", (("mark", "✅"),)),
        ("Yann Chen", "", (("mark", "2)"),)),
        ("Christa Green", CHRISTA, (("mark", "-"),)),
        ("Ella Moss", "", (("mark", "☎"), ("phone", "0170 1234567"))),
    ]


@pytest.mark.parametrize(
    "text",
    [
        'Nachname;Vorname;E-Mail;Handy\nShore;Ruth;ruth@example.org;"+49 170/1234567"\nBerg;Anna',
        "Mail,Vorname,Name\nruth@example.org,Ruth,Shore\n,Anna,Berg",
        "Members 2026\n\nVoornaam\tTussenvoegsel\tAchternaam\tMailadres\n"
        "Ruth\t\tShore\truth@example.org\nAnna\t\tBerg",
        "Nom\tPrénom\tCourriel\tTéléphone\nShore\tRuth\truth@example.org\nBerg\tAnna",
        "Name;Vorname\nShore;Ruth <ruth@example.org>\nBerg;Anna",
        "Name, Vorname\nShore, Ruth <ruth@example.org>\nBerg, Anna",
        'Nachname, Vorname;Mail\n"Shore, Ruth";<ruth@example.org>\nBerg, Anna;',
        "| First name | Family name | Mail |\n| Ruth | Shore | ruth@example.org |\n| Anna | Berg |",
        "First name   Last name   Mail\nRuth   Shore   ruth@example.org\nAnna   Berg",
        "Mobile\tFull name\tEmail\n0170 1234567\tRuth Shore\tmailto:ruth@example.org\n\tAnna Berg",
        "Ruth\tShore\truth@example.org\nAnna\tBerg",
        "Geburtstag\tVor- und Nachname\tMail\n3.4.1999\tRuth Shore\truth@example.org\n\tAnna Berg",
        "[13.10.26, 19:02] ~ Ruth Shore: yes, ruth@example.org\n13.10.26, 19:03 - Anna Berg: 👍",
    ],
)
def test_columns_and_heads_of_other_shapes_give_the_same_people(text: str) -> None:
    found = [person for person in read_people(text) if person.is_name]
    assert [person.name for person in found] == ["Ruth Shore", "Anna Berg"]
    is_chat = text.startswith("[")
    assert [person.email for person in found] == ["" if is_chat else RUTH, ""]


@pytest.mark.parametrize(
    "line",
    [
        "1. Ruth Shore", "01) Ruth Shore", "(3) Ruth Shore", "4 Ruth Shore", "7️⃣ Ruth Shore",
        "① Ruth Shore", "• Ruth Shore", "~Ruth Shore", "- [x] Ruth Shore", "✔️ Ruth Shore 👍🏽👍",
        "👩🏽‍🦰 Ruth Shore :)", "Ruth Shore +1", "Ruth Shore: yes", "Ruth Shore: ich bin dabei",
        "Ruth Shore (0170) 123 45 67", "Ruth Shore (+49 170/1234567)",
        "Ruth Shore Tel.: 030 1234567",
        "\u200e[13.10.26, 19:02:33] ~\u202fRuth Shore: Yes", "10/13/26, 7:02 PM - Ruth Shore: ok",
        "[19:02, 13.10.2026] Ruth Shore: \U0001f44d",
    ],
)  # fmt: skip
def test_mark_number_and_remark_are_no_part_of_a_name_and_are_named(line: str) -> None:
    (person,) = read_people(line)
    assert person.name == "Ruth Shore"
    assert person.left_out


@pytest.mark.parametrize(
    "line",
    [
        "Wer kommt am Dienstag?", "Mardi ?", "Players for Tuesday:", "Hi all!", "Dienstag, 13.10.",
        "---", "Ja: Ruth, Yann", "Table 1: Ruth", "13.10.26, 18:00 - Messages are encrypted",
        "[13.10.26, 19:02] +49 170 1234567: yes", "ruth@example.org",
    ],
)  # fmt: skip
def test_line_that_may_be_no_name_is_told_apart(line: str) -> None:
    assert names(f"{line}\nYann Chen") in ([], ["Yann Chen"])
    assert not read_people(line)[0].is_name


@pytest.mark.parametrize(
    ("line", "name", "player_id", "left_out"),
    [
        ("RL07\tGreta D.\tspring 2024", "Greta D.", "RL07", ["spring 2024"]),
        ("Greta D.;RL07;2024-03-01;Bonn", "Greta D.", "RL07", ["2024-03-01", "Bonn"]),
        ("RL07, Meier, jun., 16.10.2026", "Meier, jun.", "RL07", ["16.10.2026"]),
        ("Greta D.\t1 March 2024", "Greta D.", "", ["1 March 2024"]),
        ("Greta D., 2024-03-01", "Greta D.", "", ["2024-03-01"]),
        ("Smith, John", "Smith, John", "", []),
        ("1. RL07; Jörg S. +49 (30) 12 34 56-7", "Jörg S.", "RL07", ["1.", "+49 (30) 12 34 56-7"]),
    ],
)
def test_cells_beside_name_and_id_are_left_out(
    line: str, name: str, player_id: str, left_out: list[str]
) -> None:
    for head in ("", "player_id\tname\tjoined", "player_id,name,joined"):
        (person,) = read_people(f"{head}\n{line}")
        assert (person.name, person.player_id) == (name, player_id)
        assert [text for _kind, text in person.left_out] == left_out


def test_day_of_joining_is_read_below_its_heading_if_it_is_one_day() -> None:
    ruth, yann = read_people("Naam;Lid sinds\nRuth;3-4-2024\nYann;13-04-2024")
    assert (ruth.joined, ruth.left_out) == (None, (("cell", "3-4-2024"),))
    assert (yann.joined, yann.left_out) == (date(2024, 4, 13), ())


def test_file_without_heads_is_told_from_one_with_unknown_heads() -> None:
    texts = ["Tuesday?\n✅ Ruth", "Ruth; ruth@example.org", "wins,losses\n1,2", "Naam\nRuth"]
    assert list(map(has_heads, texts)) == [False, False, True, True]


@pytest.mark.parametrize(
    ("first", "is_name"),
    [("Ann: Members for Tuesday:", False), ("Ann:", False), ("Ann: Yann Chen", True)],
)
@pytest.mark.parametrize("sent", ["[13.10.26, 22:11] ", "13/10/2026, 22:11 - "])
def test_list_within_one_message_of_a_chat_loses_no_line(
    sent: str, first: str, is_name: bool
) -> None:
    lines = [f"{sent}{first}", "1) Ruth Shore", "Kees de Vries 👍", "Łukasz Żak, 0170 1234567"]
    people = read_people("\n".join([*lines, f"{sent}Bo: I am in"]))
    names = ["Ruth Shore", "Kees de Vries", "Łukasz Żak"]
    assert [person.name for person in people[1:4]] == names
    assert all(person.is_name for person in people[1:])
    assert (people[0].is_name, people[4].name) == (is_name, "Bo")
    if is_name:
        assert people[0].name == "Yann Chen"


@pytest.mark.parametrize("last", ["and Cai cannot come", "see you!"])
def test_message_that_goes_on_below_is_no_list(last: str) -> None:
    people = read_people(f"[13.10.26, 22:11] Ann: in\nRuth Shore\n{last}")
    assert [person.is_name for person in people] == [True, False, False]
