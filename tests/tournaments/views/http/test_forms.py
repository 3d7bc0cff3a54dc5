"""Forms of the site: CSRF tokens, empty ones, NUL characters, and one of many people."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.db import DataError
from django.test import Client
from django.utils import timezone

from tests.support.builders import by_tests, league, players, table
from tests.support.cast import Cast, enter_the_cast
from tests.support.lengths import short_or_long
from tests.support.pages.adjustments import save_previewed
from tests.support.pages.hand_entry import NEW, TABLE, hidden, typed
from tests.support.pages.seating import pressed
from tests.support.pages.text import beside, text_of
from tests.support.rest.requests import codes, database_raises
from tests.support.routes import UNSAFE, routes
from tests.support.scenarios.evenings import ADDRESS, Evenings
from tests.support.scenarios.ladders import ladder
from tests.support.scenarios.table_links import Linked, csrf_of, linked
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Entry
from tournaments.models.ladders import Challenge, LadderAbsence
from tournaments.models.standings import LedgerLine
from tournaments.selectors.access.table_links import COOKIE
from tournaments.services.events.entrants import add_entrant

NAMES = {
    "club": "riverside",
    "event": "league",
    "code": "r1t1",
    "player_id": "RL01",
    "variant": "hearts",
}
JSON = "application/json"
FORM = "multipart/form-data; boundary=none"
NOWHERE = ("/api/v1: 404", "/api/v1/: 404")
"""What no view of ours answers; nothing is changed there."""

ONE_CLICK = "/unsubscribe/"
"""Mail programs post there (RFC 8058): its signed address is the right, and no cookie is read."""

FOREIGN = "https://elsewhere.example"


@pytest.fixture
def night(db: None) -> Linked:
    return linked(enter_the_cast())


@pytest.fixture
def owner(night: Linked) -> Client:
    """Olga, who may do everything here, in a browser whose tokens are looked at."""
    olga = night.cast.users["olga"]
    olga.is_staff = olga.is_superuser = True
    olga.save()
    client = Client(enforce_csrf_checks=True)
    client.force_login(olga)
    client.get("/accounts/logout/")
    return client


def unsafe() -> Iterator[tuple[str, str]]:
    """Method and address of everything that may change something.

    In its short form an address is asked with one of the methods, in turn.
    """
    for number, route in enumerate(routes()):
        if route.path(NAMES).startswith(ONE_CLICK):
            continue
        for method in short_or_long((UNSAFE[number % len(UNSAFE)],), tuple(UNSAFE)):
            yield method, route.path(NAMES)


def let_in(client: Client, **headers: str) -> list[str]:
    """Send nothing to every unsafe route; where that was not refused for its token."""
    before = AuditLine.objects.count()
    found = []
    for method, path in unsafe():
        status = client.generic(method, path, "{}", JSON, headers=headers).status_code
        if status == 415:  # it takes a file, and is looked at before its token is
            status = client.generic(method, path, b"", FORM, headers=headers).status_code
        if status != 403:
            found.append(f"{method} {path}: {status}")
    assert AuditLine.objects.count() == before
    return [one for one in found if not one.endswith(NOWHERE)]


@pytest.mark.tier_all
def test_no_unsafe_route_takes_a_session_without_its_token(owner: Client) -> None:
    assert let_in(owner) == []


@pytest.mark.tier_all
def test_no_unsafe_route_takes_a_session_from_a_foreign_origin(owner: Client) -> None:
    assert let_in(owner, **{"X-CSRFToken": csrf_of(owner), "Origin": FOREIGN}) == []


@pytest.mark.tier_all
def test_no_unsafe_route_takes_a_links_cookie_without_its_token(night: Linked) -> None:
    phone = night.holder(checks=True)
    phone.get("/t")
    assert settings.SESSION_COOKIE_NAME not in phone.cookies
    assert phone.cookies[COOKIE].value
    assert let_in(phone) == []
    assert let_in(phone, **{"X-CSRFToken": csrf_of(phone), "Origin": FOREIGN}) == []


def test_same_request_with_its_token_is_let_in(night: Linked, owner: Client) -> None:
    headers = {"X-CSRFToken": csrf_of(owner), "Origin": "http://testserver"}
    path = f"{night.event}/links"
    assert owner.post(path, {"revoke": "yes"}, headers=headers).status_code == 302


NIGHT = f"{ADDRESS}/meetings/2025-11-06"
REFUSED = 422
FORMS = (
    f"{NIGHT}/attendance",
    f"{ADDRESS}/new-meeting",
    "/new-club",
    "/clubs/riverside/new-season",
    f"{ADDRESS}/tables/r1t1/close",
    f"{ADDRESS}/tables/r1t1/hands/1/void",
    f"{ADDRESS}/tables/r1t1/dispute",
    f"{ADDRESS}/rounds/1/direct",
    f"{ADDRESS}/direct",
)


@pytest.mark.parametrize("path", FORMS)
def test_form_that_was_sent_empty_is_refused(evenings: Evenings, path: str) -> None:
    dirk = evenings.client("dirk")
    assert dirk.get(path).status_code == 200
    answer = dirk.post(path, {})
    assert answer.status_code == REFUSED
    assert "Not saved yet" in answer.content.decode()


EVENT = "/clubs/riverside/events/league"
SAYS = "contains a NUL character (U+0000). Remove it. Nothing was changed."


@pytest.mark.parametrize("sent", [r'"\000"', r'"abcdefgh\000ijklmnop"'])
def test_session_cookie_with_one_is_no_session(evenings: Evenings, sent: str) -> None:
    client = Client(raise_request_exception=False)
    for path in ("/", EVENT, f"{EVENT}/direct", "/api/v1/clubs"):
        headers = {"cookie": f"{settings.SESSION_COOKIE_NAME}={sent}"}
        expected = client.get(path).status_code
        assert client.get(path, headers=headers).status_code == expected, path


@pytest.mark.parametrize(
    "path", ["/ladder/what-if?player=%00", "/standings?%00=1", "/meetings?cursor=a%00"]
)
def test_query_with_one_is_refused_over_rest(evenings: Evenings, path: str) -> None:
    answer = Client(raise_request_exception=False).get(f"/api/v1{EVENT}{path}")
    assert (answer.status_code, codes(answer)) == (400, ["nul_character"])


def test_query_with_one_is_refused_on_a_page(evenings: Evenings) -> None:
    answer = Client(raise_request_exception=False).get(f"{EVENT}?player=%00")
    assert answer.status_code == 400
    assert f"The query {SAYS}" in answer.content.decode()
    assert answer.headers["Content-Security-Policy"], "the headers of every page"


@pytest.mark.parametrize("field", ["key", "reason", "way", "hearts-1"])
@pytest.mark.parametrize("path", [NEW, f"{TABLE}/hands/1/edit"])
def test_form_of_a_hand_with_one_saves_nothing(evenings: Evenings, path: str, field: str) -> None:
    client: Any = evenings.client("hanna")
    client.raise_request_exception = False
    fields: dict[str, object] = {**hidden(client.get(path)), **typed([4, 1, 2, 6], 3)}
    before = Entry.objects.count()
    answer = client.post(path, {**fields, "reason": "Again.", "go": "save", field: "a\0b"})
    assert answer.status_code == 400
    assert f"The form {SAYS}" in answer.content.decode()
    assert Entry.objects.count() == before


def test_one_that_only_the_database_finds_is_no_mistake_of_ours(evenings: Evenings) -> None:
    client = Client(raise_request_exception=False)
    with database_raises(DataError, "PostgreSQL text fields cannot contain NUL (0x00) bytes"):
        page, rest = client.get(EVENT), client.get("/api/v1/clubs")
    assert page.status_code == 400
    assert f"The request {SAYS}" in page.content.decode()
    assert (rest.status_code, codes(rest)) == (400, ["nul_character"])


LEAGUE, LADDER = "/clubs/riverside/events/league", "/clubs/riverside/events/ladder"
PEOPLE = ("John Smith", "Johanna B.", "Zoë Łukasz", "Petra Holm", "Petra Hansen", "Ida", "Li")
LINE = {"kind": "penalty", "amount": "2", "reason": "Late."}


@pytest.fixture
def people(cast: Cast) -> list[Player]:
    return players(cast.riverside, *PEOPLE, *(f"Guest {n:02d}" for n in range(8, 17)))


def entered(cast: Cast, people: list[Player]) -> Event:
    event = league(cast.riverside)
    for person in people:
        add_entrant(by_tests(), event, kind="player", players=[person])
    table(event, people[12:])
    return event


def test_penalty_is_given_by_the_beginning_of_a_name(cast: Cast, people: list[Player]) -> None:
    entered(cast, people)
    dirk, new = cast.client("dirk"), f"{LEAGUE}/ledger/new"
    page = dirk.get(f"{LEAGUE}/ledger").content.decode()
    assert 'list="people-entrant"' in page
    assert '<option value="Zoë Łukasz">' in page
    assert '<select name="entrant"' not in page
    save_previewed(dirk, new, {**LINE, "entrant": "zoe"})
    assert LedgerLine.objects.get().entrant.code == "RL03"
    # Several: buttons in the place of the field, and what was typed besides stays.
    response = dirk.post(new, {**LINE, "entrant": "Petra"})
    assert beside(response, "entrant", 422).startswith("“Petra” matches several players.")
    assert "Late.</textarea>" in response.content.decode()
    hansen = pressed(response, "pick", "Petra Hansen")
    save_previewed(dirk, new, {**LINE, "entrant": "Petra", "pick": hansen})
    assert LedgerLine.objects.last().entrant.code == "RL05"  # type: ignore[union-attr]
    assert "John Smith" in text_of(dirk.post(new, {**LINE, "entrant": "Jon Smith"}))
    assert dirk.post(new, {**LINE, "entrant": ""}).status_code == 422
    assert LedgerLine.objects.count() == 2


def test_a_few_people_stand_in_a_list(cast: Cast, people: list[Player]) -> None:
    entered(cast, people[1:])
    page = cast.client("dirk").get(f"{LEAGUE}/ledger").content.decode()
    assert '<select name="entrant"' in page
    assert "people-entrant" not in page


def test_challenges_and_absences_are_searched(cast: Cast, hanna: Client) -> None:
    ladder(cast, "ABCDEFGHIJKLMNOPQ", now=timezone.now())
    new = f"{LADDER}/challenges/new"
    assert '<option value="3 Member C">' in hanna.get(new).content.decode()
    # The list says "3 Member C": place, name and code each lead there.
    response = hanna.post(new, {"challenger": "member e", "challenged": "member"})
    assert "4 Member D" in text_of(response, 422)
    chosen = pressed(response, "pick", "4 Member D")
    hanna.post(new, {"challenger": "member e", "challenged": "member", "pick": chosen})
    challenge = Challenge.objects.get()
    assert (challenge.challenger.code, challenge.challenged.code) == ("E", "D")
    hanna.post(f"{LADDER}/absences/new", {"player_id": "member q", "since": "2030-01-01"})
    assert LadderAbsence.objects.get().entrant.code == "Q"
