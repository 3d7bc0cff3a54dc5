"""Who competes in an event: the list for everybody, and the forms of its director."""

from functools import partial
from typing import Any, Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.errors import Problem
from tournaments.models.events import Entrant, EntrantKind, Event, EventKind
from tournaments.models.meetings import Round
from tournaments.selectors.attendance.attendance_list import here_at_newest
from tournaments.selectors.clubs.clubs import list_players_of, may_do
from tournaments.selectors.clubs.find_players import find_final_keys, label_of
from tournaments.selectors.clubs.names import FULL_NAME
from tournaments.selectors.events import events
from tournaments.selectors.events.adjustments import sit_outs_in
from tournaments.selectors.events.entrants import (
    EntrantRow,
    entrant_name,
    entrant_row,
    entrant_rows,
)
from tournaments.selectors.rounds import rounds
from tournaments.selectors.rounds.resolve_players import players_named, read_entrants
from tournaments.services.events.adjustments import end_sit_out, sit_out
from tournaments.services.events.entrants import add_entrant, change_entrant
from tournaments.services.events.entrants import add_entrants as enter
from tournaments.services.ladders.members import move_entrant
from tournaments.views.events.entrant_forms import (
    AddEntrantsForm,
    EntrantForm,
    MoveEntrantForm,
    SitOutForm,
)
from tournaments.views.http import layout
from tournaments.views.http.decorators import REFUSED, form_page, page
from tournaments.views.http.find_players import is_sent_by, posted_with_answer
from tournaments.views.http.layout import Layout, Link, PageRequest
from tournaments.views.http.service_form import attempt, posted, render_form


@page("read_public")
def entrants(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Print who competes in an event."""
    found = events.event_at(request.actor, club, event)
    rows = entrant_rows(found)
    context = {
        "layout": layout.event_layout(request, found, (layout.event_link(found),)),
        "event": found,
        "entrants": rows,
        "n_withdrawn": sum(row.state == "withdrawn" for row in rows),
        "may_direct": may_do(found, "manage_event"),
    }
    return render(request, "events/entrants.html", context)


@form_page("manage_event")
def new_entrant(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Ask for a pair, a team or a player, and enter them."""
    found = events.event_at(request.actor, club, event)
    asked = request.POST.get("kind") or request.GET.get("kind", "")
    kind = asked if asked in EntrantKind.values else EntrantKind.PAIR.value
    form = EntrantForm(posted_with_answer(request, found.club), kind=kind)
    goes_on = is_sent_by(request, "more")
    if request.method == "POST" and form.is_valid():
        made = attempt(form, lambda: _entered(request, found, kind, form))
        if made is not None:
            messages.success(
                request, _("%(name)s added.") % {"name": entrant_name(made, FULL_NAME)}
            )
            if goes_on:
                again = reverse("tournaments:new-entrant", args=[club, event])
                return redirect(f"{again}?kind={kind}")
            return redirect("tournaments:entrants", club=club, event=event)
    context: dict[str, Any] = {"kind": kind, "form": form, "people": _people(found)}
    context |= {"may_add_guest": may_do(found, "add_guest"), "meant": "more" if goes_on else ""}
    return _form_page(request, "events/new_entrant.html", found, context, form.has_problems)


@form_page("manage_event")
def manage_entrant(request: PageRequest, club: str, event: str, entrant: str) -> HttpResponse:
    """Rename a pair or a team, change who is in it, withdraw an entrant or let one return."""
    found = events.event_at(request.actor, club, event)
    row = entrant_row(found, entrant)
    is_move = "to" in request.POST
    move = MoveEntrantForm(request.POST if is_move else None)
    form = EntrantForm(
        None if is_move else posted_with_answer(request, found.club),
        kind=row.kind,
        names=[member.label for member in row.members],
        name=row.own_name,
    )
    if is_move and move.is_valid():
        moved = attempt(move, lambda: _move(request, found, entrant, move))
        if moved is not None:
            return _report_and_redirect(request, found, _entrant_text(moved, row.name))
    elif request.method == "POST" and not is_move and form.is_valid():
        changed = attempt(form, lambda: _changed(request, found, row, form))
        if changed is not None:
            return _report_and_redirect(request, found, _("Done."))
    context: dict[str, Any] = {
        "entrant": row,
        "form": move if is_move else form,
        "own": form,
        "move": move,
        "here": here_at_newest(Entrant.objects.get(event=found, code=entrant)),
        "people": _people(found),
        "may_add_guest": may_do(found, "add_guest"),
    }
    is_refused = form.has_problems or move.has_problems
    return _form_page(request, "events/entrant.html", found, context, is_refused)


@form_page("manage_event")
def round_sit_outs(request: PageRequest, club: str, event: str, number: int) -> HttpResponse:
    """Show who sits out in a round; add one, or undo one."""
    found = events.event_at(request.actor, club, event)
    round_ = events.round_at(found, number)
    offered = _not_seated(found, round_)
    is_end = "end" in request.POST
    typed = request.POST.dict() | ({"entrant": request.POST["end"]} if is_end else {})
    form = SitOutForm(typed or None, entrants=offered)
    if request.method == "POST" and form.is_valid():
        attempt(form, lambda: _sit_out(request, round_, form, is_end))
        if not form.has_problems:
            messages.success(request, _("Done."))
            return redirect("tournaments:sit-outs", club=club, event=event, number=number)
    context = {
        "round": round_,
        "form": form,
        "sit_outs": sit_outs_in(found, round_, with_left=True),
        "n_offered": len(offered),
        "may_change": round_.state != "closed" and found.state in ("draft", "open"),
    }
    to_round = layout.round_link(found, number)
    return _form_page(request, "events/sit_outs.html", found, context, form.has_problems, to_round)


def _entered(request: PageRequest, event: Event, kind: str, form: EntrantForm) -> Entrant:
    players = players_named(club=event.club, typed=form.players())
    own = {name: form.cleaned_data[name] for name in ("name", "code") if name in form.fields}
    return add_entrant(
        actor=request.actor, event=event, kind=kind, players=players, now=timezone.now(), **own
    )


def _changed(request: PageRequest, event: Event, row: EntrantRow, form: EntrantForm) -> Entrant:
    players = players_named(club=event.club, typed=form.players())
    return change_entrant(
        actor=request.actor,
        event=event,
        code=row.entrant_id,
        name=form.cleaned_data.get("name", ""),
        players=players,
        now=timezone.now(),
    )


def _move(request: PageRequest, event: Event, code: str, form: MoveEntrantForm) -> Entrant:
    return move_entrant(
        actor=request.actor,
        event=event,
        code=code,
        to=form.cleaned_data["to"],
        reason=form.cleaned_data["reason"],
        check_out=form.cleaned_data["check_out"],
        now=timezone.now(),
    )


def _sit_out(request: PageRequest, round_: Round, form: SitOutForm, is_end: bool) -> bool:
    entrant, now = form.cleaned_data["entrant"], timezone.now()
    if is_end:
        end_sit_out(actor=request.actor, round_=round_, entrant=entrant, now=now)
        return True
    why = form.cleaned_data["reason"]
    sit_out(actor=request.actor, round_=round_, entrant=entrant, reason=why, now=now)
    return True


def _entrant_text(entrant: Entrant, name: str) -> str:
    if entrant.state != "withdrawn":
        notice = _("%(name)s reinstated.")
    elif entrant.event.kind == EventKind.LADDER:
        notice = _("%(name)s withdrawn and removed from the ladder.")
    else:
        notice = _("%(name)s withdrawn. The standings still list the entrant, marked as withdrawn.")
    return notice % {"name": name}


def _report_and_redirect(request: PageRequest, event: Event, notice: str) -> HttpResponse:
    messages.success(request, notice)
    return redirect("tournaments:entrants", club=event.club.slug, event=event.slug)


def _people(event: Event) -> list[str]:
    return [
        label_of(player)
        for player in list_players_of(event.club).filter(is_active=True).order_by("name")
    ]


def _not_seated(event: Event, round_: Round) -> list[tuple[str, str]]:
    """Return who may sit out: who competes, is not withdrawn and has no seat in the round."""
    seated = {line.entrant_id for card in rounds.round_cards(event, round_) for line in card.lines}
    resting = {sit_out_row.entrant_id for sit_out_row in sit_outs_in(event, round_, with_left=True)}
    return [
        (one.entrant_id, one.label)
        for one in entrant_rows(event)
        if one.state == "active"
        and one.entrant_id not in resting
        and not seated & {one.entrant_id, *(member.player_id for member in one.members)}
    ]


def _form_page(
    request: PageRequest,
    template: str,
    event: Event,
    context: dict[str, object],
    is_refused: bool,
    *more: Link,
) -> HttpResponse:
    context |= {"layout": _layout(request, event, *more), "event": event}
    return render(request, template, context, status=REFUSED if is_refused else 200)


def _layout(request: PageRequest, event: Event, *more: Link) -> Layout:
    to_list = Link(
        _("Entrants"), reverse("tournaments:entrants", args=[event.club.slug, event.slug])
    )
    return layout.event_layout(request, event, (layout.event_link(event), *(more or (to_list,))))


SEEN: Final = "add_players"
"""The button that adds new players to the club too: its value has the names that were seen."""


@form_page("manage_event")
def add_entrants(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Ask which players of the club compete, and enter them."""
    found = events.event_at(request.actor, club, event)
    player_ids = {member.player_id for row in entrant_rows(found) for member in row.members}
    merged = find_final_keys(found.club)
    offered = [
        (player.player_id, label_of(player))
        for player in list_players_of(found.club)
        if player.is_active and player.pk not in merged and player.player_id not in player_ids
    ]
    form = AddEntrantsForm(posted(request), offered=offered)
    unknown: list[Problem] = []
    if request.method == "POST" and form.is_valid():
        lines, problems, unknown = read_entrants(found.club, form.typed())
        form.place(problems)
        if unknown and request.POST.get(SEEN) != form.names_in(unknown):
            form.ask_about(unknown)
        act = partial(enter, actor=request.actor, event=found, lines=lines)
        added = None if form.has_problems else attempt(form, lambda: act(now=timezone.now()))
        if added is not None:
            text = ngettext("%(n)s entrant added.", "%(n)s entrants added.", added)
            messages.success(request, text % {"n": added})
            return redirect("tournaments:manage-event", club=club, event=event)
    to_list = Link(_("Entrants"), reverse("tournaments:entrants", args=[club, event]))
    context = {
        "layout": layout.event_layout(request, found, (layout.event_link(found), to_list)),
        "event": found,
        "form": form,
        "n_offered": len(offered),
        "n_new": len(unknown) if may_do(found, "edit_players") else 0,
        "seen": form.names_in(unknown),
    }
    return render_form(request, "events/add_entrants.html", context, form)
