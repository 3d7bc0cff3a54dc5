"""Everything else of the page Manage: links in four groups, each with its present value."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournaments.domain.figures import in_short
from tournaments.domain.standings.criteria import primary_named
from tournaments.models.events import EventState
from tournaments.models.meetings import RoundState
from tournaments.models.seating_plans import PlanState
from tournaments.selectors.clubs.clubs import may_create_events, may_do
from tournaments.selectors.events.events import has_hands, variant_names
from tournaments.selectors.events.preset_cards import best_text
from tournaments.selectors.events.settings_checks import current_facts, unusable_criteria
from tournaments.selectors.rules.rule_sets import differing_in, offered_in
from tournaments.templatetags.points import at
from tournaments.views.events.change_event import LABELS
from tournaments.views.events.manage.facts import ManageFacts, club_url, event_url


@dataclass(frozen=True, slots=True)
class GroupLink:
    """A link with its present value; `term` is a word of the glossary that explains it."""

    text: str
    value: str
    url: str
    term: str = ""


@dataclass(frozen=True, slots=True)
class LinkGroup:
    """Links that belong together under a heading; `key` is its anchor."""

    key: str
    name: str
    links: tuple[GroupLink, ...]


def link_groups(facts: ManageFacts) -> tuple[LinkGroup, ...]:
    return (
        LinkGroup("evenings", _("Evenings"), tuple(_evenings(facts))),
        LinkGroup("results", _("Results"), tuple(_results(facts))),
        LinkGroup("people", _("People"), tuple(_people(facts))),
        LinkGroup("event", _("Event"), tuple(_event(facts))),
    )


def event_in_words(facts: ManageFacts) -> str:
    kinds = {"league": _("League"), "tournament": _("Tournament"), "ladder": _("Ladder")}
    words = {"kind": kinds[facts.event.kind], "entrants": _entrants(facts)}
    parts = [_("%(kind)s with %(entrants)s.") % words]
    if facts.own_rounds:
        parts.append(f"{rounds_in_words(facts)}.")
    parts.append(_("Only directors and owners see this page."))
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
        (RoundState.PLAYING, _("round %(n)s in progress"), _("rounds %(n)s in progress")),
        (RoundState.POSTED, _("round %(n)s posted"), _("rounds %(n)s posted")),
        (RoundState.DRAFT, _("round %(n)s is a draft"), _("rounds %(n)s are drafts")),
    ):
        numbers = [own_round.number for own_round in facts.own_rounds if own_round.state == state]
        if numbers:
            text = one_text if len(numbers) == 1 else more_text
            parts.append(text % {"n": in_short(numbers)})
    said = ", ".join(parts) or _("no rounds yet")
    return said[:1].upper() + said[1:]


def _attendance(facts: ManageFacts) -> str:
    if not facts.attendance:
        return _("Not recorded")
    names = {"late": _("%(n)s late"), "expected": _("%(n)s expected"), "absent": _("%(n)s absent")}
    counts = ((text, facts.attendance.get(state, 0)) for state, text in names.items())
    here = _("%(n)s here") % {"n": facts.attendance.get("here", 0)}
    return ", ".join((here, *(text % {"n": n} for text, n in counts if n)))


def _plans(facts: ManageFacts) -> str:
    if not facts.plans:
        return _("No plans yet")
    return _("One chosen") if facts.plans == PlanState.CHOSEN else _("To be compared")


def _evenings(facts: ManageFacts) -> Iterator[GroupLink]:
    event, current = facts.event, facts.current
    yield GroupLink(_("Rounds"), rounds_in_words(facts), event_url(event, "meetings"))
    if facts.is_running and facts.event.kind != "ladder":
        text = ngettext("%(n)s planned", "%(n)s planned", facts.n_planned) % {"n": facts.n_planned}
        value = text if facts.n_planned else _("No further evening is planned")
        yield GroupLink(_("Plan evening"), value, event_url(event, "new-meeting"))
    if facts.evening is not None and facts.event.kind != "ladder":
        day = facts.evening.date.isoformat()
        yield GroupLink(_("Attendance"), _attendance(facts), event_url(event, "attendance", day))
        yield GroupLink(_("Seating plans"), _plans(facts), event_url(event, "seating-plans", day))
    if facts.is_running:
        number = facts.rounds[-1].number + 1 if facts.rounds else 1
        yield GroupLink(
            _("Add round"), _("Round %(n)s is next") % {"n": number}, event_url(event, "new-round")
        )
    if current is not None and current.tables:
        text = ngettext(
            "Round %(round)s: %(n)s open table", "Round %(round)s: %(n)s open tables",
            current.open_tables,
        )  # fmt: skip
        yield GroupLink(
            _("Sheets to enter"),
            text % {"round": current.number, "n": current.open_tables},
            event_url(event, "sheets-to-enter", current.number),
        )
        yield GroupLink(
            _("Sitting out"),
            _("Round %(round)s: %(n)s")
            % {"round": current.number, "n": facts.counts.sit_outs or _("nobody")},
            event_url(event, "sit-outs", current.number),
        )
    links = facts.counts.links
    yield GroupLink(
        _("Table links"),
        ngettext("%(n)s created", "%(n)s created", links) % {"n": links}
        if links
        else _("No links"),
        event_url(event, "event-links"),
    )


def _results(facts: ManageFacts) -> Iterator[GroupLink]:
    event, counts = facts.event, facts.counts
    if facts.is_ladder:
        yield GroupLink(_("Ladder"), _entrants(facts), event_url(event, "ladder"))
        waiting = len(facts.challenges)
        text = ngettext("%(n)s open", "%(n)s open", waiting) % {"n": waiting}
        yield GroupLink(
            _("Challenges"),
            text if waiting else _("No open challenges"),
            event_url(event, "challenges"),
        )
    is_final = event.state == EventState.FINAL
    word = _("final") if is_final else _("provisional")
    yield GroupLink(
        _("Standings"),
        _("Publication %(n)s, %(state)s") % {"n": counts.publication, "state": word}
        if counts.publication
        else _("Not published yet"),
        event_url(event, "event"),
    )
    if (n := facts.n_boards) is not None:
        text = ngettext("%(n)s board", "%(n)s boards", n) % {"n": n}
        yield GroupLink(_("Boards"), text if n else _("No boards yet"), event_url(event, "boards"))
    files = ngettext("%(n)s file", "%(n)s files", counts.imports) % {"n": counts.imports}
    problems = ngettext(
        "%(n)s problem", "%(n)s problems", counts.import_problems
    ) % {"n": counts.import_problems}  # fmt: skip
    yield GroupLink(
        _("Imports"),
        f"{files}, {problems}"
        if counts.import_problems
        else files
        if counts.imports
        else _("No files"),
        event_url(event, "imports"),
    )
    total = counts.disputes_open + counts.disputes_closed
    yield GroupLink(
        _("Disputes"),
        _("%(open)s open, %(closed)s decided")
        % {"open": counts.disputes_open, "closed": counts.disputes_closed}
        if total
        else _("No disputes"),
        event_url(event, "disputes"),
    )
    yield GroupLink(
        _("Penalties and bonuses"),
        str(counts.adjustments) if counts.adjustments else _("No lines"),
        event_url(event, "adjustments"),
    )
    waiting = len(facts.playoffs)
    played = ngettext("%(n)s play-off", "%(n)s play-offs", counts.playoffs)
    open_ = ngettext("%(n)s undecided", "%(n)s undecided", waiting)
    settings = facts.settings
    has_none = settings.playoff in ("share", "criteria") or not settings.boundaries
    yield GroupLink(
        _("Play-offs"),
        open_ % {"n": waiting}
        if waiting
        else played % {"n": counts.playoffs}
        if counts.playoffs
        else _("No play-offs")
        if has_none
        else _("No play-off needed yet"),
        event_url(event, "playoffs"),
    )


def _entrants(facts: ManageFacts) -> str:
    counts = facts.counts
    here = ngettext("%(n)s entrant", "%(n)s entrants", counts.entrants) % {"n": counts.entrants}
    gone = _("%(n)s withdrawn") % {"n": counts.withdrawn}
    return f"{here}, {gone}" if counts.withdrawn else here


def _people(facts: ManageFacts) -> Iterator[GroupLink]:
    event = facts.event
    yield GroupLink(_("Entrants"), _entrants(facts), event_url(event, "entrants"))
    if facts.is_ladder:
        away = ngettext("%(n)s away today", "%(n)s away today", facts.counts.absences)
        text = away % {"n": facts.counts.absences}
        yield GroupLink(_("Absences"), text, event_url(event, "absences"))
    if may_do(event, "edit_players"):
        known = ngettext("%(n)s in the club", "%(n)s in the club", facts.counts.players)
        text = known % {"n": facts.counts.players}
        yield GroupLink(_("Players"), text, club_url(event, "players"))
    if may_do(event, "link_players"):
        count = len(facts.claims)
        text = ngettext("%(n)s pending", "%(n)s pending", count) % {"n": count}
        text = text if count else _("No claims")
        yield GroupLink(_("Claims"), text, club_url(event, "claims"), term="claim")
    if may_do(event, "manage_members"):
        directors = ngettext(
            "%(n)s director or owner", "%(n)s directors and owners", facts.counts.directors
        )
        members = ngettext("%(n)s member", "%(n)s members", facts.counts.members)
        yield GroupLink(
            _("Members and roles"),
            f"{members % {'n': facts.counts.members}}, {directors % {'n': facts.counts.directors}}",
            club_url(event, "members"),
        )


def _event(facts: ManageFacts) -> Iterator[GroupLink]:
    event = facts.event
    yield GroupLink(_("Settings"), _settings(facts), event_url(event, "settings"))
    yield GroupLink(_("Name and address"), f"/{event.slug}", event_url(event, "rename-event"))
    if facts.is_ladder:
        url = event_url(event, "ladder-rules")
        yield GroupLink(_("Ladder rules"), _("Challenges and moves"), url)
    if may_do(event, "publish"):
        yield GroupLink(
            _("Visibility"), str(LABELS[event.visibility]), event_url(event, "visibility")
        )
    stages = facts.counts.stages
    yield GroupLink(
        _("Stages"),
        ngettext("%(n)s stage", "%(n)s stages", stages) % {"n": stages},
        event_url(event, "stages"),
        term="stage",
    )
    changes = facts.counts.changes
    yield GroupLink(
        _("Change log"),
        ngettext("%(n)s change", "%(n)s changes", changes) % {"n": changes}
        if changes
        else _("No changes"),
        event_url(event, "change-log"),
    )
    yield GroupLink(_("State"), state_in_words(facts), "#state")
    if not facts.is_ladder and may_create_events(event):
        yield GroupLink(
            _("Next season"), _("Copy this event’s settings"), event_url(event, "next-event")
        )
    if may_do(event, "archive_event"):
        archived = event.archived_at
        yield GroupLink(
            _("Unarchive event") if archived else _("Archive event"),
            _("Archived on %(when)s") % {"when": at(archived, event.club.time_zone)}
            if archived
            else _("In the lists of the club"),
            event_url(event, "archive-event"),
        )
    if event.state == "draft" and not has_hands(event):
        yield GroupLink(
            _("Delete event"), _("Possible without hands"), event_url(event, "delete-event")
        )


def state_in_words(facts: ManageFacts) -> str:
    words = {"draft": _("Draft"), "open": _("Open"), "closed": _("Closed"), "final": _("Final")}
    return words[facts.event.state]


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
