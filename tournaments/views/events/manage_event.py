"""Managing an event: its page Manage with its links, and changes of state."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from django.http import HttpResponse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.utils.translation import gettext as _

from scoring.json_types import JsonDict
from tournaments.domain.event_settings import settings_of
from tournaments.domain.figures import in_short
from tournaments.domain.messages import sentence
from tournaments.domain.standings.criteria import primary_named
from tournaments.models.events import Event, EventState
from tournaments.models.rounds import RoundState
from tournaments.models.seating_plans import PlanState
from tournaments.selectors.clubs import clubs
from tournaments.selectors.clubs.clubs import may_create_events, may_do
from tournaments.selectors.events import events
from tournaments.selectors.events.events import has_hands, variant_names
from tournaments.selectors.events.settings_checks import current_facts, unusable_criteria
from tournaments.selectors.events.settings_summary import best_text
from tournaments.selectors.jobs.queue import get_recount
from tournaments.selectors.rules.rule_sets import differing_in, offered_in
from tournaments.selectors.standings import publications
from tournaments.services.events.change_event import change_settings, retry_jobs
from tournaments.services.events.events import move_event
from tournaments.states import EVENT, Moves, moves_from
from tournaments.templatetags.points import at
from tournaments.views.events.change_event import LABELS
from tournaments.views.events.manage.attention import attention_lines
from tournaments.views.events.manage.facts import ManageFacts, ManageStep, job_row, jobs_in_words
from tournaments.views.events.manage.next_steps import next_step
from tournaments.views.http.decorators import event_form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import done, render_event
from tournaments.views.http.service_form import (
    ReasonForm,
    hidden_field,
    operation_of,
    posted,
    submit,
)


@dataclass(frozen=True, slots=True)
class GroupLink:
    """A link with its present value; `term` is a word of the glossary that explains it.

    A main link has its `place` among them; the others are in the groups.
    """

    text: str
    value: str
    url: str
    term: str = ""
    place: int = 0


LinkGroup: TypeAlias = tuple[str, str, Sequence[GroupLink]]


MOST_MAIN: Final = 8


class EventStateForm(ReasonForm):
    to = hidden_field()


EVENT_ACTIONS: Final = {
    ("draft", "open"): gettext_lazy("Open event"),
    ("open", "closed"): gettext_lazy("Close event"),
    ("open", "draft"): gettext_lazy("Back to draft"),
    ("closed", "final"): gettext_lazy("Make final"),
    ("closed", "open"): gettext_lazy("Reopen event"),
    ("final", "open"): gettext_lazy("Reopen event"),
}
"""Each move of the table of states as the button that makes it, the way on before the way back."""

EVENT_SAYS: Final = {
    "draft": gettext_lazy("The event is a draft again."),
    "open": gettext_lazy("Event opened."),
    "closed": gettext_lazy("The event is closed."),
    "final": gettext_lazy("The event is final."),
}
"""New state → the message."""


def manage_links(facts: ManageFacts) -> tuple[Sequence[GroupLink], Sequence[LinkGroup]]:
    """Return the main links, and the others in groups of anchor, name and links.

    Links to what the reader may not do are left out.
    """
    groups = (
        ("evenings", _("Evenings"), tuple(_evenings(facts))),
        ("results", _("Results"), tuple(_results(facts))),
        ("people", _("People"), tuple(_people(facts))),
        ("event", _("Event"), tuple(_event(facts))),
    )
    placed = [link for _key, _name, links in groups for link in links if link.place]
    main = sorted(placed, key=lambda link: link.place)[:MOST_MAIN]
    return main, [
        (key, name, [link for link in links if link not in main]) for key, name, links in groups
    ]


def event_in_words(facts: ManageFacts) -> str:
    kinds = {"league": _("League"), "tournament": _("Tournament"), "ladder": _("Ladder")}
    words = {"kind": kinds[facts.event.kind], "entrants": _entrants(facts)}
    parts = [_("%(kind)s with %(entrants)s.") % words]
    if facts.own_rounds:
        parts.append(f"{rounds_in_words(facts)}.")
    return " ".join(parts)


def rounds_in_words(facts: ManageFacts) -> str:
    """Return how far the rounds are, as in "9 rounds closed, round 10 in progress"."""
    closed = sum(not own_round.is_open for own_round in facts.own_rounds)
    parts = (
        [ngettext("%(n)s round closed", "%(n)s rounds closed", closed) % {"n": closed}]
        if closed
        else []
    )
    for state, one_text, more_text in (
        (RoundState.PLAYING, _("%(round)s in progress"), _("rounds %(n)s in progress")),
        (RoundState.POSTED, _("%(round)s posted"), _("rounds %(n)s posted")),
        (RoundState.DRAFT, _("%(round)s is a draft"), _("rounds %(n)s are drafts")),
    ):
        numbers = [own_round.number for own_round in facts.own_rounds if own_round.state == state]
        if numbers:
            text = one_text if len(numbers) == 1 else more_text
            title = facts.round_title(numbers[0])
            names = {"n": in_short(numbers), "round": title[:1].lower() + title[1:]}
            parts.append(text % names)
    text = ", ".join(parts) or _("no rounds yet")
    return text[:1].upper() + text[1:]


def _attendance(facts: ManageFacts) -> str:
    if not facts.attendance:
        return _("Not recorded")
    names = {"late": _("%(n)s late"), "expected": _("%(n)s expected"), "absent": _("%(n)s absent")}
    counts = ((text, facts.attendance.get(state, 0)) for state, text in names.items())
    present = _("%(n)s here") % {"n": facts.attendance.get("here", 0)}
    return ", ".join((present, *(text % {"n": n} for text, n in counts if n)))


def _plans(facts: ManageFacts) -> str:
    if not facts.plans:
        return _("No plans yet")
    return _("One plan chosen") if facts.plans == PlanState.CHOSEN else _("To be compared")


def _evenings(facts: ManageFacts) -> Iterator[GroupLink]:
    current = facts.current
    yield GroupLink(_("Rounds"), rounds_in_words(facts), facts.url("meetings"), place=1)
    if facts.is_running and not facts.is_ladder:
        text = ngettext("%(n)s planned", "%(n)s planned", facts.n_planned) % {"n": facts.n_planned}
        value = text if facts.n_planned else _("No further evening is planned")
        yield GroupLink(_("Plan evening"), value, facts.url("new-meeting"))
    if facts.evening is not None and not facts.is_ladder:
        day = facts.evening.date.isoformat()
        yield GroupLink(_("Attendance"), _attendance(facts), facts.url("attendance", day), place=2)
        seating = (
            "evening-seating" if current or facts.plans == PlanState.CHOSEN else "seating-plans"
        )
        yield GroupLink(_("Seating"), _plans(facts), facts.url(seating, day), place=3)
    elif current is not None:
        text = facts.round_title(current.number)
        yield GroupLink(_("Seating"), text, facts.url("round", current.number), place=3)
    if facts.is_running:
        number = facts.rounds[-1].number + 1 if facts.rounds else 1
        text = _("%(round)s is next") % {"round": facts.round_title(number)}
        yield GroupLink(_("Add round"), text, facts.url("new-round"))
        if not facts.is_ladder:
            url = facts.url("paper-sheets")
            yield GroupLink(_("Enter from paper"), _("Finished evening"), url, place=4)
    links = facts.counts["links"]
    yield GroupLink(
        _("Table links"),
        ngettext("%(n)s created", "%(n)s created", links) % {"n": links}
        if links
        else _("No links"),
        facts.url("event-links"),
    )


def _results(facts: ManageFacts) -> Iterator[GroupLink]:
    event, counts = facts.event, facts.counts
    if facts.is_ladder:
        yield GroupLink(_("Ladder"), _entrants(facts), facts.url("ladder"), place=1)
        waiting = len(facts.challenges)
        text = ngettext("%(n)s open", "%(n)s open", waiting) % {"n": waiting}
        yield GroupLink(
            _("Challenges"),
            text if waiting else _("No open challenges"),
            facts.url("challenges"),
            place=2,
        )
    is_final = event.state == EventState.FINAL
    word = _("final") if is_final else _("provisional")
    yield GroupLink(
        _("Standings"),
        _("Publication %(n)s, %(state)s") % {"n": counts["publication"], "state": word}
        if counts["publication"]
        else _("Not published yet"),
        facts.url("event"),
        place=4,
    )
    if (n := facts.n_boards) is not None:
        text = ngettext("%(n)s board", "%(n)s boards", n) % {"n": n}
        yield GroupLink(_("Boards"), text if n else _("No boards yet"), facts.url("boards"))
    files = ngettext("%(n)s file", "%(n)s files", counts["imports"]) % {"n": counts["imports"]}
    problems = ngettext("%(n)s problem", "%(n)s problems", counts["import_problems"]) % {
        "n": counts["import_problems"]
    }
    if counts["import_problems"]:
        state = f"{files}, {problems}"
    elif counts["imports"]:
        state = files
    else:
        state = _("No files")
    yield GroupLink(_("Imports"), state, facts.url("imports"), place=5)
    total = counts["disputes_open"] + counts["disputes_closed"]
    yield GroupLink(
        _("Disputes"),
        _("%(open)s open, %(closed)s decided")
        % {"open": counts["disputes_open"], "closed": counts["disputes_closed"]}
        if total
        else _("No disputes"),
        facts.url("disputes"),
    )
    yield GroupLink(
        _("Penalties and bonuses"),
        str(counts["adjustments"]) if counts["adjustments"] else _("No entries"),
        facts.url("adjustments"),
    )
    n_before = counts["opening_values"]
    yield GroupLink(
        _("Values from before"),
        str(n_before) if n_before else _("No values; a season begun on paper continues here"),
        facts.url("opening-values"),
    )
    waiting = len(facts.playoffs)
    played = ngettext("%(n)s play-off", "%(n)s play-offs", counts["playoffs"])
    open_ = ngettext("%(n)s undecided", "%(n)s undecided", waiting)
    settings = facts.settings
    has_none = settings.playoff in ("share", "criteria") or not settings.boundaries
    if waiting:
        state = open_ % {"n": waiting}
    elif counts["playoffs"]:
        state = played % {"n": counts["playoffs"]}
    elif has_none:
        state = _("No play-offs")
    else:
        state = _("No play-off needed yet")
    yield GroupLink(_("Play-offs"), state, facts.url("playoffs"))


def _entrants(facts: ManageFacts) -> str:
    units, gone = facts.counts["units"], facts.counts["withdrawn"]
    n = facts.counts["entrants"] - units
    counts = (
        (units, ngettext("%(n)s pair or team", "%(n)s pairs or teams", units) % {"n": units}),
        (n or not units, ngettext("%(n)s player", "%(n)s players", n) % {"n": n}),
        (gone, _("%(n)s withdrawn") % {"n": gone}),
    )
    return ", ".join(text for count, text in counts if count)


def _people(facts: ManageFacts) -> Iterator[GroupLink]:
    event = facts.event
    text = _("Pairs and teams") if facts.counts["units"] else _("Players")
    yield GroupLink(text, _entrants(facts), facts.url("entrants"), place=6)
    if facts.is_ladder:
        away = ngettext("%(n)s away today", "%(n)s away today", facts.counts["absences"])
        text = away % {"n": facts.counts["absences"]}
        yield GroupLink(_("Absences"), text, facts.url("absences"))
    if may_do(event, "edit_players"):
        text = str(facts.counts["players"])
        yield GroupLink(_("Players of the club"), text, facts.club_url("players"))
    if may_do(event, "link_players"):
        count = len(facts.claims)
        text = ngettext("%(n)s pending", "%(n)s pending", count) % {"n": count}
        text = text if count else _("No claims")
        yield GroupLink(_("Claims"), text, facts.club_url("claims"), term="claim")
    if may_do(event, "manage_members"):
        n_directors, n_members = facts.counts["directors"], facts.counts["members"]
        directors = ngettext("%(n)s director or owner", "%(n)s directors and owners", n_directors)
        members = ngettext("%(n)s member", "%(n)s members", n_members)
        yield GroupLink(
            _("Members and roles"),
            f"{members % {'n': n_members}}, {directors % {'n': n_directors}}",
            facts.club_url("members"),
        )


def _event(facts: ManageFacts) -> Iterator[GroupLink]:
    event = facts.event
    yield GroupLink(_("Settings"), _settings(facts), facts.url("settings"), place=7)
    yield GroupLink(_("Name and address"), f"/{event.slug}", facts.url("rename-event"))
    if facts.is_ladder:
        url = facts.url("ladder-rules")
        yield GroupLink(_("Ladder rules"), _("Challenges and moves"), url)
    if may_do(event, "publish"):
        yield GroupLink(_("Visibility"), str(LABELS[event.visibility]), facts.url("visibility"))
    stages = facts.counts["stages"]
    yield GroupLink(
        _("Stages"),
        ngettext("%(n)s stage", "%(n)s stages", stages) % {"n": stages},
        facts.url("stages"),
        term="stage",
    )
    changes = facts.counts["changes"]
    yield GroupLink(
        _("Change log"),
        ngettext("%(n)s change", "%(n)s changes", changes) % {"n": changes}
        if changes
        else _("No changes"),
        facts.url("change-log"),
    )
    states = {
        "draft": _("Draft"),
        "open": _("Open now"),
        "closed": _("Closed"),
        "final": _("Final"),
    }
    text = _("Close event") if event.is_open else _("State")
    yield GroupLink(text, states[event.state], "#state", place=8)
    if not facts.is_ladder and may_create_events(event):
        yield GroupLink(_("Next season"), _("Copy this event’s settings"), facts.url("next-event"))
    if may_do(event, "archive_event"):
        archived = event.archived_at
        yield GroupLink(
            _("Unarchive event") if archived else _("Archive event"),
            _("Archived on %(when)s") % {"when": at(archived, event.club.time_zone)}
            if archived
            else _("In the lists of the club"),
            facts.url("archive-event"),
        )
    if event.state == "draft" and not has_hands(event):
        yield GroupLink(_("Delete event"), _("Possible without hands"), facts.url("delete-event"))


def _settings(facts: ManageFacts) -> str:
    event, settings = facts.event, facts.settings
    options = differing_in(offered_in(event), event.variant, event.options)
    parts = ["; ".join(variant_names(event))]
    if options:
        text = ngettext("%(n)s option changed", "%(n)s options changed", len(options))
        parts.append(text % {"n": len(options)})
    if settings.hands:
        hands = ngettext("%(n)s hand", "%(n)s hands", settings.hands)
        parts.append(hands % {"n": settings.hands})
    parts.append(str(primary_named(settings.primary).name))
    if settings.best_of:
        parts.append(best_text(settings.best_of, facts.n_evenings))
    elif settings.drop_worst:
        parts.append(_("worst %(n)s dropped") % {"n": settings.drop_worst})
    if settings.double_entry:
        parts.append(_("double entry"))
    idle = unusable_criteria(settings, current_facts(event), seed=event.seed)
    if idle:
        text = ngettext(
            "%(n)s tie-break without effect", "%(n)s tie-breaks without effect", len(idle)
        )
        parts.append(text % {"n": len(idle)})
    return ", ".join(part for part in parts if part)


def actions(
    table: Moves, words: Mapping[tuple[str, str], str | Promise], state: str, read: Event
) -> list[JsonDict]:
    moves = dict(moves_from(table, state))
    return [
        {"to": to, "text": text, "needs_reason": moves[to].needs_reason}
        for (begin, to), text in words.items()
        if begin == state and to in moves and clubs.may_do(read, moves[to].right)
    ]


def _play_off_first_place(request: PageRequest, event: Event) -> None:
    """Make place 1 a title and close the event, so that those who share it play for it."""
    lines = {**settings_of(event).boundaries, "title": 1}
    reason = gettext("Place 1 is played off.")
    change_settings(operation_of(request), event, values={"boundaries": lines}, reason=reason)
    if event.is_open:
        move_event(operation_of(request), event, to="closed")


@event_form_page((move_event, EventStateForm), find=publications.event_with_state)
def manage_event(request: PageRequest, event: Event) -> HttpResponse:
    form = EventStateForm(posted(request))
    if "try_again" in request.POST:
        retry_jobs(operation_of(request), event)
        return done(request, gettext("The job will be tried again."), "manage-event", event)
    if "minimum" in request.POST:
        reason = gettext("Minimum of games switched off.")
        change_settings(operation_of(request), event, values={"min_third": False}, reason=reason)
        return done(request, gettext("The minimum is switched off."), "manage-event", event)
    if "first" in request.POST:
        _play_off_first_place(request, event)
        return done(request, gettext("Place 1 is played off."), "manage-event", event)
    changed_event = submit(request, form, move_event, event)
    if changed_event is not None:
        return done(request, str(EVENT_SAYS[changed_event.state]), "manage-event", event)
    facts = ManageFacts(event, actor=request.actor, now=timezone.now())
    following = next_step(facts)
    texts = {"closed": facts.text_to_close, "final": facts.text_to_finish}
    offered = [
        action | {"text": texts.get(action["to"], action["text"])}
        for action in actions(EVENT, EVENT_ACTIONS, event.state, event)
        if not (
            (action["to"] == "final" and (facts.waits or facts.is_window_open))
            or (action["to"] == "draft" and events.has_hands(event))
        )
    ]
    step: ManageStep | None = following["step"]
    if step and (step.action.field, step.action.url) == ("to", facts.url("manage-event")):
        offered = [action for action in offered if action["to"] != step.action.value]
    attention, (links, groups) = attention_lines(facts), manage_links(facts)
    context = {
        "lede": event_in_words(facts),
        "next": following,
        "current": facts.current,
        "current_name": facts.round_title(facts.current.number) if facts.current else "",
        "clock": facts.clock,
        "round": facts.current.row if facts.current else None,
        "may_extend": clubs.may_do(event, "extend_round"),
        "may_start": facts.is_running and not facts.is_ladder,
        "has_tonight": facts.meets_today,
        "attention": attention,
        "asks_for_jobs": any(line.action.url == "#jobs" for line in attention),
        "links": links,
        "groups": groups,
        "form": form,
        "jobs": tuple(map(job_row, facts.jobs)),
        "jobs_summary": jobs_in_words(facts.jobs, event.club.time_zone),
        "counting": get_recount(event.pk),
        "waits": tuple(map(sentence, facts.waits)),
        "window_ends": facts.window_ends,
        "actions": offered,
        "ties_at_close": facts.ties_at_close
        if "closed" in {action["to"] for action in offered}
        else (),
        "shared_first": facts.shared_first_text,
        "play_off_first": facts.play_off_first_action(),
        "asks_reason": any(action["needs_reason"] for action in offered),
    }
    return render_event(request, "events/manage_event.html", event, context, form)
