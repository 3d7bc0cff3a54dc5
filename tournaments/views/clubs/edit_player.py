"""Change details of a player, merge two records of one person, erase a person."""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Final

from django import forms
from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.utils.functional import Promise
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext_lazy as _

from scoring.errors import Problem, Refused
from tournaments.domain.messages import sentence
from tournaments.domain.people.public_names import STRICTNESS, public_name
from tournaments.errors import Conflict, Forbidden, Missing, problems_of
from tournaments.models.clubs import Club, NamesPolicy, Player
from tournaments.selectors.access.personal_links import get_contact
from tournaments.selectors.clubs.find_players import named_players
from tournaments.selectors.events import players
from tournaments.selectors.people.accounts import (
    get_account_data,
    get_all_personal_data,
    get_personal_data,
)
from tournaments.selectors.people.merges import (
    eraser_of,
    find_audit_lines_naming,
    find_likely_duplicates,
    find_names_left,
    find_pending_erasure,
    get_merge,
)
from tournaments.services.clubs.clubs import change_player, details_of, details_tag, is_used
from tournaments.services.clubs.personal_links import confirm_contact, set_contact
from tournaments.services.people.erase_player import REQUESTS, erase_player, user_name_of_name
from tournaments.services.people.merge_players import merge_players, undo_merge
from tournaments.services.previewing.preview_changes import (
    MergeOutdated,
    merge_as_previewed,
    merge_digest,
    preview_merge,
)
from tournaments.views.http import layout
from tournaments.views.http.decorators import REFUSED, club_form_page, form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import done, go_to, render_club
from tournaments.views.http.service_form import (
    RefusalMessages,
    ServiceForm,
    day_field,
    hidden_field,
    operation_of,
    posted,
    submit,
    text_field,
)

POLICIES: Final[Mapping[str, str | Promise]] = {
    NamesPolicy.FULL: _("Full name"),
    NamesPolicy.INITIAL: _("First name and initial"),
    NamesPolicy.NICKNAME: _("Nickname"),
    NamesPolicy.NUMBER: _("Number only"),
}
"""Policy of names → its label."""
AS_THE_CLUB: Final = _("As the club shows it")


class EditPlayerForm(ServiceForm):
    """The details of a player: the number if nothing depends on it, and the display of the name if
    no linked person decides it.
    """

    argument_names: ClassVar = {"seen": "based_on"}
    name = forms.CharField(label=_("Name"))
    nickname = forms.CharField(
        label=_("Nickname"),
        help_text=_("Shown to the public where the club or the player chose nicknames."),
    )
    player_id = forms.CharField(label=_("Number"))
    joined = day_field(_("Joined"), invalid=_("Enter a date, for example 2025-10-30."))
    shown_as = forms.ChoiceField(
        label=_("Name on public pages"),
        choices=[("", AS_THE_CLUB), *POLICIES.items()],
        help_text=_("A choice that shows more than the club’s has no effect."),
    )
    is_active = forms.BooleanField(label=_("Offer for seating"))
    fills_in = forms.BooleanField(label=_("Willing to fill in at an evening that lacks one"))
    seen = hidden_field()

    def __init__(self, data: Any, *, player: Player, is_used: bool, has_account: bool) -> None:
        super().__init__(data, initial={**details_of(player), "seen": details_tag(player)})
        if is_used:
            del self.fields["player_id"]
        if has_account:
            del self.fields["shown_as"]


class OwnNameForm(ServiceForm):
    """How much of one's own name the public reads, and the nickname."""

    shown_as = hidden_field()
    nickname = forms.CharField(label=_("Nickname"))

    def __init__(self, data: Any, *, player: Player) -> None:
        super().__init__(
            data,
            prefix=f"player-{player.pk}",
            initial={"shown_as": player.shown_as, "nickname": player.nickname},
        )
        self.player = player

    @property
    def cards(self) -> Sequence[tuple[str, str | Promise, str, bool]]:
        """The ways that a player can choose: value, title, public name, whether it is chosen.

        Stricter ones than the club's come after it.
        """
        chosen = self["shown_as"].value() or ""
        policy = self.player.club.names_policy
        values = ["", *STRICTNESS[STRICTNESS.index(policy) + 1 :]]
        if chosen in STRICTNESS and chosen not in values:
            values.append(chosen)
        name = partial(
            public_name,
            name=self.player.name,
            nickname=self["nickname"].value() or "",
            player_id=self.player.player_id,
            policy=policy,
        )
        return [
            (value, POLICIES.get(value, AS_THE_CLUB), name(choice=value), value == chosen)
            for value in values
        ]


class ContactForm(ServiceForm):
    email = text_field(_("Mail address"), autocomplete="off", type="email")
    has_consent = forms.BooleanField(label=_("The person agreed to get mails at this address"))


class ConfirmContactForm(ServiceForm):
    email = hidden_field()


class EraseForm(ServiceForm):
    argument_names: ClassVar = {"player_id": "confirmed"}
    player_id = forms.CharField(label=gettext_lazy("Player's number"), max_length=40)
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=500,
        help_text=gettext_lazy("For the audit trail, such as: asked by letter on 3 May."),
    )


@club_form_page("edit_players", (change_player, EditPlayerForm))
def edit(request: PageRequest, club: Club, player_id: str) -> HttpResponse:
    player = players.player_for(request.actor, club, player_id)
    is_fixed = is_used(player)
    # Who has an account decides how much of their name is shown (`shown_as_is_own`).
    has_other_account = player.user_id not in (None, request.actor.user_id)
    form = EditPlayerForm(
        posted(request), player=player, is_used=is_fixed, has_account=has_other_account
    )
    changed = submit(request, form, change_player, player)
    if changed is not None:
        messages.success(request, gettext("%(name)s saved.") % {"name": changed.name})
        return go_to("player", club, player_id=changed.player_id)
    context = {"player": player, "is_used": is_fixed, "form": form}
    crumbs = layout.player_crumbs(player, club)
    return render_club(request, "clubs/edit_player.html", club, context, form, crumbs=crumbs)


@club_form_page(
    (set_contact, ContactForm),
    (set_contact, ServiceForm, "email"),
    (confirm_contact, ConfirmContactForm),
)
def contact(request: PageRequest, club: Club, player_id: str) -> HttpResponse:
    player = players.player_for(request.actor, club, player_id)
    stored = get_contact(player)
    form: ServiceForm = ContactForm(None, initial={"email": stored.email})
    changed = None
    notice = gettext("Mail address saved.")
    if "confirm" in request.POST:
        form = ConfirmContactForm(posted(request))
        changed = submit(request, form, confirm_contact, player)
        notice = gettext("Mail address confirmed.")
    elif "remove" in request.POST:
        form = ServiceForm(posted(request))
        changed = submit(request, form, set_contact, player, email="")
        notice = gettext("No mail address.")
    elif request.method == "POST":
        form = ContactForm(posted(request), initial={"email": stored.email})
        changed = submit(request, form, set_contact, player)
    if changed is not None:
        notice = notice if changed.email else gettext("No mail address.")
        return done(request, notice, "player", club, player_id=player_id)
    context = {"player": player, "contact": get_contact(player), "form": form}
    crumbs = layout.player_crumbs(player, club)
    return render_club(request, "clubs/player_contact.html", club, context, form, crumbs=crumbs)


class MergeTargetForm(ServiceForm):
    into = forms.CharField(
        label=gettext_lazy("Merge into"),
        max_length=160,
        help_text=gettext_lazy("Name or number of the player who keeps everything."),
    )

    def player(self, club: Club) -> Player | None:
        text = self.cleaned_data.get("into", "").strip()
        player = named_players(club).meant(text, ("into",))
        if isinstance(player, Problem):
            self.place([player])
            return None
        return player


@club_form_page(merge_players)
def merge(request: PageRequest, club: Club, player_id: str) -> HttpResponse:
    source = players.player_for(request.actor, club, player_id)
    posted = request.POST if request.method == "POST" else request.GET
    form = MergeTargetForm(posted if "into" in posted else None)
    target = form.player(club) if form.is_valid() else None
    preview: dict[str, object] = {}
    if target is not None:
        try:
            preview = _preview_or_merge(request, source, target)
        except (Refused, Conflict) as refusal:
            preview = {"problems": list(map(sentence, problems_of(refusal)))}
        if not preview:
            names = {"name": source.name, "into": target.name}
            notice = gettext("%(name)s is merged into %(into)s.") % names
            return done(request, notice, "player", club, player_id=target.player_id)
    context = {
        "player": source,
        "target": target,
        "form": form,
        "likely": find_likely_duplicates(club, source) if target is None else (),
        **preview,
    }
    is_refused = request.method == "POST" and (form.has_problems or "problems" in preview)
    crumbs = layout.player_crumbs(source, club)
    status = REFUSED if is_refused else 200
    return render_club(
        request, "clubs/merge_player.html", club, context, crumbs=crumbs, status=status
    )


@club_form_page((undo_merge, ServiceForm))
def unmerge(request: PageRequest, club: Club, player_id: str) -> HttpResponse:
    merge = get_merge(club, player_id)
    form = ServiceForm(posted(request))
    if submit(request, form, undo_merge, merge) is not None:
        text = gettext("Merge undone. %(name)s is a player of their own again.")
        notice = text % {"name": merge.source.name}
        return done(request, notice, "player", club, player_id=player_id)
    crumbs = layout.player_crumbs(merge.target, club)
    context = {"merge": merge, "form": form}
    return render_club(request, "clubs/unmerge_player.html", club, context, form, crumbs=crumbs)


def _preview_or_merge(request: PageRequest, source: Player, target: Player) -> dict[str, object]:
    op = operation_of(request)
    if request.method != "POST":
        preview = preview_merge(op, source, target)
        return {"preview": preview, "digest": merge_digest(preview)}
    try:
        merge_as_previewed(op, source, target, request.POST.get("previewed", ""))
    except MergeOutdated as outdated:
        digest = merge_digest(outdated.preview)
        return {"preview": outdated.preview, "digest": digest, "is_outdated": True}
    return {}


def _kept_names(player: Player) -> dict[str, object]:
    names = find_names_left(player.club, eraser_of(player))
    return {"names_left": names, "user_name": user_name_of_name(player)}


@club_form_page((erase_player, EraseForm))
def erase(request: PageRequest, club: Club, player_id: str) -> HttpResponse:
    player = players.player_for(request.actor, club, player_id)
    form = EraseForm(posted(request))
    erased = submit(request, form, erase_player, player)
    if erased is not None:
        row, _publications, _texts, names_left = erased
        notice = gettext("Erased. The person is %(name)s now.") % {"name": row.name}
        if names_left:
            stay = gettext("These names contain the old one. Rename them:")
            links = format_html_join(" · ", '<a href="{1}">{0}</a>', names_left)
            notice = format_html("{} {} {}", notice, stay, links)
        return done(request, notice, "player", club, player_id=player_id)
    context = {
        "player": player,
        "pending": find_pending_erasure(player),
        **_kept_names(player),
        "in_audit": len(find_audit_lines_naming(club, player)),
        "form": form,
    }
    crumbs = layout.player_crumbs(player, club)
    return render_club(request, "clubs/erase_player.html", club, context, form, crumbs=crumbs)


@club_form_page("own_account", *REQUESTS.values())
def erasure_request(request: PageRequest, club: Club, player_id: str) -> HttpResponse:
    player = players.player_for(request.actor, club, player_id)
    operation = REQUESTS.get(request.POST.get("to", ""))
    if operation is not None:
        with RefusalMessages(request, Missing):
            operation(operation_of(request), player)
        return go_to("player", club, player_id=player_id)
    if request.actor.user_id != player.user_id:
        raise Forbidden("edit_own_player")
    context = {"player": player, "pending": find_pending_erasure(player), **_kept_names(player)}
    crumbs = layout.player_crumbs(player, club)
    return render_club(request, "clubs/ask_erasure.html", club, context, crumbs=crumbs)


@club_form_page("own_account")
def player_data(request: PageRequest, club: Club, player_id: str) -> HttpResponse:
    player = players.player_for(request.actor, club, player_id)
    return _file(get_personal_data(request.actor, club, player), f"{club.slug}-{player_id}")


@form_page("own_account")
def account_data(request: PageRequest) -> HttpResponse:
    document = {
        "account": get_account_data(request.actor),
        "clubs": get_all_personal_data(request.actor),
    }
    return _file(document, "my-data")


def _file(document: object, name: str) -> HttpResponse:
    file_name = re.sub(r"[^A-Za-z0-9_-]", "-", name)
    return JsonResponse(
        document,
        safe=False,
        json_dumps_params={"indent": 1, "ensure_ascii": False},
        headers={"Content-Disposition": f'attachment; filename="{file_name}.json"'},
    )
