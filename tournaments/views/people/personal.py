"""The pages of a personal link: the evening of one player without an account."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import wraps
from itertools import islice
from typing import Any, ClassVar, cast

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from scoring.json_types import JsonDict
from tournaments.domain.notices import PERSONAL_KINDS
from tournaments.errors import Forbidden, Missing, first_or_missing
from tournaments.models.access import PersonalLink
from tournaments.models.clubs import Player
from tournaments.models.events import Event, EventKind, EventState
from tournaments.models.ladders import OPEN_CHALLENGES, Challenge
from tournaments.models.rounds import Meeting
from tournaments.selectors.access import invitations
from tournaments.selectors.access.evening_codes import (
    PHONE_COOKIE,
    PHONE_COOKIE_LASTS,
    phone_cookie,
)
from tournaments.selectors.access.personal_links import (
    Confirmation,
    find_confirmation,
    find_personal_link,
    get_contact,
    is_for_address,
    person_with_link,
    person_with_mail,
    personal_path,
)
from tournaments.selectors.attendance.own_cancelled import own_cancelled_evenings
from tournaments.selectors.attendance.own_evenings import (
    evening_of_player,
    evenings_to_check_in,
    own_later_evenings,
    own_next_evenings,
)
from tournaments.selectors.attendance.own_fill_ins import list_fill_in_offers
from tournaments.selectors.clubs.clubs import note_actor
from tournaments.selectors.events.meetings import club_day, with_state
from tournaments.selectors.jobs.outgoing import SiteMail, get_site_mail
from tournaments.selectors.ladders.challenges import (
    DISPUTE,
    challenge_rows,
    challenges_of_member,
    own_entrant,
)
from tournaments.selectors.notices.notice_text import KIND_LABELS
from tournaments.selectors.people.own_results import list_own_evening_results
from tournaments.selectors.people.own_tables import (
    MOST_PLACES,
    events_of_person,
    list_last_results,
    list_own_events,
    list_own_places,
    reason_of_place,
)
from tournaments.selectors.standings.counted_values import list_counted_values
from tournaments.selectors.standings.publications import current_publication
from tournaments.selectors.standings.result_notes import find_own_entrant, list_recent_notes
from tournaments.selectors.standings.standings_view import standings_view
from tournaments.services.attendance.own_attendance import check_in_to, state_own_attendance
from tournaments.services.clubs.personal_links import (
    ACTIONS,
    ask_account,
    ask_confirmation,
    choose_mails,
    confirm_address,
    use_personal_link,
)
from tournaments.services.events.result_notes import send_result_note
from tournaments.services.ladders.challenges import answer_challenge
from tournaments.services.ladders.result_problems import dispute_result
from tournaments.services.operations import DeclaredOperation, Operation
from tournaments.services.people.erase_player import ask_erasure
from tournaments.views.access.join import count_wrong_link
from tournaments.views.events.result_notes import ResultNoteForm, note_form, own_notes
from tournaments.views.hands.phone_queue import KEEP_HEADER
from tournaments.views.hands.score_sheet import tables_of_player
from tournaments.views.http import errors
from tournaments.views.http.decorators import NO_INDEX, View, answer_once, declared_operation, runs
from tournaments.views.http.layout import Layout, PageRequest
from tournaments.views.http.responses import get_or_post, set_cookie
from tournaments.views.http.service_form import (
    RefusalMessages,
    ServiceForm,
    operation_of,
    posted,
    render_form,
    submit,
)
from tournaments.views.ladders.challenge_forms import WrongResultForm
from tournaments.views.ladders.challenges import DISPUTED, done_message
from tournaments.views.ladders.ladders import challenges_for_reader
from tournaments.views.offline.pwa import app_manifest
from tournaments.views.people.me import AttendanceAnswerForm, said_of


class RequestForm(ServiceForm):
    required_fields = ("action",)
    action = forms.ChoiceField(choices=[(action, action) for action in ACTIONS])
    email = forms.CharField(
        label=gettext_lazy("New mail address"),
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    challenge = forms.IntegerField()


class ConfirmForm(ServiceForm):
    sentences: ClassVar = WrongResultForm.sentences
    words = WrongResultForm.base_fields["words"]


def person_page(*of: DeclaredOperation[..., Any] | tuple[Any, ...]) -> Callable[[View], View]:
    """Make a view a page of a personal link, which is its only right; it gets the link.

    Reading it changes nothing but the time of the first use: mail scanners follow links.
    """
    operations = [declared_operation(each) for each in of]

    def decorated(view: View) -> View:
        @wraps(view)
        def answer(request: HttpRequest, token: str, **address: Any) -> HttpResponse:
            page_request, link = cast(PageRequest, request), find_personal_link(token)
            if link is None or link.revoked_at is not None:
                return no_link(request, link)
            page_request.actor = note_actor(person_with_link(link))
            if request.method != "HEAD":
                use_personal_link(link, now=timezone.now())
            try:
                response = answer_once(page_request, lambda: view(page_request, link, **address))
            except (Missing, Forbidden):
                return no_link(request, None)
            response["X-Robots-Tag"] = NO_INDEX
            # The code on the wall of the hall then knows whose phone this is.
            set_cookie(response, PHONE_COOKIE, phone_cookie(link), max_age=PHONE_COOKIE_LASTS)
            return response

        methods = ["GET", "HEAD", *(["POST"] if operations else [])]
        guarded = never_cache(require_http_methods(methods)(runs(*operations)(answer)))
        right = operations[0].right if operations else "own_link"
        guarded.right = right  # type: ignore[attr-defined]  # read by the test of all routes
        return guarded

    return decorated


def no_link(request: HttpRequest, link: PersonalLink | None) -> HttpResponse:
    """Return the page of a link that opens nothing; one that was revoked says where to get one."""
    if link is None and (seconds := count_wrong_link(request)):
        return errors.too_many_links(request, seconds)
    context = {"layout": Layout(path=request.path, at_table=True), "link": link}
    return render(request, "people/no_personal_link.html", context, status=410 if link else 404)


@person_page(state_own_attendance)
def my_evening(request: PageRequest, link: PersonalLink) -> HttpResponse:
    """Show a person the next evening, their tables, results and place; check in on the day.

    One check-in is for all parts of the evening in which the person competes.
    """
    now = timezone.now()
    player = link.player
    readable = events_of_person(player)
    evenings = own_next_evenings(readable, [player], now=now)
    to_check_in = evenings_to_check_in(evenings)
    form = ServiceForm(posted(request))
    if request.method == "POST" and evenings and form.is_valid():
        with form.placing():
            meetings = [evening.meeting for evening in to_check_in or evenings[:1]]
            check_in_to(operation_of(request), meetings)
            messages.success(request, _("You are checked in."))
            return redirect(request.path)
    events = list_own_events(readable, [player.pk])
    tonight = {evening.event.pk for evening in evenings if evening.is_today}
    places = list_own_places(events, [player], tonight=tonight)
    tables = [
        table
        for evening in evenings
        for table in tables_of_player(evening.event, evening.meeting, player)
    ]
    later = own_later_evenings(readable, player, evenings, now=now)
    contact = get_contact(player)
    context = _context(request, link) | {
        "form": form,
        "evenings": evenings,
        "later": later,
        "cancelled": own_cancelled_evenings(readable, [player], [*evenings, *later], now=now),
        "may_check_in": bool(to_check_in),
        "waits_for_table": not tables and any(evening.waits_for_table for evening in evenings),
        "wanted": next(iter(list_fill_in_offers(evenings, now=now, link=link)), None),
        "tables": tables,
        "is_several": len(evenings) > 1,
        "own_results": list_own_evening_results(events, [player], now=now),
        "places": [(place, reason_of_place(place)) for place in places],
        "results": list_last_results(events, [player.pk]),
        "contact": contact,
        "address": _masked(contact.email),
        "is_vouched": contact.is_vouched,
        "kinds": [
            (kind, KIND_LABELS[kind], kind not in contact.stopped) for kind in PERSONAL_KINDS
        ],
        "result_notes": list_recent_notes([player.pk], now=now),
        "challenges": list(_open_challenges(request, events)),
        "is_open_club": player.club.is_public,
    }
    response = render_form(request, "people/my_evening.html", context, form)
    if request.method == "GET":
        response[KEEP_HEADER] = "yes"
    return response


@person_page()
def my_manifest(request: PageRequest, link: PersonalLink) -> HttpResponse:
    """Answer with the manifest of the app that starts at a person's page, named like the club.

    It holds the link, so that no cache may store it, as of every page of the link.
    """
    start = reverse("tournaments:my-evening", args=(_token(request),))
    name = link.player.club.name
    return app_manifest(start, name=name, short_name=name, scope=start)


@person_page((send_result_note, ResultNoteForm))
def my_values(request: PageRequest, link: PersonalLink, event: str) -> HttpResponse:
    """Show a person the values that count for them in an event, and send the directors a note."""
    readable = events_of_person(link.player).filter(club=link.player.club_id, slug=event)
    row = first_or_missing(readable, "event", event=event)
    own = find_own_entrant(request.actor, row)
    if own is None:
        raise Missing("event", {"event": event})
    entrant = own[1]
    form = note_form(posted(request), row, entrant, request.GET.get("about", ""))
    if submit(request, form, send_result_note, row) is not None:
        text = _("Your note was sent to the directors. You read their answer here.")
        messages.success(request, text)
        return redirect(request.path)
    publication = None if row.is_ladder else current_publication(row)
    view = standings_view(publication, is_full=True) if publication is not None else None
    context = _context(request, link) | {
        "form": form,
        "event": row,
        "values": list_counted_values(row, entrant),
        "today": club_day(row.club, timezone.now()),
        "view": view,
        "row": view.row_of(entrant.code) if view is not None else None,
        "is_over": row.state == EventState.FINAL,
        **own_notes(request.actor, row, entrant.code),
    }
    return render_form(request, "people/my_values.html", context, form)


@person_page((state_own_attendance, AttendanceAnswerForm))
def my_answer(request: PageRequest, link: PersonalLink, meeting: int) -> HttpResponse:
    row = with_state(Meeting.objects.filter(pk=meeting)).first()
    event = events_of_person(link.player).filter(pk=row.event_id).first() if row else None
    if row is None or event is None:
        raise Missing("meeting")
    row.event = event
    form = AttendanceAnswerForm(posted(request))
    saved = submit(request, form, state_own_attendance, row)
    if saved is not None:
        messages.success(request, said_of(row, saved))
        return redirect("tournaments:my-evening", token=_token(request))
    own_evening = evening_of_player(row, link.player, now=timezone.now())
    context = _context(request, link) | {
        "one": own_evening,
        "form": form,
        "chosen": request.GET.get("answer", ""),
    }
    return render_form(request, "people/my_answer.html", context, form)


@person_page(choose_mails)
def my_mails(request: PageRequest, link: PersonalLink) -> HttpResponse:
    """Store which mails a person wants."""
    if request.method == "POST":
        with RefusalMessages(request):
            kinds = request.POST.getlist("kind")
            choose_mails(operation_of(request), link.player.club, wanted=kinds)
            messages.success(request, _("Your mails are saved."))
    return redirect("tournaments:my-evening", token=_token(request))


@person_page((ask_confirmation, RequestForm))
def my_requests(request: PageRequest, link: PersonalLink) -> HttpResponse:
    """Send a person the mail that confirms a new address, an erasure, an account or an answer."""
    form = RequestForm(posted(request))
    club = link.player.club
    if submit(request, form, ask_confirmation, club) is not None:
        if get_site_mail() == SiteMail.ON:
            text = _("The mail leaves in a moment. Open its link within a day to confirm.")
            messages.success(request, text)
        else:
            text = _(
                "The mail with the link waits until an administrator of this site switches "
                "sending on. Ask a director of the club if you cannot wait."
            )
            messages.warning(request, text)
        return redirect("tournaments:my-evening", token=_token(request))
    contact = get_contact(link.player)
    context = _context(request, link) | {
        "form": form,
        "address": _masked(contact.email),
        "has_address": bool(contact.email),
        "is_vouched": contact.is_vouched,
        "is_confirmed_there": is_for_address(link, contact),
    }
    return render_form(request, "people/my_requests.html", context, form)


@never_cache
@get_or_post
@runs(confirm_address, ask_erasure, ask_account, answer_challenge, dispute_result)
def confirm(request: HttpRequest, token: str) -> HttpResponse:
    """Ask the reader of a mail to confirm what its link is for; only the button acts."""
    confirmation = find_confirmation(token)
    with suppress(Missing, Forbidden):  # a challenge that the person no longer reads
        if confirmation is not None:
            return _confirm_page(cast(PageRequest, request), confirmation)
    context = {"layout": Layout(path=request.path, at_table=True), "is_mail": True}
    return render(request, "people/no_personal_link.html", context, status=404)


def _confirm_page(page_request: PageRequest, confirmation: Confirmation) -> HttpResponse:
    link, action, facts, _digest = confirmation
    page_request.actor = note_actor(person_with_mail(confirmation))
    challenge = _find_challenge(link.player, facts) if action == "challenge" else None
    form = ConfirmForm(posted(page_request))
    done = None
    if form.is_valid():
        with form.placing():
            op = operation_of(page_request)
            typed = page_request.POST
            to, words = typed.get("to", ""), typed.get("words", "")
            done = _confirm(op, confirmation, challenge, to=to, words=words)
    if isinstance(done, HttpResponse):
        return done
    context = _context(page_request, link) | {
        "form": form,
        "action": action,
        "email": facts.get("email"),
        "challenge": _in_words(page_request, challenge) if challenge is not None else None,
        "done": done,
        "is_wrong": "wrong" in page_request.GET,
        "my_path": personal_path(link),
    }
    return render_form(page_request, "people/my_confirm.html", context, form)


def _confirm(
    op: Operation, confirmation: Confirmation, challenge: Challenge | None, *, to: str, words: str
) -> str | HttpResponse:
    link, action, facts, digest = confirmation
    player = link.player
    if action == "address":
        confirm_address(op, player.club, email=str(facts.get("email") or ""), digest=digest)
        return _("Your address is saved.")
    if action == "erasure":
        ask_erasure(op, player)
        return _("The owner of the club was asked to erase you.")
    if challenge is not None and to == DISPUTE:
        dispute_result(op, challenge, words=words)
        return str(DISPUTED)
    if challenge is not None:
        before = challenge.state
        return done_message(answer_challenge(op, challenge, to=to), before, to)
    invitation = ask_account(op, player.club, digest=digest)
    mark = invitations.mail_mark(invitation.seed)
    path = reverse("tournaments:open-invitation", args=(invitations.printable_token(invitation),))
    return redirect(f"{path}?m={mark}")


def _find_challenge(player: Player, facts: JsonDict) -> Challenge:
    pk = int(facts.get("challenge") or 0)
    event = first_or_missing(events_of_person(player).filter(challenges__pk=pk), "challenge")
    row = challenge_rows(event).get(pk=pk)
    row.event = event
    return row


def _in_words(request: PageRequest, challenge: Challenge) -> JsonDict:
    """Return a challenge with the answers that the actor may give."""
    now = timezone.now()
    event = challenge.event
    entrant = own_entrant(request.actor, event)
    code = entrant.code if entrant is not None else ""
    return challenges_for_reader(request, event, [challenge], now=now, own=code)[0]


def _open_challenges(
    request: PageRequest, events: Sequence[Event]
) -> Iterator[tuple[Event, int, JsonDict]]:
    """Yield the open challenges of a person, each with its ladder and its row's key."""
    now = timezone.now()
    ladders = (
        one for one in events if (one.kind, one.state) == (EventKind.LADDER, EventState.OPEN)
    )
    for event in islice(ladders, MOST_PLACES):
        entrant = own_entrant(request.actor, event)
        if entrant is None:
            continue
        rows = challenges_of_member(event, entrant.code).filter(state__in=OPEN_CHALLENGES)
        challenges = list(rows)
        texts = challenges_for_reader(request, event, challenges, now=now, own=entrant.code)
        for row, text in zip(challenges, texts, strict=True):
            yield event, row.pk, text


def _context(request: PageRequest, link: PersonalLink) -> dict[str, Any]:
    club = link.player.club
    page_layout = Layout(path=request.path, club_name=club.name, zone=club.time_zone, at_table=True)
    return {"layout": page_layout, "club": club, "player": link.player, "token": _token(request)}


def _token(request: HttpRequest) -> str:
    match = request.resolver_match
    return str(match.kwargs["token"]) if match is not None else ""


def _masked(email: str) -> str:
    """Return a mail address so that its owner knows it, and a stranger does not.

    >>> _masked("ana@club.example")
    'a…@club.example'
    """
    name, _at, host = email.partition("@")
    return f"{name[:1]}…@{host}" if host else ""
