"""Personal links of a club's players, for directors: cards to print, renewing, revoking."""

from collections.abc import Mapping
from typing import Any, Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from tournaments.documents.link_cards import ON_A_SHEET, personal_card
from tournaments.models.access import PersonalLink
from tournaments.models.clubs import Club, Player
from tournaments.selectors.access.personal_links import (
    find_working_link,
    list_mailable_links,
    list_players_without_link,
    list_working_personal_links,
)
from tournaments.selectors.clubs.made_by_links import list_made_by_links
from tournaments.selectors.clubs.members import get_pasted_line, list_pasted_players
from tournaments.selectors.events import players
from tournaments.selectors.jobs.outgoing import SiteMail, get_site_mail
from tournaments.services.clubs.personal_links import (
    mail_personal_links,
    make_personal_links,
    renew_personal_link,
    revoke_personal_link,
)
from tournaments.services.people.made_by_links import end_made_by_links, keep_made_by_links
from tournaments.views.access.table_links import OWN_MACHINE
from tournaments.views.http import layout
from tournaments.views.http.decorators import club_form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import go_to, render_club
from tournaments.views.http.service_form import RefusalMessages, operation_of

MOST_CARDS: Final = 30 * ON_A_SHEET
"""Cards on one page; each draws a code."""


def _mail(request: PageRequest, club: Club, player: Player | None = None) -> None:
    with RefusalMessages(request):
        n = mail_personal_links(operation_of(request), club, player=player)
        if not n:
            messages.info(request, _("Each of these links was written into a mail today already."))
            return
        if get_site_mail() == SiteMail.OFF:
            text = ngettext(
                "%(n)s mail waits: sending is switched off.",
                "%(n)s mails wait: sending is switched off.",
                n,
            ) % {"n": n}
        else:
            text = ngettext(
                "%(n)s mail leaves in a moment.", "%(n)s mails leave in a moment.", n
            ) % {"n": n}
        messages.success(request, text)


@club_form_page(make_personal_links, mail_personal_links)
def personal_links(request: PageRequest, club: Club) -> HttpResponse:
    """Show the cards of personal links to print and cut, and make the missing links.

    `?added=N` shows the cards of the players who were added with a list, after that list.
    """
    if "mail" in request.POST:
        _mail(request, club)
        return redirect(request.get_full_path())
    if request.method == "POST":
        n = len(make_personal_links(operation_of(request), club))
        notice = ngettext("%(n)s link created.", "%(n)s links created.", n) % {"n": n}
        messages.success(request, notice)
        return redirect(request.get_full_path())
    links = listed_links = list_working_personal_links(club)
    added = request.GET.get("added", "")
    if added.isdecimal():
        listed_links = links.filter(
            player__in=list_pasted_players(get_pasted_line(club, int(added)))
        )
    pages = range(1, -(-listed_links.count() // MOST_CARDS) + 1)
    number = request.GET.get("page", "1")
    first = (int(number) - 1) * MOST_CARDS if number in map(str, pages) else 0
    cards = [_card(request, club, link) for link in listed_links[first : first + MOST_CARDS]]
    context = {
        "cards": cards,
        "sheets": [cards[at : at + ON_A_SHEET] for at in range(0, len(cards), ON_A_SHEET)],
        "pages": pages if len(pages) > 1 else (),
        "n_links": links.count(),
        "added": added if listed_links is not links else "",
        "n_mailable": list_mailable_links(club).count(),
        "n_missing": list_players_without_link(club).count(),
        "is_own_machine": request.get_host().startswith(OWN_MACHINE),
    }
    crumbs = (layout.players_link(club),)
    return render_club(request, "people/personal_links.html", club, context, crumbs=crumbs)


@club_form_page(
    renew_personal_link,
    revoke_personal_link,
    mail_personal_links,
    end_made_by_links,
    keep_made_by_links,
)
def player_link(request: PageRequest, club: Club, player_id: str) -> HttpResponse:
    player = players.player_for(request.actor, club, player_id)
    if request.method == "POST":
        with RefusalMessages(request):
            _change_link(request, club, player)
        return go_to("player-link", club, player_id=player_id)
    link = find_working_link(player)
    made = list_made_by_links(player)
    context = {
        "player": player,
        "card": _card(request, club, link) if link is not None else None,
        "made": made,
        "waits": any(row.kind == "account" and row.waits for row in made),
        "has_address": list_mailable_links(club).filter(player=player).exists(),
        "is_own_machine": request.get_host().startswith(OWN_MACHINE),
    }
    crumbs = layout.player_crumbs(player, club)
    return render_club(request, "people/player_link.html", club, context, crumbs=crumbs)


END, KEEP = "end", "keep"
"""Answers to the question what becomes of what was made by a link that ends."""
ENDED: Final[Mapping[str, Promise]] = {
    "address": gettext_lazy("The mail address %(name)s was removed."),
    "account": gettext_lazy("The account %(name)s is no longer that of %(player)s."),
    "erasure": gettext_lazy("The request to be erased was declined."),
    "invitation": gettext_lazy("The invitation to make an account was withdrawn."),
}
"""Kind of what was made by a link → what became of it."""


def _change_link(request: PageRequest, club: Club, player: Player) -> None:
    if "mail" in request.POST:
        _mail(request, club, player)
        return
    op = operation_of(request)
    choice = request.POST.get("made", "")
    if END in request.POST:
        _end_made(request, player)
        return
    if KEEP in request.POST:
        keep_made_by_links(op, player)
        messages.success(request, _("The account is kept."))
        return
    is_working = find_working_link(player) is not None
    if is_working and choice not in (END, KEEP) and list_made_by_links(player):
        text = _(
            "Choose whether to end or to keep what was made by the link. Nothing is changed yet."
        )
        messages.error(request, text)
        return
    if "revoke" in request.POST:
        revoke_personal_link(op, player)
        messages.success(request, _("The link was revoked."))
    else:
        renew_personal_link(op, player)
        messages.success(request, _("New link created. An earlier one no longer works."))
    if choice == END:
        _end_made(request, player)


def _end_made(request: PageRequest, player: Player) -> None:
    for made in end_made_by_links(operation_of(request), player):
        facts = {"name": made.name, "player": player.name}
        messages.success(request, ENDED[made.kind] % facts)


def _card(request: PageRequest, club: Club, link: PersonalLink) -> dict[str, Any]:
    address = reverse("tournaments:my-evening", args=["-"])
    card = personal_card(link, entrance=request.build_absolute_uri(address.removesuffix("-")))
    code_address = request.build_absolute_uri(reverse("tournaments:tonight", args=[club.slug]))
    return {**card, "code_address": code_address.partition("//")[2]}
