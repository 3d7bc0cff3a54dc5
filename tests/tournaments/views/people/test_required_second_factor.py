"""Without a second factor that is required, a director's role waits: each page says so."""

from dataclasses import replace

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from tests.support.builders import league
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.factors import show_factor
from tests.support.pages.queries import count_queries
from tests.support.pages.text import text_of
from tests.support.routes import routes
from tournaments.models.access import Invitation, Token, token_digest
from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.policy import DIRECTOR, MAY, PLAYER, WITHHELD, command
from tournaments.selectors.clubs.clubs import get_club, get_role, list_clubs_for
from tournaments.selectors.events.events import events_for, get_event
from tournaments.services.access.tokens import make_token
from tournaments.services.operations import Operation

pytestmark = pytest.mark.django_db

EVENT = "/clubs/riverside/events/league"
NAMES = {"club": "riverside", "event": "league", "code": "r1t1", "variant": "hearts"}
SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


@pytest.fixture
def cast() -> Cast:
    cast = enter_the_cast()
    league(cast.riverside)
    league(cast.riverside, slug="held", visibility="held")
    Club.objects.filter(pk=cast.riverside.pk).update(requires_second_factor=True)
    return cast


def add_factor(cast: Cast, name: str) -> None:
    TOTP.activate(cast.users[name], SECRET)


def refused(client: Client, path: str) -> bool:
    answer = client.get(path)
    return answer.status_code == 403 and "Second factor needed" in text_of(answer)


def test_every_page_that_needs_a_directors_role_says_what_to_do(cast: Cast) -> None:
    dirk, seen = cast.client("dirk"), 0
    for route in routes():
        right = getattr(route.view, "right", "")
        if "<slug:club>" not in route.pattern or not right:
            continue
        if DIRECTOR in MAY[right] and PLAYER not in MAY[right]:
            assert refused(dirk, route.path(NAMES)), route.pattern
            seen += 1
    assert seen > 30
    assert refused(dirk, "/clubs/riverside/events/held")
    assert 'href="/accounts/2fa/totp/activate/"' in dirk.get(f"{EVENT}/direct").content.decode()


def test_rest_and_tokens_wait_too(cast: Cast) -> None:
    user = cast.users["dirk"]
    token = make_token(Operation(command("tests"), NOW), None, user=user, scope="manage")
    program = Client(headers={"Authorization": f"Bearer {token}"})
    line = {"entrant": "RL01", "amount": "1", "reason": "late"}
    for client in (cast.client("dirk"), program):
        for answer in (
            client.post(f"/api/v1{EVENT}/ledger", line, "application/json"),
            client.get(f"/api/v1{EVENT}/jobs"),
            client.get("/api/v1/clubs/riverside/events/held/standings"),
        ):
            assert answer.status_code == 403, answer.content
            assert answer.json()["errors"][0]["code"] == "second_factor_needed"


def test_members_rights_stay_and_the_page_of_the_club_says_what_is_missing(cast: Cast) -> None:
    Club.objects.filter(pk=cast.riverside.pk).update(is_public=False)
    dirk = cast.client("dirk")
    page = dirk.get("/clubs/riverside")
    assert "Your role works once you have a second factor and show it on this device." in text_of(
        page, 200
    )
    assert dirk.get(EVENT).status_code == 200
    assert "Set up a second factor" in text_of(dirk.get("/account"))
    assert "second factor" not in text_of(cast.client("hanna").get("/clubs/riverside"))


def test_an_app_or_a_passkey_gives_the_role_back_and_recovery_codes_do_not(cast: Cast) -> None:
    codes = {"seed": "s", "used_mask": 0}
    user = cast.users["dirk"]
    Authenticator.objects.create(user=user, type="recovery_codes", data=codes)
    dirk = cast.client("dirk")
    show_factor(dirk)
    assert refused(dirk, f"{EVENT}/direct")
    add_factor(cast, "dirk")
    assert dirk.get(f"{EVENT}/direct").status_code == 200
    Authenticator.objects.filter(user=user, type="totp").update(type="webauthn")
    assert dirk.get(f"{EVENT}/direct").status_code == 200
    Authenticator.objects.filter(user=user).delete()
    assert refused(dirk, f"{EVENT}/direct")


@pytest.mark.parametrize(
    ("required", "withheld"),
    [("nobody", set()), ("owners", {"olga"}), ("directors", {"olga", "dirk"})],
)
def test_the_site_requires_it_of_owners_or_of_directors_too(
    cast: Cast, settings: Settings, required: str, withheld: set[str]
) -> None:
    Club.objects.update(requires_second_factor=False)
    settings.REQUIRE_SECOND_FACTOR = required
    page = f"{EVENT}/direct"
    assert {one for one in ("olga", "dirk") if refused(cast.client(one), page)} == withheld
    listed = {one: cast.client(one).get("/clubs/riverside") for one in ("olga", "dirk")}
    held = {one for one, answer in listed.items() if "/events/held" not in answer.content.decode()}
    assert held == withheld, "lists leave out what the role does not read"


def test_nobody_pays_for_it_with_a_query(cast: Cast) -> None:
    add_factor(cast, "dirk")
    counts = []
    for required in (True, False):
        Club.objects.update(requires_second_factor=required)
        dirk = cast.client("dirk")
        show_factor(dirk)
        counts.append(count_queries(dirk, f"{EVENT}/direct"))
    assert counts[0] == counts[1]


def test_admin_has_the_same_sign_in(cast: Cast, settings: Settings) -> None:
    boss = User.objects.create_superuser("boss")
    client = Client()
    client.force_login(boss)
    assert client.get("/admin/").status_code == 200
    settings.REQUIRE_SECOND_FACTOR = "owners"
    assert "Second factor needed" in text_of(client.get("/admin/", follow=True), 403)
    assert refused(client, f"{EVENT}/direct")
    assert client.get("/clubs/riverside").status_code == 200
    TOTP.activate(boss, SECRET)
    assert client.get("/admin/").status_code == 302, "this session did not show it"
    assert refused(client, f"{EVENT}/direct")
    show_factor(client)
    assert client.get("/admin/").status_code == 200
    assert client.get(f"{EVENT}/direct").status_code == 200
    assert Client().get("/admin/", follow=True).redirect_chain[-1][0].startswith("/accounts/login/")
    posted = client.post("/admin/login/", {"username": "olga", "password": "guess"})
    assert posted.status_code == 302, "the admin checks no password of its own"
    assert client.get("/admin/password_change/")["Location"] == "/accounts/password/change/"
    assert cast.client("hanna").get("/admin/", follow=True).status_code == 403


def test_admin_removes_a_lost_factor_and_never_shows_its_secret(cast: Cast) -> None:
    add_factor(cast, "dirk")
    client = Client()
    client.force_login(User.objects.create_superuser("boss"))
    factor = Authenticator.objects.get()
    page = client.get(f"/admin/mfa/authenticator/{factor.pk}/change/")
    assert page.status_code == 200
    assert SECRET not in page.content.decode()
    client.post(f"/admin/mfa/authenticator/{factor.pk}/delete/", {"post": "yes"})
    assert not Authenticator.objects.exists()


def test_session_of_a_password_alone_gets_no_role_from_a_factor_added_elsewhere(
    cast: Cast, settings: Settings
) -> None:
    Club.objects.update(requires_second_factor=False)
    settings.REQUIRE_SECOND_FACTOR = "owners"
    here, thief = cast.client("olga"), cast.client("olga")
    add_factor(cast, "olga")
    show_factor(here)
    assert here.get("/clubs/riverside/members").status_code == 200
    page = thief.get("/clubs/riverside/members")
    assert "this device signed in without it" in text_of(page, 403)
    ways = "/accounts/2fa/reauthenticate/?next=%2Fclubs%2Friverside%2Fmembers"
    assert f'href="{ways}"' in page.content.decode()
    invited = {"role": "owner", "name": "Eve"}
    for path in ("/api/v1/clubs/riverside/invitations", "/api/v1/clubs/riverside/tokens"):
        answer = thief.post(path, invited, "application/json")
        assert answer.status_code in (403, 405), path
    assert thief.get("/api/v1/clubs/riverside/invitations").status_code == 403
    assert not Invitation.objects.exists()
    assert thief.get("/clubs/riverside").status_code == 200


def test_factor_counts_by_session_in_every_way_of_reading_a_role(cast: Cast) -> None:
    """One club, an event, a table, a list of events, and what decides about a change."""
    add_factor(cast, "dirk")
    actor = cast.actor("dirk")
    without = replace(actor, without_factor=True)
    event = Event.objects.get(slug="league")
    for reader, role in ((actor, DIRECTOR), (without, WITHHELD)):
        assert get_role(reader, cast.riverside.pk) == role
        assert get_club(reader, "riverside").role == role  # type: ignore[attr-defined]
        assert get_event(reader, "riverside", "league").role == role  # type: ignore[attr-defined]
        listed = [
            *events_for(reader).filter(pk=event.pk),
            list_clubs_for(reader).get(slug="riverside"),
        ]
        assert [getattr(each, "role", "") for each in listed] == [role, role]


def test_role_that_requires_no_factor_stays_in_a_session_without(cast: Cast) -> None:
    add_factor(cast, "hanna")
    without = replace(cast.actor("hanna"), without_factor=True)
    assert get_role(without, cast.riverside.pk) == "host"
    add_factor(cast, "dirk")
    Club.objects.update(requires_second_factor=False)
    without = replace(cast.actor("dirk"), without_factor=True)
    assert get_role(without, cast.riverside.pk) == DIRECTOR


def test_token_counts_as_the_session_that_made_it(cast: Cast) -> None:
    made: dict[bool | None, str] = {}
    Club.objects.update(requires_second_factor=False)
    for shown in (False, True):
        dirk = cast.client("dirk")
        if shown:
            show_factor(dirk)
        wanted = {"name": "Scores", "scope": "manage", "club": "riverside", "days": 30}
        made[shown] = dirk.post("/api/v1/tokens", wanted, "application/json").json()["token"]
    made[None] = "bl_earlier"
    Token.objects.create(
        digest=token_digest("bl_earlier"), user=cast.users["dirk"], club=cast.riverside,
        scope="manage", made_at=NOW,
    )  # fmt: skip
    Club.objects.update(requires_second_factor=True)
    add_factor(cast, "dirk")
    answers = {
        shown: Client(headers={"Authorization": f"Bearer {token}"}).get(f"/api/v1{EVENT}/jobs")
        for shown, token in made.items()
    }
    assert {shown: answer.status_code for shown, answer in answers.items()} == {
        False: 403, True: 200, None: 200
    }  # fmt: skip
    assert answers[False].json()["errors"][0]["code"] == "second_factor_needed"
