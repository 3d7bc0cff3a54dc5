"""Cuts: the best of an event advance to a further stage; undone while nothing was played there.

The qualifiers come from the newest publication, which everybody sees, and only while it contains
every change of the event. See docs/algorithms/playoffs.md.
"""

from datetime import datetime
from typing import Final

from django.db.models import F

from scoring.errors import Problem, Refused, listed, shown
from scoring.playoffs.boundaries import Tiers
from tournaments.domain.event_settings import settings_of
from tournaments.domain.name_matching import name_problems, one_line
from tournaments.domain.reasons import BAD_REASON, reason_problems, require_reason
from tournaments.domain.stage_plan import within
from tournaments.errors import Conflict, Missing, refuse_any
from tournaments.models.clubs import Player
from tournaments.models.events import Event, Stage, StagePlan, StageTakes
from tournaments.models.hands import Game, Hand
from tournaments.models.rounds import Round, RoundState, Table
from tournaments.selectors.rounds.round_seating import players_in
from tournaments.selectors.stages import source_of, stages_of
from tournaments.services.db.bulk import next_number
from tournaments.services.db.locks import delete_table, lock_event, lock_games
from tournaments.services.events.states import require_running
from tournaments.services.operations import Operation, operation
from tournaments.services.rounds.seating_checks import playing_stage
from tournaments.services.stages.advancing import (
    CUT,
    FEWEST_QUALIFIERS,
    MOST_QUALIFIERS,
    PUBLISHED,
    Qualified,
    best_of,
    choose,
    codes_in,
    current_publication,
    lock_stage,
    may_go_on,
    record_stage_operation,
    require_open,
    require_playoffs_looked_for,
    require_rounds_over,
)

ANSWERS: Final = ("keep", "redo")


@operation("manage_event", locks=lock_event, refuses=(*CUT, "bad_cut", "name_too_long"))
def make_cut(op: Operation, event: Event, /, *, cut: object, name: str = "") -> Stage:
    """Create a new stage for the best `cut` of the event's table; new rounds belong to it.

    Those who withdrew, or have too few games for a rank, are skipped. After an earlier cut, the
    best of its qualifiers advance.
    """
    number = _wanted(cut, name)
    require_open(event)
    stage = playing_stage(event)
    require_rounds_over(event)
    publication = current_publication(event)
    best = best_of(may_go_on(publication, stage), number)
    final = Stage(
        club=event.club,
        event=event,
        number=_next_number(event, stage),
        name=one_line(name),
        kind=stage.kind,
        from_stage=stage,
        advance={"best": number},
    )
    enter_stage(final, stage, Qualified(best, number), now=op.now)
    facts = {"cut": number, "publication": publication.number, "went_on": sorted(best)}
    record_stage_operation(op, "make_cut", final, facts)
    return final


def enter_stage(stage: Stage, source: Stage, qualified: Qualified, *, now: datetime) -> None:
    """Start a stage with those who qualified for it.

    Draft rounds of the stage before move to it, if it is for those who advance.
    """
    stage.cut = qualified.cut
    stage.cut_at = now
    stage.save()
    choose(stage, qualified.codes)
    if stage.takes == StageTakes.WINNERS:
        drafts = Round.objects.filter(stage=source, state=RoundState.DRAFT)
        drafts.update(stage=stage)


@operation(
    "manage_event",
    locks=lock_stage,
    refuses=("unknown_stage", *BAD_REASON, "event_is_over", "cut_is_not_last", "cut_is_played"),
)
def undo_cut(op: Operation, stage: Stage, /, *, reason: str) -> Stage:
    """Undo the last cut, with a reason, as long as nothing was played after it."""
    event, number = stage.event, stage.number
    if stage.cut_at is None:
        raise Missing("stage", {"stage": number})
    require_reason(reason)
    require_running(event)
    if stage != playing_stage(event):
        raise Conflict(Problem("cut_is_not_last", facts={"stage": number}))
    lock_tables(stage)
    _require_unplayed(stage)
    before = stages_of(event).filter(number__lt=number)
    Round.objects.filter(stage=stage).update(stage=before.order_by("-number")[0])
    if stage.plan == StagePlan.BEGUN:  # it is planned again
        stage.entrants.all().delete()
        stage.plan = StagePlan.PLANNED
        stage.cut = None
        stage.cut_at = None
        stage.asked = stage.kept = None
        stage.save()
    else:
        stage.delete()
    record_stage_operation(op, "undo_cut", stage, reason=reason)
    return stage


@operation(
    "manage_event",
    locks=lock_stage,
    refuses=(
        *("unknown_stage", "bad_cut_answer", *BAD_REASON, "nothing_asked", "event_is_over"),
        *("round_was_played", "round_was_drawn", *PUBLISHED, "playoffs_looked_for"),
        *("cut_is_played", "nobody_can_qualify", "cut_too_large", "cut_tied"),
    ),
)
def answer_cut(op: Operation, stage: Stage, /, *, answer: str, reason: str) -> Stage:
    """Answer the question about a cut after a correction: keep the cut, or redo it."""
    require_cut(stage)
    problems = list(reason_problems(reason))
    if answer not in ANSWERS:
        facts = {"found": answer, "expected": listed(ANSWERS)}
        problems.insert(0, Problem("bad_cut_answer", ("answer",), facts))
    refuse_any(problems)
    if stage.asked is None:
        raise Conflict(Problem("nothing_asked", facts={"stage": stage.number}))
    noted: dict[str, object] = {}
    if answer == "redo":
        require_running(stage.event)
        if "round" in stage.asked["facts"]:
            facts = {"round": stage.asked["facts"]["round"]}
            rounds = Round.objects.filter(event=stage.event, number=facts["round"])
            has_hands = Hand.objects.filter(game__table__round__in=rounds).exists()
            code = "round_was_played" if has_hands else "round_was_drawn"
            raise Conflict(Problem(code, facts=facts))
        lock_tables(stage)  # before the row of what is to be published, as an entry has it
        current_publication(stage.event)
        require_playoffs_looked_for(stage.event)
        noted["tables"] = redo_cut(stage, stage.asked["would"], stage.asked.get("above"))
    else:
        stage.kept, stage.asked = stage.asked["facts"], None
        stage.save(update_fields=["asked", "kept"])
    record_stage_operation(op, f"{answer}_cut", stage, noted, reason)
    return stage


def require_cut(stage: Stage) -> None:
    """Refuse a stage that no cut made, unless a correction asks about its rounds."""
    if stage.cut is None and stage.asked is None:
        raise Missing("stage", {"stage": stage.number})


def review_cut(
    event: Event,
    stage: Stage,
    problem: Problem | None,
    tiers: Tiers | None = None,
    above: int | None = None,
) -> list[str] | None:
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
        None, or the codes of the removed tables if the cut was redone: the caller records it after
        all cuts, because that locks the rows which a transaction locks last.
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
    if event.is_over:
        return False
    for row in (stage, *_consolations(stage)):
        lock_tables(row)
        if is_played(row):
            return False
    return True


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


def redo_cut(stage: Stage, tiers: Tiers, above: int | None = None) -> list[str]:
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
    return removed


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
    number = within(cut, FEWEST_QUALIFIERS, MOST_QUALIFIERS)
    if number is None:
        facts = {"found": shown(cut), "least": FEWEST_QUALIFIERS, "most": MOST_QUALIFIERS}
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
        raise Conflict(Problem("cut_is_played", facts={"stage": stage.title}))
