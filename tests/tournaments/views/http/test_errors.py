"""Pages that say what is not there, what is, and a way on."""

import pytest
from django.test import Client, RequestFactory

from tests.support.scenarios.evenings import ADDRESS, Evenings
from tournaments.views.http import errors


@pytest.mark.parametrize(
    ("path", "title", "there_is", "way_on"),
    [
        ("/clubs/nowhere", "No such club", "", "/"),
        ("/clubs/riverside/events/never", "No such event", "", "/"),
        (f"{ADDRESS}/tables/r1t9", "No such table", "Round 1 has tables 1–2.", "/rounds/1"),
        (f"{ADDRESS}/tables/what", "No such table", "", "/meetings"),
        (f"{ADDRESS}/rounds/77", "No such round", "It has rounds 1 to 2.", "/meetings"),
        (f"{ADDRESS}/tables/r1t1/hands/40", "No such hand", "Its sheet has 2 hands.", "/r1t1"),
        (f"{ADDRESS}/publications/9", "No such publication", "", ADDRESS),
        (f"{ADDRESS}/players/RL99", "No such player", "", ADDRESS),
        ("/clubs/riverside/players/RL99", "No such player", "", "/clubs/riverside"),
        ("/no/such/page", "Page not found", "", "/"),
    ],
)
def test_missing_page_names_what_is_not_there_and_leads_on(
    evenings: Evenings, path: str, title: str, there_is: str, way_on: str
) -> None:
    response = evenings.client().get(path, headers={"X-Request-ID": "7q2m-81xy-0001"})
    page = response.content.decode()
    assert response.status_code == 404
    assert f"<h1>{title}</h1>" in page
    assert there_is in page
    assert f'{way_on}">' in page
    assert "quote this reference: 7q2m-81x" in page
    assert "/api/v1/" not in page


@pytest.mark.parametrize("path", [f"{ADDRESS}/rounds/{10**30}", f"{ADDRESS}/tables/r{10**30}t1"])
def test_number_beyond_any_database_column_is_missing_too(evenings: Evenings, path: str) -> None:
    assert evenings.client().get(path).status_code == 404


def test_form_without_its_token_is_refused_with_a_page(db: None) -> None:
    response = Client(enforce_csrf_checks=True).post("/theme", {"theme": "dark"})
    assert response.status_code == 403
    assert "reload the page" in response.content.decode()


def test_page_for_another_role_says_so_and_nothing_of_an_old_form(evenings: Evenings) -> None:
    response = evenings.client("piet").get(f"{ADDRESS}/direct")
    assert response.status_code == 403
    assert "Your role does not allow this." in response.content.decode()
    assert "reload the page" not in response.content.decode()


@pytest.mark.parametrize(
    ("path", "way"),
    [
        (f"{ADDRESS}/direct", ADDRESS),
        ("/clubs/riverside/manage", "/clubs/riverside"),
        ("/statusz", "/"),
    ],
)
def test_refusal_leads_back_to_what_is_above(evenings: Evenings, path: str, way: str) -> None:
    refused = evenings.client("hanna").get(path)
    assert f'class="btn pri" href="{way}"' in " ".join(refused.content.decode().split())


@pytest.mark.parametrize(
    ("path", "who"),
    [
        (f"{ADDRESS}/direct", "Your role does not allow this. A director or owner of the club can"),
        ("/clubs/riverside/settings", "Your role does not allow this. An owner of the club can"),
        ("/statusz", "Your role does not allow this. Nothing was changed."),
    ],
)
def test_refusal_names_only_those_who_may(evenings: Evenings, path: str, who: str) -> None:
    refused = evenings.client("hanna").get(path)
    assert refused.status_code == 403
    assert who in " ".join(refused.content.decode().split())


def test_bad_request_page_says_that_nothing_was_changed(rf: RequestFactory, db: None) -> None:
    response = errors.bad_request(rf.get("/"))
    assert response.status_code == 400
    assert "Nothing was changed" in response.content.decode()


def test_failure_page_asks_the_database_for_nothing(rf: RequestFactory) -> None:
    """No `db` mark: any query would fail this test."""
    broken, busy = errors.server_error(rf.get("/")), errors.busy(rf.get("/"))
    assert broken.status_code == 500
    assert "This is our mistake" in broken.content.decode()
    assert "Sign in" not in broken.content.decode()
    assert busy.status_code == 503
    assert busy["Retry-After"] == "5"


@pytest.mark.parametrize("path", ["/help", "/no/such/page", "/accounts/password/reset/"])
def test_every_page_of_a_visitor_leads_to_sign_in(client: Client, db: None, path: str) -> None:
    assert ">Sign in</a>" in client.get(path).content.decode()


def test_a_slash_at_the_end_leads_to_the_page_without_it(dirk: Client) -> None:
    answer = dirk.get("/clubs/riverside/players/?q=anna")
    assert (answer.status_code, answer["Location"]) == (301, "/clubs/riverside/players?q=anna")
    assert dirk.head("/clubs/riverside/").status_code == 301
    assert dirk.post("/clubs/riverside/players/").status_code == 404
    assert dirk.get("/clubs/riverside/no-such-page/").status_code == 404
    assert dirk.get("/api/v1/clubs/riverside/").status_code == 404
