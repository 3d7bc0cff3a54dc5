"""Undoing a correction: the revision before becomes the next one."""

from functools import partial

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from scoring.errors import Problem, Refused
from tournaments.errors import Conflict
from tournaments.messages import sentence
from tournaments.previewing.run_preview import HandRef
from tournaments.selectors.events.events import event_at
from tournaments.selectors.hands.score_sheet_views import HandView, Revision
from tournaments.services.hands.record_entry import RecordedHand, record_entry
from tournaments.views.hands.enter_hand import hand_to_correct, natural_number
from tournaments.views.hands.hand_screen import HandScreen
from tournaments.views.hands.preview_correction import PreviewForm, must_preview, preview_or_save
from tournaments.views.http.decorators import form_page
from tournaments.views.http.layout import PageRequest


@form_page("enter_hand", at_table=True)
def undo_hand(request: PageRequest, club: str, event: str, code: str, number: int) -> HttpResponse:
    """Put back what a hand said before its newest revision, as a revision of its own.

    A void hand says again what it said. The reason is that it is undone; once its results are out,
    what that changes is shown first.
    """
    screen = HandScreen(event_at(request.actor, club, event, code=code), code, number)
    hand = hand_to_correct(screen)
    to_hand = redirect("tournaments:edit-hand", club, event, code, number)
    looked = natural_number(request.POST.get("based_on", ""))
    before = _before(hand, looked)
    if request.method != "POST" or looked is None or before is None:
        return to_hand
    facts = {"hand": number, "number": before.number}
    if problem := _why_not(hand, looked, before):
        messages.error(request, sentence(problem))
        return to_hand
    undo = partial(_undo, request, screen, hand, looked, before)
    try:
        if must_preview(screen.event, screen.table):
            saving = PreviewForm(
                action=request.path,
                title=_("Undo: hand %(hand)s") % facts,
                button=_("Save as revision %(number)s") % {"number": hand.revision + 1},
                fields=(("based_on", str(looked)),),
                reason=_("Undo: as in revision %(number)s") % facts,
                asks_reason=False,
            )
            done = preview_or_save(
                request, HandRef(screen.event, code, number), screen.table, saving, undo
            )
            if isinstance(done, HttpResponse):
                return done
        else:
            undo(_("Undo: as in revision %(number)s") % facts)
    except Conflict as conflict:
        messages.error(request, sentence(conflict.problem))
        return to_hand
    except Refused as refused:
        messages.error(request, " ".join(map(sentence, refused.problems)))
        return to_hand
    text = _("Hand %(hand)s is back to revision %(number)s.")
    messages.success(request, text % facts)
    return redirect("tournaments:table", club, event, code)


def _before(hand: HandView, looked: int | None) -> Revision | None:
    """Return the revision that comes back: the one before, or of a void hand the last."""
    if looked is None:
        return None
    wanted = looked if hand.state == "void" else looked - 1
    return next((one for one in hand.revisions if one.number == wanted), None)


def _why_not(hand: HandView, looked: int, before: Revision) -> Problem | None:
    """Say why a revision is not undone: there are others since, or it changed nothing.

    A second tap is none of these: what it undoes has one revision more, which is its own.
    """
    if hand.revision > looked + 1:
        return Problem("entry_outdated", facts={"yours": looked, "theirs": hand.revision})
    is_same = looked == hand.revision and dict(before.entry) == dict(hand.entry)
    if is_same and hand.state != "void":
        return Problem("undo_changes_nothing", facts={"hand": hand.number})
    return None


def _undo(
    request: PageRequest,
    screen: HandScreen,
    hand: HandView,
    looked: int,
    before: Revision,
    reason: str,
) -> RecordedHand:
    what = "void-hand" if hand.state == "void" else "hand"
    return record_entry(
        actor=request.actor,
        game=screen.game,
        number=hand.number,
        entry=before.entry,
        now=timezone.now(),
        source="host",
        based_on=looked,
        key=f"undo-of-{what}-{hand.number}-revision-{looked}",
        reason=reason,
    )
