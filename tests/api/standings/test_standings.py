"""Standings are the publication's stored bytes; its files are made of them once."""

import io
import re
from collections.abc import Callable

import pytest
from django.test import Client
from PIL import Image
from pytest_django import DjangoAssertNumQueries
from python_calamine import CalamineWorkbook

from api.v1.standings import files
from tests.api.conftest import Evening
from tests.support.builders import hand, league
from tests.support.cast import NOW
from tests.support.pdf_text import page_texts
from tests.support.rest.requests import SignIn, refusal
from tournaments.domain.time_limits import TooLong
from tournaments.models.standings import Publication, PublicationFile
from tournaments.services.clubs.change_club import change_club
from tournaments.services.clubs.clubs import change_player
from tournaments.services.clubs.names import set_names_policy
from tournaments.services.events.change_event import change_event
from tournaments.services.operations import Operation
from tournaments.services.people.erase_player import erase_player
from tournaments.services.publishing import publication_files
from tournaments.services.publishing.publications import publish

pytestmark = pytest.mark.both_databases

FORMS = ("xlsx", "pdf", "png")
PLACES = ("standings", "publications/1")
A4, LETTER = (595, 842), (612, 792)
MEDIA = {
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pdf": "application/pdf",
    "png": "image/png",
}


def correct(evening: Evening) -> Publication:
    hand(evening.game, 2, [0, 12, 1, 0], 0, based_on=1, reason="Misread.")
    publication = publish(evening.event.pk, now=NOW)
    assert publication is not None
    return publication


def test_standings_are_the_stored_bytes(client: Client, evening: Evening) -> None:
    response = client.get(f"{evening.at}/standings")
    assert response.content == bytes(evening.publication.body)
    assert response.headers["Content-Type"] == "application/json"
    assert response.headers["Cache-Control"] == "no-cache"
    assert response.headers["ETag"] == evening.publication.etag
    assert [(row["rank"], row["player_id"], row["points"]) for row in response.json()["rows"]] == [
        (1, "RL03", 2),
        (2, "RL02", 14),
        (3, "RL01", 17),
        (4, "RL04", 19),
    ]


def test_csv_is_stored_too_and_has_crlf(client: Client, evening: Evening) -> None:
    response = client.get(f"{evening.at}/standings.csv")
    assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert response.content == bytes(evening.publication.csv)
    assert response.content.split(b"\r\n")[1] == b"1,RL03,Ruth K.,1,2,2,1.0000,1,0,0,0,0,0"


@pytest.mark.parametrize("path", ["standings", "standings.csv", "publications/1"])
@pytest.mark.parametrize("sent", ["{etag}", "W/{etag}", '"0-none", {etag}', "*"])
def test_caller_who_has_the_bytes_gets_304_and_no_body(
    client: Client, evening: Evening, path: str, sent: str
) -> None:
    etag = evening.publication.etag
    response = client.get(f"{evening.at}/{path}", headers={"if-none-match": sent.format(etag=etag)})
    assert (response.status_code, response.content) == (304, b"")
    assert "Content-Type" not in response.headers
    assert response.headers["ETag"] == etag
    assert "Cache-Control" in response.headers


def test_correction_shows_at_once_under_another_etag(client: Client, evening: Evening) -> None:
    client.get(f"{evening.at}/standings")
    second = correct(evening)
    old = {"if-none-match": evening.publication.etag}
    response = client.get(f"{evening.at}/standings", headers=old)
    assert response.status_code == 200
    assert response.content == bytes(second.body)
    assert response.headers["ETag"] == second.etag
    assert response.json()["publication"]["number"] == 2


def test_old_publication_stays_as_it_was(client: Client, evening: Evening) -> None:
    correct(evening)
    response = client.get(f"{evening.at}/publications/1")
    assert response.content == bytes(evening.publication.body)
    assert response.headers["Cache-Control"] == "no-cache"
    assert client.get(f"{evening.at}/publications/1.csv").content == bytes(evening.publication.csv)
    listed = client.get(f"{evening.at}/publications").json()["results"]
    assert [each["number"] for each in listed] == [2, 1]
    assert listed[1]["digest"] == evening.publication.digest


@pytest.mark.parametrize("path", ["standings", "standings.csv"])
def test_each_read_of_public_standings_is_one_query(
    client: Client, evening: Evening, django_assert_num_queries: DjangoAssertNumQueries, path: str
) -> None:
    address = f"{evening.at}/{path}"
    for headers in ({}, {}, {"if-none-match": evening.publication.etag}):
        with django_assert_num_queries(1):
            client.get(address, headers=headers)
    correct(evening)
    with django_assert_num_queries(1):
        client.get(address)


def test_bytes_that_the_reader_or_this_process_has_stay_in_the_database(
    client: Client, evening: Evening, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    address = f"{evening.at}/standings"
    client.get(address)
    Publication.objects.update(body=b"not read again")
    assert client.get(address).content == bytes(evening.publication.body)
    assert client.head(address).status_code == 200


def test_anonymous_read_is_for_every_cache_and_origin(client: Client, evening: Evening) -> None:
    response = client.get(f"{evening.at}/standings", headers={"origin": "https://club.example"})
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert "ETag" in response.headers["Access-Control-Expose-Headers"]
    assert "Cookie" not in response.headers.get("Vary", "")
    assert "Set-Cookie" not in response.headers
    own = evening.cast.client("piet").get(f"{evening.at}/standings")
    assert "Access-Control-Allow-Origin" not in own.headers


def test_publication_that_is_not_there_is_404(client: Client, evening: Evening) -> None:
    league(evening.cast.riverside, slug="new")
    new = client.get("/api/v1/clubs/riverside/events/new/standings")
    assert refusal(new) == (404, ["not_published"])
    assert refusal(client.get(f"{evening.at}/publications/2")) == (404, ["unknown_publication"])


def test_standings_for_members_are_private_to_them(
    client: Client, play: Callable[..., Evening], signed_in: SignIn
) -> None:
    inside = play("inside", "members")
    response = signed_in("piet").get(f"{inside.at}/standings")
    assert response.content == bytes(inside.publication.body)
    assert response.headers["Cache-Control"] == "private, no-cache"
    numbered = signed_in("piet").get(f"{inside.at}/publications/1")
    assert numbered.headers["Cache-Control"] == "private, no-cache"
    assert client.get(f"{inside.at}/standings").status_code == 404
    etag = {"if-none-match": inside.publication.etag}
    assert client.get(f"{inside.at}/standings", headers=etag).status_code == 404


def test_numbered_publication_leads_to_the_newest(client: Client, evening: Evening) -> None:
    newest = f'<{evening.at}/standings>; rel="latest-version"'
    assert client.get(f"{evening.at}/publications/1").headers["Link"] == newest
    before = client.get(f"{evening.at}/publications/1").content
    correct(evening)
    after = client.get(f"{evening.at}/publications/1")
    assert after.content == before
    assert after.headers["Link"] == (
        f'{newest}, <{evening.at}/publications/2>; rel="successor-version"'
    )
    table = client.get(f"{evening.at}/publications/1.csv").headers["Link"]
    assert f'<{evening.at}/publications/2.csv>; rel="successor-version"' in table
    assert "successor" not in client.get(f"{evening.at}/publications/2").headers["Link"]


def texts(pdf: bytes) -> list[str]:
    return [text for page in page_texts(pdf) for text in page]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("place", PLACES)
def test_file_is_made_once_and_then_costs_one_query(
    client: Client,
    evening: Evening,
    django_assert_num_queries: DjangoAssertNumQueries,
    form: str,
    place: str,
) -> None:
    first = client.get(f"{evening.at}/{place}.{form}")
    assert (first.status_code, first.headers["Content-Type"]) == (200, MEDIA[form])
    assert first.headers["Cache-Control"] == "no-cache"
    stored = PublicationFile.objects.get()
    assert (bytes(stored.content or b""), stored.etag) == (first.content, first.headers["ETag"])
    with django_assert_num_queries(1):
        again = client.get(f"{evening.at}/{place}.{form}")
    assert (again.content, again.headers["ETag"]) == (first.content, first.headers["ETag"])
    head = client.head(f"{evening.at}/{place}.{form}")
    assert (head.status_code, head.content) == (200, b"")
    known = client.get(
        f"{evening.at}/{place}.{form}", headers={"if-none-match": first.headers["ETag"]}
    )
    assert (known.status_code, known.content) == (304, b"")


def test_spreadsheet_has_the_rows(client: Client, evening: Evening) -> None:
    response = client.get(f"{evening.at}/standings.xlsx")
    book = CalamineWorkbook.from_filelike(io.BytesIO(response.content))
    assert book.sheet_names == ["Standings", "Publication"]
    rows = book.get_sheet_by_name("Standings").to_python()
    assert rows[1][:7] == [1.0, "", "RL03", "Ruth K.", 1.0, 2.0, 2.0]


def test_picture_has_the_size_of_link_previews(client: Client, evening: Evening) -> None:
    image = Image.open(io.BytesIO(client.get(f"{evening.at}/standings.png").content))
    assert (image.format, image.size) == ("PNG", (1200, 630))


def test_paper_is_a4_or_letter(client: Client, evening: Evening) -> None:
    at = f"{evening.at}/standings.pdf"
    sizes = [
        re.findall(rb"/MediaBox\[0 0 ([\d.]+) ([\d.]+)\]", client.get(f"{at}{paper}").content)[0]
        for paper in ("", "?paper=a4", "?paper=letter")
    ]
    assert [tuple(round(float(one)) for one in size) for size in sizes] == [A4, A4, LETTER]
    assert PublicationFile.objects.count() == 2
    refused = client.get(f"{at}?paper=a3")
    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (400, "bad_parameter")
    for path in (
        "standings.pdf?round=1",
        "standings.xlsx?paper=a4",
        "standings.png?date=2025-11-06",
    ):
        assert client.get(f"{evening.at}/{path}").json()["errors"][0]["code"] == "unknown_parameter"


def test_new_publication_has_files_of_its_own(client: Client, evening: Evening) -> None:
    first = client.get(f"{evening.at}/standings.xlsx")
    hand(evening.game, 2, [0, 12, 1, 0], 0, based_on=1, reason="Misread.")
    publish(evening.event.pk, now=NOW)
    second = client.get(
        f"{evening.at}/standings.xlsx", headers={"if-none-match": first.headers["ETag"]}
    )
    assert (second.status_code, second.content != first.content) == (200, True)
    old = client.get(f"{evening.at}/publications/1.xlsx")
    assert old.content == first.content
    at = f"{evening.at}/publications/2.xlsx"
    assert f'<{at}>; rel="successor-version"' in old.headers["Link"]


def test_event_no_longer_public_has_no_public_files(client: Client, evening: Evening) -> None:
    paths = [f"{evening.at}/{place}.{form}" for place in PLACES for form in FORMS]
    etags = {path: client.get(path).headers["ETag"] for path in paths}
    change_event(evening.cast.operation("olga"), evening.event, visibility="members")
    for path, etag in etags.items():
        assert client.get(path, headers={"if-none-match": etag}).status_code == 404
        member = evening.cast.client("piet").get(path)
        assert (member.status_code, member.headers["Cache-Control"]) == (200, "private, no-cache")
        assert member.headers["ETag"] == etag


def test_public_reads_todays_names_in_older_publications(client: Client, evening: Evening) -> None:
    assert "Ruth K." in texts(client.get(f"{evening.at}/standings.pdf").content)
    owner = evening.cast.actor("olga")
    set_names_policy(Operation(owner, NOW), evening.cast.riverside, policy="number")
    public = client.get(f"{evening.at}/standings.pdf")
    assert public.headers["Cache-Control"] == "private, no-cache"
    assert "Ruth" not in "".join(texts(public.content))
    again = client.get(f"{evening.at}/standings.pdf")
    assert (again.content, again.headers["ETag"]) == (public.content, public.headers["ETag"])
    member = evening.cast.client("piet").get(f"{evening.at}/standings.pdf")
    assert "Ruth K." in texts(member.content)


def test_public_picture_does_not_depend_on_a_hidden_name(client: Client, evening: Evening) -> None:
    owner, club = evening.cast.actor("olga"), evening.cast.riverside
    set_names_policy(Operation(owner, NOW), club, policy="number")
    at, member = f"{evening.at}/publications/1.png", evening.cast.client("piet")
    pictures = []
    for name in ("Ruth K.", "Wilhelmina Q."):
        change_player(Operation(owner, NOW), evening.people[2], name=name)
        pictures.append(client.get(at).content)
    assert pictures[0] == pictures[1]
    assert pictures[0] != member.get(at).content


def test_erased_name_goes_from_the_files(client: Client, evening: Evening) -> None:
    for form in FORMS:
        client.get(f"{evening.at}/standings.{form}")
    olga = evening.cast.operation("olga")
    erase_player(olga, evening.people[2], confirmed="RL03", reason="They asked for it.")
    assert not PublicationFile.objects.exists()
    print_ = texts(client.get(f"{evening.at}/publications/1.pdf").content)
    assert "Player RL03" in print_
    assert "Ruth" not in "".join(print_)


def test_files_made_first_go_where_there_are_many(
    client: Client, evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publication_files, "FILES_KEPT", 2)
    for form in FORMS:
        assert client.get(f"{evening.at}/standings.{form}").status_code == 200
    kept = PublicationFile.objects.order_by("pk").values_list("form", flat=True)
    assert list(kept) == ["pdf", "png"]


def test_file_that_takes_too_long_is_asked_for_again(
    client: Client, evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(*args: object) -> bytes:
        raise TooLong

    with monkeypatch.context() as patched:
        patched.setattr(files, "made_file", slow)
        answer = client.get(f"{evening.at}/standings.pdf")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "2")
    assert answer.json()["errors"][0]["code"] == "file_is_being_made"
    assert not PublicationFile.objects.exists()
    assert client.get(f"{evening.at}/standings.pdf").status_code == 200


def test_other_colour_of_the_club_makes_another_picture(client: Client, evening: Evening) -> None:
    before = client.get(f"{evening.at}/standings.png")
    owner, wanted = evening.cast.actor("olga"), {"colour": "#7a1f3d"}
    change_club(Operation(owner, NOW), evening.cast.riverside, wanted=wanted)
    after = client.get(f"{evening.at}/standings.png")
    assert Image.open(io.BytesIO(after.content)).convert("RGB").getpixel((5, 5)) == (122, 31, 61)
    assert after.headers["ETag"] != before.headers["ETag"]


def test_print_says_which_publication_it_is_on_every_page(client: Client, evening: Evening) -> None:
    (page,) = page_texts(client.get(f"{evening.at}/standings.pdf").content)
    assert page[:3] == ["Riverside", "League", "Standings · Publication 1"]
    assert "Ranked by Average a hand: lowest wins." in page[3]
    assert page[page.index("Page 1 of 1") - 1].startswith("Riverside · Publication 1 of ")
    first = page.index("Ruth K.")
    assert page[first - 1 : first + 6] == ["1", "Ruth K.", "1.00", "2", "2", "1", "1"]
