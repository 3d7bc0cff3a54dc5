"""Cuts: the best of an event go on to a further stage; undone while nothing was played there.

Who goes on is read from the newest publication, which everybody sees, and only while it contains
every change of the event. See docs/algorithms/playoffs.md.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final

from django.db.models import Exists, F, Max, OuterRef

from scoring.errors import Problem, Refused, listed, shown
from scoring.playoffs.boundaries import Tiers, above_line
from tournaments.domain.event_settings import settings_of
from tournaments.domain.name_matching import one_line
from tournaments.domain.reasons import reason_problems
from tournaments.errors import Conflict, Missing
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, Event, EventState, Stage, StageKind
from tournaments.models.hands import Game, Hand
from tournaments.models.meetings import Round, RoundState, Table
from tournaments.models.outbox import Dirty, event_scope, playoffs_scope
from tournaments.models.playoffs import StageEntrant
from tournaments.models.standings import Publication
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import role_of
from tournaments.selectors.events.cuts import published_tiers, stage_title
from tournaments.selectors.standings.standings import current_publication
from tournaments.services.access.permissions import require_role
from tournaments.services.audit.audit import append_audit
from tournaments.services.audit.change_log import note_change
from tournaments.services.clubs.clubs import name_problems
from tournaments.services.db.event_lock import lock_event, lock_games
from tournaments.services.db.transactions import atomic_act
from tournaments.services.events.finalization import CLOCK
from tournaments.services.events.states import require_running
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.rounds.stage_rosters import players_in, playing_stage

LEAST: Final = 2
MOST: Final = 999
"""How many may go on."""


@atomic_act
def make_cut(*, actor: Actor, event: Event, cut: object, now: datetime, name: str = "") -> Stage:
    """Let the best `cut` of the event's table go on to a new stage; new rounds belong to it.

    Those who withdrew, or have too few games for a rank, are passed over. Where there is a cut
    already, the best of those who went on go on.

    Raises:
        Forbidden: manage_event.
        Refused: bad_cut, cut_too_large, name_too_long.
        Conflict: event_is_over, event_not_open, cut_round_open, not_published, standings_behind,
            cut_tied.
    """
    role = role_of(actor, event.club_id)
    require_role(actor, role, "manage_event")
    event = lock_event(event)
    number = _wanted(cut, name)
    _require_open(event)
    stage = playing_stage(event)
    _require_rounds_over(event)
    publication = _as_it_is(event)
    tiers = _may_go_on(publication, stage)
    best = _best(tiers, number)
    made = Stage.objects.create(
        club_id=event.club_id,
        event=event,
        number=_last_number(event) + 1,
        name=one_line(name),
        kind=stage.kind,
        cut=number,
        cut_at=now,
    )
    _choose(made, best)
    Round.objects.filter(event=event, stage=stage, state=RoundState.DRAFT).update(stage=made)
    facts = {"stage": made.number, "cut": number, "publication": publication.number}
    _keep(actor, role, event, "make_cut", facts | {"went_on": sorted(best)}, "", now)
    return made


@atomic_act
def undo_cut(*, actor: Actor, event: Event, number: int, reason: str, now: datetime) -> None:
    """Undo a cut while nothing was played in its stage; its rounds belong to the one before.

    Raises:
        Forbidden: manage_event.
        Missing: stage, or one that no cut made.
        Refused: reason_required, bad_text.
        Conflict: event_is_over, cut_is_not_last, cut_is_played.
    """
    role = role_of(actor, event.club_id)
    require_role(actor, role, "manage_event")
    event = lock_event(event)
    stage = cut_at(event, number)
    if problems := tuple(reason_problems(reason)):
        raise Refused(*problems)
    require_running(event)
    if stage != playing_stage(event):
        raise Conflict(Problem("cut_is_not_last", facts={"stage": number}))
    lock_tables(stage)
    _require_unplayed(stage)
    before = Stage.objects.filter(event=event, number__lt=number).exclude(kind=StageKind.PLAYOFF)
    Round.objects.filter(stage=stage).update(stage=before.order_by("-number")[0])
    stage.delete()
    _keep(actor, role, event, "undo_cut", {"stage": number}, reason, now)


@atomic_act
def answer_cut(
    *, actor: Actor, event: Event, number: int, answer: str, reason: str, now: datetime
) -> Stage:
    """Answer what a correction has asked about a cut: `keep` who went on, or `redo` it.

    Redone, the stage is for those who would go on now; tables without a hand where somebody sits
    who is not among them are taken away. That is for an event that is not over, and for what was
    found by the newest look at its table.

    Raises:
        Forbidden: manage_event.
        Missing: stage, or one that no cut made.
        Refused: bad_cut_answer, reason_required, bad_text.
        Conflict: nothing_asked, cut_tied, cut_is_played; for `redo` also event_is_over,
            not_published, standings_behind, playoffs_looked_for.
    """
    role = role_of(actor, event.club_id)
    require_role(actor, role, "manage_event")
    event = lock_event(event)
    stage = cut_at(event, number)
    problems = list(reason_problems(reason))
    if answer not in ANSWERS:
        facts = {"found": answer, "expected": listed(ANSWERS)}
        problems.insert(0, Problem("bad_cut_answer", ("answer",), facts))
    if problems:
        raise Refused(*problems)
    if stage.asked is None:
        raise Conflict(Problem("nothing_asked", facts={"stage": number}))
    told: dict[str, object] = {"stage": number}
    if answer == "redo":
        require_running(event)
        lock_tables(stage)  # before the row of what is to be published, as an entry has it
        _as_it_is(event)
        _require_looked_at(event)
        told["tables"] = list(redo_cut(stage, stage.asked["would"]))
    else:
        stage.kept, stage.asked = stage.asked["facts"], None
        stage.save(update_fields=["asked", "kept"])
    _keep(actor, role, event, f"{answer}_cut", told, reason, now)
    return stage


ANSWERS: Final = ("keep", "redo")


def cut_at(event: Event, number: int) -> Stage:
    """Return the stage of this number that a cut made.

    Raises:
        Missing: stage.
    """
    stage = Stage.objects.filter(event=event, number=number, cut__isnull=False).first()
    if stage is None:
        raise Missing("stage", {"stage": number})
    return stage


def review_cut(
    event: Event, stage: Stage, problem: Problem | None, tiers: Tiers
) -> tuple[str, ...] | None:
    """Keep with a stage what a correction asks about who went on, as the event's setting says.

    `playoff_rules.finished`: `ask` (and `redo` where something was played, a tie spans the line, or
    the event is over) keeps the question until somebody answers; `redo` makes the cut again at
    once, `keep` asks nothing. The caller holds the event's row.

    Args:
        problem: `cut_would_change`, None where the same go on.
        tiers: who is level with whom in the table before the cut, best first.

    Returns:
        None, or the codes of the tables taken away where the cut was made again: the caller says
        so with `audit_redone_cut` once it has followed every cut, for that takes the rows which a
        transaction locks last.
    """
    finished = settings_of(event).playoff_rules.get("finished", "ask")
    facts = dict(problem.facts) if problem is not None else None
    if facts is None:
        _note(stage, asked=None, kept=None)
    elif finished == "keep" or facts == stage.kept:
        _note(stage, asked=None, kept=stage.kept)
    elif finished == "redo" and not facts["tie"] and _may_redo(event, stage):
        return redo_cut(stage, tiers)
    else:
        _note(stage, asked={"facts": facts, "would": tiers}, kept=stage.kept)
    return None


def _may_redo(event: Event, stage: Stage) -> bool:
    if event.state in (EventState.CLOSED, EventState.FINAL) or is_played(stage):
        return False
    lock_tables(stage)
    return not is_played(stage)


def audit_redone_cut(event: Event, stage: Stage, tables: Iterable[str], *, now: datetime) -> None:
    """Say that the clock has made a cut again, and have it published."""
    facts = {"stage": stage.number, "tables": list(tables)}
    _keep(CLOCK, "clock", event, "redo_cut", facts, "", now)


def _note(stage: Stage, *, asked: object, kept: object) -> None:
    if (stage.asked, stage.kept) != (asked, kept):
        stage.asked, stage.kept = asked, kept
        stage.save(update_fields=["asked", "kept"])


def is_played(stage: Stage) -> bool:
    """Whether a hand was ever entered in a round of a stage."""
    return Hand.objects.filter(game__table__round__stage=stage).exists()


def lock_tables(stage: Stage) -> list[Table]:
    """Lock the games of a stage, in ascending id, and return its tables: no hand comes meanwhile.

    A table that is made afterwards is not among them.
    """
    tables = list(Table.objects.filter(round__stage=stage).select_related("round").order_by("pk"))
    lock_games(Game.objects.filter(table__in=tables))
    return tables


def redo_cut(stage: Stage, tiers: Tiers) -> tuple[str, ...]:
    """Make a stage be for those who would go on now, where nothing was played in it.

    Args:
        tiers: who is level with whom in the table before the cut, best first.

    Returns:
        The codes of the tables that were taken away, where somebody sat who is not among them.

    Raises:
        Conflict: cut_tied, cut_is_played.
    """
    best = _best(tiers, stage.cut or 0)
    tables = lock_tables(stage)
    _require_unplayed(stage)
    stage.entrants.all().delete()
    _choose(stage, best)
    inside = players_in(stage.pk) or frozenset()
    gone = []
    for table in tables:
        sat = Player.objects.filter(sittings__seat__table=table)
        if sat.exclude(pk__in=inside).exists():
            gone.append(table.code)
            table.delete()
    stage.asked = stage.kept = None
    stage.save(update_fields=["asked", "kept"])
    return tuple(gone)


def _wanted(cut: object, name: str) -> int:
    problems = []
    number = _number(cut)
    if number is None:
        facts = {"found": shown(cut), "least": LEAST, "most": MOST}
        problems.append(Problem("bad_cut", ("cut",), facts))
    if name.strip():
        problems += name_problems(one_line(name))
    if number is None or problems:
        raise Refused(*problems)
    return number


def _number(cut: object) -> int | None:
    text = str(cut).strip() if isinstance(cut, int | str) and not isinstance(cut, bool) else ""
    fits = text.isascii() and text.isdecimal() and len(text) <= len(str(MOST))
    return int(text) if fits and LEAST <= int(text) <= MOST else None


def _require_open(event: Event) -> None:
    require_running(event)
    if event.state != EventState.OPEN:
        raise Conflict(Problem("event_not_open", facts={"state": event.state}))


def _require_rounds_over(event: Event) -> None:
    """Refuse while a round is not closed: its hands would still change who goes on."""
    rounds = Round.objects.filter(event=event).exclude(state=RoundState.CLOSED)
    rounds = rounds.exclude(stage__kind=StageKind.PLAYOFF)
    planned = Table.objects.filter(round=OuterRef("pk"))
    rounds = rounds.exclude(~Exists(planned), state=RoundState.DRAFT)
    if (first := rounds.order_by("number").first()) is not None:
        facts = {"round": first.number, "state": first.state}
        raise Conflict(Problem("cut_round_open", facts=facts))


def _as_it_is(event: Event) -> Publication:
    """Return the newest publication, which no change can overtake until the transaction ends."""
    dirty = Dirty.objects.select_for_update().filter(scope=event_scope(event.pk)).first()
    publication = current_publication(event)
    if publication is None:
        raise Conflict(Problem("not_published"))
    if dirty is None or dirty.done < dirty.version:
        raise Conflict(Problem("standings_behind"))
    return publication


def _require_looked_at(event: Event) -> None:
    """Refuse while what is asked may be of an older table than the newest one."""
    scope = playoffs_scope(event.pk)
    if Dirty.objects.filter(scope=scope, done__lt=F("version")).exists():
        raise Conflict(Problem("playoffs_looked_for"))


def _may_go_on(publication: Publication, stage: Stage) -> Tiers:
    """Return who is tied with whom, of those who play in the stage and have not withdrawn."""
    chosen = frozenset(stage.entrants.values_list("entrant__code", flat=True))
    tiers = published_tiers(publication)
    inside = [[code for code in tier if not chosen or code in chosen] for tier in tiers]
    return [tier for tier in inside if tier]


def _best(tiers: Tiers, cut: int) -> frozenset[str]:
    """Return who is above the line.

    Raises:
        Refused: cut_too_large.
        Conflict: cut_tied.
    """
    found = sum(map(len, tiers))
    if found < cut:
        facts = {"found": found, "wanted": cut}
        raise Refused(Problem("cut_too_large", ("cut",), facts))
    best = above_line(tiers, cut)
    if best is None:
        raise Conflict(Problem("cut_tied", ("cut",), _tie(tiers, cut)))
    return best


def _tie(tiers: Tiers, cut: int) -> dict[str, int | str]:
    """Return who is tied across a cut-off, and which cut-offs run between two tiers."""
    ahead = 0
    for tier in tiers:
        after = ahead + len(tier)
        if ahead < cut < after:
            break
        ahead = after
    fits = [str(line) for line in (ahead, after) if line >= LEAST]
    return {"cut": cut, "level": listed(sorted(tier)), "fits": " or ".join(fits)}


def _choose(stage: Stage, codes: Iterable[str]) -> None:
    entrants = Entrant.objects.filter(event_id=stage.event_id, code__in=codes).order_by("code")
    StageEntrant.objects.bulk_create(
        StageEntrant(club_id=stage.club_id, stage=stage, entrant=one) for one in entrants
    )


def _last_number(event: Event) -> int:
    return Stage.objects.filter(event=event).aggregate(last=Max("number"))["last"] or 0


def _require_unplayed(stage: Stage) -> None:
    if is_played(stage):
        raise Conflict(Problem("cut_is_played", facts={"stage": stage_title(stage)}))


def _keep(
    actor: Actor,
    role: str,
    event: Event,
    act: str,
    facts: Mapping[str, object],
    reason: str,
    now: datetime,
) -> None:
    """Have it published, and say it in the change log and the club's record."""
    version = mark_changed(event=event, now=now)
    told = {key: value for key, value in facts.items() if key != "went_on"}
    note_change(event=event, version=version, kind=act, by=role, reason=reason, now=now, facts=told)
    append_audit(
        club=event.club,
        actor=actor,
        act=act,
        subject=f"event:{event.slug}/stage:{facts['stage']}",
        facts={**facts, "reason": reason.strip()},
        now=now,
    )
