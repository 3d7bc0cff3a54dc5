"""Change details of a player, for directors."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tournaments.domain.people.public_names import STRICTNESS, public_name
from tournaments.models.clubs import NamesPolicy, Player
from tournaments.selectors.clubs import clubs
from tournaments.selectors.events import players
from tournaments.services.clubs.edit_player import details_of, details_tag, edit_player, is_used
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.service_form import ServiceForm, attempt, posted, render_club

POLICIES: Final[Mapping[str, str | Promise]] = {
    NamesPolicy.FULL: _("Full name"),
    NamesPolicy.INITIAL: _("First name and initial"),
    NamesPolicy.NICKNAME: _("Nickname"),
    NamesPolicy.NUMBER: _("Number only"),
}
"""How names are shown → what it is called."""
AS_THE_CLUB: Final = _("As the club shows it")


class EditPlayerForm(ServiceForm):
    """The details of a player.

    How the name is shown is asked about where nobody has the choice for themselves, the number
    where nothing hangs on it.
    """

    name = forms.CharField(label=_("Name"), required=False)
    nickname = forms.CharField(
        label=_("Nickname"),
        required=False,
        help_text=_("Shown to the public where the club or the player chose nicknames."),
    )
    player_id = forms.CharField(label=_("Number"), required=False)
    joined = forms.DateField(
        label=_("Joined"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        error_messages={"invalid": _("Enter a date, for example 2025-10-30.")},
    )
    shown_as = forms.ChoiceField(
        label=_("Name on public pages"),
        required=False,
        choices=[("", AS_THE_CLUB), *POLICIES.items()],
        help_text=_("A choice that shows more than the club’s has no effect."),
    )
    is_active = forms.BooleanField(label=_("Offer for seating"), required=False)
    seen = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, data: Any, *, player: Player, is_used: bool, has_account: bool) -> None:
        super().__init__(data, initial={**details_of(player), "seen": details_tag(player)})
        if is_used:
            del self.fields["player_id"]
        if has_account:
            del self.fields["shown_as"]

    @property
    def changes(self) -> dict[str, Any]:
        return {name: value for name, value in self.cleaned_data.items() if name != "seen"}


class OwnNameForm(ServiceForm):
    """How much of one's own name the public reads, and the nickname."""

    shown_as = forms.CharField(required=False, widget=forms.HiddenInput)
    nickname = forms.CharField(label=_("Nickname"), required=False)

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
        chosen, policy = self["shown_as"].value() or "", self.player.club.names_policy
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


@form_page("edit_players")
def edit(request: PageRequest, club: str, player_id: str) -> HttpResponse:
    current_club = clubs.get_club(request.actor, club)
    player = players.player_for(request.actor, current_club, player_id)
    is_fixed = is_used(player)
    form = EditPlayerForm(
        posted(request),
        player=player,
        is_used=is_fixed,
        has_account=player.user_id not in (None, request.actor.user_id),
    )
    if form.is_valid():
        changed = attempt(
            form,
            lambda: edit_player(
                actor=request.actor,
                club=current_club,
                player=player,
                changes=form.changes,
                based_on=form.cleaned_data["seen"],
                now=timezone.now(),
            ),
        )
        if changed is not None:
            messages.success(request, gettext("%(name)s saved.") % {"name": changed.name})
            return redirect("tournaments:player", club, changed.player_id)
    context = {"player": player, "is_used": is_fixed, "form": form}
    crumbs = layout.player_crumbs(player, current_club)
    return render_club(
        request, "clubs/edit_player.html", current_club, context, form, crumbs=crumbs
    )
