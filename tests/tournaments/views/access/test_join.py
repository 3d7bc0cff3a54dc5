"""Joining with an invitation, and the site's first account through the printed link: once each."""

from datetime import timedelta
from io import StringIO
from urllib.parse import unquote

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings
from time_machine import Traveller

from tests.support.builders import by_tests, players
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.pages.text import text_of
from tournaments.models.access import Invitation, SetupLink
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club, Membership, Player
from tournaments.selectors.access.invitations import INVITATION_COOKIE, mail_mark, printable_token
from tournaments.services.clubs.clubs import create_club
from tournaments.services.clubs.invitations import invite, revoke_invitation

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

PASSWORD = "Nine lives, one queen"
NEW = {"email": "cleo@riverside.example", "password1": PASSWORD}
JOIN = "/invitations/join"
SENTENCE = "This invitation does not work. Ask the club for a new one."


@pytest.fixture
def cast(db: None) -> Cast:
    cast = enter_the_cast()
    players(cast.riverside, "Cleo S.", "Carla K.")
    cache.clear()
    return cast


def invited(cast: Cast, role: str = "player", **more: str) -> Invitation:
    return invite(cast.operation("olga"), cast.riverside, role=role, **more)


def address(invitation: Invitation) -> str:
    return f"/invitations/{printable_token(invitation)}"


def cleo(cast: Cast) -> Player:
    return Player.objects.get(club=cast.riverside, player_id="RL01")


def test_person_signs_up_is_signed_in_and_is_the_player(cast: Cast) -> None:
    invitation, phone = invited(cast, player_id="RL01"), Client()
    opened = phone.get(address(invitation))
    assert (opened.status_code, opened["Location"]) == (302, JOIN)
    assert printable_token(invitation) not in opened.cookies.output()
    assert "Join Riverside as Cleo S." in text_of(phone.get(JOIN))
    assert Invitation.objects.get().opened_at == NOW
    assert phone.post(JOIN, NEW)["Location"] == "/account/passkey?next=%2Fclubs%2Friverside"
    assert "You are Cleo S. (RL01), your role is player." in text_of(phone.get("/clubs/riverside"))
    user = cleo(cast).user
    assert user is not None
    assert (user.username, user.email) == ("cleo-s", "cleo@riverside.example")
    assert Membership.objects.get(user=user).role == "player"
    assert not EmailAddress.objects.get(user=user).verified
    assert Client().login(username="cleo-s", password=PASSWORD)


def test_link_that_was_mailed_confirms_the_address(cast: Cast) -> None:
    invitation, phone = invited(cast, "host", email=NEW["email"]), Client()
    phone.get(f"{address(invitation)}?m={mail_mark(invitation.seed)}")
    assert 'value="cleo@riverside.example"' in phone.get(JOIN).content.decode()
    phone.post(JOIN, NEW)
    assert EmailAddress.objects.get(email=NEW["email"]).verified


def test_mark_of_another_mail_confirms_nothing(cast: Cast) -> None:
    invitation, other = invited(cast, email=NEW["email"]), invited(cast)
    phone = Client()
    phone.get(f"{address(invitation)}?m={mail_mark(other.seed)}")
    phone.post(JOIN, NEW)
    assert not EmailAddress.objects.get(email=NEW["email"]).verified


@pytest.mark.parametrize(
    ("stated", "by_mail", "status"),
    [
        ("asked", False, 302),
        ("first", True, 302),
        ("first", False, 422),
        ("confirmed", True, 422),
    ],
)
def test_address_that_somebody_states_keeps_out_nobody_who_reads_its_mail(
    cast: Cast, stated: str, by_mail: bool, status: int
) -> None:
    eve = cast.users["nora"]
    if stated != "asked":
        User.objects.filter(pk=eve.pk).update(email=NEW["email"])
    row = {"primary": stated != "asked", "verified": stated == "confirmed"}
    EmailAddress.objects.create(user=eve, email=NEW["email"], **row)
    invitation, phone = invited(cast, email=NEW["email"]), Client()
    mark = f"?m={mail_mark(invitation.seed)}" if by_mail else ""
    phone.get(f"{address(invitation)}{mark}")
    page = phone.post(JOIN, NEW)
    assert page.status_code == status
    users = User.objects.filter(email=NEW["email"])
    if status == 422:
        assert "An account has this e-mail address already." in text_of(page)
        assert list(users) == [eve]
    else:
        user = Membership.objects.get(club=cast.riverside, role="player", user__in=users).user
        own = EmailAddress.objects.get(user=user)
        assert own.verified == by_mail
        eve.refresh_from_db()
        assert (eve.email, EmailAddress.objects.filter(user=eve).exists()) == ("", not by_mail)


def test_who_is_signed_in_confirms_their_address_by_the_mailed_link(cast: Cast) -> None:
    hanna = cast.users["hanna"]
    User.objects.filter(pk=hanna.pk).update(email=NEW["email"])
    EmailAddress.objects.create(user=hanna, email=NEW["email"], primary=True)
    for by_mail in (False, True):
        invitation, phone = invited(cast, email=NEW["email"]), cast.client("hanna")
        mark = f"?m={mail_mark(invitation.seed)}" if by_mail else ""
        phone.get(f"{address(invitation)}{mark}")
        phone.post(JOIN, {"join": ""})
        assert EmailAddress.objects.get(user=hanna).verified == by_mail


def test_who_is_signed_in_is_asked_and_may_use_another_account(cast: Cast) -> None:
    invitation, browser = invited(cast, "host", player_id="RL01"), cast.client("nora")
    browser.get(address(invitation))
    assert "Join as nora" in text_of(browser.get(JOIN))
    assert browser.post(JOIN, NEW).status_code == 200, "a form without its button does nothing"
    assert not Membership.objects.filter(club=cast.riverside, user=cast.users["nora"]).exists()
    assert browser.post("/accounts/logout/", {"next": JOIN})["Location"] == JOIN
    assert "Create account" in text_of(browser.get(JOIN))
    cast.users["nora"].set_password(PASSWORD)
    cast.users["nora"].save()
    back = browser.post(
        f"/accounts/login/?next={JOIN}", {"login": "nora", "password": PASSWORD, "next": JOIN}
    )
    assert back["Location"] == JOIN
    assert browser.post(JOIN, {"join": "yes"})["Location"] == "/clubs/riverside"
    assert cleo(cast).user == cast.users["nora"]
    assert Membership.objects.get(club=cast.riverside, user=cast.users["nora"]).role == "host"


def test_role_in_the_form_is_not_the_role_of_the_invitation(cast: Cast) -> None:
    raised = {"role": "owner", "club": "hilltop", "player": "RL02", "is_superuser": "on"}
    invitation, browser = invited(cast, "host", player_id="RL01"), Client()
    browser.get(f"{address(invitation)}?role=owner")
    assert browser.post(f"{JOIN}?role=owner", NEW | raised).status_code == 302
    member = Membership.objects.get(user__email=NEW["email"])
    assert (member.club, member.role, cleo(cast).user) == (cast.riverside, "host", member.user)
    assert not member.user.is_superuser


def test_whoever_it_is_not_for_revokes_it(cast: Cast) -> None:
    invitation, phone = invited(cast, player_id="RL01"), Client()
    phone.get(address(invitation))
    assert "Not Cleo S.?" in text_of(phone.get(JOIN))
    done = text_of(phone.post(JOIN, {"decline": "yes"}, follow=True))
    assert "You declined the invitation. The club sees that." in done
    assert Invitation.objects.get().revoked_at == NOW
    assert phone.get(address(invitation)).status_code == 404


def test_everything_that_does_not_work_has_one_answer(cast: Cast, clock: Traveller) -> None:
    used, revoked, expired = (invited(cast) for _ in range(3))
    addresses = [address(one) for one in (used, revoked, expired)]
    phone = Client()
    phone.get(addresses[0])
    phone.post(JOIN, NEW)
    revoke_invitation(cast.operation("olga"), revoked)
    Invitation.objects.filter(pk=expired.pk).update(expires_at=NOW + timedelta(seconds=1))
    clock.shift(1)
    seen = set()
    for path in [*addresses, f"/invitations/{'A' * 43}", "/invitations/a/b", "/invitations/é"]:
        with CaptureQueriesContext(connection) as asked:
            answer = Client().get(path)
        own = [one["sql"] for one in asked if "tournaments_" in one["sql"]]
        seen.add((answer.status_code, answer.content, len(own)))
    assert len(seen) == 1
    (status, body, queries) = seen.pop()
    assert (status, queries) == (404, 1)
    assert SENTENCE in body.decode()
    assert phone.get(JOIN).status_code == Client().get(JOIN).status_code == 404
    forged = Client()
    forged.cookies[INVITATION_COOKIE] = "forged:cookie"
    assert forged.get(JOIN).content == body


def test_link_opened_on_two_devices_makes_one_account(cast: Cast) -> None:
    invitation, first, second = invited(cast, player_id="RL01"), Client(), Client()
    for device in (first, second):
        device.get(address(invitation))
        assert device.get(JOIN).status_code == 200
    first.post(JOIN, NEW)
    late = second.post(JOIN, {**NEW, "email": "other@riverside.example"})
    assert late.status_code == 404
    assert SENTENCE in late.content.decode()
    assert not User.objects.filter(email="other@riverside.example").exists()


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        ({"email": "", "password1": PASSWORD}, "This field is required."),
        ({"email": "cleo", "password1": PASSWORD}, "valid email"),
        ({"email": "cleo@riverside.example", "password1": "1234"}, "too short"),
        ({"email": "cleo@riverside.example", "password1": "riverside1"}, "easy to guess"),
        ({"email": "cleo@riverside.example", "password1": "Cleo Riverside"}, "easy to guess"),
        (
            {"email": "olga@riverside.example", "password1": PASSWORD},
            "An account has this e-mail address already.",
        ),
    ],
)
def test_mistake_is_said_beside_its_field(cast: Cast, sent: dict[str, str], says: str) -> None:
    User.objects.filter(username="olga").update(email="olga@riverside.example")
    phone = Client()
    phone.get(address(invited(cast)))
    assert says in text_of(phone.post(JOIN, sent), 422)
    assert Invitation.objects.get().accepted_at is None


def test_user_name_is_never_made_of_the_mail_address(cast: Cast) -> None:
    phone = Client()
    phone.get(address(invited(cast, "host")))
    assert "User name (optional)" in text_of(phone.get(JOIN))
    phone.post(JOIN, NEW)
    assert "cleo" not in User.objects.get(email=NEW["email"]).username


def test_wrong_tokens_are_slowed_down_and_right_ones_are_not(cast: Cast) -> None:
    statuses = [Client().get(f"/invitations/{'B' * 40}{at}").status_code for at in range(25)]
    assert statuses == [404] * 20 + [429] * 5
    assert Client().get(address(invited(cast))).status_code == 302


def test_sign_up_without_an_invitation_follows_the_setting(cast: Cast) -> None:
    new = {"username": "eve", "email": "eve@riverside.example", "password1": PASSWORD}
    Client().post("/accounts/signup/", new)
    assert not User.objects.filter(username="eve").exists()
    with override_settings(SIGN_UP="open"):
        assert "Create account" in text_of(Client().get("/accounts/signup/"))
        Client().post("/accounts/signup/", new)
    assert not Membership.objects.filter(user=User.objects.get(username="eve")).exists()


FIRST = {
    "email": "olga@riverside.example",
    "password1": "Nine lives, one queen",
    "username": "olga",
}

NO_SETUP = "This set-up link does not work."


@pytest.fixture(autouse=True)
def no_wrong_links() -> None:
    cache.clear()


def printed() -> str:
    """The path of the link that the command prints."""
    out = StringIO()
    call_command("setup_link", "--address", "https://hearts.example", stdout=out, stderr=StringIO())
    site, _slash, path = out.getvalue().strip().partition("/setup/")
    assert site == "https://hearts.example"
    return f"/setup/{path}"


def test_first_account_administrates_the_site_and_creates_a_club() -> None:
    path, browser = printed(), Client()
    assert path.rpartition("/")[2] not in str(SetupLink.objects.values_list())
    assert browser.get(path)["Location"] == "/setup"
    assert "Set up this site" in text_of(browser.get("/setup"))
    assert browser.post("/setup", {**FIRST, "password1": "123"}).status_code == 422
    assert browser.post("/setup", FIRST).status_code == 302
    user = User.objects.get()
    assert (user.username, user.is_superuser, user.is_staff) == ("olga", True, True)
    response = browser.post("/new-club", {"name": "Riverside", "time_zone": "UTC"})
    assert response["Location"] == "/clubs/riverside"
    assert browser.get("/clubs/riverside/members").status_code == 200


def test_first_account_owns_a_club_that_was_imported_before_it() -> None:
    club = create_club(by_tests(), name="Riverside", slug="riverside")
    hidden = create_club(by_tests(), name="Removed", slug="removed")
    Club.objects.filter(pk=hidden.pk).update(delete_after=NOW)
    path, browser = printed(), Client()
    browser.get(path)
    assert "next=/clubs/riverside" in unquote(browser.post("/setup", FIRST)["Location"])
    [member] = Membership.objects.all()
    assert (member.club, member.role, member.user.username) == (club, "owner", "olga")
    assert AuditLine.objects.filter(club=club, act="give_role").count() == 1


def test_link_works_once_and_only_while_nobody_has_an_account(clock: Traveller) -> None:
    path, first, second = printed(), Client(), Client()
    for browser in (first, second):
        assert browser.get(path).status_code == 302
    first.post("/setup", FIRST)
    late = second.post("/setup", {**FIRST, "username": "eve", "email": "eve@riverside.example"})
    assert NO_SETUP in text_of(late, 404)
    assert User.objects.count() == 1
    assert Client().get(path).status_code == 404
    with pytest.raises(CommandError) as refused:
        printed()
    assert refused.value.returncode == 2


def test_link_expires_and_a_new_one_replaces_it(clock: Traveller) -> None:
    before = printed()
    now = printed()
    assert [Client().get(path).status_code for path in (before, now)] == [404, 302]
    clock.shift(timedelta(hours=24))
    assert Client().get(now).status_code == 404
    assert Client().get("/setup").status_code == 404


@pytest.mark.parametrize("address", ["/", "/accounts/login/"])
@pytest.mark.parametrize("caller", ["127.0.0.1", "203.0.113.9"])
def test_site_without_accounts_names_the_command_to_everybody(address: str, caller: str) -> None:
    text = text_of(Client(REMOTE_ADDR=caller).get(address))
    assert "Create the first account" in text
    assert "python manage.py setup_link" in text
    Client().get(printed())
    User.objects.create_user("olga")
    assert "setup_link" not in text_of(Client(REMOTE_ADDR=caller).get(address))


@pytest.mark.parametrize(("is_embedded", "says_so"), [(True, True), (False, False)])
def test_only_an_embedded_installation_is_told_that_no_server_was_found(
    settings: Settings, is_embedded: bool, says_so: bool
) -> None:
    settings.EMBEDDED, settings.SITE_URL = is_embedded, "https://hearts.example"
    out, err = StringIO(), StringIO()
    call_command("setup_link", stdout=out, stderr=err)
    assert out.getvalue().startswith("https://hearts.example/setup/")
    assert ("No running server was found." in err.getvalue()) is says_so
    call_command("setup_link", "--port", "8105", stdout=out, stderr=err)
    assert "\nhttp://127.0.0.1:8105/setup/" in out.getvalue()
    assert "A link that was printed before no longer works." in err.getvalue()
