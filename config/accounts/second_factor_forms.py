"""allauth's forms of the second factor in our words."""

from typing import ClassVar

from allauth.mfa.base import forms as base
from allauth.mfa.totp import forms as totp
from allauth.mfa.webauthn import forms as webauthn
from django.utils.translation import gettext_lazy as _

from config.accounts.account_forms import InOurWords


class CodeForm(InOurWords, base.AuthenticateForm):
    """Asks for a code at sign-in: of the app, or a recovery code."""

    labels: ClassVar = {"code": _("Code of the app, or recovery code")}


class ConfirmCodeForm(InOurWords, base.ReauthenticateForm):
    """Asks a signed-in person for a code again."""

    labels: ClassVar = {"code": _("Code of the app, or recovery code")}


class AddAppForm(InOurWords, totp.ActivateTOTPForm):
    """Asks for the first code of a new app."""

    labels: ClassVar = {"code": _("Code that the app shows")}


class AddPasskeyForm(InOurWords, webauthn.AddWebAuthnForm):
    """Asks for the name of a passkey."""

    labels: ClassVar = {"name": _("Name of this passkey")}
    helps: ClassVar = {"name": _("For example the device: Phone, Laptop, Key ring.")}


class RenamePasskeyForm(InOurWords, webauthn.EditWebAuthnForm):
    """Asks for another name of a passkey."""

    labels: ClassVar = {"name": _("Name of this passkey")}
