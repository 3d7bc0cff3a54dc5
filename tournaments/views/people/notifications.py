"""Notifications of one's account: which mails and notices, the notices, and the link of a mail."""

from collections.abc import Container
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from tournaments.domain.people.notification_kinds import DEFAULTS, Channels
from tournaments.errors import Missing
from tournaments.models.clubs import Club
from tournaments.selectors.notices.notifications import (
    find_subscription,
    list_choices,
    list_clubs_of_member,
    list_notices,
)
from tournaments.selectors.people.notice_text import KIND_LABELS, notice_lines
from tournaments.services.notices.notifications import (
    read_all_notices,
    read_notice,
    save_notifications,
    stop_all_mails,
    unsubscribe,
)
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.layout import PageRequest

SHOWN = 50
"""Notices on their page."""


@form_page("own_account")
def notifications(request: PageRequest) -> HttpResponse:
    clubs = list(list_clubs_of_member(_user_id(request)))
    if request.method == "POST":
        if "none" in request.POST:
            stop_all_mails(actor=request.actor)
            messages.success(request, _("All mails stopped. Mails about signing in are sent."))
        else:
            club = next((club for club in clubs if club.slug == request.POST.get("club")), None)
            if club is None:
                raise Missing("club")
            save_notifications(actor=request.actor, club=club, wanted=_ticked_kinds(request.POST))
            messages.success(request, _("Notifications of %s saved.") % club.name)
        return redirect("tournaments:notifications")
    context = {
        "layout": layout.site_layout(request),
        "clubs": [_club_row(_user_id(request), club) for club in clubs],
        "address": getattr(request.user, "email", ""),
    }
    return render(request, "people/notifications.html", context)


@form_page("own_account")
def notices(request: PageRequest) -> HttpResponse:
    if request.method == "POST":
        read_all_notices(actor=request.actor, now=timezone.now())
        messages.success(request, _("All notices marked as read."))
        return redirect("tournaments:notices")
    lines = list(notice_lines(list_notices(_user_id(request))[:SHOWN]))
    context = {
        "layout": layout.site_layout(request),
        "notices": lines,
        "n_unread": sum(notice.read_at is None for notice, _text in lines),
    }
    return render(request, "people/notices.html", context)


@form_page("own_account")
def open_notice(request: PageRequest, notice: UUID) -> HttpResponse:
    row = read_notice(actor=request.actor, public_id=notice, now=timezone.now())
    for _notice, text in notice_lines([row]):
        return redirect(text.path)
    raise Missing("notice")


@never_cache
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def stop_mails(request: HttpRequest, token: str) -> HttpResponse:
    """Stop what the link of a mail stops: asked first in a browser, at once for a mail program.

    A mail program posts here by itself (RFC 8058), without a session or a token against forged
    forms; whoever has the link may do no more than stop these mails.
    """
    subscription = find_subscription(token)
    context: dict[str, Any] = {"layout": layout.Layout(path=request.path)}
    if subscription is None:
        return render(request, "people/unsubscribe.html", context, status=404)
    club, user_id, kind = subscription
    is_done = request.method == "POST"
    if is_done:
        unsubscribe(club=club, user_id=user_id, kind=kind)
    context |= {"club": club, "kind": KIND_LABELS[kind], "is_done": is_done}
    return render(request, "people/unsubscribe.html", context)


def _user_id(request: PageRequest) -> int:
    return request.actor.user_id or 0


def _ticked_kinds(ticked: Container[str]) -> dict[str, Channels]:
    return {
        kind: Channels(by_mail=f"mail-{kind}" in ticked, as_notice=f"notice-{kind}" in ticked)
        for kind in DEFAULTS
    }


def _club_row(user_id: int, club: Club) -> dict[str, Any]:
    choices = list_choices(user_id, club)
    return {
        "club": club,
        "kinds": [
            {"key": kind, "label": KIND_LABELS[kind], "chosen": chosen}
            for kind, chosen in choices.items()
        ],
        "n_mails": sum(choice.by_mail for choice in choices.values()),
        "n_notices": sum(choice.as_notice for choice in choices.values()),
    }
