"""Join a club with an invitation, or set up a new site: a form that makes an account."""

import math
from datetime import datetime
from typing import Any, Final

from allauth.account.adapter import get_adapter
from allauth.account.forms import SignupForm
from allauth.account.utils import complete_signup
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from rest_framework.throttling import SimpleRateThrottle

from tournaments.domain.client_address import client_network
from tournaments.domain.code_words import OF_A_ROLE
from tournaments.domain.messages import sentence
from tournaments.domain.notices import LONGEST_EMAIL
from tournaments.errors import Conflict, Missing
from tournaments.models.access import Invitation
from tournaments.models.clubs import Membership
from tournaments.policy import ANYBODY, Actor
from tournaments.selectors.access.invitations import (
    INVITATION_COOKIE,
    OpenedInvitation,
    find_invitation_by_token,
    find_invitation_in_cookie,
    invitation_cookie,
    label_of,
)
from tournaments.selectors.access.tokens import (
    SETUP_COOKIE,
    find_setup_link_by_token,
    find_setup_link_in_cookie,
    setup_cookie,
)
from tournaments.selectors.clubs.clubs import (
    actor_of,
    actor_of_session,
    get_role,
    list_clubs_of_account,
)
from tournaments.selectors.jobs.outgoing import SiteMail, get_site_mail
from tournaments.selectors.people.addresses import is_address_taken
from tournaments.selectors.people.password_strength import RULE, StrengthValidator
from tournaments.services.access.table_links import use_setup_link
from tournaments.services.clubs.clubs import proposed_slug
from tournaments.services.clubs.invitations import (
    accept_as_new_account,
    accept_invitation,
    decline_invitation,
    note_opened,
)
from tournaments.services.operations import Operation
from tournaments.services.people.addresses import confirm_by_mailed_link
from tournaments.views.http import errors
from tournaments.views.http.decorators import REFUSED, runs
from tournaments.views.http.layout import Layout
from tournaments.views.http.responses import get_or_post, set_cookie
from tournaments.views.http.service_form import render_form

A_MINUTE: Final = 60


class WrongLinkThrottle(SimpleRateThrottle):
    """Counts invalid links by the caller's address; the rate is in the settings.

    Of an IPv6 address the network counts.
    """

    scope = "link"
    num_requests: int  # set by its base, whose stubs do not say so

    def get_cache_key(self, request: object, view: object) -> str:
        return str(self.cache_format) % {"scope": self.scope, "ident": self.get_ident(request)}

    def get_ident(self, request: Any) -> str:
        return client_network(request)

    def throttle_success(self) -> bool:
        """Let the caller in; only what opens nothing is counted, by `count`."""
        return True

    def seconds_to_wait(self, request: HttpRequest) -> int:
        """Return 0 where another wrong link is answered as one, else when to come back."""
        if self.allow_request(request, None):  # type: ignore[arg-type]  # reads META only
            return 0
        return max(1, math.ceil(self.wait() or A_MINUTE))

    def count(self) -> None:
        """Count the link that the caller has just shown; no more than it takes to know enough."""
        self.history = self.history[: self.num_requests - 1]
        super().throttle_success()


def count_wrong_link(request: HttpRequest) -> int:
    """Count a link that opened nothing; how many seconds the next wrong one has to wait, or 0."""
    pace = WrongLinkThrottle()
    seconds = pace.seconds_to_wait(request)
    pace.count()
    return seconds


"""Characters of an address, as the column of accounts has them."""


class NewAccountForm(SignupForm):  # type: ignore[misc]  # untyped base
    """An e-mail address and a password; a user name is made of the person's `name` if none is sent.

    It is never made of the e-mail address, which other members do not see. `mailed_to` is the
    address whose mail had the link that the person opened.
    """

    def __init__(
        self, *args: Any, name: str = "", club: str = "", mailed_to: str = "", **more: Any
    ) -> None:
        super().__init__(*args, username_required=False, email_required=True, **more)
        self.name = name
        self.club = club
        self.mailed_to = mailed_to
        email, password = self.fields["email"], self.fields["password1"]
        username = self.fields["username"]
        email.label = _("E-mail address")
        email.validators.append(MaxLengthValidator(LONGEST_EMAIL))
        email.help_text = _("For signing in and for the mails you choose.")
        if get_site_mail() == SiteMail.NONE:
            email.help_text = _("For signing in.")
        username.label = _("User name (optional)")
        username.help_text = _("Other members see it. Letters, digits and @ . + - _ are allowed.")
        password.label = _("Password")
        password.help_text = RULE
        for field in (email, username, password):
            field.widget.attrs.pop("placeholder", None)
        self.use_required_attribute = False

    @property
    def has_problems(self) -> bool:
        return self.is_bound and bool(self.errors)

    def validate_unique_email(self, value: str) -> str:
        """Refuse the address of another account; `mailed_to` is one that the person has proven."""
        is_proven = value.casefold() == self.mailed_to.casefold()
        if is_address_taken(value, is_proven=is_proven):
            raise get_adapter().validation_error("email_taken")
        return value

    def clean(self) -> dict[str, Any]:
        typed: dict[str, Any] = super().clean()
        if not typed.get("username") and "username" not in self.errors:
            base = proposed_slug(self.name)[:60] or "member"
            typed["username"] = get_adapter().generate_unique_username([base])
        if password := typed.get("password1"):
            try:
                StrengthValidator((self.name, self.club)).validate(password)
            except ValidationError as weak:
                self.add_error("password1", weak)
        return typed


@never_cache
@require_safe
def open_invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Swap an invitation's token for a cookie and go on without it."""
    now = timezone.now()
    # The mailed link alone has `m` (`selectors.access.invitations.mail_mark`).
    opened = find_invitation_by_token(token, request.GET.get("m", ""), now)
    if opened is None:
        if seconds := count_wrong_link(request):
            return errors.too_many_links(request, seconds)
        return errors.invitation_opens_nothing(request)
    if request.method != "HEAD":
        note_opened(invitation=opened.invitation, now=now)
    expires_at = opened.invitation.expires_at
    return _with_cookie("join", INVITATION_COOKIE, invitation_cookie(opened), expires_at)


def _with_cookie(page: str, name: str, value: str, expires_at: datetime) -> HttpResponse:
    response = redirect(f"tournaments:{page}")
    set_cookie(response, name, value, expires=expires_at)
    return response


@never_cache
@get_or_post
@runs(accept_invitation, decline_invitation)
def join(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    opened = find_invitation_in_cookie(request.COOKIES.get(INVITATION_COOKIE, ""), now)
    if opened is None:
        return errors.invitation_opens_nothing(request)
    try:
        if request.method == "POST" and "decline" in request.POST:
            decline_invitation(Operation(ANYBODY, now), opened.invitation)
            messages.success(request, gettext("You declined the invitation. The club sees that."))
            return _without_cookie(redirect("tournaments:clubs"))
        actor = actor_of_session(request)
        if actor.kind == "user":
            return _join_as(request, opened, actor)
        return _sign_up(request, opened)
    except Missing:  # somebody else was first
        return errors.invitation_opens_nothing(request)


def _join_as(request: HttpRequest, opened: OpenedInvitation, actor: Actor) -> HttpResponse:
    invitation = opened.invitation
    refused = ""
    if request.method == "POST" and "join" in request.POST:
        try:
            member = accept_invitation(Operation(actor, timezone.now()), invitation)
        except Conflict as conflict:
            refused = sentence(conflict.problem)
        else:
            _confirm_mailbox(opened, member.user)
            _welcome(request, invitation, member)
            return _without_cookie(redirect("tournaments:club", invitation.club.slug))
    context = {
        **_context(invitation),
        "account": actor.name,
        "own_role": get_role(actor, invitation.club_id),
        "refused": refused,
    }
    status = REFUSED if refused else 200
    return render(request, "access/join_as.html", context, status=status)


def _sign_up(request: HttpRequest, opened: OpenedInvitation) -> HttpResponse:
    invitation = opened.invitation
    posted = request.POST if request.method == "POST" else None
    name = invitation.player.name if invitation.player else invitation.name
    form = NewAccountForm(
        posted,
        initial={"email": invitation.email},
        name=name,
        club=invitation.club.name,
        mailed_to=invitation.email if opened.was_mailed else "",
    )
    if posted is None or not form.is_valid():
        context = {**_context(invitation), "form": form, "asks_name": not name}
        return render_form(request, "access/join.html", context, form)

    user, member = accept_as_new_account(
        invitation=invitation, make_account=lambda: form.save(request), now=timezone.now()
    )
    _confirm_mailbox(opened, user)
    _welcome(request, invitation, member)
    club = reverse("tournaments:club", args=[invitation.club.slug])
    offer = reverse("tournaments:offer-passkey", query={"next": club})
    signed_in: HttpResponse = complete_signup(request, user, None, offer)
    return _without_cookie(signed_in)


def _confirm_mailbox(opened: OpenedInvitation, user: User) -> None:
    """Confirm the address of an account whose person came with the link that was mailed to it."""
    if opened.was_mailed and user.email.casefold() == opened.invitation.email.casefold():
        confirm_by_mailed_link(user)


def _welcome(request: HttpRequest, invitation: Invitation, member: Membership) -> None:
    facts = {"club": invitation.club.name, "role": member.get_role_display().lower()}
    if invitation.player is None:
        messages.success(request, gettext("Welcome to %(club)s. Your role is %(role)s.") % facts)
        return
    facts |= {"name": invitation.player.name, "id": invitation.player.player_id}
    text = gettext("Welcome to %(club)s. You are %(name)s (%(id)s), your role is %(role)s.")
    messages.success(request, text % facts)


def _context(invitation: Invitation) -> dict[str, object]:
    club, by = invitation.club, invitation.created_by
    here = reverse("tournaments:join")
    return {
        "layout": Layout(path=here, club_name=club.name, zone=club.time_zone),
        "invitation": invitation,
        "club": club,
        "label": label_of(invitation) if invitation.player or invitation.name else "",
        "invited_by": (by.get_full_name() or by.get_username()) if by else "",
        "allows": [gettext(text) for text in OF_A_ROLE[invitation.role]],
        "here": here,
    }


def _without_cookie(answer: HttpResponse) -> HttpResponse:
    answer.delete_cookie(INVITATION_COOKIE)
    return answer


@never_cache
@require_safe
def open_setup(request: HttpRequest, token: str) -> HttpResponse:
    link = find_setup_link_by_token(token, timezone.now())
    if link is None:
        if seconds := count_wrong_link(request):
            return errors.too_many_links(request, seconds)
        return errors.setup_opens_nothing(request)
    return _with_cookie("setup", SETUP_COOKIE, setup_cookie(link), link.expires_at)


@never_cache
@get_or_post
def setup(request: HttpRequest) -> HttpResponse:
    here = reverse("tournaments:setup")
    now = timezone.now()
    link = find_setup_link_in_cookie(request.COOKIES.get(SETUP_COOKIE, ""), now)
    if link is None:
        return errors.setup_opens_nothing(request)
    posted = request.POST if request.method == "POST" else None
    form = NewAccountForm(posted, name="admin")
    form.fields["username"].help_text = gettext(
        "Members and invitations show it, such as “olga”. If empty, it is “admin”."
    )
    if posted is None or not form.is_valid():
        context = {"layout": Layout(path=here, at_table=True), "form": form, "here": here}
        return render_form(request, "access/setup.html", context, form)

    try:
        user = use_setup_link(link=link, make_account=lambda: form.save(request), now=now)
    except Missing:
        return errors.setup_opens_nothing(request)
    imported = list_clubs_of_account(actor_of(user)).first()
    new_club = reverse("tournaments:new-club")
    start = reverse("tournaments:club", args=[imported.slug]) if imported else new_club
    on = reverse("tournaments:offer-passkey", query={"next": start})
    signed_in: HttpResponse = complete_signup(request, user, None, on)
    signed_in.delete_cookie(SETUP_COOKIE)
    return signed_in
