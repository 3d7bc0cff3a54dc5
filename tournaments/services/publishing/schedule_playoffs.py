"""Schedules play-offs: finds which ties of an event have to be played off, and creates these.

Done by a worker after each publication of an event that is closed, or final with play-offs. In an
open one, a tie at the cut before its next stage is played off once the stage before is complete.
The table is read with its version in one snapshot, as a publication is; what it needs is stored in
a transaction of its own that first locks the play-offs, and only if the event has not changed
meanwhile: then it is published again, and looked at again. Safe twice, late, and beside another
worker that does the same.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from django.db.models import Q, prefetch_related_objects

from scoring.playoffs.boundaries import Boundary, Need, boundaries_of, needs
from scoring.playoffs.rules import PLAYED
from scoring.playoffs.states import FINISHED, KnownPlayoff, Review, review
from scoring.standings.rank import ranked_tiers
from tournaments.domain.event_settings import Settings, settings_of, without_lot
from tournaments.models.events import Event, EventState, Stage, StageKind, StagePlan
from tournaments.models.hands import Game
from tournaments.models.outbox import event_scope
from tournaments.models.playoffs import Playoff, PlayoffState, is_unanswered
from tournaments.selectors.db.statements import snapshot_read
from tournaments.selectors.events.stages import ComingCut, coming_cut
from tournaments.selectors.jobs.queue import get_version, is_recounted
from tournaments.services.db.locks import lock_games
from tournaments.services.db.transactions import atomic_act
from tournaments.services.events.table_ties import RoundTies, tied_in
from tournaments.services.playoffs.playoffs import (
    OF_POLICY,
    POLICY,
    AuditContext,
    PlayoffUpdate,
    create_playoff,
    locked_playoff,
    place_member_last,
    record_playoff_updates,
    void_playoff,
)
from tournaments.services.publishing.entrant_rows import entrant_inputs, rows_of
from tournaments.services.publishing.standings import rank_rows
from tournaments.services.stages.advancing import codes_in

LOOKED_AT: Final = ("open", "closed", "final")
"""States of an event whose ties are looked at."""


@dataclass(frozen=True, slots=True)
class _Table:
    """The ties of an event as of a version of it."""

    version: int
    needs: tuple[Need, ...]
    settings: Settings
    cut: ComingCut | None
    of_rounds: RoundTies


def may_need_playoffs(event: Event, settings: Settings) -> bool:
    """Whether an event's ties are to be looked at after a publication."""
    if settings.boundaries and settings.playoff in PLAYED and event.state == "closed":
        return True
    begun = Playoff.objects.filter(event=event).exclude(state=PlayoffState.VOID)
    cuts = Q(cut__isnull=False)
    if settings.playoff in PLAYED and event.state == "open":
        cuts |= Q(plan=StagePlan.PLANNED, advance__isnull=False)
    cuts |= Q(kind=StageKind.KNOCKOUT)
    if settings.table_ties == "playoff":
        cuts |= Q(advance__has_key="each_table")
    return begun.exists() or Stage.objects.filter(cuts, event=event).exists()


def has_open_question(event: Event, settings: Settings) -> bool:
    """Whether the event's table, as it is now, changes who was in a finished play-off, and nobody
    has said yet what becomes of it. Writes nothing.

    Such a table is not published until a director has answered: see `publish_event.publish`.
    """
    if event.state not in ("closed", "final"):
        return False
    over = Playoff.objects.filter(event=event, state__in=FINISHED)
    if not over.exists():
        return False
    rows = Playoff.objects.filter(event=event).exclude(state=PlayoffState.VOID)
    held = {str(row.number): row for row in rows.prefetch_related("members__entrant")}
    cut = coming_cut(event)
    of_rounds = tied_in(event)
    known = _known(event, held, cut, of_rounds)
    ties = (*_needs(event, settings, cut), *of_rounds.needs)
    found = review(known, ties, _finished(settings))
    members = {one.id: one.members for one in known}
    numbers = [str(problem.facts["playoff"]) for problem in found.asked]
    return any(
        not _is_answered(held[number], _concerning(members[number], ties)) for number in numbers
    )


def schedule_playoffs(event_id: int, *, now: datetime) -> bool:
    """Detect, keep, void and ask as the event's table wants it; returns whether anything changed.

    While an event is open only the cut of its next stage is looked at: its table is not at its end.
    """
    table = _read(event_id)
    return table is not None and _apply(event_id, table, now)


def _read(event_id: int) -> _Table | None:
    with snapshot_read():
        version = get_version(event_scope(event_id))  # first: within a dry run nothing else holds
        event = Event.objects.select_related("club").filter(pk=event_id).first()
        if event is None or event.state not in LOOKED_AT or is_recounted(event_id):
            return None
        settings, cut = settings_of(event), coming_cut(event)
        is_early = event.state == EventState.OPEN and not (cut and cut.is_complete)
        if is_early and settings.table_ties != "playoff":
            return None
        ties = () if is_early else _needs(event, settings, cut)
        return _Table(version, ties, settings, cut, tied_in(event))


def _lines(event: Event, settings: Settings, cut: ComingCut | None) -> tuple[Boundary, ...]:
    """Return the lines at which ties are played off.

    Of an open event, the cut of its next stage. Otherwise those of its settings, and that cut where
    a play-off for it was begun while the event was open.
    """
    if event.state == EventState.OPEN:
        return (_line_of(cut),) if cut is not None else ()
    lines = boundaries_of(settings.boundaries)
    begun = Playoff.objects.filter(event=event).exclude(state=PlayoffState.VOID)
    if cut is not None and [_line_of(cut).written] in begun.values_list("boundaries", flat=True):
        lines = tuple(sorted({*lines, _line_of(cut)}))
    return lines


def _line_of(cut: ComingCut) -> Boundary:
    return Boundary(cut.above, "cut")


def _needs(event: Event, settings: Settings, cut: ComingCut | None) -> tuple[Need, ...]:
    """The ties that matter. Who has withdrawn is passed over, but stays in a play-off begun."""
    lines = _lines(event, settings, cut)
    if not lines:
        return ()
    inside = codes_in(cut.source) if event.state == EventState.OPEN and cut else frozenset()
    begun = Playoff.objects.filter(event=event).exclude(state=PlayoffState.VOID)
    members = frozenset(begun.values_list("members__entrant__code", flat=True))
    rows = [
        row
        for row in rows_of(event, settings, entrant_inputs(event))
        if (not row.withdrawn or row.code in members) and (not inside or row.code in inside)
    ]

    def tiers(settings: Settings) -> list[list[str]]:
        return ranked_tiers(rank_rows(event, rows, settings=settings, playoffs=()))

    is_straight = settings.playoff_before_criteria
    by_primary = tiers(replace(settings, tie_breaks=())) if is_straight else None
    return needs(
        tiers(without_lot(settings)), lines, policy=settings.playoff, by_primary=by_primary
    )


@atomic_act
def _apply(event_id: int, table: _Table, now: datetime) -> bool:
    events = Event.objects.select_for_update(of=("self",), no_key=True).select_related("club")
    event = events.get(pk=event_id)
    rows = Playoff.objects.filter(event=event).exclude(state=PlayoffState.VOID)
    # All that is changed is held before the first line of the trail is written, and before it is
    # judged: a hand or a director that came first has raised the version, and may have decided one.
    lock_games(Game.objects.filter(table__round__stage__in=rows.values("stage")))
    numbers = list(rows.order_by("number").values_list("number", flat=True))
    held = {str(number): locked_playoff(event, number) for number in numbers}
    is_same = get_version(event_scope(event_id)) == table.version and coming_cut(event) == table.cut
    if event.state not in LOOKED_AT or not is_same:
        return False
    prefetch_related_objects(list(held.values()), "members__entrant")
    cut = table.cut if table.cut and table.cut.is_complete else None
    known = _known(event, held, cut, table.of_rounds)
    others = [one for number, one in held.items() if all(number != row.id for row in known)]
    ties = [need for need in table.needs if not any(_is_for(other, need) for other in others)]
    ties += table.of_rounds.needs
    found = review(known, ties, _finished(table.settings))
    newest = table.of_rounds.newest if event.state == EventState.OPEN else []
    done = [
        *_ask(found, known, ties, held),
        *(_void(held[number], now) for number in found.void),
        *(one for number in found.kept for one in _leave(held[number], now)),
        *(
            create_playoff(event, need, by=OF_POLICY, now=now)
            for need in found.detected
            if need not in table.of_rounds.needs or need.boundaries[0].round in newest
        ),
    ]
    record_playoff_updates(*done, now=now, mark=False)
    return bool(done)


def _known(
    event: Event, held: Mapping[str, Playoff], cut: ComingCut | None, of_rounds: RoundTies
) -> list[KnownPlayoff]:
    """Return the play-offs that the event's table may change, by number, with their members.

    Of an open event these are those for the cut of its next stage, and those of rounds. What a
    director asked for although the settings play nothing there is left to the director.
    """
    is_played = settings_of(event).playoff in PLAYED
    held = {number: one for number, one in held.items() if _is_of_policy(one, is_played, of_rounds)}
    if event.state == EventState.OPEN:
        of_cut = [_line_of(cut).written] if cut is not None else []
        held = {
            number: playoff
            for number, playoff in held.items()
            if playoff.is_of_table or playoff.boundaries == of_cut
        }
    cuts = frozenset(Stage.objects.filter(event=event).values_list("cut", flat=True))
    return [
        KnownPlayoff(
            number,
            one.key,
            frozenset(member.entrant.code for member in one.members.all()),
            one.state,
        )
        for number, one in held.items()
        if not _has_gone_on(one, cuts)
    ]


def _is_of_policy(playoff: Playoff, is_played: bool, of_rounds: RoundTies) -> bool:
    line = playoff.boundaries[0]
    if playoff.is_of_table:
        return (line["kind"], line["round"]) in of_rounds.played
    return is_played or {line["kind"] for line in playoff.boundaries} != {"cut"}


def _finished(settings: Settings) -> str:
    """Return what the event says of finished play-offs: `ask`, `redo` or `keep`."""
    return str(settings.playoff_rules.get("finished", "ask"))


def _concerning(members: Collection[str], ties: Sequence[Need]) -> list[str]:
    """Return the keys of the ties in which any of the members is now."""
    return sorted(tie.key for tie in ties if set(members) & set(tie.members))


def _is_answered(playoff: Playoff, ties: Sequence[str]) -> bool:
    """Whether somebody has answered what these ties ask about the play-off."""
    asked = playoff.asked
    return asked is not None and asked["ties"] == list(ties) and not is_unanswered(asked)


def _has_gone_on(playoff: Playoff, cuts: Collection[int | None]) -> bool:
    """Whether the best have gone on by what it decided: then the cut itself is looked at."""
    return playoff.state in FINISHED and all(
        line["kind"] == "cut" and line["above"] in cuts for line in playoff.boundaries
    )


def _is_for(playoff: Playoff, need: Need) -> bool:
    """Whether a play-off is one of the same entrants for the same lines, and for others."""
    lines = {(line["kind"], line["above"]) for line in playoff.boundaries}
    members = {member.entrant.code for member in playoff.members.all()}
    wanted = {(line.kind, line.above) for line in need.boundaries}
    return members == {*need.members} and lines > wanted


def _void(playoff: Playoff, now: datetime) -> PlayoffUpdate:
    by = AuditContext(POLICY, OF_POLICY.role, "the tie has changed")
    return void_playoff(playoff, "void_playoff", by=by, now=now)


def _leave(playoff: Playoff, now: datetime) -> Iterator[PlayoffUpdate]:
    """Place members last who have withdrawn from the event while their play-off goes on."""
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
    found: Review,
    known_ties: Sequence[KnownPlayoff],
    ties: Sequence[Need],
    held: Mapping[str, Playoff],
) -> Iterator[PlayoffUpdate]:
    """Keep what is to be asked with the play-offs it is about, and withdraw what is not asked now.

    What was answered is asked again only where other ties than those concern its members.
    """
    asked = {str(problem.facts["playoff"]): problem for problem in found.asked}
    for one in known_ties:
        playoff, problem = held[one.id], asked.get(one.id)
        if problem is None:
            if playoff.asked is not None and one.id in found.kept:
                playoff.asked = None
                playoff.save(update_fields=["asked"])
            continue
        now_tied = _concerning(one.members, ties)
        if playoff.asked is not None and playoff.asked["ties"] == now_tied:
            continue
        playoff.asked = {"code": problem.code, "facts": dict(problem.facts), "ties": now_tied}
        playoff.save(update_fields=["asked"])
        yield PlayoffUpdate(playoff, "ask_playoff", {"ties": now_tied}, OF_POLICY)
