"""What a change of a hand does to play-offs and cuts, by looking for ties as the worker does after
a publication; in the dry run."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import F

from tournaments.domain.event_settings import settings_of
from tournaments.models.events import Event, StageKind
from tournaments.models.outbox import Dirty, event_scope, playoffs_scope
from tournaments.models.playoffs import Playoff, PlayoffState, is_unanswered
from tournaments.previewing.other_effects import CutChange, CutSnapshot, Named, PlayoffChange, Tie
from tournaments.publishing.playoffs.review_cuts import review_cuts
from tournaments.publishing.playoffs.schedule_playoffs import may_need_playoffs, schedule_playoffs
from tournaments.selectors.clubs.names import FULL_NAME
from tournaments.selectors.events.cuts import ordinary_stages, stage_title, stored_cuts
from tournaments.selectors.events.entrants import names_in
from tournaments.selectors.standings.reason_text import question_with_names


@dataclass(frozen=True, slots=True)
class TiesSnapshot:
    """The play-offs, the cuts and the knock-outs of an event at one moment, by number."""

    playoffs: Mapping[int, Tie]
    cuts: Mapping[int, CutSnapshot]


def has_ties(event: Event) -> bool:
    """Whether a change of the event's hands may touch a play-off or a cut."""
    return may_need_playoffs(event, settings_of(event))


def ties_as_stored(event: Event) -> TiesSnapshot | None:
    """Return what is stored, if that is what a worker would find now."""
    scopes = (event_scope(event.pk), playoffs_scope(event.pk))
    behind = Dirty.objects.filter(scope__in=scopes).exclude(done=F("version"))
    return None if behind.exists() else ties_stored(event)


def ties_in_dry_run(event: Event, *, now: datetime) -> TiesSnapshot:
    """Return what a worker would find; only in a dry run, for it writes what it finds.

    In the worker's own order (`tasks.look_for_playoffs`): the one changes what the other reads.
    """
    schedule_playoffs(event.pk, now=now)
    review_cuts(event.pk, now=now)
    return ties_stored(event)


def playoff_changes(before: TiesSnapshot, after: TiesSnapshot) -> tuple[PlayoffChange, ...]:
    """Return what becomes of each play-off, those that come with the change last."""
    numbers = sorted({*before.playoffs, *after.playoffs})
    return tuple(PlayoffChange(before.playoffs.get(n), after.playoffs.get(n)) for n in numbers)


def cut_changes(before: TiesSnapshot, after: TiesSnapshot) -> tuple[CutChange, ...]:
    """Return what becomes of each cut, and of each knock-out whose rounds are asked about."""
    found = [CutChange(one, after.cuts[at]) for at, one in sorted(before.cuts.items())]
    return tuple(one for one in found if one.now.through or one.now.asked or one.then.asked)


def ties_stored(event: Event) -> TiesSnapshot:
    """Return the play-offs and the cuts as they are stored."""
    names = names_in(event, FULL_NAME)
    rows = Playoff.objects.filter(event=event).exclude(state=PlayoffState.VOID)
    ties = {
        row.number: _tie(row, names)
        for row in rows.order_by("number").prefetch_related("members__entrant")
    }
    stages = ordinary_stages(event)
    through = {one.stage.pk: sorted(one.codes) for one in stored_cuts(event, stages)}
    cuts = {
        one.number: CutSnapshot(
            one.number,
            stage_title(one),
            tuple((code, names[code]) for code in through.get(one.pk, ())),
            "cut_would_change" if one.asked else "",
            facts := (one.asked or {}).get("facts"),
            question_with_names(facts, names),
        )
        for one in stages
        if one.cut or one.kind == StageKind.KNOCKOUT
    }
    return TiesSnapshot(ties, cuts)


def _tie(row: Playoff, names: Mapping[str, str]) -> Tie:
    codes = sorted(member.entrant.code for member in row.members.all())
    members: tuple[Named, ...] = tuple((code, names[code]) for code in codes)
    return Tie(
        number=row.number,
        members=members,
        kinds=tuple(line["kind"] for line in row.boundaries),
        state=row.state,
        asked=row.asked["code"] if row.asked and is_unanswered(row.asked) else "",
        tiers=tuple(tuple(tier) for tier in (row.result or {}).get("order", ())),
    )
