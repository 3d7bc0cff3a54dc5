"""Column mappings: proposed for an upload, checked, stored for the club, renamed and deleted."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Final

from django.db import transaction
from django.db.models import Max

from scoring.entry.sheet import Box, boxes
from scoring.errors import Problem, Refused
from scoring.json_types import JsonObject
from tournaments.documents.read.cells import day, whole
from tournaments.documents.read.column_plan import (
    ColumnPlan,
    labels_of,
    plan_from,
    problems_of,
    values_of,
)
from tournaments.documents.read.columns import BOARD_BOX
from tournaments.documents.read.guess_columns import guess
from tournaments.documents.read.people import ClubPlayer, People
from tournaments.domain.event_settings import settings_of
from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.models.imports import PLAYER, ColumnMap, ImportBatch, Upload
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import players_of
from tournaments.selectors.clubs.find_players import named_players
from tournaments.selectors.imports.imports import maps_of
from tournaments.selectors.rules.rule_sets import offered_in
from tournaments.services.audit.audit import append_audit
from tournaments.services.db.transactions import atomic_act
from tournaments.services.imports.targets import RuleBook
from tournaments.services.imports.uploads import map_upload
from tournaments.services.permissions import require

ACT: Final = "import_sheets"

LONGEST_NAME: Final = 120


@transaction.atomic
def save_mapping(
    *,
    actor: Actor,
    club: Club,
    name: str,
    plan: JsonObject,
    heads_key: str,
    now: datetime,
) -> ColumnMap:
    """Keep a mapping under a name; one for the same heads that is there takes its place.

    Args:
        plan: as `importers.mapping.plan` writes it.
        heads_key: what tells files of these heads.

    Raises:
        Forbidden: import_sheets.
        Refused: no_name, name_too_long, mapping_name_taken.
    """
    require(actor, club, ACT)
    Club.objects.select_for_update(no_key=True).get(pk=club.pk)
    kept = ColumnMap.objects.filter(club=club, heads_key=heads_key).first()
    words = _name(club, name, kept)
    if kept is None:
        highest = ColumnMap.objects.filter(club=club).aggregate(n=Max("number"))["n"] or 0
        kept = ColumnMap(club=club, number=highest + 1, heads_key=heads_key)
    elif (kept.name, kept.plan) == (words, dict(plan)):
        return kept
    kept.name, kept.plan, kept.made_as, kept.changed_at = words, dict(plan), actor.name, now
    kept.save()
    _audit(actor, kept, "keep_mapping", {"columns": len(plan["columns"])}, now)
    return kept


@transaction.atomic
def rename_mapping(*, actor: Actor, kept: ColumnMap, name: str, now: datetime) -> None:
    """Give a kept mapping another name.

    Raises:
        Forbidden: import_sheets.
        Refused: no_name, name_too_long, mapping_name_taken.
    """
    require(actor, kept.club, ACT)
    Club.objects.select_for_update(no_key=True).get(pk=kept.club_id)
    words = _name(kept.club, name, kept)
    if words != kept.name:
        ColumnMap.objects.filter(pk=kept.pk).update(name=words)
        kept.name = words
        _audit(actor, kept, "rename_mapping", {}, now)


@transaction.atomic
def delete_mapping(*, actor: Actor, kept: ColumnMap, now: datetime) -> None:
    """Forget a kept mapping. Files that were read with it stay as they are.

    Raises:
        Forbidden: import_sheets.
    """
    require(actor, kept.club, ACT)
    if ColumnMap.objects.filter(pk=kept.pk).delete()[0]:
        _audit(actor, kept, "forget_mapping", {}, now)


@transaction.atomic
def name_column(
    *, actor: Actor, upload: Upload, column: str, player_id: str, now: datetime
) -> None:
    """Say whose column one of a file is, in its own mapping and in the one that is kept.

    Raises:
        Forbidden: import_sheets.
    """
    require(actor, upload.club, ACT)
    upload.plan = _with_player(upload.plan or {}, column, player_id)
    Upload.objects.filter(pk=upload.pk).update(plan=upload.plan)
    own = ColumnMap.objects.filter(club_id=upload.club_id, pk=upload.column_map_id or 0)
    kept = own.select_for_update(of=("self",), no_key=True).select_related("club").first()
    if kept is not None:
        kept.plan = _with_player(kept.plan, column, player_id)
        kept.changed_at = now
        kept.save(update_fields=["plan", "changed_at"])
        _audit(actor, kept, "keep_mapping", {"columns": len(kept.plan["columns"])}, now)


def _with_player(plan: JsonObject, column: str, player_id: str) -> dict[str, object]:
    columns = {**plan.get("columns", {}), column: "player"}
    return {
        **plan,
        "columns": columns,
        "players": {**plan.get("players", {}), column: player_id},
    }


def _name(club: Club, name: str, own: ColumnMap | None) -> str:
    words = " ".join(name.replace("\0", "").split())
    if not words:
        raise Refused(Problem("no_name", ("name",)))
    if len(words) > LONGEST_NAME:
        facts = {"found": len(words), "expected": LONGEST_NAME}
        raise Refused(Problem("name_too_long", ("name",), facts))
    others = ColumnMap.objects.filter(club=club)
    if own is not None:
        others = others.exclude(pk=own.pk)
    if any(one.casefold() == words.casefold() for one in others.values_list("name", flat=True)):
        raise Refused(Problem("mapping_name_taken", ("name",), {"found": words}))
    return words


def _audit(
    actor: Actor, kept: ColumnMap, act: str, facts: Mapping[str, object], now: datetime
) -> None:
    subject = f"club:{kept.club.slug}/mapping:{kept.number}"
    append_audit(club=kept.club, actor=actor, act=act, subject=subject, facts=facts, now=now)


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
