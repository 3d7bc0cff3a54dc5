"""Passkeys as an attacker sends them: replayed, of another account, of another site, malformed."""

import json
from hashlib import sha256
from typing import Any

import pytest
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.models import Authenticator
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client
from fido2.cose import ES256
from fido2.utils import websafe_encode
from fido2.webauthn import (
    Aaguid,
    AttestationObject,
    AttestedCredentialData,
    AuthenticatorData,
    CollectedClientData,
)

AT = "/accounts/2fa/webauthn/login/"
SITE, HOST = "https://testserver", "testserver"
FLAGS = AuthenticatorData.FLAG.UP | AuthenticatorData.FLAG.UV

pytestmark = pytest.mark.django_db


class Passkey:
    """A passkey of an account, kept in the test."""

    def __init__(self, user: User) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._id = sha256(user.username.encode()).digest()[:16]
        self.handle = websafe_encode(user_pk_to_url_str(user).encode())
        public: Any = ES256.from_cryptography_key(self._key.public_key())  # type: ignore[no-untyped-call]  # of fido2
        data = AttestedCredentialData.create(Aaguid.NONE, self._id, public)
        owned = AuthenticatorData.create(
            sha256(HOST.encode()).digest(), FLAGS | AuthenticatorData.FLAG.AT, 0, data
        )
        response = {
            "clientDataJSON": websafe_encode(_client_data("webauthn.create", "AAAA")),
            "attestationObject": websafe_encode(AttestationObject.create("none", owned, {})),
        }
        Authenticator.objects.create(
            user=user,
            type="webauthn",
            data={"name": "Phone", "credential": self._sent(response)},
        )

    def answer(self, challenge: str, *, site: str = SITE, handle: str = "") -> dict[str, Any]:
        """Return what a browser on `site` answers to a challenge."""
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
    """Return whose session a browser has; empty for nobody's."""
    user_id = client.session.get("_auth_user_id")
    return User.objects.get(pk=user_id).username if user_id else ""


def send(client: Client, credential: object) -> str:
    answer = client.post(AT, {"credential": json.dumps(credential)}, secure=True)
    assert answer.status_code in (200, 302)
    return account_of(client)


def test_passkey_signs_in_and_its_answer_does_so_once(passkeys: dict[str, Passkey]) -> None:
    owner, thief = Client(), Client()
    credential = passkeys["olga"].answer(challenge_for(owner))
    challenge_for(thief)
    assert send(thief, credential) == "", "another browser has another challenge"
    assert send(owner, credential) == "olga"
    owner.logout()
    assert send(owner, credential) == ""


def test_passkey_opens_no_other_account_and_none_from_another_site(
    passkeys: dict[str, Passkey],
) -> None:
    client = Client()
    as_olga = passkeys["nora"].answer(challenge_for(client), handle=passkeys["olga"].handle)
    assert send(client, as_olga) == ""
    phished = passkeys["olga"].answer(challenge_for(client), site="https://testserver.example")
    assert send(client, phished) == ""


@pytest.mark.parametrize(
    "credential",
    [
        {}, [], "x", 7, {"response": None}, {"response": {"userHandle": None}},
        {"response": {"userHandle": "!!"}}, {"response": {"userHandle": websafe_encode(b"999")}},
    ],
)  # fmt: skip
def test_malformed_credential_signs_nobody_in(
    passkeys: dict[str, Passkey], credential: object
) -> None:
    client = Client()
    challenge_for(client)
    assert send(client, credential) == ""


def test_credential_with_missing_parts_signs_nobody_in(passkeys: dict[str, Passkey]) -> None:
    client = Client()
    for name in ("clientDataJSON", "authenticatorData", "signature"):
        credential = passkeys["olga"].answer(challenge_for(client))
        for broken in ("", "AAAA", None):
            credential["response"][name] = broken
            assert send(client, credential) == "", (name, broken)
