"""One publication in every form says the same, row by row: place, name, hands, deciding figure."""

import csv
import io
import re
from collections.abc import Callable
from decimal import Decimal
from html import unescape
from typing import NamedTuple

import feedparser
import pytest
from django.test import Client
from python_calamine import CalamineWorkbook

from tests.support.pdf_text import joined, page_texts
from tests.support.scenarios.evenings import ADDRESS, HOSTILE, Evenings

REST = f"/api/v1{ADDRESS}"
CELL = re.compile(r"<t[dh][^>]*>(.*?)</t[dh]>", re.DOTALL)
ROW = re.compile(r"<tr[^>]*>(.*?)</tr>", re.DOTALL)
ROW_OF_PAGE = re.compile(
    r'<tr id="[^"]+">\s*<td class="pl">([^<]+)</td>.*?<th scope="row">\s*<a [^>]+>([^<]+)</a>'
    r'.*?<td class="num key ?">\s*<a [^>]+>\s*([^<]+?)\s*</a>',
    re.DOTALL,
)


class Line(NamedTuple):
    place: str
    name: str
    figure: str


def of_json(client: Client) -> list[Line]:
    rows = client.get(f"{REST}/standings").json()["rows"]
    return [
        Line(f"{row['rank']}{'=' * row['tied']}", row["player"], row["average_per_hand"])
        for row in rows
    ]


def of_page(client: Client) -> list[Line]:
    matches = ROW_OF_PAGE.findall(client.get(ADDRESS).content.decode())
    return [Line(*map(unescape, one)) for one in matches]


def of_publication_page(client: Client) -> list[Line]:
    page = client.get(f"{ADDRESS}/publications/1").content.decode()
    return [Line(*map(unescape, one)) for one in ROW_OF_PAGE.findall(page)]


def of_csv(client: Client) -> list[Line]:
    text = client.get(f"{REST}/standings.csv").content.decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    ranks = [row["rank"] for row in rows]
    return [
        Line(
            row["rank"] + "=" * (ranks.count(row["rank"]) > 1),
            row["player"],
            row["average_per_hand"],
        )
        for row in rows
    ]


def of_xlsx(client: Client) -> list[Line]:
    content = client.get(f"{REST}/standings.xlsx").content
    book = CalamineWorkbook.from_filelike(io.BytesIO(content))
    head, *rows = book.get_sheet_by_name("Standings").to_python()
    table = [dict(zip(map(str, head), row, strict=True)) for row in rows]
    return [
        Line(
            f"{row['Place']:.0f}{'=' if row['Tied'] else ''}",
            str(row["Player"]),
            f"{row['Average a hand']:.2f}",
        )
        for row in table
    ]


def of_feed(client: Client) -> list[Line]:
    (entry,) = feedparser.parse(client.get(f"{ADDRESS}/results.atom").content).entries
    return [Line(place, name, figure) for place, name, figure in _cells(entry.content[0].value)]


def of_frame(client: Client) -> list[Line]:
    page = client.get(f"{ADDRESS}/embed").content.decode()
    return [Line(place, name, figure) for place, name, _hands, figure in _cells(page)]


def _cells(html: str) -> list[list[str]]:
    body = html.partition("<tbody>")[2].partition("</tbody>")[0]
    return [[unescape(one) for one in CELL.findall(row)] for row in ROW.findall(body)]


FORMS = (of_page, of_publication_page, of_csv, of_xlsx, of_feed, of_frame)


@pytest.mark.parametrize("form", FORMS)
def test_form_has_rows_of_json(evenings: Evenings, form: Callable[[Client], list[Line]]) -> None:
    client = evenings.client()
    client.cookies["figures"] = "all"
    rows = of_json(client)
    assert len(rows) >= 8
    assert any(one.place.endswith("=") for one in rows)
    assert any(one.name == unescape(HOSTILE) for one in rows)
    if form in (of_frame, of_xlsx):  # as many decimals as tell the rows apart, as on the page
        rows = [row._replace(figure=f"{Decimal(row.figure):.2f}") for row in rows]
    assert form(client) == rows


def test_file_has_the_decimals_of_the_page_without_all_figures(evenings: Evenings) -> None:
    client = evenings.client()
    rows = of_page(client)
    assert all(re.fullmatch(r"−?[0-9]+\.[0-9]{2}", row.figure) for row in rows)
    assert of_xlsx(client) == rows


@pytest.mark.parametrize("paper", ["", "?paper=letter"])
def test_print_has_the_rows_of_json(evenings: Evenings, paper: str) -> None:
    client = evenings.client()
    rows = client.get(f"{REST}/standings").json()["rows"]
    printed = joined(
        [
            text
            for page in page_texts(client.get(f"{REST}/standings.pdf{paper}").content)
            for text in page
        ]
    )
    has_tables = bool(paper)  # letter is wider: one more column fits
    expected = "".join(
        f"{line.place}{line.name}{Decimal(line.figure):.2f}{row['points']}{row['hands']}"
        f"{row['tables'] if has_tables else ''}"
        for line, row in zip(of_json(client), rows, strict=True)
    )
    assert re.sub(r"\s", "", expected) in printed
