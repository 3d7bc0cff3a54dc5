"""Schedule play-offs: find the ties of an event that have to be played off, and create these.

A worker does so after each publication of an event that is closed, or final with play-offs. In an
open one, a tie at the cut before its next stage is played off once the stage before is complete.
The table is read with its version in one snapshot, as a publication is; its play-offs are stored in
a separate transaction that first locks the play-offs, and only if the event has not changed
meanwhile: then it is published and examined again. Safe twice, late, and beside another worker that
does the same.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from datetime import datetime
from typing import Final, TypeAlias

from django.db.models import Q, prefetch_related_objects

from scoring.errors import Problem
from scoring.playoffs.boundaries import (
    Boundary,
    KnownPlayoff,
    Need,
    boundaries_of,
    needs,
    review,
)
from scoring.playoffs.progress import FINISHED, PLAYED
from scoring.standings.rank import played_units, ranked_tiers, required_games
from tournaments.domain.event_settings import Settings, settings_of, without_lot
from tournaments.models.events import Event, EventState, Stage, StageKind, StagePlan
from tournaments.models.hands import Game
from tournaments.models.jobs import event_scope
from tournaments.models.playoffs import Playoff, is_unanswered
from tournaments.selectors.db.statements import snapshot_read
from tournaments.selectors.jobs.queue import get_version, is_recounted
from tournaments.selectors.stages import ComingCut, coming_cut, valid_playoffs
from tournaments.services.db.locks import lock_games
from tournaments.services.db.transactions import atomic_step
from tournaments.services.events.table_ties import RoundTies, list_round_ties
from tournaments.services.playoffs.playoffs import (
    OF_POLICY,
    POLICY,
    AuditContext,
    PlayoffUpdate,
    create_playoff,
    lock_playoff,
    place_member_last,
    record_playoff_updates,
    void_playoff,
)
from tournaments.services.publishing.entrant_rows import entrant_inputs
from tournaments.services.publishing.evening_points import event_rows
from tournaments.services.publishing.ranking import rank_rows
from tournaments.services.stages.advancing import codes_in

LOOKED_AT: Final = ("open", "closed", "final")
"""States of an event whose ties are looked at."""


EventTies: TypeAlias = tuple[int, tuple[Need, ...], Settings, ComingCut | None, RoundTies]
"""Version of an event, the ties of its table, its settings, the cut to come, the ties of rounds."""


def may_need_playoffs(event: Event, settings: Settings) -> bool:
    """Whether an event's ties are to be looked at after a publication."""
    if settings.boundaries and settings.playoff in PLAYED and event.state == "closed":
        return True
    cuts = Q(cut__isnull=False)
    if settings.playoff in PLAYED and event.is_open:
        cuts |= Q(plan=StagePlan.PLANNED, advance__isnull=False)
    cuts |= Q(kind=StageKind.KNOCKOUT)
    if settings.table_ties == "playoff":
        cuts |= Q(advance__has_key="each_table")
    return valid_playoffs(event).exists() or Stage.objects.filter(cuts, event=event).exists()


def has_open_question(event: Event, settings: Settings) -> bool:
    """Whether the event's current table changes who was in a finished play-off, and no director has
    answered yet. Writes nothing.

    Such a table is not published until then: see `publications.publish`.
    """
    if not event.is_over:
        return False
    if not Playoff.objects.filter(event=event, state__in=FINISHED).exists():
        return False
    rows = valid_playoffs(event).prefetch_related("members__entrant")
    playoffs = {str(row.number): row for row in rows}
    cut = coming_cut(event)
    ties_of_rounds, _newest, played = list_round_ties(event)
    known_playoffs = _known_playoffs(event, playoffs, cut, played)
    ties = (*_find_needs(event, settings, cut), *ties_of_rounds)
    members = {number: members for number, _key, members, _state in known_playoffs}
    finished = str(settings.playoff_rules.get("finished", "ask"))
    *_, questions = review(known_playoffs, ties, finished)
    for problem in questions:
        number = str(problem.facts["playoff"])
        question = playoffs[number].asked
        if (
            question is None
            or is_unanswered(question)
            or question["ties"] != _keys(members[number], ties)
        ):
            return True
    return False


def schedule_playoffs(event_id: int, *, now: datetime) -> bool:
    """Create, keep and void play-offs, and ask about them, by the event's table; return whether
    anything changed.

    While an event is open only the cut of its next stage is looked at: its table is not at its end.
    """
    ties = _read(event_id)
    return ties is not None and _apply(event_id, ties, now)


def _read(event_id: int) -> EventTies | None:
    with snapshot_read():
        version = get_version(event_scope(event_id))  # first: within a dry run nothing else holds
        event = Event.objects.select_related("club").filter(pk=event_id).first()
        if event is None or event.state not in LOOKED_AT or is_recounted(event_id):
            return None
        settings = settings_of(event)
        cut = coming_cut(event)
        is_early = event.is_open and not (cut and cut.is_complete)
        if is_early and settings.table_ties != "playoff":
            return None
        ties = () if is_early else _find_needs(event, settings, cut)
        return version, ties, settings, cut, list_round_ties(event)


def _list_lines(event: Event, settings: Settings, cut: ComingCut | None) -> tuple[Boundary, ...]:
    """Return the lines at which ties are played off.

    Of an open event, the cut of its next stage; else those of its settings, and that cut where a
    play-off for it was begun while the event was open.
    """
    line = Boundary(cut.above, "cut") if cut is not None else None
    if event.is_open:
        return (line,) if line is not None else ()
    lines = boundaries_of(settings.boundaries)
    written = valid_playoffs(event).values_list("boundaries", flat=True)
    if line is not None and [line.written] in written:
        lines = tuple(sorted({*lines, line}))
    return lines


def _find_needs(event: Event, settings: Settings, cut: ComingCut | None) -> tuple[Need, ...]:
    lines = _list_lines(event, settings, cut)
    if not lines:
        return ()
    inside = codes_in(cut.source) if event.is_open and cut else frozenset()
    members = frozenset(valid_playoffs(event).values_list("members__entrant__code", flat=True))
    every = event_rows(event, settings, entrant_inputs(event)).rows
    counts = (played_units(row.sums, settings.min_unit) for row in every if row.competes)
    needed = required_games(counts, settings.min_games, third=settings.min_third)
    settings = replace(settings, min_games=needed, min_third=False)
    rows = [
        row
        for row in every
        if (not row.withdrawn or row.code in members) and (not inside or row.code in inside)
    ]

    def tiers(settings: Settings) -> list[list[str]]:
        return ranked_tiers(rank_rows(event, rows, settings=settings, playoffs=()))

    is_straight = settings.playoff_before_criteria
    by_primary = tiers(replace(settings, tie_breaks=())) if is_straight else None
    return needs(
        tiers(without_lot(settings)), lines, policy=settings.playoff, by_primary=by_primary
    )


def find_ties_at_close(event: Event) -> tuple[Need, ...]:
    """Return the ties that are played off once an open event is closed."""
    settings = settings_of(event)
    if not event.is_open or settings.playoff not in PLAYED or not settings.boundaries:
        return ()
    closed = copy(event)
    closed.state = EventState.CLOSED
    keys = {playoff.key for playoff in valid_playoffs(event)}
    ties = _find_needs(closed, settings, coming_cut(closed))
    return tuple(tie for tie in ties if tie.key not in keys)


@atomic_step
def _apply(event_id: int, event_ties: EventTies, now: datetime) -> bool:
    events = Event.objects.select_for_update(of=("self",), no_key=True).select_related("club")
    event = events.get(pk=event_id)
    rows = valid_playoffs(event)
    # Everything that is changed is locked before the first audit line is written, and before the
    # review: a hand or a director that came first has raised the version, and may have decided one.
    lock_games(Game.objects.filter(table__round__stage__in=rows.values("stage")))
    numbers = list(rows.order_by("number").values_list("number", flat=True))
    playoffs = {str(number): lock_playoff(event, number) for number in numbers}
    version, needs_of_table, settings, coming, (ties_of_rounds, newest, played) = event_ties
    is_same = get_version(event_scope(event_id)) == version and coming_cut(event) == coming
    if event.state not in LOOKED_AT or not is_same:
        return False
    prefetch_related_objects(list(playoffs.values()), "members__entrant")
    cut = coming if coming and coming.is_complete else None
    known_playoffs = _known_playoffs(event, playoffs, cut, played)
    ids = {number for number, *_ in known_playoffs}
    others = [playoff for number, playoff in playoffs.items() if number not in ids]
    ties = [need for need in needs_of_table if not any(_is_for(other, need) for other in others)]
    ties += ties_of_rounds
    finished = str(settings.playoff_rules.get("finished", "ask"))
    valid, void, detected, questions = review(known_playoffs, ties, finished)
    open_rounds = newest if event.is_open else []
    voided_by = AuditContext(POLICY, OF_POLICY.role, "the tie has changed")
    updates = [
        *_ask(questions, valid, known_playoffs, ties, playoffs),
        *(void_playoff(playoffs[number], "void_playoff", by=voided_by, now=now) for number in void),
        *(update for number in valid for update in _leave(playoffs[number], now)),
        *(
            create_playoff(event, need, by=OF_POLICY, now=now)
            for need in detected
            if need not in ties_of_rounds or need.boundaries[0].round in open_rounds
        ),
    ]
    record_playoff_updates(*updates, now=now, mark=False)
    return bool(updates)


def _known_playoffs(
    event: Event,
    playoffs: Mapping[str, Playoff],
    cut: ComingCut | None,
    played: Collection[tuple[str, int]],
) -> list[KnownPlayoff]:
    """Return the play-offs that the event's table may change, by number, with their members.

    Of an open event these are those for the cut of its next stage, and those of rounds. A play-off
    that a director asked for although the settings play nothing there is left to the director.
    """
    is_played = settings_of(event).playoff in PLAYED
    of_cut = [Boundary(cut.above, "cut").written] if cut is not None else []
    cuts = frozenset(Stage.objects.filter(event=event).values_list("cut", flat=True))

    def may_change(playoff: Playoff) -> bool:
        line = playoff.boundaries[0]
        if playoff.is_of_table:
            return (line["kind"], line["round"]) in played
        if event.is_open and playoff.boundaries != of_cut:
            return False
        return is_played or {line["kind"] for line in playoff.boundaries} != {"cut"}

    return [
        (
            number,
            playoff.key,
            frozenset(member.entrant.code for member in playoff.members.all()),
            playoff.state,
        )
        for number, playoff in playoffs.items()
        if may_change(playoff) and not _has_gone_on(playoff, cuts)
    ]


def _keys(members: Collection[str], ties: Sequence[Need]) -> list[str]:
    return sorted(tie.key for tie in ties if set(members) & set(tie.members))


def _has_gone_on(playoff: Playoff, cuts: Collection[int | None]) -> bool:
    """Whether a cut was made by its result: then the cut itself is reviewed."""
    return playoff.state in FINISHED and all(
        line["kind"] == "cut" and line["above"] in cuts for line in playoff.boundaries
    )


def _is_for(playoff: Playoff, need: Need) -> bool:
    """Whether a play-off is one of the same entrants for the same lines, and for others."""
    lines = {(line["kind"], line["above"]) for line in playoff.boundaries}
    members = {member.entrant.code for member in playoff.members.all()}
    return members == {*need.members} and lines > {
        (line.kind, line.above) for line in need.boundaries
    }


def _leave(playoff: Playoff, now: datetime) -> Iterator[PlayoffUpdate]:
    if playoff.state in FINISHED or playoff.is_waived:
        return
    gone = playoff.members.filter(entrant__state="withdrawn").select_related("entrant")
    for member in gone.order_by("entrant__code"):
        playing = {
            code
            for tier in (playoff.standing or {}).get("tiers", ())
            if tier["is_open"]
            for code in tier["members"]
        }
        if member.entrant.code in playing:
            yield place_member_last(playoff, member.entrant, "withdrawn", by=OF_POLICY, now=now)


def _ask(
    questions: Sequence[Problem],
    valid: Collection[str],
    known_playoffs: Sequence[KnownPlayoff],
    ties: Sequence[Need],
    playoffs: Mapping[str, Playoff],
) -> Iterator[PlayoffUpdate]:
    """Store questions with their play-offs, and withdraw those that no longer arise.

    A question that was answered is asked again only where its members are in other ties.
    """
    problems = {str(problem.facts["playoff"]): problem for problem in questions}
    for number, _key, members, _state in known_playoffs:
        playoff = playoffs[number]
        problem = problems.get(number)
        if problem is None:
            if playoff.asked is not None and number in valid:
                playoff.asked = None
                playoff.save(update_fields=["asked"])
            continue
        keys = _keys(members, ties)
        if playoff.asked is not None and playoff.asked["ties"] == keys:
            continue
        playoff.asked = {"code": problem.code, "facts": dict(problem.facts), "ties": keys}
        playoff.save(update_fields=["asked"])
        yield PlayoffUpdate(playoff, "ask_playoff", {"ties": keys}, OF_POLICY)
