"""Members of a club for their owners: roles, removing, and the invitations that are pending."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.errors import Refused
from tournaments.code_words import OF_A_ROLE
from tournaments.errors import Conflict, Missing
from tournaments.forms.clubs.members import RolesForm
from tournaments.forms.http.service_form import attempt
from tournaments.messages import sentence
from tournaments.models.clubs import Club, Role
from tournaments.selectors.access.invitations import invitation_rows
from tournaments.selectors.clubs import clubs
from tournaments.selectors.clubs.linked_accounts import pending_claims
from tournaments.selectors.clubs.members import has_owner, member_at, member_rows
from tournaments.services.clubs.invitations import resend_invitation, revoke_invitation
from tournaments.services.clubs.invite_list import uninvited_players
from tournaments.services.clubs.members import become_owner, change_roles, remove_member
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.form_response import posted, render_form
from tournaments.views.http.layout import PageRequest


@form_page("manage_members")
def members(request: PageRequest, club: str) -> HttpResponse:
    """List who has an account, and who is invited; save roles."""
    found = clubs.club_at(request.actor, club)
    if "become_owner" in request.POST:
        return _become_owner(request, found)
    rows = member_rows(found)
    form = RolesForm(rows, posted(request))
    now = timezone.now()
    if request.method == "POST" and form.is_valid():
        changed = attempt(
            form,
            lambda: change_roles(actor=request.actor, club=found, roles=form.roles, now=now),
        )
        if changed is not None:
            messages.success(request, _roles_saved(changed))
            return redirect("tournaments:members", club=club)
    pending = invitation_rows(found, now)
    context = {
        "layout": layout.club_layout(request, found, (layout.club_link(found),)),
        "club": found,
        "form": form,
        "members": rows,
        "may_become_owner": request.actor.is_site_admin and not has_owner(found),
        "pending": pending,
        "n_invited": sum(row.state != "expired" for row in pending),
        "uninvited": uninvited_players(found),
        "claims": pending_claims(found),
        "roles": [(Role(role).label, [_(text) for text in OF_A_ROLE[role]]) for role in OF_A_ROLE],
    }
    return render_form(request, "clubs/members.html", context, form)


def _become_owner(request: PageRequest, club: Club) -> HttpResponse:
    """Make the site's administrator the owner of a club that has none."""
    try:
        become_owner(actor=request.actor, club=club, now=timezone.now())
        messages.success(request, _("You are the owner of %(name)s now.") % {"name": club.name})
    except Conflict as conflict:
        messages.error(request, sentence(conflict.problem))
    return redirect("tournaments:members", club=club.slug)


@form_page("manage_members")
def remove(request: PageRequest, club: str, member: UUID) -> HttpResponse:
    """Say what removing a member does, and remove them."""
    found = clubs.club_at(request.actor, club)
    shown = member_at(found, member)
    refused = ""
    if request.method == "POST":
        try:
            remove_member(actor=request.actor, club=found, public_id=shown.id, now=timezone.now())
        except Conflict as conflict:
            refused = sentence(conflict.problem)
        else:
            messages.success(request, _("%(name)s was removed.") % {"name": shown.label})
            if shown.user_id == request.actor.user_id and not request.actor.is_site_admin:
                return redirect("tournaments:clubs")
            return redirect("tournaments:members", club=club)
    context = {
        "layout": members_layout(request, found),
        "club": found,
        "member": shown,
        "is_self": shown.user_id == request.actor.user_id,
        "refused": refused,
    }
    status = 422 if refused else 200
    return render(request, "clubs/remove_member.html", context, status=status)


@form_page("manage_members")
def invitation(request: PageRequest, club: str, invitation: UUID) -> HttpResponse:
    """Resend or revoke an invitation; what is asked for otherwise is on the members' page."""
    found, now = clubs.club_at(request.actor, club), timezone.now()
    try:
        if "resend" in request.POST:
            made = resend_invitation(actor=request.actor, club=found, public_id=invitation, now=now)
            messages.success(request, _("New invitation created. The old link no longer works."))
            to = redirect("tournaments:invitations", club=club)
            to["Location"] += f"?of={made.public_id}"
            return to
        if "revoke" in request.POST:
            revoke_invitation(actor=request.actor, club=found, public_id=invitation, now=now)
            messages.success(request, _("Invitation revoked. Its link no longer works."))
    except Refused as refused:
        messages.error(request, sentence(refused.problems[0]))
    except Conflict as conflict:
        messages.error(request, sentence(conflict.problem))
    except Missing:
        messages.error(request, _("This invitation was accepted or revoked meanwhile."))
    return redirect("tournaments:members", club=club)


def members_layout(request: PageRequest, club: Club) -> layout.Layout:
    """Return the layout of a page below the members of a club."""
    return layout.club_layout(request, club, (layout.club_link(club), layout.members_link(club)))


def _roles_saved(changed: int) -> str:
    if not changed:
        return _("No role was changed.")
    return ngettext("%(n)s role changed.", "%(n)s roles changed.", changed) % {"n": changed}
