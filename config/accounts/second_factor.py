"""The second factor as allauth has it, with our words and our QR code, its secrets sealed."""

from io import BytesIO
from typing import ClassVar

import segno
import structlog
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tournaments.domain.client_address import client_address
from tournaments.domain.sealing import SealBroken, seal, unseal

_log = structlog.get_logger("blacklady.sign_in")


class SecondFactorAdapter(DefaultMFAAdapter):
    """allauth's own behaviour; the host of the request is the relying party of passkeys."""

    error_messages: ClassVar = {
        **DefaultMFAAdapter.error_messages,
        "cannot_generate_recovery_codes": _(
            "Recovery codes belong to a second factor. Add an app or a passkey first."
        ),
        "incorrect_code": _(
            "This is not a valid code. Each code works once: wait for the next one that the app "
            "shows, or use another recovery code."
        ),
    }

    def validation_error(self, code: str, *args: object) -> ValidationError:
        if code == "incorrect_code":
            _log.warning("code_refused", address=client_address(self.request))
        error: ValidationError = super().validation_error(code, *args)
        return error

    def build_totp_svg(self, url: str) -> str:
        """Return the QR code of the app's secret, dark on white in every colour scheme."""
        out = BytesIO()
        segno.make(url, error="m").save(out, kind="svg", scale=5, border=3, light="#fff")
        return out.getvalue().decode()

    def encrypt(self, text: str) -> str:
        """Encrypt a secret for storage, so that a copy of the database yields no codes."""
        return seal(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Decrypt a secret; return a random one if the server's key has changed."""
        try:
            return unseal(encrypted_text.encode()).decode()
        except SealBroken:
            return str(generate_totp_secret())

    def generate_authenticator_name(self, user: AbstractBaseUser, type: Authenticator.Type) -> str:
        number = Authenticator.objects.filter(user_id=user.pk, type=type).count() + 1
        return gettext("Passkey %(number)s") % {"number": number}


def mark_used(user: AbstractBaseUser, code: str) -> None:
    app = Authenticator(user_id=user.pk, type=Authenticator.Type.TOTP)
    TOTP(app)._mark_code_used(code)  # allauth has no public name for it
