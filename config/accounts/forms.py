"""Forms of accounts and second factors with our labels and help, the sign-in page, and the second
factor as allauth has it, with our QR code and its secrets sealed."""

from collections.abc import Mapping
from io import BytesIO
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import segno
import structlog
from allauth.account import forms as allauth
from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.email_verification import send_verification_email_to_address
from allauth.account.models import EmailAddress
from allauth.account.views import ConfirmEmailView, EmailView, LoginView, PasswordChangeView
from allauth.core.exceptions import ReauthenticationRequired
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.base import forms as base
from allauth.mfa.models import Authenticator
from allauth.mfa.totp import forms as totp
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from allauth.mfa.totp.views import ActivateTOTPView
from allauth.mfa.webauthn import forms as webauthn
from allauth.mfa.webauthn.internal.auth import parse_registration_response
from allauth.mfa.webauthn.views import AddWebAuthnView
from django import forms
from django.contrib import messages
from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from config.accounts.sessions import note_first_factor
from config.accounts.sign_in import MOST_CHANGES, ResetPace, account_in, is_counted
from tournaments.domain.client_address import client_address, client_network
from tournaments.domain.sealing import SealBroken, seal, unseal
from tournaments.selectors.access.tokens import has_accounts
from tournaments.selectors.clubs.clubs import has_second_factor, lacks_own_factor
from tournaments.selectors.people.accounts import RSA
from tournaments.selectors.people.addresses import (
    find_accounts_of,
    find_address_change,
    find_change_to_stop,
    get_own_address,
    is_address_change,
    is_address_taken,
    is_stop_token,
)
from tournaments.selectors.people.password_strength import RULE
from tournaments.services.people.addresses import stop_address_change, store_address_change
from tournaments.views.http.responses import get_or_post

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


_AGAIN = _("New password, again")


def mark_used(user: AbstractBaseUser, code: str) -> None:
    """Note that a code of an app was used, as allauth does at sign-in but not here."""
    app = Authenticator(user_id=user.pk, type=Authenticator.Type.TOTP)
    TOTP(app)._mark_code_used(code)  # allauth has no public name for it


if TYPE_CHECKING:
    from django.utils.functional import _StrPromise


_Words: TypeAlias = "str | _StrPromise"


class InOurWords(forms.Form):
    """Sets the labels of a form's fields and removes placeholders, which repeat the labels."""

    labels: ClassVar[Mapping[str, _Words]] = {}
    helps: ClassVar[Mapping[str, _Words]] = {}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            field.widget.attrs.pop("placeholder", None)
            field.label = self.labels.get(name, field.label)
            field.help_text = self.helps.get(name, "")


class SignInForm(InOurWords, allauth.LoginForm):
    labels: ClassVar = {
        "login": _("User name or e-mail address"),
        "password": _("Password"),
        "remember": _("Stay signed in on this device"),
    }


class ChangePasswordForm(InOurWords, allauth.ChangePasswordForm):
    labels: ClassVar = {
        "oldpassword": _("Current password"),
        "password1": _("New password"),
        "password2": _AGAIN,
    }
    helps: ClassVar = {"password1": RULE}

    def clean_oldpassword(self) -> str:
        password = str(self.cleaned_data.get("oldpassword", ""))
        if not get_adapter().reauthenticate(self.user, password):
            raise get_adapter().validation_error("enter_current_password")
        return password


class FirstPasswordForm(InOurWords, allauth.SetPasswordForm):
    labels: ClassVar = {"password1": _("New password"), "password2": _AGAIN}
    helps: ClassVar = {"password1": RULE}


class NewPasswordForm(InOurWords, allauth.ResetPasswordKeyForm):
    labels: ClassVar = {"password1": _("New password"), "password2": _AGAIN}
    helps: ClassVar = {"password1": RULE}


class AskNewPasswordForm(InOurWords, allauth.ResetPasswordForm):
    labels: ClassVar = {"email": _("E-mail address")}

    def clean_email(self) -> str:
        """Find the accounts with this address; the mail goes to the address as it is stored."""
        email = str(self.cleaned_data["email"]).lower()
        self.users = [user for user in find_accounts_of(email) if user.is_active]
        return self.users[0].email if self.users else email

    def save(self, request: HttpRequest, **kwargs: Any) -> str:
        """Send the link; rate-limited by network. The answer is the same either way."""
        email = str(self.cleaned_data["email"])
        pace = ResetPace(account_in({"email": email}), client_network(request))
        if not pace.begin(timezone.now()):
            super().save(request, **kwargs)
        return email


class ConfirmPasswordForm(InOurWords, allauth.ReauthenticateForm):
    labels: ClassVar = {"password": _("Password")}


class ChangeAddressForm(InOurWords, allauth.AddEmailForm):
    labels: ClassVar = {"email": _("New e-mail address")}

    def clean_email(self) -> str:
        """Take any address but the present one: whose it is besides is not told."""
        email = str(self.cleaned_data["email"]).lower()
        if email == self.user.email.lower():
            raise get_adapter().validation_error("duplicate_email")
        whose = str(self.user.pk)
        if not is_counted("change", whose, most=MOST_CHANGES, now=timezone.now()):
            raise get_adapter().validation_error("too_many_changes")
        return email

    def save(self, request: HttpRequest) -> EmailAddress:
        """Store the change and mail both addresses: the new one confirms it, this one stops it."""
        change = store_address_change(self.user, self.cleaned_data["email"])
        send_verification_email_to_address(request, change)
        get_adapter(request).tell_present_address(self.user, change)
        return change


class SignUpForm(allauth.SignupForm):
    def validate_unique_email(self, value: str) -> str:
        if is_address_taken(value):
            raise get_adapter().validation_error("email_taken")
        return value


class CodeForm(InOurWords, base.AuthenticateForm):
    """Asks for a code at sign-in: of the app, or a recovery code."""

    labels: ClassVar = {"code": _("Code of the app, or recovery code")}


class ConfirmCodeForm(InOurWords, base.ReauthenticateForm):
    labels: ClassVar = {"code": _("Code of the app, or recovery code")}


class AddAppForm(InOurWords, totp.ActivateTOTPForm):
    labels: ClassVar = {"code": _("Code that the app shows")}

    def clean_code(self) -> str:
        """Count the code as used: it cannot sign in as well."""
        code = str(super().clean_code())
        mark_used(self.user, code)
        return code


class AddPasskeyForm(InOurWords, webauthn.AddWebAuthnForm):
    labels: ClassVar = {"name": _("Name of this passkey")}
    helps: ClassVar = {"name": _("For example the device: Phone, Laptop, Key ring.")}

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if credential := cleaned.get("credential"):
            created = parse_registration_response(credential).response.attestation_object
            if created.auth_data.credential_data.public_key.ALGORITHM in RSA:
                raise forms.ValidationError(_("This kind of passkey is too weak."))
        return cleaned


class RenamePasskeyForm(InOurWords, webauthn.EditWebAuthnForm):
    labels: ClassVar = {"name": _("Name of this passkey")}


class SignInView(LoginView):
    """Asks for a name and a password; available once an account exists."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)
        return context | {"is_first_run": not has_accounts()}


class ChangePasswordView(PasswordChangeView):
    """Changes the password, which ends all other sessions: with the account's second factor."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if lacks_own_factor(request):
            raise ReauthenticationRequired
        response: HttpResponse = super().post(request, *args, **kwargs)
        return response


class FirstFactor:
    """Of a page that adds a second factor: the first one ends the sessions that did without."""

    kind: ClassVar[str]
    request: HttpRequest

    def form_valid(self, form: forms.Form) -> HttpResponse:
        had_factor = has_second_factor(self.request.user)
        response: HttpResponse = super().form_valid(form)  # type: ignore[misc]  # of the page
        if not had_factor and (ended := note_first_factor(self.request, self.kind)):
            text = ngettext(
                "%(n)s other session ended. Sign in there with your second factor.",
                "%(n)s other sessions ended. Sign in there with your second factor.",
                ended,
            )
            messages.info(self.request, text % {"n": ended})
        return response


class AddAppView(FirstFactor, ActivateTOTPView):
    """Adds the app."""

    kind = Authenticator.Type.TOTP


class AddPasskeyView(FirstFactor, AddWebAuthnView):
    """Adds a passkey; none with RSA is offered."""

    kind = Authenticator.Type.WEBAUTHN

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)
        key = dict(context["js_data"]["creation_options"]["publicKey"])
        offered = [each for each in key["pubKeyCredParams"] if each["alg"] not in RSA]
        context["js_data"] = {
            "creation_options": {"publicKey": key | {"pubKeyCredParams": offered}}
        }
        return context


class AddressView(EmailView):
    """Shows the account's address and a change that waits, asks for one, and cancels it."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)
        own = get_own_address(self.request.user)
        change = find_address_change(self.request.user)
        return context | {"own_address": own, "change": change}

    def _action_remove(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        change = find_address_change(self.request.user)
        if change is None or change.email != request.POST["email"]:
            return None
        return super()._action_remove(request, *args, **kwargs)

    def _action_primary(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        """Do nothing: an address replaces the present one by being confirmed only."""


class ConfirmAddressView(ConfirmEmailView):
    """Confirms an address: the first of an account by whoever reads its mail, another one by a
    person who is signed in as the account that asked for it."""

    def logout_other_user(self, confirmation: object) -> None:
        """Leave who is signed in signed in: a link that came by mail ends no session."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)
        return context | {"needs_sign_in": self._needs_sign_in()}

    def post(self, *args: Any, **kwargs: Any) -> HttpResponse:
        self.object = self.get_object()
        if self._needs_sign_in():
            page: HttpResponse = self.render_to_response(self.get_context_data(), status=403)
            return page
        response: HttpResponse = super().post(*args, **kwargs)
        return response

    def _needs_sign_in(self) -> bool:
        if self.object is None:
            return False
        address = self.object.email_address
        is_own = bool(address.user_id == self.request.user.pk)
        return is_address_change(address) and not is_own


@get_or_post
def stop_change(request: HttpRequest, token: str) -> HttpResponse:
    """Ask the reader of the mail to the present address whether to stop the change, and do it."""
    change = find_change_to_stop(token)
    is_stopped = request.method == "POST" and stop_address_change(token)
    context = {
        "change": change,
        "is_stopped": is_stopped,
        "is_broken": not is_stop_token(token),
        "token": token,
    }
    status = 200 if change is not None else 404
    return render(request, "account/email_stop.html", context, status=status)
