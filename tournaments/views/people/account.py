"""The account page: signing in, second factor, sessions, public names, and leaving."""

import re
from typing import Final, cast

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.login import get_authentication_records
from allauth.account.internal.flows.reauthentication import raise_if_reauthentication_required
from allauth.core.exceptions import ReauthenticationRequired
from django import forms
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from tournaments.errors import Missing
from tournaments.selectors.clubs.clubs import lacks_own_factor
from tournaments.selectors.clubs.members import list_players_of_account
from tournaments.selectors.jobs.outgoing import unsent_note
from tournaments.selectors.people.accounts import (
    RSA,
    AccountSecurity,
    get_account_security,
    list_player_labels,
    manages_as_owner,
)
from tournaments.services.clubs.clubs import change_player
from tournaments.services.notices.notifications import dismiss_hint
from tournaments.services.people.accounts import (
    change_user_name,
    clubs_owned_alone,
    end_other_sessions,
    end_session,
    open_sessions,
)
from tournaments.services.people.accounts import delete_account as delete
from tournaments.views.clubs.edit_player import OwnNameForm
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import render_site
from tournaments.views.http.service_form import RefusalMessages, ServiceForm, operation_of, submit

_BROWSERS: Final = (
    (r"Edg(?:e|A|iOS)?/", "Edge"),
    (r"OPR/|Opera", "Opera"),
    (r"SamsungBrowser/", "Samsung Internet"),
    (r"Firefox/|FxiOS/", "Firefox"),
    (r"Chrome/|CriOS/|Chromium/", "Chrome"),
    (r"Safari/", "Safari"),
)
_SYSTEMS: Final = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("CrOS", "Chromebook"),
    ("Mac OS X|Macintosh", "Mac"),
    ("Linux|X11", "Linux"),
)

GO_ON: Final = "go_on"
"""Session key of the page after setting up a passkey."""


class UserNameForm(ServiceForm):
    required_fields = ("user_name",)
    user_name = forms.CharField(label=gettext_lazy("User name"), max_length=150)

    def clean_user_name(self) -> str:
        return str(get_adapter().clean_username(self.cleaned_data["user_name"]))


def device_name(user_agent: str) -> str:
    """Return browser and system.

    >>> device_name("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
    'Firefox, Linux'
    >>> device_name("curl/8.5"), device_name("")
    ('curl', 'Unknown device')
    """
    names = [
        next((name for pattern, name in patterns if re.search(pattern, user_agent)), "")
        for patterns in (_BROWSERS, _SYSTEMS)
    ]
    program = re.match(r"[\w.-]{1,40}(?=/)", user_agent)
    return ", ".join(filter(None, names)) or (program[0] if program else _("Unknown device"))


def signed_in_by(ways: object) -> str:
    """Return how the user signed in, from the session's record; "" if it has none.

    >>> signed_in_by([["password", ""], ["mfa", "totp"]])
    'by password and app'
    """
    kinds = [tuple(way) for way in ways] if isinstance(ways, list) else []
    names = [
        name
        for kind, name in (
            (("password", ""), _("password")),
            (("mfa", "totp"), _("app")),
            (("mfa", "webauthn"), _("passkey")),
            (("mfa", "recovery_codes"), _("recovery code")),
        )
        if kind in kinds
    ]
    if not names:
        return ""
    return _("by %(ways)s") % {"ways": _(" and ").join(names)}


@form_page("own_account")
def account(request: PageRequest) -> HttpResponse:
    user = _user(request)
    current = _session_key(request)
    request.session.pop(GO_ON, None)
    security = get_account_security(user)
    sessions = [
        (
            device_name(session.user_agent),
            ", ".join(filter(None, (session.ip, signed_in_by(session.data.get("ways"))))),
            session,
            session.session_key == current,
        )
        for session in open_sessions(user, current=current)
    ]
    context = {
        "security": security,
        "next": _next_step(security, lacks_factor=lacks_own_factor(request)),
        "rsa": RSA,
        "sessions": sessions,
        "players": list_player_labels(user),
    }
    return render_site(request, "people/account.html", context, crumbs=(_me_link(),))


@form_page(end_session, end_other_sessions)
def end_sessions(request: PageRequest) -> HttpResponse:
    if request.method == "POST":
        raise_if_reauthentication_required(request, app="account")
        op = operation_of(request)
        current = _session_key(request)
        chosen = request.POST.get("session", "")
        if chosen == "others":
            n = end_other_sessions(op, current=current)
            text = ngettext("%(n)s other session ended.", "%(n)s other sessions ended.", n)
            messages.success(request, text % {"n": n})
        elif chosen.isascii() and chosen.isdigit() and len(chosen) < 19:
            end_session(op, session_id=int(chosen), current=current)
            messages.success(request, _("Session ended."))
    return redirect(reverse("tournaments:account") + "#sessions")


@form_page("own_account")
def offer_passkey(request: PageRequest) -> HttpResponse:
    go_on = _own_path(request, request.GET.get("next", ""))
    request.session[GO_ON] = go_on
    is_owner = manages_as_owner(_user(request))
    context = {"go_on": go_on, "is_owner": is_owner}
    return render_site(request, "people/offer_passkey.html", context)


def _own_path(request: PageRequest, url: str) -> str:
    is_ours = url.startswith("/") and url_has_allowed_host_and_scheme(
        url, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    if is_ours:
        return url
    return reverse("tournaments:clubs")


@form_page(dismiss_hint)
def hints(request: PageRequest) -> HttpResponse:
    if request.method == "POST":
        dismiss_hint(operation_of(request), key=request.POST.get("hint", ""))
    return redirect(_own_path(request, request.POST.get("next", "")))


@form_page(delete)
def delete_account(request: PageRequest) -> HttpResponse:
    user = _user(request)
    if request.method == "POST":
        if not _has_confirmed(request) or lacks_own_factor(request):
            raise ReauthenticationRequired
        with RefusalMessages(request):
            delete(operation_of(request))
            logout(request)
            messages.success(request, _("Your account is deleted."))
            return redirect("tournaments:clubs")
        return redirect("tournaments:delete-account")
    to_account = layout.Link(_("Account"), reverse("tournaments:account"))
    context = {"alone": clubs_owned_alone(user.pk), "players": list_player_labels(user)}
    return render_site(
        request, "people/delete_account.html", context, crumbs=(_me_link(), to_account)
    )


def _me_link() -> layout.Link:
    return layout.Link(_("Me"), reverse("tournaments:me"))


def _has_confirmed(request: HttpRequest) -> bool:
    """Having signed in a moment ago is not enough for what cannot be undone."""
    earliest = timezone.now().timestamp() - 300
    records = get_authentication_records(request, _user(request))
    return any(
        record.get("reauthenticated") and record.get("at", 0) >= earliest for record in records
    )


def _next_step(security: AccountSecurity, *, lacks_factor: bool) -> dict[str, str] | None:
    """Return the first that applies: a factor that is required, codes, the address, a passkey.

    `lacks_factor`: the account has a second factor, and this session did not show it.

    An address cannot be confirmed on a site that sends no mail.
    """
    step = None
    if security.requires_second_factor and not security.has_second_factor:
        step = (
            _("Set up a second factor"),
            _("%(who)s requires one. Until then your role does not work.")
            % {"who": ", ".join(security.requiring_clubs) or _("This site")},
            reverse("mfa_activate_totp"),
            _("Add app"),
        )
    elif security.requires_second_factor and lacks_factor:
        step = (
            _("Confirm it is you"),
            _(
                "This device signed in without your second factor. Until you show it, your role "
                "does not work here."
            ),
            reverse("mfa_reauthenticate"),
            _("Use second factor"),
        )
    elif security.has_few_codes:
        facts = {"left": security.codes_left, "total": security.codes_total}
        step = (
            _("Create new recovery codes"),
            _("%(left)s of %(total)s are left. Without a code a lost phone locks you out.") % facts,
            reverse("mfa_generate_recovery_codes"),
            _("Create new codes"),
        )
    elif security.email and not security.is_confirmed and not unsent_note():
        step = (
            _("Confirm your e-mail address"),
            _("Open the link in the e-mail that was sent to %(email)s.")
            % {"email": security.email},
            reverse("account_email"),
            _("Send link again"),
        )
    elif not security.passkeys:
        step = (
            _("Add a passkey"),
            _("You sign in with your fingerprint, your face or a PIN, without a password."),
            reverse("mfa_add_webauthn"),
            _("Add passkey"),
        )
    if step is None:
        return None
    return dict(zip(("title", "say", "url", "button"), step, strict=True))


def _user(request: HttpRequest) -> User:
    return cast(User, request.user)


def _session_key(request: HttpRequest) -> str:
    return request.session.session_key or ""


@form_page("own_account", (change_player, OwnNameForm), (change_user_name, UserNameForm))
def own_names(request: PageRequest) -> HttpResponse:
    players = list_players_of_account(request.actor)
    chosen = request.POST.get("player", "")
    player_forms = [
        OwnNameForm(request.POST if str(player.pk) == chosen else None, player=player)
        for player in players
    ]
    name_form = UserNameForm(request.POST if "user_name" in request.POST else None)
    if name_form.is_bound:
        if lacks_own_factor(request):
            raise ReauthenticationRequired
        if submit(request, name_form, change_user_name):
            messages.success(request, _("Saved. Sign in with the new user name from now on."))
            return redirect("tournaments:own-names")
    elif request.method == "POST":
        form = next((form for form in player_forms if form.is_bound), None)
        if form is None:
            raise Missing("player", {"player": chosen[:40]})
        changed = submit(request, form, change_player, form.player)
        if changed is not None:
            facts = {"club": changed.club.name, "name": changed.public_name}
            says = _("Saved. Public pages of %(club)s show you as %(name)s.")
            messages.success(request, says % facts)
            return redirect("tournaments:own-names")
    context = {"forms": player_forms, "name_form": name_form}
    return render_site(request, "people/names.html", context, *player_forms, name_form)
