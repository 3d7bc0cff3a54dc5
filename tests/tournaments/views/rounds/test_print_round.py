"""Printing a round: directors get everything, hosts what carries no link, the public nothing."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.support.cast import NOW
from tests.support.pages.text import text_of
from tests.support.printed_sheets import DOTS, found_codes, grey_image
from tests.support.scenarios.evenings import ADDRESS, Evenings
from tournaments.documents.round_documents import round_document
from tournaments.documents.typesetting import typeset_images
from tournaments.domain.sheets.sheet_fields import CARDS, LIST, PARTS, SHEETS, PrintOptions
from tournaments.policy import Actor
from tournaments.selectors.access.table_links import list_linked_tables, printable_secret
from tournaments.selectors.events import events
from tournaments.services.access.table_links import make_links
from tournaments.views.http.print_forms import RoundPrintForm

PRINT = f"{ADDRESS}/rounds/1/print"
ENTRANCE = "https://club.example/t"


def codes_of(evenings: Evenings, actor: Actor, *parts: str) -> list[str]:
    """The texts of all QR codes in a document of round 1."""
    event = events.event_at(actor, "riverside", "league")
    round_ = events.round_at(event, 1)
    made = round_document(event, round_, parts, options=PrintOptions(), entrance=ENTRANCE, now=NOW)
    images = typeset_images(made, dots_per_inch=DOTS)
    return sorted(code.text for png in images for code in found_codes(grey_image(png)))


@pytest.mark.parametrize("what", ["all", *PARTS])
def test_director_opens_each_part_as_a_pdf(evenings: Evenings, what: str) -> None:
    answer = evenings.client("dirk").get(PRINT, {"what": what, "paper": "letter"})
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/pdf")
    assert answer["Content-Disposition"] == f'inline; filename="league-round-1-{what}.pdf"'
    assert answer.content.startswith(b"%PDF")


def test_host_prints_sheets_and_list_but_no_links(evenings: Evenings) -> None:
    host = evenings.client("hanna")
    assert "Table cards" not in text_of(host.get(PRINT))
    for what in (LIST, SHEETS):
        assert host.get(PRINT, {"what": what}).status_code == 200
    everything = RoundPrintForm({"what": "all"}, prints_links=False)
    assert everything.is_valid()
    assert everything.parts == (LIST, SHEETS)
    assert host.get(PRINT, {"what": CARDS}).status_code == 403


@pytest.mark.parametrize("name", ["", "piet", "nora"])
def test_nobody_else_prints(evenings: Evenings, name: str) -> None:
    assert evenings.client(name).get(PRINT, {"what": "all"}).status_code == (403 if name else 302)


def test_unknown_words_are_refused_with_what_was_found(evenings: Evenings) -> None:
    director = evenings.client("dirk")
    for wrong in (
        {"what": "posters"},
        {"what": "all", "paper": "a3"},
        {"what": "all", "layout": "x"},
    ):
        answer = director.get(PRINT, wrong)
        assert answer.status_code == 422
        assert f"“{list(wrong.values())[-1]}” is not in the list" in text_of(answer)


def test_round_without_tables_says_that_there_is_nothing_to_print(evenings: Evenings) -> None:
    director = evenings.client("dirk")
    director.post(f"{ADDRESS}/new-round", {"number": "3", "on": "2025-11-20"})
    page = director.get(f"{ADDRESS}/rounds/3/print", {"what": "all"})
    assert page["Content-Type"].startswith("text/html")
    assert "There is nothing to print before the tables are seated." in text_of(page)


def test_card_opens_its_table_and_no_sheet_carries_a_token(evenings: Evenings) -> None:
    director = evenings.cast.actor("dirk")
    event = events.event_at(director, "riverside", "league")
    make_links(actor=director, round_=events.round_at(event, 1), now=NOW)
    links = [one.link for one in list_linked_tables(event, NOW, round_number=1)]
    tokens = [secrets.token for link in links if link and (secrets := printable_secret(link))]
    assert len(tokens) == 2
    opened = sorted(f"{ENTRANCE}/{token}" for token in tokens)
    assert codes_of(evenings, director, CARDS) == opened
    sheets = codes_of(evenings, director, SHEETS)
    assert [text.split(":")[:4] for text in sheets] == [
        ["BL1", "riverside", "league", "r1t1"],
        ["BL1", "riverside", "league", "r1t2"],
    ]
    assert not any(token in text for token in tokens for text in sheets)


def test_printing_makes_no_links(evenings: Evenings) -> None:
    assert codes_of(evenings, evenings.cast.actor("dirk"), CARDS) == []
    assert "2 tables have no link." in text_of(evenings.client("dirk").get(PRINT))


def test_queries_do_not_grow_with_the_tables(evenings: Evenings) -> None:
    director = evenings.client("dirk")
    counts = []
    for number in (1, 2):
        with CaptureQueriesContext(connection) as caught:
            director.get(f"{ADDRESS}/rounds/{number}/print", {"what": "all"})
        counts.append(len(caught))
    assert counts[0] == counts[1]


def test_blank_sheet_of_any_game_is_public() -> None:
    client = Client()
    assert "Print blank score sheet" in text_of(client.get("/variants/hearts"))
    form = client.get("/variants/cancellation-hearts/score-sheet", {"seats": "7"})
    assert 'value="7" selected' in form.content.decode()
    chosen = {"seats": "7", "paper": "letter", "layout": "bubbles"}
    answer = client.get("/variants/cancellation-hearts/score-sheet", chosen)
    assert answer["Content-Type"] == "application/pdf"
    assert answer.content.startswith(b"%PDF")


def test_blank_sheet_for_more_than_the_game_seats_is_refused() -> None:
    answer = Client().get("/variants/hearts/score-sheet", {"seats": "17", "paper": "a4"})
    assert answer.status_code == 422
    assert "“17” is not in the list" in text_of(answer)
    assert Client().get("/variants/nonsense/score-sheet").status_code == 404
