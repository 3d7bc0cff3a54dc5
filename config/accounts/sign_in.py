"""Sign-in: who may create an account, and how soon a wrong password may be tried again."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Final

import structlog
from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.auth_backends import AuthenticationBackend
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from allauth.account.utils import filter_users_by_username
from allauth.core.exceptions import ImmediateHttpResponse, ReauthenticationRequired
from allauth.utils import build_absolute_uri
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.contrib.sites.shortcuts import get_current_site
from django.core.cache import cache
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from config.accounts.sessions import is_fresh
from tournaments.domain.client_address import client_address, client_network
from tournaments.domain.mailboxes import mailbox_of
from tournaments.selectors.clubs.clubs import actor_of, lacks_own_factor, list_clubs_of_account
from tournaments.selectors.notices.notifications import SECOND_FACTOR
from tournaments.selectors.people.accounts import should_offer_factor
from tournaments.selectors.people.addresses import find_accounts_of, is_address_change, stop_token
from tournaments.services.notices.notifications import dismiss_hint
from tournaments.services.notices.outbox import enqueue_sign_in_mail
from tournaments.services.operations import Operation
from tournaments.services.people.addresses import drop_other_claims, lock_claims
from tournaments.views.http import errors

FREE: Final = 5
"""Tries at one account from one address before they wait."""
FREE_OF_MANY: Final = 1
"""The same at an account that many addresses guess at."""
FREE_MAILS: Final = 2
"""Links to a new password for one account, asked for from one address, before they wait."""
FIRST_WAIT_S: Final = 5
LONGEST_WAIT_S: Final = 15 * 60
QUIET_S: Final = 60 * 60
"""Time without an attempt after which the count starts again."""

MOST_OF_ADDRESS: Final = 50
"""Wrong passwords from one address within a minute, whatever the accounts."""
MOST_OF_ACCOUNT: Final = 50
"""Wrong passwords at one account within an hour, whatever the addresses."""
A_MINUTE: Final = 60
A_DAY: Final = 24 * 60 * 60
MOST_CONFIRMATIONS: Final = 12
"""Mails to one mailbox within a day that confirm an address of an account, whoever asks."""
MOST_CHANGES: Final = 12
"""Changes of its address that an account asks for within a day; its present one is told of each."""
KNOWN_S: Final = 30 * 24 * 60 * 60
"""How long an address counts as known to an account that signed in from it."""
_log = structlog.get_logger("blacklady.sign_in")


@dataclass(frozen=True, slots=True)
class Tried:
    """Failed sign-ins of an account from an address: their number, and when the last one was."""

    n: int = 0
    at: float = 0.0

    def wait(self, now: float, free: int) -> float:
        """Return how many seconds the next try still has to wait; 0 for none.

        >>> [Tried(n, 100).wait(100, free=5) for n in (4, 5, 6, 7, 30)]
        [0, 5, 10, 20, 900]
        """
        if self.n < free:
            return 0
        pause: float = min(LONGEST_WAIT_S, FIRST_WAIT_S << min(self.n - free, 20))
        return max(0, self.at + pause - now)


@dataclass(frozen=True, slots=True)
class Window:
    """A counter that restarts after a number of seconds."""

    key: str
    seconds: int

    def number(self, moment: float) -> int:
        return int(cache.get(self._now(moment)) or 0)

    def add(self, moment: float, n: int) -> None:
        """Add `n`, atomically if the cache can; a negative `n` subtracts."""
        key = self._now(moment)
        if n > 0 and cache.add(key, n, 2 * self.seconds):
            return
        try:
            cache.incr(key, n)
            cache.touch(key, 2 * self.seconds)  # a cache in tables forgets it when it counts
        except ValueError:
            # The cache has just forgotten it: this is the first. Nothing is subtracted from none.
            if n > 0:
                cache.add(key, n, 2 * self.seconds)

    def left(self, moment: float) -> float:
        return self.seconds - moment % self.seconds

    def _now(self, moment: float) -> str:
        return f"{self.key}:{int(moment // self.seconds)}"


class SignInPace:
    """One try to sign in: `begin` says how long to wait or counts it, `succeeded` forgives all that
    was counted, `uncount` this try alone."""

    _prefix = "sign-in"
    _free = FREE

    def __init__(self, account: str, network: str) -> None:
        self.pair = _key(self._prefix, "pair", account, network)
        self._known = _key(SignInPace._prefix, "known", account, network)
        self._account = Window(_key(self._prefix, "account", account), QUIET_S)
        self._network = Window(_key(self._prefix, "network", network), A_MINUTE)
        self._before = Tried()

    def begin(self, now: datetime) -> int:
        """Return the seconds to wait before the next try; 0 allows the password to be checked.

        A refused try is not counted, so that repeated tries do not prolong the wait.
        """
        moment = now.timestamp()
        tried = self._tried()
        free = self._free if self._account.number(moment) < MOST_OF_ACCOUNT else FREE_OF_MANY
        if wait := tried.wait(moment, free):
            return _whole(wait)
        if self._network.number(moment) >= MOST_OF_ADDRESS and not cache.get(self._known):
            return _whole(self._network.left(moment))
        while not cache.add(f"{self.pair}:{tried.n}", moment, QUIET_S):
            # Somebody took this try before us, and we wait from their moment on. From ours, each
            # try would put off the next: a cache that lost the sum would keep us out for good.
            taken_at = cache.get(f"{self.pair}:{tried.n}")
            if taken_at is None:
                break  # the cache keeps nothing, or forgot it by now: it fails open
            tried = Tried(tried.n + 1, float(taken_at))
            if wait := tried.wait(moment, free):
                return _whole(wait)
        cache.set(self.pair, (tried.n + 1, moment), QUIET_S)
        self._before = tried
        self._account.add(moment, 1)
        self._network.add(moment, 1)
        return 0

    def succeeded(self, now: datetime) -> None:
        """Reset the counter of the account at this address, and remember the pair as known."""
        n = self._tried().n
        cache.delete_many([self.pair, *(f"{self.pair}:{place}" for place in range(n + 1))])
        cache.set(self._known, 1, KNOWN_S)
        self._count_one_less(now)

    def uncount(self, now: datetime) -> None:
        """Remove this try from the count; earlier and simultaneous ones stay.

        Each of those holds a key of its own, so that the next try passes over it.
        """
        cache.delete(f"{self.pair}:{self._before.n}")
        cache.set(self.pair, (self._before.n, self._before.at), QUIET_S)
        self._count_one_less(now)

    def _count_one_less(self, now: datetime) -> None:
        self._account.add(now.timestamp(), -1)
        self._network.add(now.timestamp(), -1)

    def _tried(self) -> Tried:
        stored = cache.get(self.pair)
        if stored:
            return Tried(*stored)
        return Tried()


class ResetPace(SignInPace):
    """One request for a link to a new password; `begin` says whether a mail may be sent now."""

    _prefix = "reset"
    _free = FREE_MAILS


def _key(prefix: str, *parts: str) -> str:
    """Return a cache key for any text; it does not reveal the text."""
    digest = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{prefix}:{parts[0]}:{digest[:32]}"


def _whole(seconds: float) -> int:
    return max(1, int(-(-seconds // 1)))


def is_counted(kind: str, whose: str, *, most: int, now: datetime) -> bool:
    """Count one more of a kind within a day; False, and not counted, where it had the most."""
    window = Window(_key(kind, "day", whose), A_DAY)
    if window.number(now.timestamp()) >= most:
        return False
    window.add(now.timestamp(), 1)
    return True


STORED_BACKEND: Final = f"{AuthenticationBackend.__module__}.{AuthenticationBackend.__name__}"
"""What sessions store as their backend: the name that each release knows."""


class AccountBackend(AuthenticationBackend):
    """allauth's own, for which an account has one address: a change that waits signs nobody in."""

    def authenticate(
        self, request: HttpRequest | None, **credentials: Any
    ) -> AbstractBaseUser | None:
        user: AbstractBaseUser | None = super().authenticate(request, **credentials)
        if user is None:
            raise PermissionDenied  # no other backend is asked
        return user

    def _authenticate_by_email(self, email: str, password: str) -> AbstractBaseUser | None:
        for user in find_accounts_of(email):
            if self._check_password(user, password):
                return user
        return None


class AccountAdapter(DefaultAccountAdapter):
    """allauth's own behaviour, with sign-up as the site has it and a pace of our own.

    allauth counts what fails by address or by account: by the first, one guesser shuts out a whole
    hall, by the second the account's own owner, wherever they are.
    """

    error_messages: ClassVar[dict[str, str | Promise]] = {
        **DefaultAccountAdapter.error_messages,
        "duplicate_email": _("Your account has this e-mail address already."),
        "too_many_changes": _(
            "You asked for many other addresses today. Ask for the next one tomorrow."
        ),
        "email_taken": _(
            "An account has this e-mail address already. If it is yours, sign in with it."
        ),
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
        return bool(settings.SIGN_UP == "open")

    def get_client_ip(self, request: HttpRequest) -> str:
        return client_address(request).partition("%")[0] or "0.0.0.0"  # noqa: S104 - of nobody

    def authenticate(self, request: HttpRequest, **credentials: object) -> AbstractBaseUser | None:
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
        ways = super().get_reauthentication_methods(user)
        if user.is_authenticated and lacks_own_factor(self.request):
            ways = [way for way in ways if way["id"] != "reauthenticate"]
        return [way | {"description": self.ways_to_confirm[way["id"]]} for way in ways]

    def is_reauthentication_required(self, *, app: str) -> bool:
        """Whether a change needs reauthentication; not shortly after sign-in.

        A session without the second factor that its account has by now is asked for that each
        time: whoever knows the password alone neither adds one of their own nor removes it.
        """
        if lacks_own_factor(self.request):
            raise ReauthenticationRequired
        return not is_fresh(self.request) and bool(super().is_reauthentication_required(app=app))

    def send_mail(self, template_prefix: str, email: str, context: dict[str, object]) -> None:
        """Queue a mail for a worker to send.

        A mail to a stranger without an account is queued without a recipient, so that the
        answer takes as long.
        """
        site = get_current_site(self.request)
        around = {"request": self.request, "email": email, "current_site": site}
        message = self.render_mail(template_prefix, email, around | context)
        to = "" if template_prefix == "account/email/unknown_account" else email
        enqueue_sign_in_mail(to=to, subject=message.subject, text=message.body, now=timezone.now())

    def confirm_email(self, request: HttpRequest, email_address: EmailAddress) -> bool:
        """Confirm an address and take it from all who stated it without having confirmed it.

        Of two accounts that confirm one address at one moment one has it.
        """
        try:
            with transaction.atomic():
                locked = lock_claims(email_address)
                if locked is not None:
                    drop_other_claims(locked)
                    return bool(super().confirm_email(request, locked))
        except IntegrityError:
            pass  # an earlier release confirmed it for another account meanwhile
        template = "account/messages/email_confirmation_failed.txt"
        self.add_message(request, messages.ERROR, template, {"email": email_address.email})
        return False

    def send_confirmation_mail(
        self, request: HttpRequest, emailconfirmation: EmailConfirmationHMAC, signup: bool
    ) -> None:
        """Mail the link that confirms an address; to one that may be a stranger's, no user name.

        Anybody with a club makes accounts with any address: a mailbox gets so many of these a day.
        """
        address = emailconfirmation.email_address
        mailbox = mailbox_of(address.email)
        now = timezone.now()
        if not is_counted("confirmation", mailbox, most=MOST_CONFIRMATIONS, now=now):
            _log.warning("confirmation_not_sent", actor=f"user:{address.user_id}")
            return
        context = {
            "user": address.user,
            "is_change": is_address_change(address),
            "activate_url": self.get_email_confirmation_url(request, emailconfirmation),
        }
        self.send_mail("account/email/email_confirmation", address.email, context)

    def send_notification_mail(
        self,
        template_prefix: str,
        user: Any,
        context: dict[str, Any] | None = None,
        email: str | None = None,
    ) -> None:
        """Mail what was changed to the address of the account, which an administrator may set."""
        super().send_notification_mail(template_prefix, user, context, email or user.email)

    def tell_present_address(self, user: User, change: EmailAddress) -> None:
        """Tell the present address that another one was asked for, with a link that stops it."""
        if not user.email:
            return
        path = reverse("account_stop_email", args=[stop_token(change)])
        context = {"new_email": change.email, "stop_url": build_absolute_uri(self.request, path)}
        template = "account/email/email_change_asked"
        self.send_notification_mail(template, user, context, email=user.email)

    def login(self, request: HttpRequest, user: AbstractBaseUser) -> None:
        """Sign in, with a session that the release before reads too."""
        user.backend = STORED_BACKEND
        super().login(request, user)

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """Lead to the only club of an account; without one, or with several, to the list."""
        clubs = list(list_clubs_of_account(actor_of(request.user))[:2])
        if len(clubs) != 1:
            return "/"
        return reverse("tournaments:club", args=[clubs[0].slug])

    def post_login(self, request: HttpRequest, user: Any, **details: Any) -> HttpResponse:
        """Lead an owner without a second factor to the offer of one, once."""
        response: HttpResponse = super().post_login(request, user, **details)
        if not should_offer_factor(user):
            return response
        dismiss_hint(Operation(actor_of(user), timezone.now()), key=SECOND_FACTOR)
        if details["signup"]:  # which leads to the offer by itself
            return response
        return redirect(reverse("tournaments:offer-passkey", query={"next": response["Location"]}))

    def pre_authenticate(self, request: HttpRequest, **credentials: object) -> None:
        """Count nothing here: `authenticate` has."""


def account_in(credentials: dict[str, object]) -> str:
    """Return the key that a sign-in is counted under: the account, or the typed name in normalised
    form if it matches no account or several (so that nobody learns whose password is right).

    An account's name and its e-mail address share a counter, so that the two allow no more guesses.
    Unknown names wait like accounts: the answers do not reveal which exist. Only a caller who
    knows both already can see from the shared counter that they belong together.
    """
    typed = str(credentials.get("username") or credentials.get("email") or "").strip()
    if not typed:
        return ""
    meant = {user.pk for user in filter_users_by_username(typed)}
    meant |= {user.pk for user in find_accounts_of(typed)}
    if len(meant) == 1:
        return _counted_as(meant.pop())
    return f"typed {typed.casefold()}"


def _counted_as(user_id: int) -> str:
    return f"account {user_id}"
