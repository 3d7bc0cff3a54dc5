"""The site's first account: the link that the server printed opens a form, once."""

from allauth.account.utils import complete_signup
from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from tournaments.errors import Missing
from tournaments.forms.access.join import NewAccountForm
from tournaments.selectors.access.setup_links import (
    COOKIE,
    cookie_of,
    setup_link_by_token,
    setup_link_in_cookie,
)
from tournaments.selectors.clubs.clubs import actor_of, clubs_of_account
from tournaments.services.access.setup_links import use_setup_link
from tournaments.views.access.throttling import count_wrong_link
from tournaments.views.http import errors
from tournaments.views.http.decorators import REFUSED
from tournaments.views.http.layout import Layout

ADMINISTRATOR = "admin"
"""The user name that is proposed."""


@never_cache
@require_safe
def open_setup(request: HttpRequest, token: str) -> HttpResponse:
    """Swap a set-up link's token for a cookie and go on without it."""
    link = setup_link_by_token(token, timezone.now())
    if link is None:
        if seconds := count_wrong_link(request):
            return errors.too_many_links(request, seconds)
        return errors.setup_opens_nothing(request)
    on = redirect("tournaments:setup")
    on.set_cookie(
        COOKIE,
        cookie_of(link),
        expires=link.expires_at,
        path=reverse("tournaments:setup"),
        httponly=True,
        secure=settings.SESSION_COOKIE_SECURE,
        samesite="Lax",
    )
    return on


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def setup(request: HttpRequest) -> HttpResponse:
    """Ask for the first account, make it, and sign in."""
    here, now = reverse("tournaments:setup"), timezone.now()
    link = setup_link_in_cookie(request.COOKIES.get(COOKIE, ""), now)
    if link is None:
        return errors.setup_opens_nothing(request)
    sent = request.POST if request.method == "POST" else None
    form = NewAccountForm(sent, name=ADMINISTRATOR)
    form.fields["username"].help_text = _(
        "Members and invitations show it, such as “olga”. If empty, it is “admin”."
    )
    if sent is None or not form.is_valid():
        context = {"layout": Layout(path=here, at_table=True), "form": form, "here": here}
        status = REFUSED if form.has_problems else 200
        return render(request, "access/setup.html", context, status=status)

    def make() -> User:
        user: User = form.save(request)
        return user

    try:
        user = use_setup_link(link=link, make_account=make, now=now)
    except Missing:
        return errors.setup_opens_nothing(request)
    imported = clubs_of_account(actor_of(user))
    new_club = reverse("tournaments:new-club")
    start = reverse("tournaments:club", args=[imported[0].slug]) if imported else new_club
    on = reverse("tournaments:offer-passkey", query={"next": start})
    signed_in: HttpResponse = complete_signup(request, user, None, on)
    signed_in.delete_cookie(COOKIE, path=here)
    return signed_in
