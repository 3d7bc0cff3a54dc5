"""Changing who played at a table: asking, showing what it changes, saving; and undoing it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from scoring.errors import Problem, Refused
from tournaments.errors import Conflict
from tournaments.forms.hands.change_players import PLAYER, PlayerChangeForm
from tournaments.forms.hands.entry_fields import number_in
from tournaments.forms.http.service_form import attempt
from tournaments.messages import sentence
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.presenters.rounds.resolve_players import free_players
from tournaments.previewing.change_players import (
    SeatsPreview,
    SeatsPreviewOutdated,
    change_as_previewed,
    preview_players,
)
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events import events
from tournaments.selectors.hands import score_sheet
from tournaments.selectors.hands.score_sheet_views import TableSheet
from tournaments.selectors.rounds.seatings import TableSeating, table_seating
from tournaments.services.clubs.find_players import label_of, named_players
from tournaments.services.hands.change_players import change_players, undo_players
from tournaments.services.hands.changed_tables import ChangedPlayers, PlayerChange
from tournaments.services.rounds.sides import ASKED
from tournaments.views.hands.preview_correction import BOUNDARIES, PREVIEWED, STAND_IN, STAYS
from tournaments.views.http import layout
from tournaments.views.http.decorators import REFUSED, form_page
from tournaments.views.http.find_players import answered
from tournaments.views.http.layout import Layout, Link, PageRequest

SEATED = ("player_already_seated", "player_sits_here")
"""Codes of refusals that a swap resolves."""
Change = Callable[[str], ChangedPlayers]


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a request is about: the table as it is now, and what was sent of it."""

    event: Event
    game: Game
    sheet: TableSheet
    seating: TableSeating
    tag: str


@form_page("manage_event")
def change_page(request: PageRequest, club: str, event: str, code: str) -> HttpResponse:
    """Ask who played at a table, show what that changes, and save it; or undo such a change."""
    found = events.event_at(request.actor, club, event)
    sheet, seating = score_sheet.table_sheet(found, code), table_seating(found, code)
    game = score_sheet.game_at(found, code)
    asked = _Asked(found, game, sheet, seating, request.POST.get("tag", "") or seating.tag)
    undo = number_in(request.POST.get("undo", "") or request.GET.get("undo", ""))
    if undo is not None:
        return _undo(request, asked, undo)
    form = _form(request, asked)
    if request.method != "POST" or request.POST.get("go") == "back" or not form.is_valid():
        return _ask(request, asked, form)
    player = _player(asked, form)
    if player is None:
        return _ask(request, asked, form)
    typed = form.cleaned_data
    act = "swap" if "instead" in request.POST else typed["act"]
    wanted = PlayerChange(
        act=act,
        seat=typed["seat"],
        player_id=player.player_id,
        hands=typed["hands"],
        from_hand=1 if act == "replace" else typed["from_hand"] or 1,
        split_sides=bool(request.POST.get("split")),
    )
    fields = (
        *(("act", act), ("seat", str(wanted.seat)), (PLAYER, label_of(player))),
        *(("from_hand", str(wanted.from_hand)), ("hands", wanted.hands)),
        *((("split", "yes"),) if wanted.split_sides else ()),
    )
    shown = attempt(form, lambda: _looked(request, asked, _change(request, asked, wanted), fields))
    return shown if shown is not None else _ask(request, asked, form)


def _change(request: PageRequest, asked: _Asked, wanted: PlayerChange) -> Change:
    def act(reason: str) -> ChangedPlayers:
        return change_players(wanted=wanted, **_asking(request, asked, reason))

    return act


def _asking(request: PageRequest, asked: _Asked, reason: str) -> dict[str, Any]:
    """Return who asks for a change at which table, as it was looked at, and why."""
    return {
        "actor": request.actor,
        "game": asked.game,
        "reason": reason,
        "now": timezone.now(),
        "tag": asked.tag,
    }


def _undo(request: PageRequest, asked: _Asked, line: int) -> HttpResponse:
    """Show what undoing a change of players does, and do it."""

    def act(reason: str) -> ChangedPlayers:
        return undo_players(line=line, **_asking(request, asked, reason))

    try:
        return _looked(request, asked, act, (("undo", str(line)),), is_undo=True)
    except Refused as refused:
        said = [sentence(problem) for problem in refused.problems]
    except Conflict as conflict:
        said = [sentence(conflict.problem)]
    for one in said:
        messages.error(request, one)
    return _to_table(asked)


def _looked(
    request: PageRequest,
    asked: _Asked,
    change: Change,
    fields: Sequence[tuple[str, str]],
    *,
    is_undo: bool = False,
) -> HttpResponse:
    """Return the page that shows what a change does; once that was looked at, do it and go on."""
    digest, reason = request.POST.get(PREVIEWED, ""), request.POST.get("reason", "").strip()
    now, code = timezone.now(), asked.sheet.code
    show = partial(_preview_page, request, asked, fields=fields, is_undo=is_undo)
    if digest and reason:
        try:
            change_as_previewed(asked.event, code, lambda: change(reason), digest=digest, now=now)
        except SeatsPreviewOutdated as moved:
            return show(moved.preview, is_outdated=True)
        messages.success(
            request, _("The players are changed. The sums follow at once, the standings shortly.")
        )
        return _to_table(asked)
    found = preview_players(asked.event, code, lambda: change(reason or STAND_IN), now=now)
    return show(found, problem=sentence(Problem("reason_required")) if digest else "")


def _preview_page(
    request: PageRequest,
    asked: _Asked,
    shown: SeatsPreview,
    *,
    fields: Sequence[tuple[str, str]],
    is_undo: bool,
    problem: str = "",
    is_outdated: bool = False,
) -> HttpResponse:
    event = asked.event
    context = {
        "frame": _frame(request, asked),
        "event": event,
        "sheet": asked.sheet,
        "preview": shown,
        "told": {
            "crossed": [(BOUNDARIES[one.boundary], one) for one in shown.crossed],
            "stays": [STAYS[one.boundary] for one in shown.crossings if not one.is_crossed],
        },
        "fields": (*fields, ("tag", asked.tag)),
        "is_undo": is_undo,
        "reason": request.POST.get("reason", ""),
        "problem": problem,
        "is_outdated": is_outdated,
    }
    status = 409 if is_outdated else REFUSED if problem else 200
    return render(request, "hands/preview_change_players.html", context, status=status)


def _ask(request: PageRequest, asked: _Asked, form: PlayerChangeForm) -> HttpResponse:
    """Return the form; what it is about is the table as it is now."""
    codes = {problem.code for problem in form.placed}
    seated = [one for one in form.placed if one.code == "player_already_seated"]
    round_ = asked.game.table.round
    here = [f"{one.name} ({one.player_id})" for one in asked.seating.people]
    context = {
        "frame": _frame(request, asked),
        "event": asked.event,
        "sheet": asked.sheet,
        "form": form,
        "seat_field": form.seat_fields[0],
        "tag": asked.seating.tag,
        "people": [*here, *(label_of(one) for one in free_players(asked.event.club, round_))],
        "may_add_guest": may_do(asked.event, "add_guest"),
        "asks_sides": bool(codes & ASKED),
        "may_swap": bool(codes & set(SEATED)),
        "refused_links": seated_links(asked.event, seated),
    }
    status = REFUSED if form.has_problems else 200
    return render(request, "hands/change_players.html", context, status=status)


def seated_links(event: Event, problems: Sequence[Problem]) -> tuple[Link, ...]:
    """Return where it is changed who plays at tables that refusals name."""
    found = {}
    for problem in problems:
        has_hands = problem.code == "table_has_hands"
        code = str(problem.facts.get("table" if has_hands else "code", ""))
        if (has_hands or problem.code == "player_already_seated") and code:
            number = code.partition("t")[2]
            text = _("Change who played at table %(number)s") % {"number": number}
            address = (event.club.slug, event.slug, code)
            found[code] = Link(text, reverse("tournaments:change-players", args=address))
    return tuple(found.values())


def _form(request: PageRequest, asked: _Asked) -> PlayerChangeForm:
    titles = {seat.number: str(seat.title) for seat in asked.sheet.seats}
    seats = [(one.seat, f"{titles[one.seat]}: {one.name}") for one in asked.seating.people]
    initial = {name: request.GET[name] for name in ("act", "seat") if name in request.GET}
    return PlayerChangeForm(answered(request, asked.event.club), seats=seats, initial=initial)


def _player(asked: _Asked, form: PlayerChangeForm) -> Player | None:
    """Return the player that is meant; None where that is refused in the form."""
    text, at = form.named.strip(), ("seat", 1)
    meant = named_players(asked.event.club).meant(text, at) if text else Problem("nobody_named", at)
    if isinstance(meant, Problem):
        form.place([meant])
        return None
    return meant


def _to_table(asked: _Asked) -> HttpResponse:
    event = asked.event
    return redirect("tournaments:table", event.club.slug, event.slug, asked.sheet.code)


def _frame(request: PageRequest, asked: _Asked) -> Layout:
    event, sheet = asked.event, asked.sheet
    text = _("Table %(number)s") % {"number": sheet.number}
    address = (event.club.slug, event.slug, sheet.code)
    to_table = Link(text, reverse("tournaments:table", args=address))
    to_round = layout.round_link(event, sheet.round_number)
    return layout.event_frame(request, event, (layout.event_link(event), to_round, to_table))
