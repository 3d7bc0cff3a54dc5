"""Managing an event: the page Manage with its tables as tiles, and changes of state."""

from collections.abc import Mapping, Sequence
from typing import Final

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext

from scoring.json_types import JsonDict
from tournaments.domain.figures import in_short
from tournaments.domain.messages import sentence
from tournaments.domain.replay_game import TOTALS
from tournaments.models.events import Event
from tournaments.selectors.clubs import clubs
from tournaments.selectors.events import events
from tournaments.selectors.jobs.queue import get_recount
from tournaments.selectors.rounds.round_board import Tile
from tournaments.selectors.standings import standings
from tournaments.services.events.change_event import retry_jobs
from tournaments.services.events.events import move_event
from tournaments.services.hands.double_entry import set_double_entry
from tournaments.services.operations import Operation
from tournaments.states import EVENT, Move, moves_from
from tournaments.views.events.manage.attention import attention_lines
from tournaments.views.events.manage.facts import (
    ManageFacts,
    ManageStep,
    job_row,
    jobs_in_words,
)
from tournaments.views.events.manage.groups import event_in_words, link_groups, rounds_in_words
from tournaments.views.events.manage.next_steps import next_step
from tournaments.views.http.decorators import event_form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import done, go_to, render_event
from tournaments.views.http.service_form import ReasonForm, RefusalMessages, posted, submit


class EventStateForm(ReasonForm):
    to = forms.CharField(widget=forms.HiddenInput)


LOOKS: Final[Mapping[str, tuple[str, str, str | Promise, int]]] = {
    "bad": ("bad", "warn", gettext_lazy("Wrong total"), 0),
    "filed": ("disp", "flag", gettext_lazy("Disputed"), 0),
    "disp": ("disp", "flag", gettext_lazy("Disputed"), 1),
    "empty": ("", "open", gettext_lazy("Empty"), 2),
    "quiet": ("", "clock", gettext_lazy("Late"), 2),
    "late": ("late", "clock", gettext_lazy("Late"), 2),
    "skipped": ("play", "warn", gettext_lazy("Hand skipped"), 3),
    "play": ("play", "cards", "", 4),
    "seated": ("", "seat", gettext_lazy("Seated"), 5),
    "in": ("in", "check", gettext_lazy("Complete"), 6),
    "over": ("over", "flag", gettext_lazy("Abandoned"), 7),
}
"""What a table is → class, icon and label of its tile, and its rank among the tiles."""
_NEEDS_DIRECTOR: Final = 3


def manage_tiles(facts: ManageFacts) -> list[JsonDict]:
    """Return the tables with the label of their state and their notes, the most urgent first."""
    tiles = [_tile(facts, tile) for tile in facts.board.tiles] if facts.board else []
    return sorted(tiles, key=lambda tile: (tile["rank"], tile["tile"].number))


def tiles_summary(tiles: Sequence[JsonDict]) -> str:
    """Return how many tables are complete, playing and in need, as `2 complete · 3 playing`."""
    complete = sum(tile["tile"].state in ("in", "over") for tile in tiles)
    need = sum(tile["rank"] <= _NEEDS_DIRECTOR for tile in tiles)
    play = sum(tile["tile"].state == "play" and tile["rank"] > _NEEDS_DIRECTOR for tile in tiles)
    rest = len(tiles) - complete - need - play
    parts = [
        text % {"n": n}
        for n, text in (
            (need, ngettext("%(n)s needs you", "%(n)s need you", need)),
            (play, gettext("%(n)s playing")),
            (rest, gettext("%(n)s without hands")),
            (complete, gettext("%(n)s complete")),
        )
        if n
    ]
    return " · ".join(parts)


def _tile(facts: ManageFacts, tile: Tile) -> JsonDict:
    look, says = _obstacle(facts, tile) or _progress(tile)
    css, icon, word, rank = LOOKS[look]
    if look == "play":
        word = gettext("Hand %(hand)s of %(of)s") if tile.of else gettext("Hand %(hand)s")
        word %= {"hand": tile.hand, "of": tile.of}
    return {"tile": tile, "css": css, "icon": icon, "word": word, "rank": rank, "says": says}


def _obstacle(facts: ManageFacts, tile: Tile) -> tuple[str, str] | None:
    """Return why a director looks at a table, as a key of `LOOKS` and in words."""
    quiet = facts.quiet.get(tile.code)
    filed = [hand.number for hand in facts.filed if hand.code == tile.code]
    if tile.state == "bad":
        n = len(tile.problems)
        says = ngettext("%(n)s hand or sheet pending", "%(n)s hands or sheets pending", n)
        return "bad", says % {"n": n}
    if filed:
        says = ngettext("Hand %(hands)s does not count", "Hands %(hands)s do not count", len(filed))
        says = gettext("The totals do not count") if TOTALS in filed else says
        return "filed", says % {"hands": in_short(filed)}
    if tile.state == "disp":
        n = len(tile.disputed)
        says = ngettext("Hand %(hands)s needs a director", "Hands %(hands)s need a director", n)
        says = gettext("Totals need a director") if TOTALS in tile.disputed else says
        return "disp", says % {"hands": in_short(tile.disputed)}
    if tile.state == "empty":
        return "empty", gettext("Nobody is seated")
    if quiet is not None:
        since, has_entries = quiet
        no_hand, first = gettext("No hand for %(n)s min"), gettext("No hand yet after %(n)s min")
        minutes = int((facts.now - since).total_seconds()) // 60
        return "quiet", (no_hand if has_entries else first) % {"n": minutes}
    if tile.state == "late":
        return "late", _late(tile)
    if tile.missing and tile.state == "play":
        says = ngettext("Hand %(hands)s skipped", "Hands %(hands)s skipped", len(tile.missing))
        return "skipped", says % {"hands": in_short(tile.missing)}
    return None


def _late(tile: Tile) -> str:
    if not tile.n_hands:
        return gettext("No hands yet, the time is over")
    if tile.of:
        facts = {"n": tile.n_hands, "of": tile.of}
        return gettext("%(n)s of %(of)s hands, the time is over") % facts
    return gettext("Not complete, the time is over")


def _progress(tile: Tile) -> tuple[str, str]:
    n, says = tile.n_hands, ""
    if tile.state == "in" and tile.has_totals:
        says = gettext("Totals only")
    elif tile.state == "in":
        says = ngettext("%(n)s hand, correct", "%(n)s hands, all correct", n) % {"n": n}
    elif tile.state == "seated" and not tile.pips:
        says = gettext("No hands yet")
    elif tile.state == "play" and not tile.pips:
        says = ngettext("%(n)s hand entered", "%(n)s hands entered", n) % {"n": n}
    return tile.state, says


LISTED_ROUNDS: Final = 20
"""So many of the newest rounds are listed; the page "Evenings" has all."""


EVENT_ACTS: Final[Mapping[tuple[str, str], str | Promise]] = {
    ("draft", "open"): gettext_lazy("Open event"),
    ("open", "closed"): gettext_lazy("Close event"),
    ("open", "draft"): gettext_lazy("Back to draft"),
    ("closed", "final"): gettext_lazy("Make final"),
    ("closed", "open"): gettext_lazy("Reopen event"),
    ("final", "open"): gettext_lazy("Reopen event"),
}
"""Each move of the table of states as the button that makes it, the way on before the way back."""


EVENT_SAYS: Final[Mapping[str, str | Promise]] = {
    "draft": gettext_lazy("The event is a draft again."),
    "open": gettext_lazy("Event opened."),
    "closed": gettext_lazy("The event is closed."),
    "final": gettext_lazy("The event is final."),
}
"""What was done, by the state that it led to."""


def acts(
    table: Mapping[tuple[str, str], Move],
    words: Mapping[tuple[str, str], str | Promise],
    state: str,
    read: Event,
) -> list[JsonDict]:
    """Return the moves that the reader may make from `state`, in the order of their buttons."""
    moves = dict(moves_from(table, state))
    return [
        {"to": to, "text": text, "needs_reason": moves[to].needs_reason}
        for (begin, to), text in words.items()
        if begin == state and to in moves and clubs.may_do(read, moves[to].act)
    ]


@event_form_page(move_event, find=standings.event_with_state)
def manage_event(request: PageRequest, event: Event) -> HttpResponse:
    form = EventStateForm(posted(request))
    if "try_again" in request.POST:
        retry_jobs(Operation(request.actor, timezone.now()), event)
        return done(request, gettext("The job will be tried again."), "manage-event", event)
    if "double_entry" in request.POST:
        is_on = request.POST["double_entry"] == "on"
        with RefusalMessages(request):
            set_double_entry(actor=request.actor, event=event, on=is_on, now=timezone.now())
            messages.success(request, gettext("Done."))
        return go_to("manage-event", event)
    changed_event = submit(request, form, move_event, event)
    if changed_event is not None:
        return done(request, str(EVENT_SAYS[changed_event.state]), "manage-event", event)
    facts = ManageFacts(event, actor=request.actor, now=timezone.now())
    following = next_step(facts)
    offered = [
        act
        for act in acts(EVENT, EVENT_ACTS, event.state, event)
        if not (
            (act["to"] == "final" and (facts.waits or facts.is_window_open))
            or (act["to"] == "draft" and events.has_hands(event))
        )
    ]
    step: ManageStep | None = following["step"]
    if step and (step.act.field, step.act.url) == ("to", facts.url("manage-event")):
        offered = [act for act in offered if act["to"] != step.act.value]
    tiles = manage_tiles(facts)
    context = {
        "lede": event_in_words(facts),
        "next": following,
        "current": facts.current,
        "clock": facts.clock,
        "round": facts.current.row if facts.current else None,
        "may_extend": clubs.may_do(event, "extend_round"),
        "is_tonight": facts.current is not None and facts.current.on == facts.today,
        "tiles": tiles,
        "tiles_summary": tiles_summary(tiles),
        "attention": attention_lines(facts),
        "groups": link_groups(facts),
        "rounds": facts.rounds[: -LISTED_ROUNDS - 1 : -1],
        "n_more_rounds": max(0, len(facts.rounds) - LISTED_ROUNDS),
        "rounds_in_words": rounds_in_words(facts),
        "settings": facts.settings,
        "form": form,
        "jobs": tuple(map(job_row, facts.jobs)),
        "jobs_summary": jobs_in_words(facts.jobs, event.club.time_zone),
        "counting": get_recount(event.pk),
        "waits": tuple(map(sentence, facts.waits)),
        "window_ends": facts.window_ends,
        "acts": offered,
        "asks_reason": any(act["needs_reason"] for act in offered),
    }
    return render_event(request, "events/manage_event.html", event, context, form)
