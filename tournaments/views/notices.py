"""Mails of a club; notices and notifications of an account."""

from typing import Any, Final
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt

from tournaments.delivery.mail.files import read_mail
from tournaments.domain.notices import DEFAULTS, FOR_DIRECTORS, Channels
from tournaments.errors import Missing
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event
from tournaments.policy import Actor, may
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.clubs.members import list_refused_contacts
from tournaments.selectors.events.meetings import date_of, meeting_on
from tournaments.selectors.jobs.outgoing import (
    SiteMail,
    are_mails_files,
    get_outgoing,
    get_site_mail,
    has_mail_server,
)
from tournaments.selectors.notices.notice_text import (
    COPIED_KINDS,
    KIND_LABELS,
    list_texts_to_copy,
    notice_lines,
)
from tournaments.selectors.notices.notifications import (
    find_subscription,
    list_choices,
    list_clubs_of_member,
    list_notices,
)
from tournaments.selectors.notices.outbox import (
    MOST_MAILS,
    find_addresses,
    get_club_mails,
    get_mail,
)
from tournaments.selectors.notices.pending_results import list_pending_results
from tournaments.selectors.waiting import group_waiting, list_own_waiting
from tournaments.services.notices.mailboxes import MOST_A_DAY
from tournaments.services.notices.notifications import (
    read_all_notices,
    read_notice,
    save_notifications,
    stop_all_mails,
    unsubscribe,
)
from tournaments.services.notices.outbox import send_mail_again
from tournaments.services.rounds.pending_results import draw_result_now
from tournaments.views.http import layout
from tournaments.views.http.decorators import club_form_page, event_form_page, form_page
from tournaments.views.http.layout import Link, PageRequest
from tournaments.views.http.pages import go_to, render_club, render_event, render_site
from tournaments.views.http.responses import get_or_post
from tournaments.views.http.service_form import RefusalMessages, operation_of

MAIL_LABELS: Final = {
    "invitation": gettext_lazy("Invitation"),
    "sign_in": gettext_lazy("About signing in"),
    "personal_link": gettext_lazy("Personal link"),
    "challenge_received": gettext_lazy("Challenge received"),
    "challenge_answered": gettext_lazy("Challenge answered"),
    "challenge_deadline": gettext_lazy("Deadline of a challenge"),
    "result_to_confirm": gettext_lazy("Result to confirm"),
    "correction": gettext_lazy("Correction of a hand"),
    "dispute_decided": gettext_lazy("Dispute decided"),
    "note_answered": gettext_lazy("Answer to a note about a value"),
    "playoff_called": gettext_lazy("Play-off called"),
    "evening_reminder": gettext_lazy("Reminder of an evening"),
    "evening_changed": gettext_lazy("Evening changed"),
    "evening_cancelled": gettext_lazy("Evening cancelled"),
    "evenings_changed": gettext_lazy("Evenings changed"),
    "evenings_cancelled": gettext_lazy("Evenings cancelled"),
    "place_free": gettext_lazy("Place at an evening"),
    "fill_in": gettext_lazy("One more player needed"),
    "next_table": gettext_lazy("Next table"),
    "digest": gettext_lazy("Result after the evening"),
    "counted_anew": gettext_lazy("Standings counted anew"),
    "personal_confirmation": gettext_lazy("Confirmation by a player"),
}


@club_form_page("read_mail")
def mails(request: PageRequest, club: Club) -> HttpResponse:
    """List the mails of a club; administrators of the site find those about signing in too."""
    mails = get_club_mails(club, with_site=request.actor.is_site_admin)
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
        "refused": list_refused_contacts([club])[:MOST_MAILS],
        "pending_results": list_pending_results(club, now=timezone.now()),
        "most_a_day": MOST_A_DAY,
        "are_files": are_mails_files(),
        "has_mail_server": has_mail_server(),
        "outgoing": get_outgoing(),
        "is_site_admin": request.actor.is_site_admin,
        "now": timezone.now(),
    }
    return render_club(request, "notices/mails.html", club, context)


@event_form_page(draw_result_now)
def send_result_now(request: PageRequest, event: Event, day: str) -> HttpResponse:
    """Draw the pending result of an evening, and lead back to the mails."""
    meeting = meeting_on(event, date_of(day))
    if request.method == "POST":
        with RefusalMessages(request):
            draw_result_now(operation_of(request), meeting)
            messages.success(request, _("The result is written in a moment."))
    return go_to("mails", event.club)


@club_form_page("read_mail")
def mail(request: PageRequest, club: Club, number: int) -> HttpResponse:
    """Show a mail that was written to a file, where there is no mail server."""
    row = get_mail(club, number)
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
    crumbs = (Link(_("Mail"), f"/clubs/{club.slug}/mail"),)
    return render_club(request, "notices/mail.html", club, context, crumbs=crumbs)


@club_form_page(send_mail_again)
def send_again(request: PageRequest, club: Club, number: int) -> HttpResponse:
    if request.method == "POST":
        mail = get_mail(club, number, with_site=request.actor.is_site_admin)
        with RefusalMessages(request):
            send_mail_again(operation_of(request), club, mail=mail)
            _say_when_sent(request)
    return go_to("mails", club)


def _say_when_sent(request: PageRequest) -> None:
    site_mail = get_site_mail()
    if site_mail == SiteMail.ON:
        messages.success(request, _("The mail is sent again in a moment."))
    elif site_mail == SiteMail.OFF:
        messages.warning(request, _("The mail waits: sending is switched off."))
    else:
        messages.warning(request, _("Nobody gets the mail: this site has no mail server."))


@event_form_page("manage_contacts")
def texts_to_copy(request: PageRequest, event: Event, day: str) -> HttpResponse:
    """List the messages of an evening to players without an account, to copy into a chat."""
    meeting = meeting_on(event, date_of(day))
    kind = request.GET.get("kind", "")
    if kind not in COPIED_KINDS:
        kind = COPIED_KINDS[0]
    rows, texts = list_texts_to_copy(
        meeting, kind, page=request.GET.get("page", ""), now=timezone.now()
    )
    context = {
        "meeting": meeting,
        "kinds": [(key, MAIL_LABELS[key]) for key in COPIED_KINDS],
        "kind": kind,
        "rows": rows,
        "texts": texts,
    }
    crumbs = (layout.direct_link(event), layout.evenings_link(event))
    return render_event(request, "notices/texts_to_copy.html", event, context, crumbs=crumbs)


SHOWN = 50
"""Notices on their page."""


@form_page(save_notifications)
def notifications(request: PageRequest) -> HttpResponse:
    clubs = list(list_clubs_of_member(request.actor.user_id or 0))
    op = operation_of(request)
    if request.method == "POST":
        if "none" in request.POST:
            stop_all_mails(op)
            if get_site_mail() == SiteMail.ON:
                text = _("All mails stopped. Mails about signing in are sent.")
            else:
                text = _("All mails stopped.")
            messages.success(request, text)
        else:
            club = next((club for club in clubs if club.slug == request.POST.get("club")), None)
            if club is None:
                raise Missing("club")
            channels = {
                kind: Channels(f"mail-{kind}" in request.POST, f"notice-{kind}" in request.POST)
                for kind in _kinds_for(request.actor, club)
            }
            save_notifications(op, club=club, wanted=channels)
            messages.success(request, _("Notifications of %s saved.") % club.name)
        return redirect("tournaments:notifications")
    context = {
        "clubs": [_club_row(request.actor, club) for club in clubs],
        "address": getattr(request.user, "email", ""),
    }
    return render_site(request, "notices/notifications.html", context)


@form_page(read_all_notices)
def notices(request: PageRequest) -> HttpResponse:
    if request.method == "POST":
        read_all_notices(operation_of(request))
        messages.success(request, _("All notices marked as read."))
        return redirect("tournaments:notices")
    lines = list(notice_lines(list_notices(request.actor.user_id or 0)[:SHOWN]))
    context = {
        "notices": lines,
        "n_unread": sum(notice.read_at is None for notice, _text in lines),
        "waiting": group_waiting(list_own_waiting(request.actor, now=timezone.now())),
        "is_several": True,
    }
    return render_site(request, "notices/notices.html", context)


@form_page(read_notice)
def open_notice(request: PageRequest, notice: UUID) -> HttpResponse:
    row = read_notice(operation_of(request), public_id=notice)
    for _notice, text in notice_lines([row]):
        return redirect(text.path)
    raise Missing("notice")


@never_cache
@csrf_exempt
@get_or_post
def stop_mails(request: HttpRequest, token: str) -> HttpResponse:
    """Unsubscribe by the link of a mail: confirmed in a browser, at once for a mail program.

    A mail program posts here by itself (RFC 8058), without a session or a CSRF token; the link
    permits nothing but stopping these mails.
    """
    subscription = find_subscription(token)
    context: dict[str, Any] = {"layout": layout.Layout(path=request.path)}
    if subscription is None:
        return render(request, "notices/unsubscribe.html", context, status=404)
    if request.method == "POST":
        unsubscribe(*subscription)
    club, kind, reader = subscription
    context |= {
        "club": club,
        "kind": KIND_LABELS[kind],
        "is_person": isinstance(reader, Player),
        "is_done": request.method == "POST",
    }
    return render(request, "notices/unsubscribe.html", context)


def _kinds_for(actor: Actor, club: Club) -> list[str]:
    """Return the kinds of messages that a member can get, in the order of the page."""
    is_director = may(get_role(actor, club.pk), "manage_event")
    return [kind for kind in DEFAULTS if is_director or kind not in FOR_DIRECTORS]


def _club_row(actor: Actor, club: Club) -> dict[str, Any]:
    kinds = _kinds_for(actor, club)
    stored = list_choices(actor.user_id or 0, club)
    choices = {kind: stored[kind] for kind in kinds}
    return {
        "club": club,
        "kinds": [
            {"key": kind, "label": KIND_LABELS[kind], "chosen": chosen}
            for kind, chosen in choices.items()
        ],
        "n_mails": sum(choice.by_mail for choice in choices.values()),
        "n_notices": sum(choice.as_notice for choice in choices.values()),
    }
