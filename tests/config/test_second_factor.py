"""Second factor, sessions and pages of allauth, without a browser: what each step lets in."""

import json
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import allauth
import pytest
import time_machine
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value
from allauth.usersessions.models import UserSession
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.test import Client, RequestFactory
from django.utils import timezone
from fido2.cose import ES256, RS256, CoseKey
from fido2.utils import websafe_encode
from fido2.webauthn import (
    Aaguid,
    AttestationObject,
    AttestedCredentialData,
    AuthenticatorData,
    CollectedClientData,
)
from pytest_django import Settings

from tests.support.answers import Answer
from tests.support.cast import Cast
from tests.support.factors import show_factor
from tests.support.pages.text import text_of
from tests.support.sources import ROOT
from tournaments.selectors.clubs.clubs import has_shown_factor

ADD_APP = "/accounts/2fa/totp/activate/"
PASSWORD = "Nine lives, one queen"
NEW = "Eight lives, two queens"
SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
LOGIN, ASKED = "/accounts/login/", "/accounts/2fa/authenticate/"
AT = "/accounts/2fa/webauthn/login/"
NOT_REACHED = re.compile(
    r"account/(base_|request_(login|reauth)|confirm_|signup_by|phone|email\.html|messages/(login_code|phone)"
    r"|email/(login_code|password_reset_code|unknown_account|email_confirmation_signup))"
    r"|mfa/(trust|index|base_|.*/base|webauthn/(signup|authenticator_list|snippets))|usersessions/"
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga() -> User:
    cache.clear()
    return User.objects.create_user("olga", "olga@riverside.example", PASSWORD)


def enter(client: Client, login: str = "olga") -> Answer:
    return client.post(LOGIN, {"login": login, "password": PASSWORD})


def signed_in(client: Client) -> bool:
    return client.get("/account").status_code == 200


def code_now(secret: str = SECRET) -> str:
    return str(format_hotp_value(hotp_value(secret, int(timezone.now().timestamp()) // 30)))


def test_no_page_message_or_mail_of_allauth_keeps_its_own_words() -> None:
    folder = Path(allauth.__file__).parent / "templates"
    theirs = [
        str(path.relative_to(folder))
        for part in ("account", "mfa", "usersessions")
        for path in (folder / part).rglob("*.*")
    ]
    kept = [
        name
        for name in theirs
        if not NOT_REACHED.match(name) and not (ROOT / "templates" / name).exists()
    ]
    assert kept == []


def test_code_is_asked_for_after_the_password_and_lets_in_once(olga: User) -> None:
    TOTP.activate(olga, SECRET)
    assert SECRET not in str(Authenticator.objects.values_list("data", flat=True))
    with time_machine.travel(timezone.now(), tick=False):
        client = Client()
        assert enter(client)["Location"] == ASKED
        assert not signed_in(client)
        assert "This is not a valid code." in text_of(client.post(ASKED, {"code": "000000"}))
        assert not signed_in(client)
        before = client.session.session_key
        assert client.post(ASKED, {"code": code_now()}).status_code == 302
        assert signed_in(client)
        assert client.session.session_key != before, "the session gets another key"
        again = Client()
        enter(again)
        again.post(ASKED, {"code": code_now()})
        assert not signed_in(again), "a code works once"


def test_code_that_added_an_app_signs_nobody_in(olga: User) -> None:
    with time_machine.travel(timezone.now(), tick=False) as clock:
        owner, thief = Client(), Client()
        enter(owner)
        owner.get(ADD_APP)
        secret = owner.session["mfa.totp.secret"]
        code = code_now(secret)
        assert owner.post(ADD_APP, {"code": code}).status_code == 302
        enter(thief)
        thief.post(ASKED, {"code": code})
        assert not signed_in(thief)
        clock.shift(60)
        thief.post(ASKED, {"code": code_now(secret)})
        assert signed_in(thief)


def test_owner_is_offered_a_second_factor_once_at_the_first_sign_in(cast: Cast) -> None:
    cache.clear()
    for name in ("olga", "dirk"):
        user = User.objects.get(username=name)
        user.set_password(PASSWORD)
        user.save()
    sign_in = {"login": "olga", "password": PASSWORD}
    client = Client()
    offer = client.post(f"{LOGIN}?next=/clubs/riverside/", sign_in)
    assert offer["Location"] == "/account/passkey?next=%2Fclubs%2Friverside%2F"
    page = client.get(offer["Location"])
    assert "Protect your account" in text_of(page)
    assert f'href="{ADD_APP}"' in page.content.decode()
    assert 'href="/clubs/riverside/"' in page.content.decode()
    assert Client().post(LOGIN, sign_in)["Location"] == "/clubs/riverside"
    director = Client().post(LOGIN, {"login": "dirk", "password": PASSWORD})
    assert director["Location"] == "/clubs/riverside"


@pytest.mark.parametrize(
    "password",
    ["blacklady", "queenofspades", "Passw0rd!", "aaaaaaaaaaaa", "Riverside26!", "olga-1990"],
)
def test_password_that_is_easy_to_guess_is_refused(cast: Cast, password: str) -> None:
    with pytest.raises(ValidationError, match=r"easy to guess|too common"):
        validate_password(password, User.objects.get(username="olga"))


def test_long_password_is_judged_by_its_beginning() -> None:
    validate_password("violet tram under nine clouds " * 1000)


def test_recovery_code_works_once(olga: User) -> None:
    TOTP.activate(olga, SECRET)
    codes = RecoveryCodes.activate(olga).generate_codes()
    assert codes[0] not in str(Authenticator.objects.values_list("data", flat=True))
    let_in = []
    for _ in range(2):
        client = Client()
        enter(client)
        client.post(ASKED, {"code": codes[0]})
        let_in.append(signed_in(client))
    assert let_in == [True, False]


def test_wrong_codes_wait_and_nobody_gets_more_by_other_networks(olga: User) -> None:
    TOTP.activate(olga, SECRET)
    with time_machine.travel(timezone.now(), tick=False) as clock:
        for at in range(6):
            client = Client(REMOTE_ADDR=f"198.51.100.{at}")
            enter(client)
            text = text_of(client.post(ASKED, {"code": f"{at:06d}"}))
        assert "Too many wrong codes. Wait five minutes" in text
        client.post(ASKED, {"code": code_now()})
        assert not signed_in(client), "the right one is not looked at now"
        clock.shift(301)
        client.post(ASKED, {"code": code_now()})
        assert signed_in(client)


def test_secret_under_another_key_lets_nobody_in(olga: User, settings: Settings) -> None:
    TOTP.activate(olga, SECRET)
    settings.SECRET_KEY = "another"
    client = Client()
    enter(client)
    for guess in (code_now(), str(format_hotp_value(hotp_value("", 1)))):
        client.post(ASKED, {"code": guess})
    assert not signed_in(client)


def test_new_password_ends_the_other_sessions_and_keeps_this_one(olga: User) -> None:
    here, there = Client(), Client()
    for client in (here, there):
        enter(client)
    wrong = {"oldpassword": "wrong", "password1": NEW, "password2": NEW}
    assert "This is not your current password." in text_of(
        here.post("/accounts/password/change/", wrong)
    )
    here.post("/accounts/password/change/", {**wrong, "oldpassword": PASSWORD})
    assert signed_in(here)
    assert not signed_in(there)
    assert "1 device is signed in" in text_of(here.get("/account"))


def test_wrong_current_passwords_are_counted_as_at_sign_in(olga: User) -> None:
    client = Client()
    client.force_login(olga)
    wrong = {"oldpassword": "wrong", "password1": NEW, "password2": NEW}
    tried = [client.post("/accounts/password/change/", wrong).status_code for _ in range(6)]
    assert tried == [200] * 5 + [429]
    assert enter(Client()).status_code == 429


def test_session_of_before_signing_in_is_not_the_one_after_it(olga: User) -> None:
    client = Client()
    client.get(LOGIN)
    client.get("/accounts/password/reset/key/1-set-password/")
    planted = client.session
    planted["x"] = 1
    planted.save()
    client.cookies["sessionid"] = planted.session_key or ""
    enter(client)
    assert client.session.session_key != planted.session_key
    assert not Session.objects.filter(session_key=planted.session_key).exists()


def test_sessions_are_listed_and_ended_by_their_owner_only(olga: User) -> None:
    laptop, phone = Client(HTTP_USER_AGENT="Firefox/140.0 (X11; Linux)"), Client()
    for client in (laptop, phone):
        enter(client)
    page = text_of(laptop.get("/account"))
    assert "2 devices are signed in" in page
    assert "Firefox, Linux 127.0.0.1, by password This device" in " ".join(page.split())
    own, other = UserSession.objects.order_by("pk")
    stranger = Client()
    User.objects.create_user("nora", "nora@riverside.example", PASSWORD)
    enter(stranger, "nora")
    at = "/account/sessions"
    assert stranger.post(at, {"session": other.pk}).status_code == 404
    assert laptop.post(at, {"session": own.pk}).status_code == 404, "the present one stays"
    assert laptop.post(at, {"session": "9" * 30}).status_code == 302
    assert signed_in(phone)
    assert laptop.post(at, {"session": other.pk}).status_code == 302
    assert not signed_in(phone)
    for _ in range(2):
        enter(Client())
    assert "2 other sessions ended." in text_of(laptop.post(at, {"session": "others"}, follow=True))
    assert UserSession.objects.filter(user=olga).count() == 1


def test_use_of_a_session_is_written_once_an_hour(olga: User) -> None:
    with time_machine.travel(timezone.now(), tick=False) as clock:
        client = Client()
        enter(client)
        seen = []
        for minutes in (0, 59, 2, 30):
            clock.shift(60 * minutes)
            client.get("/account")
            seen.append(UserSession.objects.get().last_seen_at)
        assert seen[0] == seen[1] != seen[2] == seen[3]


def test_no_new_address_takes_a_form_without_its_token(olga: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(olga)
    for path in (
        *("/account/sessions", "/account/delete", "/accounts/email/", "/accounts/password/change/"),
        *("/accounts/2fa/totp/activate/", "/accounts/2fa/recovery-codes/generate/"),
        *("/accounts/2fa/webauthn/add/", "/accounts/reauthenticate/", AT),
    ):
        assert client.post(path).status_code == 403, path
    assert client.get("/account")["Referrer-Policy"] == "same-origin"


def test_changes_ask_for_the_password_again_but_not_just_after_signing_in(olga: User) -> None:
    with time_machine.travel(timezone.now(), tick=False) as clock:
        client = Client()
        enter(client)
        adding = "/accounts/2fa/totp/activate/"
        assert client.get(adding).status_code == 200
        clock.shift(301)
        assert client.get(adding)["Location"].startswith("/accounts/reauthenticate/")
        again = client.post("/accounts/reauthenticate/", {"password": PASSWORD, "next": adding})
        assert again["Location"] == adding
        assert client.get(adding).status_code == 200


SITE, HOST = "https://testserver", "testserver"
FLAGS = AuthenticatorData.FLAG.UP | AuthenticatorData.FLAG.UV


class Passkey:
    def __init__(self, user: User) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._id = sha256(user.username.encode()).digest()[:16]
        self.handle = websafe_encode(user_pk_to_url_str(user).encode())
        public: Any = ES256.from_cryptography_key(self._key.public_key())  # type: ignore[no-untyped-call]  # of fido2
        data = {"name": "Phone", "credential": self.created(public, "AAAA")}
        Authenticator.objects.create(user=user, type="webauthn", data=data)

    def created(self, public: CoseKey, challenge: str) -> dict[str, Any]:
        data = AttestedCredentialData.create(Aaguid.NONE, self._id, public)
        owned = AuthenticatorData.create(
            sha256(HOST.encode()).digest(), FLAGS | AuthenticatorData.FLAG.AT, 0, data
        )
        response = {
            "clientDataJSON": websafe_encode(_client_data("webauthn.create", challenge)),
            "attestationObject": websafe_encode(AttestationObject.create("none", owned, {})),
        }
        return self._sent(response)

    def answer(self, challenge: str, *, site: str = SITE, handle: str = "") -> dict[str, Any]:
        owned = AuthenticatorData.create(sha256(HOST.encode()).digest(), FLAGS, 1)
        said = _client_data("webauthn.get", challenge, site)
        signature = self._key.sign(owned + sha256(said).digest(), ec.ECDSA(SHA256()))
        return self._sent(
            {
                "clientDataJSON": websafe_encode(said),
                "authenticatorData": websafe_encode(owned),
                "signature": websafe_encode(signature),
                "userHandle": handle or self.handle,
            }
        )

    def _sent(self, response: dict[str, str]) -> dict[str, Any]:
        name = websafe_encode(self._id)
        return {
            "id": name, "rawId": name, "type": "public-key", "response": response,
            "clientExtensionResults": {},
        }  # fmt: skip


def _client_data(kind: str, challenge: str, site: str = SITE) -> bytes:
    return CollectedClientData.create(kind, challenge, site)


@pytest.fixture
def passkeys() -> dict[str, Passkey]:
    cache.clear()
    return {name: Passkey(User.objects.create_user(name)) for name in ("olga", "nora")}


def challenge_for(client: Client) -> str:
    options = client.get(AT, secure=True, headers={"accept": "application/json"}).json()
    return str(options["request_options"]["publicKey"]["challenge"])


def account_of(client: Client) -> str:
    user_id = client.session.get("_auth_user_id")
    return User.objects.get(pk=user_id).username if user_id else ""


def send(client: Client, credential: object) -> str:
    answer = client.post(AT, {"credential": json.dumps(credential)}, secure=True)
    assert answer.status_code in (200, 302)
    return account_of(client)


def test_new_passkey_has_at_least_128_bits(olga: User) -> None:
    device = Passkey(User.objects.create_user("nora"))
    client = Client()
    enter(client)
    keys = [rsa.generate_private_key(65537, 2048), ec.generate_private_key(ec.SECP256R1())]
    for kind, key in zip((RS256, ES256), keys, strict=True):
        page = client.get("/accounts/2fa/webauthn/add/", secure=True)
        options = page.context["js_data"]["creation_options"]["publicKey"]
        offered = {each["alg"] for each in options["pubKeyCredParams"]}
        assert (-7 in offered, offered & {-257, -37}) == (True, set())
        public: Any = kind.from_cryptography_key(key.public_key())  # type: ignore[attr-defined]
        credential = device.created(public, options["challenge"])
        form = {"name": kind.__name__, "credential": json.dumps(credential)}
        client.post("/accounts/2fa/webauthn/add/", form, secure=True)
    (added,) = Authenticator.objects.filter(user=olga, type="webauthn")
    assert added.wrap().name == "ES256"


def test_passkey_with_rsa_is_to_be_replaced(passkeys: dict[str, Passkey]) -> None:
    key = rsa.generate_private_key(65537, 2048).public_key()
    public: Any = RS256.from_cryptography_key(key)  # type: ignore[no-untyped-call]  # of fido2
    client = Client()
    client.force_login(User.objects.get(username="olga"))
    assert "Replace it before 2028" not in text_of(client.get("/account"))
    credential = passkeys["olga"].created(public, "AAAA")
    Authenticator.objects.filter(user__username="olga").update(
        data={"name": "Laptop", "credential": credential}
    )
    assert "Replace it before 2028" in text_of(client.get("/account"))


def test_passkey_signs_in_and_its_answer_does_so_once(passkeys: dict[str, Passkey]) -> None:
    owner, thief = Client(), Client()
    credential = passkeys["olga"].answer(challenge_for(owner))
    challenge_for(thief)
    assert send(thief, credential) == "", "another browser has another challenge"
    assert send(owner, credential) == "olga"
    owner.logout()
    assert send(owner, credential) == ""


def test_passkey_of_another_account_or_site_opens_nothing(passkeys: dict[str, Passkey]) -> None:
    client = Client()
    as_olga = passkeys["nora"].answer(challenge_for(client), handle=passkeys["olga"].handle)
    assert send(client, as_olga) == ""
    phished = passkeys["olga"].answer(challenge_for(client), site="https://testserver.example")
    assert send(client, phished) == ""


def test_malformed_credential_signs_nobody_in(passkeys: dict[str, Passkey]) -> None:
    client = Client()
    challenge_for(client)
    responses: tuple[object, ...] = (
        *(None, {"userHandle": None}, {"userHandle": "!!"}),
        {"userHandle": websafe_encode(b"999")},
    )
    malformed: tuple[object, ...] = (
        {},
        [],
        "x",
        7,
        *({"response": response} for response in responses),
    )
    for credential in malformed:
        challenge_for(client)
        assert send(client, credential) == "", credential
    for name in ("clientDataJSON", "authenticatorData", "signature"):
        answer = passkeys["olga"].answer(challenge_for(client))
        for broken in ("", "AAAA", None):
            answer["response"][name] = broken
            assert send(client, answer) == "", (name, broken)


@pytest.fixture
def stopped() -> Iterator[None]:
    """Time stands, so that no code expires while a busy machine works at a test."""
    with time_machine.travel(timezone.now(), tick=False):
        yield


def add_app(client: Client) -> Answer:
    client.get(ADD_APP)
    return client.post(ADD_APP, {"code": code_now(client.session["mfa.totp.secret"])}, follow=True)


@pytest.mark.usefixtures("stopped")
def test_first_factor_ends_the_sessions_that_signed_in_without(olga: User) -> None:
    owner, thief = Client(), Client()
    for client in (owner, thief):
        enter(client)
    key = owner.session.session_key
    page = add_app(owner)
    assert "1 other session ended. Sign in there with your second factor." in text_of(page)
    assert signed_in(owner)
    assert not signed_in(thief)
    assert owner.session.session_key != key
    (row,) = UserSession.objects.filter(user=olga)
    assert (row.session_key, row.data) == (
        owner.session.session_key,
        {"ways": [["password", ""], ["mfa", "totp"]]},
    )


def test_second_factor_of_two_ends_no_session(olga: User) -> None:
    TOTP.activate(olga, SECRET)
    here, there = Client(), Client()
    with time_machine.travel(timezone.now(), tick=False) as clock:
        for client in (here, there):
            enter(client)
            client.post(ASKED, {"code": code_now()})
            clock.shift(60)
        public: Any = ES256.from_cryptography_key(  # type: ignore[no-untyped-call]  # of fido2
            ec.generate_private_key(ec.SECP256R1()).public_key()
        )
        device = Passkey(User.objects.create_user("nora"))
        page = here.get("/accounts/2fa/webauthn/add/", secure=True)
        challenge = page.context["js_data"]["creation_options"]["publicKey"]["challenge"]
        form = {"name": "Key", "credential": json.dumps(device.created(public, challenge))}
        here.post("/accounts/2fa/webauthn/add/", form, secure=True)
    assert Authenticator.objects.filter(user=olga, type="webauthn").count() == 1
    assert signed_in(here)
    assert signed_in(there)


def test_password_alone_changes_no_factor_that_was_added_meanwhile(olga: User) -> None:
    """A session that the owner's first factor did not end, as beside an earlier release."""
    thief = Client()
    enter(thief)
    thief.post("/accounts/reauthenticate/", {"password": PASSWORD})
    TOTP.activate(olga, SECRET)
    for path in (
        *("/accounts/2fa/webauthn/add/", "/accounts/2fa/totp/deactivate/"),
        *("/accounts/2fa/recovery-codes/generate/", "/accounts/reauthenticate/"),
    ):
        asked = thief.get(path, secure=True)
        assert asked["Location"].startswith("/accounts/2fa/reauthenticate/"), path
    for path, sent in (
        ("/account/sessions", {"session": "others"}),
        ("/account/delete", {}),
        ("/accounts/email/", {"action_add": "", "email": "eve@elsewhere.example"}),
        ("/account/names", {"user_name": "eve"}),
        (
            "/accounts/password/change/",
            {"oldpassword": PASSWORD, "password1": "Of the thief 7", "password2": "Of the thief 7"},
        ),
    ):
        asked = thief.post(path, sent)
        assert asked["Location"].startswith("/accounts/2fa/reauthenticate/"), path
    olga.refresh_from_db()
    assert olga.username == "olga"
    assert olga.check_password(PASSWORD)


@pytest.mark.usefixtures("stopped")
def test_session_that_shows_its_factor_later_counts_as_one_with_it(olga: User) -> None:
    client = Client()
    enter(client)
    TOTP.activate(olga, SECRET)
    request = RequestFactory().get("/")
    request.user, request.session = olga, client.session
    assert not has_shown_factor(request)
    client.post("/accounts/2fa/reauthenticate/", {"code": code_now()})
    request.session = client.session
    assert has_shown_factor(request)
    assert UserSession.objects.get().data == {"ways": [["password", ""], ["mfa", "totp"]]}


def test_factor_that_another_account_showed_in_this_browser_counts_for_nobody_else(
    olga: User,
) -> None:
    client = Client()
    client.force_login(olga)
    show_factor(client)
    request = RequestFactory().get("/")
    request.user, request.session = User.objects.create_user("nora"), client.session
    assert not has_shown_factor(request)


def has_shown(client: Client, user: User) -> bool:
    request = RequestFactory().get("/")
    request.user, request.session = user, client.session
    return has_shown_factor(request)


@pytest.mark.usefixtures("stopped")
def test_recovery_code_and_code_of_the_app_count_as_the_factor_and_the_password_does_not(
    olga: User,
) -> None:
    alone, by_app, by_code = Client(), Client(), Client()
    enter(alone)
    TOTP.activate(olga, SECRET)
    codes = RecoveryCodes.activate(olga).generate_codes()
    for client, code in ((by_app, code_now()), (by_code, codes[0])):
        enter(client)
        client.post(ASKED, {"code": code})
        assert signed_in(client)
    assert [has_shown(client, olga) for client in (alone, by_app, by_code)] == [False, True, True]


def test_passkey_counts_as_the_second_factor(passkeys: dict[str, Passkey]) -> None:
    client = Client()
    assert send(client, passkeys["olga"].answer(challenge_for(client))) == "olga"
    assert has_shown(client, User.objects.get(username="olga"))
