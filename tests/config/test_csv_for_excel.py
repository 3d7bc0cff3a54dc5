"""A CSV file that a page offers opens in Excel with its accents; programs get it as ever."""

import codecs

import pytest

from tests.support.scenarios.evenings import ADDRESS, Evenings

REST = f"/api/v1{ADDRESS}/standings.csv"


def test_mark_is_before_the_same_bytes_and_the_etag_is_not_that_of_the_file(
    evenings: Evenings,
) -> None:
    client = evenings.client()
    plain = client.get(REST)
    marked = client.get(f"{REST}?for=excel")
    assert marked.status_code == 200
    assert marked.content == codecs.BOM_UTF8 + plain.content
    assert int(marked["Content-Length"]) == len(plain.content) + len(codecs.BOM_UTF8)
    assert not marked.has_header("ETag")
    assert not plain.content.startswith(codecs.BOM_UTF8)
    assert client.get(REST, headers={"If-None-Match": plain["ETag"]}).status_code == 304


def test_other_parameters_of_the_file_count_as_ever(evenings: Evenings) -> None:
    client = evenings.client()
    first_round = client.get(f"{REST}?round=1").content
    assert first_round != client.get(REST).content
    assert client.get(f"{REST}?round=1&for=excel").content == codecs.BOM_UTF8 + first_round


@pytest.mark.parametrize("query", ["?for=word", "?for=", "?For=excel"])
def test_what_else_is_asked_for_is_refused_as_ever(evenings: Evenings, query: str) -> None:
    asked = evenings.client().get(f"/api/v1{ADDRESS}/head-to-head.csv{query}")
    assert asked.status_code == 400
    assert not asked.content.startswith(codecs.BOM_UTF8)


def test_only_files_have_the_mark(evenings: Evenings) -> None:
    client = evenings.client()
    refused = client.get("/api/v1/clubs/riverside/events/none/standings.csv?for=excel")
    assert refused.status_code == 404
    assert not refused.content.startswith(codecs.BOM_UTF8)
    assert client.get(f"/api/v1{ADDRESS}/head-to-head?for=excel").status_code == 400


@pytest.mark.parametrize("path", ["", "/changes", "/head-to-head", "/imports"])
def test_pages_offer_the_file_for_excel(evenings: Evenings, path: str) -> None:
    page = evenings.client("dirk").get(f"{ADDRESS}{path}").content.decode()
    assert '.csv?for=excel"' in page
    assert '.csv"' not in page.partition("<body")[2]
