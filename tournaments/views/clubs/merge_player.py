"""Merge two records of one person: a preview, the merge, and undoing it."""

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
from tournaments.services.previewing.preview_changes import (
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
        player = named_players(club).meant(text, ("into",))
        if isinstance(player, Problem):
            self.place([player])
            return None
        return player


@form_page("merge_players")
def merge(request: PageRequest, club: str, player_id: str) -> HttpResponse:
    current_club = clubs.get_club(request.actor, club)
    source = players.player_for(request.actor, current_club, player_id)
    posted = request.POST if request.method == "POST" else request.GET
    form = MergeTargetForm(posted if "into" in posted else None)
    target = form.player(current_club) if form.is_valid() else None
    preview: dict[str, object] = {}
    if target is not None:
        try:
            preview = _preview_or_merge(request, current_club, source, target)
        except Refused as refused:
            preview = {"problems": [sentence(problem) for problem in refused.problems]}
        except Conflict as conflict:
            preview = {"problems": [sentence(conflict.problem)]}
        if not preview:
            names = {"name": source.name, "into": target.name}
            messages.success(request, _("%(name)s is merged into %(into)s.") % names)
            return redirect("tournaments:player", club, target.player_id)
    context = {
        "layout": layout.club_layout(
            request, current_club, layout.player_crumbs(source, current_club)
        ),
        "club": current_club,
        "player": source,
        "target": target,
        "form": form,
        "likely": find_likely_duplicates(current_club, source) if target is None else (),
        **preview,
    }
    is_refused = request.method == "POST" and (form.has_problems or "problems" in preview)
    status = REFUSED if is_refused else 200
    return render(request, "clubs/merge_player.html", context, status=status)


@form_page("merge_players")
def unmerge(request: PageRequest, club: str, player_id: str) -> HttpResponse:
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
        "layout": layout.club_layout(
            request, current_club, layout.player_crumbs(player_merge.target, current_club)
        ),
        "club": current_club,
        "merge": player_merge,
        "refused": refused,
    }
    status = REFUSED if refused else 200
    return render(request, "clubs/unmerge_player.html", context, status=status)


def _preview_or_merge(
    request: PageRequest, club: Club, source: Player, target: Player
) -> dict[str, object]:
    """Return what a merge would move, for the page; nothing once it is done."""
    actor, now = request.actor, timezone.now()
    if request.method != "POST":
        preview = preview_merge(actor=actor, club=club, source=source, target=target, now=now)
        return {"preview": preview, "digest": merge_digest(preview)}
    digest = request.POST.get("previewed", "")
    try:
        merge_as_previewed(
            actor=actor, club=club, source=source, target=target, digest=digest, now=now
        )
    except MergeOutdated as outdated:
        digest = merge_digest(outdated.preview)
        return {"preview": outdated.preview, "digest": digest, "is_outdated": True}
    return {}
