"""The order of the tables in an archive: those that others point at come first."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, TypeAlias

from django.db import models

from tournaments.domain.archives.tables import Field, fields_of, is_left_out
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Entrant, Event, Season
from tournaments.models.imports import ImportBatch
from tournaments.models.meetings import Meeting
from tournaments.models.outbox import (
    IMPORT_PREFIX,
    PREFIXES_OF_EVENTS,
    SEASON_PREFIX,
    SEATING_PREFIX,
    Deadline,
)
from tournaments.models.photos import Picture, SheetPhoto
from tournaments.models.seating_plans import SeatingPlan
from tournaments.services.clubs.remove_rows import removal_order

Model: TypeAlias = type[models.Model]

JOBS: Final[Mapping[str, Model]] = {
    **dict.fromkeys(PREFIXES_OF_EVENTS, Event),
    SEASON_PREFIX: Season,
    IMPORT_PREFIX: ImportBatch,
    SEATING_PREFIX: SeatingPlan,
}
"""Prefix of a background job → whose row its number is."""


NAMED: Final[Mapping[Model, Sequence[Model]]] = {
    SeatingPlan: (Player, Entrant, Meeting),
    Deadline: (Meeting,),
}
"""Models whose JSON names rows of others (domain/archives/row_numbers.py)."""


@lru_cache(maxsize=1)
def archive_order() -> Sequence[Model]:
    """Return the models of an archive, the club first, each behind those that it points at.

    Only columns of `later_columns` point at what comes later.
    """
    base: list[Model] = []
    for model, _emptied in reversed(removal_order()):
        base.append(model)
        if model is SheetPhoto:  # a picture has no column for its club
            base.append(Picture)
    order: list[Model] = [Club]
    for model in base:
        _place(model, base, order)
    return tuple(one for one in order if not is_left_out(one, anonymous=False))


def _place(model: Model, base: Sequence[Model], order: list[Model]) -> None:
    """Put a model behind those that it points at, or names in JSON."""
    if model in order:
        return
    own = base.index(model)
    targets: list[Any] = [one.related_model for one in model._meta.concrete_fields]
    pointed_at = [one for one in targets if one in base and base.index(one) < own]
    for target in (*pointed_at, *NAMED.get(model, ())):
        _place(target, base, order)
    order.append(model)


def later_columns(model: Model) -> list[Field]:
    """Return the columns of a model that point at rows of its own table, or of a later one."""
    order = archive_order()
    at = order.index(model)
    return [one for one in fields_of(model) if one.is_relation and one.related_model in order[at:]]
