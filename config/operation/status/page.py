"""`/statusz`: the status of the installation, and a test mail, for administrators of the site."""

from collections.abc import Sequence
from typing import Final

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.defaultfilters import filesizeformat
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from config.operation.status.explanations import Area
from config.operation.status.installation_status import Finding, InstallationStatus, read_status
from tournaments.delivery.mail.direct import NO_MAIL, mail_server_name, send_test_mail
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import actor_of_session
from tournaments.selectors.jobs.outgoing import SiteMail, get_site_mail
from tournaments.views.http import errors
from tournaments.views.http.layout import Layout

AREAS: Final[dict[Area, str | Promise]] = {
    "database": gettext_lazy("Database"),
    "migrations": gettext_lazy("Migrations"),
    "broker": gettext_lazy("Message broker"),
    "cache": gettext_lazy("Cache"),
    "workers": gettext_lazy("Workers"),
    "jobs": gettext_lazy("Background jobs"),
    "outgoing": gettext_lazy("Sending"),
    "mail": gettext_lazy("Mail"),
    "webhooks": gettext_lazy("Webhooks"),
    "disk": gettext_lazy("Disk space"),
    "backup": gettext_lazy("Last backup"),
    "clock": gettext_lazy("Clock"),
    "certificate": gettext_lazy("Certificate"),
    "static_files": gettext_lazy("Static files"),
}

TOLD_BY_DATABASE: Final = frozenset(
    {"workers", "jobs", "outgoing", "mail", "webhooks", "backup", "clock"}
)


@never_cache
@require_safe
def status_page(request: HttpRequest) -> HttpResponse:
    actor = actor_of_session(request)
    refusal = _refusal(request, actor)
    if refusal is not None:
        return refusal
    status = read_status(timezone.now())
    context = {
        "layout": Layout(path=request.path, signed_in_as=actor.name),
        "status": status,
        "problems": [finding for finding in status.findings if finding.severity != "note"],
        "notes": [finding for finding in status.findings if finding.severity == "note"],
        "areas": _areas(status),
        "version": settings.VERSION,
    }
    return render(request, "operation/status.html", context)


class TestMailForm(forms.Form):
    email = forms.EmailField(label=gettext_lazy("Mail address"))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def mail_page(request: HttpRequest) -> HttpResponse:
    """Send a test mail to an address, and show what the mail server says to it."""
    actor = actor_of_session(request)
    refusal = _refusal(request, actor)
    if refusal is not None:
        return refusal
    sent = None
    form = TestMailForm(initial={"email": getattr(request.user, "email", "")})
    if request.method == "POST":
        form = TestMailForm(request.POST)
        if form.is_valid():
            sent = send_test_mail(form.cleaned_data["email"])
    if sent is not None and sent.is_sent:
        messages.success(request, sent.sentence)
        return redirect("test-mail")
    mail = get_site_mail()
    context = {
        "layout": Layout(path=request.path, signed_in_as=actor.name),
        "form": form,
        "sent": sent,
        "server": mail_server_name() if mail is not SiteMail.NONE else "",
        "sender": settings.DEFAULT_FROM_EMAIL,
        "no_mail": NO_MAIL.get(mail, ""),
    }
    status = 422 if form.is_bound else 200
    return render(request, "operation/test_mail.html", context, status=status)


def _refusal(request: HttpRequest, actor: Actor) -> HttpResponse | None:
    """Return the answer to who does not administrate the site; None to who does."""
    if actor.kind == "public":
        return redirect_to_login(request.get_full_path())
    if actor.lacks_factor:
        return errors.second_factor_needed(request)
    if not actor.is_site_admin:
        return errors.permission_denied(request)
    return None


def _areas(status: InstallationStatus) -> list[dict[str, object]]:
    """Return a row for each area with its facts and worst finding.

    Figures from the database are unknown while it does not answer.
    """
    worst: dict[Area, Finding] = {}
    for finding in status.findings:
        worst.setdefault(finding.area, finding)
    facts = _facts(status)
    unknown = TOLD_BY_DATABASE if status.jobs is None else frozenset()
    return [
        {
            "name": str(name),
            "facts": facts.get(area, ()),
            "worst": worst.get(area),
            "is_known": area not in unknown,
        }
        for area, name in AREAS.items()
    ]


def _facts(status: InstallationStatus) -> dict[Area, tuple[str, ...]]:
    facts: dict[Area, tuple[str, ...]] = {
        "database": ("SQLite" if connection.vendor == "sqlite" else "PostgreSQL",),
        "disk": tuple(_disk_facts(status)),
        "backup": _backup_facts(status),
    }
    if (ends_at := status.certificate.ends_at) is not None:
        facts["certificate"] = (_("valid until %(day)s") % {"day": f"{ends_at:%Y-%m-%d}"},)
    elif status.certificate.state == "none":
        facts["certificate"] = (_("The site has no https address"),)
    if (n := status.hints_waiting) is not None:
        text = ngettext("%(n)s message waiting", "%(n)s messages waiting", n)
        facts["broker"] = (text % {"n": n},)
    if (jobs := status.jobs) is not None:
        facts["jobs"] = _backlog_facts(jobs.waiting, jobs.parked, _("%(n)s given up"))
    if (outgoing := status.outgoing) is not None:
        facts["outgoing"] = (_("On") if outgoing.is_on else _("Off"),)
        if outgoing.by_setting:
            facts["outgoing"] += (_("by the setting OUTGOING"),)
    if (mail := status.mail) is not None:
        facts["mail"] = _backlog_facts(mail.waiting)
    if (webhooks := status.webhooks) is not None:
        not_delivered = _("%(n)s not delivered")
        facts["webhooks"] = _backlog_facts(webhooks.waiting, webhooks.parked, not_delivered)
    return facts


def _backlog_facts(waiting: int, parked: int = 0, parked_words: str = "") -> tuple[str, ...]:
    pending = _("%(n)s pending") % {"n": waiting} if waiting else _("Up to date")
    if not parked:
        return (pending,)
    return (pending, parked_words % {"n": parked})


def _disk_facts(status: InstallationStatus) -> Sequence[str]:
    names = {"state": _("state directory"), "database": _("database")}
    free = {place: filesizeformat(room) for place, (room, _total) in status.disks.items()}
    if len(set(free.values())) == 1:
        return [_("%(free)s free") % {"free": next(iter(free.values()))}]
    return [
        _("%(free)s free (%(place)s)") % {"free": room, "place": names[place]}
        for place, room in free.items()
    ]


def _backup_facts(status: InstallationStatus) -> tuple[str, ...]:
    backup = status.last_backup
    if backup is None:
        return (_("No backup yet"),)
    return (f"{backup.at:%Y-%m-%d %H:%M} UTC", filesizeformat(backup.size_bytes))
