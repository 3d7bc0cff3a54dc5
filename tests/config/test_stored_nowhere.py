"""No browser stores a page that shows an e-mail address, or that is below /accounts/."""

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from django.contrib.auth.models import User

from tests.support.builders import league, link, players
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.factors import show_factor
from tests.support.routes import routes
from tournaments.models.access import Contact
from tournaments.services.clubs.invitations import invite

pytestmark = pytest.mark.django_db

CANARY = "@canary.example"
NAMES = {
    "club": "riverside", "event": "league", "code": "r1t1", "variant": "hearts",
    "player_id": "RL01", "player": "RL01",
}  # fmt: skip


@pytest.fixture
def cast() -> Cast:
    cast = enter_the_cast()
    league(cast.riverside)
    zoe, piet = players(cast.riverside, "Zoe", "Piet")
    link(piet, cast.users["piet"])
    for user in cast.users.values():
        email = f"{user.username}{CANARY}"
        User.objects.filter(pk=user.pk).update(email=email)
        EmailAddress.objects.create(user=user, email=email, primary=True)
    Contact.objects.create(club=cast.riverside, player=zoe, email=f"zoe{CANARY}", consent_at=NOW)
    invite(cast.operation("olga"), cast.riverside, role="host", email=f"eve{CANARY}")
    TOTP.activate(cast.users["olga"], "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
    RecoveryCodes.activate(cast.users["olga"])
    return cast


@pytest.mark.parametrize("who", ["olga", "dirk"])
def test_page_with_an_address_or_of_an_account_is_stored_nowhere(cast: Cast, who: str) -> None:
    seen = {"addresses": 0, "accounts": 0}
    stored = []
    for route in routes():
        if route.pattern.startswith(("admin/", "^admin/")):
            continue
        client = cast.client(who)
        show_factor(client)
        answer = client.get(route.path(NAMES))
        content = b"".join(answer) if answer.streaming else answer.content
        is_account = answer.request["PATH_INFO"].startswith("/accounts/")
        has_address = CANARY.encode() in content
        seen["addresses"] += has_address
        seen["accounts"] += is_account
        if (is_account or has_address) and "no-store" not in answer.get("Cache-Control", ""):
            stored.append(route.pattern)
    assert "\n".join(stored) == ""
    assert seen["accounts"] > 20
    assert seen["addresses"] > (5 if who == "olga" else 2)
