"""Merge two records of one person: a preview, the merge, and undoing it."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.errors import Problem, Refused
from tournaments.domain.messages import sentence
from tournaments.errors import Conflict, Missing
from tournaments.models.clubs import Club, Player
from tournaments.selectors.clubs import clubs
from tournaments.selectors.clubs.find_players import named_players
from tournaments.selectors.events import players
from tournaments.selectors.people.merges import find_likely_duplicates, find_merge
from tournaments.services.people.merge_players import undo_merge
from tournaments.services.previewing.merge_players import (
    MergeOutdated,
    merge_as_previewed,
    merge_digest,
    preview_merge,
)
from tournaments.views.http import layout
from tournaments.views.http.decorators import REFUSED, form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.service_form import ServiceForm


class MergeTargetForm(ServiceForm):
    """The player who takes the records, by name or number."""

    into = forms.CharField(
        label=gettext_lazy("Merge into"),
        max_length=160,
        required=False,
        help_text=gettext_lazy("Name or number of the player who keeps everything."),
    )

    def player(self, club: Club) -> Player | None:
        """Return the player that is meant; None with the problem in the form."""
        text = self.cleaned_data.get("into", "").strip()
        found = named_players(club).meant(text, ("into",))
        if isinstance(found, Problem):
            self.place([found])
            return None
        return found


@form_page("merge_players")
def merge(request: PageRequest, club: str, player_id: str) -> HttpResponse:
    """Ask into whom a player is merged, show what would move, and do it."""
    current_club = clubs.get_club(request.actor, club)
    source = players.player_for(request.actor, current_club, player_id)
    posted = request.POST if request.method == "POST" else request.GET
    form = MergeTargetForm(posted if "into" in posted else None)
    target = form.player(current_club) if form.is_bound and form.is_valid() else None
    shown: dict[str, Any] = {}
    if target is not None and request.method == "POST":
        done, shown = _merge(request, current_club, source, target)
        if done:
            names = {"name": source.name, "into": target.name}
            messages.success(request, _("%(name)s is merged into %(into)s.") % names)
            return redirect("tournaments:player", club, target.player_id)
    elif target is not None:
        shown = _preview(request, current_club, source, target)
    context = {
        "layout": _layout(request, current_club, source),
        "club": current_club,
        "player": source,
        "target": target,
        "form": form,
        "likely": find_likely_duplicates(current_club, source) if target is None else (),
        **shown,
    }
    is_refused = form.has_problems or bool(shown.get("problems"))
    status = REFUSED if is_refused and request.method == "POST" else 200
    return render(request, "clubs/merge_player.html", context, status=status)


@form_page("merge_players")
def unmerge(request: PageRequest, club: str, player_id: str) -> HttpResponse:
    """Ask whether a merge is to be undone, and undo it."""
    current_club = clubs.get_club(request.actor, club)
    player_merge = find_merge(current_club, player_id)
    if player_merge is None:
        raise Missing("merge", {"player": player_id[:40]})
    refused = ""
    if request.method == "POST":
        try:
            undo_merge(
                actor=request.actor,
                club=current_club,
                source=player_merge.source,
                now=timezone.now(),
            )
        except Conflict as conflict:
            refused = sentence(conflict.problem)
        else:
            messages.success(request, _("Merge undone. %(name)s is a player of their own again.")
                             % {"name": player_merge.source.name})  # fmt: skip
            return redirect("tournaments:player", club, player_id)
    context = {
        "layout": _layout(request, current_club, player_merge.target),
        "club": current_club,
        "merge": player_merge,
        "refused": refused,
    }
    status = REFUSED if refused else 200
    return render(request, "clubs/unmerge_player.html", context, status=status)


def _preview(request: PageRequest, club: Club, source: Player, target: Player) -> dict[str, Any]:
    """Return what the page shows of a merge: what it would move, or why it is refused."""
    try:
        preview = preview_merge(
            actor=request.actor, club=club, source=source, target=target, now=timezone.now()
        )
    except Refused as refused:
        return {"problems": [sentence(problem) for problem in refused.problems]}
    except Conflict as conflict:
        return {"problems": [sentence(conflict.problem)]}
    return {"preview": preview, "digest": merge_digest(preview)}


def _merge(
    request: PageRequest, club: Club, source: Player, target: Player
) -> tuple[bool, dict[str, Any]]:
    try:
        merge_as_previewed(
            actor=request.actor,
            club=club,
            source=source,
            target=target,
            digest=request.POST.get("previewed", ""),
            now=timezone.now(),
        )
    except MergeOutdated as outdated:
        digest = merge_digest(outdated.preview)
        return False, {"preview": outdated.preview, "digest": digest, "is_outdated": True}
    except Refused as refused:
        return False, {"problems": [sentence(problem) for problem in refused.problems]}
    except Conflict as conflict:
        return False, {"problems": [sentence(conflict.problem)]}
    return True, {}


def _layout(request: PageRequest, club: Club, player: Player) -> layout.Layout:
    above = (
        layout.club_link(club),
        layout.players_link(club),
        layout.player_link(player, club),
    )
    return layout.club_layout(request, club, above)
