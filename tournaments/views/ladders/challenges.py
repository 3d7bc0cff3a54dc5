"""Challenges of a ladder: the list, one with what may be done now, sending one, its result."""

from typing import Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.errors import Missing
from tournaments.models.events import Event
from tournaments.models.ladders import Challenge, ChallengeState
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events.entrants import names_in
from tournaments.selectors.events.events import event_url
from tournaments.selectors.jobs.queue import get_ladder_progress
from tournaments.selectors.ladders import challenges as rows
from tournaments.selectors.ladders.challenge_reasons import reasons_of_corrections
from tournaments.selectors.ladders.challenges import POSTPONE, ChallengeRow, challenge_line
from tournaments.selectors.ladders.ladders import choices_of, seats_of, tables_for
from tournaments.services.ladders.challenges import (
    answer_challenge,
    enter_result,
    issue_challenge,
    postpone_challenge,
)
from tournaments.services.ladders.result_problems import dispute_result
from tournaments.templatetags.points import day_of_season
from tournaments.views.hands.hand_screen import filing_of
from tournaments.views.http import layout
from tournaments.views.http.decorators import REFUSED
from tournaments.views.http.layout import PageRequest, account_hint
from tournaments.views.http.pages import done, go_to
from tournaments.views.http.service_form import posted, submit
from tournaments.views.ladders.challenge_forms import (
    ChallengeForm,
    ChallengeStateForm,
    PostponeForm,
    ResultForm,
    WrongResultForm,
    challenges_in_words,
    main_challenge,
)
from tournaments.views.ladders.ladders import (
    challenges_for_reader,
    ladder_form,
    ladder_view,
    may_take_part,
    members_by_place,
    own_code,
    render_ladder,
    to_list,
)

DONE_MESSAGES: Final = {
    "expired": gettext_lazy("Challenge ended without an answer."),
    "withdrawn": gettext_lazy("Challenge withdrawn."),
    "forfeited_c": gettext_lazy("Game forfeited."),
    "forfeited_d": gettext_lazy("Game forfeited. The ladder will be updated."),
    "cancelled": gettext_lazy("Challenge cancelled."),
    "confirmed": gettext_lazy("Result confirmed. The ladder will be updated."),
    "void": gettext_lazy("Challenge voided. The ladder will be updated."),
}
"""The message of a move, by the new state."""
DISPUTED: Final = gettext_lazy(
    "Your report was sent to the directors of the club and to the other player. The result counts "
    "only when a director has decided."
)


@ladder_view("read_public")
def challenges(request: PageRequest, ladder: Event) -> HttpResponse:
    now = timezone.now()
    every = rows.challenge_rows(ladder)
    closed = every.exclude(pk__in=rows.open_challenge_rows(ladder).values("pk")).order_by("-number")
    reader_code = own_code(request, ladder)
    still_open = challenges_for_reader(
        request, ladder, list(rows.open_challenge_rows(ladder)), now=now, own=reader_code
    )
    context = {
        "progress": get_ladder_progress(ladder.pk, timezone.now()),
        "open": still_open,
        "main_challenge": main_challenge(still_open),
        "closed": challenges_for_reader(
            request, ladder, list(closed[:50]), now=now, own=reader_code
        ),
        "may_send": may_take_part(ladder, reader_code),
        "hint": account_hint(request, ladder),
    }
    return render_ladder(request, "ladders/challenges.html", ladder, context, current="challenges")


@ladder_view("read_public")
def challenge(request: PageRequest, ladder: Event, number: int) -> HttpResponse:
    return _challenge_page(request, ladder, rows.challenge_at(ladder, number))


@ladder_form((issue_challenge, ChallengeForm))
def new(request: PageRequest, ladder: Event) -> HttpResponse:
    now = timezone.now()
    entrant = rows.own_entrant(request.actor, ladder)
    choices = choices_of(ladder, entrant, now=now, anew=True) if entrant is not None else None
    is_host = may_do(ladder, "enter_hand")
    to = request.GET.get("to", "")
    form = ChallengeForm(
        posted(request),
        initial={
            "challenged": "" if entrant and to == entrant.code else to,
            "challenger": entrant.code if entrant else "",
        },
        choices=[
            (str(rival["player_id"]), f"{rival['place']} {rival['name']}")
            for rival in choices["rivals"]
        ]
        if choices
        else (),
        members=members_by_place(ladder) if is_host else (),
        names=names_in(ladder),
        zone=ladder.club.time_zone,
    )
    row = _issue_challenge(request, ladder, form)
    if row is not None:
        notice = _("Challenge %(number)s sent.") % {"number": row.number}
        return done(request, notice, "challenge", ladder, number=row.number)
    context = {
        "form": form,
        "choices": choices,
        "is_host": is_host,
        "is_member": entrant is not None,
        "hint": account_hint(request, ladder),
        "against": [form.sentence_of(problem) for problem in choices["against"]] if choices else [],
    }
    page = "ladders/new_challenge.html"
    crumbs = (to_list(ladder),)
    return render_ladder(request, page, ladder, context, form, crumbs=crumbs)


@ladder_form((answer_challenge, ChallengeStateForm), (postpone_challenge, PostponeForm))
def move(request: PageRequest, ladder: Event, number: int) -> HttpResponse:
    before = rows.challenge_at(ladder, number)
    if request.method != "POST":
        return go_to("challenge", ladder, number=number)
    to = request.POST.get("to", "").strip()
    names = names_in(ladder)
    zone = ladder.club.time_zone
    if to == POSTPONE:
        form: ChallengeStateForm = PostponeForm(request.POST, names=names, zone=zone)
        row = submit(request, form, postpone_challenge, before)
    else:
        form = ChallengeStateForm(request.POST, names=names, zone=zone)
        row = submit(request, form, answer_challenge, before)
    if row is not None:
        messages.success(request, done_message(row, before.state, to))
        return redirect(_return_url(request, ladder, number))
    return _challenge_page(request, ladder, rows.challenge_at(ladder, number), move=form)


@ladder_form((enter_result, ResultForm))
def result(request: PageRequest, ladder: Event, number: int) -> HttpResponse:
    row = rows.challenge_at(ladder, number)
    form = _result_form(request, ladder, row)
    if (entered := submit(request, form, enter_result, row)) is not None:
        notice = _("Result saved. It counts when the loser or a host confirms it.")
        if entered.state != "played":
            notice = _("The totals are saved as disputed. Once corrected, enter their table here.")
        return done(request, notice, "challenge", ladder, number=number)
    text = _("Challenge %(number)s") % {"number": number}
    link = layout.link_to(text, "challenge", ladder, number=number)
    context = {
        "one": challenges_for_reader(
            request, ladder, [row], now=timezone.now(), own=own_code(request, ladder)
        )[0],
        "form": form,
        "filing": filing_of(ladder, form.placed),
        "reason": request.POST.get("reason", ""),
    }
    crumbs = (to_list(ladder), link)
    return render_ladder(request, "ladders/result.html", ladder, context, form, crumbs=crumbs)


@ladder_form((dispute_result, WrongResultForm))
def wrong(request: PageRequest, ladder: Event, number: int) -> HttpResponse:
    """Report that the result of a challenge is wrong."""
    row = rows.challenge_at(ladder, number)
    form = WrongResultForm(posted(request), names=names_in(ladder), zone=ladder.club.time_zone)
    if submit(request, form, dispute_result, row) is not None:
        return done(request, str(DISPUTED), "challenge", ladder, number=number)
    now = timezone.now()
    reader_code = own_code(request, ladder)
    one = challenges_for_reader(request, ladder, [row], now=now, own=reader_code)[0]
    text = _("Challenge %(number)s") % {"number": number}
    crumbs = (to_list(ladder), layout.link_to(text, "challenge", ladder, number=number))
    context = {"one": one, "form": form}
    return render_ladder(request, "ladders/wrong.html", ladder, context, form, crumbs=crumbs)


def _challenge_page(
    request: PageRequest, event: Event, row: Challenge, *, move: ChallengeStateForm | None = None
) -> HttpResponse:
    now = timezone.now()
    reader_code = own_code(request, event)
    line = challenge_line(event, row, actor=request.actor, now=now)
    context = {
        "one": challenges_in_words(event, [line], now=now, own=reader_code)[0],
        "correction_reason": _correction_reason(event, row, line),
        "progress": get_ladder_progress(event.pk, now),
        "form": move or ChallengeStateForm(),
        "hint": account_hint(request, event),
    }
    crumbs = (to_list(event),)
    status = REFUSED if move is not None else 200
    return render_ladder(
        request, "ladders/challenge.html", event, context, crumbs=crumbs, status=status
    )


def _correction_reason(event: Event, row: Challenge, line: ChallengeRow) -> str:
    """Return why a challenge is void, or why somebody else is ahead now; "" without a reason."""
    is_turned = line.confirmed_winner is not None and line.winner != line.confirmed_winner
    if row.state != ChallengeState.VOID and not is_turned:
        return ""
    return reasons_of_corrections(event, [row]).get(row.number, "")


def _issue_challenge(request: PageRequest, event: Event, form: ChallengeForm) -> Challenge | None:
    try:
        return submit(request, form, issue_challenge, event)
    except Missing as missing:
        field = str(missing.problem.facts.get("field", "challenged"))
        name = field if field in form.fields else "challenged"
        form.add_error(name, form.sentence_of(missing.problem))
        return None


def done_message(row: Challenge, before: str, to: str) -> str:
    """Return which answer was stored, and what happens now."""
    if to == POSTPONE:
        return _("Game postponed.")
    if to == "cancelled" and row.state != to:
        return _("You asked to cancel the challenge. The other player has to agree.")
    if before == "played" and to == "accepted":
        return _("Result withdrawn. Both players and the directors get a message.")
    if to == "accepted":
        return _accepted_message(row)
    if to == "declined":
        return _declined_message(row)
    return str(DONE_MESSAGES.get(to, ""))


def _accepted_message(row: Challenge) -> str:
    due = rows.due_in_words(row)
    if not due:
        return _("Challenge accepted.")
    text = _(
        "Challenge accepted. Play by %(due)s. Then one of you or a host enters the result, and the "
        "loser confirms it."
    )
    return text % {"due": due}


def _declined_message(row: Challenge) -> str:
    if hasattr(row, "ladder_step"):
        return _("Challenge declined. It counts as a win for the challenger.")
    return _("Challenge declined. No places change.")


def _return_url(request: PageRequest, event: Event, number: int) -> str:
    back = request.POST.get("back", "")
    if back == "me":
        return reverse("tournaments:me")
    if back == "ladder":
        return event_url("ladder", event)
    if back.startswith(("member:", "player:")):
        kind, _colon, code = back.partition(":")
        if kind == "member":
            return event_url("ladder-member", event, code)
        return reverse("tournaments:player", args=[event.club.slug, code])
    return event_url("challenge", event, number)


def _result_form(request: PageRequest, event: Event, row: Challenge) -> ResultForm:
    names = names_in(event)
    sides = [side.code for side in (row.challenger, row.challenged)]
    others = [(code, label) for code, label in members_by_place(event) if code not in sides]
    tables = []
    for code, number, round_number, on in tables_for(event, row):
        label = _("Round %(round)s, table %(table)s") % {"round": round_number, "table": number}
        tables.append((code, f"{label}, {day_of_season(on)}" if on else label))
    return ResultForm(
        posted(request),
        two=[(code, names.get(code, code)) for code in sides],
        others=others,
        tables=tables,
        seats=seats_of(event),
        names=names,
        zone=event.club.time_zone,
    )
