"""Sign-in: accounts are made by staff in the admin, never by a stranger's form; guessing is
slowed down by account and address together, so that nobody is locked out by somebody else."""

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.utils import filter_users_by_email, filter_users_by_username
from allauth.core.exceptions import ImmediateHttpResponse
from django.contrib.auth.models import AbstractBaseUser
from django.contrib.sites.shortcuts import get_current_site
from django.http import HttpRequest
from django.utils import timezone

from config.outgoing_mail import OUTGOING
from config.sign_in_pace import SignInPace
from tournaments.views.http import errors
from tournaments.views.http.client_address import client_address, client_network


class AccountAdapter(DefaultAccountAdapter):
    """allauth's own behaviour, with the open sign-up closed and a pace of our own.

    allauth counts what fails by address or by account: by the first, one guesser shuts out a whole
    hall, by the second the account's own owner, wherever they are.
    """

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """No: staff make accounts in the admin."""
        return False

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the address that every limit counts by."""
        return client_address(request)

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
            pace.take_back(timezone.now())
        return user

    def send_mail(self, template_prefix: str, email: str, context: dict[str, object]) -> None:
        """Write a mail; it is sent after the answer (config/outgoing_mail.py)."""
        site = get_current_site(self.request)
        around = {"request": self.request, "email": email, "current_site": site}
        OUTGOING.hand_over(self.render_mail(template_prefix, email, around | context))

    def pre_authenticate(self, request: HttpRequest, **credentials: object) -> None:
        """Count nothing here: `authenticate` has."""


def account_in(credentials: dict[str, object]) -> str:
    """Return what a try is counted as: the account that is meant, or what was typed as it is
    compared where that is none, or several (which one's password is right tells nobody the others).

    An account's name and its mail address share a count, so that the two buy no more guesses. What
    is no account waits like one: the answers tell nobody which of the two it is. Only who knows
    both already learns from the shared count that they belong together.
    """
    typed = str(credentials.get("username") or credentials.get("email") or "").strip()
    if not typed:
        return ""
    meant = {user.pk for user in filter_users_by_username(typed)}
    meant |= {user.pk for user in filter_users_by_email(typed, prefer_verified=True)}
    return _counted_as(meant.pop()) if len(meant) == 1 else f"typed {typed.casefold()}"


def _counted_as(user_id: int) -> str:
    return f"account {user_id}"
