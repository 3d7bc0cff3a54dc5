"""Cuts: the best of an event advance to a further stage; undone while nothing was played there.

The qualifiers come from the newest publication, which everybody sees, and only while it contains
every change of the event. See docs/algorithms/playoffs.md.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from django.db.models import F, Q

from scoring.errors import Problem, Refused, listed, shown
from scoring.playoffs.boundaries import Tiers
from tournaments.domain.event_settings import settings_of
from tournaments.domain.name_matching import name_problems, one_line
from tournaments.domain.reasons import reason_problems, require_reason
from tournaments.domain.stage_plan import within
from tournaments.errors import Conflict, Missing
from tournaments.models.clubs import Player
from tournaments.models.events import Event, EventState, Stage, StageKind, StagePlan, StageTakes
from tournaments.models.hands import Game, Hand
from tournaments.models.meetings import Round, RoundState, Table
from tournaments.policy import Actor
from tournaments.selectors.events.stages import source_of, stage_title
from tournaments.selectors.rounds.round_seating import players_in
from tournaments.services.db.bulk import next_number
from tournaments.services.db.locks import delete_table, lock_games
from tournaments.services.db.transactions import atomic_act
from tournaments.services.events.states import CLOCK, require_running
from tournaments.services.rounds.seating_checks import playing_stage
from tournaments.services.stages.advancing import (
    LEAST,
    MOST,
    Qualified,
    best_of,
    choose,
    codes_in,
    current_publication,
    lock_to_manage,
    may_go_on,
    record_stage_act,
    require_open,
    require_playoffs_looked_for,
    require_rounds_over,
)


@atomic_act
def make_cut(*, actor: Actor, event: Event, cut: object, now: datetime, name: str = "") -> Stage:
    """Create a new stage for the best `cut` of the event's table; new rounds belong to it.

    Those who withdrew, or have too few games for a rank, are skipped. After an earlier cut, the
    best of its qualifiers advance.
    """
    event, role = lock_to_manage(actor, event)
    number = _wanted(cut, name)
    require_open(event)
    stage = playing_stage(event)
    require_rounds_over(event)
    publication = current_publication(event)
    best = best_of(may_go_on(publication, stage), number)
    final = Stage(
        club_id=event.club_id,
        event=event,
        number=_next_number(event, stage),
        name=one_line(name),
        kind=stage.kind,
        from_stage=stage,
        advance={"best": number},
    )
    enter_stage(final, stage, Qualified(best, number), now=now)
    facts = {"stage": final.number, "cut": number, "publication": publication.number}
    record_stage_act(actor, role, event, "make_cut", facts | {"went_on": sorted(best)}, "", now)
    return final


def enter_stage(stage: Stage, source: Stage, qualified: Qualified, *, now: datetime) -> None:
    """Start a stage with those who qualified for it.

    Draft rounds of the stage before move to it, if it is for those who advance.
    """
    stage.cut, stage.cut_at = qualified.cut, now
    stage.save()
    choose(stage, qualified.codes)
    if stage.takes == StageTakes.WINNERS:
        drafts = Round.objects.filter(stage=source, state=RoundState.DRAFT)
        drafts.update(stage=stage)


@atomic_act
def undo_cut(*, actor: Actor, event: Event, number: int, reason: str, now: datetime) -> None:
    """Undo a cut while nothing was played in its stage; its rounds belong to the one before.

    A stage that was planned before it began is planned again.
    """
    event, role = lock_to_manage(actor, event)
    stage = _stage_at(event, number, Q(cut_at__isnull=False))
    require_reason(reason)
    require_running(event)
    if stage != playing_stage(event):
        raise Conflict(Problem("cut_is_not_last", facts={"stage": number}))
    lock_tables(stage)
    _require_unplayed(stage)
    before = Stage.objects.filter(event=event, number__lt=number).exclude(kind=StageKind.PLAYOFF)
    Round.objects.filter(stage=stage).update(stage=before.order_by("-number")[0])
    if stage.plan == StagePlan.BEGUN:
        stage.entrants.all().delete()
        stage.plan, stage.cut, stage.cut_at = StagePlan.PLANNED, None, None
        stage.asked = stage.kept = None
        stage.save()
    else:
        stage.delete()
    record_stage_act(actor, role, event, "undo_cut", {"stage": number}, reason, now)


@atomic_act
def answer_cut(
    *, actor: Actor, event: Event, number: int, answer: str, reason: str, now: datetime
) -> Stage:
    """Answer what a correction has asked about a cut: `keep` who went on, or `redo` it.

    With `redo`, the stage is for those who would advance now; tables without a hand that seat
    others are removed. Only for an event that is not over, and for questions of the newest check of
    its table.
    """
    event, role = lock_to_manage(actor, event)
    stage = cut_at(event, number)
    problems = list(reason_problems(reason))
    if answer not in ANSWERS:
        facts = {"found": answer, "expected": listed(ANSWERS)}
        problems.insert(0, Problem("bad_cut_answer", ("answer",), facts))
    if problems:
        raise Refused(*problems)
    if stage.asked is None:
        raise Conflict(Problem("nothing_asked", facts={"stage": number}))
    noted: dict[str, object] = {"stage": number}
    if answer == "redo":
        require_running(event)
        if "round" in stage.asked["facts"]:
            facts = {"round": stage.asked["facts"]["round"]}
            rounds = Round.objects.filter(event=event, number=facts["round"])
            has_hands = Hand.objects.filter(game__table__round__in=rounds).exists()
            code = "round_was_played" if has_hands else "round_was_drawn"
            raise Conflict(Problem(code, facts=facts))
        lock_tables(stage)  # before the row of what is to be published, as an entry has it
        current_publication(event)
        require_playoffs_looked_for(event)
        noted["tables"] = list(redo_cut(stage, stage.asked["would"], stage.asked.get("above")))
    else:
        stage.kept, stage.asked = stage.asked["facts"], None
        stage.save(update_fields=["asked", "kept"])
    record_stage_act(actor, role, event, f"{answer}_cut", noted, reason, now)
    return stage


ANSWERS: Final = ("keep", "redo")


def cut_at(event: Event, number: int) -> Stage:
    """Return the stage of this number that a cut made, or about whose rounds something is asked."""
    return _stage_at(event, number, Q(cut__isnull=False) | Q(asked__isnull=False))


def _stage_at(event: Event, number: int, condition: Q) -> Stage:
    stage = Stage.objects.filter(condition, event=event, number=number).first()
    if stage is None:
        raise Missing("stage", {"stage": number})
    return stage


def review_cut(
    event: Event,
    stage: Stage,
    problem: Problem | None,
    tiers: Tiers | None = None,
    above: int | None = None,
) -> tuple[str, ...] | None:
    """Store with a stage a correction's question about its qualifiers, by the event's setting.

    `playoff_rules.finished`: `ask` (and `redo` where something was played, a tie spans the line, or
    the event is over) keeps the question until it is answered; `redo` makes the cut again at once,
    `keep` asks nothing. The caller holds the event's row.

    Args:
        problem: `cut_would_change`, or None if the same entrants advance.
        tiers: groups of tied entrants in the table before the cut, best first; None for a round of
            a knock-out, which is never drawn again.
        above: how many of them advance by the current rule.

    Returns:
        None, or the codes of the removed tables if the cut was redone: the caller records it with
        `audit_redone_cut` after all cuts, because that locks the rows which a transaction locks
        last.
    """
    finished = settings_of(event).playoff_rules.get("finished", "ask")
    facts = dict(problem.facts) if problem is not None else None
    if facts is None:
        _store_question(stage, None, None)
    elif finished == "keep" or facts == stage.kept:
        _store_question(stage, None, stage.kept)
    elif tiers and finished == "redo" and not facts["tie"] and _may_redo(event, stage):
        return redo_cut(stage, tiers, above)
    else:
        question = {"facts": facts, "would": tiers or [], "above": above}
        _store_question(stage, question, stage.kept)
    return None


def _may_redo(event: Event, stage: Stage) -> bool:
    if event.state in (EventState.CLOSED, EventState.FINAL):
        return False
    for row in (stage, *_consolations(stage)):
        lock_tables(row)
        if is_played(row):
            return False
    return True


def audit_redone_cut(event: Event, stage: Stage, tables: Iterable[str], *, now: datetime) -> None:
    facts = {"stage": stage.number, "tables": list(tables)}
    record_stage_act(CLOCK, "clock", event, "redo_cut", facts, "", now)


def _store_question(stage: Stage, question: object, answered: object) -> None:
    if (stage.asked, stage.kept) != (question, answered):
        stage.asked, stage.kept = question, answered
        stage.save(update_fields=["asked", "kept"])


def is_played(stage: Stage) -> bool:
    return Hand.objects.filter(game__table__round__stage=stage).exists()


def lock_tables(stage: Stage) -> list[Table]:
    """Lock the games of a stage, in ascending id, and return its tables."""
    tables = list(Table.objects.filter(round__stage=stage).select_related("round").order_by("pk"))
    lock_games(Game.objects.filter(table__in=tables))
    return tables


def redo_cut(stage: Stage, tiers: Tiers, above: int | None = None) -> tuple[str, ...]:
    """Give a stage the entrants that would advance now, if nothing was played in it.

    Args:
        tiers: groups of tied entrants in the table before the cut, best first.
        above: how many advance; None: as many as before.

    Returns:
        The codes of the removed tables, which seated others than these entrants.
    """
    stage.cut = stage.cut if above is None else above
    best = best_of(tiers, stage.cut or 0)
    every = (stage, *_consolations(stage))
    for row in every:
        lock_tables(row)
        _require_unplayed(row)
    was = codes_in(stage)
    removed: list[str] = []
    for row in every:
        codes = best if row == stage else (codes_in(row) | was) - best
        row.entrants.all().delete()
        choose(row, codes)
        removed += _remove_tables_of_others(row)
    stage.asked = stage.kept = None
    stage.save(update_fields=["asked", "kept", "cut"])
    return tuple(removed)


def _consolations(stage: Stage) -> list[Stage]:
    """Return the stages that have begun for those who did not advance to a stage.

    A stage whose best came back into the stage was played before it.
    """
    stages = list(Stage.objects.filter(event=stage.event_id).order_by("number"))
    source = source_of(stage, stages)
    return [
        row
        for row in stages
        if row.takes == StageTakes.LOSERS
        and row.cut_at is not None
        and row.pk != stage.also_from_id
        and source_of(row, stages) == source
    ]


def _remove_tables_of_others(stage: Stage) -> list[str]:
    """Remove the tables that seat a player outside a stage; return their codes."""
    inside = players_in(stage.pk) or frozenset()
    removed = []
    for table in Table.objects.filter(round__stage=stage).select_related("round").order_by("pk"):
        sat = Player.objects.filter(sittings__seat__table=table)
        if sat.exclude(pk__in=inside).exists():
            removed.append(table.code)
            delete_table(table)
    return removed


def _wanted(cut: object, name: str) -> int:
    problems = []
    number = within(cut, LEAST, MOST)
    if number is None:
        facts = {"found": shown(cut), "least": LEAST, "most": MOST}
        problems.append(Problem("bad_cut", ("cut",), facts))
    if name.strip():
        problems += name_problems(one_line(name))
    if number is None or problems:
        raise Refused(*problems)
    return number


def _next_number(event: Event, playing: Stage) -> int:
    """Return the number of a stage after the one that is played; planned stages move behind it."""
    stages = Stage.objects.filter(event=event)
    if not stages.filter(plan=StagePlan.PLANNED).exists():
        return next_number(stages)
    for later in stages.filter(number__gt=playing.number).order_by("-number"):
        Stage.objects.filter(pk=later.pk).update(number=F("number") + 1)
    return playing.number + 1


def _require_unplayed(stage: Stage) -> None:
    if is_played(stage):
        raise Conflict(Problem("cut_is_played", facts={"stage": stage_title(stage)}))
