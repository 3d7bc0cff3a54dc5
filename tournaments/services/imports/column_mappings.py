"""Keeping what the columns of a foreign file are, naming it, and forgetting it again."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from django.db import transaction
from django.db.models import Max

from scoring.errors import Problem, Refused
from scoring.json_types import JsonObject
from tournaments.models.clubs import Club
from tournaments.models.column_maps import ColumnMap
from tournaments.models.imports import Upload
from tournaments.policy import Actor
from tournaments.services.access.permissions import require
from tournaments.services.audit.audit import append_audit

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
