"""Sign-in: accounts are made with an invitation, by a stranger's form only where the site says so;
guessing is slowed down by account and address together, so that nobody is locked out by somebody
else."""

from typing import Any, ClassVar, Final

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.utils import filter_users_by_email, filter_users_by_username
from allauth.core.exceptions import ImmediateHttpResponse
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.contrib.sites.shortcuts import get_current_site
from django.http import HttpRequest
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from config.accounts.sessions import is_fresh
from config.accounts.sign_in_pace import SignInPace
from tournaments.mail.files import unsent_note
from tournaments.services.notices.outbox import enqueue_sign_in_mail
from tournaments.views.http import errors
from tournaments.views.http.client_address import client_address, client_network

UNKNOWN_ACCOUNT: Final = "account/email/unknown_account"
"""What allauth would write to an address without an account."""
LINK_SENT: Final = "account/messages/email_confirmation_sent.txt"
"""What allauth shows after it has written a link to confirm an address."""
NO_ADDRESS: Final = "0.0.0.0"  # noqa: S104 - nobody listens there
"""What stands for the address of a caller who has none."""


class AccountAdapter(DefaultAccountAdapter):
    """allauth's own behaviour, with sign-up as the site has it and a pace of our own.

    allauth counts what fails by address or by account: by the first, one guesser shuts out a whole
    hall, by the second the account's own owner, wherever they are.
    """

    error_messages: ClassVar[dict[str, str | Promise]] = {
        **DefaultAccountAdapter.error_messages,
        "duplicate_email": _("Your account has this e-mail address already."),
        "enter_current_password": _("This is not your current password."),
        "incorrect_password": _("The password is wrong."),
        "rate_limited": _("Too many wrong codes. Wait five minutes, then try again."),
        "too_many_login_attempts": _("Too many wrong codes. Wait five minutes, then try again."),
        "username_password_mismatch": _("The name or the password is wrong."),
        "email_password_mismatch": _("The e-mail address or the password is wrong."),
    }
    ways_to_confirm: ClassVar[dict[str, str | Promise]] = {
        "reauthenticate": _("Use password"),
        "mfa_reauthenticate": _("Use code"),
        "mfa_reauthenticate:webauthn": _("Use passkey"),
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Return whether anybody may make an account; an invitation has a page of its own."""
        return bool(settings.SIGN_UP == "open")

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the address that every limit counts by; a socket file has none."""
        return client_address(request).partition("%")[0] or NO_ADDRESS

    def authenticate(self, request: HttpRequest, **credentials: object) -> AbstractBaseUser | None:
        """Return whose credentials these are, or None.

        Raises:
            ImmediateHttpResponse: 429, too early after wrong ones; these were not looked at.
        """
        account = account_in(credentials)
        pace = SignInPace(account, client_network(request))
        if seconds := pace.begin(timezone.now()):
            raise ImmediateHttpResponse(errors.too_many_sign_ins(request, seconds))
        user: AbstractBaseUser | None = super().authenticate(request, **credentials)
        if user is not None and account == _counted_as(user.pk):
            pace.succeeded(timezone.now())
        elif user is not None:
            # One of several accounts took it. Wrong ones stay counted: they were meant for another.
            pace.uncount(timezone.now())
        return user

    def get_reauthentication_methods(
        self, user: AbstractBaseUser | AnonymousUser
    ) -> list[dict[str, Any]]:
        """Return how a signed-in person may show again who they are, in our words."""
        ways = super().get_reauthentication_methods(user)
        return [way | {"description": self.ways_to_confirm[way["id"]]} for way in ways]

    def is_reauthentication_required(self, *, app: str) -> bool:
        """Whether a change asks again who somebody is: not just after they signed in."""
        return not is_fresh(self.request) and bool(super().is_reauthentication_required(app=app))

    def add_message(
        self,
        request: HttpRequest,
        level: int,
        message_template: str | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Add allauth's message; a link that this site cannot mail is a warning, not a success."""
        if message_template == LINK_SENT and unsent_note():
            level = messages.WARNING
        super().add_message(request, level, message_template, *args, **kwargs)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, object]) -> None:
        """Write a mail; a worker sends it.

        What a stranger asks for without an account is written like any other mail, to nobody, so
        that the answer takes as long.
        """
        site = get_current_site(self.request)
        around = {"request": self.request, "email": email, "current_site": site}
        message = self.render_mail(template_prefix, email, around | context)
        to = "" if template_prefix == UNKNOWN_ACCOUNT else email
        enqueue_sign_in_mail(to=to, subject=message.subject, text=message.body, now=timezone.now())

    def pre_authenticate(self, request: HttpRequest, **credentials: object) -> None:
        """Count nothing here: `authenticate` has."""


def account_in(credentials: dict[str, object]) -> str:
    """Return what a try is counted as: the account that is meant, or what was typed as it is
    compared where that is none, or several (which one's password is right tells nobody the others).

    An account's name and its e-mail address share a count, so that the two buy no more guesses.
    What is no account waits like one: the answers tell nobody which of the two it is. Only who
    knows both already learns from the shared count that they belong together.
    """
    typed = str(credentials.get("username") or credentials.get("email") or "").strip()
    if not typed:
        return ""
    meant = {user.pk for user in filter_users_by_username(typed)}
    meant |= {user.pk for user in filter_users_by_email(typed, prefer_verified=True)}
    return _counted_as(meant.pop()) if len(meant) == 1 else f"typed {typed.casefold()}"


def _counted_as(user_id: int) -> str:
    return f"account {user_id}"
