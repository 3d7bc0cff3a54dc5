"""Challenges of a ladder: the list, one with what may be done now, sending one, its result."""

from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.errors import Missing
from tournaments.models.events import Event
from tournaments.models.ladders import Challenge
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events.entrants import names_in
from tournaments.selectors.jobs.queue import get_ladder_progress
from tournaments.selectors.ladders import challenges as rows
from tournaments.selectors.ladders.challenges import POSTPONE, challenge_line
from tournaments.selectors.ladders.members import choices_of, seats_of, tables_for
from tournaments.services.ladders.challenges import (
    answer_challenge,
    enter_result,
    issue_challenge,
    postpone_challenge,
)
from tournaments.templatetags.points import day_of_season
from tournaments.views.http import layout
from tournaments.views.http.account_hint import account_hint
from tournaments.views.http.decorators import REFUSED, form_page, page
from tournaments.views.http.layout import Link, PageRequest
from tournaments.views.http.service_form import ServiceForm, attempt, posted, render_form
from tournaments.views.ladders.challenge_forms import ChallengeForm, ChallengeStateForm, ResultForm
from tournaments.views.ladders.challenge_text import challenges_in_words
from tournaments.views.ladders.ladders import (
    challenges_for_reader,
    ladder_at,
    ladder_layout,
    may_take_part,
    members_by_place,
    own_code,
    to_list,
)

SAYS: Final[Mapping[str, str | Promise]] = {
    "accepted": gettext_lazy("Challenge accepted."),
    "declined": gettext_lazy("Challenge declined."),
    "expired": gettext_lazy("Challenge ended without an answer."),
    "withdrawn": gettext_lazy("Challenge withdrawn."),
    "forfeited_c": gettext_lazy("Game forfeited."),
    "forfeited_d": gettext_lazy("Game forfeited. The ladder will be updated."),
    "cancelled": gettext_lazy("Challenge cancelled."),
    "confirmed": gettext_lazy("Result confirmed. The ladder will be updated."),
    "void": gettext_lazy("Challenge voided. The ladder will be updated."),
}
"""What was done, by the state that it led to."""
CLOSED_SHOWN: Final = 50


@page("read_public")
def challenges(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Print the challenges of a ladder: the open ones with their deadlines, then the newest."""
    found = ladder_at(request, club, event)
    now = timezone.now()
    every = rows.challenge_rows(found)
    closed = every.exclude(pk__in=rows.open_challenge_rows(found).values("pk")).order_by("-number")
    own = own_code(request, found)
    context = {
        "layout": ladder_layout(request, found, layout.ladder_link(found), current="challenges"),
        "event": found,
        "progress": get_ladder_progress(found.pk, timezone.now()),
        "open": challenges_for_reader(
            request, found, list(rows.open_challenge_rows(found)), now=now, own=own
        ),
        "closed": challenges_for_reader(
            request, found, list(closed[:CLOSED_SHOWN]), now=now, own=own
        ),
        "may_send": may_take_part(found, own),
        "hint": account_hint(request, found),
    }
    return render(request, "ladders/challenges.html", context)


@page("read_public")
def challenge(request: PageRequest, club: str, event: str, number: int) -> HttpResponse:
    """Print one challenge, with what the reader may do now as forms."""
    found = ladder_at(request, club, event)
    return _challenge_page(request, found, rows.challenge_at(found, number))


@form_page("challenge")
def new(request: PageRequest, club: str, event: str) -> HttpResponse:
    """Ask whom to challenge, and send it; hosts send one for anybody."""
    found = ladder_at(request, club, event)
    now = timezone.now()
    entrant = rows.own_entrant(request.actor, found)
    choices = choices_of(found, entrant, now=now, anew=True) if entrant is not None else None
    is_host, to = may_do(found, "enter_hand"), request.GET.get("to", "")
    form = ChallengeForm(
        posted(request),
        initial={
            "challenged": "" if entrant and to == entrant.code else to,
            "challenger": entrant.code if entrant else "",
        },
        choices=[(rival.player_id, f"{rival.place} {rival.name}") for rival in choices.rivals]
        if choices
        else (),
        members=members_by_place(found) if is_host else (),
        names=names_in(found),
        zone=found.club.time_zone,
    )
    if request.method == "POST" and form.is_valid():
        sent = _attempt(form, "challenged", lambda: _send_challenge(request, found, form, now))
        if sent is not None:
            notice = _("Challenge %(number)s sent.")
            messages.success(request, notice % {"number": sent.number})
            return redirect("tournaments:challenge", club, event, sent.number)
    context = {
        "layout": ladder_layout(request, found, layout.ladder_link(found), to_list(found)),
        "event": found,
        "form": form,
        "choices": choices,
        "is_host": is_host,
        "is_member": entrant is not None,
        "hint": account_hint(request, found),
        "against": [form.sentence_of(one) for one in choices.against] if choices else [],
    }
    return render_form(request, "ladders/new_challenge.html", context, form)


@form_page("challenge")
def move(request: PageRequest, club: str, event: str, number: int) -> HttpResponse:
    """Do what a button of a challenge says; what is refused stands on its page."""
    found = ladder_at(request, club, event)
    asked = rows.challenge_at(found, number)
    if request.method != "POST":
        return redirect("tournaments:challenge", club, event, number)
    form = ChallengeStateForm(request.POST, names=names_in(found), zone=found.club.time_zone)
    if form.is_valid():
        before = asked.state
        done = attempt(form, lambda: _move_challenge(request, found, number, form))
        if done is not None:
            messages.success(request, _done_message(done, before, form.cleaned_data["to"]))
            return redirect(_return_url(request, found, number))
    return _challenge_page(request, found, rows.challenge_at(found, number), move=form)


@form_page("challenge")
def result(request: PageRequest, club: str, event: str, number: int) -> HttpResponse:
    """Ask how a challenge was played: a table that is there, or everybody's totals."""
    found = ladder_at(request, club, event)
    asked = rows.challenge_at(found, number)
    form = _result_form(request, found, asked)
    if request.method == "POST" and form.is_valid():
        given = attempt(
            form,
            lambda: enter_result(
                actor=request.actor,
                event=found,
                number=number,
                now=timezone.now(),
                **form.result(),
            ),
        )
        if given is not None:
            messages.success(
                request,
                _("Result saved. It counts when the loser or a host confirms it."),
            )
            return redirect("tournaments:challenge", club, event, number)
    link = Link(
        _("Challenge %(number)s") % {"number": number},
        reverse("tournaments:challenge", args=[club, event, number]),
    )
    context = {
        "layout": ladder_layout(request, found, layout.ladder_link(found), to_list(found), link),
        "event": found,
        "one": challenges_for_reader(
            request, found, [asked], now=timezone.now(), own=own_code(request, found)
        )[0],
        "form": form,
    }
    return render_form(request, "ladders/result.html", context, form)


def _challenge_page(
    request: PageRequest, event: Event, row: Challenge, *, move: ChallengeStateForm | None = None
) -> HttpResponse:
    now = timezone.now()
    own = own_code(request, event)
    line = challenge_line(event, row, actor=request.actor, now=now)
    context = {
        "layout": ladder_layout(request, event, layout.ladder_link(event), to_list(event)),
        "event": event,
        "one": challenges_in_words(event, [line], now=now, own=own)[0],
        "progress": get_ladder_progress(event.pk, timezone.now()),
        "form": move or ChallengeStateForm(),
        "hint": account_hint(request, event),
    }
    status = REFUSED if move is not None else 200
    return render(request, "ladders/challenge.html", context, status=status)


def _send_challenge(
    request: PageRequest, event: Event, form: ChallengeForm, now: datetime
) -> Challenge:
    typed = form.cleaned_data
    return issue_challenge(
        actor=request.actor,
        event=event,
        challenged=typed["challenged"],
        challenger=typed.get("challenger", ""),
        words=typed["words"],
        now=now,
    )


def _move_challenge(
    request: PageRequest, event: Event, number: int, form: ChallengeStateForm
) -> Challenge:
    typed = form.cleaned_data
    if typed["to"] == POSTPONE:
        return postpone_challenge(
            actor=request.actor, event=event, number=number, by=typed["by"], now=timezone.now()
        )
    return answer_challenge(
        actor=request.actor,
        event=event,
        number=number,
        to=typed["to"],
        reason=typed["reason"],
        now=timezone.now(),
    )


def _done_message(row: Challenge, before: str, to: str) -> str:
    if to == POSTPONE:
        return _("Game postponed.")
    if to == "cancelled" and row.state != to:
        return _("You asked to cancel the challenge. The other player has to agree.")
    if before == "played" and to == "accepted":
        return _("Result withdrawn.")
    return str(SAYS.get(to, ""))


def _return_url(request: PageRequest, event: Event, number: int) -> str:
    """The page that the button stood on, of those that have one; else the challenge's own."""
    address = [event.club.slug, event.slug]
    back = request.POST.get("back", "")
    if back == "me":
        return reverse("tournaments:me")
    if back == "ladder":
        return reverse("tournaments:ladder", args=address)
    if back.startswith(("member:", "player:")):
        kind, _colon, code = back.partition(":")
        if kind == "member":
            return reverse("tournaments:ladder-member", args=[*address, code])
        return reverse("tournaments:player", args=[event.club.slug, code])
    return reverse("tournaments:challenge", args=[*address, number])


def _result_form(request: PageRequest, event: Event, row: Challenge) -> ResultForm:
    names = names_in(event)
    two = [(one.code, names.get(one.code, one.code)) for one in (row.challenger, row.challenged)]
    others = [(code, label) for code, label in members_by_place(event) if code not in dict(two)]
    tables = [
        (
            challenge_table.code,
            _table_text(challenge_table.round, challenge_table.number, challenge_table.on),
        )
        for challenge_table in tables_for(event, row)
    ]
    return ResultForm(
        posted(request),
        two=two,
        others=others,
        tables=tables,
        seats=seats_of(event),
        names=names,
        zone=event.club.time_zone,
    )


def _table_text(round_number: int, number: int, on: date | None) -> str:
    notice = _("Round %(round)s, table %(table)s") % {"round": round_number, "table": number}
    return f"{notice}, {day_of_season(on)}" if on else notice


def _attempt(form: ServiceForm, field: str, act: Callable[[], Challenge]) -> Challenge | None:
    """Try the act; an unknown player is an error of the field that named them."""
    try:
        return attempt(form, act)
    except Missing as missing:
        at = str(missing.problem.facts.get("field", field))
        form.add_error(at if at in form.fields else field, form.sentence_of(missing.problem))
        return None
