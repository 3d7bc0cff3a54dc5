"""The host's page: one hand of one table, typed as written on paper."""

from dataclasses import dataclass, replace
from typing import Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from scoring.errors import Problem, Refused
from tournaments.domain import seating_runs
from tournaments.domain.messages import sentence
from tournaments.domain.replay_game import LAST_HAND, HandRefused
from tournaments.errors import Conflict, Forbidden
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events.events import event_url, get_event
from tournaments.selectors.hands.disputes import may_dispute
from tournaments.selectors.hands.undo import undoable_hand
from tournaments.selectors.rounds.table_sheets import stored_photos
from tournaments.services.hands.disputes import file_disputed
from tournaments.services.hands.record_entry import RecordedHand, record_entry
from tournaments.services.previewing.run_preview import ChosenHands
from tournaments.views.hands.enter_totals import (
    ask_who_plays,
    explain_no_hands,
    explain_totals_or_hands,
)
from tournaments.views.hands.form_feedback import changed
from tournaments.views.hands.hand_form_fields import (
    Fields,
    converted_fields,
    fields_of,
    natural_number,
    posted_fields,
    way_of,
)
from tournaments.views.hands.hand_screen import (
    ADD,
    FILE,
    HANDS_MOVED,
    KNOWN_MOVES,
    LONGEST_KEY,
    LONGEST_REASON,
    NOT_A_RACE,
    ROUND_NOT_OPEN,
    HandScreen,
    filing_of,
    hand_to_correct,
    new_key,
)
from tournaments.views.hands.move_hands import moved_hands
from tournaments.views.hands.phone_queue import (
    already_recorded,
    outbox_page,
    preview_required,
    render_for_queue,
)
from tournaments.views.hands.preview_correction import BACK, LOOK, PreviewForm, preview_or_save
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import go_to
from tournaments.views.http.service_form import operation_of
from tournaments.views.http.uploaded_photos import ACCEPTED, PHOTO, saved_message, take_photos

UNDO: Final = "undo"
"""Marks the message about a hand that was just saved, which offers to undo or correct it."""

REPEAT: Final = "save:repeated"
"""The button that saves a hand which is the same as the one before it."""

REPEATED: Final = "repeated"
"""The field by which a form knows that this was asked."""

ADDITIONAL_FIELD: Final = "additional"
"""The field by which a question knows that the hand exceeds the event's length."""

ASKED: Final = 409
"""The status of a page that asks before anything is stored."""

RUNNING: Final = "running"
"""The button that reads the points as running totals."""


@dataclass(slots=True)
class EntryDraft:
    """An entry as it was typed so far, with what makes sending it twice harmless.

    `key` was made with the form; `based_on` is the revision that the host was looking at,
    `displayed_players` who sat in which seat on the form, `known_moves` the moves of hands from and
    to the table that the form knew of.
    """

    way: str
    fields: Fields
    key: str
    based_on: int | None = None
    reason: str = ""
    displayed_players: tuple[str, ...] | None = None
    known_moves: int | None = None
    board: str = ""
    may_repeat: bool = False
    """Whether its author said that a hand which looks entered twice was dealt twice."""
    is_additional: bool = False


@outbox_page(record_entry, file_disputed)
def new_hand(request: PageRequest, club: str, event: str, code: str) -> HttpResponse:
    """Show an empty sheet for the next hand of a table, or take one in."""
    current_event = get_event(request.actor, club, event, code=code)
    if request.method == "POST":
        screen = HandScreen(current_event, code, natural_number(request.POST.get("number", "")))
        if screen.is_empty:
            return ask_who_plays(request, screen)
        return _handle_button(request, screen, _posted_draft(request, screen))
    number = natural_number(request.GET.get("number", ""))
    screen = HandScreen(current_event, code, number if number in range(1, LAST_HAND + 1) else None)
    if screen.is_abandoned and not screen.has_totals and (screen.is_empty or screen.hand is None):
        return explain_no_hands(request, screen)
    if screen.is_empty:
        return ask_who_plays(request, screen)
    if screen.has_totals:
        return explain_totals_or_hands(request, screen)
    if refusal := screen.why_no_hands:
        return explain_no_hands(request, screen, refusal)
    if screen.hand is not None:
        return go_to("edit-hand", current_event, code=code, number=screen.number)
    if screen.is_after_the_end:
        return _explain_end(request, screen)
    if (playoff := screen.table.playoff) and playoff.moved_to:
        problem = Problem("playoff_moved", facts={"round": playoff.moved_to})
        return explain_no_hands(request, screen, problem)
    draft = EntryDraft(screen.sheet.ways[0], {}, new_key("page"), known_moves=screen.game.moves)
    draft.board = str(next(iter(screen.boards_left), ""))
    return _show(request, screen, draft)


def _explain_end(request: PageRequest, screen: HandScreen) -> HttpResponse:
    if screen.next_number >= screen.number:
        return explain_no_hands(request, screen, says=_("The game at this table is over."))
    facts = {"hand": screen.next_number}
    messages.info(request, _("Hand %(hand)s is missing. Enter it first.") % facts)
    return redirect("tournaments:new-hand", *screen.address)


@outbox_page(record_entry, file_disputed)
def edit_hand(request: PageRequest, club: str, event: str, code: str, number: int) -> HttpResponse:
    screen = HandScreen(get_event(request.actor, club, event, code=code), code, number)
    hand = hand_to_correct(screen)
    if request.method == "GET" and hand.is_undone:
        return redirect(f"{event_url('new-hand', screen.event, code)}?number={number}")
    if request.method == "POST":
        return _handle_button(request, screen, _posted_draft(request, screen))
    if refusal := screen.why_no_hands:
        return explain_no_hands(request, screen, refusal)
    way = way_of(screen.sheet, hand.entry)
    fields = fields_of(screen.sheet, hand.entry)
    if way in ("counts", "cards"):  # a moon is asked for again, should there still be one
        fields.pop("slam_choice", None)
        fields.pop("shooter", None)
    draft = EntryDraft(way, fields, new_key("page"), hand.revision, known_moves=screen.game.moves)
    draft.board = str(hand.board or "")
    return _show(request, screen, draft)


def _posted_draft(request: PageRequest, screen: HandScreen) -> EntryDraft:
    posted = request.POST
    way = posted.get("way", "")
    return EntryDraft(
        way=way if way in screen.sheet.ways else screen.sheet.ways[0],
        fields=posted_fields(screen.sheet, dict(posted.lists())),
        key=posted.get("key", "")[:LONGEST_KEY] or new_key("page"),
        based_on=natural_number(posted.get("based_on", "")),
        reason=posted.get("reason", "").strip()[:LONGEST_REASON],
        displayed_players=seating_runs.in_field(posted.get(seating_runs.FIELD, "")),
        known_moves=natural_number(posted.get(KNOWN_MOVES, "")),
        board=posted.get("board", "").strip()[:6],
        may_repeat=REPEATED in posted or posted.get("go") == REPEAT,
        is_additional=ADDITIONAL_FIELD in posted or posted.get("go") == ADD,
    )


def _handle_button(request: PageRequest, screen: HandScreen, draft: EntryDraft) -> HttpResponse:
    """Perform the pressed button's action: change the form, or save the hand.

    Photos are stored first, since a browser does not send them again; if one is refused, the hand
    is not saved and is shown as typed.
    """
    button = request.POST.get("go", "")
    photos = take_photos(request, screen.event, screen.code)
    if photos.added or (photos.is_done and button == PHOTO):
        messages.success(request, saved_message(photos))
    if photos.problems or button == PHOTO:
        return _show(request, screen, draft, status=photos.status, photo_problem=photos.says)
    if button.startswith("way:") or button == RUNNING:
        _convert(request, screen, draft, button.removeprefix("way:"))
        return _show(request, screen, draft)
    is_look = screen.hand is not None and button == LOOK
    draft.fields, is_saved = changed(screen.sheet, draft.fields, button)
    if not (is_saved or is_look or button == FILE):
        return _show(request, screen, draft)
    try:
        return _save_or_preview(request, screen, draft, is_look=is_look)
    except HandRefused as later:
        return _show(request, screen, draft, status=422, upset=later)
    except Refused as refused:
        problem = refused.problems[0]
        if problem.code != "idempotency_key_reused":
            return _show_refused(request, screen, draft, refused)
    except Conflict as conflict:
        problem = conflict.problem
    except Forbidden as forbidden:
        return _show(
            request, screen, draft, status=403, problems=(screen.why_forbidden(forbidden),)
        )
    return _show_conflict(request, screen, draft, problem)


def _show_refused(
    request: PageRequest, screen: HandScreen, draft: EntryDraft, refused: Refused
) -> HttpResponse:
    problem = refused.problems[0]
    if problem.code == "hand_repeated":
        return _show(request, screen, draft, status=ASKED, repeated=problem)
    return _show(request, screen, draft, status=422, problems=refused.problems)


def _convert(request: PageRequest, screen: HandScreen, draft: EntryDraft, way: str) -> None:
    """Change the way in which a hand is written; running totals become points."""
    if way == RUNNING and screen.may_subtract:
        draft.fields, is_unclear = screen.points_of_totals(draft.fields)
        messages.info(request, _("The totals of the hands before are subtracted."))
        if is_unclear:
            text = _(
                "A total can come from a reset or from points below zero. Write the points of the "
                "hand where the field is empty."
            )
            messages.warning(request, text)
    elif way in screen.sheet.ways:
        draft.fields = converted_fields(screen.sheet, draft.way, way, draft.fields)
        draft.way = way


def _record(request: PageRequest, screen: HandScreen, draft: EntryDraft) -> RecordedHand:
    hand = screen.hand
    if hand is not None and hand.state == "void" and not may_do(screen.event, "correct_closed"):
        raise Forbidden("correct_closed")
    return record_entry(
        operation_of(request),
        screen.game,
        number=screen.number,
        entry=screen.entry(draft.way, draft.fields),
        source="host",
        based_on=draft.based_on,
        key=draft.key,
        reason=draft.reason,
        displayed_players=draft.displayed_players,
        known_moves=draft.known_moves,
        board=natural_number(draft.board) if screen.is_duplicate else None,
        additional=draft.is_additional,
        may_repeat=draft.may_repeat,
    )


def _file_disputed(request: PageRequest, screen: HandScreen, draft: EntryDraft) -> HttpResponse:
    file_disputed(
        operation_of(request),
        screen.game,
        number=screen.number,
        entry=screen.entry(draft.way, draft.fields),
        key=draft.key,
        reason=draft.reason,
        known_moves=draft.known_moves,
    )
    saved_message = _("Hand %(hand)s is saved as disputed. It does not count until it is resolved.")
    messages.success(request, saved_message % {"hand": screen.number})
    return redirect("tournaments:table", *screen.address)


def _save_or_preview(
    request: PageRequest, screen: HandScreen, draft: EntryDraft, *, is_look: bool
) -> HttpResponse:
    """Save a hand; a correction of results that are out shows first what it changes.

    It is saved once that was looked at, and is still so. A director may file a new hand whose
    total is wrong.
    """
    if draft.based_on is None and request.POST.get("go") == FILE:
        return _file_disputed(request, screen, draft)
    if not is_look and not (screen.hand is not None and screen.is_previewed):
        return _redirect_after_save(request, screen, _record(request, screen, draft))
    seated = seating_runs.FIELD
    saving = PreviewForm(
        action=event_url("edit-hand", screen.event, screen.code, screen.number),
        title=_("Correct hand %(number)s") % {"number": screen.number},
        button=_("Save as revision %(number)s") % {"number": (draft.based_on or 0) + 1},
        fields=(
            ("way", draft.way),
            ("key", draft.key),
            ("based_on", str(draft.based_on or "")),
            (seated, request.POST.get(seated, "")),
            (KNOWN_MOVES, "" if draft.known_moves is None else str(draft.known_moves)),
            ("board", draft.board),
            *(((REPEATED, "1"),) if draft.may_repeat else ()),
            *((name, value) for name, values in draft.fields.items() for value in values),
        ),
        reason=draft.reason,
        back=BACK,
    )
    answer = preview_or_save(
        request,
        ChosenHands(screen.event, screen.code, screen.number),
        screen.table,
        saving,
        lambda reason: _record(
            request, screen, replace(draft, reason=reason, may_repeat=draft.may_repeat or is_look)
        ),
        is_look=is_look,
    )
    if not isinstance(answer, HttpResponse):
        answer = _redirect_after_save(request, screen, answer)
    return preview_required(request, answer)


def _redirect_after_save(
    request: PageRequest, screen: HandScreen, recorded: RecordedHand
) -> HttpResponse:
    facts = {"hand": screen.number, "revision": recorded.entry.revision}
    moved = {hand.number for hand in screen.table.hands if hand.moved_to is not None}
    if recorded.hand.is_undone:
        notice = _("Hand %(hand)s was undone, and is not saved again.")
        if screen.number in moved:
            notice = _("Hand %(hand)s was moved to another table, and is not saved again here.")
        messages.info(request, notice % facts)
        return redirect("tournaments:new-hand", *screen.address)
    if recorded.entry.revision > 1 and screen.hand is not None:
        messages.success(request, _("Hand %(hand)s saved as revision %(revision)s.") % facts)
        return redirect("tournaments:table", *screen.address)
    is_open = screen.state_of_game() in ("playing", "seated")
    notice = _("Hand %(hand)s saved.") % facts
    if screen.is_duplicate and not is_open:
        notice += " " + _("All boards of this round are entered.")
    for hand in screen.table.hands:
        if hand.is_undone and hand.number < screen.number and hand.number not in moved:
            notice += " " + _("Hand %(hand)s was undone and is missing.") % {"hand": hand.number}
    messages.success(request, notice, extra_tags=UNDO)
    if is_open:
        return redirect("tournaments:new-hand", *screen.address)
    return redirect("tournaments:verify-sheet", *screen.address)


def _is_stored(screen: HandScreen, draft: EntryDraft) -> bool:
    """Whether the table has this hand with the same numbers, whoever entered it."""
    hand = screen.hand
    if hand is None or hand.state != "accepted":
        return False
    return bool(hand.entry == screen.entry(draft.way, draft.fields))


def _show_stored(request: PageRequest, screen: HandScreen) -> HttpResponse:
    """Lead to the table that has the hand already; a phone lets it go from its outbox."""
    text = _("Hand %(hand)s was already entered with the same numbers.")
    messages.info(request, text % {"hand": screen.number})
    return already_recorded(request, redirect("tournaments:table", *screen.address))


def _show_conflict(
    request: PageRequest, screen: HandScreen, draft: EntryDraft, problem: Problem
) -> HttpResponse:
    now = HandScreen(screen.event, screen.code, screen.number)
    hand = now.hand
    if problem.code == HANDS_MOVED:
        draft.known_moves = int(problem.facts["moves"])
        return _show(request, now, draft, status=ASKED, moved=problem)
    if hand is None or problem.code in NOT_A_RACE:
        draft.key = new_key("page")
        return _show(request, now, draft, status=409, problems=(problem,))
    if _is_stored(now, draft):
        return _show_stored(request, now)
    mine = now.entry(draft.way, draft.fields)
    draft.key, draft.based_on = new_key("page"), hand.revision
    draft.reason = draft.reason or _("Two entries of one hand: the table chose this one.")
    return _show(request, now, draft, status=409, versions=now.compared_versions(hand, mine))


def _show(
    request: PageRequest,
    screen: HandScreen,
    draft: EntryDraft,
    *,
    status: int = 200,
    problems: tuple[Problem, ...] = (),
    versions: tuple[object, ...] = (),
    upset: HandRefused | None = None,
    photo_problem: str = "",
    repeated: Problem | None = None,
    moved: Problem | None = None,
) -> HttpResponse:
    """Print the page; `repeated` asks whether a hand was dealt twice, `moved` at which table it was
    played.

    `upset` is a later hand of the table that could not stand any more.
    """
    codes = {problem.code for problem in problems}
    is_about_sum = bool(codes) and codes <= {"missing_cards", "too_many_copies"}
    question = screen.question(draft.way, draft.fields, problems)
    last = max(screen.hands.items())[1] if screen.hands and screen.hand is None else None
    undoable = None
    if last is not None and status == 200:  # not beside a refusal or a question
        undoable = undoable_hand(request.actor, screen.game, timezone.now())
    is_question = repeated is not None or moved is not None
    context = {
        **screen.page(request),
        "hand": screen.hand,
        "typed_lines": screen.typed_lines(draft.way, draft.fields) if is_question else (),
        "draft": draft,
        "form": screen.form(draft.way, draft.fields, problems),
        "sum_line": screen.sum_line(draft.way, draft.fields) if is_about_sum else "",
        "upset": upset,
        "question": question,
        "versions": versions,
        "repeated": sentence(repeated) if repeated is not None else "",
        "moved": moved_hands(screen.event, screen.code, moved) if moved is not None else None,
        "last": last if last is not None and last.number else None,
        "undoable": undoable,
        "may_report": ROUND_NOT_OPEN in codes
        and may_dispute(request.actor, screen.event, screen.code),
        "may_add": screen.may_add(problems),
        "filing": filing_of(screen.event, problems) if screen.hand is None else "",
        "photos": stored_photos(screen.event, screen.code),
        "photo_problem": photo_problem,
        "photo_types": ACCEPTED,
        "ways": tuple(way for way in screen.sheet.ways if way != draft.way),
    }
    template = "hands/conflicting_hand.html" if versions else "hands/enter_hand.html"
    if question is not None:
        template = "hands/ask_moon.html"
    if repeated is not None:
        template = "hands/ask_repeated.html"
    if moved is not None:
        template = "hands/ask_table.html"
    return render_for_queue(request, template, context, status)
