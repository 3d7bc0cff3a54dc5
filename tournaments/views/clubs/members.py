"""Members of a club for its owners: roles, removal and invitations."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from scoring.errors import Problem, Refused
from tournaments.documents.link_cards import ON_A_SHEET, invitation_cards
from tournaments.domain.code_words import OF_A_ROLE
from tournaments.domain.name_matching import LONGEST_ADDRESS, LONGEST_NAME
from tournaments.errors import Missing
from tournaments.models.access import Invitation
from tournaments.models.clubs import Club, Membership, Player, Role
from tournaments.selectors.access.invitations import (
    find_mail_states,
    get_invitation,
    invitations_of,
    list_invitation_rows,
    made_with,
)
from tournaments.selectors.clubs.find_players import names_of
from tournaments.selectors.clubs.members import (
    get_member,
    get_pasted_line,
    has_owner,
    list_members,
    list_pasted_players,
    list_pending_claims,
)
from tournaments.selectors.jobs.outgoing import SiteMail, get_site_mail
from tournaments.services.clubs.invitations import (
    MOST_A_MINUTE,
    VALID_FOR,
    resend_invitation,
    revoke_invitation,
)
from tournaments.services.clubs.invite_list import (
    InviteLine,
    InvitePlan,
    invite_list,
    plan_invites,
    uninvited_players,
)
from tournaments.services.clubs.members import become_owner, change_roles, remove_member
from tournaments.services.notices.mailboxes import MOST_A_DAY
from tournaments.views.access.table_links import OWN_MACHINE
from tournaments.views.http import layout
from tournaments.views.http.decorators import club_form_page
from tournaments.views.http.find_players import few_suggested
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import done, go_to, render_club
from tournaments.views.http.service_form import (
    RefusalMessages,
    ServiceForm,
    gives,
    operation_of,
    posted,
    submit,
)

CHOICE: Final = "who-"
ROLE: Final = "role-"
"""Prefixes of the fields of a line: the person, and the role."""
_MAIL: Final = re.compile(
    r"^(?:(?P<name>.*?)[\s]*[,;\t])?\s*<?(?P<mail>[^\s,;<>]*@[^,;\t]*?)>?\s*$"
)
LONGEST_LINE: Final = LONGEST_NAME + LONGEST_ADDRESS + 20
"""A longer line is taken as a name, which is too long."""


class RolesForm(ServiceForm):
    def __init__(self, members: Sequence[Membership], data: QueryDict | None) -> None:
        super().__init__(data)
        for member in members:
            label = _("Role of %(name)s") % {"name": member.label}
            self.fields[f"role-{member.public_id}"] = forms.CharField(
                label=label,
                initial=member.role,
                widget=forms.Select(choices=Role.choices, attrs={"aria-label": label}),
            )
        self.rows = [(member, self[f"role-{member.public_id}"]) for member in members]

    @gives("roles")
    def get_arguments(self) -> dict[str, object]:
        chosen = self.cleaned_data
        roles = {row.public_id: chosen[field.name] or row.role for row, field in self.rows}
        return {"roles": roles}


class InviteForm(ServiceForm):
    """People to invite, one a line, in one role or each in their own."""

    names = forms.CharField(
        label=_("Names"),
        strip=False,
        help_text=_(
            "One a line. An e-mail address after a comma sends the invitation by mail: “Kira K., "
            "kira@club.example”."
        ),
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false", "class": "wide"}),
    )
    role = forms.CharField(label=_("Role"), initial=Role.PLAYER, widget=forms.RadioSelect())

    def __init__(self, data: object, **more: object) -> None:
        super().__init__(data, **more)
        site_mail = get_site_mail()
        if site_mail == SiteMail.NONE:
            self.fields["names"].help_text = _(
                "One a line. This site sends no mail: hand out the links yourself."
            )
        elif site_mail == SiteMail.OFF:
            self.fields["names"].help_text = _(
                "One a line. This site sends no mail at present: hand out the links yourself."
            )

    @gives("role", "asked", "choices")
    def get_arguments(self) -> Mapping[str, object]:
        role = self.cleaned_data["role"]
        choices = self.sent(CHOICE)
        return {"role": role, "asked": self.people(), "choices": choices}

    def people(self) -> Sequence[InviteLine]:
        roles = self.sent(ROLE)
        people = read_people(str(self["names"].value() or ""))
        return [replace(person, role=roles.get(person.key, "")) for person in people]

    def sent(self, prefix: str) -> Mapping[str, str]:
        """Return the answers for lines, by their keys: who somebody is, or their role."""
        return {
            name.removeprefix(prefix): str(value)
            for name, value in self.data.items()
            if name.startswith(prefix)
        }

    def field_of(self, problem: Problem) -> str | None:
        """Return the field of a problem; problems of a line belong to the list's field."""
        if problem.at[:1] == ("names",):
            return "names"
        return super().field_of(problem)

    def sentence_of(self, problem: Problem) -> str:
        text = super().sentence_of(problem)
        if len(problem.at) == 2 and problem.at[0] == "names":
            return _("Line %(line)s: %(text)s") % {"line": problem.at[1], "text": text}
        return text


def read_people(text: str) -> Sequence[InviteLine]:
    """Return the people of a pasted list; blank lines are passed over.

    >>> read_people("Anna K.\\n\\nKira K., kira@club.example")[1].email
    'kira@club.example'
    >>> read_people("kira@club.example")[0].email, read_people("Smith, John")[0].name
    ('kira@club.example', 'Smith, John')
    """
    people = []
    for number, line in enumerate(map(str.strip, text.splitlines()), start=1):
        if len(line) <= LONGEST_LINE and (match := _MAIL.match(line)):
            people.append(InviteLine(number, (match["name"] or "").strip(), match["mail"].strip()))
        elif line:
            people.append(InviteLine(number, line))
    return people


@club_form_page((change_roles, RolesForm))
def members(request: PageRequest, club: Club) -> HttpResponse:
    if "become_owner" in request.POST:
        with RefusalMessages(request):
            become_owner(operation_of(request), club)
            notice = gettext("You are the owner of %(name)s now.") % {"name": club.name}
            messages.success(request, notice)
        return go_to("members", club)
    rows = list_members(club)
    form = RolesForm(rows, posted(request))
    changed = submit(request, form, change_roles, club)
    if changed is not None:
        notice = ngettext("%(n)s role changed.", "%(n)s roles changed.", changed) % {"n": changed}
        return done(
            request, notice if changed else gettext("No role was changed."), "members", club
        )
    pending = list_invitation_rows(club, timezone.now())
    context = {
        "form": form,
        "members": rows,
        "may_become_owner": request.actor.is_site_admin and not has_owner(club),
        "pending": pending,
        "n_invited": sum(row.state != "expired" for row in pending),
        "uninvited": uninvited_players(club),
        "claims": list_pending_claims(club),
        "roles": [
            (Role(role).label, [gettext(text) for text in OF_A_ROLE[role]]) for role in OF_A_ROLE
        ],
    }
    return render_club(request, "clubs/members.html", club, context, form)


@club_form_page((remove_member, ServiceForm))
def remove(request: PageRequest, club: Club, member: UUID) -> HttpResponse:
    row = get_member(club, member)
    form = ServiceForm(posted(request))
    submit(request, form, remove_member, row)
    is_self = row.user_id == request.actor.user_id
    if form.is_valid():
        messages.success(request, gettext("%(name)s was removed.") % {"name": row.label})
        if is_self and not request.actor.is_site_admin:
            return redirect("tournaments:clubs")
        return go_to("members", club)
    context = {"member": row, "is_self": is_self, "refused": form.non_field_errors()}
    crumbs = (layout.members_link(club),)
    return render_club(request, "clubs/remove_member.html", club, context, form, crumbs=crumbs)


@club_form_page(resend_invitation)
def invitation(request: PageRequest, club: Club, invitation: UUID) -> HttpResponse:
    op = operation_of(request)
    try:
        with RefusalMessages(request):
            if "resend" in request.POST:
                new = resend_invitation(op, get_invitation(club, invitation))
                text = gettext("New invitation created. The old link no longer works.")
                messages.success(request, text)
                return _to_links(club, new)
            if "revoke" in request.POST:
                revoke_invitation(op, get_invitation(club, invitation))
                messages.success(request, gettext("Invitation revoked. Its link no longer works."))
    except Missing:
        messages.error(request, gettext("This invitation was accepted or revoked meanwhile."))
    return go_to("members", club)


def _to_links(club: Club, invitation: Invitation) -> HttpResponse:
    query = {"of": invitation.public_id}
    return redirect(reverse("tournaments:invitations", args=[club.slug], query=query))


@club_form_page((invite_list, InviteForm))
def invite(request: PageRequest, club: Club) -> HttpResponse:
    data = request.POST.copy() if request.method == "POST" else None
    if data is not None and "fill" in data:
        data["names"] = _filled(club, str(data.get("names", "")))
    names = _proposed(club, request.GET)
    form = InviteForm(data, initial={"names": names, "role": Role.PLAYER} if names else None)
    if "create" in request.POST:
        new_invitations = submit(request, form, invite_list, club)
        if new_invitations is not None:
            return _to_links(club, new_invitations[0])
    context = {
        "form": form,
        "plan": _plan(club, form),
        "few_suggested": few_suggested(),
        "roles": [(role, Role(role).label, gettext(OF_A_ROLE[role][-1])) for role in OF_A_ROLE],
        "chosen_role": form["role"].value() or Role.PLAYER,
        "valid_until": timezone.now() + VALID_FOR,
        "n_uninvited": len(uninvited_players(club)),
    }
    crumbs = (layout.members_link(club),)
    return render_club(request, "clubs/invite.html", club, context, form, crumbs=crumbs)


@club_form_page("manage_members")
def invitations(request: PageRequest, club: Club) -> HttpResponse:
    pending = _requested(request, club)
    n_addressed = sum(bool(invitation.email) for invitation in pending)
    return _cards_page(
        request,
        "clubs/invitations.html",
        club,
        _cards(request, pending),
        n_addressed=n_addressed,
        n_cards=len(pending) - n_addressed,
        n_by_state=Counter(find_mail_states(pending).values()),
        most_a_day=MOST_A_DAY,
    )


@club_form_page("manage_members")
def invitation_cards_page(request: PageRequest, club: Club) -> HttpResponse:
    pending = _requested(request, club)
    without_mail = [invitation for invitation in pending if not invitation.email]
    printed = pending if "all" in request.GET or not without_mail else without_mail
    cards = [card for card in _cards(request, printed) if card["qr"]]
    sheets = [cards[at : at + ON_A_SHEET] for at in range(0, len(cards), ON_A_SHEET)]
    return _cards_page(request, "clubs/invitation_cards.html", club, cards, sheets=sheets)


def _cards(request: PageRequest, pending: Sequence[Invitation]) -> Sequence[Mapping[str, Any]]:
    address = reverse("tournaments:open-invitation", args=["-"])
    entrance = request.build_absolute_uri(address.removesuffix("-"))
    return invitation_cards(pending, entrance=entrance)


def _cards_page(
    request: PageRequest, template: str, club: Club, cards: Sequence[object], **more: object
) -> HttpResponse:
    context = {
        "cards": cards,
        "query": request.GET.urlencode(),
        "is_own_machine": request.get_host().startswith(OWN_MACHINE),
        **more,
    }
    return render_club(request, template, club, context, crumbs=(layout.members_link(club),))


def _requested(request: PageRequest, club: Club) -> Sequence[Invitation]:
    """Return the pending invitations of a club, those made with the one named `of`, or `one`."""
    if "one" in request.GET:
        return [get_invitation(club, _id(request.GET["one"]))]
    if "of" in request.GET:
        return list(made_with(club, _id(request.GET["of"]), timezone.now()))
    return list(invitations_of(club).filter(expires_at__gt=timezone.now()))


def _id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as mistyped:
        raise Missing("invitation") from mistyped


def _proposed(club: Club, query: QueryDict) -> str:
    """Return the initial list of the page: the uninvited players (`fill`), or those of one pasted
    list (`added`)."""
    if "fill" in query:
        return _filled(club, "")
    if (number := query.get("added", "")).isdecimal():
        pasted = list_pasted_players(get_pasted_line(club, int(number)))
        return _filled(club, "", [player for player in uninvited_players(club) if player in pasted])
    return ""


def _filled(club: Club, text: str, players: Sequence[Player] | None = None) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    names = names_of(club, uninvited_players(club) if players is None else players)
    stripped = {line.strip() for line in lines}
    return "\n".join([*lines, *(name for name in names if name not in stripped)][:MOST_A_MINUTE])


def _plan(club: Club, form: InviteForm) -> InvitePlan | None:
    invite_lines = form.people()
    if not invite_lines:
        return None
    try:
        plan = plan_invites(club, invite_lines, form.sent(CHOICE))
    except Refused as refused:
        if form.is_bound and not form.placed:
            form.place(refused.problems)
        return None
    if form.is_bound and not form.placed:
        form.place(plan.problems)
    return plan
