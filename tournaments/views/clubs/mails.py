"""The mails of a club for its owner: pending, given up, sent."""

from collections.abc import Mapping
from typing import Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tournaments.delivery.mail.files import are_kept, read_mail
from tournaments.domain.messages import sentence
from tournaments.errors import Conflict, Missing
from tournaments.selectors.clubs import clubs
from tournaments.selectors.notices.outbox import find_addresses, get_club_mails, get_mail
from tournaments.services.notices.outbox import send_again
from tournaments.views.http.decorators import form_page
from tournaments.views.http.layout import Link, PageRequest
from tournaments.views.http.service_form import render_club

MAIL_LABELS: Final[Mapping[str, str | Promise]] = {
    "invitation": _("Invitation"),
    "sign_in": _("About signing in"),
    "challenge_received": _("Challenge received"),
    "challenge_answered": _("Challenge answered"),
    "challenge_deadline": _("Deadline of a challenge"),
    "result_to_confirm": _("Result to confirm"),
    "correction": _("Correction of a hand"),
    "dispute_decided": _("Dispute decided"),
    "playoff_called": _("Play-off called"),
    "evening_reminder": _("Reminder of an evening"),
    "evening_changed": _("Evening changed"),
    "evening_cancelled": _("Evening cancelled"),
    "next_table": _("Next table"),
    "digest": _("Digest after the evening"),
}


@form_page("read_mail")
def mails(request: PageRequest, club: str) -> HttpResponse:
    """List the mails of a club; administrators of the site find those about signing in too."""
    current_club = clubs.get_club(request.actor, club)
    mails = get_club_mails(current_club, with_site=request.actor.is_site_admin)
    addresses = find_addresses(mails)
    lines = {
        state: [
            {"mail": mail, "to": addresses[mail.pk], "label": MAIL_LABELS.get(mail.kind, mail.kind)}
            for mail in of_state
        ]
        for state, of_state in mails.items()
    }
    context = {
        **lines,
        "are_files": are_kept(),
        "is_site_admin": request.actor.is_site_admin,
        "now": timezone.now(),
    }
    return render_club(request, "clubs/mails.html", current_club, context)


@form_page("read_mail")
def mail(request: PageRequest, club: str, number: int) -> HttpResponse:
    """Show a mail that was written to a file, where there is no mail server."""
    current_club = clubs.get_club(request.actor, club)
    row = get_mail(current_club, number)
    parsed = read_mail(row)
    body = parsed.get_body(("plain",)) if parsed is not None else None
    if parsed is None or body is None:
        raise Missing("mail", {"mail": number})
    context = {
        "row": row,
        "subject": parsed["Subject"],
        "to": parsed["To"],
        "text": body.get_content(),
    }
    crumbs = (Link(gettext("Mail"), f"/clubs/{current_club.slug}/mail"),)
    return render_club(request, "clubs/mail.html", current_club, context, crumbs=crumbs)


@form_page("read_mail")
def send_mail_again(request: PageRequest, club: str, number: int) -> HttpResponse:
    current_club = clubs.get_club(request.actor, club)
    if request.method == "POST":
        try:
            send_again(actor=request.actor, club=current_club, number=number, now=timezone.now())
        except Conflict as conflict:
            messages.error(request, sentence(conflict.problem))
        else:
            messages.success(request, gettext("The mail is sent again in a moment."))
    return redirect("tournaments:mails", club=current_club.slug)
