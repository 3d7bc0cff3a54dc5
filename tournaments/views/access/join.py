"""Joining a club with an invitation: its link opens a form that makes an account, or a question.

The link is swapped for a signed cookie first, so that it leaves the address bar. Whatever is wrong
with it, there is one answer.
"""

from typing import Final

from allauth.account.models import EmailAddress
from allauth.account.utils import complete_signup
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from tournaments.code_words import OF_A_ROLE
from tournaments.errors import Conflict, Missing
from tournaments.forms.access.join import NewAccountForm
from tournaments.messages import sentence
from tournaments.models.clubs import Membership
from tournaments.models.invitations import Invitation
from tournaments.policy import Actor
from tournaments.selectors.access.invitations import (
    COOKIE,
    OpenedInvitation,
    cookie_of,
    invitation_by_token,
    invitation_in_cookie,
    label_of,
)
from tournaments.selectors.clubs.clubs import actor_of, role_of
from tournaments.services.clubs.accept_invitation import (
    accept_as_new_account,
    accept_invitation,
    decline_invitation,
    note_opened,
)
from tournaments.views.access.throttling import count_wrong_link
from tournaments.views.http import errors
from tournaments.views.http.decorators import REFUSED
from tournaments.views.http.layout import Layout

MAIL_MARK: Final = "m"
"""The parameter that only the mailed link has (`selectors.access.invitations.mail_mark`)."""


@never_cache
@require_safe
def open_invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Swap an invitation's token for a cookie and go on without it."""
    now = timezone.now()
    opened = invitation_by_token(token, request.GET.get(MAIL_MARK, ""), now)
    if opened is None:
        if seconds := count_wrong_link(request):
            return errors.too_many_links(request, seconds)
        return errors.invitation_opens_nothing(request)
    if request.method != "HEAD":
        note_opened(invitation=opened.invitation, now=now)
    on = redirect("tournaments:join")
    on.set_cookie(
        COOKIE,
        cookie_of(opened),
        expires=opened.invitation.expires_at,
        path=reverse("tournaments:join"),
        httponly=True,
        secure=settings.SESSION_COOKIE_SECURE,
        samesite="Lax",
    )
    return on


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest) -> HttpResponse:
    """Ask who joins: the account that is signed in, or a new one that is made here."""
    now = timezone.now()
    opened = invitation_in_cookie(request.COOKIES.get(COOKIE, ""), now)
    if opened is None:
        return errors.invitation_opens_nothing(request)
    try:
        if request.method == "POST" and "decline" in request.POST:
            decline_invitation(invitation=opened.invitation, now=now)
            messages.success(request, _("The invitation was revoked. The club sees that."))
            return _without_cookie(redirect("tournaments:clubs"))
        actor = actor_of(request.user)
        if actor.kind == "user":
            return _join_as(request, opened.invitation, actor)
        return _sign_up(request, opened)
    except Missing:  # somebody else was first
        return errors.invitation_opens_nothing(request)


def _join_as(request: HttpRequest, invitation: Invitation, actor: Actor) -> HttpResponse:
    """Ask the account that is signed in, and make it a member."""
    refused = ""
    if request.method == "POST" and "join" in request.POST:
        try:
            member = accept_invitation(actor=actor, invitation=invitation, now=timezone.now())
        except Conflict as conflict:
            refused = sentence(conflict.problem)
        else:
            _welcome(request, invitation, member)
            return _without_cookie(redirect("tournaments:club", invitation.club.slug))
    context = {
        **_context(invitation),
        "account": actor.name,
        "own_role": role_of(actor, invitation.club_id),
        "refused": refused,
    }
    status = REFUSED if refused else 200
    return render(request, "access/join_as.html", context, status=status)


def _sign_up(request: HttpRequest, opened: OpenedInvitation) -> HttpResponse:
    """Ask for an address and a password, make the account, and sign in."""
    invitation = opened.invitation
    sent = request.POST if request.method == "POST" else None
    name = invitation.player.name if invitation.player else invitation.name
    form = NewAccountForm(sent, initial={"email": invitation.email}, name=name)
    if sent is None or not form.is_valid():
        context = {**_context(invitation), "form": form, "asks_name": not name}
        status = REFUSED if form.has_problems else 200
        return render(request, "access/join.html", context, status=status)

    def make() -> User:
        user: User = form.save(request)
        if opened.was_mailed and user.email.casefold() == invitation.email.casefold():
            EmailAddress.objects.filter(user=user, email__iexact=user.email).update(verified=True)
        return user

    user, member = accept_as_new_account(
        invitation=invitation, make_account=make, now=timezone.now()
    )
    _welcome(request, invitation, member)
    club = reverse("tournaments:club", args=[invitation.club.slug])
    offer = reverse("tournaments:offer-passkey", query={"next": club})
    signed_in: HttpResponse = complete_signup(request, user, None, offer)
    return _without_cookie(signed_in)


def _welcome(request: HttpRequest, invitation: Invitation, member: Membership) -> None:
    facts = {"club": invitation.club.name, "role": member.get_role_display().lower()}
    if invitation.player is None:
        messages.success(request, _("Welcome to %(club)s. Your role is %(role)s.") % facts)
        return
    facts |= {"name": invitation.player.name, "id": invitation.player.player_id}
    text = _("Welcome to %(club)s. You are %(name)s (%(id)s), your role is %(role)s.")
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
        "allows": [_(text) for text in OF_A_ROLE[invitation.role]],
        "here": here,
    }


def _without_cookie(answer: HttpResponse) -> HttpResponse:
    answer.delete_cookie(COOKIE, path=reverse("tournaments:join"))
    return answer
