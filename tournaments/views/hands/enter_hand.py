"""The host's page: one hand of one table, typed as it stands on paper."""

import uuid
from dataclasses import dataclass, replace
from typing import Any, Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from scoring.errors import Problem, Refused
from tournaments.domain.replay_game import HandRefused
from tournaments.errors import Conflict, Forbidden, Missing
from tournaments.forms.hands.entry_actions import changed
from tournaments.forms.hands.entry_fields import Fields, kept, number_in
from tournaments.forms.hands.entry_initial import carried, fields_of, way_of
from tournaments.forms.rounds.photos import ACCEPTED, PHOTO
from tournaments.previewing.run_preview import HandRef
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events.events import event_at
from tournaments.selectors.hands.score_sheet_views import HandView, hand_of
from tournaments.selectors.rounds.photos import kept_photos
from tournaments.services.hands.file_disputed import DO_NOT_ADD_UP, file_disputed
from tournaments.services.hands.record_entry import LAST_HAND, RecordedHand, record_entry
from tournaments.views.hands.enter_totals import only_one
from tournaments.views.hands.entry_context import EntryContext
from tournaments.views.hands.preview_correction import PreviewForm, looked_at, must_look
from tournaments.views.hands.queue_answers import outbox_page, shown, there_already, to_look_at
from tournaments.views.hands.seat_from_sheet import ask_who_plays, takes_no_hands
from tournaments.views.http import layout
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.uploaded_photos import said, take_photos

LONGEST_REASON: Final = 500
LONGEST_KEY: Final = 128
FILE: Final = "file"
"""The button that keeps a hand that does not add up."""
UNDO: Final = "undo"
"""Marks what was said of a hand that was just saved, and the way back to it from there."""
LOOK: Final = "look"
"""The button that shows what a correction changes."""
BACK: Final = "back"
"""The button that leads from there back to the numbers."""


@dataclass(slots=True)
class HandDraft:
    """A hand as it was typed so far, with what makes sending it twice harmless.

    `key` was made with the form; `based_on` is the revision that the host was looking at.
    """

    way: str
    fields: Fields
    key: str
    based_on: int | None = None
    reason: str = ""


@outbox_page("enter_hand")
def new_hand(request: PageRequest, club: str, event: str, code: str) -> HttpResponse:
    """Show an empty sheet for the next hand of a table, or take one in."""
    found = event_at(request.actor, club, event, code=code)
    if request.method == "POST":
        desk = EntryContext(found, code, whole(request.POST.get("number", "")))
        if desk.is_empty:
            return ask_who_plays(request, desk)
        return _take(request, desk, _posted(request, desk))
    desk = EntryContext(found, code, _asked_number(request))
    if desk.is_abandoned and not desk.has_totals and (desk.is_empty or desk.hand is None):
        return takes_no_hands(request, desk)
    if desk.is_empty:
        return ask_who_plays(request, desk)
    if desk.has_totals:
        return only_one(request, desk)
    if desk.hand is not None:
        return redirect("tournaments:edit-hand", club, event, code, desk.number)
    if desk.is_after_the_end:
        return takes_no_hands(request, desk, Problem("match_over"))
    return _show(request, desk, HandDraft(desk.sheet.ways[0], {}, _new_key()))


@outbox_page("enter_hand")
def edit_hand(request: PageRequest, club: str, event: str, code: str, number: int) -> HttpResponse:
    """Show a hand as it was typed, for a revision with a reason, or take one in."""
    desk = EntryContext(event_at(request.actor, club, event, code=code), code, number)
    hand = entered(desk)
    if request.method == "POST":
        return _take(request, desk, _posted(request, desk))
    way = way_of(desk.sheet, hand.entry)
    fields = fields_of(desk.sheet, hand.entry)
    if way in ("counts", "cards"):  # a moon is asked for again, should there still be one
        fields.pop("slam_choice", None)
        fields.pop("shooter", None)
    draft = HandDraft(way, fields, _new_key(), hand.revision)
    if UNDO in request.GET and hand.is_fresh(timezone.now()):
        draft.reason = _("Undone: it was typed wrong.")
    return _show(request, desk, draft)


def entered(desk: EntryContext) -> HandView:
    """Return the hand that an address names; a sheet with totals only has none to correct."""
    hand = hand_of(desk.table, desk.number)
    if hand.number == 0:
        raise Missing("hand", {"hand": 0, "table": desk.code, "hands": 0})
    return hand


def _posted(request: PageRequest, desk: EntryContext) -> HandDraft:
    posted = request.POST
    way = posted.get("way", "")
    return HandDraft(
        way=way if way in desk.sheet.ways else desk.sheet.ways[0],
        fields=kept(desk.sheet, dict(posted.lists())),
        key=posted.get("key", "")[:LONGEST_KEY] or _new_key(),
        based_on=whole(posted.get("based_on", "")),
        reason=posted.get("reason", "").strip()[:LONGEST_REASON],
    )


def _take(request: PageRequest, desk: EntryContext, draft: HandDraft) -> HttpResponse:
    """Do what the pressed button says: change the form, or save the hand.

    Photos are kept first, since a browser does not send them a second time; one that is refused
    keeps the hand from being saved, and the hand is shown as it was typed.
    """
    button = request.POST.get("go", "")
    taken = take_photos(request, desk.event, desk.code)
    if taken.added or (taken.is_done and button == PHOTO):
        messages.success(request, said(taken))
    if taken.problems or button == PHOTO:
        return _show(request, desk, draft, status=taken.status, photo_problem=taken.says)
    if button.startswith("way:"):
        way = button.removeprefix("way:")
        way = way if way in desk.sheet.ways else draft.way
        draft.fields = carried(desk.sheet, draft.way, way, draft.fields)
        draft.way = way
        return _show(request, desk, draft)
    is_look = desk.hand is not None and button == LOOK
    draft.fields, is_saved = changed(desk.sheet, draft.fields, button)
    if not (is_saved or is_look or button == FILE):
        return _show(request, desk, draft)
    try:
        return _saved_or_shown(request, desk, draft, is_look=is_look)
    except HandRefused as later:
        return _show(request, desk, draft, status=422, upset=later)
    except Refused as refused:
        if refused.problems[0].code == "idempotency_key_reused":
            return _somebody_was_first(request, desk, draft, refused.problems[0])
        return _show(request, desk, draft, status=422, problems=refused.problems)
    except Conflict as conflict:
        return _somebody_was_first(request, desk, draft, conflict.problem)
    except Forbidden as forbidden:
        return _show(request, desk, draft, status=403, problems=(_why(desk, forbidden),))


def _record(request: PageRequest, desk: EntryContext, draft: HandDraft) -> RecordedHand:
    hand = desk.hand
    if hand is not None and hand.state == "void" and not may_do(desk.event, "correct_closed"):
        raise Forbidden("correct_closed")
    return record_entry(
        actor=request.actor,
        game=desk.game,
        number=desk.number,
        entry=desk.entry(draft.way, draft.fields),
        now=timezone.now(),
        source="host",
        based_on=draft.based_on,
        key=draft.key,
        reason=draft.reason,
    )


def _filed(request: PageRequest, desk: EntryContext, draft: HandDraft) -> HttpResponse:
    """Keep a hand that does not add up as typed, for a director to settle later."""
    file_disputed(
        actor=request.actor,
        game=desk.game,
        number=desk.number,
        entry=desk.entry(draft.way, draft.fields),
        key=draft.key,
        reason=draft.reason,
        now=timezone.now(),
    )
    said = _("Hand %(hand)s is filed as disputed. It scores nobody until it is settled.")
    messages.success(request, said % {"hand": desk.number})
    return redirect("tournaments:table", desk.event.club.slug, desk.event.slug, desk.code)


def _saved_or_shown(
    request: PageRequest, desk: EntryContext, draft: HandDraft, *, is_look: bool
) -> HttpResponse:
    """Save a hand; a correction of results that are out shows first what it changes.

    A director may file a new one that does not add up.
    """
    if draft.based_on is None and request.POST.get("go") == FILE:
        return _filed(request, desk, draft)
    if is_look or (desk.hand is not None and must_look(desk.event, desk.table)):
        return to_look_at(request, _looked_at(request, desk, draft, is_look=is_look))
    return _saved(request, desk, draft, _record(request, desk, draft))


def _looked_at(
    request: PageRequest, desk: EntryContext, draft: HandDraft, *, is_look: bool
) -> HttpResponse:
    """Show what a correction changes; save it once that was looked at, and is still so."""
    club, event = desk.event.club.slug, desk.event.slug
    saving = PreviewForm(
        action=reverse("tournaments:edit-hand", args=(club, event, desk.code, desk.number)),
        title=_("Correct hand %(number)s") % {"number": desk.number},
        button=_("Save as revision %(number)s") % {"number": (draft.based_on or 0) + 1},
        fields=(
            ("way", draft.way),
            ("key", draft.key),
            ("based_on", str(draft.based_on or "")),
            *((name, value) for name, values in draft.fields.items() for value in values),
        ),
        reason=draft.reason,
        back=BACK,
    )
    done = looked_at(
        request,
        HandRef(desk.event, desk.code, desk.number),
        desk.table,
        saving,
        lambda reason: _record(request, desk, replace(draft, reason=reason)),
        is_look=is_look,
    )
    return done if isinstance(done, HttpResponse) else _saved(request, desk, draft, done)


def _why(desk: EntryContext, forbidden: Forbidden) -> Problem:
    """Say what keeps a host from it: nearly always that the round is closed."""
    if forbidden.problem.facts.get("act") != "correct_closed" or not desk.table.round_number:
        return forbidden.problem
    facts = {"round": desk.table.round_number, "state": desk.table.round_state}
    return Problem("round_not_open", facts=facts)


def _saved(
    request: PageRequest, desk: EntryContext, draft: HandDraft, done: RecordedHand
) -> HttpResponse:
    address = (desk.event.club.slug, desk.event.slug, desk.code)
    facts = {"hand": desk.number, "revision": done.entry.revision}
    if done.entry.revision > 1:
        messages.success(request, _("Hand %(hand)s is saved as revision %(revision)s.") % facts)
        return redirect("tournaments:table", *address)
    messages.success(request, _("Hand %(hand)s is saved.") % facts, extra_tags=UNDO)
    if EntryContext(desk.event, desk.code, None).table.state in ("playing", "seated"):
        return redirect("tournaments:new-hand", *address)
    return redirect("tournaments:read-back", *address)


def _somebody_was_first(
    request: PageRequest, desk: EntryContext, draft: HandDraft, problem: Problem
) -> HttpResponse:
    """Show what was written first beside what was typed here; nothing is chosen for anybody."""
    now = EntryContext(desk.event, desk.code, desk.number)
    hand = now.hand
    if hand is None or problem.code in ("event_not_open", "round_is_draft"):
        draft.key = _new_key()
        return _show(request, now, draft, status=409, problems=(problem,))
    mine = now.entry(draft.way, draft.fields)
    if hand.state == "accepted" and hand.entry == mine:
        messages.info(
            request,
            _("Hand %(hand)s is there already, with the same numbers.") % {"hand": desk.number},
        )
        there = redirect("tournaments:table", desk.event.club.slug, desk.event.slug, desk.code)
        return there_already(request, there)
    draft.key, draft.based_on = _new_key(), hand.revision
    draft.reason = draft.reason or _("Two entries of one hand; the table chose this one.")
    return _show(request, now, draft, status=409, versions=now.theirs(hand, mine))


def _show(
    request: PageRequest,
    desk: EntryContext,
    draft: HandDraft,
    *,
    status: int = 200,
    problems: tuple[Problem, ...] = (),
    versions: tuple[Any, ...] = (),
    upset: HandRefused | None = None,
    photo_problem: str = "",
) -> HttpResponse:
    """Print the page; `upset` is a later hand of the table that could not stand any more."""
    question = desk.question(draft.way, draft.fields, problems)
    last = desk.table.hands[-1] if desk.table.hands and desk.hand is None else None
    context = {
        "frame": layout.event_frame(request, desk.event),
        "event": desk.event,
        "desk": desk,
        "hand": desk.hand,
        "draft": draft,
        "form": desk.form(draft.way, draft.fields, problems),
        "sum_line": desk.sum_line(draft.way, draft.fields) if _is_about_the_sum(problems) else "",
        "upset": upset,
        "question": question,
        "versions": versions,
        "last": last if last is not None and last.number else None,
        "may_file": desk.hand is None and _may_file(desk, problems),
        "photos": kept_photos(desk.event, desk.code),
        "photo_problem": photo_problem,
        "photo_types": ACCEPTED,
        "ways": tuple(way for way in desk.sheet.ways if way != draft.way),
    }
    template = "hands/conflicting_hand.html" if versions else "hands/enter_hand.html"
    if question is not None:
        template = "hands/ask_moon.html"
    return shown(request, template, context, status)


def _may_file(desk: EntryContext, problems: tuple[Problem, ...]) -> bool:
    """Whether the reader may keep what does not add up as disputed."""
    codes = {problem.code for problem in problems} - {"reason_required"}
    is_wrong = bool(codes) and codes <= DO_NOT_ADD_UP
    return is_wrong and may_do(desk.event, "file_disputed")


def _is_about_the_sum(problems: tuple[Problem, ...]) -> bool:
    """Whether all that is wrong is what the cards come to."""
    codes = {problem.code for problem in problems}
    return bool(codes) and codes <= {"missing_cards", "too_many_copies"}


def _asked_number(request: PageRequest) -> int | None:
    """Return the hand that a link asks for; one that cannot be means the next."""
    number = whole(request.GET.get("number", ""))
    return number if number is not None and 1 <= number <= LAST_HAND else None


def whole(text: str) -> int | None:
    """Return a number of a form; None where it is none."""
    number = number_in(text)
    return number if number is not None and number >= 0 else None


def _new_key() -> str:
    return f"page-{uuid.uuid4()}"
