"""Saying what the columns of an uploaded file are: proposed, judged, kept, and read so."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from django.db import transaction

from scoring.entry.sheet import Box, boxes
from scoring.errors import Problem, Refused
from tournaments.domain.event_settings import settings_of
from tournaments.importers.mapping.guess import guess
from tournaments.importers.mapping.plan import (
    ColumnPlan,
    labels_of,
    plan_from,
    problems_of,
    values_of,
)
from tournaments.importers.sheets.players import ClubPlayer, People
from tournaments.importers.tabular.cells import day, whole
from tournaments.importers.tabular.columns import BOARD_BOX
from tournaments.models.clubs import Club
from tournaments.models.column_maps import PLAYER, ColumnMap
from tournaments.models.events import Event
from tournaments.models.imports import ImportBatch, Upload
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import players_of
from tournaments.selectors.imports.column_mappings import maps_of
from tournaments.services.clubs.find_players import named_players
from tournaments.services.db.transactions import atomic_act
from tournaments.services.imports.column_mappings import save_mapping
from tournaments.services.imports.rules import RuleBook
from tournaments.services.imports.uploads import map_upload
from tournaments.services.rules.rule_sets import offered_in


def file_heads(upload: Upload) -> list[str]:
    """Return the heads that a file came with, without those that mending added."""
    return list(upload.heads[: len(upload.heads) - len(upload.added)])


def lacks_heads(upload: Upload) -> bool:
    """Whether numbers or dates stand where a file should have its heads."""
    values = (whole(head).value is not None or day(head).value.options for head in upload.heads)
    return any(values)


def boxes_of(upload: Upload, event: Event) -> tuple[Box, ...]:
    """Return the boxes of the sheets in a file: of its variant, or the event's."""
    offered = offered_in(event)
    rules = RuleBook(event.variant, event.options, upload.variant, offered=offered)("").rules
    found = boxes(rules, rules.keys.players[1])
    return (*found, BOARD_BOX) if settings_of(event).duplicate else found


@dataclass(frozen=True, slots=True)
class ProposedMapping:
    """What the columns of a file are, and the name of a kept mapping that says so, if one does."""

    plan: ColumnPlan
    name: str = ""


def proposed_plan(upload: Upload, event: Event, known: Sequence[Box], rows: str) -> ProposedMapping:
    """Return what the columns of a file are: as was said, as a mapping nearly has it, or as is
    likely.

    Args:
        rows: `seats` or `hands` where a person asks for it.
    """
    heads = file_heads(upload)
    labels = labels_of(heads)
    if upload.plan is not None and rows in ("", upload.plan["rows"]):
        name = upload.column_map.name if upload.column_map is not None else ""
        return ProposedMapping(plan_from(upload.plan).of_file(labels, lambda label: False), name)
    people = People(
        ClubPlayer(*row) for row in players_of(event.club).values_list("pk", "player_id", "name")
    )
    likely = guess(heads, upload.sample, people, known, rows)
    for kept in maps_of(event.club):
        plan = plan_from(kept.plan)
        if plan.gone(labels) or rows not in ("", plan.rows):
            continue
        whole = plan.of_file(labels, people.called)
        strange = set(plan.strange(labels, people.called))
        found = _filled_in(whole, strange, likely)
        return ProposedMapping(found, kept.name if found.key == plan.key else "")
    return ProposedMapping(likely)


def _filled_in(plan: ColumnPlan, strange: Collection[str], likely: ColumnPlan) -> ColumnPlan:
    """Return a plan whose unknown columns are what is likely, if nothing else is that already."""
    if likely.rows != plan.rows:
        return plan
    guessed = dict(likely.columns)
    found = [
        (label, guessed[label])
        if label in strange and (guessed[label] == PLAYER or guessed[label] not in plan.means)
        else (label, means)
        for label, means in plan.columns
    ]
    return replace(plan, columns=tuple(found))


def ids_of(club: Club, typed: Mapping[str, str], labels: Sequence[str]) -> dict[str, str]:
    """Return the player's id for each column that somebody was typed for.

    Raises:
        Refused: nobody_of_that_name, name_of_several, at the column's field.
    """
    found, problems = {}, []
    people = named_players(club)
    for label, text in typed.items():
        meant = people.meant(text, ("player", labels.index(label)))
        if isinstance(meant, Problem):
            problems.append(meant)
        else:
            found[label] = meant.player_id
    if problems:
        raise Refused(*problems)
    return found


@dataclass(frozen=True, slots=True)
class MappingAnswers:
    """What somebody said of a file: its plan, the round and the table, a date."""

    plan: ColumnPlan
    values: Mapping[str, str]
    day: date | None


@transaction.atomic
def map_columns(
    *, actor: Actor, batch: ImportBatch, upload: Upload, said: MappingAnswers, now: datetime
) -> None:
    """Have a file read as was said.

    Raises:
        Forbidden: import_sheets.
        Refused: what is wrong with the plan or with what is given.
        Conflict: event_not_open, import_moved_on.
    """
    problems = problems_of(said.plan, labels_of(file_heads(upload)))
    values: dict[str, str] = {}
    try:
        values = values_of(said.plan, said.values)
    except Refused as refused:
        seen = {(one.code, one.at) for one in problems}
        problems.extend(one for one in refused.problems if (one.code, one.at) not in seen)
    if problems:
        raise Refused(*problems)
    map_upload(
        actor=actor,
        batch=batch,
        plan=said.plan.as_json(),
        given=values,
        day=said.day,
        column_map=None,
        now=now,
    )


@atomic_act
def store_mapping(*, actor: Actor, upload: Upload, name: str, now: datetime) -> ColumnMap:
    """Keep for the club what the columns of a file are, under a name.

    Raises:
        Forbidden: import_sheets.
        Refused: no_name, name_too_long, mapping_name_taken.
    """
    plan = plan_from(upload.plan)
    kept = save_mapping(
        actor=actor,
        club=upload.club,
        name=name,
        plan=plan.as_json(),
        heads_key=plan.key,
        now=now,
    )
    Upload.objects.filter(pk=upload.pk).update(column_map=kept)
    return kept
